"""The local page: who may ask, what can be asked, and the server that listens.

Nobody but the page itself may ask, on this computer. Each request is checked before anything else
is looked at: its ``Host``, so that no other name can be made to point here (DNS rebinding); its
``Origin`` and ``Sec-Fetch-Site``, so that no other site can ask through the browser; and its
token, which only the printed address holds. No answer has a CORS header.
"""

from __future__ import annotations

import hmac
import ipaddress
import json
import math
import os
import secrets
import shutil
import signal
import socket
import threading
import time
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, get_args
from urllib.parse import unquote

from curvewise.data.checks import as_float
from curvewise.data.tables import How, Policy
from curvewise.errors import CurvewiseError, needed_for, refuse
from curvewise.reports.composing import hashed, script
from curvewise.serve.work import MAX_NAME, BusyError, Jobs, Limits, Store, new_number, unread
from curvewise.text import shortened, words

if TYPE_CHECKING:
    from collections import abc
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

    from curvewise.serve.work import Job

    Message = abc.MutableMapping[str, Any]
    Receive = Callable[[], Awaitable[Message]]
    Send = Callable[[Message], Awaitable[None]]
    App = Callable[[Message, Receive, Send], Awaitable[None]]


LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
# Every address of the computer, and the one to show for it.
WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104 (refused as names, not bound to)
TOKEN_HEADER = b"x-curvewise-token"
TOKEN_BYTES = 32
HTTP_PORT = 80
FORBIDDEN, MISDIRECTED = 403, 421
HEADERS = {
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "connection": "close",  # one that waits for another question takes room for nothing
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
        if not self.ticket or not hmac.compare_digest(self.ticket.encode(), ticket.encode()):
            return None
        self.ticket = None
        return self.token


def is_loopback(host: str) -> bool:
    """Whether an address or a name is that of this computer alone."""
    try:
        return host.lower() == "localhost" or ipaddress.ip_address(host).is_loopback
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

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
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

    def _refusal(self, scope: Message) -> tuple[int, str] | None:
        """Return the status and the reason for which a request is refused, if it is."""
        headers: dict[bytes, list[bytes]] = defaultdict(list)
        for name, value in scope["headers"]:
            headers[name.lower()].append(value)
        hosts = [value.decode("latin-1").lower() for value in headers[b"host"]]
        if len(hosts) != 1 or not self._is_own(hosts[0]):
            return MISDIRECTED, "This server answers to its own address only."
        own = f"http://{hosts[0]}"
        foreign = any(own != origin.decode("latin-1").lower() for origin in headers[b"origin"])
        if foreign or set(headers[b"sec-fetch-site"]) - {b"same-origin", b"none"}:
            return FORBIDDEN, "Requests from other sites are refused."
        if scope["method"] == "OPTIONS":
            return FORBIDDEN, "Other sites get no leave to ask."
        if scope["path"] in self.public:
            return None
        tokens = headers[TOKEN_HEADER]
        if len(tokens) != 1 or not hmac.compare_digest(tokens[0], self.keys.token.encode()):
            return FORBIDDEN, ADDRESS_NEEDED
        return None

    def _is_own(self, host: str) -> bool:
        """Whether ``Host`` names this server; on all interfaces any address may, but no name."""
        if host in own_hosts(self.host, self.port):
            return True
        name, _, port = host.rpartition(":")
        try:
            ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
        except ValueError:
            return False
        return self.host in WILDCARDS and port == str(self.port)


def _with_headers(headers: abc.Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Add what every answer says, unless it says otherwise itself."""
    own = list(headers)
    there = {name.lower() for name, _ in own}
    every = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
    return own + [header for header in every if header[0] not in there]


async def _refuse(send: Send, status: int, message: str) -> None:
    body = json.dumps({"message": message}).encode()
    headers = _with_headers(
        [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    )
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


MAX_QUESTION = 1_000_000  # bytes of JSON
MAX_DIGITS = 18  # of a length: more than any disk holds
# What the page does, from the top: each imports only those after it.
SCRIPTS = words("page comparing preview sending dropping state checking asking")
ASSETS = {
    "/": ("page.html", "text/html; charset=utf-8"),
    "/page.css": ("page.css", "text/css; charset=utf-8"),
    "/favicon.svg": ("favicon.svg", "image/svg+xml"),
    **{f"/{name}.js": (f"{name}.js", "text/javascript; charset=utf-8") for name in SCRIPTS},
}
PUBLIC = frozenset({*ASSETS, "/ticket"})
TEXTS = words("algorithm run step score block task reason")
OK, CREATED, BAD, MISSING, LARGE, UNUSABLE = 200, 201, 400, 404, 413, 422


class BadQuestionError(CurvewiseError):
    """What was asked is not a question of the page; ``status`` says in which way."""

    status = BAD


def refuse_question(message: str, status: int = BAD) -> NoReturn:
    """Raise a refusal of what was asked."""
    error = BadQuestionError(message)
    error.status = status
    raise error


class Content(NamedTuple):
    """Bytes of a kind, with the policy of the page or that of every answer."""

    content: bytes
    kind: str
    policy: bool = True


@dataclass
class Session:
    """What the page works with, from its start to its end."""

    store: Store
    jobs: Jobs
    keys: Keys
    shuffling: Mapping[str, Any] = field(default_factory=dict)

    async def start(self, asked: Mapping[str, Any], *, output: Path | None, number: str) -> Job:
        """Start a process for what was asked: a report, or what would be taken for what."""
        numbers, options = self._checked(asked)
        folder, paths = self.store.laid_out(numbers)
        task = {
            "folder": None if folder is None else str(folder),
            "paths": paths,
            "options": options,
            "output": None if output is None else str(output),
            "shuffling": dict(self.shuffling),
            "size": self.store.limits.size,
        }

        def clear() -> None:
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)

        try:
            return await self.jobs.start(number, task, gives_way=output is None, then=clear)
        except BusyError:
            clear()
            raise

    def _checked(self, asked: Mapping[str, Any]) -> tuple[list[str], dict[str, Any]]:
        """Return the files and the options of a question; refuse any others."""
        numbers, options = asked.get("files"), asked.get("options", {})
        if not isinstance(numbers, list) or not isinstance(options, dict):
            refuse_question("A question has a list of files and a mapping of options.")
        if not numbers:
            refuse_question("There is nothing to read: drop a file or a folder.", UNUSABLE)
        if any(number not in self.store.kept for number in map(str, numbers)):
            refuse_question("A file is not there any more. Drop it again.", MISSING)
        return list(map(str, numbers)), _options(options)

    def asset(self, request: Request) -> Content:
        """Return a file of the page itself."""
        name, kind = ASSETS[request.url.path]
        return Content((files("curvewise.serve") / "assets" / name).read_bytes(), kind)

    def ticket(self, request: Request) -> dict[str, Any]:
        """Exchange a ticket for the token."""
        token = self.keys.exchanged(request.headers.get("x-curvewise-ticket", ""))
        if token is None:
            refuse_question(ADDRESS_NEEDED, FORBIDDEN)
        return {"token": token}

    def listing(self, _: Request) -> dict[str, Any]:
        """List the files, and say how much more is taken.

        The page refuses what is too much before it sends it: a browser that is cut off while it
        sends does not hear why.
        """
        store = self.store
        return {
            "files": [file.to_dict() for file in store.kept.values()],
            "n_left": store.n_left,
            "size_left": store.limits.size - store.size,
            "too_many": str(store.limits.too_many()),
            "too_large": str(store.limits.too_large()),
        }

    async def kinds(self, request: Request) -> dict[str, Any]:
        """Say which files are not read, and why."""
        names = (await _json(request)).get("names")
        if not isinstance(names, list) or not all(isinstance(own, str) for own in names):
            refuse_question("The names are a list of texts.")
        return {"reasons": [unread(name[:MAX_NAME]) for name in names]}

    async def upload(self, request: Request) -> dict[str, Any]:
        """Take a file."""
        name = unquote(request.headers.get("x-file-name", ""), errors="replace")
        if not name or len(name) > MAX_NAME:
            refuse_question(f"A file needs a name of at most {MAX_NAME:,} letters.")
        length = request.headers.get("content-length")
        is_number = length is not None and length.isascii() and length.isdigit()
        announced = int(str(length)[:MAX_DIGITS]) if is_number else None
        file = await self.store.add(name, announced, request.stream())
        return file.to_dict()

    async def forget(self, request: Request) -> dict[str, Any]:
        """Remove files."""
        numbers = (await _json(request)).get("files")
        if not isinstance(numbers, list):
            refuse_question("The files are a list of numbers.")
        self.store.remove(map(str, numbers))
        return {}

    async def preview(self, request: Request) -> dict[str, Any]:
        """Say what files would be taken for."""
        job = await self.start(await _json(request), output=None, number=new_number())
        async for _ in job.events():
            if await request.is_disconnected():
                await job.stop()
        state = job.state
        if "done" in state:
            return dict(state["done"])
        reason = state.get("refused") or state.get("failed") or "Another question came first."
        refuse_question(reason, UNUSABLE)

    async def begin(self, request: Request) -> dict[str, Any]:
        """Begin to compare."""
        asked, number = await _json(request), new_number()
        await self.start(asked, output=self._place_of(number), number=number)
        for old in self.store.folder.glob("report-*.html"):
            old.unlink()  # the page has it, and can ask for the new one only
        return {"job": number}

    def events(self, request: Request) -> AsyncIterator[str]:
        """Tell how far a comparison is."""
        job = self._job_of(request)

        async def lines() -> AsyncIterator[str]:
            async for state in job.events():
                # A line of nothing shows that the stream lives.
                yield ":\n\n" if state is None else f"data: {json.dumps(state)}\n\n"

        return lines()

    async def stop(self, request: Request) -> dict[str, Any]:
        """Stop a comparison."""
        await self._job_of(request).stop()
        return {}

    def report(self, request: Request) -> Content:
        """Return the report of a comparison."""
        job = self._job_of(request)
        if "done" not in job.state:
            refuse_question("There is no report yet.", MISSING)
        return Content(self._place_of(job.number).read_bytes(), "text/html", policy=False)

    def _place_of(self, number: str) -> Path:
        return self.store.folder / f"report-{number}.html"

    def _job_of(self, request: Request) -> Job:
        try:
            return self.jobs[str(request.path_params["number"])]
        except KeyError:
            refuse_question("There is no such job any more.", MISSING)


# Path, method, what answers, and with which status if it does not refuse.
ROUTES: list[tuple[str, str, Callable[..., Any], int]] = [
    *((path, "GET", Session.asset, OK) for path in ASSETS),
    ("/ticket", "POST", Session.ticket, OK),
    ("/files", "GET", Session.listing, OK),
    ("/files", "POST", Session.upload, CREATED),
    ("/files", "DELETE", Session.forget, OK),
    ("/kinds", "POST", Session.kinds, OK),
    ("/preview", "POST", Session.preview, OK),
    ("/jobs", "POST", Session.begin, CREATED),
    ("/jobs/{number}/events", "GET", Session.events, OK),
    ("/jobs/{number}/report", "GET", Session.report, OK),
    ("/jobs/{number}", "DELETE", Session.stop, OK),
]


def application(session: Session) -> Starlette:
    """Return the ASGI application, to be put behind a `Guard`."""
    from starlette.applications import Starlette
    from starlette.requests import ClientDisconnect
    from starlette.responses import JSONResponse, Response, StreamingResponse
    from starlette.routing import Route

    def told(answer: Callable[..., Any], status: int) -> Callable[[Request], Awaitable[Response]]:
        """Turn answers and refusals into responses."""

        async def answered(request: Request) -> Response:
            try:
                given = answer(session, request)
                found = await given if isawaitable(given) else given
            except CurvewiseError as error:
                refused = getattr(error, "status", UNUSABLE)
                return JSONResponse({"message": str(error)}, refused)
            except ClientDisconnect:  # a tab that was closed while it sent hears nothing
                return Response(status_code=BAD)
            if isinstance(found, dict):
                return JSONResponse(found, status)
            if isinstance(found, Content):
                headers = {"content-security-policy": page_policy()} if found.policy else None
                return Response(found.content, media_type=found.kind, headers=headers)
            return StreamingResponse(found, media_type="text/event-stream")

        return answered

    routes = [
        Route(path, told(answer, status), methods=[own]) for path, own, answer, status in ROUTES
    ]
    app = Starlette(routes=routes)
    app.router.redirect_slashes = False
    return app


def _options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return options that `read` may be given; those left empty are left out."""
    options = {name: value for name, value in given.items() if value not in (None, "", [], {})}
    for name, value in options.items():
        if not _fits(name, value):
            refuse_question(
                f"The option {name[:40]!r} is not one of the page, or its value is not."
            )
    return options


def _fits(name: str, value: Any) -> bool:
    """Whether the page may ask with this option and value."""
    if name == "higher_is_better":
        return isinstance(value, bool)
    if name == "short":
        return value in get_args(Policy)
    if name == "align":
        return value in get_args(How)
    if name in {"start", "stop"}:
        return math.isfinite(as_float(value))
    if name == "only":
        return isinstance(value, list) and all(map(_is_name, value))
    if name == "where":
        return isinstance(value, dict) and all(map(_is_name, value.values()))
    return name in TEXTS and _is_name(value)


def _is_name(value: object) -> bool:
    return isinstance(value, str) and len(value) <= MAX_NAME


@cache
def page_policy() -> str:
    """Return what the page may load: its own files, and the report in a frame.

    A frame made of a blob inherits the policy of the page, so the script of reports is allowed
    by its hash here, and inline styles are, since those of a report depend on its colours. The
    report's own policy then allows nothing else in the frame.
    """
    return (
        f"default-src 'none'; script-src 'self' {hashed(script())}; style-src 'self' "
        "'unsafe-inline'; connect-src 'self'; img-src 'self' data:; frame-src blob:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


async def _json(request: Request) -> dict[str, Any]:
    """Read a question: one JSON object of at most a megabyte."""
    body = bytearray()
    async for block in request.stream():
        body += block
        if len(body) > MAX_QUESTION:
            refuse_question(f"A question has at most {MAX_QUESTION:,} bytes.", LARGE)
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError):
        asked = None
    if not isinstance(asked, dict):
        refuse_question("A question is one JSON object.")
    return asked


HOUR = 3_600.0
IDLE_SECONDS = 8 * HOUR
SECONDS_TO_CLOSE = 2
SECONDS_BETWEEN_LOOKS = 5
SECONDS_TO_ASK = 10
# Far fewer than the files that a process may open by default (256 on macOS): where it may open
# no more, asyncio prints without end. No more than `BACKLOG` are taken at once.
MAX_CONNECTIONS, BACKLOG = 64, 32


def serve(
    paths: Sequence[Path] = (),
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    limits: Limits | None = None,
    memory: int = Jobs.memory,
    idle: float = IDLE_SECONDS,
    shuffling: Mapping[str, Any] | None = None,
    ready: Callable[[str, str], None] = lambda *_: None,
) -> str:
    """Show the page until it is interrupted or has not been used for long.

    Parameters
    ----------
    paths : sequence of Path
        Files and folders that the page shows at once, read where they are.
    host, port
        Where to listen; port 0 is any that is free.
    limits : Limits, optional
        Of what the page may be given.
    memory : int
        The bytes that a comparison may ask for.
    idle : float
        Seconds without a question or work after which the server ends.
    shuffling : mapping, optional
        Options of the questions, such as ``n_shuffles``.
    ready : function of two str
        Is called once the server listens, with the address that holds the token, and one for a
        browser that is started from here, which works once.

    Returns
    -------
    str
        Why it ended: "interrupted" or "idle".

    Raises
    ------
    OptionError
        If there is no such file, or nothing can listen there.
    MissingPackageError
        If starlette or uvicorn is not installed.
    """
    with needed_for("The local page", "starlette and uvicorn", "curvewise[serve]"):
        import starlette  # noqa: F401
        import uvicorn
        from uvicorn.protocols.http.h11_impl import H11Protocol
    for path in paths:
        if not os.path.exists(path):  # noqa: PTH110 (unlike Path.exists it never raises)
            refuse(f"There is no file or folder {str(path)!r}. Check the name and the folder.", "")
    listening = _listening(host, port)
    port = listening.getsockname()[1]
    store, jobs, keys = Store(limits or Limits()), Jobs(memory), Keys()
    try:
        for path in paths:
            store.in_place(path)
        session = Session(store, jobs, keys, {"rng": 0, "n_jobs": -1, **(shuffling or {})})
        guard = Guard(application(session), keys, host, port, PUBLIC)
        ended: list[str] = []

        class Connection(H11Protocol):
            def connection_made(self, transport: Any) -> None:
                super().connection_made(transport)
                self.loop.call_later(SECONDS_TO_ASK, self.close_unasked)
                others: Any = self.connections - {self}
                if len(others) >= MAX_CONNECTIONS:
                    for other in others:
                        other.close_unasked()

            def close_unasked(self) -> None:
                if not self.cycle:  # a question that is not whole is none
                    self.timeout_keep_alive_handler()

        class Server(uvicorn.Server):
            async def startup(self, sockets: list[socket.socket] | None = None) -> None:
                await super().startup(sockets)
                shown = f"http://{_shown_host(host)}:{port}/"
                ready(f"{shown}#token={keys.token}", f"{shown}#ticket={keys.ticket}")

            async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
                await jobs.close()  # first, so that streams end
                await super().shutdown(sockets)

            @contextmanager
            def capture_signals(self) -> Iterator[None]:
                with _ending_on_signals(self, ended):
                    yield

        async def look_at_the_clock() -> None:
            if not jobs.is_busy and time.monotonic() - guard.last_asked > idle:
                ended.append("idle")
                server.should_exit = True

        server = Server(
            uvicorn.Config(
                guard,
                http=Connection,
                backlog=BACKLOG,
                ws="none",
                lifespan="off",
                log_config=None,
                log_level="error",
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=SECONDS_TO_CLOSE,
                callback_notify=look_at_the_clock,
                timeout_notify=min(SECONDS_BETWEEN_LOOKS, int(idle)),
            )
        )
        server.run(sockets=[listening])
        return ended[0] if ended else "interrupted"
    finally:
        listening.close()
        store.close()


def _listening(host: str, port: int) -> socket.socket:
    """Return a socket that is bound; raise OptionError if it cannot be."""
    if not host:  # the system would take it for every address
        refuse("--host is empty. Give it an address of this computer, such as 127.0.0.1.", "host")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, _own_address(), 1)
    try:
        listening.bind((host, port))
        listening.listen()
    except (OSError, OverflowError, TypeError, ValueError) as error:
        listening.close()
        reason = (getattr(error, "strerror", None) or str(error)).rstrip(".")
        if port:
            what, option = f"port {port} of {host}", "port"
            advice = "Choose another with --port, or leave it out for one that is free."
        else:
            what, option = shortened(host), "host"
            advice = "Give --host an address of this computer, such as 127.0.0.1."
        refuse(f"The page cannot listen on {what}: {reason}. {advice}", option)
    return listening


def _own_address() -> int:
    """Return the option by which a port is ours alone, and can be had again at once.

    Windows lets others take a port that is shared by the option of other systems.
    """
    return getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR)


def _shown_host(host: str) -> str:
    return WILDCARDS.get(host, f"[{host}]" if ":" in host else host)


@contextmanager
def _ending_on_signals(server: Any, ended: list[str]) -> Iterator[None]:
    """Let interrupts end the server in order; a second one at once."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread hears signals
        return

    def end(*_: object) -> None:
        server.force_exit = server.should_exit
        server.should_exit = True
        ended.append("interrupted")

    names = words("SIGINT SIGTERM SIGHUP SIGQUIT SIGBREAK")
    heard = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {own: signal.signal(own, end) for own in heard}
    try:
        yield
    finally:
        for own, handler in before.items():
            signal.signal(own, handler)
