"""Results in, words and pictures out; nothing is tested or sampled here."""

from typing import TYPE_CHECKING

from curvewise.later import found_later

if TYPE_CHECKING:
    from curvewise.present.criteria_plots import plot_criterion
    from curvewise.present.gain_plots import plot_gain
    from curvewise.present.location_plots import plot_difference, plot_location
    from curvewise.present.metric_plots import plot_metrics
    from curvewise.present.pair_plots import plot_best, plot_contrasts, plot_pairs
    from curvewise.present.plots import (
        plot_comparison,
        plot_curves,
        plot_null_distribution,
    )
    from curvewise.present.transfer_plots import plot_transfer
    from curvewise.present.window_plots import plot_window_maps, plot_windows
    from curvewise.present.words import describe

__all__ = [
    "describe",
    "plot_best",
    "plot_comparison",
    "plot_contrasts",
    "plot_criterion",
    "plot_curves",
    "plot_difference",
    "plot_gain",
    "plot_location",
    "plot_metrics",
    "plot_null_distribution",
    "plot_pairs",
    "plot_transfer",
    "plot_window_maps",
    "plot_windows",
]

__getattr__ = found_later(
    __name__,
    {
        "describe": "curvewise.present.words",
        "plot_best": "curvewise.present.pair_plots",
        "plot_comparison": "curvewise.present.plots",
        "plot_contrasts": "curvewise.present.pair_plots",
        "plot_criterion": "curvewise.present.criteria_plots",
        "plot_curves": "curvewise.present.plots",
        "plot_difference": "curvewise.present.location_plots",
        "plot_gain": "curvewise.present.gain_plots",
        "plot_location": "curvewise.present.location_plots",
        "plot_metrics": "curvewise.present.metric_plots",
        "plot_null_distribution": "curvewise.present.plots",
        "plot_pairs": "curvewise.present.pair_plots",
        "plot_transfer": "curvewise.present.transfer_plots",
        "plot_window_maps": "curvewise.present.window_plots",
        "plot_windows": "curvewise.present.window_plots",
    },
)
