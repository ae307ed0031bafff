from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import pytest

from curvewise.errors import CurvesError
from curvewise.readers.walk import Wanted
from tests.readers.logs.reading import assert_as_recorded, homes, points, read_all, read_one

if TYPE_CHECKING:
    from pathlib import Path

Record = dict[str, Any]


def train(step: int, loss: float) -> Record:
    return {"epoch": step / 10, "learning_rate": 1e-3, "loss": loss, "step": step}


def evaluation(step: int, accuracy: float) -> Record:
    return {"epoch": step / 10, "eval_accuracy": accuracy, "step": step}


CLOSING = {"epoch": 2.0, "step": 20, "train_loss": 9.0, "train_runtime": 3.5}
HISTORY = [train(5, 4.0), train(10, 3.0), evaluation(10, 0.25), train(20, math.nan)]


def write(
    folder: Path, history: list[Record], step: int = 20, *, planned: int = 20, **more: Any
) -> Path:
    """A state as the Trainer writes it."""
    folder.mkdir(parents=True, exist_ok=True)
    state = {
        "best_global_step": 999,
        "epoch": step / 10,
        "global_step": step,
        "log_history": history,
        "max_steps": planned,
        "train_batch_size": 8,
        "trial_params": None,
        **more,
    }
    path = folder / "trainer_state.json"
    path.write_text(json.dumps(state, indent=2, sort_keys=True) + "\n")
    return path


def test_real_logs_are_read_as_recorded(logs: Path) -> None:
    runs = read_all("run_folders.hugging_face", logs / "hf-trainer")
    assert_as_recorded(logs / "hf-trainer", runs)
    (noted,) = [place for place, run in runs.items() if run.notes]
    assert noted == "lr5e-3/seed-2"
    assert runs[noted].notes == ["training has not ended: the last state is of step 24 of 36"]


def test_training_and_evaluation_are_told_apart_from_the_summary(tmp_path: Path) -> None:
    write(tmp_path, [*HISTORY, CLOSING])
    run = read_one("run_folders.hugging_face", tmp_path)
    assert set(run.series) == {"loss", "learning_rate", "eval_accuracy"}
    assert points(run, "eval_accuracy") == [(10, 0.25)]
    loss = run.series["loss"]
    assert loss.steps.tolist() == [5, 10, 20]
    assert loss.scores[:2].tolist() == [4, 3]
    assert math.isnan(loss.scores[2])
    assert (run.x, run.other_x, run.notes) == ("step", ("epoch",), [])
    assert run.config == {"train_batch_size": 8}


def test_epochs_on_request(tmp_path: Path) -> None:
    write(tmp_path, [*HISTORY, CLOSING])
    run = read_one("run_folders.hugging_face", tmp_path, Wanted(frozenset({"loss"}), "epoch"))
    assert list(run.series) == ["loss"]
    assert run.series["loss"].steps.tolist() == [0.5, 1, 2]
    with pytest.raises(CurvesError, match="there are 'step', 'epoch'"):
        read_one("run_folders.hugging_face", tmp_path, Wanted(x="time"))


def test_checkpoints_are_the_run_above_them(tmp_path: Path) -> None:
    home = tmp_path / "bert"
    write(home, [*HISTORY, CLOSING])
    write(home / "checkpoint-10", HISTORY[:3], 10)
    write(home / "checkpoint-20", HISTORY, 20)
    assert list(read_all("run_folders.hugging_face", tmp_path)) == ["bert"]
    assert len(read_one("run_folders.hugging_face", tmp_path).series["loss"].steps) == 3
    (home / "trainer_state.json").unlink()
    run = read_one("run_folders.hugging_face", tmp_path)
    assert len(run.series["loss"].steps) == 3
    assert run.notes == []


def test_steps_of_checkpoints_are_compared_as_numbers(tmp_path: Path) -> None:
    write(tmp_path / "checkpoint-5", HISTORY[:1], 5, planned=200)
    write(tmp_path / "checkpoint-10", HISTORY[:3], 10, planned=200)
    run = read_one("run_folders.hugging_face", tmp_path)
    assert run.series["loss"].steps.tolist() == [5, 10]
    assert run.notes == ["training has not ended: the last state is of step 10 of 200"]


def test_a_damaged_state_gives_way_to_the_one_before(tmp_path: Path) -> None:
    write(tmp_path / "checkpoint-10", HISTORY[:3], 10, planned=10)
    last = write(tmp_path / "checkpoint-20", HISTORY, 20)
    text = last.read_text()
    last.write_text(text[: len(text) // 2])
    (tmp_path / "trainer_state.json").write_text("")
    run = read_one("run_folders.hugging_face", tmp_path)
    assert run.series["loss"].steps.tolist() == [5, 10]
    assert run.notes[0] == "checkpoint-20/trainer_state.json is damaged and was left out"


def test_nothing_but_damaged_states_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, HISTORY)
    path.write_text(path.read_text()[:100])
    with pytest.raises(CurvesError, match=r"trainer_state.json is damaged"):
        read_one("run_folders.hugging_face", tmp_path)


def test_of_two_trainings_in_a_folder_the_longer_is_read(tmp_path: Path) -> None:
    write(tmp_path, [*HISTORY[:1], {**CLOSING, "step": 5}], 5, planned=5)
    write(tmp_path / "checkpoint-20", HISTORY, 20)
    run = read_one("run_folders.hugging_face", tmp_path)
    assert run.series["loss"].steps.tolist() == [5, 10, 20]
    assert run.notes == [
        (
            "checkpoint-20/trainer_state.json goes on where trainer_state.json has ended: of two "
            "trainings in one folder, the longer was read"
        )
    ]


def test_the_finished_model_evaluated_again_is_no_point(tmp_path: Path) -> None:
    history = [*HISTORY, evaluation(20, 0.5), CLOSING, evaluation(20, 0.875)]
    write(tmp_path, [*history, {"step": 20, "epoch": 2.0, "test_accuracy": 0.75}])
    run = read_one("run_folders.hugging_face", tmp_path)
    assert points(run, "eval_accuracy") == [(10, 0.25), (20, 0.5)]
    assert points(run, "test_accuracy") == [(20, 0.75)]
    assert run.notes == ["evaluations after the end of training were left out"]


def test_models_and_pickles_beside_are_claimed_and_not_read(tmp_path: Path) -> None:
    write(tmp_path / "checkpoint-20", HISTORY, 20)
    model = '{"architectures": ["Bert"], "model_type": "bert", "hidden_size": 16}'
    mine = [
        tmp_path / "config.json",
        tmp_path / "checkpoint-20" / "config.json",
        tmp_path / "all_results.json",
        tmp_path / "checkpoint-20" / "training_args.bin",
    ]
    for path in mine:
        path.write_text(model)
    (tmp_path / "params.json").write_text('{"seed": 1}')
    claims = homes("run_folders.hugging_face", tmp_path)[tmp_path]
    claimed = {file.path for claim in claims for file in claim.files}
    assert claimed == {*mine, tmp_path / "checkpoint-20" / "trainer_state.json"}
    run = read_one("run_folders.hugging_face", tmp_path)
    assert run.notes == ["training_args.bin is a pickle, and was not read for the seed in it"]
    assert run.config == {"train_batch_size": 8}


def test_the_configuration_of_the_run_is_left_to_others(tmp_path: Path) -> None:
    write(tmp_path, HISTORY)
    (tmp_path / "config.json").write_text('{"seed": 1, "lr": 0.1}')
    ((claim,),) = homes("run_folders.hugging_face", tmp_path).values()
    assert {file.name for file in claim.files} == {"trainer_state.json"}


def test_a_trial_of_a_search_has_its_parameters(tmp_path: Path) -> None:
    write(tmp_path / "run-3", HISTORY, trial_params={"learning_rate": 0.5})
    run = read_one("run_folders.hugging_face", tmp_path)
    assert run.config == {"train_batch_size": 8, "learning_rate": 0.5}


def test_states_under_other_names_are_runs_of_their_own(tmp_path: Path) -> None:
    for seed in (1, 2):
        write(tmp_path, HISTORY).rename(tmp_path / f"adam-{seed}.json")
    (tmp_path / "other.json").write_text('{"loss": [1, 2]}')
    assert list(read_all("run_folders.hugging_face", tmp_path)) == ["adam-1.json", "adam-2.json"]


def test_a_run_that_has_logged_nothing_is_listed(tmp_path: Path) -> None:
    write(tmp_path, [], 0, planned=0)
    assert read_one("run_folders.hugging_face", tmp_path, Wanted(x="time")).series == {}


def test_a_file_of_that_name_that_is_no_state(tmp_path: Path) -> None:
    (tmp_path / "trainer_state.json").write_text('{"a": 1}')
    assert homes("run_folders.hugging_face", tmp_path) == {}
