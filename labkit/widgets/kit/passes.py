"""The passes that make a Jacobian: one VJP per output element, or one JVP per input element.

Rows of a Jacobian are vector-Jacobian products with unit cotangents, columns are Jacobian-vector products with unit
tangents (A. Griewank, A. Walther, Evaluating Derivatives, 2nd edition, chapter 3).
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...engine import check_output, getval, jvp, leaves, vjp
from ...tracing import plain_function

MAX_ENTRIES = 4_000_000
BOTH_UP_TO = 40  # elements of output and input; beyond, only the cheaper kind of pass is run


@dataclass(frozen=True)
class Passes:
    """A Jacobian and what it was made of.

    `x`, `y`: the input and the outputs, flattened. `rows`, `columns`: their labels, such as "y[0,1]". `pulled`: the
    matrix by rows, one VJP each, and `pushed`: by columns, one JVP each; None for the kind that was not run. `total`:
    the VJP with ones as cotangent. `batch`: examples, where input and output share the first axis, else 1.
    `formula`: the function as it is written, where that is short. `refused`: the error of
    forward mode, where the function has only reverse rules.
    """

    name: str
    input_name: str
    x: np.ndarray
    y: np.ndarray
    rows: list[str]
    columns: list[str]
    pulled: np.ndarray | None
    pushed: np.ndarray | None
    total: np.ndarray
    batch: int
    refused: str = ""
    formula: str = ""

    @property
    def matrix(self) -> np.ndarray:
        """The Jacobian, outputs by inputs."""
        found = self.pulled if self.pulled is not None else self.pushed
        assert found is not None
        return found

    @property
    def agree(self) -> bool:
        """Whether VJPs and JVPs give the same matrix; not so where each run of the function is another."""
        if self.pulled is None or self.pushed is None:
            return True
        both = np.isfinite(self.pulled) & np.isfinite(self.pushed)  # 0 times inf depends on the order of the factors
        size = np.abs(self.pulled[both]).max(initial=1e-30)
        near = 100 * float(np.finfo(self.pulled.dtype).eps)
        return bool((np.abs(self.pulled[both] - self.pushed[both]) <= near * size).all())


def passes(
    fn: Callable, args: tuple, argnum: int | str, who: str = "JacobianMap", x: Sequence[float] | None = None
) -> Passes:
    """Run the VJPs and JVPs of `fn` at `args` for the argument at `argnum`, a position or a name; `who` asks for them.

    `x`: other elements of this argument.

    Raises TypeError for what is not numeric, IndexError for an argument that is not there, ValueError for an empty
    input or output and for a Jacobian of more than 4 million entries.
    """
    if not callable(fn) or not args:
        no_args = "{who}: expected a function and its arguments, as in {who}(f, x), but got no arguments"
        text = (
            no_args
            if callable(fn)
            else "{who}: expected a function and its arguments, as in {who}(f, x), but got {kind}"
        )
        raise TypeError(text.format(who=who, kind=type(fn).__name__))
    plain, values, names = plain_function(fn, args, {}, None, f"{who}(f, x)")
    place = _place(argnum, names)
    given = _floating(values[place])
    at = given if x is None else np.asarray(x, given.dtype).reshape(given.shape)

    def of_one(value):
        output = plain(*(value if i == place else v for i, v in enumerate(values)))
        return leaves(check_output(plain, output))

    with np.errstate(all="ignore"):
        outputs, pull = vjp(of_one, at)
        ys = [_numbers(plain, out, who) for out in outputs]
        _check_size(sum(y.size for y in ys), at.size, who)
        return replace(_all_passes(of_one, pull, plain.__name__, names[place], at, ys), formula=formula(fn))


def _all_passes(of_one, pull, name, input_name, x, ys):
    m, n = sum(y.size for y in ys), x.size
    small = max(m, n) <= BOTH_UP_TO
    pushed, refused = _push_columns(of_one, x) if small or m > n else (None, "")
    pulled = np.stack([_flat(pull(seeds), x) for seeds in _units(ys)]) if small or pushed is None else None
    rows, columns = _row_labels("out" if input_name.startswith("y") else "y", ys), labels(input_name, x.shape)
    batched = len(ys) == 1 and x.ndim and x.shape[:1] == ys[0].shape[:1] and m > x.shape[0] < n
    total, batch = _flat(pull(), x), x.shape[0] if batched else 1
    return Passes(name, input_name, _flat([x], x), _flat(ys, x), rows, columns, pulled, pushed, total, batch, refused)


def _push_columns(of_one, x):
    """The matrix by columns and "", or None and why forward mode fails."""
    try:
        return np.stack([_flat(jvp(of_one, (x,), unit)[1], x) for unit in _units([x])], 1), ""
    except (TypeError, ValueError, NotImplementedError) as error:
        return None, str(error)


def _flat(parts, x):
    """Arrays as one of one axis, in the precision of `x`."""
    kind = x.dtype if x.dtype in (np.float16, np.float32) else np.dtype(np.float64)
    return np.concatenate([np.ravel(np.asarray(getval(part))) for part in parts]).astype(kind)


def _row_labels(name, ys):
    if len(ys) == 1:
        return labels(name, ys[0].shape)
    return [label for k, y in enumerate(ys) for label in labels(f"{name}{k}", y.shape)]


def formula(fn: Callable, most: int = 60) -> str:
    """What a function returns as it is written, if its source is known, is one expression, and has at most `most` letters.

    >>> formula(print)
    ''
    """
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(fn)).strip())
    except (OSError, TypeError, SyntaxError):
        return ""
    bodies: list[ast.expr] = [node.body for node in ast.walk(tree) if isinstance(node, ast.Lambda)]
    if getattr(fn, "__name__", "") != "<lambda>":
        last = [node.body[-1] for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and len(node.body) == 1]
        bodies = [node.value for node in last if isinstance(node, ast.Return) and node.value]
    words = ast.unparse(bodies[0]) if len(bodies) == 1 else ""
    return words if len(words) <= most else ""


def labels(name: str, shape: tuple[int, ...]) -> list[str]:
    """The names of the elements of an array, in the order of its memory.

    >>> labels("x", (1, 2)), labels("y", ())
    (['x[0,0]', 'x[0,1]'], ['y'])
    """
    return [f"{name}[{','.join(map(str, index))}]" if index else name for index in np.ndindex(shape)]


def _place(argnum, names):
    if isinstance(argnum, str) and argnum in names:
        return names.index(argnum)
    if isinstance(argnum, int) and not isinstance(argnum, bool) and -len(names) <= argnum < len(names):
        return argnum % len(names)
    known = ", ".join(f"{i} or {name!r}" for i, name in enumerate(names))
    raise IndexError("argnum: expected one of {known}, but got {argnum!r}".format(known=known, argnum=argnum))


def _floating(value):
    x = np.asarray(getval(value))
    return x.astype(np.float64) if x.dtype.kind in "iub" else x


def _numbers(plain, output, who):
    y = np.asarray(getval(output))
    if y.dtype.kind in "OSUc":
        text = "{who}: expected {function} to return real numbers, but got {kind}"
        raise TypeError(text.format(who=who, function=plain.__name__, kind=type(output).__name__))
    return y


def _check_size(m, n, who):
    if not m or not n:
        text = "{who}: expected at least one input and one output element, but got {m} output and {n} input elements"
        raise ValueError(text.format(who=who, m=m, n=n))
    if m * n > MAX_ENTRIES:
        text = (
            "{who}: {m} outputs by {n} inputs are {count:,} entries; expected at most {most:,}: "
            "take a part of the output or a smaller input"
        )
        raise ValueError(text.format(who=who, m=m, n=n, count=m * n, most=MAX_ENTRIES))


def _units(parts):
    """For every element of all arrays: arrays of zeros with a one there."""
    zeros = [np.zeros(part.shape, part.dtype) for part in parts]
    for k, part in enumerate(parts):
        for index in np.ndindex(part.shape):
            unit = np.zeros(part.shape, part.dtype)
            unit[index] = 1
            yield [*zeros[:k], unit, *zeros[k + 1 :]]
