"""Which metric: the one asked for, the only one, or the one that stands out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from curvewise.errors import CurvesError, OptionError
from curvewise.readers.naming.name_pieces import words
from curvewise.text import argument, did_you_mean, listed, plural, printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["MetricChoice", "choose_metric", "lower_is_better"]

MAX_LISTED = 12

_EVALUATION = words(
    "eval evaluation evaluations evaluator val valid validation test dev held heldout "
    "holdout unseen oob"
)
_SCORES = words(
    "return returns reward rewards rew ret acc accuracy score scores success "
    "successes f1 auc auroc map iou bleu rouge r results eprewmean precision recall "
    "top1 top5 r2 winrate elo dice miou psnr ssim mcc kappa ndcg"
)
_LOSSES = words(
    "loss losses error errors err rmse mse mae mape smape rmsle merror mlogloss "
    "logloss cost perplexity ppl nll crossentropy xent ce bce regret wer cer fid "
    "deviance brier bpc hinge mphe nloglik divergence huber rsquarederror "
    "multilogloss l1 l2"
)
# Losses of two words: cross_entropy, and CatBoost's MultiClass.
_LOSSES_OF_TWO = ({"cross", "entropy"}, {"multi", "class"})
# Statistics and circumstances: never what training is judged by.
_ASIDE = words(
    "std stddev min max median var variance time fps lr len length lengths step steps "
    "epoch epochs iteration iterations runtime second seconds entropy kl norm grad "
    "gradient count samples memory timesteps frames episodes rate timestamp sec clip "
    "clipfrac explained value values policy learning eps epsilon progress best hours "
    "flops throughput"
)
# The usual names of tools, those of evaluation before those of training.
_USUAL = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"evaluations:results",
        r"eval/mean_reward",
        r"AverageTestEpRet",
        r"Evaluation/AverageReturn",
        r"evaluation/(?:env_runners/)?episode_(?:return|reward)_mean",
        r"(?:eval|test|evaluator)(?:uation)?[:/_](?:mean_|average_|avg_)?(?:episode_)?(?:return|reward)",
        r"test/reward",
        r"(?:eval|val|valid|validation|test)[:/_.-](?:epoch_)?acc(?:uracy)?(?:_epoch)?",
        r"acc(?:uracy)?/(?:eval|val|valid|validation|test)",
        r"test_scores?",
        r"charts/episodic_return",
        r"rollout/ep_rew_mean",
        r"env_runners/episode_return_mean",
        r"(?:env_runners/)?episode_reward_mean",
        r"(?:.*:)?episode_return",
        r"eprewmean",
        r"AverageEpRet",
        r"(?:.*/)?AverageReturn",
        r"ReturnAverage",
        r"monitor:r",
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


def lower_is_better(metric: str) -> bool:
    """Whether a metric is a loss or an error, as its name tells.

    >>> [lower_is_better(name) for name in ("val/loss", "eval_accuracy", "testRMSE", "mlogloss")]
    [True, False, True, True]
    """
    found = _words(metric)
    if any(found >= pair for pair in _LOSSES_OF_TWO) and found.isdisjoint(_SCORES):
        return True
    return any(word in _LOSSES or word.endswith(("loss", "error")) for word in found)


def choose_metric(
    points: Mapping[str, Sequence[int]],
    algorithms: Sequence[str],
    asked: str | None = None,
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
        msg = "No run has any point of any metric: there is nothing to read."
        raise CurvesError(msg)
    if asked is None:
        choice = _standing_out(counted, algorithms)
    else:
        choice = MetricChoice(_named(asked, counted))
    _check_algorithms(choice.name, counted, algorithms)
    return choice


def _named(asked: str, points: Mapping[str, Sequence[int]]) -> str:
    for matches in (
        [name for name in points if name == asked],
        [name for name in points if name.partition(":")[2] == asked],
        [name for name in points if re.split(r"[:/]", name)[-1] == asked],
        [name for name in points if name.lower() == asked.lower()],
    ):
        if len(matches) == 1:
            return matches[0]
        if matches:
            msg = (
                f"Several metrics could be meant by {asked!r}: {_listing(matches, points)}. "
                f"Give the whole name, as in {argument('metric', matches[0])}."
            )
            raise OptionError(msg, option="metric")
    names = sorted(points, key=_preference)
    hint = did_you_mean(asked, names, most=0).rpartition("; ")[2]
    hint = f" {hint.capitalize()}" if hint.startswith("did") else ""
    msg = f"No run has a metric {asked!r}.{hint} There are {_listing(names, points)}."
    raise OptionError(msg, option="metric")


def _standing_out(
    points: Mapping[str, Sequence[int]], algorithms: Sequence[str]
) -> MetricChoice:
    if len(points) == 1:
        return MetricChoice(next(iter(points)), "the only metric")
    complete = [
        name
        for name in points
        if not _lacking(points[name], points, algorithms)
        and _OF_FINAL_MODEL.get(name) not in points
    ]
    names = sorted(complete or points, key=_preference)
    best = [name for name in names if _preference(name)[0] == _preference(names[0])[0]]
    kind = _preference(best[0])[0]
    usual = [name for name in best if _preference(name)[1] < len(_USUAL)]
    others = f"of {len(points)} metrics; choose another by {argument('metric')}"
    if kind < len(_KINDS) and len(best) == 1:
        return MetricChoice(best[0], f"the only {_KINDS[kind]} {others}")
    if kind < 2 and usual:
        return MetricChoice(usual[0], f"the usual {_KINDS[kind]} {others}")
    msg = (
        f"Which metric? There are {_listing(sorted(points, key=_preference), points)}. Name one, "
        f"as in {argument('metric', names[0])}."
    )
    raise CurvesError(msg)


_KINDS = (
    "score of evaluation",
    "score of training",
    "loss of evaluation",
    "loss of training",
)


def _preference(metric: str) -> tuple[int, int, str]:
    """Return the kind of a metric, its place among usual names, and its name."""
    usual = next(
        (place for place, known in enumerate(_USUAL) if known.fullmatch(metric)),
        len(_USUAL),
    )
    found = _words(metric)
    of_training = not found.isdisjoint({"train", "training"})
    of_evaluation = not of_training and not found.isdisjoint(_EVALUATION)
    is_loss = lower_is_better(metric)
    is_score = not found.isdisjoint(_SCORES)
    aside = found - {"entropy"} if "cross" in found else found
    if is_loss or is_score:
        aside = aside - {
            "epoch",
            "step",
        }  # over an epoch, as Keras and Lightning write it
    is_aside = not aside.isdisjoint(_ASIDE) or not (is_loss or is_score)
    if usual == len(_USUAL) and is_aside:
        return len(_KINDS), usual, metric
    return 2 * is_loss + (not of_evaluation), usual, metric


def _words(metric: str) -> set[str]:
    """Split a name into words: at signs, and where capitals begin."""
    found = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+\d*|\d+|[^\W\d_]+", metric)
    return {word.lower() for word in found}


def _listing(names: Sequence[str], points: Mapping[str, Sequence[int]]) -> str:
    shown = []
    for name in names[:MAX_LISTED]:
        counts = [count for count in points[name] if count]
        span = (
            str(counts[0])
            if min(counts) == max(counts)
            else f"{min(counts)} to {max(counts)}"
        )
        shown.append(
            f"{printable(name)} ({plural(len(counts), 'run')}, {span} points each)"
        )
    more = len(names) - len(shown)
    return listed(shown) if more <= 0 else f"{', '.join(shown)} and {more} more"


def _lacking(
    counts: Sequence[int], points: Mapping[str, Sequence[int]], algorithms: Sequence[str]
) -> list[str]:
    """Return the algorithms that have points, but none of this metric."""
    have = {name for name, count in zip(algorithms, counts, strict=True) if count}
    every = {
        name
        for others in points.values()
        for name, count in zip(algorithms, others, strict=True)
        if count
    }
    return sorted(every - have)


def _check_algorithms(
    metric: str, points: Mapping[str, Sequence[int]], algorithms: Sequence[str]
) -> None:
    lacking = _lacking(points[metric], points, algorithms)
    if not lacking:
        return
    n_runs = {name: algorithms.count(name) for name in dict.fromkeys(algorithms)}
    counts = dict.fromkeys(n_runs, 0)
    for name, count in zip(algorithms, points[metric], strict=True):
        counts[name] += bool(count)
    shown = [
        f"{counts[name]} of {n_runs[name]} runs of {printable(name)}" for name in n_runs
    ]
    whole = [
        name
        for name in sorted(points, key=_preference)
        if not _lacking(points[name], points, algorithms)
    ]
    others = f"leave out the algorithms that lack it, by naming the others with {argument('only')}"
    remedy = (
        f"All algorithms have {listed(whole, MAX_LISTED)}. Choose another by "
        f"{argument('metric')}, or {others}."
        if whole
        else "No metric is in all of them: some may be other logs of the same runs. Name only the "
        f"folder with one kind of log, or {others}."
    )
    msg = (
        f"The metric {metric!r} is in {listed(shown, MAX_LISTED)}, so not all algorithms can be "
        f"compared by it. {remedy}"
    )
    raise CurvesError(msg)
