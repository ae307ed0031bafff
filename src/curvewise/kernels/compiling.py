"""How functions are compiled; importing numba takes about a second, so only large work does.

Numba keeps what it compiled until the file of a function changes. It does not notice a change
in a function that others call or inline: then remove the ``__pycache__`` folders.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numba

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["OPTIONS", "njit"]

# Threads may run compiled code side by side; division by zero gives infinity, as in NumPy.
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}


def njit(**options: Any) -> Callable[[Any], Any]:
    """Compile a function, and keep the result on disk for the next process if possible."""

    def decorate(function: Any) -> Any:
        try:
            return numba.njit(cache=True, **options)(function)
        except RuntimeError:
            # Neither the package's folder nor the user's can be written to.
            return numba.njit(**options)(function)

    return decorate
