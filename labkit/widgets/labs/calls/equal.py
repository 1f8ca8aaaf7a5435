"""The PyTorch call that equals a call of MindSpore's `grad`, written as code and made for real in that dialect."""

from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from .run import Call, CallResult, Setting, flat, leaf, short_names
from .tree import Branch, Failure, Tree, leaves_of

STYLES = ("torch.autograd.grad", "backward() and .grad")


@dataclass(frozen=True)
class Equal:
    """A call as lines of code, what it gives, and what is different there, in a sentence."""

    code: tuple[str, ...]
    result: Tree | Failure
    sentence: str


class Equals:
    """The same network, `torch_net`, on the same inputs as a MindSpore `setting`: the first style returns the gradients
    asked for, the second adds to the `.grad` of every leaf."""

    def __init__(self, setting: Setting, torch_net: Callable):
        self.setting, self.net = setting, torch_net
        self.parameters = list(torch_net.named_parameters()) if hasattr(torch_net, "named_parameters") else []

    def of_all(self, outcomes: Mapping[Call, CallResult]) -> dict[tuple[int, ...], Equal | None]:
        """`{(*call, style): the equal call}`; None where MindSpore's call fails."""
        found: dict[tuple[int, ...], Equal | None] = {}
        for call, outcome in outcomes.items():
            for style in range(len(STYLES)):
                found[(*call, style)] = None if isinstance(outcome.result, Failure) else self._equal(call, style)
        return found

    def _equal(self, call, style):
        result = self.run(call, style)
        return Equal(tuple(self.code(call, style)), result, self.sentence(call, style, result))

    def code(self, call: Call, style: int) -> list[str]:
        """The call as code."""
        s = self.setting
        asked = [s.inputs[i] for i in s.asked(call)]
        one = call.has_aux or len(s.outputs) == 1
        what = s.outputs[0] if one else f"({', '.join(s.outputs)})"
        lines = ["; ".join(f"{name}.requires_grad_()" for name in asked)] if asked else []
        lines.append(f"{', '.join(s.outputs)} = {s.name}({', '.join(s.inputs)})")
        if style == 1:
            return [*lines, f"{what}.backward()" if one else f"torch.autograd.backward({what})"]
        return [*lines, "result = torch.autograd.grad(", f"    {what}, {self._wanted(call, asked)})"]

    def _wanted(self, call, asked):
        every = [f"*{self.setting.name}.parameters()"] if call.weights > 1 else []
        one = [f"{self.setting.name}.{self.parameters[0][0]}"] if call.weights == 1 else []
        wanted = [*asked, *one, *every]
        return wanted[0] if len(wanted) == 1 and not every else f"[{', '.join(wanted)}]"

    def run(self, call: Call, style: int) -> Tree | Failure:
        """Make the call on new tensors; what it raises is its outcome. The `.grad` of parameters stays as it was."""
        from .... import torch

        asked = self.setting.asked(call)
        chosen = self.parameters[:1] if call.weights == 1 else self.parameters if call.weights else []
        with _grads_kept([p for _, p in self.parameters]):
            try:
                inputs = [torch.tensor(a.asnumpy() if hasattr(a, "asnumpy") else a) for a in self.setting.args]
                for i in asked:
                    inputs[i].requires_grad_()
                outputs = flat(self.net(*inputs))
                outputs = outputs[:1] if call.has_aux else outputs
                if style == 1:
                    torch.autograd.backward(outputs)
                    return self._grads(inputs)
                found = torch.autograd.grad(outputs, [inputs[i] for i in asked] + [p for _, p in chosen])
            except Exception as error:
                return Failure(type(error).__name__, " ".join(str(error).split()), "Raised when it is called.")
        names = [self.setting.inputs[i] for i in asked] + [name for name, _ in chosen]
        short = short_names([name for name, _ in self.parameters])
        parts = [leaf(f"d{short.get(n, n)}", f"gradient for {n}", g, "back") for n, g in zip(names, found, strict=True)]
        return Branch(type(found).__name__, tuple(parts))

    def sentence(self, call: Call, style: int, result: Tree | Failure) -> str:
        """What PyTorch does differently."""
        if isinstance(result, Failure):
            return ""
        if style == 0:
            return "One flat tuple, whatever was asked for. Outputs are not in it."
        filled = [leaf.name for leaf in leaves_of(result)[len(self.setting.inputs) :] if leaf.role == "back"]
        extra = f"; {', '.join(filled)} too, though not asked for" if filled and not call.weights else ""
        return f"backward() adds to the .grad of every leaf that requires a gradient{extra}."

    def _grads(self, inputs):
        named = [(name, name, t) for name, t in zip(self.setting.inputs, inputs, strict=True)]
        named += [(f"{self.setting.name}.{name}", name, p) for name, p in self.parameters]
        parts = tuple(
            leaf(f"{path}.grad", f"gradient for {name}", t.grad, "back" if t.grad is not None else "area")
            for path, name, t in named
        )
        return Branch("It returns None. But now:", parts)


@contextmanager
def _grads_kept(parameters):
    before = [p.grad for p in parameters]
    try:
        for p in parameters:
            p.grad = None
        yield
    finally:
        for p, grad in zip(parameters, before, strict=True):
            p.grad = grad
