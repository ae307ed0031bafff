"""Tables 1 to 4 of the report, made again many times over from fresh learning curves.

One table is one draw of runs, so a published number is held against the range that such a
draw gives: the middle 90 % of the replications.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

import curvewise as cw
from studies.report import Claim, Sheet
from studies.sources.modifications import tilted
from studies.sources.td_tictactoe import LEARNING_RATES, STEPS, learning_curves
from studies.store import kept

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from studies.report import Verdict

__all__ = [
    "ALPHA",
    "COMPARED",
    "PUBLISHED",
    "Band",
    "Replications",
    "arithmetic",
    "as_curves",
    "band",
    "band_sheet",
    "compared",
    "counts",
    "deal",
    "replicate",
    "shares",
    "slips",
    "table_claims",
    "trained",
]

Floats = npt.NDArray[np.float64]

ALPHA = 0.05
N_RUNS = 10
N_SHUFFLES = 999  # with the observed table, the report's 1000
PER_FILE = 10  # replications kept together: a stopped run loses one file's worth
COMPARED: Mapping[str, tuple[str, ...]] = {
    "Table 1": ("A1", "A2"),
    "Table 2": ("A1", "A3"),
    "Table 3": ("A1", "A2", "A3"),
    "Table 4": ("A1", "A1+v"),
}
SOURCES = ("interaction", "algorithm", "training", "error", "total")
EFFECTS = ("interaction", "algorithm")
# p of the randomized test: interaction, algorithm.
PUBLISHED_P = {
    "Table 1": (0.253, 0.015),
    "Table 2": (0.484, 0.724),
    "Table 3": (0.477, 0.026),
    "Table 4": (0.057, 0.984),
}
# A property of one draw is settled when nearly every draw, or hardly any, has it.
NEARLY_ALWAYS, HARDLY_EVER = 0.9, 0.1


def _published() -> dict[str, dict[str, dict[str, float]]]:
    path = Path(__file__).parents[2] / "tests" / "reference" / "piater1997_tables.json"
    tables = json.loads(path.read_text(encoding="utf-8"))["tables"]
    return {table["name"].partition(":")[0]: table["rows"] for table in tables}


PUBLISHED = _published()


class Band(NamedTuple):
    """Where the middle 90 % of the replications lie, and their median."""

    low: float
    median: float
    high: float

    def holds(self, value: float) -> bool:
        """Say whether a published value lies inside."""
        return self.low <= value <= self.high

    def text(self) -> str:
        """Return low to high, to the digits a reader can use."""
        return f"{short(self.low)} to {short(self.high)}"


def band(values: npt.ArrayLike) -> Band:
    """Return the 5 %, 50 % and 95 % quantiles."""
    low, median, high = np.quantile(
        np.asarray(values, dtype=np.float64), [0.05, 0.5, 0.95]
    )
    return Band(float(low), float(median), float(high))


def short(value: float) -> str:
    """Write a number as the report's tables do, without digits that carry nothing."""
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


@dataclass(frozen=True)
class Replications:
    """One table of the report, made again and again.

    ``ss`` and ``f`` by source, ``p`` and ``p_parametric`` by effect, ``null_mean`` the mean
    F of the shuffled tables by effect; an entry per replication.
    """

    name: str
    ss: Mapping[str, Floats]
    f: Mapping[str, Floats]
    p: Mapping[str, Floats]
    p_parametric: Mapping[str, Floats]
    null_mean: Mapping[str, Floats]

    def found(self, effect: str) -> float:
        """Return the share of replications in which an effect is significant."""
        return float(np.mean(self.p[effect] <= ALPHA))


def trained(seed: int, *, quick: bool) -> Floats:
    """Return fresh learning curves: (algorithms, runs, steps).

    Training takes nearly all the time of the study, so curves are kept as they come.
    """
    n_files, per_file = (1, 4) if quick else (30, PER_FILE)
    form = "quick" if quick else "curves"
    parts = [
        kept(
            f"piater1997/{form}-{number:02d}",
            _key(seed, number, per_file),
            partial(_trained, seed, number, per_file),
        )
        for number in range(n_files)
    ]
    together = np.concatenate(parts, axis=1).astype(np.float64)
    return together.reshape(len(LEARNING_RATES), -1, len(STEPS))


def deal(curves: Floats, seed: int, *, quick: bool) -> Floats:
    """Return the curves of every table: (replications, algorithms, runs, steps).

    At full size no curve is used twice. The quick form deals 20 tables out of 40 curves
    per algorithm, so its tables share runs.
    """
    if not quick:
        n_algorithms, _, n_steps = curves.shape
        return curves.reshape(n_algorithms, -1, N_RUNS, n_steps).swapaxes(0, 1)
    rng = np.random.default_rng([seed, 0, 1])
    return np.stack(
        [[rng.permutation(each)[:N_RUNS] for each in curves] for _ in range(20)]
    )


def _key(seed: int, number: int, n_replications: int) -> dict[str, int]:
    return {
        "seed": seed,
        "number": number,
        "n_replications": n_replications,
        "n_runs": N_RUNS,
    }


def _trained(seed: int, number: int, n_replications: int) -> npt.NDArray[np.int64]:
    """Train runs for several replications at once: (algorithms, replications, runs, steps)."""
    n_each = n_replications * N_RUNS
    rates = [rate for rate in LEARNING_RATES.values() for _ in range(n_each)]
    curves = learning_curves(rates, np.random.default_rng([seed, number]))
    shape = (len(LEARNING_RATES), n_replications, N_RUNS, len(STEPS))
    return curves.astype(np.int64).reshape(shape)


def as_curves(sets: Mapping[str, Floats]) -> cw.Curves:
    """Return sets of curves by algorithm, ready to be compared."""
    labels = [name for name, scores in sets.items() for _ in scores]
    return cw.Curves(np.concatenate(list(sets.values())), labels, STEPS)


def compared(replication: Floats, algorithms: Iterable[str]) -> cw.Curves:
    """Return the curves of some of A1, A2, A3 and A1+v out of one replication."""
    sets = dict(zip(LEARNING_RATES, replication, strict=True))
    sets["A1+v"] = tilted(sets["A1"])
    return as_curves({name: sets[name] for name in algorithms})


def replicate(curves: Floats, seed: int, *, quick: bool) -> dict[str, Replications]:
    """Make every table from each replication of the curves, with the pooled error term."""
    form = "-quick" if quick else ""
    found = kept(
        f"piater1997/tables{form}",
        {"seed": seed, "n_replications": len(curves), "n_shuffles": N_SHUFFLES},
        lambda: {name: _replicated(curves, name, seed) for name in COMPARED},
    )
    return {
        name: Replications(
            name,
            **{
                part: {source: np.array(values) for source, values in by_source.items()}
                for part, by_source in parts.items()
            },
        )
        for name, parts in found.items()
    }


def _replicated(
    curves: Floats, name: str, seed: int
) -> dict[str, dict[str, list[float]]]:
    parts = ("ss", "f", "p", "p_parametric", "null_mean")
    out: dict[str, dict[str, list[float]]] = {part: {} for part in parts}

    def add(part: str, source: str, value: Any) -> None:
        out[part].setdefault(source, []).append(float(value))

    for place, replication in enumerate(curves):
        found = cw.compare(
            compared(replication, COMPARED[name]),
            error="pooled",
            exact=False,
            n_shuffles=N_SHUFFLES,
            rng=np.random.default_rng([seed, place, 2]),
        )
        for source in SOURCES:
            add("ss", source, found.table[source].ss)
        add("f", "training", found.table["training"].statistic)
        for effect, what in found.effects["pooled"].items():
            if effect in EFFECTS:
                add("f", effect, what.statistic)
                add("p", effect, what.pvalue)
                add("p_parametric", effect, what.pvalue_parametric)
                add("null_mean", effect, what.null_distribution.mean())
    return out


def band_sheet(made: Replications) -> Sheet:
    """Return the published table beside the range of the replications."""
    published = PUBLISHED[made.name]
    p = dict(zip(EFFECTS, PUBLISHED_P[made.name], strict=True))
    rows = (
        *(
            _band_row(f"SS {each}", published[each]["ss"], made.ss[each])
            for each in SOURCES
        ),
        *(
            _band_row(f"F {each}", published[each]["f"], made.f[each])
            for each in SOURCES[:3]
        ),
        *(_band_row(f"p {each}", p[each], made.p[each]) for each in EFFECTS),
    )
    algorithms = ", ".join(COMPARED[made.name])
    return Sheet(
        f"{made.name}: {algorithms}, {len(made.p['algorithm'])} replications",
        ("", "published", "5 % to 95 %", "median", "published value"),
        rows,
        f"p ≤ {ALPHA} for the algorithm effect in {made.found('algorithm'):.0%} of the "
        f"replications, for the interaction in {made.found('interaction'):.0%}. Error "
        "pooled, as in the report.",
    )


def _band_row(name: str, published: float, values: Floats) -> tuple[str, ...]:
    ours = band(_clean(values))
    place = "inside" if ours.holds(published) else "outside"
    return name, short(published), ours.text(), short(ours.median), place


def _clean(values: Floats) -> Floats:
    """Take off what floating-point sums leave behind."""
    return np.round(values, 6)


def _settled(share: float) -> Verdict:
    """Judge a property of one draw by how often draws have it."""
    if share >= NEARLY_ALWAYS:
        return "agrees"
    return "differs" if share <= HARDLY_EVER else "cannot be known"


def _judged(agrees: bool) -> Verdict:  # noqa: FBT001
    return "agrees" if agrees else "differs"


def table_claims(made: Mapping[str, Replications]) -> list[Claim]:
    """Hold what the report says of its tables against the replications."""
    return [
        *_magnitudes(made["Table 1"]),
        *_first_table(made["Table 1"]),
        *_second_table(made["Table 2"]),
        *_magnitudes(made["Table 3"]),
        *_third_table(made["Table 1"], made["Table 3"]),
        *_fourth_table(made["Table 4"]),
    ]


def _magnitudes(made: Replications) -> list[Claim]:
    """Claim by claim: sums of squares, F and p lie where honest replications do."""
    published = PUBLISHED[made.name]
    p = dict(zip(EFFECTS, PUBLISHED_P[made.name], strict=True))
    groups: list[tuple[str, dict[str, tuple[float, Floats]]]] = [
        (
            "sums of squares",
            {each: (published[each]["ss"], made.ss[each]) for each in SOURCES},
        ),
        ("F", {each: (published[each]["f"], made.f[each]) for each in EFFECTS}),
        ("p of the randomized test", {each: (p[each], made.p[each]) for each in EFFECTS}),
    ]
    claims = []
    for what, values in groups:
        bands = {each: band(_clean(ours)) for each, (_, ours) in values.items()}
        outside = [each for each in values if not bands[each].holds(values[each][0])]
        claims.append(
            Claim(
                made.name,
                f"The {what} of {', '.join(COMPARED[made.name])}",
                "; ".join(f"{each} {short(values[each][0])}" for each in values),
                "; ".join(f"{each} {bands[each].text()}" for each in values),
                _judged(not outside),
                "5 % to 95 % of the replications."
                + (f" Outside: {', '.join(outside)}." if outside else ""),
            )
        )
    return claims


def _first_table(made: Replications) -> list[Claim]:
    algorithm, interaction = made.found("algorithm"), made.found("interaction")
    harsher = float(np.mean(made.p["algorithm"] > made.p_parametric["algorithm"]))
    # F of a table without effects has the mean df / (df - 2) of its error.
    df = PUBLISHED["Table 1"]["error"]["df"]
    expected = df / (df - 2)
    means = {each: band(made.null_mean[each]) for each in EFFECTS}
    said = {"interaction": 1.02, "algorithm": 1.06}
    return [
        Claim(
            "Table 1",
            "A1 and A2 differ in height",
            "p = 0.015: significant",
            f"p ≤ {ALPHA} in {algorithm:.0%} of the replications",
            _settled(algorithm),
            "A published p is one draw of such runs.",
        ),
        Claim(
            "Table 1",
            "A1 and A2 do not differ in shape",
            "p = 0.253: not significant",
            f"p > {ALPHA} in {1 - interaction:.0%} of the replications",
            _settled(1 - interaction),
        ),
        Claim(
            "Section 4.1",
            "The conventional F test takes the algorithm effect for more significant than "
            "the randomized test does",
            "0.0016 against 0.015",
            f"so in {harsher:.0%} of the replications",
            _settled(harsher),
        ),
        Claim(
            "Section 4.1",
            "Means of the standard F distributions of interaction and algorithm",
            "; ".join(f"{each} {value}" for each, value in said.items()),
            f"{expected:.3f} for both; of the shuffled tables "
            + "; ".join(f"{each} {means[each].text()}" for each in EFFECTS),
            _judged(all(abs(value - expected) <= 0.005 for value in said.values())),
            "The mean of F depends on the df of the error alone.",
        ),
    ]


def _second_table(made: Replications) -> list[Claim]:
    total = band(made.ss["total"])
    found = made.found("algorithm")
    # Runs of one set about their own mean: A1 and A2 by Table 1, with A3 by Table 3.
    within = {
        name: PUBLISHED[name]["total"]["ss"] - PUBLISHED[name]["algorithm"]["ss"]
        for name in ("Table 1", "Table 2", "Table 3")
    }
    third = within["Table 3"] - within["Table 1"]
    other_data = third > within["Table 2"]
    softer = float(np.mean(made.p["interaction"] < made.p_parametric["interaction"]))
    return [
        Claim(
            "Table 2",
            "The sums of squares of A1, A3",
            f"total {short(PUBLISHED['Table 2']['total']['ss'])}",
            f"total {total.text()}; Tables 1 and 3 leave {short(third)} to A3 alone",
            "cannot be known"
            if other_data
            else _judged(total.holds(PUBLISHED["Table 2"]["total"]["ss"])),
            "Table 2 was made from other data than Tables 1 and 3: A3 alone has a larger "
            "sum of squares there than A1 and A3 together have here. Which data, the "
            "report does not say.",
        ),
        Claim(
            "Table 2",
            "A1 and A3 cannot be told apart",
            "p = 0.724",
            f"p ≤ {ALPHA} in {found:.0%} of the replications",
            _judged(found <= HARDLY_EVER),
            "Judged on our own A1 and A3.",
        ),
        Claim(
            "Section 4.1",
            "The conventional F test takes the interaction of A1 and A3 for less "
            "significant than the randomized test does",
            "0.56 against 0.484",
            f"so in {softer:.0%} of the replications",
            _settled(softer),
        ),
    ]


def _third_table(first: Replications, made: Replications) -> list[Claim]:
    weaker = float(np.mean(made.p["algorithm"] > first.p["algorithm"]))
    found = made.found("algorithm")
    return [
        Claim(
            "Table 3",
            "A1, A2 and A3 differ in height",
            "p = 0.026: significant",
            f"p ≤ {ALPHA} in {found:.0%} of the replications",
            _settled(found),
        ),
        Claim(
            "Table 3",
            "With A3 beside them, A1 and A2 differ less significantly than alone",
            "0.026 against 0.015",
            f"so in {weaker:.0%} of the replications",
            _settled(weaker),
        ),
    ]


def _fourth_table(made: Replications) -> list[Claim]:
    ss = {each: _clean(made.ss[each]) for each in EFFECTS}
    published = PUBLISHED["Table 4"]
    same = all(np.all(ss[each] == published[each]["ss"]) for each in EFFECTS)
    f, p = band(made.f["interaction"]), band(made.p["interaction"])
    p_int, p_alg = PUBLISHED_P["Table 4"]
    ours = np.unique(made.p["algorithm"])
    return [
        Claim(
            "Table 4",
            "A1 and A1 + v differ in shape and not at all in height",
            "SS interaction 840.00, algorithm 0.00",
            "; ".join(
                f"SS {each} {', '.join(f'{value:.2f}' for value in np.unique(ss[each]))}"
                for each in EFFECTS
            ),
            _judged(same),
            "The vector alone decides both, whatever the runs.",
        ),
        Claim(
            "Table 4",
            "F and p of the interaction of A1 and A1 + v",
            f"F {published['interaction']['f']}, p {p_int}",
            f"F {f.text()}, p {p.text()}",
            _judged(f.holds(published["interaction"]["f"]) and p.holds(p_int)),
            f"p ≤ {ALPHA} in {made.found('interaction'):.0%} of the replications.",
        ),
        Claim(
            "Table 4",
            "p of the algorithm effect of A1 and A1 + v",
            f"{p_alg}",
            ", ".join(f"{value:g}" for value in ours),
            _judged(len(ours) == 1 and bool(ours[0] == p_alg)),
            "F is 0 and every shuffle gives at least that. Less than 1 comes of counting "
            "only the shuffles with a larger F, not of the randomness of shuffling.",
        ),
    ]


def arithmetic() -> tuple[Claim, Sheet]:
    """Go from the published sums of squares and df to mean squares, F and p."""
    rows, wrong = [], []
    for name, published in PUBLISHED.items():
        table = cw.AnovaTable.from_sums(
            {source: row["ss"] for source, row in published.items()},
            {source: int(row["df"]) for source, row in published.items()},
            error="pooled",
        )
        for source, row in published.items():
            ours = table[source]
            pairs = [
                (row.get("ms"), ours.ms, 0.006),
                (row.get("f"), ours.statistic, _f_slack(row, published)),
                (
                    row.get("p_conventional"),
                    ours.pvalue_parametric,
                    row.get("p_slack", 0.0),
                ),
            ]
            cells = []
            for said, value, slack in pairs:
                if said is None or value is None:
                    cells.append("")
                    continue
                right = abs(said - value) <= slack
                cells.append(
                    f"{said:g} / {value:.4g}" if said < 1 else f"{said} / {value:.2f}"
                )
                if not right:
                    wrong.append(f"{name} {source}")
            rows.append(
                (f"{name}, {source}", f"{row['ss']:.2f}", f"{row['df']:g}", *cells)
            )
    checked = sum(bool(cell) for row in rows for cell in row[3:])
    claim = Claim(
        "Tables 1 to 4",
        "Mean squares, F and conventional p follow from the sums of squares and df",
        f"{checked} numbers",
        "all follow, to rounding" if not wrong else f"not: {', '.join(wrong)}",
        _judged(not wrong),
        "By AnovaTable.from_sums. The conventional p are those in the text of the report.",
    )
    sheet = Sheet(
        "The arithmetic of Tables 1 to 4",
        ("", "SS", "df", "MS, published / ours", "F", "conventional p"),
        tuple(rows),
    )
    return claim, sheet


def _f_slack(
    row: Mapping[str, float], published: Mapping[str, Mapping[str, float]]
) -> float:
    """Return how far F may be off when everything was rounded to two digits."""
    error = published["error"]["ms"]
    return 0.006 + 0.006 * row.get("f", 0.0) / error + 0.005 / error / row["df"]


def counts() -> tuple[Claim, Sheet]:
    """Count the relabellings of m algorithms with l runs each."""
    wanted = ((2, 5), (2, 6), (2, 7), (2, 10), (3, 3), (3, 4), (4, 2), (4, 3))
    ours = {each: _relabellings(*each) for each in wanted}
    recurrence = {each: _recurrence(*each) for each in wanted}
    named = ((2, 7), (3, 4), (4, 3))
    right = ours == recurrence and all(ours[each] > 1000 for each in named)
    claim = Claim(
        "Section 3",
        "c(2,7), c(3,4) and c(4,3) exceed 1000",
        "all greater than 1000",
        ", ".join(f"c({m},{runs}) = {ours[m, runs]:,}" for m, runs in named),
        _judged(right),
        "By compare(...).n_relabellings, which follows the report's recurrence.",
    )
    sheet = Sheet(
        "Distinct ways to deal the runs among the algorithms",
        ("algorithms m", "runs each l", "n_relabellings", "the report's recurrence"),
        tuple(
            (str(m), str(runs), f"{ours[m, runs]:,}", f"{recurrence[m, runs]:,}")
            for m, runs in wanted
        ),
    )
    return claim, sheet


def _relabellings(n_algorithms: int, n_runs: int) -> int:
    scores = np.random.default_rng(0).random((n_algorithms * n_runs, 2))
    labels = [f"A{place // n_runs + 1}" for place in range(len(scores))]
    curves = cw.Curves(scores, labels)
    return cw.compare(curves, exact=False, n_shuffles=1, rng=0).n_relabellings


def _recurrence(n_algorithms: int, n_runs: int) -> int:
    if n_algorithms == 1:
        return 1
    ways = math.comb(n_algorithms * n_runs, n_runs)
    return ways * _recurrence(n_algorithms - 1, n_runs) // n_algorithms


def slips(example: cw.Comparison) -> list[Claim]:
    """Hold two small statements of the text against what follows."""

    def heads(least: int) -> float:
        return sum(math.comb(20, count) for count in range(least, 21)) / 2**20

    critical = next(count for count in range(21) if heads(count) <= ALPHA)
    df = tuple(int(each) for each in example.effects["pooled"]["algorithm"].df)
    return [
        Claim(
            "Section 2",
            "Chance of 16 or more heads in 20 tosses of a fair coin",
            "0.006",
            f"{heads(16):.4f}",
            _judged(abs(heads(16) - 0.006) <= 0.0005),
        ),
        Claim(
            "Section 2",
            "Fewest heads in 20 tosses that are significant at 0.05",
            "14",
            f"{critical}; 14 or more have a chance of {heads(14):.3f}",
            _judged(critical == 14),
        ),
        Claim(
            "Section 4.1",
            "Degrees of freedom of F of the algorithm effect of A1 and A2",
            "2 and 144",
            f"{df[0]} and {df[1]}",
            _judged(df == (2, 144)),
            "Table 1 itself has 1.",
        ),
    ]


def shares(replications: Floats, effect: str) -> Floats:
    """Return what share of the differences between A1 and A2 lies up to each step."""
    return np.stack(
        [
            cw.locate(
                compared(replication, COMPARED["Table 1"]),
                windows=False,
                exact=False,
                n_shuffles=1,
                n_resamples=0,
                rng=0,
            )
            .effects[effect]
            .cumulative_share
            for replication in replications
        ]
    )
