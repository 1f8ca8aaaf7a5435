"""What units 04, E3 and E5 say of PyTorch alone, where labkit does it in another way: asked of it (`-m real`)."""

import json
import os
import subprocess

import pytest

ASKED = """
import json, warnings
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class Counted(TorchDispatchMode):
    numbers = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        found = function(*args, **(kwargs or {}))
        self.numbers += sum(t.numel() for t in tree_leaves(found) if isinstance(t, torch.Tensor))
        return found


calls = []


def counted(function):
    return lambda x: (calls.append(1), function(x))[1]


said = {}
torch.func.jacfwd(counted(lambda x: x**2))(torch.ones(5))
said["calls of jacfwd"] = len(calls)
calls.clear()
torch.func.vmap(counted(lambda x: x**2))(torch.ones(5))
said["calls of vmap"] = len(calls)
try:
    torch.func.vmap(lambda x: x if x > 0 else -x)(torch.ones(5))
except RuntimeError as error:
    said["a branch in vmap"] = str(error)

x = torch.ones(100, requires_grad=True)
with Counted() as run:
    total = sum(x[i] * x[i + 1] for i in range(99))
with Counted() as back:
    total.backward()
said["runs for a walk back by elements"] = back.numbers / run.numbers

with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    (torch.tensor(2.0, requires_grad=True) ** 3).backward(create_graph=True)
said["create_graph"] = str(told[0].message)
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def said():
    python = os.environ.get("LABKIT_TORCH_PYTHON")
    if not python:
        pytest.skip("LABKIT_TORCH_PYTHON names no interpreter")
    done = subprocess.run([python, "-c", ASKED], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.real
def test_a_batched_function_is_called_once(said):
    assert said["calls of jacfwd"] == said["calls of vmap"] == 1


@pytest.mark.real
def test_vmap_refuses_a_branch_on_a_value(said):
    assert "data-dependent control flow" in said["a branch in vmap"]


@pytest.mark.real
def test_walking_back_through_single_elements_costs_a_run_for_each(said):
    assert 90 < said["runs for a walk back by elements"] < 110


@pytest.mark.real
def test_the_warning_of_create_graph_is_about_a_circle_of_references(said):
    assert "reference cycle" in said["create_graph"] and "autograd.grad" in said["create_graph"]
