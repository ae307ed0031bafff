"""Sums of squares of shuffled tables, and what counts as extreme."""
