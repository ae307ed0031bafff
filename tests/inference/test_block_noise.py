from __future__ import annotations

import numpy as np
import pytest

import curvewise as cw
from curvewise.inference.simulate import block_noise, residuals_of
from tests.simulation import some_curves


def in_blocks(n_blocks: int, scale: tuple[float, ...], n_steps: int = 3) -> cw.Curves:
    """Blocks whose runs share something, with a spread of each algorithm's own."""
    rng = np.random.default_rng(0)
    shared = rng.normal(size=(n_blocks, 1))
    scores = [0.8 * shared + 0.6 * own * rng.normal(size=(n_blocks, n_steps)) for own in scale]
    names = np.repeat(list("ABCD")[: len(scale)], n_blocks)
    blocks = np.tile(np.arange(n_blocks), len(scale))
    return cw.Curves(np.concatenate(scores), names, blocks=blocks)


def test_pairs_keep_their_correlation() -> None:
    model = block_noise(in_blocks(400, (1, 1)))
    assert (model.df, model.n_steps) == (399, 3)
    rng = np.random.default_rng(1)
    drawn = model.draw(rng, 20_000).reshape(20_000, 2, 3)
    assert np.corrcoef(drawn[:, 0, 0], drawn[:, 1, 2])[0, 1] == pytest.approx(0.64, abs=0.08)


@pytest.mark.parametrize("kind", ["gaussian", "resample"])
def test_pooled_noise_has_the_covariance_of_all_algorithms_together(kind: str) -> None:
    pilots = in_blocks(12, (1, 1, 4), 2)
    model = block_noise(pilots, kind)  # type: ignore[arg-type]
    assert model.df == 22
    residuals = residuals_of(pilots).reshape(3, 12, 2)
    cross = np.einsum("abh,cbi->achi", residuals, residuals) / 11
    same = np.mean([cross[a, a] for a in range(3)], axis=0)
    other = np.mean([cross[a, c] for a in range(3) for c in range(3) if a != c], axis=0)
    drawn = model.draw(np.random.default_rng(1), 200_000).reshape(-1, 3, 2)
    found = np.einsum("nah,nci->achi", drawn, drawn) / len(drawn)
    for a in range(3):
        for c in range(3):
            expected = same if a == c else other
            assert np.allclose(found[a, c], expected, atol=0.06), (a, c)
    heights = model.of_heights()
    assert heights.n_steps == 1
    assert heights.height_sd == pytest.approx(model.height_sd)
    assert model.height_sd == pytest.approx(np.sqrt(same.mean()))


def test_noise_of_their_own_is_kept_where_it_is_asked_for() -> None:
    model = block_noise(in_blocks(60, (1, 1, 4)), pool=False)
    drawn = model.draw(np.random.default_rng(1), 20_000).reshape(-1, 3, 3)
    spread = drawn.std(axis=(0, 2))
    assert spread[2] > 2 * spread[1]
    assert model.df == 59


@pytest.mark.parametrize("kind", ["gaussian", "resample"])
@pytest.mark.parametrize("pool", [True, False])
def test_the_first_blocks_are_the_same_however_many_there_are(kind: str, pool: bool) -> None:
    model = block_noise(in_blocks(20, (1, 2, 3)), kind, pool=pool)  # type: ignore[arg-type]
    few, many = (model.draw(np.random.default_rng(3), n) for n in (2, 9))
    assert np.allclose(few, many[:2])


def test_blocks_that_tell_nothing_are_refused() -> None:
    with pytest.raises(cw.CurvesError, match="every block of the pilots must hold one"):
        block_noise(some_curves(0, (4, 4)))
    one = some_curves(0, (5,)).scores
    alike = cw.Curves(np.concatenate([one, one + 3]), ["A"] * 5 + ["B"] * 5, blocks=[*range(5)] * 2)
    with pytest.raises(cw.CurvesError, match="every block differ in the same way"):
        block_noise(alike)
    with pytest.raises(cw.CurvesError, match="A has 7 pilots"):
        block_noise(in_blocks(7, (1, 1)), pool=False)
