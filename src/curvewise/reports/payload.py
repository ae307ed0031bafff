"""The data of a report: ``curvewise-report/1``, JSON-ready, with arrays packed as text.

Every p comes from Python as a count of relabellings; the page divides and looks up. The format is
documented in docs/report.md. Arrays are whole numbers in base64, which a browser unpacks without a
library: along each row the first differences are taken, where these take less room, as
little-endian two's complement of 2 or 4 bytes; all lowest bytes come first, then all next ones
(neighbouring bytes are then alike), and what zlib makes of them is written in base64.
"""

from __future__ import annotations

import base64
import json
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.data.curves import scores_by_algorithm
from curvewise.questions.locate.tell import WINDOW_WORDS
from curvewise.rendering.curves import band_reach
from curvewise.text import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from curvewise.data.curves import Curves, Display
    from curvewise.inference.result import Result
    from curvewise.kernels import Array, Floats, Integers
    from curvewise.questions.locate.method import WindowTests
    from curvewise.questions.locate.result import Band, Location
    from curvewise.rendering.figures import Look


DTYPES: dict[int, np.dtype[Any]] = {2: np.dtype("<i2"), 4: np.dtype("<i4")}
BITS = {2: 15, 4: 31}


def packed(values: Integers, width: int | None = None) -> dict[str, Any]:
    """Pack whole numbers, (n_rows, n), into as few bytes as their size allows.

    ``width``, 2 or 4, is what they take at least. Numbers must have fewer than 32 bits.
    """
    table = np.atleast_2d(np.asarray(values, dtype=np.int64))
    largest = int(np.abs(table).max(initial=0))
    if width is None:
        width = 2 if largest < 2 ** BITS[2] else 4
    if largest >= 2 ** BITS[width]:
        msg = f"{largest} does not fit in {width} bytes"
        raise ValueError(msg)
    # Differences may overflow; so do the sums that undo them.
    steps = np.diff(table, axis=1, prepend=0)
    text, plain = (_text(own.astype(DTYPES[width]), width) for own in (steps, table))
    differences = len(text) <= len(plain)
    kept = {"differences": differences, "base64": text if differences else plain}
    return {"shape": list(table.shape), "width": width, **kept}


def _text(values: Array, width: int) -> str:
    planes = np.ascontiguousarray(values).view(np.uint8).reshape(-1, width).T
    return packed_bytes(planes.tobytes())


def packed_bytes(data: bytes) -> str:
    """Return bytes as base64 of what zlib makes of them."""
    return base64.b64encode(zlib.compress(data, 9)).decode("ascii")


def packed_json(value: Any) -> dict[str, str]:
    """Pack what is JSON-ready: its text, in UTF-8."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return {"base64": packed_bytes(text.encode("utf-8"))}


def packed_numbers(values: Floats, width: int) -> dict[str, Any]:
    """Pack numbers, rounded to a 32,767th (or, of 4 bytes, a billionth) of their range."""
    low, high = float(values.min()), float(values.max())
    scale = (high - low) / (2 ** BITS[width] - 1) or 1.0
    # The scale of a range of the smallest numbers there are is rounded, too.
    whole = np.minimum(np.rint((values - low) / scale), 2 ** BITS[width] - 1)
    return {**packed(whole.astype(np.int64), width), "offset": low, "scale": scale}


def counts_of(pvalues: Floats, n_visited: int) -> Integers:
    """Return the counts whose shares of all visited relabellings are these p-values.

    Counts and not p are packed, so that a p looked up is the very number of Python.
    """
    counts = np.rint(np.asarray(pvalues) * n_visited).astype(np.int64)
    if not np.array_equal(counts / n_visited, pvalues):
        msg = f"these p-values are no shares of {n_visited} relabellings"
        raise ValueError(msg)
    return counts


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
    own, every_run = [looks[name] for name in curves.algorithms], scores_by_algorithm(curves)
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
            for name, n_runs, look in zip(curves.algorithms, curves.sizes, own, strict=True)
        ],
        "labels": curves.codes.tolist(),
        "runs": [printable(str(run)) for run in curves.runs],
        "means": packed_numbers(np.array([own.mean(axis=0) for own in every_run]), 4),
        "half_widths": _half_widths(curves),
        "bands": None if every_score else _bands(every_run),
        "scores": _scores(curves) if runs else None,
        "location": None if location is None else _location(location),
    }


def _steps(steps: Array) -> list[float] | dict[str, float]:
    """Return the steps; of evenly spaced whole ones the first, the distance and how many."""
    listed: list[float] = steps.tolist()
    if len(listed) > 2 and np.issubdtype(steps.dtype, np.integer):
        gaps = np.diff(steps)
        if (gaps == gaps[0]).all():
            return {"first": listed[0], "by": gaps[0].item(), "n": len(listed)}
    return listed


def _bands(every_run: Sequence[Floats]) -> dict[str, Any]:
    """Return lowest and highest score and standard deviation of the runs at each step."""
    bands = {
        "low": [own.min(axis=0) for own in every_run],
        "high": [own.max(axis=0) for own in every_run],
        "sd": [band_reach(own, "sd") for own in every_run],
    }
    return {name: packed_numbers(np.array(own), 2) for name, own in bands.items()}


def _half_widths(curves: Curves) -> list[float]:
    """Return half the width of the 95% interval of each mean, in standard deviations."""
    from scipy.special import stdtrit

    return [float(stdtrit(n - 1, 0.975) / np.sqrt(n)) if n > 1 else 0.0 for n in curves.sizes]


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
        "planned": packed(np.array([counts_of(p[upper], n_visited) for p in windows.pvalue])),
    }


def result_record(result: Result) -> dict[str, Any]:
    """Return a result as the command prints it with ``--json``, without its long lists."""
    words = {"headline": result.headline(), "verdict": result.describe()}
    return words | _without_long_lists(result.to_dict())


def _without_long_lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_long_lists(own) for name, own in value.items()}
    if isinstance(value, list):
        short = len(value) <= MAX_LISTED
        return [_without_long_lists(own) for own in value] if short else None
    return value
