"""May I stop, or do I need more runs? An exact sequential test, look after look.

Group-sequential designs: Jennison & Turnbull (2000); spending of alpha: Lan & DeMets (1983).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from curvewise.inference.diagnostics import prepared, single_runs_and_steps
from curvewise.inference.requirements import check_curves, check_design
from curvewise.questions.monitor.batches import (
    batches_of,
    check_gaps,
    check_missing,
    given_up_of,
    in_batches,
    smaller_batches,
)
from curvewise.questions.monitor.futility import MAX_CHANCE, Prospect, check_effect
from curvewise.questions.monitor.pairs import any_pair, sequential_pairs
from curvewise.questions.monitor.plan import checked_plan
from curvewise.questions.monitor.plan_file import check_plan_file, write_plan_file
from curvewise.questions.monitor.result import Monitoring
from curvewise.shuffling.parallel import track_items

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    import numpy.typing as npt

    from curvewise.data.curves import Curves
    from curvewise.inference.caveats import Caveat
    from curvewise.inference.scenarios import Scenario
    from curvewise.questions.monitor.batches import Batches
    from curvewise.questions.monitor.plan import MonitoringPlan, Spending
    from curvewise.questions.monitor.result import Answer, SequentialPair

__all__ = ["monitor"]


def monitor(
    curves: Curves,
    *,
    seed: int,
    batch: Sequence[Any] | npt.ArrayLike | None = None,
    n_batches: int = 5,
    batch_size: int = 4,
    spending: Spending = "linear",
    alpha: float = 0.05,
    effect: Scenario | None = None,
    n_shuffles: int = 9_999,
    give_up: Sequence[str] = (),
    plan_file: str | os.PathLike[str] | None = None,
) -> Monitoring:
    """Look at an experiment whose runs come in batches, and say whether to go on.

    Labels are shuffled inside batches, so that batches may differ in whatever else. The chance
    of a false claim stays at alpha over all looks together, exactly, if the plan was fixed
    before the first look. Nothing is kept between looks: give all runs so far, and the same
    plan, at every look.

    Parameters
    ----------
    curves : Curves
        All runs so far.
    seed : int
        What relabellings are drawn from. Required, since it must be the same at every look.
    batch : sequence, (n_runs,), optional
        The batch of each run; by default the blocks of the curves. Batches come in the natural
        order of their names: 2 before 10, dates as they follow each other.
    n_batches : int
        How many batches there will be at most, up to 100. There is a look after each.
    batch_size : int
        How many runs of each algorithm are in a batch, 2 to 1,000.
    spending : "linear" or "obf"
        How alpha is spent: the same at every look, or little at first, as the boundaries of
        O'Brien and Fleming do, which leaves the last look nearly the power of a test without
        looks.
    alpha : float
        The chance of any false claim, over all looks; of several algorithms over all pairs too,
        for each effect.
    effect : Scenario, optional
        The smallest difference that is worth finding, such as ``scenario("lift", 5)``. Where
        the runs so far leave it a chance of less than .1 to be found by the last look, stopping
        is advised. The advice does not bind: alpha holds either way.
    n_shuffles : int
        How many random relabellings, up to a million. All are visited where the plan allows 20,000 at most.
    give_up : sequence of str
        Of three algorithms or more: those that get no more runs, although not all of their
        pairs are decided. That is allowed at any time, whatever the reason.
    plan_file : path, optional
        A file to which the plan is written at the first look, with the name of the score and
        the steps that were looked at, and against which they are checked at later ones.

    Returns
    -------
    Monitoring

    Raises
    ------
    CurvesError
        If a batch lacks an algorithm, there are more batches than planned, a batch has more runs
        than planned, or the plan in the file, or its score, is another one.
    OptionError
        If an argument has a value that cannot be used, or no data could be significant under
        the plan.

    Examples
    --------
    >>> import curvewise as cw
    >>> curves = cw.load_example("tictactoe").select("A1", "A2")
    >>> batch = [int(run) // 5 for run in curves.runs]
    >>> found = cw.monitor(curves, batch=batch, n_batches=4, batch_size=5, seed=1)
    >>> found.answer, found.look, found.overall.rejected_at
    ('stop: different', 2, 2)
    """
    check_curves(curves, "monitor()")
    plan = checked_plan(
        curves.algorithms,
        n_batches=n_batches,
        batch_size=batch_size,
        spending=spending,
        alpha=alpha,
        n_shuffles=n_shuffles,
        seed=seed,
    )
    if effect is not None:
        check_effect(effect)
    curves = in_batches(curves, batch)
    check_design(curves.with_blocks(None))
    batches = batches_of(curves, plan)
    check_gaps(batches)
    given_up = given_up_of(batches, give_up)
    earlier: tuple[Caveat, ...] = ()
    if plan_file is not None:
        earlier = check_plan_file(plan_file, plan, batches, curves)
    pairs = sequential_pairs(curves, batches, plan, given_up)
    _check_absent(batches, pairs, given_up)
    if effect is not None and batches.look < plan.n_batches:
        pairs = _with_chances(pairs, Prospect.of(curves, effect, plan), batches)
    answer, next_batch = _decision(pairs, batches, plan)
    if plan_file is not None:
        write_plan_file(plan_file, plan, batches, curves)
    return Monitoring(
        plan=plan,
        answer=answer,
        look=batches.look,
        algorithms=curves.algorithms,
        batches=batches.sizes(),
        **any_pair(pairs),
        pairs=pairs,
        next_batch=next_batch,
        caveats=(
            *earlier,
            *smaller_batches(batches, plan),
            *prepared(curves),
            *single_runs_and_steps(curves),
        ),
        n_steps=curves.n_steps,
        stated=None if effect is None else str(effect),
        higher_is_better=curves.higher_is_better,
        source=curves.source,
        preparation=curves.preparation,
    )


def _with_chances(
    pairs: Sequence[SequentialPair], prospect: Prospect, batches: Batches
) -> tuple[SequentialPair, ...]:
    """Simulate the chances of undecided pairs, and advise to stop where they are small."""
    told = []
    for pair in track_items(pairs):
        if pair.status == "undecided":
            chance = prospect.chance((pair.a, pair.b), batches.names)
            advised = chance < MAX_CHANCE
            told.append(
                replace(
                    pair,
                    chance=chance,
                    status="stopping advised" if advised else pair.status,
                )
            )
        else:
            told.append(pair)
    return tuple(told)


def _check_absent(
    batches: Batches, pairs: Sequence[SequentialPair], given_up: frozenset[str]
) -> None:
    """Raise for an algorithm that got no more runs before all of its pairs were decided."""
    for name in batches.algorithms:
        last = batches.last_of(name)
        if last == batches.look or name in given_up:
            continue
        undecided = [
            other
            for pair in pairs
            for own, other in ((pair.a, pair.b), (pair.b, pair.a))
            if own == name
            and other not in given_up
            and (pair.overall.rejected_at or batches.look + 1) > last
        ]
        check_missing(batches, name, undecided)


def _decision(
    pairs: Sequence[SequentialPair], batches: Batches, plan: MonitoringPlan
) -> tuple[Answer, dict[str, int]]:
    """Return the answer, and how many runs of each algorithm the next batch has."""
    status = {pair.status for pair in pairs}
    answer: Answer = "go on"
    if status == {"different"}:
        answer = "stop: different"
    elif batches.look == plan.n_batches or not status & {"undecided", "stopping advised"}:
        answer = "stop: not decided"
    elif "undecided" not in status:
        answer = "stopping advised"
    wanted = {
        name
        for pair in pairs
        if pair.status == "undecided" and answer == "go on"
        for name in (pair.a, pair.b)
    }
    return answer, {
        name: plan.batch_size if name in wanted else 0 for name in batches.algorithms
    }
