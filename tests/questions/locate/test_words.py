"""describe() of a location: whole paragraphs, for every branch."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from curvewise import Curves, Interval, describe, locate
from curvewise.inference.work import Sampling
from curvewise.questions.locate.method import WindowEffect, WindowSteps, WindowTest
from curvewise.questions.locate.result import Crossing, Region
from curvewise.questions.locate.tell import where_line, window_line
from tests.simulation import some_curves

if TYPE_CHECKING:
    from curvewise import Location

HOW = "whole curves shuffled, each step compared with the largest F of all steps (not the overall test)"
METHOD = f"Method: {HOW}; 5 runs per algorithm; 8 steps; 9,999 shuffles; α = 0.05."


@cache
def plain(n_algorithms: int = 2) -> Location:
    """A location of eight steps, 0 to 7000, at none of which anything was found."""
    curves = some_curves(0, (5,) * n_algorithms, 8, steps=np.arange(8) * 1_000)
    found = locate(curves, windows=False, n_resamples=0, n_shuffles=99, rng=0)
    nothing = {
        name: replace(effect, regions=(), pvalue_adjusted=np.full(8, 0.3333))
        for name, effect in found.effects.items()
    }
    return replace(
        found,
        effects=nothing,
        differs_from=None,
        differs_until=None,
        crossings=(),
        sampling=Sampling(False, 10**6, 9_999),
    )


def region(start: int, stop: int, leader: str | None = "A", throughout: bool = True) -> Region:
    n_steps = (stop - start) // 1_000 + 1
    return Region(start, stop, n_steps, 9.0, 0.0039, leader, throughout)


def location(
    *regions: Region, change: tuple[Region, ...] = (), n_algorithms: int = 2, **more: Any
) -> Location:
    """A location with these regions."""
    found = plain(n_algorithms)
    pvalues = np.full(8, 0.00391) if regions else np.full(8, 0.3333)
    effects = dict(found.effects)
    effects["algorithm"] = replace(effects["algorithm"], regions=regions, pvalue_adjusted=pvalues)
    effects["interaction"] = replace(effects["interaction"], regions=change)
    return replace(found, **{"effects": effects, **more})


def crossed(low: int, high: int, before: str = "A", after: str = "B") -> Crossing:
    return Crossing((low + high) / 2, Interval(low, high), before, after, 0.95)


EARLY, LATE = region(0, 2_000), region(5_000, 7_000)
ODD = tuple(region(step, step) for step in range(0, 8_000, 2_000))

VERDICTS: dict[str, tuple[Location, str]] = {
    "no region": (
        location(),
        "A and B do not differ detectably at any of 8 steps (smallest adjusted p = 0.33).",
    ),
    "one region": (
        location(LATE),
        ("A and B differ at 3 of 8 steps, 5000 to 7000, with A ahead (smallest adjusted p = "
        "0.0039)."),
    ),
    "one step": (
        location(region(3_000, 3_000)),
        "A and B differ at 1 of 8 steps, 3000, with A ahead (smallest adjusted p = 0.0039).",
    ),
    "ahead on average": (
        location(region(5_000, 7_000, "B", throughout=False)),
        ("A and B differ at 3 of 8 steps, 5000 to 7000, with B ahead on average (smallest "
        "adjusted p = 0.0039)."),
    ),
    "the same leader": (
        location(EARLY, LATE),
        ("A and B differ at 6 of 8 steps, 0 to 2000 and 5000 to 7000, with A ahead (smallest "
        "adjusted p = 0.0039)."),
    ),
    "different leaders": (
        location(EARLY, region(5_000, 7_000, "B")),
        ("A and B differ at 6 of 8 steps, 0 to 2000 (A ahead) and 5000 to 7000 (B ahead) "
        "(smallest adjusted p = 0.0039)."),
    ),
    "four regions": (
        location(*ODD),
        ("A and B differ at 4 of 8 steps, mainly 0, 2000, 4000 and 1 more stretch, with A ahead "
        "(smallest adjusted p = 0.0039)."),
    ),
    "several algorithms": (
        location(LATE, n_algorithms=3),
        ("A, B and C differ at 3 of 8 steps, 5000 to 7000, with A highest (smallest adjusted "
        "p = 0.0039)."),
    ),
    "several algorithms, lower is better": (
        location(region(5_000, 7_000, "C", throughout=False), n_algorithms=3,
                 higher_is_better=False),
        ("A, B and C differ at 3 of 8 steps, 5000 to 7000, with C lowest on average (smallest "
        "adjusted p = 0.0039)."),
    ),
    "two algorithms, lower is better": (
        location(LATE, higher_is_better=False),
        ("A and B differ at 3 of 8 steps, 5000 to 7000, with A ahead (smallest adjusted p = "
        "0.0039)."),
    ),
    "five algorithms": (
        location(LATE, n_algorithms=5),
        ("The 5 algorithms differ at 3 of 8 steps, 5000 to 7000, with A highest (smallest "
        "adjusted p = 0.0039)."),
    ),
    "five algorithms, no region": (
        location(n_algorithms=5),
        ("The 5 algorithms do not differ detectably at any of 8 steps (smallest adjusted p = "
        "0.33)."),
    ),
    "from and until": (
        location(region(5_000, 6_000), differs_from=4_000, differs_until=6_000),
        ("A and B differ at 2 of 8 steps, 5000 to 6000, with A ahead (smallest adjusted p = "
        "0.0039). With 95% confidence the curves differ by step 4000 at the latest and still "
        "differ at or after step 6000, although no single step before 5000 stands out among all 8."),
    ),
    "first and last": (
        location(LATE, differs_from=0, differs_until=7_000),
        ("A and B differ at 3 of 8 steps, 5000 to 7000, with A ahead (smallest adjusted p = "
        "0.0039). With 95% confidence the curves already differ at the first step and still "
        "differ at the last step, although no single step before 5000 stands out among all 8."),
    ),
    "at the first step": (
        location(region(0, 0), differs_from=0, differs_until=0, alpha=0.1),
        ("A and B differ at 1 of 8 steps, 0, with A ahead (smallest adjusted p = 0.0039). "
        "With 90% confidence the curves already differ at the first step."),
    ),
    "at the last step": (
        location(region(7_000, 7_000), differs_from=7_000, differs_until=7_000),
        ("A and B differ at 1 of 8 steps, 7000, with A ahead (smallest adjusted p = 0.0039). "
        "With 95% confidence the curves still differ at the last step."),
    ),
    "change": (
        location(LATE, change=(region(0, 1_000, None), region(7_000, 7_000, None))),
        ("A and B differ at 3 of 8 steps, 5000 to 7000, with A ahead (smallest adjusted p = "
        "0.0039). The difference between them is unusual, compared with its average over "
        "training, at steps 0 to 1000 and 7000."),
    ),
    "change at one step": (
        location(LATE, change=(region(7_000, 7_000, None),)),
        ("A and B differ at 3 of 8 steps, 5000 to 7000, with A ahead (smallest adjusted p = "
        "0.0039). The difference between them is unusual, compared with its average over "
        "training, at step 7000."),
    ),
    "crossing": (
        location(EARLY, region(5_000, 7_000, "B"), crossings=(crossed(2_000, 5_000),)),
        ("A and B differ at 6 of 8 steps, 0 to 2000 (A ahead) and 5000 to 7000 (B ahead) "
        "(smallest adjusted p = 0.0039). With 95% confidence the mean curves cross between "
        "steps 2000 and 5000, near 3500 (A leads before, B after)."),
    ),
    "two crossings": (
        location(
            ODD[0], region(2_000, 2_000, "B"), ODD[2],
            crossings=(crossed(0, 2_000), crossed(2_000, 4_000, "B", "A")),
        ),
        ("A and B differ at 3 of 8 steps, 0 (A ahead), 2000 (B ahead) and 4000 (A ahead) "
        "(smallest adjusted p = 0.0039). With 95% confidence the mean curves cross at least "
        "2 times: between steps 0 and 2000, near 1000 (A leads before, B after); between "
        "steps 2000 and 4000, near 3000 (B leads before, A after)."),
    ),
    "stepping down": (
        location(adjust="step-down"),
        "A and B do not differ detectably at any of 8 steps (smallest adjusted p = 0.33).",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", VERDICTS)
def test_the_paragraph_is_worded_so(name: str) -> None:
    found, text = VERDICTS[name]
    method = METHOD.replace("α = 0.05", f"α = {found.alpha:g}")
    if found.adjust == "step-down":
        method = method.replace("all steps", "all steps, stepping down")
    assert describe(found) == f"{text} {method}"


def test_of_more_than_three_regions_the_longest_are_named_first() -> None:
    four = (ODD[0], ODD[1], region(4_000, 5_000), region(7_000, 7_000))
    assert describe(location(*four)).startswith(
        "A and B differ at 5 of 8 steps, mainly 4000 to 5000, 0, 2000 and 1 more stretch, with A "
        "ahead (smallest"
    )
    # Who leads is said of all of them only where it is so, also in those not named.
    other = (*ODD[:-1], region(6_000, 6_000, "B"))
    assert describe(location(*other)).startswith(
        "A and B differ at 4 of 8 steps, mainly 0 (A ahead), 2000 (A ahead), 4000 (A ahead) and "
        "1 more stretch (smallest"
    )


def test_regions_that_a_step_or_two_part_are_one_stretch() -> None:
    def parted(leader: str, gap: int) -> str:
        regions = (region(0, 19), region(20 + gap, 39, leader))
        counted = (replace(r, n_steps=int(r.stop - r.start) + 1) for r in regions)
        return describe(replace(location(*counted), steps=np.arange(40)))

    assert "38 of 40 steps, 0 to 39 (at 38 of 40 steps), with A ahead" in parted("A", 2)
    # More steps between them, or another leader, begin another stretch.
    assert "37 of 40 steps, 0 to 19 and 23 to 39, with A ahead" in parted("A", 3)
    assert "0 to 19 (A ahead) and 21 to 39 (B ahead)" in parted("B", 1)


@pytest.mark.parametrize(
    ("sampling", "few", "smallest", "how"),
    [
        (Sampling(True, 10, 10), "runs", "0.10", "all 10 relabellings"),
        (Sampling(False, 10**6, 5), "shuffles", "0.17", "5 shuffles"),
    ],
)
def test_too_few_runs_or_shuffles_are_told_and_nothing_else(
    sampling: Sampling, few: str, smallest: str, how: str
) -> None:
    found = location(LATE, sampling=sampling, differs_from=0)
    assert describe(found) == (
        f"Where A and B differ cannot be decided with so few {few}: the smallest p possible "
        f"is {smallest}, above α = 0.05. Method: {HOW}; 5 runs per algorithm; 8 steps; {how}; "
        "α = 0.05."
    )


def test_exact_p_runs_and_blocks_are_told() -> None:
    found = location(LATE, sampling=Sampling(True, 252, 252), n_blocks=5, n_runs=(5, 6))
    text = describe(found)
    assert "(smallest adjusted exact p = 0.0039)" in text
    assert text.endswith(
        f"Method: {HOW}; 5 to 6 runs per algorithm; 8 steps; all 252 relabellings inside 5 "
        "blocks; α = 0.05."
    )


def test_a_single_step_has_neither_from_nor_until_nor_change() -> None:
    curves = some_curves(0, (5, 5), 1)
    apart = Curves(curves.scores + np.repeat([0, 9], 5)[:, None], curves.labels)
    assert describe(locate(apart)) == (
        "A and B differ at 1 of 1 step, 0, with B ahead (smallest adjusted exact p = "
        f"0.0079). Method: {HOW}; 5 runs per algorithm; 1 step; all 126 relabellings; α = 0.05."
    )


def test_the_line_after_a_comparison_says_where() -> None:
    found = location(LATE, differs_from=5_000, differs_until=7_000)
    assert where_line(found) == (
        "at 3 of 8 steps, 5000 to 7000, with A ahead (smallest adjusted p = 0.0039). With "
        "95% confidence the curves differ by step 5000 at the latest and still differ at the "
        "last step."
    )
    assert where_line(location()) == "at no single step (smallest adjusted p = 0.33)."
    # Tests of fewer and fewer steps may find what no single step of all shows.
    assert where_line(location(differs_from=3_000, differs_until=4_000)) == (
        "at no single step (smallest adjusted p = 0.33). With 95% confidence the curves differ "
        "by step 3000 at the latest and still differ at or after step 4000, although no single "
        "step stands out among all 8."
    )


def effect(name: Any, pvalue: float, adjusted: float) -> WindowEffect:
    return WindowEffect(name, 4.0, (1, 8), pvalue, adjusted, 0.05)


HEIGHT, SHAPE = effect("algorithm", 0.001, 0.0197), effect("interaction", 0.2, 0.6)
LOW, CHANGE = effect("algorithm", 0.01, 0.21), effect("interaction", 0.001, 0.03)
SOME, NOWHERE = WindowSteps(0.0079, 0.05), WindowSteps(0.0812, 0.05)


@pytest.mark.parametrize(
    ("window", "line"),
    [
        (
            WindowTest(5_000, 8_000, 3, SOME, HEIGHT, SHAPE),
            (
                "from 5000 to 8000, the curves differ somewhere in it (p = 0.0079); they differ "
                "on average over it (p = 0.020; had the window been planned, p = 0.0010); no "
                "change of the gap within it was detected (p = 0.60; had the window been "
                "planned, p = 0.20)."
            ),
        ),
        (
            WindowTest(5_000, 8_000, 3, NOWHERE, LOW, CHANGE),
            (
                "from 5000 to 8000, no single step of it stands out among all steps (p = 0.081); no "
                "difference on average over it was detected (p = 0.21; had the window been "
                "planned, p = 0.010); the gap changes within it (p = 0.030; had the window been "
                "planned, p = 0.0010)."
            ),
        ),
        (
            WindowTest(5_000, 5_000, 1, SOME, LOW, None),
            ("at step 5000, the curves differ (p = 0.0079; had the step been planned, p = 0.010)."),
        ),
        (
            WindowTest(0, 90, 9, NOWHERE, LOW, SHAPE, asked=(5, 5)),
            "at step 5, the curves do not differ detectably (p = 0.081).",
        ),
        (
            WindowTest(0, 90, 9, SOME, HEIGHT, SHAPE, asked=(5, 81)),
            (
                "from 5 to 81, the curves differ somewhere in it (p = 0.0079); from 0 to 90, the "
                "smallest window around it (with so many steps, windows begin and end at "
                "portions of them), they differ on average over it (p = 0.020; had the window "
                "been planned, p = 0.0010); no change of the gap within it was detected (p = "
                "0.60; had the window been planned, p = 0.20)."
            ),
        ),
    ],
)
def test_a_window_is_worded_so(window: WindowTest, line: str) -> None:
    sampling = Sampling(exact=True, n_relabellings=10_000, n_shuffles=10_000)
    assert window_line(window, sampling) == line


def test_p_of_a_window_that_no_shuffle_reached_are_bounds() -> None:
    window = WindowTest(5_000, 8_000, 3, WindowSteps(0.001, 0.05), HEIGHT, CHANGE)
    sampling = Sampling(exact=False, n_relabellings=184_756, n_shuffles=999)
    assert window_line(window, sampling) == (
        "from 5000 to 8000, the curves differ somewhere in it (p ≤ 0.0010, none of 999 "
        "shuffles); they differ on average over it (p = 0.020; had the window been planned, "
        "p ≤ 0.0010); the gap changes within it (p = 0.030; had the window been planned, "
        "p ≤ 0.0010)."
    )


def test_who_is_ahead_only_on_average_is_said_of_real_curves() -> None:
    scores = 0.1 * np.random.default_rng(0).normal(size=(16, 10))
    scores[:8, :6] += 2
    scores[:8, 6:] -= 2
    where = locate(Curves(scores, ["A"] * 8 + ["B"] * 8), windows=False, n_resamples=0)
    assert ", with A ahead on average (" in describe(where)


def test_names_cannot_steer_a_terminal() -> None:
    scores = some_curves(0, (5, 5), 8).scores.copy()
    scores[:5] += 9
    scores[:5, 4:] -= 18
    odd = Curves(scores, ["\x1b[31mA"] * 5 + ["B\n"] * 5)
    text = describe(locate(odd, windows=False, n_resamples=99, rng=0))
    assert "\x1b" not in text
    assert "\n" not in text
    assert text.startswith("\\x1b[31mA and B\\n differ at ")
    assert "\\x1b[31mA leads before, B\\n after" in text
