"""Which metric: the one asked for, the only one, or the one that stands out."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from curvewise.data.curves import kind_of, words_of
from curvewise.errors import refuse
from curvewise.text import argument, did_you_mean, listed, plural, printable, words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


MAX_LISTED = 12

_EVALUATION = words(
    """eval evaluation evaluations evaluator val valid validation test dev held heldout holdout
    unseen oob"""
)
# Statistics and circumstances: never what training is judged by.
_ASIDE = words(
    """std stddev min max median var variance time fps lr len length lengths step steps epoch epochs
    iteration iterations runtime second seconds entropy kl norm grad gradient count samples memory
    timesteps frames episodes rate timestamp sec clip clipfrac explained value values policy
    learning eps epsilon progress best hours flops throughput"""
)
# The usual names of tools, those of evaluation before those of training.
_USUAL = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in words(
        r"""evaluations:results eval/mean_reward AverageTestEpRet Evaluation/AverageReturn
        evaluation/(?:env_runners/)?episode_(?:return|reward)_mean
        (?:eval|test|evaluator)(?:uation)?[:/_](?:mean_|average_|avg_)?(?:episode_)?(?:return|reward)
        test/reward (?:eval|val|valid|validation|test)[:/_.-](?:epoch_)?acc(?:uracy)?(?:_epoch)?
        acc(?:uracy)?/(?:eval|val|valid|validation|test) test_scores? charts/episodic_return
        rollout/ep_rew_mean env_runners/episode_return_mean (?:env_runners/)?episode_reward_mean
        (?:.*:)?episode_return eprewmean AverageEpRet (?:.*/)?AverageReturn ReturnAverage
        monitor:r"""
    )
]
# CleanRL plays some episodes with the final model and logs them by their number: no curve of
# training, which stands beside it.
_OF_FINAL_MODEL = {"eval/episodic_return": "charts/episodic_return"}


@dataclass(frozen=True)
class MetricChoice:
    """A metric, and why it was chosen: nothing if it was asked for by name."""

    name: str
    reason: str = ""


def choose_metric(
    points: Mapping[str, Sequence[int]], algorithms: Sequence[str], asked: str | None = None
) -> MetricChoice:
    """Choose the metric to read.

    Parameters
    ----------
    points : mapping from metric to sequence of int, (n_runs,)
        How many points of it each run has.
    algorithms : sequence of str, (n_runs,)
        The algorithm of each run.
    asked : str, optional
        Its name, or the part after a colon or the last slash where that is unique. By default
        the only metric, or the one that stands out: evaluation before training, returns and
        accuracies before losses.

    Returns
    -------
    MetricChoice
        Runs that lack it while others of their algorithm have it are runs without a point.

    Raises
    ------
    OptionError
        If there is no such metric, or several that could be meant.
    CurvesError
        If none was asked for and none stands out, if there is no metric at all, or if an
        algorithm has the metric in none of its runs.
    """
    counted = {name: counts for name, counts in points.items() if any(counts)}
    if not counted:
        refuse("No run has any point of any metric: there is nothing to read.")
    if asked is None:
        choice = _standing_out(counted, algorithms)
    else:
        choice = MetricChoice(_named(asked, counted))
    _check_algorithms(choice.name, counted, algorithms)
    return choice


def _named(asked: str, points: Mapping[str, Sequence[int]]) -> str:
    ways = (
        [name for name in points if name == asked],
        [name for name in points if name.partition(":")[2] == asked],
        [name for name in points if re.split(r"[:/]", name)[-1] == asked],
        [name for name in points if name.lower() == asked.lower()],
    )
    matches = next(filter(None, ways), [])
    if not matches:
        names = sorted(points, key=_preference)
        hint = did_you_mean(asked, names, most=0).rpartition("; ")[2]
        hint = f" {hint.capitalize()}" if hint.startswith("did") else ""
        refuse(
            f"No run has a metric {asked!r}.{hint} There are {_listing(names, points)}.", "metric"
        )
    if len(matches) > 1:
        refuse(
            f"Several metrics could be meant by {asked!r}: {_listing(matches, points)}. Give the "
            f"whole name, as in {argument('metric', matches[0])}.",
            "metric",
        )
    return matches[0]


def _standing_out(points: Mapping[str, Sequence[int]], algorithms: Sequence[str]) -> MetricChoice:
    if len(points) == 1:
        return MetricChoice(next(iter(points)), "the only metric")
    complete = [name for name in points if _has_all(name, points, algorithms)]
    complete = [name for name in complete if _OF_FINAL_MODEL.get(name) not in points]
    names = sorted(complete or points, key=_preference)
    best = [name for name in names if _preference(name)[0] == _preference(names[0])[0]]
    kind = _preference(best[0])[0]
    usual = [name for name in best if _preference(name)[1] < len(_USUAL)]
    others = f"of {len(points)} metrics; choose another by {argument('metric')}"
    if kind < len(_KINDS) and len(best) == 1:
        return MetricChoice(best[0], f"the only {_KINDS[kind]} {others}")
    if kind >= 2 or not usual:
        refuse(
            f"Which metric? There are {_listing(sorted(points, key=_preference), points)}. Name "
            f"one, as in {argument('metric', names[0])}."
        )
    return MetricChoice(usual[0], f"the usual {_KINDS[kind]} {others}")


_KINDS = ("score of evaluation", "score of training", "loss of evaluation", "loss of training")


def _preference(metric: str) -> tuple[int, int, str]:
    """Return the kind of a metric, its place among usual names, and its name."""
    usual = next(
        (place for place, known in enumerate(_USUAL) if known.fullmatch(metric)), len(_USUAL)
    )
    found = words_of(metric)
    of_training = not found.isdisjoint({"train", "training"})
    of_evaluation = not of_training and not found.isdisjoint(_EVALUATION)
    is_loss, is_score = kind_of(metric)
    aside = found - {"entropy"} if "cross" in found else found
    if is_loss or is_score:
        aside = aside - {"epoch", "step"}  # over an epoch, as Keras and Lightning write it
    is_aside = not aside.isdisjoint(_ASIDE) or not (is_loss or is_score)
    if usual == len(_USUAL) and is_aside:
        return len(_KINDS), usual, metric
    return 2 * is_loss + (not of_evaluation), usual, metric


def _listing(names: Sequence[str], points: Mapping[str, Sequence[int]]) -> str:
    shown = []
    for name in names[:MAX_LISTED]:
        counts = [count for count in points[name] if count]
        span = str(counts[0]) if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"
        shown.append(f"{printable(name)} ({plural(len(counts), 'run')}, {span} points each)")
    more = len(names) - len(shown)
    return listed(shown) if more <= 0 else f"{', '.join(shown)} and {more} more"


def _has_all(metric: str, points: Mapping[str, Sequence[int]], algorithms: Sequence[str]) -> bool:
    """Whether every algorithm that has points of any metric has some of this one."""
    have = {
        name: {algorithm for algorithm, n in zip(algorithms, counts, strict=True) if n}
        for name, counts in points.items()
    }
    return have[metric] == set().union(*have.values())


def _check_algorithms(
    metric: str, points: Mapping[str, Sequence[int]], algorithms: Sequence[str]
) -> None:
    if _has_all(metric, points, algorithms):
        return
    having = Counter(name for name, n in zip(algorithms, points[metric], strict=True) if n)
    n_runs = Counter(algorithms)
    shown = [f"{having[own]} of {n_runs[own]} runs of {printable(own)}" for own in n_runs]
    whole = [n for n in sorted(points, key=_preference) if _has_all(n, points, algorithms)]
    others = f"leave out the algorithms that lack it, by naming the others with {argument('only')}"
    remedy = (
        f"All algorithms have {listed(whole, MAX_LISTED)}. Choose another by "
        f"{argument('metric')}, or {others}."
        if whole
        else "No metric is in all of them: some may be other logs of the same runs. Name only the "
        f"folder with one kind of log, or {others}."
    )
    refuse(
        f"The metric {metric!r} is in {listed(shown, MAX_LISTED)}, so not all algorithms can be "
        f"compared by it. {remedy}"
    )
