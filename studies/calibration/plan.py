"""The plan: which question is asked of which process, design and truth, and how often."""

from __future__ import annotations

import re
from itertools import product
from typing import NamedTuple

from studies.calibration.processes import PROCESSES

__all__ = ["FULL", "QUICK", "Cell"]


class Cell(NamedTuple):
    """One measurement: names of question, process, design and truth; how many data sets."""

    question: str
    process: str
    design: str
    truth: str
    n_sets: int

    @property
    def slug(self) -> str:
        """A name for files."""
        return re.sub(r"[^\w]+", "-", "_".join(self[:4]).replace("×", "x")).strip("-")


Names = tuple[str, ...]

ALIKE = tuple(name for name, process in PROCESSES.items() if process.exchangeable)
UNEQUAL = tuple(name for name, process in PROCESSES.items() if not process.exchangeable)
SOME: Names = ("AR(1)", "log-normal", "RL", "integer ties", "Atari")
FEW: Names = ("AR(1)", "RL")
AGGREGATED: Names = ("AR(1)", "log-normal", "failing runs")
NULL: Names = ("nothing differs",)


def _cells(
    question: str, processes: Names, designs: Names, truths: Names, n_sets: int
) -> list[Cell]:
    combined = product(processes, designs, truths)
    return [Cell(question, *names, n_sets) for names in combined]


def _full() -> tuple[Cell, ...]:
    two: Names = ("5 + 5", "10 + 10", "4 + 7")
    few: Names = ("3 + 3", "5 + 5")
    several: Names = ("3 × 5", "3, 5, 6", "6 × 5")
    blocks: Names = ("8 pairs", "6 blocks of 3", "12 of 3 pairs")
    many: Names = (*NULL, "all tasks alike", "half each way", "one task in five")
    learning: Names = ("learn alike", "one learns faster")
    batches: Names = (
        *("2 batches of 5 + 5", "3 batches of 5 + 5"),
        *("5 batches of 4 + 4", "5 batches of 2 + 2"),
    )
    cells = [
        *_cells("compare", ALIKE, ("5 + 5",), NULL, 1_000),
        *_cells("compare", SOME, (*two[1:], *several, *blocks), NULL, 600),
        *_cells(
            "compare",
            SOME,
            ("5 + 5", "10 + 10", "3 × 5", "8 pairs"),
            ("height differs", "curves cross"),
            600,
        ),
        *_cells('compare, overall="F"', SOME, ("5 + 5", "3 × 5", "8 pairs"), NULL, 600),
        *_cells("compare", UNEQUAL, ("5 + 5", "4 + 12", "6 × 5"), NULL, 1_000),
        *_cells(
            'compare, spread="unequal"',
            ("AR(1)", *UNEQUAL),
            ("5 + 5", "10 + 10", "4 + 7", "4 + 12", "3 × 10", "6 × 5"),
            NULL,
            600,
        ),
        *(
            cell
            for center in ("trimmed", "ranks")
            for cell in _cells(
                f'compare, center="{center}"',
                SOME,
                ("5 + 5", "10 + 10", "3 × 5"),
                ("nothing differs", "height differs"),
                400,
            )
        ),
        *_cells("compare_many", SOME, ("5 + 5", "3 × 5"), ("nothing differs", "one differs"), 500),
        *_cells("compare_tasks", SOME, ("5 + 5",), many, 300),
        *_cells("compare_tasks", FEW, ("3 + 3", "4 + 7", "8 pairs"), many, 150),
        *_cells("compare_tasks", UNEQUAL[:2], ("5 + 5",), NULL, 150),
        *_cells("locate", ALIKE, ("5 + 5",), NULL, 500),
        *_cells("locate", SOME, ("10 + 10", "3 × 5", "8 pairs"), NULL, 500),
        *_cells(
            "locate",
            SOME,
            ("5 + 5", "10 + 10", "4 + 7", "8 pairs"),
            ("a quarter differs", "curves cross", "height differs"),
            400,
        ),
        *_cells("locate", SOME, ("3 × 5",), ("a quarter differs", "height differs"), 500),
        *_cells("locate", FEW, ("5 + 5, long",), NULL, 200),
        *_cells("locate", ("last spread × 3",), ("5 + 5", "10 + 10"), NULL, 500),
        *_cells("compare_pairs", ALIKE, ("3 × 5",), NULL, 400),
        *_cells("compare_pairs", SOME, ("6 × 5",), ("nothing differs", "two groups"), 200),
        *_cells("compare_pairs", FEW, ("6 blocks of 3", "3 × 10"), NULL, 500),
        *_cells("compare_pairs", SOME, ("3 × 5", "3, 5, 6"), ("one differs",), 500),
        *_cells("compare_pairs", UNEQUAL, ("3 × 5",), NULL, 500),
        *_cells("compare_pairs", ("spreads 1 to 10",), ("6 × 5",), NULL, 200),
        *_cells("best", ALIKE, ("3 × 5",), NULL, 1_000),
        *_cells(
            "best",
            SOME,
            ("5 + 5", "3, 5, 6", "6 blocks of 3", "12 of 3 pairs"),
            ("nothing differs", "near ties"),
            600,
        ),
        *_cells("best", SOME, ("3 × 5",), ("two tie",), 600),
        *_cells("best", SOME, ("6 × 5",), ("nothing differs", "near ties", "two tie"), 300),
        *_cells("best", UNEQUAL, ("5 + 5", "6 × 5"), NULL, 300),
        *_cells(
            "contrast of two",
            SOME,
            ("5 + 5", "4 + 7", "10 + 10", "8 pairs"),
            ("nothing differs", "height differs"),
            1_000,
        ),
        *_cells(
            "contrast of several", ALIKE, ("3 × 5",), ("nothing differs", "others balance"), 1_000
        ),
        *_cells(
            "contrast of several",
            SOME,
            ("3 × 10", "6 × 5", "6 blocks of 3"),
            ("nothing differs", "others balance"),
            1_000,
        ),
        *_cells(
            "contrast of several, one-sided",
            SOME,
            ("3 × 5", "6 × 5"),
            ("nothing differs", "others balance"),
            1_000,
        ),
        *_cells(
            "contrast_many",
            SOME,
            ("3 × 5", "3, 5, 6", "6 blocks of 3"),
            ("nothing differs", "one differs"),
            1_000,
        ),
        *_cells(
            "transfer",
            ("AR(1)", "smooth", "log-normal", "failing runs", "RL", "100 games", "Atari"),
            ("5 + 5", "10 + 10", "4 + 7", "8 pairs"),
            learning,
            500,
        ),
        *_cells("transfer_many", FEW, ("5 + 5",), learning, 300),
        *_cells("monitor", SOME, batches, NULL, 300),
        *_cells("monitor", FEW, batches[2:3], ("height differs", "curves cross"), 300),
        *_cells("monitor", FEW, ("4 batches of 4 × 4",), ("nothing differs", "one differs"), 150),
        *_cells('monitor, spending="obf"', FEW, batches, NULL, 300),
        *_cells(
            "gate",
            SOME,
            ("3 + 3", "5 + 5", "10 + 10", "4 + 12", "8 pairs"),
            ("nothing differs", "height differs"),
            600,
        ),
        *_cells("gate", UNEQUAL, ("5 + 5", "4 + 12"), ("height differs",), 600),
        *(
            cell
            for n_tasks, n_sets in ((5, 400), (10, 400), (26, 250), (57, 150))
            for cell in (
                *_cells(f"aggregate of {n_tasks} tasks", AGGREGATED, few, NULL, n_sets),
                *_cells(f"aggregate of {n_tasks} tasks", FEW[:1], ("10 + 10",), NULL, n_sets),
            )
        ),
        *_cells("aggregate of 10 tasks, unequal runs", AGGREGATED, two[:2], NULL, 300),
        *_cells("aggregate of 26 tasks, unequal runs", AGGREGATED, two[1:2], NULL, 150),
    ]
    return tuple(cells)


FULL = _full()
# One process of every family, every question and every kind of truth, in seconds.
QUICK = (
    Cell("compare", "AR(1)", "5 + 5", "nothing differs", 60),
    Cell("compare", "integer ties", "8 pairs", "height differs", 60),
    Cell("compare", "last spread × 3", "5 + 5", "nothing differs", 60),
    Cell('compare, overall="F"', "white", "3 × 5", "nothing differs", 60),
    Cell('compare, spread="unequal"', "first spread × 3", "4 + 7", "nothing differs", 60),
    Cell('compare, center="trimmed"', "AR(1)", "5 + 5", "nothing differs", 40),
    Cell('compare, center="ranks"', "integer ties", "5 + 5", "nothing differs", 40),
    Cell("compare_many", "AR(1)", "5 + 5", "one differs", 40),
    Cell("compare_tasks", "AR(1)", "5 + 5", "half each way", 12),
    Cell("compare_tasks", "integer ties", "3 + 3", "one task in five", 12),
    Cell("compare_tasks", "AR(1)", "3 + 3", "nothing differs", 12),
    Cell("locate", "RL", "5 + 5", "nothing differs", 40),
    Cell("locate", "AR(1)", "5 + 5", "a quarter differs", 40),
    Cell("locate", "AR(1)", "5 + 5", "curves cross", 40),
    Cell("compare_pairs", "float32 offset", "3 × 5", "one differs", 20),
    Cell("best", "Atari", "3 × 5", "nothing differs", 60),
    Cell("contrast of two", "log-normal", "5 + 5", "nothing differs", 60),
    Cell("contrast of several", "AR(1)", "3 × 5", "others balance", 60),
    Cell("contrast of several, one-sided", "AR(1)", "3 × 5", "nothing differs", 60),
    Cell("contrast_many", "AR(1)", "3 × 5", "one differs", 60),
    Cell("transfer", "AR(1)", "5 + 5", "learn alike", 30),
    Cell("transfer", "AR(1)", "5 + 5", "one learns faster", 30),
    Cell("transfer_many", "AR(1)", "5 + 5", "learn alike", 5),
    Cell("transfer_many", "AR(1)", "5 + 5", "one learns faster", 5),
    Cell("monitor", "AR(1)", "2 batches of 5 + 5", "nothing differs", 30),
    Cell("monitor", "integer ties", "5 batches of 2 + 2", "curves cross", 15),
    Cell("monitor", "AR(1)", "4 batches of 4 × 4", "one differs", 4),
    Cell('monitor, spending="obf"', "AR(1)", "2 batches of 5 + 5", "nothing differs", 30),
    Cell("gate", "RL", "4 + 12", "height differs", 40),
    Cell("aggregate of 5 tasks", "AR(1)", "3 + 3", "nothing differs", 20),
    Cell("aggregate of 10 tasks", "AR(1)", "5 + 5", "nothing differs", 20),
    Cell("aggregate of 26 tasks", "log-normal", "3 + 3", "nothing differs", 6),
    Cell("aggregate of 57 tasks", "AR(1)", "3 + 3", "nothing differs", 3),
    Cell("aggregate of 10 tasks, unequal runs", "AR(1)", "5 + 5", "nothing differs", 10),
    Cell("aggregate of 26 tasks, unequal runs", "AR(1)", "5 + 5", "nothing differs", 3),
)
