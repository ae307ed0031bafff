"""What `locate` found, in words a person can quote."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from curvewise.inference.effects import EFFECTS
from curvewise.inference.phrases import method_parts, names_text
from curvewise.text import (
    interval_text,
    listed,
    number_text,
    p_short,
    percent,
    plural,
    printable,
    step_text,
)

if TYPE_CHECKING:
    from curvewise.questions.locate.result import Location, Region
    from curvewise.questions.locate.windows import WindowTest

__all__ = ["describe", "where_line", "window_line"]

MAX_REGIONS = 4  # that a sentence names
MAX_DOUBT = 0.1  # share of resamples that do not cross, up to which a crossing is likely


def describe(location: Location) -> str:
    """Say where the curves differ, from when, until when, and how that is known."""
    if location.smallest_pvalue > location.alpha:
        few = "runs" if 1 / location.n_relabellings > location.alpha else "shuffles"
        return (
            f"Where {names_text(location.algorithms)} differ cannot be decided with so few "
            f"{few}: the smallest p possible is {p_short(location.smallest_pvalue)}, above "
            f"α = {location.alpha:g}. {_method(location)}"
        )
    sentences = [
        _verdict(location),
        _from_until(location),
        _change(location),
        _crossing(location),
        _method(location),
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def where_line(location: Location) -> str:
    """Say in one line where the curves differ, after a comparison has found that they do."""
    where = "at no single step"
    detail = f"smallest adjusted p = {p_short(float(location.pvalue_adjusted.min()))}"
    if location.regions:
        where = _at_steps(location)
    return f"{where} ({detail}). {_from_until(location)}".rstrip()


def window_line(window: WindowTest) -> str:
    """Say whether the algorithms differ in a window that was chosen by looking."""
    parts = []
    for effect in (window.algorithm, window.interaction):
        if effect is None:
            continue
        noun = EFFECTS[effect.name].noun
        p = f"p = {p_short(effect.pvalue_adjusted)}"
        planned = f"had the window been planned, p = {p_short(effect.pvalue)}"
        found = (
            "the curves differ" if effect.significant else "no difference was detected"
        )
        parts.append(f"{found} in {noun} ({p}; {planned})")
    start, stop = step_text(window.start), step_text(window.stop)
    where = f"at step {start}" if start == stop else f"from {start} to {stop}"
    wider = ""
    if window.asked is not None:
        asked = " to ".join(step_text(end) for end in window.asked)
        wider = (
            f" (the smallest window that contains {asked}: with so many steps, windows begin "
            "and end at portions of them)"
        )
    return f"{where}{wider}, {' and '.join(parts)}."


def _verdict(location: Location) -> str:
    names = names_text(location.algorithms)
    exact = "exact " if location.exact else ""
    smallest = p_short(float(location.pvalue_adjusted.min()))
    detail = f"smallest adjusted {exact}p = {smallest}"
    if not location.regions:
        steps = plural(len(location.steps), "step")
        return f"{_upper(names)} do not differ detectably at any of {steps} ({detail})."
    return f"{_upper(names)} differ {_at_steps(location)} ({detail})."


def _at_steps(location: Location) -> str:
    """Name the steps that differ, and who is ahead there."""
    n_different = sum(region.n_steps for region in location.regions)
    return (
        f"at {n_different:,} of {plural(len(location.steps), 'step')}, "
        f"{_named(location, location.regions)}"
    )


def _named(location: Location, regions: tuple[Region, ...]) -> str:
    """Name the longest regions, with the leader of each, or once where it is the same."""
    shown = _longest(regions)
    leaders = {_leader(location, region) for region in regions}
    steps = [_steps(region) for region in shown]
    if len(leaders) > 1:
        steps = [
            f"{step} ({_leader(location, region)})"
            for step, region in zip(steps, shown, strict=True)
        ]
    more = len(regions) - len(shown)
    if more:
        steps.append(f"{more} more stretch{'es' if more > 1 else ''}")
    same = leaders.pop() if len(leaders) == 1 else ""
    return listed(steps) + (f", with {same}" if same else "")


def _longest(regions: tuple[Region, ...]) -> list[Region]:
    """Keep the longest regions, in their order."""
    longest = sorted(regions, key=lambda region: -region.n_steps)[:MAX_REGIONS]
    return [region for region in regions if region in longest]


def _steps(region: Region) -> str:
    start, stop = step_text(region.start), step_text(region.stop)
    return start if start == stop else f"{start} to {stop}"


def _leader(location: Location, region: Region) -> str:
    if region.leader is None:
        return ""
    best = "highest" if location.higher_is_better else "lowest"
    if len(location.algorithms) == 2:
        best = "ahead"
    return (
        f"{printable(region.leader)} {best}{'' if region.throughout else ' on average'}"
    )


def _from_until(location: Location) -> str:
    """Say what the nested windows prove: differences at or before, and at or after."""
    start, stop = location.differs_from, location.differs_until
    if len(location.steps) == 1 or (start is None and stop is None):
        return ""
    level = percent(1 - location.alpha)
    first, last = location.steps[0].item(), location.steps[-1].item()
    parts = []
    if start is not None and start != last:
        parts.append(
            "already differ at the first step"
            if start == first
            else f"differ by step {step_text(start)} at the latest"
        )
    if stop is not None and stop != first:
        parts.append(
            "still differ at the last step"
            if stop == last
            else f"still differ at or after step {step_text(stop)}"
        )
    if not parts:
        return (
            f"With {level} confidence the curves differ somewhere; neither from when nor until "
            "when can be said."
        )
    each = " each" if len(parts) == 2 else ""
    return f"With {level} confidence{each}: the curves {', and '.join(parts)}."


def _change(location: Location) -> str:
    """Say where the difference departs from its mean over training."""
    if "interaction" not in location.effects:
        return ""
    regions = location.effects["interaction"].regions
    if not regions:
        return ""
    steps = "step" if sum(region.n_steps for region in regions) == 1 else "steps"
    return (
        "The difference between them is unusual, compared with its average over training, at "
        f"{steps} {_named(location, regions)}."
    )


def _crossing(location: Location) -> str:
    crossing = location.crossing
    if crossing is None:
        return ""
    before, after = printable(crossing.leads_before), printable(crossing.leads_after)
    sentence = (
        f"The mean curves cross near step {number_text(crossing.step)}: {before} leads "
        f"before, {after} after"
    )
    if any(map(math.isinf, crossing.interval)):
        doubt = 1 - crossing.share
        likely = "a crossing is likely but not certain"
        return (
            f"{sentence}. In {doubt:.0%} of bootstrap resamples they do not cross, so "
            f"{likely if doubt <= MAX_DOUBT else 'they may not cross at all'}."
        )
    level = percent(crossing.confidence)
    return f"{sentence} ({level} bootstrap interval {interval_text(crossing.interval)})."


def _method(location: Location) -> str:
    steps = plural(len(location.steps), "step")
    parts = method_parts(
        location.sampling, location.n_runs, steps, location.n_blocks, location.alpha
    )
    return f"Method: whole curves shuffled; {parts}."


def _upper(text: str) -> str:
    # Names are kept as they are written; "the six algorithms" begins a sentence.
    return f"The{text[3:]}" if text.startswith("the ") and text[4:5].isdigit() else text
