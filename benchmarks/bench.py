"""Run all contestants on all designs, interleaved, one thread each, and print ratios.

    make bench

Writes ``benchmarks/out/bench.json``, ``benchmarks/cost.png``, and the tables between the
marks in ``benchmarks/README.md``. With ``--only PART …`` other parts are those of the last
``bench.json``, as far as it has them.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

# Before anything imports NumPy: a peer with threads of its own would be another contest.
for name in ("OPENBLAS", "OMP", "MKL", "NUMBA"):
    os.environ[f"{name}_NUM_THREADS"] = "1"

import numpy as np

from benchmarks.designs import DESIGNS
from benchmarks.peers import other_questions, reading, startup
from benchmarks.plots import cost_plot
from benchmarks.rates import THROUGH, contest, kernel_ratios
from benchmarks.waits import (
    against_shuffles,
    comparing,
    on_all_cores,
    other_waits,
    peak_memory,
    power_seconds,
)

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).parent
CPU = "CPU seconds"


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _number(value: float) -> str:
    """Return three digits, and all of those before the point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _times(ratio: float) -> str:
    return f"{_number(ratio)}×"


def _rates_table(rates: dict[str, dict[str, float]]) -> list[str]:
    lines = [
        _row(["shuffles a CPU second (curvewise is so many times faster)", *DESIGNS]),
        "|:--|" + "--:|" * len(DESIGNS),
    ]
    for name, rate in rates.items():
        cells = [name]
        for design in DESIGNS:
            if design not in rate:
                cells.append("–")
                continue
            ratio = rates["curvewise"][design] / rate[design]
            times = "" if name == "curvewise" else f" ({_times(ratio)})"
            cells.append(f"{rate[design]:,.0f}{times}")
        lines.append(_row(cells))
    return lines


def _kernels_table(found: dict[str, dict[str, float]]) -> list[str]:
    lines = [_row(["over the light NumPy baseline", *DESIGNS]), "|:--|" + "--:|" * len(DESIGNS)]
    for name, what in (("kernel", "kernels alone"), ("compare", "through `compare()`")):
        ratios = [_times(each[name] / each["light"]) for each in found.values()]
        lines.append(_row([what, *ratios]))
    lines.append(_row(["shuffles of `compare()`", *(f"{z:,}" for z in THROUGH)]))
    rates = [f"{each['light']:,.0f}" for each in found.values()]
    lines.append(_row(["the baseline, shuffles a second", *rates]))
    return lines


def _values_table(title: str, unit: str, values: dict[str, float]) -> list[str]:
    lines = [_row([title, unit]), "|:--|--:|"]
    return lines + [_row([name, _number(value)]) for name, value in values.items()]


def _shuffles_table(found: dict[str, dict[str, float]]) -> list[str]:
    counts = list(next(iter(found.values())))
    lines = [
        _row(["milliseconds of `compare()` for so many shuffles", *counts]),
        "|:--|" + "--:|" * len(counts),
    ]
    return lines + [
        _row([design, *(f"{1e3 * seconds:.0f}" for seconds in each.values())])
        for design, each in found.items()
    ]


def markdown(record: dict[str, Any]) -> str:
    """Lay all that was measured out as tables."""
    tables: dict[str, Callable[[Any], list[str]]] = {
        "kernels": _kernels_table,
        "contest": _rates_table,
        "comparing": partial(_values_table, "comparing", CPU),
        "cores": partial(_values_table, "on two cores", "seconds by the clock"),
        "shuffles": _shuffles_table,
        "waits": partial(_values_table, "other questions", CPU),
        "memory": partial(_values_table, "memory that is added", "MB"),
        "power": partial(_values_table, "power", CPU),
        "startup": partial(_values_table, "CPU time of fresh processes", "over `import numpy`"),
        "reading": partial(_values_table, "reading", "ratio, if not seconds"),
        "peers": partial(_values_table, "where and how much", "so many times faster"),
    }
    parts = [lay_out(record[name]) for name, lay_out in tables.items() if name in record]
    made = f"{record['date']}, {record['machine']}, {record['python']}. D6: {record['D6']}."
    return "\n\n".join(["\n".join(lines) for lines in parts] + [made])


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--atari", type=Path, help="a table of six agents on one game, for D6")
    parser.add_argument("--only", nargs="*", help="parts to measure")
    arguments = parser.parse_args()
    rounds, atari = arguments.rounds, arguments.atari
    parts: dict[str, Callable[[], Any]] = {
        "kernels": lambda: kernel_ratios(max(rounds, 5), atari),
        "contest": lambda: contest(rounds, atari),
        "comparing": comparing,
        "cores": on_all_cores,
        "shuffles": against_shuffles,
        "waits": other_waits,
        "memory": peak_memory,
        "power": power_seconds,
        "startup": startup,
        "reading": reading,
        "peers": other_questions,
    }
    out = HERE / "out"
    out.mkdir(exist_ok=True)
    path = out / "bench.json"
    known = arguments.only is not None and path.exists()
    record = json.loads(path.read_text(encoding="utf-8")) if known else {}
    record |= {
        "date": time.strftime("%Y-%m-%d"),
        "machine": f"{os.cpu_count()} cores, {platform.machine()}",
        "python": f"Python {platform.python_version()}, NumPy {np.__version__}",
        "D6": "199 iterations" if atari else "means over ten iterations each",
    }
    for name in parts if arguments.only is None else arguments.only:
        record[name] = parts[name]()
        path.write_text(json.dumps(record, indent=2), encoding="utf-8")
    if arguments.only is None:
        cost_plot(HERE / "cost.png")
    text = markdown(record)
    print(text)
    readme = HERE / "README.md"
    before, _, rest = readme.read_text(encoding="utf-8").partition("<!-- table -->")
    _, _, after = rest.partition("<!-- end -->")
    content = f"{before}<!-- table -->\n{text}\n<!-- end -->{after}"
    readme.write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
