"""Files that NumPy writes."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path  # noqa: TC003 (pytest reads the annotations)
from typing import Any

import numpy as np
import pytest

import curvewise
from curvewise import CurvesError
from curvewise.readers.parsing import files
from curvewise.readers.parsing.files import archive_names, read_archive, read_array
from curvewise.readers.walk import File


def test_arrays_of_an_archive(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez_compressed(path, a=[1.0, 2.0], b=[3])
    assert archive_names(File(path)) == ["a", "b"]
    assert {name: array.tolist() for name, array in read_archive(File(path)).items()} == {
        "a": [1.0, 2.0],
        "b": [3],
    }
    packed = tmp_path / "b.npz.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert archive_names(File(packed)) == ["a", "b"]


def test_what_is_no_archive_has_no_arrays(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    path.write_bytes(b"nothing")
    assert archive_names(File(path)) == []
    assert archive_names(File(tmp_path / "missing.npz")) == []
    with pytest.raises(CurvesError, match="is damaged and cannot be read"):
        read_archive(File(path))


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", bytes(10**7))
    assert path.stat().st_size < 10**5
    monkeypatch.setattr(files, "MAX_ARCHIVE_SIZE", 10**6)
    with pytest.raises(CurvesError, match="which no set of curves does"):
        read_archive(File(path))


def test_an_archive_that_is_called_an_array_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", a=[1.0])
    path = (tmp_path / "a.npz").rename(tmp_path / "a.npy")
    with pytest.raises(CurvesError, match=r"Let its name end in .npz"):
        read_array(File(path))


@pytest.mark.parametrize("n_bytes", [3, 9, 60, 127, 130])
def test_cut_arrays_are_refused(tmp_path: Path, n_bytes: int) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.arange(3.0))
    path.write_bytes(path.read_bytes()[:n_bytes])
    with pytest.raises(CurvesError):
        read_array(File(path))
    packed = tmp_path / "b.npy.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    with pytest.raises(CurvesError):
        read_array(File(packed))


def test_a_header_that_is_no_dictionary_is_told_in_words(tmp_path: Path) -> None:
    path = tmp_path / "runs.npz"
    head = b"{'descr': x, 'fortran_order': False, 'shape': (1,), }\n"
    with zipfile.ZipFile(path, "w") as archive:
        size = len(head).to_bytes(2, "little")
        archive.writestr("A.npy", b"\x93NUMPY\x01\x00" + size + head + bytes(8))
    with pytest.raises(CurvesError, match=r"\(its header is not that of an array\)"):
        read_archive(File(path))


@pytest.mark.parametrize(
    "arrays",
    [
        {"ppo": np.ones((2, 3)) * 1j, "sac": np.ones((2, 3))},
        {"results": np.ones((3, 2)) * 1j, "timesteps": np.arange(3)},
    ],
)
def test_complex_numbers_are_refused_with_the_file(tmp_path: Path, arrays: dict[str, Any]) -> None:
    np.savez(tmp_path / "evaluations.npz", **arrays)
    with pytest.raises(CurvesError, match=r"evaluations.npz has complex numbers in"):
        curvewise.read(tmp_path / "evaluations.npz")
