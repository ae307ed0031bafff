"""Results in, words and pictures out; nothing is tested or sampled here."""

from curvewise.present.plots import plot_comparison, plot_curves, plot_null_distribution
from curvewise.present.words import describe

__all__ = ["describe", "plot_comparison", "plot_curves", "plot_null_distribution"]
