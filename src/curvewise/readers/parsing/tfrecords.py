"""The frames of event files: TFRecord, a length, the payload, and checksums of both.

A frame is the length (8 bytes, little-endian), a masked CRC-32C of these, the payload, and a
masked CRC-32C of the payload. TensorBoard's own reader checks the sums byte by byte in Python,
which takes most of its time; here a block of frames is checked at once.
"""

from __future__ import annotations

import struct
import zlib
from functools import cache
from typing import IO, TYPE_CHECKING, cast

import numpy as np

from curvewise.readers.logged import unreadable
from curvewise.text import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from io import BufferedIOBase

    import numpy.typing as npt

    from curvewise.readers.folders import File

__all__ = ["RecordFile", "begins_with_record", "damage_note", "masked_crc", "read_bytes"]

BLOCK_SIZE = 2**20
HEADER_SIZE = 12
FOOTER_SIZE = 4
# What one record may hold; a longer one is passed over without being held in memory.
MAX_RECORD_SIZE = 2**26
# Payloads up to this size are checked: scalars and texts, but no images and histograms.
MAX_CHECKED_SIZE = 1024
MAX_KNOWN_HEADERS = 2**14
POLYNOMIAL = 0x82F63B78
MASK_DELTA = 0xA282EAD8


@cache
def _crc_table() -> npt.NDArray[np.uint32]:
    """Return what each byte contributes to a CRC-32C."""
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ np.uint32(POLYNOMIAL), table >> 1)
    return table.astype(np.uint32)


def masked_crc(data: bytes) -> int:
    """Return the masked CRC-32C of some bytes, as TFRecord files store it.

    >>> hex(masked_crc(b"123456789"))
    '0xc78ab0e5'
    """
    table, crc = _crc_table().tolist(), 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    crc ^= 0xFFFFFFFF
    return int(((crc >> 15 | crc << 17) + MASK_DELTA) & 0xFFFFFFFF)


def begins_with_record(head: bytes) -> bool:
    """Whether a file begins as a TFRecord file does, as its first bytes tell."""
    return len(head) >= HEADER_SIZE and _length(head[:HEADER_SIZE]) is not None


def damage_note(number: int, name: str) -> str:
    """Say that records could not be used.

    >>> damage_note(2, "events.out.tfevents.1")
    '2 damaged records of events.out.tfevents.1 left out'
    """
    return f"{plural(number, 'damaged record')} of {name} left out"


def _length(header: bytes) -> int | None:
    """Return the length in a header, or None if its checksum is wrong."""
    length, crc = struct.unpack("<QI", header)
    return length if crc == masked_crc(header[:8]) else None


class RecordFile:
    """The payloads in a TFRecord file, block by block.

    Parameters
    ----------
    file : File
    is_kept : callable, optional
        Whether a payload is wanted; all are by default.

    Attributes
    ----------
    n_records : int
        How many whole records were found so far, wanted or not.
    is_damaged : bool
        Whether a length is damaged, so that nothing after it can be found.
    notes : list of str
        What was left out, in a sentence each; complete after `batches`.
    """

    def __init__(
        self, file: File, is_kept: Callable[[bytes], object] | None = None
    ) -> None:
        self.name = file.path.name
        self.n_records = 0
        self.is_damaged = False
        self.notes: list[str] = []
        self._file = file
        self._is_kept = is_kept
        self._n_damaged = 0
        self._lengths: dict[bytes, int] = {}

    def batches(self) -> Iterator[list[bytes]]:
        """Yield the payloads of whole records, many at a time.

        What follows a cut or a damaged length is left out, and so are payloads whose checksum
        is wrong. Raises CurvesError if the file cannot be opened.
        """
        try:
            with self._file.open() as stream:
                yield from self._batches(stream)
        except OSError as error:
            raise unreadable(self.name, error) from None

    def first_payloads(self) -> list[bytes]:
        """Return the payloads that are whole in the first bytes of the file."""
        return self._split(self._file.head())[0]

    def _batches(self, stream: IO[bytes]) -> Iterator[list[bytes]]:
        buffer, lacking, n_long = b"", 0, 0
        while lacking >= 0:
            if lacking > MAX_RECORD_SIZE and _pass_over(stream, lacking):
                buffer, lacking = b"", 0
                n_long += 1
            part = read_bytes(stream, min(max(BLOCK_SIZE, lacking), MAX_RECORD_SIZE))
            if not part:
                break
            buffer += part
            payloads, position, lacking = self._split(buffer)
            buffer = buffer[position:]
            if payloads:
                yield payloads
        if lacking < 0:
            self.is_damaged = True
            self.notes.append(
                f"{self.name} is damaged after {plural(self.n_records, 'record')}, and what "
                "follows was left out"
            )
        elif buffer:
            self.notes.append(f"the last record of {self.name} is cut and was left out")
        if self._n_damaged:
            self.notes.append(damage_note(self._n_damaged, self.name))
        if n_long:
            self.notes.append(
                f"{plural(n_long, 'record')} of {self.name} longer than "
                f"{MAX_RECORD_SIZE // 2**20} MiB left out"
            )

    def _split(self, buffer: bytes) -> tuple[list[bytes], int, int]:
        """Split what is whole in a buffer into payloads.

        Returns them, where the rest begins, and how many bytes the record there lacks: at
        least one, or -1 if its length is damaged.
        """
        lengths, is_kept = self._lengths, self._is_kept
        starts: list[int] = []
        payloads: list[bytes] = []
        position, end, lacking = 0, len(buffer), 1
        while position + HEADER_SIZE <= end:
            header = buffer[position : position + HEADER_SIZE]
            length = lengths.get(header)
            if length is None:
                length = _length(header)
                if length is None:
                    lacking = -1
                    break
                if len(lengths) < MAX_KNOWN_HEADERS:
                    lengths[header] = length
            start = position + HEADER_SIZE
            stop = start + length
            if stop + FOOTER_SIZE > end:
                lacking = stop + FOOTER_SIZE - end
                break
            position = stop + FOOTER_SIZE
            self.n_records += 1
            payload = buffer[start:stop]
            if is_kept is None or is_kept(payload):
                starts.append(start)
                payloads.append(payload)
        good = _are_whole(buffer, starts, [len(payload) for payload in payloads])
        if not good.all():
            self._n_damaged += int((~good).sum())
            payloads = [payloads[k] for k in np.flatnonzero(good)]
        return payloads, position, lacking


def _are_whole(
    buffer: bytes, starts: list[int], lengths: list[int]
) -> npt.NDArray[np.bool_]:
    """Whether the checksums of payloads are right; long ones are taken to be."""
    good = np.ones(len(starts), dtype=bool)
    sizes = np.array(lengths, dtype=np.int64)
    checked = np.flatnonzero(sizes <= MAX_CHECKED_SIZE)
    if not checked.size:
        return good
    checked = checked[np.argsort(-sizes[checked], kind="stable")]
    data = np.frombuffer(buffer, dtype=np.uint8)
    begins = np.array(starts, dtype=np.int64)[checked]
    sizes = sizes[checked]
    table = _crc_table()
    crc = np.full(len(checked), 0xFFFFFFFF, dtype=np.uint32)
    # How many of them, longest first, have a byte at each place.
    counts = np.searchsorted(-sizes, -np.arange(sizes[0]), side="left")
    for place, count in enumerate(counts.tolist()):
        part = crc[:count]
        crc[:count] = table[(part ^ data[begins[:count] + place]) & 0xFF] ^ (part >> 8)
    crc ^= np.uint32(0xFFFFFFFF)
    masked = (crc >> 15 | crc << 17) + np.uint32(MASK_DELTA)
    ends = begins + sizes
    stored = data[ends[:, None] + np.arange(FOOTER_SIZE)].view("<u4").ravel()
    good[checked] = masked == stored
    return good


def read_bytes(stream: IO[bytes], size: int) -> bytes:
    """Read so many bytes, or what there is, also of a packed file that breaks off."""
    parts = []
    while size > 0:
        try:
            part = cast("BufferedIOBase", stream).read1(size)
        except (EOFError, zlib.error):
            break
        if not part:
            break
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _pass_over(stream: IO[bytes], size: int) -> bool:
    """Read on without keeping anything; whether there was that much."""
    while size > 0:
        part = read_bytes(stream, min(size, BLOCK_SIZE))
        if not part:
            return False
        size -= len(part)
    return True
