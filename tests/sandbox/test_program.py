"""A program runs as a notebook does: cell by cell, with magics and await, and tells of errors at their lines."""

import json
import os
import socket

import pytest

from labkit.sandbox import notebook, program, wire
from labkit.sandbox.program import run_step

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="programs are forked")


def step(source, names=None, seconds=60.0):
    """What came of one cell, and the names it left."""
    shell = notebook.Shell()
    names = {"__name__": "__main__", "get_ipython": lambda: shell, **(names or {})}
    shell.names = names
    return run_step(source, "cell 1", names, seconds), names


def conversation(steps, binds=None, functions=(), answers=()):
    """All that a program says that is run in a process of its own; `answers` is what it is told."""
    ours, theirs = socket.socketpair()
    child = os.fork()
    if not child:
        try:
            ours.close()
            program.run(theirs)
        finally:
            os._exit(0)
    theirs.close()
    with ours:
        ours.settimeout(600)
        wire.send(ours, {"steps": steps, "binds": binds or {}, "functions": list(functions), "seconds": 60})
        for answer in answers:
            wire.send(ours, answer)
        said = []
        while True:
            try:
                said.append(wire.receive(ours, 600))
            except wire.Closed:
                break
    os.waitpid(child, 0)
    return said


def one_by_one(inputs, times):
    """The messages that give a function these inputs so many times."""
    return [
        {"input": inputs, "more": left > 0, "tensors": None, "seconds": 60, "watch": ["passes"]}
        for left in reversed(range(times))
    ]


def cell(source, *asks):
    return {"label": "cell", "source": source, "asks": list(asks)}


def test_a_cell_binds_names_for_the_next():
    failure, names = step("x = 2\ny = x ** 2")
    assert failure is None and names["y"] == 4
    assert step("z = y + 1", names)[1]["z"] == 5


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("x = 1\n\ny = x / 0", "ZeroDivisionError: division by zero (line 3: y = x / 0)"),
        ("def f():\n    return nothing\nf()", "NameError: name 'nothing' is not defined (line 2: return nothing)"),
        ("raise KeyError", "KeyError (line 1: raise KeyError)"),
        ("import sys\nsys.exit(3)", "SystemExit: 3 (line 2: sys.exit(3))"),
        ("%matplotlib inline\n1 / 0", "ZeroDivisionError: division by zero (line 2: 1 / 0)"),
    ],
)
def test_an_error_is_told_with_its_line(source, told):
    failure, _ = step(source)
    assert failure["kind"] == "error" and failure["error"] == told


def test_the_place_of_an_error_is_without_its_words():
    failure, _ = step("\nraise ValueError('the answer is 42')")
    assert "42" in failure["error"]
    assert failure["place"] == "ValueError (line 2: raise ValueError('the answer is 42'))"


@pytest.mark.parametrize("source", ["def f(:", "x = (", "\0", "(" * 5000, "'\ud800'.x", "return 1"])
def test_what_is_no_python_is_an_error_and_no_crash(source):
    assert step(source)[0]["kind"] == "error"


def test_a_cell_that_does_not_end_is_stopped():
    failure, names = step("x = 1\nwhile True:\n    try:\n        while True: pass\n    except: pass", seconds=0.2)
    assert failure["kind"] == "timeout" and "0.2 s" in failure["error"]
    assert names["x"] == 1, "what was bound before stays"


def test_a_cell_may_await():
    failure, names = step("import asyncio\nawait asyncio.sleep(0)\nx = [i async for i in g()]", {"g": numbers})
    assert failure is None and names["x"] == [0, 1]


async def numbers():
    for i in range(2):
        yield i


@pytest.mark.parametrize(
    "source",
    ["%matplotlib inline\nx = 1", "!pip install x\nx = 1", "?len\nx = 1", "len?\nx = 1", "%time x = 1", "%%time\nx = 1",
     "files = !ls\nx = 1 + len(files)", "%timeit -n 3 1 + 1\nx = 1", "%load_ext y\nx = 1", "%%capture out\nx = 1"],
)  # fmt: skip
def test_magics_cost_nothing(source):
    failure, names = step(source)
    assert failure is None and names["x"] == 1


def test_another_language_is_not_run():
    assert step("%%bash\nrm -rf /")[0] is None


def test_without_ipython_magics_become_comments(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "IPython.core.inputtransformer2", None)
    assert step("%matplotlib inline\n!ls\nlen?\nx = 1")[1]["x"] == 1


def test_a_program_is_heard_step_by_step():
    said = conversation([cell("x = 1"), cell("1 / 0"), cell("", "q")], {"q": "x"})
    assert [next(iter(m)) for m in said] == ["ran", "ran", "ran", "ask", "end"]
    assert said[1]["kind"] == "error" and said[1]["place"].startswith("ZeroDivisionError")
    assert said[3] == {"ask": "q", "found": "value", "value": ["int", "1"]}


@pytest.mark.parametrize(
    ("source", "found"),
    [("", "missing"), ("q = ...", "empty"), ("q = None", "empty"), ("def q(x): ...", "empty"), ("def q(x): return 1", "function"),
     ("q = KeyError", "value"), ("q = len", "function"), ("class q: pass\nq = q()", "value")],
)  # fmt: skip
def test_what_an_answer_is(source, found):
    said = conversation([cell(source, "q")], {"q": "q"})
    assert said[1]["found"] == found and said[-1] == {"end": True}


def test_a_function_is_tried_on_what_comes():
    inputs = one_by_one(["tuple", [["int", "3"]]], 2)
    said = conversation([cell("def f(x):\n    print('hi')\n    return x + 1", "q")], {"q": "f"}, ["q"], inputs)
    outcomes = [m for m in said if "outcome" in m]
    assert [m["value"] for m in outcomes] == [["int", "4"]] * 2
    assert outcomes[0]["printed"] == "hi\n" and outcomes[0]["after"] == ["tuple", [["int", "3"]]]


def test_what_an_answer_does_stays_in_its_own_process():
    inputs = one_by_one(["tuple", []], 1)
    source = "kept = []\ndef f():\n    kept.append(1)\n    import numpy\n    numpy.pi = 3\n    return len(kept)"
    said = conversation(
        [cell(source, "q"), cell("import numpy\nafter = [len(kept), numpy.pi > 3]", "r")],
        {"q": "f", "r": "after"}, ["q"], inputs,
    )  # fmt: skip
    assert {"ask": "r", "found": "value", "value": ["list", [["int", "0"], ["constant", "True"]]]} in said


def test_a_copy_that_an_answer_makes_of_itself_does_not_speak():
    inputs = one_by_one(["tuple", []], 2)
    source = "import os\ndef f():\n    os.fork()\n    return 1"
    said = conversation([cell(source, "q")], {"q": "f"}, ["q"], inputs)
    assert len([m for m in said if "outcome" in m]) == 2 and said[-1] == {"end": True}


def test_the_stand_in_has_no_answers():
    source = (
        "from labkit.sandbox.program import stand_in\nc = stand_in()\nimport sys\nassert sys.modules['labkit.classroom'] is c\n"
        "import labkit.classroom as same\nassert same is c and not hasattr(c, 'clinic')\n"
        "x = [str(c.check('grad-slip', 1)), len(c.EXERCISES), hasattr(c, 'exercises')]"
    )
    said = conversation([cell(source, "q")], {"q": "x"})
    assert json.dumps(said[1]["value"]).count("graded") == 1
    assert said[1]["value"][1][1:] == [["int", "0"], ["constant", "False"]]
