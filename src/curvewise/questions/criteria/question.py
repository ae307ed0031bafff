"""Which learning-comparison metric can be trusted with what? The ten criteria, by running.

Gorski & Laird (2009), Evaluating Evaluations, CCA-TR-2009-05, sections 4 to 6. Every tick and
every cross is computed from what the metrics made of curves that decide the criterion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from curvewise.inference.requirements import as_generator
from curvewise.questions.criteria.cases import criterion_tests
from curvewise.questions.criteria.result import CRITERIA, JUDGED, PUBLISHED, Criteria
from curvewise.questions.criteria.verdict import Outcome, Tried, Verdict
from curvewise.questions.transfer.question import transfer
from curvewise.questions.transfer.readings import NO_EFFECT

if TYPE_CHECKING:
    from curvewise.inference.requirements import RNGLike
    from curvewise.questions.criteria.verdict import CurvePair

__all__ = ["check_criteria"]

N_RESAMPLES = 999


def check_criteria(*, rng: RNGLike = 0) -> Criteria:
    """Decide by running them which metric meets which criterion of Gorski & Laird (2009).

    Parameters
    ----------
    rng
        For the simulated runs of "testable", their resamples and shuffles; every other
        criterion is decided on curves that are given.

    Returns
    -------
    Criteria

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
    tests = criterion_tests(generator)
    measured = {
        id(test): [_measured(pair, generator) for pair in test.case.pairs]
        for criterion in CRITERIA
        for test in tests[criterion]
    }
    verdicts = []
    for criterion in CRITERIA:
        for metric in JUDGED:
            tried = []
            for test in tests[criterion]:
                outcomes = tuple(each[metric] for each in measured[id(test)])
                holds = test.rule(outcomes, NO_EFFECT[metric])
                tried.append(Tried(test.case, outcomes, holds))
            verdicts.append(
                Verdict(
                    criterion=criterion,
                    metric=metric,
                    published=PUBLISHED[criterion, metric],
                    tried=tuple(tried),
                    # A metric needs a standard, not every one.
                    any_will_do=criterion == "meaningful",
                )
            )
    seed = int(rng) if isinstance(rng, int | np.integer) else None
    return Criteria(verdicts=tuple(verdicts), seed=seed)


def _measured(pair: CurvePair, rng: np.random.Generator) -> dict[str, Outcome]:
    """Run the metrics on a pair; chance plays a part only where there are several runs."""
    several = len(pair.control) > 1
    found = transfer(
        pair.curves,
        control="control",
        experimental="experimental",
        optimum=pair.optimum,
        integration=pair.integration,
        n_resamples=N_RESAMPLES,
        n_shuffles=N_RESAMPLES,
        rng=rng if several else 0,
    )
    outcomes = {}
    for name in JUDGED:
        metric = found.metrics[name]
        pvalue = metric.pvalue if several else None
        outcomes[name] = Outcome(metric.value, metric.interval, pvalue, metric.reason)
    return outcomes
