"""How a command visits relabellings: which, how many, where, and from which checkpoint."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path  # noqa: TC003 (typer reads the annotations)
from typing import TYPE_CHECKING, Annotated, Any

import typer

from curvewise.cli.cluster import on_cluster
from curvewise.cli.options import Seed  # noqa: TC001 (typer reads the annotations)
from curvewise.cli.printing import note
from curvewise.cli.progress import progress

if TYPE_CHECKING:
    from collections.abc import Iterator


__all__ = [
    "Shuffling",
]


@dataclass(frozen=True)
class Shuffling:
    """How relabellings are visited: which, how many, where, and from which checkpoint."""

    heading = "Shuffling"

    shuffles: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            help="Random shuffles, when not every relabelling is visited; auto: until the "
            "verdict is settled; precise: until p is known to within 10%.",
        ),
    ] = "9999"
    exact: Annotated[
        bool | None,
        typer.Option(
            "--exact/--sampled",
            help="Visit every relabelling, or sample. By default exact when it is quick.",
            show_default=False,
        ),
    ] = None
    seed: Seed = 0
    jobs: Annotated[
        int | None,
        typer.Option(
            help="Threads to use; -1 for all cores.  [default: 1; with --cluster all of it]"
        ),
    ] = None
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Send the work to a dask scheduler (tcp://host:port) or ray "
            "(ray://host:port).",
        ),
    ] = None
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Keep the counts of long work in this file, and go on from them.",
        ),
    ] = None

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of a question that shuffles; n_shuffles only if it was given."""
        options = {
            "n_shuffles": self.n_shuffles,
            "exact": self.exact,
            "n_jobs": self.n_jobs,
            "rng": self.seed,
            "checkpoint": self.checkpoint,
        }
        if self.shuffles is None:
            del options["n_shuffles"]
        return options

    @property
    def options_of_best(self) -> dict[str, Any]:
        """The arguments of the best, whose counts go to a file beside those of the first."""
        if self.checkpoint is None:
            return self.options
        beside = self.checkpoint.with_name(f"{self.checkpoint.name}.best")
        return self.options | {"checkpoint": beside}

    @property
    def n_shuffles(self) -> object:
        """The number of shuffles, such as 10000 or 1e6; a word is left as it is."""
        try:
            number = float(str(self.shuffles).replace("_", ""))
        except ValueError:
            return self.shuffles
        return int(number) if number.is_integer() else number

    @property
    def n_jobs(self) -> int:
        """The number of jobs: one by default, or all that a cluster has."""
        if self.jobs is not None:
            return self.jobs
        return 1 if self.cluster is None else -1

    @contextmanager
    def working(self) -> Iterator[None]:
        """Work on the cluster, if there is one, and show progress, inside the with block."""
        with on_cluster(self.cluster), progress("shuffling"):
            try:
                yield
            except KeyboardInterrupt:
                if self.checkpoint is not None:
                    note(
                        f"The work done so far is in {self.checkpoint}; run the same command "
                        "again to go on."
                    )
                raise
