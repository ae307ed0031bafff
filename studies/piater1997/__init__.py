"""Piater & Cohen (1997), CMPSCI TR 97-41: Tables 1 to 4 and Figures 3 to 7."""

from __future__ import annotations

from studies.piater1997.study import study

__all__ = ["study"]
