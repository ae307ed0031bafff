"""What `locate` found, in words a person can quote."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from curvewise.data.checks import check_choice, check_drawn
from curvewise.errors import refuse
from curvewise.inference.result import EFFECTS, PARTS, method_parts, names_text, one_line, p_phrase
from curvewise.questions.locate.result import Location, effect_row
from curvewise.rendering.curves import plot_curves
from curvewise.rendering.figures import (
    COLOURS,
    OBSERVED_COLOUR,
    axes_or_current,
    label_text,
    new_figure,
    write_steps,
)
from curvewise.text import listed, number_text, p_short, percent, plural, printable, step_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.figure import Figure

    from curvewise.data.curves import Curves
    from curvewise.inference.work import Sampling
    from curvewise.kernels import Floats
    from curvewise.questions.locate.method import WindowTest, WindowTests
    from curvewise.questions.locate.result import Crossing, Region, StepEffect
    from curvewise.rendering.curves import CurveOptions

    Steps = np.ndarray[Any, Any]


MAX_STRETCHES = 3  # that a sentence names
MAX_GAP = 2  # steps between regions that a sentence takes for one stretch,
MIN_NAMED = 0.9  # if at least so much of it differs
P_OF_WINDOW = "({p}; had the window been planned, {planned})"
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
    "on average": f"they differ on average over it {P_OF_WINDOW}",
    "not on average": f"no difference on average over it was detected {P_OF_WINDOW}",
    "gap changes": f"the gap changes within it {P_OF_WINDOW}",
    "gap alike": f"no change of the gap within it was detected {P_OF_WINDOW}",
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
    sentences = (_verdict, _from_until, _change, _crossings, _method)
    return " ".join(filter(None, (sentence(location) for sentence in sentences)))


def headline(location: Location) -> str:
    """Say in one line at how many steps the curves differ, and where mainly."""
    steps = plural(len(location.steps), "step")
    least = _smallest(location, explained=False)
    if location.smallest_pvalue > location.alpha:
        p = p_short(location.smallest_pvalue)
        return f"Where the curves differ cannot be decided: no p below {p} is possible."
    if not location.regions:
        return f"None of {steps} stands out ({least})."
    found = sum(region.n_steps for region in location.regions)
    stretches = _stretches(location, location.regions)
    longest = max(stretches, key=lambda stretch: stretch.n_named)
    mainly = "mainly " if len(stretches) > 1 else ""
    where = f"The curves differ at {found:,} of {steps}, {mainly}{_span(longest)}"
    least = least.removeprefix("smallest adjusted ")
    return one_line(lambda leader: f"{where} ({leader}; {least}).", longest.leader)


def where_line(location: Location) -> str:
    """Say in one line where the curves differ, after a comparison has found that they do."""
    where = _at_steps(location) if location.regions else "at no single step"
    return f"{where} ({_smallest(location)}). {_from_until(location)}".rstrip()


def window_line(window: WindowTest, sampling: Sampling) -> str:
    """Say whether the algorithms differ in a window that was chosen by looking.

    Somewhere in it, on average over it, and whether the gap changes within it; of a single
    step, whether they differ there. ``sampling`` are the relabellings behind its p.
    """
    p_of = partial(p_phrase, n_shuffles=sampling.n_shuffles, exact=sampling.exact)

    def say(words: str, **values: Any) -> str:
        steps = {name: step_text(own) for name, own in values.items() if name in ("start", "stop")}
        return WINDOW_WORDS[words].format(**{**values, **steps})

    start, stop = window.asked or (window.start, window.stop)
    differ = window.somewhere.significant
    p, wider = p_of(window.somewhere.pvalue_adjusted, explained=True), ""
    if start == stop:
        planned = "" if window.asked else say("step planned", p=p_of(window.height.pvalue))
        words = "step differs" if differ else "step alike"
        return say(words, step=step_text(start), p=p, planned=planned)
    parts = [say("somewhere" if differ else "nowhere", p=p)]
    if window.asked:
        wider = say("wider", start=window.start, stop=window.stop)
    for effect, found, nothing in (
        (window.height, "on average", "not on average"),
        (window.shape, "gap changes", "gap alike"),
    ):
        if effect is not None:
            p, planned = p_of(effect.pvalue_adjusted), p_of(effect.pvalue)
            words = found if effect.significant else nothing
            parts.append(wider + say(words, p=p, planned=planned))
            wider = ""
    return say("window", start=start, stop=stop, parts="; ".join(parts))


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


def _smallest(location: Location, exact: str = "", *, explained: bool = True) -> str:
    """Return the smallest adjusted p, and whether it is the least there could be."""
    smallest = float(location.pvalue_adjusted.min())
    p = p_phrase(smallest, location.n_shuffles, exact=location.exact, explained=explained)
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
                found[-1] = _Stretch(before.start, region.stop, n_named, n_steps_joined, leader)
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
    notes = [stretch.leader] if tells_leader else []
    if stretch.n_named < stretch.n_steps:
        notes.append(f"at {stretch.n_named} of {stretch.n_steps} steps")
    return f"{_span(stretch)} ({'; '.join(notes)})" if notes else _span(stretch)


def _span(stretch: _Stretch) -> str:
    start, stop = step_text(stretch.start), step_text(stretch.stop)
    return start if start == stop else f"{start} to {stop}"


def _leader(location: Location, region: Region) -> str:
    if region.leader is None:
        return ""
    best = "highest" if location.higher_is_better else "lowest"
    if len(location.algorithms) == 2:
        best = "ahead"
    return f"{printable(region.leader)} {best}{'' if region.throughout else ' on average'}"


def _from_until(location: Location) -> str:
    """Say what the nested windows prove: differences at or before, and at or after."""
    start, stop = location.differs_from, location.differs_until
    if len(location.steps) == 1 or start is None or stop is None:
        return ""
    first, last = location.steps[[0, -1]].tolist()
    by = f"differ by step {step_text(start)} at the latest"
    still = f"still differ at or after step {step_text(stop)}"
    parts = [
        *([] if start == last else ["already differ at the first step" if start == first else by]),
        *([] if stop == first else ["still differ at the last step" if stop == last else still]),
    ]
    return (
        f"With {percent(1 - location.alpha)} confidence the curves {' and '.join(parts)}"
        f"{_beyond_regions(location, start, stop)}."
    )


def _beyond_regions(location: Location, start: float, stop: float) -> str:
    """Say that from and until reach beyond the steps that are named, where they do.

    Their tests are of fewer and fewer steps, so they find what no single step of all shows.
    """
    sides = []
    if location.regions:
        first, last = location.regions[0].start, location.regions[-1].stop
        before, after = f" before {step_text(first)}", f" after {step_text(last)}"
        sides = [*([before] if start < first else []), *([after] if stop > last else [])]
        if not sides:
            return ""
    where = " or".join(sides)
    return f", although no single step{where} stands out among all {len(location.steps):,}"


def _change(location: Location) -> str:
    """Say where the difference departs from its mean over training."""
    regions = location.interaction.regions if location.interaction else ()
    if not regions:
        return ""
    steps = "step" if sum(region.n_steps for region in regions) == 1 else "steps"
    return (
        f"The difference between them is unusual, compared with its average {location.period}, at "
        f"{steps} {_named(location, regions)}."
    )


def _crossings(location: Location) -> str:
    """Say where the mean curves change places, as far as the band proves it."""
    if not location.crossings:
        return ""
    n_all, level = len(location.crossings), percent(location.crossings[0].confidence)
    shown = [_crossed(crossing) for crossing in location.crossings[:MAX_STRETCHES]]
    if n_all > len(shown):
        shown.append(f"{n_all - len(shown)} more")
    times = "" if n_all == 1 else f"at least {n_all} times: "
    return f"With {level} confidence the mean curves cross {times}{'; '.join(shown)}."


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


# --- Pictures of every window of training: how striking each is.

LEVELS = (0.001, 0.01, 0.1, 0.5)  # of p, besides alpha
MAX_WIDTH_RATIO = 4  # how much wider one place may be than another, before all are drawn alike
MAX_TICKS = 12


def step_edges(starts: Steps, stops: Steps | None = None) -> Floats:
    """Give every step, or portion of steps, half of the distance to its neighbours.

    >>> step_edges(np.array([0, 10, 30]))
    array([-5.,  5., 20., 40.])
    """
    starts = starts.astype(np.float64)
    stops = starts if stops is None else stops.astype(np.float64)
    inner = (stops[:-1] + starts[1:]) / 2
    if not len(inner):
        return np.array([starts[0] - 0.5, stops[0] + 0.5])
    first, last = starts[1] - stops[0], starts[-1] - stops[-2]
    return np.concatenate([[starts[0] - first / 2], inner, [stops[-1] + last / 2]])


def plot_windows(
    location: Location, effect: str = "algorithm", ax: Axes | None = None, *, adjusted: bool = True
) -> Axes:
    """Draw the p of every window of training as a map: first step across, last step up.

    Parameters
    ----------
    location : Location
        Located with ``windows=True``.
    effect : "algorithm" or "interaction"
        Height or shape inside a window.
    ax : Axes, optional
        The current ones, if left out.
    adjusted : bool
        Whether p allows for choosing the window by looking at the data. Otherwise it
        holds for a window that was chosen before.
    """
    check_drawn(location, Location, "plot_windows() draws what locate() found")
    tests, row = _window_tests(location, effect)
    ax = axes_or_current(ax, (6.4, 4.8))
    mesh = _window_map(ax, tests, row, adjusted=adjusted)
    _colour_bar(mesh, [ax], tests.alpha, adjusted=adjusted)
    return ax


def plot_window_maps(location: Location, *, adjusted: bool = True) -> Figure:
    """Draw the p of every window, for height and for shape, side by side."""
    check_drawn(location, Location, "plot_window_maps() draws what locate() found")
    figure = new_figure((5.2 * len(location.effects) + 1, 5), layout="compressed")
    grid = figure.subplots(1, len(location.effects), squeeze=False)[0]
    for ax, name in zip(grid, location.effects, strict=True):
        tests, row = _window_tests(location, name)
        mesh = _window_map(ax, tests, row, adjusted=adjusted)
    _colour_bar(mesh, list(grid), tests.alpha, adjusted=adjusted)
    return figure


def _window_tests(location: Location, effect: str) -> tuple[WindowTests, int]:
    if location.windows is None:
        refuse("Windows were left out: locate the curves with windows=True.", "windows")
    row = effect_row(effect)
    if effect not in location.effects:
        refuse("There is a single step, so no window has a shape. Draw effect='algorithm'.", "")
    return location.windows, row


def _window_map(ax: Axes, tests: WindowTests, row: int, *, adjusted: bool) -> QuadMesh:
    from matplotlib.collections import LineCollection
    from matplotlib.colors import BoundaryNorm, ListedColormap

    pvalues = (tests.pvalue_adjusted if adjusted else tests.pvalue)[row].T
    shown = np.ma.masked_array(pvalues, mask=(tests.lengths <= row).T)
    bounds, colours, _ = window_levels(tests.alpha)
    # A level holds its upper end: p = alpha is significant.
    norm = BoundaryNorm([0.0, *np.nextafter(bounds[1:], 2)], len(colours))
    edges = _map_edges(ax, tests)
    mesh = ax.pcolormesh(edges, edges, shown, cmap=ListedColormap(colours), norm=norm)
    significant = (pvalues <= tests.alpha) & ~shown.mask
    ax.add_collection(
        LineCollection(list(outline(significant, edges)), colors="black", linewidths=1.2)
    )
    words = "adjusted for choosing it" if adjusted else "if it was chosen beforehand"
    noun = EFFECTS[PARTS[row]].noun
    ax.set_title(f"p of a difference in {noun} in every window,\n{words}", fontsize="medium")
    ax.set_aspect("equal")
    return mesh


def _map_edges(ax: Axes, tests: WindowTests) -> Floats:
    """Place the steps on both axes, and say which they are."""
    edges = step_edges(tests.starts, tests.stops)
    widths, n_places, note = np.diff(edges), len(tests.starts), ""
    uneven = widths.max() > MAX_WIDTH_RATIO * widths.min()
    if uneven:
        note = "; all steps drawn equally wide"
        edges = np.linspace(-0.5, n_places - 0.5, n_places + 1)
    if uneven or n_places <= MAX_TICKS:
        middles = (edges[:-1] + edges[1:]) / 2
        named = slice(None, None, -(-n_places // MAX_TICKS))
        for axis, steps in ((ax.xaxis, tests.starts), (ax.yaxis, tests.stops)):
            axis.set_ticks(middles[named], [step_text(step) for step in steps[named]])
        if n_places > 4:
            ax.tick_params(axis="x", labelrotation=45)
    ax.set(xlabel=f"first step of the window{note}", ylabel="last step of the window")
    return edges


def window_levels(alpha: float) -> tuple[list[float], list[Any], list[str]]:
    """Return the bounds of p, a colour for each level, and its label.

    What is significant is blue, the darker the surer; the rest is grey.
    """
    from matplotlib import colormaps

    bounds = sorted({0.0, *LEVELS, alpha, 1.0})
    n_below = bounds.index(alpha)
    n_above = len(bounds) - 1 - n_below
    colours = [*colormaps["Blues"](np.linspace(1, 0.5, n_below))]
    colours += [*colormaps["Greys"](np.linspace(0.36, 0.12, n_above))]
    labels = [f"≤ {bound:g}" for bound in bounds[1:-1]] + [f"> {bounds[-2]:g}"]
    labels[n_below - 1] += " (alpha)"
    return bounds, colours, labels


def _colour_bar(mesh: QuadMesh, axes: list[Axes], alpha: float, *, adjusted: bool) -> None:
    bounds, _, labels = window_levels(alpha)
    bar = axes[0].get_figure().colorbar(mesh, ax=axes, spacing="uniform")  # type: ignore[union-attr]
    middles = (np.array(bounds[:-1]) + bounds[1:]) / 2
    bar.set_ticks(middles.tolist(), labels=labels)
    bar.ax.tick_params(length=0, labelsize="small")
    bar.ax.minorticks_off()
    # The border of what is significant is drawn on the map as well.
    bar.ax.axhline(alpha, color="black", linewidth=1.2)
    bar.ax.set_title("adjusted p" if adjusted else "p", fontsize="small")


def outline(inside: np.ndarray[Any, Any], edges: Floats) -> Floats:
    """Return the line segments that part the cells inside from those outside.

    >>> outline(np.array([[True]]), np.array([0.0, 1.0])).shape
    (4, 2, 2)
    """
    framed = np.pad(inside, 1)
    y, x = np.nonzero(framed[1:-1, 1:] != framed[1:-1, :-1])
    upright = np.stack([edges[[x, x]], edges[[y, y + 1]]], axis=-1)
    y, x = np.nonzero(framed[1:, 1:-1] != framed[:-1, 1:-1])
    level = np.stack([edges[[x, x + 1]], edges[[y, y]]], axis=-1)
    return np.concatenate([upright, level], axis=1).transpose(1, 0, 2)


# --- Pictures of where curves differ: regions, profiles, the difference, and every window.

Panel = Literal["curves", "regions", "profiles", "difference"]
# Of a row of each panel, in inches.
HEIGHTS: dict[Panel, float] = {"curves": 3.6, "regions": 0.22, "profiles": 1.3, "difference": 2.2}

STRIP = "0.25"  # the grey of steps that are significant
STRIPS = {"algorithm": "differ", "interaction": "gap changes"}
PROFILES = {
    "algorithm": "A: differences\nbetween algorithms",
    "interaction": "I: change of\nthe difference",
}
PROFILE_WIDTH = 540  # of the Axes of a profile, in points


def figure(
    location: Location, curves: Curves | None = None, **drawing: Unpack[CurveOptions]
) -> Figure:
    """Draw where the curves differ; without the curves, how much, step by step."""
    return plot_location(curves, location, **drawing)


def plot_location(
    curves: Curves | None,
    location: Location,
    *,
    panels: Sequence[Panel] | None = None,
    **drawing: Unpack[CurveOptions],
) -> Figure:
    """Draw the curves, where they differ, and beneath them how much, step by step.

    Parameters
    ----------
    curves : Curves, optional
        Those that were located; without them their panel is left out.
    location : Location
    panels : sequence of "curves", "regions", "profiles" and "difference", optional
        What is drawn, from top to bottom: the curves; a strip of the steps at which they differ,
        and one of those at which their difference departs from its mean over training; how much
        they differ step by step; the difference of two mean curves with its band. All that there
        is by default; without ``details`` all but the profiles.
    **drawing
        How curves are drawn, as in `plot_curves`.
    """
    check_drawn(location, Location, "plot_location() draws what locate() found")
    drawn = _panels(curves, location, panels)
    if panels is None and not drawing.get("details", True):
        drawn.remove("profiles")
    n_effects = len(location.effects)
    n_rows = {"curves": 1, "regions": n_effects, "profiles": n_effects, "difference": 1}
    heights = [HEIGHTS[name] for name in drawn for _ in range(n_rows[name])]
    figure = new_figure((9, 1.2 + sum(heights)))
    rows = figure.subplots(len(heights), sharex=True, height_ratios=heights, squeeze=False)[:, 0]
    left = iter(rows)
    edges = _narrow_edges(location.steps)
    handles: list[Artist] = []
    for name in drawn:
        if name == "curves" and curves is not None:
            handles += _claims(plot_curves(curves, ax=next(left), **drawing), location)
        elif name == "regions":
            for effect in location.effects.values():
                _strip(next(left), effect, edges)
            handles.insert(0, _strip_handle(location))
        elif name == "profiles":
            for effect_name, effect in location.effects.items():
                ax = next(left)
                share = _profile(ax, location.steps, effect)
                ax.set_ylabel(PROFILES[effect_name], fontsize="small")
            handles.append(share)
        elif name == "difference":
            plot_difference(location, ax=next(left))
    rows[0].set_xlim(edges[0], edges[-1])
    label = "step" if curves is None else label_text(curves.display.step_name)
    for ax in rows:
        ax.set_xlabel("")
        ax.tick_params(labelbottom=ax is rows[-1])
        write_steps(ax)
    rows[-1].set_xlabel(label, parse_math=False)
    if handles:
        look: dict[str, Any] = {"ncols": 2, "fontsize": "small", "frameon": False}
        figure.legend(handles=handles, loc="outside upper center", **look)
    return figure


def _panels(
    curves: Curves | None, location: Location, panels: Sequence[Panel] | None
) -> list[Panel]:
    """Return the panels to draw; raise where one cannot be."""
    if curves is not None:
        same = (curves.algorithms, curves.sizes) == (location.algorithms, location.n_runs)
        if not same or not np.array_equal(curves.steps, location.steps):
            refuse(
                "These are not the curves that locate() was given: algorithms, runs or steps "
                "differ. Give the same curves to locate() and plot_location().",
                option="curves",
            )
    two = f"it needs two algorithms, not {len(location.algorithms)}"
    lacking = {
        **({"curves": "give the curves as well"} if curves is None else {}),
        **({"difference": two} if location.band is None else {}),
    }
    if panels is None:
        return [name for name in get_args(Panel) if name not in lacking]
    if not panels:
        refuse(f"Name the panels to draw: {listed(get_args(Panel))}.", "panels")
    for name in panels:
        check_choice("panels", name, get_args(Panel))
        if name in lacking:
            refuse(f"The panel {name!r} cannot be drawn: {lacking[name]}.", "panels")
    return [name for name in get_args(Panel) if name in panels]


def plot_difference(location: Location, ax: Axes | None = None) -> Axes:
    """Draw the difference of two mean curves, its band, and where the curves cross."""
    check_drawn(location, Location, "plot_difference() draws what locate() found")
    band = location.band
    if band is None:
        refuse(
            "There is no difference band to draw: it needs two algorithms, not "
            f"{len(location.algorithms)}.",
            "",
        )
    ax = axes_or_current(ax, (8, 4.5))
    level, meaning = percent(band.confidence), "without 0 where a step is significant"
    if not np.isfinite(band.low).any():
        meaning = "without ends: too few relabellings"
    marker = "o" if len(location.steps) == 1 else None
    ends = np.concatenate([band.difference, band.low, band.high, [0.0]])
    low, high = _padded(ends[np.isfinite(ends)])
    at, band_low, band_high = location.steps, band.low, band.high
    if len(at) == 1:
        # A single step is drawn as wide as its place.
        at, band_low, band_high = step_edges(at), band.low.repeat(2), band.high.repeat(2)
    # An unbounded end leaves the picture.
    band_low = np.maximum(band_low, low - (high - low))
    band_high = np.minimum(band_high, high + (high - low))
    ax.fill_between(at, band_low, band_high, color=COLOURS[0], alpha=0.2, linewidth=0)
    ax.plot(location.steps, band.difference, color=COLOURS[0], linewidth=1.8, marker=marker)
    side = "above" if location.higher_is_better else "below"
    ax.axhline(0, color="black", linewidth=0.8)
    ax.set_ylim(low, high)
    a, b = label_text(band.a, 28).strip(), label_text(band.b, 28).strip()
    ax.set_ylabel(f"{a} −\n{b}", fontsize="small", parse_math=False)
    text = f"{side} 0 {a} is better; {level} band for all steps at once, {meaning}"
    text = "; ".join([text, *(_crossing(ax, crossing) for crossing in location.crossings)])
    look: dict[str, Any] = {"loc": "left", "fontsize": "small", "color": "0.35"}
    ax.set_title(text, wrap=True, parse_math=False, **look)
    ax.set_xlabel("step")
    write_steps(ax)
    if len(location.steps) == 1:
        ax.set_xticks(location.steps)
    return ax


def _narrow_edges(steps: Steps) -> Floats:
    """Let the first and last step reach no further than a little beyond the curves."""
    edges = step_edges(steps)
    if len(steps) > 1:
        room = 0.015 * float(steps[-1] - steps[0])
        edges = edges.clip(steps[0] - room, steps[-1] + room)
    return edges


def _strip(ax: Axes, effect: StepEffect, edges: Floats) -> None:
    """Mark the steps at which an effect is significant on a strip of its own."""
    for region in effect.regions:
        left = edges[np.searchsorted(edges, region.start) - 1]
        right = edges[np.searchsorted(edges, region.stop)]
        ax.axvspan(left, right, facecolor=STRIP, edgecolor="none")
    ax.set_yticks([0.5], [STRIPS[effect.name]], fontsize="small")
    ax.set_ylim(0, 1)
    ax.tick_params(length=0)


def _strip_handle(location: Location) -> Artist:
    from matplotlib.patches import Patch

    if any(effect.regions for effect in location.effects.values()):
        label = f"significant at the step (adjusted p ≤ {location.alpha:g})"
        return Patch(facecolor=STRIP, label=label)
    label = f"no single step is significant (adjusted p > {location.alpha:g})"
    return Patch(facecolor="white", edgecolor="0.7", label=label)


def _claims(ax: Axes, location: Location) -> list[Artist]:
    """Draw from when and until when the algorithms differ, as far as that is claimed."""
    from matplotlib.lines import Line2D

    words = (
        (location.differs_from, "before", "<", (0, (6, 3)), 1.0),
        (location.differs_until, "after", ">", (0, (1, 2)), 0.0),
    )
    handles: list[Artist] = []
    for step, side, marker, style, height in words:
        if step is None:
            continue
        look: dict[str, Any] = {"color": "black", "linewidth": 1.1, "linestyle": style}
        ax.axvline(step, **look)
        # The mark points to where the differences are.
        mark: dict[str, Any] = {"marker": marker, "markersize": 8, "clip_on": False, "zorder": 4}
        ax.plot([step], [height], color="black", transform=ax.get_xaxis_transform(), **mark)
        label = f"differ at or {side} step {step_text(step)}"
        handles.append(Line2D([], [], marker=marker, label=label, **look))
    return handles


def _profile(ax: Axes, steps: Steps, effect: StepEffect) -> Artist:
    from matplotlib.ticker import PercentFormatter

    # Bars of one width: where steps are unevenly spaced, areas would mislead.
    width = float(np.clip(PROFILE_WIDTH / len(steps), 1.0, 6.0))
    ax.vlines(steps, 0, effect.profile, color="0.6", linewidth=width)
    ax.set_ylim(0, 1.05 * float(effect.profile.max()) or 1.0)
    ax.locator_params(axis="y", nbins=4)
    twin = ax.twinx()
    look: dict[str, Any] = {"color": OBSERVED_COLOUR, "linewidth": 1.2}
    look["marker"] = "." if len(steps) <= 25 else None
    label = "share of all differences so far (right axis)"
    (line,) = twin.plot(steps, effect.cumulative_share, label=label, **look)
    twin.set_ylim(0, 1.05)
    twin.set_yticks([0, 0.5, 1])
    twin.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    twin.tick_params(axis="y", colors=OBSERVED_COLOUR, labelsize="small")
    twin.set_ylabel("so far", color=OBSERVED_COLOUR, fontsize="small")
    return line


def _crossing(ax: Axes, crossing: Crossing) -> str:
    """Mark where curves cross, and say where that is."""
    low, high = crossing.interval
    look: dict[str, Any] = {"color": OBSERVED_COLOUR, "zorder": 4}
    ax.plot([low, high], [0, 0], linewidth=4, alpha=0.5, solid_capstyle="butt", **look)
    ax.plot([crossing.step], [0], marker="D", markersize=6, linestyle="", **look)
    return (
        f"curves cross near step {number_text(crossing.step)} (◆), between {step_text(low)} "
        f"and {step_text(high)}"
    )


def _padded(values: Floats) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    room = 0.08 * (high - low) or 0.5
    return low - room, high + room
