"""Figures 1 to 4, and Table 1 under each reading."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from studies.gorski2009.figure_cases import FIGURES, case_values
from studies.gorski2009.measuring import OPTIMUM, overtaking_episode
from studies.gorski2009.published import METRICS, PUBLISHED
from studies.report import Picture
from studies.sources.grid_worlds import WORLDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from matplotlib.axes import Axes

    import curvewise as cw
    from studies.gorski2009.findings import Findings
    from studies.gorski2009.mean_curves import Floats, Means
    from studies.gorski2009.readings import Reading

__all__ = ["pictures"]

BLUE, ORANGE, RED, GREY = "#0072B2", "#E69F00", "#D55E00", "0.6"


def pictures(found: Findings) -> Iterator[Picture]:
    """Yield the figures of the study."""
    yield _figures_1_2(found.plain, found.n_plain)
    yield _readings(found.readings)
    for source in FIGURES:
        yield _hypothetical(found.criteria, source)


def _figures_1_2(means: Mapping[str, Means], n_trials: int) -> Picture:
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    crossings = []
    for number, (world, each) in enumerate(means.items(), start=1):
        axes = figure.add_subplot(1, 2, number)
        control, transfer = each.until(WORLDS[world].n_episodes)
        episodes = np.arange(1.0, len(control) + 1)
        _both(axes, episodes, control, transfer)
        axes.set_title(f"Figure {number}: {world} grid world")
        axes.set_xlabel("episode")
        axes.set_xticks(episodes[:: 1 if len(episodes) <= 10 else 2])
        axes.margins(y=0.1)
        if number == 1:
            axes.set_ylabel("mean reward")
            axes.legend(frameon=False, loc="lower right")
        n = overtaking_episode(control, transfer)
        if n is not None:
            crossings.append(f"{n} ({world})")
    caption = (
        f"Figures 1 and 2: mean learning curves of {n_trials:,} trials of each condition, "
        "plain reading."
    )
    if crossings:
        caption += f" The control is ahead from episode {', '.join(crossings)} on."
    return Picture("figures-1-2", caption, figure)


def _both(axes: Axes, steps: Floats, control: Floats, transfer: Floats) -> None:
    axes.axhline(OPTIMUM, color=GREY, linestyle=":", linewidth=1, label="optimum")
    axes.plot(steps, transfer, color=BLUE, label="transfer", linewidth=2)
    axes.plot(steps, control, "--", color=ORANGE, label="control", linewidth=2)


def _readings(readings: Sequence[Reading]) -> Picture:
    figure = Figure(figsize=(10, 3.8), layout="constrained")
    grid = figure.subplots(1, len(METRICS))
    for axes, (metric, title) in zip(grid, METRICS.items(), strict=True):
        relevant = [reading for reading in readings if reading.bears_on(metric)]
        for as_published, colour, line, label in (
            (True, GREY, "-", "other reading"),
            (False, RED, "--", "other reading, turned round"),
        ):
            axes.plot([], [], color=colour, ls=line, lw=1, label=label)
            for reading in relevant:
                if reading.keeps(metric) is as_published:
                    _line(axes, reading.rows, metric, color=colour, ls=line, lw=1)
        for rows, colour, marker, label in (
            (readings[0].rows, BLUE, "o", "plain reading"),
            (PUBLISHED, "black", "s", "published"),
        ):
            _line(axes, rows, metric, color=colour, marker=marker, label=label, lw=2)
        n_as_published = sum(reading.keeps(metric) for reading in relevant)
        axes.set_title(f"{title}\nas published: {n_as_published} of {len(relevant)}", size="medium")
        axes.set_xticks([0, 1], list(PUBLISHED))
        axes.set_xlim(-0.25, 1.25)
    handles, labels = grid[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    caption = (
        "Table 1 under every reading that can change the metric. Above each panel: how many "
        "move in the published direction."
    )
    return Picture("table-1-readings", caption, figure)


def _line(axes: Axes, rows: Mapping[str, Mapping[str, float]], metric: str, **style: Any) -> None:
    axes.plot([0, 1], [rows[world][metric] for world in PUBLISHED], **style)


def _hypothetical(criteria: cw.Criteria, source: str) -> Picture:
    """Draw the two pairs of curves of a figure, with the values of the metrics."""
    criterion = FIGURES[source]
    metric_values = {
        title: case_values(criteria, criterion, metric, source) for metric, title in METRICS.items()
    }
    tried = criteria[criterion, next(iter(METRICS))].tried
    case = next(each.case for each in tried if each.case.source == source)
    figure = Figure(figsize=(9, 4), layout="constrained")
    panels = figure.subplots(1, len(case.pairs), sharey=True)
    for index, (axes, pair) in enumerate(zip(panels, case.pairs, strict=True)):
        _both(axes, pair.steps, pair.control[0], pair.experimental[0])
        texts = [f"{title} {each[index]:.4f}" for title, each in metric_values.items()]
        axes.set_title(f"{pair.name}\n{', '.join(texts[:2])}\n{', '.join(texts[2:])}")
        axes.set_xlabel("step")
        axes.set_ylim(-0.05, 1.05)
    panels[0].set_ylabel("score")
    panels[1].legend(frameon=False, loc="lower right")
    caption = f"{source}, drawn after its words: {case.name}. {case.wanted}."
    return Picture(source.lower().replace(" ", "-"), caption, figure)
