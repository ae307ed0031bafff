from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from curvewise import Curves, __version__
from tests.simulation import some_curves
from tests.test_curves import long_frame


def run(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command as a person would, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "curvewise", *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        cwd=cwd,
        env={**os.environ, "COLUMNS": "100", "PYTHONWARNINGS": "error"},
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "runs.csv"
    long_frame(some_curves(0, (5, 5, 5))).write_csv(path)
    return path


def test_compare_prints_a_verdict_the_tables_and_what_was_read(file: Path) -> None:
    done = run("compare", file, "--only", "A", "--only", "B")
    assert done.returncode == 0
    assert done.stdout.startswith("A and B ")
    for word in ("interaction", "error: curves", "error (pooled)", "Error term: split"):
        assert word in done.stdout
    assert done.stderr == (
        "Read runs.csv: algorithm from 'agent', run from 'seed', step from 'epoch', "
        "score from 'return'\n"
    )


def test_json_is_the_result_and_nothing_else(file: Path) -> None:
    done = run("compare", file, "--json", "--seed", "3", "--shuffles", "199", "--sampled")
    record = json.loads(done.stdout)
    assert record["n_shuffles"] == 199
    assert record["exact"] is False
    assert record["verdict"].startswith("A, B and C ")
    assert {"overall", "algorithm", "interaction", "table", "warnings"} <= set(record)


def test_the_same_seed_repeats_and_jobs_change_nothing(file: Path) -> None:
    options = ["compare", file, "--json", "--sampled", "--shuffles", "150000"]
    first = run(*options, "--seed", "1")
    assert first.stdout == run(*options, "--seed", "1", "--jobs", "2").stdout
    assert first.stdout != run(*options, "--seed", "2").stdout


def test_columns_windows_and_direction_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "odd.tsv"
    frame = long_frame(some_curves(0, (4, 4))).rename(
        {"agent": "who", "seed": "which", "epoch": "when", "return": "what"}
    )
    frame.write_csv(path, separator="\t")
    columns = [
        "--algorithm",
        "who",
        "--run",
        "which",
        "--step",
        "when",
        "--score",
        "what",
    ]
    done = run(
        "compare", path, *columns, "--block", "which", "--from", 1, "--to", 3,
        "--lower-is-better", "--error", "pooled", "--alpha", 0.2, "--exact", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert (record["first_step"], record["last_step"], record["n_blocks"]) == (1, 3, 4)
    assert (record["error"], record["alpha"], record["exact"]) == ("pooled", 0.2, True)
    assert record["higher_is_better"] is False


def test_markdown_and_latex(file: Path) -> None:
    markdown = run("compare", file, "--markdown").stdout
    assert "| source | df | SS | MS | F | p | p by F test |" in markdown
    latex = run("compare", file, "--latex").stdout
    assert latex.count(r"\begin{tabular}") == latex.count(r"\bottomrule") == 3
    lines = [line for line in latex.splitlines() if line]
    assert all(line.startswith(("%", "\\", "  ")) for line in lines), latex


def test_a_figure_is_saved_where_it_says(file: Path) -> None:
    for name in ("figure.png", "figure.pdf", "figure.svg"):
        done = run("compare", file, "--plot", name, cwd=file.parent)
        assert f"Figure saved as {name}" in done.stderr
        assert (file.parent / name).stat().st_size > 1_000


def test_demo(tmp_path: Path) -> None:
    done = run("demo", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith("A1, A2 and A3 are not all alike (overall p = ")
    assert "Figure saved as curvewise-demo.png" in done.stderr
    assert (tmp_path / "curvewise-demo.png").read_bytes().startswith(b"\x89PNG")


def test_version_and_help() -> None:
    assert run("--version").stdout == f"curvewise {__version__}\n"
    for arguments in (["--help"], ["-h"], ["compare", "--help"]):
        done = run(*arguments)
        assert done.returncode == 0
        assert "Exit codes: 0 done" in done.stdout
    assert "--install-completion" in run("--help").stdout


def test_completion_script_is_offered() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "curvewise", "--show-completion", "bash"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"},
    )
    assert done.returncode == 0
    assert "complete" in done.stdout


# --- exit codes ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare"], "Missing argument"),
        (["compare", "FILE", "--nonsense"], "--nonsense"),
        (["compare", "FILE", "--error", "both"], "'both'"),
        (["compare", "FILE", "--alpha", "high"], "--alpha"),
        (
            ["compare", "FILE", "--json", "--latex"],
            "--json and --latex exclude each other",
        ),
        (["nonsense"], "nonsense"),
    ],
)
def test_what_is_not_understood_exits_with_2(
    file: Path, arguments: list[str], message: str
) -> None:
    done = run(*[str(file) if word == "FILE" else word for word in arguments])
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.csv"], "There is no file 'nowhere.csv'"),
        ([".."], "is a directory"),
        (["FILE", "--alpha", "2"], "alpha must lie between 0 and 1"),
        (["FILE", "--shuffles", "0"], "--shuffles must be a whole number, 1 or more"),
        (["FILE", "--score", "retur"], "did you mean 'return'"),
        (["FILE", "--only", "A"], "there is only 'A'"),
        (["FILE", "--only", "Z"], "No algorithm is called 'Z'"),
        (["FILE", "--from", "99"], "No step lies in the window from 99"),
        (["FILE", "--seed", "-1"], "--seed must be a whole number from 0 on"),
        (["FILE", "--jobs", "0"], "--jobs must be"),
        (["FILE", "--block", "epoch"], "A run belongs to one block"),
        (["FILE", "--plot", "nowhere/figure.png"], "There is no folder 'nowhere'"),
        (["FILE", "--plot", "figure.xyz"], "A figure cannot be saved"),
    ],
)
def test_what_cannot_be_used_exits_with_3_and_writes_nothing(
    file: Path, arguments: list[str], message: str
) -> None:
    before = sorted(file.parent.iterdir())
    words = [str(file) if word == "FILE" else word for word in arguments]
    done = run("compare", *words, cwd=file.parent)
    assert done.returncode == 3
    assert message in done.stderr
    assert "Error: " in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert sorted(file.parent.iterdir()) == before


@pytest.mark.parametrize("style", [[], ["--json"], ["--markdown"], ["--latex"]])
def test_names_from_data_come_out_safe(tmp_path: Path, style: list[str]) -> None:
    names = ["<script>alert('1')</script>", '\x1b[31m[bold]a|b, "c" ünï日本_$%&\n']
    scores = some_curves(0, (4, 4)).scores
    long_frame(Curves(scores, np.repeat(names, 4))).write_csv(tmp_path / "a.csv")
    done = run("compare", "a.csv", "--plot", "figure.svg", *style, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert "日本" in done.stdout or style == ["--json"]
    if style == ["--markdown"]:
        assert "<script" not in done.stdout.replace("\\<", "")
    if style == ["--json"]:
        assert [a["name"] for a in json.loads(done.stdout)["algorithms"]] == sorted(names)
    assert "<script>" not in (tmp_path / "figure.svg").read_text(encoding="utf-8")


def test_narrow_terminals_cut_no_numbers(file: Path) -> None:
    def shown(columns: str) -> str:
        return subprocess.run(
            [sys.executable, "-m", "curvewise", "compare", str(file)],
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
            env={**os.environ, "COLUMNS": columns},
        ).stdout

    assert "…" not in shown("40")
    tables = [line for line in shown("40").splitlines() if "error (pooled)" in line]
    assert tables == [
        line for line in shown("200").splitlines() if "error (pooled)" in line
    ]


def test_output_that_nobody_reads_costs_no_figure(file: Path) -> None:
    command = f"{sys.executable} -m curvewise compare {file} --plot figure.png | head -1"
    subprocess.run(
        ["bash", "-c", command], cwd=file.parent, capture_output=True, check=True
    )
    assert (file.parent / "figure.png").exists()


def test_shuffles_can_be_a_number_or_a_rule(file: Path) -> None:
    for given, used in (
        ("2e3", 2_000),
        ("1_000", 1_000),
        ("auto", None),
        ("precise", None),
    ):
        done = run("compare", file, "--sampled", "--json", "--shuffles", given)
        assert done.returncode == 0, done.stderr
        assert used is None or json.loads(done.stdout)["n_shuffles"] == used
    for given in ("many", "0", "1.5"):
        done = run("compare", file, "--shuffles", given)
        assert done.returncode == 3
        assert "--shuffles must be a whole number, 1 or more, or 'auto'" in done.stderr


def test_checkpoints_are_kept_and_foreign_ones_refused(file: Path) -> None:
    options = ["compare", file, "--sampled", "--json", "--checkpoint", "work.json"]
    first = run(*options, cwd=file.parent)
    assert first.returncode == 0, first.stderr
    assert run(*options, cwd=file.parent).stdout == first.stdout
    other = run(*options, "--seed", 5, cwd=file.parent)
    assert other.returncode == 3
    assert "is the checkpoint of another comparison" in other.stderr


def test_a_cluster_that_does_not_answer_is_told(file: Path) -> None:
    pytest.importorskip("distributed")
    done = run("compare", file, "--cluster", "tcp://127.0.0.1:9")
    assert done.returncode == 3
    assert "No cluster answers at 'tcp://127.0.0.1:9'" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_dask_cluster_gives_the_same_digits(file: Path) -> None:
    distributed = pytest.importorskip("distributed")
    options = ["compare", file, "--sampled", "--json", "--shuffles", "200000"]
    alone = run(*options)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None
    ) as cluster:
        spread = run(*options, "--cluster", cluster.scheduler_address)
    assert spread.returncode == 0, spread.stderr
    assert spread.stdout == alone.stdout


def test_an_interrupt_ends_with_a_message(file: Path) -> None:
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "curvewise",
            "compare",
            str(file),
            "--sampled",
            "--shuffles=2e9",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert process.stderr.readline().startswith("Read runs.csv")
    time.sleep(2.5)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=30)
    assert process.returncode == 130
    assert stderr == "Interrupted; nothing was written.\n"
    assert stdout == ""


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1"])
def test_terminals_that_lack_letters_spell_them_out(
    tmp_path: Path, encoding: str
) -> None:
    scores = some_curves(0, (4, 4)).scores
    long_frame(Curves(scores, np.repeat(["日本", "Bär"], 4))).write_csv(
        tmp_path / "a.csv"
    )
    done = subprocess.run(
        [sys.executable, "-m", "curvewise", "compare", "a.csv"],
        capture_output=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
    )
    assert done.returncode == 0, done.stderr
    assert b"\\u65e5\\u672c" in done.stdout


def test_a_full_disk_is_told(file: Path) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "curvewise", "compare", str(file)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 3
    assert "Traceback" not in done.stderr
    assert "No space left on device" in done.stderr
