"""How long the tests of grading let a program run, and a program that takes longer than anybody waits."""

from labkit.grading.findings import Pace

PATIENT = Pace(cell=60.0, call=60.0, submission=600.0)  # nothing that ends is stopped, on however slow a machine
HANGS = "import time\ndef port(v):\n    while True:\n        time.sleep(0.1)"  # and takes no CPU time


def graded_by(worker, work):
    """The result of a worker that gets this work, once it has come."""
    worker.give(work)
    while (result := worker.result()) is None:
        worker.line.poll(1.0)
    return result
