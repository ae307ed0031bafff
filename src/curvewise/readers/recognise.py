"""Which files are logs, of which format, and which of them belong to the same run."""

from __future__ import annotations

import os
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from curvewise.data.checks import MAX_STEP
from curvewise.errors import CurvesError, refuse
from curvewise.readers.logs import LOG_FORMATS
from curvewise.readers.naming.config import is_configuration
from curvewise.readers.parsing.files import check_archive
from curvewise.readers.parsing.json_files import beginning, document
from curvewise.readers.parsing.series import over_metric
from curvewise.readers.walk import (
    HEAD_SIZE,
    UNREADABLE,
    Claim,
    LoggedRun,
    NoSuchStepsError,
    NotALogError,
    NotGivenError,
    Skipped,
    Wanted,
)
from curvewise.text import argument, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from curvewise.readers.logs import LogFormat
    from curvewise.readers.walk import File, Folder, Walk


NUMBER = re.compile(r"\d+")


def unlogged(walk: Walk, homes: Iterable[Home]) -> Iterator[tuple[Claim, Home]]:
    """Yield a claim for each run that stopped before its first record, and a home like it.

    The place of such a run differs only in numbers from that of a run with a log. It is an
    empty file; or a folder in which the log is empty, or which holds no log but a
    configuration of the same name. Only empty files are claimed.
    """
    alike: dict[str, Home] = {}
    used: set[Path] = set()
    folders_of_files: set[Path] = set()
    for home in homes:
        alike.setdefault(_shape(home.path, walk.root), home)
        used |= {home.path, *home.path.parents}
        if home.path != home.folder.path:
            folders_of_files.add(home.path.parent)
    for folder in walk.folders:
        if folder.path in folders_of_files:
            for file in _empty(folder):
                like = alike.get(_shape(file.path, walk.root))
                if like is not None:
                    yield Claim(file.path, (file,)), like
        if folder.path in used:
            continue
        like = alike.get(_shape(folder.path, walk.root))
        if like is None or like.path != like.folder.path:
            continue
        if any(file.refusal for file in folder.files.values()):
            continue
        names = {file.name for file in like.files}
        empty = tuple(file for file in _empty(folder) if file.name in names)
        if empty or not _settings(folder).isdisjoint(_settings(like.folder)):
            yield Claim(folder.path, empty), like


def _shape(path: Path, root: Path) -> str:
    """Return a path below the root in which all numbers are alike."""
    return NUMBER.sub("0", os.path.relpath(path, root))


def _empty(folder: Folder) -> list[File]:
    return [file for file in folder.files.values() if not file.head().strip() and not file.refusal]


def _settings(folder: Folder) -> set[str]:
    return {file.name for file in folder.files.values() if is_configuration(file.name)}


TEXTS = ("csv", "tsv", "txt", "dat")  # of which those that hold numbers are logs


def broken_logs(walk: Walk, homes: Iterable[Home]) -> Iterator[Skipped]:
    """Yield files that no home has, although they may be logs, and why.

    Text in UTF-16 that is too long to be read is said to be that. A log is cut before it can be
    recognised if training stops while it is written, and numbers that are damaged are no numbers.
    Such a file has the name of a log elsewhere, or the ending of a log in the same folder; where
    there is no log at all, what the system does not give may be one.
    """
    logs = [file for home in homes for file in home.files]
    names = {file.name for file in logs}
    endings = {(file.path.parent, _ending(file)) for file in logs}
    for folder in walk.folders:
        for file in folder.files.values():
            is_likely = file.name in names or (folder.path, _ending(file)) in endings
            if (is_likely or not logs) and not file.head() and file.refusal:
                reason = f"{file.path.name} cannot be read: {file.refusal}"
                yield Skipped(file.path, reason, is_lost=True)
            elif file.head().startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
                reason = f"{file.path.name} is text in UTF-16. Save it in UTF-8"
                yield Skipped(file.path, reason)
            elif is_likely:
                reason = _reason(file)
                if not reason and file.name in names and _ending(file) in TEXTS:
                    reason = f"{file.path.name} does not begin as the logs of that name do"
                if reason:
                    yield Skipped(file.path, reason)


def _ending(file: File) -> str:
    return file.name.rpartition(".")[2].lower()


def _reason(file: File) -> str:
    """Say why a file could not be recognised; nothing if it is whole, and something else."""
    if not file.size:
        return f"{file.path.name} is empty"
    try:
        if _ending(file) == "npz":
            check_archive(file)
        # It may be a short document that is cut; a long one shows what it is.
        is_short = _ending(file) == "json" and len(file.head()) < HEAD_SIZE
        if is_short and beginning(file) is not None:
            document(file)
    except CurvesError as error:
        return str(error).removesuffix(".")
    return ""


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

    @property
    def files(self) -> list[File]:
        """The files of all its logs."""
        return [file for claims in self.logs.values() for claim in claims for file in claim.files]

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
            return [self._run(LoggedRun())]
        found: list[FoundRun] = []
        failures: list[tuple[LogFormat, CurvesError]] = []
        for log_format in self.formats:
            runs = _runs(log_format, self.logs[log_format.module_name], wanted)
            try:
                found.extend(FoundRun(self, run, (log_format.name,)) for run in runs)
            except CurvesError as error:
                failures.append((log_format, error))
        stored = [run for run in found if run.is_stored]
        merged = [run for run in found if not run.is_stored]
        for other in merged[1:]:
            merged[0].add(other.logged, *other.formats)
        if merged and merged[0].logged.series and wanted.x is not None:
            failures = [own for own in failures if not self._has_other_steps(own[0])]
        reasons = [str(error).removesuffix(".") for _, error in failures]
        for (own, failure), reason in zip(failures, reasons, strict=True):
            path = self.logs[own.module_name][0].files[0].path
            skipped.append(Skipped(path, reason, isinstance(failure, NotGivenError)))
        if merged:
            merged[0].note(reasons)
        elif not stored and not all(
            isinstance(error, NotALogError | NotGivenError) for _, error in failures
        ):
            return [self._run(LoggedRun(status=UNREADABLE, notes=reasons))]
        return merged[:1] + stored

    def _run(self, logged: LoggedRun) -> FoundRun:
        return FoundRun(self, logged, tuple(each.name for each in self.formats))

    def _has_other_steps(self, log_format: LogFormat) -> bool:
        """Whether a log can be read by its usual steps."""
        try:
            list(log_format.read(self.logs[log_format.module_name], Wanted(metrics=frozenset())))
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
    def is_stored(self) -> bool:
        """Whether it is one of several in a store, so that no other log is of the same run."""
        return bool(self.logged.key or self.logged.labels)

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


def _runs(log_format: LogFormat, claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
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
            refuse(
                f"The steps of {printable(metric)!r} go beyond 2^53, where neighbouring numbers "
                f"cannot be told apart: they may be time stamps. Choose others with "
                f"{argument('x')}."
            )


def find_homes(walk: Walk) -> list[Home]:
    """Find the logs below the folders of a walk, and where each run is at home.

    Files that no format claims stay in their folders. The first file of a claim is what it is
    about, and is claimed once; others may be shared.
    """
    by_path = {folder.path: folder for folder in walk.folders}
    homes: dict[Path, Home] = {}
    for log_format in LOG_FORMATS:
        # A format may look at the folders around one, so that none is changed before all are seen.
        claims = []
        for folder in walk.folders:
            try:
                claims += [(folder, claim) for claim in log_format.claims(folder)]
            except NotGivenError as error:
                lost = Skipped(folder.path, str(error).removesuffix("."), is_lost=True)
                walk.skipped += {lost}.difference(walk.skipped)
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
    for claim, like in list(unlogged(walk, [home for home in homes.values() if home.logs])):
        place = by_path.get(claim.home) or by_path[claim.home.parent]
        logs = {name: [claim] for name in like.logs}
        homes[claim.home] = Home(claim.home, place, logs, is_unlogged=True)
        for file in claim.files:
            place.files.pop(file.path.name, None)
    order = {folder.path: place for place, folder in enumerate(walk.folders)}
    logged = [home for home in homes.values() if home.logs]
    return sorted(logged, key=lambda home: order.get(home.folder.path, len(order)))


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
        untracked = [home for home in homes.values() if home.path not in names]
        events = [home for home in untracked if EVENT_FILES in home.logs]
        same = [home for home in events if {*found} & {*home.path.parts[-N_PARTS_NAMED:]}]
        own = [name for name in found if called[name] == 1]
        if len(same) == 1 and not {*own}.isdisjoint(same[0].path.parts):
            same[0].take(homes[path])
