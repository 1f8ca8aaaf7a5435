"""Stand for a kernel: have one forked by the process behind `LABKIT_WARM_KERNELS`, pass signals on, end when it ends."""

import json
import os
import signal
import socket
import sys


def main() -> int:
    place = os.environ.get("LABKIT_WARM_KERNELS")
    if not place:  # nothing is warm: become an ordinary kernel
        os.execv(sys.executable, [sys.executable, "-m", "ipykernel_launcher", "-f", sys.argv[1]])
    server = socket.socket(socket.AF_UNIX)
    server.connect(place)
    wanted = {"file": sys.argv[1], "cwd": os.getcwd(), "env": dict(os.environ)}
    socket.send_fds(server, [json.dumps(wanted).encode() + b"\n"], [0, 1, 2])
    answers = server.makefile("r")
    kernel = int(answers.readline())
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda sent, frame: os.kill(kernel, sent))
    return int(answers.readline() or 1)


if __name__ == "__main__":
    sys.exit(main())
