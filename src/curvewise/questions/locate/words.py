"""What `locate` found, in words a person can quote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curvewise.inference.phrases import method_parts, names_text
from curvewise.text import (
    listed,
    number_text,
    p_short,
    percent,
    plural,
    printable,
    step_text,
)

if TYPE_CHECKING:
    from curvewise.questions.locate.result import Crossing, Location, Region
    from curvewise.questions.locate.windows import WindowTest

__all__ = ["describe", "where_line", "window_line"]

MAX_REGIONS = 4  # that a sentence names


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
        _crossings(location),
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
    """Say whether the algorithms differ in a window that was chosen by looking.

    Somewhere in it, on average over it, and whether the gap changes within it; of a single
    step, whether they differ there.
    """
    somewhere = window.somewhere
    p = f"p = {p_short(somewhere.pvalue_adjusted)}"
    start, stop = window.asked or (window.start, window.stop)
    if start == stop:
        found = "differ" if somewhere.significant else "do not differ detectably"
        planned = ""
        if window.asked is None:
            planned = f"; had the step been planned, p = {p_short(window.height.pvalue)}"
        return f"at step {step_text(start)}, the curves {found} ({p}{planned})."
    parts = [
        f"the curves differ somewhere in it ({p})"
        if somewhere.significant
        else f"no single step of it stands out among all steps ({p})"
    ]
    words = (
        (
            "they differ on average over it",
            "no difference on average over it was detected",
        ),
        ("the gap changes within it", "no change of the gap within it was detected"),
    )
    wider = ""
    if window.asked is not None:
        wider = (
            f"from {step_text(window.start)} to {step_text(window.stop)}, the smallest window "
            "around it (with so many steps, windows begin and end at portions of them), "
        )
    for effect, (found, nothing) in zip(
        (window.height, window.shape), words, strict=True
    ):
        if effect is None:
            continue
        planned = f"had the window been planned, p = {p_short(effect.pvalue)}"
        parts.append(
            f"{wider}{found if effect.significant else nothing} (p = "
            f"{p_short(effect.pvalue_adjusted)}; {planned})"
        )
        wider = ""
    return f"from {step_text(start)} to {step_text(stop)}, {'; '.join(parts)}."


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
        # Those named are the longest, not the first.
        steps[0] = f"mainly {steps[0]}"
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
    if len(location.steps) == 1 or start is None or stop is None:
        return ""
    first, last = location.steps[0].item(), location.steps[-1].item()
    parts = []
    if start != last:
        parts.append(
            "already differ at the first step"
            if start == first
            else f"differ by step {step_text(start)} at the latest"
        )
    if stop != first:
        parts.append(
            "still differ at the last step"
            if stop == last
            else f"still differ at or after step {step_text(stop)}"
        )
    level = percent(1 - location.alpha)
    return (
        f"With {level} confidence the curves {' and '.join(parts)}"
        f"{_beyond_regions(location, start, stop)}."
    )


def _beyond_regions(location: Location, start: float, stop: float) -> str:
    """Say that from and until reach beyond the steps that are named, where they do.

    Their tests are of fewer and fewer steps, so they find what no single step of all shows.
    """
    first, last = location.regions[0].start, location.regions[-1].stop
    sides = []
    if start < first:
        sides.append(f"before {step_text(first)}")
    if stop > last:
        sides.append(f"after {step_text(last)}")
    if not sides:
        return ""
    return (
        f", although no single step {' or '.join(sides)} stands out among all "
        f"{len(location.steps):,}"
    )


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


def _crossings(location: Location) -> str:
    """Say where the mean curves change places, as far as the band proves it."""
    if not location.crossings:
        return ""
    level = percent(location.crossings[0].confidence)
    if len(location.crossings) == 1:
        return f"With {level} confidence the mean curves cross {_crossed(location.crossings[0])}."
    shown = [_crossed(crossing) for crossing in location.crossings[:MAX_REGIONS]]
    more = len(location.crossings) - len(shown)
    if more:
        shown.append(f"{more} more")
    return (
        f"With {level} confidence the mean curves cross at least "
        f"{len(location.crossings)} times: {'; '.join(shown)}."
    )


def _crossed(crossing: Crossing) -> str:
    before, after = printable(crossing.leads_before), printable(crossing.leads_after)
    low, high = (step_text(end) for end in crossing.interval)
    return (
        f"between steps {low} and {high}, near {number_text(crossing.step)} ({before} leads "
        f"before, {after} after)"
    )


def _method(location: Location) -> str:
    steps = plural(len(location.steps), "step")
    parts = method_parts(
        location.sampling, location.n_runs, steps, location.n_blocks, location.alpha
    )
    down = ", stepping down" if location.adjust == "step-down" else ""
    return (
        "Method: whole curves shuffled, each step compared with the largest F of all steps"
        f"{down} (not the overall test); {parts}."
    )


def _upper(text: str) -> str:
    # Names are kept as they are written; "the six algorithms" begins a sentence.
    return f"The{text[3:]}" if text.startswith("the ") and text[4:5].isdigit() else text
