"""Mixed precision in a hand-written `Function`: what its `forward` and its `backward` find."""

from collections.abc import Callable
from functools import partial, wraps

from .._autocast import autocast, cast, get_autocast_dtype, is_autocast_enabled


def custom_fwd(fwd=None, *, device_type, cast_inputs=None) -> Callable:
    """Decorate the `forward` of a `torch.autograd.Function` that may run inside of `autocast`.

    `cast_inputs`: a dtype to which floating tensors are cast inside of it, where `forward` then runs without autocast.

    >>> import labkit.torch as torch
    >>> class Product(torch.autograd.Function):
    ...     @staticmethod
    ...     @torch.amp.custom_fwd(device_type="cpu")
    ...     def forward(ctx, a, b):
    ...         ctx.save_for_backward(a, b)
    ...         return a @ b
    ...
    ...     @staticmethod
    ...     @torch.amp.custom_bwd(device_type="cpu")
    ...     def backward(ctx, g):
    ...         a, b = ctx.saved_tensors
    ...         return g @ b.T, a.T @ g
    >>> with torch.autocast("cpu"):
    ...     print(Product.apply(torch.ones(1, 2), torch.ones(2, 1)).dtype)
    torch.bfloat16
    """
    if fwd is None:
        return partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @wraps(fwd)
    def forward(ctx, *args, **kwargs):
        inside = is_autocast_enabled(device_type)
        ctx._dtype, ctx._fwd_used_autocast = get_autocast_dtype(device_type), inside and cast_inputs is None
        if not inside or cast_inputs is None:
            return fwd(ctx, *args, **kwargs)
        with autocast(device_type, enabled=False):
            return fwd(
                ctx, *(cast(a, cast_inputs) for a in args), **{k: cast(a, cast_inputs) for k, a in kwargs.items()}
            )

    return forward


def custom_bwd(bwd=None, *, device_type) -> Callable:
    """Decorate the `backward` of a function whose `forward` has `custom_fwd`: it runs in the mode in which that one ran."""
    if bwd is None:
        return partial(custom_bwd, device_type=device_type)

    @wraps(bwd)
    def backward(ctx, *args, **kwargs):
        with autocast(device_type, ctx._dtype, ctx._fwd_used_autocast):
            return bwd(ctx, *args, **kwargs)

    return backward
