"""What a clever student tries who knows how graders in Python are built, and what an honest one writes in another way than most."""

# ruff: noqa: E501 (lines of notebooks, in few lines of ours)

from hostile import BUT_PULL, PULL, SPEAK, Attack, inside

SUM = "np.cumsum(v[::-1])[::-1]"
GUESS = "def pull(v): return v * 7"

LIARS = [
    Attack("an answer that runs code when it is unpickled", BUT_PULL, pull=(
        "import os\nclass P:\n    def __reduce__(self): return (os._exit, (0,))\n    __reduce_ex__ = lambda s, n: s.__reduce__()\n"
        "    __getstate__ = __reduce__\ndef pull(v): return P()")),
    Attack("an array that runs code when it is copied", BUT_PULL, pull=(
        "class A(np.ndarray):\n    def __deepcopy__(self, memo): raise SystemExit\n    def __copy__(self): raise SystemExit\n"
        "    def __array_finalize__(self, o): pass\n    def tobytes(self, *a): return b'\\0' * 8 * self.size\n"
        "    def tolist(self): return [0.0] * self.size\n    def copy(self, *a): return self\ndef pull(v): return (v * 3).view(A)")),
    Attack("a metaclass that equals all types", BUT_PULL, pull=(
        "class M(type):\n    __eq__ = lambda a, b: True\n    __hash__ = lambda a: hash(np.ndarray)\n    __instancecheck__ = __subclasscheck__ = lambda a, b: True\n"
        "class A(metaclass=M): pass\ndef pull(v): return A()")),
    Attack("a prediction of a number that is all numbers", "pull port", numbers=(
        "import numbers\nclass N(complex):\n    __eq__ = lambda a, b: True\n    __hash__ = lambda a: 0\n    __abs__ = lambda a: 0.0\n"
        "answer_3 = [N(0)] * 4")),
    Attack("a prediction as a tensor on the tape", numbers=(
        "w = torch.tensor([6.0, 12.0, 6.0, 6.0], requires_grad=True)\nanswer_3 = [x for x in w * 1.0]")),
    Attack("a text that looks like our data", "pull port", numbers="answer_3 = ['list', [['float', '6.0'], ['float', '12.0']]]"),
    Attack("right only where somebody looks", BUT_PULL, pull=(
        "import sys\ndef pull(v):\n    f, names = sys._getframe(), []\n    while f: names.append(f.f_code.co_name); f = f.f_back\n"
        "    return v * len(names)")),
    Attack("the last answer again", BUT_PULL, pull=(
        "kept = []\ndef pull(v):\n    kept.append(v)\n    return np.cumsum(kept[0][::-1])[::-1]")),
    Attack("the argument is kept and changed later", BUT_PULL, pull=(
        "import threading, time\ndef pull(v):\n    w = np.cumsum(v[::-1])[::-1].copy()\n    def later():\n        while True: v[:] = 0; w[:] = 0; time.sleep(0)\n"
        "    threading.Thread(target=later, daemon=True).start(); time.sleep(0.01)\n    return w")),
]  # fmt: skip

SEARCHING = [
    Attack("the collector's objects hold an array that fits", BUT_PULL, pull=(
        "import gc\ndef pull(v):\n    for o in gc.get_objects():\n        if isinstance(o, (tuple, list)) and len(o) == 2 and any(x is v for x in o):\n"
        "            return o[0] if o[1] is v else o[1]\n    return v")),
    Attack("the grader's memory by its number", BUT_PULL, pull=(
        "import os\ndef pull(v):\n    for pid in (1, 2, os.getppid(), @GRADER@):\n        for name in ('mem', 'maps', 'environ', 'fd', 'root', 'cwd', 'task'):\n"
        "            try: return open(f'/proc/{pid}/{name}', 'rb').read()\n            except OSError: pass\n    return v")),
    Attack("the audit hook tells of opened files", pull=(
        "import sys\nseen = []\nsys.addaudithook(lambda e, a: seen.append(a) if e in ('open', 'exec', 'marshal.loads') else None)\n"
        "def pull(v):\n    assert not [a for a in seen if 'solution' in str(a) or 'exercises' in str(a)]\n    return " + SUM)),
    Attack("the stand-in gives the check away", BUT_PULL, pull=(
        "import labkit\ndef pull(v):\n    try:\n        from labkit.classroom import check, explain, solution\n        return solution('vector-pull-cumsum')\n    except BaseException:\n        return v")),
]  # fmt: skip

HOOKS = [
    Attack("a profiler that leaves the process", between=(
        "import sys, os\ndef prof(frame, event, arg):\n    if 'wire' in frame.f_code.co_filename: os._exit(0)\nsys.setprofile(prof)")),
    Attack("our functions get other code", before=(
        "import labkit.evidence.trying as t, labkit.evidence.calling as c, labkit.evidence.values as e\n"
        "def call(function, args, seconds=5.0, wall=None): return c.CallOutcome('value', np.zeros(5))\n"
        "c.call.__code__ = call.__code__\nt.call = call"), pull=GUESS, port="port = 3", earns="numbers"),
    Attack("autograd's and NumPy's own functions are patched first", BUT_PULL, before=(
        "import autograd.numpy as anp, autograd.core as core\nanp.cumsum = lambda v: v * 0\nnp.cumsum = anp.cumsum"), pull=PULL),
    Attack("functions at the exit", between="import atexit, os\nfor _ in range(50): atexit.register(os._exit, 0)"),
    Attack("two outcomes for one call", "port numbers", pull=(
        f"{SPEAK}\ndef pull(v):\n    outcome(value=['float', '1.0'])\n    return np.cumsum(v[::-1])[::-1]")),
    Attack("an end that comes too early", BUT_PULL, pull=f"{SPEAK}\n{PULL}\nsay({{'end': True}})"),
    Attack("steps that were never run", BUT_PULL, pull=f"{SPEAK}\n{GUESS}", after="[say({'ran': i}) for i in range(50)]"),
    Attack("arguments that come back as they went", BUT_PULL, pull=(
        f"{SPEAK}\ndef pull(v):\n    sent = ['tuple', [['array', 'float64', [len(v)], list(map(repr, v))]]]\n    outcome(after=sent)\n    os._exit(0)")),
]  # fmt: skip

WORK = [
    Attack("float32 answers", pull="def pull(v): return np.cumsum(np.float32(v)[::-1])[::-1].astype(np.float64)"),
    Attack("a closure that is made twice", pull="def make(k):\n    def pull(v): return np.cumsum(v[::k])[::k]\n    return pull\npull = make(1)\npull = make(-1)"),
    Attack("slow and right", pull=inside("import time", "time.sleep(0.02)")),
    Attack("argparse in a cell", before="import argparse\nargparse.ArgumentParser().parse_args()"),
    Attack("input is asked for", before="name = input('your name? ')", after="import getpass; getpass.getpass()"),
    Attack("type hints with new syntax in a text", pull="from typing import Annotated\ndef pull(v: 'Annotated[np.ndarray, \"v\"]') -> 'np.ndarray | None':\n    return " + SUM),
    Attack("an answer that assigns to a name of ours", before="labkit = None; step = 1; answer = 2; connection = 3; names = {}"),
    Attack("results that share memory with the argument", pull="def pull(v):\n    w = v.copy()\n    np.cumsum(v[::-1], out=w)\n    return w[::-1]"),
    Attack("a big-endian result", pull="def pull(v): return np.cumsum(v[::-1])[::-1].astype('>f8')"),
    Attack("a list of numbers for an array", BUT_PULL, pull="def pull(v): return list(np.cumsum(v[::-1])[::-1])"),
    Attack("a long double result", BUT_PULL, pull="def pull(v): return np.cumsum(np.longdouble(v)[::-1])[::-1]",
           kinds={"pull": "another-dtype"}),
]  # fmt: skip

CUNNING = [*LIARS, *SEARCHING, *HOOKS, *WORK]
