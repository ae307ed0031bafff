"""Runs that are logged twice in different places, such as in logs and in a table made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from curvewise.text import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.data.run_log import RunLog
    from curvewise.readers.naming.identity import Who

__all__ = ["Copies"]

# How far the scores of a copy may be off: event files keep seven digits, exports often fewer.
MAX_RELATIVE_ERROR = 1e-5


class Copies:
    """Finds runs that have the name and the scores of one before them.

    Counted as runs of their own they would make differences look surer than they are.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str | None, str, str], list[dict[str, RunLog]]] = {}
        self._n_copies = 0

    def is_copy(self, who: Who, logs: Sequence[RunLog]) -> bool:
        """Whether a run is one that was seen before; if not, it is kept in mind.

        It is if it has the same algorithm, task and name as another, a metric in common with
        it, and the same scores at the same steps in all metrics they have in common.
        """
        own = {log.metric: log for log in logs if log.n_points}
        known = self._known.setdefault((who.task, who.algorithm, who.first_name), [])
        if any(_are_the_same(own, other) for other in known):
            self._n_copies += 1
            return True
        known.append(own)
        return False

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out, in words; nothing if there was no copy."""
        if not self._n_copies:
            return ()
        are = "is" if self._n_copies == 1 else "are"
        counts = "counts" if self._n_copies == 1 else "count"
        note = (
            f"{plural(self._n_copies, 'run')} {are} there twice, with the same name and the same "
            f"scores, and {counts} once"
        )
        return (note,)


def _are_the_same(own: dict[str, RunLog], other: dict[str, RunLog]) -> bool:
    shared = own.keys() & other.keys()
    return bool(shared) and all(
        np.array_equal(own[metric].steps, other[metric].steps)
        and np.allclose(
            own[metric].scores,
            other[metric].scores,
            rtol=MAX_RELATIVE_ERROR,
            atol=0,
            equal_nan=True,
        )
        for metric in shared
    )
