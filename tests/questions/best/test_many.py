from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from curvewise import Curves, CurvesError, OptionError, Tasks, best, best_many
from curvewise.inference.caveats import DifferentSpread, OfMembers, SilentTasks
from curvewise.kernels.pvalues import over_families
from curvewise.questions.best.result import SpreadsOnTasks, TooFewOnSomeTasks, TooFewOnTasks
from tests.questions.resuming import check_resumes, digits, progress_of
from tests.simulation import some_curves

if TYPE_CHECKING:
    from pathlib import Path

    from curvewise import Bests

FEW: dict[str, Any] = {"n_shuffles": 499, "rng": 0}


def lifted(seed: int, sizes: tuple[int, ...], levels: list[float]) -> Curves:
    curves = some_curves(seed, sizes, 4)
    return Curves(curves.scores + np.array(levels)[curves.codes][:, None], curves.labels)


def several(n_tasks: int = 6, n_runs: int = 5, size: float = 2.0) -> dict[str, Curves]:
    rng = np.random.default_rng(1)
    return {
        f"task {i}": lifted(i, (n_runs,) * 3, (size * rng.normal(size=3)).tolist())
        for i in range(n_tasks)
    }


@cache
def found() -> Bests:
    return best_many(several(), **FEW)


def within(bests: Bests) -> dict[str, dict[str, float]]:
    return {
        task: {row.name: row.pvalue_adjusted or 0 for row in own.rows[1:]}
        for task, own in bests.items()
    }


@pytest.mark.parametrize("how", ["closed", "bonferroni", "max-t"])
def test_every_task_is_asked_as_alone(how: Any) -> None:
    tasks = several(3)
    bests = best_many(tasks, within=how, **FEW)
    for task, own in bests.items():
        assert own.adjust == how
        alone = best(tasks[task], adjust=how, alpha=bests.level, n_shuffles=499, rng=own.seed)
        assert alone.rows == own.rows
        assert alone.contenders == own.contenders


def test_p_are_adjusted_over_tasks_as_families() -> None:
    pvalues = within(found())
    expected = over_families([np.array(list(own.values())) for own in pvalues.values()])
    for (task, own), adjusted in zip(pvalues.items(), expected, strict=True):
        assert list(found().pvalues_adjusted[task]) == list(own)
        assert list(found().pvalues_adjusted[task].values()) == adjusted.tolist()


@pytest.mark.parametrize("adjust", ["bh", "bonferroni"])
def test_contenders_intervals_and_adjusted_p_say_the_same(adjust: Any) -> None:
    for size in (0.0, 0.7, 1.5, 4.0):
        bests = best_many(several(5, 6, size), adjust=adjust, **FEW)
        for task, own in bests.items():
            assert own.alpha == bests.level
            for row in own.rows[1:]:
                is_out = bests.pvalues_adjusted[task][row.name] <= 0.05
                assert row.contends != is_out
                assert row.interval is not None
                assert is_out == (row.interval.high < 0)


def test_the_level_is_alpha_times_the_share_of_tasks_with_any_ruled_out() -> None:
    assert 0 < len(found().settled) < len(found())
    assert found().level == pytest.approx(0.05 * len(found().settled) / len(found()))
    none = best_many({"a": some_curves(3, (5, 5)), "b": some_curves(4, (5, 5))}, **FEW)
    assert none.settled == ()
    assert none.level == 0.025
    one = best_many({"a": lifted(0, (5, 5), [0, 9])}, **FEW)
    assert one.level == 0.05
    assert one.pvalues_adjusted == {"a": {"A": one["a"].rows[1].pvalue}}


def test_by_bonferroni_p_is_multiplied_by_the_number_of_tasks() -> None:
    bests = best_many(several(), adjust="bonferroni", **FEW)
    assert bests.level == pytest.approx(0.05 / 6)
    assert within(bests) == within(found())
    for task, own in within(bests).items():
        for name, p in own.items():
            assert bests.pvalues_adjusted[task][name] == pytest.approx(min(1, 6 * p))


def test_what_no_data_could_find_is_told_first() -> None:
    tasks = several(20, 5, 99.0)
    bests = best_many(tasks, adjust="bonferroni", **FEW)
    assert bests.smallest_pvalue == pytest.approx(20 / 126)
    assert bests.settled == ()
    assert bests.caveats[0] == TooFewOnTasks(20, 20 / 126, 0.05, "bonferroni", True)
    by_default = best_many(tasks, **FEW)
    assert by_default.smallest_pvalue == pytest.approx(1 / 126)
    assert by_default.smallest_pvalue_alone == pytest.approx(20 / 126)
    assert len(by_default.settled) == 20
    few = best_many(several(2, 3, 99.0), **FEW)
    assert few.caveats[0] == TooFewOnTasks(2, 0.1, 0.05, "bh", False)


def test_the_smallest_p_is_that_of_the_best_designed_task() -> None:
    tasks = {"few": lifted(0, (3, 3, 5), [0, 9, 18]), "many": lifted(1, (7, 7), [0, 9])}
    bests = best_many(tasks, missing="keep", **FEW)
    assert bests.smallest_pvalue_alone == pytest.approx(2 / 1716)
    few = [row.smallest_pvalue for row in bests["few"].rows]
    assert few == [None, pytest.approx(1 / 56), pytest.approx(1 / 56)]


def test_many_warnings_about_spread_become_one() -> None:
    def uneven(seed: int, factor: float) -> Curves:
        curves = some_curves(seed, (9, 9))
        scale = np.where(curves.codes == 1, factor, 1.0)[:, None]
        return Curves(curves.scores * scale, curves.labels)

    tasks = {"even": some_curves(3, (9, 9)), "x": uneven(0, 30), "y": uneven(1, 90)}
    (caveat,) = best_many(tasks, **FEW).caveats
    assert isinstance(caveat, SpreadsOnTasks)
    assert (caveat.members, caveat.n_tasks, caveat.widest) == (("x", "y"), 3, "y")
    assert caveat.caveat.wide == "B"
    (single,) = best_many({"even": tasks["even"], "x": tasks["x"]}, **FEW).caveats
    assert isinstance(single, OfMembers)
    assert isinstance(single.caveat, DifferentSpread)


def test_algorithms_are_chosen_and_missing_ones_handled_as_by_tasks() -> None:
    three, two = some_curves(0, (5, 5, 5)), some_curves(1, (5, 5))
    tasks = {"three": three, "two": two}
    with pytest.raises(CurvesError, match="'two' lacks C"):
        best_many(tasks, **FEW)
    kept = best_many(tasks, missing="keep", **FEW)
    assert kept.algorithms == ("A", "B", "C")
    assert [len(own.rows) for own in kept.values()] == [3, 2]
    assert digits(best_many(Tasks(tasks, missing="keep"), **FEW)) == digits(kept)
    dropped = best_many(tasks, missing="drop", **FEW)
    assert (tuple(dropped), dropped.dropped) == (("three",), ("two",))
    chosen = best_many(tasks, algorithms=["B", "A"], **FEW)
    assert chosen.algorithms == ("B", "A")
    with pytest.raises(CurvesError, match=r"^Task 'two': .*at least two algorithms"):
        best_many({"three": three, "two": two.select("A")}, missing="keep", **FEW)


def test_what_means_nothing_is_refused() -> None:
    with pytest.raises(OptionError, match="adjust must be 'bh' or 'bonferroni', not 'holm'"):
        best_many(several(2), adjust="holm")  # type: ignore[arg-type]
    with pytest.raises(CurvesError, match="the curves of one task"):
        best_many(some_curves(0, (5, 5)))  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="alpha"):
        best_many(several(2), alpha=2)
    with pytest.raises(OptionError, match="adjust must be 'closed'"):
        best_many(several(2), within="holm")  # type: ignore[arg-type]


def test_other_centers_and_directions() -> None:
    tasks = several(2, 6)
    turned = {
        task: Curves(-own.scores, own.labels, higher_is_better=False) for task, own in tasks.items()
    }
    ranks = best_many(tasks, center="ranks", **FEW)
    again = best_many(turned, center="ranks", **FEW)
    assert not again.higher_is_better
    for task, own in ranks.items():
        assert own.center == "ranks"
        assert own.leader == again[task].leader
    np.testing.assert_array_equal(ranks.ranks, again.ranks)


ASKED = partial(best_many, several(3, 6), n_shuffles=3_000, exact=False, rng=3)


def test_interrupted_work_goes_on_with_the_same_digits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_resumes(ASKED, tmp_path / "work", monkeypatch)


def test_progress_is_reported_by_task() -> None:
    assert progress_of(ASKED) == [[(1, 3), (2, 3), (3, 3)]]


def share_lost(mean: list[float], spread: list[float], *, n_tasks: int, n_families: int) -> float:
    """Return the share of settled tasks that lost the first algorithm, on average."""
    rng = np.random.default_rng(5)
    labels = np.repeat(list("ABCD")[: len(mean)], 5)
    shares = []
    for family in range(n_families):
        tasks = {}
        for task in range(n_tasks):
            noise = rng.normal(size=5 * len(mean)) * np.repeat(spread, 5)
            scores = np.repeat(mean, 5) + noise
            tasks[str(task)] = Curves(scores[:, None], labels)
        bests = best_many(tasks, n_shuffles=199, rng=family)
        n_lost = sum("A" in own.worse for own in bests.values())
        shares.append(n_lost / max(len(bests.settled), 1))
    return float(np.mean(shares))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mean", "spread"),
    [
        ([0.0, 0.0, 0.0], [1.0, 1.0, 1.0]),
        ([0.0, 0.0, -2.0], [1.0, 1.0, 1.0]),
        ([0.0, 0.0, -2.0], [3.0, 1.0, 1.0]),
    ],
)
def test_few_settled_tasks_have_lost_the_best(mean: list[float], spread: list[float]) -> None:
    share = share_lost(mean, spread, n_tasks=10, n_families=60)
    assert share <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 60)


def test_a_task_on_which_all_runs_are_equal_rules_nobody_out() -> None:
    tasks = several(3, 5, 9.0)
    labels = next(iter(tasks.values())).labels
    flat = Curves(np.zeros((len(labels), 4)), labels)
    found = best_many({**tasks, "pitfall": flat}, **FEW)
    own = found["pitfall"]
    assert set(own.contenders) == set(flat.algorithms)
    assert {row.pvalue_adjusted for row in own.rows} == {None, 1.0}
    assert not any(found.leads(name, "pitfall") for name in flat.algorithms)
    assert sum(one.n_leads for one in found.standings) == len(tasks)
    assert SilentTasks(("pitfall",), len(tasks) + 1) in found.caveats
    for task, one in best_many({**tasks, "zaxxon": flat}, **FEW).items():
        if task in tasks:
            assert digits(one) == digits(found[task])
    with pytest.raises(CurvesError, match="On each of 2 tasks all scores are the same"):
        best_many({"x": flat, "y": flat})


def test_two_that_are_equal_are_both_kept_and_compared() -> None:
    rng = np.random.default_rng(0)
    scores = np.vstack([np.ones((10, 3)), rng.uniform(size=(5, 3))])
    found = best_many({"x": Curves(scores, list("AAAAABBBBBCCCCC"))}, **FEW)["x"]
    assert found.contenders == ("A", "B")
    assert {row.name: row.pvalue for row in found.rows}["B"] == 1.0


def test_tasks_with_too_few_runs_are_told_once() -> None:
    tasks = {
        "few": lifted(0, (2, 2, 2), [0, 9, 18]),
        "fewer": lifted(2, (2, 2, 2), [18, 0, 9]),
        "many": lifted(1, (7, 7, 7), [0, 9, 18]),
    }
    found = best_many(tasks, **FEW)
    assert found.caveats[0] == TooFewOnSomeTasks(("few", "fewer"), 3)
    assert sum("too few" in caveat.kind for caveat in found.caveats) == 1
    nothing = best_many({task: tasks[task] for task in ("few", "fewer")}, **FEW)
    assert [c.kind for c in nothing.caveats if "too few" in c.kind] == ["too few on tasks"]
