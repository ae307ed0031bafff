"""The local page as people use it: drop, check, compare, stop, report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.test_accessibility import violations
from tests.serve.running import RunningPage, write_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

    Open = Callable[..., Page]

SECONDS = 40


@pytest.fixture(scope="module")
def server() -> Iterator[RunningPage]:
    pytest.importorskip("uvicorn")
    with RunningPage() as running:
        yield running


@pytest.fixture
def visit(browser: Browser, server: RunningPage) -> Iterator[Open]:
    """Open the page; what it logs, and requests to anywhere else, are errors in the end."""
    contexts, troubles = [], []

    def check(url: str) -> None:
        if not url.startswith((f"http://{server.host}:{server.port}/", "blob:", "data:")):
            troubles.append(f"asked for {url}")

    def open_it(address: str | None = None, *, noisy: bool = False, **options: Any) -> Page:
        context = browser.new_context(**{"accept_downloads": True, **options})
        context.set_default_timeout(1_000 * SECONDS)
        contexts.append(context)
        page = context.new_page()
        if not noisy:
            page.on("console", lambda message: troubles.append(message.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("request", lambda request: check(request.url))
        page.goto(address or server.address)
        page.wait_for_selector("html[data-ready=yes]", state="attached")
        return page

    yield open_it
    files = server.ask("GET", "/files").json["files"]
    server.ask_json("DELETE", "/files", {"files": [own["number"] for own in files]})
    for context in contexts:
        context.close()
    assert not troubles, troubles


def drop(page: Page, *paths: Path) -> None:
    """Drop files and folders as a file manager does."""
    data = {"items": [], "files": list(map(str, paths)), "dragOperationsMask": 1}
    session = page.context.new_cdp_session(page)
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {"type": kind, "x": 150, "y": 150, "data": data})


def compare(page: Page) -> None:
    page.locator("#compare:enabled").click()
    page.wait_for_selector("#result:not([hidden])")


def test_a_file_is_dropped_checked_and_compared(visit: Open, tmp_path: Path) -> None:
    page = visit()
    # The key is in the tab, not in the address, which may be shared or seen.
    assert page.url.endswith("/")
    assert "token" not in page.url
    drop(page, write_table(tmp_path / "runs.csv"))
    page.wait_for_selector("#compare:enabled")
    assert page.locator("#summary").inner_text().startswith("2 algorithms × 4 runs")
    assert page.locator("#part-score").input_value() == "score"
    compare(page)
    assert page.locator("#progress").evaluate("own => own.value") == 1
    assert page.locator("#headline").inner_text().startswith("B ")
    frame = page.frames[-1]
    frame.wait_for_selector("html[data-ready=yes]", state="attached")
    assert frame.locator("h1").inner_text() == "Runs: A and B"
    assert frame.locator(".picture > svg").count() == 1
    assert frame.evaluate("window.origin") == "null"
    with page.expect_download() as saving:
        page.locator("#save").click()
    assert saving.value.suggested_filename == "curvewise-report.html"
    text = saving.value.path().read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")


@pytest.mark.slow
def test_a_folder_is_walked_and_what_is_no_log_is_told(visit: Open, tmp_path: Path) -> None:
    folder = tmp_path / "games"
    for place, name in enumerate(["pong", "qbert"]):
        (folder / "deep" / name).mkdir(parents=True)
        write_table(folder / "deep" / name / "runs.csv", lift=3 + place)
    (folder / "model.pkl").write_bytes(b"1")
    page = visit(noisy=True)
    drop(page, folder)
    page.wait_for_selector("#compare:enabled")
    assert "games/" in page.locator("#files").inner_text()
    assert "2 files" in page.locator("#files").inner_text()
    assert "pickles are not read, because" in page.locator("#unread").inner_text()
    assert page.locator("#summary").inner_text().startswith("2 tasks (pong and qbert)")
    page.locator("#task").select_option("qbert")
    page.wait_for_selector("#compare:enabled")
    assert page.locator("#summary").inner_text().startswith("2 algorithms × 4 runs")
    page.locator("#files button").click()
    page.wait_for_selector("#check", state="hidden")


@pytest.mark.slow
def test_blocks_and_common_steps_can_be_chosen(visit: Open, tmp_path: Path) -> None:
    path = write_table(tmp_path / "runs.csv")
    page = visit()
    page.locator("#choose-files").set_input_files(path)
    page.wait_for_selector("#compare:enabled")
    assert page.locator("#part-block").input_value() == ""
    assert page.locator("#part-run").input_value() == "seed"
    page.locator("#part-block").select_option("seed")
    page.wait_for_selector("#compare:enabled")
    assert page.locator("#part-run").input_value() == "seed"
    page.locator("#align").select_option("bins")
    page.wait_for_selector("#compare:enabled")
    compare(page)
    frame = page.frames[-1]
    frame.wait_for_selector("html[data-ready=yes]", state="attached")
    told = frame.locator("main").inner_text()
    assert "inside 4 blocks" in told
    assert "--block seed --align bins" in told


def test_runs_that_end_early_are_refused_until_it_is_said_what_they_are(
    visit: Open, tmp_path: Path
) -> None:
    path = write_table(tmp_path / "runs.csv", ragged=True)
    page = visit()
    page.locator("#choose-files").set_input_files(path)
    page.wait_for_selector("#refused:not([hidden])")
    assert "--short" in page.locator("#refused").inner_text()
    assert page.locator("#compare").is_disabled()
    page.locator("#short").select_option("carry")
    page.wait_for_selector("#compare:enabled")
    assert page.locator("#refused").is_hidden()
    assert "× 6 steps, from 0 to 5" in page.locator("#summary").inner_text()
    # The other ways out that the sentence names are there as well.
    page.locator("#short").select_option("drop")
    page.wait_for_selector("#refused:not([hidden])")
    assert "--reason" in page.locator("#refused").inner_text()
    page.locator("#reason").fill("the machine broke")
    page.keyboard.press("Tab")
    page.wait_for_selector("#compare:enabled")
    assert "× 3 runs × 6 steps" in page.locator("#summary").inner_text()
    page.locator("#short").select_option("")
    page.wait_for_selector("#refused:not([hidden])")
    page.locator("#stop-at").fill("2")
    page.keyboard.press("Tab")
    page.wait_for_selector("#compare:enabled")
    assert "× 4 runs × 3 steps, from 0 to 2" in page.locator("#summary").inner_text()


@pytest.mark.slow
def test_a_folder_can_be_chosen_without_a_mouse(visit: Open, tmp_path: Path) -> None:
    (tmp_path / "runs" / ".git").mkdir(parents=True)
    write_table(tmp_path / "runs" / "a.csv")
    write_table(tmp_path / "runs" / ".git" / "b.csv")
    page = visit()
    page.locator("#choose-folder").set_input_files(tmp_path / "runs")
    page.wait_for_selector("#compare:enabled")
    assert "1 files" not in page.locator("#files").inner_text()
    assert "1 file, " in page.locator("#files").inner_text()


@pytest.mark.slow
def test_columns_are_corrected_by_drop_downs(visit: Open, tmp_path: Path) -> None:
    path = write_table(tmp_path / "runs.csv")
    head, *rows = path.read_text(encoding="utf-8").splitlines()
    lines = [head.replace("score", "<b>x</b>,y"), *(f"{row},{row[-1]}" for row in rows)]
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    page = visit()
    page.locator("#choose-files").set_input_files(path)
    page.wait_for_selector("#refused:not([hidden])")
    assert "Which metric? There are <b>x</b>" in page.locator("#refused").inner_text()
    page.locator("#part-score").select_option("<b>x</b>")
    page.wait_for_selector("#compare:enabled")
    page.locator("#better").select_option("false")
    page.wait_for_selector("#compare:enabled")
    compare(page)
    assert page.locator("#headline").inner_text().startswith("A ")


def test_stop_stops(visit: Open, server: RunningPage, tmp_path: Path) -> None:
    rows = ["agent,seed,step,score"]
    for place in range(8):
        for seed in range(12):
            rows += [f"{place},{seed},{step},{(place + seed * step) % 17}" for step in range(200)]
    path = tmp_path / "long.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    page = visit()
    page.locator("#choose-files").set_input_files(path)
    page.locator("#compare:enabled").click()
    page.locator("#step", has_text="differ?").wait_for()
    page.locator("#stop:enabled").click()
    page.locator("#step", has_text="Stopped.").wait_for()
    page.wait_for_selector("#compare:enabled")
    assert page.locator("#result").is_hidden()
    assert server.is_idle()


def test_what_is_too_large_is_refused_before_it_is_sent(visit: Open, tmp_path: Path) -> None:
    large = tmp_path / "large.csv"
    with large.open("wb") as file:
        file.truncate(201_000_000)  # a hole, which takes no space
    page = visit()
    drop(page, large)
    page.locator("#unread li").wait_for()
    assert "The page takes up to 200 MB" in page.locator("#unread").inner_text()
    assert page.locator("#files li").count() == 0


def test_a_folder_without_files_and_what_cannot_be_read_are_told(
    visit: Open, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    page = visit(noisy=True)
    drop(page, tmp_path / "empty")
    page.locator("#unread li", has_text="There is no file in it.").wait_for()
    drop(page, tmp_path / "gone.csv")
    page.locator("#unread li", has_text="cannot be read").wait_for()
    assert page.locator("#unread li").count() == 1  # that of the last drop
    assert page.locator("#files li").count() == 0


def test_another_tab_has_no_key(visit: Open, server: RunningPage) -> None:
    page = visit(f"http://{server.host}:{server.port}/", noisy=True)
    assert "whole address" in page.locator("#locked").inner_text()
    assert page.locator("#drop").is_hidden()
    page = visit(f"http://{server.host}:{server.port}/#token=wrong", noisy=True)
    assert "whole address" in page.locator("#locked").inner_text()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_accessible(visit: Open, tmp_path: Path, scheme: str) -> None:
    page = visit(bypass_csp=True, color_scheme=scheme)
    assert violations(page) == []
    path = write_table(tmp_path / "runs.csv", ragged=True)
    page.locator("#choose-files").set_input_files(path)
    page.wait_for_selector("#refused:not([hidden])")
    assert violations(page) == []


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_of_it_can_be_done_by_keys(visit: Open, tmp_path: Path, scheme: str) -> None:
    page = visit(bypass_csp=True, noisy=True, color_scheme=scheme)  # axe writes to frames
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "choose-files"
    page.locator("#choose-files").set_input_files(write_table(tmp_path / "runs.csv"))
    page.wait_for_selector("#compare:enabled")
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "compare":
            break
    page.keyboard.press("Enter")
    page.wait_for_selector("#result:not([hidden])")
    page.frames[-1].wait_for_selector("html[data-ready=yes]", state="attached")
    assert violations(page) == []


@pytest.mark.slow
def test_a_phone_need_not_scroll_sideways(visit: Open, tmp_path: Path) -> None:
    page = visit(viewport={"width": 390, "height": 800})
    path = write_table(tmp_path / f"{'a-long-name-' * 9}.csv", ragged=True)
    page.locator("#choose-files").set_input_files(path)
    page.wait_for_selector("#refused:not([hidden])")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
