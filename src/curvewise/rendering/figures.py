"""Figures: colours, labels, and how they are saved."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from curvewise.data.checks import check_kind, refuse_option
from curvewise.errors import needed_for, refuse
from curvewise.files import check_place, replacing
from curvewise.text import MIN_SHORT_STEP, did_you_mean, shortened, shown_value, step_text, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Figure  # noqa: PLC0414
    from matplotlib.figure import SubFigure
    from matplotlib.legend import Legend
    from matplotlib.text import Text

    from curvewise.data.curves import Display


OBSERVED_COLOUR = "#D55E00"  # of what was observed, among what was shuffled
# EPS and PS lack the transparency that bands need, PGF needs LaTeX, raw pixels need a viewer.
SCREEN_DPI, PRINT_DPI = 150, 300
MAX_LEGEND_COLUMNS = 6
# Widths in a legend, in sizes of its font: a line with its gaps, and a character.
LEGEND_LINE, CHARACTER = 5.6, 0.58
MIN_WRAPPED = 12  # characters of a line in a legend
MAX_ROW_LABEL = 0.36  # of the width of the figure
MIN_ROW_TYPE = 6.0  # points, of names that take several lines; rows are moved apart for it
ROW_FILL = 0.85  # of the distance between rows that their lines may take
MAX_GROWN = 9.0  # inches, of a figure whose rows are moved apart
UPWARDS = 90.0  # degrees
MAX_AXIS_LABEL = 0.96  # of the room around the middle of the Axes
WRAPPED_SHARE = 0.85  # of what would just fit: words do not break where one likes
REFUSED_FORMATS = {"eps", "pgf", "ps", "raw", "rgba"}


def needed_to_draw() -> AbstractContextManager[None]:
    """Import matplotlib in the with block; where it is missing, a sentence is raised."""
    return needed_for("A figure", "matplotlib", "matplotlib")


def check_figure_path(path: Path) -> None:
    """Raise if a figure could not be saved under this name, before any work is done.

    The format must be known, the folder must exist and be writable, and the name must not be
    that of a folder. An existing file is left as it is.
    """
    with needed_to_draw():
        from matplotlib.backend_bases import FigureCanvasBase

    known = sorted(set(FigureCanvasBase.get_supported_filetypes()) - REFUSED_FORMATS)
    if path.suffix.lower().lstrip(".") not in known:
        ends = ", .".join(known)
        refuse(f"A figure cannot be saved as {path.name!r}: end the name in one of .{ends}.", "")
    check_place(path, "figure")


def save_figures(
    draws: Mapping[Path, Callable[[], Figure]],
    dpi: int = SCREEN_DPI,
    when_drawn: Callable[[], None] = lambda: None,
) -> None:
    """Draw and write figures, whole and all of them or none, with the permissions of new files.

    The format follows from the end of a name. An existing file is replaced, and a link is
    followed. ``when_drawn`` is called before any file takes its place; none does if it raises.
    Raises `OptionError` if a file cannot be written.
    """
    with ExitStack() as stack:
        for path, draw in draws.items():
            partial = stack.enter_context(replacing(path, "figure"))
            kind = path.suffix.lower()[1:]
            with drawn_alike() as metadata:
                draw().savefig(partial, dpi=dpi, metadata=metadata.get(kind))
        when_drawn()


@contextmanager
def drawn_alike() -> Iterator[dict[str, Any]]:
    """Draw the same figure as the same bytes; give what metadata a format needs for that.

    Letters stay letters: publishers refuse Type 3 fonts.
    """
    from matplotlib import rc_context

    letters: Any = {"pdf.fonttype": 42, "ps.fonttype": 42, "svg.fonttype": "none"}
    with rc_context({**letters, "svg.hashsalt": "curvewise"}):
        yield {"svg": {"Date": None}, "pdf": {"CreationDate": None}}


def new_figure(
    size: tuple[float, float], layout: Literal["constrained", "compressed"] | None = "constrained"
) -> Figure:
    """Return an empty figure of a size in inches, which pyplot does not know of.

    Raises `MissingPackageError` if matplotlib is not installed.
    """
    with needed_to_draw():
        from matplotlib.figure import Figure

    return Figure(figsize=size, layout=layout)


def axes_or_current(ax: Axes | None, size: tuple[float, float] | None = None) -> Axes:
    """Return the Axes given, else the current ones of pyplot.

    Where pyplot has no figure yet, one of this ``size`` in inches is made.
    """
    if ax is not None:
        if not hasattr(ax, "fill_between"):
            refuse_option("ax", f"must be Axes of matplotlib, not {shown_value(ax)}.")
        return ax
    with needed_to_draw():
        from matplotlib import pyplot as plt

    if size is not None and not plt.get_fignums():
        plt.figure(figsize=size, layout="constrained")
    return plt.gca()


def label_text(name: str, most: int = 40) -> str:
    """Write a name for a picture, with at most this many characters.

    A name that starts with an underscore gets a space before it, or Matplotlib would leave it
    out of legends.
    """
    shown = shortened(name, most)
    return f" {shown}" if shown.startswith("_") else shown


def score_label(name: str = "score", *, higher_is_better: bool) -> str:
    """Return the label of an axis of scores."""
    shown = label_text(name)
    return shown if higher_is_better else f"{shown} (lower is better)"


def legend_below(ax: Axes, handles: Sequence[Artist], names: Sequence[str]) -> None:
    """Put a legend of many names below the Axes, or below all of a figure that makes room.

    It has as many columns as the figure is wide enough for.
    """
    from matplotlib.font_manager import FontProperties

    figure = ax.get_figure()
    assert figure is not None  # noqa: S101 (it has Axes)
    size = FontProperties(size="small").get_size_in_points() * figure.dpi / 72
    column = LEGEND_LINE + CHARACTER * max(map(len, names))
    fitting = int(figure.bbox.width / size / column)
    columns = max(1, min(fitting, len(names), MAX_LEGEND_COLUMNS))
    look: dict[str, Any] = {"fontsize": "small", "handlelength": 2.8, "frameon": False}
    if figure.get_layout_engine() is None:
        look["bbox_to_anchor"] = (0.5, -0.15)
        legend = ax.legend(handles, names, loc="upper center", ncols=columns, **look)
    else:
        legend = figure.legend(handles, names, loc="outside lower center", ncols=columns, **look)
    for text in legend.get_texts():
        text.set_parse_math(False)


def flat_axes(figure: Figure | SubFigure) -> list[Axes]:
    """Return all Axes of a figure, from top to bottom, those of its parts included."""
    return list(dict.fromkeys(ax for part in (figure, *figure.subfigs) for ax in part.axes))


def write_title(figure: Figure, title: str) -> None:
    """Write a title above a figure, in as many lines as it needs.

    If a legend is there it becomes that legend's title: Matplotlib would draw its own over it.
    """
    from matplotlib import rcParams

    legends: list[Any] = figure.legends
    above = [legend for legend in legends if legend._outside_loc == "upper"]
    if above:
        above[0].set_title(title, {"size": rcParams["figure.titlesize"]})
        heading: Text = above[0].get_title()
        heading.set_parse_math(False)
    else:
        heading = figure.suptitle(title, parse_math=False)
    figure.draw_without_rendering()
    _break(heading, figure.bbox.width)


def wrap_labels(figure: Figure) -> None:
    """Break the names of rows and of axes where the figure is too narrow for them.

    Where rows are too near to each other for that, the figure becomes higher.
    """
    figure.draw_without_rendering()
    made: Any = figure
    heading: Text | None = made._suptitle
    if heading is not None:
        _break(heading, figure.bbox.width)
        figure.draw_without_rendering()
    for ax in flat_axes(figure):
        rows = ax.get_yticklabels()
        names = _broken(rows, MAX_ROW_LABEL * figure.bbox.width)
        wraps = names != [own.get_text() for own in rows]
        look: dict[str, Any] = {"parse_math": False, "linespacing": 0.9}
        if wraps:
            ax.set_yticks(ax.get_yticks(), names, **look)
            figure.draw_without_rendering()
        for label in (ax.xaxis.label, ax.title):
            _break(label, _room_below(figure, ax))
        _break(ax.yaxis.label, ax.get_window_extent().height)
        if wraps:
            figure.draw_without_rendering()
            n_lines = 1 + max(name.count("\n") for name in names)
            _grow(figure, ax, len(names), n_lines * MIN_ROW_TYPE / ROW_FILL)
            size = ROW_FILL * _pitch(figure, ax, len(names)) / n_lines
            size = min(float(rows[0].get_fontsize()), size)
            ax.set_yticks(ax.get_yticks(), names, fontsize=size, **look)


def _room_below(figure: Figure, ax: Axes) -> float:
    """Return how wide a label in the middle of Axes can be before it meets an edge, or others."""
    inner = ax.get_window_extent()
    middle = (inner.x0 + inner.x1) / 2
    left, right = 0.0, float(figure.bbox.width)
    for other in flat_axes(figure):
        own = other.get_window_extent()
        beside = own.y0 < inner.y1 and inner.y0 < own.y1
        if beside and own.x1 <= inner.x0:
            left = max(left, (own.x1 + inner.x0) / 2)
        elif beside and inner.x1 <= own.x0:
            right = min(right, (inner.x1 + own.x0) / 2)
    return 2 * min(middle - left, right - middle)


def _pitch(figure: Figure, ax: Axes, n_rows: int) -> float:
    """Return how far rows are apart, in points."""
    return float(72 * ax.get_window_extent().height / figure.dpi / n_rows)


def _grow(figure: Figure, ax: Axes, n_rows: int, pitch: float) -> None:
    """Make a figure higher until rows are so far apart, in points."""
    width, height = figure.get_size_inches()
    higher = height + n_rows * (pitch - _pitch(figure, ax, n_rows)) / 72
    if height < higher:
        figure.set_size_inches(width, min(higher, max(height, MAX_GROWN)))
        figure.draw_without_rendering()


def _break(label: Text, room: float) -> None:
    """Break a label, whichever way it runs, where it takes more than some room in pixels."""
    label.set_text(*_broken([label], MAX_AXIS_LABEL * room))


def _broken(labels: Sequence[Text], room: float) -> list[str]:
    """Return texts with lines short enough for some room, in pixels."""
    texts = [own.get_text() for own in labels]
    widest = max(map(_length, labels), default=0.0)
    if widest <= room:
        return texts
    longest = max(len(line) for text in texts for line in text.split("\n"))
    most = max(int(longest * room / widest), MIN_WRAPPED)
    return ["\n".join(textwrap.fill(line, most) for line in own.split("\n")) for own in texts]


def _length(label: Text) -> float:
    """Return how long the lines of a label are, in pixels; one that is turned runs upwards."""
    box = label.get_window_extent()
    return float(box.height if label.get_rotation() == UPWARDS else box.width)


def fit_legends(figure: Figure) -> None:
    """Give legends as many columns as the figure is wide enough for, and wrap long lines."""
    legends = [legend for part in (figure, *figure.subfigs) for legend in part.legends]
    legends += [own for ax in flat_axes(figure) if (own := ax.get_legend())]
    if not legends:
        return
    figure.draw_without_rendering()
    for legend in legends:
        n_columns = min(len(legend.get_texts()), MAX_LEGEND_COLUMNS)
        while _excess(legend, figure) > 1 and n_columns > 1:
            n_columns -= 1
            _set_columns(legend, n_columns)
            figure.draw_without_rendering()
        excess = _excess(legend, figure)
        if excess > 1:
            longest = max(len(text.get_text()) for text in legend.get_texts())
            most = max(int(longest / excess * WRAPPED_SHARE), MIN_WRAPPED)
            for text in legend.get_texts():
                text.set_text(textwrap.fill(text.get_text(), most))


def _set_columns(legend: Legend, n_columns: int) -> None:
    """Lay a legend out anew; Matplotlib's own `set_ncols` changes nothing that is laid out."""
    made: Any = legend
    made.set_ncols(n_columns)
    title = made.get_title()
    math_in_title = title.get_parse_math()
    math = [text.get_parse_math() for text in made.get_texts()]
    names = [text.get_text() for text in made.get_texts()]
    made._init_legend_box(made.legend_handles, names)
    made._legend_box.set_offset(made._findoffset)
    made.set_title(title.get_text(), prop=title.get_fontproperties())
    made.get_title().set_parse_math(math_in_title)
    for text, parsed in zip(made.get_texts(), math, strict=True):
        text.set_parse_math(parsed)


def lift_legend(figure: Figure) -> None:
    """Put a legend that is wider than the Axes below it above all that there is of the figure.

    It begins at the left edge then. Beside its Axes the layout would make room for it, until
    nothing is left of them. Figures of several Axes stay as they are.
    """
    axes = flat_axes(figure)
    legend = axes[0].get_legend() if len(axes) == 1 else None
    if legend is None:
        return
    figure.draw_without_rendering()
    box, inner = legend.get_window_extent(), axes[0].get_window_extent()
    if box.y0 < inner.y1 - 1 or box.width <= inner.width:
        return
    texts = legend.get_texts()
    made: Any = legend
    handles = [handle for handle in made.legend_handles if handle is not None]
    names = [text.get_text() for text in texts]
    look: Any = {"loc": "outside upper left", "frameon": False, "borderaxespad": 0.0}
    size = texts[0].get_fontsize()
    above = figure.legend(handles, names, ncols=made._ncols, fontsize=size, **look)
    for text, own in zip(above.get_texts(), texts, strict=True):
        text.set_parse_math(own.get_parse_math())
    legend.remove()


def lower_legend(figure: Figure) -> Figure:
    """Put the legend of a figure's only Axes below all of it, where it hides no data."""
    (ax,) = flat_axes(figure)
    handles, names = ax.get_legend_handles_labels()
    legend = ax.get_legend()
    if legend is not None:
        legend.remove()
    legend_below(ax, handles, names)
    return figure


def _excess(legend: Legend, figure: Figure) -> float:
    """Return how much wider a legend is than the room from its left end to the right edge."""
    box = legend.get_window_extent()
    left = max(box.x0, figure.bbox.x0)
    return float((box.x1 - min(box.x0, left)) / max(figure.bbox.x1 - left, 1.0))


def one_axes(draw: Callable[..., Axes], result: object, size: tuple[float, float]) -> Figure:
    """Return a new figure with what ``draw(result, ax=…)`` draws on a single Axes."""
    figure = new_figure(size)
    draw(result, ax=figure.subplots())
    return figure


# --- Looks: the colour and the dashes of every algorithm, the same in all pictures of a table.

# After Okabe & Ito's colours, which colour-blind readers tell apart, in an order in which
# neighbours differ in grey too. Each has a contrast of 3 or more with white.
COLOURS = words("#0072B2 #C98200 #00795A #C0569A #000000 #3D9BD6 #A63C00")
# The same hues for a dark ground.
DARK_COLOURS = words("#5AB4E5 #F0B040 #2FC29A #E58CC8 #FFFFFF #A5D8FF #FF8A50")
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
LINE_STYLES: tuple[str | tuple[float, tuple[float, ...]], ...] = (
    "-",
    *zip((0.0,) * len(DASHES), DASHES[1:], strict=False),
)


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
    check_kind("colours", colours, Mapping, "a mapping from names to colours")
    everyone = curves.display.everyone
    kinds: tuple[Any, ...] = (COLOURS, DARK_COLOURS, DASHES, LINE_STYLES)
    looks = {}
    for name in curves.algorithms:
        place = everyone.index(name)
        looks[name] = Look(*(own[place % len(own)] for own in kinds))
    for name, colour in (colours or {}).items():
        if name not in everyone:
            refuse(f"No algorithm is called {name!r}; {did_you_mean(name, everyone)}", "colours")
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
        refuse(f"The colour {colour!r} of {name!r} is not known. Write it as #RRGGBB.", "colours")


# --- Ticks as people write steps: 0, 50M, 100M.


def write_steps(ax: Axes) -> None:
    """Write the steps on the horizontal axis with k, M and G where they are large."""
    from matplotlib.ticker import FuncFormatter

    def text(value: float, _: int | None = None) -> str:
        low, high = ax.get_xlim()
        if max(abs(low), abs(high)) < MIN_SHORT_STEP:
            return f"{value:.6g}"
        # Ticks lie at round numbers but for rounding.
        return step_text(float(f"{value:.6g}"), least=1_000)

    ax.xaxis.set_major_formatter(FuncFormatter(text))
