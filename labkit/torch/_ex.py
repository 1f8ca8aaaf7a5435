"""`torch.linalg.inv_ex` and its like: what could be computed, and a number that says where it broke off."""

from collections.abc import Callable

import numpy as np

from ._comparing import where
from ._dispatch import off_tape
from ._reduce import PAIRS
from ._solving import LinAlgError, broken, cholesky, inv, solve
from ._tensor import Tensor


def _with_info(name, fun, doc) -> Callable:
    """`fun` without an error: `(value, info)`, info 0, or the first column or minor by which a matrix has no answer."""

    def found(A, *args, check_errors=False, **kwargs):
        info = np.zeros(A.shape[:-2], np.int32)
        try:
            value = fun(A, *args, **kwargs)
        except LinAlgError as error:
            if check_errors:
                raise LinAlgError(str(error).replace(f"linalg.{fun.__name__}", f"linalg.{name}", 1)) from None
            for place in np.ndindex(info.shape):
                info[place] = broken(fun is cholesky, A._array[place])
            wrong = info.reshape(*info.shape, 1, 1) > 0
            value = fun(
                where(Tensor._of(wrong), Tensor._of(np.eye(A.shape[-1], dtype=A._array.dtype)), A), *args, **kwargs
            )
            bad = wrong.reshape(*info.shape, *(1,) * (value.ndim - info.ndim))
            value = where(Tensor._of(bad), float("nan"), value)
        return PAIRS[f"linalg_{name}"](value, off_tape(info, name, A))

    found.__name__ = found.__qualname__ = name
    found.__doc__ = doc
    return found


inv_ex = _with_info("inv_ex", inv, "Inverses of matrices: `(inverse, info)`; nan, and its number, where there is none.")
cholesky_ex = _with_info(
    "cholesky_ex", cholesky, "Roots of matrices: `(L, info)`; nan, and the leading minor's number, where there is none."
)
solve_ex = _with_info("solve_ex", solve, "Solutions of A @ x = B: `(result, info)`; nan where A is singular.")
