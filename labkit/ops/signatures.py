"""Makes functions of a dialect from ops that take more than tensors: a row has a signature, in NumPy's names."""

from collections.abc import Callable
from typing import Any, NamedTuple

from .table import row_of, rule

NUMPY_WORDS = {"dim": "axis", "keepdim": "keepdims", "keep_dims": "keepdims"}  # what the dialects say, what the ops say


def names_of(takes) -> tuple[str, ...]:
    """The names of the parameters `takes`.

    >>> names_of("input, axis=None, *, dtype=None")
    ('input', 'axis', 'dtype')
    """
    return eval(f"lambda {takes}: 0").__code__.co_varnames


def signed(name, takes, answer, room, doc=None) -> Callable:
    """The function `name` of `room` with the parameters `takes`, as they follow `def`, that returns `answer(...)`.

    The first argument is handed on by position, the others by name, as NumPy has it: `keepdim=True` arrives as
    `keepdims=True`. Raises Python's TypeError for arguments that the signature has no place for.

    >>> total = signed("total", "input, dim=0", lambda x, axis: ("of", x, "along", axis), "__main__")
    >>> total(3, dim=1)
    ('of', 3, 'along', 1)
    >>> total(3, axis=1)
    Traceback (most recent call last):
    TypeError: total() got an unexpected keyword argument 'axis'
    """
    first, *others = names_of(takes)
    given = ", ".join([first, *(f"{NUMPY_WORDS.get(n, n)}={n}" for n in others)])
    made = eval(
        compile(f"lambda {takes}: _answer({given})", "<labkit signature>", "eval"),
        {"_answer": answer, "__name__": room},
    )
    made.__name__ = made.__qualname__ = name
    made.__doc__ = doc
    return made


class Offered(NamedTuple):
    """An op of one tensor and of some options, as both dialects offer it.

    `fun` is the op, `meaning` are words, `at` is what becomes of [[1, 2], [3, 3]] with the option 1, to four digits. `takes` are
    the parameters behind the tensor in NumPy's words. `kind`: "total" adds integers up in int64, "smooth" makes them floating,
    "mean" does either with an error or a cut to an integer, "kept" keeps the dtype, and "found" has no derivative.
    """

    fun: Any
    meaning: str
    at: str
    takes: str = "axis=None, keepdims=False"
    kind: str = "kept"


def entered(table, meaning, at, vjp, kind="kept", takes="axis", **told) -> Any:
    """Declare the decorated NumPy function as an op, and enter its row, with the parameters it `takes`, in `table`."""

    def declare(kernel):
        fun = rule(vjp, **told)(kernel)
        table[kernel.__name__.rstrip("_")] = Offered(fun, meaning, at, takes, kind)
        return fun

    return declare


def offered(name, row, takes, answer, room, dtypes, example) -> Callable:
    """The function of a row for a dialect, whose parameters `takes` are in its words (see `signed`), with a docstring: `dtypes`
    says what becomes of integers, by the kind, and `example` is code, for a `name` and an array that is `rounded`.

    >>> row = Offered(abs, "the largest", "", kind="found")
    >>> print(offered("top", row, "input, dim=None, keepdim=False", abs, "torch", {}, "").__doc__.strip())
    top(x), of all elements or along `dim`: the largest.
    <BLANKLINE>
    `dim`: an integer or a tuple of them; with `keepdim` reduced axes keep length 1. The dtype stays.
    No derivative. Raises TypeError for anything but a tensor.
    """
    _, first, *more = names_of(takes)
    kept = [word for word in more if word.startswith("keep")]
    where, how = f", with `{'`, `'.join([first, *more])}`", ""
    if NUMPY_WORDS.get(first, first) == "axis":
        where = f", of all elements or along `{first}`" if kept else f" along `{first}`"
        how = f"an integer or a tuple of them; with `{kept[0]}` reduced axes keep length 1" if kept else "an integer"
        how = f"`{first}`: {how}. "
    derivative = "No derivative" if row.kind == "found" else f"Derivative: {row_of(row.fun).words}"
    shown = example.format(name=name, rounded="" if row.kind == "found" else ".round(4)")
    doc = (
        f"{name}(x){where}: {row.meaning}.\n\n{how}{dtypes.get(row.kind, 'The dtype stays.')}\n"
        f"{derivative}. Raises TypeError for anything but a tensor.\n\n{shown}\n{row.at}\n"
    )
    return signed(name, takes, answer, room, doc)
