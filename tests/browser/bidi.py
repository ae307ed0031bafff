"""Firefox over WebDriver BiDi, which Playwright does not speak to a Firefox of the system."""

from __future__ import annotations

import asyncio
import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["evaluated"]

SECONDS = 60


async def evaluated(firefox: str, url: str, code: str, profile: Path) -> tuple[Any, list[str]]:
    """Open a page, wait for the value of ``code``, and return it with what the page logged.

    ``code`` is an expression, or a promise, whose value is a text.
    """
    process = await asyncio.create_subprocess_exec(
        *(firefox, "--headless", "--no-remote", "--profile", str(profile)),
        *("--remote-debugging-port", "0"),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(SECONDS):
            address = await _address(process)
            return await _asked(f"{address}/session", url, code)
    finally:
        process.terminate()
        await process.wait()


async def _address(process: asyncio.subprocess.Process) -> str:
    assert process.stderr is not None
    async for line in process.stderr:
        found = re.search(r"WebDriver BiDi listening on (ws://\S+)", line.decode())
        if found:
            return found[1]
    msg = "Firefox ended before it listened"
    raise AssertionError(msg)


async def _asked(address: str, url: str, code: str) -> tuple[Any, list[str]]:
    from tornado.websocket import websocket_connect

    socket = await websocket_connect(address)
    logged: list[str] = []
    number = 0

    async def send(method: str, **parameters: Any) -> Any:
        nonlocal number
        number += 1
        request = {"id": number, "method": method, "params": parameters}
        await socket.write_message(json.dumps(request))
        while True:
            answer = json.loads(await socket.read_message() or "{}")
            if answer.get("method") == "log.entryAdded":
                logged.append(str(answer["params"]["text"]))
            elif answer.get("id") == number:
                assert answer["type"] == "success", answer
                return answer["result"]

    await send("session.new", capabilities={})
    await send("session.subscribe", events=["log.entryAdded"])
    tree = await send("browsingContext.getTree")
    context = tree["contexts"][0]["context"]
    await send("browsingContext.navigate", context=context, url=url, wait="complete")
    found = await send(
        "script.evaluate", expression=code, target={"context": context}, awaitPromise=True
    )
    await send("session.end")
    socket.close()
    return found["result"].get("value"), logged
