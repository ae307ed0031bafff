"""Checks that any question must pass: interrupted and resumed, settled, reporting progress."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from curvewise import CurvesError
from curvewise.inference.work import LargestOf
from curvewise.questions.compare.method import Overall
from curvewise.questions.locate.method import StepScan
from curvewise.shuffling import visit
from curvewise.shuffling.visit import Statistic, in_chunks, reporting_progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from curvewise.inference.result import Result

    Ask = Callable[..., Result]


class Interrupted(BaseException):
    """As Ctrl-C would."""


class Chunks:
    """Counts the chunks of work that are done, and stops after some of them."""

    def __init__(self, patch: pytest.MonkeyPatch, most: float = np.inf) -> None:
        self.n_done, self._most = 0, most
        patch.setattr(visit, "in_chunks", self._in_chunks)

    def _in_chunks(self, *args: Any, **options: Any) -> Iterator[tuple[range, Any]]:
        for done in in_chunks(*args, **options):
            if self.n_done >= self._most:
                raise Interrupted
            yield done
            self.n_done += 1


def one_batch_a_chunk(patch: pytest.MonkeyPatch) -> None:
    """Cut small work into many chunks."""
    for statistic in (Statistic, Overall, StepScan, LargestOf):
        patch.setattr(statistic, "chunk", 1)


def digits(result: Result) -> str:
    """Everything a result says, and what is kept of the relabellings if it keeps that."""
    null = getattr(result, "null_distribution", np.empty(0))
    return json.dumps([result.to_dict(), null.tolist()])


def check_resumes(ask: Ask, path: Path, patch: pytest.MonkeyPatch) -> None:
    """Interrupt the question at several places; it must go on from there, with its digits."""
    one_batch_a_chunk(patch)
    whole = Chunks(patch)
    expected = digits(ask())
    assert whole.n_done > 2
    for n_first in sorted({0, 1, whole.n_done // 2, whole.n_done - 1}):
        path.unlink(missing_ok=True)
        Chunks(patch, n_first)
        with pytest.raises(Interrupted):
            ask(checkpoint=path)
        remaining = Chunks(patch)
        assert digits(ask(checkpoint=path)) == expected
        assert remaining.n_done == whole.n_done - n_first
    # Everything is known now, so nothing is counted again.
    nothing = Chunks(patch)
    assert digits(ask(checkpoint=path, n_jobs=2)) == expected
    assert nothing.n_done == 0


def check_refuses(ask: Ask, others: dict[str, Ask], path: Path) -> None:
    """The checkpoint of one question must be refused by every other, and stay as it is."""
    ask(checkpoint=path)
    content = path.read_bytes()
    for name, other in others.items():
        try:
            other(checkpoint=path)
        except CurvesError as refused:
            message = str(refused)
        else:
            pytest.fail(f"the checkpoint was accepted: {name}")
        assert message == (
            f"{str(path)!r} is the checkpoint of another question: other curves, options "
            "or seed. Name another file, or delete this one."
        )
    assert path.read_bytes() == content


def progress_of(ask: Callable[[], object]) -> list[list[tuple[int, int]]]:
    """Ask, and return the reports of progress, a list for each stretch of work.

    Every stretch must go up to its total, and no further.
    """
    seen: list[tuple[int, int]] = []
    with reporting_progress(lambda done, total: seen.append((done, total))):
        ask()
    stretches: list[list[tuple[int, int]]] = []
    for done, total in seen:
        if not stretches or stretches[-1][-1][0] == stretches[-1][-1][1]:
            stretches.append([])
        stretches[-1].append((done, total))
    for stretch in stretches:
        assert len({total for _, total in stretch}) == 1
        done_so_far = [done for done, _ in stretch]
        assert done_so_far == sorted(set(done_so_far))
        assert done_so_far[-1] == stretch[-1][1]
    return stretches
