"""Which files are logs, of which format, and which of them belong to the same run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from curvewise.data.steps import MAX_STEP
from curvewise.errors import CurvesError
from curvewise.readers.folders import Skipped
from curvewise.readers.logged import (
    UNREADABLE,
    LoggedRun,
    NoSuchStepsError,
    NotALogError,
    Wanted,
)
from curvewise.readers.logs import LOG_FORMATS
from curvewise.readers.parsing.recording import over_metric
from curvewise.readers.unlogged import unlogged
from curvewise.text import argument, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from curvewise.readers.folders import Folder, Walk
    from curvewise.readers.logged import Claim
    from curvewise.readers.logs import LogFormat

__all__ = ["FoundRun", "Home", "find_homes"]

FORMATS = {each.module_name: each for each in LOG_FORMATS}
EVENT_FILES = "tensorboard"
N_PARTS_NAMED = 2  # of the path of event files, the last ones, that may name a run


@dataclass
class Home:
    """The folder or file that stands for a run, or for several in a store.

    Attributes
    ----------
    path : Path
    folder : Folder
        The folder itself, or that of the file.
    logs : dict from module name to list of Claim
        The logs in it, by format, in the order in which formats are preferred.
    is_unlogged : bool
        Whether the run left no record; the formats are then those of a run like it.
    """

    path: Path
    folder: Folder
    logs: dict[str, list[Claim]] = field(default_factory=dict)
    is_unlogged: bool = False

    @property
    def formats(self) -> tuple[LogFormat, ...]:
        """The formats of the logs, the preferred one first."""
        return tuple(FORMATS[name] for name in self.logs)

    def take(self, other: Home) -> None:
        """Take the logs of another home, which are of the same run; those here go first."""
        for name, claims in other.logs.items():
            self.logs.setdefault(name, []).extend(claims)
        other.logs = {}

    def read(self, wanted: Wanted, skipped: list[Skipped]) -> list[FoundRun]:
        """Read the runs of this home; add to ``skipped`` the logs that cannot be read.

        What several formats say of one run is one run; the first that has a metric holds, and
        a log without the steps that are wanted is left out if another one has them. A home
        that holds a run which cannot be read is a run without points.
        """
        if self.is_unlogged:
            return [
                FoundRun(self, LoggedRun(), tuple(each.name for each in self.formats))
            ]
        runs: list[FoundRun] = []
        merged: FoundRun | None = None
        failed: list[Skipped] = []
        other_steps: list[Skipped] = []
        is_run = False
        for log_format in self.formats:
            claims = self.logs[log_format.module_name]
            try:
                for logged in _runs(log_format, claims, wanted):
                    if logged.key or logged.labels:
                        runs.append(FoundRun(self, logged, (log_format.name,)))
                    elif merged is None:
                        merged = FoundRun(self, logged, (log_format.name,))
                    else:
                        merged.add(logged, log_format.name)
            except CurvesError as error:
                is_run |= not isinstance(error, NotALogError)
                reason = str(error).removesuffix(".")
                has_others = wanted.x is not None and _can_be_read(log_format, claims)
                lost = Skipped(claims[0].files[0].path, reason)
                (other_steps if has_others else failed).append(lost)
        if merged is None or not merged.logged.series:
            failed += other_steps
        skipped += failed
        if merged is not None:
            merged.note(each.reason for each in failed)
            return [merged, *runs]
        if not runs and is_run:
            nothing = LoggedRun(status=UNREADABLE, notes=[each.reason for each in failed])
            return [FoundRun(self, nothing, tuple(each.name for each in self.formats))]
        return runs


def _can_be_read(log_format: LogFormat, claims: list[Claim]) -> bool:
    """Whether a log can be read by its usual steps."""
    try:
        list(log_format.read(claims, Wanted(metrics=frozenset())))
    except CurvesError:
        return False
    return True


@dataclass
class FoundRun:
    """A run that was read from a home: what all its logs say.

    Attributes
    ----------
    home : Home
    logged : LoggedRun
        Everything that its logs say, taken together.
    formats : tuple of str
        The formats of these logs.
    axes : dict from metric to str
        What the steps of each metric are.
    """

    home: Home
    logged: LoggedRun
    formats: tuple[str, ...]
    axes: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        run = self.logged
        self.axes = {name: series.x or run.x for name, series in run.series.items()}

    @property
    def place(self) -> tuple[Path, str]:
        """Where the run is: its home, and its name inside a store."""
        return self.home.path, self.logged.key

    @property
    def has_points(self) -> bool:
        """Whether there is a point of any metric that was read."""
        return any(len(series.steps) for series in self.logged.series.values())

    def note(self, notes: Iterable[str]) -> None:
        """Add notes that are not there yet."""
        self.logged.notes += [each for each in notes if each not in self.logged.notes]

    def add(self, other: LoggedRun, format_name: str) -> None:
        """Add what another log says of the same run."""
        own = self.logged
        for metric, series in other.series.items():
            if metric not in own.series:
                own.series[metric] = series
                self.axes[metric] = series.x or other.x
        own.config = {**other.config, **own.config}
        own.status = own.status or other.status
        self.note(other.notes)
        own.other_x = tuple(dict.fromkeys([*own.other_x, *other.other_x]))
        self.formats += (format_name,)


def _runs(
    log_format: LogFormat, claims: Sequence[Claim], wanted: Wanted
) -> Iterator[LoggedRun]:
    """Yield the runs of one home in a format.

    What is wanted as steps may also be a metric, such as the epoch that is logged beside the
    loss: then each record stands where that metric is at its step.
    """
    x, found = wanted.x, list[LoggedRun]()
    try:
        for run in log_format.read(claims, wanted):
            found.append(run)
    except NoSuchStepsError:
        if x is None:
            raise
        metrics = None if wanted.metrics is None else wanted.metrics | {x}
        again = list(log_format.read(claims, Wanted(metrics)))
        if all(x not in run.series for run in again):
            yield from found
            raise
        found = [over_metric(run, x) for run in again]
    for run in found:
        _check_steps(run)
        yield run


def _check_steps(run: LoggedRun) -> None:
    """Raise CurvesError if steps are so large that neighbours cannot be told apart."""
    for metric, series in run.series.items():
        if np.abs(series.steps).max(initial=0.0) >= MAX_STEP:
            msg = (
                f"The steps of {printable(metric)!r} go beyond 2^53, where neighbouring numbers "
                f"cannot be told apart: they may be time stamps. Choose others with "
                f"{argument('x')}."
            )
            raise CurvesError(msg)


def find_homes(walk: Walk) -> list[Home]:
    """Find the logs below the folders of a walk, and where each run is at home.

    Files that no format claims stay in their folders. The first file of a claim is what it is
    about, and is claimed once; others may be shared.
    """
    by_path = {folder.path: folder for folder in walk.folders}
    homes: dict[Path, Home] = {}
    for log_format in LOG_FORMATS:
        # A format may look at the folders around one, so that none is changed before all are seen.
        claims = [
            (folder, claim)
            for folder in walk.folders
            for claim in log_format.claims(folder)
        ]
        for folder, claim in claims:
            first = claim.files[0].path
            if first.name not in by_path[first.parent].files:
                continue  # claimed as part of a folder above
            for file in claim.files:
                owner = by_path.get(file.path.parent)
                if owner is not None:
                    owner.files.pop(file.path.name, None)
            home = homes.get(claim.home)
            if home is None:
                place = by_path.get(claim.home) or by_path.get(claim.home.parent)
                home = homes[claim.home] = Home(claim.home, place or folder)
            home.logs.setdefault(log_format.module_name, []).append(claim)
    _drop_repeats(homes)
    _join_tracked(homes)
    for claim, like in list(
        unlogged(walk, [home for home in homes.values() if home.logs])
    ):
        place = by_path.get(claim.home) or by_path[claim.home.parent]
        logs = {name: [claim] for name in like.logs}
        homes[claim.home] = Home(claim.home, place, logs, is_unlogged=True)
        for file in claim.files:
            place.files.pop(file.path.name, None)
    order = {folder.path: place for place, folder in enumerate(walk.folders)}
    return sorted(
        (home for home in homes.values() if home.logs),
        key=lambda home: order.get(home.folder.path, len(order)),
    )


def _drop_repeats(homes: dict[Path, Home]) -> None:
    """Take out logs that repeat another one of the same run, in its home or below it."""
    for home in list(homes.values()):
        for path in (home.path, *home.path.parents):
            above = homes.get(path)
            if above is None:
                continue
            for name in list(above.logs):
                for repeated in FORMATS[name].repeats:
                    if path != home.path or repeated != name:
                        home.logs.pop(repeated, None)


def _join_tracked(homes: dict[Path, Home]) -> None:
    """Bring together what a tracker wrote of a run and the other logs of the same run.

    These are files of the same id beside each other (the run was resumed), logs in the folder
    of the run, and the event files in the only folder that has its id or its name.
    """
    names: dict[Path, tuple[str, ...]] = {}
    first_of: dict[tuple[Path, str], Home] = {}
    for home in list(homes.values()):
        trackers = [each for each in home.formats if each.is_tracker]
        if not trackers:
            continue
        run_id, *others = trackers[0].names(home.logs[trackers[0].module_name])
        first = first_of.setdefault((home.path.parent, run_id), home)
        if first is not home:
            first.take(home)
        names[first.path] = (run_id, *others)
        for path in [path for path in homes if home.path in path.parents]:
            first.take(homes[path])
    called = Counter(name for found in names.values() for name in set(found))
    for path, found in names.items():
        same = [
            home
            for home in homes.values()
            if EVENT_FILES in home.logs
            and home.path not in names
            and not {*found}.isdisjoint(home.path.parts[-N_PARTS_NAMED:])
        ]
        if len(same) == 1 and any(
            called[name] == 1 for name in found if name in same[0].path.parts
        ):
            same[0].take(homes[path])
