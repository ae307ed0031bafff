"""Numerical kernels: NumPy arrays in, NumPy arrays out. Nothing here knows algorithm names."""

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]
Array = np.ndarray[Any, Any]  # of any numbers
