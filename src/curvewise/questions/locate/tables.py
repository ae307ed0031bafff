"""A Location laid out as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curvewise.rendering.tables import Table
from curvewise.text import (
    column_texts,
    everything,
    number_text,
    p_text,
    plural,
    step_text,
)

if TYPE_CHECKING:
    from curvewise.questions.locate.result import Cluster, Location
    from curvewise.questions.locate.shares import Share

__all__ = ["location_tables"]

MAX_STEPS = 25  # a longer table is not read but scrolled
MAX_REGIONS = 12
WHAT_DIFFERS = {"algorithm": "any difference", "interaction": "change of difference"}
WINDOW_ASKS = {"algorithm": "differ on average", "interaction": "gap changes"}


def location_tables(location: Location) -> list[Table]:
    """Return regions, windows, clusters, and the steps themselves if they are few."""
    tables = [_regions(location)]
    if location.windows is not None:
        tables.append(_windows(location))
    if any(_real_clusters(location).values()):
        tables.append(_clusters(location))
    if len(location.steps) <= MAX_STEPS:
        tables.append(_steps(location))
    return tables


def _regions(location: Location) -> Table:
    rows, n_more = [], 0
    for name, effect in location.effects.items():
        longest = sorted(effect.regions, key=lambda region: -region.n_steps)[:MAX_REGIONS]
        n_more += len(effect.regions) - len(longest)
        shown = sorted(longest, key=lambda region: region.start)
        rows += [
            (
                WHAT_DIFFERS[name],
                region.leader or "",
                step_text(region.start),
                step_text(region.stop),
                number_text(region.statistic),
                p_text(region.pvalue),
                _share(region.share),
            )
            for region in shown
        ]
    if not rows:
        rows = [("no step stands out", "", "", "", "", "", "")]
    header = (
        "regions",
        "ahead",
        "from",
        "to",
        "largest F",
        "p",
        "share of the total difference",
    )
    how = {"max-f": "largest F", "step-down": "largest F, stepping down"}[location.adjust]
    adjusted = (
        f"p is adjusted for {plural(len(location.steps), 'step')} ({how} of each relabelling): the "
        f"chance that any step is named falsely is at most {location.alpha:g}, for each of "
        "the two questions; a change is named only if some difference is."
    )
    notes: tuple[str, ...] = (
        adjusted,
        (
            "Shares describe the observed differences, including chance; intervals are bootstrap "
            "intervals."
        ),
    )
    if n_more:
        notes += (f"The longest regions are shown; {n_more} more are in {everything()}.",)
    return Table(header, tuple(rows), notes=notes, n_text_columns=2)


def _share(share: Share | None) -> str:
    if share is None:
        return ""
    if share.interval is None:
        return f"{share:.0%}"
    return f"{share:.0%} ({share.interval.low:.0%} to {share.interval.high:.0%})"


def _windows(location: Location) -> Table:
    assert location.windows is not None  # noqa: S101 (asked only when there are windows)
    rows = []
    for name in location.effects:
        window = location.windows.most_striking(name)
        effect = window.algorithm if name == "algorithm" else window.interaction
        assert effect is not None  # noqa: S101 (a window of one step has no shape)
        rows.append(
            (
                WINDOW_ASKS[effect.name],
                step_text(window.start),
                step_text(window.stop),
                number_text(effect.statistic),
                p_text(effect.pvalue_adjusted),
                p_text(effect.pvalue),
                p_text(window.somewhere.pvalue_adjusted),
            )
        )
    header = (
        "most striking window",
        *("from", "to", "F", "p", "p if planned", "p of its steps"),
    )
    note = (
        "p allows for all windows and both effects, so any window may be chosen by looking; "
        "p if planned holds only for a window fixed before seeing the data. p of its steps: "
        "do the curves differ somewhere in it? It allows for all steps, as in the regions."
    )
    return Table(header, tuple(rows), notes=(note,))


def _real_clusters(location: Location) -> dict[str, list[Cluster]]:
    """Return the clusters worth showing: those that chance does not explain."""
    return {
        name: [cluster for cluster in effect.clusters if cluster.pvalue <= location.alpha]
        for name, effect in location.effects.items()
    }


def _clusters(location: Location) -> Table:
    rows = [
        (
            WHAT_DIFFERS[name],
            step_text(cluster.start),
            step_text(cluster.stop),
            number_text(cluster.mass),
            p_text(cluster.pvalue),
        )
        for name, clusters in _real_clusters(location).items()
        for cluster in clusters
    ]
    threshold = number_text(location.effects["algorithm"].cluster_threshold)
    note = (
        f"Clusters of steps with F of {threshold} or more, by summed F. A small p says that "
        "some cluster is real, not where it begins or ends; it is a test of its own. Those with "
        "p above "
        f"{location.alpha:g} are left out; all of them are in {everything()}."
    )
    return Table(("clusters", "from", "to", "mass", "p"), tuple(rows), notes=(note,))


def _steps(location: Location) -> Table:
    header = ["step"]
    columns = [[step_text(step) for step in location.steps.tolist()]]
    for name, effect in location.effects.items():
        what = {"algorithm": "difference SS", "interaction": "change SS"}[name]
        header += [what, "so far", "F", "p"]
        columns += [
            column_texts(effect.profile.tolist()),
            [f"{share:.0%}" for share in effect.cumulative_share],
            column_texts(effect.statistic.tolist()),
            [p_text(p) for p in effect.pvalue_adjusted],
        ]
    notes = ["difference SS: between algorithms at the step, as a sum of squares (A)."]
    if "interaction" in location.effects:
        notes.append("change SS: the same when each curve's own mean is taken off (I).")
    return Table(tuple(header), tuple(zip(*columns, strict=True)), notes=tuple(notes))
