"""Hooks of gradients: of one tensor, of several at once, and the handles that end them."""

from itertools import count

from ...dialects.class_paths import Placed
from ...dialects.packed_arrays import forms, pack, unpack
from ...engine import custom_vjp, isbox
from ..common.tensor import Tensor, hooked, wrap

_numbers = count()


class _Asked:
    """Whether some cell has had a backward hook: a hook gets the gradient of every input, asked for or not."""

    backward = False


asked = _Asked()


class HookHandle(metaclass=Placed):
    """What the `register_..._hook` methods of a cell return: `remove()` ends the hook."""

    _shown = "mindspore.common.hook_handle.HookHandle"

    def __init__(self, hooks=None):
        self._hooks, self.handle_id = hooks, next(_numbers)

    def remove(self) -> None:
        """From now on the cell runs without this hook. Again, it does nothing."""
        if self._hooks is not None:
            self._hooks.pop(self.handle_id, None)


def hooked_together(args, hook) -> tuple:
    """`args` unchanged, but the gradients of the tensors among them go through `hook`, together.

    `hook` gets a tuple with the gradient of each tensor, None for one that has none; the gradients in the tuple that it
    returns take their places.
    """
    places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
    boxed = [i for i in places if isbox(args[i]._value)]
    if not boxed:
        return tuple(args)
    values = [args[i]._value for i in boxed]
    arrived: set[int] = set()
    shapes = forms(values)

    def changed(packed):
        parts = [packed._value] if len(boxed) == 1 else unpack(packed._value, shapes)
        came = {i: wrap(p) for i, p in zip(boxed, parts, strict=True) if i in arrived or len(boxed) == 1}
        arrived.clear()
        answers = dict(zip(places, hook(tuple(came.get(i) for i in places)), strict=True))
        given = [part if answers[i] is None else answers[i]._value for i, part in zip(boxed, parts, strict=True)]
        return wrap(given[0] if len(boxed) == 1 else pack(given))

    if len(boxed) == 1:
        return _replaced(args, boxed, [hooked(values[0], changed)])
    parts = unpack(hooked(pack(values), changed), shapes)
    return _replaced(args, boxed, [marked(p, i, arrived) for i, p in zip(boxed, parts, strict=True)])


def marked(value, place, arrived):
    """`value` unchanged; `place` is among the `arrived` as soon as a gradient comes back to it."""

    def rule(ans, g, x):
        arrived.add(place)
        return (g,)

    return custom_vjp(lambda x: x, rule, made_of_ops=True, any_shape=True)(value)


def _replaced(args, places, values):
    found = list(args)
    for place, value in zip(places, values, strict=True):
        found[place] = wrap(value)
    return tuple(found)
