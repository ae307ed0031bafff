from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl
import pytest

from curvewise.kernels import compiling

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

mpl.use("Agg")

HAS_NUMBA = importlib.util.find_spec("numba") is not None
NEEDS_NUMBA = "needs numba: pip install curvewise[fast]"
# Tests of compiled code itself, beside those whose names say so.
COMPILED = {"test_scanning.py"}
# Tests that start browsers or clusters, interrupt or damage many things, compile the learners of
# studies, or run long examples. Of each there are short forms among the others.
TESTS = Path(__file__).parent
SLOW_FOLDERS = {TESTS / "browser", TESTS / "studies"}
SLOW_FILES = {
    "plan.md",
    "scripts.md",
    "test_action.py",
    "test_bad_logs.py",
    "test_checkpoint.py",
    "test_cluster.py",
}

if not HAS_NUMBA:
    # Large work then warns, in this process and in those that tests start.
    os.environ.setdefault("PYTHONWARNINGS", "ignore:numba is not installed")


def pytest_configure(config: pytest.Config) -> None:
    """Do not take it for an error that numba is missing."""
    if not HAS_NUMBA:
        config.addinivalue_line("filterwarnings", "ignore:numba is not installed")


class NeedsNumba(pytest.Module):
    """Tests of compiled code, where none can be compiled."""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        pytest.skip(NEEDS_NUMBA, allow_module_level=True)


def pytest_pycollect_makemodule(
    module_path: Path, parent: pytest.Collector
) -> pytest.Module | None:
    """Skip tests of compiled code where numba is missing, and say so."""
    name = module_path.name
    # The studies compile learners of their own.
    compiled = name.startswith("test_compiled_") or name in COMPILED
    if HAS_NUMBA or not (compiled or module_path.parent == TESTS / "studies"):
        return None
    return NeedsNumba.from_parent(parent, path=module_path)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark whole files and folders as slow.

    Compiling takes most of the time of the tests of compiled code. Among the fast ones are those
    of questions, which hold both engines to the same digits.
    """
    for item in items:
        name = item.path.name
        slow = name in COMPILED | SLOW_FILES or SLOW_FOLDERS & set(item.path.parents)
        if slow or name.startswith("test_compiled_"):
            item.add_marker(pytest.mark.slow)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test that asks which engine counted where there is only one."""
    if not HAS_NUMBA and item.get_closest_marker("compiled"):
        pytest.skip(NEEDS_NUMBA)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Skip a test of kernels that asks for compiled code where numba is missing."""
    try:
        return (yield)
    except ModuleNotFoundError as error:
        # Questions decide for themselves what to compile: there it would be a mistake.
        of_kernels = TESTS / "kernels" in pyfuncitem.path.parents
        if HAS_NUMBA or error.name != "numba" or not of_kernels:
            raise
        pytest.skip(NEEDS_NUMBA)


ATARI = TESTS.parents[1] / "shared" / "data" / "atari"


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
