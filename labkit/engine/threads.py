"""State that each thread has of its own."""

import threading


class PerThread(threading.local):
    """The base of states that each thread has for itself, its class's attributes at first."""

    known: list = []

    def __new__(cls):
        made = super().__new__(cls)
        PerThread.known.append(made)
        return made
