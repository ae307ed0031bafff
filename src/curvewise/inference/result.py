"""What every result provides: data, tables, words, a picture, and warnings.

A result is frozen data. It computes nothing when it is printed, and it knows neither its words
nor its pictures: `describe`, `headline` and `figure` are found in ``tell.py`` of
the folder that its class is defined in.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple, Protocol, TypeVar

import numpy as np

from curvewise.errors import refuse
from curvewise.kernels.pvalues import clopper_pearson, f_survival
from curvewise.records import UNTOLD, As, Record, json_ready, told
from curvewise.text import (
    argument,
    html_text,
    listed,
    markdown_text,
    p_short,
    p_text,
    plural,
    printable,
    shortened,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Unpack

    from curvewise.data.align import Preparation
    from curvewise.data.curves import Curves
    from curvewise.inference.caveats import Caveat
    from curvewise.inference.work import Sampling
    from curvewise.kernels import Floats
    from curvewise.records import Count, Extended, Probability
    from curvewise.rendering.curves import CurveOptions
    from curvewise.rendering.figures import Figure
    from curvewise.rendering.page import Style
    from curvewise.rendering.tables import Table


Name = TypeVar("Name")
Member = TypeVar("Member")

MAX_OPEN_ROWS = 12  # of a table in a notebook; longer ones are folded
MAX_MEMBERS = 3  # of a family that a sentence names


def beside(owner: object, name: str) -> Any:
    """Return the module ``name`` of the folder that an object's class is defined in."""
    return import_module(f"{type(owner).__module__.rpartition('.')[0]}.{name}")


@dataclass(frozen=True, eq=False, kw_only=True)
class Result(Record, ABC):
    """The answer to a question, as frozen data.

    Attributes
    ----------
    caveats : tuple of Caveat
        What a reader must know before believing the rest, as data, the gravest first.
    preparation : Preparation or None
        How runs with steps of their own were brought to common steps, where they were; of a
        family of tables each member has its own.
    """

    caveats: tuple[Caveat, ...] = field(default=(), metadata=UNTOLD)
    preparation: Preparation | None = field(default=None, metadata=UNTOLD)
    # What the result answers, as its JSON says.
    asked: ClassVar[str]
    # What of `to_dict` is in units of the score.
    in_score_units: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, question: str = "", **options: Any) -> None:
        """Note which question is answered."""
        super().__init_subclass__(**options)
        if question:
            cls.asked = question

    def to_dict(self) -> dict[str, Any]:
        """Return every number that is shown as JSON-ready data; what is infinite is None.

        Preparation and warnings are at the end, with what depends on the score that short runs
        were filled with.
        """
        return {"question": self.asked, **super().to_dict(), **self.shared_dict()}

    @abstractmethod
    def tables(self) -> list[Table]:
        """Return what there is to show, as tables."""

    def __bool__(self) -> bool:
        """Refuse: every result would be true, whatever was found. Gates have a truth of their own."""
        names = ("answer", "significant", "overall", "warnings")
        name = next(own for own in names if hasattr(self, own))
        ask = {"overall": "overall.significant", "warnings": "to_dict()"}.get(name, name)
        called = "()" if callable(getattr(self, name)) else ""
        msg = f"The truth of a {type(self).__name__} is ambiguous. Ask for .{ask}{called} instead."
        raise TypeError(msg)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader must know before believing the rest, in a sentence each."""
        return tuple(caveat.sentence() for caveat in self.caveats)

    @property
    def quotes_scores(self) -> bool:
        """Whether words quote sizes in units of the score: not if these depend on a fill."""
        done = self._preparations().values()
        return all(own.quotes_scores for own in done if own is not None)

    def _preparations(self) -> dict[str, Preparation | None]:
        """Return the preparation of the curves, or of each member of a family, by its name.

        None for those that needed none.
        """
        if self.preparation is not None or not isinstance(self, Mapping):
            return {"": self.preparation}
        return {str(name): getattr(one, "preparation", None) for name, one in self.items()}

    def prepared(self) -> str:
        """Say how runs became curves, with whom it is about where members differ."""
        about: dict[str, list[str]] = {}
        members = self._preparations()
        for name, done in members.items():
            about.setdefault("" if done is None else done.sentence(), []).append(name)
        about.pop("", None)
        return " ".join(
            sentence if len(names) == len(members) else f"{listed(names, MAX_MEMBERS)}: {sentence}"
            for sentence, names in about.items()
        )

    def shared_dict(self) -> dict[str, Any]:
        """Return what every result tells as JSON-ready data: preparation and warnings."""
        done = self.preparation
        if done is not None and not self.quotes_scores:
            done = replace(done, depends_on_fill=self.in_score_units)
        told = {"preparation": done, "warnings": self.warnings, "caveats": self.caveats}
        return {key: json_ready(value) for key, value in told.items()}

    def describe(self) -> str:
        """Return the paragraph to quote: what was found, by how much, how sure."""
        text: str = beside(self, "tell").describe(self)
        return f"{text} {self.prepared()}".rstrip()

    def headline(self) -> str:
        """Return what was found in one line of at most 110 characters.

        Questions whose words have no ``headline`` take the first sentence of `describe`.
        """
        written = getattr(beside(self, "tell"), "headline", None)
        return first_line(self.describe() if written is None else written(self))

    def figure(
        self,
        curves: Curves | None = None,
        *,
        width: float | None = None,
        style: Style = "screen",
        title: str | None = None,
        xlabel: str | None = None,
        ylabel: str | None = None,
        **drawing: Unpack[CurveOptions],
    ) -> Figure:
        """Draw the result, with the curves it is about where the picture shows them.

        Parameters
        ----------
        curves : Curves, optional
            Those that the question was asked of.
        width : float, optional
            Width of the figure in inches, as printed; 3.3 is a column of a paper.
        style : "screen" or "paper"
            Paper: type of 8 points, no captions and details.
        title : str, optional
            Title of the figure, instead of its own.
        xlabel : str, optional
            Name of the horizontal axis.
        ylabel : str, optional
            Name of the vertical axis.
        **drawing
            How curves are drawn, as in `plot_curves`; refused by figures without curves.
        """
        from curvewise.rendering.page import Page

        draw = beside(self, "tell").figure
        page = Page(width, style, title, xlabel, ylabel)
        draws_curves = curves is not None and "drawing" in signature(draw).parameters
        for option in () if draws_curves else drawing:
            refuse(
                f"This figure draws no curves, so {argument(option)} does nothing. Leave it out.",
                option=option,
            )
        if draws_curves and style == "paper":
            drawing.setdefault("details", False)
        with page.type_sizes():
            figure: Figure = draw(self, curves, **drawing)
            return page.set(figure)

    def __str__(self) -> str:
        parts = [table.text() for table in self.tables()]
        parts += [f"Warning: {printable(warning)}" for warning in self.warnings]
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        """Return the headline, the verdict, warnings and tables; long tables are folded."""
        parts = [
            f"<p><strong>{html_text(self.headline())}</strong></p>",
            f"<p>{html_text(self.describe())}</p>",
            *(f"<p><strong>Warning:</strong> {html_text(w)}</p>" for w in self.warnings),
        ]
        for table in self.tables():
            shown = table.html()
            if len(table.rows) > MAX_OPEN_ROWS:
                title = table.title or f"{len(table.rows)} rows: {table.header[0]}, …"
                shown = f"<details><summary>{html_text(title)}</summary>{shown}</details>"
            parts.append(shown)
        return "".join(parts)

    def _repr_markdown_(self) -> str:
        """Return the verdict, warnings and tables as Markdown."""
        parts = [
            markdown_text(self.describe()),
            *(f"**Warning:** {markdown_text(warning)}" for warning in self.warnings),
            *(table.markdown() for table in self.tables()),
        ]
        return "\n\n".join(parts)


def told_of(curves: Curves, kind: type[Result]) -> dict[str, Any]:
    """Return what a kind of result tells of its curves as they say it, such as the source."""
    names = ("algorithms", "steps", "n_blocks", "higher_is_better", "source", "period")
    told = (*(own for own in names if own in kind.__dataclass_fields__), "preparation")
    return {name: getattr(curves, name) for name in told}


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


class Family(Result, Mapping[Name, Member]):
    """A result that looks up its members by their names, in the field ``members`` says."""

    _members: ClassVar[str]

    def __init_subclass__(cls, members: str = "", **options: Any) -> None:
        """Note which field holds the members."""
        super().__init_subclass__(**options)
        if members:
            cls._members = members

    def __getitem__(self, name: Name) -> Member:
        found: Member = getattr(self, self._members)[name]
        return found

    def __iter__(self) -> Iterator[Name]:
        return iter(getattr(self, self._members))

    def __len__(self) -> int:
        return len(getattr(self, self._members))


def describe(result: Result) -> str:
    """Return the paragraph to quote: what was found, by how much, how sure.

    >>> import curvewise as cw
    >>> found = cw.compare(cw.load_example("tictactoe").select("A1", "A3"))
    >>> print(cw.describe(found).split("(")[0])
    No difference was detected between the learning curves of A1 and A3
    """
    given: object = result
    if not isinstance(given, Result):
        refuse(
            f"There is nothing to say about a {type(given).__name__}: give a result.",
            option="result",
        )
    return given.describe()


# --- One effect: its F, its p, and the words for it; intervals.


MAX_THINNED = 1_000  # values of a null distribution, where there are many

EffectName = Literal["overall", "algorithm", "interaction"]
ErrorTerm = Literal["split", "pooled"]
OverallTest = Literal["combined", "F"]
Spread = Literal["equal", "unequal"]
Center = Literal["mean", "trimmed", "ranks"]


class EffectWords(NamedTuple):
    """What an effect is called: in a table or sentence, after "they differ", in a title."""

    noun: str
    how: str
    title: str


EFFECTS: dict[EffectName, EffectWords] = {
    "overall": EffectWords("overall", "at all", "any difference"),
    "algorithm": EffectWords("height", "in height", "height"),
    "interaction": EffectWords("shape", "in shape", "shape"),
}
# The two that an overall difference is made of.
PARTS: tuple[EffectName, ...] = ("algorithm", "interaction")


def f_statistic(effect: float, error: float, df: tuple[int, int]) -> float:
    """Return F from sums of squares; infinite without error, zero without effect."""
    if error == 0:
        return math.inf if effect > 0 else 0.0
    return (effect / df[0]) / (error / df[1])


class Interval(NamedTuple):
    """Two ends, both included."""

    low: Extended
    high: Extended


Bounded = Annotated[Interval, As(tuple[float, float])]  # with ends that are never infinite


@dataclass(frozen=True, eq=False)
class Effect(Record):
    """One effect: its statistic, and where that falls among those of shuffled tables.

    Attributes
    ----------
    name : "overall", "algorithm" or "interaction"
    statistic : float
        F, the combined statistic C, or how far apart trimmed means are, D, in units of the
        score; F is infinite when there is an effect and no error.
    symbol : "F", "C" or "D"
        Which of the three the statistic is.
    f : float
        F, whichever statistic is shuffled; ``df``, ``pvalue_parametric`` and
        ``effect_size`` are those of F.
    df : (int, int)
        Degrees of freedom of the effect and of its error; where spreads may differ they
        are approximate, and no whole numbers.
    pvalue : float
        The share of relabellings with a statistic at least as large. Never 0.
    critical_value : float
        The ⌈(1 − α) z⌉-th of the z sorted statistics of the relabellings: one above it is
        significant at ``alpha``, up to the last shuffle when sampled.
    effect_size : float
        Partial ω²; may be slightly negative when there is no effect.
    null_distribution : array
        The statistic of the relabellings; of many a sample, of 131,072 at most. In a large
        family 1,000 quantiles stand for it. Where ``null`` is a function, it is made when it is
        first asked for.
    components : mapping or None
        What C is combined of: how many standard deviations all steps together, height, shape
        and the most striking step each lie above the mean of shuffled tables. Without those
        that all relabellings agree on. None for F.
    pvalue_adjusted : float or None
        p adjusted for the other tests of a family, where there is a family.
    center : "mean", "trimmed" or "ranks"
        What of an algorithm's runs was compared: their mean, their trimmed mean, or their
        ranks. F is that of trimmed means (Lee & Fung 1985), or of the ranks.
    """

    name: EffectName = field(metadata=UNTOLD)
    statistic: Extended
    df: tuple[float, float]
    pvalue: Probability
    critical_value: Extended
    n_extreme: Count
    n_shuffles: Count
    exact: bool
    alpha: float = field(metadata=UNTOLD)
    null: Floats | Callable[[], Floats] = field(repr=False, metadata=UNTOLD)
    pvalue_adjusted: Probability | None = field(default=None, metadata={"unless": None})
    f_value: float | None = field(default=None, metadata=UNTOLD)
    components: Mapping[str, float] | None = field(default=None, metadata={"unless": None})
    center: Center = field(default="mean", metadata={"unless": "mean"})

    @cached_property
    def null_distribution(self) -> Floats:
        """The statistic of the relabellings."""
        return self.null() if callable(self.null) else self.null

    def with_thinned_null(self) -> Effect:
        """Return the effect with quantiles for its null distribution: many fill a memory."""
        null = self.null_distribution
        if len(null) <= MAX_THINNED:
            return self
        places = np.linspace(0, len(null) - 1, MAX_THINNED).round().astype(np.int64)
        kept = np.sort(null)[places]
        kept.setflags(write=False)
        return replace(self, null=kept)

    @property
    @told(after="statistic")
    def symbol(self) -> Literal["F", "C", "D"]:
        """Which statistic it is: F, the combined one, C, or that of trimmed means, D."""
        if self.center == "trimmed":
            return "D"
        return "F" if self.components is None else "C"

    @property
    @told(after="symbol")
    def f(self) -> Extended:
        """F, whichever statistic is shuffled."""
        return self.statistic if self.f_value is None else self.f_value

    @property
    @told(after="pvalue")
    def significant(self) -> bool:
        """Whether p, adjusted where it belongs to a family, is at most alpha."""
        pvalue = self.pvalue if self.pvalue_adjusted is None else self.pvalue_adjusted
        return pvalue <= self.alpha

    @property
    @told(after="critical_value")
    def effect_size(self) -> float:
        """Partial ω²: the share of variation an effect explains beyond chance."""
        if math.isinf(self.f):
            return 1.0
        df_effect, df_error = self.df
        # An F of 1, but for rounding, explains nothing.
        excess = 0.0 if abs(self.f - 1) < 1e-12 else df_effect * (self.f - 1)
        return excess / (excess + df_effect + df_error + 1)

    @cached_property
    @told(after="pvalue")
    def pvalue_parametric(self) -> Probability:
        """The p of the conventional F test, which takes all scores for independent.

        Where spreads may differ: of Welch's test, on approximate degrees of freedom.
        """
        return f_survival(self.f, self.df)

    @cached_property
    @told(after="pvalue")
    def pvalue_interval(self) -> Bounded:
        """Where p would be if every relabelling were visited, with 95 % confidence."""
        if self.exact:
            return Interval(self.pvalue, self.pvalue)
        return Interval(*clopper_pearson(self.n_extreme, self.n_shuffles, 0.95))

    @property
    def pvalue_error(self) -> float:
        """The standard error that sampling adds to p; 0 when exact."""
        if self.exact:
            return 0.0
        return math.sqrt(self.pvalue * (1 - self.pvalue) / self.n_shuffles)


# --- Phrases that the words of several questions share.

MAX_NAMES = 4  # of more, only how many there are
MAX_LINE = 110  # characters of a headline
NAME_LENGTHS = (60, 40, 30, 20, 14, 10, 7)  # tried in turn until a headline fits


def one_line(write: Callable[..., str], *names: str) -> str:
    """Return ``write(*names)``, with the names shortened as far as a headline needs.

    >>> one_line("{} beats {}.".format, "A", "B")
    'A beats B.'
    """
    line = ""
    for most in NAME_LENGTHS:
        line = write(*(shortened(name, most) for name in names))
        if len(line) <= MAX_LINE:
            break
    return line


def first_line(text: str) -> str:
    """Return the first sentence of a paragraph as a headline; a long one ends in "…".

    >>> first_line("A beats B. Method: shuffles.")
    'A beats B.'
    """
    sentence = re.split(r"(?<=[.!?])\s+(?=[A-Z])", text, maxsplit=1)[0]
    if len(sentence) <= MAX_LINE:
        return sentence
    cut = sentence[: MAX_LINE - 1]
    # Better at the end of a clause, or at least of a word.
    ends = [cut.rfind(mark) for mark in ("; ", ", ", " (", ": ", " ")]
    end = next((end for end in ends if end > MAX_LINE // 2), len(cut))
    return f"{cut[:end]}…"


def names_text(names: Sequence[str]) -> str:
    """Return the names of algorithms as a list, or how many there are."""
    return listed(names) if len(names) <= MAX_NAMES else f"the {len(names)} algorithms"


def p_of(effect: Effect, *, explained: bool = False) -> str:
    """Return the p of an effect for a sentence, and whether it is exact.

    One that no shuffle reached is only known to be no larger; if asked to, say so.
    """
    exact = "exact " if effect.exact else ""
    return exact + p_phrase(
        effect.pvalue, effect.n_shuffles, exact=effect.exact, explained=explained
    )


def p_phrase(pvalue: float, n_shuffles: int, *, exact: bool, explained: bool = False) -> str:
    """Return a p for a sentence; one that no shuffle reached as what it is at most.

    >>> p_phrase(0.0001, 9_999, exact=False, explained=True)
    'p ≤ 0.00010, none of 9,999 shuffles'
    >>> p_phrase(0.0002, 9_999, exact=False)
    'p = 0.00020'
    """
    if not is_at_floor(pvalue, n_shuffles, exact=exact):
        return f"p = {p_short(pvalue)}"
    none = f", none of {n_shuffles:,} shuffles" if explained else ""
    return f"p ≤ {p_short(pvalue)}{none}"


def p_cell(effect: Effect) -> str:
    """Return the p of an effect for a table."""
    at_floor = is_at_floor(effect.pvalue, effect.n_shuffles, exact=effect.exact)
    return f"{'≤ ' if at_floor else ''}{p_text(effect.pvalue)}"


def is_at_floor(pvalue: float, n_shuffles: int, *, exact: bool) -> bool:
    """Tell whether a sampled p is as small as its shuffles allow.

    >>> is_at_floor(0.0001, 9_999, exact=False), is_at_floor(0.0002, 9_999, exact=False)
    (True, False)
    """
    return not exact and pvalue * (n_shuffles + 1) < 1.5


def method_parts(
    sampling: Sampling,
    n_runs: Sequence[int],
    steps: str,
    n_blocks: int | None,
    alpha: float,
    *more: str,
) -> str:
    """Return runs, steps, shuffles, blocks, what else there is, and alpha, for the method."""
    sizes = sorted(set(n_runs))
    each = plural(sizes[0], "run") if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]} runs"
    how = (
        f"all {sampling.n_relabellings:,} relabellings"
        if sampling.exact
        else plural(sampling.n_shuffles, sampling.unit)
    )
    within = f" inside {plural(n_blocks, 'block')}" if n_blocks else ""
    parts = [f"{each} per algorithm", steps, f"{how}{within}", *more, f"α = {alpha:g}"]
    return "; ".join(parts)
