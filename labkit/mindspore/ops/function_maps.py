"""Functions chosen by the types of their arguments, and mapped over nested tuples: how training cells treat gradients."""

from functools import partial as _partial

from ...dialects.class_paths import Placed
from ..common.dtype import DType
from ..common.tensor import Tensor
from ..context import in_graph_mode
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
        raise TypeError(
            f"For 'MultitypeFuncGraph.register', expected type names among {list(_KINDS)}, but got {name!r}."
        )
    return found


class Map(metaclass=Placed):
    """A function mapped over the elements of tuples or lists, side by side: `Map()(fn, xs, ys)` or `Map(fn)(xs, ys)`."""

    deep = False

    def __init__(self, ops=None, reverse=False):
        self.ops, self.reverse = ops, reverse

    def __call__(self, *args):
        fun, args = (args[0], args[1:]) if self.ops is None else (self.ops, args)
        if not callable(fun):
            raise TypeError(f"For '{type(self).__name__}', expected a function to map first, but got {fun!r}.")
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
    """`fn` with its first arguments given, or named ones. Raises AttributeError for what is no function.

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


register(identity, method=False)
