from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl
import pytest

from curvewise.kernels import compiling

if TYPE_CHECKING:
    from collections.abc import Iterator

mpl.use("Agg")

ATARI = Path(__file__).parents[2] / "shared" / "data" / "atari"


@pytest.fixture(scope="session")
def atari() -> Path:
    """The folder of real Atari curves, which are not part of the project."""
    if not ATARI.is_dir():
        pytest.skip(f"real Atari curves are not at {ATARI}")
    return ATARI


@pytest.fixture
def without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    """Matplotlib is not there, and nothing that needs it can be imported."""
    for module in list(sys.modules):
        if module.split(".")[0] == "matplotlib" or module.endswith(
            ("rendering.page", "rendering.end_labels")
        ):
            monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "matplotlib", None)


@pytest.fixture
def without_numba(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Numba is not there, and nothing that needs it can be imported."""
    for module in list(sys.modules):
        if module.split(".")[-1].startswith("compiled_"):
            monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setitem(sys.modules, "numba", None)
    compiling._numba_works.cache_clear()
    yield
    compiling._numba_works.cache_clear()
