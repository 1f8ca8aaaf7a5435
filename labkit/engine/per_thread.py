"""Base class of state that each thread has separately."""

import threading


class PerThread(threading.local):
    """A thread starts with the class attributes. `known` has all instances; `on_new_stack` copies them to a new thread."""

    known: list = []

    def __new__(cls):
        made = super().__new__(cls)
        PerThread.known.append(made)
        return made
