from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import numpy as np
import pytest

from curvewise.errors import CurvesError
from curvewise.readers.parsing import events
from curvewise.readers.parsing.events import BlockLog
from curvewise.readers.walk import File
from tests.readers.logs.writing import BLOCK, block_log

if TYPE_CHECKING:
    from pathlib import Path


def read(path: Path, data: bytes) -> tuple[list[bytes], BlockLog]:
    path.write_bytes(data)
    log = BlockLog(File(path))
    return list(log.records()), log


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.wandb"


def test_records_of_all_sizes_come_back_in_order(path: Path) -> None:
    draw = np.random.default_rng(0)
    sizes = [0, 1, BLOCK - 7, BLOCK, 3 * BLOCK, *draw.integers(3000, size=200).tolist()]
    records = [draw.bytes(size) for size in sizes]
    found, log = read(path, block_log(records))
    assert found == records
    assert log.notes == []


@pytest.mark.parametrize("room", range(1, 16))
def test_end_of_a_block_is_padded_or_split(path: Path, room: int) -> None:
    records = [bytes(BLOCK - 7 - 7 - room), b"second", b"third"]
    found, log = read(path, block_log(records))
    assert found == records
    assert not log.is_cut


def test_every_cut_leaves_the_whole_records(path: Path) -> None:
    records = [b"first", b"second", b"third"]
    data = block_log(records)
    ends = [len(block_log(records[:k])) for k in range(4)]
    for size in range(7, len(data) + 1):
        found, log = read(path, data[:size])
        assert found == records[: sum(end <= size for end in ends) - 1]
        assert log.is_cut == (size not in ends)
        cut = ["the last record of run.wandb is cut and was left out"]
        assert log.notes == (cut if log.is_cut else [])


def test_cut_inside_a_record_of_several_blocks(path: Path) -> None:
    data = block_log([b"first", bytes(3 * BLOCK)])
    for size in (BLOCK, BLOCK + 5, 2 * BLOCK, len(data) - 1):
        found, log = read(path, data[:size])
        assert found == [b"first"]
        assert log.is_cut


def test_damage_costs_the_rest_of_its_block_only(path: Path) -> None:
    records = [b"%05d" % k + bytes(95) for k in range(1000)]
    data = bytearray(block_log(records))
    data[BLOCK + 5000] ^= 1
    found, log = read(path, bytes(data))
    n_block = BLOCK // 107
    lost = [record for record in records if record not in found]
    assert 0 < len(lost) <= n_block + 1
    assert found == [record for record in records if record not in lost]
    assert log.notes == ["run.wandb is damaged in 1 place, and the records there were left out"]


def test_record_that_is_too_long_is_passed_over(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "MAX_RECORD_SIZE", 2 * BLOCK)
    found, log = read(path, block_log([b"first", bytes(4 * BLOCK), b"last"]))
    assert found == [b"first", b"last"]
    assert "damaged in 1 place" in log.notes[0]


def test_packed_file_that_breaks_off_gives_what_can_be_unpacked(tmp_path: Path) -> None:
    draw = np.random.default_rng(1)
    records = [draw.bytes(90) for _ in range(2000)]
    packed = gzip.compress(block_log(records))
    found, log = read(tmp_path / "run.wandb.gz", packed[: len(packed) // 2])
    assert found == records[: len(found)]
    assert 900 < len(found) < 1100
    assert log.is_cut


def test_empty_files_hold_nothing(path: Path) -> None:
    for data in (b"", b":W&B", block_log([])):
        found, log = read(path, data)
        assert (found, log.notes) == ([], [])


def test_file_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(CurvesError, match="gone cannot be read: No such file"):
        list(BlockLog(File(tmp_path / "gone")).records())
