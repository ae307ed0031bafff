"""What was done to runs before they became curves, as a record that goes with them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from curvewise.data.short_runs import counts_text
from curvewise.text import (
    argument,
    number_text,
    p_text,
    plural,
    printable,
    step_text,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "AlgorithmLogs",
    "Preparation",
    "RunExtent",
    "schedules_differ",
    "spacings_text",
]

# Spacings of algorithms that differ by less are the same, but for jitter.
MIN_SPACING_RATIO = 1.1
# Spacings that differ by more make other rules than linear interpolation cry wolf.
MAX_SPACING_RATIO = 1.5
# A range that covers less of the longest run is worth a warning.
MIN_COVERAGE = 0.9
MAX_NAMED = 6  # algorithms that a sentence lists
BETWEEN = {
    "linear": "by linear interpolation",
    "previous": "by the last value logged before",
}


@dataclass(frozen=True)
class AlgorithmLogs:
    """The runs of one algorithm as they were logged.

    ``spacing`` is the median distance of their steps; None where every run has one step.
    """

    name: str
    n_runs: int
    n_short: int
    spacing: float | None


@dataclass(frozen=True)
class RunExtent:
    """One run as it was logged: from where to where, in how many points, with which gap.

    The steps are None for a run without a finite score, the gap with fewer than two points.
    """

    algorithm: str
    run: str
    first: float | None
    last: float | None
    n_points: int
    largest_gap: float | None
    short: bool


@dataclass(frozen=True)
class Preparation:
    """How runs were brought to common steps, and what became of short ones.

    Attributes
    ----------
    how : str
        "linear", "previous" or "bins"; "" if all runs had the same steps.
    grid : str
        Where the steps come from: "common" to all runs, those of one "run", evenly spaced
        ("even") or the middles of "bins".
    grid_run : str
        The run whose steps they are, as algorithm/run, where they are those of one.
    n_steps : int
    first, last : float
        The range of the steps.
    n_runs, n_points : int
        The runs that were kept, and how many points they were logged in.
    n_interpolated : int
        Runs with values between their logged steps.
    n_cut, n_filled, n_dropped : int
        Runs with points outside the common range; runs filled up; runs left out.
    coverage : float
        The share of the range of all runs that is compared.
    begins_with, ends_with : str
        The runs that bound the common range, as algorithm/run.
    algorithms : tuple of AlgorithmLogs
        For each algorithm: runs, short ones, spacing of steps.
    short : str
        What was done with short runs: "prefix", "worst", "carry" or "drop"; "" without any.
    fill : float or None
        The worst score of all, where short runs were filled with it.
    reason : str
        Why short runs were dropped.
    failure_pvalue : float or None
        Exact p of the test whether algorithms differ in how many runs are short; None without
        short runs, or with one algorithm.
    runs : tuple of RunExtent
        Each run as it was logged, those left out too.
    notes : tuple of str
        What else was left out or mended, in a sentence each.
    """

    how: str
    grid: str
    grid_run: str
    n_steps: int
    first: float
    last: float
    n_runs: int
    n_points: int
    n_interpolated: int
    n_cut: int
    n_filled: int
    n_dropped: int
    coverage: float
    begins_with: str
    ends_with: str
    algorithms: tuple[AlgorithmLogs, ...]
    short: str = ""
    fill: float | None = None
    reason: str = ""
    failure_pvalue: float | None = None
    runs: tuple[RunExtent, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def covers_less(self) -> bool:
        """Whether the range is much shorter than that of the longest run."""
        return self.coverage < MIN_COVERAGE

    @property
    def quotes_scores(self) -> bool:
        """Whether sizes in units of the score mean something: not if they depend on a fill."""
        return self.fill is None

    def sentence(self) -> str:
        """Say in one line how runs were aligned, and how many were short; "" if neither."""
        parts = [self._aligned(), self._short()]
        return " ".join(part for part in parts if part)

    def _aligned(self) -> str:
        if not self.how:
            return ""
        steps = (
            f"{plural(self.n_steps, 'step')} from {step_text(self.first)} to "
            f"{step_text(self.last)}"
        )
        if self.how == "bins":
            parts = [f"means over equal bins, whose middles are {steps}"]
        else:
            of = {
                "run": f"{steps}, those of {printable(self.grid_run)} (logged least often)",
                "even": f"{steps}, evenly spaced",
            }
            every = "all others" if self.n_filled and self.n_interpolated else "all runs"
            parts = [of.get(self.grid, f"{steps}, at which {every} were logged")]
            if self.n_interpolated:
                parts.append(
                    f"{self.n_interpolated} of {plural(self.n_runs, 'run')} "
                    f"{BETWEEN[self.how]}"
                )
        if _spacing_ratio(self.algorithms) > MIN_SPACING_RATIO:
            parts.append(spacings_text(self.algorithms))
        return f"Aligned: {'; '.join(parts)}."

    def _short(self) -> str:
        if not self.short:
            return ""
        counts = self.counts()
        return f"{counts} ended early, diverged or were empty; {self._treated()}."

    def counts(self) -> str:
        """Say how many runs of each algorithm are short."""
        return counts_text(
            [own.n_short for own in self.algorithms],
            [own.n_runs for own in self.algorithms],
            [own.name for own in self.algorithms],
        )

    def _treated(self) -> str:
        what = {
            "prefix": (
                f"all runs are compared up to step {step_text(self.last)}, as far as the "
                "shortest goes"
            ),
            "worst": (
                "from their end on they count as the worst score of all, so that nothing is "
                "quoted in units of the score"
            ),
            "carry": "their last score is carried on",
            "drop": "they were left out",
        }
        why = f"; reason: {printable(self.reason)}" if self.reason else ""
        tested = ""
        if self.failure_pvalue is not None:
            tested = f"; exact p of these counts = {p_text(self.failure_pvalue)}"
        return f"{what[self.short]} ({argument('short', self.short)}{why}){tested}"

    def in_short(self) -> str:
        """Return the few words that a source carries."""
        parts = []
        if self.how:
            parts.append(
                f"aligned ({self.how}, {plural(self.n_steps, 'step')}, "
                f"{step_text(self.first)} to {step_text(self.last)})"
            )
        if self.short:
            n_short = sum(own.n_short for own in self.algorithms)
            filled = "" if self.fill is None else f", {number_text(self.fill)}"
            parts.append(f"{plural(n_short, 'short run')} ({self.short}{filled})")
        return "; ".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return {
            **asdict(self),
            "algorithms": [asdict(own) for own in self.algorithms],
            "runs": [asdict(own) for own in self.runs],
            "notes": list(self.notes),
            "sentence": self.sentence(),
        }


def schedules_differ(algorithms: Sequence[AlgorithmLogs]) -> bool:
    """Tell whether some algorithm was logged more than 1.5 times as often as another."""
    return _spacing_ratio(algorithms) > MAX_SPACING_RATIO


def _spacing_ratio(algorithms: Sequence[AlgorithmLogs]) -> float:
    found = [own.spacing for own in algorithms if own.spacing is not None]
    return max(found) / min(found) if found else 1.0


def spacings_text(algorithms: Sequence[AlgorithmLogs]) -> str:
    """Say how often each algorithm was logged.

    >>> logs = [AlgorithmLogs("A", 5, 0, 1_000.0), AlgorithmLogs("B", 5, 0, 10_000.0)]
    >>> spacings_text(logs)
    'A logs every 1000 steps, B every 10k'
    """
    spacings = {own.name: own.spacing for own in algorithms if own.spacing is not None}
    parts: list[str] = []
    for name, spacing in list(spacings.items())[:MAX_NAMED]:
        every = number_text(spacing) if spacing % 1 else step_text(spacing)
        first = not parts
        unit = f" step{'' if spacing == 1 else 's'}" if first else ""
        parts.append(f"{printable(name)} {'logs ' if first else ''}every {every}{unit}")
    more = len(spacings) - len(parts)
    return ", ".join(parts) + (f" and {more} more" if more else "")
