"""A report as a reader uses it: mouse, keys, typing, files, themes, narrow screens, print."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import curvewise as cw
from tests.browser.opening import crossing, report_of

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.browser.opening import Opener

FEW: dict[str, Any] = {"n_shuffles": 99, "rng": 0}
SVG = "{http://www.w3.org/2000/svg}"


def window(page: Page) -> tuple[str, str]:
    return page.locator(".from").input_value(), page.locator(".to").input_value()


def place_of(page: Page, step: float) -> tuple[float, float]:
    """Return where a step of the 40 lies on the screen, as the axis says."""
    page.locator(".overlay").scroll_into_view_if_needed()
    frame = page.locator(".overlay").bounding_box()
    viewbox = (page.locator(".picture > svg").get_attribute("viewBox") or "").split()
    ends = page.evaluate(
        """() => { const axis = [...document.querySelectorAll(".picture line")].filter(
            (own) => own.getAttribute("y1") === own.getAttribute("y2")).pop();
            return ["x1", "x2"].map((name) => Number(axis.getAttribute(name))); }"""
    )
    assert frame is not None
    x = ends[0] + (ends[1] - ends[0]) * step / 390
    return frame["x"] + x * frame["width"] / float(viewbox[2]), frame["y"] + 100


def test_it_opens_offline_with_nothing_to_complain_about(opened: Opener) -> None:
    page = opened(report_of()[0], offline=True)
    assert page.locator("h1").inner_text() == "Crossing"
    assert page.locator("h1").count() == 1
    assert page.locator(".picture > svg").count() == 1
    assert page.locator(".still").is_hidden()


def test_drag_keys_typing_map_and_link_choose_the_same_window(opened: Opener) -> None:
    page = opened(report_of()[0])
    page.locator(".clear").click()  # or the handle of the first window might be dragged
    page.mouse.move(*place_of(page, 50))
    page.mouse.down()
    page.mouse.move(*place_of(page, 90))
    page.mouse.move(*place_of(page, 120))
    page.mouse.up()
    assert window(page) == ("50", "120")
    told = page.locator(".sentence").inner_text()
    assert told.startswith("From 50 to 120, ")
    assert page.url.endswith("#window=50,120")

    first, last = page.locator(".handle").all()
    first.focus()
    for key in ("Home", "ArrowRight", "PageUp", "ArrowLeft"):
        page.keyboard.press(key)
    assert window(page) == ("100", "120")
    assert first.get_attribute("aria-valuetext") == "step 100"
    assert first.get_attribute("aria-valuenow") == "10"
    assert page.locator(".legend .value").first.inner_text() != ""
    last.focus()
    page.keyboard.press("End")
    assert window(page) == ("100", "390")
    page.keyboard.press("Escape")
    assert window(page) == ("", "")
    assert page.locator(".boxes").is_hidden()
    assert page.locator(".brush").is_hidden()

    page.locator(".from").fill("52")  # the nearest step is meant
    page.locator(".from").press("Enter")
    page.locator(".to").fill("120")
    page.locator(".to").press("Enter")
    assert window(page) == ("50", "120")
    assert page.locator(".sentence").inner_text() == told
    page.locator(".to").fill("soon")
    page.locator(".to").press("Enter")
    assert page.locator(".refused").inner_text() == "Type a step from 0 to 390."
    assert page.locator(".to").get_attribute("aria-invalid") == "true"

    page.locator(".clear").click()
    page.locator(".triangle canvas").scroll_into_view_if_needed()
    frame = page.locator(".triangle canvas").bounding_box()
    assert frame is not None
    side = frame["width"] / 40
    page.mouse.click(frame["x"] + 5.5 * side, frame["y"] + (40 - 12.5) * side)
    assert window(page) == ("50", "120")
    assert page.locator(".sentence").inner_text() == told

    again = opened(report_of()[0], address="#window=50,120")
    assert window(again) == ("50", "120")
    assert again.locator(".sentence").inner_text() == told
    again.evaluate("window.location.hash = '#window=70,80'")
    again.locator(".sentence", has_text="From 70 to 80, ").wait_for()
    assert window(again) == ("70", "80")


def test_a_handle_can_be_dragged_over_the_other(opened: Opener) -> None:
    page = opened(report_of()[0], address="#window=50,120")
    page.locator(".overlay").scroll_into_view_if_needed()
    frame = page.locator(".handle").first.bounding_box()
    assert frame is not None
    page.mouse.move(frame["x"] + 7, frame["y"] + 60)
    page.mouse.down()
    page.mouse.move(*place_of(page, 200))
    page.mouse.move(*place_of(page, 300))
    page.mouse.up()
    assert window(page) == ("120", "300")


def test_means_under_the_pointer_are_written_into_the_legend(opened: Opener) -> None:
    page = opened(report_of()[0])
    page.mouse.move(*place_of(page, 200))
    page.wait_for_selector(".hair", state="visible")
    assert page.locator(".at-step").inner_text() == "means at frames 200"
    means = crossing().select("B").scores.mean(axis=0)
    shown = page.locator(".legend .value").all_inner_texts()
    assert float(shown[1]) == pytest.approx(means[20], rel=1e-3)


def strokes(page: Page) -> list[str]:
    return [
        path.get_attribute("stroke") or ""
        for path in page.locator(".picture path[stroke-width='2']").all()
    ]


def test_an_algorithm_that_is_hidden_leaves_the_colours_of_others(opened: Opener) -> None:
    page = opened(report_of(24, 3)[0])
    before = strokes(page)
    assert len(before) == 3
    page.locator(".legend input").nth(1).uncheck()
    assert strokes(page) == [before[0], before[2]]
    page.locator(".legend input").nth(1).check()
    assert strokes(page) == before
    page.locator(".theme").click()
    dark = strokes(page)
    assert set(dark).isdisjoint(before)
    assert page.locator("html").get_attribute("data-theme") == "dark"


def test_options_change_the_drawing_and_never_a_number(opened: Opener) -> None:
    page = opened(report_of()[0], address="#window=50,120")
    told = [page.locator(name).inner_text() for name in (".boxes", ".sentence")]
    page.locator(".smooth").select_option("11")
    assert page.locator("text=score, moving mean of 11").count() == 1
    for band in ("sd", "ci", "none", "runs"):
        page.locator(".band").select_option(band)
        filled = page.locator(".picture path[fill-opacity='0.13']").count()
        assert filled == (0 if band == "none" else 2)
    page.locator(".runs").uncheck()
    page.locator(".log-steps").check()  # the first step is 0
    ticks = page.locator(".picture text").all_text_contents()
    assert {"0", "10", "100"} <= set(ticks)
    assert "NaN" not in page.locator(".picture").inner_html()
    assert page.locator(".log-scores").is_disabled()  # some are below 0
    assert [page.locator(name).inner_text() for name in (".boxes", ".sentence")] == told


def saved(page: Page, button: str) -> tuple[str, bytes]:
    with page.expect_download() as waiting:
        page.locator(button).click()
    path = waiting.value.path()
    return waiting.value.suggested_filename, path.read_bytes()


def test_pictures_and_means_can_be_saved(opened: Opener) -> None:
    page = opened(report_of()[0])
    name, data = saved(page, ".save-svg")
    assert name == "Crossing.svg"
    picture = ET.fromstring(data)  # noqa: S314 (its own)
    words = [own.text or "" for own in picture.iter(f"{SVG}text")]
    assert {"frames", "score", "A (5 runs)", "B (5 runs)", "differ"} <= set(words)
    assert len(list(picture.iter(f"{SVG}path"))) >= 10 + 2 * 2 + 2  # runs, means, bands
    name, data = saved(page, ".save-png")
    assert name == "Crossing.png"
    assert data.startswith(b"\x89PNG")
    width = int.from_bytes(data[16:20], "big")
    assert width == 1_800
    name, data = saved(page, ".save-csv")
    assert name == "Crossing.csv"
    header, *rows = csv.reader(io.StringIO(data.decode()))
    assert header == ["frames", "A", "B"]
    curves = crossing()
    means = [curves.select(own).scores.mean(axis=0) for own in "AB"]
    table = np.array(rows, dtype=float)
    np.testing.assert_allclose(table, np.array([curves.steps, *means]).T, atol=1e-7)


def test_texts_can_be_copied(opened: Opener) -> None:
    report, _ = report_of()
    page = opened(
        report, address="#window=50,120", permissions=["clipboard-read", "clipboard-write"]
    )

    def copied(button: str) -> str:
        page.locator(button).click()
        page.wait_for_selector(f"{button}:text-is('Copied')")
        text: str = page.evaluate("navigator.clipboard.readText()")
        return text

    found = cw.compare(crossing(), n_shuffles=199, rng=0)
    assert copied("[data-copy=verdict]") == found.describe()
    assert found.tables()[0].latex() in copied("[data-copy=latex]")
    assert found.tables()[1].markdown() in copied("[data-copy=markdown]")
    assert copied("[data-copy=bibtex]").startswith("@software{curvewise")
    assert copied(".copy-sentence") == page.locator(".sentence").inner_text()
    assert copied(".copy-link").endswith("#window=50,120")


def test_without_scripts_words_tables_and_a_still_picture_are_there(opened: Opener) -> None:
    report, where = report_of(24, 3)
    page = opened(report, java_script_enabled=False)
    assert page.locator(".still svg").is_visible()
    assert page.locator(".headline").first.is_visible()
    assert where.describe() in page.locator("main").inner_text()
    assert page.locator("table").count() >= 5
    assert page.locator("table tr").last.is_visible()
    assert page.locator("button:visible").count() == 0
    assert page.locator(".figure img").evaluate("own => own.naturalWidth") > 100


def test_a_browser_that_cannot_unpack_says_so(opened: Opener) -> None:
    text = report_of()[0].html
    before = "<script>(() => {"
    assert before in text
    context = opened.browser.new_context()
    context.add_init_script("delete window.DecompressionStream")
    page = context.new_page()
    place = opened.folder / "old.html"
    place.write_text(text, encoding="utf-8")
    page.goto(place.as_uri())
    page.wait_for_selector("html[data-ready=no]", state="attached")
    assert "lacks DecompressionStream" in page.locator(".unable").inner_text()
    assert page.locator(".still svg").is_visible()
    assert page.locator("table").first.is_visible()
    context.close()


def test_names_that_attack_are_names(opened: Opener) -> None:
    names = [
        "</script><img src=x onerror=alert(1)>",
        "<!--<script>alert(2)</script>",
        "\"';alert(3)//",
        "\u202egnp.live",
        "=1+1",
        "n" * 300,
    ]
    rng = np.random.default_rng(0)
    curves = cw.Curves(
        rng.normal(size=(18, 5)) + np.repeat(np.arange(6), 3)[:, None], np.repeat(names, 3)
    )
    where = cw.locate(curves, n_resamples=0, **FEW)
    report = cw.report(
        curves,
        cw.compare(curves, **FEW),
        where,
        cw.best(curves, **FEW),
        title=names[0],
        step_name=names[1],
        score_name=names[0],
        made={names[0]: names[1]},
    )
    for bypass in (False, True):
        page = opened(report, bypass_csp=bypass, viewport={"width": 390, "height": 700})
        assert page.locator("img[src=x]").count() == 0
        assert page.locator("script").count() == 2
        shown = page.locator(".legend bdi").evaluate_all("all => all.map((own) => own.title)")
        assert shown[:3] == names[:3]
        assert shown[3] == "\\u202egnp.live"
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    _, data = saved(page, ".save-csv")
    header = next(csv.reader(io.StringIO(data.decode())))
    assert header[5] == "'=1+1"
    _, data = saved(page, ".save-svg")
    ET.fromstring(data)  # noqa: S314 (its own)


def extreme(kind: str) -> cw.Curves:
    rng = np.random.default_rng(0)
    if kind == "1 step":
        return cw.Curves([[1.0], [2.0], [4.0], [3.0]], list("AABB"))
    if kind == "1 run":
        return cw.Curves([[1.0, 2.0], [2.0, 3.5], [4.0, 6.0]], list("AAB"))
    if kind == "constant":
        return cw.Curves(np.repeat(np.arange(6.0) // 3, 4).reshape(6, 4), list("AAABBB"))
    if kind == "20 algorithms":
        return cw.Curves(rng.normal(size=(40, 6)), np.repeat(np.arange(20), 2))
    return cw.Curves(rng.normal(size=(4, 5_000)).cumsum(axis=1), list("AABB"))


@pytest.mark.parametrize("kind", ["1 step", "1 run", "constant", "20 algorithms", "5,000 steps"])
def test_any_curves_are_drawn(opened: Opener, kind: str) -> None:
    curves = extreme(kind)
    results: list[Any] = []
    if kind != "constant":
        few = {**FEW, "n_shuffles": 19}
        where = cw.locate(curves, n_resamples=0, windows=curves.n_steps < 10, **few)
        results = [cw.compare(curves, **few), where]
    page = opened(cw.report(curves, *results))
    inside = page.locator(".picture").inner_html()
    assert "NaN" not in inside
    assert "Infinity" not in inside
    assert page.locator(".legend li").count() == len(curves.algorithms)
    assert page.locator(".window").count() == (kind not in {"1 step", "constant"})
    thinned = "Runs are thinned" in page.locator(".caption").inner_text()
    assert thinned == (kind == "5,000 steps")
    if curves.n_steps > 2:
        page.locator(".smooth").select_option("5")
        assert "NaN" not in page.locator(".picture").inner_html()


@pytest.mark.parametrize("width", [390, 550])
def test_a_narrow_screen_needs_no_sideways_scrolling(opened: Opener, width: int) -> None:
    page = opened(report_of(24, 3)[0], viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    plot = page.locator(".plot").bounding_box()
    assert plot is not None
    assert plot["width"] > 0.8 * width


def test_print_has_the_verdict_once_and_no_controls(opened: Opener, tmp_path: Path) -> None:
    report, where = report_of()
    page = opened(report, color_scheme="dark", address="#window=50,120")
    page.emulate_media(media="print")
    # A printer leaves backgrounds out and paper white: the ends of a window are lines.
    drawn = "own => [getComputedStyle(own).backgroundImage, own.getBoundingClientRect().width]"
    assert page.locator(".handle").first.evaluate(drawn) == ["none", 2]
    assert page.locator("button:visible, select:visible").count() == 0
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == "rgb(255, 255, 255)"
    data = page.pdf(path=tmp_path / "report.pdf", format="A4")
    assert data.startswith(b"%PDF")
    if shutil.which("pdftotext"):
        done = subprocess.run(
            ["pdftotext", "-layout", tmp_path / "report.pdf", "-"],
            capture_output=True,
            text=True,
            check=True,
        )
        text = " ".join(done.stdout.split())
        assert text.count(where.describe()[:60]) == 1
        assert "Copy the verdict" not in text
        assert "Show all" not in text


def test_steps_of_many_digits_are_shown_whole(opened: Opener) -> None:
    curves = crossing(6)
    large = cw.Curves(curves.scores, curves.labels, curves.steps * 10**11)
    where = cw.locate(large, n_resamples=0, rng=0)
    page = opened(cw.report(large, where), address=f"#window=0,{5 * 10**12}")
    box = page.locator("input.to")
    assert box.input_value() == str(5 * 10**12)
    assert box.evaluate("own => own.scrollWidth <= own.clientWidth")


def test_long_tables_fold_and_unfold(opened: Opener) -> None:
    page = opened(report_of()[0])
    button = page.locator(".unfold").last
    table = page.locator("table").last
    assert table.locator("tbody tr:visible").count() == 8
    button.click()
    assert button.get_attribute("aria-expanded") == "true"
    assert table.locator("tbody tr:visible").count() == 25


def test_several_tasks_open_one_by_one(opened: Opener) -> None:
    tables = {"first": crossing(20), "second": crossing(30)}
    family = cw.compare_many(tables, **FEW)
    where = {"second": cw.locate(tables["second"], n_resamples=0, **FEW)}
    report = cw.report(tables, family, where)
    page = opened(report)
    assert page.locator("details.task").count() == 2
    assert page.locator("summary .mini svg").count() == 2
    assert page.locator(".picture > svg").count() == 0
    page.locator("summary").first.click()
    page.wait_for_selector(".picture > svg")
    assert page.locator(".window").count() == 0
    again = opened(report, address="#table=1&window=50,120")
    assert window(again) == ("50", "120")
    assert again.locator("details.task[open]").count() == 1
    again.locator(".clear").click()
    assert again.url.endswith("#table=1")


def test_a_notebook_frame_works(opened: Opener) -> None:
    frame = report_of()[0]._repr_html_()
    page = opened(f"<!doctype html><title>notebook</title>{frame}", ready="")
    inside = page.frame_locator("iframe")
    inside.locator("html[data-ready=yes]").wait_for(state="attached")
    inside.locator(".from").fill("50")
    inside.locator(".from").press("Enter")
    assert re.match(r"(From 50 to|At step 50)", inside.locator(".sentence").inner_text())
    inside.locator(".copy-sentence").click()
    inside.locator(".copy-sentence:text-is('Copied'), .answers textarea").first.wait_for()


def cpu_of_moves(page: Page, n_moves: int) -> float:
    """Return how many milliseconds of the page's CPU each move of a drag takes."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent() -> float:
        found = session.send("Performance.getMetrics")["metrics"]
        return float(next(own["value"] for own in found if own["name"] == "TaskDuration"))

    page.locator(".clear").click()
    page.locator(".overlay").scroll_into_view_if_needed()
    frame = page.locator(".overlay").bounding_box()
    assert frame is not None
    x, y = frame["x"] + 200, frame["y"] + 100
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 5, y)
    before = spent()
    for move in range(n_moves):
        page.mouse.move(x + 10 + 10 * move, y)
    after = spent()
    page.mouse.up()
    return 1_000 * (after - before) / n_moves


@pytest.mark.slow
def test_a_drag_is_fluent(opened: Opener) -> None:
    assert cpu_of_moves(opened(report_of()[0]), 20) <= 50


@pytest.mark.slow
def test_a_drag_over_many_curves_is_fluent(opened: Opener) -> None:
    curves = crossing(2_000, 6, 30)
    few = {**FEW, "n_shuffles": 9}
    where = cw.locate(curves, n_resamples=0, **few)
    page = opened(cw.report(curves, cw.compare(curves, **few), where))
    assert cpu_of_moves(page, 40) <= 50
