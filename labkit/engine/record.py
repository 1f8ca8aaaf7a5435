"""Recording: run a function and keep its graph.

autograd boxes a value together with the node that made it; every primitive applied to a box builds a new node of the
same class as its parents. So the class of the root decides what is remembered, and nothing needs patching:

* `Reverse` keeps a vjp closure for each op, enough to walk back (the fast path of `grad`);
* `Forward` carries a tangent along (`jvp`);
* `Record` keeps everything a reader wants to see: op, arguments, value, and the name the user gave the result.

Boxes of one run share a *level*. A derivative inside a derivative opens a higher level, and a primitive always works
on its highest boxes first; that one rule makes nesting right.
"""

import dis
import sys
import threading
from functools import lru_cache
from itertools import count, pairwise
from pathlib import Path

import autograd
import numpy as np
from autograd import tracer
from autograd.core import JVPNode, SparseObject, VJPNode
from autograd.extend import defjvp, defvjp, primitive, vspace
from autograd.tracer import getval, isbox

from .guest import Own
from .rules import jvp_of, pullback, pushforward
from .scope import watch
from .summary import summarised

_ids = count()  # `next` on a count is atomic, so ids are safe across threads


@primitive
def cast(x, dtype):
    """`x` (an array of any shape) as `dtype`; its derivative is the cast back."""
    return np.asarray(x).astype(dtype)


defvjp(cast, lambda ans, x, dtype: lambda g: cast(g, dtype_of(x)))
defjvp(cast, lambda g, ans, x, dtype: cast(g, dtype))


def dtype_of(value):
    """The dtype of an array, scalar or box of any depth; None for what has none, such as a tuple of arrays."""
    while isbox(value):
        value = value._value
    if hasattr(value, "dtype"):
        return value.dtype
    if type(value) is SparseObject:
        return getattr(value.vs, "dtype", None)
    return np.result_type(value) if isinstance(value, (bool, int, float)) else None


def shape_of(value):
    """The shape of an array, scalar, sparse gradient or box of any depth."""
    raw = getval(value)
    return raw.vs.shape if type(raw) is SparseObject else np.shape(raw)


def match_dtype(g, dtype):
    """A gradient in the dtype of the value it belongs to: autograd's rules often answer in float64.

    The slope at an integer is no integer (that of sqrt at 4 is 0.25), so it stays as the rule answers.
    """
    if type(g) is np.ndarray and g.dtype == dtype:
        return g
    return g if dtype is None or dtype.kind in "iub" or dtype_of(g) == dtype else cast(g, dtype)


class Reverse(Own, VJPNode):
    """A node that knows its parents and how to pull a gradient back to them."""

    __slots__ = ("dtype", "id", "origin")

    def __init__(self, value, fun, args, kwargs, argnums, parents):
        self.parents, self.vjp = parents, pullback(fun, argnums, value, args, kwargs)
        self._fill(value)

    def initialize_root(self, value):
        super().initialize_root()
        self._fill(value)

    def _fill(self, value):
        self.id, self.dtype, self.origin = next(_ids), dtype_of(value), value if isbox(value) else None


class Forward(Own, JVPNode):
    """A node that carries `g`, the tangent of its value. Rules that lack a jvp get it from their vjp."""

    def __init__(self, value, fun, args, kwargs, argnums, parents):
        rule = jvp_of(fun) or transposed(fun)
        tangents = [parent.g for parent in parents]
        self.g = match_dtype(pushforward(rule, fun, argnums, tangents, value, args, kwargs), dtype_of(value))


_PLAIN_NAMES = {
    "sparse_add": "scatter", "concatenate_args": "concatenate", "array_from_scalar_or_array": "array",
    "array_from_args": "array",
}  # fmt: skip


class Record(Own):
    """A node that keeps it all.

    Attributes: `fun` (the autograd primitive, None for a root), `args` (with constants; boxed arguments unboxed one
    level), `kwargs`, `argnums` (which args the `parents` are), `value`, `dtype`, `shape`, `name` (the user's, or None),
    `line` (file and line of the user's code that ran the op), `label` (unique in its graph, set by the graph), `scope`
    (the calls of cells or modules it ran in, a tuple of `Scope` from the outside in; `()` outside of any), `derives` (the
    recorded op whose derivative a reverse pass ran this one for, None elsewhere).
    """

    __slots__ = (
        "argnums", "args", "derives", "dtype", "fun", "id", "kwargs", "label", "log", "name", "parents", "scope", "site",
        "value",
    )  # fmt: skip

    def __init__(self, value, fun, args, kwargs, argnums, parents):
        self._fill(value, fun, args, kwargs, argnums, parents, *assignment_target(), parents[0].log)

    @classmethod
    def new_root(cls, value, name, log):
        """The node of an input: no op, no parents; `log` is the list that every node of this run is appended to."""
        root = cls.__new__(cls)
        root._fill(value, None, (), {}, (), (), name, None, log)
        return root

    def _fill(self, value, fun, args, kwargs, argnums, parents, name, site, log):
        self.fun, self.args, self.kwargs, self.argnums, self.parents = fun, args, kwargs, argnums, parents
        self.value, self.dtype, self.id = value, dtype_of(value), next(_ids)
        self.name, self.site, self.label, self.log = name, site, None, log
        self.derives = _differentiated()
        self.scope = self.derives.scope if self.derives is not None else watch.scopes.path if watch.scopes else ()
        log.append(self)

    def shorten(self):
        """Keep a summary of a large value, and of the large results of other ops among the arguments."""
        self.value = summarised(self.value)
        given = dict(zip(self.argnums, self.parents, strict=True))
        self.args = tuple(given[i].value if i in given else arg for i, arg in enumerate(self.args))

    def vjp(self, g):
        """Pull `g` back to the parents; the rule runs on the recorded values, so it can be recorded in turn."""
        return pullback(self.fun, self.argnums, self.value, self.args, self.kwargs)(g)

    @property
    def op(self):
        """The op's plain name, such as `matmul`; `input` for a root."""
        if self.fun is None:
            return "input"
        name = getattr(self.fun, "__name__", "op").strip("_")
        return _PLAIN_NAMES.get(name, name)

    @property
    def shape(self):
        return shape_of(self.value)

    @property
    def line(self):
        return None if self.site is None else f"{self.site[0]}:{self.site[1]}"

    def __repr__(self):
        return f"<{self.label or self.name or self.op}: {self.op} {self.dtype}{list(self.shape)}>"


def _differentiated():
    """The recorded op whose derivative rule is running now, or None outside of reverse passes."""
    node = watch.node
    while type(node) is Reverse:
        node = getattr(node.origin, "_node", None)
    return node if isinstance(node, Record) else None


# What is not differentiable for autograd's nodes (comparisons, argmax ...) is not for ours; the sets are shared.
tracer.notrace_primitives[Reverse] = tracer.notrace_primitives[Record] = tracer.notrace_primitives[VJPNode]
tracer.notrace_primitives[Forward] = tracer.notrace_primitives[JVPNode]


def transposed(fun):
    """The jvp rule of a primitive that has only a vjp: J v is the gradient of u -> <vjp(u), v>, which is linear in u.

    (The double-backward trick: J. Townsend, "A new trick for calculating Jacobian vector products", 2017.)
    """
    from .reverse import dense, vjp

    def rule(argnums, tangents, ans, args, kwargs):
        def paired(u):
            pulled = pullback(fun, argnums, ans, args, kwargs)(u)
            return sum(autograd.numpy.sum(dense(g) * t) for g, t in zip(pulled, tangents, strict=True))

        _, pull = vjp(paired, vspace(ans).ones())  # not zeros: some rules skip what is zero
        return pull(1.0)[0]

    return rule


# ---- the names users gave ----

last_call = threading.local()  # holds the library call of the last op, so that no later call can be mistaken for it
_STORES = ("STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_DEREF")
_HOMES = (Path(str(autograd.__file__)).parent, Path(str(np.__file__)).parent, Path(__file__).parent.parent)
_LIBRARY = tuple(f"{home.as_posix()}/" for home in _HOMES)


@lru_cache(maxsize=4096)
def is_library(filename):
    """Whether code in this file is labkit's, autograd's or NumPy's own."""
    return filename.replace("\\", "/").startswith(_LIBRARY)


def user_site():
    """`(file, line)` of the user's code now running."""
    _, site = assignment_target()
    return site[:2] if site else ("<unknown>", 0)


def assignment_target():
    """`(name, (file, line, call))` of the user's code now running: `h = x @ w` names the product `h`.

    Read from the bytecode: the first frame outside labkit, autograd and NumPy, and the variable that the instruction
    after the one running stores to. Several ops may run inside one call from there; the last of them owns the name.
    """
    frame, call = sys._getframe(2), None
    while frame is not None and is_library(frame.f_code.co_filename):
        frame, call = frame.f_back, frame
    if frame is None:
        return None, None
    code = frame.f_code
    if getattr(last_call, "frame", None) is not call:
        last_call.frame, last_call.site = call, (code.co_filename, frame.f_lineno, next(_ids))
    return _stores(code).get(frame.f_lasti), last_call.site


@lru_cache(maxsize=1024)
def _stores(code):
    """`{offset: name}` for every offset in an instruction whose result is stored at once in a plain variable."""
    found, steps = {}, list(dis.get_instructions(code))
    for step, following in pairwise(steps):
        if following.opname.startswith(_STORES):
            name = following.argval[0] if isinstance(following.argval, tuple) else following.argval
            found.update(dict.fromkeys(range(step.offset, following.offset), name))
    return found
