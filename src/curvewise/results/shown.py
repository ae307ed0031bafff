"""How every result prints itself: its tables, then its warnings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from curvewise.tables import html_text, printable

if TYPE_CHECKING:
    from curvewise.tables import Table

__all__ = ["Shown"]


class _Result(Protocol):
    def tables(self) -> list[Table]: ...

    @property
    def warnings(self) -> tuple[str, ...]: ...


class Shown:
    """What has tables and warnings can be printed, and shown in a notebook."""

    def __str__(self: _Result) -> str:
        parts = [table.text() for table in self.tables()]
        parts += [f"Warning: {printable(warning)}" for warning in self.warnings]
        return "\n\n".join(parts)

    def _repr_html_(self: _Result) -> str:
        warnings = "".join(
            f"<p><strong>Warning:</strong> {html_text(w)}</p>" for w in self.warnings
        )
        return "".join(table.html() for table in self.tables()) + warnings
