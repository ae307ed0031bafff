"""Runs and scans as a folder could hold them, for tests."""

from __future__ import annotations

from curvewise.readers.scan import MetricSpan, Scan, ScannedRun

__all__ = ["a_run", "a_scan", "column"]


def a_run(
    algorithm: str = "A",
    run: str = "1",
    last: float | None = 100,
    *,
    task: str | None = None,
    n_points: int = 11,
    status: str = "",
    notes: tuple[str, ...] = (),
) -> ScannedRun:
    span = None if last is None else MetricSpan(n_points, 0, last, "step")
    return ScannedRun(
        algorithm,
        run,
        task,
        f"{algorithm}/{run}",
        ("tables",),
        {} if span is None else {"loss": span},
        status,
        notes,
    )


def a_scan(*runs: ScannedRun, **more: object) -> Scan:
    made = {"skipped": (), "explanation": "algorithm from path1", **more}
    return Scan(place="logs", runs=runs, **made)  # type: ignore[arg-type]


def column(found: Scan, name: str, table: int = 0) -> list[str]:
    shown = found.tables()[table]
    return [row[shown.header.index(name)] for row in shown.rows]
