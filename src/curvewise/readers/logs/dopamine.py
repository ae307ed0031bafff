"""Dopamine's logs: pickles, which are claimed only to say why they are not read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from curvewise.errors import CurvesError
from curvewise.readers.logged import Claim

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from curvewise.readers.folders import Folder
    from curvewise.readers.logged import LoggedRun, Wanted

__all__ = ["claims", "read"]

LOG = re.compile(r"log_\d+")
# The first byte of a pickle, and its protocol.
PICKLE = re.compile(rb"\x80[\x02-\x05]")


def claims(folder: Folder) -> Iterator[Claim]:
    """Yield a claim on the pickles ``log_N`` of a run; its home is the folder above ``logs``."""
    logs = [
        file
        for file in folder.files.values()
        if LOG.fullmatch(file.name) and PICKLE.match(file.head())
    ]
    # The last one holds all iterations; it is the one to load.
    logs.sort(key=lambda file: int(file.name.removeprefix("log_")), reverse=True)
    if logs:
        has_own_folder = folder.path.name == "logs" and folder.parent is not None
        yield Claim(folder.path.parent if has_own_folder else folder.path, tuple(logs))


def read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:  # noqa: ARG001
    """Raise CurvesError: a pickle can run any code when it is loaded."""
    name = claims[0].files[0].path.name
    msg = (
        f"{name} is a pickle, as Dopamine writes it, which is not read because it could run "
        "code. If you trust it, load it with pickle.load and save the returns per iteration as "
        "a CSV with the columns algorithm, run, step and score."
    )
    raise CurvesError(msg)
