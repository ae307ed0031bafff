"""The warnings of results that are shown together: what one says, another need not repeat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

    from curvewise.inference.caveats import Caveat

__all__ = ["Warned", "warnings_of"]


class Warned(Protocol):
    """What has warnings: a result, or a listing."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader must know, in a sentence each."""


def warnings_of(shown: Iterable[Warned]) -> tuple[str, ...]:
    """Return the warnings of all, in their order, each once.

    A caveat is left out if one before it has the same subject, and is about at least the same
    tasks: two questions about the same runs say the same of them in other words.
    """
    sentences: dict[str, None] = {}
    said: list[Caveat] = []
    for result in shown:
        caveats: tuple[Caveat, ...] | None = getattr(result, "caveats", None)
        if caveats is None:
            sentences |= dict.fromkeys(result.warnings)
            continue
        new = [own for own in caveats if not any(_repeats(own, other) for other in said)]
        said += new
        sentences |= dict.fromkeys(own.sentence() for own in new)
    return tuple(sentences)


def _repeats(caveat: Caveat, said: Caveat) -> bool:
    if caveat.subject is None or caveat.subject != said.subject:
        return False
    return bool(caveat.about) and set(caveat.about) <= set(said.about)
