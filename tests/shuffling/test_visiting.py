"""visit(): the same counts however the work is cut up, for every statistic and restriction."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import joblib
import numpy as np
import pytest
from scipy import stats

from curvewise.errors import OptionError
from curvewise.kernels.relabel import BATCH
from curvewise.questions.compare import method
from curvewise.questions.compare.method import Overall
from curvewise.questions.locate.method import ScanCounts, StepScan
from curvewise.shuffling import visit as planning
from curvewise.shuffling.visit import (
    FIRST_LOOK,
    Layout,
    Limits,
    Plan,
    Statistic,
    reporting_progress,
    visit,
)
from tests.platforms import needs_proc
from tests.shuffling.statistics import STATISTICS, restriction_of, statistic_of
from tests.simulation import some_curves
from tests.textbook import f_ratios

if TYPE_CHECKING:
    from collections.abc import Callable

    from curvewise.kernels import Integers
    from curvewise.kernels.relabel import Restriction
    from curvewise.shuffling.visit import Counts, Measured

CURVES = some_curves(0, (8, 8))
SAMPLED = 5 * BATCH + 7  # the last batch is part of one


def plan_of(
    restriction: Restriction, *, exact: bool | None = False, n_shuffles: int = SAMPLED
) -> Plan:
    return Plan.of(restriction, n_shuffles=n_shuffles, exact=exact, key=3)


def assert_same(found: Counts, expected: Counts) -> None:
    for one, other in zip(found.counts, expected.counts, strict=True):
        np.testing.assert_array_equal(one, other)
    for kept, other_kept in zip(found.kept, expected.kept, strict=True):
        np.testing.assert_array_equal(kept, other_kept)
    assert found.n_visited == expected.n_visited


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("name", STATISTICS)
def test_neither_chunks_nor_jobs_change_what_is_counted_or_kept(
    name: str, exact: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    statistic, layout = statistic_of(name, CURVES)
    restriction = restriction_of(statistic, layout)
    if exact and restriction is not layout.restriction:
        with pytest.raises(OptionError, match="cannot be listed one by one"):
            restriction.every()
        return
    expected = visit(plan_of(restriction, exact=exact), statistic)
    assert expected.n_visited == (6_435 if exact else SAMPLED)
    for chunk, n_jobs in ((1, 1), (2, 2), (1_000, 1), (1, -1)):
        monkeypatch.setattr(type(statistic), "chunk", chunk)
        plan = plan_of(restriction, exact=exact)
        assert_same(visit(plan, statistic, n_jobs=n_jobs), expected)


@pytest.mark.parametrize("name", STATISTICS)
def test_processes_give_the_same_as_threads(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    statistic, layout = statistic_of(name, CURVES)
    restriction = restriction_of(statistic, layout)
    expected = visit(plan_of(restriction), statistic)
    monkeypatch.setattr(type(statistic), "chunk", 2)
    with joblib.parallel_config(backend="loky"):
        assert_same(visit(plan_of(restriction), statistic, n_jobs=2), expected)


@pytest.mark.parametrize("name", STATISTICS)
def test_a_statistic_survives_pickling(name: str) -> None:
    statistic, layout = statistic_of(name, CURVES)
    again = pickle.loads(pickle.dumps(statistic))  # noqa: S301 (our own)
    restriction = restriction_of(statistic, layout)
    assert_same(visit(plan_of(restriction), again), visit(plan_of(restriction), statistic))


# --- what is kept --------------------------------------------------------------------


def test_a_sample_is_kept_of_many_shuffles(monkeypatch: pytest.MonkeyPatch) -> None:
    statistic, layout = statistic_of("Welch", CURVES)
    restriction = restriction_of(statistic, layout)
    whole = visit(plan_of(restriction), statistic)
    assert whole.kept[0].shape == (3, SAMPLED)
    monkeypatch.setattr(type(statistic), "n_kept", 2)
    partly = visit(plan_of(restriction), statistic)
    np.testing.assert_array_equal(partly.counts[0], whole.counts[0])
    np.testing.assert_array_equal(partly.kept[0], whole.kept[0][:, : 2 * BATCH])


def test_of_a_large_enumeration_a_random_sample_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    statistic, layout = statistic_of("randomized ANOVA", CURVES)
    whole = visit(plan_of(layout.restriction, exact=True), statistic)
    assert whole.kept[0].shape == (2, 6_435)
    monkeypatch.setattr(Overall, "n_kept", 2)
    monkeypatch.setattr(planning, "MAX_FREE", 6_434)
    partly = visit(plan_of(layout.restriction, exact=True), statistic)
    np.testing.assert_array_equal(partly.counts[0], whole.counts[0])
    # Not a corner of the enumeration: their distribution is that of all of them.
    drawn = layout.restriction.drawn(2 * BATCH, seed=0)
    sample = [statistic.measure(drawn.batch(n), keep=True)[1][0] for n in range(2)]
    np.testing.assert_array_equal(partly.kept[0], np.hstack(sample))
    for kept, all_kept in zip(partly.kept[0], whole.kept[0], strict=True):
        assert stats.ks_2samp(kept, all_kept).pvalue > 1e-4


@pytest.mark.parametrize("n_batches", [2, 40])
def test_a_step_scan_keeps_two_numbers_of_a_relabelling(n_batches: int) -> None:
    statistic, layout = statistic_of("step scan", CURVES)
    found = visit(plan_of(layout.restriction, n_shuffles=n_batches * BATCH), statistic)
    assert [part.shape for part in found.kept] == [(2, n_batches * BATCH)]
    assert [part.size for part in found.counts] == [12, 12, 12, 12, *_sizes(found)]


def _sizes(found: Counts) -> list[int]:
    """The counts of clusters and windows: as many as were observed."""
    counts = ScanCounts(*found.counts)
    n_clusters = counts.clusters_a.size, counts.clusters_i.size
    assert max(n_clusters) <= 3
    return [*n_clusters, 2 * 6 * 6, 2 * 6 * 6]


def test_unless_a_statistic_says_otherwise_all_its_counts_decide() -> None:
    counts = np.array([[1, 2], [3, 4]]), np.array([5])
    assert CountLabels().deciding(counts).tolist() == [1, 2, 3, 4]
    assert CountLabels().compiled_for(10**9) is None


# --- engines -------------------------------------------------------------------------


@dataclass(frozen=True)
class CountLabels(Statistic):
    """Counts relabellings and the runs labelled 0; compiled if asked."""

    in_compiled: bool = False

    chunk = 2
    n_kept = 1

    def measure(self, labels: Integers, *, keep: bool) -> Measured:
        counts = np.array([len(labels), int(np.sum(labels == 0))])
        return (counts,), ((labels[:, 0].astype(np.float64),) if keep else ())

    def compiled_for(self, n_batches: int) -> CountLabels | None:
        return self if self.in_compiled and n_batches > 1 else None


@pytest.mark.parametrize("n_shuffles", [7, BATCH, BATCH + 1, SAMPLED])
@pytest.mark.parametrize("in_compiled", [True, False])
def test_every_shuffle_is_counted_once_by_either_engine(n_shuffles: int, in_compiled: bool) -> None:
    restriction = Layout.of(CURVES).restriction
    plan = plan_of(restriction, n_shuffles=n_shuffles)
    found = visit(plan, CountLabels(in_compiled))
    assert found.counts[0].tolist() == [n_shuffles, 8 * n_shuffles]
    assert found.n_visited == n_shuffles
    assert found.kept[0].size == min(n_shuffles, BATCH)
    # What is kept is left to NumPy.
    compiled = in_compiled and n_shuffles > BATCH
    assert found.engine == ("compiled shuffles" if compiled else "NumPy shuffles")
    assert not found.exact


def test_enumerations_are_named_as_such() -> None:
    restriction = Layout.of(CURVES).restriction
    found = visit(plan_of(restriction, exact=True), CountLabels())
    assert found.engine == "NumPy enumeration"
    assert found.exact
    assert found.counts[0].tolist() == [6_435, 8 * 6_435]


@pytest.mark.compiled
@pytest.mark.parametrize("sizes", [(9, 9), (7, 6, 5)])
def test_compiled_and_numpy_shuffles_count_the_same(
    sizes: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    statistic, layout = statistic_of("randomized ANOVA", some_curves(1, sizes))
    n_shuffles = 200 * BATCH + 7
    monkeypatch.setattr(method, "compiling_repays", lambda *_: False)
    expected = visit(plan_of(layout.restriction, n_shuffles=n_shuffles), statistic)
    assert expected.engine == "NumPy shuffles"
    monkeypatch.setattr(method, "compiling_repays", lambda *_: True)
    for n_jobs in (1, 2):
        plan = plan_of(layout.restriction, n_shuffles=n_shuffles)
        found = visit(plan, statistic, n_jobs=n_jobs)
        assert found.engine == "compiled shuffles"
        assert_same(found, expected)


# --- stopping ------------------------------------------------------------------------


@dataclass(frozen=True)
class ShareExtreme(Statistic):
    """Counts a given share of the relabellings of every batch as extreme."""

    n_of_batch: int

    chunk = 8

    def measure(self, labels: Integers, *, keep: bool) -> Measured:
        return (np.array([self.n_of_batch, len(labels)]),), ()

    def deciding(self, counts: tuple[Integers, ...]) -> Integers:
        return counts[0][:1]


def visited_with(rule: str, n_of_batch: int, most: int = 2**20) -> int:
    plan = Plan.of(
        Layout.of(CURVES).restriction,
        n_shuffles=rule,
        exact=False,
        key=0,
        limits=Limits(shuffles=most),
    )
    found = visit(plan, ShareExtreme(n_of_batch))
    n_extreme = n_of_batch * found.n_visited // BATCH
    assert found.counts[0].tolist() == [n_extreme, found.n_visited]
    return found.n_visited


def test_shuffling_stops_at_the_look_that_settles_it_and_at_the_most() -> None:
    # 0.05 of a batch are 51.2 relabellings.
    assert visited_with("auto", 20) == FIRST_LOOK
    assert visited_with("auto", 100) == FIRST_LOOK
    nearer = visited_with("auto", 46), visited_with("auto", 49)
    assert FIRST_LOOK < nearer[0] < nearer[1] < 2**20
    assert visited_with("auto", 51) == 2**20
    assert visited_with("auto", 51, 2**15) == 2**15
    assert visited_with("precise", 7) == FIRST_LOOK
    assert visited_with("precise", 6) == 2 * FIRST_LOOK
    assert visited_with("precise", 0) == 2**20
    assert visited_with("precise", 0, FIRST_LOOK // 2) == FIRST_LOOK // 2


@pytest.mark.parametrize("name", STATISTICS)
def test_stopping_at_a_number_gives_the_counts_of_that_number(name: str) -> None:
    statistic, layout = statistic_of(name, CURVES)
    restriction = restriction_of(statistic, layout)
    stopped = visit(Plan.of(restriction, n_shuffles="precise", exact=False, key=3), statistic)
    plain = visit(plan_of(restriction, n_shuffles=stopped.n_visited), statistic)
    assert_same(stopped, plain)
    assert statistic.deciding(stopped.counts).min() >= 100


# --- progress ------------------------------------------------------------------------


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("name", STATISTICS)
def test_progress_is_reported_up_to_the_end(
    name: str, n_jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    statistic, layout = statistic_of(name, CURVES)
    monkeypatch.setattr(type(statistic), "chunk", 2)
    seen: list[tuple[int, int]] = []
    with reporting_progress(lambda done, total: seen.append((done, total))):
        visit(plan_of(restriction_of(statistic, layout)), statistic, n_jobs=n_jobs)
    assert seen == [(2, 6), (4, 6), (6, 6)]


# --- another restriction -------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Rotated:
    """Labels turned round by each of some numbers of places."""

    labels: Integers
    turns: Integers

    @property
    def blocks(self) -> Integers:
        return np.zeros_like(self.labels)

    @property
    def count(self) -> int:
        return len(self.turns)

    def batch(self, number: int) -> Integers:
        turns = self.turns[number * BATCH : (number + 1) * BATCH]
        return np.stack([np.roll(self.labels, turn) for turn in turns])


@dataclass(frozen=True, eq=False)
class Rotations:
    """Only cyclic rotations of the labels are allowed."""

    labels: Integers
    unit: str = "rotation"

    @cached_property
    def count(self) -> int:
        return len({tuple(np.roll(self.labels, turn)) for turn in range(len(self.labels))})

    def every(self) -> Rotated:
        return Rotated(self.labels, np.arange(self.count))

    def drawn(self, count: int, seed: int) -> Rotated:
        turns = np.random.default_rng(seed).integers(self.count, size=count)
        return Rotated(self.labels, turns)


def step_ratios(layout: Layout, labels: Integers) -> np.ndarray:
    """F at each step by its definition."""
    groups = [layout.scores[labels == group] for group in np.unique(labels)]
    return np.asarray(stats.f_oneway(*groups).statistic)


def anova_statistics(layout: Layout, labels: Integers) -> np.ndarray:
    return np.array(list(f_ratios(layout.scores, labels).values()))


@pytest.mark.parametrize(
    ("name", "measured"), [("randomized ANOVA", anova_statistics), ("step scan", step_ratios)]
)
def test_a_new_restriction_needs_nothing_but_its_class(
    name: str, measured: Callable[[Layout, Integers], np.ndarray]
) -> None:
    curves = some_curves(2, (5, 6))
    rotations = Rotations(Layout.of(curves).labels)
    statistic, layout = statistic_of(name, curves)
    plan = Plan.of(rotations, n_shuffles=99, exact=None, key=1)
    found = visit(plan, statistic)
    assert found.exact
    assert found.n_visited == rotations.count == 11
    observed = measured(layout, layout.labels)
    turned = np.array([np.roll(layout.labels, turn) for turn in range(11)])
    null = np.array([measured(layout, labels) for labels in turned])
    expected = np.sum(null >= observed - 1e-9 * np.abs(observed), axis=0)
    counts = found.counts[0]
    if isinstance(statistic, StepScan):
        counts = ScanCounts(*found.counts).step[0]
    np.testing.assert_array_equal(counts, expected)
    # A sample comes near the exact share.
    n_shuffles = 20 * BATCH
    sampled = visit(Plan.of(rotations, n_shuffles=n_shuffles, exact=False, key=1), statistic)
    near = sampled.counts[0]
    if isinstance(statistic, StepScan):
        near = ScanCounts(*sampled.counts).step[0]
    share = expected / 11
    error = np.sqrt(share * (1 - share) / n_shuffles)
    assert (np.abs(near / n_shuffles - share) <= 4.5 * error).all()


# --- memory --------------------------------------------------------------------------

# A process measures itself. Not getrusage: its peak is inherited from the process that
# started this one.
CODE = """
import re, sys
from pathlib import Path
import numpy as np
import curvewise as cw
peak = lambda: int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
scores = np.random.default_rng(0).normal(size=(24, 8)).cumsum(axis=1)
curves = cw.Curves(scores, np.repeat(["A", "B"], 12))
cw.compare(curves, exact=False, n_shuffles=3_000_000, rng=0)
before = peak()
found = cw.compare(curves, exact=False, n_shuffles=int(sys.argv[1]), rng=0)
grown = (peak() - before) / 1024
print(found.n_shuffles, len(found.algorithm.null_distribution), grown, before / 1024)
"""


@needs_proc
@pytest.mark.parametrize(
    "n_shuffles", [5_000_000, pytest.param(200_000_000, marks=pytest.mark.slow)]
)
def test_many_shuffles_need_no_more_memory_than_three_million(n_shuffles: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(n_shuffles)], capture_output=True, text=True, check=True
    )
    visited, n_kept, megabytes, before = done.stdout.split()
    assert int(visited) == n_shuffles
    assert int(n_kept) <= 131_072
    # As floats the five null distributions would take 40 bytes a shuffle: gigabytes.
    assert 50 < float(before) < 1_000
    assert float(megabytes) < 40
