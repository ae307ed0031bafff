"""What stands for a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from curvewise.readers.parsing.series import log_claims, stem_of
from curvewise.readers.walk import Claim, File, Folder

FOLDER = Folder(Path("runs/a"))


@pytest.mark.parametrize(
    ("name", "is_folder"),
    [
        ("metrics.jsonl", True),
        ("ppo.jsonl.gz", True),
        ("20240102_101112.log.json", True),
        ("seed0.jsonl", False),
        ("ppo_12.json", False),
        ("7.csv", False),
    ],
)
def test_the_only_log_stands_for_its_folder_unless_it_is_numbered(
    name: str, *, is_folder: bool
) -> None:
    file = File(FOLDER.path / name)
    home = FOLDER.path if is_folder else file.path
    assert [*log_claims(FOLDER, [file])] == [Claim(home, (file,))]


def test_several_logs_stand_for_themselves() -> None:
    files = [File(FOLDER.path / name) for name in ("a.csv", "b.csv")]
    assert [claim.home for claim in log_claims(FOLDER, files)] == [file.path for file in files]


def test_a_table_of_runs_stands_for_itself() -> None:
    results, progress = File(FOLDER.path / "ppo.csv"), File(FOLDER.path / "progress.csv")
    for file, home in ((results, results.path), (progress, FOLDER.path)):
        claims = log_claims(FOLDER, [file], of_several_runs=True)
        assert [*claims] == [Claim(home, (file,))]


def test_stems() -> None:
    names = ["a.csv", "a.b.csv.gz", "a.log.json", "log"]
    assert [stem_of(File(Path(name))) for name in names] == ["a", "a.b", "a", "log"]
