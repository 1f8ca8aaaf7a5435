"""The table of ops: each row has the kernel, the derivative, the saved values, the spelling in a program, the sign and the words.

`@rule(...)` makes a NumPy function an op and enters its row; `known(...)` enters a function of autograd.numpy or of the engine.
"""

import re
from collections.abc import Callable
from functools import cache, wraps
from typing import Any

import numpy as np
from autograd.extend import defvjp, defvjp_argnums, primitive
from autograd.tracer import trace_primitives_map

from ..engine import unbroadcast_f, vjp_of
from .kernels import as_kernel, in_float32

# Whether a Python number leaves the dtype beside it as it is; on NumPy 1 it makes 0-d arrays wider.
NUMBERS_ARE_WEAK = np.result_type(np.float32(0), 0.0) == np.float32


class Row:
    """What is known of an op.

    `node` is PyTorch's name for the node of its derivative: a text, or a function of `(args, kwargs)`. `tensors` and `others`
    name the arguments in order, as PyTorch does ("self" is the first); the node has an edge for each of `tensors`, but not
    for "-name", nor for "!name", which must not need a gradient, and for "?name" only where it needs one; "*": one for every
    array. `saves` is what PyTorch's node keeps for it, such as `"result other<self"`: the result always, `other` where `self`
    needs a gradient; None: it has not been said.

    `text` is how a program spells the op: a template such as `"{} ** {}"`, or the name of a NumPy function that takes the
    same arguments. `sign` stands for it in pictures. `words` say what its derivative does with the arriving gradient `g`.
    """

    def __init__(self, name, node=None, tensors="self", others="", saves=None, text=None, sign=None, words=""):
        if saves is None:
            tensors, saves = "*", "everything"
        self.name, self.text, self.sign, self.words = name, text, sign, words
        self.node = node or f"{''.join(word.title() for word in re.split(r'[_ ]+', name))}Backward0"
        self.names = [n.lstrip("-?!") for n in tensors.split()] + others.split()
        self.kinds = None if tensors == "*" else [n[0] for n in tensors.split()]
        self.saves = [s.partition("<")[::2] for s in saves.split()]

    def saved(self, argnums) -> list[str]:
        """The names saved where the arguments at `argnums` need a gradient."""
        needing = {self.names[i] for i in argnums if i < len(self.names)}
        return [what for what, whose in self.saves if not whose or whose in needing]

    def places(self, args, argnums) -> list[int]:
        """The positions of the arguments that the node has an edge for, constants included."""
        if self.kinds is None:
            return [i for i, a in enumerate(args) if i in argnums or isinstance(a, np.ndarray)]
        return [i for i, kind in enumerate(self.kinds) if i in argnums or kind not in "-?!"]


TABLE: dict[Callable, Row] = {}
_BY_NAME: dict[str, Row] = {}  # the first row of a name that has a sign or words


def name_of(fun) -> str:
    """An op's plain name, such as `sum` for `sum_`."""
    return getattr(fun, "__name__", "op").strip("_")


def known(fun, node=None, tensors="self", others="", saves=None, name=None, **told) -> Any:
    """Enter a row (see `Row`) for a primitive that is defined elsewhere; returns it.

    >>> import autograd.numpy as anp
    >>> row_of(known(anp.exp, saves="result", words="g exp(x)")).saved([0])
    ['result']
    """
    row = TABLE[fun] = Row(name or name_of(fun), node, tensors, others, saves, **told)
    if row.words or row.sign:
        _BY_NAME.setdefault(row.name, row)
    return fun


def rule(
    *vjps, argnums=None, name=None, broadcasts=False, rounds=True, operands=False, fused_backward=False, **row
) -> Any:
    """Declare the decorated NumPy function as one op of the graph, with a vjp for each of its arguments.

    A vjp is `lambda ans, *args: lambda g: ...`, written with recorded functions, so that it can be differentiated again; the
    jvp follows from it. `argnums`: which arguments these are, the first ones unless it says otherwise. `broadcasts`: these
    arguments broadcast, so what goes back to each is summed to its shape. `rounds`, `operands` and
    `fused_backward` say how two-byte floats are rounded (see `kernels`). `row`: see `Row`.

    >>> @rule(lambda ans, x: lambda g: 3 * g, sign="3×", words="3 g")
    ... def triple(x):
    ...     return 3 * x
    >>> sign_of("triple"), words_of("triple")
    ('3×', '3 g')
    """

    def declare(fun):
        # in a template a number is an operand as any other; among the arguments of a NumPy function an integer is an axis
        kernel = kept(fun, (int, float) if "{" in (row.get("text") or "") else (float,))
        op = _primitive(in_float32(kernel, operands) if rounds else kernel)
        if name:
            op.__name__ = name
        known(op, **row).defined_here = True
        rules = [vjp and _as_kernel(vjp, op) for vjp in vjps] if fused_backward else vjps
        if broadcasts:
            rules = [vjp and _in_shape_of(place, vjp) for place, vjp in enumerate(rules)]
        defvjp(op, *rules, **({} if argnums is None else {"argnums": argnums}))
        return op

    return declare


def _as_kernel(vjp, op):
    node = TABLE[op].node
    back, fun = as_kernel(vjp, f"{name_of(op)}_backward")
    known(fun, node.replace("Backward", "BackwardBackward") if isinstance(node, str) else None).defined_here = True
    return back


def _primitive(kernel):
    """An op of labkit's; what NumPy's own function is on a box stays with autograd."""
    theirs = trace_primitives_map.get(kernel)
    made = primitive(kernel)
    del trace_primitives_map[kernel]
    if theirs is not None:
        trace_primitives_map[kernel] = theirs
    return made


def variant(op, kernel, slope=None) -> Any:
    """The op of a row with another `kernel`, which is left as it is. The row stays, and so does the derivative, where
    `slope(passed, *args)` may give the first argument another gradient than the one `passed`.

    >>> import numpy as np
    >>> from labkit.ops import relu
    >>> variant(relu, lambda x: np.fmax(x, 0.0))(np.array([np.nan, 2.0])), relu(np.array([np.nan, 2.0]))
    (array([0., 2.]), array([nan,  2.]))
    """
    fun, rules = _primitive(kernel), vjp_of(op)

    def pullback(argnums, ans, args, kwargs):
        back = rules(argnums, ans, args, kwargs)
        return lambda g: tuple([slope(h, *args) if n == 0 else h for n, h in zip(argnums, back(g), strict=True)])

    defvjp_argnums(fun, pullback if slope else rules)
    fun.__name__, fun.__doc__, fun.__module__ = op.__name__, op.__doc__, __name__
    TABLE[fun] = row_of(op)
    fun.defined_here = defined_here(op)
    return fun


def _in_shape_of(place, vjp):
    return lambda ans, *args: unbroadcast_f(args[place], vjp(ans, *args))


def kept(fun, numbers=(float,)) -> Callable:
    """A function of arrays and of `numbers` whose result is no wider than what the arrays alone make, whatever the NumPy."""
    return fun if NUMBERS_ARE_WEAK else _beside_arrays(fun, numbers)


def _beside_arrays(fun, numbers):
    @wraps(fun)
    def computed(*args, **kwargs):
        arrays = [a.dtype for a in args if isinstance(a, (np.ndarray, np.generic)) and a.dtype.kind in "fiub"]
        if not any(dtype.kind == "f" for dtype in arrays):
            return fun(*args, **kwargs)
        kind = np.result_type(*arrays)
        found = fun(*(kind.type(a) if type(a) in numbers else a for a in args), **kwargs)
        wider = isinstance(found, (np.ndarray, np.generic)) and found.dtype.kind == "f" and found.dtype > kind
        return found.astype(kind) if wider else found

    return computed


# ---- what is asked of the table ----

_NODES = {  # NumPy's functions that PyTorch calls otherwise
    **{f"arc{word}": f"A{word}Backward0" for word in ("cos", "cosh", "sin", "sinh", "tan", "tanh", "tan2")},
    "clip": "ClampBackward1", "tile": "RepeatBackward0", "pad": "ConstantPadNdBackward0", "cross": "LinalgCrossBackward0",
    "moveaxis": "PermuteBackward0", "rollaxis": "PermuteBackward0", "outer": "MulBackward0", "fabs": "AbsBackward0",
    "fliplr": "FlipBackward0", "flipud": "FlipBackward0", "make_diagonal": "DiagEmbedBackward0",
}  # fmt: skip
_SEVERAL = {  # those that it has not, or that are several nodes there: they are called by NumPy's word
    "array_from_args", "array_split", "atleast_1d", "atleast_2d", "atleast_3d", "conjugate", "degrees", "diag",
    "diff", "dsplit", "einsum", "full", "gradient", "hsplit", "imag", "inner", "kron", "linspace", "partition",
    "radians", "real", "real_if_close", "tensordot", "vsplit",
}  # fmt: skip


def row_of(fun) -> Row:
    """The row of a primitive; one that was never entered has one that says that it saves everything.

    Its node is called as PyTorch calls it where NumPy's word for the function is another, else by NumPy's word.

    >>> import autograd.numpy as anp
    >>> row_of(anp.arctan).node, row_of(anp.kron).node
    ('AtanBackward0', 'kron')
    """
    found = TABLE.get(fun)
    if found is None:
        name = name_of(fun)
        found = TABLE[fun] = Row(name, _NODES.get(name, name if name in _SEVERAL else None))
    return found


def namesake(fun) -> Row | None:
    """The row of a primitive, or of another one whose node has the same name; None where none says what is saved."""
    own = row_of(fun)
    if own.saves != [("everything", "")]:
        return own
    return next((row for row in TABLE.values() if row.node == own.node and row.saves != own.saves), None)


def node_name(fun, args, kwargs) -> str:
    """PyTorch's name of the node for a primitive applied to `args`, such as `AddBackward0`."""
    node = row_of(fun).node
    return node if isinstance(node, str) else node(args, kwargs)


def defined_here(fun) -> bool:
    """Whether `rule` made the primitive: its arguments go by our names, and it does not widen what NumPy 1 would."""
    return getattr(fun, "defined_here", False)


def spelling(fun) -> str | None:
    """How a program spells a primitive, where the table says so."""
    row = TABLE.get(fun)
    return row.text if row else None


def row_of_node(node: str) -> Row | None:
    """The row of the op whose node PyTorch's tape calls so, one that has words for it rather than not; None for others.

    >>> row_of_node("MulBackward0").sign, row_of_node("NoBackward0")
    ('×', None)

    PyTorch numbers the nodes of an op that is called in several ways.

    >>> row_of_node("MulBackward1").sign
    '×'
    """
    digits = "0123456789"
    rows = [row for row in TABLE.values() if str(row.node).rstrip(digits) == node.rstrip(digits)]
    plain = op_of_node(node)
    return max(rows, key=lambda row: (bool(row.words), row.node == node, plain in row.name), default=None)


@cache
def op_of_node(node: str) -> str:
    """The op of a node's name on PyTorch's tape, in words.

    >>> op_of_node("LogSoftmaxBackward0"), op_of_node("MaxPool2DWithIndicesBackward0"), op_of_node("SVDBackward0")
    ('log_softmax', 'max_pool2d_with_indices', 'svd')
    """
    plain = re.sub(r"(?<=\d)[DP]", lambda m: m[0].lower(), re.sub(r"Backwards?\d*$", "", node.rpartition("::")[2]))
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", plain).lower()


def sign_of(op: str) -> str:
    """The sign of the op of this name, or the name where it has none.

    >>> sign_of("multiply"), sign_of("tanh")
    ('×', 'tanh')
    """
    row = _BY_NAME.get(op)
    return row.sign or op if row else op


def words_of(op: str) -> str:
    """What the derivative of the op of this name does with the arriving gradient g, or "".

    >>> words_of("tanh"), words_of("nothing")
    ('g (1 - tanh(x)^2)', '')
    """
    row = _BY_NAME.get(op)
    return row.words if row else ""
