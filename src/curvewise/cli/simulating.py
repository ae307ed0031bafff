"""Which difference a command looks for, and how experiments that look for it are simulated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

import curvewise
from curvewise.cli.options import Alpha, Seed  # noqa: TC001 (typer reads the annotations)
from curvewise.data.choices import check_choice
from curvewise.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence


__all__ = [
    "Simulating",
    "check_stated",
    "numbers_of",
]


@dataclass(frozen=True)
class Simulating:
    """Which difference is looked for, and how experiments that look for it are simulated."""

    heading = "Simulation"

    effect: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="The difference to find: lift, stretch, speed, or a, b, c, d (the papers' "
            "modifications); observed takes that of the pilots, shrunk.  [required]",
        ),
    ] = None
    size: Annotated[
        list[str] | None,
        typer.Option(
            metavar="X",
            help="The smallest size worth finding.  [required, unless it is observed]",
        ),
    ] = None
    unit: Annotated[
        Literal["score", "sd"],
        typer.Option(
            help="What a lift is in: units of the score, or SDs of curve means."
        ),
    ] = "score"
    base: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The algorithm whose mean curve is changed.  [default: the first]",
        ),
    ] = None
    noise: Annotated[
        Literal["gaussian", "resample"],
        typer.Option(
            help="How runs vary: normally, as much as the pilots; or as pilots drawn again "
            "(from 20 on)."
        ),
    ] = "gaussian"
    pool: Annotated[
        bool,
        typer.Option(
            "--pool/--no-pool",
            help="Take the pilots of all algorithms to vary alike, or each for itself.",
        ),
    ] = True
    n_algorithms: Annotated[
        int,
        typer.Option(
            "--algorithms", metavar="N", help="How many algorithms will be compared."
        ),
    ] = 2
    ratio: Annotated[
        float,
        typer.Option(help="Runs of the first algorithm for one run of each other."),
    ] = 1.0
    blocks: Annotated[
        bool,
        typer.Option(
            "--blocks",
            help="Runs in blocks with one of each algorithm, such as pairs with the same "
            "seed; the pilots must have them (--block).",
        ),
    ] = False
    overall: Annotated[
        Literal["combined", "F"], typer.Option(help="The overall test.")
    ] = "combined"
    alpha: Alpha = 0.05
    experiments: Annotated[
        int,
        typer.Option(metavar="N", help="Simulated experiments for each number of runs."),
    ] = 2_000
    shuffles: Annotated[
        int, typer.Option(metavar="N", help="Shuffles of each simulated experiment.")
    ] = 999
    confidence: Annotated[
        float, typer.Option(help="That of ranges and Monte Carlo intervals.")
    ] = 0.9
    seed: Seed = 0
    jobs: Annotated[int, typer.Option(help="Threads to use; -1 for all cores.")] = 1

    @property
    def sizes(self) -> list[float] | None:
        """The sizes of the effect: one number, or several; None if observed."""
        from curvewise.inference.scenarios import KINDS

        check_stated(self.effect, self.size or None, (*KINDS, "observed"))
        return numbers_of("size", self.size) if self.size else None

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of a question that simulates experiments, with the first size."""
        names = ("base", "noise", "pool", "n_algorithms", "ratio", "blocks", "overall")
        return {
            **{name: getattr(self, name) for name in names},
            "effect": self._scenario,
            "alpha": self.alpha,
            "n_experiments": self.experiments,
            "n_shuffles": self.shuffles,
            "confidence": self.confidence,
            "rng": self.seed,
            "n_jobs": self.jobs,
        }

    @property
    def _scenario(self) -> Any:
        sizes = self.sizes
        if self.effect is None or sizes is None:
            return self.effect
        return curvewise.scenario(self.effect, sizes[0], unit=self.unit)


def check_stated(effect: str | None, size: object, kinds: Sequence[str]) -> None:
    """Raise unless a difference is stated as a kind and a size, or not at all."""
    if effect is not None:
        check_choice("effect", effect, tuple(kinds))
    if effect == "observed":
        if size is not None:
            msg = "--effect observed has a size of its own. Leave --size out."
            raise OptionError(msg, option="size")
    elif (effect is None) != (size is None):
        msg = "--effect and --size belong together, as in --effect lift --size 5."
        raise OptionError(msg, option="size" if size is None else "effect")


def numbers_of(option: str, given: Sequence[str]) -> list[float]:
    """Read numbers that are joined by commas, or given with the option repeated."""
    text = ",".join(given)
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        msg = f"--{option} must be numbers joined by commas, such as 5,10,20; it is {text!r}."
        raise OptionError(msg, option=option) from None
