"""Ticks as people write steps: 0, 50M, 100M."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curvewise.text import MIN_SHORT_STEP, step_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["write_steps"]


def write_steps(ax: Axes) -> None:
    """Write the steps on the horizontal axis with k, M and G where they are large."""
    from matplotlib.ticker import FuncFormatter

    def text(value: float, _: int | None = None) -> str:
        low, high = ax.get_xlim()
        if max(abs(low), abs(high)) < MIN_SHORT_STEP:
            return f"{value:.6g}"
        # Ticks lie at round numbers but for rounding.
        return step_text(float(f"{value:.6g}"), least=1_000)

    ax.xaxis.set_major_formatter(FuncFormatter(text))
