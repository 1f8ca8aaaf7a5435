"""What is wrong with `labkit.why` about the programs under the real PyTorch, as JSON; run with its Python."""

import json
import warnings
from pathlib import Path

import torch
from torch_programs import PROGRAMS, told

import labkit

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    home = Path(labkit.__file__).parent.parent
    kept = torch.from_numpy, vars(torch.nn.Parameter)["__new__"]
    wrong = [
        said for form in ("real tape", "real run") for name in PROGRAMS if (said := told(labkit.why, torch, name, form))
    ]
    if kept != (torch.from_numpy, vars(torch.nn.Parameter)["__new__"]):
        wrong.append("torch is not as it was")
    print(json.dumps({"wrong": wrong, "tried": len(PROGRAMS), "labkit": str(home)}))
