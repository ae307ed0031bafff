"""A run that is there twice counts once."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (pytest reads the annotations)

import numpy as np

import curvewise as cw
from curvewise.readers.naming.identity import Who
from curvewise.readers.scan import copies, copies_note
from tests.readers.logs.writing import curve, write_events

STEPS = [0, 1, 2]


def log(*scores: float, metric: str = "loss") -> cw.RunLog:
    return cw.RunLog("A", "1", metric, np.array(STEPS), np.array(scores))


AGAIN = Who("A", "1 (2)", name_of="1")


def test_the_same_name_and_scores_are_a_copy() -> None:
    whos = [Who("A", "1"), AGAIN]
    same = [log(1 + 1e-7, 2, np.nan), log(1, 1, 1, metric="acc")]
    assert copies(whos, [[log(1, 2, np.nan)], [log(1 + 1e-7, 2, np.nan)]]) == {1}
    # The one that has more is kept.
    assert copies(whos, [[log(1, 2, np.nan)], same]) == {0}
    assert copies_note(1) == (
        "1 run is there twice, with the same name and the same scores, and counts once"
    )


def test_a_part_of_a_run_is_a_copy_whichever_comes_first() -> None:
    whole, part = log(1, 2, 3), cw.RunLog("A", "1", "loss", STEPS[1:], [2.0, 3.0])
    point = cw.RunLog("A", "1", "loss", [2], [3.0])
    whos = [Who("A", "1"), AGAIN, Who("A", "1 (3)", name_of="1")]
    assert copies(whos, [[whole], [part], [point]]) == {1}
    assert copies(whos, [[part], [point], [whole]]) == {0}


def test_other_names_scores_or_metrics_are_runs_of_their_own() -> None:
    whos, logs = zip(
        (Who("A", "1"), log(1, 2, 3)),
        (Who("A", "2"), log(1, 2, 3)),
        (Who("B", "1"), log(1, 2, 3)),
        (Who("A", "1", task="T"), log(1, 2, 3)),
        (AGAIN, log(1, 2, 3.1)),
        (AGAIN, log(1, 2, 3, metric="acc")),
        (AGAIN, cw.RunLog("A", "1", "loss", np.zeros(0), np.zeros(0))),
        strict=True,
    )
    assert copies(whos, [[each] for each in logs]) == set()


def test_a_table_made_of_logs_beside_them_adds_no_runs(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = ["algorithm,seed,step,loss"]
    for algorithm in ("adam", "sgd"):
        for seed in range(4):
            scores = rng.normal(size=5).tolist()
            write_events(tmp_path / algorithm / f"seed{seed}", curve("loss", scores))
            rows += [f"{algorithm},{seed},{k},{score}" for k, score in enumerate(scores)]
    alone = cw.read(tmp_path)
    (tmp_path / "summary.csv").write_text("\n".join([*rows, ""]), encoding="utf-8")
    both = cw.read(tmp_path)
    assert both.sizes == alone.sizes == (4, 4)
    np.testing.assert_allclose(both.scores, alone.scores, rtol=1e-6)
    assert "8 runs are there twice" in both.source
