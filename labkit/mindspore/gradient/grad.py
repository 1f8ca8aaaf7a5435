"""Derivatives as functions of functions: `grad` and `value_and_grad`.

`grad(fn)` returns a new function; the one given runs forward under the engine's boxes and backward once, for all
inputs and weights together. Nothing is stored on tensors: no `.grad`, nothing to zero, nothing to retain.
"""

from collections.abc import Callable
from functools import wraps

from ...dialects.argument_types import of_kind
from ...dialects.user_warnings import warn_user
from ..common.tensor import Tensor
from ..context import compiles, in_graph_mode
from .reverse_run import Mutable, Run, tensors_in
from .sens import check_cotangent, without_cotangent

__all__ = ["get_grad", "grad", "value_and_grad"]
_NO_TENSOR = (
    "grad of {name}: the argument at position {place} is of type {kind}, and only a Tensor gets a gradient, so the result has "
    "none for it. Pass ms.Tensor(...) there."
)
_NESTED = (
    "grad of {name}: the argument at position {place} is of type {kind}, and only a Tensor gets a gradient, so the result has "
    "none for it. Pass ms.mutable(...), in graph mode, or its tensors one by one there."
)
_NO_RESULT = "grad of {name}: the function returned None, so every gradient is 0. Is a return missing?"


def grad(fn, grad_position=0, weights=None, has_aux=False, return_ids=False, sens_param=False) -> Callable:
    """The gradient function of `fn`: called like `fn`, it returns the gradient instead of the output.

    Arguments: `grad_position`, a position or tuple of them, None for no input; `weights`, a parameter or a tuple or
    list of them. Of both, the result is `(gradients of inputs, gradients of weights)`. With several outputs, the
    derivative is that of the sum of all their elements; with `has_aux` that of the first output, and the result is
    `(gradient, (the other outputs))`. `return_ids` pairs every gradient with its position or name; `sens_param` takes
    the output's cotangent as last argument, or as `sens=`.

    In GRAPH_MODE it is compiled once per signature; `grad(fn).program(*args)` shows the program, `.cache_info()` counts.
    Raises ValueError or TypeError for positions that make no sense, RuntimeError for one out of range.

    >>> grad(lambda x: x**3)(Tensor(2.0))
    Tensor(shape=[], dtype=Float32, value= 12)
    """
    return Grad(False, has_aux, return_ids, sens_param).of(fn, grad_position, weights)


def value_and_grad(fn, grad_position=0, weights=None, has_aux=False, return_ids=False, sens_param=False) -> Callable:
    """Like `grad`, but the result is `(the output of fn, gradient)`; with `has_aux` the output has all of them.

    >>> value_and_grad(lambda x: x**3)(Tensor(2.0))
    (Tensor(shape=[], dtype=Float32, value= 8), Tensor(shape=[], dtype=Float32, value= 12))
    """
    return Grad(True, has_aux, return_ids, sens_param).of(fn, grad_position, weights)


def get_grad(gradients, identifier) -> Tensor:
    """The gradient of a position or parameter in what `grad(..., return_ids=True)` returned; RuntimeError where there is none.

    >>> get_grad(grad(lambda x, y: x * y, (0, 1), return_ids=True)(Tensor(2.0), Tensor(3.0)), 1)
    Tensor(shape=[], dtype=Float32, value= 2)
    """
    wanted = getattr(identifier, "name", identifier)
    found = _gradient_of(gradients, wanted)
    if found is None:
        raise RuntimeError(f"Can not find the gradient for position or Parameter {identifier}")
    return found


def _gradient_of(tree, wanted):
    if isinstance(tree, tuple) and len(tree) == 2 and isinstance(tree[0], (int, str)):
        return tree[1] if tree[0] == wanted else None
    branches = tree if isinstance(tree, (tuple, list)) else ()
    return next((g for g in (_gradient_of(branch, wanted) for branch in branches) if g is not None), None)


def check_flags(owner, **flags) -> None:
    """Raise TypeError for a flag that is not a bool."""
    for name, flag in flags.items():
        if not isinstance(flag, bool):
            raise TypeError(f"For '{owner}', the '{name}' should be bool, but got {type(flag).__name__}")


class Grad:
    """The options of a gradient function, checked."""

    warns = True  # of what gets no gradient

    def __init__(self, with_value=False, has_aux=False, return_ids=False, sens_param=False):
        check_flags("_Grad", has_aux=has_aux, return_ids=return_ids, sens_param=sens_param)
        self.with_value, self.has_aux, self.return_ids, self.sens_param = with_value, has_aux, return_ids, sens_param
        self.options: tuple = with_value, has_aux, return_ids, sens_param

    def of(self, fn, grad_position, weights):
        """The gradient function of `fn`. Raises TypeError or ValueError for positions that make no sense."""
        if grad_position is None and weights is None:
            raise ValueError("`grad_position` and `weight` can not be None at the same time.")
        if grad_position is not None:
            check_positions(grad_position)
        positions = grad_position if isinstance(grad_position, tuple) or grad_position is None else (grad_position,)
        return self.gradient_function(fn, positions, weights)

    def gradient_function(self, fn, positions, weights):
        """The function that is called like `fn` and returns its gradients by these positions and weights."""
        known: dict = {}  # the compiled form, by the weights that `weights` holds

        def run(*args, **kwargs):
            return self._run(fn, args, kwargs, positions, weights)

        @wraps(fn, updated=())
        def gradient_function(*args, **kwargs):
            if not callable(fn):
                raise TypeError(f"The fn should be callable, but got {type(fn).__name__}")
            if not compiles():
                return run(*args, **kwargs)
            return self._compiled(fn, positions, weights, known)(*args, **kwargs)

        vars(gradient_function).update(
            program=lambda *a, **k: self._compiled(fn, positions, weights, known).program(*a, **k),
            cache_info=lambda: self._compiled(fn, positions, weights, known).cache_info(),
        )
        return gradient_function

    def _compiled(self, fn, positions, weights, known):
        """The gradient function as a compiled one, the same for every `grad` of this function with these options."""
        chosen = tuple(map(id, weights)) if isinstance(weights, (tuple, list)) else id(weights)
        if chosen in known:
            return known[chosen]
        from ..graph.jit import Compiled, compiled_for

        held = tuple(weights) if isinstance(weights, (tuple, list)) else weights
        options = *self.options, str(positions), chosen

        def run(*args, **kwargs):
            return self._run(fn, args, kwargs, positions, held)

        known[chosen] = compiled_for(fn, options, lambda: Compiled(run, fn))
        return known[chosen]

    def _run(self, fn, args, kwargs, positions, weights):
        parameters = () if weights is None else weight_list(weights)
        args, sens = without_cotangent(args, kwargs) if self.sens_param else (args, None)
        fn, args = by_position(fn, args, kwargs)
        places = self.places(positions, args)
        run = Run(fn, args, places, parameters, first_of_many if self.has_aux else None)
        if sens is not None:
            check_cotangent(sens, run)
        by_place, by_weight = run.pull(sens)
        if self.warns and (len(by_place) < len(places) or run.raw is None):
            found = dict(by_place)
            _warn_of_nothing(fn, run, {place: args[place] for place in places if place not in found})
        gradient = self.answer(positions, weights, by_place, by_weight, parameters)
        if self.with_value:
            return run.output, gradient
        return (gradient, run.output[1:]) if self.has_aux else gradient

    def places(self, positions, args):
        """The positions of the inputs to differentiate."""
        return () if positions is None else in_range(positions, args)

    def answer(self, positions, weights, by_place, by_weight, parameters):
        if self.return_ids:
            inputs = tuple(by_place)
            weight_gradients = tuple((p.name, g) for p, g in zip(parameters, by_weight, strict=True))
        else:
            inputs, weight_gradients = tuple(g for _, g in by_place), tuple(by_weight)
        if positions is not None and len(inputs) == 1:
            inputs = inputs[0]
        if isinstance(weights, Tensor):
            weight_gradients = weight_gradients[0]
        if weights is None:
            return inputs
        return weight_gradients if positions is None else (inputs, weight_gradients)


def _warn_of_nothing(fn, run, left_out):
    """Warn of what MindSpore ignores silently: arguments `left_out` for they are not tensors, and a lost output.

    Code that writes `ms.mutable(...)` does so on purpose."""
    name = getattr(fn, "__name__", type(fn).__name__)
    for place, argument in left_out.items():
        if isinstance(argument, Mutable):
            continue
        text = _NESTED if tensors_in(argument) else _NO_TENSOR
        warn_user(text.format(name=name, place=place, kind=type(argument).__name__))
    if run.raw is None:
        warn_user(_NO_RESULT.format(name=name))


def check_positions(grad_position):
    """Raise TypeError or ValueError unless it is a position or a tuple of different ones."""
    of_kind(grad_position, (int, tuple, bool), "For 'F.grad', the 'grad_position' must be int or tuple.")
    if isinstance(grad_position, tuple):
        if not all(isinstance(p, int) for p in grad_position):
            raise TypeError("For 'F.grad', the element in 'grad_position' must be int.")
        if any(p < 0 for p in grad_position):
            raise ValueError("The element in grad_position must be >= 0.")
        if len(set(grad_position)) != len(grad_position):
            raise ValueError("There are duplicate positions in `grad_position`, please check it")
    elif grad_position < 0:
        raise ValueError("grad_position must be >= 0.")


def in_range(positions, args):
    """The positions as plain numbers. Raises RuntimeError (IndexError in graph mode) beyond the arguments."""
    graph = in_graph_mode()
    if not positions:
        raise RuntimeError(f"grad_position should not be empty when grad by position{'.' if graph else '!'}\n")
    for p in positions:
        if graph and len(positions) == 1 and isinstance(p, bool):
            raise RuntimeError(f"Position element must be Int64Imm, but got {str(p).lower()}\n")
        if args and p >= len(args):
            raise (IndexError if graph else RuntimeError)(f"Position index {int(p)} is exceed input size.\n")
    return tuple(int(p) for p in positions if p < len(args))


def weight_list(weights):
    """The weights as a tuple of parameters."""
    if isinstance(weights, Tensor):
        return (weights,)
    text = "The weights you provided is expected to be a tensor, or a list or tuple. but got {value}\n"
    of_kind(weights, (tuple, list), text)
    if any(not isinstance(w, Tensor) for w in weights):
        raise RuntimeError("The pointer[tensor] is null.\n")
    return tuple(weights)


def first_of_many(output):
    """The first output. Raises ValueError (RuntimeError in graph mode) where there are no others."""
    graph = in_graph_mode()
    if not isinstance(output, tuple) or (not graph and len(output) < 2):
        text = "When has_aux is True, origin fn requires more than one outputs."
        raise (RuntimeError if graph else ValueError)(text)
    if not graph and any(not isinstance(part, (Tensor, tuple, list, dict)) for part in output[1:]):
        raise RuntimeError(
            "If you set has_aux for grad or value_and_grad, that forward function should be multi output, "
            f"but got {output[1:]}\n"
        )
    return output[0]


def by_position(fn, args, kwargs):
    """`fn` of positional arguments alone: keyword arguments count after them, in the order given."""
    if not kwargs:
        return fn, args
    names, n = tuple(kwargs), len(args)
    return lambda *given: fn(*given[:n], **dict(zip(names, given[n:], strict=True))), (*args, *kwargs.values())
