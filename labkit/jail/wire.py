"""Messages over a socket: four bytes of length, then JSON. Both sides of the wall read them; neither trusts the other."""

import select
import socket
import struct
import time
from json import dumps, loads
from typing import Any

LARGEST = 48 << 20  # bytes of one message


class Closed(ConnectionError):
    """The other side is gone."""


class Garbled(ValueError):
    """What came is no message of this protocol."""


class TimedOut(TimeoutError):
    """Nothing came in time."""


def send(connection: socket.socket, message: Any) -> None:
    """Send one message; raises `Closed` if nobody is there, `TimedOut` if nobody reads."""
    data = dumps(message).encode()
    try:
        connection.sendall(struct.pack("!I", len(data)) + data)
    except TimeoutError:
        raise TimedOut("nobody reads") from None
    except OSError as error:
        raise Closed(str(error)) from None


def receive(connection: socket.socket, seconds: float | None = None) -> Any:
    """The next message; raises `TimedOut` after `seconds`, `Closed` at the end, `Garbled` for what is no message."""
    deadline = None if seconds is None else time.monotonic() + seconds
    size = struct.unpack("!I", _exactly(connection, 4, deadline))[0]
    if size > LARGEST:
        raise Garbled(f"a message of {size} bytes")
    try:
        return loads(_exactly(connection, size, deadline))
    except (ValueError, RecursionError) as error:
        raise Garbled(str(error)[:100]) from None


def _exactly(connection, size, deadline):
    parts = []
    while size:
        if deadline is not None and not select.select([connection], [], [], max(deadline - time.monotonic(), 0))[0]:
            raise TimedOut("nothing came in time")
        try:
            part = connection.recv(min(size, 1 << 20))
        except OSError as error:
            raise Closed(str(error)) from None
        if not part:
            raise Closed("the other side has closed the connection")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
