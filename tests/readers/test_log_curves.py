"""Curves from training logs: which metric, which tasks, which runs, and what is said of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import curvewise as cw
from curvewise import CurvesError, OptionError, read, read_tasks
from tests.readers.logs.writing import curve, scalar, write_events
from tests.readers.trees import jsonl, progress, study

RUNS = ("dqn/seed0", "dqn/seed1", "ppo/seed0", "ppo/seed1")
FIXTURES = Path(__file__).parent / "logs/fixtures"
EXPLANATION = (
    "algorithm from path1 ('dqn' in dqn/seed0), run from seed; "
    "to choose otherwise: group_by, run_by, task"
)


def evaluated(a: int, r: int, n_steps: int = 5) -> list[float]:
    """The evaluation return that `study` writes."""
    return [float(100 * a + 10 * r + i) for i in range(n_steps)]


# --- what is read --------------------------------------------------------------------


def test_curves_have_the_scores_that_were_logged(tmp_path: Path) -> None:
    curves = read(study(tmp_path))
    assert curves.algorithms == ("dqn", "ppo")
    assert curves.runs.tolist() == ["0", "1", "2"] * 2
    np.testing.assert_array_equal(curves.steps, range(0, 500, 100))
    expected = [evaluated(a, r) for a in range(2) for r in range(3)]
    np.testing.assert_array_equal(curves.scores, expected)
    assert curves.higher_is_better
    assert curves.preparation is None


def test_what_a_log_says_of_its_scores_goes_before_their_name(tmp_path: Path) -> None:
    lines: list[dict[str, object]] = [{"op_code": 0, "study_name": "s", "directions": [1]}]
    for number in range(4):
        lines.append({"op_code": 4, "study_id": 0, "user_attrs": {"agent": number % 2}})
        for step in range(3):
            report = {"step": step, "intermediate_value": step + number}
            lines.append({"op_code": 7, "trial_id": number, **report})
    jsonl(tmp_path / "journal.log", lines)
    curves = read(tmp_path)
    assert not curves.higher_is_better
    assert "metric 'intermediate' (the only metric), lower is better" in str(curves.source)
    assert read(tmp_path, higher_is_better=True).higher_is_better


def test_the_source_is_one_line_that_says_everything(tmp_path: Path) -> None:
    curves = read(study(tmp_path))
    assert curves.source == (
        f"{tmp_path}: 6 runs (tables); metric 'eval_return' (the only score of evaluation of 2 "
        f"metrics; choose another by metric); steps in 'step'; {EXPLANATION}"
    )


def test_what_was_aligned_and_skipped_is_in_the_source(tmp_path: Path) -> None:
    study(tmp_path)
    progress(tmp_path / "ppo/seed3", step=[0, 200, 400], eval_return=[1, 2, 3])
    damaged = write_events(tmp_path / "ppo/seed3", curve("x", [1.0]))
    damaged.write_bytes(b"\x18" + bytes(7) + b"garbage" * 9)
    curves = read(tmp_path)
    assert curves.source.endswith(
        "1 log skipped (why: scan()); aligned (linear, 5 steps, 0 to 400; 2 of 35 scores "
        "interpolated)"
    )
    assert "7 runs (tables)" in curves.source
    assert curves.preparation is not None
    assert curves.preparation.grid == "common"
    (note,) = curves.preparation.notes
    assert note.startswith("run '3' of 'ppo': ")


def test_steps_that_go_back_are_settled_and_said(tmp_path: Path) -> None:
    for run in RUNS:
        write_events(tmp_path / run, curve("acc", [1.0, 2.0, 3.0, 4.0]))
    again = [scalar("acc", step, 9.0) for step in (2, 3)]
    write_events(tmp_path / "ppo/seed1", again, time=1700000009, counter=1)
    curves = read(tmp_path)
    np.testing.assert_array_equal(curves.scores, [[1, 2, 3, 4]] * 3 + [[1, 2, 9, 9]])
    assert curves.preparation is not None
    assert curves.preparation.notes == (
        "run '1' of 'ppo': resumed at step 2; 2 records superseded",
    )


def test_a_single_precision_log_says_so(tmp_path: Path) -> None:
    for run in RUNS:
        write_events(tmp_path / run, curve("acc", [0.1, 0.2]))
    assert read(tmp_path).precision == np.finfo(np.float32).eps
    assert read(study(tmp_path / "tables")).precision == np.finfo(np.float64).eps


# --- which metric --------------------------------------------------------------------


def test_the_metric_that_is_asked_for(tmp_path: Path) -> None:
    curves = read(study(tmp_path), metric="loss")
    np.testing.assert_array_equal(curves.scores[0], -np.arange(5.0))
    assert "metric 'loss', lower is better; steps" in curves.source
    assert not curves.higher_is_better


def test_a_column_named_as_the_score_is_the_metric(tmp_path: Path) -> None:
    study(tmp_path)
    assert read(tmp_path, score="loss") == read(tmp_path, metric="loss")


@pytest.mark.parametrize("asked", ["eval/score", "score"])
def test_a_name_may_leave_out_what_stands_before_it(tmp_path: Path, asked: str) -> None:
    for run in RUNS:
        write_events(
            tmp_path / run, [*curve("eval/score", [1.0, 2.0]), *curve("train/loss", [9.0, 9.0])]
        )
    curves = read(tmp_path, metric=asked)
    np.testing.assert_array_equal(curves.scores, [[1, 2]] * 4)
    assert "metric 'eval/score'" in curves.source


def test_a_name_that_could_be_several_is_refused(tmp_path: Path) -> None:
    for run in RUNS:
        write_events(
            tmp_path / run, [*curve("eval/score", [1.0, 2.0]), *curve("train/score", [9.0, 9.0])]
        )
    with pytest.raises(OptionError, match=r"Several metrics .*'score'.* eval/score \(4 runs"):
        read(tmp_path, metric="score")


def test_a_metric_that_is_not_there_is_refused_with_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(OptionError) as error:
        read(study(tmp_path), metric="eval_retrun")
    assert error.value.option == "metric"
    assert "Did you mean 'eval_return'?" in str(error.value)
    assert "loss (6 runs, 5 points each)" in str(error.value)


def test_where_no_metric_stands_out_one_must_be_named(tmp_path: Path) -> None:
    for run in RUNS:
        progress(tmp_path / run, step=[0, 1], foo=[1, 2], bar=[3, 4])
    with pytest.raises(CurvesError, match=r"Which metric\? There are .* as in metric="):
        read(tmp_path)


def test_a_metric_that_an_algorithm_lacks_is_refused_unless_it_is_left_out(tmp_path: Path) -> None:
    study(tmp_path, ("dqn", "ppo", "random"))
    for seed in range(3):
        progress(tmp_path / f"random/seed{seed}", step=[0, 400], loss=[1, 2])
    with pytest.raises(CurvesError, match=r"'eval_return' is in 3 of 3 runs of dqn.*0 of 3"):
        read(tmp_path, metric="eval_return")
    kept = read(tmp_path, metric="eval_return", only=["ppo", "dqn"])
    assert kept.algorithms == ("dqn", "ppo")
    assert read(tmp_path, only=["dqn", "ppo"]) == kept
    assert "metric 'loss'" in read(tmp_path).source  # the only one that all have


def test_a_run_that_lacks_the_metric_is_a_run_without_points(tmp_path: Path) -> None:
    study(tmp_path)
    progress(tmp_path / "ppo/seed2", step=[0, 100, 200, 300, 400], loss=[5, 4, 3, 2, 1])
    with pytest.raises(CurvesError, match=r"1 of 3 of ppo end .* run '2' is empty"):
        read(tmp_path, metric="eval_return")


# --- which is better -----------------------------------------------------------------


@pytest.mark.parametrize("metric", ["loss", "eval_return"])
@pytest.mark.parametrize("better", [True, False])
def test_the_caller_says_which_scores_are_better(tmp_path: Path, metric: str, better: bool) -> None:
    curves = read(study(tmp_path), metric=metric, higher_is_better=better)
    assert curves.higher_is_better is better
    assert ("lower is better" in curves.source) is not better


# --- tasks ---------------------------------------------------------------------------


@pytest.fixture
def two_tasks(tmp_path: Path) -> Path:
    return study(tmp_path, tasks=("Walker2d-v4", "Hopper-v4"))


def test_several_tasks_are_refused_with_their_names(two_tasks: Path) -> None:
    with pytest.raises(CurvesError) as error:
        read(two_tasks)
    assert str(error.value) == (
        "There are 2 tasks: Hopper-v4 and Walker2d-v4. Choose one, as in "
        'task="Hopper-v4", or read each with read_tasks().'
    )


def test_tasks_are_refused_before_what_is_wrong_with_one_of_them(two_tasks: Path) -> None:
    progress(two_tasks / "Walker2d-v4/ppo/seed2", step=[0, 100], eval_return=[1, 2])
    with pytest.raises(CurvesError, match="There are 2 tasks"):
        read(two_tasks)
    assert read(two_tasks, task="Hopper-v4").n_runs == 6
    with pytest.raises(CurvesError, match=r"^Task 'Walker2d-v4': .* ends at step 100"):
        read_tasks(two_tasks)
    with pytest.raises(CurvesError, match=r"^0 of 3 runs of dqn and 1 of 3 of ppo"):
        read(two_tasks, task="Walker2d-v4")


def test_one_task_is_read_by_its_name(two_tasks: Path) -> None:
    curves = read(two_tasks, task="Hopper-v4")
    np.testing.assert_array_equal(curves.scores[0], 1_000 + np.arange(5))
    assert "6 runs (tables)" in curves.source
    assert list(read_tasks(two_tasks, task="Hopper-v4")) == ["Hopper-v4"]


@pytest.mark.parametrize("task", [None, "path1"])
def test_all_tasks_are_read_in_natural_order(two_tasks: Path, task: str | None) -> None:
    found = read_tasks(two_tasks, task=task, only=["ppo"], stop=200)
    assert list(found) == ["Hopper-v4", "Walker2d-v4"]
    np.testing.assert_array_equal(found["Walker2d-v4"].scores[0], [100, 101, 102])


def test_where_nothing_tells_tasks_there_are_none(tmp_path: Path) -> None:
    with pytest.raises(CurvesError, match=r"Nothing tells tasks apart here\. Name"):
        read_tasks(study(tmp_path))


def test_runs_with_and_without_a_task_are_not_mixed(two_tasks: Path) -> None:
    text = "algorithm,run,step,eval_return\n" + "".join(
        f"sac,0,{step},{step}\n" for step in range(0, 500, 100)
    )
    (two_tasks / "old.csv").write_text(text, encoding="utf-8")
    with pytest.raises(CurvesError, match=r"There are 2 tasks: .*, and runs without a task"):
        read(two_tasks, metric="eval_return")
    with pytest.raises(CurvesError, match="task of some runs, but that of others"):
        read_tasks(two_tasks, metric="eval_return")


# --- which part ----------------------------------------------------------------------


def test_blocks_are_told_by_a_key(tmp_path: Path) -> None:
    curves = read(study(tmp_path), block="seed")
    assert curves.blocks is not None
    # What runs of different algorithms share: one block for each seed.
    assert len(set(curves.blocks)) == 3
    assert not any("=" in block for block in curves.blocks)
    assert len(set(zip(curves.blocks, curves.runs, strict=True))) == 3
    assert "; block from seed" in curves.source


def test_only_start_and_stop(tmp_path: Path) -> None:
    curves = read(study(tmp_path), only=["ppo"], start=100, stop=300)
    np.testing.assert_array_equal(curves.scores[0], [101, 102, 103])
    assert "3 runs (tables)" in curves.source
    with pytest.raises(CurvesError, match=r"No algorithm is called 'pop'; .* 'ppo'\?"):
        read(tmp_path, only=["pop"])


def test_another_axis(tmp_path: Path) -> None:
    for run in RUNS:
        progress(tmp_path / run, step=[0, 7], epoch=[1, 2], acc=[1, 2])
    curves = read(tmp_path, x="epoch")
    np.testing.assert_array_equal(curves.steps, [1, 2])
    assert "steps in 'epoch'" in curves.source
    assert read(tmp_path, step="epoch") == curves


def test_logs_that_only_tell_the_time_are_refused_until_an_axis_is_chosen(tmp_path: Path) -> None:
    for a, run in enumerate(RUNS):
        rows = ({"time": 1.7e9 + (a + 1) * i, "acc": i} for i in range(6))
        jsonl(tmp_path / run / "metrics.jsonl", rows)
    with pytest.raises(CurvesError, match=r'count no steps.*x="time".*x="row"'):
        read(tmp_path)
    assert read(tmp_path, x="row").n_steps == 6


@pytest.mark.parametrize("policy", ["prefix", "worst", "carry", "drop"])
def test_short_runs_are_treated_as_asked(tmp_path: Path, policy: str) -> None:
    study(tmp_path)
    progress(tmp_path / "ppo/seed2", step=[0, 100, 200], eval_return=[7, 8, 9])
    reason = "the disk broke" if policy == "drop" else None
    curves = read(tmp_path, short=policy, reason=reason)  # type: ignore[arg-type]
    expected = {
        "prefix": [7, 8, 9],
        "worst": [7, 8, 9, 0, 0],
        "carry": [7, 8, 9, 9, 9],
        "drop": evaluated(1, 1),
    }
    np.testing.assert_array_equal(curves.scores[-1], expected[policy])
    worst = ", 0" if policy == "worst" else ""
    assert f"1 short run ({policy}{worst})" in curves.source
    assert curves.preparation is not None
    assert curves.preparation.short == policy


# --- where from ----------------------------------------------------------------------


def test_the_same_curves_however_the_logs_are_named(tmp_path: Path) -> None:
    whole = read(study(tmp_path))
    assert read([tmp_path / "dqn", tmp_path / "ppo"]) == whole
    assert read([tmp_path / "ppo", tmp_path / "dqn"]) == whole
    assert read(tmp_path / "*") == whole
    assert read(str(tmp_path / "*" / "seed*" / "progress.csv")) == whole
    assert read(sorted(tmp_path.glob("*/*/progress.csv"))) == whole


def test_run_logs_of_a_scan_align_to_the_same_curves(tmp_path: Path) -> None:
    study(tmp_path)
    progress(tmp_path / "ppo/seed3", step=[50, 250, 450], eval_return=[1, 2, 3])
    assert cw.align(cw.scan(tmp_path).run_logs("eval_return")) == read(tmp_path)


@pytest.mark.parametrize(
    "tool", ["hf-trainer", "torch-summaries", "keras-csv", "mlflow-file", "sb3"]
)
def test_what_real_libraries_wrote_becomes_curves(tool: str) -> None:
    folder = FIXTURES / tool / "logs"
    scan = cw.scan(folder)
    metric = next(iter(scan.metrics))
    found = read(folder, metric=metric, short="worst")
    better = found.higher_is_better
    made = cw.align(scan.run_logs(metric), short="worst", higher_is_better=better)
    assert set(found.algorithms) == set(scan.algorithms)
    assert found.labels.tolist() == made.labels.tolist()
    np.testing.assert_array_equal(found.steps, made.steps)
    np.testing.assert_array_equal(found.scores, made.scores)
