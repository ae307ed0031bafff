from __future__ import annotations

import curvewise as cw
from tests.questions.plan.test_result import found
from tests.questions.power.test_question import exact_pairs
from tests.simulation import some_curves

LARGE = cw.scenario("lift", 2.5)


def test_the_sentence_to_quote() -> None:
    plan = found()
    low, high = plan.n_runs_range
    assert plan.describe().startswith(
        f"To find a lift of 1.5 in height with 80% power you need {plan.n_runs} runs of each "
        f"algorithm (if runs vary as in the pilots; between {low:.0f} and {high:.0f}, since 5 "
        "pilots say little about the spread). That counts what compare() claims, height only where it finds a difference "
        f"at all too: {plan.power_at[plan.n_runs]:.0%} with these runs; the test of height alone "
        f"finds it in {plan.test_power_at[plan.n_runs]:.0%}. With fewer than 4 runs nothing "
        "could be significant."
    )
    assert "That counts" not in found(question="overall").describe()
    assert "These are new runs" in plan.describe()


def test_what_is_not_reached() -> None:
    text = found(max_runs=8, effect=cw.scenario("lift", 0.9)).describe()
    assert text.startswith("Not even 8 runs of each algorithm find a lift of 0.9 in height")
    assert "new runs" not in text
    far = found(max_runs=8, effect=cw.scenario("lift", 0.01)).describe()
    assert "power. That counts what" in far
    assert "With fewer than 4 runs nothing could be significant. Method" in far
    cautious = found(cautious=True, max_runs=12).describe()
    assert ", planned cautiously; if runs vary less than the pilots, " in cautious
    estimate = found().n_runs
    enough = found(cautious=True, max_runs=estimate + 1).describe()
    assert f", planned cautiously; with a spread as in the pilots, {estimate} would" in enough


def test_other_plans() -> None:
    cautious = found(cautious=True)
    assert f"{cautious.n_estimate:.0f} would do" in cautious.describe()
    unequal = found(ratio=3, effect=LARGE)
    first, other = unequal.sizes
    assert f"{first} runs of the first algorithm and {other} of the other" in unequal.describe()
    assert "With fewer than 2 runs of the other nothing" in unequal.describe()
    three = found(ratio=2, n_algorithms=3, question="overall", effect=LARGE)
    assert "of each other (" in three.describe()
    assumed = found(noise=cw.noise(sd=1)).describe()
    assert "new runs" not in assumed
    assert "pilots say" not in assumed
    kept = cw.plan(
        some_curves(0, (5, 5)),
        effect=cw.scenario("lift", 2),
        reuse_pilot=True,
        n_experiments=100,
        n_shuffles=99,
        rng=0,
    )
    assert "The 10 pilots count among these runs" in kept.describe()


def test_pairs() -> None:
    options = {
        "effect": cw.scenario("lift", 1.5, unit="sd"),
        "n_experiments": 100,
        "n_shuffles": 99,
        "rng": 0,
    }
    apart = cw.plan(exact_pairs(0.8), **options).describe()  # type: ignore[arg-type]
    assert "Runs of a pair correlate by 0.80 (95% interval 0.62 to 0.90, 30 pairs)." in apart
    assert "so it would pay here: blocks=True" in apart
    none = cw.plan(exact_pairs(0.0), **options).describe()  # type: ignore[arg-type]
    assert "so runs need not be paired here" in none
    paired = cw.plan(exact_pairs(0.8), blocks=True, **options)  # type: ignore[arg-type]
    assert f"{paired.n_runs} blocks with one run of each" in paired.describe()
    assert "With fewer than 6 blocks nothing could be significant." in paired.describe()
    assert paired.table().header[1] == "blocks needed"
    assert "never with 5 or fewer." in paired.describe()
