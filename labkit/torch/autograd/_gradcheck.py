"""Compare derivatives with central differences."""

import numpy as np

from ...dialects.argument_types import as_tuple
from .._error_texts import error
from .._tensor.tensor import Tensor
from .._transforms.function_call import units


class GradcheckError(RuntimeError):
    """The analytical and the numerical Jacobian differ."""

    __module__ = "torch.autograd.gradcheck"


def _outputs(func, inputs):
    return [o for o in as_tuple(func(*inputs), (tuple, list)) if isinstance(o, Tensor) and o.dtype.is_floating_point]


def _numerical(func, inputs, number, eps):
    """One matrix per output: d output / d input, a row per element of the input."""
    tensor = inputs[number]
    array, rows = tensor._array, []
    for place in np.ndindex(array.shape):
        kept = array[place]
        array[place] = kept - eps
        low = [o._array.copy() for o in _outputs(func, inputs)]
        array[place] = kept + eps
        high = [o._array.copy() for o in _outputs(func, inputs)]
        array[place] = kept
        rows.append([((b - a) / np.asarray(2 * eps, b.dtype)).reshape(-1) for a, b in zip(low, high, strict=True)])
    if not rows:
        return [np.zeros((0, o.numel())) for o in _outputs(func, inputs)]
    return [np.stack(column) for column in zip(*rows, strict=True)]


def _analytical(output, inputs, place):
    from . import grad

    if not output.requires_grad:
        return np.zeros((inputs[place].numel(), output.numel()))
    found = np.zeros((inputs[place].numel(), output.numel()), output._array.dtype)
    for column, unit in zip(found.T, units(output), strict=True):
        g = grad(output, inputs[place], Tensor._of(unit), retain_graph=True, allow_unused=True)[0]
        column[...] = 0 if g is None else g._array.reshape(-1)
    return found


def _pushed(func, inputs, place, k):
    """What `_analytical` gives for output `k`, by forward mode."""
    from .forward_ad import dual_level, make_dual, unpack_dual

    rows = []
    for unit in units(inputs[place]):
        with dual_level():
            dual = make_dual(inputs[place], Tensor._of(unit))
            output = _outputs(func, (*inputs[:place], dual, *inputs[place + 1 :]))[k]
            tangent = unpack_dual(output).tangent
            rows.append(np.zeros(output.numel()) if tangent is None else tangent._array.reshape(-1))
    return np.stack(rows) if rows else np.zeros((0, _outputs(func, inputs)[k].numel()))


def gradcheck(
    func, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, check_forward_ad=False, check_backward_ad=True,
    **options,
):  # fmt: skip
    """True if the gradients of `func` at `inputs` agree with central differences of step `eps`.

    Inputs that require a gradient should be float64. `check_forward_ad` checks forward mode, too.
    Otherwise raises `GradcheckError` with both Jacobians, or returns
    False if `raise_exception` is False.

    >>> import labkit.torch as torch
    >>> x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradcheck(torch.exp, x)
    True
    """
    inputs = tuple(as_tuple(inputs, (tuple, list)))
    try:
        return _compare(func, inputs, eps, atol, rtol, check_backward_ad, check_forward_ad)
    except GradcheckError:
        if raise_exception:
            raise
        return False


def _compare(func, inputs, eps, atol, rtol, back=True, forward=False):
    if not back and not forward:
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    places = [i for i, t in enumerate(inputs) if isinstance(t, Tensor) and t.requires_grad]
    if not places:
        raise error("gradcheck_inputs")
    numbers = {place: _numerical(func, inputs, place, eps) for place in places}
    for by_forward in (mode for mode, asked in ((False, back), (True, forward)) if asked):
        for place, numerical in numbers.items():
            outputs = _outputs(func, inputs)
            if back and not any(o.requires_grad for o in outputs) and any(n.any() for n in numerical):
                raise GradcheckError("Numerical gradient for function expected to be zero")
            for k, output in enumerate(outputs):
                analytical = _pushed(func, inputs, place, k) if by_forward else _analytical(output, inputs, place)
                if not np.allclose(analytical, numerical[k], rtol, atol):
                    raise GradcheckError(_mismatch(k, place, numerical[k], analytical, by_forward))
    return True


def _mismatch(output, place, numerical, analytical, by_forward):
    mode = "computed with forward mode " if by_forward else ""
    return (
        f"Jacobian {mode}mismatch for output {output} with respect to input {place},\n"
        f"numerical:{Tensor._of(numerical)}\nanalytical:{Tensor._of(analytical)}\n"
    )


def gradgradcheck(func, inputs, grad_outputs=None, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, **options):
    """`gradcheck` of the first derivative: checks second derivatives.

    The other arguments and the errors are those of `gradcheck`; `grad_outputs` are random unless they are given.

    >>> import labkit.torch as torch
    >>> x = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradgradcheck(lambda x: x**3, x)
    True
    """
    from . import grad

    inputs = tuple(as_tuple(inputs, (tuple, list)))
    outputs = _outputs(func, inputs)
    if grad_outputs is None:
        grad_outputs = [Tensor._of(np.zeros(o._array.shape, o._array.dtype)).uniform_(-1, 1) for o in outputs]
        for g in grad_outputs:
            g.requires_grad = True
    seeds = as_tuple(grad_outputs, (tuple, list))

    def first(*args):
        values, cotangents = args[: len(inputs)], args[len(inputs) :]
        wanted = [t for t in values if isinstance(t, Tensor) and t.requires_grad]
        return grad(_outputs(func, values), wanted, cotangents, create_graph=True, allow_unused=True)

    return gradcheck(first, (*inputs, *seeds), eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception)
