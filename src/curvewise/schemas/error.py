"""The last line on standard error of a command with --json that has no result."""

from typing import Annotated, Literal, TypedDict

__all__ = ["Record"]


class Record(TypedDict):
    """Why there is no result."""

    exit_code: Literal[3, 130, 143]
    error: Annotated[str, "What is wrong, where, and what to do."]
    option: Annotated[str | None, "The option to change, where it is one."]
