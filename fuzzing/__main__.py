"""Fuzz curvewise: ``python -m fuzzing [--seed N] [--cases N] [--case N]``.

Every case is made by a seed and a number, and judged in a worker within limits of time and memory.
What goes wrong is printed with the command that repeats it; the exit code is 1 if anything did.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from fuzzing.running import judged

SECONDS_BETWEEN_LINES = 15.0


def main() -> int:
    """Run the cases that were asked for; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m fuzzing", description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="Which series of cases.")
    parser.add_argument("--cases", type=int, default=2_000, help="How many.")
    parser.add_argument("--first", type=int, default=0, help="The number of the first.")
    parser.add_argument("--case", type=int, help="Repeat this one, here and verbosely.")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args()
    if asked.case is not None:
        return _repeat(asked.seed, asked.case)
    return _all(asked.seed, range(asked.first, asked.first + asked.cases), asked.jobs)


def _repeat(seed: int, number: int) -> int:
    """Run one case in this process, and keep its files to look at."""
    folder = Path(tempfile.mkdtemp(prefix="curvewise-fuzz-")).resolve()
    answer = judged(seed, number, folder)
    print(json.dumps(answer | {"folder": str(folder)}, indent=2, ensure_ascii=True))
    for text in answer["wrong"]:
        print(f"\n{text}")
    return 1 if answer["wrong"] else 0


def _all(seed: int, numbers: range, n_jobs: int) -> int:
    """Run all cases, and say how many went wrong."""
    waiting: Queue[int] = Queue()
    for number in numbers:
        waiting.put(number)
    answers: list[dict[str, Any]] = []
    started = said = time.monotonic()
    workers = [threading.Thread(target=_work, args=(seed, waiting, answers)) for _ in range(n_jobs)]
    for worker in workers:
        worker.start()
    while any(worker.is_alive() for worker in workers):
        time.sleep(0.2)
        if time.monotonic() - said > SECONDS_BETWEEN_LINES:
            said = time.monotonic()
            print(f"{len(answers)} of {len(numbers)} cases, {said - started:.0f} s", flush=True)
    kinds = Counter(answer["kind"].split(" ")[0] for answer in answers)
    n_clear = sum(answer.get("clear", False) for answer in answers)
    n_wrong = sum(bool(answer["wrong"]) for answer in answers)
    shown = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    print(f"{len(answers)} cases in {time.monotonic() - started:.0f} s: {shown}.")
    print(f"{n_clear} held against the slow reading. {n_wrong} went wrong.")
    return 1 if n_wrong or len(answers) < len(numbers) else 0


def _work(seed: int, waiting: Queue[int], answers: list[dict[str, Any]]) -> None:
    """Judge cases until none is left; a worker that ended is replaced."""
    worker: subprocess.Popen[str] | None = None
    while True:
        try:
            number = waiting.get_nowait()
        except Empty:
            break
        if worker is None:
            log = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115 (closed below)
            worker = subprocess.Popen(
                [sys.executable, "-m", "fuzzing.running", str(seed)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env={**os.environ, "MPLBACKEND": "Agg"},
            )
        line = _asked(worker, number)
        if line:
            answer = json.loads(line)
        else:
            code = worker.wait()
            log.seek(0)
            answer = {
                "number": number,
                "kind": "?",
                "line": [],
                "wrong": [f"the process ended with {code}: {log.read()[-3_000:]}"],
            }
        answers.append(answer)
        if answer["wrong"]:
            _tell(seed, answer)
        if not line or answer.get("is_last"):
            worker = None
            log.close()
    if worker is not None and worker.stdin is not None:
        worker.stdin.close()
        worker.wait()


def _asked(worker: subprocess.Popen[str], number: int) -> str:
    """Hand a case to a worker, and return its answer; nothing if it ended."""
    if worker.stdin is None or worker.stdout is None:
        return ""
    try:
        worker.stdin.write(f"{number}\n")
        worker.stdin.flush()
        return worker.stdout.readline()
    except BrokenPipeError:
        return ""


def _tell(seed: int, answer: dict[str, Any]) -> None:
    """Print what went wrong, and how to see it again."""
    number = answer["number"]
    print(f"\ncase {number} ({answer['kind']}): {' '.join(map(repr, answer['line']))}")
    for text in answer["wrong"]:
        print("  " + text.replace("\n", "\n  "))
    print(f"  again: make fuzz SEED={seed} CASE={number}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
