"""A sandbox: one process that forks isolated programs, and a session for each program that runs there.

    with Sandbox() as sandbox, sandbox.session() as session:
        session.send(program)
        session.receive(seconds=5)

The layers: a view of the file system with Python and nothing else, read-only, and an empty folder of one's own (bubblewrap,
mount namespace); no other process, no network, no shared memory (PID, network and IPC namespaces); no privileges (a
user of one's own when started by root, no capabilities, no_new_privs); limits on memory, CPU time, processes, file size
and open files; no dangerous system calls (seccomp).
"""

import base64
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from random import sample
from tempfile import gettempdir
from typing import Any

from . import wire
from .bubblewrap_command import FOLDER, environment, view
from .layers import CALLS, FILES, PROCESSES, Layers, NotIsolated, can_fork, installed_layers
from .refusals import refusal
from .session import START_SECONDS, SandboxError, Session

_NOT_ISOLATED = "this machine cannot isolate students' code:\n{layers}"
USERS = range(61184, 65520)  # users that systemd leaves to programs without a name
_NO_FORK = "this machine cannot fork processes, which grading needs:\n{layers}"
_NO_USER = "all {count} users for sandboxes are in use. Run fewer graders at the same time"


@dataclass(frozen=True)
class Limits:
    """What one program may use.

    `megabytes` of memory in each process, on top of what Python has mapped, and `all_megabytes` in all processes together;
    `cpu_seconds` and `processes` (threads count); `disk_megabytes` of files, which are memory too.
    """

    megabytes: int = 1024
    cpu_seconds: int = 120
    processes: int = 16
    disk_megabytes: int = 64
    all_megabytes: int = 3072


TRIAL = {  # a program that any sandbox can run
    "steps": [{"label": "trial", "source": "x = 1", "asks": ["trial"]}],
    "binds": {"trial": "x"},
    "functions": [],
    "seconds": START_SECONDS,
}


class Sandbox:
    """A process that forks isolated programs; start it with `with`.

    Raises `NotIsolated` where a needed layer is missing, unless `unsafe` is true: then the available layers are used.
    `preload` names modules to import once, before the forks.
    """

    def __init__(self, limits: Limits | None = None, unsafe: bool = False, preload: tuple[str, ...] = ()) -> None:
        self.limits, self.unsafe, self.preload = limits or Limits(), unsafe, preload
        self.layers: Layers = installed_layers()
        self._server: Any = None
        self._control: Any = None
        self._key: Any = None

    def __enter__(self) -> "Sandbox":
        self.start()
        return self

    def __exit__(self, *ignored: Any) -> None:
        self.stop()

    def start(self) -> None:
        """Start the server and see that a program can run in isolation."""
        if not can_fork():
            raise NotIsolated(_NO_FORK.format(layers=self.layers))
        if not self.layers.isolated and not self.unsafe:
            raise NotIsolated(_NOT_ISOLATED.format(layers=self.layers))
        try:
            self._launch(isolate=FILES in self.layers.present)
        except SandboxError as error:
            self.stop()
            why = refusal(str(error))
            missing = {**self.layers.missing, PROCESSES: why, FILES: why}
            self.layers = Layers(tuple(p for p in self.layers.present if p not in missing), missing)
            if not self.unsafe:
                raise NotIsolated(_NOT_ISOLATED.format(layers=self.layers)) from None
            self._launch(isolate=False)

    def _launch(self, isolate):
        ours, theirs = socket.socketpair()
        user, self._key = rent_user()
        from . import linux  # here, because other systems have no module `resource`

        refused = linux.call_filter() if CALLS in self.layers.present else b""
        settings = {
            **asdict(self.limits), "socket": theirs.fileno(), "namespaces": isolate, "preload": self.preload,
            "refused_calls": base64.b64encode(refused).decode(), "uid": user, "folder": FOLDER if isolate else gettempdir(),
        }  # fmt: skip
        command = [sys.executable, "-P", "-m", "labkit.sandbox.server", json.dumps(settings)]
        self._server = subprocess.Popen(
            [*(view() if isolate else []), *command],
            env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            pass_fds=[theirs.fileno()], cwd="/", start_new_session=True,
        )  # fmt: skip
        theirs.close()
        self._control = ours
        ours.settimeout(START_SECONDS)
        if self._answer() != "ready":
            raise SandboxError(self._last_words())
        self._try()

    def _try(self):
        """Run a program: layers are started and processes forked for each, and a refusal must not count against a student."""
        try:
            with self.session() as session:
                session.send(TRIAL)
                said = [session.receive(START_SECONDS) for _ in range(2)]
        except (wire.Closed, wire.TimedOut, wire.Garbled) as error:
            raise SandboxError("a sandbox process failed: {error}".format(error=error)) from None
        if said[-1] != {"ask": "trial", "found": "value", "value": ["int", "1"]}:
            raise SandboxError("a sandbox process sent an unexpected reply: {said}".format(said=said))

    def _answer(self):
        text = b""
        try:
            while not text.endswith(b"\n"):
                part = self._control.recv(100)
                if not part:
                    raise SandboxError(self._last_words())
                text += part
        except OSError as error:
            raise SandboxError("the sandbox server does not answer: {error}".format(error=error)) from None
        return text.decode().strip()

    def _last_words(self):
        self._server.kill()
        words = self._server.communicate()[1].decode(errors="replace").strip().splitlines()
        return words[-1] if words else "the sandbox server ended without a message"

    @contextmanager
    def session(self) -> Iterator[Session]:
        """A new program; at the end it and all its processes are gone."""
        if (
            self._server.poll() is not None
        ):  # a program has cost the whole sandbox: the kernel ended what it came upon first
            self.stop()
            self.start()
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                socket.send_fds(self._control, [b"s"], [theirs.fileno()])
            if self._answer() == "0":
                raise SandboxError("a sandbox process could not be forked")
            session = Session(ours, self._server.pid, self.limits.all_megabytes)
            session.begin()
            yield session
        finally:
            ours.close()
            with suppress(OSError, SandboxError):
                self._control.sendall(b"k")
                self._answer()

    @property
    def pid(self) -> int:
        """The process number of the server, or of bubblewrap around it."""
        return self._server.pid if self._server else 0

    def stop(self) -> None:
        """End the server and all that it started."""
        if self._control is not None:
            self._control.close()
        if self._server is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._server.pid, signal.SIGKILL)
            self._server.kill()
            self._server.wait()
            self._server.stderr.close()
        if self._key is not None:
            self._key.close()
        self._server = self._control = self._key = None


def tried_layers() -> Layers:
    """The layers that this machine has: those of a sandbox that was started to try them. Takes a second or two."""
    sandbox = Sandbox()
    with suppress(NotIsolated), sandbox:
        pass
    return sandbox.layers


def die_with(parent: int) -> None:
    """End this process when the thread that started it ends, however that comes; `parent` is its process. Linux alone can."""
    if sys.platform.startswith("linux"):
        from . import linux

        linux.die_with_parent()
        if os.getppid() != parent:  # it was quicker
            os._exit(1)


def rent_user() -> tuple[int, Any]:
    """The user that programs run as, and the key to hold on to: no other sandbox of this machine has that user meanwhile.

    The kernel counts processes by user, so with one in common a program could use up what another one needs. Only root may
    choose; everyone else has one user, in a namespace of its own.
    """
    if os.geteuid() != 0 or not sys.platform.startswith("linux"):
        return 0, None
    for number in sample(USERS, len(USERS)):
        key = socket.socket(socket.AF_UNIX)
        try:
            key.bind(f"\0labkit sandbox {number}")  # a name without a file, free again when we end, however we end
            return number, key
        except OSError:
            key.close()
    raise SandboxError(_NO_USER.format(count=len(USERS)))
