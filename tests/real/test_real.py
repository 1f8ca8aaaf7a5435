"""The dialects print what the real frameworks print.

Programs whose answers are kept run everywhere. `-m real` draws 20,000 programs for each framework that has an
interpreter, named by LABKIT_TORCH_PYTHON or LABKIT_MINDSPORE_PYTHON, and runs them there and here.
"""

import importlib.util
import os
import warnings
from pathlib import Path

import pytest

import labkit.mindspore
import labkit.torch

_spec = importlib.util.spec_from_file_location("compared", Path(__file__).parent / "compared.py")
compared = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(compared)
run = compared.load("run_programs").run

MODULES = {"torch": labkit.torch, "mindspore": labkit.mindspore}
KEPT = [(framework, name) for framework, record in compared.kept().items() for name in record["printed"]]
COUNT = int(os.environ.get("LABKIT_PROGRAMS", "20000"))


@pytest.mark.parametrize("framework, name", KEPT)
def test_a_kept_program_prints_what_it_prints_in_the_real_framework(framework, name):
    program = compared.programs(framework, [name])[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = run(program, MODULES[framework])
    said = compared.difference(program, compared.kept()[framework]["printed"][name], ours)
    assert said is None, said


@pytest.mark.parametrize("name", [name for _, name in KEPT if "two-byte floats" in name])
def test_a_program_of_two_byte_floats_prints_the_same_to_the_last_bit(name):
    """They differ in their last bit where a kernel rounds once and another in between."""
    program = compared.programs("torch", [name])[name]
    for statement, real, ours in zip(
        program, compared.kept()["torch"]["printed"][name], run(program, labkit.torch), strict=True
    ):
        for a, b in zip(real.splitlines(), ours.splitlines(), strict=True):
            assert a == b, statement


@pytest.mark.real
@pytest.mark.parametrize("framework", MODULES)
def test_random_programs_agree(framework):
    if not compared.real_python(framework):
        pytest.skip(f"LABKIT_{framework.upper()}_PYTHON names no interpreter")
    known = compared.kept()[framework]["differ"]
    found = compared.differing(framework, sorted({*range(COUNT), *known}))
    print(f"{framework}: {len(found)} of {COUNT} programs differ")
    new = {seed: said for seed, said in found.items() if seed not in known}
    assert not new, "\n".join(f"seed {seed}: {said}" for seed, said in new.items())
