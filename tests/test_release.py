"""What is released: one version everywhere, builds that can be installed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path
from typing import Any

import pytest
import yaml

import curvewise
from release.metadata import disagreements, release_date, source_version, unreleased
from tests.cli.running import run_process

ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def read_yaml(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


# --- one version ---------------------------------------------------------------------


def test_every_file_says_the_version_of_the_source() -> None:
    assert disagreements() == []
    assert source_version() == curvewise.__version__
    assert "version" in PROJECT["dynamic"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", release_date())


def test_command_and_reports_say_the_version_of_the_source() -> None:
    assert run_process("--version").stdout == f"curvewise {curvewise.__version__}\n"
    html = curvewise.report(curvewise.load_example(), title="One").html
    assert f'content="curvewise {curvewise.__version__}"' in html


def copied(tmp_path: Path) -> Path:
    names = ("CITATION.cff", ".zenodo.json", "CHANGELOG.md")
    files = (*names, "src/curvewise/__init__.py", "release/conda/recipe.yaml")
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_what_stands_in_the_way_of_a_release_is_said(tmp_path: Path) -> None:
    root = copied(tmp_path)
    title = f"## {source_version()} ({release_date()})"
    (root / "CHANGELOG.md").write_text(f"# Changelog\n\n{title}\n", encoding="utf-8")
    assert unreleased(root) == []
    (root / "CHANGELOG.md").write_text("# Changelog\n", encoding="utf-8")
    source = root / "src" / "curvewise" / "__init__.py"
    source.write_text('__version__ = "9.9"\n', encoding="utf-8")
    said = "\n".join(unreleased(root))
    for words in (
        "the version of CITATION.cff is",
        "the version of .zenodo.json is",
        "the version of release/conda/recipe.yaml is",
        "CHANGELOG.md has no '## 9.9 (",
    ):
        assert words in said
    source.write_text("", encoding="utf-8")
    with pytest.raises(ValueError, match="says no version"):
        source_version(root)


# --- packages ------------------------------------------------------------------------


def bounds(requirements: list[str]) -> dict[str, str]:
    """Return the lower bound of each package."""
    found = (re.match(r"([\w.-]+)(?:\[.*\])?>=([\d.]+)", each) for each in requirements)
    return {match[1].replace("matplotlib", "matplotlib-base"): match[2] for match in found if match}


def test_the_conda_recipe_asks_for_what_the_project_asks_for() -> None:
    base, full = read_yaml(ROOT / "release" / "conda" / "recipe.yaml")["outputs"]
    listed = [*base["requirements"]["run"][1:], *full["requirements"]["run"][1:]]
    assert {name: bound[2:] for name, bound in (each.split() for each in listed)} == bounds(
        PROJECT["dependencies"]
    )


def test_the_conda_recipe_starts_the_same_command() -> None:
    base, _ = read_yaml(ROOT / "release" / "conda" / "recipe.yaml")["outputs"]
    starts = [f"{name} = {place}" for name, place in PROJECT["scripts"].items()]
    assert base["build"]["python"]["entry_points"] == starts


def test_everything_that_may_be_missing_has_an_extra() -> None:
    extras = PROJECT["optional-dependencies"]
    assert bounds(extras["fast"])["numba"] == bounds(PROJECT["dependencies"])["numba"]
    for name in ("fast", "serve", "dask", "ray"):
        assert re.search(rf"\b{name}\b", extras["all"][0])


def test_python_versions_that_are_promised_are_tested() -> None:
    matrix = read_yaml(ROOT / ".github" / "workflows" / "ci.yml")["jobs"]["test"]
    promised = [
        each.rsplit(" ", 1)[1] for each in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", each)
    ]
    assert matrix["strategy"]["matrix"]["python"] == promised
    assert PROJECT["requires-python"] == f">={promised[0]}"


# --- workflows, hooks ----------------------------------------------------------------


def targets() -> set[str]:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z][a-z-]*):.*##", makefile, re.MULTILINE))


def commands(workflow: Any) -> list[str]:
    """Return what a workflow runs, with the values of its matrices filled in."""
    found = []
    for job in workflow["jobs"].values():
        chosen = job.get("strategy", {}).get("matrix", {}).get("target", [""])
        runs = [step["run"] for step in job["steps"] if "run" in step]
        found += [run.replace("${{ matrix.target }}", each) for run in runs for each in chosen]
    return found


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_run_nothing_but_targets_of_make(path: Path) -> None:
    workflow = read_yaml(path)
    assert commands(workflow)
    for command in commands(workflow):
        make, *rest = command.split()
        if make == ".ci/browser":
            assert os.access(ROOT / make, os.X_OK)
            continue
        assert make == "make"
        assert set(rest) <= targets(), command
    for job in workflow["jobs"].values():
        for step in job["steps"]:
            assert re.search(r"@v\d+$", step.get("uses", "@v1"))


def test_continuous_integration_runs_what_the_workflow_runs() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    own = set(re.findall(r"^make (\S+)$", script, re.MULTILINE))
    assert own <= targets()
    workflow = read_yaml(ROOT / ".github" / "workflows" / "ci.yml")
    assert own <= {command.split()[-1] for command in commands(workflow)}


def test_hooks_run_the_tools_that_the_project_names() -> None:
    hooks = read_yaml(ROOT / ".pre-commit-config.yaml")["repos"]
    assert [repo["repo"] for repo in hooks] == ["local"]
    for hook in hooks[0]["hooks"]:
        make, target = hook["entry"].split()
        assert make == "make"
        assert target in targets()
    pinned = {
        each.split("==")[0] for each in PROJECT["optional-dependencies"]["dev"] if "==" in each
    }
    assert pinned == {"import-linter", "mypy", "ruff"}


def test_the_metadata_for_archives_are_complete() -> None:
    zenodo = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
    cited = read_yaml(ROOT / "CITATION.cff")
    assert zenodo["title"] == cited["title"]
    assert [each["name"] for each in zenodo["creators"]] == [
        each["name"] for each in cited["authors"]
    ]
    assert zenodo["keywords"] == PROJECT["keywords"]
    assert zenodo["license"] == cited["license"]


# --- builds --------------------------------------------------------------------------


def run(*arguments: object, cwd: Path) -> str:
    """Run a command; return what it prints."""
    environment = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "PYTHONWARNINGS"}}
    done = subprocess.run(
        list(map(str, arguments)),
        cwd=cwd,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_wheel_works_in_an_empty_environment(tmp_path: Path) -> None:
    """As ``uvx curvewise demo``, ``pipx run curvewise demo`` and ``python -m curvewise`` do."""
    pytest.importorskip("build")
    run(sys.executable, "-m", "build", "--outdir", tmp_path, cwd=ROOT)
    (wheel,) = tmp_path.glob("*.whl")
    (source,) = tmp_path.glob("*.tar.gz")
    assert f"-{curvewise.__version__}" in wheel.name
    assert f"-{curvewise.__version__}.tar.gz" in source.name
    place = tmp_path / "environment"
    venv.create(place, with_pip=True)
    scripts = place / ("Scripts" if os.name == "nt" else "bin")
    install = ("-m", "pip", "install", "--quiet", "--no-compile", wheel)
    run(scripts / "python", *install, cwd=tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    said = run(scripts / "python", "-m", "curvewise", "--version", cwd=elsewhere)
    assert said == f"curvewise {curvewise.__version__}\n"
    assert "differ" in run(scripts / "curvewise", "demo", cwd=elsewhere)
    assert (elsewhere / "curvewise-demo.png").exists()
    # What is drawn and scripted is in the wheel too.
    write = "import curvewise as cw; cw.report(cw.load_example()).save('report.html')"
    run(scripts / "python", "-c", write, cwd=elsewhere)
    report = (elsewhere / "report.html").read_text(encoding="utf-8")
    assert f'content="curvewise {curvewise.__version__}"' in report
