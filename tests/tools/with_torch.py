"""Run labkit in a Python that has the real PyTorch: what LABKIT_TORCH_PYTHON names, or this one if it has it.

    LABKIT_TORCH_PYTHON=... python tests/tools/with_torch.py tests/realtape/on_torch.py -k hook    # with arguments of pytest

That Python needs PyTorch and NumPy. The rest, autograd and pytest, is taken from this one: they are plain Python.
"""

import importlib.util
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]
TAKEN = ("autograd", "pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments", "py")


def torch_python() -> str:
    """The interpreter, or "" where there is none."""
    named = os.environ.get("LABKIT_TORCH_PYTHON", "")
    return named or (sys.executable if importlib.util.find_spec("torch") else "")


def run(arguments: Sequence[str], python: str = "") -> subprocess.CompletedProcess[str]:
    """Run that Python with `arguments`, such as `["-c", "import labkit"]`; those of `tests` are there, too."""
    with TemporaryDirectory() as taken:
        for name in TAKEN:
            spec = importlib.util.find_spec(name)
            if spec is not None and spec.origin:
                home = Path(spec.origin)
                source = home.parent if spec.submodule_search_locations else home
                Path(taken, source.name).symlink_to(source)
        path = os.pathsep.join([str(ROOT), *(str(ROOT / "tests" / place) for place in ("realtape", "tools")), taken])
        here = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
        command = [python or torch_python(), *arguments]
        return subprocess.run(command, capture_output=True, text=True, env=here, timeout=1200, cwd=ROOT)


def output(arguments: Sequence[str], python: str = "") -> str:
    """What that Python prints. Raises RuntimeError where it fails."""
    done = run(arguments, python)
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)} failed:\n{done.stderr}")
    return done.stdout


def run_tests(*arguments: str) -> subprocess.CompletedProcess[str]:
    """pytest, without what this repository sets for its own."""
    options = ["-q", "--noconftest", "-c", os.devnull, "--rootdir", str(ROOT), "-p", "no:cacheprovider", "--tb=short"]
    return run(["-m", "pytest", *options, *arguments])


if __name__ == "__main__":
    if not torch_python():
        sys.exit("LABKIT_TORCH_PYTHON names no interpreter, and this one has no PyTorch")
    done = run_tests(*sys.argv[1:] or [str(ROOT / "tests" / "realtape" / "on_torch.py")])
    print(done.stdout + done.stderr)
    sys.exit(done.returncode)
