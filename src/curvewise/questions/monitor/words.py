"""What `monitor` found, in words a person can quote: only the sequential p, and never "equal"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curvewise.inference.effects import EFFECTS, PARTS
from curvewise.inference.phrases import names_text
from curvewise.text import listed, number_text, p_short, percent, plural, printable

if TYPE_CHECKING:
    from curvewise.questions.monitor.result import Monitoring, SequentialPair

__all__ = ["describe"]

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
                (
                    f"Stop: not decided. After all {plural(found.look, 'look')} ({_runs(found)}) "
                    f"{none}. That is no evidence that they are equal. More runs would be a new "
                    "experiment."
                )
            ]
        case "stopping advised":
            return [
                f"Stopping is advised: after {_where(found)} {none}.",
                *_prospects(found),
                (
                    "This is no evidence that they are equal. Going on is allowed: alpha holds either "
                    "way."
                ),
            ]
    return [
        f"Go on: after {_where(found)} {none}.",
        *_reach(found),
        *_prospects(found),
        _next(found),
    ]


def _several(found: Monitoring) -> list[str]:
    start = {"go on": "Go on", "stopping advised": "Stopping is advised"}.get(
        found.answer, "Stop"
    )
    different = [pair for pair in found.pairs if pair.status == "different"]
    n_left = len(found.pairs) - len(different)
    if different:
        named = [_named(found, pair) for pair in different[:MAX_NAMED]]
        if len(different) > MAX_NAMED:
            named.append(f"and {len(different) - MAX_NAMED} more")
        verb = "differs" if len(different) == 1 else "differ"
        total = plural(len(found.pairs), "pair")
        said = [
            (
                f"{start}: after {_where(found)} {len(different)} of {total} {verb}: "
                f"{'; '.join(named)}."
            ),
            "p is sequential, and adjusted by Holm.",
        ]
        if found.quotes_scores and any(pair.algorithm.significant for pair in different):
            said.append(
                "Differences are as estimated; sequential designs overstate them."
            )
    else:
        p = p_short(found.overall.pvalue_sequential)
        said = [
            (
                f"{start}: after {_where(found)} no two of {names_text(found.algorithms)} were told "
                f"apart (smallest sequential p = {p}, adjusted by Holm)."
            )
        ]
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
    sizes = sorted(set(found.n_runs.values()))
    if len(sizes) == 1:
        return f"{plural(sizes[0], 'run')} of each"
    return f"{sizes[0]} to {sizes[-1]} runs of each"


def _parts(found: Monitoring, pair: SequentialPair) -> list[str]:
    """Say in what they differ, as far as that is known."""
    asked = [name for name in PARTS if found.has_shape or name == "algorithm"]
    known = [name for name in asked if pair.effect(name).significant]
    other = [EFFECTS[name].noun for name in asked if name not in known]
    said = []
    if known:
        hows = [
            f"{EFFECTS[name].how} (p = {p_short(pair.effect(name).pvalue_sequential)})"
            for name in known
        ]
        said.append(f"They differ {listed(hows)}.")
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
    return [
        (
            f"Averaged over training, {printable(pair.a)} scores {number_text(abs(pair.difference))} "
            f"{more} than {printable(pair.b)}{lower}, as estimated; sequential designs overstate it."
        )
    ]


def _named(found: Monitoring, pair: SequentialPair) -> str:
    """Name a pair that differs, with its size and its adjusted p."""
    hows = [EFFECTS[n].noun for n in PARTS if pair.effect(n).significant]
    p = p_short(pair.overall.pvalue_adjusted)
    inside = f"p = {p}{', in ' if hows else ''}{' and '.join(hows)}"
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
    return [
        f"So few runs could not have shown any: the smallest p possible is {p_short(now)}."
    ]


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
        "below 1%" if chance < 0.01 else percent(round(chance, 2))
        for chance in chances.values()
    ]
    whose = "" if len(found.pairs) == 1 else f" between {_names(next(iter(chances)))}"
    if len(chances) > 1:
        named = [
            f"{_names(pair)} {chance}"
            for pair, chance in zip(chances, shown, strict=True)
        ]
        shown, whose = ["; ".join(named[:MAX_NAMED])], ""
    return [
        (
            f"If there is {found.stated}{whose}, the chance to find it by look "
            f"{found.plan.n_batches} is {shown[0]}."
        )
    ]


def _promise(found: Monitoring) -> str:
    """Say how much of alpha is spent, under which plan."""
    each = ", for each effect" if len(found.pairs) > 1 else ""
    return (
        f"The chance of any false claim over all looks is at most {found.alpha:g}{each}, of which "
        f"{found.spent:.3g} is spent (plan {found.plan_id})."
    )
