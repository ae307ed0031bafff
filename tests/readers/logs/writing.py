"""Writes event files and .wandb files as the libraries do; framed independently of the readers."""

from __future__ import annotations

import json
import struct
import zlib
from functools import cache
from typing import TYPE_CHECKING, Any

from curvewise.readers.logs.wandb import wandb_messages
from curvewise.readers.parsing.events import event_messages

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

START = 1.7e9
HOST = "host.1234"


# --- event files


@cache
def crc32c(data: bytes) -> int:
    """CRC-32C bit by bit, as its definition has it."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data: bytes) -> bytes:
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def frame(payload: bytes) -> bytes:
    length = struct.pack("<Q", len(payload))
    return length + masked(length) + payload + masked(payload)


def version() -> Any:
    return event_messages()["Event"](wall_time=START, file_version=b"brain.Event:2")


def scalar(tag: str, step: int, score: float, time: float | None = None) -> Any:
    """As add_scalar writes it."""
    wall_time = START + step if time is None else time
    event = event_messages()["Event"](wall_time=wall_time, step=step)
    event.summary.value.add(tag=tag.encode(), simple_value=score)
    return event


def tensor(tag: str, step: int, plugin: str = "scalars", **fields: Any) -> Any:
    """As tf.summary writes it."""
    event = event_messages()["Event"](wall_time=START + step, step=step)
    value = event.summary.value.add(tag=tag.encode())
    value.metadata.plugin_data.plugin_name = plugin.encode()
    shape = fields.pop("shape", ())
    value.tensor.shape.SetInParent()
    for size in shape:
        value.tensor.shape.dim.add(size=size)
    for name, content in fields.items():
        if isinstance(content, list):
            getattr(value.tensor, name).extend(content)
        else:
            setattr(value.tensor, name, content)
    return event


def text(tag: str, content: str) -> Any:
    """As add_text writes it."""
    return tensor(tag, 0, "text", dtype=7, string_val=[content.encode()], shape=(1,))


def hparams(**values: Any) -> Any:
    """As add_hparams writes them."""
    data = event_messages()["HParamsPluginData"]()
    for key, value in values.items():
        entry = data.session_start_info.hparams.add(key=key.encode())
        if isinstance(value, bool):
            entry.value.bool_value = value
        elif isinstance(value, str):
            entry.value.string_value = value.encode()
        else:
            entry.value.number_value = value
    event = event_messages()["Event"](wall_time=START)
    value = event.summary.value.add(tag=b"_hparams_/session_start_info")
    value.metadata.plugin_data.plugin_name = b"hparams"
    value.metadata.plugin_data.content = data.SerializeToString()
    return event


def session_start(step: int) -> Any:
    """As a writer with purge_step begins."""
    event = event_messages()["Event"](wall_time=START + step, step=step)
    event.session_log.status = 1
    return event


def event_bytes(events: Iterable[Any], *, with_version: bool = True) -> bytes:
    first = [version()] if with_version else []
    return b"".join(frame(event.SerializeToString()) for event in [*first, *events])


def write_events(
    folder: Path, events: Iterable[Any], time: int = 1700000000, counter: int = 0
) -> Path:
    """Write an event file named as torch names them."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"events.out.tfevents.{time}.{HOST}.{counter}"
    path.write_bytes(event_bytes(events))
    return path


def curve(tag: str, scores: Iterable[float], first: int = 0) -> list[Any]:
    return [scalar(tag, first + k, score) for k, score in enumerate(scores)]


# --- .wandb files

BLOCK = 32768


def block_log(records: Iterable[bytes]) -> bytes:
    """Frame records as LevelDB's log does, behind W&B's header."""
    data = bytearray(b":W&B" + struct.pack("<HB", 0xBEE1, 0))

    def fragment(kind: int, part: bytes) -> None:
        crc = zlib.crc32(bytes([kind]) + part)
        data.extend(struct.pack("<IHB", crc, len(part), kind) + part)

    for record in records:
        rest, is_first = record, True
        while is_first or rest:
            room = BLOCK - len(data) % BLOCK
            if room < 7:
                data.extend(bytes(room))
                room = BLOCK
            part, rest = rest[: room - 7], rest[room - 7 :]
            if is_first:
                fragment(2 if rest else 1, part)
            else:
                fragment(3 if rest else 4, part)
            is_first = False
    return bytes(data)


def history(step: int, *, nested: Any = True, **values: Any) -> bytes:
    """A row as run.log writes it; a value that is text is taken as JSON."""
    record = wandb_messages()["Record"]()
    record.history.step.num = step
    for key, value in {**values, "_step": step, "_runtime": step / 2}.items():
        item = record.history.item.add()
        if nested:
            item.nested_key.extend(part.encode() for part in key.split("."))
        else:
            item.key = key.encode()
        item.value_json = (value if isinstance(value, str) else json.dumps(value)).encode()
    return bytes(record.SerializeToString())


def wandb_run(name: str = "", group: str = "", **config: Any) -> bytes:
    record = wandb_messages()["Record"]()
    record.run.display_name = name.encode()
    record.run.run_group = group.encode()
    for key, value in config.items():
        item = record.run.config.update.add(key=key.encode())
        item.value_json = json.dumps(value).encode()
    return bytes(record.SerializeToString())


def define_metric(name: str, step_metric: str = "") -> bytes:
    record = wandb_messages()["Record"]()
    if "*" in name:
        record.metric.glob_name = name.encode()
    else:
        record.metric.name = name.encode()
    record.metric.step_metric = step_metric.encode()
    return bytes(record.SerializeToString())


def wandb_exit(code: int = 0) -> bytes:
    record = wandb_messages()["Record"]()
    record.exit.exit_code = code
    return bytes(record.SerializeToString())


def write_wandb(
    top: Path, records: Iterable[bytes], run_id: str = "ab12cd34", time: str = "20261116_045337"
) -> Path:
    """Write a file where W&B's client does; return the folder of the run."""
    folder = top / "wandb" / f"offline-run-{time}-{run_id}"
    folder.mkdir(parents=True)
    (folder / f"run-{run_id}.wandb").write_bytes(block_log(records))
    return folder
