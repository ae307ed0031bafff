"""Run the cells of a plan, in parallel, and keep what is finished."""

from __future__ import annotations

import hashlib
import sys
import time
from collections import Counter
from functools import lru_cache
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from joblib import Parallel, delayed

import curvewise as cw
from studies.calibration.bounds import Rate
from studies.calibration.claims import N_RESAMPLES, N_SHUFFLES
from studies.calibration.data_sets import draw_data_set
from studies.calibration.designs import DESIGNS
from studies.calibration.processes import PROCESSES
from studies.calibration.questions import QUESTIONS
from studies.calibration.truths import TRUTHS
from studies.store import load_or_compute
from studies.streams import stream

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studies.calibration.claims import Claim
    from studies.calibration.plan import Cell

__all__ = ["NAME", "Row", "measure", "rates_of"]

NAME = "calibration"
N_PILOT_SETS = 5
SECONDS_BETWEEN_REPORTS = 15
MIN_SHARE_COMPUTED = 0.1  # of the expected time; a cell that took less was stored


class Row(NamedTuple):
    """How often one claim was wrong in one cell."""

    cell: Cell
    claim: Claim
    rate: Rate

    @property
    def family(self) -> str:
        """The family of its process."""
        return PROCESSES[self.cell.process].family

    @property
    def is_promised(self) -> bool:
        """Whether the documentation promises a level for this process."""
        process = PROCESSES[self.cell.process]
        return process.exchangeable or not self.claim.needs_equal_spread


def measure(cells: Sequence[Cell], seed: int, n_jobs: int, *, quick: bool) -> list[Row]:
    """Return the rates of all cells, in their order, computed or stored.

    The time the rest will take, from a few data sets of each kind at first and from finished
    cells later, is printed to stderr. The digits do not depend on ``n_jobs``.
    """
    costs = _expected_seconds(cells, seed)
    _say(f"{len(cells)} cells, {n_jobs} at a time: {_duration(sum(costs) / n_jobs)}")
    tasks = (
        delayed(_measured_cell)(index, cell, seed, quick=quick) for index, cell in enumerate(cells)
    )
    counts: dict[int, dict[str, list[int]]] = {}
    progress = _Progress(costs, n_jobs)
    how = "generator_unordered"
    for index, found, seconds in Parallel(n_jobs=n_jobs, return_as=how)(tasks):
        counts[index] = found
        progress.update(index, seconds)
    return [
        Row(cell, claim, Rate(*counts[index][claim.name]))
        for index, cell in enumerate(cells)
        for claim in QUESTIONS[cell.question].claims
        if claim.name in counts[index]
    ]


def rates_of(cell: Cell, seed: int, sets: range) -> dict[str, list[int]]:
    """Return for each claim how often it was wrong, and how often it could have been.

    A data set that curvewise refuses, as one in which all runs are the same, is left out.
    """
    question = QUESTIONS[cell.question]
    process, design = PROCESSES[cell.process], DESIGNS[cell.design]
    wrong: Counter[str] = Counter()
    possible: Counter[str] = Counter()
    for index in sets:
        rng = stream(seed, f"{NAME}: {cell.slug}", index)
        data = draw_data_set(process, design, TRUTHS[cell.truth], rng, question.n_tasks)
        try:
            found = question.ask(data)
        except cw.CurvesError:
            continue
        for claim in question.claims:
            told = claim.is_wrong(found, data)
            if told is not None:
                wrong[claim.name] += bool(told)
                possible[claim.name] += 1
    return {name: [wrong[name], n_sets] for name, n_sets in possible.items()}


def _measured_cell(
    index: int, cell: Cell, seed: int, *, quick: bool
) -> tuple[int, dict[str, list[int]], float]:
    """Return the rates of a cell with its position, and how long that took."""
    started = time.perf_counter()
    key = {
        "seed": seed,
        "cell": list(cell),
        "shuffles": N_SHUFFLES,
        "resamples": N_RESAMPLES,
        "code": _code(),
    }
    found = load_or_compute(
        f"{NAME}{'-quick' if quick else ''}/{cell.slug}",
        key,
        lambda: rates_of(cell, seed, range(cell.n_sets)),
    )
    return index, found, time.perf_counter() - started


@lru_cache(maxsize=1)
def _code() -> str:
    """Return a hash of the source of curvewise: other code may give other rates."""
    folder = Path(cw.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _expected_seconds(cells: Sequence[Cell], seed: int) -> list[float]:
    """Return how long each cell will take, timed on a few data sets of each kind."""
    seconds: dict[tuple[str, str], float] = {}
    for cell in cells:
        kind = (cell.question, cell.design)
        if kind not in seconds:
            times = []
            for index in range(N_PILOT_SETS):
                started = time.perf_counter()
                rates_of(cell, seed, range(index, index + 1))
                times.append(time.perf_counter() - started)
            # The first compiles and fills what is kept; any may have had to wait.
            seconds[kind] = median(times)
    return [cell.n_sets * seconds[cell.question, cell.design] for cell in cells]


class _Progress:
    """Says now and then how many cells are done, and how long the others will take."""

    def __init__(self, costs: Sequence[float], n_jobs: int) -> None:
        self.costs, self.n_jobs = costs, n_jobs
        self.n_done, self.left = 0, sum(costs)
        self.expected, self.spent = 0.0, 0.0
        self.last = time.perf_counter()

    def update(self, index: int, seconds: float) -> None:
        """Count a cell that took so many seconds."""
        self.n_done += 1
        self.left -= self.costs[index]
        if seconds > MIN_SHARE_COMPUTED * self.costs[index]:
            self.expected += self.costs[index]
            self.spent += seconds
        if time.perf_counter() - self.last < SECONDS_BETWEEN_REPORTS:
            return
        self.last = time.perf_counter()
        pace = self.spent / self.expected if self.expected else 1.0
        left = _duration(pace * self.left / self.n_jobs)
        _say(f"{self.n_done} of {len(self.costs)} cells; {left} left")


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"about {seconds:.0f} s"
    return f"about {seconds / 60:.0f} min"


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
