"""Interrupted work goes on with the digits it would have had; other files are refused."""

from __future__ import annotations

import json
import os
import pickle
import zipfile
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import joblib
import numpy as np
import pytest

from curvewise import (
    Comparison,
    Comparisons,
    Curves,
    CurvesError,
    CurvewiseError,
    OptionError,
    compare,
    compare_many,
    locate,
)
from curvewise.inference import work
from curvewise.inference import work as sampling
from curvewise.inference.work import open_checkpoint
from curvewise.questions.compare import method
from curvewise.questions.compare.method import Overall, WelchStatistic
from curvewise.questions.locate.method import StepScan
from curvewise.shuffling import checkpoint as checkpoints
from curvewise.shuffling import visit as planning
from curvewise.shuffling.checkpoint import Checkpoint, fingerprint
from curvewise.shuffling.visit import FIRST_LOOK, reporting_progress
from tests.questions.resuming import Chunks, Interrupted
from tests.simulation import some_curves

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from curvewise.inference.result import Result

CURVES = some_curves(3, (12, 12))
TABLES = {name: some_curves(seed, (7, 7, 6)) for seed, name in enumerate("abc")}
SAMPLED: dict[str, Any] = {"exact": False, "rng": 11}

# Each question, as much as it must shuffle to have several chunks, and a rule that stops.
QUESTIONS: dict[str, Callable[..., Result]] = {
    "compare": partial(compare, CURVES, n_shuffles=20_000, **SAMPLED),
    "compare, compiled": partial(compare, CURVES, n_shuffles=300_000, **SAMPLED),
    "compare, all": partial(compare, some_curves(3, (10, 10)), exact=True),
    "compare, auto": partial(compare, some_curves(40, (12, 12)), n_shuffles="auto", **SAMPLED),
    "compare, precise": partial(
        compare, some_curves(1, (6, 6, 6)), n_shuffles="precise", **SAMPLED
    ),
    "compare, unequal": partial(compare, CURVES, spread="unequal", n_shuffles=20_000, **SAMPLED),
    "locate": partial(locate, CURVES, n_shuffles=6_000, n_resamples=99, **SAMPLED),
    "locate, all": partial(locate, some_curves(2, (7, 7)), exact=True, n_resamples=0),
    "locate, auto": partial(
        locate,
        some_curves(17, (12, 12)),
        n_shuffles="auto",
        windows=False,
        n_resamples=0,
        **SAMPLED,
    ),
    "compare_many": partial(compare_many, TABLES, n_shuffles=8_000, rng=11),
    "compare_many, auto": partial(
        compare_many,
        {"a": TABLES["a"], "close": some_curves(27, (12, 12)), "c": TABLES["c"]},
        n_shuffles="auto",
        **SAMPLED,
    ),
}


@pytest.fixture(scope="module", autouse=True)
def small_chunks() -> Iterator[None]:
    """Cut small work into many chunks, and let compiled code do some of it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(method, "compiling_repays", lambda numpy, _: numpy > 0.03)
        patch.setattr(planning, "MAX_FREE", 50_000)
        for statistic in (Overall, WelchStatistic, StepScan):
            patch.setattr(statistic, "chunk", 2)
        yield


def digits(result: Result) -> str:
    """Everything a result says, and what is kept of the relabellings."""
    kept = []
    if isinstance(result, Comparison):
        effects = result.effects[result.error].values()
        kept = [fingerprint(effect.null_distribution) for effect in effects]
    return json.dumps([result.to_dict(), kept])


@pytest.mark.parametrize("name", QUESTIONS)
def test_interrupted_work_goes_on_with_the_same_digits(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask, path = QUESTIONS[name], tmp_path / "work.npz"
    whole = Chunks(monkeypatch)
    expected = digits(ask())
    for share in (0.0, 0.3, 0.7, 0.999):
        n_first = int(share * whole.n_done)
        Chunks(monkeypatch, n_first)
        with pytest.raises(Interrupted):
            ask(checkpoint=path)
        rest = Chunks(monkeypatch)
        assert digits(ask(checkpoint=path)) == expected, share
        assert rest.n_done == whole.n_done - n_first
        # Everything is known now, so nothing is counted again.
        nothing = Chunks(monkeypatch)
        assert digits(ask(checkpoint=path, n_jobs=2)) == expected, share
        assert nothing.n_done == 0
        assert [file.name for file in tmp_path.iterdir()] == ["work.npz"]
        path.unlink()


@pytest.mark.slow
# joblib tells of the tasks that an interruption leaves behind.
@pytest.mark.filterwarnings("ignore:.* tasks (which were|have been):UserWarning")
@pytest.mark.parametrize("backend", ["threading", "loky"])
@pytest.mark.parametrize("name", ["compare", "compare, unequal", "locate"])
def test_work_interrupted_on_several_cores_goes_on_with_one(
    name: str, backend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask, path = QUESTIONS[name], tmp_path / "work.npz"
    Chunks(monkeypatch, 2)
    with pytest.raises(Interrupted), joblib.parallel_config(backend=backend):
        ask(checkpoint=path, n_jobs=2)
    rest = Chunks(monkeypatch)
    found = digits(ask(checkpoint=path))
    whole = Chunks(monkeypatch)
    assert found == digits(ask())
    assert rest.n_done == whole.n_done - 2


@pytest.mark.compiled
def test_the_questions_asked_here_use_both_engines_and_look_more_than_once() -> None:
    engines = {
        name: ask().engine  # type: ignore[attr-defined]
        for name, ask in QUESTIONS.items()
        if not name.startswith("compare_many")
    }
    assert engines["compare"] == engines["locate"] == "NumPy shuffles"
    assert engines["compare, compiled"] == "compiled shuffles"
    assert engines["compare, all"] == "compiled enumeration"
    for name in ("compare, auto", "compare, precise", "locate, auto"):
        assert QUESTIONS[name]().n_shuffles > FIRST_LOOK  # type: ignore[attr-defined]
    many = QUESTIONS["compare_many, auto"]()
    assert isinstance(many, Comparisons)
    assert max(found.n_shuffles for found in many.values()) > FIRST_LOOK


@pytest.mark.parametrize("name", ["compare", "locate", "compare_many"])
def test_work_stopped_by_a_report_of_progress_goes_on(name: str, tmp_path: Path) -> None:
    ask, path = QUESTIONS[name], tmp_path / "work.npz"

    def stop(done: int, total: int) -> None:
        if done > total / 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), reporting_progress(stop):
        ask(checkpoint=path)
    seen: list[tuple[int, int]] = []
    with reporting_progress(lambda done, total: seen.append((done, total))):
        assert digits(ask(checkpoint=path)) == digits(ask())
    if name != "compare_many":
        # What was done before counts as done.
        assert seen[0][0] > seen[0][1] / 2
    assert seen[-1][0] == seen[-1][1]


@pytest.mark.parametrize("name", ["compare", "locate", "compare_many"])
def test_a_process_that_is_killed_leaves_a_whole_file(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the file holds at any moment, work goes on from it with the same digits."""
    monkeypatch.setattr(checkpoints, "SECONDS_BETWEEN_WRITES", 0.0)
    ask, path = QUESTIONS[name], tmp_path / "work.npz"
    left: list[bytes] = []

    def look(_: int, __: int) -> None:
        assert [file.name for file in tmp_path.iterdir()] == ["work.npz"]
        left.append(path.read_bytes())

    with reporting_progress(look):
        expected = digits(ask(checkpoint=path))
    assert len(set(left)) == len(left) > 2
    for content in left[:: max(len(left) // 3, 1)]:
        path.write_bytes(content)
        assert digits(ask(checkpoint=path)) == expected


def test_whoever_reads_while_it_is_written_sees_a_whole_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is replaced in one step, not written over."""
    ask, path = QUESTIONS["compare"], tmp_path / "work.npz"
    Chunks(monkeypatch, 2)
    with pytest.raises(Interrupted):
        ask(checkpoint=path)
    Chunks(monkeypatch)
    before = path.read_bytes()
    with path.open("rb") as opened:
        ask(checkpoint=path)
        assert opened.read() == before
    assert path.read_bytes() != before


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), Interrupted()])
def test_a_write_that_fails_leaves_the_old_file(
    error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask, path = QUESTIONS["compare"], tmp_path / "work.npz"
    Chunks(monkeypatch, 2)
    with pytest.raises(Interrupted):
        ask(checkpoint=path)
    Chunks(monkeypatch)
    old = path.read_bytes()

    def half(file: Any, **_: Any) -> None:
        file.write(old[: len(old) // 2])
        raise error

    monkeypatch.setattr(np, "savez", half)
    kind = OptionError if isinstance(error, OSError) else Interrupted
    with pytest.raises(kind) as failed:
        ask(checkpoint=path)
    assert path.read_bytes() == old
    assert [file.name for file in tmp_path.iterdir()] == ["work.npz"]
    if kind is OptionError:
        assert str(failed.value) == (
            f"The checkpoint cannot be saved as {str(path)!r}: No space left on device. Make "
            "room, or choose another place."
        )


def test_the_file_is_not_written_more_often_than_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes: list[Checkpoint] = []
    write = Checkpoint.write

    def counted(self: Checkpoint) -> None:
        writes.append(self)
        write(self)

    monkeypatch.setattr(Checkpoint, "write", counted)
    QUESTIONS["compare"](checkpoint=tmp_path / "work.npz")
    assert len(writes) == 1


# --- seeds ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["compare", "compare, compiled", "locate", "compare_many"])
def test_without_a_seed_the_stored_one_is_used(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask, path = QUESTIONS[name], tmp_path / "work.npz"
    seeded = ask(rng=5).to_dict()
    with monkeypatch.context() as patch:
        # Begun with a generator that is not told, interrupted …
        for module in (sampling, work):
            patch.setattr(
                module, "as_generator", lambda rng: np.random.default_rng(5 if rng is None else rng)
            )
        Chunks(patch, 1)
        with pytest.raises(Interrupted):
            ask(rng=None, checkpoint=path)
    # … and gone on with another.
    first = ask(rng=None, checkpoint=path).to_dict()
    assert first == ask(rng=None, checkpoint=path).to_dict()
    assert first["seed"] is None
    assert {**first, "seed": 5} == seeded
    # Whoever asks with a seed must have begun with it.
    with pytest.raises(CurvesError, match="other curves, options or seed"):
        ask(rng=6, checkpoint=path)


# --- refusals ------------------------------------------------------------------------


def other_curves(curves: Curves) -> dict[str, Curves]:
    """Curves that differ in one thing that the answer depends on."""
    scores = curves.scores.copy()
    scores[0, 0] += 1e-12
    labels = curves.labels.copy()
    labels[[0, -1]] = labels[[-1, 0]]
    blocks = np.arange(curves.n_runs) % 4
    return {
        "a score": Curves(scores, curves.labels),
        "the labels": Curves(curves.scores, labels),
        "blocks": Curves(curves.scores, curves.labels, blocks=blocks),
        "fewer steps": Curves(curves.scores[:, :-1], curves.labels),
        "precision": Curves(curves.scores, curves.labels, precision=1e-3),
        "steps": Curves(curves.scores, curves.labels, curves.steps * 10),
        "what is better": Curves(curves.scores, curves.labels, higher_is_better=False),
    }


OTHERS: list[tuple[str, dict[str, Any]]] = [
    ("compare", {"n_shuffles": 20_001}),
    ("compare", {"n_shuffles": "auto"}),
    ("compare", {"exact": None}),
    ("compare", {"rng": 12}),
    ("compare", {"alpha": 0.01}),
    ("compare", {"error": "pooled"}),
    ("compare", {"spread": "unequal"}),
    *(("compare", {"curves": new}) for new in other_curves(CURVES).values()),
    ("locate", {"n_shuffles": 6_001}),
    ("locate", {"exact": None}),
    ("locate", {"rng": 12}),
    ("locate", {"alpha": 0.01}),
    ("locate", {"windows": False}),
    ("locate", {"cluster_threshold": 2.5}),
    *(("locate", {"curves": new}) for new in other_curves(CURVES).values()),
    ("compare_many", {"n_shuffles": 8_001}),
    ("compare_many", {"exact": False}),
    ("compare_many", {"rng": 12}),
    ("compare_many", {"alpha": 0.01}),
    ("compare_many", {"error": "pooled"}),
    ("compare_many", {"tables": dict(list(TABLES.items())[::-1])}),
    ("compare_many", {"tables": {**TABLES, "d": TABLES["a"]}}),
    *(
        ("compare_many", {"tables": {**TABLES, "a": new}})
        for new in other_curves(TABLES["a"]).values()
    ),
]


@cache
def finished(name: str, folder: Path) -> bytes:
    path = folder / f"{name}.npz"
    QUESTIONS[name](checkpoint=path)
    return path.read_bytes()


@pytest.mark.parametrize(("name", "changed"), OTHERS)
def test_the_checkpoint_of_another_question_is_refused(
    name: str, changed: dict[str, Any], tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path / "work.npz"
    content = finished(name, tmp_path_factory.getbasetemp())
    path.write_bytes(content)
    question = QUESTIONS[name]
    assert isinstance(question, partial)
    options = {**question.keywords, **changed}
    given = options.pop("curves", options.pop("tables", question.args[0]))
    with pytest.raises(CurvesError) as refused:
        question.func(given, checkpoint=path, **options)
    assert str(refused.value) == (
        f"{str(path)!r} is the checkpoint of another question: other curves, options or "
        "seed. Name another file, or delete this one."
    )
    assert path.read_bytes() == content


def test_one_question_does_not_go_on_with_the_checkpoint_of_another(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path / "work.npz"
    path.write_bytes(finished("compare", tmp_path_factory.getbasetemp()))
    with pytest.raises(CurvesError, match="the checkpoint of another question"):
        locate(CURVES, n_shuffles=20_000, checkpoint=path, **SAMPLED)


def repacked(content: dict[str, Any], path: Path) -> bytes:
    with path.open("wb") as file:
        np.savez(file, **content)
    return path.read_bytes()


def damaged_files(content: bytes, folder: Path) -> Iterator[bytes]:
    """Files that are not what was written: cut off, of another kind, or of bad intent."""
    yield b""
    yield content[:-20]
    yield content[: len(content) // 2]
    yield b"not a checkpoint"
    yield b'{"format": "curvewise checkpoint 2"}'
    array = folder / "array.npy"
    np.save(array, np.arange(3))
    yield array.read_bytes()
    other = folder / "other.zip"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("readme.txt", "hello")
    yield other.read_bytes()
    yield pickle.dumps({"head": 1})
    scratch = folder / "scratch"
    (folder / "work.npz").write_bytes(content)
    with np.load(folder / "work.npz") as archive:
        arrays = dict(archive)
    yield repacked({**arrays, "head": np.array([{"a": 1}], dtype=object)}, scratch)
    yield repacked({**arrays, "0/done": np.array([object()])}, scratch)
    yield repacked({**arrays, "0/done": np.arange(3)}, scratch)
    yield repacked({**arrays, "0": np.arange(3)}, scratch)
    yield repacked({**arrays, "0/kept": np.arange(3)}, scratch)
    yield repacked({**arrays, "head": np.array("[]")}, scratch)
    yield repacked({**arrays, "head": np.array("{")}, scratch)
    head = json.loads(str(arrays["head"]))
    for name, value in head.items():
        for wrong in (None, [value], {"x": value}, float("inf"), f"{value}."):
            if wrong != f"{head['format']}.":  # that of another version
                text = json.dumps({**head, name: wrong})
                yield repacked({**arrays, "head": np.array(text)}, scratch)
        without = {key: kept for key, kept in head.items() if key != name}
        yield repacked({**arrays, "head": np.array(json.dumps(without))}, scratch)
    counted = [name for name in arrays if name != "head"][:2]
    for name in counted:
        array = arrays[name]
        for changed in (array + np.inf, array + 1, array[None], array[:0]):
            yield repacked({**arrays, name: changed}, scratch)
        yield repacked({key: arrays[key] for key in arrays if key != name}, scratch)


def test_damaged_files_are_refused(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path / "work.npz"
    content = finished("compare", tmp_path_factory.getbasetemp())
    for damaged in list(damaged_files(content, tmp_path)):
        path.write_bytes(damaged)
        with pytest.raises(CurvesError) as refused:
            QUESTIONS["compare"](checkpoint=path)
        assert str(refused.value) == (
            f"{str(path)!r} is not a valid checkpoint, or is damaged. Name another "
            "file, or delete this one to start again."
        )
        assert path.read_bytes() == damaged


def test_a_flipped_byte_is_noticed_or_changes_nothing(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    ask, path = QUESTIONS["compare"], tmp_path / "work.npz"
    content = finished("compare", tmp_path_factory.getbasetemp())
    expected = digits(ask())
    rng = np.random.default_rng(0)
    # The directory at the end of a zip file is where most kinds of damage show.
    places = [
        *rng.integers(len(content), size=60),
        *rng.integers(len(content) - 900, len(content), size=60),
    ]
    n_refused = 0
    for place in places:
        damaged = bytearray(content)
        damaged[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        try:
            assert digits(ask(checkpoint=path)) == expected
        except CurvesError as refused:
            n_refused += 1
            assert "checkpoint" in str(refused)  # noqa: PT017 (either may happen)
    assert n_refused > 60


def test_a_pickled_object_is_not_run(tmp_path: Path) -> None:
    path, flag = tmp_path / "work.npz", tmp_path / "flag"

    class Touch:
        def __reduce__(self) -> tuple[Any, ...]:
            return type(flag).touch, (flag,)

    with path.open("wb") as file:
        np.savez(file, head=np.array([Touch()], dtype=object))
    with pytest.raises(CurvesError, match="not a valid checkpoint"):
        QUESTIONS["compare"](checkpoint=path)
    path.write_bytes(pickle.dumps(Touch()))
    with pytest.raises(CurvesError, match="not a valid checkpoint"):
        QUESTIONS["compare"](checkpoint=path)
    assert not flag.exists()


@pytest.mark.parametrize(
    "ask",
    [
        partial(compare, CURVES, error="splt"),  # type: ignore[arg-type]
        partial(compare, some_curves(0, (5,))),
        partial(compare, some_curves(0, (30, 30, 30)), exact=True),
        partial(compare, CURVES, spread="unequal", error="pooled"),
        partial(locate, CURVES, exact=True, cluster_threshold=-1),
        partial(compare_many, {"a": CURVES, "b": some_curves(0, (5,))}, error="splt"),  # type: ignore[arg-type]
    ],
)
def test_a_question_that_is_refused_leaves_no_file(
    ask: Callable[..., Result], tmp_path: Path
) -> None:
    with pytest.raises(CurvewiseError):
        ask(checkpoint=tmp_path / "work.npz")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "missing"
    with pytest.raises(OptionError) as refused:
        QUESTIONS["compare"](checkpoint=folder / "work.npz")
    assert str(refused.value) == (
        f"There is no folder {str(folder)!r} to save the checkpoint in. Make it first."
    )
    with pytest.raises(OptionError, match="is a directory; name a file in it"):
        QUESTIONS["compare"](checkpoint=tmp_path)


def test_a_folder_in_which_no_file_can_be_made_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(OptionError, match=r"No checkpoint can .*: Permission denied\."):
        QUESTIONS["compare"](checkpoint=tmp_path / "work.npz")


# --- fingerprints, and a checkpoint by itself ------------------------------------------


def test_a_fingerprint_tells_values_shapes_types_and_places_apart() -> None:
    numbers = np.arange(6.0)
    different: list[tuple[Any, ...]] = [
        (numbers,),
        (numbers.reshape(2, 3),),
        (numbers.reshape(3, 2),),
        (numbers.astype(np.float32),),
        (numbers.astype(np.int64),),
        (numbers[::-1],),
        (numbers, None),
        (None, numbers),
        (np.array(["a", "b"], dtype=object),),
        (np.array(["a", "c"], dtype=object),),
        (np.array(["ab"], dtype=object),),
        ("compare", 1),
        ("compare", 1.0),
        ("compare", "1"),
        ("compare", True),
        # Written one after the other, these would read the same.
        (3.5, 99),
        (3.59, 9),
        (3.599,),
    ]
    different += [(curves,) for curves in other_curves(CURVES).values()]
    different += [
        (CURVES,),
        ({"a": CURVES},),
        ({"b": CURVES},),
        # The same things, put together otherwise.
        ((1, 2), 3),
        (1, (2, 3)),
        ((1, 2, 3),),
        ({1: 2}, 3),
        # What a repr would leave out of a large array.
        (np.arange(2_000.0).tolist(),),
        ([*range(999), -1.0, *range(1_000, 2_000)],),
    ]
    assert len({fingerprint(*parts) for parts in different}) == len(different)
    same = Curves(CURVES.scores.copy(), CURVES.labels, source="elsewhere")
    assert fingerprint({"a": same}) == fingerprint({"a": CURVES})
    strided = np.arange(12.0)[::2]
    assert fingerprint(strided) == fingerprint(strided.copy())


def test_tallies_come_back_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "work.npz"
    with open_checkpoint(path, "asked", keys=[1, 2**64 - 1], seeded=True) as (keys, file):
        assert keys == [1, 2**64 - 1]
        assert file is not None
        first, second = file.next_tally("first"), file.next_tally("second")
        for start in range(0, 24, 2):
            kept = np.full((2, 3), float(start)), np.array([start, np.inf])
            first.add(range(start, start + 2), ((np.array([1, start]),), kept))
        counts = tuple(np.array([place]) for place in range(12))
        second.add(range(1), (counts, ()))
        file.next_tally("third")  # begun, and nothing done
    with open_checkpoint(path, "asked", keys=[9, 9], seeded=False) as (keys, file):
        assert keys == [1, 2**64 - 1]
        assert file is not None
        again = [file.next_tally(work) for work in ("first", "second", "third")]
        assert again[0].done == first.done
        np.testing.assert_array_equal(again[0].counts[0], first.counts[0])
        for one, other in zip(again[0].joined(), first.joined(), strict=True):
            np.testing.assert_array_equal(one, other)
        assert [int(part[0]) for part in again[1].counts] == list(range(12))
        assert again[1].kept == {}
        assert again[2].done == set()
        assert again[2].counts == []


def test_work_of_another_engine_is_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "work.npz"
    with open_checkpoint(path, "asked", keys=[1], seeded=True) as (_, file):
        assert file is not None
        for work in ("kept", "compiled", "left over"):
            file.next_tally(work).add(range(3), ((np.array([7]),), ()))
    with open_checkpoint(path, "asked", keys=[1], seeded=True) as (_, file):
        assert file is not None
        assert file.next_tally("kept").done == {(0, 3)}
        assert file.next_tally("NumPy").done == set()
        assert file.next_tally("left over").done == set()


def test_without_a_path_there_is_no_checkpoint_and_an_open_one_is_used_as_it_is(
    tmp_path: Path,
) -> None:
    with open_checkpoint(None, keys=[3], seeded=True) as (keys, file):
        assert (keys, file) == ([3], None)
    with open_checkpoint(tmp_path / "a", "family", keys=[3], seeded=True) as (_, outer):
        with open_checkpoint(outer, "member", keys=[4], seeded=True) as (keys, inner):
            assert inner is outer
            assert keys == [4]
            assert inner is not None
            inner.next_tally("work")
        assert not (tmp_path / "a").exists()
    assert (tmp_path / "a").exists()


@pytest.mark.parametrize("place", [1.5, b"a", np.array([1]), {}])
def test_what_is_no_name_of_a_file_is_refused(place: Any) -> None:
    with pytest.raises(OptionError, match="checkpoint must be the name of a file"):
        compare(CURVES, n_shuffles=10, checkpoint=place)


def test_of_two_questions_at_once_the_later_writer_is_refused(tmp_path: Path) -> None:
    path, curves = tmp_path / "counts.npz", some_curves(0, (6, 6))
    ask = partial(compare, curves, n_shuffles=20_000, exact=False, checkpoint=path, spread="equal")
    first: list[Result] = []

    def meanwhile(_done: int, _total: int) -> None:
        if not first and not path.exists():
            with reporting_progress(lambda _done, _total: None):
                first.append(ask(rng=1))

    with (
        pytest.raises(CurvesError, match="by another process meanwhile"),
        reporting_progress(meanwhile),
    ):
        ask(rng=2)
    # What the first wrote is still there, and the other question has a place of its own.
    assert digits(ask(rng=1)) == digits(first[0])
    ask(rng=2, checkpoint=tmp_path / "other.npz")
