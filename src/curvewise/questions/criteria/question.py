"""Which learning-comparison metric can be trusted for what? Criteria, decided by computation.

Gorski & Laird (2009), Evaluating Evaluations, CCA-TR-2009-05, sections 4 to 6. Every tick and
every cross follows from the values of the metrics on the curves that decide the criterion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from curvewise.inference.requirements import as_generator
from curvewise.inference.sampling import known_seed
from curvewise.questions.criteria.criteria import CRITERIA
from curvewise.questions.criteria.published import PUBLISHED
from curvewise.questions.criteria.result import JUDGED, Criteria
from curvewise.questions.criteria.verdict import CaseResult, Outcome, Verdict
from curvewise.questions.transfer.metrics import RECORDS
from curvewise.questions.transfer.question import transfer

if TYPE_CHECKING:
    import numpy as np

    from curvewise.inference.requirements import RNGLike
    from curvewise.questions.criteria.verdict import CurvePair

__all__ = ["check_criteria"]

N_RESAMPLES = N_SHUFFLES = 999


def check_criteria(*, rng: RNGLike = 0) -> Criteria:
    """Decide which metric meets which criterion of Gorski & Laird (2009), by computation.

    The cases are fixed and small, so there is nothing to shuffle longer, to spread over jobs or
    to resume: ``n_shuffles``, ``exact``, ``n_jobs`` and ``checkpoint`` are not taken.

    Parameters
    ----------
    rng
        For the simulated runs of "testable", their resamples and shuffles; every other
        criterion is decided on curves that are given.

    Returns
    -------
    Criteria
        A verdict for each criterion and metric, with the cases behind it.

    Examples
    --------
    >>> import curvewise as cw
    >>> found = cw.check_criteria()
    >>> found["distinguishing", "regret"].holds
    False
    >>> found["distinguishing", "regret"].values  # Figure 3: other curves, the same regret
    (0.2167, 0.2167)
    """
    generator = as_generator(rng)
    tests = {
        name: list(criterion.cases(generator)) for name, criterion in CRITERIA.items()
    }
    verdicts = []
    for name, criterion in CRITERIA.items():
        measured = [
            [_measure(pair, generator) for pair in test.case.pairs]
            for test in tests[name]
        ]
        for metric in JUDGED:
            results = []
            for test, outcomes_of_pairs in zip(tests[name], measured, strict=True):
                outcomes = tuple(outcomes[metric] for outcomes in outcomes_of_pairs)
                holds = test.rule(outcomes, RECORDS[metric].no_effect)
                results.append(CaseResult(test.case, outcomes, holds))
            verdicts.append(
                Verdict(
                    name,
                    metric,
                    PUBLISHED.get((name, metric)),
                    tuple(results),
                    one_case_suffices=criterion.one_case_suffices,
                )
            )
    return Criteria(verdicts=tuple(verdicts), seed=known_seed(rng))


def _measure(pair: CurvePair, rng: np.random.Generator) -> dict[str, Outcome]:
    """Compute the metrics of a pair; chance plays a part only where there are several runs."""
    several = len(pair.control) > 1
    found = transfer(
        pair.curves,
        control="control",
        experimental="experimental",
        optimum=pair.optimum,
        integration=pair.integration,
        n_resamples=N_RESAMPLES,
        n_shuffles=N_SHUFFLES,
        rng=rng if several else 0,
    )
    outcomes = {}
    for name in JUDGED:
        metric = found.metrics[name]
        interval, pvalue = None, None
        if several:
            interval, pvalue = metric.interval, metric.pvalue
        outcomes[name] = Outcome(metric.value, interval, pvalue, metric.undefined)
    return outcomes
