"""What `monitor` found, in words a person can quote: only the sequential p, and never "equal"."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from curvewise.data.checks import check_drawn
from curvewise.inference.result import EFFECTS, PARTS, names_text
from curvewise.questions.monitor.result import Monitoring
from curvewise.rendering.figures import COLOURS, axes_or_current, label_text, lower_legend, one_axes
from curvewise.rendering.forest import CLEAR_COLOUR, UNCLEAR_COLOUR
from curvewise.text import listed, number_text, p_short, percent, plural, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from curvewise.data.curves import Curves
    from curvewise.questions.monitor.result import SequentialPair


MAX_NAMED = 6  # pairs that a sentence can hold


def describe(found: Monitoring) -> str:
    """Say whether to stop, what was found, and how many runs come next."""
    body = _two(found) if len(found.pairs) == 1 else _several(found)
    return " ".join([*body, _promise(found)])


def _two(found: Monitoring) -> list[str]:
    pair, last = found.pairs[0], found.plan.n_batches
    names, p = names_text(found.algorithms), p_short(pair.overall.pvalue_sequential)
    none = f"no difference between {names} was found (sequential p = {p})"
    match found.answer:
        case "stop: different":
            since = pair.overall.rejected_at
            differ = f"Stop: {names} differ (sequential p = {p}, found at look {since} of {last})."
            return [differ, *_parts(found, pair), *_size(found, pair)]
        case "stop: not decided":
            return [
                f"Stop: not decided. After all {plural(found.look, 'look')} ({_runs(found)}) {none}.",
                "That is no evidence that they are equal. More runs would be a new experiment.",
            ]
        case "stopping advised":
            return [
                f"Stopping is advised: after {_where(found)} {none}.",
                *_prospects(found),
                "This is no evidence that they are equal.",
                "Going on is allowed: alpha holds either way.",
            ]
    return [
        f"Go on: after {_where(found)} {none}.",
        *_reach(found),
        *_prospects(found),
        _next(found),
    ]


def _several(found: Monitoring) -> list[str]:
    start = {"go on": "Go on", "stopping advised": "Stopping is advised"}.get(found.answer, "Stop")
    different = [pair for pair in found.pairs if pair.status == "different"]
    n_left = len(found.pairs) - len(different)
    if different:
        named = [_named(found, pair) for pair in different[:MAX_NAMED]]
        if len(different) > MAX_NAMED:
            named.append(f"and {len(different) - MAX_NAMED} more")
        verb = "differs" if len(different) == 1 else "differ"
        total = plural(len(found.pairs), "pair")
        count = f"{len(different)} of {total} {verb}"
        said = [
            f"{start}: after {_where(found)} {count}: {'; '.join(named)}.",
            "p is sequential, and adjusted by Holm.",
        ]
        if found.quotes_scores and any(pair.algorithm.significant for pair in different):
            said.append("Differences are as estimated; sequential designs overstate them.")
    else:
        p = p_short(found.overall.pvalue_sequential)
        none = f"no two of {names_text(found.algorithms)} were told apart"
        p = f"smallest sequential p = {p}, adjusted by Holm"
        said = [f"{start}: after {_where(found)} {none} ({p})."]
    if found.answer == "go on":
        said += _reach(found)
    said += _prospects(found)
    if n_left and found.answer != "go on":
        rest = "That" if not different else "Not to be told apart"
        said.append(f"{rest} is no evidence that algorithms are equal.")
    if n_left and found.look == found.plan.n_batches:
        said.append("More runs would be a new experiment.")
    if found.answer == "stopping advised":
        said.append("Going on is allowed: alpha holds either way.")
    return [*said, _next(found)] if found.answer == "go on" else said


def _where(found: Monitoring) -> str:
    return f"look {found.look} of {found.plan.n_batches} ({_runs(found)})"


def _runs(found: Monitoring) -> str:
    low, high = min(found.n_runs.values()), max(found.n_runs.values())
    return f"{plural(low, 'run') if low == high else f'{low} to {high} runs'} of each"


def _parts(found: Monitoring, pair: SequentialPair) -> list[str]:
    """Say in what they differ, as far as that is known."""
    asked = {name: pair.effect(name) for name in (PARTS if found.has_shape else PARTS[:1])}
    hows = [
        f"{EFFECTS[name].how} (p = {p_short(effect.pvalue_sequential)})"
        for name, effect in asked.items()
        if effect.significant
    ]
    other = [EFFECTS[name].noun for name, effect in asked.items() if not effect.significant]
    said = [f"They differ {listed(hows)}."] if hows else []
    if other:
        more = ""
        if found.look < found.plan.n_batches:
            more = "; the batches still planned may show one, without any change to alpha"
        said.append(f"A difference in {' or '.join(other)} was not found{more}.")
    return said


def _size(found: Monitoring, pair: SequentialPair) -> list[str]:
    """Say how far apart they are, as estimated."""
    if not found.quotes_scores:
        return []
    more = "more" if pair.difference > 0 else "less"
    lower = "" if found.higher_is_better else " (lower is better)"
    scores = f"{printable(pair.a)} scores {number_text(abs(pair.difference))} {more} than"
    whom = f"{printable(pair.b)}{lower}, as estimated; sequential designs overstate it."
    return [f"Averaged {found.period}, {scores} {whom}"]


def _named(found: Monitoring, pair: SequentialPair) -> str:
    """Name a pair that differs, with its size and its adjusted p."""
    hows = " and ".join(EFFECTS[n].noun for n in PARTS if pair.effect(n).significant)
    inside = f"p = {p_short(pair.overall.pvalue_adjusted)}{hows and f', in {hows}'}"
    if not pair.algorithm.significant or not found.quotes_scores:
        return f"{_names(pair)} ({inside})"
    sign = ">" if pair.difference > 0 else "<"
    by = number_text(abs(pair.difference))
    return f"{printable(pair.a)} {sign} {printable(pair.b)} by {by} ({inside})"


def _names(pair: SequentialPair) -> str:
    return f"{printable(pair.a)} and {printable(pair.b)}"


def _reach(found: Monitoring) -> list[str]:
    """Say where no scores could have been significant yet."""
    now = found.overall.smallest_pvalue_now
    if now <= found.alpha:
        return []
    return [f"So few runs could not have shown any: the smallest p possible is {p_short(now)}."]


def _next(found: Monitoring) -> str:
    wanted = {name: n for name, n in found.next_batch.items() if n}
    (size,) = set(wanted.values())
    runs = f"{plural(size, 'run')} each of {listed(list(wanted), MAX_NAMED)}"
    done = [name for name, n in found.next_batch.items() if not n]
    rest = f"; {listed(done, MAX_NAMED)} {'gets' if len(done) == 1 else 'get'} no more"
    return f"Next batch: {runs}{rest if done else ''}."


def _prospects(found: Monitoring) -> list[str]:
    """Say how large the chances of a stated effect are."""
    chances = {pair: pair.chance for pair in found.pairs if pair.chance is not None}
    if not chances:
        return []
    shown = [
        "below 1%" if chance < 0.01 else percent(round(chance, 2)) for chance in chances.values()
    ]
    whose = "" if len(found.pairs) == 1 else f" between {_names(next(iter(chances)))}"
    if len(chances) > 1:
        named = [f"{_names(pair)} {chance}" for pair, chance in zip(chances, shown, strict=True)]
        shown, whose = ["; ".join(named[:MAX_NAMED])], ""
    chance = f"the chance to find it by look {found.plan.n_batches} is {shown[0]}"
    return [f"If there is {found.stated}{whose}, {chance}."]


def _promise(found: Monitoring) -> str:
    """Say how much of alpha is spent, under which plan."""
    each = ", for each effect" if len(found.pairs) > 1 else ""
    return (
        f"The chance of any false claim over all looks is at most {found.alpha:g}{each}, of which "
        f"{found.spent:.3g} is spent (plan {found.plan_id})."
    )


# --- The path of the sequential p, look after look, against alpha.

SIZE = (7.0, 4.5)
STYLES = {"overall": ("-", "o"), "algorithm": ("--", "^"), "interaction": (":", "s")}
MAX_LABELLED = 7  # pairs that have colours of their own
MAX_TICKS = 10  # looks with a label
FOUND_COLOUR, OUT_OF_REACH_COLOUR = "#E3F0E8", "0.87"


class Line(NamedTuple):
    """One line of the picture; without a label it is not in the legend."""

    pvalues: tuple[float, ...]
    label: str | None
    colour: str
    style: str
    marker: str


def plot_monitoring(found: Monitoring, ax: Axes | None = None) -> Axes:
    """Draw the sequential p at each look so far, and the looks to come.

    A difference is found where the path reaches the region below alpha. The grey region cannot be
    reached by as many runs as are planned by then, whatever their scores. Of several algorithms
    there is a line for each pair, with its adjusted p. Draws on the current Axes if none are
    given, and returns the Axes.
    """
    check_drawn(found, Monitoring, "plot_monitoring() draws what monitor() found")
    ax = axes_or_current(ax, SIZE)
    looks = np.arange(1, found.plan.n_batches + 1)
    smallest = np.array(found.plan.smallest_pvalues()) * len(found.pairs)
    lines = lines_of(found)
    low = min(found.alpha, *smallest, *(min(line.pvalues) for line in lines)) / 2
    edges = np.append(looks - 0.5, looks[-1] + 0.5)
    ax.axhspan(low, found.alpha, color=FOUND_COLOUR, zorder=0, label="a difference is found")
    grey: dict[str, Any] = {"fill": True, "color": OUT_OF_REACH_COLOUR, "zorder": 1}
    smallest = np.minimum(smallest, 1.0)
    ax.stairs(smallest, edges, baseline=low, label="out of reach of so few runs", **grey)
    ax.axhline(found.alpha, color="0.2", linewidth=0.8, zorder=2)
    small: dict[str, Any] = {"textcoords": "offset points", "fontsize": 8}
    text, place = f"α = {found.alpha:g}", (1.0, found.alpha)
    ax.annotate(text, place, (-4, 3), xycoords=("axes fraction", "data"), ha="right", **small)
    for pvalues, label, colour, style, marker in lines:
        look: dict[str, Any] = {"color": colour, "linestyle": style, "marker": marker}
        seen = looks[: found.look]
        ax.plot(seen, pvalues, markersize=5, label=label, zorder=4, clip_on=False, **look)
    if found.look < looks[-1]:
        ax.axvline(found.look + 0.5, color="0.4", linewidth=0.8, linestyle=":", zorder=3)
        place = (found.look + 0.5, 1.0)
        ax.annotate("to come →", place, (3, 3), xycoords=("data", "axes fraction"), **small)
    ax.set_yscale("log")
    ax.set_ylim(low, 1.0)
    ax.set_xlim(edges[0], edges[-1])
    ax.set_xticks(looks, _ticks(found, looks.tolist()))
    ax.set_xlabel("look, and runs of each algorithm by then")
    ax.set_ylabel("sequential p" + (", adjusted for all pairs" if len(found.pairs) > 1 else ""))
    ax.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False)
    return ax


def lines_of(found: Monitoring) -> list[Line]:
    """Return what is drawn: the effects of two algorithms, or every pair of several."""
    if len(found.pairs) == 1:
        asked = [name for name in EFFECTS if found.has_shape or name != "interaction"]
        return [
            Line(found.effect(name).pvalues, EFFECTS[name].noun, colour, *STYLES[name])
            for name, colour in zip(asked, COLOURS, strict=False)
        ]
    if len(found.pairs) <= MAX_LABELLED:
        return [
            Line(
                pair.overall.pvalues_adjusted,
                f"{label_text(pair.a, 20).strip()}, {label_text(pair.b, 20).strip()}",
                COLOURS[place],
                ("-", "--", ":")[place % 3],
                "o^sDvP*"[place],
            )
            for place, pair in enumerate(found.pairs)
        ]
    lines, told = [], set()
    for pair in found.pairs:
        different = pair.status == "different"
        label = "different" if different else "not told apart"
        colour = CLEAR_COLOUR if different else UNCLEAR_COLOUR
        shown = None if label in told else label
        lines.append(Line(pair.overall.pvalues_adjusted, shown, colour, "-", "o"))
        told.add(label)
    return lines


def figure(found: Monitoring, _curves: Curves | None = None) -> Figure:
    """Draw the path in a figure; the curves are not needed."""
    return lower_legend(one_axes(plot_monitoring, found, SIZE))


def _ticks(found: Monitoring, looks: Sequence[int]) -> list[str]:
    """Return what stands below looks; of many, below some that are evenly spread."""
    every = math.ceil(len(looks) / MAX_TICKS)
    size = found.plan.batch_size
    return ["" if look % every else f"{look}\n{look * size}" for look in looks]
