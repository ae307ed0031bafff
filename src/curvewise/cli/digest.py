"""Where, and who leads: what ``curvewise compare`` adds in a line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import curvewise
from curvewise.present.where import where_line
from curvewise.present.which import leader_line

if TYPE_CHECKING:
    from curvewise.curves import Curves
    from curvewise.results import Comparison

__all__ = ["Digest", "digest"]

DEFAULT = 9_999


class Digest(NamedTuple):
    """Lines for a reader, and the same for a program."""

    lines: dict[str, str]
    record: dict[str, Any]


def digest(
    curves: Curves,
    comparison: Comparison,
    *,
    n_shuffles: object = DEFAULT,
    exact: bool | None = None,
    n_jobs: int = 1,
    seed: int,
) -> Digest:
    """Look where the curves differ, and who leads.

    Nothing is looked for unless the overall test found a difference: that keeps the chance
    of any false claim where it was.
    """
    record: dict[str, Any] = {"where": None, "best": None}
    if comparison.smallest_pvalue > comparison.alpha:
        return Digest({}, record)
    if comparison.spread == "unequal":
        line = "left out, as both take the spreads to be alike."
        return Digest({"Where and who": line}, record)
    if not comparison.overall.significant:
        line = (
            "nothing is claimed, as no difference was found overall. curvewise locate and "
            "curvewise pairs ask narrower questions, each with its own chance of a false alarm."
        )
        return Digest({"Where and who": line}, record)
    options: dict[str, Any] = {
        "alpha": comparison.alpha,
        # More shuffles than a line is worth would only take time.
        "n_shuffles": n_shuffles if n_shuffles in range(1, DEFAULT) else DEFAULT,
        "exact": False if exact is False else None,
        "rng": seed,
    }
    lines: dict[str, str] = {}
    if curves.n_steps > 1:
        where = curvewise.locate(
            curves, windows=False, n_resamples=0, n_jobs=n_jobs, **options
        )
        record["where"] = {
            "regions": [region.to_dict() for region in where.regions],
            "differs_from": where.differs_from,
            "differs_until": where.differs_until,
        }
        lines["Where"] = f"{where_line(where)} More: curvewise locate."
    if len(curves.algorithms) > 2:
        best = curvewise.best(curves, **options)
        record["best"] = {
            "leader": best.leader,
            "contenders": list(best.contenders),
            "worse": list(best.worse),
        }
        lines["Who leads"] = f"{leader_line(best)} More: curvewise pairs."
    return Digest(lines, record)
