"""Draw `chain_rule_light.png` and `chain_rule_dark.png` beside this file: python notebooks/figures/chain_rule.py

Every number in the picture comes from one `labkit.trace`, which as text is also the pictures' "Description", by which the
tests see whether a picture is still right.
"""

from pathlib import Path

import autograd.numpy as np
import matplotlib.pyplot as plt
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

import labkit

THEMES = {
    "light": {"page": "#ffffff", "ink": "#1f2328", "forward": "#0072B2", "backward": "#B34E00", "leaf": "#B37A00"},
    "dark": {"page": "#0d1117", "ink": "#e6edf3", "forward": "#56B4E9", "backward": "#FF8A3D", "leaf": "#E69F00"},
}
SIGNS = {"multiply": "×", "add": "+", "subtract": "−", "power": "²"}


def loss(x, w, b):
    h = np.tanh(x * w + b)
    error = h - 0.5
    return error**2 * x


def place(graph):
    """Column and row of every forward node: ops in a line by depth, leaves below the op that first uses them."""
    depth = {}
    for node in graph.forward:
        depth[node] = 1 + max((depth[p] for p in node.parents), default=-1)
    spots = {node: (depth[node], 0.0) for node in graph.forward if node.parents}
    used = {}
    for node in graph.inputs:
        column = min(depth[n] for n in graph.forward if node in n.parents) - 1
        row = used.get(column, 0 if column == 0 else 2)
        spots[node], used[column] = (column, -1.15 * row), row + 2
    return {node: (2.1 * column, row) for node, (column, row) in spots.items()}


def card(axes, spot, title, value, colour, theme, dashed=False, round_corners=False):
    x, y = spot
    style = "round,pad=0,rounding_size=0.2" if round_corners else "round,pad=0,rounding_size=0.06"
    box = FancyBboxPatch((x - 0.48, y - 0.3), 0.96, 0.6, boxstyle=style, lw=1.8, fc=theme["page"], ec=colour)
    box.set_linestyle("--" if dashed else "-")
    axes.add_patch(box)
    axes.text(x, y + 0.11, title, ha="center", va="center", color=theme["ink"], fontsize=11, weight="bold")
    axes.text(x, y - 0.13, value, ha="center", va="center", color=theme["ink"], fontsize=10, family="monospace")


def arrow(axes, start, end, colour, dashed=False, label=None, page=None):
    line = FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=13, lw=1.5, color=colour, shrinkA=0, shrinkB=0)
    line.set_linestyle("--" if dashed else "-")
    axes.add_patch(line)
    if label:
        middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        axes.text(middle[0], middle[1], label, color=colour, fontsize=9.5, ha="center", va="center", weight="bold").set_bbox(
            {"facecolor": page, "edgecolor": "none", "pad": 0.6}
        )


def number(value):
    return f"{float(value):.3g}".replace("-", "−")


def draw(graph, theme, path):
    spots, below = place(graph), 1.0
    figure, axes = plt.subplots(figsize=(13, 4.7), facecolor=theme["page"])
    arrived = {step.node: step.gradient for step in graph.steps}
    arrived |= {node: graph.gradients[node.label] for node in graph.inputs}
    for node, (x, y) in spots.items():
        leaf = not node.parents
        card(axes, (x, y), node.label if leaf else SIGNS.get(node.op, node.op), number(node.value._value),
             theme["leaf" if leaf else "forward"], theme, round_corners=leaf)  # fmt: skip
        card(axes, (x, y - below), f"d{node.label}" if leaf else "d" + SIGNS.get(node.op, node.op),
             number(arrived[node]), theme["backward"], theme, dashed=True, round_corners=leaf)  # fmt: skip
        for parent in node.parents:
            (px, py), lift = spots[parent], 0.12 if spots[parent][1] < 0 else 0
            if px < x - 2.5 or px > x:
                continue
            arrow(axes, (px + 0.48, py + lift), (x - 0.48, y - 0.12 * (py < y)), theme["forward"])
    for step in graph.steps:
        x, y = spots[step.node]
        for part in step.contributions:
            px, py = spots[part.parent]
            slope = f"×{number(part.value / step.gradient)}"
            if px < x - 2.5:
                card(axes, (x, y - 2 * below - 0.15), f"to d{part.parent.label}", number(part.value),
                     theme["backward"], theme, dashed=True, round_corners=True)  # fmt: skip
                arrow(axes, (x, y - below - 0.3), (x, y - 2 * below + 0.15), theme["backward"], True, slope, theme["page"])
            else:
                arrow(axes, (x - 0.48, y - below), (px + 0.48, py - below), theme["backward"], True, slope, theme["page"])
    columns = [x for x, _ in spots.values()]
    axes.set_xlim(min(columns) - 0.7, max(columns) + 0.8)
    axes.set_ylim(-3.75, 0.75)
    axes.set_axis_off()
    axes.set_title("loss = (tanh(x·w + b) − 0.5)² · x      forward →  values      backward ←  gradients, each times the local slope",
                   color=theme["ink"], fontsize=11, pad=4)  # fmt: skip
    figure.savefig(path, dpi=150, bbox_inches="tight", pad_inches=0.1, metadata={"Description": str(graph)})
    plt.close(figure)


def run():
    """The run that is drawn."""
    return labkit.trace(loss)(1.5, -0.8, 0.3)


if __name__ == "__main__":
    for name, theme in THEMES.items():
        draw(run(), theme, Path(__file__).with_name(f"chain_rule_{name}.png"))
