"""Pictures of how much one condition gains on another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curvewise.errors import OptionError
from curvewise.results import Transfer, Transfers

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["plot_transfer"]


def plot_transfer(result: Transfer | Transfers) -> Figure:
    """Draw the gain and its metrics, or the metrics of several tasks."""
    from matplotlib.figure import Figure

    if not isinstance(result, Transfer | Transfers):
        msg = f"plot_transfer() draws a Transfer or Transfers, not {result!r}."
        raise OptionError(msg)
    figure = Figure(layout="constrained")
    ax = figure.subplots()
    tasks = {"": result} if isinstance(result, Transfer) else dict(result)
    for task in tasks.values():
        ax.plot(task.steps, task.mean_control)
        ax.plot(task.steps, task.mean_experimental)
    return figure
