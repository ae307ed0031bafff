"""Write the table of the tutorial: ``python -m studies.sources.tutorial_table``.

The embedded example ``tictactoe`` as a CSV file, with names that say what the learners are.
"""

from __future__ import annotations

from pathlib import Path

import curvewise as cw

__all__ = ["TABLE", "text"]

TABLE = Path(__file__).parents[2] / "docs" / "tutorial" / "runs.csv"
# Their learning rates are 0.001, 0.8 and 0.1.
LEARNERS = {"A1": "small", "A2": "large", "A3": "medium"}


def text() -> str:
    """Return the table, a line for each run and step."""
    curves = cw.load_example("tictactoe")
    lines = ["algorithm,seed,step,score"]
    for label, run, scores in zip(curves.labels, curves.runs, curves.scores, strict=True):
        lines += [
            f"{LEARNERS[label]},{run},{step:g},{score:g}"
            for step, score in zip(curves.steps, scores, strict=True)
        ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    TABLE.write_text(text(), encoding="utf-8")
