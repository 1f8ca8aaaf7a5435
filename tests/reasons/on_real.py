"""What is wrong with `labkit.why` about the programs under the real PyTorch, as JSON; run with its Python."""

import copy
import json
import warnings
from pathlib import Path

import checked_programs
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


def told_of_runs():
    """What is wrong with answers about runs that do more than compute a loss."""
    w, p, buffer = torch.ones(3, requires_grad=True), torch.nn.Parameter(torch.zeros(3)), torch.zeros(3)
    norm, optimizer = torch.nn.BatchNorm1d(3), torch.optim.Adam([w])
    before = [torch.get_rng_state(), norm.running_mean.clone(), w.detach().clone()]

    def forgetting():
        loss = (torch.rand(3) * norm(torch.randn(4, 3)) * w).square().sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss

    def set_from():
        p.data = w.data * 2
        return p.sum()

    def copied_to():
        buffer.data.copy_(w.data)
        return (buffer * p).sum()

    causes = [labkit.why(run, w).cause for run in (forgetting, set_from, copied_to)]
    wrong = [] if causes == ["let go", "detached", "detached"] else [f"causes of runs: {causes}"]
    after = [torch.get_rng_state(), norm.running_mean, w.detach()]
    if not all(map(torch.equal, before, after)) or optimizer.state or w.grad is not None:
        wrong.append("a run was not put back")
    net = torch.nn.Linear(3, 1)
    place = labkit.why(lambda: copy.deepcopy(net)(torch.ones(2, 3)).sum(), net.weight).where
    if place is None or "deepcopy" not in place.code:
        wrong.append(f"deepcopy is named at {place}")
    w.register_hook(lambda g: g * 0)
    if "may change the gradient; labkit does not run it" not in labkit.why(w.sum(), w).text.replace("\n", " "):
        wrong.append("a hook is not told before backward()")
    w.grad = torch.tensor([1.0, -1.0, 2.0])
    if "another gradient" not in labkit.why((w * torch.ones(3)).sum(), w).text.replace("\n", " "):
        wrong.append("a gradient of another backward is not told")
    empty = torch.zeros(3, requires_grad=True)
    if "div" not in labkit.why((empty * 0).sum() / empty.detach().sum(), empty).cause:
        wrong.append("div is not what has made the loss nan")
    return wrong


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    home = Path(labkit.__file__).parent.parent
    kept = torch.from_numpy, vars(torch.nn.Parameter)["__new__"]
    wrong = [
        said for form in ("real tape", "real run") for name in PROGRAMS if (said := told(labkit.why, torch, name, form))
    ]
    wrong += told_of_runs() + checked_programs.wrong(labkit, torch)
    wrong += [said for name in PROGRAMS if (said := told_walked(name))]
    walked = torch.tensor([0.0, 4.0], requires_grad=True)
    loss = torch.where(walked > 0, torch.sqrt(walked), torch.zeros(2)).sum()
    loss.backward()
    if not any("sqrt" in way for way in labkit.why(loss, walked).possible):
        wrong.append("sqrt is not among what remains possible")
    if kept != (torch.from_numpy, vars(torch.nn.Parameter)["__new__"]):
        wrong.append("torch is not as it was")
    print(json.dumps({"wrong": wrong, "tried": len(PROGRAMS), "labkit": str(home)}))
