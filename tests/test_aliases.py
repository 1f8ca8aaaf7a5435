"""What the real packages show under several names of modules is found under all of them here."""

import importlib
import subprocess
import sys

import pytest

import labkit.mindspore as ms
import labkit.torch as torch
from labkit.aliases import elsewhere, shown


@pytest.mark.parametrize(
    "lines, thing",
    [
        ("from labkit.mindspore.ops.function.grad import grad", lambda: ms.grad),
        ("from labkit.mindspore.ops import jacrev", lambda: ms.jacrev),
        ("from labkit.mindspore.common.api import jit", lambda: ms.jit),
        ("from labkit.mindspore.nn.cell import Cell", lambda: ms.nn.Cell),
        ("from labkit.mindspore.nn.wrap.cell_wrapper import WithLossCell", lambda: ms.nn.WithLossCell),
        ("import labkit.mindspore.ops.functional as F; relu = F.relu", lambda: ms.ops.relu),
        (
            "from labkit.mindspore.ops import composite as C; GradOperation = C.GradOperation",
            lambda: ms.ops.GradOperation,
        ),
        ("from labkit.mindspore.ops import operations as P; ReduceSum = P.ReduceSum", lambda: ms.ops.ReduceSum),
        ("from labkit.mindspore.common.parameter import Parameter", lambda: ms.Parameter),
        ("from labkit.torch.nn.modules.linear import Linear", lambda: torch.nn.Linear),
        ("from labkit.torch.nn.parameter import Parameter", lambda: torch.nn.Parameter),
        ("from labkit.mindspore import LossMonitor", lambda: ms.train.LossMonitor),
        ("from labkit.mindspore import Accuracy", lambda: ms.nn.Accuracy),
        ("from labkit.torch import sin_", lambda: torch.Tensor.sin_),
        ("from labkit.torch.optim.sgd import SGD", lambda: torch.optim.SGD),
        ("from labkit.torch.autograd.function import Function", lambda: torch.autograd.Function),
        ("from labkit.torch.nn.utils.clip_grad import *", lambda: torch.nn.utils.clip_grad_norm_),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_one_thing_has_its_names(lines, thing):
    namespace: dict = {}
    exec(lines, namespace)
    assert any(found is thing() for found in namespace.values())


def test_all_that_the_tables_say_leads_to_one_thing():
    """Every name of every module that labkit has in its room, imported by its path."""
    count = 0
    for dialect in ("torch", "mindspore"):
        for place, names in shown(dialect).items():
            for name, room in names.items():
                if room[:1] == "=":
                    module = importlib.import_module(f"labkit.{dialect}.{room[1:]}")
                    assert elsewhere(f"labkit.{dialect}.{place}", name) is module
                    continue
                home = (
                    importlib.import_module(f"labkit.{dialect}.{room}".rstrip(".")) if _exists(dialect, room) else None
                )
                if home is not None and name in dir(home):
                    found = elsewhere(f"labkit.{dialect}.{place}".rstrip("."), name)
                    assert found is getattr(home, name), (dialect, place, name)
                    count += 1
    assert count > 1000


def _exists(dialect, room):
    return importlib.util.find_spec(f"labkit.{dialect}.{room}".rstrip(".")) is not None


@pytest.mark.parametrize("dialect", ["torch", "mindspore"])
def test_every_module_of_the_tables_can_be_imported_by_its_path(dialect):
    for place in shown(dialect):
        importlib.import_module(f"labkit.{dialect}.{place}".rstrip("."))


def test_a_function_with_the_name_of_a_module_can_be_called_after_that_is_imported():
    from labkit.torch.autograd.gradcheck import gradcheck

    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(torch.sin, (x,)) and gradcheck(torch.sin, (x,))
    with pytest.raises(TypeError, match=r"module 'mindspore\.common\.api' is not callable"):
        ms.common.api()


def test_modules_are_reached_by_dots():
    assert (
        ms.nn.wrap.cell_wrapper.WithLossCell is ms.nn.WithLossCell and torch.nn.modules.linear.Linear is torch.nn.Linear
    )
    assert ms.ops.function.grad is ms.grad  # a module of this name stands there, too, as in the real one


def test_what_is_not_there_is_said():
    with pytest.raises(ImportError, match=r"cannot import name 'Rhythm' from 'labkit\.mindspore\.nn\.cell'"):
        exec("from labkit.mindspore.nn.cell import Rhythm")
    with pytest.raises(ModuleNotFoundError, match=r"labkit\.mindspore\.nn\.symphony"):
        importlib.import_module("labkit.mindspore.nn.symphony")
    with pytest.raises(AttributeError, match=r"mindspore\.nn\.cell"):
        importlib.import_module("labkit.mindspore.nn.cell").Rhythm  # noqa: B018


def test_no_table_is_read_before_it_is_needed():
    code = "import labkit.mindspore, labkit.torch, labkit.aliases as a; print(a.shown.cache_info().currsize)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "0"
