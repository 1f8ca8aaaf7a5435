"""A program in a sandbox, as the grader sees it: messages to it and from it, and its limits."""

import socket
from dataclasses import dataclass
from typing import Any

from . import wire
from .usage import Meter

START_SECONDS = 600.0  # a server that ends is seen at once: this is for one that hangs, not for a slow machine
LARGEST = 4 << 20  # bytes of a message from a program: two values and some texts


class SandboxError(RuntimeError):
    """The sandbox itself does not work; no fault of the program in it."""


@dataclass(frozen=True)
class Session:
    """One program in a sandbox: messages to it and from it. `server` is the process that forked it."""

    connection: socket.socket
    server: int
    megabytes: int

    def send(self, message: Any, seconds: float = 30.0) -> None:
        """Send one message; raises `wire.Closed` or `wire.TimedOut`."""
        self.connection.settimeout(seconds)
        wire.send(self.connection, message)

    def receive(self, seconds: float, cpu_seconds: float = float("inf")) -> Any:
        """The next message; raises `wire.TimedOut`, `wire.Closed` or `wire.Garbled`.

        It may take `seconds` on the clock, and all processes of the program together `cpu_seconds`, else `wire.Spent`. A
        program whose processes together take too much memory counts as closed.
        """
        meter = Meter(self.server)

        def watch() -> None:
            if meter.look() > self.megabytes:
                raise wire.Closed("more than {megabytes} MB".format(megabytes=self.megabytes))
            if meter.spent > cpu_seconds:
                raise wire.Spent("more than {cpu_seconds:g} seconds of CPU time".format(cpu_seconds=cpu_seconds))

        return wire.receive(self.connection, seconds, LARGEST, watch)

    def begin(self) -> None:
        """Wait until the layers are active; raises `SandboxError` if one is not. Nothing of a program has run before."""
        try:
            word = self.receive(START_SECONDS)
        except (wire.Closed, wire.Garbled, wire.TimedOut) as error:
            raise SandboxError("a sandbox process does not start: {error}".format(error=error)) from None
        if word != {"layers": "active"}:
            raise SandboxError("an isolation layer could not be started: {word}".format(word=word))
