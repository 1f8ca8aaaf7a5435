"""Run the tests with the oldest NumPy, autograd and matplotlib that pyproject.toml allows, then with the newest.

    python tests/tools/versions.py [ARGUMENTS OF PYTEST]
    python tests/tools/versions.py oldest -n0 tests/engine

Each has an environment of its own, `.versions/oldest` and `.versions/newest`, with the Python that this is run by; they are
kept for the next time. The oldest NumPy has wheels for Python 3.11 and 3.12.
"""

import re
import subprocess
import sys
import tomllib
import venv
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
BOUNDED = ("autograd", "numpy", "matplotlib")


def oldest(project):
    """What pins the packages to the series that they begin with: `["numpy==1.26.*", ...]`; newer pyparsings warn matplotlib."""
    wanted = chain(project["dependencies"], *project["optional-dependencies"].values())
    found = [re.fullmatch(r"([\w-]+)>=([\d.]+)", requirement) for requirement in wanted]
    return ["pyparsing<3.3", *(f"{m[1]}=={m[2]}.*" for m in found if m and m[1] in BOUNDED)]


def main(end, arguments):
    """Pytest's exit code."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pins = oldest(project) if end == "oldest" else ["--upgrade", "--upgrade-strategy=eager"]
    place = ROOT / ".versions" / end
    python = place / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not python.exists():
        venv.create(place, with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "-e", f"{ROOT}[test]", *pins], check=True)
    subprocess.run([python, "-m", "pip", "list", "--format=freeze"], check=True)  # to say what was tried
    return subprocess.run([python, "-m", "pytest", *arguments], cwd=ROOT).returncode


if __name__ == "__main__":
    ends = [sys.argv.pop(1)] if sys.argv[1:2] in (["oldest"], ["newest"]) else ["oldest", "newest"]
    sys.exit(max(main(end, sys.argv[1:]) for end in ends))
