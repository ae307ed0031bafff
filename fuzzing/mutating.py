"""Mutations of bytes, of text and of what JSON holds."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from fuzzing.truths import HOSTILE_NAMES, HOSTILE_NUMBERS

if TYPE_CHECKING:
    from random import Random

__all__ = ["mutated_bytes", "mutated_json", "mutated_text"]

TOKENS = (
    *(b"\x00", b"\xff", b"\xff\xfe", b"\xef\xbb\xbf", b"\n", b"\r\n", b"\r", b'"', b",", b"\t"),
    *(b"\\", b"\\ud800", b"{", b"[", b"}" * 9, b"[" * 2_000, b"PK\x03\x04", b"\x1b[31m"),
    *(b"\x7f\xff\xff\xff", b"\xff" * 8, b"\x80", b"\x1a", b"\xe2\x80\xae", b"nan", b"1e999"),
)


def mutated_bytes(rng: Random, data: bytes) -> bytes:
    """Flip, cut, double, insert, overwrite or swap some bytes."""
    content = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 5, 20])):
        if not content:
            break
        start = rng.randrange(len(content))
        stop = min(len(content), start + rng.choice([1, 2, 8, 64, 512]))
        kind = rng.choice(["flip", "cut", "double", "insert", "overwrite", "truncate"])
        if kind == "flip":
            content[start] ^= 1 << rng.randrange(8)
        elif kind == "cut":
            del content[start:stop]
        elif kind == "double":
            content[start:start] = content[start:stop]
        elif kind == "insert":
            content[start:start] = rng.choice(TOKENS)
        elif kind == "overwrite":
            token = rng.choice(TOKENS)
            content[start : start + len(token)] = token
        elif rng.random() < 0.3:
            del content[start:]
    return bytes(content)


def mutated_text(rng: Random, text: str) -> str:
    """Change whole cells and lines: a number, a name, the order, what is there twice."""
    for _ in range(rng.choice([1, 1, 2, 3])):
        kind = rng.choice(["number", "number", "word", "drop", "double", "swap", "cell"])
        if kind in {"number", "word"}:
            pattern = r"-?\d+(?:\.\d+)?" if kind == "number" else r"[A-Za-z_]\w*"
            found = list(re.finditer(pattern, text))
            if found:
                match = rng.choice(found)
                new = rng.choice(HOSTILE_NUMBERS if kind == "number" else HOSTILE_NAMES)
                text = text[: match.start()] + new + text[match.end() :]
            continue
        lines = text.split("\n")
        place, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        if kind == "drop":
            del lines[place]
        elif kind == "double":
            lines.insert(other, lines[place])
        elif kind == "swap":
            lines[place], lines[other] = lines[other], lines[place]
        else:
            lines[place] += rng.choice([",", ",1", "\t", " ", '"', ";", "\r", "#"])
        text = "\n".join(lines)
    return text


def mutated_json(rng: Random, value: Any) -> Any:
    """Replace, drop, add or nest something in what JSON holds."""
    places = list(_places(value))
    for _ in range(rng.choice([1, 1, 2, 4])):
        if not places:
            return _other(rng, value)
        parent, key = rng.choice(places)
        kind = rng.choice(["replace", "replace", "drop", "nest", "key"])
        try:
            if kind == "replace":
                parent[key] = _other(rng, parent[key])
            elif kind == "drop":
                del parent[key]
            elif kind == "nest":
                parent[key] = _nested(rng, parent[key])
            elif isinstance(parent, dict):
                parent[rng.choice(HOSTILE_NAMES)] = parent.pop(key)
        except (KeyError, IndexError):
            continue  # an earlier mutation took it away
    return value


def _places(value: Any) -> Any:
    """Yield every container with each of its keys."""
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from _places(value[key])


def _other(rng: Random, value: Any) -> Any:
    """Return something else in place of a value."""
    return rng.choice(
        [
            *(None, True, False, 0, -1, 1.5, 2**70, -(10**300), 1e308, float("nan")),
            *(
                float("inf"),
                "",
                "\ud800",
                10**400,
                rng.choice(HOSTILE_NAMES),
                rng.choice(HOSTILE_NUMBERS),
            ),
            *([], {}, [value, value], {"x": value}, [1, "a", None], json.dumps(str(value))),
        ]
    )


def _nested(rng: Random, value: Any) -> Any:
    for _ in range(rng.choice([1, 5, 200])):
        value = [value] if rng.random() < 0.5 else {"x": value}
    return value
