"""Options come from signatures, and help texts from docstrings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path  # noqa: TC003 (commands read annotations)
from typing import Annotated, Any, Literal

import click
import pytest
from click.testing import CliRunner

import curvewise
from curvewise import OptionError
from curvewise.cli import COMMANDS, app
from curvewise.cli.command import Group, asks, built, help_of, typed_options
from tests.cli.running import invoke, one_line


@dataclass(frozen=True, kw_only=True)
class Size(Group):
    """A group.

    Parameters
    ----------
    height
        How tall.
    """

    heading = "Size"
    asks = "plot_curves"
    without = "colours details"

    height: Annotated[int, "--tall", "CM"] = 3
    runs: bool = False
    asked: dict[str, Any]


@asks("contrast", without="weights n_shuffles exact n_jobs rng checkpoint")
def paint(
    size: Size,
    paths: tuple[Path, ...],
    *,
    colours: tuple[str, ...] = (),
    medium: Literal["oil", "chalk"] = "oil",
    **asked: Any,
) -> None:
    """Paint it.

    Parameters
    ----------
    paths
        What to paint.
    colours
        Which colours.
    """
    if "none" in colours:
        msg = "There is no such colour."
        raise OptionError(msg, option="colours")
    click.echo(f"{[path.name for path in paths]} {list(colours)} {medium} {size} {asked}")
    click.echo(f"typed: {sorted(typed_options())}")


def run(*words: str) -> Any:
    return CliRunner(env={"COLUMNS": "100"}).invoke(built(paint), list(words))


def test_a_command_gets_its_groups_and_the_options_of_the_question() -> None:
    result = run("a", "b", "--tall", "5", "--colour", "red", "--band", "sd", "--alpha", "0.1")
    assert result.exit_code == 0, result.output
    assert "['a', 'b'] ['red'] oil" in result.stdout
    assert "height=5" in result.stdout
    assert "'band': 'sd', 'smooth': 1" in result.stdout
    assert "'alternative': 'two-sided'" in result.stdout
    assert "'alpha': 0.1" in result.stdout
    assert "weights" not in result.stdout
    assert "typed: ['alpha', 'band', 'colours', 'height', 'paths']" in result.stdout


def test_help_shows_own_options_first_and_groups_under_their_headings() -> None:
    text = run("--help").stdout
    parts = (
        "Paint it.",
        "\nArguments:",
        "What to paint.",
        "\nOptions:",
        "--medium",
        "\nSize:",
        "--tall CM",
    )
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert "Which colours; repeat for more." in text
    assert "[default: 3]" in text
    assert "Parameters" not in text


@pytest.mark.parametrize(
    "words", [[], [""], ["a", "--medium", "ink"], ["a", "--tall", "high"], ["a", "--weights", "1"]]
)
def test_what_cannot_be_typed_is_a_usage_error(words: list[str]) -> None:
    assert run(*words).exit_code == 2


def test_errors_become_sentences() -> None:
    result = run("a", "--colour", "none")
    assert result.exit_code == 3
    assert result.stderr == "Error: There is no such colour.\n"


def test_bytes_that_are_no_text_are_spelt_out() -> None:
    assert r"['caf\\udce9']" in run("a", "--colour", "caf\udce9").stdout


def test_a_help_text_is_the_first_sentence_with_flags_and_the_default() -> None:
    text = help_of(curvewise.compare, "overall")
    assert text.endswith("is used with --error pooled and --spread unequal.")
    text = help_of(curvewise.aggregate, "statistic")
    assert text.endswith("below --gamma.  [default: iqm from 10 tasks on, else mean]")


def test_a_docstring_that_points_elsewhere_is_followed() -> None:
    for question in (curvewise.contrast, curvewise.gate, curvewise.gate_many, curvewise.best):
        for name in ("center", "n_shuffles", "rng"):
            assert help_of(question, name) == help_of(curvewise.compare, name)


@pytest.mark.parametrize("name", ["center", "error", "rng", "checkpoint"])
def test_an_option_is_explained_alike_everywhere(name: str) -> None:
    told = {
        command: option.help
        for command in COMMANDS
        for option in getattr(app.get_command(click.Context(app), command), "params", ())
        if option.name == name
    }
    assert len(told) > 1
    assert len(set(told.values())) == 1, told


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_explained_in_a_sentence(command: str) -> None:
    for option in getattr(app.get_command(click.Context(app), command), "params", ()):
        if isinstance(option, click.Option):
            text = str(option.help).partition("  [")[0]
            assert text[0].isupper(), (option.name, text)
            assert text.endswith((".", "…")), (option.name, text)
            assert "`" not in text, (option.name, text)
            assert "as in" not in text.lower(), (option.name, text)


def test_help_fits_a_terminal_of_80_columns() -> None:
    for command in COMMANDS:
        lines = invoke(command, "--help", columns=80).stdout.splitlines()
        assert max(map(len, lines)) <= 80
    assert "Did you mean 'compare'?" in one_line(invoke("compar").stderr)
