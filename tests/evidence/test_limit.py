"""Every loop of Python code is left, whatever catches what, whatever file it says it is from, in any thread."""

import signal
import sys
import threading
import time
from functools import partial

import numpy as np
import pytest

from labkit.evidence import call, limit

MONITORED = hasattr(sys, "monitoring")
BARE = "while True:\n        try:\n            pass\n        except:\n            pass"
LOOPS = {
    "a bare except": ("<cell>", BARE),
    "one in another": ("<cell>", "while True:\n        try:\n            while True:\n                try: pass\n"
                       "                finally: continue\n        except BaseException: continue"),
    "exec": ("<cell>", "exec('while True:\\n try: pass\\n except: pass')"),
    "a callback from elsewhere": ("<cell>", "import functools as t; g = {}\n"
                                  "    exec(compile('def g(a, x):\\n while 1:\\n  try: x\\n"
                                  "\\n  except: pass', 'elsewhere', 'exec'), g)\n    t.reduce(g['g'], [1, 2])"),
    "suppress": ("<cell>", "from contextlib import suppress\n    while True:\n        with suppress(BaseException): len('')"),
    "a library's file": (np.__file__, BARE),
    "a generator": ("<cell>", "def g():\n        while True:\n            try: yield 1\n            except: pass\n    sum(g())"),
    "a recursion": ("<cell>", "def g():\n        try: g()\n        except: g()\n    g()"),
}  # fmt: skip


def looping(name):
    file, body = LOOPS[name]
    names = {}
    exec(compile(f"def f():\n    {body}\n", file, "exec"), names)
    return names["f"]


def in_a_thread(function):
    found = []
    thread = threading.Thread(target=lambda: found.append(function()), daemon=True)
    thread.start()
    thread.join(60)
    return found[0] if found else None


@pytest.fixture(autouse=True)
def hasty(monkeypatch):
    monkeypatch.setattr(limit, "GRACE", 0.1)
    yield
    assert limit._limits == {} and limit._tool is None


@pytest.mark.parametrize("name", LOOPS if MONITORED else [name for name in LOOPS if name != "a recursion"])
def test_a_loop_is_left_by_alarm(name):
    outcome = call(looping(name), (), 0.05)
    assert outcome.kind == "timeout" and "0.05 s" in outcome.error


@pytest.mark.skipif(not MONITORED, reason="Python 3.11 ends a trace with its first exception")
@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_is_left_without_an_alarm(name):
    outcome = in_a_thread(partial(call, looping(name), (), 0.05))
    assert outcome is not None and outcome.kind == "timeout"


@pytest.fixture
def as_in_a_page(monkeypatch):
    """Neither alarms nor timers: we look from the start."""

    def refused(self):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.delattr("signal.setitimer", raising=False)
        patch.setattr(threading.Timer, "start", refused)
        yield


@pytest.mark.skipif(not MONITORED, reason="from Python 3.12 on")
@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_is_left_where_there_are_neither_alarms_nor_timers(name, as_in_a_page):
    assert call(looping(name), (), 0.05).kind == "timeout"
    assert call(lambda: 5, (), 60.0).value == 5


@pytest.mark.skipif(not MONITORED, reason="from Python 3.12 on")
def test_lines_of_a_library_are_looked_at_once_each_and_do_not_slow_it(as_in_a_page, monkeypatch):
    looked = []
    monkeypatch.setattr(limit, "_look", lambda code, *where: looked.append(code.co_filename))
    library = {}
    exec(compile("def g(x):\n x = x + 1\n x = x * 2\n return x", "library", "exec"), library)
    for _ in range(2):
        with limit.time_limit(60.0, "<cell>"):
            for _ in range(100):
                library["g"](1.0)
    assert 0 < looked.count("library") < 12


def test_a_plain_loop_is_left_in_a_thread_on_every_python():
    def answer():
        while True:
            pass

    outcome = in_a_thread(partial(call, answer, (), 0.05))
    assert outcome is not None and outcome.kind == "timeout"


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no alarms on this system")
def test_with_time_on_the_clock_beside_it_the_limit_is_of_cpu_time():
    """So who waits for a processor loses nothing; what sleeps has an end all the same."""
    assert call(lambda: time.sleep(0.1) or "slept", (), 0.01, wall=1000).value == "slept"
    assert call(lambda: [time.sleep(0.01) for _ in range(10**6)], (), 0.01, wall=0.1).kind == "timeout"
    began = time.process_time()
    assert call(lambda: sum(1 for _ in iter(int, 1)), (), 0.1, wall=1000).kind == "timeout"
    assert time.process_time() - began >= 0.1


def test_limits_inside_of_each_other_end_one_by_one():
    inner = []

    def outer():
        inner.append(call(looping("a bare except"), (), 0.05).kind)
        while True:
            pass

    assert call(outer, (), 0.3).kind == "timeout" and inner == ["timeout"]
    assert call(lambda: "fine", (), 0.05).value == "fine"


def test_a_limit_is_over_when_its_block_is():
    for _ in range(20):
        with pytest.raises(limit.TimeUp), limit.time_limit(0.01, "<cell>"):
            looping("a bare except")()
        assert limit._limits == {}


def test_what_is_no_number_of_seconds_is_refused():
    with pytest.raises(ValueError, match="expected seconds, but got nan"):
        limit.time_limit(float("nan"), None)
