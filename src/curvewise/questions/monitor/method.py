"""Which run came in which batch: batches in their order, and what is refused of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.data.checks import refuse_option
from curvewise.data.curves import Curves, names_of
from curvewise.data.tables import natural_order
from curvewise.errors import CurvesError, refuse
from curvewise.inference.result import EFFECTS
from curvewise.inference.simulate import Scenario, pilot_noise
from curvewise.inference.work import random_keys, tag_of
from curvewise.kernels.many_tables import Tables
from curvewise.kernels.pvalues import TIE, holm
from curvewise.kernels.relabel import BATCH, WithinBlocks
from curvewise.kernels.sequential import Ranking, rejected_by, sequential_pvalues
from curvewise.questions.monitor.result import SequentialEffect, SequentialPair, SmallerBatches
from curvewise.shuffling.visit import track_items
from curvewise.text import argument, did_you_mean, in_python, listed, plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from curvewise.inference.caveats import Caveat
    from curvewise.inference.result import EffectName
    from curvewise.inference.simulate import PilotNoise
    from curvewise.kernels import Floats, Integers
    from curvewise.questions.monitor.result import MonitoringPlan, Status

    Names = tuple[str, str]
    Paths = dict[EffectName, list[float]]


@dataclass(frozen=True, eq=False)
class Batches:
    """The batches so far, in natural order of their names.

    ``counts`` has the runs of each algorithm in each batch, (n_batches, n_algorithms).
    """

    names: tuple[str, ...]
    counts: Integers
    algorithms: tuple[str, ...]

    @property
    def look(self) -> int:
        """How many there are: the number of the present look."""
        return len(self.names)

    def last_of(self, algorithm: str) -> int:
        """Return how many batches an algorithm has runs in; there are no gaps."""
        return int(np.sum(self.counts[:, self.algorithms.index(algorithm)] > 0))

    def sizes_of(self, a: str, b: str) -> list[tuple[int, int]]:
        """Return the runs of two algorithms in each batch that both are in."""
        columns = [self.algorithms.index(name) for name in (a, b)]
        shared = self.counts[: min(self.last_of(a), self.last_of(b)), columns]
        return [(int(first), int(second)) for first, second in shared]

    def sizes(self) -> dict[str, dict[str, int]]:
        """Return the runs of each algorithm in each batch, by name."""
        return {
            name: dict(zip(self.algorithms, row, strict=True))
            for name, row in zip(self.names, self.counts.tolist(), strict=True)
        }


def in_batches(curves: Curves, batch: object) -> Curves:
    """Return the curves with their batches as blocks; raise where there are none."""
    if isinstance(batch, str):
        refuse(
            f"batch must have a batch for each run, not {batch!r}: curves keep no other columns. "
            f"Read that column as blocks, read(path, block={batch!r}), and leave batch out.",
            option="batch",
        )
    if batch is None:
        if curves.blocks is None:
            what = in_python("an array with the batch of each run, or read it as blocks")
            refuse(
                "Which run came in which batch is not known, and labels are shuffled inside "
                f"batches. Give {argument('batch')}, "
                f"{what or 'the column, setting or part of the path that tells it'}.",
                option="batch",
            )
        return curves
    names = names_of(batch, "batch", curves.n_runs)  # type: ignore[arg-type]
    if curves.blocks is not None and curves.blocks.tolist() != names.tolist():
        refuse(
            "These curves are in blocks, and batch puts their runs into others; labels are "
            "shuffled inside batches only. Leave the blocks out, or batch.",
            option="batch",
        )
    return curves.with_blocks(names)


def batches_of(curves: Curves, plan: MonitoringPlan) -> Batches:
    """Return the batches of curves, their blocks; raise if they are too many or too large."""
    names = [] if curves.blocks is None else curves.blocks.tolist()
    order = natural_order(set(names))
    codes = np.array([order.index(name) for name in names], dtype=np.int64)
    counts = np.zeros((len(order), len(curves.algorithms)), dtype=np.int64)
    np.add.at(counts, (codes, curves.codes), 1)
    found = Batches(tuple(order), counts, curves.algorithms)
    if found.look > plan.n_batches:
        refuse(
            f"There are {plural(found.look, 'batch')} ({listed(found.names, 6)}), and "
            f"{plan.n_batches} {'was' if plan.n_batches == 1 else 'were'} planned. After the last planned look all of alpha is spent: "
            "more runs are a new experiment."
        )
    for place, column in np.argwhere(counts > plan.batch_size).tolist():
        refuse(
            f"Batch {order[place]!r} has {counts[place, column]} runs of "
            f"{curves.algorithms[column]!r}, and {plan.batch_size} were planned "
            f"({argument('batch_size')}). Put the runs beyond those into the next batch."
        )
    return found


def check_gaps(batches: Batches) -> None:
    """Raise where an algorithm is missing: of two anywhere, of more before its last batch.

    Whether one may be missing from the last batches depends on what was decided before.
    """
    for column, name in enumerate(batches.algorithms):
        there = batches.counts[:, column] > 0
        if len(batches.algorithms) > 2:
            there = there[: np.flatnonzero(there)[-1]]
        if not there.all():
            raise CurvesError(_lacking(batches, int(np.argmin(there)), name))


def given_up_of(batches: Batches, give_up: Sequence[str]) -> frozenset[str]:
    """Return the algorithms that are given up; raise where there is none of that name."""
    names = [give_up] if isinstance(give_up, str) else give_up
    if not isinstance(names, list | tuple | set | frozenset):
        refuse_option("give_up", f"must be names of algorithms, as in ['A'], not {give_up!r}.")
    for name in names:
        if name not in batches.algorithms:
            refuse(
                f"No algorithm is called {name!r}; {did_you_mean(str(name), batches.algorithms)}",
                option="give_up",
            )
    if names and len(batches.algorithms) == 2:
        refuse(
            f"{argument('give_up')} is for three algorithms or more: without one of two, the "
            "experiment has ended.",
            option="give_up",
        )
    return frozenset(names)


def check_absent(
    batches: Batches, pairs: Sequence[SequentialPair], given_up: frozenset[str]
) -> None:
    """Raise for an algorithm that got no more runs before all of its pairs were decided."""
    for name in batches.algorithms:
        last = batches.last_of(name)
        undecided = [
            pair.b if pair.a == name else pair.a
            for pair in pairs
            if name in (pair.a, pair.b)
            and not given_up.intersection((pair.a, pair.b))
            and (pair.overall.rejected_at or batches.look + 1) > last
        ]
        if undecided and last < batches.look:
            refuse(
                f"{_lacking(batches, last, name)} Against {listed([*map(repr, undecided)], 3)} nothing "
                f"is decided yet; if {name!r} gets no more runs, {argument('give_up', name)} says so."
            )


def _lacking(batches: Batches, place: int, name: str) -> str:
    return (
        f"Batch {batches.names[place]!r} has no runs of {name!r}. Wait for them, or merge the "
        "batch with the next one before its scores are read."
    )


def smaller_batches(batches: Batches, plan: MonitoringPlan) -> Iterator[Caveat]:
    """Warn of batches that have fewer runs of an algorithm than were planned."""
    fewest = np.where(batches.counts > 0, batches.counts, plan.batch_size).min(axis=1)
    small = np.flatnonzero(fewest < plan.batch_size).tolist()
    if small:
        yield SmallerBatches(
            tuple(batches.names[place] for place in small),
            tuple(int(fewest[place]) for place in small),
            plan.batch_size,
        )


# --- Relabellings inside batches: those of a batch never change when later batches come.


def drawn_relabellings(
    batches: Sequence[Integers], n_shuffles: int, seed: int
) -> tuple[list[Integers], int]:
    """Return the labels of the runs so far at each look, and which row was observed.

    ``batches`` has the labels, 0 or 1, of the runs of each batch. The first row is what was
    observed, the others are drawn; the part of a batch comes from a stream of its own, and is
    the same at all later looks; (n_shuffles + 1, n_runs so far).
    """
    looks: list[Integers] = []
    for number, labels in enumerate(batches):
        (key,) = random_keys([seed, number], 1)
        drawn = WithinBlocks(labels, np.zeros_like(labels)).drawn(n_shuffles, key)
        own = [drawn.batch(part) for part in range(-(-n_shuffles // BATCH))]
        looks.append(np.hstack([*looks[-1:], np.vstack([labels, *own])]))
    return looks, 0


def all_relabellings(batches: Sequence[Integers]) -> tuple[list[Integers], int]:
    """Return all labels of the runs so far at each look, and which of the last was observed.

    Each of a look is followed by as many of the next one as there are ways to label the next
    batch, so that those of the last look that it begins stand next to each other.
    """
    looks: list[Integers] = []
    observed, before = 0, np.empty((1, 0), dtype=np.int64)
    for labels in batches:
        chosen = list(combinations(range(len(labels)), int(np.sum(labels == 0))))
        own = np.ones((len(chosen), len(labels)), dtype=np.int64)
        np.put_along_axis(own, np.array(chosen, dtype=np.int64), 0, axis=1)
        place = int(np.flatnonzero((own == labels).all(axis=1))[0])
        observed = observed * len(own) + place
        before = np.hstack([np.repeat(before, len(own), axis=0), np.tile(own, (len(before), 1))])
        looks.append(before)
    return looks, observed


# --- Two algorithms, look after look: the three statistics, and their sequential p.


def sequential_paths(
    two: Curves, names: Sequence[str], plan: MonitoringPlan
) -> dict[EffectName, list[float]]:
    """Return the sequential p of each effect after each of these batches, of two algorithms.

    Height and shape are closed by the overall test: neither is claimed unless that is rejected.
    No p is below what the number of runs allows, sampled or not.
    """
    scores, labels, batches = within_batches(two, names)
    parts = [labels[batches == batch] for batch in range(int(batches.max()) + 1)]
    if plan.exact:
        looks, observed = all_relabellings(parts)
    else:
        looks, observed = drawn_relabellings(parts, plan.n_shuffles, plan.seed)
    rankings: list[list[Ranking]] = [[], [], []]
    for relabelled in looks:
        n_runs = relabelled.shape[1]
        n_each = len(looks[-1]) // len(relabelled)
        found, tolerances = look_statistics(scores[None, :n_runs], batches[:n_runs], relabelled)
        for place, own in enumerate(rankings):
            values = np.repeat(found[place, 0], n_each)
            own.append(Ranking.of(values, float(tolerances[place, 0]), observed))
    overall, height, shape = (
        np.array(sequential_pvalues(own, plan.shares, observed, plan.alpha)) for own in rankings
    )
    # A sample may by chance hold fewer relabellings like the observed one than there are.
    sizes = [(int(np.sum(own == 0)), int(np.sum(own == 1))) for own in parts]
    if not plan.exact:
        overall = np.maximum(overall, plan.smallest_pvalues_of(sizes))
    return {
        "overall": overall.tolist(),
        "algorithm": np.maximum(overall, height).tolist(),
        "interaction": np.maximum(overall, shape).tolist(),
    }


def within_batches(two: Curves, names: Sequence[str]) -> tuple[Floats, Integers, Integers]:
    """Return scores, labels and batches of the runs, batch after batch.

    Inside a batch runs are ordered by their scores, so that neither their order nor what comes
    in later batches changes which labels a relabelling gives them. The order must not depend on
    the labels.
    """
    blocks = two.blocks
    assert blocks is not None  # noqa: S101 (batches are blocks)
    rows = []
    for batch in names:
        inside = np.flatnonzero(blocks == batch)
        rows.append(inside[np.lexsort(two.scores[inside].T[::-1])])
    order = np.concatenate(rows)
    batches = np.repeat(np.arange(len(rows)), [len(own) for own in rows])
    return two.scores[order], two.codes[order], batches


def look_statistics(scores: Floats, batches: Integers, labels: Integers) -> tuple[Floats, Floats]:
    """Return overall, height and shape of every relabelling of each table, and their rounding.

    Overall is the combined statistic, standardised over these relabellings; height and shape are
    roots of sums of squares between the algorithms. Curves are taken less the mean curve of
    their batch. Any way to break ties is valid here, since none depends on which relabelling was
    observed; that statistics which differ by rounding only are tied keeps answers from depending
    on the unit of the scores.

    Parameters
    ----------
    scores : array, (n_tables, n_runs, n_steps)
    batches : array, (n_runs,)
    labels : array, (n_relabellings, n_runs)

    Returns
    -------
    array, (3, n_tables, n_relabellings)
    array, (3, n_tables)
        Statistics that differ by no more are tied.
    """
    unit = 2.0 ** math.frexp(float(np.abs(scores - scores.mean()).max()))[1]
    tables = Tables.of(scores / unit, labels[0], batches)
    found = tables.statistics(labels)
    tolerances = 2 * tables.noise + TIE * found.max(axis=2)
    tolerances[0] = TIE
    return found, tolerances


# --- Is it worth to go on?
#
# The simulated chance to find a stated effect by the last look.
#
# The runs so far stay as they are; those of the batches to come are simulated, with the noise of
# the runs so far and with the effect, in either direction. Boundaries take no notice of it, so that
# alpha holds whether the advice is followed or not.

MAX_CHANGE = 1e9  # times the largest score
MAX_CHANCE = 0.1  # below which stopping is advised
N_EXPERIMENTS, N_SHUFFLES = 200, 399
MAX_VALUES = 5_000_000  # scores that are simulated at a time
MAX_STEPS = 50  # of more, neighbouring ones are averaged: the chance is no different


def check_effect(effect: object) -> None:
    """Raise unless an effect is a scenario that changes something."""
    if not isinstance(effect, Scenario):
        what = "a scenario, the smallest difference worth finding, such as scenario('lift', 5)"
        refuse_option("effect", f"must be {what}, not {effect!r}.")
    if effect.is_nothing:
        refuse_option(
            "effect", f"is {effect}, which changes nothing: state the smallest one worth finding."
        )


@dataclass(frozen=True, eq=False)
class Prospect:
    """What is to come under a plan, if there is a stated effect.

    Attributes
    ----------
    curves : Curves
        All runs so far, in batches.
    noise : PilotNoise
        Of all algorithms together: what the mean of its algorithm in its batch leaves of a run.
    effect : Scenario
    plan : MonitoringPlan
    """

    curves: Curves
    noise: PilotNoise
    effect: Scenario
    plan: MonitoringPlan

    @classmethod
    def of(cls, curves: Curves, effect: Scenario, plan: MonitoringPlan) -> Prospect:
        """Learn the noise from the runs so far."""
        assert curves.blocks is not None  # noqa: S101 (batches are blocks)
        places = zip(curves.blocks, curves.labels, strict=True)
        cells = [f"{batch!r} {name!r}" for batch, name in places]
        noise = pilot_noise(Curves(curves.scores, cells, precision=curves.precision))[0]
        found = cls(curves, noise, effect, plan)
        largest = float(np.abs(curves.scores).max())
        with np.errstate(over="ignore", invalid="ignore"):
            changed = np.abs(found._changed(curves.scores.mean(axis=0)))
        if not (changed <= MAX_CHANGE * largest).all():
            refuse_option(
                "effect",
                f"is {effect}, which makes scores more than a billion times as large as they "
                "are: state the smallest one worth finding.",
            )
        return found

    def chance(self, pair: tuple[str, str], names: Sequence[str]) -> float:
        """Return the chance to find the effect by the last look, between two algorithms.

        ``names`` are the batches so far. The effect is given to the algorithm that it would
        put farther ahead; where that leaves little chance, also to the other, and the larger
        chance is returned.
        """
        two = self.curves.select(*sorted(pair))
        scores, labels, batches = within_batches(two, names)
        means = np.stack([scores[labels == code].mean(axis=0) for code in (0, 1)])
        rises = float(np.mean(self._changed(means[0]) - means[0])) >= 0
        higher = int(np.argmax(means.mean(axis=1)))
        likelier = higher if rises else 1 - higher
        rng = np.random.default_rng([self.plan.seed, len(names), tag_of(pair)])
        found = 0.0
        for changed in (likelier, 1 - likelier):
            n_found = 0
            for n in self._portions(len(names)):
                to_come = self._runs_to_come(means[1 - changed], changed, len(names), n, rng)
                n_found += self._number_found(scores, labels, batches, to_come)
            found = max(found, n_found / N_EXPERIMENTS)
            if found >= MAX_CHANCE:
                break
        return found

    def _changed(self, curves: Floats) -> Floats:
        steps = self.curves.steps.astype(np.float64)
        return self.effect.changed(curves, steps=steps, height_sd=self.noise.height_sd)

    def _portions(self, look: int) -> list[int]:
        """Return how many experiments are simulated at a time, so that memory is bounded."""
        plan = self.plan
        n_runs = 2 * plan.batch_size * (plan.n_batches - look)
        most = max(1, MAX_VALUES // (n_runs * self.curves.n_steps))
        done = range(0, N_EXPERIMENTS, most)
        return [min(most, N_EXPERIMENTS - start) for start in done]

    def _runs_to_come(
        self, mean: Floats, changed: int, look: int, n_experiments: int, rng: np.random.Generator
    ) -> Floats:
        """Simulate the batches to come; (n_experiments, n_runs, n_steps).

        In a batch the runs of algorithm 0 come first; those of ``changed`` have the effect.
        """
        n_batches, size = self.plan.n_batches - look, self.plan.batch_size
        shape = (n_experiments, n_batches, 2, size, len(mean))
        noise = self.noise.draw(rng, int(np.prod(shape[:-1]))).reshape(shape)
        runs = mean + noise
        own = runs[:, :, changed]
        if self.effect.on == "mean":
            own += self._changed(mean) - mean
        else:
            own[...] = self._changed(own)
        return runs.reshape(n_experiments, -1, len(mean))

    def _number_found(
        self, scores: Floats, labels: Integers, batches: Integers, to_come: Floats
    ) -> int:
        """Return in how many experiments an overall difference is found by the last look."""
        plan, look = self.plan, int(batches[-1]) + 1
        size = plan.batch_size
        parts = [labels[batches == batch] for batch in range(look)]
        parts += [np.repeat([0, 1], size)] * (plan.n_batches - look)
        looks, observed = drawn_relabellings(parts, N_SHUFFLES, plan.seed)
        every = np.concatenate([batches, np.repeat(np.arange(look, plan.n_batches), 2 * size)])
        before = _binned(scores)[None]
        tables = np.concatenate(
            [np.broadcast_to(before, (len(to_come), *before.shape[1:])), _binned(to_come)], axis=1
        )
        rankings: list[list[Ranking]] = [[] for _ in to_come]
        for number, relabelled in enumerate(looks):
            n_runs = relabelled.shape[1]
            # What was seen already is the same in all experiments.
            own = before[:, :n_runs] if number < look else tables[:, :n_runs]
            found, tolerances = look_statistics(own, every[:n_runs], relabelled)
            ranked = [
                Ranking.of(values, float(tolerance), observed)
                for values, tolerance in zip(found[0], tolerances[0], strict=True)
            ]
            for place, path in enumerate(rankings):
                path.append(ranked[0 if number < look else place])
        return sum(
            rejected_by(path, plan.shares, observed, plan.alpha) is not None for path in rankings
        )


def _binned(curves: Floats) -> Floats:
    """Average neighbouring steps, the last axis, where there are many."""
    n_steps = curves.shape[-1]
    edges = np.arange(min(n_steps, MAX_STEPS)) * n_steps // min(n_steps, MAX_STEPS)
    widths = np.diff(edges, append=n_steps)
    return np.add.reduceat(curves, edges, axis=-1) / widths


# --- Every two algorithms over the looks: their sequential p, adjusted for all pairs.


def sequential_pairs(
    curves: Curves, batches: Batches, plan: MonitoringPlan, given_up: frozenset[str]
) -> tuple[SequentialPair, ...]:
    """Test every two algorithms on their own curves, and adjust at every look."""
    names = list(combinations(curves.algorithms, 2))
    paths = {pair: _path(curves, pair, batches, plan) for pair in track_items(names)}
    adjusted = {
        name: np.column_stack(
            [holm(at_look) for at_look in np.array([own[name] for own in paths.values()]).T]
        )
        for name in EFFECTS
    }
    found = []
    for place, (pair, path) in enumerate(paths.items()):
        sizes = batches.sizes_of(*pair)
        effects: dict[str, Any] = {
            name: SequentialEffect(
                name=name,
                pvalues=tuple(path[name]),
                pvalues_adjusted=tuple(adjusted[name][place].tolist()),
                alpha=plan.alpha,
                smallest_pvalue_now=plan.smallest_pvalues_of(sizes)[-1],
            )
            for name in EFFECTS
        }
        ended = bool(given_up.intersection(pair)) or len(sizes) < batches.look
        status: Status = "given up" if ended else "undecided"
        found.append(
            SequentialPair(
                *pair,
                **effects,
                difference=_difference(curves, pair, batches.names[: len(sizes)]),
                n_runs=(sum(a for a, _ in sizes), sum(b for _, b in sizes)),
                n_looks=len(sizes),
                status="different" if effects["overall"].significant else status,
            )
        )
    return tuple(found)


def any_pair(pairs: Sequence[SequentialPair]) -> dict[EffectName, SequentialEffect]:
    """Return whether any two differ, for each effect: the smallest adjusted p at each look."""
    if len(pairs) == 1:
        return {name: pairs[0].effect(name) for name in EFFECTS}
    found: dict[EffectName, SequentialEffect] = {}
    for name in EFFECTS:
        own = [pair.effect(name) for pair in pairs]
        smallest = tuple(np.min([e.pvalues_adjusted for e in own], axis=0).tolist())
        now = min(min(e.smallest_pvalue_now for e in own) * len(pairs), 1.0)
        found[name] = replace(
            own[0], pvalues=smallest, pvalues_adjusted=smallest, smallest_pvalue_now=now
        )
    return found


def _path(curves: Curves, pair: Names, batches: Batches, plan: MonitoringPlan) -> Paths:
    """Test a pair on the batches that both have runs in; later its p stays as it is."""
    shared = batches.names[: len(batches.sizes_of(*pair))]
    # In the order of names: who came first must not change which relabellings are drawn.
    paths = sequential_paths(curves.select(*sorted(pair)), shared, plan)
    n_more = batches.look - len(shared)
    return {name: [*own, *own[-1:] * n_more] for name, own in paths.items()}


def _difference(curves: Curves, pair: Names, names: Sequence[str]) -> float:
    """Return how far apart two algorithms are inside batches, by least squares."""
    heights, differences, weights = curves.scores.mean(axis=1), [], []
    assert curves.blocks is not None  # noqa: S101 (batches are blocks)
    for name in names:
        a, b = (heights[(curves.blocks == name) & (curves.labels == own)] for own in pair)
        differences.append(float(a.mean() - b.mean()))
        weights.append(len(a) * len(b) / (len(a) + len(b)))
    return float(np.average(differences, weights=weights)) + 0.0
