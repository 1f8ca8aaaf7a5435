"""What becomes of all that a module holds: saved and loaded, cast, trained or not."""

import warnings
from collections import OrderedDict
from typing import Any, Self

from ...kinds import of_kind
from ...parts import Loaded
from .._device import check_device
from .._dtype import dtype
from .._gradient import forget_gradients
from .._node import Handle
from .._tensor import Tensor
from . import _state
from ._members import Members

KEPT_NUMBERS = (
    "labkit has no meta tensors: the parameters keep their numbers, and torch.func.functional_call puts others in their "
    "place"
)


def check_where(device) -> None:
    """Look whether a device is there; of "meta" say that tensors keep their numbers."""
    if str(device) == "meta":
        warnings.warn(KEPT_NUMBERS, UserWarning, stacklevel=3)
    else:
        check_device(device)


class Stated(Members):
    """Members with a state."""

    training: Any

    def state_dict(self, *args, destination=None, prefix="", keep_vars=False) -> OrderedDict[str, Tensor]:
        """`{dotted name: tensor}` of parameters and buffers; the tensors share memory with the module's.

        `keep_vars`: they are the module's own, on the tape; `destination`: a dict to put them in.

        >>> import labkit.torch as torch
        >>> list(torch.nn.Linear(2, 1).state_dict(prefix="head."))
        ['head.weight', 'head.bias']
        """
        given = dict(zip(("destination", "prefix", "keep_vars"), args, strict=False))
        destination = given.get("destination", destination)
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()  # type: ignore[attr-defined]
        return _state.collected(self, destination, given.get("prefix", prefix), given.get("keep_vars", keep_vars))

    def load_state_dict(self, state_dict, strict=True, assign=False) -> Loaded:
        """Copy the tensors of `state_dict` into the parameters and buffers of the same names; with `assign`, put them there."""
        return _state.load(self, state_dict, strict, assign)

    def get_extra_state(self) -> Any:
        """What `state_dict` is to hold besides; defined by a subclass, with `set_extra_state`."""
        raise RuntimeError(_state.BARE)

    get_extra_state.bare = True  # type: ignore[attr-defined]

    def set_extra_state(self, state) -> None:
        """Take over what `get_extra_state` gave."""
        raise RuntimeError(_state.BARE.replace("get_extra", "set_extra"))

    set_extra_state.bare = True  # type: ignore[attr-defined]

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        """Put the state of this module alone into `destination`; a subclass may do it otherwise."""
        _state.save_own(self, destination, prefix, keep_vars)

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        """Take the state of this module alone out of `state_dict`, a copy; a subclass may change it before."""
        lists = missing_keys, unexpected_keys, error_msgs
        _state.load_own(self, state_dict, prefix, local_metadata, strict, *lists)

    def _register_state_dict_hook(self, hook):
        """As `register_state_dict_post_hook`; a dict that `hook` returns takes the place of the state."""
        return _state.registered(self, _state.AFTER, hook)

    def _register_load_state_dict_pre_hook(self, hook, with_module=False):
        """As `register_load_state_dict_pre_hook`; `hook` gets no module unless told."""
        return _state.registered(self, _state.FIRST, hook if with_module else lambda module, *args: hook(*args))

    def register_state_dict_pre_hook(self, hook) -> Handle:
        """Call `hook(module, prefix, keep_vars)` before `state_dict` looks at this module."""
        return _state.registered(self, _state.BEFORE, hook)

    def register_state_dict_post_hook(self, hook) -> Handle:
        """Call `hook(module, state_dict, prefix, local_metadata)` after that; it may change `state_dict`."""
        return _state.registered(self, _state.AFTER, hook)

    def register_load_state_dict_pre_hook(self, hook) -> Handle:
        """Call `hook(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)` before
        a state is loaded; it may change `state_dict`, which is a copy."""
        return _state.registered(self, _state.FIRST, hook)

    def register_load_state_dict_post_hook(self, hook) -> Handle:
        """Call `hook(module, incompatible_keys)` after a state was loaded."""
        return _state.registered(self, _state.LAST, hook)

    def zero_grad(self, set_to_none=True) -> None:
        """Forget the gradients of all parameters, or set them to zero."""
        forget_gradients(self.parameters(), set_to_none)

    def requires_grad_(self, requires_grad=True) -> Self:
        """Make all parameters require gradients, or none."""
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    def train(self, mode=True) -> Self:
        """Set training mode here and below."""
        of_kind(mode, bool, "training mode is expected to be boolean", ValueError)
        for module in self.modules():
            module.training = mode
        return self

    def eval(self) -> Self:
        """Set evaluation mode here and below."""
        return self.train(False)

    def apply(self, fn) -> Self:
        """Call `fn` on every module below, then on this one."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def to(self, *args, **kwargs) -> Self:
        """Cast all floating parameters and buffers. To "meta", where tensors have no numbers, nothing goes, with a warning."""
        where = kwargs.get("device", args[0] if args else None)
        if where is not None and not isinstance(where, (Tensor, dtype)):
            check_where(where)
        if str(where) == "meta":
            return self
        wanted = kwargs.get("dtype", next((a for a in args if isinstance(a, dtype)), None))
        if wanted is not None and not wanted.is_floating_point:
            raise TypeError(
                f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={wanted}"
            )

        def cast(t):
            how = {k: v for k, v in kwargs.items() if k != "memory_format" or len(v.axes) == t.ndim}
            return t.to(*args, **how) if t.dtype.is_floating_point else t

        return self._apply(cast)

    def _apply(self, fn, recurse=True):
        """Put `fn(tensor)` in the place of each parameter, with its gradient, and of each buffer; here and below."""
        for child in self.children() if recurse else ():
            child._apply(fn)
        for p in self._parameters.values():
            if p is not None:
                p.data = fn(p.data)
                if p._grad is not None:
                    p._grad = fn(p._grad.detach())
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def type(self, dst_type) -> Self:
        """Cast all parameters and buffers."""
        return self._apply(lambda t: t.type(dst_type))

    def share_memory(self) -> Self:
        """The module itself: there are no other processes to share with."""
        return self

    def compile(self, *args, **kwargs) -> None:
        """Nothing is compiled here; see `torch.compile`."""

    def float(self) -> Self:
        return self.to(_dtype("float32"))

    def double(self) -> Self:
        return self.to(_dtype("float64"))

    def half(self) -> Self:
        return self.to(_dtype("float16"))

    def bfloat16(self) -> Self:
        return self.to(_dtype("bfloat16"))

    def cpu(self) -> Self:
        return self

    def cuda(self, device=None) -> Self:
        """On a GPU, of which there is none: raises AssertionError, as PyTorch does."""
        return self.to("cuda" if device is None else device)


def _dtype(name):
    from .._dtype import lookup

    return lookup(name)
