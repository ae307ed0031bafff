"""What curvewise raises when it cannot go on, and warns of: what is wrong, and what to do."""

from __future__ import annotations

__all__ = ["CurvesError", "CurvewiseError", "CurvewiseWarning", "OptionError"]


class CurvewiseError(ValueError):
    """Anything curvewise refuses; the message is written for the person who asked."""


class CurvesError(CurvewiseError):
    """The data cannot be used as they are."""


class OptionError(CurvewiseError):
    """An argument has a value that cannot be used; ``option`` is its name, where there is one."""

    def __init__(self, message: str, *, option: str | None = None) -> None:
        super().__init__(message)
        self.option = option


class CurvewiseWarning(UserWarning):
    """Something that changes no result, such as a package whose absence makes work slower."""
