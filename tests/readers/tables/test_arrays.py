"""NPZ archives."""

from __future__ import annotations

import zipfile
from pathlib import Path  # noqa: TC003 (pytest reads the annotations)
from typing import Any

import numpy as np
import pytest

from curvewise import CurvesError, read
from curvewise.data.tables import Columns, Selection
from curvewise.readers import table_formats as arrays
from tests.simulation import some_curves

CURVES = some_curves(0, (3, 2), 4)


def test_arrays(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    a, b = CURVES.scores[:3], CURVES.scores[3:]
    np.savez(path, A=a, B=b, steps=[5, 6, 7, 8])
    found = read(path, stop=7)
    assert found.steps.tolist() == [5, 6, 7]
    assert found.sizes == (3, 2)
    assert read(path, only=["B"]).algorithms == ("B",)
    with pytest.raises(CurvesError, match="no columns to name"):
        read(path, run="seed")


def test_archives_that_could_run_code_are_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, A=np.array([{"x": 1}], dtype=object))
    with pytest.raises(CurvesError, match="could run code"):
        read(path)
    np.savez(path, A=np.arange(3.0))
    with pytest.raises(CurvesError, match="'A': Scores must have two dimensions"):
        read(path)
    np.savez(path, steps=np.arange(3.0))
    with pytest.raises(CurvesError, match="holds no curves"):
        read(path)


def test_a_damaged_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez_compressed(path, A=np.random.default_rng(0).normal(size=(5, 500)))
    content = bytearray(path.read_bytes())
    content[2_000:2_100] = bytes(100)
    path.write_bytes(bytes(content))
    with pytest.raises(CurvesError, match=r"is damaged and cannot be read .*Write the file again"):
        read(path)


def test_a_file_that_is_no_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    path.write_text("nonsense", encoding="utf-8")
    with pytest.raises(CurvesError, match="is not an NPZ archive"):
        read(path)


def test_dates_are_no_scores(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", A=np.array([["2026-01-01"]], dtype="M8[D]"))
    with pytest.raises(CurvesError, match="Scores must be numbers, not datetime64"):
        read(tmp_path / "a.npz")


def test_an_array_with_a_broken_header_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("A.npy", b"\x93NUMPY\x01\x00\x04\x00bad\n")
    with pytest.raises(CurvesError, match="is damaged and cannot be read"):
        read(path)


def test_a_transposed_archive_is_refused(tmp_path: Path) -> None:
    # Sizes × folds, as scikit-learn has them, and as many of one as of the other.
    path = tmp_path / "a.npz"
    rng = np.random.default_rng(0)
    tree, nb = np.cumsum(rng.normal(size=(2, 10, 10)), axis=1)
    np.savez(path, steps=np.arange(10), tree=tree, nb=nb)
    with pytest.raises(CurvesError, match=r"steps × runs.*transpose.*`Curves.from_dict`"):
        arrays.read_arrays(path, Selection(Columns()))
    np.savez(path, steps=np.arange(10), tree=tree.T, nb=nb.T)
    assert arrays.read_arrays(path, Selection(Columns())).curves().sizes == (10, 10)


def test_a_row_per_step_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, steps=np.arange(4), A=np.zeros((4, 3)), B=np.zeros((4, 2)))
    with pytest.raises(CurvesError, match=r"a row per step .* Save the transpose"):
        arrays.read_arrays(path, Selection(Columns()))


@pytest.mark.parametrize(
    ("names", "what"),
    [
        (("timesteps", "results", "ep_lengths"), "evaluations of one run by stable-baselines3"),
        (("train_sizes", "train_scores", "test_scores"), "learning curves of one model"),
    ],
)
def test_archives_of_one_run_are_recognised(
    tmp_path: Path, names: tuple[str, ...], what: str
) -> None:
    content: dict[str, Any] = dict.fromkeys(names, np.zeros((3, 3)))
    np.savez(tmp_path / "a.npz", **content)
    with pytest.raises(CurvesError, match=f"{what}.*Name the folder"):
        arrays.read_arrays(tmp_path / "a.npz", Selection(Columns()))


def test_runs_that_diverge_are_named(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    whole, broken = np.ones((2, 20)), np.ones((2, 20))
    broken[1, 15:] = np.nan
    np.savez(path, A=whole, B=broken, C=whole)
    with pytest.raises(CurvesError, match="B: run '1' diverges at step 15"):
        read(path)
    assert read(path, stop=14).n_steps == 15
    assert read(path, only=["A", "C"]).n_runs == 4


def test_square_arrays_whose_scores_do_not_tell_are_asked_about(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    folds = rng.normal(0, 0.1, (2, 5))
    flat = {
        name: 0.8 + own + rng.normal(0, 0.01, (5, 5))  # sizes × folds, no learning
        for name, own in zip("AB", folds, strict=True)
    }
    np.savez(tmp_path / "flat.npz", **flat, steps=np.arange(5))
    with pytest.raises(CurvesError, match=r"5 of each, .* do not tell .* Save a table"):
        read(tmp_path / "flat.npz")
    learning = {name: array.T + np.linspace(0, 1, 5) for name, array in flat.items()}
    np.savez(tmp_path / "learning.npz", **learning)
    assert read(tmp_path / "learning.npz").n_steps == 5
    np.savez(tmp_path / "wrong.npz", **{name: own.T for name, own in learning.items()})
    with pytest.raises(CurvesError, match=r"do not tell|steps × runs, not runs × steps"):
        read(tmp_path / "wrong.npz")


def test_archives_of_something_else(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, A=CURVES.scores[:3])
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("B", b"text")
    with pytest.raises(CurvesError, match="something else than arrays: 'B'"):
        read(path)
    np.savez(path, A=CURVES.scores[:3])
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(path, "a") as archive:
        archive.writestr("A.npy", archive.read("A.npy"))
    with pytest.raises(CurvesError, match="several arrays of the same name"):
        read(path)
