"""`torch.nn.modules.utils`: numbers as pairs and triples, and names in a state that begin with a prefix."""

from collections.abc import Callable, Iterable
from typing import Any

from ....aliases import attributes

__all__ = ["consume_prefix_in_state_dict_if_present"]


def _ntuple(n, name="parse") -> Callable[[Any], tuple]:
    """A function that gives what can be walked through as a tuple, and anything else `n` times.

    >>> _ntuple(2)(3), _ntuple(2)([1, 2])
    ((3, 3), (1, 2))
    """

    def parse(x):
        return tuple(x) if isinstance(x, Iterable) else (x,) * n

    parse.__name__ = name
    return parse


_single, _pair, _triple, _quadruple = (
    _ntuple(n, name) for n, name in enumerate(("_single", "_pair", "_triple", "_quadruple"), 1)
)


def _reverse_repeat_tuple(t, n) -> tuple:
    """The elements of `t` from the last to the first, each `n` times: padding as `pad` takes it.

    >>> _reverse_repeat_tuple((1, 2), 2)
    (2, 2, 1, 1)
    """
    return tuple(x for x in reversed(t) for _ in range(n))


def _list_with_default(out_size, defaults) -> Any:
    """`out_size` with the last of `defaults` in the places of None."""
    if isinstance(out_size, int):
        return out_size
    if len(defaults) <= len(out_size):
        raise ValueError(f"Input dimension should be at least {len(out_size) + 1}")
    return [d if v is None else v for v, d in zip(out_size, defaults[-len(out_size) :], strict=True)]


def consume_prefix_in_state_dict_if_present(state_dict, prefix) -> None:
    """Take `prefix` off the names in `state_dict`, in place, those of its versions, too.

    >>> state = {"module.weight": 1, "bias": 2}
    >>> consume_prefix_in_state_dict_if_present(state, "module.")
    >>> sorted(state)
    ['bias', 'weight']
    """
    for key in [key for key in state_dict if key.startswith(prefix)]:
        state_dict[key.removeprefix(prefix)] = state_dict.pop(key)
    about = getattr(state_dict, "_metadata", {})
    for key in list(about):
        if key == prefix.removesuffix(".") or key.startswith(prefix):
            about[key.removeprefix(prefix.removesuffix(".")).removeprefix(".")] = about.pop(key)


__getattr__ = attributes(__name__)
