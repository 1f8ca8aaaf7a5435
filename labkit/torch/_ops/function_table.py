"""The table of operations: one entry serves as `torch.name(x, ...)` and as `x.name(...)`."""

from functools import wraps
from inspect import CO_VARARGS, unwrap

from ...ops import offered
from .._error_texts import error

FUNCTIONS: dict = {}
METHODS: dict = {}
_SEVERAL = ("dims", "repeats", "shape", "size")
_WORDS = {  # functions that have several words for one argument, in their overloads
    "max": {"other": "dim"},
    "min": {"other": "dim"},
    "swapaxes": {"axis0": "dim0", "axis1": "dim1"},
    "split": {"split_size_or_sections": "split_size", "tensor": "input"},
}
EXAMPLE = """\
>>> import labkit.torch as torch
>>> x = torch.tensor([[1.0, 2.0], [3.0, 3.0]])
>>> print(torch.{name}(x, 1).numpy(){rounded})"""


def both(*names):
    """Enter the decorated function as a function of `torch` and as a method of tensors, under its name or `names`."""
    return _enter(names, FUNCTIONS, METHODS)


def function(*names):
    """Enter it as a function of `torch` only."""
    return _enter(names, FUNCTIONS)


def method(*names):
    """Enter it as a method of tensors only; a function whose own name is private is called by the method's."""

    def enter(fun):
        if names and fun.__name__.startswith("_"):
            fun.__name__, fun.__qualname__ = names[0], f"Tensor.{names[0]}"
        return _enter(names, METHODS)(fun)

    return enter


def numpy_style(fun):
    """Let `axis` and `keepdims` stand for `dim` and `keepdim`."""
    return _renamed(fun, {"axis": "dim", "keepdims": "keepdim"})


def _renamed(fun, words):
    """Let some words of a function stand for others: `{theirs: ours}`."""

    @wraps(fun)
    def renamed(*args, **kwargs):
        for theirs, ours in words.items():
            if theirs in kwargs:
                kwargs[ours] = kwargs.pop(theirs)
        return fun(*args, **kwargs)

    return renamed


def with_out(fun):
    """Let a function write its result into the tensor `out`, which it then returns."""

    @wraps(fun)
    def written(*args, out=None, **kwargs):
        result = fun(*args, **kwargs)
        if out is None:
            return result
        if result.requires_grad or out.requires_grad:
            raise error("out_requires_grad", op=fun.__name__)
        if out.numel():
            return out.copy_(result)
        out.data = result
        return out

    return written


def by_name(fun):
    """Let the sizes that a function takes one by one, as `*size`, be given under that name, too."""
    code = unwrap(fun).__code__
    several = [n for n in code.co_varnames if n in _SEVERAL] if code.co_flags & CO_VARARGS else []
    if not several:
        return fun

    @wraps(fun)
    def named(*args, **kwargs):
        return fun(*args, *(kwargs.pop(n) for n in several if n in kwargs), **kwargs)

    return named


def _enter(names, *tables):
    def enter(fun):
        for name in names or (fun.__name__.rstrip("_"),):
            words = _WORDS.get(name)
            for table in tables:
                table[name] = _renamed(fun, words) if words else by_name(fun)
        return fun

    return enter


def in_words(takes):
    """NumPy's parameters as PyTorch calls them.

    >>> in_words("axis=None, keepdims=False")
    'dim=None, keepdim=False'
    """
    return takes.replace("axis", "dim").replace("keepdims", "keepdim")


def of_row(name, row, answer, takes=None, dtypes=None):
    """Enter `answer` as the function and method of a row, with the parameters `takes`, or the row's, in PyTorch's words."""
    words = in_words(f"input, {takes or row.takes}")
    both(name)(numpy_style(offered(name, row, words, answer, "labkit.torch", dtypes or {}, EXAMPLE)))
