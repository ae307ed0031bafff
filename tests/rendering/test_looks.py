"""Colours and dashes belong to names."""

from __future__ import annotations

import numpy as np
import pytest

import curvewise as cw
from curvewise.rendering.figures import COLOURS, DARK_COLOURS, looks_of


def named(*names: str) -> cw.Curves:
    return cw.Curves(np.zeros((len(names), 2)), names)


def luminance(colour: str) -> float:
    parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def test_a_selection_keeps_the_looks_of_its_names() -> None:
    curves = named("A", "B", "C", "D")
    whole = looks_of(curves)
    assert looks_of(curves.select("D", "B")) == {"D": whole["D"], "B": whole["B"]}


def test_forty_two_names_look_different_and_six_without_colour() -> None:
    looks = list(looks_of(named(*(f"algorithm {i}" for i in range(42)))).values())
    assert len(set(looks)) == 42
    assert len({look.dash for look in looks[:6]}) == 6


@pytest.mark.parametrize(("colours", "ground"), [(COLOURS, 1.0), (DARK_COLOURS, 0.01)])
def test_lines_stand_out_from_their_ground(colours: tuple[str, ...], ground: float) -> None:
    for colour in colours:
        low, high = sorted([luminance(colour), ground])
        assert (high + 0.05) / (low + 0.05) >= 3


def test_colours_of_the_users_own() -> None:
    looks = looks_of(named("A", "B"), {"A": "red"})
    assert looks["A"].colour == looks["A"].dark == "#ff0000"
    with pytest.raises(cw.OptionError, match="No algorithm is called 'a'"):
        looks_of(named("A"), {"a": "red"})
    with pytest.raises(cw.OptionError, match="colour 'reddish' of 'A' is not known"):
        looks_of(named("A"), {"A": "reddish"})
