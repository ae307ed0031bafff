from __future__ import annotations

import gzip
import struct
from typing import TYPE_CHECKING

import numpy as np
import pytest

from curvewise.errors import CurvesError
from curvewise.readers.parsing import events
from curvewise.readers.parsing.events import RecordFile, begins_with_record, masked_crc
from curvewise.readers.walk import File
from tests.readers.logs.writing import crc32c, frame, masked

if TYPE_CHECKING:
    from pathlib import Path


def read(path: Path, data: bytes) -> tuple[list[bytes], RecordFile]:
    path.write_bytes(data)
    records = RecordFile(File(path))
    return [payload for batch in records.batches() for payload in batch], records


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "events.out.tfevents.1"


def test_checksum_is_that_of_rfc_3720() -> None:
    assert crc32c(b"123456789") == 0xE3069283
    assert crc32c(bytes(32)) == 0x8A9136AA
    for data in (b"", b"123456789", bytes(32), bytes(range(256))):
        assert struct.pack("<I", masked_crc(data)) == masked(data)


def test_payloads_of_all_sizes_come_back_in_order(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = np.random.default_rng(0)
    sizes = [0, 1, 1023, 1024, 1025, 5000, *draw.integers(120, size=300).tolist()]
    payloads = [draw.bytes(size) for size in sizes]
    data = b"".join(map(frame, payloads))
    for block_size in (64, 1000, 2**20):
        monkeypatch.setattr(events, "BLOCK_SIZE", block_size)
        found, records = read(path, data)
        assert found == payloads
        assert records.notes == []
        assert records.n_records == len(payloads)


def test_every_cut_leaves_the_whole_records(path: Path) -> None:
    data = b"".join(frame(payload) for payload in (b"one", b"two", b"three"))
    ends = [len(frame(b"one")), 2 * len(frame(b"two")), len(data)]
    for size in range(len(data) + 1):
        found, records = read(path, data[:size])
        n_whole = sum(end <= size for end in ends)
        assert found == [b"one", b"two", b"three"][:n_whole]
        is_cut = size not in (0, *ends)
        cut = ["the last record of events.out.tfevents.1 is cut and was left out"]
        assert records.notes == (cut if is_cut else [])
        assert not records.is_damaged


def test_damaged_length_ends_the_file(path: Path) -> None:
    data = bytearray(frame(b"one") + frame(b"two") + frame(b"three"))
    data[len(frame(b"one"))] ^= 1
    found, records = read(path, bytes(data))
    assert found == [b"one"]
    assert records.is_damaged
    assert records.notes == [
        "events.out.tfevents.1 is damaged after 1 record, and what follows was left out"
    ]


def test_zeros_at_the_end_are_damage(path: Path) -> None:
    found, records = read(path, frame(b"one") + bytes(100))
    assert found == [b"one"]
    assert records.is_damaged


def test_payload_with_a_wrong_bit_is_left_out(path: Path) -> None:
    data = bytearray(frame(b"one") + frame(b"second") + frame(b"three"))
    data[len(frame(b"one")) + 14] ^= 4
    found, records = read(path, bytes(data))
    assert found == [b"one", b"three"]
    assert records.notes == ["1 damaged record of events.out.tfevents.1 left out"]


def test_length_beyond_the_file_is_a_cut_and_allocates_nothing(path: Path) -> None:
    length = struct.pack("<Q", 2**62)
    found, records = read(path, frame(b"one") + length + masked(length) + b"abc")
    assert found == [b"one"]
    assert records.notes == ["the last record of events.out.tfevents.1 is cut and was left out"]


def test_record_that_is_too_long_is_passed_over(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "BLOCK_SIZE", 64)
    monkeypatch.setattr(events, "MAX_RECORD_SIZE", 2**20)
    long = bytes(3 * 2**20)
    length = struct.pack("<Q", len(long))
    data = frame(b"one") + length + masked(length) + long + bytes(4) + frame(b"two")
    found, records = read(path, data)
    assert found == [b"one", b"two"]
    assert records.notes == ["1 record of events.out.tfevents.1 longer than 1 MiB left out"]


def test_only_what_is_kept_is_returned(path: Path) -> None:
    path.write_bytes(frame(b"one") + frame(b"two"))
    records = RecordFile(File(path), lambda payload: b"w" in payload)
    assert list(records.batches()) == [[b"two"]]
    assert records.n_records == 2


def test_packed_file_that_breaks_off_gives_what_can_be_unpacked(tmp_path: Path) -> None:
    draw = np.random.default_rng(1)
    payloads = [draw.bytes(50) for _ in range(2000)]
    packed = gzip.compress(b"".join(map(frame, payloads)))
    found, records = read(tmp_path / "events.out.tfevents.1.gz", packed)
    assert found == payloads
    found, records = read(tmp_path / "events.out.tfevents.1.gz", packed[: len(packed) // 2])
    assert found == payloads[: len(found)]
    assert 900 < len(found) < 1100
    assert "cut" in records.notes[0]


def test_file_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    records = RecordFile(File(tmp_path / "gone"))
    with pytest.raises(CurvesError, match="gone cannot be read: No such file"):
        list(records.batches())


def test_files_are_told_by_their_first_bytes() -> None:
    assert begins_with_record(frame(b"one"))
    assert not begins_with_record(b"")
    assert not begins_with_record(b"step,score\n1,2\n")
    assert not begins_with_record(bytes(100))
