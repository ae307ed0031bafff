"""May I stop, or do I need more runs? An exact sequential test, look after look.

Group-sequential designs: Jennison & Turnbull (2000); spending of alpha: Lan & DeMets (1983).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from curvewise.data.curves import Curves
from curvewise.errors import refuse
from curvewise.files import check_place, write_text
from curvewise.inference.asking import PathLike, Share, asked_of, check_design, question
from curvewise.inference.caveats import prepared, single_runs_and_steps
from curvewise.inference.simulate import Scenario
from curvewise.questions.monitor.method import (
    MAX_CHANCE,
    Prospect,
    any_pair,
    batches_of,
    check_absent,
    check_effect,
    check_gaps,
    given_up_of,
    in_batches,
    sequential_pairs,
    smaller_batches,
)
from curvewise.questions.monitor.result import (
    Monitoring,
    MonitoringPlan,
    OtherSteps,
    Spending,
    checked_plan,
)
from curvewise.shuffling.visit import track_items
from curvewise.text import argument, listed

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from curvewise.inference.caveats import Caveat
    from curvewise.questions.monitor.method import Batches
    from curvewise.questions.monitor.result import Answer, SequentialPair, Status


# --- The plan in a file: written at the first look, and held against what is asked at later ones.

FORMAT = "curvewise monitoring plan 1"


def known_plan(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the plan in a file; nothing if there is no such file yet.

    Raises
    ------
    CurvesError, OptionError
        If the file cannot be read, is no plan, or was edited.
    """
    return dict(_known(path).get("plan", {}))


def check_plan_file(
    path: str | os.PathLike[str], plan: MonitoringPlan, batches: Batches, curves: Curves
) -> tuple[Caveat, ...]:
    """Return what there is to know of how earlier looks were made.

    Nothing is said of a file that does not exist yet, if it can be written.

    Raises
    ------
    CurvesError
        If the file has another plan, was edited, knows batches that are not there, or another
        score was looked at.
    """
    record, now = _known(path), _measured(curves)
    if not record:
        return ()
    _check_same_plan(path, record["plan"], plan.to_dict())
    _check_same_batches(path, record["batches"], batches.sizes())
    known = record.get("measured", now)
    if known["score"] != now["score"]:
        refuse(
            f"The score was {known['score']!r} at earlier looks and is {now['score']!r} "
            f"({str(path)!r}). A score that is chosen after a look no longer keeps alpha: take the "
            "one that was planned."
        )
    # New runs may change the steps.
    return () if known == now else (OtherSteps(tuple(known["steps"]), tuple(now["steps"])),)


def write_plan_file(
    path: str | os.PathLike[str], plan: MonitoringPlan, batches: Batches, curves: Curves
) -> None:
    """Write the plan and the batches that were looked at, whole or not at all.

    What was measured stays as it was at the first look.
    """
    known = _known(path)
    record = {
        "format": FORMAT,
        "plan_id": plan.plan_id,
        "plan": plan.to_dict(),
        "batches": batches.sizes(),
        "measured": known.get("measured") or _measured(curves),
    }
    if known != record:
        text = json.dumps({**record, "checksum": _checksum(record)}, indent=2)
        write_text(Path(path), f"{text}\n", "plan", option="plan_file")


def _measured(curves: Curves) -> dict[str, Any]:
    """Return what was looked at: the name of the score, and the first and the last step."""
    return {"score": curves.display.score_name, "steps": curves.steps[[0, -1]].tolist()}


def _checksum(record: Mapping[str, Any]) -> str:
    text = json.dumps(record, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _known(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return what a file has of a plan and its batches, if it is whole and as it was written."""
    place = Path(path)
    check_place(place, "plan", option="plan_file")
    if not place.exists():
        return {}
    try:
        record = json.loads(place.read_text(encoding="utf-8-sig"))
        written = record.pop("checksum")
        written_as = str(record["format"])
    except OSError as error:
        refuse(f"The plan {str(path)!r} cannot be read: {error.strerror}.", option="plan_file")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        record, written, written_as = {}, "", ""
    if written_as == FORMAT and written != _checksum(record):
        refuse(
            f"The plan {str(path)!r} was edited after it was written. A plan that changes after a "
            "look no longer keeps its alpha: restore the file as it was."
        )
    if written_as != FORMAT and written_as.startswith(FORMAT.rstrip("0123456789")):
        refuse(
            f"The plan {str(path)!r} was written by another version of curvewise. Go on with that "
            "version, so that every look is computed alike."
        )
    plan, batches = record.get("plan"), record.get("batches")
    is_whole = (
        isinstance(plan, dict)
        and set(plan) == {field.name for field in fields(MonitoringPlan)}
        and isinstance(batches, dict)
        and all(isinstance(sizes, dict) for sizes in batches.values())
        and isinstance(record.get("measured", {}), dict)
    )
    if written_as != FORMAT or not is_whole:
        refuse(f"{str(path)!r} is not a plan of a monitored experiment. Name another file.")
    return dict(record)


def _check_same_plan(path: object, known: Mapping[str, Any], asked: Mapping[str, Any]) -> None:
    def shown(value: object) -> str:
        return ", ".join(map(repr, value)) if isinstance(value, list) else str(value)

    changed = [
        f"{argument(name)} was {shown(known.get(name))} and is {shown(value)}"
        if name != "algorithms"
        else f"the algorithms were {shown(known.get(name))} and are {shown(value)}"
        for name, value in asked.items()
        if known.get(name) != value
    ]
    if changed:
        refuse(
            f"The plan changed after the first look: {listed(changed)} ({str(path)!r}). A plan that "
            "changes after a look no longer keeps its alpha: use it as it was."
        )


def _check_same_batches(
    path: object, known: Mapping[str, Mapping[str, int]], now: Mapping[str, Mapping[str, int]]
) -> None:
    """Raise unless the batches that were looked at come first, with the runs they had."""
    for name, own in known.items():
        if name not in now:
            refuse(
                f"There was a look at batch {name!r} before ({str(path)!r}), and now it is missing: "
                f"there are {listed(list(now), 6)}. Give all batches at every look."
            )
        if now[name] != own:
            had, has = (" + ".join(map(str, each.values())) for each in (own, now[name]))
            refuse(
                f"Batch {name!r} had {had} runs of {listed(list(own), 6)} when it was looked at "
                f"({str(path)!r}), and has {has} now. Put new runs into the next batch."
            )
    new = [name for name in list(now)[: len(known)] if name not in known]
    if new:
        refuse(
            f"Batch {new[0]!r} comes before batches that were looked at already ({str(path)!r}): "
            "batches are in the order of their names. Give it a later name."
        )


# --- May I stop, or do I need more runs?


@question()
def monitor(
    curves: Curves,
    *,
    seed: int,
    batch: Sequence[Any] | npt.ArrayLike | None = None,
    n_batches: int = 5,
    batch_size: int = 4,
    spending: Spending = "linear",
    alpha: Share = 0.05,
    effect: Scenario | None = None,
    n_shuffles: int = 9_999,
    give_up: Sequence[str] = (),
    plan_file: PathLike | None = None,
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
        What relabellings are drawn from; the same at every look. So it is required.
    batch : sequence, (n_runs,), optional
        The batch of each run; by default the blocks of the curves. Batches come in the natural
        order of their names: 2 before 10, dates as they follow each other.
    n_batches : int
        How many batches there will be at most, up to 100; with a look after each.
    batch_size : int
        How many runs of each algorithm are in a batch, 2 to 1,000.
    spending : "linear" or "obf"
        How alpha is spent: the same at every look, or little at first (O'Brien and Fleming),
        which leaves more for the last. The last look then has nearly the power of a test
        without looks.
    alpha : float
        The chance of any false claim, over all looks. Of several algorithms it is over all pairs,
        too, for each effect.
    effect : Scenario, optional
        The smallest difference that is worth finding, such as ``scenario("lift", 5)``. Where
        the runs so far leave it a chance of less than .1 to be found by the last look, stopping
        is advised. The advice does not bind: alpha holds either way.
    n_shuffles : int
        How many random relabellings, where not all are visited. They are up to a million. All are
        visited where the plan allows 20,000 at most.
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
    plan = checked_plan(asked_of(monitor, **locals()), curves.algorithms)
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
    check_absent(batches, pairs, given_up)
    if effect is not None and batches.look < plan.n_batches:
        prospect = Prospect.of(curves, effect, plan)
        pairs = tuple(_with_chance(pair, prospect, batches) for pair in track_items(pairs))
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
        period=curves.period,
    )


def _with_chance(pair: SequentialPair, prospect: Prospect, batches: Batches) -> SequentialPair:
    """Simulate the chance of an undecided pair, and advise to stop where it is small."""
    if pair.status != "undecided":
        return pair
    chance = prospect.chance((pair.a, pair.b), batches.names)
    status: Status = "stopping advised" if chance < MAX_CHANCE else "undecided"
    return replace(pair, chance=chance, status=status)


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
    return answer, {name: plan.batch_size if name in wanted else 0 for name in batches.algorithms}
