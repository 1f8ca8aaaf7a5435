"""Draw `chain_rule_light.gif` and `chain_rule_dark.gif` beside this file: python notebooks/figures/chain_rule.py"""

from pathlib import Path

import autograd.numpy as np

import labkit


def loss(x, w):
    h = np.tanh(w * x)
    error = h - x
    return error**2


def picture():
    """The run that is played, as the graph explorer shows it."""
    return labkit.show(loss, 1.5, 0.6)


if __name__ == "__main__":
    for theme in ("light", "dark"):
        Path(__file__).with_name(f"chain_rule_{theme}.gif").write_bytes(picture().gif(theme, scale=2))
