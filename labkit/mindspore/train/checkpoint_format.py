"""The bytes of a checkpoint file: those of MindSpore, so that either can read what the other wrote.

A file is a protocol-buffer message: entries `(name, tensor)`, a tensor being its shape, the name of its type and its
bytes. At the end is a checksum of all that, by which a file that was cut off or changed is known.
"""

import zlib

import numpy as np

from ...dialects.argument_types import of_kind
from ..common import dtype as mstype

__all__ = ["FormatError", "decoded", "encoded"]

_CHECKSUM = b"crc_num"
_TYPES = {str(d): d for d in mstype.ALL}
_VARINT, _BYTES = 0, 2  # kinds of fields


class FormatError(ValueError):
    """The bytes are not those of a checkpoint."""


# ---- writing ----


def encoded(entries):
    """The bytes of a file with `entries`, a dictionary of names and values: arrays and strings."""
    content = b"".join(_field(1, _field(1, name.encode()) + _field(2, _tensor(v))) for name, v in entries.items())
    return content + _CHECKSUM + zlib.crc32(content).to_bytes(10, "big")


def _tensor(value):
    if isinstance(value, str):
        return _number(1, 0) + _field(2, b"str") + _field(3, value.encode("utf-32-le"))
    value = np.asarray(value)
    dims = b"".join(_number(1, n) for n in value.shape)
    return dims + _field(2, str(mstype.of(value.dtype)).encode()) + _field(3, value.tobytes())


def _field(number, content):
    return _varint(number << 3 | _BYTES) + _varint(len(content)) + content


def _number(number, value):
    return _varint(number << 3 | _VARINT) + _varint(value)


def _varint(value):
    """Seven bits per byte, the lowest first; all but the last byte have the highest bit set."""
    made = bytearray()
    while value > 127:
        made.append(value & 127 | 128)
        value >>= 7
    return bytes(made) + bytes([value])


# ---- reading ----


def decoded(content):
    """`{name: array or string}` of the bytes of a file. Raises FormatError."""
    if content[-17:-10] == _CHECKSUM:
        content, checksum = content[:-17], int.from_bytes(content[-10:], "big")
        if zlib.crc32(content) != checksum:
            raise FormatError("the checksum is wrong: the file was changed or is truncated")
    found: dict = {}
    for _, entry in _fields(content):
        parts = dict(_fields(_bytes(entry)))
        found.setdefault(_bytes(parts.get(1)).decode(), []).append(_tensor_parts(_bytes(parts.get(2))))
    return {name: _joined(pieces) for name, pieces in found.items()}


def _joined(pieces):
    """The value of a tensor's pieces; there are several of a very large one."""
    dims, kind, _ = pieces[0]
    content = b"".join(piece[2] for piece in pieces)
    if kind == "str":
        return content.decode("utf-32-le")
    if kind not in _TYPES:
        raise FormatError("a tensor of the unknown type {kind!r}".format(kind=kind))
    array = np.frombuffer(content, _TYPES[kind].numpy)
    return array.reshape(() if dims == [0] and array.size else dims).copy()


def _tensor_parts(message):
    """`(dims, name of the type, bytes)`."""
    dims: list[int] = []
    kind, content = "", b""
    for number, part in _fields(message):
        if number == 1:
            dims += [part] if isinstance(part, int) else _packed(part)
        elif number == 2:
            kind = _bytes(part).decode()
        else:
            content = _bytes(part)
    return dims, kind, content


def _bytes(part):
    of_kind(part, bytes, "an entry without a name, a tensor or its parts", FormatError)
    return part


def _fields(content):
    """Pairs `(number, value)` of a message's fields: integers and bytes."""
    at = 0
    while at < len(content):
        key, at = _read_varint(content, at)
        value, at = _read_varint(content, at)
        if key & 7 == _BYTES:
            value, at = content[at : at + value], at + value
            if at > len(content):
                raise FormatError("the file is truncated")
        elif key & 7 != _VARINT:
            raise FormatError("a field of an unknown kind")
        yield key >> 3, value


def _read_varint(content, at):
    value = shift = 0
    while at < len(content):
        byte = content[at]
        value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
        if byte < 128:
            return value, at
    raise FormatError("the file is truncated")


def _packed(content):
    at, made = 0, []
    while at < len(content):
        value, at = _read_varint(content, at)
        made.append(value)
    return made
