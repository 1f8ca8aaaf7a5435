"""The state of modules: what `state_dict` gives and `load_state_dict` takes, with hooks around both and extra state."""

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from ...parts import Loaded
from .. import _modes
from .._node import Handle
from .._tensor import Tensor
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


def own_tensors(module) -> dict[str, Any]:
    """The parameters and the persistent buffers of this module alone."""
    kept = {n: b for n, b in module._buffers.items() if n not in module._transient}
    return {n: t for n, t in (module._parameters | kept).items() if t is not None}


def collected(module, destination, prefix, keep) -> OrderedDict:
    """`destination` with the state of `module` and those below it under dotted names, the hooks called around each."""
    about = {"version": module._version}
    if hasattr(destination, "_metadata"):
        destination._metadata[prefix[:-1]] = about
    _called(module, BEFORE, prefix, keep)
    module._save_to_state_dict(destination, prefix, keep)
    for name, child in module._modules.items():
        if child is not None:
            child.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep)
    for hook in list(module.__dict__.get(AFTER, {}).values()):
        changed = hook(module, destination, prefix, about)
        destination = changed if isinstance(changed, dict) else destination
    return destination


def save_own(module, destination, prefix, keep) -> None:
    """Put what is this module's alone into `destination`."""
    for name, value in own_tensors(module).items():
        destination[prefix + name] = value if keep or is_lazy(value) else value.detach()
    if not hasattr(module.get_extra_state, "bare"):
        destination[prefix + EXTRA] = module.get_extra_state()


def load(module, given, strict, assign) -> Loaded:
    """Copy the tensors of `given` into those of the same names, or put them there; the hooks are called around it."""
    if not isinstance(given, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(given)}.")
    state, about = OrderedDict(given), getattr(given, "_metadata", {})
    answer, problems = Loaded([], []), list[str]()

    def enter(part, found, prefix):
        known = about.get(prefix[:-1], {}) | ({"assign_to_params_buffers": True} if assign else {})
        part._load_from_state_dict(found, prefix, known, True, *answer, problems)
        for name, child in part._modules.items():
            if child is not None:
                inner = f"{prefix}{name}."
                enter(child, {k: v for k, v in found.items() if k.startswith(inner)}, inner)
        _called(part, LAST, answer)

    enter(module, state, "")
    if strict:
        named = (("Missing", answer.missing_keys), ("Unexpected", answer.unexpected_keys))
        listed = lambda keys: ", ".join(f'"{k}"' for k in keys)
        problems[:0] = [f"{what} key(s) in state_dict: {listed(keys)}. " for what, keys in named if keys]
    if problems:
        raise RuntimeError(f"Error(s) in loading state_dict for {type(module).__name__}:\n\t" + "\n\t".join(problems))
    return answer


def load_own(module, state: dict[str, Any], prefix, about, strict, missing, unexpected, problems) -> None:
    """Copy what is this module's alone out of `state`, and add to the lists what is not as it should be."""
    _called(module, FIRST, state, prefix, about, strict, missing, unexpected, problems)
    own = own_tensors(module)
    for name, tensor in own.items():
        if prefix + name in state:
            _take(module, name, tensor, state[prefix + name], about, prefix + name, problems)
        elif strict:
            missing.append(prefix + name)
    extra = prefix + EXTRA
    if not hasattr(module.set_extra_state, "bare"):
        if extra in state:
            module.set_extra_state(state[extra])
        elif strict:
            missing.append(extra)
    elif strict and extra in state:
        unexpected.append(extra)
    for key in state if strict else ():
        first, _, rest = key.removeprefix(prefix).partition(".")
        if key.startswith(prefix) and key != extra and first not in (module._modules if rest else own):
            unexpected.append(key)


def _take(module, name, own, given: Any, about, key, problems):
    """Copy a tensor, or put it in the place of the module's."""
    if not isinstance(given, Tensor):
        problems.append(
            f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from checkpoint but '
            f"received {type(given)}"
        )
        return
    if is_lazy(own) and not is_lazy(given):
        own.materialize(given.shape)
    if not is_lazy(own) and own.ndim == 0 and given.shape == (1,):
        given = given.reshape(())  # of a version before 0-d tensors
    if not is_lazy(own) and given.shape != own.shape:
        problems.append(
            f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, "
            f"the shape in current model is {own.shape}."
        )
    elif about.get("assign_to_params_buffers"):
        setattr(module, name, _assigned(own, given))
    elif not is_lazy(own):
        with _modes.no_grad():
            own.copy_(given)


def _assigned(own, given):
    """The tensor that takes the place of a parameter or buffer."""
    if not isinstance(own, Parameter):
        return given
    return (
        given.requires_grad_(own.requires_grad) if isinstance(given, Parameter) else Parameter(given, own.requires_grad)
    )
