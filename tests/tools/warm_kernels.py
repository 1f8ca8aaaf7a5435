"""Kernels in a fraction of a second: each is forked from one process that has imported what is not labkit.

Most of a kernel's start are imports, of IPython and of Matplotlib. labkit itself is not imported beforehand: a notebook has
to import it as a reader's does. `tests/tools/warm` holds the kernel's specification for Jupyter: its process asks here for
a kernel, and stands for it.
"""

import atexit
import contextlib
import gc
import json
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from functools import cache
from importlib import import_module
from pathlib import Path

SPECIFICATION = Path(__file__).parent / "warm"
PLACE = "LABKIT_WARM_KERNELS"
IMPORTED = (
    "ipykernel.kernelapp", "IPython.core.historyapp", "matplotlib.pyplot", "matplotlib.backends.backend_agg",
    "autograd.numpy", "anywidget",
)  # fmt: skip
OPTIONS = ["--HistoryManager.enabled=False"]


@cache
def forge() -> subprocess.Popen:
    """The warm process, started when it is first asked for. It ends, and takes its kernels with it, when this one ends."""
    place = f"{tempfile.mkdtemp(prefix='labkit-kernels-')}/socket"  # for this user alone
    process = subprocess.Popen([sys.executable, __file__, place], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    atexit.register(process.communicate)
    if process.stdout and process.stdout.readline() != b"ready\n":
        raise RuntimeError(f"expected {__file__} to get ready for kernels, but it ended; run it to see why")
    os.environ[PLACE] = place
    return process


def available() -> bool:
    """Whether a process here can fork, hand on its open files and wait for others by file: on Linux."""
    return sys.platform == "linux"


# ---- in the warm process ----


def serve(place: str):
    """Fork a kernel for each connection, until the standard input ends."""
    running: set[Kernel] = set()
    with socket.socket(socket.AF_UNIX) as listening, selectors.DefaultSelector() as waiting:
        listening.bind(place)
        listening.listen()
        waiting.register(sys.stdin, selectors.EVENT_READ)
        waiting.register(listening, selectors.EVENT_READ)
        print("ready", flush=True)
        while True:
            for key, _ in waiting.select():
                if key.fileobj is sys.stdin:
                    return end(running)
                if key.fileobj is listening:
                    running.add(Kernel(listening.accept()[0], waiting))
                elif key.fileobj == key.data.ended:
                    running.remove(key.data)
                    key.data.forget(waiting)
                elif key.data in running:  # who stood for the kernel has gone
                    key.data.end()


class Kernel:
    """A forked kernel: the connection of the process that stands for it, and a file that is ready when it has ended."""

    def __init__(self, connection: socket.socket, waiting: selectors.BaseSelector):
        self.connection = connection
        message, files, *_ = socket.recv_fds(connection, 1 << 16, 3)
        while not message.endswith(b"\n"):
            message += connection.recv(1 << 16)
        self.process = os.fork()
        if self.process == 0:
            waiting.close()
            run(files, **json.loads(message))
        for file in files:
            os.close(file)
        self.ended = os.pidfd_open(self.process)
        connection.send(b"%d\n" % self.process)
        for file in (connection, self.ended):
            waiting.register(file, selectors.EVENT_READ, self)

    def end(self):
        signal.pidfd_send_signal(self.ended, signal.SIGKILL)

    def forget(self, waiting: selectors.BaseSelector):
        for file in (self.connection, self.ended):
            waiting.unregister(file)
        _, status = os.waitpid(self.process, 0)
        with contextlib.suppress(BrokenPipeError):
            self.connection.send(b"%d\n" % os.waitstatus_to_exitcode(status))
        self.connection.close()
        os.close(self.ended)


def end(kernels):
    for kernel in kernels:
        kernel.end()
        os.waitpid(kernel.process, 0)


def run(files, file: str, cwd: str, env: dict[str, str]):
    """Be a kernel that was started in a folder, with an environment and three open files, and never return."""
    from ipykernel.kernelapp import IPKernelApp

    for number, given in enumerate(files):
        os.dup2(given, number)
    os.chdir(cwd)
    os.environ.update(env)
    sys.path[:0] = [path for path in env.get("PYTHONPATH", "").split(os.pathsep) if path not in ("", *sys.path)]
    sys.modules["numpy"].random.seed()
    sys.argv = ["ipykernel_launcher", "-f", file, f"--IPKernelApp.parent_handle={os.getppid()}", *OPTIONS]
    IPKernelApp.launch_instance()
    os._exit(0)


def main():
    del sys.path[0]  # this folder: an ordinary kernel does not find its modules
    os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")  # read when Matplotlib is imported
    for name in IMPORTED:
        import_module(name)
    gc.freeze()
    try:
        serve(sys.argv[1])
    finally:
        shutil.rmtree(Path(sys.argv[1]).parent)


if __name__ == "__main__":
    main()
