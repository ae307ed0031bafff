"""Scenarios: how the mean curve of one algorithm may differ from that of another.

Piater, Cohen, Zhang & Atighetchi (1998), ICML, for the modifications a to d of a curve L of k
steps, with f for the size and r = L_k − L_1:

    a   L_i + f r / 80
    b   L_i + f r (k/2 − i + 1) / 100 up to the middle, L_i − f r (i − k/2) / 100 after it
    c   L_i + f (L_i − L_1) (i − 1) / 100
    d   L_i + f r (i − 1) / 100 up to the middle, L_i + f r (k − i) / 100 after it
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from curvewise.data.choices import check_choice, refuse_option
from curvewise.data.validation import MAX_SCORE
from curvewise.errors import CurvesError, OptionError
from curvewise.inference.requirements import check_number
from curvewise.text import capitalised, in_python, plural, printable

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from curvewise.kernels import Floats

    Change = Callable[[Floats], npt.ArrayLike]

__all__ = ["KINDS", "On", "Scenario", "Unit", "scenario"]

Unit = Literal["score", "sd"]
On = Literal["mean", "curves"]
# What can be asked for by name, and in which words; {} is the size.
KINDS = {
    "lift": "a lift of {}",
    "stretch": "a stretch by {}",
    "speed": "learning {} times as fast",
    "a": "a lift by {}/80 of what is learned",
    "b": "a crossing of size {}",
    "c": "a growing lead of size {}",
    "d": "a lead in the middle of size {}",
}
# Of these kinds curves stay as they are at this size.
UNCHANGED = {"stretch": 1.0, "speed": 1.0}


@dataclass(frozen=True)
class Scenario:
    """A difference between two algorithms, to be looked for by a simulated experiment.

    Attributes
    ----------
    kind : str
        "lift", "stretch", "speed", "a" to "d", "difference" for numbers that are added, or
        "change" for a function.
    size : float
        How large it is.
    unit : "score" or "sd"
        What the size of a lift is in: units of the score, or standard deviations of curve means.
    on : "mean" or "curves"
        What is changed: the mean curve, before noise is added, or each noisy curve.
    numbers : tuple of float
        What is added at each step, for a difference.
    function : callable or None
        What makes one curve of another, for a change.
    """

    kind: str
    size: float
    unit: Unit = "score"
    on: On = "mean"
    numbers: tuple[float, ...] = field(default=(), repr=False)
    function: Change | None = field(default=None, repr=False)

    def __str__(self) -> str:
        size = f"{self.size:.12g}"
        if self.kind == "difference":
            text = f"the given difference{'' if self.size == 1 else f', times {size}'}"
        elif self.kind == "change":
            name = printable(getattr(self.function, "__name__", "the given function"))
            text = f"the change by {name}{'' if self.size == 1 else f', times {size}'}"
        elif self.unit == "sd":
            noun = "deviation" if self.size == 1 else "deviations"
            text = f"a lift of {size} standard {noun} of curve means"
        else:
            text = KINDS[self.kind].format(size)
        return text if self.on == "mean" else f"{text}, of noisy curves"

    def with_size(self, size: float) -> Scenario:
        """Return the same scenario of another size."""
        return replace(self, size=float(size))

    def changed(
        self, curves: Floats, *, steps: Floats | None = None, height_sd: float = 1.0
    ) -> Floats:
        """Return what becomes of curves, or of one, under this scenario; steps are the last axis.

        Parameters
        ----------
        curves : array, (..., n_steps)
        steps : array, (n_steps,), optional
            The amount of training at each of them; 0, 1, 2, … by default.
        height_sd : float
            The standard deviation of curve means, for sizes that are in units of it.
        """
        return curves + self.difference(curves, steps=steps, height_sd=height_sd)

    def difference(
        self, curves: Floats, *, steps: Floats | None = None, height_sd: float = 1.0
    ) -> Floats:
        """Return what is added to curves under this scenario, as in `changed`."""
        n_steps = curves.shape[-1]
        steps = np.arange(float(n_steps)) if steps is None else steps
        if self.kind == "lift":
            unit = height_sd if self.unit == "sd" else 1.0
            return np.full_like(curves, self.size * unit)
        if self.kind == "stretch":
            return curves * (self.size - 1)
        if self.kind == "difference":
            self._check_steps(len(self.numbers), n_steps)
            return np.broadcast_to(self.size * np.array(self.numbers), curves.shape)
        if self.kind == "speed":
            sooner = steps * self.size
            rows = curves.reshape(-1, n_steps)
            faster = [np.interp(sooner, steps, row) for row in rows]
            return np.stack(faster).reshape(curves.shape) - curves
        if self.function is not None:
            return self._by_function(curves)
        return self.size * self._modification(curves)

    def _by_function(self, curves: Floats) -> Floats:
        assert self.function is not None  # noqa: S101 (asked only of changes)
        n_steps = curves.shape[-1]
        changed = []
        for row in curves.reshape(-1, n_steps):
            returned = self.function(row.copy())
            try:
                numbers = np.asarray(returned, dtype=np.float64)
            except (TypeError, ValueError):
                msg = f"{capitalised(str(self))}: it returned {returned!r}, which is no curve."
                raise OptionError(msg, option="effect") from None
            self._check_steps(numbers.size, n_steps)
            if not np.isfinite(numbers).all():
                msg = f"{capitalised(str(self))}: the changed curve is not finite at every step."
                raise OptionError(msg, option="effect")
            changed.append(numbers.ravel() - row)
        return self.size * np.stack(changed).reshape(curves.shape)

    def _modification(self, curves: Floats) -> Floats:
        """Return the papers' modification for f = 1."""
        n_steps = curves.shape[-1]
        rise = curves[..., -1:] - curves[..., :1]
        place, half = np.arange(1, n_steps + 1), n_steps / 2
        if self.kind == "a":
            return np.broadcast_to(rise / 80, curves.shape)
        if self.kind == "c":
            return (curves - curves[..., :1]) / 100 * (place - 1)
        if self.kind == "b":
            if n_steps % 2:
                how = in_python("Curves.window") or "--from, --to"
                msg = (
                    f"Scenario 'b' leaves heights as they are only with an even number of steps, "
                    f"and there are {n_steps}. Leave out the first step or the last: {how}."
                )
                raise CurvesError(msg)
            return rise / 100 * np.where(place <= half, half - place + 1, half - place)
        return rise / 100 * np.where(place <= half, place - 1, n_steps - place)

    def _check_steps(self, n_numbers: int, n_steps: int) -> None:
        if n_numbers != n_steps:
            msg = (
                f"{capitalised(str(self))} has {plural(n_numbers, 'number')}, and curves have "
                f"{plural(n_steps, 'step')}. Give a number for each step."
            )
            raise OptionError(msg, option="effect")

    @property
    def is_nothing(self) -> bool:
        """Whether the size is the one at which curves stay as they are."""
        return self.size == UNCHANGED.get(self.kind, 0.0)


def scenario(
    kind: str | npt.ArrayLike | Change,
    size: float = 1.0,
    *,
    unit: Unit = "score",
    on: On = "mean",
) -> Scenario:
    """Say how a second algorithm may differ from the first.

    Parameters
    ----------
    kind : str, array, (n_steps,), or callable
        "lift": higher by ``size`` at every step. "stretch": all scores times ``size``.
        "speed": what the first algorithm reaches at step x · ``size``, the second reaches at x
        already; its last score is held. "a" to "d": the modifications of Piater et al. (1998)
        with f = ``size``: a lift by a part of what is learned, a crossing, a growing lead, a
        lead in the middle. Numbers are added, times ``size``. A function takes the mean curve,
        an array, and returns the changed one; of the change ``size`` parts are made.
    size : float
        How large the difference is.
    unit : "score" or "sd"
        What a lift is in: units of the score, or standard deviations of curve means, as the
        pilots show them.
    on : "mean" or "curves"
        What is changed: the mean curve, or each noisy curve, as the papers do it.

    Returns
    -------
    Scenario
        Frozen; prints as words.

    Examples
    --------
    >>> import curvewise as cw
    >>> print(cw.scenario("lift", 5), cw.scenario("speed", 1.5), sep="; ")
    a lift of 5; learning 1.5 times as fast
    """
    check_number("size", size)
    if abs(float(size)) > MAX_SCORE:
        refuse_option("size", f"must be at most {MAX_SCORE:g}, not {size!r}.")
    check_choice("unit", unit, get_args(Unit))
    check_choice("on", on, get_args(On))
    if isinstance(kind, str):
        check_choice("kind", kind, tuple(KINDS))
        if unit == "sd" and kind != "lift":
            refuse_option(
                "unit", f"must be 'score' for {kind!r}; only a lift is in 'sd'."
            )
        if kind == "speed" and size <= 0:
            refuse_option("size", f"must be positive for 'speed'; it is {size!r}.")
        return Scenario(kind, float(size), unit, on)
    if unit == "sd":
        refuse_option("unit", "must be 'score' for numbers and functions.")
    if callable(kind):
        return Scenario("change", float(size), unit, on, function=kind)
    try:
        numbers = np.asarray(kind, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    if numbers.ndim != 1 or not np.isfinite(numbers).all():
        names = ", ".join(KINDS)
        refuse_option(
            "kind",
            f"must be one of {names}, a finite number for each step, or a function.",
        )
    return Scenario("difference", float(size), unit, on, tuple(numbers.tolist()))
