"""Single precision decides nothing that double precision would decide otherwise."""

from __future__ import annotations

import numpy as np

from curvewise.kernels.many_tables import Tables, rejections
from curvewise.kernels.pvalues import n_allowed
from curvewise.kernels.relabel import BATCH, WithinBlocks, stream_key
from tests.crossing import crossed
from tests.kernels.anova.test_many_tables import DESIGNS, PROCESSES, simulated


@crossed(2, design=DESIGNS, process=PROCESSES, combined=[True, False])
def test_verdicts_are_those_of_double_precision(design: str, process: str, combined: bool) -> None:
    labels = np.array(DESIGNS[design][0], dtype=np.int64)
    given = DESIGNS[design][1]
    blocks = np.zeros_like(labels) if given is None else given
    scores = simulated(process, len(labels), 60)
    # Differences that are found about every second time.
    shift = labels[:, None] * np.linspace(0, 2, scores.shape[2])
    scores[30:] += shift
    options = {"alpha": 0.2, "n_shuffles": 199, "key": 5, "combined": combined}
    found = rejections(scores, labels, blocks, **options)[0]  # type: ignore[arg-type]
    restriction = WithinBlocks(labels, blocks)
    exact = restriction.count <= 199
    drawn = restriction.every() if exact else restriction.drawn(199, int(stream_key(5, 0)))
    assert drawn.count <= BATCH
    counts = Tables.of(scores, labels, blocks).n_extreme(
        drawn.batch(0), exact=exact, combined=combined and scores.shape[2] > 1
    )
    allowed = n_allowed(drawn.count, 0.2, exact=exact)
    assert np.array_equal(found, np.stack(counts) <= allowed)
    alone = rejections(scores, labels, blocks, tests="height", **options)[0]  # type: ignore[arg-type]
    assert np.array_equal(alone[1], found[1])
    assert not alone[[0, 2]].any()
    # So far apart that shapes have a small share of all.
    far = np.full_like(shift, 20.0) * labels[:, None]
    shifts = np.stack([0 * shift, shift, far])
    shifted = rejections(scores[:30], labels, blocks, shifts=shifts, **options)  # type: ignore[arg-type]
    assert np.array_equal(shifted[0], found[:, :30])
    compiled = rejections(
        scores[:30],
        labels,
        blocks,
        shifts=shifts,
        compiled=True,
        **options,  # type: ignore[arg-type]
    )
    assert np.array_equal(shifted, compiled)
    for place in (1, 2):
        tables = Tables.of(scores[:30] + shifts[place], labels, blocks)
        counts = tables.n_extreme(
            drawn.batch(0), exact=exact, combined=combined and scores.shape[2] > 1
        )
        assert np.array_equal(shifted[place], np.stack(counts) <= allowed)


def test_other_tables_are_shuffled_otherwise() -> None:
    scores = np.tile(simulated("AR(1)", 24, 1), (501, 1, 1))
    labels = np.repeat([0, 1], 12)
    options = {"alpha": 0.5, "n_shuffles": 1, "combined": False}
    found = [
        rejections(scores, labels, np.zeros_like(labels), key=key, **options)  # type: ignore[arg-type]
        for key in range(40)
    ]
    assert all(np.all(each[0, :, :500] == each[0, :, :1]) for each in found)
    assert any(np.any(each[0, :, 500] != each[0, :, 0]) for each in found)


def test_nothing_is_significant_where_nothing_can_be() -> None:
    scores = simulated("AR(1)", 6, 4)
    scores[:, 3:] += 1e3
    labels = np.repeat([0, 1], 3)
    blocks = np.zeros_like(labels)
    for n_shuffles in (999, 18):
        assert not rejections(
            scores, labels, blocks, alpha=0.05, n_shuffles=n_shuffles, key=0
        ).any()


def test_curves_of_many_steps_are_tested_as_well() -> None:
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(8, 8, 600))
    scores[4:, 4:] += 1
    labels = np.repeat([0, 1], 4)
    found = rejections(scores, labels, np.zeros_like(labels), alpha=0.05, n_shuffles=99, key=0)
    assert found[0, 0, 4:].all()
    assert not found[0, 0, :4].all()
