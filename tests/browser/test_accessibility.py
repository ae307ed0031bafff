"""axe-core finds nothing to complain about, in light and in dark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import curvewise as cw
from tests.browser.opening import crossing, report_of

if TYPE_CHECKING:
    from tests.browser.opening import Opener

FEW: dict[str, Any] = {"n_shuffles": 99, "rng": 0}


def violations(page: Any) -> list[str]:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    found = axe.Axe().run(page).response["violations"]
    return [
        f"{own['id']}: {own['help']} ({node['html'][:200]})"
        for own in found
        for node in own["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_report_is_accessible(opened: Opener, scheme: str) -> None:
    page = opened(report_of(24, 3)[0], color_scheme=scheme, bypass_csp=True)
    assert violations(page) == []


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_several_tasks_are_accessible(opened: Opener, scheme: str) -> None:
    tables = {"first": crossing(20), "second": crossing(30)}
    family = cw.compare_many(tables, **FEW)
    where = {"first": cw.locate(tables["first"], n_resamples=0, **FEW)}
    report = cw.report(tables, family, where)
    page = opened(report, color_scheme=scheme, bypass_csp=True)
    page.locator("summary").first.click()
    page.wait_for_selector(".picture > svg")
    assert violations(page) == []


def test_all_that_acts_can_be_reached_by_keys(opened: Opener) -> None:
    page = opened(report_of()[0], address="#window=50,120")
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate("(document.activeElement.className || document.activeElement.tagName)")
        )
    for name in ("skip", "theme needs-script", "smooth", "band", "handle", "from", "to"):
        assert name in reached, name
    # It is spoken a little later than it is shown.
    page.wait_for_selector(".spoken:not(:empty)", state="attached")
    assert page.locator(".spoken").inner_text() == page.locator(".sentence").inner_text()
