"""Draw `chain_rule_light.png` and `chain_rule_dark.png` beside this file: python notebooks/figures/chain_rule.py"""

from pathlib import Path

import autograd.numpy as np

import labkit


def loss(x, w, b):
    h = np.tanh(x * w + b)
    error = h - 0.5
    return error**2 * x


def picture():
    """The run that is drawn, as the graph explorer shows it at its last step."""
    return labkit.show(loss, 1.5, -0.8, 0.3)


if __name__ == "__main__":
    for theme in ("light", "dark"):
        picture().save(Path(__file__).with_name(f"chain_rule_{theme}.png"), theme=theme, step=-1)
