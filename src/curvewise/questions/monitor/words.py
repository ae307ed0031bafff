"""What `monitor` found, in words a person can quote: only the sequential p, and never "equal"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curvewise.inference.effects import EFFECTS, PARTS
from curvewise.inference.phrases import names_text
from curvewise.text import argument, listed, number_text, p_short, percent, plural, printable

if TYPE_CHECKING:
    from curvewise.questions.monitor.result import Monitoring, SequentialPair

__all__ = ["describe"]

MAX_NAMED = 6  # pairs that a sentence can hold
NO_EVIDENCE = "That is no evidence that they are equal."


def describe(found: Monitoring) -> str:
    """Say whether to stop, what was found, and how many runs come next."""
    body = _two(found) if len(found.pairs) == 1 else _several(found)
    return " ".join([*body, _promise(found)])


def _two(found: Monitoring) -> list[str]:
    pair = found.pairs[0]
    names, p = names_text(found.algorithms), p_short(pair.overall.pvalue_sequential)
    none = f"no difference between {names} was found (sequential p = {p})"
    match found.answer:
        case "stop: different":
            since = pair.overall.rejected_at
            return [
                f"Stop: {names} differ (sequential p = {p}, found at look {since} of "
                f"{found.plan.n_batches}).",
                _parts(found, pair),
                _size(found, pair),
            ]
        case "stop: not decided":
            return [
                f"Stop: not decided. After all {plural(found.look, 'look')} ({_runs(found)}) "
                f"{none}. {NO_EVIDENCE} More runs would be a new experiment."
            ]
        case "stopping advised":
            return [
                f"Stopping is advised: after {_where(found)} {none}, and {_chance(found, pair)}. "
                f"{NO_EVIDENCE} Going on is allowed, alpha holds either way."
            ]
    return [f"Go on: after {_where(found)} {none}.", *_reach(found), _next(found)]


def _several(found: Monitoring) -> list[str]:
    different = [pair for pair in found.pairs if pair.status == "different"]
    open_pairs = [pair for pair in found.pairs if pair.status != "different"]
    total = plural(len(found.pairs), "pair")
    told = f"no two of {names_text(found.algorithms)} were told apart"
    if different:
        named = [_named(found, pair) for pair in different[:MAX_NAMED]]
        if len(different) > MAX_NAMED:
            named.append(f"and {len(different) - MAX_NAMED} more")
        verb = "differs" if len(different) == 1 else "differ"
        told = f"{len(different)} of {total} {verb}: {'; '.join(named)}"
    sequential = " p is sequential, and adjusted by Holm." if different else ""
    sizes = ""
    if different and found.quotes_scores:
        sizes = " Differences are as estimated; sequential designs overstate them."
    start = {
        "stop: different": f"Stop: after {_where(found)} {told}.",
        "stop: not decided": f"Stop: after {_where(found)} {told}.",
        "stopping advised": f"Stopping is advised: after {_where(found)} {told}.",
        "go on": f"Go on: after {_where(found)} {told}.",
    }[found.answer]
    said = [f"{start}{sequential}{sizes}"]
    advised = [pair for pair in open_pairs if pair.status == "stopping advised"]
    if advised:
        chances = [f"{_names(pair)} ({percent(pair.chance or 0.0)})" for pair in advised]
        said.append(
            f"The chance to find {found.stated} by the last look is below "
            f"{percent(MAX_CHANCE)} for {listed(chances, MAX_NAMED)}: stopping is advised for them, "
            "and alpha holds either way."
        )
    if open_pairs and found.answer != "go on":
        few = f"The other {plural(len(open_pairs), 'pair')}" if different else "The pairs"
        said.append(f"{few} may still differ: not told apart is no evidence that they are equal.")
        if found.look == found.plan.n_batches:
            said.append("More runs would be a new experiment.")
    if found.answer == "go on":
        said += [*_reach(found), _next(found)]
    return said


def _where(found: Monitoring) -> str:
    return f"look {found.look} of {found.plan.n_batches} ({_runs(found)})"


def _runs(found: Monitoring) -> str:
    sizes = sorted(set(found.n_runs.values()))
    if len(sizes) == 1:
        return f"{plural(sizes[0], 'run')} of each"
    return f"{sizes[0]} to {sizes[-1]} runs of each"


def _parts(found: Monitoring, pair: SequentialPair) -> str:
    """Say in what they differ, as far as that is known."""
    asked = [name for name in PARTS if found.has_shape or name == "algorithm"]
    known = [name for name in asked if pair.effect(name).significant]
    other = [name for name in asked if name not in known]
    parts = []
    if known:
        hows = listed(
            [f"{EFFECTS[n].how} (p = {p_short(pair.effect(n).pvalue_sequential)})" for n in known]
        )
        parts.append(f"They differ {hows}.")
    if other:
        nouns = " or ".join(EFFECTS[name].noun for name in other)
        more = ""
        if found.look < found.plan.n_batches:
            more = "; further batches of the plan may show one"
        parts.append(f"A difference in {nouns} was not found{more}.")
    return " ".join(parts)


def _size(found: Monitoring, pair: SequentialPair) -> str:
    """Say how far apart they are, as estimated."""
    if not found.quotes_scores:
        return ""
    more = "more" if pair.difference > 0 else "less"
    lower = "" if found.higher_is_better else " (lower is better)"
    return (
        f"Averaged over training {printable(pair.a)} scores {number_text(abs(pair.difference))} "
        f"{more} than {printable(pair.b)}{lower}, as estimated; sequential designs overstate it."
    )


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
    return [f"So few runs could not have shown any: p would be {p_short(now)} at least."]


def _next(found: Monitoring) -> str:
    wanted = {name: n for name, n in found.next_batch.items() if n}
    (size,) = set(wanted.values())
    runs = f"{plural(size, 'run')} each of {listed(list(wanted), MAX_NAMED)}"
    done = [name for name, n in found.next_batch.items() if not n]
    rest = f"; {listed(done, MAX_NAMED)} {'needs' if len(done) == 1 else 'need'} no more"
    return f"Next batch: {runs}{rest if done else ''}."


def _chance(found: Monitoring, pair: SequentialPair) -> str:
    return (
        f"if there is {found.stated}, the chance to find it by look {found.plan.n_batches} is "
        f"{percent(round(pair.chance or 0.0, 2))}"
    )


def _promise(found: Monitoring) -> str:
    """Say how much of alpha is spent, under which plan."""
    each = ", for each effect" if len(found.pairs) > 1 else ""
    return (
        f"The chance of any false claim over all looks is at most {found.alpha:g}{each}, of which "
        f"{found.spent:.3g} is spent (plan {found.plan_id})."
    )
