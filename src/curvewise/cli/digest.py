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

N_SHUFFLES = 9_999
MOST_VALUES = 50_000  # of a table beyond which fewer shuffles must do, for a line


class Digest(NamedTuple):
    """Lines for a reader, and the same for a program."""

    lines: dict[str, str]
    record: dict[str, Any]


def digest(curves: Curves, comparison: Comparison, *, seed: int) -> Digest:
    """Look where the curves differ, and who leads.

    Nothing is claimed unless the overall test found a difference: that keeps the chance of
    any false claim where it was.
    """
    lines: dict[str, str] = {}
    record: dict[str, Any] = {}
    # Both take spreads to be equal, and neither can find what no data could show.
    hopeless = comparison.smallest_pvalue > comparison.alpha
    if comparison.spread == "unequal" or hopeless:
        return Digest(lines, record)
    claims = comparison.overall.significant
    n_shuffles = N_SHUFFLES if curves.scores.size <= MOST_VALUES else N_SHUFFLES // 10
    options: dict[str, Any] = {
        "alpha": comparison.alpha,
        "n_shuffles": n_shuffles,
        "rng": seed,
    }
    if curves.n_steps > 1:
        where = curvewise.locate(curves, windows=False, n_resamples=0, **options)
        record["where"] = {
            "claimed": claims,
            "regions": [region.to_dict() for region in where.regions],
            "differs_from": where.differs_from,
            "differs_until": where.differs_until,
        }
        if claims:
            lines["Where"] = f"{where_line(where)} More: curvewise locate."
    if len(curves.algorithms) > 2:
        best = curvewise.best(curves, **options)
        record["best"] = {
            "claimed": claims,
            "leader": best.leader,
            "contenders": list(best.contenders),
            "worse": list(best.worse),
        }
        if claims:
            lines["Who leads"] = f"{leader_line(best)} More: curvewise pairs."
    if not claims and record:
        lines["Where and who"] = (
            "nothing is claimed, as no difference was found overall; curvewise locate and "
            "curvewise pairs look closer."
        )
    return Digest(lines, record)
