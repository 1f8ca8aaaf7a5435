"""# How often does a layer run? (2 points)

A network is a chain of 12 layers. For each line, add up how often the
12 layers run. Answer with a list of five numbers.

0. the network, no gradient
1. its gradient, no checkpoint
2. its gradient, in 3 checkpoints of 4 layers
3. its gradient, in 1 checkpoint of all 12 layers
4. its gradient, with a checkpoint of the first 6 layers and no checkpoint for the others
"""

import autograd.numpy as anp

from labkit import engine, memory
from labkit.classroom.writing import either, judged, wrong

answer = [12, 12, 24, 24, 18]
rules = (
    "Each layer runs once to give the result.",
    "Without a checkpoint everything that the walk back needs was kept.",
    "What lies inside of a checkpoint runs once forwards, and once more when the walk back comes to it.",
    "What lies inside of a checkpoint runs once forwards, and once more when the walk back comes to it: how many "
    "layers are inside?",
    "The layers inside of the checkpoint run twice, the others once.",
)
hints = (
    "A layer outside every checkpoint runs once.",
    "A layer inside a checkpoint runs once forward, and once more when the walk back reaches its checkpoint.",
    "Item 4: six layers run once, six run twice.",
)


def _layer_runs(segments, differentiated=True, plain=0, layers=12):
    """How often a layer runs: `plain` layers as they are, the others in so many checkpoints (0: none)."""
    runs = []

    def run(h, count):
        for _ in range(count):
            runs.append(1)
            h = anp.sin(h)
        return h

    def network(h):
        for _ in range(segments):
            h = memory.checkpoint(lambda h: run(h, (layers - plain) // segments))(h)
        return run(h, plain)

    (engine.grad(network) if differentiated else network)(1.0)
    return len(runs)


def reference():
    return [
        _layer_runs(0, differentiated=False, plain=12),
        _layer_runs(0, plain=12),
        _layer_runs(3),
        _layer_runs(1),
        _layer_runs(1, plain=6),
    ]


walking_back_runs_layers = wrong(
    "Without a checkpoint the walk back runs no layer: it works from the values that were kept.",
    {1: lambda expected, got: got > expected},
    answer=[12, 24, 36, 36, 30],
)

again_for_each_segment = wrong(
    "Each checkpoint runs its own layers again, not those of the others: one more run of the network in all.",
    {2: lambda expected, got: got > expected},
    answer={2: 48},
)

checkpoints_are_free = wrong(
    "What a checkpoint did not keep has to be computed again before its derivative can be.", answer=[12, 12, 12, 12, 12]
)

all_or_nothing = wrong(
    "Only the layers inside a checkpoint run again. The others kept what they need.", {4: either(24, 12)}, alone=True
)

one_segment = judged("value", {3: 12})
