"""Pages are tests; how the site is built, and the scripts of its gallery, are run by ``make docs``."""

from __future__ import annotations

import pytest

collect_ignore_glob = ["*.py", "_build/*", "generated/*"]


@pytest.fixture(autouse=True)
def in_the_folder_of_the_page(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Let examples read the files that stand beside their page."""
    monkeypatch.chdir(request.path.parent)
