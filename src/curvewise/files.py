"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
from contextlib import contextmanager
from typing import TYPE_CHECKING

from curvewise.errors import refuse

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_UNFINISHED: set[Path] = set()  # names of files that were begun here


def remove_unfinished() -> None:
    """Remove what an interrupt may have left of files that were being written."""
    for path in _UNFINISHED:
        path.unlink(missing_ok=True)


def check_place(path: Path, what: str, *, option: str = "") -> None:
    """Raise if a file could not be written under this name, before any work is done.

    The folder must exist and be writable, and the name must not be that of a folder or of a file
    that is write-protected, nor that of a device or a pipe. ``what`` says what is written, such as "figure", and ``option`` which
    option names it. An existing file is left as it is.
    """
    if os.path.isdir(path):  # noqa: PTH112 (unlike Path.is_dir it never raises)
        refuse(f"{str(path)!r} is a directory; name a file in it for the {what}.", option)
    folder = path.parent
    if not os.path.isdir(folder):  # noqa: PTH112
        refuse(f"There is no folder {str(folder)!r} to save the {what} in. Make it first.", option)
    try:
        there = path.resolve()  # raises if links go round in circles
        _check_kind(there)
        if there.exists() and not os.access(there, os.W_OK):  # or if the name is too long
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        _new_file_beside(there).unlink()
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        refuse(f"No {what} can be saved as {str(path)!r}: {reason}. Choose another place.", option)


@contextmanager
def replacing(path: Path, what: str, *, option: str = "") -> Iterator[Path]:
    """Give the name of a new file to write; it takes the place of ``path`` when all went well.

    It gets the permissions of a new file, and a link is followed. Raises `OptionError` if the
    file cannot be written.
    """
    path = path.resolve()  # what a link points to is replaced, not the link
    try:
        _check_kind(path)
        partial = _new_file_beside(path)
        try:
            yield partial
            partial.chmod(0o666 & ~_umask())
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
            _UNFINISHED.discard(partial)
    except OSError as error:
        refuse(
            f"The {what} cannot be saved as {str(path)!r}: {error.strerror}. Make room, or choose "
            "another place.",
            option,
        )


def write_text(path: Path, text: str, what: str, *, option: str = "") -> None:
    """Write a text whole or not at all."""
    with replacing(path, what, option=option) as partial:
        partial.write_text(text, encoding="utf-8", newline="\n")


def append_text(path: Path, text: str, what: str) -> None:
    """Add a text to the end of a file in a single write, all of it or nothing.

    The file is made if there is none.
    """
    data = text.encode("utf-8")
    try:
        with path.open("ab", buffering=0) as file:
            size = file.tell()
            reason = ""
            if file.write(data) < len(data):
                file.truncate(size)
                reason = os.strerror(errno.ENOSPC)
    except OSError as error:
        reason = error.strerror or str(error)
    if reason:
        refuse(f"The {what} cannot be added to {str(path)!r}: {reason}.", "")


def _check_kind(path: Path) -> None:
    """Raise OSError if something else than a file has this name: it must not be replaced.

    A file that takes the place of a device, such as that of nothing, breaks the whole system.
    """
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is a device or a pipe, not a file")


def _new_file_beside(path: Path) -> Path:
    """Make an empty file of another name in the same folder, and return its path."""
    made = path.parent / f"curvewise-{secrets.token_hex(8)}{path.suffix}"
    _UNFINISHED.add(made)  # before it exists, so that no interrupt can leave it behind
    handle = os.open(made, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    os.close(handle)
    return made


def _umask() -> int:
    """Return the permissions that new files lack; they can only be read by setting them."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
