"""Pictures of gates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from curvewise import gate, gate_many, plot_gates
from tests.questions.gate.runs import asked, curves_of

RNG = np.random.default_rng(0)
CURVES = curves_of(20 + RNG.normal(size=6), 20 + RNG.normal(size=6))


def drawn(result: Any) -> tuple[list[str], list[float], str]:
    """The texts of a picture, where its vertical lines are, and the label of its axis."""
    ax = plot_gates(result, ax=Figure().subplots())
    texts = [text.get_text() for text in ax.texts]
    texts += [label.get_text() for label in ax.get_yticklabels()]
    legend = ax.get_legend()
    assert legend is not None
    texts += [text.get_text() for text in legend.get_texts()]
    lines = [
        float(np.asarray(line.get_xdata())[0])
        for line in ax.lines
        if len(np.asarray(line.get_xdata())) == 2 and np.ptp(line.get_xdata()) == 0
    ]
    left, right = ax.get_xlim()
    assert all(left <= place <= right for place in lines)
    return texts, lines, ax.get_xlabel()


@pytest.mark.parametrize(
    ("options", "line", "margin"),
    [
        ({"margin": 1.5}, -1.5, "margin 1.5"),
        ({"margin": 0.1, "unit": "relative"}, -0.1, "margin 10%"),
        ({"margin": 1, "unit": "sd"}, -1.0, "margin 1 SD"),
        ({"margin": 2, "two_sided": True}, 2.0, "margin ±2"),
        ({"margin": 3, "on": ("reach", 20)}, 3.0, "margin 3 times"),
    ],
)
def test_the_margin_is_a_line_with_its_size(
    options: dict[str, Any], line: float, margin: str
) -> None:
    found = asked(CURVES, **options)
    texts, lines, label = drawn(found)
    assert "interval" in label.splitlines()[1]
    assert line in lines
    assert margin in texts
    assert found.answer in texts


def test_runs_that_cannot_decide_are_drawn_too() -> None:
    texts, _, _ = drawn(asked(curves_of([1, 2], [2, 3.5]), margin=1))
    assert "undecided" in texts


def test_gates_with_margins_of_their_own_share_an_axis() -> None:
    roles: dict[str, Any] = {"candidate": "candidate", "baseline": "baseline"}
    found = gate_many(
        {"_a": CURVES, "b": CURVES},
        margin={"_a": 5, "b": 0.001},
        unit={"_a": "score", "b": "relative"},
        order=["b", "_a"],
        **roles,
    )
    texts, lines, label = drawn(found)
    assert lines[0] == 0
    assert "distance from the margin" in label
    assert "not examined" in texts
    assert "margin of each" in texts
    shared = gate_many({"a": CURVES, "b": CURVES}, margin=1, **roles)
    assert "in units of the score" in drawn(shared)[2]


def test_names_are_spelt_out_and_cut() -> None:
    curves = curves_of([1, 2, 3], [1, 2, 4])
    labels = ["x\x1b" * 30] * 3 + ["$y$"] * 3
    from curvewise import Curves

    found = gate(Curves(curves.scores, labels), candidate=labels[0], baseline="$y$", margin=1)
    texts, _, _ = drawn(found)
    assert any("$y$" in text and "\\x1b" in text for text in texts)
