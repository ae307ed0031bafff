"""How runs are brought to common steps, as one object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from curvewise.data.choices import check_choice, refuse_option
from curvewise.text import argument

__all__ = ["AlignmentOptions", "How", "Policy"]

How = Literal["linear", "previous", "bins"]
Policy = Literal["refuse", "prefix", "worst", "carry", "drop"]

MAX_STEPS_ASKED = 10**7  # more than any curve is read with


@dataclass(frozen=True)
class AlignmentOptions:
    """How runs are brought to common steps, and what short runs count as.

    Attributes
    ----------
    how : "linear", "previous" or "bins"
        What is taken between the logged steps: the straight line, the value before, or the mean
        of each of several equal bins.
    n_steps : int, optional
        How many evenly spaced steps, or bins; by default the steps of the run that was logged
        least often.
    short : "refuse", "prefix", "worst", "carry" or "drop"
        What is done if runs end early, diverge or are empty.
    reason : str, optional
        Why short runs may be dropped.
    min_steps : int, optional
        How many steps are enough where all runs are cut to a prefix.

    Raises
    ------
    OptionError
        If a value cannot be used, alone or with the others.
    """

    how: How = "linear"
    n_steps: int | None = None
    short: Policy = "refuse"
    reason: str | None = None
    min_steps: int | None = None

    def __post_init__(self) -> None:
        check_choice("align", self.how, get_args(How))
        check_choice("short", self.short, get_args(Policy))
        for name, least in (("n_steps", 2), ("min_steps", 1)):
            value = getattr(self, name)
            if value is None:
                continue
            whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
            if not whole or value < least:
                refuse_option(
                    name, f"must be an integer of {least} or more, not {value!r}."
                )
            if value > MAX_STEPS_ASKED:
                refuse_option(
                    name, f"must be {MAX_STEPS_ASKED:,} at most, not {value:,}."
                )
        given = isinstance(self.reason, str) and bool(self.reason.strip())
        if self.short == "drop" and not given:
            text = (
                f"is needed with {argument('short', 'drop')}: say why the runs failed, in a "
                "few words that stand in every verdict. Dropping is right only where failing "
                "had nothing to do with the scores."
            )
            refuse_option("reason", text)
        if self.short != "drop" and self.reason is not None:
            refuse_option("reason", f"goes with {argument('short', 'drop')} only.")
        if self.short != "prefix" and self.min_steps is not None:
            refuse_option("min_steps", f"goes with {argument('short', 'prefix')} only.")

    @property
    def asks_for_steps(self) -> bool:
        """Whether steps are asked for that need not be those of any run."""
        return self.n_steps is not None or self.how == "bins"
