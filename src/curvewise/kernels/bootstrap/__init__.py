"""Resamples, and intervals from them."""
