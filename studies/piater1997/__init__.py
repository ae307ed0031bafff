"""Piater & Cohen (1997), CMPSCI TR 97-41: its four tables and its Figures 3 to 7."""

from __future__ import annotations

from studies.piater1997.study import study

__all__ = ["study"]
