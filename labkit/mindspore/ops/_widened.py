"""Functions of the table that take an option more here."""

from functools import wraps
from inspect import Signature, signature

from ...kinds import of_kind
from . import _composed, _elementwise, _reduction  # noqa: F401  (whose ops it asks for)
from ._op import METHODS, OPS


def _in_place_of_plain(made):
    """Enter a function with more options than the op of its name; without them it is that."""
    plain = OPS[made.__name__]

    @wraps(plain)
    def call(input, *args, **kwargs):
        return made(plain, input, *args, **kwargs) if args or kwargs else plain(input)

    words = list(signature(made).parameters.values())[1:]
    setattr(call, "__signature__", Signature(words))  # noqa: B010 - not known of a function
    OPS[made.__name__] = call
    if made.__name__ in METHODS:
        METHODS[made.__name__] = call
    return call


@_in_place_of_plain
def softplus(plain, input, beta=1, threshold=20):
    return OPS["where"](input * beta > threshold, input, plain(input * beta) / beta)


@_in_place_of_plain
def round(plain, input, *, decimals=0):
    if decimals:
        raise RuntimeError(f"For Round only support decimals equal 0, but got decimals equal {decimals}")
    return plain(input)


@_in_place_of_plain
def relu(plain, input, inplace=False):
    of_kind(inplace, bool, "For 'relu', expected True or False for `inplace`, but got {kind}.")
    if inplace:
        input[...] = plain(input)
    return input if inplace else plain(input)


@_in_place_of_plain
def count_nonzero(plain, input, axis=(), keep_dims=False, dtype=None):
    found = plain(input, axis, keep_dims)
    return found if dtype is None else found.astype(dtype)


@_in_place_of_plain
def bucketize(plain, input, boundaries, *, right=False):
    return plain(input, boundaries, right=right).astype("int32")


def copy_(self, src, non_blocking=False):
    """Write the elements of `src`, a tensor that broadcasts, into this one. Returns it."""
    self[...] = src.astype(self.dtype)
    return self


def _as_new(name):
    """What the method `name_` does on the CPU: the result of `name`; the tensor stays as it is."""
    op = OPS[name]

    def method(self, other, **options):
        return op(self, other, **options).astype(self.dtype)

    method.__name__ = f"{name}_"
    method.__doc__ = (
        f"The result of `{name}`, in the tensor's type. As in MindSpore on the CPU, the tensor itself stays as it is."
    )
    return method


METHODS["copy_"] = copy_
METHODS.update({f"{_name}_": _as_new(_name) for _name in ("add", "sub", "mul", "div", "floor_divide", "remainder")})
