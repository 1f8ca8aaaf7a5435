"""Every loop of Python code is left, whatever catches what, and whatever file it says it is from."""

import signal
import sys
import threading
import time

import numpy as np
import pytest

from labkit.evidence import call, limit

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
    "a sleep": ("<cell>", "import time\n    while True:\n        try: time.sleep(9)\n        except: pass"),
    "a generator": ("<cell>", "def g():\n        while True:\n            try: yield 1\n            except: pass\n    sum(g())"),
}  # fmt: skip


def looping(name):
    file, body = LOOPS[name]
    names = {}
    exec(compile(f"def f():\n    {body}\n", file, "exec"), names)
    return names["f"]


@pytest.fixture(autouse=True)
def hasty(monkeypatch):
    monkeypatch.setattr(limit, "GRACE", 0.1)
    before = sys.gettrace()
    yield
    assert sys.gettrace() is before


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_is_left_by_alarm(name):
    outcome = call(looping(name), (), 0.05)
    assert outcome.kind == "timeout" and "0.05 s" in outcome.error


def test_a_plain_loop_is_left_in_a_thread():
    def answer():
        while True:
            pass

    found = []
    thread = threading.Thread(target=lambda: found.append(call(answer, (), 0.05)), daemon=True)
    thread.start()
    thread.join(60)
    assert found and found[0].kind == "timeout"


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no alarms on this system")
def test_with_a_wall_clock_limit_the_other_limit_is_of_cpu_time():
    """A process that waits for a processor loses nothing, and a call that sleeps is left all the same."""
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
    before = sys.gettrace()
    for _ in range(20):
        with pytest.raises(limit.TimeUp), limit.time_limit(0.01, "<cell>"):
            looping("a bare except")()
        assert sys.gettrace() is before


def test_what_is_no_number_of_seconds_is_refused():
    with pytest.raises(ValueError, match="expected seconds, but got nan"):
        limit.time_limit(float("nan"), None)
