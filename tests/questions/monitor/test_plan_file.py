"""The plan in a file: written whole, noticed when edited, held against what is asked later."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest

from curvewise import Curves, CurvesError, OptionError, monitor
from curvewise.data.curves import Display
from curvewise.text import naming_flags
from tests.questions.monitor.batched import batched, first, rows_of

if TYPE_CHECKING:
    from pathlib import Path

CURVES = batched(2, n_batches=3)


def look(curves: Curves, path: Path, **options: Any) -> Any:
    given: dict[str, Any] = {"seed": 1, "n_shuffles": 99, "n_batches": 4, **options}
    return monitor(curves, plan_file=path, **given)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A plan that was written at the second look."""
    where = tmp_path / "plan.json"
    look(first(CURVES, 2), where)
    return where


def test_the_plan_is_written_once_and_the_batches_at_each_look(path: Path) -> None:
    before = json.loads(path.read_text(encoding="utf-8"))
    found = look(CURVES, path)
    after = json.loads(path.read_text(encoding="utf-8"))
    assert before["plan"] == after["plan"] == found.plan.to_dict()
    assert before["plan_id"] == after["plan_id"] == found.plan_id
    assert list(before["batches"]) == ["1", "2"]
    assert list(after["batches"]) == ["1", "2", "3"]
    written = path.stat().st_mtime_ns
    look(CURVES, path)
    assert path.stat().st_mtime_ns == written
    assert [other.name for other in path.parent.iterdir()] == ["plan.json"]


@pytest.mark.parametrize(
    ("options", "changed"),
    [
        ({"n_batches": 5}, "n_batches was 4 and is 5"),
        ({"batch_size": 5}, "batch_size was 4 and is 5"),
        ({"alpha": 0.01}, "alpha was 0.05 and is 0.01"),
        ({"spending": "obf"}, "spending was linear and is obf"),
        ({"seed": 2, "n_shuffles": 199}, "n_shuffles was 99 and is 199 and seed was 1 and is 2"),
    ],
)
def test_a_changed_plan_is_refused(path: Path, options: dict[str, Any], changed: str) -> None:
    before = path.read_bytes()
    with pytest.raises(CurvesError, match=f"The plan changed after the first look: {changed}"):
        look(CURVES, path, **options)
    assert path.read_bytes() == before


def test_flags_are_named_where_flags_are_typed(path: Path) -> None:
    with naming_flags(), pytest.raises(CurvesError, match="--n-batches was 4 and is 5"):
        look(CURVES, path, n_batches=5)


def test_other_algorithms_are_another_plan(path: Path) -> None:
    with pytest.raises(CurvesError, match="the algorithms were 'A', 'B' and are 'A', 'B', 'C'"):
        look(batched(2, heights=(0, 0, 0)), path)


def test_an_edited_file_is_noticed(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"alpha": 0.05', '"alpha": 0.2'), encoding="utf-8")
    with pytest.raises(CurvesError, match="was edited after it was written"):
        look(CURVES, path, alpha=0.2)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"format": "other"}', "\x00"])
def test_another_file_is_not_taken_for_a_plan(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CurvesError, match="is not a plan of a monitored experiment"):
        look(CURVES, path)
    assert path.read_text(encoding="utf-8") == text


def test_batches_that_were_looked_at_stay_as_they_were(path: Path) -> None:
    with pytest.raises(CurvesError, match=r"look at batch '2' before .* now it is missing"):
        look(first(CURVES, 1), path)
    with pytest.raises(CurvesError, match=r"Batch '1' had 4 \+ 4 runs of A and B .* has 3 \+ 4"):
        look(rows_of(CURVES, range(1, CURVES.n_runs)), path)
    assert CURVES.blocks is not None
    renamed = [name if name != "3" else "1.5" for name in CURVES.blocks]
    with pytest.raises(CurvesError, match=r"Batch '1\.5' comes before batches that were looked at"):
        look(CURVES.with_blocks(renamed), path)


def test_a_look_that_is_refused_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    with pytest.raises(CurvesError):
        look(CURVES, path, n_batches=2)
    assert not path.exists()


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"There is no folder .* to save the plan in"):
        look(CURVES, tmp_path / "none" / "plan.json")
    with pytest.raises(OptionError, match="is a directory; name a file in it"):
        look(CURVES, tmp_path)


def test_a_file_that_cannot_be_replaced_stays_as_it_was(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    before = path.read_bytes()
    monkeypatch.setattr("pathlib.Path.replace", full)
    with pytest.raises(OptionError, match=r"The plan cannot be saved .*: No space left"):
        look(CURVES, path)
    assert path.read_bytes() == before
    assert [other.name for other in path.parent.iterdir()] == ["plan.json"]


def rewritten(path: Path, **changes: Any) -> None:
    """Write other things into a plan file, with a checksum that fits them."""
    record = {**json.loads(path.read_text(encoding="utf-8")), **changes}
    del record["checksum"]
    text = json.dumps(record, sort_keys=True)
    checksum = hashlib.sha256(text.encode()).hexdigest()[:16]
    path.write_text(json.dumps({**record, "checksum": checksum}), encoding="utf-8")


@pytest.mark.parametrize(
    "changes",
    [{"plan": {}}, {"plan": "x"}, {"batches": [1]}, {"batches": {"1": 3}}, {"plan": None}],
)
def test_what_has_the_form_of_no_plan_is_refused(path: Path, changes: dict[str, Any]) -> None:
    rewritten(path, **changes)
    with pytest.raises(CurvesError, match="is not a plan of a monitored experiment"):
        look(CURVES, path)


def test_a_plan_of_another_version_is_refused(path: Path) -> None:
    rewritten(path, format="curvewise monitoring plan 12")
    with pytest.raises(CurvesError, match="written by another version of curvewise"):
        look(CURVES, path)


def test_a_score_chosen_after_a_look_is_refused(path: Path) -> None:
    other = Curves(
        CURVES.scores,
        CURVES.labels,
        CURVES.steps,
        runs=CURVES.runs,
        blocks=CURVES.blocks,
        display=Display(score_name="accuracy"),
    )
    with pytest.raises(CurvesError, match="'score' at earlier looks and is 'accuracy'"):
        look(other, path)


def test_steps_chosen_after_a_look_are_told_at_every_later_one(path: Path) -> None:
    assert not any("Steps" in warning for warning in look(CURVES, path).warnings)
    ends = [float(CURVES.steps[place]) for place in (0, -2, -1)]
    for _ in range(2):
        found = look(CURVES.window(*ends[:2]), path)
        assert found.warnings[0].startswith(
            f"Steps {ends[0]:g} to {ends[1]:g} were looked at, and at the first look steps "
            f"{ends[0]:g} to {ends[2]:g}."
        )


def test_a_plan_without_what_was_measured_is_taken_as_it_is(path: Path) -> None:
    record = json.loads(path.read_text(encoding="utf-8"))
    del record["measured"], record["checksum"]
    text = json.dumps(record, sort_keys=True)
    record["checksum"] = hashlib.sha256(text.encode()).hexdigest()[:16]
    path.write_text(json.dumps(record), encoding="utf-8")
    look(CURVES, path)
    assert json.loads(path.read_text(encoding="utf-8"))["measured"]["score"] == "score"
