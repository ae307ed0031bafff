"""Binary logs: the frames of event files and of .wandb files, and the messages in them."""

from __future__ import annotations

import re
import struct
import zlib
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.readers.parsing.json_files import parsed
from curvewise.readers.walk import BLOCK_SIZE, DOUBLE, SINGLE, files_given, read_bytes
from curvewise.text import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from io import BufferedReader

    import numpy.typing as npt

    from curvewise.kernels import Booleans, Integers
    from curvewise.readers.walk import File


# The frames of event files: TFRecord, a length, the payload, and checksums of both.
#
# A frame is the length (8 bytes, little-endian), a masked CRC-32C of these, the payload, and a
# masked CRC-32C of the payload. TensorBoard's own reader checks the sums byte by byte in Python,
# which takes most of its time; here a block of frames is checked at once.

HEADER_SIZE = 12
FOOTER_SIZE = 4
# What one record may hold; a longer one is passed over without being held in memory.
MAX_RECORD_SIZE = 2**26
# Payloads up to this size are checked: scalars and texts, but no images and histograms.
MAX_CHECKED_SIZE = 1024
MAX_KNOWN_HEADERS = 2**14
POLYNOMIAL = 0x82F63B78
MASK_DELTA = 0xA282EAD8


@cache
def _crc_table() -> npt.NDArray[np.uint32]:
    """Return what each byte contributes to a CRC-32C."""
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ np.uint32(POLYNOMIAL), table >> 1)
    return table.astype(np.uint32)


def masked_crcs(
    data: npt.NDArray[np.uint8], starts: Integers, sizes: Integers
) -> npt.NDArray[np.uint32]:
    """Return the masked CRC-32C of parts of some bytes, as TFRecord files store it.

    >>> sum_of = masked_crcs(np.frombuffer(b"123456789", np.uint8), np.array([0]), np.array([9]))
    >>> hex(sum_of[0])
    '0xc78ab0e5'
    """
    table, order = _crc_table(), np.argsort(-sizes, kind="stable")
    begins, crc = starts[order], np.full(len(sizes), 0xFFFFFFFF, dtype=np.uint32)
    # How many of them, longest first, have a byte at each place.
    counts = np.searchsorted(-sizes[order], -np.arange(sizes.max(initial=0)), side="left")
    for place, count in enumerate(counts.tolist()):
        part = crc[:count]
        crc[:count] = table[(part ^ data[begins[:count] + place]) & 0xFF] ^ (part >> 8)
    crc ^= np.uint32(0xFFFFFFFF)
    masked = np.empty_like(crc)
    masked[order] = (crc >> 15 | crc << 17) + np.uint32(MASK_DELTA)
    return masked


def masked_crc(data: bytes) -> int:
    """Return the masked CRC-32C of some bytes."""
    return int(masked_crcs(np.frombuffer(data, np.uint8), np.array([0]), np.array([len(data)]))[0])


def begins_with_record(head: bytes) -> bool:
    """Whether a file begins as a TFRecord file does, as its first bytes tell."""
    return len(head) >= HEADER_SIZE and _length(head[:HEADER_SIZE]) is not None


def damage_note(number: int, name: str) -> str:
    """Say that records could not be used.

    >>> damage_note(2, "events.out.tfevents.1")
    '2 damaged records of events.out.tfevents.1 left out'
    """
    return f"{plural(number, 'damaged record')} of {name} left out"


def _length(header: bytes) -> int | None:
    """Return the length in a header, or None if its checksum is wrong."""
    length, crc = struct.unpack("<QI", header)
    return length if crc == masked_crc(header[:8]) else None


class RecordFile:
    """The payloads in a TFRecord file, block by block.

    Parameters
    ----------
    file : File
    is_kept : callable, optional
        Whether a payload is wanted; all are by default.

    Attributes
    ----------
    n_records : int
        How many whole records were found so far, wanted or not.
    is_damaged : bool
        Whether a length is damaged, so that nothing after it can be found.
    notes : list of str
        What was left out, in a sentence each; complete after `batches`.
    """

    def __init__(self, file: File, is_kept: Callable[[bytes], object] | None = None) -> None:
        self.name = file.path.name
        self.n_records = 0
        self.is_damaged = False
        self.notes: list[str] = []
        self._file = file
        self._is_kept = is_kept
        self._n_damaged = 0
        self._lengths: dict[bytes, int] = {}

    def batches(self) -> Iterator[list[bytes]]:
        """Yield the payloads of whole records, many at a time.

        What follows a cut or a damaged length is left out, and so are payloads whose checksum
        is wrong. Raises CurvesError if the file cannot be opened.
        """
        with files_given(self.name), self._file.open() as stream:
            yield from self._batches(stream)

    def first_payloads(self) -> list[bytes]:
        """Return the payloads that are whole in the first bytes of the file."""
        return self._split(self._file.head())[0]

    def _batches(self, stream: BufferedReader) -> Iterator[list[bytes]]:
        buffer, lacking, n_long = b"", 0, 0
        while lacking >= 0:
            if lacking > MAX_RECORD_SIZE and _pass_over(stream, lacking):
                buffer, lacking = b"", 0
                n_long += 1
            part, _ = read_bytes(stream, min(max(BLOCK_SIZE, lacking), MAX_RECORD_SIZE))
            if not part:
                break
            buffer += part
            payloads, position, lacking = self._split(buffer)
            buffer = buffer[position:]
            if payloads:
                yield payloads
        if lacking < 0:
            self.is_damaged = True
            self.notes.append(
                f"{self.name} is damaged after {plural(self.n_records, 'record')}, and what "
                "follows was left out"
            )
        elif buffer:
            self.notes.append(f"the last record of {self.name} is cut and was left out")
        if self._n_damaged:
            self.notes.append(damage_note(self._n_damaged, self.name))
        if n_long:
            self.notes.append(
                f"{plural(n_long, 'record')} of {self.name} longer than "
                f"{MAX_RECORD_SIZE // 2**20} MiB left out"
            )

    def _split(self, buffer: bytes) -> tuple[list[bytes], int, int]:
        """Split what is whole in a buffer into payloads.

        Returns them, where the rest begins, and how many bytes the record there lacks: at
        least one, or -1 if its length is damaged.
        """
        lengths, is_kept = self._lengths, self._is_kept
        starts: list[int] = []
        payloads: list[bytes] = []
        position, end, lacking = 0, len(buffer), 1
        while position + HEADER_SIZE <= end:
            header = buffer[position : position + HEADER_SIZE]
            length = lengths.get(header)
            if length is None:
                length = _length(header)
                if length is None:
                    lacking = -1
                    break
                if len(lengths) < MAX_KNOWN_HEADERS:
                    lengths[header] = length
            start = position + HEADER_SIZE
            stop = start + length
            if stop + FOOTER_SIZE > end:
                lacking = stop + FOOTER_SIZE - end
                break
            position = stop + FOOTER_SIZE
            self.n_records += 1
            payload = buffer[start:stop]
            if is_kept is None or is_kept(payload):
                starts.append(start)
                payloads.append(payload)
        good = _are_whole(buffer, starts, [len(payload) for payload in payloads])
        if not good.all():
            self._n_damaged += int((~good).sum())
            payloads = [payloads[k] for k in np.flatnonzero(good)]
        return payloads, position, lacking


def _are_whole(buffer: bytes, starts: list[int], lengths: list[int]) -> Booleans:
    """Whether the checksums of payloads are right; long ones are taken to be."""
    sizes = np.array(lengths, dtype=np.int64)
    good = sizes > MAX_CHECKED_SIZE
    begins, sizes = np.array(starts, dtype=np.int64)[~good], sizes[~good]
    data = np.frombuffer(buffer, dtype=np.uint8)
    stored = data[(begins + sizes)[:, None] + np.arange(FOOTER_SIZE)].view("<u4").ravel()
    good[~good] = masked_crcs(data, begins, sizes) == stored
    return good


def _pass_over(stream: BufferedReader, size: int) -> bool:
    """Read on without keeping anything; whether there was that much."""
    while size > 0 and (part := read_bytes(stream, min(size, BLOCK_SIZE))[0]):
        size -= len(part)
    return size == 0


# The frames of .wandb files: a log in blocks of 32 KiB, as LevelDB writes them.
#
# Behind the first seven bytes of the file, a record is one or several fragments, none of which
# crosses the end of a block: CRC-32 (4 bytes, little-endian) of type and data, length (2), type
# (1: whole, first, middle or last fragment), data. Fewer than seven bytes at the end of a block
# are padding. W&B's package has no reader for them.

WANDB_BLOCK_SIZE = 2**15
WANDB_MAGIC = b":W&B"
HEADER = struct.Struct("<IHB")
FULL, FIRST, LAST = 1, 2, 4


class BlockLog:
    """The records in a .wandb file.

    Attributes
    ----------
    is_cut : bool
        Whether the file ends inside a record.
    notes : list of str
        What was left out, in a sentence each; complete after `records`.
    """

    def __init__(self, file: File) -> None:
        self.name = file.path.name
        self.is_cut = False
        self.notes: list[str] = []
        self._file = file
        self._n_damaged = 0

    def records(self) -> Iterator[bytes]:
        """Yield the whole records.

        After a damaged fragment the rest of its block is passed over. Raises CurvesError if the
        file cannot be opened.
        """
        with files_given(self.name), self._file.open() as stream:
            yield from self._whole_records(stream)
        if self.is_cut:
            self.notes.append(f"the last record of {self.name} is cut and was left out")
        if self._n_damaged:
            self.notes.append(
                f"{self.name} is damaged in {plural(self._n_damaged, 'place')}, and the records "
                "there were left out"
            )

    def _whole_records(self, stream: BufferedReader) -> Iterator[bytes]:
        parts: list[bytes] = []
        size, is_open = 0, False
        for kind, data in self._fragments(stream):
            if kind in (FULL, FIRST):
                # What was begun and not ended is lost.
                self._n_damaged += is_open
                parts, size, is_open = [], 0, True
            elif not is_open:
                continue
            size += len(data)
            if size > MAX_RECORD_SIZE:
                parts, is_open = [], False
                self._n_damaged += 1
                continue
            parts.append(data)
            if kind in (FULL, LAST):
                yield b"".join(parts)
                parts, is_open = [], False
        self.is_cut |= is_open

    def _fragments(self, stream: BufferedReader) -> Iterator[tuple[int, bytes]]:
        """Yield the type and data of each fragment whose checksum is right."""
        position = 7
        while block := read_bytes(stream, WANDB_BLOCK_SIZE)[0]:
            is_last = len(block) < WANDB_BLOCK_SIZE
            while position + HEADER.size <= len(block):
                crc, length, kind = HEADER.unpack_from(block, position)
                start = position + HEADER.size
                data = block[start : start + length]
                if is_last and start + length > len(block):
                    break
                if len(data) < length or zlib.crc32(data, zlib.crc32(bytes([kind]))) != crc:
                    self._n_damaged += 1
                    position = len(block)
                    break
                yield kind, data
                position = start + length
            if is_last:
                self.is_cut = position < len(block)
                return
            position = 0


# Protocol buffer messages declared in a few lines: only the fields that are read.
#
# The files of TensorBoard and W&B hold protocol buffers. Their own packages, which declare the
# messages, take 100 to 160 MB; `protobuf` alone takes 3, and fields that are not declared are
# passed over.

MESSAGE = re.compile(r"message (\w+) \{(.*?)\}", re.DOTALL)
FIELD = re.compile(r"(repeated )?(\w+) (\w+) = (\d+);")


def message_classes(package: str, declarations: str) -> dict[str, type[Any]]:
    """Build the classes of messages, which share a package.

    They are declared as in a .proto file, by the fields that are read. A class has
    ``FromString``; a field that is not there has the default of its type.

    >>> Point = message_classes("example", "message Point { int64 x = 1; }")["Point"]
    >>> Point.FromString(Point(x=5).SerializeToString()).x
    5
    """
    from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto
    from google.protobuf.descriptor_pool import DescriptorPool
    from google.protobuf.message_factory import GetMessageClass

    # With presence for every field, and text that need not be UTF-8.
    declared = FileDescriptorProto(name=f"{package}.proto", package=package, syntax="proto2")
    messages = dict(MESSAGE.findall(declarations))
    for message_name, fields in messages.items():
        message = declared.message_type.add(name=message_name)
        for repeated, kind, name, number in FIELD.findall(fields):
            label = "LABEL_REPEATED" if repeated else "LABEL_OPTIONAL"
            field = message.field.add(
                name=name, number=int(number), label=FieldDescriptorProto.Label.Value(label)
            )
            if kind in messages:
                field.type = FieldDescriptorProto.TYPE_MESSAGE
                field.type_name = f".{package}.{kind}"
            else:
                field.type = FieldDescriptorProto.Type.Value(f"TYPE_{kind.upper()}")
    # A pool of their own: TensorBoard declares messages in the shared one.
    pool = DescriptorPool()
    pool.AddSerializedFile(declared.SerializeToString())
    return {
        name: GetMessageClass(pool.FindMessageTypeByName(f"{package}.{name}")) for name in messages
    }


def text_of(data: bytes) -> str:
    """Return bytes as text, whatever they are."""
    return data.decode("utf-8", errors="replace")


# The messages in event files: what of a summary is a number, what is a configuration.

# Of tensorboard/compat/proto (event, summary, tensor) and tensorboard/plugins/hparams.
MESSAGES = """
message Event {
    double wall_time = 1; int64 step = 2; bytes file_version = 3; Summary summary = 5;
    SessionLog session_log = 7;
}
message Summary { repeated Value value = 1; }
message SessionLog { int32 status = 1; }
message Value { bytes tag = 1; float simple_value = 2; Tensor tensor = 8; Metadata metadata = 9; }
message Metadata { PluginData plugin_data = 1; int32 data_class = 4; }
message PluginData { bytes plugin_name = 1; bytes content = 2; }
message Tensor {
    int32 dtype = 1; Shape shape = 2; bytes tensor_content = 4; repeated float float_val = 5;
    repeated double double_val = 6; repeated int32 int_val = 7; repeated bytes string_val = 8;
    repeated int64 int64_val = 10; repeated bool bool_val = 11; repeated int32 half_val = 13;
    repeated uint32 uint32_val = 16; repeated uint64 uint64_val = 17;
}
message Shape { repeated Dim dim = 2; }
message Dim { int64 size = 1; }
message HParamsPluginData {
    SessionStartInfo session_start_info = 3; SessionEndInfo session_end_info = 4;
}
message SessionStartInfo { repeated HParam hparams = 1; }
message SessionEndInfo { int32 status = 1; }
message HParam { bytes key = 1; HParamValue value = 2; }
message HParamValue { double number_value = 2; bytes string_value = 3; bool bool_value = 4; }
"""
# Bytes of which every record with a configuration holds one.
CONFIG_MARKS = (b"hparams", b"text")
CONFIG_TAGS = ("hyperparam", "hparam", "param", "config", "arg", "setting", "flag")
MAX_CONFIG_SIZE = 2**20
HALF = float(np.finfo(np.float16).eps)
# DataType: how a number is stored in tensor_content, its field otherwise, its precision.
# Of half-precision floats these are the bits; bfloat16 is the upper half of a float.
NUMBER_TYPES: dict[int, tuple[str, str, float]] = {
    1: ("<f", "float_val", SINGLE),
    2: ("<d", "double_val", DOUBLE),
    3: ("<i", "int_val", DOUBLE),
    4: ("<B", "int_val", DOUBLE),
    5: ("<h", "int_val", DOUBLE),
    6: ("<b", "int_val", DOUBLE),
    9: ("<q", "int64_val", DOUBLE),
    10: ("<B", "bool_val", DOUBLE),
    14: ("<H", "half_val", 2.0**-7),
    17: ("<H", "int_val", DOUBLE),
    19: ("<H", "half_val", HALF),
    22: ("<I", "uint32_val", DOUBLE),
    23: ("<Q", "uint64_val", DOUBLE),
}
BFLOAT16, FLOAT16 = 14, 19
SCALAR_CLASS = 1


@cache
def event_messages() -> Mapping[str, type[Any]]:
    """Return the classes of the messages in event files."""
    return message_classes("curvewise.events", MESSAGES)


def is_scalar(value: Any) -> bool:
    """Whether a summary value, the first of its tag, can be a number.

    It names the plugin that shows it, if any does: histograms, images and texts are no scalars.
    """
    if value.HasField("simple_value"):
        return True
    if not value.HasField("tensor"):
        return False
    metadata = value.metadata
    plugin = metadata.plugin_data.plugin_name
    return plugin in {b"", b"scalars"} or metadata.data_class == SCALAR_CLASS


def number_in(tensor: Any) -> tuple[float, float] | None:
    """Return the one number in a tensor and its precision, or None if it holds no such thing."""
    kind = NUMBER_TYPES.get(tensor.dtype)
    if kind is None:
        return None
    layout, field, precision = kind
    content = tensor.tensor_content
    if content:
        if len(content) != struct.calcsize(layout):
            return None
        (number,) = struct.unpack(layout, content)
    else:
        stored = getattr(tensor, field)
        if len(stored) > 1 or any(dim.size != 1 for dim in tensor.shape.dim):
            return None
        # Without any value the tensor is filled with zeros.
        number = stored[0] if stored else 0
    if tensor.dtype == FLOAT16:
        number = np.uint16(number & 0xFFFF).view(np.float16)
    elif tensor.dtype == BFLOAT16:
        number = np.uint32((number & 0xFFFF) << 16).view(np.float32)
    return float(number), precision


def hyperparameters(content: bytes) -> tuple[dict[str, Any], bool]:
    """Return what the hparams plugin stores, and whether it says that the run failed.

    Raises google.protobuf.message.DecodeError if it is damaged.
    """
    data = event_messages()["HParamsPluginData"].FromString(content)
    failure = 2
    config: dict[str, Any] = {}
    for entry in data.session_start_info.hparams:
        value, key = entry.value, text_of(entry.key)
        if value.HasField("number_value"):
            number = value.number_value  # the plugin stores all of them as double
            is_whole = number.is_integer() and abs(number) < 2**53
            config[key] = int(number) if is_whole else number
        elif value.HasField("bool_value"):
            config[key] = value.bool_value
        elif value.HasField("string_value"):
            config[key] = text_of(value.string_value)
    return config, data.session_end_info.status == failure


def text_config(tag: str, text: str) -> dict[str, Any]:
    r"""Return the configuration that a text summary holds; nothing if it holds none.

    It is a table in Markdown of names and values, as CleanRL writes it, or a JSON object, under
    a tag that says so.

    >>> text_config("hyperparameters/text_summary", "|param|value|\n|-|-|\n|seed|1|\n|lr|3e-4|")
    {'seed': '1', 'lr': '3e-4'}
    """
    if not any(word in tag.lower() for word in CONFIG_TAGS) or len(text) > MAX_CONFIG_SIZE:
        return {}
    text = text.strip()
    if text.startswith("{"):
        found = parsed(text)
        return found if isinstance(found, dict) else {}
    rows = [
        [cell.strip() for cell in line[1:].removesuffix("|").split("|", 1)]
        for line in map(str.strip, text.splitlines())
        if line.startswith("|")
    ]
    if len(rows) < 2 or not set("".join(rows[1])) <= set("-: |"):
        return {}
    return {row[0]: row[1] for row in rows[2:] if len(row) == 2 and row[0]}
