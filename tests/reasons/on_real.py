"""What is wrong with `labkit.why` about the programs under the real PyTorch, as JSON; run with its Python."""

import json
import warnings
from pathlib import Path

import torch
from torch_programs import PROGRAMS, told

import labkit


def told_walked(name):
    """What is wrong with the answer about a program after backward(), which has let go of what there was."""
    function, w = PROGRAMS[name][1](torch)
    loss = function()
    try:
        loss.sum().backward()
    except RuntimeError:
        return ""
    said = labkit.why(loss, w).what
    if w.grad is None or not w.is_leaf:
        return "" if said == "None" else f"{name}, walked: no gradient, but it says {said}"
    whole, some = bool(w.grad.isfinite().all()), bool(w.grad.any())
    fits = said == "nan" if not whole else said == "zero" if not some else said in ("small", "healthy")
    return "" if fits else f"{name}, walked: {w.grad}, but it says {said}"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    home = Path(labkit.__file__).parent.parent
    kept = torch.from_numpy, vars(torch.nn.Parameter)["__new__"]
    wrong = [
        said for form in ("real tape", "real run") for name in PROGRAMS if (said := told(labkit.why, torch, name, form))
    ]
    wrong += [said for name in PROGRAMS if (said := told_walked(name))]
    walked = torch.tensor([0.0, 4.0], requires_grad=True)
    loss = torch.where(walked > 0, torch.sqrt(walked), torch.zeros(2)).sum()
    loss.backward()
    if not any("sqrt" in way for way in labkit.why(loss, walked).possible):
        wrong.append("sqrt is not among what remains possible")
    if kept != (torch.from_numpy, vars(torch.nn.Parameter)["__new__"]):
        wrong.append("torch is not as it was")
    print(json.dumps({"wrong": wrong, "tried": len(PROGRAMS), "labkit": str(home)}))
