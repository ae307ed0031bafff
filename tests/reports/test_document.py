"""The page as text: what it allows, and that names cannot break out of it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
from importlib.resources import files

import pytest

from curvewise.rendering.tables import Table
from curvewise.reports.composing import Document, Section, json_text, script, table_html
from curvewise.reports.payload import packed_json

ATTACK = "</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>\"'&"
ASSETS = files("curvewise.reports") / "assets"


def page(title: str = "A title", warnings: tuple[str, ...] = ()) -> str:
    return Document(
        title=title,
        headline=f"Headline {title}",
        words=(f"Words {title}",),
        warnings=warnings,
        sections=(Section(title, title, (title,), tables=(Table((title,), ((title,),)),)),),
        tasks=(),
        about_tasks="",
        made=((title, title),),
        looks={},
        data={"title": title, "tables": [], "copies": packed_json({})},
    ).html()


def test_the_policy_allows_this_script_and_style_alone() -> None:
    text = page()
    policy = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
    rules = dict(rule.split(" ", 1) for rule in policy[0].split("; "))
    assert rules["default-src"] == "'none'"
    assert rules["img-src"] == "data:"
    for kind in ("script", "style"):
        (inside,) = re.findall(rf"<{kind}>(.*?)</{kind}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert rules[f"{kind}-src"] == f"'sha256-{digest}'"
    assert "unsafe" not in policy[0]
    # Attributes with styles or handlers would be refused.
    assert not re.search(r"<[^>]* (style|on\w+)=", text.split("<script>")[0])


def test_nothing_is_fetched_from_anywhere() -> None:
    text = page()
    links = set(re.findall(r"(?:src|href)=\"?([^\"\s>]+)", text))
    assert links <= {"#verdict"}
    assert "@import" not in text
    hosts = set(re.findall(r"https?://[^\s\"'`]+", text))
    assert hosts == {"http://www.w3.org/2000/svg"}  # the name of a namespace


def test_names_cannot_leave_their_place() -> None:
    text = page(ATTACK)
    assert "<img" not in text
    assert "<!--" not in text
    assert text.count("<script") == 2
    assert text.count("</script>") == 2
    data = re.findall(r'id="curvewise-data">(.*?)</script>', text, re.DOTALL)[0]
    assert json.loads(data)["title"] == ATTACK
    assert "<" not in data
    # Characters that would turn the direction of writing are spelt out.
    assert "\u202e" not in page("\u202egnp.exe")


def test_json_is_strict() -> None:
    assert json_text({"a": "<\u2028"}) == '{"a":"\\u003c\\u2028"}'
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_text({"a": float("nan")})


def test_tables_have_headers_and_no_empty_ones() -> None:
    table = Table(
        ("name", "", "x"), (("A", "leader", "1"),), title="T", notes=("n",), n_text_columns=2
    )
    text = table_html(table)
    assert text.count('<th scope="col">') == 2
    assert '<th scope="col"></th>' not in text
    assert '<th scope="row">A</th><td>leader</td><td>1</td>' in text
    assert "<caption>T</caption>" in text
    assert '<table class="text2">' in text


def test_of_many_notes_the_first_are_shown() -> None:
    text = page(warnings=tuple(f"warning {n}" for n in range(6)))
    shown, _, folded = text.partition('<details class="notes"><summary>3 more notes')
    assert "warning 2" in shown
    assert "warning 3" not in shown
    assert "warning 5" in folded
    assert "<details" not in page(warnings=("one", "two"))


def test_the_script_is_all_files_in_order_in_one_closure() -> None:
    code = script()
    assert code.startswith('(() => {\n"use strict";')
    names = sorted(own.name for own in ASSETS.iterdir() if own.name.endswith(".js"))
    assert len(names) > 5
    places = []
    for name in names:
        text = (ASSETS / name).read_text(encoding="utf-8")
        assert text.startswith("// "), name
        assert len(text.splitlines()) < 200, name
        first = next(line for line in text.splitlines() if line.startswith(("function", "const")))
        places.append(code.index(first))
    assert places == sorted(places)
    assert "\n//" not in code


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_script_parses() -> None:
    subprocess.run(["node", "--check", "-"], input=script(), text=True, check=True)


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_ticks_and_points_end_whatever_the_numbers() -> None:
    """Where a number is so large that the next is the same, lists grew until none was left."""
    code = "\n".join(
        (ASSETS / name).read_text(encoding="utf-8") for name in ("20-numbers.js", "40-drawing.js")
    )
    asked = """
    const ends = [0, 1, -1, 1e17, 1e17 + 64, -1e17, 1e-320, 1e308, -1e308, NaN, Infinity, -Infinity];
    for (const low of ends) for (const high of ends) for (const about of [NaN, 0, 3, 9]) {
      const found = [...roundTicks(low, high, about), ...logTicks(low, high)];
      if (found.length > 700) throw new Error([low, high, about, found.length]);
    }
    const xs = Array.from({ length: 9 }, () => NaN);
    for (const width of [-5, 0, 1, NaN]) if (points(xs, xs, width).length > 18) throw new Error(width);
    console.log(JSON.stringify([roundTicks(0, 10, 5), roundTicks(1e17, 1e17 + 64, 4), logTicks(1, 1000)]));
    """
    page = "globalThis.window = { matchMedia: () => ({}) };"
    done = subprocess.run(
        ["node", "-"],
        input=page + code + asked,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    plain, large, powers = json.loads(done.stdout)
    assert plain == [0, 2, 4, 6, 8, 10]
    assert large == sorted(set(large))
    assert powers == [1, 10, 100, 1000]
