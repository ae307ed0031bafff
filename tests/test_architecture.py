"""The tree, the map of ARCHITECTURE.md and the tests say the same thing."""

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
    there = {
        folder
        for folder in folders - {".", "src"}
        # Tests mirror src, which another test says.
        if not folder.startswith("tests/")
        or folder in {"tests/browser", "tests/reference"}
    }
    drawn = mapped()
    assert drawn - there == set(), "drawn but not there"
    assert there - drawn == set(), "there but not drawn"


def test_tests_mirror_the_package() -> None:
    package, tests = ROOT / "src" / "curvewise", ROOT / "tests"
    modules = {
        path.relative_to(package)
        for path in package.rglob("*.py")
        if path.name not in {"__init__.py", "__main__.py"}
    }
    mirrored = {path.parent / f"test_{path.name}" for path in modules}
    there = {path.relative_to(tests) for path in tests.rglob("test_*.py")}
    assert mirrored - there == set(), "modules without a test file of their name"
    # What a package itself holds is tested in test_init.py, and the whole at the top.
    others = {
        path
        for path in there - mirrored
        if path.parts[0] not in {"studies", "browser"}
        and path.name != "test_init.py"
        and len(path.parts) > 1
    }
    assert others <= {
        Path("questions/test_every_question.py"),
        Path("questions/test_one_voice.py"),
        Path("readers/logs/test_fixtures.py"),
        Path("readers/naming/test_layouts.py"),
        Path("readers/test_bad_logs.py"),
        Path("shuffling/test_kills.py"),
    }


def test_no_file_is_left_empty() -> None:
    empty = [path for path in tracked() if not (ROOT / path).read_bytes().strip()]
    assert empty == ["src/curvewise/py.typed"]


def test_heavy_libraries_are_not_imported_before_they_are_needed() -> None:
    code = (
        "import sys, curvewise as cw\n"
        "found = cw.compare(cw.load_example('tictactoe'), rng=0)\n"
        "heavy = {'scipy', 'matplotlib', 'polars', 'narwhals', 'joblib', 'rich', 'typer'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def imported_by(code: str) -> set[str]:
    """What is imported once ``code`` has run in a process of its own."""
    code += "\nimport sys; print('\\n'.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
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
    reading = f"import curvewise; curvewise.read({str(path)!r})"
    for code in ("import curvewise; curvewise.read", reading, command):
        found = imported_by(code)
        assert "curvewise.readers" in found
        others = {"yaml", "google.protobuf", "sqlite3", "curvewise.readers.scanning"}
        assert not found & others
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
        [sys.executable, "-c", IMPORTING_ALL, *missing],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
