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
