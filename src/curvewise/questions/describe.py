"""describe(): the words of any result."""

from __future__ import annotations

from curvewise.errors import refuse
from curvewise.inference.result import Result


def describe(result: Result) -> str:
    """Return the paragraph to quote: what was found, by how much, how sure.

    >>> import curvewise as cw
    >>> found = cw.compare(cw.load_example("tictactoe").select("A1", "A3"))
    >>> print(cw.describe(found).split("(")[0])
    No difference was detected between the learning curves of A1 and A3
    """
    given: object = result
    if not isinstance(given, Result):
        refuse(
            f"There is nothing to say about a {type(given).__name__}: give a result.",
            option="result",
        )
    return given.describe()
