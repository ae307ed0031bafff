"""TensorBoard event files, whoever wrote them, and the JSON that tensorboardX exports of them."""

from __future__ import annotations

import itertools
import re
from array import array
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.errors import CurvesError
from curvewise.readers.parsing.events import (
    CONFIG_MARKS,
    RecordFile,
    begins_with_record,
    damage_note,
    event_messages,
    hyperparameters,
    is_scalar,
    number_in,
    text_config,
    text_of,
)
from curvewise.readers.parsing.files import damaged
from curvewise.readers.parsing.json_files import as_number, beginning, document
from curvewise.readers.parsing.series import Recorder, chosen_x, part_of
from curvewise.readers.walk import SINGLE, Claim, LoggedRun, Series, counts_episodes
from curvewise.text import plural, step_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from curvewise.readers.walk import File, Folder, Wanted


# Which folders of event files belong to one run.

# add_hparams makes a folder that is named by the time, if the caller names none.
TIME_NAME = re.compile(r"\d{9,}\.\d+")
# What writers replace in tags, or in the folders that they name by them.
NO_NAME = re.compile(r"[^-.\w]")
MAX_RESULTS_SIZE = 100_000  # bytes of hyperparameters and of one value of each metric
HPARAMS_MARK = b"_hparams_/session_start_info"


def event_files(folder: Folder) -> list[File]:
    """Return the event files in a folder, in the order in which they were begun."""
    named = folder.files_that(lambda file: "tfevents" in file.name)
    usual = "events.out.tfevents"
    found = [f for f in named if f.name.startswith(usual) or begins_with_record(f.head())]
    return sorted(found, key=_order)


def _order(file: File) -> tuple[float, int, str]:
    """Return when a file was begun, and the counter of its writer, as its name tells."""
    _, _, rest = file.name.partition("tfevents")
    numbers = [int(part) for part in rest.split(".") if part.isdecimal()]
    if not numbers:
        begun = next((event.wall_time for event in first_events(file)), 0.0)
        return begun, -1, file.name
    return numbers[0], numbers[-1] if len(numbers) > 1 else -1, file.name


def first_events(file: File) -> Iterator[Any]:
    """Yield the events in the first bytes of a file, as far as they are whole."""
    yield from _events(RecordFile(file).first_payloads())


def first_values(file: File) -> Iterator[Any]:
    """Yield the values of the summaries in the first bytes of a file."""
    for event in first_events(file):
        yield from event.summary.value


def _events(payloads: Iterable[bytes]) -> Iterator[Any]:
    """Yield the events in payloads, up to the first that is damaged."""
    from google.protobuf.message import DecodeError

    with suppress(DecodeError):
        yield from map(event_messages()["Event"].FromString, payloads)


def home_of(folder: Folder, files: Sequence[File]) -> tuple[Folder, str]:
    """Return the folder of the run that event files belong to, and what goes before their tags.

    A folder below another one with event files may be a run of its own: only its name and what
    it holds tell that it is a part of the run above.
    """
    above = folder.parent
    if above is None:
        return folder, ""
    run = _run_of_scalars(folder, files)
    if run is not None:
        return run, ""
    name = folder.path.name.lower()
    is_below_events = bool(event_files(above))
    is_named = part_of(name) or name.startswith("eval_")
    if (is_named and is_below_events) or (part_of(name) and _is_apart(folder)):
        return above, f"{folder.path.name}/"
    if is_below_events and _are_results(files):
        is_timed = TIME_NAME.fullmatch(name) is not None
        # There are event files below Keras' runs.
        has_parts = any(map(event_files, folder.folders.values()))
        if is_timed or (_has_scalars(above) and not has_parts):
            return above, ""
    return folder, ""


def _has_scalars(folder: Folder) -> bool:
    """Whether the event files in a folder begin with scalars, as those of a run may."""
    return any(is_scalar(value) for file in event_files(folder) for value in first_values(file))


def _are_results(files: Sequence[File]) -> bool:
    """Whether files are those of add_hparams, with one value of each metric.

    Its folder is named by the time, unless the caller names it.
    """
    if not any(HPARAMS_MARK in file.head() for file in files):
        return False
    if TIME_NAME.fullmatch(files[0].path.parent.name):
        return True
    if any(file.size > MAX_RESULTS_SIZE for file in files):
        return False
    tags = []
    for file in files:
        with suppress(CurvesError):
            payloads = itertools.chain.from_iterable(RecordFile(file).batches())
            tags += [value.tag for event in _events(payloads) for value in event.summary.value]
    return len(tags) == len(set(tags))


def _run_of_scalars(folder: Folder, files: Sequence[File]) -> Folder | None:
    """Return the run that add_scalars wrote a folder for, if it did."""
    above = folder.parent
    while above is not None:
        if event_files(above):
            place = folder.path.relative_to(above.path).as_posix()
            tags = {text_of(value.tag) for value in first_values(files[0])}
            if len(tags) == 1 and key_of_scalars(place, *tags):
                return above
        above = above.parent
    return None


def _is_apart(folder: Folder) -> bool:
    """Whether a folder named as a part of a run has no runs beside it, but other parts or none."""
    if any(part_of(other.path.name) and event_files(other) for other in folder.beside):
        return True
    return not any(event_files(below) for other in folder.beside for below in other.tree())


def key_of_scalars(place: str, tag: str) -> str:
    """Return the key of a curve that add_scalars wrote, from its place below the run; or nothing.

    torch writes to TAG_key, tensorboardX to TAG/key.

    >>> key_of_scalars("eval_loss_adam", "eval/loss"), key_of_scalars("loss/sgd", "loss")
    ('adam', 'sgd')
    """
    begin = NO_NAME.sub("_", tag) + "_"
    return place[len(begin) :] if NO_NAME.sub("_", place).startswith(begin) else ""


def repeats_results(claim: Claim) -> bool:
    """Whether files are those of add_hparams, which repeat how metrics ended."""
    return claim.files[0].path.parent != claim.home and _are_results(claim.files)


# TensorBoard event files, whoever wrote them: torch, tensorboardX, TensorFlow, Keras, CLU.
#
# Read without TensorBoard, whose reader keeps 10,000 points of a metric unless told otherwise,
# leaves out the scalars that TensorFlow 2 writes (tensors), and takes eight times as long.

PLACEHOLDER = ("hp_metric", -1.0)  # Lightning logs it so that hyperparameters are shown
ITERATIONS = "_vs_iterations"  # Keras counts these evaluations so, all else in epochs
SESSION_START = 1
# A record that begins a session is no longer than this; it holds no tag to look for.
MAX_SESSION_LOG_SIZE = 24


def claims(folder: Folder) -> Iterator[Claim]:
    """Yield a claim on the event files in a folder.

    They are a run of their own, or a part of the run in the folder above.
    """
    files = event_files(folder)
    if files:
        home, prefix = home_of(folder, files)
        yield Claim(home.path, tuple(files), prefix)


def read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the run in one home: each tag is a metric.

    Files are read in the order in which they were begun, each as a session of its own. Raises
    CurvesError if no file is whole enough to be read.
    """
    x, other_x = chosen_x(wanted, ("step", "time"))
    run = _Reading(wanted, by_time=x == "time")
    own = [claim for claim in claims if not repeats_results(claim)]
    for claim in [*own, *(claim for claim in claims if claim not in own)]:
        run.read_claim(claim, is_summary=claim not in own)
    if run.unreadable and not run.n_readable:
        raise run.unreadable[0]
    status = "failed" if run.has_failed else ""
    yield LoggedRun(run.series(), x, other_x, config=run.config, status=status, notes=run.notes)


class _Records:
    """The records of one metric; ``sessions`` are told when a session ends."""

    def __init__(self) -> None:
        self.steps, self.scores, self.times = array("q"), array("d"), array("d")
        self.sessions = array("q")
        self.precision = 0.0

    def close(self, session: int) -> None:
        """End the session."""
        self.sessions.extend([session] * (len(self.steps) - len(self.sessions)))

    def drop_from(self, step: int) -> int:
        """Drop what is there at a step and after it; return how much that is."""
        early = np.array(self.steps) < step
        for name, column in vars(self).items():
            if isinstance(column, array) and column:
                setattr(self, name, array(column.typecode, np.array(column)[early]))
        return len(early) - len(self.steps)


class _Reading:
    """A run while its files are read."""

    def __init__(self, wanted: Wanted, *, by_time: bool) -> None:
        self.config: dict[str, Any] = {}
        self.has_failed = False
        self.notes: list[str] = []
        self.unreadable: list[CurvesError] = []
        self.n_readable = 0
        self._wanted = wanted
        self._by_time = by_time
        self._metrics: dict[str, _Records] = {}
        self._session = 0
        self._begun = np.inf

    def read_claim(self, claim: Claim, *, is_summary: bool) -> None:
        """Read the files of a claim; of a summary only the metrics that are not there yet."""
        metrics: dict[str, _Records] = {}
        # Tags below the run may be named by their folder; there are few.
        folder = claim.files[0].path.parent
        is_below = folder != claim.home and not claim.prefix
        place = folder.relative_to(claim.home).as_posix() if is_below else ""

        def records_of(tag: str) -> _Records | None:
            key = key_of_scalars(place, tag) if place else ""
            metric = f"{tag}/{key}" if key else claim.prefix + tag
            if metric not in self._wanted or (is_summary and metric in self._metrics):
                return None
            return metrics.setdefault(metric, self._metrics.get(metric) or _Records())

        is_kept = None if is_below else _tag_filter(self._wanted, claim.prefix)
        for file in claim.files:
            try:
                self._read_file(file, is_kept, records_of, metrics)
            except CurvesError as error:
                self.unreadable.append(error)
                self.notes.append(str(error).removesuffix("."))
            else:
                self.n_readable += 1
            finally:
                for records in metrics.values():
                    records.close(self._session)
        self._metrics.update(metrics)

    def _read_file(
        self,
        file: File,
        is_kept: Callable[[bytes], object] | None,
        records_of: Callable[[str], _Records | None],
        metrics: dict[str, _Records],
    ) -> None:
        """Read one file as a session.

        Raises CurvesError if it cannot be opened, or not even its first record be read.
        """
        from google.protobuf.message import DecodeError

        frames = RecordFile(file, is_kept)
        parse = event_messages()["Event"].FromString
        tags: dict[bytes, _Records | None] = {}
        by_time, n_damaged = self._by_time, 0
        self._session += 1
        if by_time:
            first = (event.wall_time for event in first_events(file))
            self._begun = min(self._begun, next(first, np.inf))
        for payloads in frames.batches():
            for payload in payloads:
                try:
                    event = parse(payload)
                except DecodeError:
                    n_damaged += 1
                    continue
                values = event.summary.value
                if not values:
                    self._begin(event, metrics)
                    continue
                step = event.step
                for value in values:
                    tag = value.tag
                    try:
                        records = tags[tag]
                    except KeyError:
                        # A histogram may have the tag of a scalar that comes later.
                        if not is_scalar(value):
                            self._configure(value)
                            continue
                        records = tags[tag] = records_of(text_of(tag))
                    if records is None:
                        continue
                    score = value.simple_value
                    # A field that is not there reads as 0.
                    if not score and not value.HasField("simple_value"):
                        found = number_in(value.tensor)
                        if found is None:
                            continue
                        score, precision = found
                        records.precision = max(records.precision, precision)
                    elif not records.precision:
                        records.precision = SINGLE
                    records.steps.append(step)
                    records.scores.append(score)
                    if by_time:
                        records.times.append(event.wall_time)
        if frames.is_damaged and not frames.n_records:
            raise damaged(file, "its first record cannot be read")
        if n_damaged:
            frames.notes.append(damage_note(n_damaged, file.path.name))
        self.notes += frames.notes

    def _begin(self, event: Any, metrics: dict[str, _Records]) -> None:
        """Begin a session if an event, one without a summary, says so."""
        if event.session_log.status != SESSION_START:
            return
        # The writer was told at which step it goes on: what is there from this step is void.
        n_void = 0
        for records in metrics.values():
            records.close(self._session)
            n_void += records.drop_from(event.step)
        self._session += 1
        if n_void:
            self.notes.append(
                f"the run was resumed at step {step_text(event.step)}, as its log says, and "
                f"{plural(n_void, 'earlier record')} from this step on left out"
            )

    def _configure(self, value: Any) -> None:
        """Take the configuration that a summary value holds, if it holds one."""
        from google.protobuf.message import DecodeError

        plugin, tag = value.metadata.plugin_data, text_of(value.tag)
        if plugin.plugin_name == b"hparams":
            try:
                config, has_failed = hyperparameters(plugin.content)
            except DecodeError:
                self.notes.append(f"the hyperparameters under {tag!r} are damaged")
                return
            self.config.update(config)
            self.has_failed |= has_failed
        elif plugin.plugin_name == b"text":
            for text in value.tensor.string_val:
                self.config.update(text_config(tag, text_of(text)))

    def series(self) -> dict[str, Series]:
        """Return the series of each metric that has a record."""
        found = {}
        for metric, records in self._metrics.items():
            steps, scores = np.array(records.steps, np.float64), np.array(records.scores)
            if self._by_time:
                steps = np.array(records.times)
                steps -= min(self._begun, steps.min(initial=np.inf))
            tag, placeholder = PLACEHOLDER
            kept = (scores != placeholder) | (metric.rpartition("/")[2] != tag)
            if kept.any():
                x = "iteration" if metric.endswith(ITERATIONS) and not self._by_time else ""
                about = np.array(records.sessions), counts_episodes(metric), records.precision, x
                found[metric] = Series(steps, scores, *about).rows(kept)
        return found


def _tag_filter(wanted: Wanted, prefix: str) -> Callable[[bytes], object] | None:
    """Return whether a payload may hold a wanted tag or something other than scalars.

    A search in its bytes takes a fifth of the time that decoding it does.
    """
    if wanted.metrics is None:
        return None
    tags = {metric.removeprefix(prefix) for metric in wanted.metrics}
    marks = [*(tag.encode() for tag in tags), *CONFIG_MARKS]
    search = re.compile(b"|".join(map(re.escape, marks))).search
    return lambda payload: len(payload) <= MAX_SESSION_LOG_SIZE or search(payload)


# The JSON that tensorboardX exports: {path/tag: [[time, step, value], …]}.
#
# It repeats the event files of its folder, and is read only where there are none.

NAME = "all_scalars.json"
STEP, TIME = "step", "time"


def export_claims(folder: Folder) -> Iterator[Claim]:
    """Yield a claim on the export of a folder, also if it is empty."""
    for file in folder.files.values():
        start: Any = beginning(file) if file.name.lower().endswith(".json") else None
        if file.name == NAME or (_is_export(start, is_cut=True) and any(start.values())):
            yield Claim(folder.path, (file,))


def _is_export(start: Any, *, is_cut: bool = False) -> bool:
    """Whether a document has lists of a time stamp, a step and a value.

    Of a document that is cut, only the first of each list is looked at.
    """
    return isinstance(start, dict) and all(
        isinstance(points, list) and all(map(_is_point, points[:1] if is_cut else points))
        for points in start.values()
    )


def _is_point(point: Any) -> bool:
    if not isinstance(point, list) or len(point) != 3:
        return False
    # Times are seconds since 1970.
    return (as_number(point[0]) or 0) > 1e8 and as_number(point[1]) is not None


def export_runs(file: File, wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the run of an export, unless event files beside it hold the same."""
    if any(file.path.parent.glob("*tfevents*")):
        return
    x, others = chosen_x(wanted, [STEP, TIME])
    found = document(file)
    if not _is_export(found):
        raise damaged(file, "it holds more than times, steps and values")
    names = _short_tags(list(found))
    recorder = Recorder()
    starts = [points[0][0] for points in found.values() if points]
    for key, points in found.items():
        for time, step, value in points if names[key] in wanted else ():
            at = float(step) if x == STEP else time - min(starts)
            recorder.add(names[key], at, as_number(value))
    yield LoggedRun(recorder.series(), x, others)


def _short_tags(keys: list[str]) -> dict[str, str]:
    """Return the tag of each key, without the folder that all keys begin with."""
    parts = [key.split("/")[:-1] for key in keys]
    shared = itertools.takewhile(lambda names: len(set(names)) == 1, zip(*parts, strict=False))
    n_shared = len([*shared]) if len(keys) > 1 else 0
    return {key: "/".join(key.split("/")[n_shared:]) for key in keys}
