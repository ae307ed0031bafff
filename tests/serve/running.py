"""The page as people run it: a process of its own, and requests over a real socket."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote

from tests.platforms import ended

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

__all__ = ["RunningPage", "write_table"]

SECONDS = 60


def write_table(path: Path, *, n_steps: int = 6, ragged: bool = False, lift: float = 5) -> Path:
    """Write curves of A and B, four runs each; B is better. Ragged: two runs end early."""
    rows = ["agent,seed,step,score"]
    for place, name in enumerate("AB"):
        for seed in range(4):
            end = n_steps - (3 if ragged and seed == 0 else 0)
            rows += [
                f"{name},{seed},{step},{(7 * seed + 3 * step) % 5 + lift * place}"
                for step in range(end)
            ]
    path.write_text("\n".join([*rows, ""]), encoding="utf-8")
    return path


@dataclass
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class RunningPage:
    """``curvewise serve`` in a process; use it as a context."""

    def __init__(self, *arguments: object, no_browser: bool = True, **environment: str) -> None:
        command = [sys.executable, "-m", "curvewise", "serve", *map(str, arguments)]
        self.process = subprocess.Popen(
            [*command, "--no-browser"] if no_browser else command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **environment},
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        match = re.search(r"http://([^/]+):(\d+)/#token=(\S+)", line)
        if match is None:
            out, errors = self.process.communicate()
            raise AssertionError(line + out + errors)
        self.address = match[0]
        self.host, self.port, self.token = match[1], int(match[2]), match[3]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.end()

    def end(self, how: signal.Signals = signal.SIGINT) -> tuple[int, str]:
        """End it with a signal; return its exit code and what it said."""
        self.process.send_signal(how)
        _, errors = ended(self.process, SECONDS)
        return self.process.returncode, errors

    def connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self.host, self.port, timeout=SECONDS)

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | Iterable[bytes] | None = None,
        *,
        token: str | None = "",
        **headers: str,
    ) -> Answer:
        """Ask as the page does; ``token=None`` without one, and headers as given."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if token is not None:
            named["X-Curvewise-Token"] = token or self.token
        connection = self.connection()
        try:
            connection.request(
                method, path, body, named, encode_chunked=not isinstance(body, bytes)
            )
            answer = connection.getresponse()
            return Answer(answer.status, dict(answer.getheaders()), answer.read())
        finally:
            connection.close()

    def ask_json(self, method: str, path: str, question: object) -> Answer:
        return self.ask(method, path, json.dumps(question).encode())

    def send(self, name: str, content: bytes) -> Answer:
        return self.ask("POST", "/files", content, X_File_Name=quote(name))

    def events(self, job: str) -> list[dict[str, Any]]:
        """Wait until a job is over, and return what was told of it."""
        text = self.ask("GET", f"/jobs/{job}/events").body.decode()
        return [json.loads(line[6:]) for line in text.split("\n\n") if line[:5] == "data:"]

    def children(self) -> list[int]:
        """Return the processes that work for it."""
        done = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(self.process.pid)],
            capture_output=True,
            text=True,
            check=False,
        )
        return [int(word) for word in done.stdout.split()]

    def is_idle(self) -> bool:
        """Whether no process works for it, or none does a moment later."""
        for _ in range(100):
            if not self.children():
                return True
            time.sleep(0.05)
        return False
