"""Which folders of event files belong to one run."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from curvewise.errors import CurvesError
from curvewise.readers.parsing.event_messages import event_messages, is_scalar
from curvewise.readers.parsing.parts import part_of
from curvewise.readers.parsing.protobuf_messages import text_of
from curvewise.readers.parsing.tfrecords import RecordFile, begins_with_record

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from curvewise.readers.folders import File, Folder
    from curvewise.readers.logged import Claim

__all__ = ["event_files", "first_events", "home_of", "key_of_scalars", "repeats_results"]

# add_hparams makes a folder that is named by the time, if the caller names none.
TIME_NAME = re.compile(r"\d{9,}\.\d+")
# What writers replace in tags, or in the folders that they name by them.
NO_NAME = re.compile(r"[^-.\w]")
MAX_RESULTS_SIZE = 100_000  # bytes of hyperparameters and of one value of each metric
HPARAMS_MARK = b"_hparams_/session_start_info"


def event_files(folder: Folder) -> list[File]:
    """Return the event files in a folder, in the order in which they were begun."""
    found = [file for file in folder.files.values() if _is_event_file(file)]
    return sorted(found, key=_order)


def _is_event_file(file: File) -> bool:
    """Whether a file is named as event files are, or somewhat like it and begins like one."""
    if file.name.startswith("events.out.tfevents"):
        return True
    return "tfevents" in file.name and begins_with_record(file.head())


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
    from google.protobuf.message import DecodeError

    parse = event_messages()["Event"].FromString
    for payload in RecordFile(file).first_payloads():
        try:
            yield parse(payload)
        except DecodeError:
            return


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
    if part_of(name) and (is_below_events or _is_apart(folder, above)):
        return above, f"{folder.path.name}/"
    if name.startswith("eval_") and is_below_events:
        return above, f"{folder.path.name}/"
    if is_below_events and _are_results(files):
        is_timed = TIME_NAME.fullmatch(name) is not None
        if is_timed or (_has_scalars(above) and not _has_parts(folder)):
            return above, ""
    return folder, ""


def _has_scalars(folder: Folder) -> bool:
    """Whether the event files in a folder begin with scalars, as those of a run may."""
    return any(
        is_scalar(value)
        for file in event_files(folder)
        for event in first_events(file)
        for value in event.summary.value
    )


def _has_parts(folder: Folder) -> bool:
    """Whether there are event files below a folder, as there are below Keras' runs."""
    return any(event_files(below) for below in folder.folders.values())


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
    tags = [tag for file in files for tag in _tags(file)]
    return len(tags) == len(set(tags))


def _tags(file: File) -> Iterator[bytes]:
    """Yield the tag of each value in a file, as far as its records can be read."""
    from google.protobuf.message import DecodeError

    parse = event_messages()["Event"].FromString
    with suppress(DecodeError, CurvesError):
        for payloads in RecordFile(file).batches():
            for payload in payloads:
                yield from (value.tag for value in parse(payload).summary.value)


def _run_of_scalars(folder: Folder, files: Sequence[File]) -> Folder | None:
    """Return the run that add_scalars wrote a folder for, if it did."""
    above = folder.parent
    while above is not None:
        if event_files(above):
            place = folder.path.relative_to(above.path).as_posix()
            tags = {
                text_of(value.tag)
                for event in first_events(files[0])
                for value in event.summary.value
            }
            if len(tags) == 1 and key_of_scalars(place, *tags):
                return above
        above = above.parent
    return None


def _is_apart(folder: Folder, above: Folder) -> bool:
    """Whether a folder named as a part of a run has no runs beside it, but other parts or none."""
    others = [other for other in above.folders.values() if other is not folder]
    if any(part_of(other.path.name) and event_files(other) for other in others):
        return True
    return not any(event_files(below) for other in others for below in other.tree())


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
