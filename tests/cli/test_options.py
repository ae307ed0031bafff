"""Single options mean the same in every command that has them."""

from __future__ import annotations

import pytest
from typer.main import get_command

from curvewise.cli import build_app


@pytest.mark.parametrize("name", ["alpha", "center", "error", "seed"])
def test_an_option_is_explained_alike_everywhere(name: str) -> None:
    app = get_command(build_app())
    told = {
        command: option.help
        for command, each in app.commands.items()  # type: ignore[attr-defined]
        for option in each.params
        # Later looks of a monitored experiment take them from its plan.
        if option.name == name and command != "monitor"
    }
    assert len(told) > 1
    assert len(set(told.values())) == 1, told
