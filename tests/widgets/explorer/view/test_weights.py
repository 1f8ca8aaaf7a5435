"""The bars on a pile are as long as the gradients of the parameters in it, and are seen when these are known."""

import pytest

import labkit
import labkit.torch as torch
from labkit.widgets.kit.scene import looks


@pytest.fixture(scope="module")
def shown():
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    loss = torch.nn.functional.mse_loss(net(torch.randn(5, 3)), torch.randn(5, 1))
    scene = labkit.show(loss).scene
    loss.backward()
    return scene, {f"net.{name}.grad": float(p.grad.norm()) for name, p in net.named_parameters()}


def test_each_is_as_long_as_its_gradient(shown):
    scene, norms = shown
    (tape,) = [panel for panel in scene.panels if panel.name == "tape"]
    bars = {scene.links[m.link].name: m for m in tape.marks if m.role == "leafbar" and m.link}
    assert bars.keys() == norms.keys()
    for name, bar in bars.items():
        assert bar.at["height"] / max(b.at["height"] for b in bars.values()) == pytest.approx(
            norms[name] / max(norms.values()), abs=0.02
        )


def test_none_is_seen_or_told_before_it_is_known(shown):
    scene, _ = shown
    (tape,) = [panel for panel in scene.panels if panel.name == "tape"]
    for mark in [m for m in tape.marks if m.role == "leafbar" and m.link]:
        when = scene.links[mark.link].known["step"]
        assert looks(mark, {"step": when - 1})[2] == "hidden" and looks(mark, {"step": when})[2] == ""
