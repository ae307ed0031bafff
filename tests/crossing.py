"""Parameters crossed with each other: some combinations at once, all of them when there is time."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["crossed"]


def crossed(every: int, **choices: Iterable[Any]) -> pytest.MarkDecorator:
    """Ask for all combinations of the choices; all but one in ``every`` are slow tests.

    The fast ones lie on diagonals, so that every value is among them, and values that meet
    in no fast combination are few.
    """
    lists = [list(values) for values in choices.values()]
    combinations = []
    for places in product(*(range(len(values)) for values in lists)):
        values = [own[place] for own, place in zip(lists, places, strict=True)]
        marks = [pytest.mark.slow] if sum(places) % every else []
        combinations.append(pytest.param(*values, marks=marks))
    return pytest.mark.parametrize(list(choices), combinations)
