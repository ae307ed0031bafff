"""What `locate` found, in words a person can quote."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from curvewise.inference.phrases import (
    method_parts,
    names_text,
    one_line,
    p_phrase,
)
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
    from curvewise.inference.sampling import Sampling
    from curvewise.questions.locate.result import Crossing, Location, Region
    from curvewise.questions.locate.windows import WindowTest

__all__ = ["WINDOW_WORDS", "describe", "headline", "where_line", "window_line"]

MAX_STRETCHES = 3  # that a sentence names
MAX_GAP = 2  # steps between regions that a sentence takes for one stretch,
MIN_NAMED = 0.9  # if at least so much of it differs
# What is said of a window, here and where windows are looked up in a report.
WINDOW_WORDS = {
    "window": "from {start} to {stop}, {parts}.",
    "step differs": "at step {step}, the curves differ ({p}{planned}).",
    "step alike": "at step {step}, the curves do not differ detectably ({p}{planned}).",
    "step planned": "; had the step been planned, {p}",
    "somewhere": "the curves differ somewhere in it ({p})",
    "nowhere": "no single step of it stands out among all steps ({p})",
    "wider": (
        "from {start} to {stop}, the smallest window around it (with so many steps, windows "
        "begin and end at portions of them), "
    ),
    "on average": (
        "they differ on average over it ({p}; had the window been planned, {planned})"
    ),
    "not on average": (
        "no difference on average over it was detected ({p}; had the window been planned, "
        "{planned})"
    ),
    "gap changes": (
        "the gap changes within it ({p}; had the window been planned, {planned})"
    ),
    "gap alike": (
        "no change of the gap within it was detected ({p}; had the window been planned, "
        "{planned})"
    ),
}


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


def headline(location: Location) -> str:
    """Say in one line at how many steps the curves differ, and where mainly."""
    steps = plural(len(location.steps), "step")
    smallest = float(location.pvalue_adjusted.min())
    least = p_phrase(smallest, location.n_shuffles, exact=location.exact)
    if location.smallest_pvalue > location.alpha:
        p = p_short(location.smallest_pvalue)
        return f"Where the curves differ cannot be decided: no p below {p} is possible."
    if not location.regions:
        return f"None of {steps} stands out (smallest adjusted {least})."
    found = sum(region.n_steps for region in location.regions)
    stretches = _stretches(location, location.regions)
    longest = max(stretches, key=lambda stretch: stretch.n_named)
    mainly = "mainly " if len(stretches) > 1 else ""
    start, stop = step_text(longest.start), step_text(longest.stop)
    steps_named = start if start == stop else f"{start} to {stop}"
    where = f"The curves differ at {found:,} of {steps}, {mainly}{steps_named}"
    return one_line(lambda leader: f"{where} ({leader}; {least}).", longest.leader)


def where_line(location: Location) -> str:
    """Say in one line where the curves differ, after a comparison has found that they do."""
    where = "at no single step"
    detail = _smallest(location)
    if location.regions:
        where = _at_steps(location)
    return f"{where} ({detail}). {_from_until(location)}".rstrip()


def window_line(window: WindowTest, sampling: Sampling) -> str:
    """Say whether the algorithms differ in a window that was chosen by looking.

    Somewhere in it, on average over it, and whether the gap changes within it; of a single
    step, whether they differ there. ``sampling`` are the relabellings behind its p.
    """

    def p_of(pvalue: float, *, explained: bool = False) -> str:
        n_shuffles, exact = sampling.n_shuffles, sampling.exact
        return p_phrase(pvalue, n_shuffles, exact=exact, explained=explained)

    start, stop = window.asked or (window.start, window.stop)
    somewhere = window.somewhere
    p = p_of(somewhere.pvalue_adjusted, explained=True)
    words = WINDOW_WORDS
    if start == stop:
        planned = ""
        if window.asked is None:
            planned = words["step planned"].format(p=p_of(window.height.pvalue))
        found = words["step differs" if somewhere.significant else "step alike"]
        return found.format(step=step_text(start), p=p, planned=planned)
    parts = [words["somewhere" if somewhere.significant else "nowhere"].format(p=p)]
    wider = ""
    if window.asked is not None:
        ends = step_text(window.start), step_text(window.stop)
        wider = words["wider"].format(start=ends[0], stop=ends[1])
    for effect, (found, nothing) in (
        (window.height, ("on average", "not on average")),
        (window.shape, ("gap changes", "gap alike")),
    ):
        if effect is None:
            continue
        text = words[found if effect.significant else nothing]
        p, planned = p_of(effect.pvalue_adjusted), p_of(effect.pvalue)
        parts.append(wider + text.format(p=p, planned=planned))
        wider = ""
    return words["window"].format(
        start=step_text(start), stop=step_text(stop), parts="; ".join(parts)
    )


def _verdict(location: Location) -> str:
    names = names_text(location.algorithms)
    detail = _smallest(location, "exact " if location.exact else "")
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


def _smallest(location: Location, exact: str = "") -> str:
    """Return the smallest adjusted p, and whether it is the least there could be."""
    smallest = float(location.pvalue_adjusted.min())
    p = p_phrase(smallest, location.n_shuffles, exact=location.exact, explained=True)
    return f"smallest adjusted {exact}{p}"


class _Stretch(NamedTuple):
    """Regions with the same leader and no more than a few steps between them."""

    start: float
    stop: float
    n_named: int
    n_steps: int
    leader: str


def _stretches(location: Location, regions: tuple[Region, ...]) -> list[_Stretch]:
    """Join regions that only a step or two part, where the same algorithm leads."""
    found: list[_Stretch] = []
    for region in regions:
        first, last = np.searchsorted(location.steps, [region.start, region.stop])
        n_steps, leader = int(last - first) + 1, _leader(location, region)
        if found and found[-1].leader == leader:
            before = found[-1]
            gap = int(first - np.searchsorted(location.steps, before.stop)) - 1
            n_named = before.n_named + region.n_steps
            n_steps_joined = before.n_steps + gap + n_steps
            if gap <= MAX_GAP and n_named >= MIN_NAMED * n_steps_joined:
                found[-1] = _Stretch(
                    before.start, region.stop, n_named, n_steps_joined, leader
                )
                continue
        found.append(_Stretch(region.start, region.stop, region.n_steps, n_steps, leader))
    return found


def _named(location: Location, regions: tuple[Region, ...]) -> str:
    """Name the longest stretches, with the leader of each, or once where it is the same."""
    stretches = _stretches(location, regions)
    shown = sorted(stretches, key=lambda stretch: -stretch.n_named)[:MAX_STRETCHES]
    leaders = {stretch.leader for stretch in stretches}
    texts = [_stretch_text(each, tells_leader=len(leaders) > 1) for each in shown]
    more = len(stretches) - len(shown)
    if more:
        texts[0] = f"mainly {texts[0]}"
        texts.append(f"{more} more stretch{'es' if more > 1 else ''}")
    same = leaders.pop() if len(leaders) == 1 else ""
    return listed(texts) + (f", with {same}" if same else "")


def _stretch_text(stretch: _Stretch, *, tells_leader: bool) -> str:
    start, stop = step_text(stretch.start), step_text(stretch.stop)
    text = start if start == stop else f"{start} to {stop}"
    notes = [stretch.leader] if tells_leader else []
    if stretch.n_named < stretch.n_steps:
        notes.append(f"at {stretch.n_named} of {stretch.n_steps} steps")
    return f"{text} ({'; '.join(notes)})" if notes else text


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
    if not location.regions:
        return f", although no single step stands out among all {len(location.steps):,}"
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
    shown = [_crossed(crossing) for crossing in location.crossings[:MAX_STRETCHES]]
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
