"""How curves are named and told apart where they are shown; no test depends on it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Display"]


@dataclass(frozen=True)
class Display:
    """What pictures of curves take from the table that the curves came from.

    Attributes
    ----------
    step_name, score_name : str
        The names of the columns or of the metric, for the axes.
    everyone : tuple of str
        The algorithms of the whole table, also those that were not selected. The place of a
        name among them decides on its colour, so that an algorithm looks the same in all
        pictures of a table.
    """

    step_name: str = "step"
    score_name: str = "score"
    everyone: tuple[str, ...] = ()

    def of(self, algorithms: tuple[str, ...]) -> Display:
        """Return the same with these algorithms among everyone."""
        new = tuple(name for name in algorithms if name not in self.everyone)
        if not new:
            return self
        return Display(self.step_name, self.score_name, self.everyone + new)
