"""The frames of .wandb files: a log in blocks of 32 KiB, as LevelDB writes them.

Behind the first seven bytes of the file, a record is one or several fragments, none of which
crosses the end of a block: CRC-32 (4 bytes, little-endian) of type and data, length (2), type
(1: whole, first, middle or last fragment), data. Fewer than seven bytes at the end of a block
are padding. W&B's package has no reader for them.
"""

from __future__ import annotations

import struct
import zlib
from typing import IO, TYPE_CHECKING

from curvewise.readers.logged import unreadable
from curvewise.readers.parsing.tfrecords import read_bytes
from curvewise.text import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from curvewise.readers.folders import File

__all__ = ["BlockLog", "is_block_log"]

BLOCK_SIZE = 2**15
MAGIC = b":W&B"
HEADER = struct.Struct("<IHB")
FULL, FIRST, MIDDLE, LAST = 1, 2, 3, 4
# What one record may hold; a longer one is passed over.
MAX_RECORD_SIZE = 2**26


def is_block_log(head: bytes) -> bool:
    """Whether a file begins as .wandb files do, as its first bytes tell."""
    return head.startswith(MAGIC)


class BlockLog:
    """The records in a .wandb file.

    Attributes
    ----------
    is_cut : bool
        Whether the file ends inside a record.
    notes : list of str
        What was left out, in a sentence each; complete after `records`.
    """

    def __init__(self, file: File) -> None:
        self.name = file.path.name
        self.is_cut = False
        self.notes: list[str] = []
        self._file = file
        self._n_damaged = 0

    def records(self) -> Iterator[bytes]:
        """Yield the whole records.

        After a damaged fragment the rest of its block is passed over. Raises CurvesError if the
        file cannot be opened.
        """
        try:
            with self._file.open() as stream:
                yield from self._whole_records(stream)
        except OSError as error:
            raise unreadable(self.name, error) from None
        if self.is_cut:
            self.notes.append(f"the last record of {self.name} is cut and was left out")
        if self._n_damaged:
            self.notes.append(
                f"{self.name} is damaged in {plural(self._n_damaged, 'place')}, and the records "
                "there were left out"
            )

    def _whole_records(self, stream: IO[bytes]) -> Iterator[bytes]:
        parts: list[bytes] = []
        size, is_open = 0, False
        for kind, data in self._fragments(stream):
            if kind in (FULL, FIRST):
                # What was begun and not ended is lost.
                self._n_damaged += is_open
                parts, size, is_open = [], 0, True
            elif not is_open:
                continue
            size += len(data)
            if size > MAX_RECORD_SIZE:
                parts, is_open = [], False
                self._n_damaged += 1
                continue
            parts.append(data)
            if kind in (FULL, LAST):
                yield b"".join(parts)
                parts, is_open = [], False
        self.is_cut |= is_open

    def _fragments(self, stream: IO[bytes]) -> Iterator[tuple[int, bytes]]:
        """Yield the type and data of each fragment whose checksum is right."""
        position = 7
        while block := read_bytes(stream, BLOCK_SIZE):
            is_last = len(block) < BLOCK_SIZE
            while position + HEADER.size <= len(block):
                crc, length, kind = HEADER.unpack_from(block, position)
                start = position + HEADER.size
                data = block[start : start + length]
                if is_last and start + length > len(block):
                    break
                if (
                    len(data) < length
                    or zlib.crc32(data, zlib.crc32(bytes([kind]))) != crc
                ):
                    self._n_damaged += 1
                    position = len(block)
                    break
                yield kind, data
                position = start + length
            if is_last:
                self.is_cut = position < len(block)
                return
            position = 0
