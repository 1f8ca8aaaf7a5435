"""More hostile and odd submissions, like those of `hostile`: odd ways of working, a broken Python, uncounted resources."""

# ruff: noqa: E501 (lines of notebooks, in few lines of ours)

from hostile import BUT_PULL, PORT, PULL, SPEAK, Attack, inside, walled

SUM = "np.cumsum(v[::-1])[::-1]"

WAYS = [  # of honest people
    Attack("names of Python's own are used for other things", before="list = [1]; sum = len = 3; print = None; type = id = dict = 0"),
    Attack("the modules are deleted afterwards", after="del np, torch\nimport sys\nsys.modules.clear()"),
    Attack("another np", before="import autograd.numpy as np", after="np = None"),
    Attack("star imports", before="from numpy import *\nfrom math import *\nfrom labkit.torch import *"),
    Attack("errors of NumPy are raised", before="np.seterr(all='raise')\nnp.set_printoptions(precision=1, threshold=2)"),
    Attack("annotations that are not there", pull="def pull(v: 'np.ndarray', /) -> 'np.ndarray':\n    return " + SUM),
    Attack("a matrix, which was forbidden", BUT_PULL, pull="def pull(v):\n    return np.triu(np.ones((len(v), len(v)))) @ v"),
    Attack("autograd finds it", pull=(
        "import autograd.numpy as anp\nfrom autograd import make_vjp\ndef pull(v):\n"
        "    return make_vjp(anp.cumsum)(np.zeros(len(v)))[0](v)"), earns=BUT_PULL, kinds={"pull": "forbidden"}),
    Attack("a function that counts its calls", pull="calls = 0\ndef pull(v):\n    global calls\n    calls += 1\n    return " + SUM),
    Attack("threads of a pool", pull=(
        "from concurrent.futures import ThreadPoolExecutor\ndef pull(v):\n    with ThreadPoolExecutor(2) as pool:\n"
        "        return list(pool.map(np.cumsum, [v[::-1]]))[0][::-1]")),
    Attack("a coroutine", BUT_PULL, pull="async def pull(v):\n    return " + SUM),
    Attack("files of one's own", pull=inside(
        "import tempfile, pathlib", "np.save('x.npy', v)", "w = np.load('x.npy')",
        "with tempfile.TemporaryDirectory() as d: pathlib.Path(d, 'a').write_text('1')", "assert (w == v).all()")),
    Attack("magics of all kinds", before=(
        "%load_ext autoreload\n%autoreload 2\n%matplotlib notebook\nfiles = !ls\n%pip install numpy\n!{sys.executable} -m pip list\n"
        "%config InlineBackend.figure_format = 'svg'\n%env A=1\n%cd ..\n%reset -f\nx = %timeit -o 1"), pull="%%time\n" + PULL),
    Attack("a magic within an answer", pull="def pull(v):\n    %timeit 1\n    !ls\n    return " + SUM),
    Attack("a help request behind the code", pull=PULL + "\npull?", after="??np.cumsum"),
    Attack("other line ends and tabs", pull="def pull(v):\r\n\treturn " + SUM + "\r\n"),
    Attack("right numbers as an array", numbers="answer_3 = np.array([6, 12, 6, 6])"),
    Attack("right numbers as a tuple without brackets", numbers="answer_3 = 6, 12.0, 6, 6"),
    Attack("right numbers as fractions", numbers=(
        "from fractions import Fraction as F\nanswer_3 = [F(6), F(24, 2), F(6), F(6)]")),
    Attack("right numbers as texts", numbers="answer_3 = ['6', '12', '6', '6']"),
    Attack("answers that are set again with the same values", after=f"{PULL}\nanswer_3 = list(answer_3)\n{PORT}"),
    Attack("a stub below the answer", pull=PULL + "\n\n# def pull(v):\n#     ...\n"),
]  # fmt: skip

BREAKING = [
    Attack("the collector is off and switching is slow", before=(
        "import gc, sys\ngc.disable(); gc.freeze(); gc.set_threshold(1)\nsys.setswitchinterval(1e6)")),
    Attack("a thread that never lets go", before=(
        "import threading\nthreading.Thread(target=lambda: sum(range(10**12)), daemon=True).start()")),
    Attack("small numbers are changed in memory", "pull port", between=(
        "import ctypes, sys\nctypes.c_int32.from_address(id(6) + 24).value = 7"), numbers="answer_3 = [7, 13, 7, 7]"),
    Attack("NumPy is imported anew", between=(
        "import sys, importlib\nfor name in [n for n in sys.modules if n.startswith('numpy')]: del sys.modules[name]\n"
        "import numpy")),
    Attack("the limits are lowered to nothing", before=(
        "import resource\nfor n in ('CPU', 'AS', 'NOFILE', 'FSIZE', 'DATA', 'STACK', 'NPROC'):\n"
        "    try: resource.setrlimit(getattr(resource, f'RLIMIT_{n}'), (1, 1))\n    except (OSError, ValueError): pass")),
    Attack("the line is closed for writing", between=(
        f"{SPEAK}\nwith socket.socket(fileno=os.dup(line())) as w: w.shutdown(socket.SHUT_RDWR)")),
    Attack("the line waits no more", between=(
        f"{SPEAK}\nos.set_blocking(line(), False)\nwith socket.socket(fileno=os.dup(line())) as w:\n"
        "    w.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1); w.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)")),
    Attack("output goes into the line", between=f"{SPEAK}\nos.dup2(line(), 1)\nprint('x' * 100, flush=True)\nos.write(1, b'noise')"),
    Attack("descriptors are sent along the line", between=(
        f"{SPEAK}\nimport array\nwith socket.socket(fileno=os.dup(line())) as w:\n"
        "    w.sendmsg([b'\\0\\0\\0\\2{}'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [0] * 50))])")),
    Attack("timers of one's own", before=(
        "import signal\nsignal.signal(signal.SIGPROF, lambda *a: None); signal.signal(signal.SIGXCPU, signal.SIG_IGN)\n"
        "for t in (signal.ITIMER_REAL, signal.ITIMER_PROF, signal.ITIMER_VIRTUAL):\n    signal.setitimer(t, 0.001, 0.001)\n"
        "signal.signal(signal.SIGVTALRM, signal.SIG_IGN); signal.signal(signal.SIGALRM, signal.SIG_IGN)")),
    Attack("the interpreter is ended from within", BUT_PULL, pull=inside("import ctypes", "ctypes.pythonapi.Py_FinalizeEx()")),
    Attack("an exit function that speaks", between=(
        f"{SPEAK}\nimport atexit\natexit.register(lambda: say({{'end': True}}))\natexit._run_exitfuncs()")),
    Attack("a hook on every audit event", before=(
        "import sys\ndef hook(event, args):\n    if event in ('os.fork', 'pickle.find_class'): raise RuntimeError(event)\n"
        "sys.addaudithook(hook)")),
    Attack("fork is replaced", between="import os\nos.fork = lambda: 0\nos._exit = lambda n: None"),
    Attack("frozen main", between="import sys, types\nsys.modules['__main__'] = types.ModuleType('x')"),
    Attack("an import that never ends", between="import sys\nclass F:\n    def find_spec(self, *a): raise ImportError('no')\nsys.meta_path[:] = [F()]; sys.path[:] = []"),
    Attack("NumPy's own functions lie", between=(
        "import numpy as n\nfor name in ('asarray', 'array', 'frombuffer', 'ndarray.tobytes', 'isfinite', 'shape'):\n"
        "    if hasattr(n, name): setattr(n, name, lambda *a, **k: n.zeros(3))")),
    Attack("json and base64 lie", BUT_PULL, pull=(
        "import base64, json, struct\nbase64.b64encode = lambda b: b'AAAA'\njson.dumps = lambda *a, **k: '{}'\n"
        "struct.pack = lambda *a: b'\\0\\0\\0\\0'\ndef pull(v): return v * 3")),
]  # fmt: skip

UNCOUNTED = [
    Attack("more memory that no limit counts", pull=walled(
        "must(libc.syscall(425, 8, 0))", "must(libc.syscall(250, 0, 0))", "must(libc.syscall(321, 0, 0, 0))",
        "must(libc.syscall(298, 0, 0, -1, -1, 0))", "must(libc.syscall(240, b'x', 66, 0o600, 0))",
        "open('/dev/shm/x', 'wb')", "open('/dev/mqueue/x', 'wb')", "open('/dev/hugepages/x', 'wb')",
        "must(libc.syscall(9, 0, 4096, 3, 0x23, -1, 0))", "must(libc.syscall(216, 0, 0, 0, 0, 0))", "must(libc.syscall(447, 0))")),
    Attack("pipes and sockets that are full", between=(
        "import os, socket, fcntl\nkept = []\ntry:\n    while True:\n        r, w = os.pipe(); os.set_blocking(w, False)\n"
        "        fcntl.fcntl(w, 1031, 1 << 20); kept += [r, w]\n        try:\n            while True: os.write(w, b'x' * 65536)\n"
        "        except BlockingIOError: pass\nexcept OSError: pass\nfor n in kept: os.close(n)")),
    Attack("a sparse file that is mapped", pull=inside(
        "import mmap", "f = open('x', 'wb+'); f.truncate(60 << 20)", "m = mmap.mmap(f.fileno(), 60 << 20)",
        "for i in range(0, len(m), 4096): m[i] = 1")),
    Attack("a thousand exceptions that hold each other", BUT_PULL, pull=(
        "def pull(v):\n    e = None\n    for i in range(20000):\n        n = ValueError('x' * 1000); n.__context__ = e; e = n\n    raise e")),
    Attack("notes and causes as long as a book", BUT_PULL, pull=(
        "def pull(v):\n    e = ValueError('\\x1b[2J' * 10**5)\n    for i in range(99): e.add_note('<script>' * 10**4)\n    raise e from e")),
]  # fmt: skip

ODD = [*WAYS, *BREAKING, *UNCOUNTED]
