"""curvewise serve: what it prints, and what it asks of the server."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

import curvewise.serve.app
from tests.cli.running import invoke, one_line

if TYPE_CHECKING:
    from pathlib import Path

ADDRESS, ONCE = "http://127.0.0.1:9/#token=abc", "http://127.0.0.1:9/#ticket=xyz"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the server and the browser are asked, instead of starting either."""
    calls: dict[str, Any] = {"opened": []}

    def serve(paths: list[Path], **options: Any) -> str:
        calls.update(options, paths=paths)
        options["ready"](ADDRESS, ONCE)
        for thread in threading.enumerate():
            if thread.daemon and thread.name.endswith("(_open)"):
                thread.join()
        return str(calls.get("why", "interrupted"))

    def open_browser(address: str) -> bool:
        calls["opened"].append(address)
        return False

    monkeypatch.setattr(curvewise.serve.app, "serve", serve)
    monkeypatch.setattr("webbrowser.open", open_browser)
    return calls


def test_the_address_is_printed_and_a_browser_opened_with_a_ticket(
    asked: dict[str, Any], tmp_path: Path
) -> None:
    result = invoke("serve", tmp_path, "--port", 8000, "--max-size", 7)
    assert result.exit_code == 0, result.output
    assert result.stdout == f"The page is at {ADDRESS}\n"
    assert asked["opened"] == [ONCE]
    said = one_line(result.stderr)
    assert "No browser could be opened here" in said
    assert "The page has ended; the files that were dropped on it are deleted." in said
    assert "Warning" not in said
    assert (asked["paths"], asked["port"]) == ((tmp_path,), 8000)
    assert asked["limits"].size == 7_000_000
    assert asked["limits"].files == 2_000
    assert asked["memory"] == 4 * 2**30


def test_no_browser_and_a_host_that_others_can_reach(asked: dict[str, Any]) -> None:
    asked["why"] = "idle"
    result = invoke("serve", "--no-browser", "--host", "0.0.0.0")  # noqa: S104
    assert result.exit_code == 0
    assert asked["opened"] == []
    said = one_line(result.stderr)
    assert "Warning: with --host 0.0.0.0 others on the network can reach this page" in said
    assert "Nobody asked for eight hours." in said


def test_what_cannot_be_served_is_a_sentence(tmp_path: Path) -> None:
    pytest.importorskip("uvicorn")
    result = invoke("serve", tmp_path / "nothing.csv", "--no-browser")
    assert result.exit_code == 3
    assert one_line(result.stderr).startswith("Error: There is no file or folder")
