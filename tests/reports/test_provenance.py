"""How a report was made."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import yaml

import curvewise as cw
from curvewise.reports.ask import BIBTEX, file_hashes, made_of
from tests.simulation import some_curves

ROOT = Path(__file__).parents[2]


def test_who_is_cited_is_who_wishes_to_be() -> None:
    wish = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    text = BIBTEX
    assert f"title   = {{{wish['title']}}}" in text
    assert f"{{{cw.__version__}}}" in text
    paper = wish["references"][0]
    authors = " and ".join(
        f"{own['family-names']}, {own['given-names']}" for own in paper["authors"]
    )
    assert authors in text
    assert paper["title"] in text.replace("{", "").replace("}", "")
    assert paper["collection-title"] in text
    assert f"{{{paper['year']}}}" in text


def test_files_and_folders_have_their_hashes(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    (folder / "a").mkdir(parents=True)
    (folder / "a" / "1.csv").write_bytes(b"one")
    (folder / "2.csv").write_bytes(b"two")
    found = file_hashes([folder / "2.csv", folder, tmp_path / "runs*"])
    two = hashlib.sha256(b"two").hexdigest()
    assert found["2.csv"] == f"SHA-256 {two}"
    assert re.fullmatch(r"2 files, SHA-256 [0-9a-f]{64}", found["runs/"])
    assert len(found) == 2
    (folder / "2.csv").write_bytes(b"three")
    assert file_hashes([folder])["runs/"] != found["runs/"]


def test_lines_say_what_was_read_and_from_which_seed() -> None:
    one = some_curves(0, (3, 4))
    told = cw.Curves(one.scores, one.labels, one.steps, source="runs.csv")
    found = cw.compare(told, n_shuffles=19, exact=False, rng=7)
    lines = dict(made_of({"x": told, "y": told}, [found], {"Command": "curvewise report"}))
    assert list(lines) == ["Command", "Curves x and y", "Seed", "Made"]
    assert lines["Curves x and y"] == "runs.csv. 2 algorithms × 3–4 runs × 6 steps, 0 to 5"
    assert lines["Seed"] == "7"
    assert re.fullmatch(r"with curvewise \S+", lines["Made"])
