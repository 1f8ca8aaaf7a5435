"""Names are read from code without running it, whatever the code is."""

import pytest
from drawn import drawn
from hypothesis import given
from hypothesis import strategies as st

from labkit.grading.bindings import definitions, parse, without_magics


@pytest.mark.parametrize(
    "source, names",
    {
        "def f(): g = 1": {"f"},
        "async def f(): return 1": {"f"},
        "class A:\n    def f(self): return 1": {"A"},
        "a, (b, *c), d.e, g[0] = h": {"a", "b", "c"},
        "a = b = 1": {"a", "b"},
        "a: int = 1; b += 1": {"a", "b"},
        "import numpy.linalg, labkit as l\nfrom a import b as c, d": {"numpy", "l", "c", "d"},
        "if x:\n    def f(): return 1\nelse:\n    y = 1": {"f", "y"},
        "with a as b:\n    for c in d: e = 1": {"b", "c", "e"},
        "print(a := 1, [b for b in c], lambda d: d)": {"a"},
        "x.y = 1; x[0] = 1; del z; x == 1": set(),
        "r'\\d'; '\\d'": set(),
    }.items(),
)
def test_names_bound_at_top_level(source, names):
    assert {name for name, filled in definitions(source).items() if filled} == names


STUBS = [
    "def f(x): ...",
    "def f(x):\n    'words'\n    pass",
    "def f(x): raise NotImplementedError()",
    "f = ...",
    "f = None",
    "f: int",
]


@pytest.mark.parametrize("source", STUBS)
def test_a_stub_binds_nothing_yet(source):
    assert definitions(source) == {"f": False}
    assert definitions(f"{source}\nf = lambda x: x") == {"f": True}


@pytest.mark.parametrize(
    "source", ["x = = 1", "\0", "(" * 9999, "x" + "\ud800", "-" * 99_999 + "1", "#" * 100_001, "9" * 5000]
)
def test_what_is_no_python_has_no_names(source):
    assert definitions(source) is None


def test_ipythons_lines_become_pass():
    source = "%matplotlib inline\n!pip install x\nif a:\n    %time f()\nnumpy?\nx = 1"
    assert without_magics(source) == "pass\npass\nif a:\n    pass\npass\nx = 1"
    assert without_magics("%%time\nx = 1") == "pass\nx = 1"
    assert without_magics("%%bash\nls") == ""


def test_plain_python_stays():
    source = "x = (7\n% 4)\ns = '''\n!not a command\n'''"
    assert without_magics(source) == source
    assert without_magics("x = = 1") == "x = = 1"


@drawn(12)
@given(st.text(max_size=50) | st.text(alphabet="%!?\n xf=():[]'\"\\#.,", max_size=40))
def test_any_text(source):
    without_magics(source)
    assert (definitions(source) is None) == (parse(source) is None)
