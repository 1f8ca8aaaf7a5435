"""Networks as functions of their parameters: `functional_call`, and many networks stacked into one."""

from collections import Counter
from typing import Any

from ..kinds import as_tuple, of_kind
from . import _joining
from ._tensor import Tensor


def replace_all_batch_norm_modules_(root) -> Any:
    """Let batch normalization in a network keep no running statistics, in place: a batch under `vmap` cannot write them.

    >>> import labkit.torch as torch
    >>> torch.func.replace_all_batch_norm_modules_(torch.nn.BatchNorm1d(2)).track_running_stats
    False
    """
    for module in root.modules():
        if getattr(module, "track_running_stats", False) and hasattr(module, "num_batches_tracked"):
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root


def stack_module_state(models) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """`(parameters, buffers)` of modules of one class, `{name: tensor}`, each stacked along a new first dimension.

    Raises RuntimeError for none, for several classes, for several modes.

    >>> import labkit.torch as torch
    >>> parameters, buffers = torch.func.stack_module_state([torch.nn.Linear(2, 1) for _ in range(3)])
    >>> parameters["weight"].shape
    torch.Size([3, 1, 2])
    """
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({m.training for m in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if len({type(m) for m in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    parameters = [dict(m.named_parameters()) for m in models]
    buffers = [dict(m.named_buffers()) for m in models]
    return _stacked_by_name(parameters), _stacked_by_name(buffers)


def _stacked_by_name(found):
    return {name: _stacked(name, [each[name] for each in found]) for name in found[0]}


def _stacked(name, tensors):
    wanted = {t.requires_grad for t in tensors}
    if len(wanted) > 1:
        raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
    return _joining.stack(tensors).detach().requires_grad_(wanted.pop())


def _check_names(module, given, own):
    """Raise unless `given` has the names in `own`."""
    unexpected, missing = [n for n in given if n not in own], [n for n in own if n not in given]
    told = [
        f"\n\t{what} key(s): {', '.join(map(repr, sorted(names)))}."
        for what, names in (("Unexpected", unexpected), ("Missing", missing))
        if names
    ]
    if told:
        raise RuntimeError(f"Error(s) in reparametrizing for {module._get_name()}:" + "".join(told))


def functional_call(
    module, parameter_and_buffer_dicts, args=None, kwargs=None, *, tie_weights=True, strict=False
) -> Any:
    """Call `module` with the tensors in `{name: tensor}` (or several such dicts) in place of its own.

    `args`: one argument, or a tuple of them. With `strict`, raises RuntimeError for names that the module has not, and where
    one of its own is not given.
    """
    args = () if args is None else as_tuple(args)
    of_kind(
        parameter_and_buffer_dicts,
        (dict, list, tuple),
        "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {type}",
        ValueError,
    )
    names = [name for part in as_tuple(parameter_and_buffer_dicts, (tuple, list)) for name in part]
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise ValueError(f"{twice} appeared in multiple dictionaries; behavior of functional call is ambiguous")
    given = {name: t for part in as_tuple(parameter_and_buffer_dicts, (tuple, list)) for name, t in part.items()}
    own = dict((*module.named_parameters(), *module.named_buffers()))
    if strict:
        _check_names(module, given, own)
    given = {name: t for name, t in given.items() if name in own}
    return module._called_with(given, args, kwargs or {})
