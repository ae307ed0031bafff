from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from curvewise import Curves, CurvesError, OptionError, best, compare, locate, overview
from curvewise.inference.asking import ask
from curvewise.shuffling.visit import FIRST_LOOK
from tests.questions.resuming import check_refuses, check_resumes, digits, progress_of
from tests.simulation import some_curves

if TYPE_CHECKING:
    from pathlib import Path

    from curvewise import Overview


def stairs(sizes: tuple[int, ...], gap: float, **options: Any) -> Curves:
    """Curves of algorithms that lie a gap apart."""
    curves = some_curves(0, sizes)
    return Curves(curves.scores + gap * curves.codes[:, None], curves.labels, **options)


DIFFERENT, ALIKE = stairs((7, 7, 7), 2.0), some_curves(3, (7, 7, 7))
GIVEN: dict[str, Any] = {"n_shuffles": 4_999, "exact": False, "rng": 3}


@cache
def found() -> Overview:
    return overview(DIFFERENT, **GIVEN)


def test_the_digits_are_those_of_each_question_asked_with_the_same_rng() -> None:
    assert found().withheld is None
    assert digits(found().comparison) == digits(compare(DIFFERENT, **GIVEN))
    where, who = found().location, found().best
    assert where is not None
    alone = locate(DIFFERENT, windows=False, n_resamples=0, **GIVEN)
    assert digits(where) == digits(alone)
    assert who is not None
    assert digits(who) == digits(best(DIFFERENT, **GIVEN))


def test_options_go_on_to_each_question() -> None:
    for error in ("split", "pooled"):
        asked = overview(DIFFERENT, error=error, alpha=0.2, **GIVEN)
        assert asked.comparison.error == error
        assert asked.location is not None
        assert asked.best is not None
        assert asked.comparison.alpha == asked.location.alpha == asked.best.alpha == 0.2
    exact = overview(stairs((4, 4, 4), 9.0))
    assert exact.comparison.exact
    assert exact.location is not None
    assert exact.location.exact


@pytest.mark.parametrize(("exact", "passed_on"), [(None, None), (True, None), (False, False)])
def test_exact_is_asked_of_the_comparison_only(
    exact: bool | None, passed_on: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line is not worth visiting all relabellings, which locate() may even refuse."""
    given = []

    def noted(question: Any, options: Any, answer: Any) -> Any:
        given.append(options["exact"])
        return ask(question, options, answer)

    for name in ("locate", "best"):
        monkeypatch.setattr(f"curvewise.questions.{name}.ask.ask", noted)
    asked = overview(stairs((4, 4, 4), 9.0), exact=exact, n_shuffles=99, rng=0)
    assert asked.comparison.exact == (exact is not False)
    assert given == [passed_on, passed_on]


@pytest.mark.parametrize("n_shuffles", [99, 99.0, np.int64(99)])
def test_fewer_shuffles_are_fewer_for_all(n_shuffles: Any) -> None:
    asked = overview(DIFFERENT, n_shuffles=n_shuffles, exact=False, rng=3)
    assert asked.location is not None
    assert asked.comparison.n_shuffles == asked.location.n_shuffles == 99


@pytest.mark.parametrize("n_shuffles", [20_000, "auto", "precise"])
def test_more_shuffles_are_more_for_the_comparison_only(n_shuffles: Any) -> None:
    curves = stairs((6, 6, 6), 0.9)  # clear enough, and still p is known to within 10%
    asked = overview(curves, n_shuffles=n_shuffles, exact=False, rng=3)
    assert asked.location is not None
    assert asked.location.n_shuffles == 9_999
    assert asked.comparison.n_shuffles >= min(20_000, FIRST_LOOK)
    alone = compare(curves, n_shuffles=n_shuffles, exact=False, rng=3)
    assert digits(asked.comparison) == digits(alone)


def test_where_and_who_stand_behind_the_overall_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """A closed test: nothing else is even asked unless the overall test says so."""
    for name in ("locate", "best"):
        monkeypatch.setattr(f"curvewise.questions.{name}.ask.{name}", pytest.fail)
    alike = overview(ALIKE, **GIVEN)
    assert not alike.comparison.overall.significant
    assert (alike.location, alike.best) == (None, None)
    assert alike.withheld == "no difference"


@pytest.mark.parametrize("alpha", [0.2, 0.05, 0.001])
def test_the_overall_test_alone_opens_the_door(alpha: float) -> None:
    """Neither a small p of height nor of shape does, nor do large ones close it."""
    seen = set()
    for seed in range(27):
        noise = some_curves(seed, (5, 5, 5))
        ramp = np.linspace(-1, 1, 6) * (noise.codes == seed % 3)[:, None]
        steep = 0.1 * seed if seed < 24 else 0.0
        curves = Curves(noise.scores + steep * ramp, noise.labels)
        asked = overview(curves, alpha=alpha, n_shuffles=999, exact=False, rng=2)
        effects = asked.comparison.effects["split"]
        opened = effects["overall"].significant
        assert (asked.withheld is None) == opened
        assert (asked.location is not None) == (asked.best is not None) == opened
        seen.add((opened, effects["algorithm"].significant))
    # Shapes differ without heights, and at 0.2 heights where nothing is shown overall.
    assert seen >= {(False, False), (True, False)}
    assert ((False, True) in seen) == (alpha == 0.2)


def test_with_too_few_runs_nothing_is_asked() -> None:
    few = overview(stairs((2, 2, 2), 99.0))
    assert few.withheld == "undecidable"
    assert (few.location, few.best) == (None, None)
    shuffled = overview(DIFFERENT, n_shuffles=9, exact=False, rng=0)
    assert shuffled.withheld == "undecidable"


def test_with_unequal_spread_nothing_else_is_asked() -> None:
    unequal = overview(DIFFERENT, spread="unequal", **GIVEN)
    assert unequal.comparison.overall.significant
    assert unequal.withheld == "unequal spread"
    assert (unequal.location, unequal.best) == (None, None)
    assert digits(unequal.comparison) == digits(compare(DIFFERENT, spread="unequal", **GIVEN))


def test_one_step_has_no_where_and_two_algorithms_no_who() -> None:
    single = Curves(DIFFERENT.scores[:, :1], DIFFERENT.labels)
    asked = overview(single, **GIVEN)
    assert (asked.location, asked.withheld) == (None, None)
    assert asked.best is not None
    two = overview(stairs((7, 7), 4.0), **GIVEN)
    assert (two.best, two.withheld) == (None, None)
    assert two.location is not None
    both = overview(stairs((7, 7), 4.0).window(0, 0), **GIVEN)
    assert (both.location, both.best, both.withheld) == (None, None, None)


def test_the_reported_seed_repeats_the_result() -> None:
    """Also where none was given, or a generator."""
    options: dict[str, Any] = {**GIVEN, "n_shuffles": 99}
    for rng in (None, np.random.default_rng(1), 5):
        first = overview(DIFFERENT, **{**options, "rng": rng})
        seed = first.comparison.seed
        assert seed is not None
        assert digits(overview(DIFFERENT, **{**options, "rng": seed})) == digits(first)
    assert seed == 5


def test_interrupted_work_goes_on_with_the_same_digits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_resumes(partial(overview, DIFFERENT, **GIVEN), tmp_path / "work", monkeypatch)


def test_without_a_seed_the_first_one_is_kept(tmp_path: Path) -> None:
    options = {**GIVEN, "rng": None}
    first = overview(DIFFERENT, checkpoint=tmp_path / "work", **options)
    again = overview(DIFFERENT, checkpoint=tmp_path / "work", **options)
    assert digits(again) == digits(first)


def test_the_checkpoint_of_another_question_is_refused(tmp_path: Path) -> None:
    scores, labels = DIFFERENT.scores, DIFFERENT.labels
    few = {**GIVEN, "n_shuffles": 99}

    def on(curves: Curves) -> Any:
        return partial(overview, curves, **few)

    def asked(**options: Any) -> Any:
        return partial(overview, DIFFERENT, **{**few, **options})

    check_refuses(
        asked(),
        {
            "scores": on(Curves(scores + np.eye(21, 6), labels)),
            "labels": on(Curves(scores, labels[::-1])),
            "blocks": on(Curves(scores, labels, blocks=list(range(7)) * 3)),
            "precision": on(Curves(scores, labels, precision=1e-3)),
            "lower is better": on(Curves(scores, labels, higher_is_better=False)),
            "error": asked(error="pooled"),
            "spread": asked(spread="unequal"),
            "overall": asked(overall="F"),
            "alpha": asked(alpha=0.1),
            "n_shuffles": asked(n_shuffles=98),
            "exact": asked(exact=None),
            "rng": asked(rng=4),
            "compare": partial(compare, DIFFERENT, **few),
            "best": partial(best, DIFFERENT, **few),
        },
        tmp_path / "work",
    )


def test_jobs_change_no_digit() -> None:
    assert digits(overview(DIFFERENT, n_jobs=2, **GIVEN)) == digits(found())


def test_progress_is_reported_of_each_question() -> None:
    overall, where, *who = progress_of(partial(overview, DIFFERENT, **GIVEN))
    assert overall[-1] == (5, 5)
    assert where[-1] == (5, 5)
    assert who == [[(1, 2), (2, 2)], [(n, 5) for n in range(1, 6)]]
    assert len(progress_of(partial(overview, ALIKE, **GIVEN))) == 1


def test_what_means_nothing_is_refused() -> None:
    with pytest.raises(OptionError, match=r"overview\(\) takes Curves, not a int"):
        overview(3)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="n_shuffles must be a positive integer"):
        overview(DIFFERENT, n_shuffles="some")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="alpha must lie between 0 and 1"):
        overview(DIFFERENT, alpha=5)
    with pytest.raises(CurvesError, match="at least two algorithms"):
        overview(some_curves(0, (5,)))


def test_what_makes_where_and_who_doubtful_is_said() -> None:
    rng = np.random.default_rng(0)
    spread = np.repeat([0.02, 1.0, 1.0], 8)[:, None]
    scores = spread * rng.normal(size=(24, 6)) + np.repeat([0.0, 4.0, 8.0], 8)[:, None]
    asked = overview(Curves(scores, list("AAAAAAAABBBBBBBBCCCCCCCC")), rng=0)
    assert asked.location is not None
    assert [caveat.kind for caveat in asked.comparison.caveats] == ["different spread"]
    assert [caveat.kind for caveat in asked.caveats] == ["different spread"]
    assert asked.to_dict()["warnings"] == list(asked.warnings)
