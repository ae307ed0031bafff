from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy import stats

from curvewise import Curves, CurvesError, OptionError, compare
from curvewise.questions.best.question import best
from curvewise.questions.contrast.question import contrast
from tests.simulation import some_curves


def stairs(sizes: tuple[int, ...], levels: list[float], seed: int = 0) -> Curves:
    """Curves of algorithms at given heights."""
    curves = some_curves(seed, sizes)
    return Curves(curves.scores + np.array(levels)[curves.codes][:, None], curves.labels)


@pytest.mark.parametrize("adjust", ["bonferroni", "max-t"])
def test_the_leader_first_then_those_not_told_from_it(adjust: str) -> None:
    found = best(stairs((7, 7, 7, 7), [0, 20, 19.8, 5]), adjust=adjust, rng=0)
    assert found.leader == found.contenders[0]
    assert set(found.contenders) == {"B", "C"}
    assert found.worse == ("D", "A")
    assert [row.name for row in found.rows] == [*found.contenders, *found.worse]
    means = [row.mean for row in found.rows]
    assert means == sorted(means, reverse=True)


@pytest.mark.parametrize("adjust", ["bonferroni", "max-t"])
def test_lower_may_be_better(adjust: str) -> None:
    curves = stairs((6, 6, 6), [0, 3, 6])
    turned = Curves(-curves.scores, curves.labels, higher_is_better=False)
    found, other = (best(each, adjust=adjust, rng=0) for each in (curves, turned))
    assert found.contenders == other.contenders == ("C",)
    for one, two in zip(found.rows[1:], other.rows[1:], strict=True):
        assert one.name == two.name
        assert one.pvalue == two.pvalue
        assert one.difference is not None
        assert two.difference == pytest.approx(-one.difference)
        assert one.interval is not None
        assert two.interval is not None
        # The order of runs is turned round, so that other shuffles are drawn.
        near = 1e-9 if adjust == "bonferroni" else 0.05
        assert two.interval.low == pytest.approx(-one.interval.high, abs=near)
        if adjust == "bonferroni":
            assert one.pvalue_adjusted == two.pvalue_adjusted


def test_every_p_is_that_of_the_pair_times_the_others() -> None:
    curves = stairs((5, 6, 4), [0, 1, 0.5])
    found = best(curves)
    for row in found.rows[1:]:
        alone = contrast(
            curves, {found.leader: 1, row.name: -1}, alternative="greater", alpha=0.025
        )
        assert row.pvalue == alone.pvalue
        assert row.pvalue_adjusted == min(1, 2 * alone.pvalue)
        assert row.difference == -alone.value
        assert row.interval == (-alone.interval.high, -alone.interval.low)
        assert row.interval.low == -math.inf
    assert found.rows[0].pvalue is None
    assert found.rows[0].difference == 0


@pytest.mark.parametrize("adjust", ["bonferroni", "max-t"])
def test_the_interval_excludes_zero_exactly_when_told_worse(adjust: str) -> None:
    for seed in range(15):
        found = best(stairs((5, 5, 6), [0, 1, 1.5], seed), adjust=adjust, rng=0)
        for row in found.rows[1:]:
            assert row.interval is not None
            assert row.contends == (row.interval.high >= 0)


def test_max_t_is_near_that_of_dunnett_against_each() -> None:
    """The lead over B is held against all leads over B, as if B were the control."""
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(40, 1)) + 0.5 * np.repeat([0, 0, 1, 2], 10)[:, None]
    curves = Curves(scores, np.repeat(list("ABCD"), 10))
    found = best(curves, adjust="max-t", rng=0)
    groups = {name: scores[curves.labels == name, 0] for name in "ABCD"}
    for row in found.rows[1:]:
        others = [group for name, group in groups.items() if name != row.name]
        dunnett = stats.dunnett(
            *others, control=groups[row.name], alternative="greater", rng=0
        )
        place = [name for name in "ABCD" if name != row.name].index(found.leader)
        assert row.pvalue_adjusted == pytest.approx(dunnett.pvalue[place], abs=0.03)


def test_of_two_algorithms_no_more_is_said_than_by_comparing_them() -> None:
    curves = stairs((5, 5), [0, 4])
    found = best(curves)
    assert found.rows[1].pvalue_adjusted == compare(curves).algorithm.pvalue
    assert best(stairs((3, 3), [0, 40])).worse == ()
    assert found.worse == ("A",)


def test_the_leader_is_found_within_blocks() -> None:
    """A is better in every block, but ran mostly in the hard one."""
    rng = np.random.default_rng(0)
    labels = list("AAAAB" + "ABBBB")
    blocks = [0] * 5 + [1] * 5
    scores = rng.normal(size=(10, 3)) * 0.1
    scores += 10 * np.array(blocks)[:, None] + (np.array(labels) == "A")[:, None]
    curves = Curves(scores, labels, blocks=blocks)
    assert curves.select("A").scores.mean() < curves.select("B").scores.mean()
    found = best(curves, adjust="max-t", rng=0)
    assert found.leader == "A"
    assert found.rows[1].difference == pytest.approx(-1, abs=0.2)
    assert best(curves).leader == "A"


def test_what_cannot_be_compared_is_kept() -> None:
    rng = np.random.default_rng(0)
    blocks = [0] * 8 + [1] * 8
    scores = rng.normal(size=(16, 2)) * 0.1
    labels = np.repeat(list("ABBC"), 4)
    scores += 10 * (labels == "A")[:, None] + 5 * (labels == "B")[:, None]
    curves = Curves(scores, labels, blocks=blocks)
    found = best(curves)
    assert found.leader == "A"
    assert "C" in found.contenders
    assert found.rows[-1].pvalue_adjusted is None
    assert "C is kept, since it cannot be compared with A: No block" in found.warnings[-1]
    assert best(curves, adjust="max-t", rng=0).worse == ("B", "C")


def test_too_few_runs_are_told() -> None:
    found = best(stairs((3,) * 4, [0, 9, 18, 99]))
    assert found.worse == ()
    assert "smallest p possible is 0.150 after adjustment" in found.warnings[0]
    assert 'Use 4 runs of each algorithm, or adjust="max-t"' in found.warnings[0]
    assert len(best(stairs((3,) * 4, [0, 9, 18, 99]), adjust="max-t", rng=0).worse) == 3
    sampled = best(stairs((8,) * 3, [0, 9, 18]), exact=False, n_shuffles=20)
    assert "Use at least 39 shuffles" in sampled.warnings[0]


def test_equal_algorithms_all_contend() -> None:
    scores = np.tile([[0.1, 0.2], [0.3, 0.1], [0.2, 0.2]], (3, 1))
    for adjust in ("bonferroni", "max-t"):
        found = best(Curves(scores, np.repeat(list("ABC"), 3)), adjust=adjust, rng=0)
        assert found.contenders == ("A", "B", "C")
    apart = Curves(
        np.repeat([0.1, 0.2, 0.3], 5)[:, None] * np.ones(2), np.repeat(list("ABC"), 5)
    )
    found = best(apart, adjust="max-t", rng=0)
    assert found.contenders == ("C",)
    assert not any(math.isnan(x) for row in found.rows[1:] for x in (row.interval or ()))


def test_the_same_rng_gives_the_same_digits() -> None:
    curves = stairs((5, 5, 5), [0, 1, 1])
    found, again, other = (best(curves, adjust="max-t", rng=seed) for seed in (1, 1, 2))
    assert found.to_dict() == again.to_dict()
    assert found.seed == 1
    assert found.to_dict() != other.to_dict()


def test_results_are_shown() -> None:
    found = best(stairs((5, 5, 5), [0, 4, 9]))
    shown = json.loads(json.dumps(found.to_dict()))
    assert shown["leader"] == "C"
    assert shown["rows"][1]["interval"][0] is None
    assert "leader" in str(found)
    assert "multiplied by 2" in str(found)
    assert "<table>" in found._repr_html_()


def test_what_means_nothing_is_refused() -> None:
    curves = some_curves(0, (5, 5, 5))
    with pytest.raises(OptionError, match="No adjustment is called 'holm'"):
        best(curves, adjust="holm")
    with pytest.raises(OptionError, match=r"best\(\) takes Curves, not a int"):
        best(3)  # type: ignore[arg-type]
    with pytest.raises(CurvesError, match="at least two algorithms"):
        best(some_curves(0, (5,)))
    with pytest.raises(CurvesError, match="Every algorithm has a single run"):
        best(some_curves(0, (1, 1)))
