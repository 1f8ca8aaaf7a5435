"""Layers: linear, activations, shapes, containers, losses."""

from collections import OrderedDict
from typing import Any, Self

from ...layout import with_names
from .._tensor import Tensor
from . import functional as F
from . import init
from .module import Module
from .parameter import add_weights


class Linear(Module):
    """`y = x @ weight.T + bias`; `weight` (out, in) starts uniform within 1/sqrt(in features).

    `x`: (..., in), the result (..., out). `bias` starts in the same range; `bias=False` leaves it out.

    >>> import labkit.torch as torch
    >>> layer = torch.nn.Linear(3, 2)
    >>> layer.weight.shape, layer(torch.ones(5, 3)).shape
    (torch.Size([2, 3]), torch.Size([5, 2]))
    """

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        add_weights(self, (out_features, in_features), bias, dtype)

    def reset_parameters(self) -> None:
        """Draw weight and bias anew."""
        init.as_layer(self.weight, self.bias)

    def forward(self, input) -> Tensor:
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"{with_names(self, 'in_features', 'out_features')}, bias={self.bias is not None}"


class Identity(Module):
    """Returns its input."""

    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, input) -> Any:
        return input


class Flatten(Module):
    """All dimensions from `start_dim` as one."""

    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return with_names(self, "start_dim", "end_dim")


class Dropout(Module):
    """Zeroes elements at random with probability `p` while training.

    The others are divided by 1 - p, so that the expected value stays; after `eval()` nothing changes. Raises ValueError for
    `p` outside [0, 1].

    >>> import labkit.torch as torch
    >>> x = torch.ones(100)
    >>> sorted(set(torch.nn.Dropout(0.5)(x).tolist())), bool((torch.nn.Dropout().eval()(x) == x).all())
    ([0.0, 2.0], True)
    """

    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        F.check_probability(p)
        self.p, self.inplace = p, inplace

    def forward(self, input) -> Tensor:
        return F.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        return with_names(self, "p", "inplace")


class Sequential(Module):
    """Modules called one after the other.

    `Sequential(first, second)` has them under the names 0, 1 ..., or those of one `OrderedDict`. An index gives a module.

    >>> import labkit.torch as torch
    >>> net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh())
    >>> net(torch.zeros(4, 2)).shape, net[1]
    (torch.Size([4, 3]), Tanh())
    """

    def __init__(self, *modules):
        super().__init__()
        named = modules[0].items() if len(modules) == 1 and isinstance(modules[0], OrderedDict) else enumerate(modules)
        for name, module in named:
            self.register_module(str(name), module)

    def forward(self, input) -> Any:
        for module in self:
            input = module(input)
        return input

    def __iter__(self):
        return iter(self._modules.values())

    def __len__(self):
        return len(self._modules)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return Sequential(OrderedDict(list(self._modules.items())[index]))
        return list(self._modules.values())[index]

    def append(self, module) -> Self:
        """Add a module at the end."""
        self.register_module(str(len(self)), module)
        return self


class ModuleList(Sequential):
    """Modules in a list, for the forward of another module to call."""

    def __init__(self, modules=()):
        super().__init__(*modules)

    def forward(self, *args) -> Any:
        raise NotImplementedError('Module [ModuleList] is missing the required "forward" function')


# ---- activations: class -> (function, options with defaults, how they are printed) ----


_EXAMPLE = """`torch.nn.functional.{fun}` as a module; it has no parameters, and the shape stays.

>>> import labkit.torch as torch
>>> x = torch.tensor([-1.0, 2.0])
>>> bool((torch.nn.{name}({options})(x) == torch.nn.functional.{fun}(x{more})).all())
True
"""


def _activation(name, fun, defaults=(), printed=()):
    names = [n for n, _ in defaults]

    def __init__(self, *args, **kwargs):
        Module.__init__(self)
        options = dict(defaults) | dict(zip(names, args, strict=False)) | kwargs
        for option, value in options.items():
            setattr(self, option, value)

    def forward(self, input):
        return fun(input, *(getattr(self, n) for n in printed))

    def extra_repr(self):
        return with_names(self, *printed)

    shown = "".join(f", {n}={dict(defaults)[n] or 0}" for n in printed)
    doc = _EXAMPLE.format(fun=fun.__name__, name=name, options=shown.removeprefix(", "), more=shown)
    members = {"__init__": __init__, "forward": forward, "__doc__": doc}
    if printed:
        members["extra_repr"] = extra_repr
    return type(name, (Module,), {**members, "__module__": __name__})


ReLU = _activation("ReLU", F.relu, [("inplace", False)])
Sigmoid = _activation("Sigmoid", F.sigmoid)
Tanh = _activation("Tanh", F.tanh)
SiLU = _activation("SiLU", F.silu, [("inplace", False)])
LogSigmoid = _activation("LogSigmoid", F.logsigmoid)
GELU = _activation("GELU", F.gelu, [("approximate", "none")])
GELU.extra_repr = lambda self: f"approximate={self.approximate!r}"
LeakyReLU = _activation("LeakyReLU", F.leaky_relu, [("negative_slope", 0.01), ("inplace", False)], ["negative_slope"])
ELU = _activation("ELU", F.elu, [("alpha", 1.0), ("inplace", False)], ["alpha"])
Softplus = _activation("Softplus", F.softplus, [("beta", 1.0), ("threshold", 20.0)], ["beta", "threshold"])
Softmax = _activation("Softmax", F.softmax, [("dim", None)], ["dim"])
LogSoftmax = _activation("LogSoftmax", F.log_softmax, [("dim", None)], ["dim"])


# ---- losses ----


def _loss(name, fun, defaults=()):
    """A loss module: its options are those of `fun`, and `reduction`."""

    def __init__(self, weight=None, size_average=None, reduce=None, reduction="mean", **kwargs):
        Module.__init__(self)
        self.reduction = reduction
        if weight is not None:
            self.register_buffer("weight", weight)
        for option, value in (dict(defaults) | kwargs).items():
            setattr(self, option, value)

    def forward(self, input, target):
        options = {n: getattr(self, n) for n, _ in defaults}
        if "weight" in self._buffers:
            options["weight"] = self.weight
        return fun(input, target, reduction=self.reduction, **options)

    members = {"__init__": __init__, "forward": forward, "__module__": __name__}
    return type(
        name, (Module,), members | {"__doc__": f"{name}: `loss(input, target)`, reduced to its mean by default."}
    )


MSELoss = _loss("MSELoss", F.mse_loss)
L1Loss = _loss("L1Loss", F.l1_loss)
HuberLoss = _loss("HuberLoss", F.huber_loss, [("delta", 1.0)])
SmoothL1Loss = _loss("SmoothL1Loss", F.smooth_l1_loss, [("beta", 1.0)])
NLLLoss = _loss("NLLLoss", F.nll_loss, [("ignore_index", -100)])
CrossEntropyLoss = _loss("CrossEntropyLoss", F.cross_entropy, [("ignore_index", -100), ("label_smoothing", 0.0)])
BCELoss = _loss("BCELoss", F.binary_cross_entropy)
BCEWithLogitsLoss = _loss("BCEWithLogitsLoss", F.binary_cross_entropy_with_logits)
