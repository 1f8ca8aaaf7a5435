"""`labkit.show` on the installed PyTorch: what `on_torch.py` states, where LABKIT_TORCH_PYTHON names a Python that has it.

LABKIT_TORCH_PYTHON=... .venv/bin/pytest -m realtape -n0
"""

import ast
from pathlib import Path

import pytest
import with_torch

import labkit.realtape


@pytest.mark.realtape
def test_on_the_installed_pytorch():
    if not with_torch.torch_python():
        pytest.skip("LABKIT_TORCH_PYTHON names no interpreter, and this one has no PyTorch")
    done = with_torch.run_tests(str(Path(__file__).with_name("on_torch.py")))
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_imports_pytorch():
    """What is a tensor of it was made by it, so it is loaded where one is shown."""
    for file in Path(labkit.realtape.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert "torch" not in [name.partition(".")[0] for name in (*names, getattr(node, "module", None) or "")]


def test_what_pytorch_alone_has_is_not_asked_of_other_things():
    with pytest.raises(TypeError, match="of the installed PyTorch"):
        labkit.show(lambda x: x * x, 2.0, backward=True)
    assert labkit.show(lambda x: x * x, 2.0).tape is None
