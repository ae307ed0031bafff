"""Write docs/notebook.ipynb, executed: ``python -m studies.sources.notebook > docs/notebook.ipynb``.

The cells are run here, and what a notebook would show of the value of each is stored with it, so
that the page can be read without running anything. A test runs them again.
"""

from __future__ import annotations

import ast
import json
import sys
from typing import Any

__all__ = ["CELLS", "executed", "shown"]

# Text, or code.
CELLS: tuple[tuple[str, str], ...] = (
    (
        "markdown",
        (
            "# curvewise in a notebook\n\nCurves and results show themselves: what was found comes "
            "first, tables after it. A report as the last value of a cell can be explored in place, "
            "also in an exported notebook and without a network."
        ),
    ),
    (
        "code",
        (
            'import curvewise as cw\n\ngames = cw.load_example("atari-8")\n'
            'curves = games["breakout"].select("DQN", "Rainbow")\ncurves'
        ),
    ),
    ("markdown", "Do the curves differ, in height or in shape?"),
    ("code", "found = cw.compare(curves, rng=0)\nfound"),
    ("markdown", "Where?"),
    ("code", "where = cw.locate(curves, rng=0)\nwhere"),
    (
        "markdown",
        "The whole report, in a frame of its own: drag over the curves to ask about a window.",
    ),
    ("code", 'cw.report(curves, found, where, title="Breakout: DQN and Rainbow")'),
)


def shown(value: object) -> dict[str, str]:
    """Return what a notebook shows of a value, by the kind of text."""
    kinds = {"text/html": "_repr_html_", "text/markdown": "_repr_markdown_"}
    texts = {
        kind: getattr(value, method)() for kind, method in kinds.items() if hasattr(value, method)
    }
    return {**texts, "text/plain": repr(value)[:200]}


def executed() -> dict[str, Any]:
    """Run the cells in order, and return the notebook with what each shows."""
    names: dict[str, Any] = {}
    cells = []
    n_run = 0
    for place, (kind, source) in enumerate(CELLS):
        cell: dict[str, Any] = {
            "cell_type": kind,
            "id": f"cell-{place}",
            "metadata": {},
            "source": source.splitlines(keepends=True),
        }
        if kind == "code":
            n_run += 1
            value = _value(source, names)
            texts = {name: text.splitlines(keepends=True) for name, text in shown(value).items()}
            output = {
                "output_type": "execute_result",
                "execution_count": n_run,
                "metadata": {},
                "data": texts,
            }
            cell |= {"execution_count": n_run, "outputs": [output]}
        cells.append(cell)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _value(source: str, names: dict[str, Any]) -> object:
    """Run the statements of a cell, and return the value of its last expression."""
    tree = ast.parse(source)
    last = tree.body.pop()
    assert isinstance(last, ast.Expr)  # noqa: S101 (every cell here ends in what it shows)
    exec(compile(tree, "<cell>", "exec"), names)  # noqa: S102 (the cells above)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)  # noqa: S307


if __name__ == "__main__":
    json.dump(executed(), sys.stdout, indent=1, ensure_ascii=False)
    sys.stdout.write("\n")
