"""Requests that make a reader use too much time or memory."""

import os
import signal
import time


def spin(kept):
    while True:
        pass


def take(kept):
    return len(bytes(2**30))


def vanish(kept):
    os.kill(os.getpid(), signal.SIGKILL)


def fail(kept):
    raise LookupError("x" * 10**6)


def sleep(kept):
    time.sleep(1000)


def number(kept):
    return os.getpid()
