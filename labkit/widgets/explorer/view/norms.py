"""How long the gradient is at each box, in the order of the boxes: a curve on a logarithmic axis, along which the step is
dragged, with the gradients of the weights, and the mean factor from one layer to the next. What is nan, inf or 0 has no place
there, and stands in rows of its own."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ....engine import Summary
from ...kit.grips import Grip
from ...kit.scene import Link, Panel
from ...kit.words import number
from .cards import Gradients, gradient_name
from .lengths import Share, points_of, shares_of, trend_of
from .norm_layouts import Across, Upright
from .norm_plots import Plot
from .units import Units

FEWEST, MOST = 5, 300  # steps of the way back


class Curve:
    """The `panel` of norms, None where the way back is short or very long, or single numbers alone go along it; its grips,
    its links. `room`: px that it fills on a wide page; 0: as many as it needs."""

    def __init__(self, units: Units, room: float = 0.0):
        gradients = Gradients(units)
        found = [(u, *totals[-1]) for u in units.units if not u.chip and (totals := gradients.totals(u))]
        known = [(u, at, total) for u, at, total in found if not (isinstance(total, Summary) and total.norm is None)]
        several = any(np.size(total) > 1 for _, _, total in known)
        long = len({at for _, at, _ in known}) >= FEWEST and len(units.walked) <= MOST
        self.panel: Panel | None = None
        self.plots: list[Plot] = []
        self.shares: list[Share] = []
        if several and long:
            points = points_of(units, known)
            trend = trend_of(points)
            self.shares = shares_of(points, trend)
            across, upright = Across(units, points, trend, room), Upright(units, points, trend)
            self.plots = [across, upright]
            self.panel = replace(across.panel("norms"), narrow=upright.panel("norms, narrow"))

    def grips(self) -> Iterator[Grip]:
        """The step, dragged along each layout of the panel."""
        for name, plot in zip(("norms", "norms, narrow"), self.plots, strict=False):
            yield Grip(name, name, "the step, along the way back", "step", plot.spots(), plot.by, bare=True)

    def links(self) -> Iterator[tuple[str, Link]]:
        """What is behind the steps: a click goes there."""
        for plot in self.plots[:1]:
            for column in plot.steps:
                step = min(column, plot.units.last)
                own = [p for p in plot.points if p.when == step and p.leaf in (None, p.unit.lead)]
                words = f"Step {step}: {', '.join(gradient_name(p.unit) for p in own[:3]) or 'nothing new'}"
                yield f"norms {column}", Link(words, [words], go={"step": step}, name=words)
            for p in plot.points:
                if p.leaf and p.leaf is not p.unit.lead:
                    words = f"{p.leaf.gradient_name}: ‖{number(p.norm)}‖"
                    yield p.link, Link(words, [words], go={"step": p.when}, name=words, known={"step": p.when})
