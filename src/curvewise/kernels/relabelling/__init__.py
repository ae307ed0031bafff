"""Relabellings of runs: drawn at random, or all of them."""
