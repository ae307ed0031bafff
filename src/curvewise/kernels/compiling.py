"""Whether work is compiled, and how: with numba where it is installed, else not at all.

Compiled functions are in modules called ``compiled_…``, which import numba when they are
imported. Importing it takes about a second and it may be missing, so each such module has a
NumPy form beside it that gives the same digits, and is imported only where the work is large
enough to repay it::

    if worth_compiling(work > COMPILE_ABOVE_WORK):
        from curvewise.kernels.compiled_kernels import count

        return count(values)
    return ...  # in NumPy

The question is asked once, by whoever plans the work, and the answer handed on to its parts: the
plan must not depend on it, and workers need not find out for themselves.

Numba keeps what it compiled until the file of a function changes. It does not notice a change
in a function that others call or inline: then remove the ``__pycache__`` folders.
"""

from __future__ import annotations

import sys
import warnings
from functools import cache
from typing import TYPE_CHECKING, Any

from curvewise.errors import CurvewiseWarning

if TYPE_CHECKING:
    from collections.abc import Callable


# Threads may run compiled code side by side; division by zero gives infinity, as in NumPy.
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
INSTALL_HINT = 'pip install "curvewise[fast]"'
# To import numba and to load what it compiled earlier; and to load that alone.
LOADING_SECONDS, WARMING_SECONDS = 0.4, 0.02


def worth_compiling(large: bool, /) -> bool:  # noqa: FBT001 (reads as a sentence)
    """Tell whether to use compiled code: the work is large, and numba can be imported.

    Where large work must do without, a warning says so, once in a process, and how to change it.
    """
    return large and _numba_works()


def compiling_repays(in_numpy: float, compiled: float) -> bool:
    """Tell whether work of so many seconds is done sooner by compiled code, with its start.

    The one rule by which an engine is chosen: by what the work costs in either, and whether numba
    is imported already.
    """
    start = WARMING_SECONDS if compiler_is_loaded() else LOADING_SECONDS
    return worth_compiling(in_numpy > start + compiled)


def compiler_is_loaded() -> bool:
    """Tell whether numba is imported already, so that even small work may use it."""
    return sys.modules.get("numba") is not None


def kernels_are_loaded() -> bool:
    """Tell whether `compiled_kernels` is there already: it is then faster for small work, too."""
    return sys.modules.get("curvewise.kernels.compiled_kernels") is not None


@cache
def _numba_works() -> bool:
    try:
        import numba  # noqa: F401
    except ImportError as error:
        # An installed numba says so itself if it does not fit this Python or this NumPy.
        missing = isinstance(error, ModuleNotFoundError) and error.name == "numba"
        why = "numba is not installed" if missing else f"numba cannot be used ({error})"
        msg = (
            f"{why}, so that large work takes longer; results are the same. "
            f"To speed it up: {INSTALL_HINT}"
        )
        warnings.warn(msg, CurvewiseWarning, stacklevel=3)
        return False
    return True


def njit(**options: Any) -> Callable[[Any], Any]:
    """Compile a function, and keep the result on disk for the next process if possible."""
    import numba

    def decorate(function: Any) -> Any:
        try:
            return numba.njit(cache=True, **options)(function)
        except RuntimeError:
            # Neither the package's folder nor the user's can be written to.
            return numba.njit(**options)(function)

    return decorate
