"""What curvewise raises when it cannot go on, and warns of: what is wrong, and what to do."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterator


class CurvewiseError(ValueError):
    """Anything curvewise refuses; the message is written for the person who asked."""


class CurvesError(CurvewiseError):
    """The data cannot be used as they are."""


class OptionError(CurvewiseError):
    """An argument has a value that cannot be used; ``option`` is its name, where there is one."""

    def __init__(self, message: str, *, option: str | None = None) -> None:
        super().__init__(message)
        self.option = option


def refuse(message: str, option: str | None = None) -> NoReturn:
    """Raise CurvesError, or OptionError if it is the value of an option that cannot be used.

    ``option`` is its name; "" says that it is an option, or several, without naming one.
    """
    named = option or None
    raise CurvesError(message) if option is None else OptionError(message, option=named) from None


class MissingPackageError(CurvewiseError, ImportError):
    """A package is needed that not everybody needs, and it is not installed."""


@contextmanager
def needed_for(what: str, packages: str, install: str) -> Iterator[None]:
    """Import in the with block; where a package is missing, raise a sentence that names it.

    ``packages`` are those that ``what`` needs, and ``install`` is what pip installs for them.

    >>> with needed_for("Tea", "a_kettle", "kettle"):
    ...     import a_kettle
    Traceback (most recent call last):
        ...
    curvewise.errors.MissingPackageError: Tea needs a_kettle, which is not installed: pip install "kettle"
    """
    try:
        yield
    except ModuleNotFoundError:
        are = "are" if " and " in packages else "is"
        msg = f'{what} needs {packages}, which {are} not installed: pip install "{install}"'
        raise MissingPackageError(msg) from None


class CurvewiseWarning(UserWarning):
    """Something that changes no result, such as a package whose absence makes work slower."""
