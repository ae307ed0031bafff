"""Every row of the table of attacks, over a real socket, and the questions of the page."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

from curvewise.serve.app import ASSETS, page_policy
from tests.serve.running import RunningPage, write_table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def blocks(n_bytes: int) -> Iterator[bytes]:
    for _ in range(n_bytes // 10_000):
        yield b"x" * 10_000


def test_rebinding_and_requests_of_other_sites(page: RunningPage) -> None:
    assert page.ask("GET", "/", Host="evil.example").status == 421
    assert page.ask("GET", "/files", Host=f"evil.example:{page.port}").status == 421
    for headers in (
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec_Fetch_Site": "cross-site"},
    ):
        for method, path in (("POST", "/files"), ("GET", "/files"), ("OPTIONS", "/jobs")):
            answer = page.ask(method, path, None, **headers)
            assert answer.status == 403
            told = {name.lower() for name in answer.headers}
            assert not [name for name in told if name.startswith("access-control")]


def test_without_the_token_nothing_can_be_asked(page: RunningPage) -> None:
    paths = [
        *(("GET", "/files"), ("POST", "/files"), ("DELETE", "/files"), ("POST", "/kinds")),
        *(("POST", "/preview"), ("POST", "/jobs"), ("GET", "/jobs/1/events")),
        *(("GET", "/jobs/1/report"), ("DELETE", "/jobs/1")),
    ]
    for method, path in paths:
        for token in (None, "x" * 43):
            answer = page.ask(method, path, b"{}", token=token)
            assert answer.status == 403, path
            assert "whole address" in answer.json["message"]
    assert page.ask("POST", "/ticket", token=None).status == 403
    assert page.ask("POST", "/ticket", token=None, X_Curvewise_Ticket="x").status == 403


def test_the_page_has_its_headers_and_no_key(page: RunningPage) -> None:
    for path in ASSETS:
        answer = page.ask("GET", path, token=None)
        assert answer.status == 200
        assert page.token.encode() not in answer.body
        told = {name.lower(): value for name, value in answer.headers.items()}
        assert told["x-frame-options"] == "DENY"
        assert told["x-content-type-options"] == "nosniff"
        assert told["cache-control"] == "no-store"
        assert told["referrer-policy"] == "no-referrer"
        assert told["cross-origin-resource-policy"] == "same-origin"
        assert told["cross-origin-opener-policy"] == "same-origin"
        assert told["content-security-policy"] == page_policy()
        assert "server" not in told
    assert "script-src 'self' 'sha256-" in page_policy()
    assert "unsafe-eval" not in page_policy()


@pytest.mark.parametrize(
    "path",
    [
        *("/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/files/../page.py"),
        *("/jobs/../files", "/jobs/..%2f..%2fx/report", "/jobs/1/report", "/page.py"),
        *("/jobs/99999999999999999999/events", "//etc/passwd", "/docs"),
        f"/jobs/{'9' * 5_000}/report",
    ],
)
def test_paths_lead_nowhere(page: RunningPage, path: str) -> None:
    assert page.ask("GET", path).status in {404, 405}


def test_names_are_shown_and_never_used(page: RunningPage) -> None:
    name = "../../../../tmp/curvewise-was-here.csv"
    answer = page.send(name, b"agent,seed\n")
    assert answer.status == 201
    assert answer.json["name"] == name
    listed = page.ask("GET", "/files").json["files"]
    assert [own["name"] for own in listed] == [name]
    told = page.ask_json("POST", "/preview", {"files": [answer.json["number"]]})
    assert "/tmp" not in told.body.decode()  # noqa: S108
    page.ask_json("DELETE", "/files", {"files": [answer.json["number"]]})
    assert page.ask("GET", "/files").json["files"] == []


def test_too_much_is_refused_with_a_length_and_without(page: RunningPage) -> None:
    connection = page.connection()
    connection.putrequest("POST", "/files")
    connection.putheader("X-Curvewise-Token", page.token)
    connection.putheader("X-File-Name", "runs.csv")
    connection.putheader("Content-Length", str(10**15))
    connection.endheaders()
    assert connection.getresponse().status == 413
    connection.close()
    try:
        status = page.ask("POST", "/files", blocks(3_000_000), X_File_Name="a.csv").status
    except (BrokenPipeError, ConnectionResetError):
        status = 413  # it was cut off before it could hear the answer
    assert status == 413
    assert page.ask("GET", "/files").json["files"] == []


def test_kinds_and_questions_that_are_refused(page: RunningPage) -> None:
    answer = page.send("runs.pkl", b"1")
    assert answer.status == 415
    assert "pickles are not read, because" in answer.json["message"]
    assert page.send("runs.csv", b"\x80\x04rest").status == 415
    assert page.ask("POST", "/files", b"1").status == 400
    assert page.send("x" * 1_025, b"1").status == 400
    for path in ("/preview", "/jobs", "/kinds"):
        assert page.ask("POST", path, b"x" * 1_000_001).status == 413
        for body in (b"{", b"[]", b"\xff", b"[" * 100_000, b"null"):
            assert page.ask("POST", path, body).status == 400
    form = b"--x\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--x--"
    kind = "multipart/form-data; boundary=x"
    assert page.ask("POST", "/preview", form, Content_Type=kind).status == 400
    told = page.ask_json("POST", "/kinds", {"names": ["a.csv", "b.xlsx"]}).json
    assert told["reasons"][0] is None
    assert "spreadsheets are not read" in told["reasons"][1]
    assert page.ask_json("POST", "/kinds", {"names": [1]}).status == 400
    assert page.ask_json("POST", "/preview", {"files": ["7"]}).status == 404
    assert page.ask_json("POST", "/preview", {"files": []}).status == 422
    assert page.ask_json("DELETE", "/files", {}).status == 400
    number = page.send("odd.csv", b"agent,seed\n").json["number"]
    for step in (10**400, float("nan"), True):
        question = {"files": [number], "options": {"start": step}}
        assert page.ask_json("POST", "/preview", question).status == 400
    page.ask_json("DELETE", "/files", {"files": [number]})


@pytest.mark.parametrize(
    "options",
    [
        {"path": "/etc/passwd"},
        {"checkpoint": "/tmp/x"},  # noqa: S108
        {"score": 7},
        {"only": "A"},
        {"short": "drop it"},
        {"align": "nearest"},
        {"block": 3},
        {"higher_is_better": "yes"},
        {"where": {"a": 1}},
        {"start": "1"},
        {"stop": True},
        {"task": "x" * 2_000},
    ],
)
def test_only_options_of_the_page_are_taken(page: RunningPage, options: dict[str, object]) -> None:
    number = page.send("runs.csv", b"1").json["number"]
    answer = page.ask_json("POST", "/jobs", {"files": [number], "options": options})
    assert answer.status == 400
    assert "is not one of the page" in answer.json["message"]


def test_a_slow_client_keeps_nobody_waiting(page: RunningPage) -> None:
    with socket.create_connection((page.host, page.port)) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\nHost: 127")
        assert page.ask("GET", "/", token=None).status == 200


def test_from_files_to_a_report(page: RunningPage, tmp_path: Path) -> None:
    content = write_table(tmp_path / "runs.csv").read_bytes()
    number = page.send("runs.csv", content).json["number"]
    asked = {"files": [number], "options": {"score": "score", "task": ""}}
    assert page.ask_json("POST", "/preview", asked).json["refused"] is None
    job = page.ask_json("POST", "/jobs", asked).json["job"]
    assert page.ask("GET", f"/jobs/{job}/report").status == 404  # not yet
    assert page.ask_json("POST", "/jobs", asked).status == 409  # one at a time
    *progress, last = page.events(job)
    assert progress[-1]["progress"] == 1
    assert last["done"]["title"] == "Runs: A and B"
    report = page.ask("GET", f"/jobs/{job}/report")
    assert report.status == 200
    assert report.body.startswith(b"<!doctype html>")
    assert page.is_idle()
    page.ask_json("DELETE", "/files", {"files": [number]})


def test_ragged_runs_are_refused_in_the_library_s_words(page: RunningPage, tmp_path: Path) -> None:
    content = write_table(tmp_path / "runs.csv", ragged=True).read_bytes()
    number = page.send("ragged.csv", content).json["number"]
    job = page.ask_json("POST", "/jobs", {"files": [number]}).json["job"]
    assert "--short" in page.events(job)[-1]["refused"]
    page.ask_json("DELETE", "/files", {"files": [number]})


def test_the_page_is_told_how_much_it_may_send(page: RunningPage) -> None:
    told = page.ask("GET", "/files").json
    assert told["n_left"] == 8 - len(told["files"])
    assert told["size_left"] == 1_000_000 - sum(own["size"] for own in told["files"])
    assert "up to 8 files" in told["too_many"]
    assert "up to 1 MB" in told["too_large"]


def test_a_tab_that_is_closed_while_it_sends_is_no_error() -> None:
    with RunningPage() as page:
        for path in ("/files", "/preview", "/jobs"):
            connection = page.connection()
            connection.putrequest("POST", path)
            connection.putheader("X-Curvewise-Token", page.token)
            connection.putheader("X-File-Name", "a.csv")
            connection.putheader("Content-Length", "100000")
            connection.endheaders(b"a,b\n")
            connection.close()
        assert page.ask("GET", "/files").json["files"] == []
        _, said = page.end()
    assert len(said.splitlines()) == 2, said
