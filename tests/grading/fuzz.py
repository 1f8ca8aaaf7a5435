"""Files, outputs, metadata and answers as nobody writes them: right ones, changed at random.

`harmless` changes what does not belong to the code; `spoiled` changes anything in a file; `other_value` and `other_message`
change what a program in a jail gives back.
"""

import io
import json
import random
import warnings
import zipfile
from contextlib import contextmanager
from copy import deepcopy
from itertools import islice

import numpy as np

from labkit.classroom import EXERCISES
from labkit.evidence import decode, encode
from labkit.jail import wire

ODD = (
    None, True, 0, -1, 10**30, 1e308, float("nan"), "", "x", "\ud800", "\x1b[2J", "=cmd()", "<script>", "é😀\u202e", [], {},
    [[]], {"": {}}, ["a\n", 3, None], {"cell_type": "code", "source": "x = 1"}, "a" * 3000, "code", "markdown", "cells",
)  # fmt: skip
TEXTS = (
    "def f(:", "'''", "(" * 300, "%%bash", "!ls", "x = 1\n" * 50, "# %%", "<<<<<<< a\n", "=======\n", ">>>>>>> b\n", "\0",
    "\r", "\u2028", "</pre>", '<div class="highlight hl-ipython3"><pre>', "\\u12", "\\", '"', "{", "[", "]", "}",
    '{"cell_type": "code", "source": [', '"nbgrader": {', "&#0;", "&amp;", "import a" + ".a" * 200, 'f"' + "{a}" * 200 + '"',
)  # fmt: skip


# ---- trees of JSON ----


def nodes(tree):
    """The path of each value in a tree."""
    waiting = [((), tree)]
    while waiting:
        path, here = waiting.pop()
        yield path
        if isinstance(here, (dict, list)):
            waiting += [((*path, key), here[key]) for key in (here if isinstance(here, dict) else range(len(here)))]


def at(tree, path):
    for key in path:
        tree = tree[key]
    return tree


def changed(tree, rng, times=1):
    """A tree in which values are replaced, taken out, doubled, put deeper, or exchanged for others of it."""
    tree = {"": deepcopy(tree)}
    for _ in range(times):
        paths = list(islice(nodes(tree), 1, 20_000))
        path = rng.choice(paths or [("",)])
        above, key = at(tree, path[:-1]), path[-1]
        match rng.randrange(6):
            case 0 | 1:
                above[key] = deepcopy(rng.choice(ODD))
            case 2:
                above[key] = deepcopy(at(tree, rng.choice(paths)))
            case 3 if len(path) > 1:
                del above[key]
            case 4 if isinstance(above, list) and len(paths) < 2000:
                above[key:key] = [deepcopy(above[key]) for _ in range(rng.choice((1, 3, 100)))]
            case _:
                for _ in range(rng.choice((1, 5, 50))):
                    above[key] = [above[key]] if rng.random() < 0.5 else {"cells": above[key]}
    return tree[""]


# ---- files ----


def harmless(notebook, rng):
    """The bytes of a notebook with the same code, and other outputs, metadata, order and encoding."""
    notebook = json.loads(json.dumps(notebook))
    for cell in notebook["cells"]:
        cell["metadata"][rng.choice(("tags", "colab", "x", "ExecuteTime", "jp-MarkdownHeadingCollapsed"))] = rng.choice(
            ODD
        )
        cell[rng.choice(("attachments", "execution_count", "outputs", "y"))] = rng.choice(ODD)
        if cell["cell_type"] == "code" and rng.random() < 0.3:
            texts = [str(rng.choice(ODD)) * rng.choice((1, 100)), *rng.sample(TEXTS, 3)]
            cell["outputs"] = [{"output_type": "stream", "text": texts, "data": {"image/png": rng.choice(ODD)}}]
        if rng.random() < 0.3:
            cell["source"] = cell["source"].splitlines(keepends=True)
    notebook["metadata"] = rng.choice((notebook["metadata"], {}, {"widgets": rng.choice(ODD)}, rng.choice(ODD)))
    notebook["nbformat"], notebook["nbformat_minor"] = rng.choice(((4, 5), (4, 0), ("4", None), (3, 0)))
    text = json.dumps(
        notebook, indent=rng.choice((None, 1)), sort_keys=rng.random() < 0.5, ensure_ascii=rng.random() < 0.5
    )
    text = text.encode("utf-8", "replace").decode()
    return (rng.choice(("", "\n ")) + text).encode(rng.choice(("utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-32")))


def spoiled(notebook, rng):
    """The bytes of a file of any kind that can be read, with anything changed in it; sometimes many times over."""
    data = rng.choice((as_notebook, as_notebook, as_script, as_archive))(notebook, rng)
    for _ in range(rng.choice((0, 1, 1, 2, 5, 30))):
        data = cut(data, rng)
    return data


def as_notebook(notebook, rng):
    return json.dumps(changed(notebook, rng, rng.choice((0, 1, 3, 10))), ensure_ascii=rng.random() < 0.5).encode(
        "utf-8", "replace"
    )


def as_script(notebook, rng):
    marks = ("# %%\n", "# In[3]:\n", '# %% nbgrader={"grade_id": "answer-x"}\n', "# %% [markdown]\n", "")
    return "".join(rng.choice(marks) + cell["source"] + "\n" for cell in notebook["cells"]).encode()


def as_archive(notebook, rng, depth=0):
    """An archive of files and archives, under names of all kinds; sometimes its numbers are not true."""
    data = json.dumps(notebook).encode("utf-8", "replace")
    with zipfile.ZipFile(file := io.BytesIO(), "w") as archive, warnings.catch_warnings(action="ignore"):
        for _ in range(rng.choice((0, 1, 3, 300 if depth == 0 else 9))):
            entry = zipfile.ZipInfo(_name(rng), (rng.choice((1980, 2026, 2107)), rng.randrange(1, 13), 1, 0, 0, 0))
            entry.external_attr = rng.choice((0, 0o100644, 0o120777, 0o040755, 0o010644)) << 16
            entry.compress_type = rng.choice((0, 8, 8, 12))
            held = rng.choice((data, b"{}", b"0" * rng.choice((1, 10**6)), b"PK\x03\x04"))
            archive.writestr(entry, as_archive(notebook, rng, depth + 1) if rng.random() < 0.02 and depth < 2 else held)
        if rng.random() < 0.5:
            archive.writestr("a1.ipynb", data)
    made = bytearray(file.getvalue())
    for _ in range(rng.choice((0, 0, 1, 5))):  # a number in the table, of a size, a place, a flag, a method
        at = made.rfind(rng.choice((b"PK\x01\x02", b"PK\x05\x06", b"PK\x03\x04"))) + rng.randrange(4, 46)
        made[at : at + 1] = rng.choice((b"\0", b"\xff", b"\1", rng.randbytes(1)))
    return bytes(made)


def _name(rng):
    parts = rng.choices(
        ("a1", "..", "", "é", "e\u0301", "\u202e", "x" * 300, "con", "__MACOSX", "C:", "\\", "\n", "a1.zip"), k=3
    )
    return "/".join(parts[: rng.randrange(1, 4)]) + rng.choice((".ipynb", ".ipynb", ".zip", "/", "", ".py"))


def cut(data, rng):
    """The bytes with one part changed: replaced, left out, doubled, or repeated until there is much of it."""
    a, b = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    b = min(b, a + rng.choice((1, 4, 100, 10**6)))
    match rng.randrange(7):
        case 0:
            return data[:a] + data[b:]
        case 1:
            return data[:a] + rng.randbytes(b - a if b - a < 100 else 100) + data[b:]
        case 2:
            return data[:a] + rng.choice(TEXTS).encode("utf-8", "replace") + data[a:]
        case 3:
            return data[:a] + data[b:] + data[a:b]
        case 4:
            return data[:a]
        case 5:
            return data[:a] + rng.choice(TEXTS).encode() * rng.choice((2, 50, 3000)) + data[a:]
    times = rng.choice((2, 30, 1000, 10**6))
    return data[:a] + data[a:b] * max(min(times, rng.choice((10**4, 10**5, 10**6, 10**7)) // (b - a + 1)), 1) + data[b:]


# ---- what a program gives back ----

OTHERS = (
    None, ..., True, 0, -7, 10**40, 1e300, float("nan"), float("inf"), 1j, "", "yes", "0.5", (), [], {}, {"a": 1}, [None], int,
    ValueError("x"), object(), np.zeros(0), np.zeros((2, 0)), np.ones((1, 1, 1, 1)), np.array("x"), np.array(["a", "b"]),
    np.array([1, 2], object), np.float16(7), np.full(3, np.nan), np.ones(1000), [0.5] * 300, [True] * 50_000, [[[[[]]]]],
    np.arange(3) + 2j, np.int8(5), "x" * 10_000, [1, "1", None], {i: i for i in range(300)}, np.ones(100_000, bool),
)  # fmt: skip


def other_value(value, rng):
    """A value like this one and not the same: another number, dtype, shape, length, kind, or something in a place of it."""
    if isinstance(value, (tuple, list)) and value and rng.random() < 0.6:
        i = rng.randrange(len(value))
        return type(value)([*value[:i], other_value(value[i], rng), *value[i + 1 :]])
    if isinstance(value, np.ndarray) and rng.random() < 0.7:
        with np.errstate(all="ignore"):
            return _other_array(value, rng)
    if isinstance(value, (int, float)) and not isinstance(value, bool) and rng.random() < 0.5:
        return rng.choice(
            (value + 1, -value, value * 2, float(value), str(value), [value], value * 1e-3, np.float32(value))
        )
    return rng.choice((rng.choice(OTHERS), [value], (value, value), [value] * rng.choice((3, 1000)), {"value": value}))


def _other_array(value, rng):
    kinds = (np.float16, np.float32, np.int64, complex, bool, "U5", object)
    flat = value.ravel()
    return rng.choice((
        lambda: value.astype(rng.choice(kinds)), lambda: value[..., None], lambda: flat, lambda: value.T, lambda: -value,
        lambda: flat[: rng.randrange(flat.size + 1)], lambda: value.tolist(), lambda: np.tile(value, 50), lambda: value * 0,
        lambda: value[::-1] if value.ndim else value, lambda: np.asfortranarray(value), lambda: value + 1e-7, lambda: value[None],
    ))()  # fmt: skip


def other_message(message, rng):
    """A message of a program, with anything changed in it."""
    return changed(message, rng, rng.choice((1, 1, 2, 5)))


def generator(seed):
    return random.Random(seed)


# ---- a jail in which nothing runs ----


class Actor:
    """A jail in which nothing runs: it gives the right answers, changed by `change(message, value)`."""

    def __init__(self, assignment, change):
        self.exercises = {q.name: EXERCISES[q.exercise] for q in assignment.questions}
        self.change = change

    @contextmanager
    def session(self):
        yield Play(self)

    def start(self):
        pass

    stop = start


class Play:
    """One session of an actor."""

    def __init__(self, actor):
        self.actor, self.coming, self.asked = actor, [], None

    def send(self, message, seconds=0.0):
        if "steps" in message:
            self.coming = [
                one
                for i, step in enumerate(message["steps"])
                for one in ({"ran": i}, *({"ask": name} for name in step["asks"]))
            ] + [{"end": True}]
        else:
            inputs = decode(message["input"])
            value = self.actor.exercises[self.asked].expected(inputs)
            words = dict.fromkeys(("error", "error_place", "printed", "unfit", "takes"), "")
            done = dict.fromkeys(message["watch"], 0)
            self.coming.insert(0, {"outcome": "value", "value": value, "after": inputs, "done": done, **words})

    def receive(self, seconds, cpu_seconds=0.0):
        if not self.coming:
            raise wire.TimedOut("nothing more")
        message = self.coming.pop(0)
        if "ask" in message:
            self.asked, exercise = message["ask"], self.actor.exercises[message["ask"]]
            prediction = (
                {"found": "value", "value": exercise.expected(())} if exercise.is_prediction else {"found": "function"}
            )
            message = {"value": None, **message, **prediction}
        return self.actor.change(message)


def told(message):
    """A message as it goes over the wire."""
    return json.loads(json.dumps({k: encode(v) if k in ("value", "after") else v for k, v in message.items()}))
