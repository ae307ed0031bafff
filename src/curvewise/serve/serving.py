"""The server: listens on this computer, says where, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from curvewise.errors import OptionError, needed_for
from curvewise.serve.files import Limits, Store
from curvewise.serve.guard import Guard, Keys
from curvewise.serve.jobs import GIGABYTE, Jobs
from curvewise.serve.routes import PUBLIC, Session, application
from curvewise.text import shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

__all__ = ["serve"]

HOUR = 3_600.0
IDLE_SECONDS = 8 * HOUR
SECONDS_TO_CLOSE = 2
SECONDS_BETWEEN_LOOKS = 5
KEEP_ALIVE_SECONDS = 5


def serve(
    paths: Sequence[Path] = (),
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    limits: Limits | None = None,
    memory: int = 4 * GIGABYTE,
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
    for path in paths:
        if not os.path.exists(path):  # noqa: PTH110 (unlike Path.exists it never raises)
            msg = f"There is no file or folder {str(path)!r}. Check the name and the folder."
            raise OptionError(msg)
    listening = _listening(host, port)
    port = listening.getsockname()[1]
    store, jobs, keys = Store(limits or Limits()), Jobs(memory), Keys()
    try:
        for path in paths:
            store.in_place(path)
        session = Session(
            store, jobs, keys, {"rng": 0, "n_jobs": -1, **(shuffling or {})}
        )
        guard = Guard(application(session), keys, host, port, PUBLIC)
        ended: list[str] = []

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
                http="h11",
                ws="none",
                lifespan="off",
                log_config=None,
                log_level="error",
                access_log=False,
                server_header=False,
                timeout_keep_alive=KEEP_ALIVE_SECONDS,
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
        msg = "--host is empty. Give it an address of this computer, such as 127.0.0.1."
        raise OptionError(msg, option="host")
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
        msg = f"The page cannot listen on {what}: {reason}. {advice}"
        raise OptionError(msg, option=option) from None
    return listening


def _own_address() -> int:
    """Return the option by which a port is ours alone, and can be had again at once.

    Windows lets others take a port that is shared by the option of other systems.
    """
    return getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR)


def _shown_host(host: str) -> str:
    if host in {"0.0.0.0", "::"}:  # noqa: S104 (compared, not bound to)
        return "127.0.0.1" if host == "0.0.0.0" else "[::1]"  # noqa: S104
    return f"[{host}]" if ":" in host else host


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

    names = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
    heard = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {own: signal.signal(own, end) for own in heard}
    try:
        yield
    finally:
        for own, handler in before.items():
            signal.signal(own, handler)
