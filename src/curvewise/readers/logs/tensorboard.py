"""TensorBoard event files, whoever wrote them: torch, tensorboardX, TensorFlow, Keras, CLU.

Read without TensorBoard, whose reader keeps 10,000 points of a metric unless told otherwise,
leaves out the scalars that TensorFlow 2 writes (tensors), and takes eight times as long.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.errors import CurvesError
from curvewise.readers.logged import (
    SINGLE,
    Claim,
    LoggedRun,
    Series,
    counts_episodes,
)
from curvewise.readers.parsing.event_folders import (
    event_files,
    first_events,
    home_of,
    key_of_scalars,
    repeats_results,
)
from curvewise.readers.parsing.event_messages import (
    CONFIG_MARKS,
    event_messages,
    hyperparameters,
    is_scalar,
    number_in,
    text_config,
)
from curvewise.readers.parsing.protobuf_messages import text_of
from curvewise.readers.parsing.recording import chosen_x
from curvewise.readers.parsing.tfrecords import RecordFile, damage_note
from curvewise.text import plural, step_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from curvewise.kernels import Floats
    from curvewise.readers.folders import File, Folder
    from curvewise.readers.logged import Wanted

__all__ = ["claims", "read"]

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
        raise CurvesError(run.unreadable[0])
    yield LoggedRun(
        series=run.series(),
        x=x,
        other_x=other_x,
        config=run.config,
        status="failed" if run.has_failed else "",
        notes=run.notes,
    )


@dataclass
class _Records:
    """The records of one metric: those of the session under way, and those before."""

    steps: array[int] = field(default_factory=lambda: array("q"))
    scores: array[float] = field(default_factory=lambda: array("d"))
    times: array[float] = field(default_factory=lambda: array("d"))
    sessions: list[tuple[int, Floats, Floats, Floats]] = field(default_factory=list)
    precision: float = 0.0

    def close(self, session: int) -> None:
        """End the session."""
        if self.steps:
            columns = (self.steps, self.scores, self.times)
            steps, scores, times = (np.array(column, dtype=float) for column in columns)
            self.sessions.append((session, steps, scores, times))
            for column in columns:
                del column[:]

    def drop_from(self, step: int) -> int:
        """Drop what earlier sessions have at a step and after it; return how much that is."""
        before = sum(len(steps) for _, steps, _, _ in self.sessions)
        kept = []
        for session, steps, scores, times in self.sessions:
            early = steps < step
            kept.append(
                (
                    session,
                    steps[early],
                    scores[early],
                    times[early] if times.size else times,
                )
            )
        self.sessions = kept
        return before - sum(len(steps) for _, steps, _, _ in kept)


class _Reading:
    """A run while its files are read."""

    def __init__(self, wanted: Wanted, *, by_time: bool) -> None:
        self.config: dict[str, Any] = {}
        self.has_failed = False
        self.notes: list[str] = []
        self.unreadable: list[str] = []
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
                self.unreadable.append(str(error))
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
            msg = f"{file.path.name} is damaged: its first record cannot be read."
            raise CurvesError(msg)
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
            if not records.sessions:
                continue
            numbers, *columns = zip(*records.sessions, strict=True)
            steps, scores, times = map(np.concatenate, columns)
            sessions = np.repeat(numbers, [len(part) for part in columns[0]])
            if self._by_time:
                steps = times - min(self._begun, times.min(initial=np.inf))
            kept = np.ones(len(steps), dtype=bool)
            if metric.rpartition("/")[2] == PLACEHOLDER[0]:
                kept = scores != PLACEHOLDER[1]
            if kept.any():
                in_iterations = metric.endswith(ITERATIONS) and not self._by_time
                found[metric] = Series(
                    steps[kept],
                    scores[kept],
                    sessions[kept],
                    counts_episodes(metric),
                    records.precision,
                    "iteration" if in_iterations else "",
                )
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
