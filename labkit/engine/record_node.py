"""`Record`, the node of a run that is recorded for a reader: op, arguments, value, name, line, scope."""

from collections.abc import Iterable

from autograd import tracer
from autograd.core import VJPNode

from .boxes import Own
from .dtypes import dtype_of, ids, shape_of
from .observers import watch
from .reverse import Reverse
from .rule_lookup import pullback
from .scope import current
from .summary import summarised
from .user_code import assignment_target

_PLAIN_NAMES = {
    "sparse_add": "scatter", "concatenate_args": "concatenate", "array_from_scalar_or_array": "array",
    "array_from_args": "array",
}  # fmt: skip


class Record(Own):
    """A node that keeps it all.

    Attributes: `fun` (the autograd primitive, None for a root), `args` (with constants; boxed arguments unboxed one
    level), `kwargs`, `argnums` (which args the `parents` are), `value`, `dtype`, `shape`, `name` (the user's, or None),
    `line` (file and line of the user's code that ran the op), `label` (unique in its graph, set by the graph), `scope`
    (the calls of cells or modules it ran in, a tuple of `Scope` from the outside in; `()` outside any), `derives` (the
    recorded op whose derivative a reverse pass ran this one for, None elsewhere).
    """

    __slots__ = (
        "argnums", "args", "derives", "dtype", "fun", "id", "kwargs", "label", "log", "name", "parents", "scope", "site",
        "value",
    )  # fmt: skip

    def __init__(self, value, fun, args, kwargs, argnums, parents):
        name, site = assignment_target()
        self._fill(value, fun, args, kwargs, argnums, parents, name, site, parents[0].log)

    @classmethod
    def new_root(cls, value, name, log) -> "Record":
        """The node of an input: no op, no parents; `log` is the list that every node of this run is appended to."""
        root = cls.__new__(cls)
        root._fill(value, None, (), {}, (), (), name, None, log)
        return root

    def _fill(self, value, fun, args, kwargs, argnums, parents, name, site, log):
        self.fun, self.args, self.kwargs, self.argnums, self.parents = fun, args, kwargs, argnums, parents
        self.value, self.dtype, self.id = value, dtype_of(value), next(ids)
        self.name, self.site, self.label, self.log = name, site, None, log
        self.derives = _differentiated()
        self.scope = self.derives.scope if self.derives is not None else current.scopes.path if current.scopes else ()
        log.append(self)

    def shorten(self) -> None:
        """Keep a summary of a large value, and of the large results of other ops among the arguments."""
        self.value = summarised(self.value)
        given = dict(zip(self.argnums, self.parents, strict=True))
        self.args = tuple(given[i].value if i in given else arg for i, arg in enumerate(self.args))

    def vjp(self, g) -> Iterable:
        """Pull `g` back to the parents; the rule runs on the recorded values, so it can be recorded in turn."""
        return pullback(self.fun, self.argnums, self.value, self.args, self.kwargs)(g)

    @property
    def op(self) -> str:
        """The op's plain name, such as `matmul`; `input` for a root."""
        if self.fun is None:
            return "input"
        name = getattr(self.fun, "__name__", "op").strip("_")
        return _PLAIN_NAMES.get(name, name)

    @property
    def shape(self) -> tuple[int, ...]:
        return shape_of(self.value)

    @property
    def line(self) -> str | None:
        return None if self.site is None else f"{self.site[0]}:{self.site[1]}"

    def __repr__(self):
        return f"<{self.label or self.name or self.op}: {self.op} {self.dtype}{list(self.shape)}>"


def _differentiated():
    """The recorded op whose derivative rule is running now, or None outside reverse passes: the boxes below the
    nodes of a backward pass lead to it."""
    node = watch.node
    while type(node) is Reverse:
        node = getattr(node.origin, "_node", None)
    return node if isinstance(node, Record) else None


tracer.notrace_primitives[Record] = tracer.notrace_primitives[VJPNode]
