"""What code may change besides the names that it assigns: lists, dicts and tensors at hand, parameters, and attributes.

So that both sides of a choice, or a round of a loop, can be run from the same beginnings.
"""

from typing import Any, NamedTuple

from ...engine import map_leaves
from ..common.parameter import Parameter
from ..common.tensor import Tensor, wrap
from .operators import numbered
from .recorder import current


class Going(NamedTuple):
    """How a loop's body ends: whether the loop is left and the function, what that returns, and the values of names."""

    ways: tuple
    value: Any
    state: list


class World:
    """Lists, dicts and tensors that can be reached from `space`, `{name: value}`, and all parameters, as they are now."""

    def __init__(self, space):
        self.things: dict[int, Any] = {}
        self.attributes = current.recorder.attributes.all if current.recorder.attributes else ()
        self._look(list(space.values()) if space else [])
        self.before = self._now()

    def _look(self, value):
        if id(value) in self.things or isinstance(value, Parameter):
            return
        if isinstance(value, (list, dict, Tensor)):
            self.things[id(value)] = value
        if isinstance(value, (list, tuple, dict)):
            for part in value.values() if isinstance(value, dict) else value:
                self._look(part)

    def _now(self):
        contents = {
            key: thing._value if isinstance(thing, Tensor) else thing.copy() for key, thing in self.things.items()
        }
        held = [attribute.get() for attribute in self.attributes]
        return contents, dict(current.recorder.written), dict(current.substitutions), held

    def _put(self, key, content):
        thing = self.things[key]
        if isinstance(thing, Tensor):
            thing._value = content
        elif isinstance(thing, list):
            thing[:] = content
        else:
            thing.clear()
            thing.update(content)

    def as_changed(self, output) -> Any:
        """`output`, with tensors of their own for those at hand that have been changed in place, which will be taken back."""

        def kept(leaf):
            changed = isinstance(leaf, Tensor) and self.before[0].get(id(leaf), leaf._value) is not leaf._value
            return wrap(leaf._value) if changed else leaf

        return output if isinstance(output, Going) else map_leaves(kept, output)

    def taken_back(self) -> tuple:
        """What has been changed since; it is as before again."""
        changed, (contents, written, substituted, held) = self._now(), self.before
        for attribute, value in zip(self.attributes, held, strict=True):
            attribute.put(value)
        for key, content in contents.items():
            self._put(key, content)
        _refill(current.recorder.written, written)
        _refill(current.substitutions, substituted)
        return changed

    def changes(self, changed) -> list[tuple]:
        """`(put, get, before)` of all that is otherwise in `changed`, which `taken_back` gave."""
        found: list[tuple] = []
        for key, before in self.before[0].items():
            if not _same(changed[0][key], before):
                thing = self.things[key]
                get = lambda thing=thing: wrap(thing._value) if isinstance(thing, Tensor) else thing.copy()
                found.append((lambda value, key=key: self._put(key, _content(value)), get, get()))
        for key, (parameter, _) in changed[1].items():
            if self.before[1].get(key) is not changed[1][key]:
                get = lambda parameter=parameter: wrap(_before(parameter))
                found.append((lambda value, p=parameter: _write(p, value._value), get, get()))
        for key, box in changed[2].items():
            if self.before[2].get(key) is not box and key in self.before[2]:
                get = lambda key=key: wrap(current.substitutions[key])
                found.append((lambda value, key=key: _substitute(key, value._value), get, get()))
        for attribute, before, now in zip(self.attributes, self.before[3], changed[3], strict=True):
            if now is not before:
                get = lambda attribute=attribute: map_leaves(numbered, attribute.get())
                found.append((attribute.put, get, map_leaves(numbered, before)))
        return found

    def join(self, joining, one, other) -> None:
        """Note what the two sides changed: each of it once."""
        self.joined = []
        for key, before in self.before[0].items():
            ends = [one[0][key], other[0][key]]
            if not all(_same(end, before) for end in ends):
                values = [wrap(end) for end in ends] if isinstance(self.things[key], Tensor) else ends
                self.joined.append((self._put, key, joining.join(*values)))
        for key in {**one[1], **other[1]}:
            ends = [(side[1].get(key) or self.before[1].get(key)) for side in (one, other)]
            parameter = next(end for end in ends if end)[0]
            if ends[0] is not ends[1]:
                values = [wrap(end[1] if end else _before(parameter)) for end in ends]
                self.joined.append((_write, parameter, joining.join(*values, name=f"new_{parameter.name}")))
        for key in one[2].keys() | other[2].keys():
            ends = [side[2].get(key) for side in (one, other)]
            if ends[0] is not ends[1] and all(end is not None for end in ends):
                self.joined.append((_substitute, key, joining.join(*map(wrap, ends))))
        for attribute, before, *ends in zip(self.attributes, self.before[3], one[3], other[3], strict=True):
            if not all(end is before for end in ends):
                self.joined.append((_assign, attribute, joining.join(*ends, name=attribute.name)))

    def settle(self, joining) -> None:
        """Change what the program will have changed."""
        for put, key, place in self.joined:
            made = joining.made(place)
            put(key, made if put is _assign else _content(made))


def _content(value):
    return value._value if isinstance(value, Tensor) else value


def _same(content, before):
    if not isinstance(content, (list, dict)):
        return content is before
    if isinstance(content, dict):
        return content.keys() == before.keys() and all(content[key] is before[key] for key in content)
    return len(content) == len(before) and all(a is b for a, b in zip(content, before, strict=True))


def _refill(store, content):
    store.clear()
    store.update(content)


def _before(parameter):
    """The value of a parameter, without the boxes of derivatives."""
    return current.recorder.value(parameter, vars(Tensor)["_value"].__get__(parameter))


def _write(parameter, value):
    current.recorder.write(parameter, value)


def _assign(attribute, value):
    attribute.put(value)


def _substitute(key, value):
    current.substitutions[key] = value
