"""A right engine, and five broken ones. This is the code that the lab runs, and the code that it shows.

An engine is a function `backward(nodes, output)`: it leaves in `node.grad` the derivative of the output with respect to every
node. `nodes` are in the order they ran, leaves first; see `Node` for what a node has.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .bench import Node

Nodes = Sequence[Node]


def unbroadcast(g: Any, value: Any) -> Any:
    """`g` summed over the axes along which `value` was repeated: an array of the shape of `value`.

    >>> unbroadcast(np.ones((4, 3)), np.zeros(3))
    array([4., 4., 4.])
    """
    while np.ndim(g) > np.ndim(value):
        g = np.sum(g, axis=0)
    for axis, size in enumerate(np.shape(value)):
        if size == 1:
            g = np.sum(g, axis=axis, keepdims=True)
    return g


def right(nodes: Nodes, output: Node) -> None:
    """Process every node after all nodes that use it, and accumulate its contributions.

    >>> from labkit.widgets import first_wrong
    >>> bool(first_wrong(right, lambda x: x * x, 3.0))
    True
    """
    for node in nodes:
        node.grad = np.zeros_like(node.value)
    output.grad = np.ones_like(output.value)
    for node in reversed(nodes):
        parts = node.vjp(node.grad)
        for parent, g in zip(node.parents, parts):
            g = unbroadcast(g, parent.value)
            parent.grad = parent.grad + g


def recursion(nodes: Nodes, output: Node) -> None:
    """Process a parent as soon as it gets a contribution, with the sum so far, every time.

    >>> from labkit.widgets import first_wrong
    >>> def square_of_square(x):
    ...     h = x**2
    ...     return h * h
    >>> first_wrong(recursion, square_of_square, 2.0).cause
    'too early'
    """
    for node in nodes:
        node.grad = np.zeros_like(node.value)

    def visit(node, part):
        node.grad = node.grad + part
        parts = node.vjp(node.grad)
        for parent, g in zip(node.parents, parts):
            visit(parent, unbroadcast(g, parent.value))

    visit(output, np.ones_like(output.value))


def visited_once(nodes: Nodes, output: Node) -> None:
    """Process a parent as soon as it gets a contribution, and never again.

    >>> from labkit.widgets import first_wrong
    >>> def square_of_square(x):
    ...     h = x**2
    ...     return h * h
    >>> first_wrong(visited_once, square_of_square, 2.0).cause
    'too early'
    """
    for node in nodes:
        node.grad = np.zeros_like(node.value)
    output.grad = np.ones_like(output.value)
    seen = set()

    def visit(node):
        seen.add(node)
        parts = node.vjp(node.grad)
        for parent, g in zip(node.parents, parts):
            g = unbroadcast(g, parent.value)
            parent.grad = parent.grad + g
            if parent not in seen:
                visit(parent)

    visit(output)


def overwrite(nodes: Nodes, output: Node) -> None:
    """Overwrite the gradient with each new contribution.

    >>> from labkit.widgets import first_wrong
    >>> first_wrong(overwrite, lambda x: x * x, 3.0).cause
    'overwritten'
    """
    for node in nodes:
        node.grad = np.zeros_like(node.value)
    output.grad = np.ones_like(output.value)
    for node in reversed(nodes):
        parts = node.vjp(node.grad)
        for parent, g in zip(node.parents, parts):
            g = unbroadcast(g, parent.value)
            parent.grad = g


def not_unbroadcast(nodes: Nodes, output: Node) -> None:
    """Store each contribution in the shape that vjp returns.

    >>> from labkit.widgets import first_wrong
    >>> first_wrong(not_unbroadcast, lambda b: b + np.ones(4), 3.0).cause
    'not unbroadcast'
    """
    for node in nodes:
        node.grad = np.zeros_like(node.value)
    output.grad = np.ones_like(output.value)
    for node in reversed(nodes):
        parts = node.vjp(node.grad)
        for parent, g in zip(node.parents, parts):
            parent.grad = parent.grad + g


def not_reset(nodes: Nodes, output: Node) -> None:
    """Start the backward pass without setting any gradient to zero.

    >>> from labkit.widgets import first_wrong
    >>> report = first_wrong(not_reset, lambda w: w**2, 3.0)
    >>> report.cause, float(report.got)
    ('not reset', 12.0)
    """
    output.grad = np.ones_like(output.value)
    for node in reversed(nodes):
        parts = node.vjp(node.grad)
        for parent, g in zip(node.parents, parts):
            g = unbroadcast(g, parent.value)
            parent.grad = parent.grad + g


ENGINES: dict[str, Callable] = {
    "right": right, "recursion": recursion, "visited once": visited_once, "overwrite": overwrite,
    "no unbroadcast": not_unbroadcast, "not reset": not_reset,
}  # fmt: skip
