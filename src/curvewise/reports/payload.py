"""Curves and results in, the data of a report out: ``curvewise-report/1``, JSON-ready.

Every p comes from Python as a count of relabellings; the page divides and looks up. The
format is documented in docs/report.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.questions.locate.words import WINDOW_WORDS
from curvewise.reports.packing import counts_of, packed, packed_numbers
from curvewise.text import printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from curvewise.data.curves import Curves
    from curvewise.data.display import Display
    from curvewise.inference.result import Result
    from curvewise.kernels import Floats
    from curvewise.questions.locate.result import Band, Location
    from curvewise.questions.locate.windows import WindowTests
    from curvewise.rendering.looks import Look

__all__ = ["MAX_STEPS_OF_RUNS", "SCHEMA", "result_record", "table_record"]

SCHEMA = "curvewise-report/1"
# With more steps, runs are drawn by their lowest and highest score in each of some columns.
MAX_STEPS_OF_RUNS = 4_000
MAX_COLUMNS = 2_000
MAX_LISTED = 100  # numbers; longer lists are left out of the records of results


def table_record(
    curves: Curves,
    location: Location | None,
    looks: Mapping[str, Look],
    display: Display,
    *,
    runs: bool = True,
) -> dict[str, Any]:
    """Return curves, and where they differ, as a page draws them and looks p up.

    ``looks`` and ``display`` say how lines look, and what steps and scores are called.
    ``runs`` tells whether every run is drawn, or only means and bands.
    """
    own = [looks[name] for name in curves.algorithms]
    # A page that has every score finds the bands of runs by itself.
    every_score = runs and curves.n_steps <= MAX_STEPS_OF_RUNS
    return {
        "step_name": printable(display.step_name),
        "score_name": printable(display.score_name),
        "higher_is_better": curves.higher_is_better,
        "steps": _steps(curves.steps),
        "algorithms": [
            {
                "name": printable(name),
                "n_runs": n_runs,
                "colour": look.colour,
                "dark": look.dark,
                # In pixels, of lines that are two of them wide.
                "dash": " ".join(f"{2 * length:g}" for length in look.dash),
            }
            for name, n_runs, look in zip(
                curves.algorithms, curves.sizes, own, strict=True
            )
        ],
        "labels": curves.codes.tolist(),
        "runs": [printable(str(run)) for run in curves.runs],
        "means": packed_numbers(_by_algorithm(curves, "mean"), 4),
        "half_widths": _half_widths(curves),
        "bands": None if every_score else _bands(curves),
        "scores": _scores(curves) if runs else None,
        "location": None if location is None else _location(location),
    }


def _steps(steps: np.ndarray[Any, Any]) -> list[float] | dict[str, float]:
    """Return the steps; of evenly spaced whole ones the first, the distance and how many."""
    listed: list[float] = steps.tolist()
    if len(listed) > 2 and np.issubdtype(steps.dtype, np.integer):
        gaps = np.diff(steps)
        if (gaps == gaps[0]).all():
            return {"first": listed[0], "by": gaps[0].item(), "n": len(listed)}
    return listed


def _by_algorithm(curves: Curves, what: str) -> Floats:
    """Return the mean, the lowest or another number of the runs at each step."""
    rows = [curves.scores[curves.codes == code] for code in range(len(curves.algorithms))]
    return np.array([getattr(own, what)(axis=0) for own in rows])


def _bands(curves: Curves) -> dict[str, Any]:
    """Return lowest and highest score and standard deviation of the runs at each step."""
    deviations = np.array(
        [
            curves.scores[curves.codes == code].std(axis=0, ddof=1)
            if n > 1
            else np.zeros(curves.n_steps)
            for code, n in enumerate(curves.sizes)
        ]
    )
    return {
        "low": packed_numbers(_by_algorithm(curves, "min"), 2),
        "high": packed_numbers(_by_algorithm(curves, "max"), 2),
        "sd": packed_numbers(deviations, 2),
    }


def _half_widths(curves: Curves) -> list[float]:
    """Return half the width of the 95% interval of each mean, in standard deviations."""
    from scipy.special import stdtrit

    return [
        float(stdtrit(n - 1, 0.975) / np.sqrt(n)) if n > 1 else 0.0 for n in curves.sizes
    ]


def _scores(curves: Curves) -> dict[str, Any]:
    """Return every run, for drawing only; with very many steps its extremes by column."""
    n_steps = curves.n_steps
    if n_steps <= MAX_STEPS_OF_RUNS:
        return {**packed_numbers(curves.scores, 2), "columns": None}
    edges = np.linspace(0, n_steps, MAX_COLUMNS + 1).astype(np.int64)[:-1]
    low = np.minimum.reduceat(curves.scores, edges, axis=1)
    high = np.maximum.reduceat(curves.scores, edges, axis=1)
    both = np.stack([low, high], axis=2).reshape(curves.n_runs, -1)
    return {**packed_numbers(both, 2), "columns": edges.tolist()}


def _location(location: Location) -> dict[str, Any]:
    sampling = location.sampling
    n_visited = sampling.n_relabellings if sampling.exact else sampling.n_shuffles + 1
    steps = location.steps.tolist()
    places = {step: place for place, step in enumerate(steps)}
    band, windows = location.band, location.windows
    return {
        "alpha": location.alpha,
        "visited": n_visited,
        "exact": sampling.exact,
        "regions": {
            name: [[places[own.start], places[own.stop]] for own in effect.regions]
            for name, effect in location.effects.items()
        },
        "differs_from": location.differs_from,
        "differs_until": location.differs_until,
        "step_counts": packed(counts_of(location.pvalue_adjusted, n_visited)),
        "band": None if band is None else _band(band),
        "windows": None if windows is None else _windows(windows, n_visited),
        "quotes_scores": location.quotes_scores,
        "words": WINDOW_WORDS,
    }


def _band(band: Band) -> dict[str, Any]:
    """Return the difference; a band without ends is left out."""
    rows = [band.difference, band.low, band.high]
    bounded = bool(np.isfinite(rows).all())
    return {
        "a": printable(band.a),
        "b": printable(band.b),
        "confidence": band.confidence,
        "bounded": bounded,
        "values": packed_numbers(np.array(rows if bounded else rows[:1]), 2),
    }


def _windows(windows: WindowTests, n_visited: int) -> dict[str, Any]:
    """Return the counts of every window: upper triangles by rows, of height and of shape."""
    n_places = len(windows.starts)
    upper = np.triu_indices(n_places)
    first = np.searchsorted(windows.steps, windows.starts)
    return {
        "n_places": n_places,
        # Of places that are steps, nothing more needs to be said.
        "starts": None if n_places == len(windows.steps) else first.tolist(),
        "count": len(upper[0]),
        "adjusted": packed(
            np.array([counts_of(p[upper], n_visited) for p in windows.pvalue_adjusted])
        ),
        "planned": packed(
            np.array([counts_of(p[upper], n_visited) for p in windows.pvalue])
        ),
    }


def result_record(result: Result) -> dict[str, Any]:
    """Return a result as the command prints it with ``--json``, without its long lists."""
    return {
        "headline": result.headline(),
        "verdict": result.describe(),
        **_without_long_lists(result.to_dict()),
    }


def _without_long_lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_long_lists(own) for name, own in value.items()}
    if isinstance(value, list):
        short = len(value) <= MAX_LISTED
        return [_without_long_lists(own) for own in value] if short else None
    return value
