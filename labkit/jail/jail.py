"""A jail: one process that forks programs behind walls, and a session for each program that runs there.

    with Jail() as jail, jail.session() as session:
        session.send(program)
        session.receive(seconds=5)

The walls: a view of the file system with Python and nothing else, read-only, and an empty /tmp of one's own (bubblewrap,
mount namespace); no other process, no network, no shared memory (PID, network and IPC namespaces); no privileges (a
user of one's own when started by root, no capabilities, no_new_privs); limits on memory, CPU time, processes, file size
and open files; no dangerous system calls (seccomp, where pyseccomp is installed).
"""

import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from . import wire
from .layers import CALLS, FILES, PROCESSES, Layers, NotIsolated, can_fork, installed

START_SECONDS = 60.0
WATCH = 0.25  # seconds between two looks at the memory of a program that is silent
ROOM = 61184  # the first of the users that systemd leaves to programs without a name


@dataclass(frozen=True)
class Limits:
    """What one program may use.

    `megabytes` of memory in each process, on top of what Python has mapped, and `all_megabytes` in all processes together;
    `cpu_seconds` and `processes` (threads count); `disk_megabytes` in its /tmp, which is memory too.
    """

    megabytes: int = 1024
    cpu_seconds: int = 120
    processes: int = 16
    disk_megabytes: int = 64
    all_megabytes: int = 3072


class JailError(RuntimeError):
    """The jail itself does not work; no fault of the program in it."""


class Session:
    """One program in a jail: messages to it and from it."""

    def __init__(self, connection: socket.socket, server: int, megabytes: int):
        self.connection, self.server, self.megabytes = connection, server, megabytes

    def send(self, message: Any) -> None:
        """Send one message; raises `wire.Closed` or `wire.TimedOut`."""
        try:
            wire.send(self.connection, message)
        except wire.Closed:
            self.receive(1)  # it may have left word why
            raise

    def receive(self, seconds: float) -> Any:
        """The next message; raises `wire.TimedOut`, `wire.Closed` or `wire.Garbled`, and `JailError` if a wall fell.

        A program whose processes together take too much memory counts as closed.
        """
        deadline = time.monotonic() + seconds
        while not select.select([self.connection], [], [], min(WATCH, max(deadline - time.monotonic(), 0)))[0]:
            if memory_of(self.server) > self.megabytes:
                raise wire.Closed(f"more than {self.megabytes} MB")
            if time.monotonic() > deadline:
                break
        message = wire.receive(self.connection, max(deadline - time.monotonic(), 0))
        if isinstance(message, dict) and "walls" in message:
            raise JailError(f"a wall could not be raised: {message['walls']}")
        return message


class Jail:
    """A process that forks programs behind walls; start it with `with`.

    Raises `NotIsolated` where a needed wall is missing, unless `unsafe` is true: then the walls that can be raised are.
    `preload` names modules to import once, before the forks.
    """

    def __init__(self, limits: Limits | None = None, unsafe: bool = False, preload: tuple[str, ...] = ()):
        self.limits, self.unsafe, self.preload = limits or Limits(), unsafe, preload
        self.layers: Layers = installed()
        self._server: Any = None
        self._control: Any = None

    def __enter__(self) -> "Jail":
        self.start()
        return self

    def __exit__(self, *ignored: Any) -> None:
        self.stop()

    def start(self) -> None:
        """Start the server and see that a program can run behind its walls."""
        if not can_fork():
            raise NotIsolated(f"grading needs processes that fork:\n{self.layers}")
        if not self.layers.isolated and not self.unsafe:
            raise NotIsolated(f"student code cannot be isolated here:\n{self.layers}")
        try:
            self._launch(walls=self.layers.isolated)
        except JailError as error:
            self.stop()
            why = f"the kernel refuses ({error}); run as root, or allow user namespaces"
            missing = {**self.layers.missing, PROCESSES: why, FILES: why}
            self.layers = Layers(tuple(p for p in self.layers.present if p not in missing), missing)
            if not self.unsafe:
                raise NotIsolated(f"student code cannot be isolated here:\n{self.layers}") from None
            self._launch(walls=False)

    def _launch(self, walls):
        ours, theirs = socket.socketpair()
        settings = {
            **asdict(self.limits), "socket": theirs.fileno(), "namespaces": walls, "preload": self.preload,
            "seccomp": CALLS in self.layers.present, "uid": ROOM + os.getpid() % 4000, "folder": "/tmp",
        }  # fmt: skip
        command = [sys.executable, "-P", "-m", "labkit.jail.server", json.dumps(settings)]
        self._server = subprocess.Popen(
            [*(view() if walls else []), *command],
            env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            pass_fds=[theirs.fileno()], cwd="/", start_new_session=True,
        )  # fmt: skip
        theirs.close()
        self._control = ours
        ours.settimeout(START_SECONDS)
        if self._answer() != "ready":
            raise JailError(self._last_words())
        with self.session() as session:  # the walls are raised for each program: try one
            session.send({"steps": [], "binds": {}, "functions": [], "seconds": 1})
            try:
                session.receive(10)
            except (wire.Closed, wire.TimedOut) as error:
                raise JailError(f"a program does not start: {error}") from None

    def _answer(self):
        text = b""
        try:
            while not text.endswith(b"\n"):
                part = self._control.recv(100)
                if not part:
                    raise JailError(self._last_words())
                text += part
        except OSError as error:
            raise JailError(f"the server does not answer: {error}") from None
        return text.decode().strip()

    def _last_words(self):
        self._server.kill()
        words = self._server.communicate()[1].decode(errors="replace").strip().splitlines()
        return words[-1] if words else "the server ended without a word"

    @contextmanager
    def session(self) -> Iterator[Session]:
        """A new program; at the end it and all its processes are gone."""
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                socket.send_fds(self._control, [b"s"], [theirs.fileno()])
            if self._answer() == "0":
                raise JailError("a program could not be forked")
            ours.settimeout(30)
            yield Session(ours, self._server.pid, self.limits.all_megabytes)
        finally:
            ours.close()
            with suppress(OSError, JailError):
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
            self._server.communicate()
        self._server = self._control = None


def memory_of(process: int) -> float:
    """MB that the children of a process have for themselves (resident and not shared)."""
    import psutil

    total = 0
    with suppress(psutil.Error):
        for child in psutil.Process(process).children(recursive=True):
            with suppress(psutil.Error):
                used = child.memory_info()
                total += used.rss - getattr(used, "shared", 0)
    return total / 2**20


def environment() -> dict[str, str]:
    """The variables a jail sees: nothing of ours but where Python and labkit are."""
    home = Path(__file__).parents[2]
    return {
        "PATH": "/usr/bin:/bin", "HOME": "/tmp", "TMPDIR": "/tmp", "LANG": "C.UTF-8", "PYTHONHASHSEED": "0",
        "PYTHONPATH": os.pathsep.join(dict.fromkeys([*sites(), str(home)])), "PYTHONDONTWRITEBYTECODE": "1",
        "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "MPLBACKEND": "Agg",
        "MPLCONFIGDIR": "/tmp/matplotlib",
    }  # fmt: skip


def sites() -> list[str]:
    """The folders of installed packages that this Python uses."""
    return [p for p in sys.path if Path(p).name in ("site-packages", "dist-packages") and Path(p).is_dir()]


def view() -> list[str]:
    """The command that shows a program Python, its packages and labkit without the classroom, read-only, and no more."""
    package = Path(__file__).parents[1]
    shown = ["/usr", "/lib", "/lib32", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/fonts", "/etc/alternatives"]
    for prefix in {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}:
        shown += [str(Path(prefix) / part) for part in ("bin", "lib", "lib64", "pyvenv.cfg")]
    shown += [*sites(), str(package)]
    hidden = [str(package / "classroom"), str(package / "grading"), str(Path(sys.prefix) / "share" / "labkit")]
    command = [shutil.which("bwrap") or "bwrap", "--die-with-parent", "--new-session", "--unshare-pid", "--unshare-net"]
    command += ["--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--hostname", "jail", "--cap-drop", "ALL"]
    command += [
        "--cap-add",
        "CAP_SYS_ADMIN",
        "--cap-add",
        "CAP_SETUID",
        "--cap-add",
        "CAP_SETGID",
        "--cap-add",
        "CAP_KILL",
    ]
    command += [] if os.geteuid() == 0 else ["--unshare-user", "--uid", "0", "--gid", "0"]
    for path in dict.fromkeys(shown):
        command += [part for up in list(Path(path).parents)[-2::-1] for part in ("--perms", "0755", "--dir", str(up))]
        if Path(path).is_symlink():
            command += ["--symlink", os.readlink(path), path]
        elif Path(path).exists():
            command += ["--ro-bind", path, path]
    for path in hidden:
        if Path(path).exists():
            command += ["--tmpfs", path, "--remount-ro", path]
    return [
        *command,
        "--dev",
        "/dev",
        "--remount-ro",
        "/dev",
        "--tmpfs",
        "/tmp",
        "--remount-ro",
        "/",
        "--chdir",
        "/tmp",
    ]
