"""Messages over a socket: four bytes of length, then JSON. Both sides of the sandbox read them, and do not trust each other."""

import select
import socket
import struct
import time
from collections.abc import Callable
from json import dumps, loads
from typing import Any

LARGEST = 48 << 20  # bytes of one message
WATCH = 0.25  # seconds between two calls of `watch`


class Closed(ConnectionError):
    """The other side is gone."""


class Garbled(ValueError):
    """What came is not a message of this protocol."""


class TimedOut(TimeoutError):
    """Nothing came in time."""


class Spent(TimedOut):
    """Nothing came, and the other side was at work all the time that it may have."""


def send(connection: socket.socket, message: Any) -> None:
    """Send one message; raises `Closed` at a closed connection, `TimedOut` if it is not read."""
    data = dumps(message).encode()
    try:
        connection.sendall(struct.pack("!I", len(data)) + data)
    except TimeoutError:
        raise TimedOut("the message was not read") from None
    except OSError as error:
        raise Closed(str(error)) from None


def receive(
    connection: socket.socket,
    seconds: float | None = None,
    largest: int = LARGEST,
    watch: Callable[[], None] = lambda: None,
) -> Any:
    """The next message; raises `TimedOut` after `seconds`, `Closed` at the end, `Garbled` for what is not a message.

    A message has at most `largest` bytes. `watch` is called every now and then, also while bytes come; it may raise.
    """
    clock = _Clock(seconds, watch)
    size = struct.unpack("!I", _exactly(connection, 4, clock))[0]
    if size > largest:
        raise Garbled("a message of {size} bytes".format(size=size))
    try:
        return loads(_exactly(connection, size, clock))
    except (ValueError, RecursionError) as error:
        raise Garbled(str(error)[:100]) from None


class _Clock:
    """When to stop waiting, and when to watch again."""

    def __init__(self, seconds, watch) -> None:
        self.deadline = float("inf") if seconds is None else time.monotonic() + seconds
        self.watch, self.due = watch, time.monotonic() + WATCH

    def wait_for(self, connection):
        """Return when there is something to read."""
        while not select.select([connection], [], [], max(min(self.deadline - time.monotonic(), WATCH), 0))[0]:
            if time.monotonic() > self.deadline:
                raise TimedOut("no message came in time")
            self.look()
        self.look()

    def look(self):
        """Call `watch`, if it is time to."""
        if time.monotonic() > self.due:
            self.watch()
            self.due = time.monotonic() + WATCH


def _exactly(connection, size, clock):
    parts = []
    while size:
        clock.wait_for(connection)
        try:
            part = connection.recv(min(size, 1 << 20))
        except OSError as error:
            raise Closed(str(error)) from None
        if not part:
            raise Closed("the other side has closed the connection")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
