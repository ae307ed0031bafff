"""Files that no format knows for a log, but that may be one: empty, broken off, in UTF-16."""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from typing import TYPE_CHECKING

from curvewise.errors import CurvesError
from curvewise.readers.folders import HEAD_SIZE, Skipped
from curvewise.readers.parsing.archives import check_archive
from curvewise.readers.parsing.json_documents import beginning, document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from curvewise.readers.finding import Home
    from curvewise.readers.folders import File, Walk

__all__ = ["broken_logs"]


def broken_logs(walk: Walk, homes: Iterable[Home]) -> Iterator[Skipped]:
    """Yield files that no home has, although they may be logs, and why.

    Text in UTF-16, as some shells of Windows write it, is said to be that. A log is cut before it
    can be recognised if training stops while it is written. Such a file has the name of a log
    elsewhere, or the ending of a log in the same folder.
    """
    logs = [
        file
        for home in homes
        for claims in home.logs.values()
        for claim in claims
        for file in claim.files
    ]
    names = {file.name for file in logs}
    endings = {(file.path.parent, _ending(file)) for file in logs}
    for folder in walk.folders:
        for file in folder.files.values():
            if file.head().startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
                reason = f"{file.path.name} is text in UTF-16. Save it in UTF-8"
                yield Skipped(file.path, reason)
            elif file.name in names or (folder.path, _ending(file)) in endings:
                reason = _reason(file)
                if reason:
                    yield Skipped(file.path, reason)


def _ending(file: File) -> str:
    return file.name.rpartition(".")[2].lower()


def _reason(file: File) -> str:
    """Say why a file could not be recognised; nothing if it is whole, and something else."""
    if not file.size:
        return f"{file.path.name} is empty"
    try:
        if _ending(file) == "npz":
            check_archive(file)
        elif _ending(file) == "json" and _begins_a_document(file):
            document(file)
    except CurvesError as error:
        return str(error).removesuffix(".")
    return ""


def _begins_a_document(file: File) -> bool:
    """Whether a file may be a short document that is cut; a long one shows what it is."""
    return len(file.head()) < HEAD_SIZE and beginning(file) is not None
