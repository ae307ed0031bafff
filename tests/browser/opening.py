"""Reports, opened from a file, and their functions, called with what the file holds."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

import curvewise as cw

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, BrowserContext, Page

__all__ = ["Opener", "call", "crossing", "report_of", "source"]

READY_SECONDS = 20


class Opener:
    """Opens reports; at the end no page may have logged, asked for or thrown anything."""

    def __init__(self, browser: Browser, folder: Path) -> None:
        self.browser, self.folder = browser, folder
        self.contexts: list[BrowserContext] = []
        self.troubles: list[str] = []

    def __call__(
        self, report: cw.Report | str, *, address: str = "", ready: str = "yes", **options: Any
    ) -> Page:
        """Open a report in a context of its own, and wait until it is drawn."""
        context = self.browser.new_context(**{"accept_downloads": True, **options})
        context.set_default_timeout(1_000 * READY_SECONDS)
        self.contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: self.troubles.append(message.text))
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        page.on("dialog", lambda dialog: self.troubles.append(f"dialog {dialog.message}"))
        page.on("request", lambda request: self._check(request.url))
        text = report if isinstance(report, str) else report.html
        place = self.folder / f"report{len(self.contexts)}.html"
        place.write_text(text, encoding="utf-8")
        page.goto(f"{place.as_uri()}{address}")
        if ready and options.get("java_script_enabled", True):
            page.wait_for_selector(f"html[data-ready={ready}]", state="attached")
        return page

    def _check(self, url: str) -> None:
        if not url.startswith(("file:", "data:", "blob:", "about:")):
            self.troubles.append(f"asked for {url}")

    def close(self) -> None:
        """Close everything, and complain about what went wrong."""
        for context in self.contexts:
            context.close()
        assert not self.troubles, self.troubles


@cache
def source() -> str:
    """Return the functions of a report, without what starts the page."""
    folder = files("curvewise.reports") / "assets"
    names = sorted(own.name for own in folder.iterdir() if own.name.endswith(".js"))
    return "\n".join((folder / name).read_text(encoding="utf-8") for name in names[:-1])


def call(page: Page, expression: str, argument: Any = None) -> Any:
    """Return the value of an expression of ``data`` and ``given``, inside the functions."""
    code = f"""async (given) => {{
        const data = JSON.parse(document.getElementById("curvewise-data").textContent);
        {source()}
        return {expression};
    }}"""
    return page.evaluate(code, argument)


def crossing(n_steps: int = 40, n_algorithms: int = 2, n_runs: int = 5) -> cw.Curves:
    """Curves that differ in a part of training, and cross."""
    rng = np.random.default_rng(7)
    names = np.repeat(list("ABCDEFGH")[:n_algorithms], n_runs)
    scores = rng.normal(size=(len(names), n_steps)).cumsum(axis=1) / 4
    lift = np.linspace(-6, 6, n_steps)
    scores += np.repeat(np.arange(n_algorithms), n_runs)[:, None] * lift
    return cw.Curves(scores, names, 10 * np.arange(n_steps))


@cache
def _report(n_steps: int, n_algorithms: int, n_shuffles: int) -> tuple[cw.Report, cw.Location]:
    # Few enough relabellings to visit them all.
    few = n_algorithms > 2 or n_steps > 400
    curves = crossing(n_steps, n_algorithms, 3 if few else 5)
    options: dict[str, Any] = {"n_shuffles": n_shuffles, "rng": 0}
    where = cw.locate(curves, n_resamples=0, **options)
    results: list[Any] = [cw.compare(curves, **options), where]
    if n_algorithms > 2:
        results.append(cw.best(curves, **options))
    return cw.report(curves, *results, title="Crossing", step_name="frames"), where


def report_of(
    n_steps: int = 40, n_algorithms: int = 2, n_shuffles: int = 199
) -> tuple[cw.Report, cw.Location]:
    """Return a report, and what was located in it."""
    return _report(n_steps, n_algorithms, n_shuffles)
