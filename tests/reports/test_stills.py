"""Pictures that need no script."""

from __future__ import annotations

import base64
import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import curvewise as cw
from curvewise.data.curves import Display
from curvewise.rendering.figures import looks_of
from curvewise.reports import composing as stills
from curvewise.reports.composing import figure_image, mean_curves, small_curves
from tests.simulation import some_curves


def drawn(curves: cw.Curves) -> ET.Element:
    text = mean_curves(curves, looks_of(curves), Display("frames <", "return &"))
    return ET.fromstring(text)  # noqa: S314 (its own)


def test_mean_curves_have_axes_names_and_a_description() -> None:
    picture = drawn(some_curves(0, (3, 3)))
    words = [own.text for own in picture.iter("text")]
    assert {"A", "B", "frames <", "mean return &"} <= set(words)
    assert picture.attrib["aria-label"] == "Mean curves of A, B"
    groups = [own.attrib["class"] for own in picture.iter("g")]
    assert groups == ["look0", "look1"]


def test_points_are_the_means() -> None:
    curves = cw.Curves([[0, 10], [0, 20], [5, 5]], ["A", "A", "B"], [0, 100])
    paths = [own.attrib["d"] for own in drawn(curves).iter("path")]
    assert paths[0] == "M70 250l490-238"
    assert paths[2] == "M70 170.7l490 0"


@pytest.mark.parametrize(
    "curves",
    [
        cw.Curves([[1.0], [2.0]], ["A", "B"]),
        cw.Curves([[3.0, 3.0]], ["A"]),
        cw.Curves(np.arange(40_000).reshape(4, -1), list("ABCD")),
        cw.Curves(np.ones((20, 3)), [f"name {n} " * 30 for n in range(20)]),
    ],
    ids=["1 step", "constant", "10,000 steps", "20 long names"],
)
def test_any_curves_can_be_drawn(curves: cw.Curves) -> None:
    picture = drawn(curves)
    lines = [own.attrib["d"] for own in picture.iter("path") if "l" in own.attrib["d"]]
    for line in lines:
        moves = re.findall(r"-?\d*\.?\d+", line)
        points = np.array(moves, dtype=float).reshape(-1, 2).cumsum(axis=0)
        assert points[:, 0].min() == pytest.approx(70)
        assert points[:, 0].max() == pytest.approx(560)
        assert points[:, 1].min() >= 12 - 1e-6
        assert points[:, 1].max() <= 250 + 1e-6
    assert len(lines) == (0 if curves.n_steps == 1 else len(curves.algorithms))
    small = small_curves(curves, looks_of(curves))
    assert len(small) < 8_000 * len(curves.algorithms)
    assert "nan" not in small


def test_a_figure_is_embedded_as_svg_or_where_that_is_large_as_pixels(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    curves = some_curves(0, (4, 4, 4))
    found = cw.best(curves, rng=0, n_shuffles=99)
    image = figure_image(found, curves)
    assert image.startswith("<img ")
    kind, data = re.findall(r'src="data:image/([^;]*);base64,([^"]*)"', image)[0]
    assert kind == "svg+xml"
    svg = base64.b64decode(data)
    assert b"<svg" in svg
    assert found.headline() in image
    monkeypatch.setattr(stills, "MAX_SVG", 1_000)
    assert "data:image/png;base64,iVBOR" in figure_image(found, curves)
