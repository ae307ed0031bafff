"""Compilation of the learners' loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

__all__ = ["compiled"]

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile a function, and cache the result on disk if possible."""
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    try:
        made: Any = numba.njit(cache=True, **options)(function)
    except RuntimeError:
        # Neither this folder nor the user's cache folder is writable.
        made = numba.njit(**options)(function)
    return cast("Function", made)
