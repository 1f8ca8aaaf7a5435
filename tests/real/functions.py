"""Print the words of the real functions: `PYTHON functions.py`, with a Python that has MindSpore.

Each line: a function of `mindspore.ops` or `mindspore.numpy` that names its arguments, and their names in their order.
"""

import inspect
import sys

from mindspore import numpy, ops

for room in (numpy, ops):
    for name in sorted(dir(room)):
        function = getattr(room, name)
        if name.startswith("_") or not inspect.isfunction(function) or not function.__module__.startswith("mindspore"):
            continue
        words = inspect.signature(function).parameters.values()
        if words and not any(word.kind in (word.VAR_POSITIONAL, word.VAR_KEYWORD) for word in words):
            sys.stdout.write(f"{room.__name__.partition('.')[2]}.{name} | {', '.join(word.name for word in words)}\n")
