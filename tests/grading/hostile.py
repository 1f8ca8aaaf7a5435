"""Hostile and odd submissions, as data: what a student's notebook holds, and which of its answers may earn points.

Where nothing else is said, a notebook holds three right answers. So `earns` says two things at once: no point that is
not deserved, and no point less than the honest answers beside an attack are worth.
"""

import textwrap
from dataclasses import dataclass, field

PULL = "def pull(v):\n    return np.cumsum(v[::-1])[::-1]"
PORT = "def port(v):\n    (v**2).sum().backward()\n    return v.grad"
NUMBERS = "answer_3 = [6.0, 12.0, 6.0, 6.0]"
POINTS = {"pull": 1, "port": 2, "numbers": 4}
ALL = "pull port numbers"
BUT_PULL = "port numbers"


@dataclass(frozen=True)
class Attack:
    """One notebook. `before`, `between` and `after` are cells of the student's own around the answer to `pull`.

    `earns` names the questions that may earn points. `kinds` says what else must be found, by question.
    """

    name: str
    earns: str = ALL
    pull: str = PULL
    port: str = PORT
    numbers: str = NUMBERS
    before: str = ""
    between: str = ""
    after: str = ""
    kinds: dict[str, str] = field(default_factory=dict)

    @property
    def points(self) -> float:
        """What it deserves."""
        return sum(POINTS[question] for question in self.earns.split())


def inside(*lines: str, returns: str = "np.cumsum(v[::-1])[::-1]") -> str:
    """An answer to `pull` that does this first."""
    body = textwrap.indent("\n".join(lines), "    ")
    return f"def pull(v):\n{body}\n    return {returns}"


def walled(*attempts: str) -> str:
    """A right answer that turns wrong, naming the attempt, if one of the attempts does not raise."""
    return f"""
import ctypes, gc, glob, importlib, os, resource, signal, socket, subprocess, sys
libc = ctypes.CDLL(None, use_errno=True)
def must(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
def lacks(found):
    if not found:
        raise LookupError("nothing is there")
fell = []
for attempt in {attempts!r}:
    try:
        exec(attempt)
    except BaseException:
        continue
    fell.append(attempt)
def pull(v):
    assert not fell, fell[0]
    return np.cumsum(v[::-1])[::-1]
"""


SPEAK = """
import json, os, socket, stat, struct, sys
def line():
    return next(n for n in range(3, 64) if is_socket(n))
def is_socket(n):
    try:
        return stat.S_ISSOCK(os.fstat(n).st_mode)
    except OSError:
        return False
def write(data):
    with socket.socket(fileno=os.dup(line())) as wire:
        wire.settimeout(2)
        wire.sendall(data)
def say(message):
    data = message if isinstance(message, bytes) else json.dumps(message).encode()
    write(struct.pack("!I", len(data)) + data)
def outcome(**more):
    plain = ["constant", "None"]
    say({"outcome": "value", "value": plain, "after": ["tuple", []], "error": "", "error_place": "", "printed": "",
         "unfit": "", "takes": "", **more})
"""


def forged(message: str, **more) -> Attack:
    """An answer that says this on the line to the grader, in place of what it returns."""
    name = more.pop("name", message)
    source = f"{SPEAK}\ndef pull(v):\n    {message}\n    os._exit(0)"
    return Attack(f"forged: {name}", BUT_PULL, pull=source, **more)


def equal_to_all(body: str, base: str = "") -> str:
    """An answer to `pull` that is an object of a class with these lines."""
    return f"class Any{base}:\n{textwrap.indent(body, '    ')}\ndef pull(v):\n    return Any()"


EVERYTHING = """
def __eq__(self, other): return True
def __ne__(self, other): return False
def __lt__(self, other): return True
def __le__(self, other): return True
def __hash__(self): return 0
def __bool__(self): return True
def __float__(self): return 0.0
def __array__(self, *a, **k): return np.zeros(3)
def __array_ufunc__(self, *a, **k): return np.bool_(True)
def __array_function__(self, *a, **k): return True
def __getattr__(self, name): return self
def __call__(self, *a, **k): return self
def __len__(self): return 10**9
def __iter__(self): return iter([self] * 3)
def __getitem__(self, i): return self
"""

CHEATING = [
    Attack("numpy.testing is patched", BUT_PULL, before=(
        "import numpy.testing as t\nt.assert_allclose = t.assert_array_equal = t.assert_equal = lambda *a, **k: None\n"
        "np.allclose = np.array_equal = np.isclose = lambda *a, **k: True"), pull="def pull(v): return v * 7"),
    Attack("an import hook replaces the checks", BUT_PULL, before=(
        "import sys\nclass Hook:\n    def find_spec(self, name, *rest):\n        return None\n"
        "sys.meta_path.insert(0, Hook())\nimport labkit.evidence.values as values, labkit.evidence.trying as trying\n"
        "values.same = lambda *a: True"), pull="def pull(v): return v * 7"),
    Attack("autograd and labkit.torch are patched after an answer", "pull numbers", between=(
        "import autograd.numpy as anp\nanp.sum = lambda *a, **k: 0\ntorch.Tensor.backward = lambda *a, **k: None")),
    Attack("json is patched", ALL, between="import json\njson.dumps = json.loads = lambda *a, **k: None"),
    Attack("the sandbox's own wire is patched", "pull", between=(
        "import labkit.sandbox.wire as w, labkit.sandbox.program as p\n"
        "def send(connection, message):\n    real(connection, {**message, 'found': 'value', 'value': ['float', '6.0']})\n"
        "real = w.send\nw.send = send")),
    Attack("an object that equals everything", BUT_PULL, pull=equal_to_all(EVERYTHING)),
    Attack("a float that equals everything", "pull port", numbers=(
        "class F(float):\n    __eq__ = __le__ = __ge__ = lambda *a: True\n    __sub__ = __rsub__ = lambda *a: F(0)\n"
        "    __hash__ = float.__hash__\nanswer_3 = [F(1), F(1), F(1), F(1)]")),
    Attack("right numbers as subclasses", ALL, numbers=(
        "class F(float): pass\nclass L(list): pass\nanswer_3 = L([F(6), 12, np.float32(6), torch.tensor(6.0)])")),
    Attack("an int whose text lies", "pull port", numbers=(
        "class N(int):\n    __str__ = __repr__ = lambda self: '6'\nanswer_3 = [N(1), N(1), N(1), N(1)]")),
    Attack("a list whose length lies", "pull port", numbers=(
        "class L(list):\n    def __len__(self): return 4\nanswer_3 = L([6.0])")),
    Attack("an ndarray subclass that equals everything", BUT_PULL, pull=(
        "class A(np.ndarray):\n    __eq__ = lambda self, other: np.True_\n    def __array_ufunc__(self, *a, **k): return True\n"
        "    @property\n    def shape(self): return (5,)\ndef pull(v): return np.zeros(2).view(A)")),
    Attack("an object that claims another class", BUT_PULL, pull=equal_to_all(
        "__class__ = np.ndarray\ndtype = np.dtype(float)\nshape = (5,)\nndim = 1\nsize = 5")),
    Attack("a file-like answer of a recorded default seed", BUT_PULL, pull=(
        "TABLE = {1: np.arange(5.0), 2: np.arange(6.0)}\ndef pull(v): return TABLE[1 + len(v) % 2]")),
    Attack("the argument itself, made equal", BUT_PULL, pull="def pull(v):\n    v[:] = 0\n    return v",
           kinds={"pull": "mutated"}),
    Attack("an answer that changes its input and is right", BUT_PULL, pull=inside(
        "w = np.cumsum(v[::-1])[::-1].copy()", "v += 1", returns="w"), kinds={"pull": "mutated"}),
    Attack("results that only float16 takes for equal", BUT_PULL, pull=(
        "def pull(v): return (np.cumsum(v[::-1])[::-1] * 1.0004).astype(np.float16)")),
    Attack("it prints the right answer", BUT_PULL, pull="def pull(v):\n    print(np.cumsum(v[::-1])[::-1])",
           kinds={"pull": "printed"}),
]  # fmt: skip

ODD_VALUES = [
    Attack(f"it returns {name}", BUT_PULL, pull=f"import itertools, sys\ndef pull(v):\n    {lines}")
    for name, lines in {
        "an endless iterator": "return itertools.count()",
        "a generator": "return (x for x in v)",
        "a list in itself": "l = []; l.append(l); return l",
        "a deep list": "l = v\n    for _ in range(100000): l = [l]\n    return l",
        "a list of lists of the same list": "l = v\n    for _ in range(31): l = [l] * 50\n    return l",
        "a range of a billion": "return range(10**9)",
        "a list of ten million": "return [0.0] * 10**7",
        "a huge int": "return 10 ** 100000",
        "a dict of a million": "return dict.fromkeys(range(10**6))",
        "a dict whose keys collide": "return {i * (2**61 - 1): 0 for i in range(900)}",
        "an object array": "return np.array([v, None, object()], dtype=object)",
        "terabytes that are a view": "return np.broadcast_to(np.float64(1), (1 << 20, 1 << 20))",
        "an overlapping view": "return np.lib.stride_tricks.as_strided(v, (1 << 30,), (0,))",
        "an array without elements": "return np.zeros((0, 5))",
        "an array of no dimension": "return np.array(1.0)",
        "NaN": "return np.full_like(v, np.nan)",
        "infinity": "return np.full_like(v, np.inf)",
        "a record array": "return np.zeros(len(v), dtype=[('a', float), ('b', 'O')])",
        "dates": "return np.zeros(len(v), dtype='datetime64[s]')",
        "texts": "return np.array(['\\ud800' * 5] * len(v))",
        "a complex array": "return np.cumsum(v[::-1])[::-1] + 0j",
        "a long text": "return 'x' * 10**8",
        "half a character": "return '\\ud800'",
        "a memoryview": "return memoryview(v)",
        "a module": "return sys",
        "a class": "return type(v)",
        "itself": "return pull",
        "an error": "return ValueError(v)",
        "a masked array": "return np.ma.masked_all(len(v))",
        "an object whose attributes loop": "return type('L', (), {'__getattr__': lambda s, n: getattr(s, n)})()",
        "a dict subclass that lies": "return type('D', (dict,), {'items': lambda s: itertools.repeat((1, 2))})()",
    }.items()
]  # fmt: skip

SPYING = [
    Attack("the solutions are imported", pull=walled(
        "import labkit.classroom.exercises", "import labkit.grading.build", "from labkit.classroom.judge import judge_calls",
        "from labkit.classroom import exercises",
        "sys.modules.pop('labkit.classroom'); sys.modules.pop('labkit.classroom.progress'); import labkit.classroom.exercises",
        "lacks(sys.modules['labkit.classroom'].EXERCISES)")),
    Attack("the solutions are read", pull=walled(
        "import labkit; lacks(glob.glob(os.path.dirname(labkit.__file__) + '/classroom/**', recursive=True)[1:])",
        "import labkit; lacks(glob.glob(os.path.dirname(labkit.__file__) + '/grading/**', recursive=True)[1:])",
        "lacks([f for p in sys.path for f in glob.glob(p + '/labkit*/classroom/*')])",
        "os.listdir('/usr/local/share/nbgrader')",
        "lacks(glob.glob('/usr/share/labkit') + glob.glob(sys.prefix + '/share/labkit'))")),
    Attack("the grader's data is searched for", pull=walled(
        "lacks([o for o in gc.get_objects() if type(o).__name__ in ('Exercise', 'DrawnInputs', 'Question', 'Work', 'Grader')])",
        "lacks([o for o in gc.get_objects() if isinstance(o, dict) and 'max_points' in o])",
        "import __main__; lacks([n for n in vars(__main__) if 'solution' in n or 'expected' in n])")),
    Attack("frames are climbed", pull=(
        "import sys, inspect\nfound = []\ndef pull(v):\n    frame = sys._getframe()\n    while frame:\n"
        "        found.extend(n for n in frame.f_locals if n in ('expected', 'right', 'reference', 'exercise', 'drawn'))\n"
        "        frame = frame.f_back\n    assert not found, found\n    return np.cumsum(v[::-1])[::-1]")),
    Attack("/proc is read", pull=walled(
        "open('/proc/self/environ').read()", "open('/proc/self/maps').read()", "open('/proc/1/cmdline').read()",
        "open('/proc/self/mem', 'rb')", "lacks(os.listdir('/proc'))", "open('/proc/kcore', 'rb')", "os.listdir('/sys')")),
    Attack("the environment is read", pull=walled(
        "lacks([k for k in os.environ if 'SECRET' in k])",
        "libc.getenv.restype = ctypes.c_char_p; lacks(libc.getenv(b'LABKIT_SECRET'))")),
    Attack("other people's files are read", pull=walled(
        "open('@OTHER@').read()", "open('@ASSIGNMENT@').read()", "open('@JOURNAL@').read()", "os.listdir('@SUBMISSIONS@')",
        "open('/etc/passwd').read()", "open('/etc/shadow').read()", "open('@HOME@/gradebook.db')", "os.listdir('/home')",
        "os.listdir('/srv')", "os.listdir('@HOME@')", "os.listdir('/var')", "os.listdir('/usr/local/share/nbgrader')")),
    Attack("files are written", pull=walled(
        "open('/x', 'w')", "open('/etc/x', 'w')", "open('/usr/x', 'w')", "open('/dev/x', 'w')", "open('/dev/shm/x', 'w')",
        "open('/var/tmp/x', 'w')", "open('@SUBMISSIONS@/x', 'w')", "import labkit; open(labkit.__file__, 'a')",
        "open(np.__file__, 'a')", "os.mkdir('/dev/shm/y')", "os.mknod('/student/disk', 0o60600, os.makedev(8, 0))",
        "open('/dev/sda', 'rb')", "os.chmod(sys.executable, 0o777)", "os.symlink('/etc', '/student/../etc2')")),
    Attack("a link out of /tmp", pull=walled(
        "os.symlink('/etc/passwd', '/student/p'); open('/student/p').read()", "os.link('/usr/bin/env', '/student/env')",
        "os.chroot('/student')", "os.chdir('/student'); open('../../../../etc/passwd').read()")),
    Attack("the network is used", pull=walled(
        "socket.socket()", "socket.create_connection(('127.0.0.1', 22), 1)", "socket.getaddrinfo('example.org', 80)",
        "socket.socket(socket.AF_UNIX).connect(b'\\0dbus')", "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)",
        "socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)", "socket.socket(socket.AF_UNIX).bind('/student/s')",
        "socket.socket(40, socket.SOCK_STREAM)",
        "import urllib.request; urllib.request.urlopen('http://example.org')")),
    Attack("rights are raised", pull=walled(
        "os.setuid(1)", "os.setgid(1)", "os.setgroups([0, 1])",
        "must(libc.unshare(0x10000000))", "must(libc.setns(3, 0))", "must(libc.ptrace(0, 0, 0, 0))", "must(libc.personality(8))",
        "must(libc.mount(b'none', b'/student', b'tmpfs', 0, None))", "must(libc.umount2(b'/student', 2))",
        "must(libc.prctl(38, 0, 0, 0, 0))", "must(libc.sethostname(b'x', 1))",
        "resource.setrlimit(resource.RLIMIT_NPROC, (1000, 1000))", "resource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
        "resource.prlimit(0, resource.RLIMIT_FSIZE, (-1, -1))", "os.nice(-5)",
        "must(libc.syscall(272, 0x10000000))", "must(libc.syscall(435, 0, 0))", "must(libc.syscall(56, 0x10000011, 0, 0, 0, 0))",
        "os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(5))")),
    Attack("programs are started", pull=walled(
        "subprocess.run(['/usr/bin/env'], check=True)", "must(-os.system('true'))", "os.execv(sys.executable, ['python'])",
        "os.posix_spawn('/usr/bin/env', ['env'], {})", "open('x', 'w').write('#!/bin/sh'); os.chmod('x', 0o700); "
        "os.execv('x', ['x'])", "must(-subprocess.call('true', shell=True))")),
    Attack("memory that no limit counts", pull=walled(
        "os.memfd_create('x')", "must(libc.shmget(0, 1 << 20, 0o1600))", "must(libc.msgget(0, 0o1600))",
        "from multiprocessing import shared_memory; shared_memory.SharedMemory(create=True, size=1 << 20)",
        "import mmap; mmap.mmap(-1, 4096)", "import mmap; mmap.mmap(os.open('/dev/zero', os.O_RDWR), 4096)",
        "must(libc.syscall(447, 0))", "must(libc.mq_open(b'/x', 66, 0o600, None))", "must(libc.syscall(323, 0))")),
    Attack("others are killed", pull=walled(
        "os.kill(1, 9); must(-1 if os.getpid() == 1 else 0)", "os.kill(2, 9)", "os.kill(@GRADER@, 9)", "os.kill(@GRADER@, 0)",
        "os.killpg(@GRADER@, 9)", "os.pidfd_open(@GRADER@)")),
]  # fmt: skip

ENDING = [
    Attack("os._exit in a cell", between="import os; os._exit(0)"),
    Attack("os._exit in an answer", BUT_PULL, pull=inside("import os", "os._exit(0)"), kinds={"pull": "died"}),
    Attack("sys.exit in a cell", between="import sys; sys.exit(3)"),
    Attack("SystemExit in an answer", BUT_PULL, pull=inside("raise SystemExit"), kinds={"pull": "error"}),
    Attack("KeyboardInterrupt in a cell and an answer", BUT_PULL, before="raise KeyboardInterrupt",
           pull=inside("raise KeyboardInterrupt")),
    Attack("an error whose text raises", BUT_PULL, pull=(
        "class E(Exception):\n    def __str__(self): raise SystemExit\n" + inside("raise E"))),
    Attack("abort", between="import os; os.abort()"),
    Attack("a segmentation fault", BUT_PULL, between="import ctypes; ctypes.string_at(0)", pull=inside(
        "import ctypes", "ctypes.string_at(0)"), kinds={"pull": "died"}),
    Attack("recursion without end", BUT_PULL, pull=inside("return pull(v)"), kinds={"pull": "error"}),
    Attack("the stack overflows", BUT_PULL, before="import sys; sys.setrecursionlimit(2**31 - 1)",
           pull=inside("return [*map(pull, [v])]")),
    Attack("no recursion at all", between="import sys; sys.setrecursionlimit(len(__import__('inspect').stack()) + 3)"),
    Attack("every signal is raised", between="import os, signal\nfor s in range(1, 32):\n    os.kill(os.getpid(), s)"),
    Attack("kill all", between="import os; os.kill(-1, 9); os.killpg(0, 9)"),
    Attack("kill the parent", BUT_PULL, pull=inside("import os", "os.kill(1, 9)", "os.kill(os.getppid(), 15)",
           "os._exit(1)")),
    Attack("stdout and stderr are closed", between=(
        "import sys, os\nsys.stdout.close(); sys.stderr.close()\nos.close(1); os.close(2)")),
    Attack("stdout is None", between="import sys\nsys.stdout = sys.stderr = sys.stdin = None"),
    Attack("every file is closed", between="import os; os.closerange(0, 4096)"),
    Attack("files are exchanged", between="import os\nfor n in range(3, 64):\n    os.dup2(0, n)"),
    Attack("the files run out", between="import os\nkept = []\nwhile True:\n    kept.append(os.open('/dev/null', 0))"),
    Attack("warnings are errors", between="import warnings; warnings.simplefilter('error')"),
    Attack("builtins vanish", between="import builtins\nfor n in dir(builtins):\n    delattr(builtins, n)"),
    Attack("the working folder is deleted", between="import os\nos.mkdir('d'); os.chdir('d'); os.rmdir('d')"),
]  # fmt: skip

FORGING = [
    Attack("forged: the end", before=f"{SPEAK}\nsay({{'end': True}})"),
    Attack("forged: a cell that has run", before=f"{SPEAK}\nsay({{'ran': 1}}); say({{'step': 2}})"),
    Attack("forged: layers that are missing", before=f"{SPEAK}\nsay({{'layers': 'PermissionError'}})"),
    Attack("forged: answers to all", between=(
        f"{SPEAK}\nfor q in ('pull', 'port', 'numbers'):\n    say({{'ask': q, 'found': 'function', 'value': None}})\n"
        "    outcome()"), port="port = ...", numbers="answer_3 = ...", earns="pull"),
    Attack("forged: noise", before=f"{SPEAK}\nwrite(os.urandom(5000))"),
    Attack("forged: half a message", before=f"{SPEAK}\nwrite(b'\\0\\0\\1\\0x')\nos._exit(0)"),
    Attack("forged: four gigabytes to come", before=f"{SPEAK}\nwrite(b'\\xff' * 8)"),
    forged("outcome(outcome=[])"),
    forged("outcome(outcome={}, error={}, after=7)"),
    forged("outcome(value=['array', '|O', [2], 'AAAAAAAAAAAAAAAAAAAAAA=='])", name="an array of objects"),
    forged("outcome(value=['array', '<f8', [10**12, 10**12], ''])", name="a giant shape"),
    forged("outcome(value=['array', '<f8', [10**4000] * 500, ''])", name="a shape of giant numbers"),
    forged("outcome(value=['array', 'iinfo', [1], 'AAAAAAAAAAA='])", name="a class of ml_dtypes"),
    forged("outcome(value=['array', '<U250000000', [0], ''])", name="giant texts"),
    forged("outcome(value=['tensor', 'os', '<f8', [0], ''])", name="a tensor of another module"),
    forged("outcome(value=['dict', [[['int', str(i * (2**61 - 1))], ['int', '0']] for i in range(40000)]])",
           name="a dict whose keys collide"),
    forged("outcome(value=['list', [['other', 'x' + str(i)] for i in range(100000)]])", name="100,000 classes"),
    forged("say(b'[' * 3000000)", name="deep JSON"),
    forged("say(b'[' + b'{},' * 1200000 + b'{}]')", name="JSON that is small and grows"),
    forged("say(b'9' * 3000000)", name="a number of three million digits"),
    forged("outcome(value=['tuple', [['float', 'nan']] * 10**5], after=['tuple', [['str', 'x' * 10**5]] * 9])",
           name="a long tuple"),
    forged("outcome(outcome='error', error='\\ud800\\x1b[2J=cmd()<script>alert(1)</script>', "
           "error_place='=cmd()\\x1b]0;x\\x07\\ud800<script>alert(1)</script>\\u202e' * 1000)", name="texts for terminals"),
    forged("outcome(outcome='value', printed='\\ud800\\x1b[2J' * 9, unfit=['a'], takes={})", name="words that are not texts"),
    forged("[outcome() for _ in range(2000)]", name="too many outcomes"),
    Attack("a forked copy also answers", pull=inside("import os", "os.fork()")),
    Attack("a forked copy also runs the notebook", between="import os\nos.fork()"),
    Attack("a forked copy that answers wrongly", BUT_PULL, pull=(
        f"{SPEAK}\n" + inside("if os.fork() == 0:", "    while True: outcome()", "import time", "time.sleep(0.1)"))),
    Attack("a detached copy keeps the line", pull=inside(
        "import os, time", "if not os.path.exists('/student/once') and os.fork() == 0:", "    open('/student/once', 'w').close()",
        "    os.setsid()", "    if os.fork() == 0: time.sleep(1000)", "    os._exit(0)")),
    Attack("a detached copy writes on the line later", between=(
        f"{SPEAK}\nimport time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(0.1)\n"
        "    while True: say({'ask': 'port'})"),
        port="import time; time.sleep(0.3)\n" + PORT),
]  # fmt: skip

BOMBS = [
    Attack("a fork bomb", BUT_PULL, pull=inside("import os", "while True:", "    os.fork()")),
    Attack("14 busy children", BUT_PULL, pull=inside(
        "import os, time", "for _ in range(14):", "    if os.fork() == 0:", "        while True: pass", "time.sleep(1000)"),
        kinds={"pull": "timeout"}),
    Attack("memory that is shared and let go", BUT_PULL, pull=inside(
        "import ctypes, mmap", "libc, kept = ctypes.CDLL(None), []", "while True:", "    m = mmap.mmap(-1, 100 << 20)",
        "    for i in range(0, len(m), 4096): m[i] = 1",
        "    libc.madvise(ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(m))), len(m), 4)", "    kept.append(m)")),
    Attack("a thread bomb", between=(
        "import threading, time\nfor _ in range(10000):\n"
        "    threading.Thread(target=time.sleep, args=(99,), daemon=True).start()")),
    Attack("multiprocessing", pull=(
        "import multiprocessing as m\ndef pull(v):\n    with m.get_context('fork').Pool(2) as pool:\n"
        "        return np.array(pool.map(float, np.cumsum(v[::-1])[::-1]))"), earns=BUT_PULL),
    Attack("4 GB at once", BUT_PULL, pull=inside("np.ones(1 << 29)"), kinds={"pull": "error"}),
    Attack("a list that grows", between="l = ['x']\nwhile True: l = l + l"),
    Attack("an endless text", between="t = 'x' * 10**6\nwhile True: t += t"),
    Attack("processes that each take memory", BUT_PULL, pull=inside(
        "import os, time", "for _ in range(5):", "    if os.fork() == 0:", "        a = np.ones(30 << 20); time.sleep(1000)",
        "time.sleep(1000)")),
    Attack("/tmp is filled", between=(
        "i = 0\nwhile True:\n    i += 1\n    open(f'/student/{i}', 'wb').write(bytes(10 << 20))")),
    Attack("a file of a terabyte", between="f = open('/student/x', 'wb'); f.truncate(1 << 40)"),
    Attack("many files", between="for i in range(10**6): open(f'/student/{i}', 'w').close()"),
    Attack("a gigabyte is printed", BUT_PULL, pull=inside("for _ in range(10): print('x' * 10**7)"), kinds={"pull": "forbidden"},
           between="import os\nfor _ in range(100): print('x' * 10**7)\nos.write(1, b'x' * 10**7)"),
]  # fmt: skip

SLOW = [  # each takes as long as it may, and the grace where it does not stop by itself
    Attack("a loop", BUT_PULL, pull=inside("while True: pass"), kinds={"pull": "timeout"}),
    Attack("a loop with a bare except", BUT_PULL, pull=inside(
        "while True:", "    try:", "        while True: pass", "    except: pass"), kinds={"pull": "timeout"}),
    Attack("a loop in a cell", between="while True: pass"),
    Attack("sleep", BUT_PULL, pull=inside("import time", "time.sleep(10**6)"), kinds={"pull": "timeout"}),
    Attack("a loop in compiled code", BUT_PULL, pull=inside("sum(range(10**12))"), kinds={"pull": "timeout"}),
    Attack("a huge power", BUT_PULL, pull=inside("7 ** 10**9"), kinds={"pull": "timeout"}),
    Attack("a regular expression that backtracks", BUT_PULL, pull=inside("import re", "re.match('(a+)+$', 'a' * 60 + 'b')"),
           kinds={"pull": "timeout"}),
    Attack("signals are ignored", BUT_PULL, pull=inside(
        "import signal", "for s in (signal.SIGALRM, signal.SIGTERM, signal.SIGINT): signal.signal(s, signal.SIG_IGN)",
        "signal.setitimer(signal.ITIMER_REAL, 0)", "while True: pass"), kinds={"pull": "timeout"}),
    Attack("signals are blocked for all that follows", BUT_PULL, before=(
        "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())"),
        pull=inside("while True: pass"), kinds={"pull": "timeout"}),
    Attack("an error whose text never ends", BUT_PULL, pull=(
        "class E(Exception):\n    def __str__(self):\n        while True: pass\n" + inside("raise E")),
        kinds={"pull": "timeout"}),
    Attack("an endless line to the grader", BUT_PULL, pull=(
        f"{SPEAK}\nimport time\n" + inside("write(b'\\0\\0\\xff\\xff')", "while True: write(b'x'); time.sleep(0.05)"))),
    Attack("input", between="name = input('your name? ')"),
    Attack("slow, but within the limits", pull=inside("import time", "time.sleep(0.1)")),
]  # fmt: skip

HONEST = [
    Attack("magics and shell lines", before="%matplotlib inline\n!rm -rf /\n%timeit -n1 1 + 1\n?np\n%%foo", pull=(
        "%time\n" + PULL)),
    Attack("another language", before="%%bash\nrm -rf ~\n", after="%%html\n<script>alert(1)</script>"),
    Attack("display", before="display(np.ones(3))\nfrom IPython.display import display, HTML\ndisplay(HTML('<b>x</b>'))",
           pull=inside("display(v)"), after="In, Out, _"),
    Attack("classes of the notebook's own are pickled and copied", before=(
        "import copy, dataclasses, pickle, typing\n@dataclasses.dataclass\nclass Pair:\n    a: 'typing.ClassVar[int]' = 1\n"
        "    b: 'Pair | None' = None"), pull=inside(
        "assert copy.deepcopy(pickle.loads(pickle.dumps(Pair(Pair())))) == Pair(Pair())",
        "assert [f.name for f in dataclasses.fields(Pair)] == ['b'] and typing.get_type_hints(Pair)")),
    Attack("a thread that reads whatever file it finds", before=(
        "import os, select, threading, time\ndef read():\n    while True:\n        for n in range(3, 62):\n            try:\n"
        "                if select.select([n], [], [], 0)[0]: os.read(n, 1)\n            except OSError: pass\n"
        "        time.sleep(0.01)\nthreading.Thread(target=read, daemon=True).start()")),
    Attack("a thread that reads the line to the grader", before=(
        "import os, threading\ndef read():\n    while os.read(63, 1): pass\nthreading.Thread(target=read, daemon=True).start()")),
    Attack("await at the top", before="import asyncio\nawait asyncio.sleep(0)"),
    Attack("a plot", before="import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()"),
    Attack("a cell that raises", before="raise ValueError('as asked in the text')", after="1 / 0"),
    Attack("warnings and stderr", pull=inside(
        "import sys, warnings", "warnings.warn('careful')", "print('x', file=sys.stderr)", "np.log(np.array([-1.0]))")),
    Attack("default arguments", pull="def pull(v, axis=0, *rest, **more):\n    return np.cumsum(v[::-1], axis)[::-1]"),
    Attack("a lambda", pull="pull = lambda v: np.cumsum(v[::-1])[::-1]"),
    Attack("functools.partial", pull="import functools\npull = functools.partial(lambda k, v: np.cumsum(v[::k])[::k], -1)"),
    Attack("a callable object", pull=(
        "class Pull:\n    def __call__(self, v): return np.cumsum(v[::-1])[::-1]\npull = Pull()")),
    Attack("a helper of an earlier question", pull="def total(v): return v.sum()\n" + PULL,
           port="def port(v):\n    total(v**2).backward()\n    return v.grad"),
    Attack("defined in a later cell than asked", pull="pull = ...", after=PULL),
    Attack("a notebook with nothing in it", "", pull="", port="", numbers=""),
    Attack("three dots", "", pull="def pull(v): ...", port="def port(v): ...", numbers="answer_3 = ...",
           kinds={"pull": "empty", "port": "empty", "numbers": "empty"}),
    Attack("numbers where a function is asked for", BUT_PULL, pull="pull = 3", kinds={"pull": "type"}),
    Attack("wrong arguments", BUT_PULL, pull="def pull(): return 1", kinds={"pull": "arguments"}),
    Attack("a name that is deleted", BUT_PULL, pull=PULL + "\ndel pull", kinds={"pull": "missing"}),
    Attack("a comment as long as a book", before="# " + "x" * 90_000),
    Attack("zero bytes and odd characters", before="x = '\\0'\n\x0c\ny = 'ä😀'"),
    Attack("code nested deeper than Python reads", before="(" * 5000 + ")" * 5000, after="x = " + "-" * 50_000 + "1"),
    Attack("an error with texts for terminals and pages", BUT_PULL, pull=(
        "E = type('=cmd()|\\x1b[2J<script>alert(1)</script>', (Exception,), {})\n"
        "def pull(v): raise E('<script>alert(2)</script>\\x1b]0;x\\x07 \\ud800' * 99)"), kinds={"pull": "error"}),
    Attack("a fork in a cell that waits for it", between=(
        "import os\nchild = os.fork()\nif child == 0:\n    os._exit(0)\nos.waitpid(child, 0)")),
]  # fmt: skip

ATTACKS = [*CHEATING, *ODD_VALUES, *SPYING, *ENDING, *FORGING, *BOMBS, *SLOW, *HONEST]
