"""Locations to draw, and Axes to draw them on."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

import curvewise as cw

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from curvewise import Curves, Location

UNEVEN = [0, 1, 10, 100, 1000, 10000]  # steps


@cache
def tictactoe() -> tuple[Curves, Location]:
    curves = cw.load_example("tictactoe").select("A1", "A2")
    return curves, cw.locate(curves, rng=0, n_shuffles=999, n_resamples=499)


def located(curves: Curves, *, windows: bool = True) -> Location:
    return cw.locate(curves, windows=windows, n_shuffles=99, n_resamples=99, rng=0)


def axes() -> Axes:
    return Figure().subplots()
