"""Types print as in the real frameworks: the table of their classes against the dialects' own."""

import abc
import copy
import importlib
import inspect
import pickle
import pkgutil

import pytest

import labkit.mindspore as ms
import labkit.torch as torch
from labkit.dialects.class_paths import Placed, real_home


def public_classes(dialect):
    """Every class that a dialect defines and shows: in the package itself and in its public modules."""
    modules = [
        dialect,
        *(importlib.import_module(m.name) for m in pkgutil.walk_packages(dialect.__path__, f"{dialect.__name__}.")),
    ]
    shown = [m for m in modules if not any(part.startswith("_") for part in m.__name__.split("."))]
    found = {c for m in shown for n, c in vars(m).items() if inspect.isclass(c) and not n.startswith("_")}
    return sorted(
        (c for c in found if c.__module__.startswith(dialect.__name__)), key=lambda c: (c.__module__, c.__name__)
    )


@pytest.mark.parametrize("dialect", [torch, ms], ids=["torch", "mindspore"])
def test_each_class_of_the_real_framework_prints_as_there(dialect):
    classes = public_classes(dialect)
    known = [c for c in classes if real_home(c.__module__, c.__name__)]
    assert len(known) > 50
    wrong = [
        c
        for c in known
        if "_shown" not in vars(c) and repr(c) != f"<class '{real_home(c.__module__, c.__name__)}.{c.__name__}'>"
    ]
    assert not wrong, f"not made by {Placed.__name__}: {[f'{c.__module__}.{c.__name__}' for c in wrong]}"


@pytest.mark.parametrize(
    "value, printed",
    [
        (torch.nn.Linear(1, 1), "torch.nn.modules.linear.Linear"),
        (torch.nn.ReLU(), "torch.nn.modules.activation.ReLU"),
        (torch.optim.SGD([torch.ones(1)], 0.1), "torch.optim.sgd.SGD"),
        (torch.no_grad(), "torch.autograd.grad_mode.no_grad"),
        (torch.ones(2, 2).max(0), "torch.return_types.max"),
        (torch.ones(1, requires_grad=True).register_hook(print), "torch.utils.hooks.RemovableHandle"),
        (ms.nn.ReLU(), "mindspore.nn.layer.activation.ReLU"),
        (ms.ops.ReLU(), "mindspore.ops.auto_generate.gen_ops_prim.ReLU"),
        (ms.nn.Dense(1, 1).weight, "abc.Parameter"),
        (ms.Tensor(1), "mindspore.common.tensor.Tensor"),
        (ms.mutable({"w": 1.0}), "mindspore.graph.mutable._Dict"),
        (ms.mutable(3), "mindspore.graph.mutable._Int"),
        (ms.float16, "mindspore._c_expression.typing.Float"),
        (ms.bool_, "mindspore._c_expression.typing.Bool"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_type_prints_as_in_the_real_framework(value, printed):
    assert str(type(value)) == f"<class '{printed}'>"


def test_a_class_derived_from_one_prints_as_its_own():
    class Linear(torch.nn.Module):
        pass

    assert "test_class_paths" in repr(Linear) and "torch.nn" not in repr(Linear)


@pytest.mark.parametrize(
    "value",
    [torch.nn.Linear(2, 1), ms.float32, ms.bfloat16, torch.ones(2, 2).max(0)],
    ids=["cell", "dtype", "dtype", "pair"],
)
def test_what_prints_otherwise_can_still_be_pickled_and_copied(value):
    assert type(pickle.loads(pickle.dumps(value))) is type(copy.deepcopy(value)) is type(value)


def test_an_object_that_has_no_text_of_its_own_names_the_real_module():
    assert repr(torch.no_grad()).startswith("<torch.autograd.grad_mode.no_grad object at 0x")
    rule = ms.common.initializer.HeNormal()
    assert repr(rule).startswith("<mindspore.common.initializer.HeNormal object at 0x") and "HeNormal" in str(rule)


@pytest.mark.parametrize("base", [torch.nn.Module, torch.utils.data.Dataset, ms.nn.Cell])
def test_a_class_can_be_mixed_with_abstract_methods(base):
    class Model(base, abc.ABC):
        @abc.abstractmethod
        def encode(self, x): ...

    class Twice(Model):
        def encode(self, x):
            return x * 2

    with pytest.raises(TypeError, match="abstract"):
        Model()
    assert isinstance(Twice(), base) and not isinstance(base(), Model) and Twice().encode(3) == 6
