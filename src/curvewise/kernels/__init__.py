"""Arrays in, arrays out: the arithmetic, without a name in it."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

__all__ = ["Floats", "Integers"]
