"""`Cell`: a function with parameters. Assigning a parameter or cell to an attribute registers and names it."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from itertools import chain
from operator import attrgetter
from typing import Any, Self

import numpy as np

from ...dialects.argument_types import of_kind
from ...dialects.module_tree import dotted, named_leaves, tree_text
from ...dialects.unsupported import attributes, member
from ...engine import cast, current, map_leaves, quietly
from ..common import dtype as mstype
from ..common.parameter import Parameter, ParameterTuple, bound
from ..common.seed import drawing_aside
from ..common.tensor import Tensor, wrap
from ..context import compiles
from ..graph.cell_attributes import may_assign, settled
from ..graph.jit import Compiled, compiled_for
from ..graph.recorder import busy, only_inside
from .own_gradients import Hooked, through_hooks, with_own_derivative

__all__ = ["Cell", "GraphCell"]


@contextmanager
def _unmoved(network):
    """A context after which random numbers go on, here and in ops, as if none had been drawn in it, and parameters hold what
    they held, such as the moving means of a BatchNorm."""
    engines = (cell.__dict__.get("_engines", {}) for _, cell in network.cells_and_names())
    before = [(p, np.array(p.__engine_value__())) for p in network.get_parameters()]
    try:
        with drawing_aside([engine for table in engines for engine in table.values()]):
            yield
    finally:
        for parameter, array in before:
            if not np.array_equal(parameter.__engine_value__(), array):
                parameter.set_data(wrap(array))


class Cell(Hooked):
    """The base of every network and layer: subclass it, build the parts in `__init__`, compute in `construct`.

    Calling the cell runs `construct`. A method `bprop(self, *inputs, out, dout)`, if there is one, replaces the
    derivative: it returns a tuple with one gradient per input.

    >>> class Scale(Cell):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.w = Parameter(Tensor(2.0))
    ...     def construct(self, x):
    ...         return x * self.w
    >>> [p.name for p in Scale().trainable_params()], Scale()(Tensor(3.0))
    (['w'], Tensor(shape=[], dtype=Float32, value= 6))
    """

    def __init__(self, auto_prefix=True, flags=None):
        own = vars(self)
        own.update(_params={}, _cells=OrderedDict(), _hooks={}, _auto_prefix=auto_prefix)
        self.training, self.requires_grad, self.param_prefix = False, False, ""
        own.update(flags or {})

    # ---- calling ----

    def __call__(self, *args, **kwargs):
        if "_distinct" not in self.__dict__:
            self._distinguish()
        if compiles():
            return compiled_for(self, "cell", lambda: Compiled(self._run, self))(*args, **kwargs)
        return self._run(*args, **kwargs)

    def _distinguish(self):
        """Before the first call: where two parameters have the same name, all are named by their path."""
        object.__setattr__(self, "_distinct", True)
        names = [p.name for p in self.get_parameters()]
        if len({*names}) < len(names):
            self.update_parameters_name()

    def _run(self, *args, **kwargs):
        if current.scopes is not None and current.scopes.part is not self:
            return current.scopes.call(self, self._run, args, kwargs)
        if "compute_dtype" in self.__dict__:
            return run_in(self, self.compute_dtype.numpy, args, kwargs)
        return self._compute(args, kwargs)

    def _compute(self, args, kwargs):
        own = self.__dict__
        if not own["_hooks"] and type(self).bprop is None and "_recomputed" not in own:
            return self.construct(*args, **kwargs)
        if "_recomputed" in own and not kwargs:
            from ...memory import checkpoint

            return checkpoint(lambda *inputs: self._around(inputs, {}), list(self.get_parameters()))(*args)
        return self._around(args, kwargs)

    def _around(self, args, kwargs):
        if self._hooks:
            return through_hooks(self, self._without_hooks, args, kwargs)
        return self._without_hooks(args, kwargs)

    def _without_hooks(self, args, kwargs):
        if type(self).bprop is not None:
            return with_own_derivative(self, args, kwargs)
        return self.construct(*args, **kwargs)

    bprop = None
    phase = ""

    def construct(self, *args, **kwargs) -> Any:
        """The computation; to be defined by the subclass."""
        raise AttributeError("For 'Cell', the method 'construct' is not defined.")

    def __engine_parameters__(self):
        return [(p.name, p) for p in self.get_parameters()]

    def __engine_parts__(self):
        return chain(self._cells.items(), self.cells_and_names())

    def __engine_unmoved__(self):
        return _unmoved(self)

    # ---- registration ----

    def __setattr__(self, name, value):
        if isinstance(value, Parameter) and self.__dict__.get(name) is value:
            return  # `self.p += 1`
        if isinstance(value, (Parameter, Cell)) or name not in self._registered("_params"):
            if may_assign(self, name) and not isinstance(value, (Parameter, Cell)):
                return object.__setattr__(self, name, settled(value))
            only_inside(self, f"assign the attribute {name!r} of a cell")
        if isinstance(value, (Parameter, Cell)) and "_params" not in self.__dict__:
            raise AttributeError(
                f"For '{type(self).__name__}', please call super().__init__() of Cell before assigning '{name}'."
            )
        if isinstance(value, Parameter):
            self.__dict__.pop(name, None)
            self._insert(name, value)
        elif isinstance(value, ParameterTuple):
            for p in value:
                self._insert(p.name, p)
        elif isinstance(value, Cell):
            self.__dict__.pop(name, None)
            if self._auto_prefix:
                value.update_parameters_name(name + ".")
            self._cells[name] = value
        elif value is not None and (name in self._registered("_params") or name in self._registered("_cells")):
            return self._replace(name, value)
        object.__setattr__(self, name, value)

    def _registered(self, kind):
        return self.__dict__.get(kind, ())

    def _replace(self, name, value):
        """A plain value for an attribute that holds a parameter (a tensor becomes its data) or a cell (refused)."""
        if name in self._params:
            if busy() and isinstance(value, (int, float)):
                value = Tensor(value, self._params[name].dtype)  # compiled code takes a number, too
            text = "Parameter '{name}' already exists in network, can not assign this type: '{type}' as a parameter."
            of_kind(value, Tensor, text, name=name)
            self._params[name].set_data(value)
            return
        raise TypeError(
            f"Sub cell '{name}' already exists in network, can not assign this type: '{type(value)}' as a cell."
        )

    def __delattr__(self, name):
        self._params.pop(name, None), self._cells.pop(name, None)
        object.__delattr__(self, name)

    def __getattr__(self, name):
        text = f"The '{type(self).__name__}' object has no attribute '{name}'."
        raise member("mindspore", "nn.Cell", text, name, self)

    def _insert(self, name, parameter):
        if parameter.has_generated_name:
            parameter.name = name
        self._params[name] = parameter
        self.__dict__[name] = parameter

    # ---- parameters ----

    def parameters_and_names(self, name_prefix="", expand=True) -> Iterator[tuple[str, Parameter]]:
        """Pairs `(path, parameter)`, such as `("fc.weight", ...)`: its own first, then those of its cells."""
        parts = self.cells_and_names(name_prefix) if expand else [(name_prefix, self)]
        return named_leaves(parts, attrgetter("_params"))

    def get_parameters(self, expand=True) -> Iterator[Parameter]:
        """The parameters, one after the other."""
        yield from [p for _, p in self.parameters_and_names(expand=expand)]

    def trainable_params(self, recurse=True) -> list[Parameter]:
        """The list of parameters with `requires_grad`."""
        return [p for p in self.get_parameters(recurse) if p.requires_grad]

    def parameters_dict(self, recurse=True) -> OrderedDict[str, Parameter]:
        """`{name: parameter}`, an OrderedDict."""
        return OrderedDict((p.name, p) for p in self.get_parameters(recurse))

    def update_parameters_name(self, prefix="", recurse=True) -> None:
        """Name every parameter `prefix` + its path in this cell."""
        for path, p in self.parameters_and_names(expand=recurse):
            p.name = prefix + path

    # ---- cells ----

    def cells(self) -> Iterable["Cell"]:
        """The cells directly in this one."""
        return self._cells.values()

    def cells_and_names(self, name_prefix="") -> Iterator[tuple[str, "Cell"]]:
        """Pairs `(path, cell)`, this cell first."""
        return self._walk(name_prefix, set())

    def _walk(self, path, seen):
        if id(self) in seen:
            return
        seen.add(id(self))
        yield path, self
        for name, cell in self._cells.items():
            yield from cell._walk(dotted(path, name), seen)

    # ---- modes ----

    def set_train(self, mode=True) -> Self:
        """Training mode for this cell and all in it (off with False); returns the cell."""
        for _, cell in self.cells_and_names():
            vars(cell).update(training=bool(mode), phase="train" if mode else "predict")
        return self

    def recompute(self, **options) -> None:
        """Keep the inputs of this cell alone: its derivative computes the rest again (see `labkit.checkpoint`).

        The options, which choose between ways to do so, change nothing here. Random numbers may not be drawn inside.

        >>> import labkit.mindspore as ms
        >>> net = ms.nn.SequentialCell(ms.nn.Tanh(), ms.nn.ReLU())
        >>> net.recompute()
        >>> ms.grad(net)(ms.Tensor(0.0))
        Tensor(shape=[], dtype=Float32, value= 0)
        """
        object.__setattr__(self, "_recomputed", True)

    def set_grad(self, requires_grad=True) -> Self:
        """Mark the cell as one to be differentiated; `grad` needs no mark. Returns the cell."""
        self.requires_grad = requires_grad
        return self

    def to_float(self, dst_type) -> Self:
        """Compute in `ms.float16`, `bfloat16` or `float32`, with all cells in it; returns the cell.

        Inputs and parameters are cast where they are used; the parameters themselves keep their type, and so do gradients.
        Raises ValueError for another type.
        """
        if dst_type not in (mstype.float16, mstype.bfloat16, mstype.float32):
            raise ValueError(
                "For 'to_float', the argument 'dst_type' must be mstype.float32, mstype.float16 or mstype.bfloat16, but "
                f"got type: {type(dst_type)} and value: {dst_type}."
            )
        for _, cell in self.cells_and_names():
            object.__setattr__(cell, "compute_dtype", dst_type)
        return self

    @property
    def cls_name(self) -> str:
        """The name of its class."""
        return type(self).__name__

    # ---- printing ----

    def extend_repr(self) -> str:
        """What to show between the brackets; to be defined by the subclass."""
        return ""

    def __repr__(self):
        own = self.extend_repr().split("\n") if self.extend_repr() else []
        return tree_text(type(self).__name__, own, self._cells.items())

    __str__ = __repr__

    def __bool__(self):
        return True


GraphCell = Cell


def in_dtype(value, dtype):
    """A floating tensor in `dtype`, everything else as it is."""
    if not isinstance(value, Tensor) or value._value.dtype.kind in "biu" or value._value.dtype == dtype:
        return value
    return wrap(quietly(cast, value._value, dtype))


def run_in(cell, dtype, args, kwargs):
    """Run a cell with its inputs and its own parameters in `dtype`; parameters keep their type, gradients come back in it."""
    args, kwargs = map_leaves(lambda leaf: in_dtype(leaf, dtype), (tuple(args), kwargs))
    own = {p: p._value.dtype for p in cell._params.values() if in_dtype(p, dtype) is not p}
    with bound(list(own), [quietly(cast, p._value, dtype) for p in own]) if own else nullcontext():
        output = cell._compute(args, kwargs)
    for p, kept in own.items():
        if p._value.dtype != kept:  # what the cell has written, such as a running mean
            p._value = quietly(cast, p._value, kept)
    return output


__getattr__ = attributes(__name__)
