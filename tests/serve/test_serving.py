"""How the page begins and ends: where it listens, what it says, what it leaves behind."""

from __future__ import annotations

import importlib.util
import signal
import socket
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from curvewise.errors import MissingPackageError, OptionError
from curvewise.serve.app import _own_address, _shown_host, serve
from curvewise.serve.work import Store
from tests.platforms import needs_posix, needs_proc
from tests.serve.running import RunningPage, write_table

needs_uvicorn = pytest.mark.skipif(
    importlib.util.find_spec("uvicorn") is None, reason="pip install 'curvewise[serve]'"
)


def test_without_the_extra_one_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(MissingPackageError, match=r'pip install "curvewise\[serve\]"$'):
        serve()


@needs_uvicorn
def test_a_port_in_use_and_files_that_are_missing_are_refused(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(OptionError, match=rf"cannot listen on port {port} of .*--port"):
            serve(port=port)
    with pytest.raises(OptionError, match="cannot listen on port 70000"):
        serve(port=70_000)
    with pytest.raises(OptionError, match=r"cannot listen on no\.such\.host"):
        serve(host="no.such.host.invalid")
    for host in ("é" * 300, "a b", "[::1]"):
        with pytest.raises(OptionError, match=r"cannot listen on .* Give --host an addr"):
            serve(host=host)
    with pytest.raises(OptionError, match="--host is empty"):
        serve(host="")  # which the system would take for every address
    for name in ("nothing.csv", "x" * 300):
        with pytest.raises(OptionError, match="There is no file or folder"):
            serve([tmp_path / name])


@needs_uvicorn
def test_it_listens_when_it_says_so_and_ends_when_nobody_asks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    told: list[str] = []

    def ready(address: str, once: str) -> None:
        told.extend([address, once])
        port = int(address.split(":")[2].split("/", maxsplit=1)[0])
        socket.create_connection(("127.0.0.1", port)).close()
        assert len(list(tmp_path.iterdir())) == 1

    assert serve(ready=ready, idle=0.1) == "idle"
    address, once = told
    assert address.startswith("http://127.0.0.1:")
    assert len(address.partition("#token=")[2]) >= 43
    assert len(once.partition("#ticket=")[2]) >= 43
    assert list(tmp_path.iterdir()) == []


@needs_uvicorn
@needs_proc
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGQUIT"])
def test_after_the_end_nothing_is_left(tmp_path: Path, name: str) -> None:
    table = write_table(tmp_path / "runs.csv", n_steps=400)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with RunningPage(table, TMPDIR=str(temporary)) as page:
        (file,) = page.ask("GET", "/files").json["files"]
        assert file["in_place"]
        assert file["name"] == str(table)
        page.send("more.csv", b"1")
        page.ask_json("POST", "/jobs", {"files": [file["number"]]})
        connection = page.connection()  # a stream that is open when it ends
        connection.request("GET", "/files", headers={"X-Curvewise-Token": page.token})
        connection.getresponse().read()
        assert len(list(temporary.iterdir())) == 1
        workers = page.children()
        code, said = page.end(signal.Signals[name])
        connection.close()
    assert code == 0
    assert "files that were dropped on it are deleted" in said
    assert page.token not in said
    assert "Traceback" not in said
    assert list(temporary.iterdir()) == []
    assert not [pid for pid in workers if Path(f"/proc/{pid}").exists()]
    assert table.exists()


@needs_uvicorn
@needs_posix
def test_a_browser_that_is_started_gets_a_ticket_that_works_once(tmp_path: Path) -> None:
    told = tmp_path / "told"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {told}.part; mv {told}.part {told}\n')
    browser.chmod(0o755)
    with RunningPage(no_browser=False, BROWSER=str(browser)) as page:
        for _ in range(200):
            if told.exists():
                break
            time.sleep(0.05)
        given = told.read_text(encoding="utf-8").strip()
        assert page.token not in given
        ticket = given.partition("#ticket=")[2]
        for expected in (200, 403):
            answer = page.ask("POST", "/ticket", token=None, X_Curvewise_Ticket=ticket)
            assert answer.status == expected
            if expected == 200:
                assert answer.json == {"token": page.token}


def test_the_address_that_is_shown_can_be_opened() -> None:
    assert _shown_host("127.0.0.1") == "127.0.0.1"
    assert _shown_host("0.0.0.0") == "127.0.0.1"  # noqa: S104
    assert _shown_host("::") == "[::1]"
    assert _shown_host("fe80::1") == "[fe80::1]"


def test_where_ports_can_be_taken_from_others_ours_cannot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "SO_EXCLUSIVEADDRUSE", -5, raising=False)
    assert _own_address() == -5
    monkeypatch.delattr(socket, "SO_EXCLUSIVEADDRUSE")
    assert _own_address() == socket.SO_REUSEADDR


@pytest.mark.slow
@needs_uvicorn
@needs_posix
def test_connections_that_ask_nothing_do_not_block_it() -> None:
    """As many as a process may open files by default on some systems."""
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, limits[1]))
    try:
        page = RunningPage()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    with page, ExitStack() as stack:
        for _ in range(400):
            waiting = socket.socket()
            stack.callback(waiting.close)
            waiting.settimeout(5)
            waiting.connect((page.host, page.port))
        assert page.ask("GET", "/", token=None).status == 200
        code, said = page.end()
    assert code == 0
    assert len(said.splitlines()) == 2, said[:2_000]


@needs_uvicorn
def test_a_question_that_does_not_come_whole_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr("curvewise.serve.app.SECONDS_TO_ASK", 0.3)
    seen: list[bytes] = []

    def drip(port: int) -> None:
        with socket.create_connection(("127.0.0.1", port), timeout=10) as slow:
            try:
                for _ in range(50):
                    slow.sendall(b"GET / HTTP/1.1\r\n" if not seen else b"x")
                    seen.append(b"sent")
                    time.sleep(0.05)
            except OSError:
                seen.append(b"closed")

    threads: list[threading.Thread] = []

    def ready(address: str, _: str) -> None:
        port = int(address.split(":")[2].split("/", maxsplit=1)[0])
        threads.append(threading.Thread(target=drip, args=[port]))
        threads[0].start()

    assert serve(ready=ready, idle=2) == "idle"
    threads[0].join()
    assert seen[-1] == b"closed"
    assert len(seen) < 20


@needs_uvicorn
@needs_posix
def test_the_folder_of_a_page_that_was_killed_is_swept_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "kept"
    elsewhere.mkdir()
    (elsewhere / "file").write_text("1")
    with RunningPage(TMPDIR=str(tmp_path)) as page:
        page.send("runs.csv", b"1")
        page.end(signal.SIGKILL)
    (left,) = tmp_path.glob("curvewise-*")
    # What only looks like it: of another computer, without a number, a link to elsewhere.
    computer, number, _ = left.name.removeprefix("curvewise-page-").rsplit("-", 2)
    others = {f"curvewise-page-of-{computer}-{number}-x", f"{left.name}-x", "curvewise-x"}
    for name in others:
        (tmp_path / name).mkdir()
    link = tmp_path / f"{left.name}l"
    link.symlink_to(elsewhere)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    first, second = Store(), Store()
    assert not left.exists()
    assert (elsewhere / "file").exists()
    assert first.folder.exists()  # that of a page that lives
    first.close()
    second.close()
    assert {path.name for path in tmp_path.iterdir()} == others | {"kept", link.name}
