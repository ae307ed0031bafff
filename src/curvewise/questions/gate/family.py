"""Several gates: metrics, or tasks, that must all pass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from curvewise.errors import OptionError
from curvewise.inference.families import adjusted, ask_each, check_members, own_level
from curvewise.inference.member_caveats import gathered
from curvewise.inference.requirements import check_curves
from curvewise.inference.work import shuffling_work
from curvewise.questions.gate.caveats import TooManyGates
from curvewise.questions.gate.options import GateOptions
from curvewise.questions.gate.question import gate_at_levels
from curvewise.questions.gate.result import Gates
from curvewise.text import did_you_mean, listed, shown_value

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

    from curvewise.data.curves import Curves
    from curvewise.inference.caveats import Caveat
    from curvewise.inference.effects import Center
    from curvewise.inference.requirements import RNGLike
    from curvewise.questions.gate.numbers import On
    from curvewise.questions.gate.options import SpreadChoice
    from curvewise.questions.gate.result import Gate, Unit

__all__ = ["gate_many"]

MAX_NAMED = 6  # gates that a message lists


def gate_many(
    members: Mapping[str, Curves],
    *,
    candidate: str,
    baseline: str,
    margin: float | Mapping[str, float],
    unit: Unit | Mapping[str, Unit] = "score",
    on: On | Mapping[str, On] = "mean",
    order: Sequence[str] | None = None,
    alpha: float = 0.05,
    two_sided: bool = False,
    spread: SpreadChoice = "auto",
    assumed: float = 0.0,
    power: float = 0.8,
    sd_from: Mapping[str, Curves] | None = None,
    center: Center = "mean",
    n_shuffles: int | Literal["auto", "precise"] = 9_999,
    exact: bool | None = None,
    n_jobs: int = 1,
    rng: RNGLike = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> Gates:
    """Test a candidate against a baseline on several metrics or tasks.

    All pass if each passes at alpha (intersection–union: no adjustment is needed, and the
    chance of a wrong "all pass" is at most alpha). Any fails if its p of a fail, adjusted by
    Holm's method, is at most alpha.

    Parameters
    ----------
    members : mapping from name to Curves
        One for each metric or task, with runs of both algorithms.
    margin, unit, on
        As in `gate`; the same for all, or a mapping from name.
    order : sequence of str, optional
        All names, the most important first. Gates are then examined in this order up to the
        first that does not pass; later ones are "not examined", and all passes hold together
        at alpha. Without it only "all pass" does.
    sd_from : mapping from name to Curves, optional
        As in `gate`, for each name.
    candidate, baseline, alpha, two_sided, spread, assumed, power, center
        As in `gate`.
    n_shuffles, exact, n_jobs, rng, checkpoint
        As in `gate`.

    Returns
    -------
    Gates
        A mapping from name to Gate.

    Examples
    --------
    >>> import curvewise as cw
    >>> curves = cw.load_example("tictactoe")
    >>> halves = {"early": curves.window(0, 4000), "late": curves.window(5000, 8000)}
    >>> cw.gate_many(halves, candidate="A1", baseline="A2", margin=1).answers
    {'early': 'pass', 'late': 'pass'}
    """
    check_members(members, "Curves")
    for curves in members.values():
        check_curves(curves, "gate_many()")
    examined = _checked_order(order, members)
    shared: dict[str, Any] = {
        "candidate": candidate,
        "baseline": baseline,
        "alpha": alpha,
        "two_sided": two_sided,
        "spread": spread,
        "assumed": assumed,
        "power": power,
        "center": center,
    }
    own_options = {
        name: {
            "margin": _own("margin", margin, name, members),
            "unit": _own("unit", unit, name, members),
            "on": _own("on", on, name, members),
            "sd_from": None
            if sd_from is None
            else _own("sd_from", sd_from, name, members),
        }
        for name in members
    }
    with shuffling_work(
        "gate_many",
        *(*members, *members.values(), *shared.values(), own_options, examined),
        n_shuffles=n_shuffles,
        exact=exact,
        n_jobs=n_jobs,
        rng=rng,
        checkpoint=checkpoint,
        n_keys=0,
    ) as work:
        member = work.of_member()
        asked = ask_each(
            members,
            lambda name, curves: gate_at_levels(
                curves, GateOptions(**shared, **own_options[name]), member
            ),
        )
        alone = {name: at(float(alpha)) for name, at in asked.items()}
        pvalues = adjusted({name: own.pvalue_fail for name, own in alone.items()}, "holm")
        found = {
            name: replace(
                at(own_level(float(alpha), alone[name].pvalue_fail, pvalues[name])),
                pvalue_fail_adjusted=pvalues[name],
            )
            for name, at in asked.items()
        }
    family = {
        name: replace(
            own, sampling=own.sampling.with_seed(None if own.seed is None else work.seed)
        )
        for name, own in found.items()
    }
    return Gates(
        family,
        examined,
        float(alpha),
        (
            *_none_can_fail(family, float(alpha)),
            *gathered({name: own.caveats for name, own in family.items()}),
        ),
        work.seed,
    )


def _own(option: str, given: Any, name: str, members: Mapping[str, Curves]) -> Any:
    """Return the value of an option for one member."""
    if not isinstance(given, Mapping):
        return given
    unknown = [other for other in given if other not in members]
    if unknown:
        msg = (
            f"{option} names {unknown[0]!r}, and no gate is called so; "
            f"{did_you_mean(str(unknown[0]), members)}"
        )
        raise OptionError(msg, option=option)
    if name not in given:
        msg = f"{option} has no value for {name!r}. Give one for each of {listed(list(members), MAX_NAMED)}."
        raise OptionError(msg, option=option)
    return given[name]


def _checked_order(
    order: Sequence[str] | None, members: Mapping[str, Curves]
) -> tuple[str, ...]:
    if order is None:
        return ()
    is_list = isinstance(order, Iterable) and not isinstance(order, str)
    if not is_list or sorted(map(str, order)) != sorted(members):
        msg = (
            f"order must name every gate once: {listed(list(members), MAX_NAMED)}; it is "
            f"{shown_value(order)}."
        )
        raise OptionError(msg, option="order")
    return tuple(order)


def _none_can_fail(family: Mapping[str, Gate], alpha: float) -> Iterator[Caveat]:
    """Warn where a fail cannot be found for the number of gates, although each could alone."""
    smallest = [own.smallest_pvalue for own in family.values()]
    if min(smallest) <= alpha < min(smallest) * len(family):
        yield TooManyGates(len(family), min(min(smallest) * len(family), 1.0), alpha)
