"""A call in a new thread, whose stack is empty, so that deeply nested calls fit."""

import threading
from contextvars import copy_context
from typing import Any

from ..engine import PerThread


def on_new_stack(run) -> Any:
    """`run()` in a new thread, with a copy of the states of this one; in this thread if none can be started, as in a browser."""
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
