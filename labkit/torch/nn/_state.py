"""The state of modules: what `state_dict` gives and `load_state_dict` takes, with hooks around both and extra state."""

from collections import OrderedDict
from typing import Any

from ...parts import Loaded, dotted, loaded
from .. import _modes
from .._node import Handle
from .parameter import Parameter, is_lazy

EXTRA = "_extra_state"
BEFORE, AFTER, FIRST, LAST = "_state_dict_pre_hooks", "_state_dict_hooks", "_load_pre_hooks", "_load_post_hooks"
BARE = (
    "Reached a code path in Module.get_extra_state() that should never be called. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
)
NOTHING = (
    "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new values, if "
    "incompatible_keys need to be modified, it should be done inplace."
)


def registered(module, table, hook) -> Handle:
    """Enter a hook on the state of a module; the table is made with the first."""
    return Handle(module.__dict__.setdefault(table, OrderedDict()), hook)


def _called(module, table, *args):
    for hook in list(module.__dict__.get(table, {}).values()):
        if hook(module, *args) is not None and table == LAST:
            raise AssertionError(NOTHING)


def own_state(module) -> OrderedDict:
    """The parameters, the persistent buffers, and the extra state where there is any, of this module alone."""
    state = OrderedDict((n, p) for n, p in module._parameters.items() if p is not None)
    state.update((n, b) for n, b in module._buffers.items() if b is not None and n not in module._transient)
    if not hasattr(module.get_extra_state, "bare"):
        state[EXTRA] = module.get_extra_state()
    return state


def collected(module, destination, prefix, keep) -> OrderedDict:
    """`destination` with the state of `module` and those below it under dotted names, the hooks called around each."""
    about = {"version": module._version}
    if hasattr(destination, "_metadata"):
        destination._metadata[prefix[:-1]] = about
    _called(module, BEFORE, prefix, keep)
    for name, value in own_state(module).items():
        destination[prefix + name] = value if keep or name == EXTRA or is_lazy(value) else value.detach()
    for name, child in module._modules.items():
        if child is not None:
            child.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep)
    _called(module, AFTER, destination, prefix, about)
    return destination


def _all(module):
    """Each module in the tree, also one that is there twice, with its path."""
    paths = [("", module)]
    for path, part in paths:
        paths += [(dotted(path, name), child) for name, child in part._modules.items() if child is not None]
    return paths


def load(module, given, strict, assign) -> Loaded:
    """Copy the tensors of `given` into those of the same names, or put them there; the hooks are called around it."""
    parts = _all(module)
    if isinstance(given, dict) and any(part.__dict__.get(FIRST) for _, part in parts):
        about, given = getattr(given, "_metadata", {}), OrderedDict(given)
        lists: tuple[list, list, list] = ([], [], [])
        for path, part in parts:
            _called(part, FIRST, given, f"{path}." if path else "", about.get(path, {}), strict, *lists)
    homes = {dotted(path, name): (part, name) for path, part in parts for name in own_state(part)}
    own: OrderedDict[str, Any] = OrderedDict(
        (name, None if last == EXTRA else getattr(part, last)) for name, (part, last) in homes.items()
    )
    for path, part in parts:  # the number of batches is not missed in a state from before there was one
        old = part._version == 2 and getattr(given, "_metadata", {}).get(path, {}).get("version", 1) < 2
        if old and dotted(path, "num_batches_tracked") not in given:
            own.pop(dotted(path, "num_batches_tracked"), None)
    for name, t in own.items():
        if is_lazy(t) and name in given and not is_lazy(given[name]):
            t.materialize(given[name].shape)
    answer = loaded(type(module).__name__, own, given, strict, lambda t: t is None or is_lazy(t))
    for name in own.keys() & given.keys():
        part, last = homes[name]
        if last == EXTRA:
            part.set_extra_state(given[name])
        elif assign:
            setattr(part, last, _assigned(own[name], given[name]))
        elif not is_lazy(own[name]):
            with _modes.no_grad():
                own[name].copy_(given[name])
    for _, part in reversed(parts):
        _called(part, LAST, answer)
    return answer


def _assigned(own, given):
    """The tensor that takes the place of a parameter or buffer."""
    if not isinstance(own, Parameter):
        return given
    return (
        given.requires_grad_(own.requires_grad) if isinstance(given, Parameter) else Parameter(given, own.requires_grad)
    )
