"""What the page can ask: its files, what they would be taken for, a comparison, its report."""

from __future__ import annotations

import json
import math
import secrets
import shutil
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, get_args
from urllib.parse import unquote

from curvewise.data.alignment_options import How, Policy
from curvewise.errors import CurvewiseError
from curvewise.reports.document import script
from curvewise.serve.files import MAX_NAME, TooLargeError, WrongKindError, unread
from curvewise.serve.guard import ADDRESS_NEEDED
from curvewise.serve.jobs import BusyError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
    from pathlib import Path

    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

    from curvewise.serve.files import Store
    from curvewise.serve.guard import Keys
    from curvewise.serve.jobs import Job, Jobs

    Answer = Callable[[Request], Awaitable[Response]]

__all__ = ["ASSETS", "PUBLIC", "Session", "application"]

MAX_QUESTION = 1_000_000  # bytes of JSON
MAX_DIGITS = 18  # of a length: more than any disk holds
# What the page does, from the top: each imports only those after it.
SCRIPTS = (
    "page",
    "comparing",
    "preview",
    "sending",
    "dropping",
    "state",
    "checking",
    "asking",
)
ASSETS = {
    "/": ("page.html", "text/html; charset=utf-8"),
    "/page.css": ("page.css", "text/css; charset=utf-8"),
    "/favicon.svg": ("favicon.svg", "image/svg+xml"),
    **{
        f"/{name}.js": (f"{name}.js", "text/javascript; charset=utf-8")
        for name in SCRIPTS
    },
}
PUBLIC = frozenset({*ASSETS, "/ticket"})
TEXTS = {"algorithm", "run", "step", "score", "block", "task", "reason"}
BAD, FORBIDDEN, MISSING, CONFLICT = 400, 403, 404, 409
LARGE, KIND, UNUSABLE = 413, 415, 422
STATUS = {TooLargeError: LARGE, WrongKindError: KIND, BusyError: CONFLICT}


class BadQuestionError(CurvewiseError):
    """What was asked is not a question of the page; ``status`` says in which way."""

    def __init__(self, message: str, status: int = BAD) -> None:
        super().__init__(message)
        self.status = status


@dataclass
class Session:
    """What the page works with, from its start to its end."""

    store: Store
    jobs: Jobs
    keys: Keys
    shuffling: Mapping[str, Any] = field(default_factory=dict)

    async def begin(
        self, asked: Mapping[str, Any], *, output: Path | None, number: str
    ) -> Job:
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
            return await self.jobs.start(
                number, task, gives_way=output is None, then=clear
            )
        except BusyError:
            clear()
            raise

    def _checked(self, asked: Mapping[str, Any]) -> tuple[list[str], dict[str, Any]]:
        """Return the files and the options of a question; refuse any others."""
        numbers, options = asked.get("files"), asked.get("options", {})
        if not isinstance(numbers, list) or not isinstance(options, dict):
            msg = "A question has a list of files and a mapping of options."
            raise BadQuestionError(msg)
        if not numbers:
            msg = "There is nothing to read: drop a file or a folder."
            raise BadQuestionError(msg, UNUSABLE)
        if any(number not in self.store.kept for number in map(str, numbers)):
            msg = "A file is not there any more. Drop it again."
            raise BadQuestionError(msg, MISSING)
        return list(map(str, numbers)), _options(options)


def _options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return options that `read` may be given; those left empty are left out."""
    options = {}
    for name, value in given.items():
        if value in (None, "", [], {}):
            continue
        if not _fits(name, value):
            msg = f"The option {name[:40]!r} is not one of the page, or its value is not."
            raise BadQuestionError(msg)
        options[name] = value
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
        return isinstance(value, int | float) and _is_finite(value)
    if name == "only":
        return isinstance(value, list) and all(map(_is_name, value))
    if name == "where":
        return isinstance(value, dict) and all(map(_is_name, value.values()))
    return name in TEXTS and _is_name(value)


def _is_finite(value: float) -> bool:
    try:
        return not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:  # an integer that no float is as large as
        return False


def _is_name(value: object) -> bool:
    return isinstance(value, str) and len(value) <= MAX_NAME


@cache
def page_policy() -> str:
    """Return what the page may load: its own files, and the report in a frame.

    A frame made of a blob inherits the policy of the page, so the script of reports is allowed
    by its hash here, and inline styles are, since those of a report depend on its colours. The
    report's own policy then allows nothing else in the frame.
    """
    import base64
    import hashlib

    digest = hashlib.sha256(script().encode("utf-8")).digest()
    rules = {
        "default-src": "'none'",
        "script-src": f"'self' 'sha256-{base64.b64encode(digest).decode('ascii')}'",
        "style-src": "'self' 'unsafe-inline'",
        "connect-src": "'self'",
        "img-src": "'self' data:",
        "frame-src": "blob:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


async def _json(request: Request) -> dict[str, Any]:
    """Read a question: one JSON object of at most a megabyte."""
    body = bytearray()
    async for block in request.stream():
        body += block
        if len(body) > MAX_QUESTION:
            msg = f"A question has at most {MAX_QUESTION:,} bytes."
            raise BadQuestionError(msg, LARGE)
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError):
        asked = None
    if not isinstance(asked, dict):
        msg = "A question is one JSON object."
        raise BadQuestionError(msg)
    return asked


def application(session: Session) -> Starlette:
    """Return the ASGI application, to be put behind a `Guard`."""
    from starlette.applications import Starlette
    from starlette.responses import JSONResponse
    from starlette.responses import Response as Plain
    from starlette.routing import Route

    store, jobs = session.store, session.jobs

    def told(answer: Answer) -> Answer:
        """Turn refusals into answers."""

        async def answered(request: Request) -> Response:
            try:
                return await answer(request)
            except CurvewiseError as error:
                status = getattr(error, "status", STATUS.get(type(error), UNUSABLE))
                headers = {"connection": "close"} if status == LARGE else None
                return JSONResponse({"message": str(error)}, status, headers)

        return answered

    async def asset(request: Request) -> Response:
        name, kind = ASSETS[request.url.path]
        content = (files("curvewise.serve") / "assets" / name).read_bytes()
        policy = {"content-security-policy": page_policy()}
        return Plain(content, media_type=kind, headers=policy)

    async def ticket(request: Request) -> Response:
        given = request.headers.get("x-curvewise-ticket", "")
        token = session.keys.exchanged(given)
        if token is None:
            raise BadQuestionError(ADDRESS_NEEDED, FORBIDDEN)
        return JSONResponse({"token": token})

    async def listing(_: Request) -> Response:
        # The page refuses what is too much before it sends it: a browser that is cut off while
        # it sends does not hear why.
        return JSONResponse(
            {
                "files": [_record(file) for file in store.kept.values()],
                "n_left": store.n_left,
                "size_left": store.limits.size - store.size,
                "too_many": str(store.limits.too_many()),
                "too_large": str(store.limits.too_large()),
            }
        )

    async def kinds(request: Request) -> Response:
        names = (await _json(request)).get("names")
        if not isinstance(names, list) or not all(isinstance(own, str) for own in names):
            msg = "The names are a list of texts."
            raise BadQuestionError(msg)
        return JSONResponse({"reasons": [unread(name[:MAX_NAME]) for name in names]})

    async def upload(request: Request) -> Response:
        name = unquote(request.headers.get("x-file-name", ""), errors="replace")
        if not name or len(name) > MAX_NAME:
            msg = f"A file needs a name of at most {MAX_NAME:,} letters."
            raise BadQuestionError(msg)
        length = request.headers.get("content-length")
        is_number = length is not None and length.isascii() and length.isdigit()
        announced = int(str(length)[:MAX_DIGITS]) if is_number else None
        file = await store.add(name, announced, request.stream())
        return JSONResponse(_record(file), 201)

    async def forget(request: Request) -> Response:
        numbers = (await _json(request)).get("files")
        if not isinstance(numbers, list):
            msg = "The files are a list of numbers."
            raise BadQuestionError(msg)
        store.remove(map(str, numbers))
        return JSONResponse({})

    async def preview(request: Request) -> Response:
        asked = await _json(request)
        job = await session.begin(asked, output=None, number=_number())
        async for _ in job.events():
            if await request.is_disconnected():
                await job.stop()
        state = job.state
        if "done" in state:
            return JSONResponse(state["done"])
        reason = (
            state.get("refused") or state.get("failed") or "Another question came first."
        )
        return JSONResponse({"message": reason}, UNUSABLE)

    async def begin(request: Request) -> Response:
        asked, number = await _json(request), _number()
        await session.begin(asked, output=place_of(number), number=number)
        for old in store.folder.glob("report-*.html"):
            old.unlink()  # the page has it, and can ask for the new one only
        return JSONResponse({"job": number}, 201)

    def place_of(number: str) -> Path:
        return store.folder / f"report-{number}.html"

    def job_of(request: Request) -> Job:
        try:
            return jobs[str(request.path_params["number"])]
        except KeyError:
            msg = "There is no such job any more."
            raise BadQuestionError(msg, MISSING) from None

    async def events(request: Request) -> Response:
        from starlette.responses import StreamingResponse

        job = job_of(request)

        async def lines() -> AsyncIterator[str]:
            async for state in job.events():
                # A line of nothing shows that the stream lives.
                yield ":\n\n" if state is None else f"data: {json.dumps(state)}\n\n"

        return StreamingResponse(lines(), media_type="text/event-stream")

    async def stop(request: Request) -> Response:
        await job_of(request).stop()
        return JSONResponse({})

    async def report(request: Request) -> Response:
        job = job_of(request)
        if "done" not in job.state:
            msg = "There is no report yet."
            raise BadQuestionError(msg, MISSING)
        return Plain(place_of(job.number).read_bytes(), media_type="text/html")

    def route(path: str, answer: Answer, *methods: str) -> Route:
        return Route(path, told(answer), methods=list(methods or ["GET"]))

    app = Starlette(
        routes=[
            *(route(path, asset) for path in ASSETS),
            route("/ticket", ticket, "POST"),
            route("/files", listing),
            route("/files", upload, "POST"),
            route("/files", forget, "DELETE"),
            route("/kinds", kinds, "POST"),
            route("/preview", preview, "POST"),
            route("/jobs", begin, "POST"),
            route("/jobs/{number}/events", events),
            route("/jobs/{number}/report", report),
            route("/jobs/{number}", stop, "DELETE"),
        ]
    )
    app.router.redirect_slashes = False
    return app


def _number() -> str:
    return str(secrets.randbits(64))


def _record(file: Any) -> dict[str, Any]:
    return {
        "number": file.number,
        "name": file.name,
        "size": file.size,
        "in_place": file.in_place,
    }
