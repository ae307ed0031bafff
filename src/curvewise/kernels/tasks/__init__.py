"""Kernels of many tasks judged as a whole: rank sums and shares, summed over tasks."""
