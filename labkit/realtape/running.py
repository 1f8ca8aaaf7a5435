"""Run a user's model to see its graph and the modules that it calls."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from .kinds import installed, is_real_module, tensors_in, unseen
from .tape import Tape
from .values import Value, value_of

Path = tuple[tuple[str, str, int], ...]


@dataclass(eq=False)
class Call:
    """A call of a module: its `path`, see `TapeNode.scope`; the ops it ran are those numbered from `first` to before `end`;
    what it `returned`, by the number of the op and of that op's output."""

    path: Path
    first: int
    end: int = 0
    returned: dict[tuple[int, int], Value] = field(default_factory=dict)


@dataclass(eq=False)
class Calls:
    """The calls of modules while a function runs. `root`: the module that is run itself, which is in no path; `names`: of
    modules that are called from outside others, by `id`."""

    root: Any
    names: Mapping[int, str] = field(default_factory=dict)
    found: list[Call] = field(default_factory=list)
    open: list[tuple[Any, Call]] = field(default_factory=list)
    counts: Counter = field(default_factory=Counter)

    @contextmanager
    def noted(self) -> Iterator[None]:
        """While this is in force, hooks on all modules note their calls."""
        module = installed().nn.modules.module
        with ExitStack() as stack:
            stack.callback(module.register_module_forward_pre_hook(self._enter).remove)
            stack.callback(module.register_module_forward_hook(self._leave, always_call=True).remove)
            yield

    def _enter(self, module, _):
        outer, path = (self.open[-1][0], self.open[-1][1].path) if self.open else (None, ())
        if outer is not None or module is not self.root:
            name = _name_in(outer, module) or self.names.get(id(module)) or type(module).__name__
            self.counts[path, name] += 1
            path = (*path, (name, type(module).__name__, self.counts[path, name]))
        call = Call(path, _now())
        self.found.append(call)
        self.open.append((module, call))

    def _leave(self, module, _, result):
        while self.open:
            left, call = self.open.pop()
            call.end = _now()
            if left is module:
                with unseen():
                    call.returned = dict(_values(result))
                return

    def note_on(self, tape: Tape) -> None:
        """Write into the nodes of a tape which calls they belong to, and what modules returned."""
        ran = sorted((node.sequence, node.index) for node in tape.nodes if not node.leaf and node.sequence is not None)
        for call in self.found:  # outer ones before what is in them
            for _, i in ran[bisect_left(ran, (call.first, -1)) : bisect_left(ran, (call.end, -1))]:
                tape.nodes[i].scope = call.path
        by_sequence = dict(ran)
        for call in self.found:
            for (sequence, nr), value in call.returned.items():
                node = tape.nodes[by_sequence[sequence]] if sequence in by_sequence else None
                if node is not None and nr not in node.values:
                    node.values[nr], node.seen = value, True


def run(fun: Callable, args: Sequence[Any], used: Mapping[str, Any]) -> tuple[list[Any], Calls]:
    """The tensors that `fun(*args)` returns and that have a history, and the calls of modules on the way, among them those that
    are `used` by name.

    Raises ValueError where there is no such tensor. What it changes is left to `state.unchanged`.
    """
    torch = installed()
    calls = Calls(fun if is_real_module(fun) else None, {id(one): name for name, one in used.items() if name})
    watched = (
        nullcontext() if _compiled(fun) else calls.noted()
    )  # a compiled module is compiled anew where there are hooks
    with torch.inference_mode(False), torch.enable_grad(), watched:
        try:
            result = fun(*args)
        except Exception as error:
            error.add_note("labkit.show ran your function or module, which raised this error. Nothing was changed.")
            raise
    found = {id(tensor): tensor for _, tensor in tensors_in(result) if tensor.grad_fn is not None}
    if not found:
        raise ValueError(
            "show: the result of this run has no history: nothing with requires_grad=True led to it, or it was "
            "computed under no_grad, or detached. Is a parameter trained, and does the model return tensors?"
        )
    return list(found.values()), calls


def _compiled(fun):
    modules = fun.modules() if is_real_module(fun) else []
    return any(hasattr(m, "_orig_mod") or getattr(m, "_compiled_call_impl", None) is not None for m in modules)


_LAZY = "show: {name} is created by the first run of this module, which show cannot undo. Run the module first."


def refuse_lazy(module: Any) -> None:
    """Raise ValueError for a module whose first run would make its parameters: that could not be put back."""
    lazy = installed().nn.parameter.is_lazy
    names = [name for name, p in (*module.named_parameters(), *module.named_buffers()) if lazy(p)]
    if names:
        raise ValueError(_LAZY.format(name=names[0]))


def _now():
    return installed().autograd._get_sequence_nr()


def _name_in(outer, module):
    """The name of a module in the one that calls it: "layers.0" for one in a list."""
    if outer is None:
        return ""
    return next((name for name, inside in outer.named_modules() if inside is module), "")


def _values(result):
    for _, tensor in tensors_in(result):
        if tensor.grad_fn is not None and (value := value_of(tensor)) is not None:
            yield (tensor.grad_fn._sequence_nr(), tensor.output_nr), value
