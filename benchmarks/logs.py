"""Time and memory of reading event files: all metrics, and one of them.

    python -m benchmarks.logs [--runs 60] [--metrics 10] [--points 10000]

Writes the event files as ``SummaryWriter.add_scalar`` does, one record a scalar, into a folder
of its own, reads them in a fresh process each way, and prints seconds of CPU and peak memory.
TensorBoard and tbparse do the same on one run, where they are installed.
"""

from __future__ import annotations

import argparse
import json
import resource
import struct
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

from curvewise.readers.parsing.events import event_messages, masked_crc

WAYS = ("all metrics", "one metric")
PEERS = ("tensorboard EventAccumulator, unlimited", "tbparse")


@cache
def header(length: int) -> bytes:
    """Return what stands before a payload of that length."""
    packed = struct.pack("<Q", length)
    return packed + struct.pack("<I", masked_crc(packed))


def write_run(path: Path, n_metrics: int, n_points: int) -> None:
    """Write an event file with random-looking scores."""
    event_class = event_messages()["Event"]
    path.mkdir(parents=True)
    version = event_class(wall_time=1.7e9, file_version=b"brain.Event:2")
    parts = []
    for step in range(-1, n_points):
        events = [version] if step < 0 else []
        for metric in range(n_metrics if step >= 0 else 0):
            event = event_class(wall_time=1.7e9 + step, step=step)
            event.summary.value.add(
                tag=f"train/metric_{metric}".encode(), simple_value=step % (metric + 7)
            )
            events.append(event)
        for event in events:
            data = event.SerializeToString()
            crc = struct.pack("<I", masked_crc(data))
            parts += [header(len(data)), data, crc]
    (path / "events.out.tfevents.1700000000.host.1.0").write_bytes(b"".join(parts))


def read(folder: Path, way: str) -> int:
    """Read a folder in some way and return how many points there were."""
    if way == PEERS[0]:
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

        events = EventAccumulator(str(folder), size_guidance={"scalars": 0})
        events.Reload()
        return sum(len(events.Scalars(tag)) for tag in events.Tags()["scalars"])
    if way == PEERS[1]:
        from tbparse import SummaryReader

        return len(SummaryReader(str(folder)).scalars)
    from curvewise.readers.logs import tensorboard
    from curvewise.readers.walk import Wanted, walk

    wanted = Wanted(frozenset({"train/metric_3"}) if way == WAYS[1] else None)
    return sum(
        len(series.steps)
        for found in walk([folder]).folders
        for claim in tensorboard.claims(found)
        for run in tensorboard.read([claim], wanted)
        for series in run.series.values()
    )


def measure(folder: Path, way: str) -> None:
    """Print how long a way of reading a folder takes, in this process, as JSON."""
    start = time.process_time()
    n_points = read(folder, way)
    seconds = time.process_time() - start
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"points": n_points, "seconds": seconds, "megabytes": megabytes}))


def main() -> None:
    """Make the folder, measure every way, print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--metrics", type=int, default=10)
    parser.add_argument("--points", type=int, default=10_000)
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(Path(options.measure[0]), options.measure[1])
        return
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        write_run(top / "seed0", options.metrics, options.points)
        data = next((top / "seed0").iterdir())
        for seed in range(1, options.runs):
            (top / f"seed{seed}").mkdir()
            (top / f"seed{seed}" / data.name).write_bytes(data.read_bytes())
        print("| what is read | points | seconds (CPU) | peak MB |\n|:--|--:|--:|--:|")
        for folder in (top / "seed0", top):
            for way in (*WAYS, *(PEERS if folder != top else ())):
                command = [sys.executable, "-m", "benchmarks.logs"]
                command += ["--measure", str(folder), way]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                if done.returncode:
                    continue  # it is not installed
                found = json.loads(done.stdout)
                where = f"{options.runs} runs" if folder == top else "1 run"
                print(
                    f"| {where}, {way} | {found['points']:,} | {found['seconds']:.2f} | "
                    f"{found['megabytes']:.0f} |"
                )


if __name__ == "__main__":
    main()
