"""Gorski & Laird (2009), Evaluating Evaluations: Tables 1 and 2, Figures 1 to 4, run again."""

from __future__ import annotations

import itertools
import math
import time
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

import curvewise as cw
from studies.gorski2009.grid_table import (
    LEARNERS,
    METRICS,
    PUBLISHED,
    RISES,
    mean_curves,
    measured,
    measured_readings,
    one_rule,
    two_conditions,
    values,
)
from studies.report import Claim, Picture, Sheet, Study
from studies.sources.grid_worlds import WORLDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from studies.gorski2009.grid_table import Means, Reading
    from studies.report import Verdict

__all__ = ["study"]

Floats = npt.NDArray[np.float64]
SIGNS = {True: "✓", False: "×"}
BLUE, ORANGE, RED, GREY = "#0072B2", "#E69F00", "#D55E00", "0.6"
HALF_DIGIT = 0.00005  # what rounding to four digits hides
NEAR = 0.01  # a mean reward this close to the optimum has come to it


def study(*, seed: int = 2009, quick: bool = False) -> Study:
    """Run both grid worlds under every reading, and the ten criteria."""
    started = time.perf_counter()
    plain, others = (1_000, 500) if quick else (20_000, 2_000)
    means = {
        learner.name: mean_curves(
            learner, n_trials=others if number else plain, seed=seed, quick=quick
        )
        for number, learner in enumerate(LEARNERS)
    }
    readings = measured_readings(means)
    table = {name: _with_intervals(name, each) for name, each in means["plain"].items()}
    criteria = cw.check_criteria(rng=seed)
    return Study(
        name="gorski2009",
        title="Gorski & Laird (2009): which metric compares learning curves",
        paragraphs=_paragraphs(readings, plain, others),
        claims=(
            *_figure_claims(means["plain"]),
            *_table_claims(table, readings),
            _rule_claim(means),
            *_ordering_claims(readings),
            *_criteria_claims(criteria),
            *_slips(criteria),
        ),
        sheets=(
            _table_1(table, readings),
            _readings_sheet(readings),
            _rule_sheet(readings),
            _table_2(criteria),
        ),
        pictures=(
            _curves_picture(means["plain"], plain),
            _readings_picture(readings),
            *_criteria_pictures(criteria),
        ),
        seed=seed,
        quick=quick,
        seconds=time.perf_counter() - started,
    )


def _paragraphs(readings: Sequence[Reading], plain: int, others: int) -> tuple[str, ...]:
    subject = (
        "Learners in a 4x4 and a 3x3 grid world start from nothing or from what they "
        "learned with the goal in another cell, and four metrics say how much that helped. "
        "The report then asks ten things of such a metric and judges the four by them."
    )
    choices = (
        "Its text leaves open how many episodes the source task has, what a move into the "
        "wall does, how ties are broken, when the next move is chosen and whether rewards "
        "are discounted; how many episodes are compared; what is added to the rewards for "
        "the transfer ratio, and between which scores the box of transfer regret lies. The "
        "plain reading: 100 source episodes, a bump stays and costs 1, ties at random, SARSA "
        "without discount, 20 and 10 episodes, the lowest mean lifted to 0, the box around "
        "the mean curves, trials counted from 1."
    )
    tried = (
        f"{len(readings)} readings are measured, the plain one and others with one choice "
        f"changed, in one case two: the plain one with {plain:,} trials of each condition, "
        f"other learners with {others:,}."
    )
    return subject, choices, tried


# Figures 1 and 2


def _compared(name: str, means: Means) -> tuple[Floats, Floats]:
    """Return the batches of the two conditions within the plain window."""
    stop = WORLDS[name].n_episodes
    return means.control[:, :stop], means.transfer[:, :stop]


def _figure_claims(means: Mapping[str, Means]) -> Iterator[Claim]:
    firsts, ends = [], []
    for name, each in means.items():
        control, transfer = (both.mean(axis=0) for both in _compared(name, each))
        firsts.append((name, float(control[0]), float(transfer[0])))
        ends.append((name, float(control[-1]), float(transfer[-1])))
    yield Claim(
        "Figures 1, 2",
        "The transfer condition starts far above the control.",
        "in both worlds",
        _pairs(firsts),
        _verdict(all(transfer > control for _, control, transfer in firsts)),
    )
    yield Claim(
        "section 3",
        "Training brings both learners to the optimum, +1.",
        "in both worlds",
        _pairs(ends),
        _verdict(all(min(each[1:]) > 1 - NEAR for each in ends)),
        "Mean rewards of the last episode compared. A purely greedy learner need not leave "
        "a detour that the source task taught it, so more episodes lower the CTR.",
    )


def _pairs(rewards: Sequence[tuple[str, float, float]]) -> str:
    return "; ".join(
        f"{name}: control {control:.3f}, transfer {transfer:.3f}"
        for name, control, transfer in rewards
    )


def _curves_picture(means: Mapping[str, Means], n_trials: int) -> Picture:
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    for number, (name, each) in enumerate(means.items(), start=1):
        axes = figure.add_subplot(1, 2, number)
        both = _compared(name, each)
        episodes = np.arange(1, both[0].shape[1] + 1)
        axes.axhline(1, color=GREY, linestyle=":", linewidth=1)
        looks = (("control", ORANGE, "--"), ("transfer", BLUE, "-"))
        for curves, (label, colour, line) in zip(both, looks, strict=True):
            axes.plot(
                episodes, curves.mean(axis=0), line, color=colour, label=label, lw=2
            )
        axes.set_title(f"Figure {number}: {name} grid world")
        axes.set_xlabel("episode")
        axes.set_xticks(episodes[:: 1 if len(episodes) <= 10 else 2])
        axes.text(episodes[-1], 1, "optimum", ha="right", va="bottom", color="0.4")
        axes.margins(y=0.1)
        if number == 1:
            axes.set_ylabel("mean reward")
            axes.legend(frameon=False, loc="lower right")
    caption = (
        f"Figures 1 and 2: mean learning curves of {n_trials:,} trials of each condition."
    )
    return Picture("figures-1-2", caption, figure)


# Table 1


def _with_intervals(name: str, means: Means) -> cw.Transfer:
    """Measure the plain reading; means of batches of trials stand for runs."""
    return cw.transfer(
        two_conditions(*_compared(name, means)),
        control="control",
        experimental="transfer",
        optimum=1,
        n_resamples=1999,
        n_shuffles=99,
        rng=0,
    )


def _range(readings: Sequence[Reading], world: str, metric: str) -> tuple[float, float]:
    found = [reading.rows[world][metric] for reading in readings]
    return min(found), max(found)


def _within(value: float, ends: tuple[float, float]) -> bool:
    low, high = ends
    return low - HALF_DIGIT <= value <= high + HALF_DIGIT


def _interval(found: cw.Metric) -> tuple[float, float]:
    low, high = (np.nan, np.nan) if found.interval is None else found.interval
    return (np.nan if low is None else low), (np.nan if high is None else high)


def _table_claims(
    table: Mapping[str, cw.Transfer], readings: Sequence[Reading]
) -> Iterator[Claim]:
    for world, found in table.items():
        published = PUBLISHED[world]
        inside = [
            _within(published[metric], _interval(found.metrics[metric]))
            for metric in METRICS
        ]
        yield Claim(
            f"Table 1, {world}",
            "The values follow from the description: "
            + ", ".join(METRICS.values())
            + ".",
            ", ".join(f"{value:.4f}" for value in published.values()),
            ", ".join(f"{found.metrics[metric].value:.4f}" for metric in METRICS)
            + f"; {sum(inside)} of {len(inside)} published values within the interval of ours",
            _verdict(all(inside)),
            "The plain reading. The intervals are of the trials drawn, not of the reading.",
        )
    for metric, title in METRICS.items():
        ends = {world: _range(readings, world, metric) for world in PUBLISHED}
        inside = [_within(PUBLISHED[world][metric], ends[world]) for world in ends]
        yield Claim(
            "Table 1",
            f"The published {title} is within reach of some reading, in each world.",
            "; ".join(f"{world}: {PUBLISHED[world][metric]:.4f}" for world in ends),
            "; ".join(
                f"{world}: {low:.4f} to {high:.4f}" for world, (low, high) in ends.items()
            ),
            _verdict(all(inside)),
            f"Range over {len(readings)} readings; all but one change a single choice.",
        )


def _table_1(table: Mapping[str, cw.Transfer], readings: Sequence[Reading]) -> Sheet:
    rows = []
    for world, found in table.items():
        for metric, title in METRICS.items():
            ours = found.metrics[metric]
            low, high = _interval(ours)
            least, most = _range(readings, world, metric)
            rows.append(
                (
                    world,
                    title,
                    f"{PUBLISHED[world][metric]:.4f}",
                    f"{ours.value:.4f}",
                    f"{low:.4f} to {high:.4f}",
                    f"{least:.4f} to {most:.4f}",
                )
            )
    header = (
        "world",
        "metric",
        "published",
        "plain reading",
        "95 % interval",
        "readings",
    )
    note = (
        "The interval is of the trials drawn; the last column spans all readings tried."
    )
    return Sheet("Table 1", header, tuple(rows), note)


def _readings_sheet(readings: Sequence[Reading]) -> Sheet:
    def cell(reading: Reading, metric: str) -> str:
        first, second = (reading.rows[world][metric] for world in ("4x4", "3x3"))
        mark = "" if reading.keeps(metric) else " ×"
        return f"{first:.4f} → {second:.4f}{mark}"

    rows = tuple(
        (reading.kind, reading.name, *(cell(reading, metric) for metric in METRICS))
        for reading in readings
    )
    note = "4x4 → 3x3; × where the change is not in the direction published."
    return Sheet(
        "Table 1 under every reading tried",
        ("choice", "reading", *METRICS.values()),
        rows,
        note,
    )


def _ordering_claims(readings: Sequence[Reading]) -> Iterator[Claim]:
    learners = [reading for reading in readings if reading.kind == "learner"]
    for metric, title in METRICS.items():
        way = "rises" if RISES[metric] else "falls"
        for told, tried in (
            ("compared over 20 and 10 episodes, whatever the learner", learners),
            ("whatever is chosen", readings),
        ):
            against = [reading for reading in tried if not reading.keeps(metric)]
            verdict: Verdict = "agrees"
            note = ""
            if against:
                # The text does not say which reading is its own.
                verdict = "differs" if len(against) == len(tried) else "cannot be known"
                names = "; ".join(f"{each.kind}: {each.name}" for each in against)
                note = f"Turned round by {names}. The text does not say which was used."
                if RISES[metric]:
                    note += (
                        " This bears out that the metric cannot be compared between tasks, "
                        "and shows that its rise belongs to the reading, not to the tasks."
                    )
            yield Claim(
                "section 3, Table 1",
                f"From 4x4 to 3x3 the {title} {way}, {told}.",
                f"{PUBLISHED['4x4'][metric]:.4f} → {PUBLISHED['3x3'][metric]:.4f}",
                f"in {len(tried) - len(against)} of {len(tried)} readings",
                verdict,
                note,
            )


# The algebra of Table 1


def _rule_ends(world: str) -> tuple[float, float]:
    """Return the lowest and highest b that rounds to the published row."""
    names = list(METRICS)[:3]
    corners = [
        one_rule(
            {
                name: PUBLISHED[world][name] + sign * HALF_DIGIT
                for name, sign in zip(names, signs, strict=True)
            }
        )
        for signs in itertools.product((-1, 1), repeat=3)
    ]
    return min(corners), max(corners)


def _rule_claim(means: Mapping[str, Mapping[str, Means]]) -> Claim:
    ends = {world: _rule_ends(world) for world in PUBLISHED}
    passing = [row for both in means.values() for row in _passing(both["4x4"])]
    spans = {
        metric: _span(f"{min(each):.2f}", f"{max(each):.2f}")
        for metric in ("transfer_ratio", "calibrated_transfer_ratio")
        if (each := [row[metric] for row in passing])
    }
    plain = [f"{row['transfer_ratio']:.2f}" for row in _passing(means["plain"]["4x4"])]
    nearby = " and ".join(plain)
    note = (
        "With D the area between the curves over T episodes, R = D / (box · T), CTR = D / "
        "(optimum · T − area of the control) and TR − 1 = D / (area of the control + shift · "
        "T); so b = (optimum + shift) / box, whatever the curves. It is 1 where the lowest "
        "mean is lifted to 0 and the best mean is the optimum. A window that ends before "
        "either mean curve is there makes b greater."
    )
    if spans:
        note += (
            " The rows then need either another shift in one world or a window that ended "
            "too early in the 4x4 world alone. Where b passes that of the 4x4 row, the "
            f"{len(means)} learners have a transfer ratio of {spans['transfer_ratio']} "
            f"(published {PUBLISHED['4x4']['transfer_ratio']:.4f}; plain {nearby}) and a CTR "
            f"of {spans['calibrated_transfer_ratio']} (published "
            f"{PUBLISHED['4x4']['calibrated_transfer_ratio']:.4f})."
        )
    return Claim(
        "Table 1",
        "One rule by which b = R (1/CTR + 1/(TR − 1)) is 1 makes both rows.",
        "the same method in both worlds",
        "; ".join(
            f"{world}: b = {one_rule(PUBLISHED[world]):.4f} ({least:.4f} to {most:.4f} "
            "with rounding)"
            for world, (least, most) in ends.items()
        ),
        _verdict(all(least <= 1 <= most for least, most in ends.values())),
        note,
    )


def _passing(means: Means) -> list[dict[str, float]]:
    """Return the rows of the two windows between which b passes the published one."""
    control, transfer = means.control.mean(axis=0), means.transfer.mean(axis=0)
    published = one_rule(PUBLISHED["4x4"])
    before: list[dict[str, float]] = []
    for stop in range(5, WORLDS["4x4"].n_episodes + 1):
        row = values(measured(control[:stop], transfer[:stop]))
        if one_rule(row) < published:
            return [*before, row]
        before = [row]
    return []


def _span(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"


def _rule_sheet(readings: Sequence[Reading]) -> Sheet:
    rows = [("published", *(f"{one_rule(PUBLISHED[w]):.4f}" for w in PUBLISHED))]
    rows += [
        (f"{each.kind}: {each.name}", *(f"{each.rule(world):.4f}" for world in PUBLISHED))
        for each in readings
    ]
    note = (
        "b − 1 is how far the optimum lies above the box of transfer regret, in heights of "
        "the box, where the shift lifts the foot of the box to 0."
    )
    return Sheet(
        "b = R (1/CTR + 1/(TR − 1)) in each row of Table 1",
        ("row", *PUBLISHED),
        tuple(rows),
        note,
    )


def _readings_picture(readings: Sequence[Reading]) -> Picture:
    figure = Figure(figsize=(10, 3.6), layout="constrained")
    for number, (metric, title) in enumerate(METRICS.items(), start=1):
        axes = figure.add_subplot(1, 4, number)
        for reading in readings:
            axes.plot(
                [0, 1],
                [reading.rows[world][metric] for world in PUBLISHED],
                color=GREY if reading.keeps(metric) else RED,
                linestyle="-" if reading.keeps(metric) else "--",
                linewidth=1,
            )
        for rows, colour, marker, label in (
            (readings[0].rows, BLUE, "o", "plain reading"),
            (PUBLISHED, "black", "s", "published"),
        ):
            axes.plot(
                [0, 1],
                [rows[world][metric] for world in PUBLISHED],
                color=colour,
                marker=marker,
                label=label,
                linewidth=2,
            )
        axes.set_title(title)
        axes.set_xticks([0, 1], list(PUBLISHED))
        axes.set_xlim(-0.25, 1.25)
        if number == 1:
            axes.plot([], [], color=GREY, linewidth=1, label="other reading")
            axes.plot([], [], color=RED, ls="--", lw=1, label="other direction")
            handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    caption = (
        "Table 1 under every reading tried: the values move with the reading; dashed, the "
        "readings that turn the published direction round."
    )
    return Picture("table-1-readings", caption, figure)


# Table 2, Figures 3 and 4


def _table_2(criteria: cw.Criteria) -> Sheet:
    def cell(verdict: cw.Verdict) -> str:
        ours, published = SIGNS[verdict.holds], SIGNS[verdict.published]
        on_its_own = SIGNS[verdict.holds_in_paper]
        return f"{published} {on_its_own} {ours}"

    rows = tuple(
        (criterion, *(cell(criteria[criterion, metric]) for metric in METRICS))
        for criterion in criteria.criteria
    )
    note = (
        "In each cell: published; computed on the cases the report names; computed on all "
        "cases tried. Which cases count as the report's is our reading."
    )
    return Sheet("Table 2", ("criterion", *METRICS.values()), rows, note)


def _criteria_claims(criteria: cw.Criteria) -> Iterator[Claim]:
    alike = sum(each.holds_in_paper == each.published for each in criteria.values())
    yield Claim(
        "Table 2",
        "Ticks and crosses, on the cases that the report names.",
        f"{len(criteria)} cells",
        f"{alike} come out alike",
        _verdict(alike == len(criteria)),
        "Its curves are drawn, not listed; ours are drawn after its words.",
    )
    for each in criteria.differences:
        yield Claim(
            "Table 2",
            f"{each.criterion}: {each.title}, on all cases tried.",
            SIGNS[each.published],
            f"{SIGNS[each.holds]} {each.sentence}",
            _verdict(each.agrees),
            each.reason,
        )
    yield _told_apart(criteria, "Figure 3", "distinguishing", "transfer_regret")
    yield _told_apart(criteria, "Figure 4", "similar", "transfer_ratio")


def _values(
    criteria: cw.Criteria, criterion: str, metric: str, source: str
) -> list[float]:
    """Return what a metric made of a case of the report; NaN where it is undefined."""
    tried = criteria[criterion, metric].tried
    found = next(each for each in tried if each.case.source == source)
    return [np.nan if value is None else value for value in found.values]


def _told_apart(
    criteria: cw.Criteria, figure: str, criterion: str, failing: str
) -> Claim:
    pairs = {metric: _values(criteria, criterion, metric, figure) for metric in METRICS}
    same = {metric: math.isclose(*pairs[metric], rel_tol=1e-9) for metric in METRICS}
    wanted = criterion == "similar"
    as_published = all(
        same[metric] == (wanted if metric != failing else not wanted)
        for metric in METRICS
    )
    alone = METRICS[failing]
    higher = [METRICS[m] for m in METRICS if not same[m] and pairs[m][1] > pairs[m][0]]
    note = (
        ""
        if wanted
        else "Told apart is not ranked alike: the report takes 3b for the better one, and "
        f"only {' and '.join(higher)} are higher there."
    )
    claim = (
        f"Only the {alone} differs between the two pairs."
        if wanted
        else f"Only the {alone} is the same for both pairs."
    )
    return Claim(
        figure,
        claim,
        f"{criterion}: {alone} ×, the others ✓",
        "; ".join(
            f"{title} {pairs[metric][0]:.4f}, {pairs[metric][1]:.4f}"
            for metric, title in METRICS.items()
        ),
        _verdict(as_published),
        note,
    )


def _criteria_pictures(criteria: cw.Criteria) -> Iterator[Picture]:
    for number, criterion, metric in (
        (3, "distinguishing", "transfer_regret"),
        (4, "similar", "transfer_ratio"),
    ):
        verdict = criteria[criterion, metric]
        figure = Figure(figsize=(9, 3.4))
        cw.plot_criterion(verdict, ax=figure.add_axes((0.04, 0.04, 0.94, 0.92)))
        caption = f"Figure {number}, drawn after its words. {verdict.sentence}"
        yield Picture(f"figure-{number}", caption, figure)


# Slips

SLOW = np.array([0.1, 0.2, 0.4, 0.6, 0.8, 0.9])
FAST = np.array([0.3, 0.6, 0.8, 0.9, 0.9, 0.9])
LOW, HIGH = SLOW / 2, 0.5 + SLOW / 2  # all of HIGH is above all of LOW
FLAT = np.full(6, 0.1)


def _slips(criteria: cw.Criteria) -> Iterator[Claim]:
    better, worse = (
        values(measured(*pair))["average_relative_reduction"]
        for pair in ((SLOW, FAST), (FAST, SLOW))
    )
    yield Claim(
        "section 2.4",
        "ARR is negative when the experimental condition is the better one.",
        "negative",
        f"better: {better:.4f}; worse: {worse:.4f}",
        _verdict(better < 0),
        "A slip of the sign: the formula beside it and the report's Table 1 have it right.",
    )
    nothing = np.zeros(6)
    by_control, by_transfer = (
        measured(*pair).transfer_ratio for pair in ((nothing, FAST), (SLOW, nothing))
    )
    yield Claim(
        "section 5.1",
        "The transfer ratio is undefined when the integral of the experimental condition "
        "is 0.",
        "undefined",
        f"experimental 0: {_told(by_transfer)}; control 0: {_told(by_control)}",
        _verdict(not by_transfer.defined),
        "It is the control's integral that is divided by; section 5.2 has the ratio 0 for "
        "an experimental condition that integrates to 0.",
    )
    equal = measured(np.full(6, 0.5), np.full(6, 0.5)).transfer_regret
    yield Claim(
        "sections 2.2, 5.1",
        "Transfer regret is always defined.",
        "always",
        f"all scores equal: {_told(equal)}",
        _verdict(equal.defined),
        "Without a difference between the best and the worst score the box has no height.",
    )
    scaled, squeezed = (
        _values(criteria, "similar", "transfer_ratio", source)
        for source in ("section 4.1.2", "Figure 4")
    )
    yield Claim(
        "section 4.1.2",
        "Curves are similar that differ by a scaling factor; the transfer ratio is not the "
        "same for such curves.",
        "transfer ratio ×",
        f"scores multiplied: {scaled[0]:.4f}, {scaled[1]:.4f}; multiplied and raised, as "
        f"in Figure 4: {squeezed[0]:.4f}, {squeezed[1]:.4f}",
        _verdict(not math.isclose(*scaled, rel_tol=1e-9)),
        "The cross needs an affine change: scale and height. A factor alone leaves the "
        "ratio as it is.",
    )
    above, above_flat = (
        values(measured(*pair))["average_relative_reduction"]
        for pair in ((LOW, HIGH), (FLAT, HIGH))
    )
    yield Claim(
        "section 5.2",
        "ARR is 1 when all of the experimental condition is above all of the control.",
        "1",
        f"improving control: {above:.4f}; control that never improves: {above_flat:.4f}",
        _verdict(math.isclose(above, 1) and math.isclose(above_flat, 1)),
        "With trials counted from 1 what the control reaches on trial x is reached on "
        "trial 1 instead, a reduction of 1 − 1/x.",
    )


def _told(metric: cw.Metric) -> str:
    return f"{metric.value:.4f}" if metric.defined else "undefined"


def _verdict(agrees: bool) -> Verdict:  # noqa: FBT001
    return "agrees" if agrees else "differs"
