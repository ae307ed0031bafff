"""The tree and the map of ARCHITECTURE.md say the same thing, and imports stay light."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def mapped() -> set[str]:
    """The folders drawn in the tree of ARCHITECTURE.md."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    tree = text.split("```")[1]
    stack: list[str] = []
    paths = set()
    for line in tree.splitlines():
        match = re.match(r"( {0,8})([\w./]+)", line)
        if not match:
            continue
        depth, name = len(match[1]) // 2, match[2]
        stack = [*stack[:depth], name]
        paths.add("/".join(stack))
    return paths


def tracked() -> set[str]:
    if not (ROOT / ".git").exists():
        pytest.skip("needs a clone of the repository")
    done = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return {path for path in done.stdout.splitlines() if (ROOT / path).exists()}


def test_the_map_shows_every_folder_and_no_other() -> None:
    folders = {str(parent) for file in tracked() for parent in Path(file).parents}
    # Beside src, folders in folders speak for themselves.
    there = {own for own in folders - {".", "src"} if "/" not in own or own.startswith("src/")}
    drawn = mapped()
    assert drawn - there == set(), "drawn but not there"
    assert there - drawn == set(), "there but not drawn"


def test_no_file_is_left_empty() -> None:
    empty = {path for path in tracked() if not (ROOT / path).read_bytes().strip()}
    # A run that logged nothing leaves such a file behind.
    unlogged = "tests/data/logs/baselines/FrozenLake-v1/sarsa-5/progress.csv"
    assert empty == {"src/curvewise/py.typed", unlogged}


def test_slow_tests_are_told_by_their_place_in_the_repository(tmp_path: Path) -> None:
    tests = tmp_path / "studies" / "browser" / "tests"
    for place in ("test_a.py", "studies/test_b.py", "browser/test_c.py"):
        path = tests / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("def test_it() -> None: pass\n", encoding="utf-8")
    (tests / "conftest.py").write_bytes((ROOT / "tests" / "conftest.py").read_bytes())
    settings = "[pytest]\nmarkers =\n    slow\n"
    (tests.parent / "pytest.ini").write_text(settings, encoding="utf-8")
    collecting = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--collect-only"]
    done = subprocess.run(
        [*collecting, "-q", "-m", "not slow"],
        cwd=tests.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert [line for line in done.stdout.splitlines() if "::" in line] == [
        "tests/test_a.py::test_it"
    ]


def test_logs_of_the_libraries_stay_small() -> None:
    logs = ROOT / "tests" / "data" / "logs"
    sizes = [path.stat().st_size for path in logs.rglob("*") if path.is_file()]
    assert len([path for path in logs.iterdir() if path.is_dir()]) == 37
    assert sum(sizes) < 1_500_000


def test_heavy_libraries_are_not_imported_before_they_are_needed() -> None:
    code = (
        "import sys, curvewise as cw\n"
        "found = cw.compare(cw.load_example('tictactoe'), rng=0)\n"
        "heavy = {'scipy', 'matplotlib', 'polars', 'narwhals', 'joblib', 'rich', 'click'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def imported_by(code: str) -> set[str]:
    """What is imported once ``code`` has run in a process of its own."""
    code += "\nimport sys; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_tables_are_read_without_the_readers_of_logs(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    rows = [f"{a},{r},{s},{r + s}" for a in "AB" for r in range(4) for s in range(3)]
    path.write_text("\n".join(["agent,seed,step,score", *rows]), encoding="utf-8")
    arguments = ["curvewise", "compare", str(path), "--json"]
    command = (
        f"import sys; sys.argv = {arguments!r}\n"
        "import curvewise.cli\n"
        "try: curvewise.cli.main()\n"
        "except SystemExit: pass"
    )
    # What is not imported at the end was not imported on the way.
    found = imported_by(f"import curvewise; curvewise.read({str(path)!r})\n{command}")
    assert "curvewise.readers" in found
    assert not found & {"yaml", "google.protobuf", "sqlite3", "curvewise.readers.scan"}
    assert not [name for name in found if name.startswith("curvewise.readers.logs")]


def test_importing_curvewise_imports_no_reader() -> None:
    found = imported_by("import curvewise")
    assert not [name for name in found if name.startswith("curvewise.readers")]
    assert "numpy" not in found


IMPORTING_ALL = """
import importlib, pkgutil, sys

class Missing:
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in sys.argv[1:]:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
import curvewise

for module in pkgutil.walk_packages(curvewise.__path__, "curvewise."):
    name = module.name.rpartition(".")[2]
    if name != "__main__" and not name.startswith("compiled_"):
        importlib.import_module(module.name)
"""


def test_every_module_but_those_of_compiled_code_needs_no_package_of_the_extras() -> None:
    missing = [
        "numba",
        "llvmlite",
        "dask",
        "distributed",
        "ray",
        "starlette",
        "uvicorn",
        "pandas",
        "pyarrow",
    ]
    done = subprocess.run(
        [sys.executable, "-c", IMPORTING_ALL, *missing], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
