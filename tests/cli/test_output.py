"""How commands print and draw."""

from __future__ import annotations

from pathlib import Path

import pytest
from click import BadParameter
from matplotlib.figure import Figure

from curvewise import Best, OptionError
from curvewise.cli.command import CurveOutput, Output
from tests.cli.running import invoke, one_line


def test_the_style_is_the_one_asked_for() -> None:
    assert Output(asked={}).printed == "terminal"
    assert Output(json=True, asked={}).printed == "json"
    with pytest.raises(BadParameter, match="--json and --latex exclude each other"):
        Output(json=True, latex=True, asked={})


def test_a_figure_that_cannot_be_saved_is_refused_before_any_work() -> None:
    with pytest.raises(OptionError, match="There is no folder 'nowhere'"):
        Output(plot=Path("nowhere/figure.png"), asked={})


def test_a_figure_is_set_for_paper_where_its_name_says_so(tmp_path: Path) -> None:
    pdf, png = tmp_path / "figure.pdf", tmp_path / "figure.png"
    assert Output(plot=pdf, asked={}).drawing["style"] == "paper"
    assert Output(plot=png, asked={}).drawing["style"] == "screen"
    asked = CurveOutput(plot=pdf, style="screen", colours=("a=b=red",), asked={})
    assert asked.drawing["style"] == "screen"
    assert asked.drawing["colours"] == {"a=b": "red"}
    with pytest.raises(OptionError, match="NAME=COLOUR, such as DQN=#0072B2; it is 'red'"):
        _ = CurveOutput(plot=pdf, colours=("red",), asked={}).drawing


def test_options_of_the_figure_reach_it(table: Path, tmp_path: Path) -> None:
    path = tmp_path / "figure.svg"
    result = invoke(
        "compare", table, "--plot", path, "--width", 3.3, "--title", "A <title>",
        "--xlabel", "episodes", "--ylabel", "reward", "--smooth", 3, "--band", "none",
        "--no-runs", "--xlog", "--no-details", "--colour", "A=#123456",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    drawn = path.read_text(encoding="utf-8")
    for text in ("A &lt;title&gt;", "episodes", "reward", "#123456"):
        assert text in drawn


def test_without_a_figure_nothing_is_drawn() -> None:
    drawn: list[bool] = []

    class Drawn(Best):
        def figure(self, *_: object, **__: object) -> Figure:
            drawn.append(True)
            return Figure()

    Output(asked={}).save(Drawn.__new__(Drawn))
    assert drawn == []


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--json", "--latex"], 2, "--json and --latex exclude each other"),
        (["--width", "3.3"], 3, "--width is about a figure"),
        (["--smooth", "1"], 3, "--smooth is about a figure"),
        (["--colour", "A=red"], 3, "--colour is about a figure"),
        (["--plot", "nowhere/figure.png"], 3, "There is no folder 'nowhere'"),
        (["--plot", "figure.xyz"], 3, "A figure cannot be saved"),
    ],
)
def test_outputs_that_cannot_be_are_told_before_the_file_is_read(
    table: Path, options: list[str], code: int, message: str
) -> None:
    result = invoke("compare", table, *options)
    assert result.exit_code == code
    assert message in one_line(result.stderr)
    assert "Read " not in result.stderr
    assert list(table.parent.iterdir()) == [table]
