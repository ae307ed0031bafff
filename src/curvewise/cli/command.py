"""A command is a function: its options come from signatures, its help from docstrings.

A command has the parameters of its own function, of its groups, and of the public function that
it asks; names, types, choices and defaults are those of the signatures. Of what the public
function's docstring says about a parameter the first sentence is its help text; commands and
groups say in their own docstrings what they declare themselves.
"""

from __future__ import annotations

import re
from collections import abc
from dataclasses import fields
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
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import click

import curvewise
from curvewise.cli.printing import exit_with_message
from curvewise.cli.process import EPILOG
from curvewise.data.points import Duplicates
from curvewise.data.tables import How, Policy
from curvewise.text import argument, encodable, naming_flags

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


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
NAMES: dict[str, Any] = {
    "Sequence": abc.Sequence,
    "How": How,
    "Policy": Policy,
    "Duplicates": Duplicates,
}


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
