"""Looks: the colour and the dashes of every algorithm, the same in all pictures of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from curvewise.errors import OptionError
from curvewise.rendering.figures import needed_to_draw
from curvewise.text import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from curvewise.data.display import Display

__all__ = ["COLOURS", "DARK_COLOURS", "LINE_STYLES", "Look", "looks_of"]

# After Okabe & Ito's colours, which colour-blind readers tell apart, in an order in which
# neighbours differ in grey too. Each has a contrast of 3 or more with white.
COLOURS = ("#0072B2", "#C98200", "#00795A", "#C0569A", "#000000", "#3D9BD6", "#A63C00")
# The same hues for a dark ground.
DARK_COLOURS = (
    "#5AB4E5",
    "#F0B040",
    "#2FC29A",
    "#E58CC8",
    "#FFFFFF",
    "#A5D8FF",
    "#FF8A50",
)
# Lengths of ink and gaps in line widths; six of them and seven colours give 42 different lines.
DASHES: tuple[tuple[float, ...], ...] = (
    (),
    (3.7, 1.6),
    (6.4, 1.6, 1.0, 1.6),
    (1.0, 1.65),
    (5.0, 1.0, 1.0, 1.0, 1.0, 1.0),
    # The sixth colour is nearly the first; without colours neither is told by another.
    (9.0, 2.0),
)
# The same as Matplotlib takes them.
LINE_STYLES = tuple((0.0, dash) if dash else "-" for dash in DASHES)


class Look(NamedTuple):
    """How one algorithm is drawn.

    Attributes
    ----------
    colour, dark : str
        Its colour on a light and on a dark ground, as #RRGGBB.
    dash : tuple of float
        Lengths of ink and gaps in line widths; a solid line has none.
    line_style : str or tuple
        The dashes as Matplotlib takes them.
    """

    colour: str
    dark: str
    dash: tuple[float, ...]
    line_style: str | tuple[float, tuple[float, ...]]


class Shown(Protocol):
    """What is drawn: curves, or a result about several tables of them."""

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The names to give a look."""

    @property
    def display(self) -> Display:
        """How the table names and orders what it holds."""


def looks_of(curves: Shown, colours: Mapping[str, str] | None = None) -> dict[str, Look]:
    """Return the look of each algorithm of the curves.

    It follows from the place of the name among all algorithms of the table, not among those
    selected. ``colours`` maps names to colours of the user's own, which hold on either ground.

    Raises
    ------
    OptionError
        If a name in ``colours`` is not that of an algorithm, or a colour is not known.
    """
    everyone = curves.display.everyone
    looks = {}
    for name in curves.algorithms:
        place = everyone.index(name)
        looks[name] = Look(
            COLOURS[place % len(COLOURS)],
            DARK_COLOURS[place % len(COLOURS)],
            DASHES[place % len(DASHES)],
            LINE_STYLES[place % len(LINE_STYLES)],
        )
    for name, colour in (colours or {}).items():
        if name not in everyone:
            msg = f"No algorithm is called {name!r}; {did_you_mean(name, everyone)}"
            raise OptionError(msg, option="colours")
        if name in looks:
            hexadecimal = _hexadecimal(name, colour)
            looks[name] = looks[name]._replace(colour=hexadecimal, dark=hexadecimal)
    return looks


def _hexadecimal(name: str, colour: str) -> str:
    """Return a colour as #RRGGBB; raise if there is none of that name."""
    with needed_to_draw():
        from matplotlib.colors import to_hex

    try:
        return to_hex(colour)
    except ValueError:
        msg = f"The colour {colour!r} of {name!r} is not known. Write it as #RRGGBB."
        raise OptionError(msg, option="colours") from None
