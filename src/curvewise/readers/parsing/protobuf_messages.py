"""Protocol buffer messages declared in a few lines: only the fields that are read.

The files of TensorBoard and W&B hold protocol buffers. Their own packages, which declare the
messages, take 100 to 160 MB; `protobuf` alone takes 3, and fields that are not declared are
passed over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from google.protobuf.descriptor_pool import DescriptorPool
    from google.protobuf.message import Message

__all__ = ["message_classes", "text_of"]


def message_classes(
    package: str, messages: Mapping[str, Mapping[str, tuple[int, str]]]
) -> dict[str, type[Any]]:
    """Build the classes of messages.

    Parameters
    ----------
    package : str
        A name for them all.
    messages : mapping
        For each message its fields, each with its number and type: a scalar type of protocol
        buffers ("int64", "double", "bytes", …) or the name of another message; "repeated"
        before it makes it a list.

    Returns
    -------
    dict from name to class
        With ``FromString``; a field that is not there has the default of its type.

    Examples
    --------
    >>> Point = message_classes("example", {"Point": {"x": (1, "int64")}})["Point"]
    >>> Point.FromString(Point(x=5).SerializeToString()).x
    5
    """
    from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto
    from google.protobuf.descriptor_pool import DescriptorPool

    # With presence for every field, and text that need not be UTF-8.
    declared = FileDescriptorProto(
        name=f"{package}.proto", package=package, syntax="proto2"
    )
    for name, fields in messages.items():
        message = declared.message_type.add(name=name)
        for field_name, (number, kind) in fields.items():
            kind_name = kind.removeprefix("repeated ")
            field = message.field.add(
                name=field_name,
                number=number,
                label=FieldDescriptorProto.LABEL_OPTIONAL
                if kind == kind_name
                else FieldDescriptorProto.LABEL_REPEATED,
            )
            if kind_name in messages:
                field.type = FieldDescriptorProto.TYPE_MESSAGE
                field.type_name = f".{package}.{kind_name}"
            else:
                field.type = FieldDescriptorProto.Type.Value(f"TYPE_{kind_name.upper()}")
    # A pool of their own: TensorBoard declares messages in the shared one.
    pool = DescriptorPool()
    pool.AddSerializedFile(declared.SerializeToString())
    return {name: _message_class(pool, f"{package}.{name}") for name in messages}


def _message_class(pool: DescriptorPool, name: str) -> type[Message]:
    """Return the class of a message in a pool."""
    from google.protobuf import message_factory

    descriptor = pool.FindMessageTypeByName(name)
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(descriptor)
    # protobuf 4.21
    return message_factory.MessageFactory(pool).GetPrototype(descriptor)  # type: ignore[attr-defined]


def text_of(data: bytes) -> str:
    """Return bytes as text, whatever they are."""
    return data.decode("utf-8", errors="replace")
