"""Gorski & Laird (2009), Evaluating Evaluations: Tables 1 and 2 and Figures 1 to 4."""
