"""Parts of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from curvewise.readers.parsing.series import home_above, part_of
from curvewise.readers.walk import walk

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("eval", "eval"),
        ("Evaluation", "evaluation"),
        ("eval_logs", "eval"),
        ("train-metrics", "train"),
        ("trained", ""),
        ("ppo", ""),
        ("test_1", ""),
    ],
)
def test_names_of_parts(name: str, part: str) -> None:
    assert part_of(name) == part


def above(tmp_path: Path, *files: str) -> dict[str, str]:
    for name in files:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    found = {folder.path: home_above(folder) for folder in walk([tmp_path]).folders}
    return {
        path.relative_to(tmp_path).as_posix(): home.relative_to(tmp_path).as_posix()
        for path, home in found.items()
        if home is not None
    }


def test_a_part_belongs_to_the_folder_above_if_that_is_a_run(tmp_path: Path) -> None:
    found = above(tmp_path, "ppo/0/progress.csv", "ppo/0/eval/evaluations.npz")
    assert found == {"ppo/0/eval": "ppo/0"}


def test_parts_side_by_side_are_one_run(tmp_path: Path) -> None:
    found = above(tmp_path, "a/train/metrics.csv", "a/eval/metrics.csv")
    assert found == {"a/train": "a", "a/eval": "a"}


def test_a_folder_that_only_looks_like_a_part(tmp_path: Path) -> None:
    assert above(tmp_path, "test/progress.csv", "ppo/progress.csv", "config.json") == {}
