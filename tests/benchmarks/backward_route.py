"""What the backward pass of `x**2 + 2` enters: how many files, and how many calls of Python functions.

`python tests/benchmarks/backward_route.py`; with `-v` each call.
"""

import sys

import labkit.torch as torch


def entered(call):
    """`(file, function)` of each Python function that `call()` enters, in order."""
    found = []

    def note(frame, event, _):
        if event == "call":
            found.append((frame.f_code.co_filename, frame.f_code.co_name))

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return found


def route():
    """The calls of a warm backward pass."""
    for _ in range(2):
        y = torch.tensor(3.0, requires_grad=True) ** 2 + 2
        found = entered(y.backward)
    return found


if __name__ == "__main__":
    calls = route()
    print(f"{len({file for file, _ in calls})} files, {len(calls)} calls")
    if "-v" in sys.argv:
        print(*(f"{file.rpartition('labkit/')[2]} {name}" for file, name in calls), sep="\n")
