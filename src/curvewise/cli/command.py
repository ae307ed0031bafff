"""A command is a function: its options come from signatures, its help from docstrings.

A command has the parameters of its own function, of its groups, and of the public function that
it asks; names, types, choices and defaults are those of the signatures. Of what the public
function's docstring says about a parameter the first sentence is its help text; commands and
groups say in their own docstrings what they declare themselves.
"""

from __future__ import annotations

import re
from collections import abc
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, fields
from functools import cache
from inspect import Parameter, cleandoc, signature
from itertools import chain
from pathlib import Path
from pkgutil import resolve_name
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import click

import curvewise
from curvewise.cli.cluster import SECONDS_TO_GIVE_UP, on_cluster
from curvewise.cli.terminal import (
    EPILOG,
    chosen_style,
    exit_with_message,
    note,
    progress,
    save_plots,
    show,
)
from curvewise.data.checks import check_choice
from curvewise.data.points import Duplicates
from curvewise.data.tables import How, Policy
from curvewise.errors import OptionError, refuse
from curvewise.rendering.figures import PRINT_DPI, SCREEN_DPI, check_figure_path
from curvewise.text import argument, encodable, naming_flags, plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from curvewise.data.curves import Curves
    from curvewise.inference.result import Result


OWN = "Options"  # the heading of options without a group
CONTEXT: dict[str, Any] = {"help_option_names": ["-h", "--help"], "show_default": True}
ARGUMENTS = {"paths": "PATH", "command": "COMMAND"}  # parameters without a flag
# What stands for a value in help texts, where its type does not say it.
METAVARS = {
    name: metavar
    for metavar, names in {
        "KEY": "group_by run_by",
        "COL": "algorithm run step score block",
        "STEP": "start stop",
        "SCORE": "threshold",
        "TEXT": "reason title xlabel ylabel step_name score_name",
        "INCHES": "width",
        "SIZE": "assumed",
        "TOL": "until_asymptote",
        "F": "cluster_threshold",
    }.items()
    for name in names.split()
}


# What annotations of options name that their modules import for type checkers only.
NAMES = {"Sequence": abc.Sequence, "How": How, "Policy": Policy, "Duplicates": Duplicates}


class Group:
    """Options that commands share, under a heading in ``--help``: a dataclass of them.

    A field without a default has that of the function asked. Where ``asks`` names public
    functions, all of their options but those ``without`` are in the group, and come as ``asked``.
    """

    heading: ClassVar[str]
    asks: ClassVar[str] = ""
    without: ClassVar[str] = ""


class Declared(NamedTuple):
    """A parameter as a signature and a docstring declare it."""

    hint: Any
    default: Any
    text: str


class Argument(click.Argument):
    """An argument that is called the same in usage lines, errors and lists."""

    def get_usage_pieces(self, _ctx: click.Context) -> list[str]:
        """Return how it is typed."""
        name = self.human_readable_name
        return [(name if self.required else f"[{name}]") + ("..." if self.nargs < 0 else "")]


class Place(click.Path):
    """A path, whether it is there or not; of what is read the name must not be empty."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Take a path as it is."""
        if value == "" and isinstance(param, click.Argument):
            msg = "The name of a file or folder is empty; for this folder write a dot."
            self.fail(msg, param, ctx)
        return Path(value)


# How a value is read, and what stands for it in help texts, by its type.
TYPES: dict[Any, tuple[Any, str]] = {
    str: (encodable, "NAME"),  # bytes that are no text are spelt out
    int: (click.INT, "N"),
    float: (click.FLOAT, "X"),
    Path: (Place(), "FILE"),
}


class Command(click.Command):
    """A command whose help lists options group by group; ``told`` has headings and arguments."""

    told: dict[str, tuple[str, str]]  # of each parameter the heading and the help text

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write arguments, the command's own options, and the groups."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], OWN: []}
        for parameter in self.get_params(ctx):
            heading, text = self.told.get(parameter.name or "", (OWN, ""))
            if isinstance(parameter, click.Argument):
                sections["Arguments"].append((parameter.human_readable_name, text))
            elif record := parameter.get_help_record(ctx):
                sections.setdefault(heading, []).append(record)
        for heading, records in sections.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


def asks(functions: str, *, without: str = "", whole: bool = True) -> Callable[[Any], Any]:
    """Let a command have the options of public functions, but for those it does not offer.

    Unless the ``whole`` is offered they only explain what the command itself declares.
    """

    def decorated(command: Any) -> Any:
        command.asks, command.without, command.whole = functions, without, whole
        return command

    return decorated


def built(function: Callable[..., None]) -> Command:
    """Return the command that a function declares.

    A parameter annotated with a `Group` stands for its options. Options of the function asked
    that no group has come as keywords.
    """
    groups = {
        name: hint
        for name, hint in get_type_hints(function).items()
        if isinstance(hint, type) and issubclass(hint, Group)
    }
    asked, whole = getattr(function, "asks", ""), getattr(function, "whole", True)
    sections = {
        name: _options(group, group.asks or asked, whole=bool(group.asks))
        for name, group in groups.items()
    }
    own = _options(function, asked, [*groups, *chain(*sections.values())], whole=whole)

    def run(**values: Any) -> None:
        with exit_with_message(function.__name__, as_json=values.get("json", False)):
            made = {
                name: _made(group, {each: values.pop(each) for each in sections[name]})
                for name, group in groups.items()
            }
            function(**made, **values)

    headed = {OWN: own, **{groups[name].heading: section for name, section in sections.items()}}
    command = Command(
        function.__name__,
        params=[_parameter(*each) for section in headed.values() for each in section.items()],
        callback=run,
        help=_documented(function)[0],
        epilog=EPILOG,
        context_settings=CONTEXT,
    )
    command.told = {
        name: (heading, each.text)
        for heading, section in headed.items()
        for name, each in section.items()
    }
    return command


def _made(group: Any, asked: dict[str, Any]) -> Any:
    """Return a group with its values; those without a field go into ``asked``."""
    own = {field.name for field in fields(group)}
    given = {name: asked.pop(name) for name in own & asked.keys()}
    return group(**given, asked=asked) if "asked" in own else group(**given)


def _options(
    owner: Any, asked: str, but: Iterable[str] = (), *, whole: bool
) -> dict[str, Declared]:
    """Return what a command or a group declares, and if ``whole`` what the functions asked do.

    Where both declare a parameter, the owner has its say.
    """
    functions = [resolve_name(f"curvewise.{path}") for path in asked.split()]
    theirs = {
        name: (function, each)
        for function in functions
        for name, each in signature(function).parameters.items()
        if each.kind is Parameter.KEYWORD_ONLY
    }
    hints = get_type_hints(owner, include_extras=True)
    classes = owner.__mro__ if isinstance(owner, type) else [owner]
    found: dict[str, Declared] = {}
    for name, each in signature(owner).parameters.items():
        if each.kind is Parameter.VAR_KEYWORD or name in {*but, "asked"}:
            continue
        default = each.default
        text = next((own[1][name] for own in map(_documented, classes) if name in own[1]), "")
        if name in theirs:
            function, other = theirs[name]
            default = other.default if default is Parameter.empty else default
            text = text or help_of(function, name)
        found[name] = Declared(hints[name], default, text)
    without = {*found, *but, *getattr(owner, "without", "").split()}
    for name, (function, each) in theirs.items() if whole else ():
        if name not in without:
            hint = eval(each.annotation, NAMES | function.__globals__)  # noqa: S307 (our own)
            found[name] = Declared(hint, each.default, help_of(function, name))
    return found


@cache
def _documented(owner: Any) -> tuple[str, dict[str, str]]:
    """Return what a docstring says on the whole, and about each parameter."""
    whole, _, rest = cleandoc(owner.__doc__ or "").partition("\n\nParameters\n----------\n")
    about = {}
    for entry in re.split(r"\n(?=\S)", re.split(r"\n\n\w+\n---", rest)[0]):
        names, _, text = entry.partition("\n")
        for name in names.partition(" : ")[0].split(", "):
            about[name] = " ".join(text.split()).replace(". [", ".  [")
    return whole, about


def help_of(function: Callable[..., Any], name: str) -> str:
    """Return the help text of a parameter: the first sentence about it, and its default.

    "As in `compare`" is followed there.
    """
    text = _documented(function)[1].get(name, "")
    if other := re.match(r"As in `(\w+)`", text):
        return help_of(getattr(curvewise, other[1]), name)
    sentences = re.split(r"(?<=[.?]) ", text)
    default = re.search(r"By default (.+?)[.:]( |$)", text)
    shown = sentences[0] + (f"  [default: {default[1]}]" if default else "")
    with naming_flags():
        shown = re.sub(r'``(\w+)="([\w-]+)"``', lambda own: argument(own[1], own[2]), shown)
        known = signature(function).parameters
        shown = re.sub(
            "``(.+?)``", lambda own: argument(own[1]) if own[1] in known else own[1], shown
        )
    return re.sub(r'"([\w-]+)"|`(\w+)`', r"\1\2", shown)


def _parameter(name: str, declared: Declared) -> click.Parameter:
    """Return an argument or an option; an annotation may say its flags, metavar and type."""
    hint, default, text = declared
    said: list[Any] = []
    if get_origin(hint) is Annotated:
        hint, *said = get_args(hint)
    kind, words = _typed(hint, default)
    words["required"] = is_required = default is Parameter.empty
    if name in ARGUMENTS:
        words["nargs"] = -1 if words.pop("multiple", False) else 1
        return Argument([name], **{**words, "metavar": ARGUMENTS[name]})
    if name in METAVARS:
        words["metavar"] = METAVARS[name]
    flags = []
    for word in said:
        if isinstance(word, click.ParamType):
            words["type"] = word
        elif isinstance(word, str) and word.startswith("-"):
            flags.append(word)
        elif isinstance(word, str):
            words["metavar"] = word
    if words.get("multiple"):
        text = text if "repeat" in text else f"{text.rstrip('.')}; repeat for more."
    elif not is_required:
        words["default"] = kind(default) if type(default) in {int, float} else default
    return click.Option([name, *(flags or [_flag(name, kind, default)])], help=text, **words)


def _typed(hint: Any, default: object) -> tuple[Any, dict[str, Any]]:
    """Return the type of a value, and how click reads it."""
    kinds = get_args(hint) if get_origin(hint) in {Union, UnionType} else (hint,)
    for kind in kinds:
        if get_origin(kind) is Literal:
            return str, {"type": click.Choice(get_args(kind))}
    kind = next(kind for kind in kinds if kind is not NoneType)
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    words: dict[str, Any] = {}
    if get_origin(kind) in {tuple, list, abc.Sequence}:
        kind, *others = get_args(kind)
        words = {"nargs": 1 + len(others), "metavar": "FROM TO"}
        if not others or Ellipsis in others:
            words = {"multiple": True}
    if kind is bool:
        return kind, {"is_flag": True}
    if kind not in TYPES:
        kind = type(default)  # where others than commands may give other things, too
    type_, metavar = TYPES[kind]
    return kind, {"type": type_, "metavar": metavar, **words}


def _flag(name: str, kind: Any, default: object) -> str:
    """Return how an option is typed; a switch that can be off has a flag for that, too."""
    with naming_flags():
        if kind is not bool:
            return argument(name)
        on, off = argument(name, True), argument(name, False)
    if default is False:
        return on
    return f"{on}/{off if off != on else on.replace('--', '--no-')}"


def typed_options() -> set[str]:
    """Return the options that stand on the command line; the others have their defaults."""
    context = click.get_current_context(silent=True)
    if context is None:
        return set()
    source = click.core.ParameterSource.COMMANDLINE
    return {name for name in context.params if context.get_parameter_source(name) is source}


# --- Groups of options: what a command reads, how it shuffles, simulates, prints and draws.


MAX_NOTES = 5  # lines about single runs
Tables = TypeVar("Tables", bound="Mapping[str, Curves]")


@dataclass(frozen=True, kw_only=True)
class Reading(Group):
    """What is read: files and folders, what is what in them, and which part is kept.

    Parameters
    ----------
    paths
        A table (CSV, TSV, Parquet, JSON lines, NPZ), or training logs: folders, files, patterns.
        'curvewise inspect PATH' lists what is there.
    where
        Keep the rows of a table with this value; repeat for more.
    """

    heading = "Data"
    asks = "read"

    paths: tuple[Path, ...]
    where: Annotated[tuple[str, ...], "COLUMN=VALUE"] = ()
    asked: dict[str, Any]

    def curves(self) -> Curves:
        """Read the curves, and say what was read."""
        return self.tables(lambda *given, **asked: {"": curvewise.read(*given, **asked)})[""]

    def tables(self, read: Callable[..., Tables]) -> Tables:
        """Read the curves of tasks by a function such as `read_tasks`, and say what was read."""
        with progress("reading"):
            tables = read(self.paths, **self.selection)
        note_reading(tables)
        return tables

    @property
    def selection(self) -> dict[str, Any]:
        """The arguments of read() and read_tasks()."""
        where: dict[str, str] = {}
        for text in self.where:
            column, sign, value = text.partition("=")
            if not sign or not column:
                refuse(f"--where takes COLUMN=VALUE, such as game=pong; it is {text!r}.", "where")
            if where.setdefault(column, value) != value:
                refuse(
                    f"--where asks for {where[column]!r} and for {value!r} in column {column!r}, "
                    "and a row has one of them. Keep several algorithms with --only; else make a "
                    "table of these rows first.",
                    "where",
                )
        return {**self.asked, "where": where}


def check_not_read(place: Path | None, paths: Sequence[Path], option: str, what: str) -> None:
    """Raise if a file to write is one of those that are read: it would take their place."""
    for path in paths:
        if place is not None and _is_same_file(place, path):
            refuse(
                f"The {what} would take the place of {str(path)!r}. Choose another name.", option
            )


def _is_same_file(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except (OSError, ValueError):  # one of them is not there
        return False


def note_reading(tasks: Mapping[str, Curves], noun: str = "task") -> None:
    """Say in a line what was read, of tasks that differ for the first; then notes on runs."""
    name, first = next(iter(tasks.items()))
    source = first.source
    if len({curves.source for curves in tasks.values()}) > 1:
        source += f"; that is {name}, and likewise {plural(len(tasks) - 1, f'other {noun}')}"
    elif len(tasks) > 1:
        source += f"; the same for each of {plural(len(tasks), noun)}"
    note(f"Read {source}")
    notes = [
        f"{f'{name}, ' if len(tasks) > 1 else ''}{text}"
        for name, curves in tasks.items()
        if curves.preparation is not None
        for text in curves.preparation.notes
    ]
    for text in notes[:MAX_NOTES]:
        note(f"Note: {text}.")
    if len(notes) > MAX_NOTES:
        note(f"And {plural(len(notes) - MAX_NOTES, 'note')} more, which --json lists.")


@dataclass(frozen=True, kw_only=True)
class Shuffling(Group):
    """How relabellings are visited: which, how many, where, and from which checkpoint.

    Parameters
    ----------
    n_jobs
        Threads to use; -1 for all cores.  [default: 1; with --cluster all of it]
    cluster
        Send the work to a dask scheduler (tcp://host:port, tls://host:port) or ray
        (ray://host:port).
    cluster_timeout
        Give the cluster up when it gives no result for so long.
    """

    heading = "Shuffling"

    n_shuffles: Annotated[str | None, "N"]
    exact: bool | None
    rng: int = 0
    n_jobs: int | None = None
    cluster: Annotated[str | None, "ADDRESS"] = None
    cluster_timeout: Annotated[float, "SECONDS"] = SECONDS_TO_GIVE_UP
    checkpoint: Path | None

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of a question that shuffles."""
        n_jobs = self.n_jobs
        if n_jobs is None:
            n_jobs = 1 if self.cluster is None else -1
        return {
            "n_shuffles": _number_of_shuffles(self.n_shuffles),
            "exact": self.exact,
            "n_jobs": n_jobs,
            "rng": self.rng,
            "checkpoint": self.checkpoint,
        }

    @property
    def options_of_best(self) -> dict[str, Any]:
        """The arguments of the best, whose counts go to a file beside those of the first."""
        options = self.options
        if self.n_shuffles is None:
            del options["n_shuffles"]
        if self.checkpoint is not None:
            options["checkpoint"] = self.checkpoint.with_name(f"{self.checkpoint.name}.best")
        return options

    @contextmanager
    def working(self) -> Iterator[None]:
        """Work on the cluster, if there is one, and show progress, inside the with block."""
        cluster = self.cluster
        there = nullcontext() if cluster is None else on_cluster(cluster, self.cluster_timeout)
        with there, progress("shuffling"):
            try:
                yield
            except (KeyboardInterrupt, OptionError) as error:
                lost = getattr(error, "option", "cluster") == "cluster"
                if lost and self.checkpoint is not None:
                    note(
                        f"The work done so far is in {self.checkpoint}; run the same command "
                        "again to go on."
                    )
                raise


def _number_of_shuffles(text: str | None) -> object:
    """Read a number such as 10000 or 1e6; a word is left as it is."""
    try:
        number = float(str(text).replace("_", ""))
    except ValueError:
        return text
    return int(number) if number.is_integer() else number


@dataclass(frozen=True, kw_only=True)
class Output(Group):
    """How results are printed, and where and how their figure is saved.

    Parameters
    ----------
    json
        Print the result as JSON, and nothing else.
    markdown
        Print Markdown.
    latex
        Print LaTeX tables (booktabs).
    plot
        Save a figure (.png, .pdf, .svg, …).
    style
        Paper: type of 8 points, no caption.  [default: paper for .pdf]
    """

    heading = "Output"
    asks = "inference.result.Result.figure"

    json: bool = False
    markdown: bool = False
    latex: bool = False
    plot: Path | None = None
    style: Literal["screen", "paper"] | None = None
    asked: dict[str, Any]

    def __post_init__(self) -> None:
        # Before any work is done.
        _ = self.printed
        for place in self.places:
            check_figure_path(place)
        if self.plot is None:
            printing = {"json", "markdown", "latex", "plot"}
            about_figures = {field.name for field in fields(self)} - printing | set(self.asked)
            for name in sorted(about_figures & typed_options()):
                refuse(
                    f"{argument(name)} is about a figure. Say where to save it with --plot.", name
                )

    @property
    def places(self) -> list[Path]:
        """The files that may be written."""
        return [] if self.plot is None else [self.plot]

    @property
    def printed(self) -> str:
        """The one style of printing that was asked for; several are a usage error."""
        return chosen_style(json=self.json, markdown=self.markdown, latex=self.latex)

    @property
    def drawing(self) -> dict[str, Any]:
        """The arguments of `Result.figure` that were asked for."""
        style = self.style
        if style is None and self.plot is not None:
            style = "paper" if self.plot.suffix.lower() == ".pdf" else "screen"
        return {**self.asked, "style": style}

    @property
    def dpi(self) -> int:
        """How fine a picture of pixels is."""
        return SCREEN_DPI if self.asked["width"] is None else PRINT_DPI

    def save(self, result: Result, curves: Curves | None = None) -> None:
        """Save the figure of a result, if one was asked for.

        To be called before `show`: whoever reads the output may stop reading it.
        """
        if self.plot is not None:
            save_plots({self.plot: lambda: result.figure(curves, **self.drawing)}, self.dpi)

    def tell(self, *results: Result, curves: Curves | None = None, **more: Any) -> None:
        """Save the figure of the first result, and print all of them."""
        self.save(results[0], curves)
        self.show(*results, **more)

    def show(self, *results: Result, **more: Any) -> None:
        """Print results, and say where the figure is."""
        show(results, self.printed, **more)
        if self.plot is not None:
            note(self.saved())

    def saved(self) -> str:
        """Say where the figure is."""
        return f"Figure saved as {self.plot}"


@dataclass(frozen=True, kw_only=True)
class CurveOutput(Output):
    """How results are printed, and how a figure with curves is drawn.

    Parameters
    ----------
    no_runs
        Leave single runs out of the figure.
    details
        Caption and panels behind the answer.  [default: not on paper]
    colours
        Colour of an algorithm; repeat for more.
    """

    asks = "inference.result.Result.figure plot_curves"
    without = "runs"

    no_runs: bool = False
    details: bool | None = None
    colours: Annotated[tuple[str, ...], "NAME=COLOUR"] = ()

    @property
    def drawing(self) -> dict[str, Any]:
        """The arguments of `Result.figure` that were asked for."""
        details = {} if self.details is None else {"details": self.details}
        colours = dict(map(_named_colour, self.colours))
        return {**super().drawing, **details, "runs": not self.no_runs, "colours": colours}


def _named_colour(text: str) -> tuple[str, str]:
    """Split NAME=COLOUR at the last sign; names may have others."""
    name, sign, colour = text.rpartition("=")
    if not sign or not name or not colour:
        refuse(f"--colour takes NAME=COLOUR, such as DQN=#0072B2; it is {text!r}.", "colour")
    return name, colour


@dataclass(frozen=True, kw_only=True)
class Simulating(Group):
    """Which difference is looked for, and how experiments that look for it are simulated.

    Parameters
    ----------
    effect
        The difference to find: lift, stretch, speed, or a, b, c, d (the papers' modifications);
        observed takes that of the pilots, shrunk.  [required]
    size
        The smallest size worth finding.  [required, unless it is observed]
    """

    heading = "Simulation"
    asks = "scenario estimate_power"
    without = "n_runs sizes on"

    effect: Annotated[str | None, "KIND"] = None
    size: Annotated[tuple[str, ...], "X"] = ()
    unit: Literal["score", "sd"]
    rng: int = 0
    asked: dict[str, Any]

    @property
    def sizes(self) -> list[float] | None:
        """The sizes of the effect: one number, or several; None if observed."""
        check_stated(self.effect, self.size or None, observed=True)
        return numbers_of("size", self.size) if self.size else None

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of a question that simulates experiments, with the first size."""
        sizes, effect = self.sizes, self.effect
        scenario = (
            curvewise.scenario(effect, sizes[0], unit=self.unit) if effect and sizes else effect
        )
        return {**self.asked, "effect": scenario, "rng": self.rng}


def check_stated(effect: str | None, size: object, *, observed: bool = False) -> None:
    """Raise unless a difference is stated as a kind and a size, or not at all."""
    from curvewise.inference.simulate import KINDS

    if effect is not None:
        check_choice("effect", effect, (*KINDS, *(["observed"] if observed else [])))
    if effect == "observed":
        if size is not None:
            refuse("--effect observed has a size of its own. Leave --size out.", "size")
    elif (effect is None) != (size is None):
        refuse(
            "--effect and --size belong together, as in --effect lift --size 5.",
            "size" if size is None else "effect",
        )


def numbers_of(option: str, given: Sequence[str]) -> list[float]:
    """Read numbers that are joined by commas, or given with the option repeated."""
    text = ",".join(given)
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        refuse(
            f"--{option} must be numbers joined by commas, such as 5,10,20; it is {text!r}.", option
        )


def named_numbers(given: Sequence[str]) -> float | dict[str, float] | None:
    """Read one number for all, or NAME=NUMBER once for each; None if it is neither."""
    try:
        if len(given) == 1 and "=" not in given[0]:
            return float(given[0])
        # The last sign counts: a name may contain one itself.
        parts = [text.rpartition("=") for text in given]
        numbers = {name: float(number) for name, _, number in parts}
    except ValueError:
        return None
    return numbers if numbers and "" not in numbers else None


def measure_of(text: str, named: Mapping[str, str], *, reach: bool = False) -> Any:
    """Read what is taken of each run: a name, FROM:TO in steps, or where allowed reach:SCORE."""
    if text in named:
        return named[text]
    first, _, second = text.partition(":")
    try:
        return first if reach and first == "reach" else float(first), float(second)
    except ValueError:
        forms = [*named, "FROM:TO", *(["reach:SCORE"] if reach else [])]
        msg = f"{text!r} is none of {', '.join(forms)}."
        raise click.BadParameter(msg, param_hint="'--on'") from None
