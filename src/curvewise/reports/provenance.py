"""How a report was made: what was read, with its hash, from which seed, when, and whom to cite."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from curvewise import __version__
from curvewise.text import listed, plural, step_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from curvewise.data.curves import Curves
    from curvewise.inference.result import Result

__all__ = ["bibtex", "file_hashes", "made_of"]

MAX_NAMED = 8  # tasks with the same line
BIBTEX = """\
@software{{curvewise,
  title   = {{curvewise: are these learning curves really different?}},
  author  = {{{{The curvewise contributors}}}},
  version = {{{version}}},
  year    = {{2026}},
}}

@inproceedings{{piater1998randomized,
  title     = {{A Randomized {{ANOVA}} Procedure for Comparing Performance Curves}},
  author    = {{Piater, Justus H. and Cohen, Paul R. and Zhang, Xiaoqin and Atighetchi, Michael}},
  booktitle = {{Proceedings of the Fifteenth International Conference on Machine Learning}},
  year      = {{1998}},
}}
"""


def bibtex() -> str:
    """Return the entries to cite: this version, and the paper whose test it runs."""
    return BIBTEX.format(version=__version__)


def made_of(
    tables: Mapping[str, Curves], results: Iterable[Result], given: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield how the report was made, a line each: what it is about, and the line.

    ``given`` are lines that only the caller knows, such as the command.
    """
    yield from given.items()
    about: dict[str, list[str]] = {}
    for name, curves in tables.items():
        about.setdefault(_described(curves), []).append(name)
    for text, names in about.items():
        yield f"Curves {listed(names, MAX_NAMED)}".strip(), text
    seeds = dict.fromkeys(getattr(result, "seed", None) for result in results)
    known = [str(seed) for seed in seeds if seed is not None]
    if known:
        yield "Seed", ", ".join(known)
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    yield "Made", f"{now}, with curvewise {__version__}"


def _described(curves: Curves) -> str:
    sizes = sorted(set(curves.sizes))
    each = "–".join(map(str, dict.fromkeys((sizes[0], sizes[-1]))))
    first, last = step_text(curves.steps[0]), step_text(curves.steps[-1])
    shape = (
        f"{plural(len(curves.algorithms), 'algorithm')} × {each} runs × "
        f"{plural(curves.n_steps, 'step')}, {first} to {last}"
    )
    done = "" if curves.preparation is None else curves.preparation.sentence()
    return ". ".join(part.rstrip(".") for part in (curves.source, shape, done) if part)


def file_hashes(paths: Iterable[str | Path]) -> dict[str, str]:
    """Return the SHA-256 of each file, or of all files of a folder together, by its name.

    The hash of a folder is that of its files' hashes and names, in the order of names.
    """
    found = {}
    for path in map(Path, paths):
        if path.is_file():
            found[path.name] = f"SHA-256 {_file_hash(path).hexdigest()}"
        elif path.is_dir():
            files = sorted(own for own in path.rglob("*") if own.is_file())
            whole = hashlib.sha256()
            for own in files:
                line = (
                    f"{_file_hash(own).hexdigest()}  {own.relative_to(path).as_posix()}\n"
                )
                whole.update(line.encode("utf-8", "surrogateescape"))
            count = plural(len(files), "file")
            found[f"{path.resolve().name}/"] = f"{count}, SHA-256 {whole.hexdigest()}"
    return found


def _file_hash(path: Path) -> hashlib._Hash:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256")
