"""A browser for the tests of a module, and reports to open in it.

Playwright drives the Chromium of the system. Where there is none the tests are skipped, with the
command that installs it; with CURVEWISE_BROWSER_TESTS=required that is an error.
"""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.browser.opening import Opener

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
INSTALL = (
    "install a browser with: apt-get install -y --no-install-recommends "
    "chromium-headless-shell fonts-dejavu-core"
)


def unavailable(reason: str) -> None:
    """Skip the test, or fail where browsers are required."""
    if os.environ.get("CURVEWISE_BROWSER_TESTS") == "required":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A headless Chromium, for one module: others may want an event loop of their own."""
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        unavailable("install playwright with: pip install playwright")
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    if path is None:
        unavailable(INSTALL)
    with sync_playwright() as playwright:
        # In containers tests run as root, for whom Chromium has no sandbox.
        started = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Opener]:
    """Open reports as pages; what they log or ask for is an error in the end."""
    opener = Opener(browser, tmp_path)
    yield opener
    opener.close()
