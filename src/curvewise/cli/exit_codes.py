"""How commands end: every exit code, and what it means."""

from __future__ import annotations

__all__ = [
    "BUG",
    "FAILED",
    "INTERRUPTED",
    "MEANINGS",
    "OUTPUT_CLOSED",
    "SUCCESS",
    "TERMINATED",
    "UNDECIDED",
    "UNUSABLE",
    "USAGE",
    "summary",
]

SUCCESS = 0
FAILED = 1
USAGE = 2
UNUSABLE = 3
UNDECIDED = 4
BUG = 70  # EX_SOFTWARE of sysexits.h; Python's own 1 would read as a gate that failed
INTERRUPTED = 130
OUTPUT_CLOSED = 141  # what a shell reports of a command that SIGPIPE ended
TERMINATED = 143  # what a shell reports of a command that SIGTERM ended

MEANINGS = {
    SUCCESS: "success",
    FAILED: "gate failed",
    USAGE: "usage error",
    UNUSABLE: "unusable data or option value",
    UNDECIDED: "gate undecided",
    BUG: "bug in curvewise",
    INTERRUPTED: "interrupted",
    OUTPUT_CLOSED: "nobody reads the output any more",
    TERMINATED: "told to end",
}


def summary() -> str:
    """Return the codes that a help text lists, in one sentence."""
    listed = [code for code in MEANINGS if code not in (BUG, OUTPUT_CLOSED, TERMINATED)]
    return f"Exit codes: {', '.join(f'{code} {MEANINGS[code]}' for code in listed)}."
