from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def mapped() -> set[str]:
    """The paths drawn in the tree of ARCHITECTURE.md."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    tree = text.split("```")[1]
    stack: list[str] = []
    paths = set()
    for line in tree.splitlines():
        match = re.match(r"( *)([\w./]+)", line)
        if not match:
            continue
        depth, name = len(match[1]) // 2, match[2]
        stack = [*stack[:depth], name.rstrip("/")]
        paths.add("/".join(stack))
    return paths


def tracked() -> set[str]:
    done = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return {path for path in done.stdout.splitlines() if (ROOT / path).exists()}


def test_the_map_shows_every_room_and_no_other() -> None:
    files = tracked()
    there = files | {str(parent) for file in files for parent in Path(file).parents} - {
        "."
    }
    drawn = mapped()
    assert drawn <= there, f"drawn but not there: {sorted(drawn - there)}"
    modules = {
        path
        for path in files
        if path.startswith("src/curvewise/")
        and path.endswith(".py")
        and Path(path).name != "__init__.py"
    }
    packages = {str(Path(path).parent) for path in files if path.endswith("__init__.py")}
    top = {path.split("/")[0] for path in files}
    missing = (modules | packages | top) - drawn
    assert not missing, f"there but not drawn: {sorted(missing)}"


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
