"""Configurations beside logs: found, flattened, never run."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from curvewise.readers.naming import config as configurations
from curvewise.readers.naming.config import (
    MAX_SETTINGS,
    Configurations,
    flattened,
    is_configuration,
)

if TYPE_CHECKING:
    from pathlib import Path

    from curvewise.readers.naming.config import Setting
    from curvewise.readers.walk import File


def _of(home: Path, root: Path | None = None, stem: str | None = None) -> dict[str, Setting]:
    settings, notes = _both(home, root, stem)
    assert not notes
    return settings


def _both(
    home: Path, root: Path | None = None, stem: str | None = None
) -> tuple[dict[str, Setting], list[str]]:
    return Configurations(root or home).of(home, stem)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("params.json", '{"seed": 3, "env": {"game": "Pong"}}'),
        ("variant.json", '{"seed": 3, "env": {"game": "Pong"}}'),
        ("hparams.yaml", "seed: 3\nenv:\n  game: Pong\n"),
        ("args.yml", "seed: 3\nenv: {game: Pong}\n"),
        ("config.toml", 'seed = 3\n[env]\ngame = "Pong"\n'),
        ("flags.json", '\ufeff{"seed": 3, "env": {"game": "Pong"}}'),
    ],
)
def test_files_of_usual_names(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert is_configuration(name)
    assert _of(tmp_path) == {"seed": 3, "env.game": "Pong"}


def test_packed_files(tmp_path: Path) -> None:
    (tmp_path / "config.json.gz").write_bytes(gzip.compress(b'{"seed": 1}'))
    assert _of(tmp_path) == {"seed": 1}


def test_tags_of_python_are_read_as_plain_values(tmp_path: Path) -> None:
    (tmp_path / "args.yml").write_text(
        "!!python/object/apply:collections.OrderedDict\n"
        "- - - algo\n    - ppo\n  - - layers\n    - !!python/tuple [64, 64]\n"
        "  - - act\n    - !!python/name:torch.nn.Tanh ''\n"
    )
    assert _of(tmp_path) == {"algo": "ppo", "layers": "[64, 64]", "act": "torch.nn.Tanh"}
    (tmp_path / "args.yml").write_text("!!python/object:argparse.Namespace\nseed: 4\nlr: !x 1\n")
    assert _of(tmp_path) == {"seed": 4, "lr": "1"}


def test_nothing_in_a_file_is_run(tmp_path: Path) -> None:
    target = tmp_path / "written"
    (tmp_path / "config.yaml").write_text(
        f"x: !!python/object/apply:os.system ['touch {target}']\nseed: 1\n"
    )
    assert _of(tmp_path)["seed"] == 1
    assert not target.exists()


def test_the_zoo_of_stable_baselines3(tmp_path: Path) -> None:
    inner = tmp_path / "ppo" / "CartPole-v1_2" / "CartPole-v1"
    inner.mkdir(parents=True)
    (inner / "args.yml").write_text("seed: 20\nalgo: ppo\n")
    assert _of(inner.parent, tmp_path) == {"seed": 20, "algo": "ppo"}


def test_hydra_keeps_its_files_in_a_hidden_folder(tmp_path: Path) -> None:
    run = tmp_path / "0"
    (run / ".hydra").mkdir(parents=True)
    (run / ".hydra" / "overrides.yaml").write_text("- lr=0.1\n- +seed=2\n")
    assert _of(run, tmp_path) == {"lr": "0.1", "seed": "2"}
    (run / ".hydra" / "config.yaml").write_text("lr: 0.1\nmodel: {width: 8}\n")
    assert _of(run, tmp_path) == {"lr": 0.1, "model.width": 8, "seed": "2"}


def test_weights_and_biases_wraps_values(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "config.yaml").write_text(
        "wandb_version: 1\n_wandb: {value: {a: 1}}\nlr: {desc: null, value: 0.1}\n"
        "net: {value: {width: 8}}\n"
    )
    assert _of(tmp_path) == {"lr": 0.1, "net.width": 8}
    # The same shape without any sign of W&B is what it says.
    (tmp_path / "files" / "config.yaml").write_text("lr: {value: 0.1}\n")
    assert _of(tmp_path) == {"lr.value": 0.1}


def test_what_is_nearer_goes_first_and_folders_above_count(tmp_path: Path) -> None:
    run = tmp_path / "ppo" / "seed0" / "tb"
    run.mkdir(parents=True)
    (tmp_path / "ppo" / "config.json").write_text('{"algo": "ppo", "seed": -1}')
    (run.parent / "config.json").write_text('{"seed": 0}')
    assert _of(run, tmp_path) == {"seed": 0, "algo": "ppo"}
    # Not above what was asked for.
    assert _of(run, run) == {}


def test_files_that_belong_to_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("seed: 1\n")
    (tmp_path / "b_config.json").write_text('{"seed": 2}')
    assert _of(tmp_path, stem="a") == {"seed": 1}
    assert _of(tmp_path, stem="b") == {"seed": 2}
    assert _of(tmp_path) == {}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("config.json", b'{"seed": 1'),
        ("config.json", b"[1, 2]"),
        ("config.json", b"\xff\xfe\x00"),
        ("config.yaml", b"a: [1, 2\nb: }"),
        ("config.yaml", b"? [1, 2]\n: 3\n- 4"),
        ("config.toml", b"a = = 1"),
        ("config.json", b"[" * 100_000),
        ("config.yaml", b"[" * 100_000),
        ("config.yaml", b"- " * 100_000),
        ("config.json", b"1" * (2**22 + 1)),
        ("config.json.gz", gzip.compress(b'{"seed": 1}' * 100, mtime=0)[:-20]),
        ("config.json.gz", gzip.compress(b" " * 2**23, mtime=0)),
    ],
)
def test_a_broken_file_is_a_note(name: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    (tmp_path / "params.json").write_text('{"seed": 7}')
    settings, notes = _both(tmp_path)
    assert settings == {"seed": 7}
    assert len(notes) == 1
    assert name in notes[0]
    assert "\n" not in notes[0]


def test_references_that_multiply_are_bounded(tmp_path: Path) -> None:
    lines = ["a0: &a0 {x: 1, y: 2}"]
    lines += [f"a{n}: &a{n} {{p: *a{n - 1}, q: *a{n - 1}, r: *a{n - 1}}}" for n in range(1, 30)]
    (tmp_path / "config.yaml").write_text("\n".join(lines))
    for text in ("\n".join(lines), "a: &a\n  b: *a\n"):
        (tmp_path / "config.yaml").write_text(text)
        settings, notes = Configurations(tmp_path).of(tmp_path)
        assert settings == {}
        assert "aliases repeat more than settings can be" in notes[0]
    (tmp_path / "config.yaml").write_text("\n".join(lines[:6]))
    assert len(_of(tmp_path)) <= MAX_SETTINGS


def test_an_empty_file_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "hparams.yaml").write_text("{}\n")
    (tmp_path / "config.yaml").write_text("")
    assert _of(tmp_path) == {}


def test_lists_become_short_text() -> None:
    found = flattened({"a": [[1, [2, [3]]], float("nan")], "b": list(range(1000)), "c": (True,)})
    assert found["a"] == '[[1, "…"], "nan"]'
    assert len(str(found["b"])) <= 500
    assert found["c"] == "[true]"
    json.loads(str(found["c"]))


def test_each_file_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config.json").write_text('{"algo": "ppo"}')
    for number in range(3):
        (tmp_path / str(number)).mkdir()
    opened: list[str] = []
    document = configurations._document

    def counted(file: File) -> object:
        opened.append(file.name)
        return document(file)

    monkeypatch.setattr(configurations, "_document", counted)
    known = Configurations(tmp_path)
    for number in range(3):
        assert known.of(tmp_path / str(number))[0] == {"algo": "ppo"}
    assert opened == ["config.json"]


def test_where_objects_were_in_memory_is_no_setting() -> None:
    """Spinning Up saves the logger itself, whose file is open in another place for each run."""

    def saved(number: int) -> dict[str, Setting]:
        file = f"<_io.TextIOWrapper name='/data/ppo_s{number}/progress.txt' mode='w'>"
        logger = f"<spinup.utils.logx.EpochLogger object at 0x7f{number}>"
        return flattened(
            {
                "env_fn": f"<function <lambda> at 0x7fa{number}>",
                "hooks": [f"<function log at 0x7fb{number}>"],
                "logger": {logger: {"exp_name": "ppo", "output_file": {file: {"mode": "w"}}}},
            }
        )

    assert saved(1) == saved(2)
    assert saved(1) == {
        "env_fn": "<function <lambda>>",
        "hooks": '["<function log>"]',
        "logger.exp_name": "ppo",
        "logger.output_file.mode": "w",
    }
    assert flattened({"act": "<function tanh at 0x7f>"}) != flattened(
        {"act": "<function relu at 0x7f>"}
    )
