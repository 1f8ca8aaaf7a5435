"""autograd stays as its users know it, whatever of labkit is imported."""

import subprocess
import sys
from pathlib import Path

import autograd
import numpy as onp
import pytest
from autograd.tracer import Box

from labkit.engine import grad

PASSED_ON = {  # all that is replaced in autograd, by what asks whether a node is the engine's, or a level open
    "held: autograd.tracer.new_box", "held: autograd.tracer.trace_stack.new_trace", "held: VSpace.mappings",
}  # fmt: skip


def test_what_autograd_holds_and_answers_is_as_before():
    """A child imports autograd, then every module of labkit, and compares all tables, classes and many answers."""
    child = [sys.executable, str(Path(__file__).with_name("boxes_child.py"))]
    lines = subprocess.run(child, capture_output=True, text=True, check=True).stdout.splitlines()
    # autograd's modules hold each class under several names: the last two tell enough
    short = {"held: VSpace.mappings" if line.endswith("VSpace.mappings") else line for line in lines}
    assert short == PASSED_ON


def boxes_of(take):
    kept = []
    take(lambda x: kept.append(x) or x)(2.0)
    return kept[0]


def test_the_engine_has_a_class_of_boxes_of_its_own():
    foreign, own = boxes_of(autograd.grad), boxes_of(grad)
    assert type(foreign) is Box.type_mappings[float] and type(own) is not type(foreign)
    assert isinstance(own, type(foreign)) and type(own).__name__ == type(foreign).__name__


@pytest.mark.parametrize("value", [3, onp.int8(3), onp.bool_(True)], ids=repr)
def test_integers_are_for_the_engine_alone(value):
    assert grad(lambda x: x * 2.0)(value) is not None
    with pytest.raises(TypeError, match=rf"^Can't differentiate w\.r\.t\. type {type(value)}$"):
        autograd.grad(lambda x: x * 2.0)(value)
