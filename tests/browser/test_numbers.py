"""The page shows the numbers of Python, digit by digit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import curvewise as cw
from curvewise.questions.locate.tell import window_line
from curvewise.reports.payload import packed, packed_numbers
from curvewise.text import capitalised, number_text, p_short, p_text, step_text
from tests.browser.opening import call, crossing, report_of
from tests.reports.unpacking import unpacked_numbers

if TYPE_CHECKING:
    from tests.browser.opening import Opener


def test_p_and_numbers_are_written_as_in_python(opened: Opener) -> None:
    page = opened(report_of()[0])
    rng = np.random.default_rng(0)
    counts = [(1, 126), (1, 16), (625, 10_000), (1, 8), (3, 8), (1, 200_000), (1, 1)]
    visited = rng.choice([126, 252, 1_000, 10_000, 65_536, 184_756], 3_000)
    counts += [(int(rng.integers(1, n + 1)), int(n)) for n in visited]
    counts += [(k, 10_000) for k in range(1, 2_000)]
    shares = [n / d for n, d in counts]
    texts = call(page, "given.map(([n, d]) => [pShort(n / d), pText(n / d)])", counts)
    assert texts == [[p_short(p), p_text(p)] for p in shares]
    numbers = (10.0 ** rng.uniform(-8, 12, 2_000) * rng.choice([-1, 1], 2_000)).tolist()
    assert call(page, "given.map(numberText)", numbers) == list(map(number_text, numbers))
    steps = [0, 5, 1_000_000, 0.05, 2.5, 123_456_789.0, 1e-3]
    assert call(page, "given.map(stepText)", steps) == list(map(step_text, steps))


def test_arrays_are_unpacked_as_they_were_packed(opened: Opener) -> None:
    page = opened(report_of()[0])
    rng = np.random.default_rng(1)
    arrays = [
        rng.integers(-high, high, shape, endpoint=True)
        for shape in [(0, 3), (2, 0), (1, 1), (3, 17), (2, 200)]
        for high in (0, 9, 2**15 - 1, 2**15, 65_535, 2**31 - 1)
    ]
    arrays += [np.full((2, 5), -7), np.arange(600).reshape(2, -1) ** 2]
    records = [packed(values) for values in arrays]
    found = call(
        page,
        "Promise.all(given.map(async (own) => (await unpack(own)).map((row) => [...row])))",
        records,
    )
    assert found == [values.tolist() for values in arrays]
    numbers = [packed_numbers(rng.normal(size=(3, 9)) * 1e6, width) for width in (2, 4)]
    found = call(
        page,
        "Promise.all(given.map(async (own) => (await unpack(own)).map((row) => [...row])))",
        numbers,
    )
    for record, values in zip(numbers, found, strict=True):
        assert values == unpacked_numbers(record).tolist()


def asked(where: cw.Location, pairs: list[tuple[int, int]]) -> list[list[object]]:
    """Return what Python says of windows: three p, those if planned, and the sentence."""
    told: list[list[object]] = []
    for first, last in pairs:
        test = where.window(where.steps[first], where.steps[last])
        shape = test.shape
        told.append(
            [
                test.somewhere.pvalue_adjusted,
                [test.height.pvalue_adjusted, test.height.pvalue],
                None if shape is None else [shape.pvalue_adjusted, shape.pvalue],
                window_line(test, where.sampling),
            ]
        )
    return told


LOOK_UP = """(async () => {
    const table = await openTable(data.tables[0]);
    return given.map(([first, last]) => {
        const test = windowTest(table, first, last);
        const both = (effect) => effect && [effect.p, effect.planned];
        return [test.somewhere, both(test.height), both(test.shape), windowSentence(table, test)];
    });
})()"""


@pytest.mark.parametrize(("n_steps", "n_algorithms"), [(40, 2), (24, 3), (420, 2)], ids=str)
def test_every_window_is_answered_as_by_python(
    opened: Opener, n_steps: int, n_algorithms: int
) -> None:
    report, where = report_of(n_steps, n_algorithms)
    assert where.windows is not None
    assert (len(where.windows.starts) < n_steps) == (n_steps == 420)
    rng = np.random.default_rng(0)
    pairs = [tuple(sorted(rng.integers(0, n_steps, 2).tolist())) for _ in range(300)]
    pairs += [(place, place) for place in range(0, n_steps, 7)] + [(0, n_steps - 1)]
    page = opened(report)
    assert call(page, LOOK_UP, pairs) == asked(where, pairs)


def test_p_that_no_shuffle_reached_are_bounds_as_in_python(opened: Opener) -> None:
    curves = crossing(24)
    where = cw.locate(curves, exact=False, n_shuffles=199, n_resamples=0, rng=0)
    page = opened(cw.report(curves, where), address="#window=0,230")
    pairs = [(first, last) for first in range(24) for last in range(first, 24)]
    told = asked(where, pairs)
    assert any("p ≤ 0.0050, none of 199 shuffles" in str(own) for own in told)
    assert call(page, LOOK_UP, pairs) == told
    assert page.locator(".box.somewhere .p").inner_text() == "p ≤ 0.00500"


def test_the_read_out_shows_these_numbers(opened: Opener) -> None:
    report, where = report_of()
    page = opened(report, address="#window=20,130")
    test = where.window(20, 130)
    assert test.shape is not None
    for name, p in (
        ("somewhere", test.somewhere.pvalue_adjusted),
        ("height", test.height.pvalue_adjusted),
        ("shape", test.shape.pvalue_adjusted),
    ):
        box = page.locator(f".box.{name}")
        assert box.locator(".p").inner_text() == f"p = {p_text(p)}"
        found = "found" in (box.get_attribute("class") or "").split()
        assert found == (p <= where.alpha)
    assert page.locator(".box.somewhere .how").inner_text() == "adjusted for all 40 steps"
    assert "820 windows" in page.locator(".box.height .how").inner_text()
    said = page.locator(".sentence").inner_text()
    assert said.startswith(capitalised(window_line(test, where.sampling)))
    curves = crossing().window(20, 130)
    means = {name: curves.select(name).scores.mean() for name in curves.algorithms}
    best = max(means, key=lambda name: means[name])
    assert f"Mean scores over it: {best} {number_text(means[best])}, " in said


def test_what_is_shaded_differs_somewhere_and_nothing_else(opened: Opener) -> None:
    report, where = report_of()
    page = opened(report)
    counts = call(
        page,
        """(async () => {
            const table = await openTable(data.tables[0]);
            const inside = new Set(table.location.regions.algorithm.flatMap(
                ([first, last]) => Array.from({ length: last - first + 1 }, (_, i) => first + i)));
            return table.steps.map((_, i) => [windowTest(table, i, i).somewhere, inside.has(i)]);
        })()""",
    )
    assert [shaded for _, shaded in counts] == [p <= where.alpha for p, _ in counts]
    assert any(shaded for _, shaded in counts)
    assert not all(shaded for _, shaded in counts)
    # The first window shown is the longest region.
    longest = max(where.regions, key=lambda region: region.n_steps)
    assert page.locator(".from").input_value() == step_text(longest.start)
    assert page.locator(".to").input_value() == step_text(longest.stop)
