"""Functions of functions: chosen by types, mapped over nested tuples, differentiated; hooks of gradients; and assignment."""

from collections.abc import Callable
from functools import partial as _partial

import numpy as np

from ...dialects.argument_types import as_tuple, of_kind
from ...dialects.class_paths import Placed
from ..common.dtype import DType
from ..common.parameter import assigned, check_like
from ..common.tensor import NOT_CALLABLE, Tensor, hooked, wrap
from ..context import in_graph_mode
from ..gradient.grad import Grad, check_flags
from ..gradient.reverse_run import hooked_together
from .op_table import register

__all__ = ["HyperMap", "Map", "MultitypeFuncGraph", "partial"]

_KINDS = {  # the name of a type: what belongs to it, and how an error shows it
    "Tensor": (lambda x: isinstance(x, Tensor), "tensor"),
    "Number": (lambda x: isinstance(x, (bool, int, float)), "number"),
    "Int": (lambda x: type(x) is int, "int_"),
    "Float": (lambda x: type(x) is float, "float_"),
    "Bool": (lambda x: type(x) is bool, "bool"),
    "String": (lambda x: isinstance(x, str), "string_"),
    "Tuple": (lambda x: isinstance(x, tuple), "tuple_"),
    "List": (lambda x: isinstance(x, list), "list_"),
    "Dictionary": (lambda x: isinstance(x, dict), "dict_"),
    "Function": (lambda x: callable(x) and not isinstance(x, Tensor), "function"),
    "TypeType": (lambda x: isinstance(x, DType), "type_type"),
    "None": (lambda x: x is None, "type_none"),
}
_NO_TYPES = "For 'MultitypeFuncGraph.register', expected type names among {kinds}, but got {name!r}."
_NO_FUNCTION = "For '{kind}', expected a function to map first, but got {fun!r}."


def _shown(value):
    """The type of an argument as an error shows it."""
    if isinstance(value, Tensor):
        return f"mindspore.tensor[{repr(value.dtype).partition('.')[2]}]"
    known = {bool: "bool", int: "int64", float: "float64", str: "string_", tuple: "tuple_", list: "list_"}
    return f"mindspore.{known.get(type(value), type(value).__name__)}"


class MultitypeFuncGraph(metaclass=Placed):
    """A function with several bodies: the first registered whose types are those of the arguments is called.

    >>> double = MultitypeFuncGraph("double")
    >>> @double.register("Number")
    ... def _number(x):
    ...     return 2 * x
    >>> @double.register("Tensor")
    ... def _tensor(x):
    ...     return x + x
    >>> double(3), double(Tensor(1.5))
    (6, Tensor(shape=[], dtype=Float32, value= 3))
    """

    def __init__(self, name, read_value=False):
        self._name, self.entries = name, []

    def register(self, *type_names):
        """A decorator that adds a body for arguments of these types: "Tensor", "Number", "Tuple", "Function" ..."""

        kinds = tuple(map(_kind_of, type_names))

        def add(fun):
            self.entries.append((kinds, fun))
            return fun

        return add

    def __call__(self, *args):
        if len(self.entries) == 1:
            return self.entries[0][1](*args)
        for names, fun in self.entries:
            if len(names) == len(args) and all(_KINDS[n][0](a) for n, a in zip(names, args, strict=True)):
                return fun(*args)
        known = [f"({_tuple([f'mindspore.{_KINDS[n][1]}' for n in names])}, {fun})" for names, fun in self.entries]
        raise ValueError(
            "For 'MultitypeFuncGraph', cannot find fn match given args. Got (sigs, fn): "
            f"[{', '.join(known)}], and (dtype, args): {_tuple([_shown(a) for a in args])}."
        )


def _tuple(words):
    """Words as Python shows a tuple of them."""
    return f"({words[0]},)" if len(words) == 1 else f"({', '.join(words)})"


def _kind_of(type_name):
    """The known type that a name such as "Tensor" or "Float32Tensor" means. Raises TypeError for any other."""
    name = str(type_name)
    found = name if name in _KINDS else "Tensor" if name.endswith("Tensor") else None
    if found is None:
        raise TypeError(_NO_TYPES.format(kinds=list(_KINDS), name=name))
    return found


class Map(metaclass=Placed):
    """A function mapped over the elements of tuples or lists, side by side: `Map()(fn, xs, ys)` or `Map(fn)(xs, ys)`."""

    deep = False

    def __init__(self, ops=None, reverse=False):
        self.ops, self.reverse = ops, reverse

    def __call__(self, *args):
        fun, args = (args[0], args[1:]) if self.ops is None else (self.ops, args)
        if not callable(fun):
            raise TypeError(_NO_FUNCTION.format(kind=type(self).__name__, fun=fun))
        return self._mapped(fun, args)

    def _mapped(self, fun, args):
        if not args or not isinstance(args[0], (tuple, list)):
            return fun(*args)
        self._check_lengths(args)
        inner = (lambda *part: self._mapped(fun, part)) if self.deep else fun
        places = range(min(len(a) for a in args))
        found = [inner(*(a[i] for a in args)) for i in (reversed(places) if self.reverse else places)]
        found = found[::-1] if self.reverse else found
        return found if in_graph_mode() and isinstance(args[0], list) else tuple(found)

    def _check_lengths(self, args):
        """In graph mode the lengths must agree; otherwise the shortest counts, as with Python's `zip`."""
        lengths = [len(a) for a in args]
        place = next((i for i, n in enumerate(lengths) if n != lengths[0]), None)
        if place is None or not in_graph_mode():
            return
        name = type(self).__name__
        ordinal = {1: "second", 2: "third"}.get(place, f"{place + 1}th")
        raise RuntimeError(
            f"The {type(args[0]).__name__}s in {name} should have the same length. \n"
            f"The length of the first element in {name} is {lengths[0]}, "
            f"but the length of the {ordinal} element in {name} is {lengths[place]}."
        )


class HyperMap(Map):
    """Like `Map`, but into tuples and lists inside tuples and lists as well.

    >>> HyperMap()(lambda x, y: x * y, (1, (2, 3)), (4, (5, 6)))
    (4, (10, 18))
    """

    deep = True


def partial(fn, *args, **kwargs):
    """`fn` with its first arguments given, or named ones. Raises AttributeError for what is not a function.

    >>> import labkit.mindspore as ms
    >>> double = ms.ops.partial(ms.ops.mul, ms.Tensor(2.0))
    >>> double(ms.Tensor([1.0, 3.0])).asnumpy()
    array([2., 6.], dtype=float32)
    """
    if not callable(fn):
        raise AttributeError(f"'{type(fn).__name__}' object has no attribute '__call__'")
    return _partial(fn, *args, **kwargs)


def identity(x):
    """`x` itself."""
    return x


class GradOperation(Grad, metaclass=Placed):
    """The older form of `grad`: `GradOperation(...)(fn, weights)` is the gradient function.

    `get_all`: the gradients of all tensor inputs, a tuple, else of the first; `get_by_list`: of `weights`, or with
    `get_all` of both; `sens_param`: the output's cotangent is the last argument.

    >>> GradOperation(get_all=True)(lambda x, y: x * y)(Tensor(2.0), Tensor(3.0))
    (Tensor(shape=[], dtype=Float32, value= 3), Tensor(shape=[], dtype=Float32, value= 2))
    """

    warns = False

    def __init__(self, get_all=False, get_by_list=False, sens_param=False):
        check_flags("GradOperation", get_all=get_all, get_by_list=get_by_list, sens_param=sens_param)
        super().__init__(sens_param=sens_param)
        self.get_all, self.get_by_list, self.options = get_all, get_by_list, ("", get_all, get_by_list, sens_param)

    def __call__(self, fn, weights=None):
        if not callable(fn):
            raise TypeError(f"The fn should be callable, but got {type(fn).__name__}")
        chosen = (weights if weights is not None else _trainable(fn)) if self.get_by_list else ()
        return self.gradient_function(fn, None, tuple(chosen) if isinstance(chosen, list) else chosen)

    def places(self, positions, args):
        return range(len(args) if self.get_all else 0 if self.get_by_list else min(len(args), 1))

    def answer(self, positions, weights, by_place, by_weight, parameters):
        inputs = tuple(g for _, g in by_place)
        if not self.get_all:
            inputs = inputs[0] if inputs else ()
        if not self.get_by_list:
            return inputs
        of_weights = by_weight[0] if isinstance(weights, Tensor) else tuple(by_weight)
        return (inputs, of_weights) if self.get_all else of_weights


def _trainable(fn):
    return fn.trainable_params() if hasattr(fn, "trainable_params") else ()


class InsertGradientOf(metaclass=Placed):
    """`InsertGradientOf(f)(x)` is `x`, but the gradient that comes back is replaced by `f(gradient)`.

    `x` and what `f` returns: tensors of one shape.

    >>> import labkit.mindspore as ms
    >>> ms.grad(lambda x: ms.ops.InsertGradientOf(lambda g: 10 * g)(x) ** 2)(ms.Tensor(3.0))
    Tensor(shape=[], dtype=Float32, value= 60)
    """

    def __init__(self, f):
        self.f = f

    def __call__(self, x):
        return wrap(hooked(x._value, self.f))


class HookBackward(metaclass=Placed):
    """`HookBackward(f)(x, ...)` is what it is given; `f` gets the tuple of the gradients that come back.

    What `f` returns replaces them: a tensor or a tuple of tensors; None leaves them as they are.
    """

    def __init__(self, hook_fn):
        of_kind(hook_fn, Callable, NOT_CALLABLE)
        self.hook_fn = hook_fn

    def __call__(self, *inputs):
        def hook(gradients):
            given = tuple(
                wrap(np.zeros(x.shape, x._value.dtype)) if g is None else g
                for x, g in zip(inputs, gradients, strict=True)
            )
            answer = self.hook_fn(given)
            if answer is not None and not isinstance(answer, tuple) and len(given) > 1:
                raise TypeError("The output gradient should be a tuple!")
            return given if answer is None else as_tuple(answer)

        found = hooked_together(inputs, hook)
        return found[0] if len(found) == 1 else found


def assign(variable, value):
    """Replace a parameter's value; returns the new value. Raises ValueError for another shape."""
    return _written(variable, value, lambda new: new, "Assign")


def assign_add(variable, value):
    """Add to a parameter's value; returns the new value. Raises ValueError for another shape."""
    return _written(variable, value, lambda new: variable + new, "AssignAdd")


def assign_sub(variable, value):
    """Subtract from a parameter's value; returns the new value. Raises ValueError for another shape."""
    return _written(variable, value, lambda new: variable - new, "AssignSub")


def _written(variable, value, result, name):
    if not isinstance(variable, Tensor):
        raise TypeError(f"For '{name}', the 'variable' must be a Parameter, but got {type(variable).__name__}.")
    check_like(variable, value, name)
    assigned(variable, result(value), name)
    return wrap(variable._value)


register(identity, method=False)
for _fun, _primitive in ((assign, "Assign"), (assign_add, "AssignAdd"), (assign_sub, "AssignSub")):
    register(_fun, method=False, primitive=_primitive)
