"""Caveats are data with a kind, and a sentence for each surface."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError

import pytest

from curvewise.inference import caveats
from curvewise.inference.caveats import (
    BlocksOfOneAlgorithm,
    Caveat,
    CoarseScores,
    DifferentSpread,
    FewRunsForRanks,
    IdenticalRuns,
    InfiniteF,
    NoSpread,
    PooledErrorMisleads,
    SilentTasks,
    SingleRun,
    SingleStep,
    StrayRuns,
    TooFewForTypicalRuns,
    TooFewRuns,
    TooFewShuffles,
    UnevenBlocks,
    WelchIsApproximate,
)
from curvewise.text import naming_flags

# An example of each, its kind, what it says in Python, and what a flag makes of that.
EXAMPLES: list[tuple[Caveat, str, str, tuple[str, str] | None]] = [
    (
        TooFewRuns((3, 3), 0.1, 0.05, 4),
        "too few runs",
        (
            "With 3 + 3 runs the smallest p possible is 0.100, which is above alpha = 0.05: no "
            "data could be significant. More runs are needed: 4 of each algorithm would do."
        ),
        None,
    ),
    (
        CoarseScores(3, 0.1),
        "coarse scores",
        (
            "Scores are stored with about 3 digits, and differences that rounding can explain "
            "count as ties, so p may be larger than that of the scores before they were "
            "rounded. Store them in double precision, or without their common offset."
        ),
        None,
    ),
    (
        TooFewRuns((4, 4), 0.125, 0.05, None, 6),
        "too few runs",
        (
            "With 4 + 4 runs the smallest p possible is 0.125, which is above alpha = 0.05: no "
            "data could be significant. More runs are needed: 6 such blocks would do. If runs "
            "of a block share no more than the number of a seed, leave the blocks out."
        ),
        None,
    ),
    (
        TooFewRuns((2, 2, 2), 1 / 8, 0.1, None),
        "too few runs",
        (
            "With 2 + 2 + 2 runs the smallest p possible is 0.125, which is above alpha = 0.1: "
            "no data could be significant. More runs are needed."
        ),
        None,
    ),
    (
        TooFewShuffles(10, 0.05),
        "too few shuffles",
        (
            "10 shuffles cannot give a p below 0.0909, which is above alpha = 0.05: nothing can "
            "be significant. Use at least n_shuffles=19."
        ),
        ("n_shuffles=19", "--shuffles 19"),
    ),
    (
        SingleRun("DQN"),
        "single run",
        (
            "DQN has a single run, so how much its runs vary is unknown; they are assumed to "
            "vary as much as those of the other algorithms."
        ),
        None,
    ),
    (
        IdenticalRuns(("A", "1"), ("B", "0"), 1),
        "identical runs",
        (
            "Run '1' of A has the scores of run '0' of B at every step. Check that they are separate "
            "runs: one that counts twice makes differences look surer than they are."
        ),
        None,
    ),
    (
        SingleStep(),
        "single step",
        "There is a single step, so curves have no shape: only height is compared.",
        None,
    ),
    (
        InfiniteF("interaction"),
        "infinite f",
        (
            "All runs of an algorithm have the same shape, so F is infinite. Check that the "
            "runs are separate runs; p is still valid."
        ),
        None,
    ),
    (
        PooledErrorMisleads("interaction", "algorithm", True, 0.0079365, 0.309),
        "pooled error misleads",
        (
            "With the pooled error term a difference in height can pass for one in shape, and "
            "here the height differs enough for that: p for shape is 0.00794 pooled and 0.309 "
            'with its own error term. Use error="split".'
        ),
        ('error="split"', "--error split"),
    ),
    (
        PooledErrorMisleads("algorithm", "interaction", False, 0.04, 0.06),
        "pooled error misleads",
        (
            "With the pooled error term a difference in shape can pass for one in height: p for "
            "height is 0.0400 pooled and 0.0600 with its own error term. Use "
            'error="split".'
        ),
        ('error="split"', "--error split"),
    ),
    (
        DifferentSpread("wild", "calm", 9.77, "curve means", (5, 5)),
        "different spread",
        (
            "The runs of wild vary more than those of calm: the standard deviation of curve "
            "means is 9.8 times as large. A test that finds a difference may have found that, "
            'and not one between means. For means alone use compare(spread="unequal").'
        ),
        ('compare(spread="unequal")', "curvewise compare --spread unequal"),
    ),
    (
        DifferentSpread("wild", "calm", 3.0, "whole curves", (4, 14)),
        "different spread",
        (
            "The runs of wild vary more than those of calm: the standard deviation of whole "
            "curves is 3.0 times as large, and wild has fewer runs (4 and 14). A test that finds "
            "a difference may have found that, and not one between means. For means alone use "
            'compare(spread="unequal").'
        ),
        ('compare(spread="unequal")', "curvewise compare --spread unequal"),
    ),
    (
        DifferentSpread("wild", "calm", float("inf"), "curve means", (14, 4)),
        "different spread",
        (
            "The runs of wild vary more than those of calm: the curve means of calm do not vary "
            "at all, and wild has more runs (14 and 4). The test then misses too many "
            'differences. For means alone use compare(spread="unequal").'
        ),
        ('compare(spread="unequal")', "curvewise compare --spread unequal"),
    ),
    (
        WelchIsApproximate(5),
        "welch is approximate",
        (
            "With 5 runs of an algorithm, p under unequal spread relies on runs being roughly "
            "normal: where they are skewed and spreads differ greatly, the false-alarm rate can "
            "be more than twice alpha."
        ),
        None,
    ),
    (
        FewRunsForRanks(5, 8),
        "few runs for ranks",
        (
            "With 5 runs of an algorithm ranks take few different values, and differences are "
            "found less often than by means. From 8 runs on little is lost; with fewer, "
            'center="trimmed" loses less.'
        ),
        ('center="trimmed"', "--center trimmed"),
    ),
    (
        TooFewForTypicalRuns((5, 5), 2 / 126, 0.01),
        "too few for typical runs",
        (
            "With 5 + 5 runs, of which some are cut off, the smallest p of height possible is "
            "0.0159, which is above alpha = 0.01: no data could be significant in height. Use "
            'more runs, or center="mean".'
        ),
        ('center="mean"', "--center mean"),
    ),
    (
        StrayRuns(("A",), (1,)),
        "stray runs",
        (
            "1 run of A lies far from the others of the same algorithm, as runs do that fail or "
            'run away, and moves the mean. compare(center="trimmed") asks about the typical run '
            "instead: choose it for the next experiment, before looking at the data."
        ),
        ('compare(center="trimmed")', "curvewise compare --center trimmed"),
    ),
    (
        StrayRuns(("A", "B"), (1, 2)),
        "stray runs",
        (
            "1 run of A and 2 runs of B lie far from the others of the same algorithm, as runs "
            'do that fail or run away, and move the mean. compare(center="trimmed") asks about the '
            "typical run instead: choose it for the next experiment, before looking at the data."
        ),
        ('compare(center="trimmed")', "curvewise compare --center trimmed"),
    ),
    (
        BlocksOfOneAlgorithm(("a", "b", "c", "d"), 9),
        "blocks of one algorithm",
        (
            "4 of 9 blocks hold a single algorithm (a, b, c and 1 more): their runs say nothing "
            "about differences between algorithms."
        ),
        None,
    ),
    (
        NoSpread(),
        "no spread",
        (
            "All runs of an algorithm have the same number, so that nothing tells how much runs "
            "vary. Check that they are separate runs, and which column holds the score."
        ),
        None,
    ),
    (
        UnevenBlocks(),
        "uneven blocks",
        (
            "Blocks do not hold every algorithm equally often, so algorithms are compared within "
            "blocks only (the mean curve of each block is subtracted first)."
        ),
        None,
    ),
    (
        SilentTasks(("pitfall",), 57),
        "silent tasks",
        (
            "On 1 of 57 tasks all runs have the same curve (pitfall): it counts as a draw, and "
            "does not tell algorithms apart."
        ),
        None,
    ),
]


@pytest.mark.parametrize(("caveat", "kind", "sentence", "flag"), EXAMPLES)
def test_a_caveat_has_a_kind_and_a_sentence_for_each_surface(
    caveat: Caveat, kind: str, sentence: str, flag: tuple[str, str] | None
) -> None:
    assert caveat.kind == kind
    assert caveat.sentence() == sentence
    with naming_flags():
        shown = caveat.sentence()
    assert shown == (sentence if flag is None else sentence.replace(*flag))
    assert caveat.sentence() == sentence


@pytest.mark.parametrize("caveat", [example[0] for example in EXAMPLES])
def test_a_caveat_is_frozen_json_ready_data(caveat: Caveat) -> None:
    record = json.loads(json.dumps(caveat.to_dict(), allow_nan=False))
    assert record["kind"] == caveat.kind
    numbers = {name for name in vars(caveat) if not name.startswith("_")}
    assert numbers <= set(record)
    with pytest.raises(FrozenInstanceError):
        caveat.kind = "other"  # type: ignore[misc]


def test_every_class_has_an_example_here() -> None:
    kinds = [kind for kind in vars(caveats).values() if isinstance(kind, type)]
    own = {kind for kind in kinds if issubclass(kind, Caveat)}
    elsewhere = {kind for kind in own if issubclass(kind, caveats.PreparationCaveat)}
    here = {kind for kind in own - elsewhere if kind.__name__ not in {"Caveat", "OfMembers"}}
    assert {type(example[0]) for example in EXAMPLES} == here


def test_numbers_are_told_in_full() -> None:
    spread = DifferentSpread("a", "b", float("inf"), "curve means", (4, 9))
    assert spread.to_dict() == {
        "kind": "different spread",
        "wide": "a",
        "narrow": "b",
        "ratio": None,
        "of": "curve means",
        "n_runs": [4, 9],
    }


@pytest.mark.parametrize(
    ("alpha", "enough"), [(0.05, 19), (0.01, 99), (0.1, 9), (0.3, 3), (0.001, 999)]
)
def test_as_many_shuffles_as_are_asked_for_are_enough(alpha: float, enough: int) -> None:
    assert f"Use at least n_shuffles={enough}." in TooFewShuffles(1, alpha).sentence()
    assert 1 / (1 + enough) <= alpha < 1 / enough


def test_only_a_wider_spread_of_no_more_runs_casts_doubt_on_means() -> None:
    for n_runs, doubts in (((5, 5), True), ((4, 9), True), ((9, 4), False)):
        caveat = DifferentSpread("a", "b", 4.0, "curve means", n_runs)
        assert caveat.doubts_means == doubts
    assert not SingleRun("A").doubts_means
