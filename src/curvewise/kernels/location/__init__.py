"""Differences step by step and window by window."""
