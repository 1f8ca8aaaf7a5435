"""How a tensor prints: `str` as NumPy does, `repr` in MindSpore's own columns.

>>> import numpy as np
>>> print(as_repr(np.float32([1, 2.5])))
Tensor(shape=[2], dtype=Float32, value= [ 1.00000000e+00,  2.50000000e+00])
"""

import numpy as np

from . import dtype as mstype

_PER_LINE = {"f": 12, "b": 12, "i": 24, "u": 24}  # elements of a 1-D tensor before the line breaks
_EDGE, _LONGEST_1D, _LONGEST_ND = 3, 1000, 6


def as_str(array):
    """What `print(tensor)` shows."""
    array = np.asarray(array)
    if array.dtype.kind not in "fiub":  # bfloat16
        plain = array.astype(np.float32)
        return f"{plain:f}" if plain.ndim == 0 else np.array2string(plain, formatter={"float": "{:f}".format})
    if array.ndim == 0 and array.dtype.kind == "f":
        return _scalar(array[()])
    return str(array)


def _scalar(x):
    """Shortest digits that identify `x`; an exponent from 1e16 on and below 1e-4."""
    if not np.isfinite(x):
        return str(x)
    if x != 0 and not 1e-4 <= abs(float(x)) < 1e16:
        return np.format_float_scientific(x, trim="-", exp_digits=2)
    return np.format_float_positional(x, trim="0")


def as_repr(array):
    """What `repr(tensor)` shows."""
    array = np.asarray(array)
    head = f"Tensor(shape={list(array.shape)}, dtype={mstype.of(array.dtype)}, value="
    if array.ndim == 0:
        return f"{head} {_short(array[()])})"
    if array.size == 0:
        return f"{head}{' ' if array.ndim == 1 else chr(10)})"
    if array.ndim == 1:
        return f"{head} {_line(array)})"
    return f"{head}\n{_block(_texts(_summary_elements(array)), array.shape, 0)})"


def _short(x):
    """A 0-d value with six significant digits, as a C++ stream writes it."""
    return str(x) if np.result_type(x).kind in "iub" else f"{float(x):g}"


def _texts(array):
    """Every element as text, all of one width; an object array of the same shape."""
    kind, size, elements = array.dtype.kind, array.dtype.itemsize, array.ravel().tolist()
    if kind == "f":
        width, digits = (11, 4) if size == 2 else (15, 8)
        texts = [_float(x, digits) for x in elements]
    else:
        texts = [str(x) for x in elements] if kind in "iub" else [f"{float(x): g}" for x in elements]
        width = 5 if kind == "b" else max(map(len, texts))
    out = np.empty(array.size, object)
    out[:] = [t.rjust(width) for t in texts]
    return out.reshape(array.shape)


def _float(x, digits):
    if x != x:
        return "-nan" if np.signbit(x) else "nan"
    return f"{x:.{digits}e}"


def _ends(texts):
    return f"[{', '.join(texts[:_EDGE])} ... {', '.join(texts[-_EDGE:])}]"


def _line(array):
    """A 1-D tensor: broken into lines, or summarised when it is long."""
    if len(array) > _LONGEST_1D:
        return _ends(_texts(np.concatenate([array[:_EDGE], array[-_EDGE:]])))
    texts, per_line = _texts(array), _PER_LINE.get(array.dtype.kind, 12)
    rows = [", ".join(texts[i : i + per_line]) for i in range(0, len(texts), per_line)]
    closing = "\n ]" if len(texts) % per_line == 0 else "]"
    return "[" + ", \n ".join(rows) + closing


def _summary_elements(array):
    """The elements that will be shown: both ends of every axis that is long."""
    for axis, n in enumerate(array.shape):
        if n > _LONGEST_ND:
            array = np.take(array, [*range(_EDGE), *range(n - _EDGE, n)], axis)
    return array


def _block(texts, shape, depth):
    """A tensor of two dimensions or more, in nested brackets."""
    long = shape[depth] > _LONGEST_ND
    if texts.ndim == 1:
        return _ends(texts) if long else f"[{', '.join(texts)}]"
    rows = [_block(part, shape, depth + 1) for part in texts]
    indent = "\n" + " " * (depth + 1)
    if long:
        rows[_EDGE:_EDGE] = ["..."]
    return "[" + f",{indent}".join(rows).replace(f"...,{indent}", f"...{indent}") + "]"


def shape_text(shape):
    """A shape as the errors of compiled code write it, such as `[const vector]{2, 3}`."""
    return f"[const vector]{{{', '.join(map(str, shape))}}}"
