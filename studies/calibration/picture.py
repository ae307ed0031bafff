"""The picture of the page: a dot with bars for each claim and family of processes."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING

from studies.calibration.bounds import clopper_pearson
from studies.calibration.page import rate_text
from studies.calibration.processes import PROCESSES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from studies.calibration.verdicts import Finding

__all__ = ["draw"]

N_COLUMNS = 3
MAX_SHOWN = 0.16  # higher rates are drawn at the edge, with their number
ROW_HEIGHT = 0.13  # inches
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#666666")


def draw(found: Sequence[Finding]) -> Figure:
    """Draw the rates with their bounds: a panel for each question, a line at the level.

    Hollow dots are rates about which nothing is promised.
    """
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    shown = {finding.family for finding in found}
    every = dict.fromkeys(process.family for process in PROCESSES.values())
    families = [family for family in every if family in shown]
    colours = dict(zip(every, cycle(COLOURS), strict=False))
    panels: dict[str, list[Finding]] = {}
    for finding in found:
        panels.setdefault(finding.question, []).append(finding)
    columns = _columns(panels)
    tallest = max(sum(_height(panels[name]) for name in column) for column in columns)
    figure = Figure(figsize=(6 * len(columns), ROW_HEIGHT * tallest + 1))
    top, unit = 1 - 0.6 / figure.get_figheight(), ROW_HEIGHT / figure.get_figheight()
    for number, column in enumerate(columns):
        upper = top
        for name in column:
            height = (_height(panels[name]) - 4) * unit
            axes = figure.add_axes(
                ((number + 0.42) / len(columns), upper - height - unit, 0.55 / len(columns), height)
            )
            _panel(axes, name, panels[name], colours)
            upper -= _height(panels[name]) * unit
    handles = [
        Line2D([], [], marker="o", linestyle="", color=colours[family], label=family)
        for family in families
    ]
    figure.legend(handles=handles, loc="upper center", ncols=len(families), frameon=False)
    return figure


def _height(findings: Sequence[Finding]) -> int:
    """Return the height of a panel in rows: its dots, gaps between claims, title and axis."""
    return len(findings) + len({finding.claim.name for finding in findings}) + 5


def _columns(panels: dict[str, list[Finding]]) -> list[list[str]]:
    """Put each panel, the tallest first, into the column that is shortest so far."""
    columns: list[list[str]] = [[] for _ in range(min(N_COLUMNS, len(panels)))]
    for name in sorted(panels, key=lambda name: -_height(panels[name])):
        min(columns, key=lambda column: sum(_height(panels[own]) for own in column)).append(name)
    return columns


def _panel(axes: Axes, name: str, findings: Sequence[Finding], colours: dict[str, str]) -> None:
    y, labels = 0.0, {}
    for claim in dict.fromkeys(finding.claim for finding in findings):
        own = [finding for finding in findings if finding.claim == claim]
        labels[y + (len(own) - 1) / 2] = claim.name
        axes.plot([claim.level] * 2, [y - 0.7, y + len(own) - 0.3], color="k", lw=0.8)
        if claim.promised != claim.level:
            ends = [y - 0.7, y + len(own) - 0.3]
            axes.plot([claim.promised] * 2, ends, color="k", lw=0.8, ls=":")
        for finding in own:
            _dot(axes, y, finding, colours[finding.family])
            y += 1
        y += 1
    axes.set_yticks(list(labels), list(labels.values()), fontsize=7)
    axes.set_ylim(y - 0.5, -1)
    axes.set_xlim(0, MAX_SHOWN)
    axes.tick_params(axis="x", labelsize=7)
    axes.tick_params(axis="y", length=0)
    axes.set_title(name, fontsize=9, loc="left")
    axes.spines[["top", "right", "left"]].set_visible(False)


def _dot(axes: Axes, y: float, finding: Finding, colour: str) -> None:
    share = finding.rate.share
    if share > MAX_SHOWN:
        text = f"{rate_text(share)} ▸"
        axes.text(MAX_SHOWN, y, text, color=colour, fontsize=6, ha="right", va="center")
        return
    low, high = clopper_pearson(finding.rate)
    axes.plot([low, min(high, MAX_SHOWN)], [y, y], color=colour, lw=1)
    face = "white" if finding.verdict == "not promised" else colour
    axes.plot(share, y, "o", ms=3.5, mec=colour, mfc=face)
