"""Who may ask: every request that is not the page's own is refused before it is looked at."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from curvewise.serve.app import HEADERS, Guard, Keys, is_loopback, own_hosts

PORT = 8123
OWN = f"127.0.0.1:{PORT}"


async def application(scope: Any, receive: Any, send: Any) -> None:
    headers = [(b"content-type", b"text/plain")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"inside"})


def answer(
    headers: dict[str, Any],
    *,
    method: str = "POST",
    path: str = "/files",
    token: str | None = "",
    host: str = "127.0.0.1",
) -> tuple[int, dict[str, str]]:
    keys = Keys("secret", None)
    guard = Guard(application, keys, host, PORT, frozenset({"/"}))
    given = dict(headers)
    if token is not None:
        given["x-curvewise-token"] = token or keys.token
    raw = [
        (name.encode(), own.encode())
        for name, value in given.items()
        for own in ([value] if isinstance(value, str) else value)
    ]
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": method, "path": path, "headers": raw}
    asyncio.run(guard(scope, None, send))  # type: ignore[arg-type]
    told = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], told


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": OWN}, 200),
        ({"host": f"localhost:{PORT}"}, 200),
        ({"host": f"[::1]:{PORT}", "origin": f"http://[::1]:{PORT}"}, 200),
        ({"host": OWN, "origin": f"http://{OWN}", "sec-fetch-site": "same-origin"}, 200),
        ({}, 421),
        ({"host": "127.0.0.1"}, 421),
        ({"host": "127.0.0.1:80"}, 421),
        ({"host": f"evil.example:{PORT}"}, 421),
        ({"host": f"127.0.0.1.evil.example:{PORT}"}, 421),
        ({"host": f"10.0.0.7:{PORT}"}, 421),
        ({"host": [OWN, OWN]}, 421),
        ({"host": OWN, "origin": "http://evil.example"}, 403),
        ({"host": OWN, "origin": "null"}, 403),
        ({"host": OWN, "origin": "http://127.0.0.1:9999"}, 403),
        ({"host": OWN, "origin": f"https://{OWN}"}, 403),
        ({"host": OWN, "sec-fetch-site": "cross-site"}, 403),
        ({"host": OWN, "sec-fetch-site": "same-site"}, 403),
    ],
)
def test_hosts_and_origins(headers: dict[str, Any], status: int) -> None:
    found, told = answer(headers)
    assert found == status
    assert set(HEADERS) <= set(told)
    assert not [name for name in told if name.startswith("access-control")]


@pytest.mark.parametrize("token", [None, "wrong", "secre", "secret ", "SECRET"])
def test_a_wrong_token_is_refused(token: str | None) -> None:
    assert answer({"host": OWN}, token=token)[0] == 403
    twice = {"host": OWN, "x-curvewise-token": ["secret", "secret"]}
    assert answer(twice, token=None)[0] == 403


def test_the_page_itself_needs_no_token_but_the_right_host() -> None:
    for method in ("GET", "HEAD"):
        assert answer({"host": OWN}, method=method, path="/", token=None)[0] == 200
    assert answer({"host": "evil.example"}, method="GET", path="/", token=None)[0] == 421


def test_a_preflight_gets_no_leave() -> None:
    asked = {"host": OWN, "access-control-request-method": "POST"}
    status, told = answer(asked, method="OPTIONS")
    assert status == 403
    assert "access-control-allow-origin" not in told


def test_on_all_interfaces_any_address_may_be_asked_but_no_name() -> None:
    for name, status in [("10.0.0.7", 200), ("[fe80::1]", 200), ("evil.example", 421)]:
        found, _ = answer({"host": f"{name}:{PORT}"}, host="0.0.0.0")  # noqa: S104
        assert found == status
    assert answer({"host": f"box:{PORT}"}, host="box")[0] == 200
    assert answer({"host": "10.0.0.7:1"}, host="0.0.0.0")[0] == 421  # noqa: S104


def test_hosts_of_the_usual_port_need_none() -> None:
    assert "localhost" in own_hosts("127.0.0.1", 80)
    assert "localhost" not in own_hosts("127.0.0.1", 81)
    assert "[fe80::1]:81" in own_hosts("fe80::1", 81)


def test_loopback_is_told_from_other_addresses() -> None:
    assert all(map(is_loopback, ["127.0.0.1", "127.9.9.9", "::1", "localhost"]))
    assert not any(map(is_loopback, ["0.0.0.0", "::", "10.0.0.1", "box"]))  # noqa: S104


def test_a_ticket_is_worth_the_token_once() -> None:
    keys = Keys()
    ticket = str(keys.ticket)
    assert len(keys.token) >= 43  # 256 bits
    assert keys.exchanged("other") is None
    assert keys.exchanged("") is None
    assert keys.exchanged(ticket) == keys.token
    assert keys.exchanged(ticket) is None
    assert keys.exchanged("") is None


def test_only_the_page_keeps_the_server_awake() -> None:
    guard = Guard(application, Keys("secret", None), "127.0.0.1", PORT, frozenset())
    guard.last_asked = before = time.monotonic() - 10

    async def send(_: Any) -> None:
        pass

    def ask(token: bytes) -> None:
        headers = [(b"host", OWN.encode()), (b"x-curvewise-token", token)]
        scope = {"type": "http", "method": "GET", "path": "/files", "headers": headers}
        asyncio.run(guard(scope, None, send))  # type: ignore[arg-type]

    ask(b"wrong")
    assert guard.last_asked == before
    ask(b"secret")
    assert guard.last_asked > before
