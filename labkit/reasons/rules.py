"""Asks the engine's primitives about their derivatives."""

from typing import Any

import numpy as np

from ..engine import dense, getval, vjp_of
from .probe import Probe, on_grid


def is_floating(value: Any) -> bool:
    """Whether it is a floating number or array."""
    return isinstance(value, (float, np.floating)) or getattr(getattr(value, "dtype", None), "kind", "") in ("f", "V")


def function_alone(fun: Any, args: Any, kwargs: Any, place: int) -> Probe | None:
    """What a primitive is like as a function of the argument at `place`, without slopes `here`."""
    return on_grid(_with_slopes(fun, args, kwargs, place))


def probe_of(fun: Any, args: Any, kwargs: Any, place: int, arrived: np.ndarray) -> Probe | None:
    """What the derivative of a primitive is like in the argument at `place`; `here`: where something `arrived`."""
    on = _with_slopes(fun, args, kwargs, place)
    found = on_grid(on)
    if found is None:
        return None
    with np.errstate(all="ignore"):
        _, here = on(np.asarray(args[place]))
    here = np.asarray(here, float)
    same = here.shape == np.shape(arrived)
    return Probe(found.values, found.slopes, here[np.asarray(arrived) != 0] if same else here.ravel())


def _with_slopes(fun, args, kwargs, place):
    """A function from numbers in the argument at `place` to values and slopes."""

    def on(values: Any) -> Any:
        if any(i != place and np.ndim(a) for i, a in enumerate(args) if isinstance(a, np.ndarray)):
            raise TypeError("a function of several arrays")
        given = [values if i == place else a for i, a in enumerate(args)]
        result = fun(*given, **kwargs)
        (slopes,) = vjp_of(fun)((place,), result, given, kwargs)(np.ones_like(np.asarray(result)))
        return np.asarray(getval(result)), np.asarray(getval(dense(slopes)))

    return on


def zero_factors(fun: Any, args: Any, kwargs: Any, leading: Any, result: Any) -> list[np.ndarray]:
    """The arguments of a primitive, other than those at the places `leading`, that are zero and multiply what leads on: with
    ones in their place something is sent, and with twos twice as much."""
    found = []
    for place, argument in enumerate(args):
        if place in leading or not is_floating(argument) or np.any(argument):
            continue
        try:
            once, twice = (_sent_with(fun, args, kwargs, leading, place, number, result) for number in (1, 2))
        except Exception:  # an op that cannot be asked with other numbers there
            continue
        if np.any(once) and np.allclose(2 * once, twice, rtol=1e-2):
            found.append(np.asarray(argument))
    return found


def _sent_with(fun, args, kwargs, leading, place, number, result):
    given = [np.full_like(a, number) if i == place else a for i, a in enumerate(args)]
    with np.errstate(all="ignore"):
        places = tuple(leading)
        found = vjp_of(fun)(places, np.asarray(fun(*given, **kwargs)), given, kwargs)(np.ones_like(np.asarray(result)))
    return np.concatenate([np.asarray(getval(dense(one)), float).ravel() for one in found])


def sends_elsewhere(fun: Any, args: Any, kwargs: Any, argnums: Any, result: Any, arrived: np.ndarray) -> bool:
    """Whether an argument of a primitive that is not at `argnums`, would get something of what `arrived`."""
    for place, argument in enumerate(args):
        if place not in argnums and is_floating(argument) and np.shape(argument) == np.shape(result):
            try:
                with np.errstate(all="ignore"):
                    (sent,) = vjp_of(fun)((place,), result, args, kwargs)(arrived)
                if np.any(np.asarray(getval(dense(sent)))):
                    return True
            except Exception:  # no rule for this argument
                continue
    return False
