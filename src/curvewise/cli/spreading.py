"""Where long work is done, and how far it has come."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from curvewise.errors import OptionError
from curvewise.parallel import watched

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["on_cluster", "progress"]

PATIENCE = 1.0  # seconds before a bar is shown


@contextmanager
def progress() -> Iterator[None]:
    """Show a bar with the time left on a terminal, for work that takes over a second."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn("shuffling"),
        BarColumn(),
        TextColumn("{task.percentage:3.0f}%"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    started = time.monotonic()
    tasks: list[Any] = []

    def watcher(done: int, total: int) -> None:
        if not tasks:
            if time.monotonic() - started < PATIENCE or done == total:
                return
            bar.start()
            tasks.append(bar.add_task("", total=total))
        bar.update(tasks[0], completed=done, total=total)

    try:
        with watched(watcher):
            yield
    finally:
        bar.stop()


@contextmanager
def on_cluster(address: str | None) -> Iterator[None]:
    """Send work to a dask scheduler (``tcp://host:port``) or a ray cluster (``ray://…``)."""
    if address is None:
        yield
        return
    import joblib

    name = "ray" if address.startswith("ray") else "dask"
    try:
        close = _ray(address) if name == "ray" else _dask(address)
    except ImportError:
        msg = f"{address!r} needs {name}, which is not installed: pip install 'curvewise[{name}]'."
        raise OptionError(msg) from None
    except (OSError, ConnectionError, TimeoutError, ValueError, RuntimeError) as error:
        reason = (
            str(error).strip().splitlines()[0]
            if str(error).strip()
            else type(error).__name__
        )
        msg = f"No cluster answers at {address!r} ({reason}). Check that its scheduler runs."
        raise OptionError(msg) from None
    try:
        with joblib.parallel_config(name):
            yield
    finally:
        close()


def _dask(address: str) -> Any:
    from distributed import Client

    return Client(address, timeout="10s").close  # type: ignore[no-untyped-call]


def _ray(address: str) -> Any:
    import ray
    from ray.util.joblib import register_ray

    ray.init(address=None if address == "ray" else address, log_to_driver=False)
    register_ray()  # type: ignore[no-untyped-call]
    return ray.shutdown
