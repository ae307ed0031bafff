"""Statements of a location that contradict each other."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from curvewise import Location

RANGE = r"-?[\d.]+(?: to -?[\d.]+)?"
STRETCH = r"([\d.]+) to ([\d.]+) \((?:[^()]*; )?at (\d+) of \d+ steps\)"


def contradictions(where: Location) -> list[str]:
    """Compare every pair of statements; return what does not agree."""
    found = [*_regions(where), *_ends(where), *_windows(where), *_words(where)]
    if where.band is not None:
        found += [*_band(where), *_crossings(where)]
    return found


def _named(where: Location, effect: str = "algorithm") -> np.ndarray:
    return where.effects[effect].pvalue_adjusted <= where.alpha


def _inside(where: Location, start: float, stop: float) -> np.ndarray:
    return (where.steps >= start) & (where.steps <= stop)


def _regions(where: Location) -> Iterator[str]:
    for name, effect in where.effects.items():
        in_regions = np.zeros(len(where.steps), dtype=bool)
        for region in effect.regions:
            in_regions |= _inside(where, region.start, region.stop)
        if (in_regions != _named(where, name)).any():
            yield f"regions of {name} are not the steps with a small p"
    if not where.regions and any(effect.regions for effect in where.effects.values()):
        yield "a change without a difference"


def _ends(where: Location) -> Iterator[str]:
    ends = where.differs_from, where.differs_until
    if not where.regions:
        if ends != (None, None):
            yield "from or until without a region"
        return
    if ends[0] is None or ends[0] > where.regions[0].start:
        yield "from is later than the first region"
    if ends[1] is None or ends[1] < where.regions[-1].stop:
        yield "until is earlier than the last region"
    told = (
        where.steps[where.pvalue_from <= where.alpha].min(),
        where.steps[where.pvalue_until <= where.alpha].max(),
    )
    if told != ends:
        yield "from and until are not what their p tell"


def _windows(where: Location) -> Iterator[str]:
    if where.windows is None:
        return
    for region in where.regions:
        if not where.window(region.start, region.stop).somewhere.significant:
            yield "a region whose own window does not differ somewhere"
    named = _named(where)
    for first in range(0, len(where.steps), 3):
        for last in range(first, len(where.steps), 4):
            window = where.window(where.steps[first].item(), where.steps[last].item())
            if window.somewhere.significant != named[first : last + 1].any():
                yield "a window and the regions in it"


def _band(where: Location) -> Iterator[str]:
    band = where.band
    assert band is not None
    if (((band.low > 0) | (band.high < 0)) != _named(where)).any():
        yield "the band leaves 0 out where p does not say so"
    if ((band.low > band.difference) | (band.difference > band.high)).any():
        yield "the band does not hold the difference"
    sign = np.sign(band.difference) * (1 if where.higher_is_better else -1)
    for region in where.regions:
        signs = sign[_inside(where, region.start, region.stop)]
        leads = signs == (1 if region.leader == band.a else -1)
        if leads.all() != region.throughout or not leads.any():
            yield "the leader of a region and the band"


def _crossings(where: Location) -> Iterator[str]:
    band, named = where.band, _named(where)
    assert band is not None
    signs = np.sign(band.difference)[named]
    if len(where.crossings) != np.sum(np.diff(signs) != 0):
        yield "the number of crossings and the signs of the band"
    if (where.crossing is None) != (not where.crossings):
        yield "the crossing and the crossings"
    for crossing in where.crossings:
        low, high = crossing.interval
        if not low < crossing.step < high:
            yield "a crossing outside its interval"
        if named[(where.steps > low) & (where.steps < high)].any():
            yield "a lead that is certain inside the interval of a crossing"
        for end, leader in ((low, crossing.leads_before), (high, crossing.leads_after)):
            (place,) = np.flatnonzero(where.steps == end)
            ahead = (band.difference[place] > 0) == where.higher_is_better
            if not named[place] or (band.a if ahead else band.b) != leader:
                yield "the leader at the end of a crossing"


def _words(where: Location) -> Iterator[str]:
    text = where.describe().split(" Method: ")[0]
    if where.smallest_pvalue > where.alpha:
        if "cannot be decided" not in text or "confidence" in text:
            yield "words where nothing can be decided"
        return
    for claim, told in (
        ("do not differ detectably", not where.regions),
        (" confidence the curves ", bool(where.regions) and len(where.steps) > 1),
        ("is unusual", any(e.regions for n, e in where.effects.items() if n != "algorithm")),
        ("mean curves cross", bool(where.crossings)),
    ):
        if (claim in text) != told:
            yield f"words: {claim}"
    for name, pattern in (
        ("algorithm", r"steps?, (.*?)(?:, with .*?)? \(smallest"),
        ("interaction", r"over training, at steps? (.*?)\.(?: With|$)"),
    ):
        if name not in where.effects:
            continue
        regions = {_range(r.start, r.stop) for r in where.effects[name].regions}
        for listed in re.findall(pattern, text)[:1]:
            plain = re.sub(r"\d+ more stretch(?:es)?", "", listed)
            # A stretch joins regions, and says how many of its steps are in them.
            for start, stop, n_named in re.findall(STRETCH, plain):
                inside = [
                    r
                    for r in where.effects[name].regions
                    if float(start) <= r.start and r.stop <= float(stop)
                ]
                if sum(r.n_steps for r in inside) != int(n_named):
                    yield f"words miscount the steps of {name} in a stretch"
            plain = re.sub(r"\([^)]*\)", "", re.sub(STRETCH, "", plain))
            if not set(re.findall(RANGE, plain)) <= regions:
                yield f"words name steps of {name} that are no region"


def _range(start: float, stop: float) -> str:
    return f"{start:.12g}" if start == stop else f"{start:.12g} to {stop:.12g}"
