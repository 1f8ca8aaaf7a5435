"""The two ways to a tape: from existing tensors, and from a run."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .backward import walk_back
from .holding import reached, touched
from .kinds import is_leaf, is_real_module, tensors_in
from .names import Names, models
from .owners import note_owners
from .reading import nodes_of, read
from .running import refuse_lazy, run
from .state import retaining, unchanged
from .tape import Tape


def tape_of(
    tensors: Sequence[Any], model: Any = None, variables: Mapping[str, Any] | None = None, backward: bool = False
) -> Tape:
    """The tape that leads to `tensors`, with the names of a `model` and of `variables`.

    It only reads; with `backward` an extra backward is run for the gradients, and what that changes is put back. Raises
    ValueError for a tensor without a history, TypeError for a `model` that is none.
    """
    tape = read(tensors, names := Names.of(model, variables))
    note_owners(tape, names)
    if backward:
        _walk_back(tape, tensors, [module for _, module in models(model)])
    return tape


def tape_of_run(
    fun: Callable, args: Sequence[Any], name: str, variables: Mapping[str, Any] | None = None, backward: bool = False,
    model: Any = None,
) -> Tape:  # fmt: skip
    """The tape of `fun(*args)`, a module or a function, with the calls of modules on its way; afterwards all is put back.

    `variables`: among them the arguments by name. Raises ValueError for a result without a history, and for a module that
    its first run would change for good; an exception of `fun` is passed on.
    """
    used = {} if is_real_module(fun) else reached(fun)
    within = [fun] if is_real_module(fun) else [m for m in used.values() if is_real_module(m)]
    modules = [*within, *(module for _, module in models(model))]
    for module in modules:
        refuse_lazy(module)
    data = [tensor for _, tensor in (*tensors_in(list(args)), *tensors_in(used))]
    with unchanged(modules, data, held=touched(fun)):
        tensors, calls = run(fun, args, used)
        names = Names.of(model or (fun if is_real_module(fun) else None), {**(variables or {}), **used})
        tape = read(tensors, names)
        tape.name, tape.ran = name, True
        calls.note_on(tape)
        if not any(node.scope for node in tape.nodes):  # compiled or scripted: its modules were not seen to be called
            note_owners(tape, names)
        if backward:
            _walk_back(tape, tensors, modules)
        return tape


def _walk_back(tape, tensors, modules):
    nodes = nodes_of(tensors)
    leaves = [node.variable for node in nodes if is_leaf(node)]
    with unchanged(modules, leaves, retaining(nodes)):
        walk_back(tape, tensors)
