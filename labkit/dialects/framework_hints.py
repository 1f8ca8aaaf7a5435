"""Hints about the other framework: a note on the error about a name or an argument that only the other framework has."""

from typing import TypeVar

from .real_names import has_anywhere

_Error = TypeVar("_Error", bound=Exception)

_GRADIENT = "`ms.grad(fn, position)(x)` returns the gradient, `ms.value_and_grad(fn)(x)` the value and the gradient"
_ADDED = "`ms.grad` returns the gradients and does not accumulate them, so there is nothing to clear"
TO_MINDSPORE = {
    "backward": _GRADIENT,
    "grad": _GRADIENT,
    "requires_grad": "choose what to differentiate by position, `ms.grad(fn, 0)`, or make it a `Parameter`",
    "requires_grad_": "choose what to differentiate by position, `ms.grad(fn, 0)`, or make it a `Parameter`",
    "detach": "`ops.stop_gradient(x)`",
    "no_grad": "nothing is recorded outside `ms.grad`; inside it, use `ops.stop_gradient(x)`",
    "zero_grad": _ADDED,
    "retain_grad": "make the value an argument of the function that `ms.grad` differentiates",
    "clone": "`x.copy()`",
    "cpu": "`ms.set_context(device_target=...)` sets the device of the whole program",
    "cuda": "`ms.set_context(device_target=...)` sets the device of the whole program",
    "register_hook": "`ops.InsertGradientOf(hook)` or `ops.HookBackward(hook)`",
    "manual_seed": "`ms.set_seed(0)`",
    "func": "`ms.grad`, `ms.vjp`, `ms.jvp`, `ms.jacrev`, `ms.vmap` are in the package `mindspore` itself",
    "autograd": "`ms.grad` and `ms.value_and_grad`",
    "optim": "the optimizers are in `nn`: `nn.SGD(net.trainable_params(), 0.1)`",
    "Module": "`nn.Cell`, with `construct` instead of `forward`",
    "Linear": "`nn.Dense`",
    "Sequential": "`nn.SequentialCell`",
    "ModuleList": "`nn.CellList`",
    "ModuleDict": "`nn.CellDict`",
    "functional": "`ops`",
    "forward": "`construct`",
    "parameters": "`net.trainable_params()`",
    "train": "`net.set_train()`",
    "eval": "`net.set_train(False)`",
    "state_dict": "`net.parameters_dict()`",
    "load_state_dict": "`ms.load_param_into_net(net, parameters)`",
    "named_parameters": "`net.parameters_and_names()`",
    "step": "`optimizer(gradients)` takes the step",
    "clip_grad_norm_": "`ops.clip_by_global_norm(gradients, clip_norm)`",
    "clip_grad_value_": "`ops.clip_by_value(g, low, high)`",
    "GradScaler": "`amp.DynamicLossScaler`",
    "autocast": '`amp.auto_mixed_precision(net, "O1")`',
    "DataLoader": "`dataset.GeneratorDataset`",
    "save": "`ms.save_checkpoint(net, file)`",
    "load": "`ms.load_checkpoint(file)`",
    "compile": "`ms.jit`",
}
TO_TORCH = {
    "asnumpy": "`x.detach().numpy()`",
    "stop_gradient": "`x.detach()`",
    "value_and_grad": "`loss.backward()`, then `x.grad`; or `torch.func.grad_and_value(fn)`",
    "grad": "`torch.func.grad(fn)`, or `loss.backward()` and then `x.grad`",
    "GradOperation": "`torch.func.grad(fn)`, or `loss.backward()` and then `x.grad`",
    "astype": "`x.to(dtype)`, such as `x.to(torch.float16)`",
    "expand_dims": "`x.unsqueeze(0)`",
    "copy": "`x.clone()`",
    "Parameter": "`torch.nn.Parameter`",
    "ops": "`torch` and `torch.nn.functional`",
    "Cell": "`nn.Module`, with `forward` instead of `construct`",
    "Dense": "`nn.Linear`",
    "SequentialCell": "`nn.Sequential`",
    "CellList": "`nn.ModuleList`",
    "CellDict": "`nn.ModuleDict`",
    "construct": "`forward`",
    "SoftmaxCrossEntropyWithLogits": "`nn.CrossEntropyLoss`, whose default is the mean",
    "set_seed": "`torch.manual_seed(0)`",
    "set_train": "`net.train()`",
    "trainable_params": "`net.parameters()`",
    "parameters_dict": "`net.state_dict()`",
    "parameters_and_names": "`net.named_parameters()`",
    "set_context": "`x.to(device)` and `net.to(device)`",
    "jit": "`torch.compile`",
    "Momentum": "`torch.optim.SGD(params, lr, momentum=0.9)`",
    "SGD": "`torch.optim.SGD`",
    "Adam": "`torch.optim.Adam`",
    "WithLossCell": "call the loss in the training loop",
    "TrainOneStepCell": "`loss.backward()`, then `optimizer.step()`",
    "Model": "a loop of `loss.backward()` and `optimizer.step()`",
    "save_checkpoint": "`torch.save(net.state_dict(), file)`",
    "load_checkpoint": "`torch.load(file)`",
    "jacrev": "`torch.func.jacrev`",
    "jacfwd": "`torch.func.jacfwd`",
    "vjp": "`torch.func.vjp`",
    "jvp": "`torch.func.jvp`",
    "mutable": "not needed: PyTorch treats no argument as a constant",
    "GRAPH_MODE": "`torch.compile`",
    "HookBackward": "`x.register_hook(hook)`",
    "InsertGradientOf": "`x.register_hook(hook)`",
    "clip_by_global_norm": "`torch.nn.utils.clip_grad_norm_(params, max_norm)`",
    "clip_by_value": "`torch.clamp`",
}
_OTHERS = {
    "mindspore": ("torch", "PyTorch", "MindSpore", TO_MINDSPORE),
    "torch": ("mindspore", "MindSpore", "PyTorch", TO_TORCH),
}
SAME_WORD = "for what {other} calls `{word}`: {here}"
OTHER_WORD = "`{word}` is a name of {other}; in {framework}: {here}"
NO_WORD = "`{word}` is a name of {other}, which {framework} does not have"


def noted(error: _Error, word: str, dialect: str, known: bool = False) -> _Error:
    """`error`, about a `word` that `dialect` does not have, with a note where it is a word of the other framework.

    `known`: the real framework has the word, too, so there is a note only if another does the same.

    >>> noted(AttributeError("'Tensor' object has no attribute 'detach'"), "detach", "mindspore").__notes__
    ['`detach` is a name of PyTorch; in MindSpore: `ops.stop_gradient(x)`']
    >>> noted(AttributeError("module 'mindspore.nn' has no attribute 'Linear'"), "Linear", "mindspore", known=True).__notes__
    ['for what PyTorch calls `Linear`: `nn.Dense`']
    """
    other_dialect, other, framework, words = _OTHERS[dialect]
    known = known or has_anywhere(dialect, word)
    if word in words:
        template = SAME_WORD if known else OTHER_WORD
    elif not known and has_anywhere(other_dialect, word):
        template = NO_WORD
    else:
        return error
    error.add_note(template.format(word=word, other=other, framework=framework, here=words.get(word)))
    return error
