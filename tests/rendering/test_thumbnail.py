"""What a notebook shows of curves."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import numpy as np
import pytest

from curvewise import Curves
from tests.simulation import some_curves


@pytest.mark.parametrize("n_steps", [1, 2, 1_000])
def test_mean_curves_and_names_are_shown(n_steps: int) -> None:
    shown = some_curves(0, (3, 2), n_steps)._repr_html_()
    picture = ET.fromstring(shown[shown.index("<svg") : shown.index("</svg>") + 6])  # noqa: S314
    assert len(picture) == 2
    assert "<li>" in shown
    assert "A: 3 runs" in shown
    assert "B: 2 runs" in shown
    assert len(shown) < 30_000


def test_names_are_escaped_and_many_are_counted() -> None:
    names = ["<script>", *(f"algorithm {i}" for i in range(19))]
    shown = Curves(np.ones((20, 3)), names)._repr_html_()
    assert "<script>" not in shown
    assert "and 8 more" in shown
