"""The user's names for the tensors of a tape: parameters and buffers of a model, and variables."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .kinds import installed, is_real_module, is_real_tensor, unseen
from .values import storage_of


@dataclass
class Names:
    """Names while a tape is read. It holds tensors, so it is not kept.

    Attributes:
        leaves: names of parameters, buffers and variables without a history, by `id`.
        memory: of parameters and buffers, with "frozen", "buffer" or "", by their memory: a view of one is named after it.
        data: names of variables without a history, by their memory; `variables`: these themselves.
        results: `(name, tensor)` of variables with a history, by the node and the number of its output.
        parameters: of the model, by name, with `given`, whether there is a model.
        others: the same of each module among the variables.
        owners: the modules that have a parameter or buffer for their own, by its name; more than one where they share it.
        kinds: the classes of modules. A module is a path of names, from the outside in, without lists and dicts of modules.
    """

    leaves: dict[int, str] = field(default_factory=dict)
    memory: dict[int, tuple[str, str]] = field(default_factory=dict)
    data: dict[int, str] = field(default_factory=dict)
    variables: list[tuple[str, Any]] = field(default_factory=list)
    results: dict[tuple[Any, int], tuple[str, Any]] = field(default_factory=dict)
    parameters: dict[str, Any] = field(default_factory=dict)
    others: list[dict[str, Any]] = field(default_factory=list)
    owners: dict[str, list[tuple[str, ...]]] = field(default_factory=dict)
    kinds: dict[tuple[str, ...], str] = field(default_factory=dict)

    @classmethod
    def of(cls, model: Any = None, variables: Mapping[str, Any] | None = None) -> "Names":
        """Names from a module, several in a mapping or sequence, and from variables by name, modules among them.

        Raises TypeError where `model` is something else.
        """
        names = cls()
        with unseen():
            for name, module in models(model):
                names._add_module(name, module, names.parameters)
            for name, value in (variables or {}).items():
                if not name.startswith("_") and is_real_module(value):
                    names.others.append({})
                    names._add_module(name, value, names.others[-1])
                elif not name.startswith("_") and is_real_tensor(value):
                    names._add_tensor(name, value)
        return names

    def _add_module(self, prefix, module, parameters):
        known = set(self.leaves)
        for kind in (module.named_parameters, module.named_buffers):
            for inside, tensor in kind():
                name = f"{prefix}.{inside}".lstrip(".")
                is_parameter = kind == module.named_parameters
                self.leaves.setdefault(id(tensor), name)
                if (memory := storage_of(tensor)) is not None:
                    note = "buffer" if not is_parameter else "" if tensor.requires_grad else "frozen"
                    self.memory.setdefault(memory, (name, note))
                if is_parameter:
                    parameters.setdefault(name, tensor)
        self._add_owners(prefix, module, known)

    def _add_owners(self, prefix, module, known):
        """Note whose a module's parameters and buffers are, except those that have a name from elsewhere."""
        for path, inside in _paths(prefix, module):
            self.kinds[path] = type(inside).__name__
            for tensor in (*inside.parameters(recurse=False), *inside.buffers(recurse=False)):
                if id(tensor) not in known:
                    self.owners.setdefault(self.leaves[id(tensor)], []).append(path)

    def _add_tensor(self, name, tensor):
        if tensor.grad_fn is None:
            self.leaves.setdefault(id(tensor), name)
            if (memory := storage_of(tensor)) is not None:
                self.data.setdefault(memory, name)
                self.variables.append((name, tensor))
        else:
            self.results.setdefault((tensor.grad_fn, tensor.output_nr), (name, tensor))


def _paths(prefix: str, module: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The modules in a module, each with its path."""
    for name, inside in module.named_modules():
        path, together, at = [prefix] if prefix else [], "", module
        for part in filter(None, name.split(".")):
            at, together = getattr(at, part), f"{together}.{part}".lstrip(".")
            if at is inside or not _is_container(at):
                path, together = [*path, together], ""
        yield tuple(path), inside


def _is_container(module):
    """Whether it is never called itself, as a ModuleList."""
    return type(module).forward is installed().nn.Module.forward


_NO_MODEL = "model: expected a torch.nn.Module, or several in a list or a dict by name, but got {kind}"


def models(model: Any) -> Iterator[tuple[str, Any]]:
    """The modules given as `model`, each with the name that goes before its parameters'. Raises TypeError for anything else."""
    named: Mapping[str, Any]
    if model is None:
        return
    if is_real_module(model):
        named = {"": model}
    elif isinstance(model, Mapping):
        named = {str(name): module for name, module in model.items()}
    elif isinstance(model, tuple | list):
        named = {f"model{i}": module for i, module in enumerate(model)}
    else:
        named = {"": model}
    for name, module in named.items():
        if not is_real_module(module):
            raise TypeError(_NO_MODEL.format(kind=type(module).__name__))
        yield name, module
