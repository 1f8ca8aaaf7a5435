"""The tape: nodes and edges, what nodes save, grad modes, and the backward pass."""
