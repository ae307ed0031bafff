"""The formats that can be read: one entry each, from the ending of a name to its reader.

To add a format, write a module that reads it and add a line to `FORMATS`. The module of a
table has ``columns(path)``, which returns the name of each column and whether it holds lists,
and ``load(path, to_read)``, which returns a polars frame of the columns to read. Any other
module has ``read(path, selection)``, which returns the runs `Unaligned`.
"""

from __future__ import annotations

import os
import stat
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from curvewise.errors import CurvesError
from curvewise.text import shown_value

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["FORMATS", "Format", "format_by_name", "format_of"]


class Format(NamedTuple):
    """A format of files.

    Attributes
    ----------
    name : str
        What users call it.
    endings : tuple of str
        How names of such files end, in lower case.
    module_name : str
        The module of this package that reads it.
    is_table : bool
        Whether it holds rows and columns.
    """

    name: str
    endings: tuple[str, ...]
    module_name: str
    is_table: bool = True

    @property
    def module(self) -> Any:
        """The module that reads the format, imported when it is first needed."""
        return import_module(f"curvewise.readers.tables.{self.module_name}")


FORMATS = (
    Format("CSV", (".csv", ".csv.gz"), "delimited"),
    Format("TSV", (".tsv", ".tsv.gz"), "delimited"),
    Format("Parquet", (".parquet", ".pq"), "parquet"),
    Format("JSON lines", (".jsonl", ".ndjson"), "json_lines"),
    Format("NPZ", (".npz",), "arrays", is_table=False),
)


def format_by_name(path: Path) -> Format | None:
    """Return the format of a table or of arrays by the name of the file, if it is one."""
    name = path.name.lower()
    return next((known for known in FORMATS if name.endswith(known.endings)), None)


def format_of(path: Path) -> Format:
    """Return the format of a file by its name; raise if the file cannot be read."""
    known = format_by_name(path)
    if known is not None:
        _check_file(path)
        return known
    if os.path.isdir(path):  # noqa: PTH112 (unlike Path.is_dir it never raises)
        raise _folder_error(path)
    endings = ", ".join(ending for known in FORMATS for ending in known.endings)
    msg = (
        f"The format of {path.name!r} is not known: the name must end in one of {endings}. "
        "Rename the file, or save the table in one of these formats."
    )
    raise CurvesError(msg)


def _check_file(path: Path) -> None:
    """Raise unless there is a file that can be opened and is not empty."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise _folder_error(path)
        if not stat.S_ISREG(mode):
            msg = f"{str(path)!r} is not a regular file. Save the table to a file first."
            raise CurvesError(msg)
        with path.open("rb") as file:
            if not file.read(1):
                msg = (
                    f"{str(path)!r} is empty. Check that the program that writes it has "
                    "finished."
                )
                raise CurvesError(msg)
    except FileNotFoundError:
        msg = f"There is no file {str(path)!r}. Check the name and the folder."
        raise CurvesError(msg) from None
    except OSError as error:
        msg = f"{shown_value(str(path))} cannot be read: {error.strerror}."
        raise CurvesError(msg) from None


def _folder_error(path: Path) -> CurvesError:
    return CurvesError(
        f"{str(path)!r} is a directory, not a file. Name one of the files in it."
    )
