"""Two paths, of which each holds one side of a gate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from curvewise import CurvesError
from curvewise.data.tasks import unaligned
from curvewise.readers import read_sides
from tests.simulation import some_curves

if TYPE_CHECKING:
    from pathlib import Path


def table(path: Path, names: str = "A", tasks: tuple[str, ...] = ()) -> Path:
    header = "agent,seed,step,score" + (",task" if tasks else "")
    rows = [
        f"{name},{run},{step},{run + step}" + (f",{task}" if tasks else "")
        for name in names
        for run in range(3)
        for step in range(4)
        for task in tasks or ("",)
    ]
    path.write_text("\n".join([header, *rows]), encoding="utf-8")
    return path


def test_tables_of_one_algorithm_each_are_read(tmp_path: Path) -> None:
    found = read_sides(table(tmp_path / "a.csv"), table(tmp_path / "b.csv", "B"))
    assert list(found) == [None]
    assert found[None].algorithms == ("baseline", "candidate")


def test_one_algorithm_of_several_is_chosen(tmp_path: Path) -> None:
    many = table(tmp_path / "a.csv", "AB")
    with pytest.raises(CurvesError, match=r"Choose one, as in names=\{'baseline': 'A'\}"):
        read_sides(many, many)
    found = read_sides(many, many, names={"baseline": "A", "candidate": "B"})
    assert found[None].sizes == (3, 3)


def test_the_same_runs_on_both_sides_are_refused(tmp_path: Path) -> None:
    one = table(tmp_path / "a.csv")
    with pytest.raises(CurvesError, match=r"are the same runs, those of .*a\.csv"):
        read_sides(one, tmp_path / "." / "a.csv")


def test_a_path_and_curves_go_together(tmp_path: Path) -> None:
    curves = some_curves(0, (3,), n_steps=4)
    found = read_sides(table(tmp_path / "a.csv"), unaligned(curves))
    assert found[None].n_runs == 6


def test_tasks_are_matched_by_name(tmp_path: Path) -> None:
    one = table(tmp_path / "a.csv", tasks=("pong", "qbert"))
    two = table(tmp_path / "b.csv", tasks=("qbert", "pong"))
    assert sorted(map(str, read_sides(one, two, task="task"))) == ["pong", "qbert"]
    other = table(tmp_path / "c.csv", tasks=("pong", "breakout"))
    with pytest.raises(CurvesError, match="baseline has runs of qbert, and the candidate"):
        read_sides(one, other, task="task")


def test_a_side_without_a_task_has_that_of_the_other(tmp_path: Path) -> None:
    one = table(tmp_path / "a.csv", tasks=("pong",))
    assert list(read_sides(one, table(tmp_path / "b.csv"))) == ["pong"]
    assert list(read_sides(table(tmp_path / "b.csv"), one)) == ["pong"]
    other = table(tmp_path / "c.csv", tasks=("qbert",))
    with pytest.raises(CurvesError, match="baseline has runs of pong"):
        read_sides(one, other)
