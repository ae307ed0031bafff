"""Values of options that are what was typed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path  # noqa: TC003 (typer reads the annotations)
from typing import Annotated, Any, Literal

import pytest
import typer
from typer.testing import CliRunner

from curvewise.cli.plain_values import PlainCommand

SEEN: list[dict[str, Any]] = []


def command(
    paths: Annotated[list[Path], typer.Argument()],
    name: Annotated[str | None, typer.Option()] = None,
    only: Annotated[list[str] | None, typer.Option()] = None,
    place: Annotated[Path | None, typer.Option()] = None,
    level: Annotated[float, typer.Option()] = 1,
    kind: Annotated[Literal["a", "b"], typer.Option()] = "a",
) -> None:
    SEEN.append(
        {
            "paths": paths,
            "name": name,
            "only": list(only or []),
            "place": place,
            "level": level,
            "kind": kind,
        }
    )


def run(*arguments: str, cls: Any = PlainCommand) -> tuple[int, dict[str, Any] | None]:
    app = typer.Typer(rich_markup_mode=None)
    app.command(cls=cls)(command)
    SEEN.clear()
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, SEEN[0] if SEEN else None


@pytest.mark.parametrize(
    "arguments",
    [
        ["x"],
        ["x", "y", "--name", "", "--only", "A", "--only", "1", "--place", "p/q"],
        ["x", "--level", "2", "--kind", "b"],
        [],
        ["x", "--kind", "c"],
        ["x", "--level", "high"],
    ],
)
def test_values_are_those_that_typer_gives(arguments: list[str]) -> None:
    found = run(*arguments)
    assert found == run(*arguments, cls=None)
    if found[1] is not None:
        assert type(found[1]["level"]) is float


def test_texts_and_paths_are_taken_without_pydantic(table: Path) -> None:
    code = (
        "import sys\nfrom curvewise.cli import main\n"
        f"sys.argv = ['curvewise', 'inspect', {str(table)!r}, '--x', 'step']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print('pydantic' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "False"


def test_bytes_that_are_no_text_are_spelt_out() -> None:
    _, seen = run("x", "--name", "caf\udce9", "--only", "\udcff")
    assert seen is not None
    assert (seen["name"], seen["only"]) == (r"caf\udce9", [r"\udcff"])


def test_an_empty_name_is_not_the_current_folder() -> None:
    assert run("x", "") == (2, None)
