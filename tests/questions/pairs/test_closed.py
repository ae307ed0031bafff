from __future__ import annotations

from itertools import combinations, permutations, product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from curvewise import Curves, compare, compare_pairs
from curvewise.questions.pairs.method import AlikeGroup, PartitionSums, run_levels
from curvewise.shuffling.visit import FIRST_LOOK, Limits, Plan, visit
from tests.simulation import integer_tied, some_curves
from tests.textbook import combined_shares

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from curvewise import Pairs
    from curvewise.kernels import Floats

EFFECTS = ("overall", "algorithm", "interaction")


def set_partitions(names: Sequence[str]) -> Iterator[list[list[str]]]:
    """Every partition, the first member joining each group of a partition of the others."""
    if not names:
        yield []
        return
    first, *others = names
    for rest in set_partitions(others):
        yield [[first], *rest]
        for place, group in enumerate(rest):
            yield [*rest[:place], [first, *group], *rest[place + 1 :]]


def slow_looks(curves: Curves, labels: Sequence[str]) -> Floats:
    """The looks of the combined statistic, by least squares, before they are scaled."""
    blocks = None
    if curves.blocks is not None:
        blocks = np.unique(np.array(curves.blocks), return_inverse=True)[1]
    codes = np.unique(np.array(labels), return_inverse=True)[1]
    with np.errstate(invalid="ignore"):
        shares = combined_shares(curves.scores, codes, blocks)
    # Ties, and shares that do not vary, are only rounded apart.
    shares = np.minimum(np.nan_to_num(np.round(shares, 10)), 1 - 1e-12)
    return np.asarray((shares / np.sqrt(1 - shares)) ** 0.25)


def slow_lead(curves: Curves, labels: Sequence[str]) -> tuple[float, float]:
    """The share of the lead of the best algorithm, before it is scaled; and its mean.

    By the variances of the two, or in blocks and of single runs by those of all.
    """
    numbers = curves.scores.mean(axis=1)
    blocks = np.zeros(len(numbers)) if curves.blocks is None else np.array(curves.blocks)
    for block in set(blocks.tolist()):
        numbers[blocks == block] -= numbers[blocks == block].mean()
    groups = {name: numbers[np.array(labels) == name] for name in sorted(set(labels))}
    sizes = [len(own) for own in groups.values()]
    own_spread = curves.blocks is None and min(sizes) > 1
    df = sum(sizes) - len(sizes)
    error = sum(np.sum((own - own.mean()) ** 2) for own in groups.values()) / df
    best = max(own.mean() for own in groups.values())
    shares = []
    for name, own in groups.items():
        for other, their in groups.items():
            if name == other or own.mean() < best - 1e-9:
                continue
            squares = error / len(own) + error / len(their)
            if own_spread:
                squares = own.var(ddof=1) / len(own) + their.var(ddof=1) / len(their)
                df = len(own) + len(their) - 2
            ahead = max(own.mean() - their.mean(), 0.0) ** 2
            shares.append(ahead / (ahead + df * squares) if ahead > 1e-18 else 0.0)
    share = min(round(max(shares), 10), 1 - 1e-12)
    return (share / np.sqrt(1 - share)) ** 0.25, best


def slow_weights(curves: Curves) -> tuple[Floats, Floats]:
    """Overall, height, shape, lead, best mean: as observed (5,), and of all relabellings (5, n)."""
    level = float(run_levels(curves).mean())

    def looks(labels: Sequence[str]) -> Floats:
        return np.array([*slow_looks(curves, labels), *slow_lead(curves, labels)])

    every = np.array([looks(labels) for labels in relabellings(curves)]).T
    mean, deviation = every[:-1].mean(axis=1), every[:-1].std(axis=1)
    used = deviation > 1e-6

    def parts(found: Floats) -> Floats:
        z = (found[:-1] - mean[:, None]) / np.where(used, deviation, 1.0)[:, None]
        weights = np.exp(2 * z) * used[:, None]
        overall, height, shape = weights[:-1].sum(axis=0), weights[1], weights[2]
        return np.stack([overall, height, shape, weights[-1], found[-1] + level])

    return parts(looks(curves.labels.tolist())[:, None])[:, 0], parts(every)


def relabellings(curves: Curves) -> list[tuple[str, ...]]:
    """Every distinct way to give the labels to the runs, inside their blocks."""
    blocks = np.zeros(curves.n_runs) if curves.blocks is None else np.array(curves.blocks)
    inside = [np.flatnonzero(blocks == block) for block in dict.fromkeys(blocks.tolist())]
    ways = [set(permutations([curves.labels[i] for i in runs])) for runs in inside]
    found = []
    for chosen in product(*ways):
        labels = [""] * curves.n_runs
        for runs, own in zip(inside, chosen, strict=True):
            for run, label in zip(runs, own, strict=True):
                labels[run] = label
        found.append(tuple(labels))
    return found


def brute_force(
    curves: Curves, allowed: Collection[tuple[str, ...]] | None = None
) -> dict[str, dict[tuple[str, str], float]]:
    """The largest p of all partitions that join a pair, by every relabelling of each group.

    A pair by itself is tested as `compare` does it. Groups may be those of ``allowed`` only.
    """
    known: dict[tuple[str, ...], tuple[Floats, Floats]] = {}
    placed = Curves(run_levels(curves)[:, None], curves.labels)

    def sums(group: tuple[str, ...]) -> tuple[Floats, Floats]:
        if group not in known:
            observed, every = slow_weights(curves.select(*group))
            level = placed.select(*group).scores.mean() - run_levels(curves.select(*group)).mean()
            for part in (observed, every):
                part[4] += level
            known[group] = observed, every
        return known[group]

    def together(parts: list[Floats], alone: float) -> Floats:
        """With the lead of the group of the best, which may stand alone."""
        found = np.sum([part[:3] for part in parts], axis=0)
        best = np.array([*(part[4] for part in parts), np.full_like(parts[0][4], alone)])
        leads = np.array([*(part[3] for part in parts), np.zeros_like(parts[0][3])])
        found[1] += np.where(best >= best.max(axis=0) - 1e-9, leads, -np.inf).max(axis=0)
        return np.asarray(found)

    found = {name: dict.fromkeys(combinations(curves.algorithms, 2), 0.0) for name in EFFECTS}
    for partition in set_partitions(curves.algorithms):
        groups = [tuple(sorted(group)) for group in partition if len(group) > 1]
        if not groups or not (allowed is None or {*groups} <= {*allowed}):
            continue
        alone = max(
            (placed.select(group[0]).scores.mean() for group in partition if len(group) == 1),
            default=-np.inf,
        )
        if len(groups) == 1 and len(groups[0]) == 2:
            pair = compare(curves.select(*groups[0]))
            p = np.array([getattr(getattr(pair, name), "pvalue", 0.0) for name in EFFECTS])
        else:
            observed = together([sums(group)[0][:, None] for group in groups], alone)
            places = np.indices([sums(group)[1].shape[1] for group in groups])
            each = [
                sums(group)[1][:, place.ravel()]
                for group, place in zip(groups, places, strict=True)
            ]
            p = np.mean(together(each, alone) >= observed * (1 - 1e-7), axis=1)
        for group in groups:
            for pair_names in combinations(group, 2):
                for name, value in zip(EFFECTS, p.tolist(), strict=True):
                    found[name][pair_names] = max(found[name][pair_names], value)
    return found


def adjusted(pairs: Pairs) -> dict[str, dict[tuple[str, str], float]]:
    found = {}
    for name in EFFECTS:
        effects = {(pair.a, pair.b): pair.effect(name) for pair in pairs}
        found[name] = {pair: e.pvalue_adjusted for pair, e in effects.items() if e}
    return found  # type: ignore[return-value]


def _tied() -> Curves:
    scores = integer_tied(np.random.default_rng(1), 9, 4)
    return Curves(scores + np.repeat([0, 0, 2], 3)[:, None], np.repeat(list("ABC"), 3))


def _blocked() -> Curves:
    """Blocks that hold the algorithms in different numbers."""
    labels = list("AABCABCCABBC")
    lift = 2 * np.array([label == "C" for label in labels])[:, None]
    blocks = [0] * 4 + [1] * 4 + [2] * 4
    return Curves(some_curves(4, (12,)).scores + lift, labels, blocks=blocks)


def _apart() -> Curves:
    scores = some_curves(2, (2, 2, 2, 2)).scores + np.repeat([0, 3, 3, 9], 2)[:, None]
    return Curves(scores, np.repeat(list("ABCD"), 2))


SMALL = {
    "ties": _tied(),
    "blocks": _blocked(),
    "four algorithms": _apart(),
    "unequal numbers of runs": some_curves(5, (3, 1, 4)),
    "a single step": some_curves(6, (3, 2, 3), n_steps=1),
}


@pytest.mark.parametrize("name", [name for name in SMALL if name != "a single step"])
def test_small_designs_are_exact(name: str) -> None:
    expected, found = brute_force(SMALL[name]), adjusted(compare_pairs(SMALL[name]))
    for effect in EFFECTS:
        assert found[effect] == pytest.approx(expected[effect])


@pytest.mark.parametrize("name", ["ties", "blocks", "unequal numbers of runs"])
def test_of_three_algorithms_overall_is_that_of_a_pair_or_of_all(name: str) -> None:
    """Both as `compare` has it."""
    curves = SMALL[name]
    of_all = compare(curves).overall.pvalue
    for pair in compare_pairs(curves):
        alone = compare(curves.select(pair.a, pair.b)).overall.pvalue
        assert pair.overall.pvalue_adjusted == pytest.approx(max(alone, of_all))


def test_overall_looks_of_two_groups_are_added_up() -> None:
    curves = SMALL["four algorithms"]
    levels = run_levels(curves)
    groups = [AlikeGroup.of(curves, names, levels, whole=True) for names in ("AB", "CD")]
    some = np.array([[True]]), np.zeros((3, 1)), None
    statistic = PartitionSums.of(groups, [(0, 1)], [-np.inf], *some)
    plan = Plan(statistic.restriction, exact=True, n_shuffles=1, key=0)
    (counts, n_visited) = visit(plan, statistic).counts
    every, observed = [], 0.0
    for group in groups:
        assert group.scales is not None
        assert group.combined is not None
        labels = group.layout.restriction.every().batch(0)
        z = group.scales.scores(group.combined.values(labels))
        own = group.scales.scores(group.combined.values(group.layout.labels[None, :]))
        used = group.scales.used[:, None]
        every.append(np.sum(used * np.exp(2 * z), axis=0))
        observed += float(np.sum(used * np.exp(2 * own)))
    total = every[0][:, None] + every[1][None, :]
    assert n_visited[0] == total.size == 9
    assert counts[0, 0] == np.sum(total >= observed * (1 - 1e-9))


def test_a_single_step_has_heights_only() -> None:
    expected = brute_force(SMALL["a single step"])
    found = adjusted(compare_pairs(SMALL["a single step"]))
    assert found["algorithm"] == pytest.approx(expected["algorithm"])
    assert found["overall"] == found["algorithm"]
    assert found["interaction"] == {}


@pytest.mark.parametrize("name", ["ties", "blocks", "four algorithms"])
def test_shuffles_come_near_all_relabellings(name: str) -> None:
    expected = brute_force(SMALL[name])
    pairs = compare_pairs(SMALL[name], exact=False, n_shuffles=9_999, rng=1)
    found = adjusted(pairs)
    for effect in EFFECTS:
        for pair, p in expected[effect].items():
            # Five standard errors; and the largest of several p is a little larger still.
            assert abs(found[effect][pair] - p) < 6 * np.sqrt(p * (1 - p) / 9_999) + 2e-4


def test_a_pair_far_from_all_others_has_its_own_p() -> None:
    curves = Curves(
        some_curves(0, (5,) * 4).scores + 50 * np.repeat([0, 1, 3, 7], 5)[:, None],
        np.repeat(list("ABCD"), 5),
    )
    for pair in compare_pairs(curves, rng=0):
        alone = compare(curves.select(pair.a, pair.b))
        assert pair.algorithm.pvalue_adjusted == alone.algorithm.pvalue == 1 / 126
    two = curves.select("A", "B")
    (only,) = compare_pairs(two)
    for name in EFFECTS:
        effect = only.effect(name)
        assert effect is not None
        assert effect.pvalue_adjusted == getattr(compare(two), name).pvalue


def test_neither_order_nor_unit_of_the_algorithms_matters() -> None:
    curves = some_curves(7, (4, 5, 3, 4))
    options: dict[str, Any] = {"n_shuffles": 999, "rng": 5}
    found = adjusted(compare_pairs(curves, **options))
    turned = adjusted(compare_pairs(curves.select("C", "A", "D", "B"), **options))
    scaled = Curves(curves.scores * 1024 + 4096, curves.labels)
    for name in EFFECTS:
        pairs = {tuple(sorted(pair)): p for pair, p in turned[name].items()}
        assert pairs == found[name]
        again = adjusted(compare_pairs(scaled, **options))[name]
        assert again == pytest.approx(found[name])


def test_single_runs_do_not_keep_others_from_being_compared() -> None:
    """C and D cannot be told apart; that is no reason to doubt the others."""
    labels = list("AAAAABBBBBCD")
    scores = some_curves(3, (12,)).scores + 40 * (np.arange(12) < 5)[:, None]
    pairs = compare_pairs(Curves(scores, labels), rng=0)
    assert len(pairs) == 5
    assert [(pair.a, pair.b) for pair in pairs.significant()] == [("A", "B")]
    assert pairs.pair("A", "B").algorithm.pvalue_adjusted == 1 / 126
    assert pairs.pair("A", "C").algorithm.pvalue == 1 / 6


def test_groups_that_blocks_keep_apart_are_in_no_partition() -> None:
    scores = some_curves(0, (16,)).scores
    labels = np.repeat(list("ABCD"), 4)
    apart = Curves(scores, labels, blocks=[0] * 8 + [1] * 8)
    pairs = compare_pairs(apart)
    assert [(pair.a, pair.b) for pair in pairs] == [("A", "B"), ("C", "D")]
    # Beyond the pairs there is the partition of both.
    both = brute_force(apart, [("A", "B"), ("C", "D")])["algorithm"]
    for pair in pairs:
        assert pair.algorithm.pvalue_adjusted == pytest.approx(both[pair.a, pair.b])


def _statistic(alpha: float | None, known: list[list[float]]) -> PartitionSums:
    curves = some_curves(0, (3, 3, 3))
    levels = run_levels(curves)
    groups = [AlikeGroup.of(curves, names, levels, whole=True) for names in ("AB", "CB", "ABC")]
    joining = np.array([[True, False], [True, True]])
    alone = [-np.inf, -np.inf]
    return PartitionSums.of(groups, [(0,), (2,)], alone, joining, np.array(known), alpha)


def test_the_largest_count_of_each_pair_decides() -> None:
    counts = np.array([[900, 10, 3], [5, 20, 1]]), np.array([1_000])
    open_ = [[0.0, 0.0]] * 3
    assert _statistic(None, open_).deciding(counts).tolist() == [900, 5, 20, 20, 3, 1]
    # A pair that is known not to differ, or to have a far larger p, needs no more shuffles.
    known = [[0.0, 0.0], [0.06, 0.03], [0.06, 0.01]]
    assert _statistic(None, known).deciding(counts).tolist() == [900, 5, 20]
    known = [[0.03, 0.0], [0.03, 0.03], [0.06, 0.06]]
    assert _statistic(0.02, known).deciding(counts).tolist() == [5]
    known = [[0.9, 0.9]] * 3
    assert _statistic(0.05, known).deciding(counts).tolist() == [1_000]


def test_a_group_does_not_depend_on_the_order_of_its_names() -> None:
    curves = some_curves(0, (3, 4, 3))
    made = [
        AlikeGroup.of(curves, names, run_levels(curves), whole=True) for names in ("AB", "BA", "AC")
    ]
    one, other, third = made
    assert one.tag == other.tag != third.tag
    np.testing.assert_array_equal(one.layout.labels, other.layout.labels)
    labels = one.layout.labels[None, :]
    for part, same in zip(one.parts(labels), other.parts(labels), strict=True):
        np.testing.assert_array_equal(part, same)


def test_auto_goes_on_where_a_pair_is_not_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("curvewise.questions.pairs.method.LIMITS", Limits(shuffles=2 * FIRST_LOOK))
    curves = some_curves(1, (6, 6, 6))
    options: dict[str, Any] = {"rng": 3}
    many = compare_pairs(curves, n_shuffles=2 * FIRST_LOOK, **options)
    pair = many[0]
    alpha = pair.algorithm.pvalue_adjusted
    assert alpha is not None
    assert alpha > pair.algorithm.pvalue
    ruled = compare_pairs(curves, n_shuffles="auto", alpha=alpha, **options)
    few = compare_pairs(curves, n_shuffles=FIRST_LOOK, alpha=alpha, **options)
    assert adjusted(ruled) == adjusted(many) != adjusted(few)
    clear = compare_pairs(curves, n_shuffles="auto", alpha=1e-3, **options)
    assert adjusted(clear) == adjusted(few)
