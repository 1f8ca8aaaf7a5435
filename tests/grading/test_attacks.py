"""Tests of an instructor, attacked: no wrong answer passes them, no honest one fails them, and nothing hidden comes out."""

# ruff: noqa: E501 (answers of students, in few lines of ours)

import pytest
from added_questions import assignment_of, cell, handed_in, source_with
from patience import PATIENT

from labkit.grading.disclosure import note_told
from labkit.grading.findings import Pace
from labkit.grading.grader import Grader, Settings

pytestmark = pytest.mark.needs("bubblewrap")

VEC = """\
class Vec:
    def __init__(self, x, y): self.x, self.y = x, y
    def __add__(self, other): return Vec(self.x + other.x, self.y + other.y)
    def norm(self): return (self.x ** 2 + self.y ** 2) ** 0.5
"""
QUESTIONS = {  # an instructor's answer, and tests
    "vec": (VEC, "v = Vec(3.0, 4.0)\nassert v.x == 3.0 and v.norm() == 5.0 and abs(v.x - 3.0) < 1e-9\nw = v + Vec(1.0, 1.0)\n"
            "assert (w.x, w.y) == (4.0, 5.0) and isinstance(w, Vec)"),
    "cube": ("def cube(x): return x**3", "assert cube(2) == 8\n### BEGIN HIDDEN TESTS\nassert all(map(lambda k: cube(k) == k**3, [1, -3, 5]))\n"
             "assert abs(cube(1.5) - 3.375) < 1e-9\nassert cube(7) in [343] and cube(4) - 64 == 0\n### END HIDDEN TESTS"),
    "near": ("def near(x): return 1 / x", "max(1 - abs(near(4.0) - 0.25), 0) * 3"),
    "raw": ("def raw(x): return 1.5", "raw(1)"),
    "double": ("def double(a): return a * 2.0", "expected = np.array([3.0, 146.25])\na = np.array([1.5, 73.125])\n"
               "assert np.all(np.abs(double(a) - expected) < 1e-9) and np.array_equal(double(a), expected)"),
    "zero": ("def zero(x): return x * 2.0", "assert np.abs(zero(2.5) - 5.0) < 1e-9 and not zero(1.0) - 2.0"),
    "each": ("def each(f, xs): return [f(x) for x in xs]", "def check(x):\n    assert x in (1, 2)\n    return x * 7\n"
             "seen = []\neach(seen.append, [1, 2])\nassert seen == [1, 2] and each(check, [1, 2]) == [7, 14]"),
    "guard": ("from contextlib import contextmanager\n@contextmanager\ndef guard(): yield 3",
              "with guard() as n:\n    assert n == 3"),
    "gen": ("def gen(n):\n    yield from range(n)", "assert list(gen(3)) == [0, 1, 2]\nfor want in range(2):\n    assert next(iter(gen(2))) == 0"),
    "error": ("class TooBig(ValueError):\n    def __init__(self, n):\n        super().__init__(f'{n} is too big')\n        self.n = n\ndef error(n): raise TooBig(n)",
              "assert issubclass(TooBig, ValueError)\ntry:\n    error(4)\n    assert False\nexcept TooBig as e:\n    assert e.n == 4 and 'big' in str(e)"),
    "items": ("def items(): return 'ab', 'cd'",
              "r = items()\nassert len(r) == 2\nfor one, want in zip(r, ['ab', 'cd']):\n    assert one == want\nassert r[0].startswith('a') and int(len(r[1])) == 2"),
    "stack": ("class Stack(list):\n    def push(self, x): self.append(x)",
              "s = Stack()\ns.push(3)\ns.push(4)\nassert s == [3, 4] and s.pop() == 4 and len(s) == 1 and isinstance(s, list)"),
    "enum": ("from enum import Enum\nColor = Enum('Color', 'RED BLUE')\ndef pick(): return Color.RED",
             "assert pick() is Color.RED and pick() != Color.BLUE and [c.name for c in Color] == ['RED', 'BLUE'] and {Color(1): 3}[pick()] == 3"),
    "memo": ("def memo(f):\n    kept = {}\n    def g(x):\n        if x not in kept: kept[x] = f(x)\n        return kept[x]\n    return g\ndef same(xs): return xs",
             "n = []\ng = memo(lambda x: n.append(x) or x * 2)\nassert g(2) == g(2) == 4 and n == [2] and same(n) is n and memo.__name__ == 'memo'"),
    "kinds": ("from collections import Counter, defaultdict\nfrom datetime import timedelta\ndef count(s): return Counter(s)\n"
              "def after(d): return d + timedelta(1)\ndef group():\n    return defaultdict(list, a=[1])",
              "from datetime import date\nassert count('aab').most_common(1) == [('a', 2)] and after(date(2020, 2, 28)) == date(2020, 2, 29)\n"
              "assert group() == {'a': [1]} and group()['b'] == []"),
    "equal": ("from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\n    y: object = 0\ndef shift(p): return P(p.x + 1, p.y)",
              "assert shift(P(1, 2)) == P(2, 2) and P(1) != P(2) and repr(P(1)) == 'P(x=1, y=0)'"),
}  # fmt: skip
ANY = ("class Any:\n    def __eq__(self, o): return True\n    def __ne__(self, o): return False\n    __hash__ = None\n"
       "    def __lt__(self, o): return True\n    __gt__ = __le__ = __ge__ = __contains__ = __lt__\n    def __abs__(self): return 0.0\n"
       "    __float__ = __abs__\n    def __bool__(self): return True\n    def __sub__(self, o): return 0.0\n    __rsub__ = __mul__ = __sub__\n")  # fmt: skip
OWN = "class Own(float):\n    def __{}__(self, *o): return {}\n"
PATCH = "import labkit.sandbox.peer as peer, labkit.sandbox.answers as answers\n"
WRONG = {  # question and an answer that deserves nothing
    "code in the tests' process by its types": ("cube", PATCH + "import types\ndef cube(x):\n    import gc\n"
        "    one = next(o for o in gc.get_objects() if isinstance(o, peer.Answers))\n    for said in (['installed', 'types', 'CodeType'],\n"
        "        ['yours', 0], ['function', 0], ['pickle', 'gASVHAAAAAAAAACMBXBvc2l4lIwGc3lzdGVtlJOUjARleGl0lIWUUpQu'],\n"
        "        ['type', 'CodeType'], ['built', 'eval', ['tuple', [['str', '8']]]], ['iterator', ['list', []]]):\n"
        "        one.send({'call': 0, 'args': [['reference', said]], 'named': {}}); one.receive()\n    return 8"),
    "an operation that is asked of the tests": ("cube", PATCH + "import gc\ndef cube(x):\n"
        "    one = next(o for o in gc.get_objects() if isinstance(o, peer.Answers))\n"
        "    one.send({'ask': 'getattr', 'args': [['reference', ['yours', 0]], ['str', '__globals__']], 'named': {}})\n    return 8"),
    "a reference to a type in an answer": ("cube", PATCH + "answers.Kept.encoded = lambda s, v: ['reference', ['installed', 'builtins', 'int']]\n"
        "def cube(x): return 0"),
    "a place of another argument": ("cube", PATCH + "def cube(x): return 0\npeer.Answers._crossed = lambda s, v: {'same': 0}"),
    "attributes that agree": ("equal", ANY + "class P:\n    def __init__(self, *a): self.x = self.y = Any()\n    def __eq__(self, o): return True\ndef shift(p): return P()"),
    "a length without items": ("items", "class L:\n    def __len__(self): return 2\n    def __iter__(self): return iter(())\n"
        "    def __getitem__(self, i): return 'ab'\ndef items(): return L()"),
    "a list whose items are others": ("items", "class L(list):\n    def __len__(self): return 2\n    def __iter__(self): return iter(())\n"
        "    def __getitem__(self, i): return 'ab'\ndef items(): return L()"),
    "a text that begins with everything": ("items", "class T(str):\n    def startswith(self, one): return True\n    def __len__(self): return 2\n"
        "    def __int__(self): return 2\nclass L(tuple):\n    def __getitem__(self, i): return T('xy')\ndef items(): return L(('ab', 'cd'))"),
    "a function after its call": ("each", "kept = []\ndef each(f, xs):\n    kept.append(f)\n    if len(kept) > 1: kept[0](1), kept[0](2)\n    return [7, 14]"),
    "a lie about the data of a class": ("cube", PATCH + "answers.Kept._refer = lambda s, v: ['theirs', 0, 'X', [], 'float', ['float', 'nan'], None]\n"
        "class X: pass\ndef cube(x): return X()"),
    "parts that agree": ("vec", VEC.replace("x, y\n", "Any(), Any()\n", 1) + ANY),
    "methods that agree": ("vec", VEC.replace("return (self.x ** 2 + self.y ** 2) ** 0.5", "return Any()") + ANY),
    "parts of the class itself": ("vec", ANY.replace("class Any", "class Vec") + "    def __init__(self, *a): pass\n"
        "    x = y = property(lambda s: Vec())\n    def norm(self): return Vec()\n    def __add__(self, o): return Vec()"),
    "an object that agrees": ("cube", ANY + "def cube(x): return Any()"),
    "a difference that is zero": ("cube", OWN.format("sub", "0.0") + "def cube(x): return Own(8 if x == 2 else 0)"),
    "a difference of its own class": ("cube", OWN.format("sub", "Own(0)") + "def cube(x): return x**3 if x != 1.5 else Own(1)"),
    "names of what a test knows of an object": ("zero", OWN.format("sub", "Own(0)") + "    _fed = False\n    _base = _peer = None\ndef zero(x): return Own(1)"),
    "only the mark of what was told": ("zero", OWN.format("sub", "Own(0)") + "    _fed = False\ndef zero(x): return Own(1)"),
    "a difference in a list": ("zero", OWN.format("sub", "[0.0]") + "def zero(x): return Own(1)"),
    "an expected array that an operator changes": ("double", "class A(np.ndarray):\n    def __sub__(self, o):\n        o[...] = 7.0\n        return np.zeros(2)\n"
        "def double(a): return np.full(2, 7.0).view(A)"),
    "an int that agrees": ("cube", OWN.replace("float", "int").format("eq", "True") + "    __hash__ = int.__hash__\ndef cube(x): return Own(1)"),
    "an array that agrees": ("cube", "class A(np.ndarray):\n    def __eq__(self, o): return True\n    def __array_ufunc__(self, *a, **k): return True\n"
        "    def __array_function__(self, *a, **k): return True\n    def __bool__(self): return True\ndef cube(x): return np.array(1).view(A)"),
    "a set that is empty after all": ("vec", "class Vec(set):\n    def __init__(self, *a): pass\n    x = y = property(lambda s: s)\n"
        "    def __sub__(self, o): return 0.0\n    def __eq__(self, o): return True\n    def norm(self): return self"),
    "StopIteration": ("cube", "def cube(x):\n    if x == 2: return 8\n    raise StopIteration"),
    "StopIteration of its own class": ("cube", "class S(StopIteration): pass\ndef cube(x):\n    if x == 2: return 8\n    raise S"),
    "a generator in the place of a number": ("cube", "def cube(x): yield x**3"),
    "an exit": ("cube", "def cube(x): raise SystemExit(0)"),
    "NaN": ("near", "def near(x): return float('nan')"),
    "a number that multiplies to three": ("near", OWN.format("rsub", "Own(9)") + "def near(x): return Own(77)"),
    "an object as a score": ("raw", ANY + "def raw(x): return Any()"),
    "a text as a score": ("raw", "def raw(x): return 'full'"),
    "a score below zero": ("raw", "def raw(x): return -1"),
    "NaN as a score": ("raw", "def raw(x): return float('nan')"),
    "a complex score": ("raw", "def raw(x): return 3 + 0j"),
    "a float whose repr is another": ("raw", OWN.format("repr", "'3.0'") + "def raw(x): return Own(0)"),
    "an assertion of a callback is swallowed": ("each", "def each(f, xs):\n    for x in (1, 2, 3):\n        try: f(x)\n        except BaseException: pass\n    return [7, 14]"),
    "a callback that is told an object": ("each", ANY + "def each(f, xs):\n    f(Any())\n    return [7, 14]"),
    "a context that swallows": ("guard", "class guard:\n    def __enter__(self): return 4\n    def __exit__(self, *why): return True"),
    "a generator that ends early": ("gen", "def gen(n):\n    raise StopIteration\n    yield"),
    "a generator that raises what ends": ("gen", "class G:\n    def __iter__(self): return self\n    def __next__(self): raise GeneratorExit\ndef gen(n): return G()"),
    "globals of a function of the tests": ("each", "def each(f, xs):\n    try: f.__globals__['seen'][:] = [1, 2]\n    except Exception: pass\n    return [7, 14]"),
    "words on the line": ("cube", "import os, json, struct\ndef cube(x):\n    data = json.dumps({'verdict': 'passed', 'points': 3.0}).encode()\n"
        "    for fd in range(3, 64):\n        try: os.write(fd, struct.pack('!I', len(data)) + data)\n        except OSError: pass\n    return 8"),
    "an exit without a word": ("cube", "import os\ndef cube(x): os._exit(0)"),
    "patched modules": ("cube", "import numpy as np\nnp.testing.assert_allclose = lambda *a, **k: None\nimport builtins\n"
        "builtins.AssertionError = builtins.abs = lambda *a: 0\ndef cube(x): return 8"),
    "the frames above": ("cube", "import sys\ndef cube(x):\n    frame = sys._getframe()\n    while frame:\n        frame.f_globals['cube'] = 8\n"
        "        if 'message' in frame.f_locals: frame.f_locals['message'].clear()\n        frame = frame.f_back\n    return 8"),
    "a class in the function's place": ("cube", ANY + "class cube:\n    def __new__(cls, *a): return Any()"),
}  # fmt: skip
HONEST = {
    **{f"as a {base}": ("vec", f"class Vec({base}):\n    {new}\n    x = property(lambda s: {x})\n    y = property(lambda s: {y})\n"
        "    def __add__(self, other): return Vec(self.x + other.x, self.y + other.y)\n    def norm(self): return (self.x**2 + self.y**2) ** 0.5")
       for base, new, x, y in (
           ("tuple", "def __new__(cls, x, y): return tuple.__new__(cls, (x, y))", "s[0]", "s[1]"),
           ("list", "def __init__(self, x, y): super().__init__([x, y])", "s[0]", "s[1]"),
           ("dict", "def __init__(self, x, y): super().__init__(x=x, y=y)", "s['x']", "s['y']"),
           ("str", "def __new__(cls, x, y): return str.__new__(cls, f'{x} {y}')", "float(s.split()[0])", "float(s.split()[1])"),
           ("complex", "def __new__(cls, x, y): return complex.__new__(cls, x, y)", "s.real", "s.imag"),
       )},
    "as an array, with its operators": ("vec", "class Vec(np.ndarray):\n    def __new__(cls, x, y): return np.array([x, y]).view(cls)\n"
        "    x = property(lambda s: float(s[0]))\n    y = property(lambda s: float(s[1]))\n    def norm(self): return float(np.sqrt(self @ self))"),
    "an operator of its own class": ("zero", OWN.format("sub", "Own(float(self) - o[0])") + "def zero(x): return Own(2 * x)"),
    "as a NamedTuple": ("vec", "from typing import NamedTuple\nclass Vec(NamedTuple):\n    x: float\n    y: float\n    def norm(self): return (self.x**2 + self.y**2)**.5\n"
        "    def __add__(self, other): return Vec(self.x + other.x, self.y + other.y)"),
    "as a dataclass": ("vec", "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Vec:\n    x: float\n    y: float\n"
        "    def norm(self): return np.hypot(self.x, self.y)\n    def __add__(self, other): return Vec(self.x + other.x, self.y + other.y)"),
    "a Fraction": ("cube", "from fractions import Fraction\ndef cube(x): return Fraction(x)**3"),
    "an array of no dimension": ("cube", "def cube(x): return np.array(x) ** 3"),
    "a tensor": ("cube", "def cube(x): return torch.tensor(float(x), dtype=torch.float64) ** 3"),
    "a generator for a list": ("each", "def each(f, xs): return list(f(x) for x in xs)"),
    "an iterator class": ("gen", "class gen:\n    def __init__(self, n): self.it = iter(range(n))\n    def __iter__(self): return self\n    def __next__(self): return next(self.it)"),
    "partial credit": ("near", "def near(x): return 0.25"),
}  # fmt: skip
LARGE, EQUAL = "too large", "cannot compare an object of the class"
BY_HAND = {  # an answer that may be right, and why a person has to look
    "an array that is too large": ("def cube(x): return np.zeros((2000, 2000))", LARGE),
    "a dict that is too large": ("def cube(x): return dict.fromkeys(range(5000))", LARGE),
    "an array of objects": ("def cube(x): return np.array([object()])", LARGE),
    "an equality of its own": (
        OWN.format("eq", "abs(self - o[0]) < 2") + "    __hash__ = None\ndef cube(x): return Own(x**3 + 1)",
        EQUAL,
    ),
    "a view of a dict": ("def cube(x): return {x**3: 1}.keys()", EQUAL),
    "a private name of ours": ("class C:\n    _kind = 'cube'\ndef cube(x): return C()", "the attribute _kind"),
}


def cells():
    """The cells of all questions."""
    return [one for name, (own, tests) in QUESTIONS.items() for one in (
        cell("code", name, f"### BEGIN SOLUTION\n{own}\n### END SOLUTION", solution=True),
        cell("code", f"test-{name}", tests, grade=True, locked=True, points=3))]  # fmt: skip


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return source_with(tmp_path_factory.mktemp("attacked"), *cells())[1]


@pytest.fixture(scope="module")
def grader(source):
    with Grader(assignment_of(source), Settings(3, PATIENT)) as grader:
        yield grader


@pytest.fixture
def earned(grader, source):
    def earned(name, answer):
        data = handed_in(source, {"answer-grad-slip": None, name: answer})
        return grader.grade("ann", data, only=[f"test-{name}"]).questions[0]

    return earned


@pytest.mark.parametrize("how", WRONG)
def test_a_wrong_answer_earns_nothing(how, earned):
    found = earned(*WRONG[how])
    assert found.points == 0 and found.kind in ("tests", "died", "by-hand"), found


@pytest.mark.parametrize("how", [*QUESTIONS, *HONEST])
def test_an_honest_answer_keeps_its_points(how, earned):
    name, answer = HONEST.get(how, (how, None))
    found = earned(name, answer)
    assert (found.points, found.kind) == ((1.5, "tests") if how == "raw" else (3.0, "right")), found.detail


@pytest.mark.parametrize("how", BY_HAND)
def test_a_value_that_cannot_cross_is_graded_by_hand(how, earned):
    answer, why = BY_HAND[how]
    found = earned("cube", answer)
    assert found.kind == "by-hand" and why in found.detail, found


LINES = "def which():\n    n = int(1000 * float(open('seen').read().split(',')[-2]))\n"
LINES += "".join(f"    if n == {n}: raise ValueError({n})\n" for n in (1000, -3000, 1500)) + "which()"


@pytest.mark.parametrize("where", ["later", "at once"])
def test_no_page_tells_what_hidden_inputs_were_by_a_line_or_an_error(where, grader, source):
    cube = "def cube(x):\n    open('seen', 'a').write(f'{x},')\n    return x**3 if x == 2 else which(x)\n"
    cube += "def which(x):\n" + "".join(f"    if x == {x}: raise KeyError('{x}')\n" for x in (1, -3, 1.5))
    late = LINES if where == "later" else ""
    found = grader.grade("ann", handed_in(source, {"cube": cube, "near": f"{late}\ndef near(x): return 1 / x"}))
    assert not any(
        word in "\n".join(q.text for q in found.questions if q.question in ("test-cube", "test-near"))
        for word in ("line", "KeyError", "ValueError")
    )
    assert where == "at once" or any("ValueError (line" in note for note in found.notes), "the instructor is told"
    assert not [note for note in map(note_told, found.notes) if "Error" in note]


ENDLESS = {
    "callbacks": ("each", "def each(f, xs):\n    while True:\n        try: f(1)\n        except Exception: pass"),
    "a generator": ("gen", "def gen(n):\n    while True: yield 0"),
    "slow answers": ("gen", "def gen(n):\n    import time\n    while True:\n        time.sleep(0.05)\n        yield 0"),
}


@pytest.mark.parametrize("how", ENDLESS)
def test_a_dialogue_ends_in_its_time(how, source):
    pace = Pace(cell=0.5, call=0.5, submission=8, grace=0.5)
    name, answer = ENDLESS[how]
    with Grader(assignment_of(source), Settings(3, pace)) as grader:
        found = grader.grade("ann", handed_in(source, {name: answer}), only=[f"test-{name}"])
    assert found.score == 0 and found.questions[0].kind in ("by-hand", "timeout") and found.seconds < 60
