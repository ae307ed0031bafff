"""Who may ask the page's server: nobody but the page itself, on this computer.

Each request is checked before anything else is looked at: its ``Host``, so that no other name
can be made to point here (DNS rebinding); its ``Origin`` and ``Sec-Fetch-Site``, so that no other
site can ask through the browser; and its token, which only the printed address holds. No answer
has a CORS header.
"""

from __future__ import annotations

import hmac
import ipaddress
import json
import secrets
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, MutableMapping

    Message = MutableMapping[str, Any]
    Receive = Callable[[], Awaitable[Message]]
    Send = Callable[[Message], Awaitable[None]]
    App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

__all__ = ["LOOPBACK", "Guard", "Keys", "is_loopback", "own_hosts"]

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
WILDCARDS = ("0.0.0.0", "::")  # noqa: S104 (refused as names, not bound to)
TOKEN_HEADER = b"x-curvewise-token"
TOKEN_BYTES = 32
HTTP_PORT = 80
FORBIDDEN, MISDIRECTED = 403, 421
HEADERS = {
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
}
ADDRESS_NEEDED = (
    "This page needs the whole address that curvewise serve printed, with all that follows "
    "the # sign. Open that address, or start curvewise serve again."
)


@dataclass
class Keys:
    """The token that every request needs, and a ticket that is exchanged for it once.

    The ticket is for the browser that curvewise itself opens: other people on the same
    computer can see the command line of a browser, but a used ticket is worth nothing.
    """

    token: str = field(default_factory=lambda: secrets.token_urlsafe(TOKEN_BYTES))
    ticket: str | None = field(default_factory=lambda: secrets.token_urlsafe(TOKEN_BYTES))

    def exchanged(self, ticket: str) -> str | None:
        """Return the token for the ticket, once; None for anything else."""
        expected, given = (self.ticket or "").encode(), ticket.encode()
        if not expected or not hmac.compare_digest(expected, given):
            return None
        self.ticket = None
        return self.token


def is_loopback(host: str) -> bool:
    """Whether an address or a name is that of this computer alone."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def own_hosts(host: str, port: int) -> frozenset[str]:
    """Return what ``Host`` may say: loopback, and the name that the server was given."""
    names = {*LOOPBACK}
    if host not in WILDCARDS:
        names.add(f"[{host}]" if ":" in host else host.lower())
    bare = names if port == HTTP_PORT else set()
    return frozenset({f"{name}:{port}" for name in names} | bare)


@dataclass
class Guard:
    """An ASGI application around another one, which only sees requests of the page.

    Attributes
    ----------
    app : ASGI application
    keys : Keys
    host : str
        The address that the server listens on.
    port : int
    public : frozenset of str
        The paths that can be read without a token: the page itself, which holds no data.
    last_asked : float
        When the page last asked, by `time.monotonic`.
    """

    app: App
    keys: Keys
    host: str
    port: int
    public: frozenset[str]
    last_asked: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self._hosts = own_hosts(self.host, self.port)

    async def __call__(
        self, scope: MutableMapping[str, Any], receive: Receive, send: Send
    ) -> None:
        """Answer one request, or refuse it."""
        if scope["type"] != "http":
            return  # neither web sockets nor start-up events are used
        refusal = self._refusal(scope)
        if refusal is not None:
            await _refuse(send, *refusal)
            return
        self.last_asked = time.monotonic()

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = _with_headers(message.get("headers", ()))
            await send(message)

        await self.app(scope, receive, send_guarded)

    def _refusal(self, scope: MutableMapping[str, Any]) -> tuple[int, str] | None:
        """Return the status and the reason for which a request is refused, if it is."""
        headers: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.lower(), []).append(value)
        hosts = [value.decode("latin-1").lower() for value in headers.get(b"host", ())]
        if len(hosts) != 1 or not self._is_own(hosts[0]):
            return MISDIRECTED, "This server answers to its own address only."
        origins = headers.get(b"origin", [])
        if any(own.decode("latin-1").lower() != f"http://{hosts[0]}" for own in origins):
            return FORBIDDEN, "Requests from other sites are refused."
        sites = headers.get(b"sec-fetch-site", [])
        if any(site not in {b"same-origin", b"none"} for site in sites):
            return FORBIDDEN, "Requests from other sites are refused."
        if scope["method"] == "OPTIONS":
            return FORBIDDEN, "Other sites get no leave to ask."
        if scope["path"] in self.public:
            return None
        tokens = headers.get(TOKEN_HEADER, [])
        if len(tokens) != 1 or not hmac.compare_digest(
            tokens[0], self.keys.token.encode()
        ):
            return FORBIDDEN, ADDRESS_NEEDED
        return None

    def _is_own(self, host: str) -> bool:
        """Whether ``Host`` names this server; on all interfaces any address may, but no name."""
        if host in self._hosts:
            return True
        name, _, port = host.rpartition(":")
        if self.host not in WILDCARDS or port != str(self.port):
            return False
        try:
            ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
        except ValueError:
            return False
        return True


def _with_headers(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Add what every answer says, unless it says otherwise itself."""
    own = list(headers)
    there = {name.lower() for name, _ in own}
    return own + [
        (name.encode(), value.encode())
        for name, value in HEADERS.items()
        if name.encode() not in there
    ]


async def _refuse(send: Send, status: int, message: str) -> None:
    body = json.dumps({"message": message}).encode()
    headers = _with_headers(
        [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
        ]
    )
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
