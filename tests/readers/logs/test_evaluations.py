"""Archives of evaluations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from curvewise import CurvesError
from curvewise.readers.walk import SINGLE, Wanted
from tests.readers.logs.reading import check_truth, runs_below, settled

if TYPE_CHECKING:
    from pathlib import Path

STEPS = np.array([400, 800, 1200])
RESULTS = np.array([[1.0, 3.0], [5.0, 7.0], [np.nan, 1.0]])


def write(path: Path, **arrays: np.ndarray) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, **arrays)  # type: ignore[arg-type]


def test_real_files(logs: Path) -> None:
    check_truth(logs / "sb3-zoo", "known_tables.evaluations", "known_tables.monitor")


def test_the_mean_over_episodes(tmp_path: Path) -> None:
    lengths, successes = np.array([[5, 7], [1, 3], [2, 2]]), RESULTS > 2
    write(
        tmp_path / "ppo/evaluations.npz",
        timesteps=STEPS,
        results=RESULTS,
        ep_lengths=lengths,
        successes=successes,
    )
    (run,) = runs_below(tmp_path, "known_tables.evaluations").values()
    np.testing.assert_equal(settled(run, "results"), {400: 2, 800: 6, 1200: np.nan})
    assert settled(run, "evaluations:ep_lengths") == {400: 6, 800: 2, 1200: 2}
    assert settled(run, "successes") == {400: 0.5, 800: 1, 1200: 0}
    assert (run.x, run.other_x) == ("timesteps", ("row",))
    wanted = Wanted(frozenset({"results"}), x="row")
    (only,) = runs_below(tmp_path, "known_tables.evaluations", wanted=wanted).values()
    assert set(only.series) == {"evaluations:results"}
    assert only.series["evaluations:results"].steps.tolist() == [0, 1, 2]


def test_evaluations_in_a_folder_of_their_own_belong_to_the_run(tmp_path: Path) -> None:
    write(tmp_path / "ppo/eval/evaluations.npz", timesteps=STEPS, results=RESULTS)
    (tmp_path / "ppo/monitor.csv").write_bytes(b"")
    write(tmp_path / "a2c/evaluations.npz", timesteps=STEPS, results=RESULTS)
    assert set(runs_below(tmp_path, "known_tables.evaluations")) == {"ppo", "a2c"}


def test_other_names_are_known_by_what_they_hold(tmp_path: Path) -> None:
    results = RESULTS.astype(np.float32)
    write(tmp_path / "ppo_1.npz", timesteps=STEPS, results=results[:, 0])
    write(tmp_path / "arrays.npz", ppo=RESULTS)
    (tmp_path / "broken.npz").write_bytes(b"PK")
    runs = runs_below(tmp_path, "known_tables.evaluations")
    assert set(runs) == {"ppo_1.npz"}
    series = runs["ppo_1.npz"].series["evaluations:results"]
    assert series.precision == SINGLE
    np.testing.assert_equal(series.scores, [1, 5, np.nan])


def test_what_cannot_be_used_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "evaluations.npz"
    write(path, timesteps=STEPS, results=RESULTS[:2])
    with pytest.raises(CurvesError, match="damaged: it has 3 timesteps but 2 rows of results"):
        runs_below(tmp_path, "known_tables.evaluations")
    write(path, results=RESULTS)
    with pytest.raises(CurvesError, match="it has no timesteps"):
        runs_below(tmp_path, "known_tables.evaluations")
    write(path, timesteps=STEPS, results=np.array([[1], [2, 3], None], dtype=object))
    with pytest.raises(CurvesError, match="Python objects"):
        runs_below(tmp_path, "known_tables.evaluations")
    write(path, timesteps=STEPS, results=RESULTS)
    with pytest.raises(CurvesError, match="there are 'timesteps', 'row'"):
        runs_below(tmp_path, "known_tables.evaluations", wanted=Wanted(x="epoch"))
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(CurvesError, match=r"evaluations.npz is damaged"):
        runs_below(tmp_path, "known_tables.evaluations")
