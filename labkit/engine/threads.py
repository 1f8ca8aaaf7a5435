"""State that each thread has of its own, and `elsewhere`: a call in a new thread that begins with a copy of it.

Python gives each thread a stack of its own, so what is nested too deep for the rest of one fits on a new one.
"""

import threading
from contextvars import copy_context
from typing import Any


class PerThread(threading.local):
    """The base of states that each thread has for itself, its class's attributes at first."""

    known: list = []

    def __new__(cls):
        made = super().__new__(cls)
        PerThread.known.append(made)
        return made


def elsewhere(run) -> Any:
    """`run()` in a new thread, which begins with an empty stack and a copy of the states of this one.

    Where no thread can be had, as in a browser, it runs here.
    """
    states, found, failed = [(state, dict(vars(state))) for state in PerThread.known], [], []

    def work():
        for state, values in states:
            vars(state).update(values)
        try:
            found.append(run())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=copy_context().run, args=(work,))
    try:
        thread.start()
    except RuntimeError:
        return run()
    thread.join()
    if failed:
        raise failed[0]
    return found[0]
