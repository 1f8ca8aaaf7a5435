"""What the rewritten source of a function calls where it branches and loops (`_source` rewrites it).

A test that is known decides as it does in Python. One that is known only when the program runs makes a choice of the program:
both sides are run, what each of them gives, assigns, puts into lists and writes to parameters is joined, and the program runs
one of them.
"""

import builtins
import operator
from contextlib import nullcontext
from copy import copy
from functools import partial, reduce
from typing import Any

import autograd.numpy as anp
import numpy as np

from ...engine import cast, user_site
from ...engine import current as shown
from ...engine import stop_gradient as constant
from ...program import Fork, TraceError, recorded
from ..common.tensor import Tensor, wrap
from .branch_join import ABSENT, MISSING, Joining, Missing
from .loop_rounds import rounds
from .operators import KINDS, Number, number, numbered
from .recorder import current
from .side_effects import Going, World


def held(space, names):
    """The values of names, `MISSING` for one that has none."""
    return tuple(space.get(name, MISSING) for name in names)


def missing(value, name):
    """Whether a name has no value; what is said where it is used is kept."""
    if isinstance(value, Missing) and value.words and current.recorder is not None:
        current.recorder.undefined[name] = value.words
    return isinstance(value, Missing)


def unknown(test):
    """Whether a test is known only when the program runs."""
    return isinstance(test, Tensor) and recorded(test._value) is not None


def truth(test):
    """The value that decides. Raises ValueError for a tensor of several elements, as graph mode does."""
    if test.shape not in ((), (1,)):
        raise ValueError(
            "Only tensor which shape is () or (1,) can be converted to bool, but got tensor shape is "
            f"({', '.join(map(str, test.shape))})"
        )
    return test._value


# ---- writes ----


def written(held, place, value):
    """`held` with `value` at a place: a value of its own, so that what else has a name for it keeps what it had."""
    held = _own(held)
    held[place] = value
    return held


_OPERATORS = {"Div": "itruediv", "MatMult": "imatmul", "Mult": "imul"}  # the others are as in the tree


def augmented(held, place, name, value):
    """`written` for `held[place] += value`; `name`: of the operator in the source's tree."""
    operate = getattr(operator, _OPERATORS.get(name, f"i{name.removeprefix('Bit').lower()}"))
    return written(held, place, operate(held[place], value))


def changed(held, method, *args, **kwargs):
    """`held` after a method was called, whose answer nobody takes; a list or dictionary is one of its own, as in `written`."""
    held = _own(held) if type(held) in (list, dict) else held
    getattr(held, method)(*args, **kwargs)
    return held


def _own(held):
    return wrap(held._value) if type(held) is Tensor else copy(held) if type(held) in (list, dict) else held


# ---- if ----


def branch(test, then, orelse, names, space):
    """The values of `names` after `if test: then, else: orelse`."""
    state = held(space, names)
    if not unknown(test):
        with _side_shown(test):
            return (then if test else orelse)(*state)
    return _choice(test, lambda: then(*state), lambda: orelse(*state), space, names)


def ending(test, then, orelse, names, space):
    """What a function returns that ends in an `if`."""
    state = held(space, names)
    if not unknown(test):
        with _side_shown(test):
            return (then if test else orelse)(*state)
    return _choice(test, lambda: then(*state), lambda: orelse(*state), space, returned=True)


def _side_shown(test):
    """The block of a picture that has what the side taken runs."""
    if shown.scopes is None or not isinstance(test, Tensor):
        return nullcontext()
    sides = ("true", "false") if test else ("false", "true")
    return shown.scopes.block(f"if in line {user_site()[1]}", f"{sides[0]} is taken, {sides[1]} is not")


class _Count:
    """How many rounds a loop has had, as text."""

    def __init__(self):
        self.rounds = 0

    def __str__(self):
        return f"{self.rounds} round{'' if self.rounds == 1 else 's'}"


def _choice(test, then, orelse, space=(), names=(), *, returned=False):
    """What one of two functions gives; what they change besides is changed as by that one. `returned`: to leave the function."""
    fork, world, log = Fork(truth(test)), World(space), current.recorder.recording.log
    begin = len(log)
    kept = world.as_changed if returned else lambda output: output
    given = fork.run(lambda: kept(_side(then)))
    changed = world.taken_back()
    other = fork.run(lambda: kept(_side(orelse)))
    joining, changed = Joining(names), (changed, world.taken_back())
    try:
        output = joining.join(given, other)
        world.join(joining, *changed)
    except TraceError:  # no value stands for both: this program is for the one side, another one for the other
        log[begin:] = [node for node in log[begin:] if node.fun is None]
        return then() if current.recorder.decide(truth(test), bool) else orelse()
    joining.close(fork)
    world.settle(joining)
    return joining.made(output)


class _Raised(Exception):
    """An error that one side of a choice raises."""


def _side(run):
    """What a side gives. One that raises an error gives nothing: the program raises it."""
    current.recorder.sides += 1
    try:
        return run()
    except _Raised as raised:
        error = raised.args[0]
        lines = [arg for arg in error.args if isinstance(arg, str)]
        current.recorder.effect("raises", type(error).__name__, lines, partial(_throw, current.recorder, error))
        return ABSENT
    finally:
        current.recorder.sides -= 1


def _throw(recorder, error, lines):
    """Raise an error, the texts among its arguments as they are in this run."""
    recorder.say()
    texts = iter(lines)
    raise type(error)(*[next(texts) if isinstance(arg, str) else arg for arg in error.args])


def raising(error):
    """What `raise error` raises: inside of a choice it is the program that does."""
    if current.recorder is None or not current.recorder.sides:
        return error
    return _Raised(error() if isinstance(error, type) else error)


def _raised(error):
    raise _Raised(error)


def asserted(test, *message):
    """`assert test, message()`."""
    words = [given() for given in message]
    if not unknown(test):
        if not test:
            raise AssertionError(*words)
        return
    _choice(test, lambda: None, lambda: _raised(AssertionError(*words)))


# ---- and, or, not, a if t else b ----


def both(value, *others):
    """`value and other and ...`; each of `others` is a function that gives it."""
    for other in others:
        if unknown(value):
            value = _choice(value, other, lambda value=value: value)
        elif value:
            value = other()
        else:
            return value
    return value


def either(value, *others):
    """`value or other or ...`."""
    for other in others:
        if unknown(value):
            value = _choice(value, lambda value=value: value, other)
        elif value:
            return value
        else:
            value = other()
    return value


def negated(value):
    """`not value`."""
    if not unknown(value):
        return not value
    made = number if isinstance(value, Number) else wrap
    return made(anp.logical_not(anp.reshape(constant(truth(value)), ())))


def either_value(test, then, orelse):
    """`then() if test else orelse()`."""
    if not unknown(test):
        with _side_shown(test):
            return then() if test else orelse()
    return _choice(test, then, orelse)


def compared(tests, value, *others):
    """`value < other < ...`; each of `others` is a function that gives what is compared."""
    following = others[0]()
    result = tests[0](value, following)
    if len(tests) == 1:
        return result
    return both(result, lambda: compared(tests[1:], following, *others[1:]))


# ---- functions of Python's ----


def called(function, *args):
    """`function(*args)`, where the source names a function of Python's that asks for values."""
    special = _SPECIAL.get(id(function))
    return function(*args) if special is None or not any(map(unknown, args)) else special(*args)


def _converted(kind):
    def convert(value):
        truth(value)
        return number(cast(anp.reshape(constant(value._value), ()), np.dtype(KINDS[kind])))

    return convert


def item(value):
    """`value.item()`."""
    if not unknown(value):
        return value.item()
    kind = {"b": bool, "i": int, "u": int}.get(value._value.dtype.kind, float)
    return _converted(kind)(value)


def picked(values, place):
    """`values[place]`; of a list or tuple, the program chooses by the place."""
    if not unknown(place) or not isinstance(values, (list, tuple)):
        return values[place]
    plain = wrap(anp.reshape(constant(truth(place)), ()) % len(values))
    found = values[-1]
    for k in reversed(range(len(values) - 1)):
        found = either_value(plain == k, lambda k=k: values[k], lambda found=found: found)
    return found


def _extreme(better):
    def choose(*values):
        return reduce(lambda a, b: either_value(better(b, a), lambda: b, lambda: a), values)

    return choose


class _Range:
    """A `range` with a limit that is known only when the program runs."""

    def __init__(self, *limits):
        start, stop, step = ((*limits, 1) if len(limits) == 2 else (0, *limits, 1))[:3]
        self.start, self.stop, self.step = start, stop, step


def _range(*limits):
    """Raises TypeError for a tensor that is not known, as graph mode does; numbers of the program may be limits."""
    tensors = [(k, limit) for k, limit in enumerate(limits) if unknown(limit) and not isinstance(limit, Number)]
    if not tensors:
        return _Range(*limits)
    place, limit = tensors[0]
    shape = f"({', '.join(map(str, limit.shape))})"
    raise TypeError(
        f"For 'make_range', the {place}th input should be a int scalar but got AbstractTensor(shape: {shape}, element: "
        f"AbstractScalar(Type: {limit.dtype}, Value: ValueAny, Shape: NoShape), value: ValueAny)"
    )


_SPECIAL = {
    id(builtins.bool): _converted(bool), id(builtins.int): _converted(int), id(builtins.float): _converted(float),
    id(builtins.max): _extreme(lambda b, a: b > a), id(builtins.min): _extreme(lambda b, a: b < a), id(builtins.range): _range,
}  # fmt: skip
NAMES = ("bool", "int", "float", "max", "min", "range")


# ---- loops ----


def goes(left, state, *value):
    """How a loop's body ends: whether the loop is left, and what the function returns, if it does; its names' values."""
    return Going((left, bool(value)), value[0] if value else ABSENT, state)


def each(values, body, names, space):
    """`[(whether the function returns, what), *values of names]` after `for item in values: body`."""
    if isinstance(values, _Range):
        return _counted(values, body, held(space, names), space, names)
    return _steps(iter(values), body, held(space, names), space, names)


def _counted(values, body, state, space, names):
    """A `for` through a range whose limits are known only when the program runs: a loop of a counter."""

    def round_of(count, *state):
        how, value, after = body(*state, count)
        return how, value, (count + values.step, *after)

    test = _Test(lambda count, *state: count < values.stop if values.step > 0 else count > values.stop)
    start = (numbered(values.start), *state)
    outcome, _, *after = rounds(test, round_of, start, (None, *names), space)
    return [outcome, *after]


def _steps(items, body, state, space, names):
    for item in items:
        (left, returned), value, state = body(*state, item)
        if unknown(left):
            ended, others = [(returned, value), *state], partial(_steps, items, body, state, space, names)
            return _choice(left, partial(list, ended), others, space, (None, *names))
        if left:
            return [(returned, value), *state]
    return [(False, ABSENT), *state]


def loop(test, body, names, space):
    """The same after `while test: body`; both are functions of the names."""
    state, count = held(space, names), _Count()
    if shown.scopes is None:
        return _run_rounds(test, body, state, names, space, count)
    with shown.scopes.block(f"while in line {user_site()[1]}", count):
        return _run_rounds(test, body, state, names, space, count)


def _run_rounds(test, body, state, names, space, count):
    while True:
        world: Any = World(space) if current.recorder is not None else None
        decided = test(*state)
        if not unknown(decided):
            if not decided:
                return [(False, ABSENT), *state]
            count.rounds += 1
            with shown.scopes.block(f"round {count.rounds}", "") if shown.scopes else nullcontext():
                (left, returned), value, following = body(*state)
            if not unknown(left):
                if left:
                    return [(returned, value), *following]
                state = following
                continue
            world.taken_back()
        return rounds(_Test(test), body, state, names, space)


class _Test:
    """The test of a loop, as its rounds ask for it: whether the loop has not been left, and the test holds."""

    def __init__(self, test):
        self.test = test

    def __call__(self, state, left):
        found = self.test(*state) if left is None else both(_plain(negated(left)), lambda: self._holds(state, left))
        return truth(found) if isinstance(found, Tensor) else np.bool_(found)

    def _holds(self, state, left):
        """Whether the test holds, of a loop that has not been left."""
        found = self.test(*state)
        return _plain(negated(negated(found))) if unknown(found) else _plain(negated(left)) if found else _plain(left)


def _plain(value):
    return wrap(value._value)
