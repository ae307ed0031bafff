"""--cluster: send the work to dask or ray."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from curvewise.cli.streams import ignore_closed_pipes
from curvewise.errors import OptionError, needed_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["on_cluster"]

SECONDS_TO_ANSWER = 10.0


@contextmanager
def on_cluster(address: str | None) -> Iterator[None]:
    """Send work to a dask scheduler (``tcp://host:port``) or a ray cluster (``ray://…``)."""
    if address is None:
        yield
        return
    import joblib

    ignore_closed_pipes()  # a lost connection is then an error, which is handled
    name = "ray" if address.startswith("ray") else "dask"
    with needed_for(f"The cluster {address!r}", name, f"curvewise[{name}]"):
        try:
            close = _ray(address) if name == "ray" else _dask(address)
        except (OSError, ValueError, RuntimeError) as error:
            lines = str(error).strip().splitlines()
            reason = lines[0] if lines else type(error).__name__
            msg = f"No cluster answers at {address!r} ({reason}). Check that its scheduler runs."
            raise OptionError(msg, option="cluster") from None
    try:
        with joblib.parallel_config(name):
            yield
    finally:
        close()


def _dask(address: str) -> Callable[[], Any]:
    from distributed import Client

    client = Client(address, timeout=SECONDS_TO_ANSWER)  # type: ignore[no-untyped-call]
    close: Callable[[], Any] = client.close
    return close


def _ray(address: str) -> Callable[[], Any]:
    import ray
    from ray.util.joblib import register_ray

    ray.init(address=None if address == "ray" else address, log_to_driver=False)
    register_ray()  # type: ignore[no-untyped-call]
    close: Callable[[], Any] = ray.shutdown
    return close
