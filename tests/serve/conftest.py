"""One page for the tests of a module."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.serve.running import RunningPage

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def page() -> Iterator[RunningPage]:
    """A page that takes 1 MB."""
    pytest.importorskip("uvicorn")
    with RunningPage("--max-size", 1, "--max-files", 8) as running:
        yield running
