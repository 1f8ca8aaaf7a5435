"""Run tests as on other processors: NumPy without its wider vector instructions, and the matrix products of other families.

    python tests/tools/processors.py [ARGUMENTS OF PYTEST]
    python tests/tools/processors.py notebooks

What depends on the last digits of a sum or an exponential fails in one of these runs: a training whose printed loss is chaotic, a
comparison without a tolerance. On a processor without those instructions the runs are the same as an ordinary one.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
KINDS = {
    "vectors of 256 bits": {"NPY_DISABLE_CPU_FEATURES": "AVX512_ICL X86_V4", "OPENBLAS_CORETYPE": "Haswell"},
    "vectors of 128 bits": {"NPY_DISABLE_CPU_FEATURES": "AVX512_ICL X86_V4 X86_V3", "OPENBLAS_CORETYPE": "Prescott"},
    "products of 512 bits": {"OPENBLAS_CORETYPE": "SkylakeX"},
}


def main(arguments) -> int:
    """Pytest's worst exit code."""
    found = {}
    for kind, settings in KINDS.items():
        print(f"== {kind}: {settings}", flush=True)
        found[kind] = subprocess.run(
            [sys.executable, "-m", "pytest", *arguments], cwd=ROOT, env=os.environ | settings
        ).returncode
    print(*(f"{kind}: {'passed' if code == 0 else f'exit code {code}'}" for kind, code in found.items()), sep="\n")
    return max(found.values())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
