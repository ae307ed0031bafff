"""Caveats about some members of a family: tables, pairs, tasks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from curvewise.inference.caveats import MAX_MEMBERS, Caveat

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["OfMembers", "gathered"]


@dataclass(frozen=True)
class OfMembers(Caveat):
    """A caveat about some members of a family: tables, pairs, tasks."""

    members: tuple[str, ...]
    caveat: Caveat

    @property
    def kind(self) -> str:
        """The kind of the caveat itself."""
        return self.caveat.kind

    @property
    def subject(self) -> str | None:
        """The subject of the caveat itself."""
        return self.caveat.subject

    @property
    def about(self) -> tuple[str, ...]:
        """The members."""
        return self.members

    @property
    def doubts_means(self) -> bool:
        """Whether the caveat itself does."""
        return self.caveat.doubts_means

    def sentence(self) -> str:
        """Say whom it is about, then say it."""
        shown = "; ".join(self.members[:MAX_MEMBERS])
        if len(self.members) > MAX_MEMBERS:
            shown += f"; and {len(self.members) - MAX_MEMBERS:,} more"
        return f"{shown}: {self.caveat.sentence()}"

    def to_dict(self) -> dict[str, Any]:
        """Return kind and numbers as JSON-ready data, and whom they are about."""
        return {**self.caveat.to_dict(), "members": list(self.members)}


def gathered(
    caveats: Mapping[str, Iterable[Caveat]], *, name_all: bool = False
) -> tuple[Caveat, ...]:
    """Gather the caveats of a family's members: each once, with whom it is about.

    One that is about every member stands by itself, unless ``name_all``.
    """
    about: dict[Caveat, list[str]] = {}
    for name, own in caveats.items():
        for caveat in own:
            about.setdefault(caveat, []).append(name)
    return tuple(
        caveat
        if len(names) == len(caveats) and not name_all
        else OfMembers(tuple(names), caveat)
        for caveat, names in about.items()
    )
