"""The base of primitive classes: an op as an object, with what is noted about it."""

from functools import wraps
from inspect import signature
from typing import Any, Self

from ...kinds import of_kind
from ...layout import Placed

_HIDDEN = {"input_names", "output_names"}  # attributes that are not printed


class Primitive(metaclass=Placed):
    """An op as an object: options in the constructor, tensors in the call.

    What is noted about it, its options first, is in `attrs` and printed.

    >>> import labkit.mindspore as ms
    >>> ms.ops.MatMul(transpose_a=True).add_prim_attr("note", 1)
    Prim[MatMul]<transpose_a=True, transpose_b=False, note=1>
    """

    def __init__(self, name=None):
        self.name = name or type(self).__name__

    def __repr__(self):
        shown = ", ".join(f"{name}={value}" for name, value in self.attrs.items() if name not in _HIDDEN)
        return f"Prim[{type(self).__name__}]" + (f"<{shown}>" if shown else "")

    def add_prim_attr(self, name, value) -> Self:
        """Note something about the op, as `self.attrs` and as an attribute. Returns the op."""
        self.attrs[name] = value
        setattr(self, name, value)
        return self

    def del_prim_attr(self, name) -> Self:
        """Forget what was noted under this name. Returns the op."""
        if self.attrs.pop(name, None) is not None:
            self.__dict__.pop(name, None)
        return self

    def init_prim_io_names(self, inputs, outputs) -> None:
        """Name what the op takes and gives: two lists of names."""
        self.add_prim_attr("input_names", inputs)
        self.add_prim_attr("output_names", outputs)

    def recompute(self, mode=True) -> Self:
        """Ask that the output is computed again on the way back, which changes no number. Returns the op."""
        of_kind(mode, bool, "Expected True or False for `mode`.")
        return self.add_prim_attr("recompute", mode)

    def set_device(self, device_target) -> Self:
        """Note where the op is to run; here that is the CPU. Returns the op."""
        return self.add_prim_attr("primitive_target", device_target)

    def set_stage(self, stage) -> Self:
        """Note the stage of a pipeline; here there is one process. Returns the op."""
        return self.add_prim_attr("stage", stage)

    def set_prim_instance_name(self, name) -> Self:
        """Name this object. Returns the op."""
        self.instance_name = name
        return self

    def place(self, role, rank_id) -> None:
        """Note the process that the op is to run in; here there is one."""
        self.add_prim_attr("ms_role", role)
        self.add_prim_attr("rank_id", rank_id)

    def set_user_data(self, key, value) -> None:
        """Keep any object with the op, under a name."""
        self.__dict__.setdefault("_user_data", {})[key] = value

    def get_user_data(self, key) -> Any:
        """What was kept under this name; None where nothing was."""
        return self.__dict__.get("_user_data", {}).get(key)

    @property
    def attrs(self) -> dict:
        """What was noted about the op."""
        return self.__dict__.setdefault("_attrs", {})

    @property
    def init_attrs(self) -> dict:
        """The options."""
        return dict(getattr(self, "options", {}))

    def __call__(self, *args):
        raise NotImplementedError(f"{self.name}: expected a subclass that defines __call__")


def prim_attr_register(fun):
    """Decorate the `__init__` of a class derived from `Primitive`: its arguments become attributes, noted in `attrs`.

    >>> class Scale(Primitive):
    ...     @prim_attr_register
    ...     def __init__(self, factor=2):
    ...         self.init_prim_io_names(["x"], ["y"])
    >>> Scale(3), Scale().factor
    (Prim[Scale]<factor=3>, 2)
    """
    takes = signature(fun)

    @wraps(fun)
    def __init__(self, *args, **kwargs):
        given = takes.bind(self, *args, **kwargs)
        given.apply_defaults()
        Primitive.__init__(self)
        self.options = dict(list(given.arguments.items())[1:])
        for name, value in self.options.items():
            self.add_prim_attr(name, value)
        return fun(self, *args, **kwargs)

    return __init__
