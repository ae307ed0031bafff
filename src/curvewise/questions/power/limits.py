"""What can be simulated at all: numbers that make sense, in bounded time and memory."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from curvewise.data.choices import refuse_option
from curvewise.errors import CurvesError, OptionError
from curvewise.inference.requirements import check_number
from curvewise.text import argument, in_python, plural

if TYPE_CHECKING:
    from curvewise.questions.power.simulation import Simulation

__all__ = [
    "MAX_RUNS",
    "check_counts",
    "check_n_algorithms",
    "check_n_steps",
    "check_ratio",
    "check_weights",
]

MAX_RUNS = 10_000
MIN_EXPERIMENTS, MAX_EXPERIMENTS = 100, 1_000_000
MAX_SHUFFLES = 100_000
MAX_ALGORITHMS = 50
MAX_STEPS = 5_000
MAX_RATIO = 100
MAX_WEIGHTS = 2**26  # of runs in the sums of all shuffles: half a gigabyte


def check_counts(n_experiments: object, n_shuffles: object) -> None:
    """Raise unless numbers of experiments and shuffles are integers that can be done."""
    for option, value, least, most in (
        ("n_experiments", n_experiments, MIN_EXPERIMENTS, MAX_EXPERIMENTS),
        ("n_shuffles", n_shuffles, 1, MAX_SHUFFLES),
    ):
        if not isinstance(value, int | np.integer) or not least <= value <= most:
            refuse_option(
                option, f"must be an integer from {least} to {most:,}, not {value!r}."
            )


def check_n_algorithms(n_algorithms: object, *, observed: bool = False) -> None:
    """Raise unless so many algorithms can be compared; those of an observed effect are there."""
    if observed and isinstance(n_algorithms, int) and n_algorithms > MAX_ALGORITHMS:
        msg = (
            f"The pilots are of {n_algorithms} algorithms, and experiments with more than "
            f"{MAX_ALGORITHMS} are not simulated. Keep the algorithms that will be compared."
        )
        raise CurvesError(msg)
    if (
        not isinstance(n_algorithms, int | np.integer)
        or not 2 <= n_algorithms <= MAX_ALGORITHMS
    ):
        text = f"must be an integer from 2 to {MAX_ALGORITHMS}, not {n_algorithms!r}."
        refuse_option("n_algorithms", text)


def check_n_steps(n_steps: int) -> None:
    """Raise if curves have more steps than can be simulated in reasonable time."""
    if n_steps > MAX_STEPS:
        how = in_python('read(…, n_steps=500, align="bins")')
        msg = (
            f"Curves of {n_steps:,} steps take too long to simulate; {MAX_STEPS:,} are the most. "
            f"Average neighbouring steps: {how or '--n-steps 500 --align bins'}."
        )
        raise CurvesError(msg)


def check_ratio(ratio: float, *, blocks: bool) -> None:
    """Raise unless the runs of the first algorithm can be so many times those of another."""
    check_number("ratio", ratio)
    if not 1 / MAX_RATIO <= ratio <= MAX_RATIO:
        refuse_option(
            "ratio",
            f"must be positive, from {1 / MAX_RATIO:g} to {MAX_RATIO}, such as 4 for four runs of "
            f"the first algorithm to one of the other; it is {ratio!r}.",
        )
    if blocks and ratio != 1:
        msg = f"Blocks hold one run of each algorithm: {argument('ratio')} must be 1 with them."
        raise OptionError(msg, option="ratio")


def check_weights(simulation: Simulation, n_runs: int) -> None:
    """Raise if the shuffles of an experiment with so many runs take too much memory."""
    n_all = sum(simulation.sizes(n_runs))
    size = (simulation.n_algorithms - 1) * n_all
    if size * simulation.n_shuffles <= MAX_WEIGHTS:
        return
    most = MAX_WEIGHTS // size
    msg = (
        f"{simulation.n_shuffles:,} shuffles of experiments with {plural(n_all, 'run')} of "
        f"{simulation.n_algorithms} algorithms take too much memory. Use fewer runs, or "
        f"{argument('n_shuffles', 10 ** int(math.log10(max(most, 10))) - 1)}."
    )
    raise OptionError(msg, option="n_shuffles")
