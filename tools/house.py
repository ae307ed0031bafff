"""The size of the code, the files that commands walk through, the places of an option.

python tools/house.py [FOLDER]
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import io
import subprocess
import sys
import threading
import tokenize
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import FrameType

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src"
RUNS = "docs/tutorial/runs.csv"
SIDES = "--control small --experimental large --resamples 99"
WALKS = {
    "compare": RUNS,
    "locate": RUNS,
    "pairs": RUNS,
    "gate": f"{RUNS} --baseline small --candidate large --margin 1",
    "contrast": f"{RUNS} -c large=1 -c small=-1",
    "transfer": f"{RUNS} {SIDES}",
}
# Options that no other question has, and those whose names are used elsewhere too.
OWN, SHARED = ("assumed", "sd_from"), ("margin", "unit", "two_sided")
LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
WORDS = {tokenize.NAME, tokenize.NUMBER, tokenize.STRING}
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def size(path: Path) -> Counter[str]:
    """Count the lines of code of a file (no blanks, comments, docstrings) and its tokens.

    Tokens are names, operators, numbers and strings, without brackets, commas and colons.
    """
    text = path.read_text(encoding="utf-8")
    documented: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node) is not None:
            documented.update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    lines: set[int] = set()
    n_tokens = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in {*LAYOUT, tokenize.ENDMARKER} or token.start[0] in documented:
            continue
        lines.update(range(token.start[0], token.end[0] + 1))
        is_operator = token.type == tokenize.OP and token.string not in "()[]{},:"
        n_tokens += is_operator or token.type in WORDS
    return Counter(files=1, lines=len(lines), tokens=n_tokens)


def print_sizes(root: Path) -> None:
    """Print the sizes of each folder and of all."""
    sizes: dict[str, Counter[str]] = {}
    for path in sorted(root.rglob("*.py")):
        folder = str(path.relative_to(root).parent)
        sizes[folder] = sizes.get(folder, Counter()) + size(path)
    sizes["all"] = sum(sizes.values(), Counter())
    print(f"{root.name:42}{'files':>8}{'lines':>8}{'tokens':>8}")
    for folder, found in sizes.items():
        print(f"{folder:42}{found['files']:8}{found['lines']:8}{found['tokens']:8}")


def walk(command: str) -> None:
    """Run a command, and print the files of the package whose functions it called."""
    called = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        # The bodies of modules and classes are no functions.
        if event == "call" and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
            called.add(frame.f_code.co_filename)

    from curvewise.cli import main

    sys.argv = ["curvewise", *command.split()]
    threading.setprofile(note)
    sys.setprofile(note)
    with (
        contextlib.suppress(SystemExit),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        main()
    sys.setprofile(None)
    paths = (Path(name) for name in called)
    print(*sorted(str(path.relative_to(SRC)) for path in paths if SRC in path.parents), sep="\n")


def walked(command: str) -> list[str]:
    """Return the files that a command walks through, run in a process of its own."""
    asked = [sys.executable, __file__, "--walk", f"{command} {WALKS[command]}"]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.split()


def places(option: str, paths: list[Path]) -> list[Path]:
    """Return the file of each place that spells an option.

    Such a place is a parameter, a keyword, a key, or a field of a class; not where it is read.
    """
    found = []
    names: list[Any]
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.arg(arg=name) | ast.keyword(arg=name):
                    names = [name]
                case ast.AnnAssign(target=ast.Name(id=name)):
                    names = [name]
                case ast.Dict(keys=keys):
                    names = [key.value for key in keys if isinstance(key, ast.Constant)]
                case _:
                    continue
            found += [path] * (option in names)
    return found


def print_places() -> None:
    """Print in how many places options of gate are spelled."""
    every = sorted((SRC / "curvewise").rglob("*.py"))
    own = [path for path in every if any(part.startswith("gate") for part in path.parts)]
    for option in (*OWN, *SHARED):
        found = places(option, every if option in OWN else own)
        where = Counter(str(path.relative_to(SRC / "curvewise")) for path in found)
        shown = ", ".join(f"{name} {count}" for name, count in where.items())
        print(f"{option:12}{len(found):4} places in {len(where)} files: {shown}")


def run() -> None:
    """Print all of it, or the sizes of another folder."""
    if sys.argv[1:2] == ["--walk"]:
        walk(sys.argv[2])
        return
    if len(sys.argv) > 1:
        print_sizes(Path(sys.argv[1]))
        return
    print_sizes(SRC)
    print("\nFiles walked through")
    for command in WALKS:
        print(f"{command:12}{len(walked(command)):4}")
    print("\nPlaces that spell an option of gate")
    print_places()


if __name__ == "__main__":
    run()
