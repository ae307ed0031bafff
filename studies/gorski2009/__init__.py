"""Gorski & Laird (2009), Evaluating Evaluations, run again."""
