"""Numbers, lists and names as text; options as whoever reads them would type them."""

from __future__ import annotations

import html
import math
import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from click import Context
from hypothesis import given
from hypothesis import strategies as st

import curvewise
from curvewise.text import (
    argument,
    call,
    column_texts,
    did_you_mean,
    everything,
    html_text,
    in_python,
    interval_text,
    latex_text,
    listed,
    markdown_text,
    naming_flags,
    number_text,
    p_short,
    p_text,
    percent,
    plural,
    printable,
    step_text,
)

# --- options as the reader types them -------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "python", "flag"),
    [
        ("n_shuffles", None, "n_shuffles", "--shuffles"),
        ("n_shuffles", 19, "n_shuffles=19", "--shuffles 19"),
        ("n_resamples", 0, "n_resamples=0", "--resamples 0"),
        ("n_jobs", None, "n_jobs", "--jobs"),
        ("rng", None, "rng", "--seed"),
        ("start", 5, "start=5", "--from 5"),
        ("stop", 9, "stop=9", "--to 9"),
        ("spread", "unequal", 'spread="unequal"', "--spread unequal"),
        ("cluster_threshold", None, "cluster_threshold", "--cluster-threshold"),
        ("exact", True, "exact=True", "--exact"),
        ("exact", False, "exact=False", "--sampled"),
        ("higher_is_better", False, "higher_is_better=False", "--lower-is-better"),
        ("windows", True, "windows=True", "--windows"),
    ],
)
def test_an_option_is_an_argument_or_a_flag(
    name: str, value: object, python: str, flag: str
) -> None:
    assert argument(name, value) == python
    with naming_flags():
        assert argument(name, value) == flag
    assert argument(name, value) == python


def test_a_question_is_a_call_or_a_command() -> None:
    assert call("locate") == "locate()"
    assert call("compare", spread="unequal", exact=False) == (
        'compare(spread="unequal", exact=False)'
    )
    assert everything() == "`to_dict()`"
    with naming_flags():
        assert call("locate") == "curvewise locate"
        assert call("compare", spread="unequal", exact=False) == (
            "curvewise compare --spread unequal --sampled"
        )
        assert call("compare_pairs") == "curvewise pairs"
        assert call("check_criteria") == "curvewise criteria"
        assert everything() == "--json"


def test_flags_are_named_inside_the_block_only_also_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError), naming_flags():
        raise ZeroDivisionError
    assert argument("rng") == "rng"
    with naming_flags():
        with naming_flags():
            assert argument("rng") == "--seed"
        assert argument("rng") == "--seed"


def known_flags() -> dict[str, set[str]]:
    """The flags of each command."""
    from curvewise.cli import COMMANDS, app

    context = Context(app)
    commands: dict[str, Any] = {name: app.get_command(context, name) for name in COMMANDS}
    return {
        name: {flag for option in command.params for flag in option.opts}
        | {flag for option in command.params for flag in option.secondary_opts}
        for name, command in commands.items()
    }


def source() -> str:
    package = Path(curvewise.__file__).parent
    return "\n".join(path.read_text("utf-8") for path in package.rglob("*.py"))


def test_every_flag_that_a_sentence_names_exists() -> None:
    flags = set.union(*known_flags().values())
    named = re.findall(r"""\b(?:argument|refuse_option|check_choice)\(\s*["'](\w+)""", source())
    assert len(named) > 20
    with naming_flags():
        missing = {name for name in named if argument(name) not in flags}
        # The command has --over and --align instead, and checks its values itself; noise()
        # and the curves that a scenario acts on, the panels of a figure, what a map shows, and
        # how many multipliers make a band, which way round arrays lie, and which scores of a
        # learning curve are taken, the axes and the precision of scores are for Python only.
        python = {
            "weights",
            "how",
            "sd",
            "correlation",
            "on",
            "panels",
            "show",
            "rows",
            "which",
            "ax",
            "precision",
        }
        assert missing <= python | {"n_multipliers"}
        assert {argument("exact", value) for value in (True, False)} <= flags
        assert argument("higher_is_better", value=False) in flags
        assert everything() in flags


def test_every_command_that_a_sentence_names_exists() -> None:
    commands = known_flags()
    calls = re.findall(r"""(?<!>> )\bcall\(["'](\w+)["'](?:, (\w+)=)?""", source())
    assert len(calls) > 1
    with naming_flags():
        for function, option in calls:
            _, command = call(function).split()
            assert command in commands
            assert not option or argument(option) in commands[command]


# --- numbers -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pvalue", "short", "text"),
    [
        (1.0, "1.0", "1.000"),
        (0.69841, "0.70", "0.698"),
        (0.1, "0.10", "0.100"),
        (0.0996, "0.100", "0.100"),
        (0.0994, "0.099", "0.0994"),
        (0.05, "0.050", "0.0500"),
        (0.0502, "0.0502", "0.0502"),
        (0.0498, "0.0498", "0.0498"),
        (0.0197, "0.020", "0.0197"),
        (0.00999, "0.00999", "0.00999"),
        (0.00794, "0.0079", "0.00794"),
        (0.0001, "0.00010", "0.000100"),
        (0.000012, "1.2e-05", "1.2e-05"),
        (1e-310, "1.0e-310", "1.0e-310"),
        (0.0, "< 1e-300", "< 1e-300"),
    ],
)
def test_p_values(pvalue: float, short: str, text: str) -> None:
    assert p_short(pvalue) == short
    assert p_text(pvalue) == text


@given(st.floats(1e-8, 1.0))
def test_two_digits_never_move_p_across_a_usual_level(pvalue: float) -> None:
    shown = float(p_short(pvalue))
    assert shown == pytest.approx(pvalue, rel=0.051)
    for level in (0.1, 0.05, 0.01, 0.001):
        # To three digits a p so near a level is that level.
        if not math.isclose(pvalue, level, rel_tol=0.006):
            assert (shown <= level) == (pvalue <= level)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1234567.8, "1234568"),
        (42.4242, "42.42"),
        (9.99996, "10.00"),
        (1 - 1e-16, "1.000"),
        (-0.012345, "-0.01235"),
        (0.00001234, "0.00001234"),
        (0.000001234, "1.234e-06"),
        (12345678901.0, "1.235e+10"),
        (0.0, "0"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
    ],
)
def test_numbers_have_four_digits_that_matter(value: float, text: str) -> None:
    assert number_text(value) == text


@given(st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_a_number_is_near_its_text(value: float) -> None:
    assert float(number_text(value)) == pytest.approx(value, rel=6e-4)


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([490.6, None, 148848.4], ["490.60", "", "148848.40"]),
        ([0.5, 0.25], ["0.5000", "0.2500"]),
        ([0.0123, 0.0], ["0.01230", "0.00000"]),
        ([1.0, math.inf], ["1.000", "inf"]),
        ([1e9, 1.0], ["1.0000e+09", "1.0000e+00"]),
        ([1e-6], ["1.0000e-06"]),
        ([None, None], ["", ""]),
        ([0.0], ["0.000"]),
        ([], []),
    ],
)
def test_a_column_has_the_same_decimals_throughout(
    values: list[float | None], texts: list[str]
) -> None:
    assert column_texts(values) == texts


def test_steps_intervals_shares_and_counts() -> None:
    assert [step_text(step) for step in (9_999_900.0, 5, -3.0, 0.05, 1e15)] == [
        "9999900",
        "5",
        "-3",
        "0.05",
        "1000000000000000",
    ]
    assert interval_text((0.5, math.inf)) == "0.5000 to inf"
    assert [percent(share) for share in (0.95, 0.999, 1 - 0.001, 0.5)] == [
        "95%",
        "99.9%",
        "99.9%",
        "50%",
    ]
    assert [plural(n, "run") for n in (0, 1, 2, 1_200)] == [
        "0 runs",
        "1 run",
        "2 runs",
        "1,200 runs",
    ]


# --- lists ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "most", "text"),
    [
        ([], None, ""),
        (["A"], None, "A"),
        (["A", "B"], None, "A and B"),
        (["A", "B", "C"], None, "A, B and C"),
        (["A", "B", "C"], 3, "A, B and C"),
        (["A", "B", "C"], 2, "A, B and 1 more"),
        (["A\n", "B"], None, "A\\n and B"),
    ],
)
def test_names_in_a_sentence(names: list[str], most: int | None, text: str) -> None:
    assert listed(names, most) == text


def test_what_was_meant_is_guessed() -> None:
    assert did_you_mean("agnet", ["agent", "run"]) == (
        "there are 'agent', 'run'; did you mean 'agent'?"
    )
    assert did_you_mean("AGENT", ["Agent"]) == "there are 'Agent'; did you mean 'Agent'?"
    assert did_you_mean("xyz", ["agent"]) == "there are 'agent'."
    assert did_you_mean("x", []) == "there are none."
    many = [f"column {number}" for number in range(25)]
    assert did_you_mean("x", many).endswith("'column 19' and 5 more.")
    assert did_you_mean("x", many, most=1) == "there are 'column 0' and 24 more."


# --- names from data -----------------------------------------------------------------


@given(st.text())
def test_no_name_can_steer_a_terminal(text: str) -> None:
    shown = printable(text)
    assert not {unicodedata.category(c) for c in shown} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert printable(shown) == shown


def test_control_characters_are_spelled_out_and_the_rest_is_kept() -> None:
    assert printable("red \x1b[31m\n\u202e\u2028") == "red \\x1b[31m\\n\\u202e\\u2028"
    assert printable("Größe α × 日本 🙂") == "Größe α × 日本 🙂"


@given(st.text())
def test_html_shows_what_was_printable(text: str) -> None:
    shown = html_text(text)
    assert html.unescape(shown) == printable(text)
    assert "<" not in shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a|b", r"a\|b"),
        ("_x_ *y* `z`", r"\_x\_ \*y\* \`z\`"),
        ("<b> & [link](x)", r"\<b\> &amp; \[link\](x)"),
        ("1. base", r"1\. base"),
        ("- x", r"\- x"),
        ("+1", "+1"),
        ("183.4", "183.4"),
        ("+ 1", r"\+ 1"),
        ("A-1", "A-1"),
        ("$x$ ~ #1", r"\$x\$ \~ \#1"),
    ],
)
def test_markdown_is_escaped(text: str, shown: str) -> None:
    assert markdown_text(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("A_1 & 50 %", r"A\_1 \& 50 \%"),
        ("50 % of $x_1$ & {y} \\z ~^#", None),
        ("[x]", "{}[x]"),
        ("*", "{}*"),
        ("<a|b>", r"\textless{}a\textbar{}b\textgreater{}"),
        ("ω² ≤ α × 3 – ✓", r"$\omega$$^2$ $\leq$ $\alpha$ $\times$ 3 -- $\surd$"),
        ('"', "''"),
        ("A − B ≥ 3 ± 1…", r"A $-$ B $\geq$ 3 $\pm$ 1\ldots{}"),
    ],
)
def test_latex_is_escaped(text: str, shown: str | None) -> None:
    expected = (
        r"50 \% of \$x\_1\$ \& \{y\} \textbackslash{}z "
        r"\textasciitilde{}\textasciicircum{}\#"
    )
    assert latex_text(text) == (expected if shown is None else shown)


def test_what_is_for_python_alone_is_left_out_among_flags() -> None:
    assert in_python(" or a Generator") == " or a Generator"
    with naming_flags():
        assert in_python(" or a Generator") == ""


def test_a_small_number_beside_large_ones_is_not_0() -> None:
    assert column_texts([1500.0, 0.00021, 1e-20, 0.0, -0.5]) == [
        "1500.00",
        "2.1e-04",
        "0.00",
        "0.00",
        "-0.50",
    ]
    assert column_texts([0.99999, 0.5]) == ["1.000", "0.500"]


def test_an_interval_without_ends_is_said_so() -> None:
    assert interval_text((-math.inf, math.inf)) == "no limits"
