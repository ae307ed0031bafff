"""Whatever goes wrong while a file is read becomes a sentence, here and nowhere else."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from curvewise.errors import CurvesError, CurvewiseError
from curvewise.text import encodable, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["explained", "quiet_panics"]

MAX_REASON = 160  # characters of what a library says
STANDARD_ERROR = 2
_standard_error = threading.Lock()


@contextmanager
def explained(path: Path, what: str) -> Iterator[None]:
    """Turn any failure to read a file as ``what``, a format, into a CurvesError.

    Files come from anywhere, and libraries fail at what they do not expect in many ways. Only
    a lack of memory, which is no matter of the file, passes as it is. What was raised is kept
    as the cause of the CurvesError.
    """
    name = encodable(path.name)
    try:
        yield
    except (CurvewiseError, MemoryError):
        raise
    except UnicodeDecodeError as error:
        msg = f"{name} is not text in UTF-8. Save it with that encoding."
        raise CurvesError(msg) from error
    except RecursionError as error:
        msg = f"{name} is nested too deeply to be {what}."
        raise CurvesError(msg) from error
    except BaseException as error:
        if isinstance(error, OSError) and error.strerror:
            msg = f"{name} cannot be read: {error.strerror}."
            raise CurvesError(msg) from error
        if not isinstance(error, Exception) and not _is_panic(error):
            raise  # an interrupt
        msg = f"{name} cannot be read as {what}: {_reason(error)}. Write the file again."
        raise CurvesError(msg) from error


def _is_panic(error: BaseException) -> bool:
    """Whether code in Rust gave up; what it raises then is no Exception."""
    return type(error).__name__ == "PanicException"


def _reason(error: BaseException) -> str:
    """Return the first line of what was said, without what would end a sentence."""
    lines = [] if _is_panic(error) else str(error).strip().splitlines()
    if not lines:
        return "its data are damaged"
    return shortened(lines[0], MAX_REASON).rstrip(".")


@contextmanager
def quiet_panics() -> Iterator[None]:
    """Drop what code in Rust writes to standard error when it gives up.

    It says so by an exception as well. What is written by others, or when nothing goes wrong,
    is written when the block ends.
    """
    import tempfile

    with _standard_error, ExitStack() as stack:
        try:
            sys.stderr.flush()
            kept = stack.enter_context(tempfile.TemporaryFile())
            usual = os.dup(STANDARD_ERROR)
        except (AttributeError, OSError, ValueError):  # there is none, or no room
            yield
            return
        stack.callback(os.close, usual)
        is_panic = False
        os.dup2(kept.fileno(), STANDARD_ERROR)
        try:
            yield
        except BaseException as error:
            is_panic = _is_panic(error)
            raise
        finally:
            os.dup2(usual, STANDARD_ERROR)
            if not is_panic:
                kept.seek(0)
                with suppress(OSError):
                    os.write(STANDARD_ERROR, kept.read())
