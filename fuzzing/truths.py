"""Truths: what a table says, whatever its format; and hostile numbers and names for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

__all__ = ["HOSTILE_NAMES", "HOSTILE_NUMBERS", "Row", "Truth", "some_truth"]

Row = tuple[str, str, float, float]  # algorithm, run, step, score

HOSTILE_NAMES = (
    *("nan", "NaN", "null", "None", "True", "inf", "-", "1", "1.0", "01", "-0", "1e5"),
    *("A B", "a,b", "a\tb", 'a"b', "a'b", "a\nb", "a|b", "a\\b", "a=b", "=1+1", "@x", "#x"),
    *("é", "e\u0301", "\u202eabc", "\u200b", "日本語", "𝒳", "\x1b[31mred", "\x00", "\x7f"),
    *("<b>x</b>", "</script><script>", "<!--", "&amp;", "{x}", "%s", "$x$", "_", "**"),
    *("x" * 400, "steps", "step", "score", "overall", "CON", "..", "/", "~", "C:\\x"),
)
HOSTILE_NUMBERS = (
    *("nan", "inf", "-inf", "NaN", "1e308", "-1e308", "1e-320", "1e400", "-0.0", "0"),
    *("9007199254740993", "18446744073709551616", "1" * 300, "0x10", "1_000", "1,5"),
    *("١٢", "1e", "+", ".", "--1", "1.2.3", " 1 ", "TRUE", "", "null", "2024-01-01"),
    *("1E+5", ".5", "5.", "+3", "0001", "1e-5", "1e22", "123456789.123456789"),
)


@dataclass(frozen=True)
class Truth:
    """The curves that a table holds: by algorithm and run, at common steps."""

    steps: tuple[float, ...]
    curves: dict[tuple[str, str], tuple[float, ...]]

    @property
    def algorithms(self) -> list[str]:
        """The names of the algorithms, in the order of the table."""
        return list(dict.fromkeys(algorithm for algorithm, _ in self.curves))

    @property
    def rows(self) -> list[Row]:
        """A row for each run and step."""
        return [
            (algorithm, run, step, score)
            for (algorithm, run), scores in self.curves.items()
            for step, score in zip(self.steps, scores, strict=True)
        ]

    @classmethod
    def of_rows(cls, rows: list[Row]) -> Truth | None:
        """Return what rows say, if they are the same steps of each run, each once."""
        by_run: dict[tuple[str, str], dict[float, float]] = {}
        for algorithm, run, step, score in rows:
            own = by_run.setdefault((algorithm, run), {})
            if step in own:
                return None
            own[step] = score
        every = {tuple(sorted(own)) for own in by_run.values()}
        if len(every) != 1:
            return None
        (steps,) = every
        curves = {who: tuple(own[step] for step in steps) for who, own in by_run.items()}
        return cls(steps, curves)


def some_truth(rng: Random, *, hostile: bool = True) -> Truth:
    """Return curves of two to four algorithms; their names, steps and sizes may be unusual."""
    n_algorithms, n_runs = rng.choice([2, 2, 3, 4]), rng.choice([2, 3, 4, 5])
    n_steps = rng.choice([1, 2, 3, 5, 8])
    names = [f"algo {letter}" for letter in "ABCD"[:n_algorithms]]
    if hostile and rng.random() < 0.3:
        names[rng.randrange(n_algorithms)] = rng.choice(HOSTILE_NAMES)
    runs = [str(run) for run in range(n_runs)]
    if hostile and rng.random() < 0.1:
        runs = [f"run {run}" for run in runs]
    steps = tuple(float(step) for step in _steps(rng, n_steps, hostile=hostile))
    level, scale = 0.0, 1.0
    if hostile and rng.random() < 0.3:
        level = rng.choice([0.0, 1e6, 1e15, -1e9, 1e300])
        scale = rng.choice([0.0, 1e-300, 1e-12, 1e6, 1e150, 1e300])
    curves = {}
    for place, name in enumerate(names):
        lift = rng.choice([0.0, 2.0 * place])
        for run in runs:
            curves[name, run] = tuple(
                level + scale * round(rng.gauss(lift, 1), rng.choice([0, 2, 17])) for _ in steps
            )
    return Truth(steps, curves)


def _steps(rng: Random, n_steps: int, *, hostile: bool) -> list[float]:
    """Return increasing steps: counted, or negative, broken, far apart, very large."""
    kind = rng.choice(["count", "hundreds", *(["odd"] if hostile else [])])
    if kind == "count":
        return [float(step) for step in range(n_steps)]
    if kind == "hundreds":
        return [100.0 * (step + 1) for step in range(n_steps)]
    first, gap = rng.choice(
        [(-3, 1), (0.1, 0.1), (1e9, 1e9), (1e15, 1), (0, 1e-9), (-1e12, 7), (2**40, 2**20)]
    )
    return [first + gap * step for step in range(n_steps)]
