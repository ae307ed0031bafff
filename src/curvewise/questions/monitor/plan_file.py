"""The plan in a file: written at the first look, and held against what is asked at later ones."""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from curvewise.errors import CurvesError, OptionError
from curvewise.files import check_place, write_text
from curvewise.questions.monitor.caveats import OtherSteps
from curvewise.questions.monitor.plan import MonitoringPlan
from curvewise.text import argument, listed

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from curvewise.data.curves import Curves
    from curvewise.inference.caveats import Caveat
    from curvewise.questions.monitor.batches import Batches

__all__ = ["check_plan_file", "known_plan", "write_plan_file"]

FORMAT = "curvewise monitoring plan 1"


def known_plan(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the plan in a file; nothing if there is no such file yet.

    Raises
    ------
    CurvesError, OptionError
        If the file cannot be read, is no plan, or was edited.
    """
    place = Path(path)
    check_place(place, "plan", option="plan_file")
    return dict(_read(place)["plan"]) if place.exists() else {}


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
    place = Path(path)
    check_place(place, "plan", option="plan_file")
    if not place.exists():
        return ()
    record = _read(place)
    _check_same_plan(place, record["plan"], plan.to_dict())
    _check_same_batches(place, record["batches"], batches.sizes())
    return _otherwise_measured(place, record.get("measured"), _measured(curves))


def write_plan_file(
    path: str | os.PathLike[str], plan: MonitoringPlan, batches: Batches, curves: Curves
) -> None:
    """Write the plan and the batches that were looked at, whole or not at all.

    What was measured stays as it was at the first look.
    """
    place = Path(path)
    known = _read(place).get("measured") if place.exists() else None
    record = {
        "format": FORMAT,
        "plan_id": plan.plan_id,
        "plan": plan.to_dict(),
        "batches": batches.sizes(),
        "measured": known or _measured(curves),
    }
    text = json.dumps({**record, "checksum": _checksum(record)}, indent=2) + "\n"
    if place.exists() and place.read_bytes() == text.encode():
        return
    write_text(place, text, "plan", option="plan_file")


def _measured(curves: Curves) -> dict[str, Any]:
    """Return what was looked at: the name of the score, and the first and the last step."""
    ends = [curves.steps[0].item(), curves.steps[-1].item()]
    return {"score": curves.display.score_name, "steps": ends}


def _otherwise_measured(
    path: Path, known: Mapping[str, Any] | None, now: Mapping[str, Any]
) -> tuple[Caveat, ...]:
    """Raise if the score is another one; warn if the steps are, which new runs may change."""
    if known is None or known == now:
        return ()
    if known["score"] != now["score"]:
        msg = (
            f"The score was {known['score']!r} at earlier looks and is {now['score']!r} "
            f"({str(path)!r}). A score that is chosen after a look no longer keeps alpha: take the "
            "one that was planned."
        )
        raise CurvesError(msg)
    return (OtherSteps(tuple(known["steps"]), tuple(now["steps"])),)


def _checksum(record: Mapping[str, Any]) -> str:
    text = json.dumps(record, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _read(path: Path) -> dict[str, Any]:
    """Return what a file has of a plan and its batches, if it is whole and as it was written."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        written = record.pop("checksum")
        written_as = str(record["format"])
    except OSError as error:
        msg = f"The plan {str(path)!r} cannot be read: {error.strerror}."
        raise OptionError(msg, option="plan_file") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        record, written, written_as = {}, "", ""
    if written_as == FORMAT and written != _checksum(record):
        msg = (
            f"The plan {str(path)!r} was edited after it was written. A plan that changes after a "
            "look no longer keeps its alpha: restore the file as it was."
        )
        raise CurvesError(msg)
    if written_as != FORMAT and written_as.startswith(FORMAT.rstrip("0123456789")):
        msg = (
            f"The plan {str(path)!r} was written by another version of curvewise. Go on with that "
            "version, so that every look is computed alike."
        )
        raise CurvesError(msg)
    if written_as != FORMAT or not _is_whole(record):
        msg = f"{str(path)!r} is not a plan of a monitored experiment. Name another file."
        raise CurvesError(msg)
    return dict(record)


def _is_whole(record: Mapping[str, Any]) -> bool:
    """Tell whether a record has all that a plan has, in the form it has it."""
    plan, batches = record.get("plan"), record.get("batches")
    names = {field.name for field in fields(MonitoringPlan)}
    return (
        isinstance(plan, dict)
        and set(plan) == names
        and isinstance(batches, dict)
        and all(isinstance(sizes, dict) for sizes in batches.values())
        and isinstance(record.get("measured", {}), dict)
    )


def _check_same_plan(
    path: Path, known: Mapping[str, Any], asked: Mapping[str, Any]
) -> None:
    changed = [
        f"{argument(name)} was {_shown(known.get(name))} and is {_shown(value)}"
        if name != "algorithms"
        else f"the algorithms were {_shown(known.get(name))} and are {_shown(value)}"
        for name, value in asked.items()
        if known.get(name) != value
    ]
    if changed:
        msg = (
            f"The plan changed after the first look: {listed(changed)} ({str(path)!r}). A plan that "
            "changes after a look no longer keeps its alpha: use it as it was."
        )
        raise CurvesError(msg)


def _shown(value: object) -> str:
    return ", ".join(map(repr, value)) if isinstance(value, list) else str(value)


def _check_same_batches(
    path: Path,
    known: Mapping[str, Mapping[str, int]],
    now: Mapping[str, Mapping[str, int]],
) -> None:
    """Raise unless the batches that were looked at come first, with the runs they had."""
    for name, own in known.items():
        if name not in now:
            msg = (
                f"There was a look at batch {name!r} before ({str(path)!r}), and now it is missing: "
                f"there are {listed(list(now), 6)}. Give all batches at every look."
            )
            raise CurvesError(msg)
        if now[name] != own:
            had, has = (" + ".join(map(str, each.values())) for each in (own, now[name]))
            msg = (
                f"Batch {name!r} had {had} runs of {listed(list(own), 6)} when it was looked at "
                f"({str(path)!r}), and has {has} now. Put new runs into the next batch."
            )
            raise CurvesError(msg)
    new = [name for name in list(now)[: len(known)] if name not in known]
    if new:
        msg = (
            f"Batch {new[0]!r} comes before batches that were looked at already ({str(path)!r}): "
            "batches are in the order of their names. Give it a later name."
        )
        raise CurvesError(msg)
