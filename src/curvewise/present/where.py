"""What `locate` found, in words a person can quote."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from curvewise.errors import counted
from curvewise.steps import step_text
from curvewise.tables import number_text, p_text, printable

if TYPE_CHECKING:
    from curvewise.results import Location, Region, WindowTest

__all__ = ["describe_location", "where_line", "window_line"]

MOST_REGIONS = 4


def describe_location(location: Location) -> str:
    """Say where the curves differ, from when, until when, and how that is known."""
    if location.smallest_pvalue > location.alpha:
        few = "runs" if 1 / location.n_relabellings > location.alpha else "shuffles"
        return (
            f"Where {_names(location)} differ cannot be decided with so few {few}: the "
            f"smallest p possible is {p_text(location.smallest_pvalue)}, above alpha = "
            f"{location.alpha:g}. {_method(location)}"
        )
    sentences = [
        _regions(location),
        _from_until(location),
        _change(location),
        _crossing(location),
        _method(location),
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def where_line(location: Location) -> str:
    """Say in one line where the curves differ, for the digest of a comparison."""
    sentences = [_regions(location, digest=True), _from_until(location)]
    return " ".join(sentence for sentence in sentences if sentence)


def window_line(window: WindowTest) -> str:
    """Say whether the algorithms differ in a window that was chosen by looking."""
    parts = []
    for word, effect in (("height", window.algorithm), ("shape", window.interaction)):
        if effect is None:
            continue
        verb = "differ" if effect.significant else "do not differ detectably"
        parts.append(
            f"{verb} in {word} (p = {p_text(effect.pvalue_adjusted)}; had the window been "
            f"planned, {p_text(effect.pvalue)})"
        )
    start, stop = step_text(window.start), step_text(window.stop)
    wider = ""
    if window.asked is not None:
        asked = " to ".join(step_text(end) for end in window.asked)
        wider = f"with so many steps windows are made of portions; {asked} lies within: "
    return f"{wider}from {start} to {stop} the curves {' and '.join(parts)}."


def _regions(location: Location, *, digest: bool = False) -> str:
    names = "The curves" if digest else _names(location)
    regions = location.regions
    n_steps = counted(len(location.steps), "step")
    if not regions:
        smallest = float(location.pvalue_adjusted.min())
        return (
            f"{names} do not differ detectably at any single one of the {n_steps} "
            f"(smallest adjusted p = {p_text(smallest)})."
        )
    listed = [_region(location, region) for region in _longest(regions)]
    held = sum(region.n_steps for region in regions)
    more = len(regions) - len(listed)
    if more:
        listed.append(f"{more} shorter stretch{'es' if more > 1 else ''}")
    smallest = min(region.pvalue for region in regions)
    return (
        f"{names} differ at {held:,} of {n_steps}: {_joined(listed)}; adjusted for all steps, "
        f"{_exact(location)}p = {p_text(smallest)} at the clearest."
    )


def _longest(regions: tuple[Region, ...]) -> list[Region]:
    """Keep the longest regions, in their order."""
    longest = sorted(regions, key=lambda region: -region.n_steps)[:MOST_REGIONS]
    return [region for region in regions if region in longest]


def _region(location: Location, region: Region) -> str:
    start, stop = step_text(region.start), step_text(region.stop)
    where = (
        f"at step {start}" if region.start == region.stop else f"from {start} to {stop}"
    )
    if region.leader is None:
        return where
    best = "ahead" if len(location.algorithms) == 2 else "in front"
    on_average = "" if region.throughout else " on average"
    return f"{where} ({printable(region.leader)} {best}{on_average})"


def _from_until(location: Location) -> str:
    """Say what the nested windows prove: differences at or before, and at or after."""
    start, stop = location.differs_from, location.differs_until
    if len(location.steps) == 1 or (start is None and stop is None):
        return ""
    percent = f"{100 * (1 - location.alpha):.6g}%"
    first, last = location.steps[0].item(), location.steps[-1].item()
    parts = []
    if start is not None and start != last:
        parts.append(
            "already at the first step"
            if start == first
            else f"already at or before step {step_text(start)}"
        )
    if stop is not None and stop != first:
        parts.append(
            "still at the last step"
            if stop == last
            else f"still at or after step {step_text(stop)}"
        )
    if not parts:
        return (
            f"That they differ somewhere is {percent} sure; neither from when nor until when "
            "can be said."
        )
    return f"They differ {', and '.join(parts)} (each with {percent} confidence)."


def _change(location: Location) -> str:
    """Say where the difference departs from its mean over training."""
    if "interaction" not in location.effects:
        return ""
    regions = location.effects["interaction"].regions
    if not regions:
        return ""
    listed = [_region(location, region) for region in _longest(regions)]
    if len(regions) > MOST_REGIONS:
        listed.append("elsewhere")
    return (
        "How far apart they are departs from its average over training "
        f"{_joined(listed)}."
    )


def _crossing(location: Location) -> str:
    crossing = location.crossing
    if crossing is None:
        return ""
    before, after = printable(crossing.leads_before), printable(crossing.leads_after)
    low, high = crossing.interval
    percent = f"{100 * crossing.confidence:.6g}%"
    sentence = (
        f"The mean curves cross near step {number_text(crossing.step)}: {before} leads "
        f"before, {after} after"
    )
    if math.isinf(low) or math.isinf(high):
        share = f"{crossing.share:.0%}"
        return f"{sentence}; but only {share} of resamples cross, so they may not cross at all."
    return f"{sentence} ({percent} bootstrap interval {number_text(low)} to {number_text(high)})."


def _method(location: Location) -> str:
    runs = sorted(set(location.n_runs))
    each = f"{runs[0]}" if len(runs) == 1 else f"{runs[0]} to {runs[-1]}"
    each += " run" if each == "1" else " runs"
    how = (
        f"all {location.n_relabellings:,} relabellings"
        if location.exact
        else counted(location.n_shuffles, "random shuffle")
    )
    within = f" inside {counted(location.n_blocks, 'block')}" if location.n_blocks else ""
    steps = counted(len(location.steps), "step")
    return (
        f"Whole curves shuffled, {each} per algorithm, {steps}, {how}{within}, alpha = "
        f"{location.alpha:g}."
    )


def _names(location: Location) -> str:
    shown = [printable(name) for name in location.algorithms]
    if len(shown) > 4:
        return f"The {len(shown)} algorithms"
    return f"{', '.join(shown[:-1])} and {shown[-1]}"


def _joined(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _exact(location: Location) -> str:
    return "exact " if location.exact else ""
