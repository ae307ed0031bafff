"""Dataclasses become options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer
from typer.testing import CliRunner

from curvewise import OptionError
from curvewise.cli.option_groups import GroupedCommand, with_option_groups


@dataclass(frozen=True)
class Size:
    """A group with an argument, a renamed option and an inherited default."""

    heading = "Size"

    name: Annotated[str, typer.Argument(metavar="NAME")]
    height: Annotated[int, typer.Option("--tall", help="How tall.")] = 3
    wide: Annotated[bool, typer.Option("--wide")] = False


@dataclass(frozen=True)
class LargeSize(Size):
    """A group with another default."""

    height: Annotated[int, typer.Option("--tall", help="How very tall.")] = 30


def paint(
    size: Size, *, colour: Annotated[str, typer.Option(help="Which colour.")] = "red"
) -> None:
    """Paint it."""
    if colour == "none":
        msg = "There is no such colour."
        raise OptionError(msg, option="colour")
    typer.echo(f"{size} {colour}")


def paint_large(
    size: LargeSize, *, colours: Annotated[list[str], typer.Option()]
) -> None:
    """Paint it large."""
    typer.echo(f"{size.height} {colours}")


app = typer.Typer(rich_markup_mode=None)
for command in (paint, paint_large):
    app.command(cls=GroupedCommand)(with_option_groups(command))
run = CliRunner()


def test_a_group_is_built_from_its_options() -> None:
    result = run.invoke(app, ["paint", "box", "--tall", "5", "--wide"])
    assert result.stdout == "Size(name='box', height=5, wide=True) red\n"
    result = run.invoke(app, ["paint", "box", "--colour", "blue"])
    assert result.stdout == "Size(name='box', height=3, wide=False) blue\n"


def test_a_group_may_change_a_default_of_another() -> None:
    result = run.invoke(app, ["paint-large", "box", "--colours", "a", "--colours", "b"])
    assert result.stdout == "30 ['a', 'b']\n"


def test_help_shows_own_options_first_and_groups_under_their_headings() -> None:
    text = run.invoke(app, ["paint", "--help"]).stdout
    assert "Paint it." in text
    places = [
        text.index(part) for part in ("\nOptions:", "--colour", "\nSize:", "--tall")
    ]
    assert places == sorted(places)
    assert text.index("--tall") < text.index("--wide")
    assert "[default: 3]" in text


def test_required_parameters_stay_required() -> None:
    assert run.invoke(app, ["paint"]).exit_code == 2
    assert run.invoke(app, ["paint-large", "box"]).exit_code == 2


def test_errors_become_sentences() -> None:
    result = run.invoke(app, ["paint", "box", "--colour", "none"])
    assert result.exit_code == 3
    assert result.stderr == "Error: There is no such colour.\n"


def test_the_command_itself_is_left_alone() -> None:
    flat = with_option_groups(paint)
    assert flat.__doc__ == "Paint it."
    assert flat is not paint
    assert paint.__annotations__["size"] == "Size"
