"""The process that forks: it has imported what answers need, and starts each program in namespaces of its own.

Started by `sandbox.Sandbox`, inside the view of the file system that bubblewrap gives it. It holds no check, no answer and no
submission: programs go straight from the grader to the forked process, over a socket that is only passed on here.
"""

import base64
import gc
import json
import os
import signal
import socket
import sys
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from select import select
from typing import Any

from . import linux, program, wire

PRELOADED = (
    "numpy", "autograd.numpy", "autograd", "labkit", "labkit.engine", "labkit.program", "labkit.tracing", "labkit.torch",
    "labkit.torch.nn", "labkit.torch.optim", "labkit.mindspore", "labkit.mindspore.nn", "labkit.mindspore.ops",
    "ml_dtypes", "IPython.core.inputtransformer2",
)  # fmt: skip
FILES = 64  # open files of a program


def main(settings: dict[str, Any]) -> None:
    """Serve one grader over the socket `settings["socket"]` until it goes away."""
    control = socket.socket(fileno=settings["socket"])
    if select([control], [], [], 0)[0]:  # nobody is there any more: nothing is ever said before we are ready
        return
    linux.forget_limits()
    preload(settings["preload"])
    linux.become_subreaper()
    linux.hide_memory()
    chosen = base64.b64decode(settings["refused_calls"])
    settings["here"] = os.pidfd_open(os.getpid()) if settings["namespaces"] else -1
    control.sendall(b"ready\n")
    while True:
        order, passed, *_ = socket.recv_fds(control, 1, 1)
        if order == b"s":
            child = start(passed[0], settings, chosen)
            os.close(passed[0])
            control.sendall(f"{child}\n".encode())
        elif order == b"k":
            end(child)
            control.sendall(b"ended\n")
        else:
            return


def preload(more: list[str]) -> None:
    """Import what answers use, so that a fork has it; the stand-in takes the place of the classroom."""
    program.stand_in()
    for name in (*PRELOADED, *more):
        if find_spec(name.split(".")[0]):
            import_module(name)
    gc.collect()
    gc.freeze()  # so that a collection in a forked process does not copy every page


def start(passed: int, settings: dict[str, Any], chosen: bytes) -> int:
    """Fork a program that talks over the socket `passed`; returns its process number, 0 if it could not begin."""
    if settings["namespaces"]:
        linux.unshare(linux.NEW_PIDS)  # for the next child alone: afterwards we come back
    try:
        child = os.fork()
        if not child:
            _isolated(passed, settings, chosen)
        return child
    except OSError:
        return 0
    finally:
        if settings["namespaces"]:
            linux.enter(settings["here"], linux.NEW_PIDS)


def _isolated(passed, settings, chosen):
    """The forked process: start every isolation layer, run the program, end."""
    connection = _only(passed)
    try:
        os.setsid()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        if settings["namespaces"]:
            linux.unshare(linux.NEW_MOUNTS | linux.NEW_IPC)
            linux.private_mounts()
            linux.mount_tmpfs(settings["folder"], settings["disk_megabytes"], settings["uid"])
            linux.become(settings["uid"])
            linux.drop_capabilities()
        linux.die_with_parent()
        linux.forbid_new_privileges()
        linux.hide_memory()
        linux.limit(
            settings["megabytes"], settings["cpu_seconds"], settings["processes"], settings["disk_megabytes"], FILES
        )
        os.chdir(settings["folder"])
        os.umask(0o077)
        if chosen:
            linux.load_filter(chosen)
    except BaseException as error:
        wire.send(connection, {"layers": f"{type(error).__name__}: {error}"})
        os._exit(1)
    try:
        wire.send(connection, {"layers": "active"})
        program.run(connection)
    finally:  # the grader has gone, or the student's code has broken this process: it sees the end of the line
        os._exit(0)


def _only(passed):
    """Close every file but the socket; input is empty, output goes nowhere."""
    line = FILES - 1  # the last one: code that takes or closes a file by the number it expects does not meet it
    connection = socket.socket(fileno=os.dup2(passed, line, inheritable=False))
    nowhere = os.open("/dev/null", os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    os.closerange(3, line)
    os.closerange(FILES, 4096)
    return connection


def end(child: int) -> None:
    """End a program with all its processes."""
    if not child:  # it never began
        return
    with suppress(ProcessLookupError, ChildProcessError):
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    _end_orphans()


def _end_orphans():
    """End what has outlived its program; with a PID namespace of its own there is nothing."""
    while True:
        with suppress(OSError), open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
            for orphan in file.read().split():
                os.kill(int(orphan), signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
