"""What the pages in docs show is what happens: their ``console`` blocks are run.

The commands find the real logs of tests/readers/logs/fixtures, and small folders that are written
here as the tools write them. ``...`` stands for what a page leaves out, and the wrapping of lines
does not count.
"""

from __future__ import annotations

import csv
import json
import math
import re
import shlex
import shutil
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from curvewise import compare, load_example, read
from curvewise.readers.logs import LOG_FORMATS
from studies.sources import tutorial_table
from tests.cli.running import invoke
from tests.readers.logs.writing import scalar, text, write_events

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[1]
FIXTURES = ROOT / "tests" / "readers" / "logs" / "fixtures"
DOCS = ROOT / "docs"
# Not what the site's build has left there.
PAGES = [
    ROOT / "README.md",
    *sorted(
        path
        for path in DOCS.rglob("*.md")
        if not {"_build", "generated"} & set(path.relative_to(DOCS).parts)
    ),
]
COLUMNS = 88
UNUSABLE = 3
# How commands end whose output has a line that begins so.
EXIT_CODES = {"Error": UNUSABLE, "Fail": 1, "Undecided": 4}


def shown() -> Iterator[tuple[str, str, str]]:
    """Yield the page, the command and the output of all that pages show."""
    for page in PAGES:
        blocks = re.findall(
            r"^```console\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
        )
        for block in blocks:
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, output = part.replace("\\\n", " ").partition("\n")
                yield page.name, command, output


# --- folders of logs


def score(row: int, step: float, gain: float) -> float:
    """A rising curve of its own for each run, always the same."""
    wave = math.sin(7.0 * row + step) + 0.6 * math.cos(3.0 * row)
    return round(100 * (1 - math.exp(-gain * step)) + 4 * wave, 3)


def write(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")


def json_lines(steps: range, row: int, gain: float) -> str:
    return "".join(
        json.dumps({"step": step, "eval/return": score(row, step / 100, gain)}) + "\n"
        for step in steps
    )


def cleanrl(folder: Path) -> None:
    """Five runs of two scripts: event files, whose folders and texts say what is what."""
    for row in range(10):
        name, seed = ("dqn", "ppo")[row // 5], row % 5 + 1
        settings = {"exp_name": name, "seed": seed, "env_id": "CartPole-v1"}
        table = "".join(f"\n|{key}|{value}|" for key, value in settings.items())
        gain = (0.25, 0.45)[row // 5]
        episodes = range(40 + 3 * seed, 1010, 31 + 2 * seed + 9 * (row // 5))
        returns = [
            scalar("charts/episodic_return", step, score(row, step / 100, gain))
            for step in episodes
        ]
        values = [scalar("losses/value_loss", step, 9 / (step + row)) for step in episodes]
        write_events(
            folder / f"CartPole-v1__{name}__{seed}__{1_700_000_000 + 60 * row}",
            [text("hyperparameters", f"|param|value|\n|-|-|{table}"), *returns, *values],
            1_700_000_000 + 60 * row,
        )


def spinning_up(folder: Path) -> None:
    for row in range(8):
        name, seed = ("ppo", "vpg")[row // 4], 10 * (row % 4)
        run = folder / f"{name}-hopper" / f"{name}-hopper_s{seed}"
        config = {"exp_name": f"{name}-hopper", "seed": seed, "algo": name}
        write(run / "config.json", json.dumps({**config, "env_name": "Hopper-v4"}))
        lines = ["Epoch\tAverageEpRet\tStdEpRet\tTotalEnvInteracts\tTime"]
        lines += [
            f"{epoch}\t{score(row, epoch, 0.5 - 0.2 * (row // 4))}\t3.0\t{4000 * epoch + 4000}\t"
            f"{epoch}.5"
            for epoch in range(10)
        ]
        write(run / "progress.txt", "\n".join(lines) + "\n")


def own_tables(folder: Path) -> None:
    for row in range(8):
        name, seed = ("adam", "sgd")[row // 4], row % 4
        lines = ["epoch,train_loss,val_accuracy"]
        lines += [
            f"{epoch},{3 / epoch:.4f},{score(row, epoch, 0.4 - 0.1 * (row // 4)) / 100:.4f}"
            for epoch in range(1, 13)
        ]
        write(folder / name / f"seed{seed}.csv", "\n".join(lines) + "\n")


def sweep(folder: Path) -> None:
    """Two optimizers with two learning rates, three seeds each; folders are only numbered."""
    for row in range(12):
        config = {"optimizer": ("adam", "sgd")[row // 6], "lr": (0.01, 0.1)[row // 3 % 2]}
        write(folder / f"{row:03}" / "config.json", json.dumps({**config, "seed": row % 3}))
        write(
            folder / f"{row:03}" / "metrics.jsonl",
            json_lines(range(0, 1000, 100), row, 0.2 + 0.1 * (row // 3)),
        )


def crashed(folder: Path) -> None:
    """Six runs each, logged every 100 and every 250 steps; two of the first broke off."""
    for row in range(12):
        name, seed = ("new", "old")[row // 6], row % 6 + 1
        steps = range(0, 2001, 250) if name == "old" else range(0, 2001, 100)
        if (name, seed) in {("new", 2), ("new", 5)}:
            steps = steps[: 13 + seed]
        write(folder / name / f"{seed}.jsonl", json_lines(steps, row, 0.4 - 0.1 * (row // 6)))


def wandb_export(folder: Path) -> None:
    runs = [f"{name}-{seed}" for name in ("adam", "sgd") for seed in (1, 2, 3, 4)]
    names = ["Step"]
    for run in runs:
        metric = f"{run} - val/accuracy"
        names += [metric, f"{metric}__MIN", f"{metric}__MAX"]
    lines = [",".join(f'"{name}"' for name in names)]
    for step in range(0, 100, 10):
        cells = [f'"{step}"']
        for row in range(len(runs)):
            cells += [f'"{score(row, step / 10, 0.4 - 0.1 * (row // 4)) / 100:.4f}"'] * 3
        lines.append(",".join(cells))
    write(folder / "wandb_export.csv", "\n".join(lines) + "\n")


def plain(folder: Path) -> None:
    returns = {
        name: {
            str(seed): [score(10 * place + seed, step, gain) for step in range(20)]
            for seed in range(5)
        }
        for place, (name, gain) in enumerate({"sarsa": 0.2, "qlearning": 0.3}.items())
    }
    write(folder / "returns.json", json.dumps(returns))


def weekly(folder: Path) -> None:
    """An experiment as it stood after one week and after two: four runs of each a week."""
    lines = ["agent,run,step,return,week"]
    for week in (1, 2):
        for row in range(8):
            name, run = ("new", "old")[row // 4], 4 * week + row % 4
            gain = (0.5, 0.3)[row // 4]
            lines += [
                f"{name},{run},{step},{score(31 * week + row, step, gain)},{week}"
                for step in range(20)
            ]
        write(folder / f"week{week}.csv", "\n".join(lines) + "\n")


def benchmark(folder: Path) -> None:
    """The embedded games as one table."""
    lines = ["game,agent,run,iteration,score"]
    for game, curves in load_example("atari-8").items():
        for agent, run, scores in zip(curves.labels, curves.runs, curves.scores, strict=True):
            steps = zip(curves.steps, scores, strict=True)
            lines += [f"{game},{agent},{run},{step},{own}" for step, own in steps]
    write(folder / "games.csv", "\n".join(lines) + "\n")


def dopamine(folder: Path) -> None:
    run = folder / "dqn" / "Pong" / "1" / "logs"
    run.mkdir(parents=True)
    (run / "log_0").write_bytes(b"\x80\x04}q\x00.")


FOLDERS: dict[str, Callable[[Path], None]] = {
    "runs": cleanrl,
    "spinup": spinning_up,
    "own": own_tables,
    "sweep": sweep,
    "crashed": crashed,
    "export": wandb_export,
    "plain": plain,
    "weekly": weekly,
    "benchmark": benchmark,
    "dopamine": dopamine,
}


TAKES_SECONDS = ("curvewise plan", "curvewise power")  # they simulate many experiments


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the commands of the pages are run."""
    root = tmp_path_factory.mktemp("docs")
    for fixture in FIXTURES.iterdir():
        if fixture.is_dir():
            shutil.copytree(fixture, root / fixture.name)
    for name, make in FOLDERS.items():
        make(root / name)
    shutil.copy(tutorial_table.TABLE, root)
    return root


@pytest.mark.parametrize(
    ("page", "command", "output"),
    [
        pytest.param(*given, marks=[pytest.mark.slow] * given[1].startswith(TAKES_SECONDS))
        for given in shown()
    ],
)
def test_a_command_prints_what_the_page_shows(
    page: str, command: str, output: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    program, *arguments = shlex.split(command, comments=True)
    assert program == "curvewise", page
    result = invoke(*arguments, columns=COLUMNS)
    flags = ELLIPSIS | NORMALIZE_WHITESPACE
    if output.strip():
        assert OutputChecker().check_output(output, result.output, flags), result.output
    words = re.findall(r"^(Error|Fail|Undecided): ", output, re.MULTILINE)
    code = EXIT_CODES[words[0]] if words else 0
    assert result.exit_code == code, result.output


def test_the_table_of_the_tutorial_is_the_embedded_example() -> None:
    assert tutorial_table.TABLE.read_text(encoding="utf-8") == tutorial_table.text()


def test_the_result_to_quote_in_a_paper_is_what_is_found() -> None:
    page = (DOCS / "tutorial" / "writing-it-up.md").read_text(encoding="utf-8")
    (quoted,) = re.findall(r'^\*Result\.\* "(.*?)"', page, re.MULTILINE | re.DOTALL)
    found = compare(read(tutorial_table.TABLE), rng=0).describe()
    pvalues = re.findall(r"p = ([\d.]*\d)", quoted)
    assert len(pvalues) == 3
    assert re.findall(r"p = ([\d.]*\d)", found) == pvalues


def test_the_page_on_logs_lists_every_format() -> None:
    page = (ROOT / "docs" / "training-logs.md").read_text(encoding="utf-8")
    table = page.partition("## All formats")[2]
    listed = set(re.findall(r"^\| ([^|]+?) \|", table, re.MULTILINE)) - {"`inspect` says", ":--"}
    assert listed == {log_format.name for log_format in LOG_FORMATS}


def test_rates_on_lengths_are_those_that_were_measured() -> None:
    def rates(page: str) -> list[str]:
        text = (ROOT / "docs" / page).read_text(encoding="utf-8")
        rows = "\n".join(line for line in text.splitlines() if line.startswith("|"))
        return re.findall(r"\d?\.\d\d(?: / \d?\.\d\d)?", rows)

    quoted = rates("different-lengths.md")
    assert len(quoted) > 25
    assert set(quoted) <= set(rates("alignment.md"))


def test_coverages_of_aggregates_are_those_of_the_calibration() -> None:
    text = (ROOT / "docs" / "calibration-cells.csv").read_text(encoding="utf-8")
    measured = list(csv.DictReader(text.splitlines()))
    page = (ROOT / "docs" / "tasks.md").read_text(encoding="utf-8")
    words = {"normal": "AR(1)", "some runs fail": "failing runs"}
    rows = re.findall(r"^\| (\d+) × (\d+), ([a-z ]+) \| (.*) \|$", page, re.MULTILINE)
    assert len(rows) == 12
    for n_tasks, n_runs, kind, cells in rows:
        cell = (f"aggregate of {n_tasks} tasks", words[kind], f"{n_runs} + {n_runs}")
        own = [line for line in measured if tuple(line.values())[:3] == cell]
        missed = [float(line["rate"]) for line in own[:4]]
        assert [float(cell) for cell in cells.split("|")] == pytest.approx(
            [1 - rate for rate in missed]
        )
