"""Learning-comparison metrics of pairs of mean curves."""
