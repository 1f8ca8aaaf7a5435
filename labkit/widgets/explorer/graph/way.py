"""A way of folding as the page is given it: cards, edges, steps with what is said of each, questions, arrays, norms."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....engine import Summary
from ...kit.words import clipped, paragraph
from ..asks import asks
from ..run.folding import Part, blocks, paths, visible
from ..run.story import Story
from ..words import real_sentences, sentences, tape_sentences
from .cards import (
    Gradients,
    behind,
    behind_gradient,
    freed,
    frees,
    gradient_name,
    has_node,
    node_name,
    saves,
    short,
    slope,
    value,
)
from .inside import inside
from .said import Said
from .units import WIDTHS, Unit, Units, places

MOST_ASKED = 1000  # boxes
MOST_LETTERS = {124.0: 15, 140.0: 18}  # of a card's lines, by its width


class Way:
    """How a story is shown with the blocks `opened` unfolded, its numbers as `say` says them."""

    def __init__(self, story: Story, parts: Sequence[Part], opened: frozenset[str], say: Said):
        self.story, self.parts, self.opened, self.say = story, parts, opened, say
        self.units = Units(story, visible(parts, opened))
        self.gradients = Gradients(self.units)
        arrays = any(np.prod(node.shape) > 2 or len(node.shape) > 1 for node in story.nodes)
        self.wide = WIDTHS[arrays or story.taped or len(story.nodes) > 60]

    def written(self) -> dict[str, Any]:
        """All of it, as JSON has it."""
        units = self.units
        cards = [self._card(unit) for unit in units.units]
        edges = [self._edge(edge) for edge in units.edges]
        found = {
            "cards": cards, "edges": edges, "wide": self.wide, "seed": units.seed, "last": units.last,
            "retained": self.story.retained,
            "flows": [places(units, self.wide, upright) for upright in (False, True)],
            "places": units.places, "said": self.said(),
            "taped": self._taped(), "folds": self._folds(),
            "asks": asks(units, self.say) if len(units.ops) <= MOST_ASKED else {},
            "inside": inside(units, self.say), "norms": self._norms(), "boxes": self._told_boxes(),
        }  # fmt: skip
        return found

    # ---- words ----

    def said(self) -> list[str]:
        """One sentence for each step."""
        return (real_sentences if self.story.retained else sentences)(self.units, self.say)

    def _taped(self) -> list[tuple[int, str]]:
        """What the view of the tape says, apart from the step at which it starts."""
        unread = self.story.retained or self.story.released
        return [] if unread else tape_sentences(self.units, not self.units.walked)

    def told(self, view: str, step: int) -> str:
        """All that is said at a step."""
        changes = self._taped() if view == "tape" else []
        latest = next((words for at, words in reversed(changes) if at <= step), "")
        return paragraph(self.said()[step], latest)

    def _told_boxes(self):
        ops = sum(not node.leaf for node in self.story.nodes)
        return (
            f"{ops} ops, folded into {number_of_boxes(self.units)}; click a pile to unfold it."
            if any(u.folded for u in self.units.units)
            else ""
        )

    # ---- cards ----

    def _card(self, unit: Unit) -> dict[str, Any]:
        units, node, most = self.units, unit.lead, MOST_LETTERS[self.wide]
        known = paths(self.parts)
        way = key_of(self.opened | set(known[unit.block.key])) if unit.block else ""
        found = {
            "kind": _kind(unit),
            "title": short(unit, most), "value": _fitting(value(unit, self.say), most), "ran": units.ran.get(unit, 0),
            "walked": units.walked.get(unit, 0), "tip": behind(units, unit),
            "marked": node.index in self.story.marked, "bad": node.index == self.story.bad, "node": node.index,
        }  # fmt: skip
        if way:
            found["opens"] = way
        if totals := self.gradients.texts(unit, self.say):
            found["gradient"] = {
                "title": clipped(gradient_name(unit), most), "texts": totals, "sums": self.gradients.sums(unit, self.say),
                "bad": node.index == self.story.bad_gradient,
                "tip": behind_gradient(units, unit, self.gradients),
            }  # fmt: skip
        if has_node(units, unit):
            gone = bool(units.ran.get(unit)) and freed(units, unit)
            found["tape"] = {
                "title": node_name(unit, most), "saves": clipped(saves(units, unit), most + 14),
                "frees": frees(unit) and not unit.lead.leaf and not self.story.retained, "gone": gone,
                "tip": behind_gradient(units, unit, self.gradients),
            }  # fmt: skip
        return found

    def _edge(self, edge):
        units = self.units
        sent = units.sent_along(edge)
        return {
            "from": edge.start.index, "to": edge.end.index, "slope": slope(units, edge, self.say),
            "walked": units.walked.get(edge.end, 0) if sent else 0, "nil": self.say.nothing(one.value for one in sent),
        }  # fmt: skip

    def _folds(self):
        """`[name, way]` of what can be folded again."""
        titles = {block.key: block.title for block in blocks(self.parts) if block.key in self.opened}
        ways = [[title, key_of(without(self.opened, key, self.parts))] for key, title in titles.items()]
        every = [["all", key_of(frozenset())]] if len(titles) > 1 else []
        return [*ways, *every]

    # ---- norms ----

    def _norms(self) -> list[dict[str, Any]]:
        """The norm of the gradient of each weight of a network, from the first layer to the last; [] of fewer than two."""
        nodes, found = self.story.nodes, dict[int, tuple[int, Any]]()
        for unit, when in self.units.walked.items():
            for sent in (sent for step in self.units.steps_of[unit] for sent in step.sent):
                leaf = nodes[sent.parent]
                if (
                    "." in leaf.title
                    and len(leaf.shape) > 1
                    and not (isinstance(sent.total, Summary) and sent.total.norm is None)
                ):
                    found.pop(leaf.index, None)
                    found[leaf.index] = when, sent.total
        points = [
            {"title": clipped(nodes[i].title, 18), "when": when, "norm": self.say.norm(total)}
            for i, (when, total) in found.items()
        ]
        return points[::-1] if len(points) > 1 else []


def _kind(unit: Unit) -> str:
    if unit.folded:
        return "block"
    return "leaf" if unit.lead.leaf else "derived" if unit.lead.derives else "op"


def _fitting(words: str, most: int) -> str:
    """A line of a card; one whose numbers are open is as long as it is."""
    return words if "⟦" in words else clipped(words, most + 6)


def key_of(opened: frozenset[str]) -> str:
    """A way of folding as one text, which is not empty; `opened_by` is its inverse."""
    return "|".join(sorted(opened)) or "|"


def opened_by(key: str, parts: Sequence[Part]) -> frozenset[str]:
    """The keys in a text, those that there are, each with the blocks around it."""
    known = paths(parts)
    return frozenset(around for part in key.split("|") for around in known.get(part, ()))


def without(opened: frozenset[str], key: str, parts: Sequence[Part]) -> frozenset[str]:
    """What stays unfolded when a block is folded."""
    known = paths(parts)
    return frozenset(o for o in opened if key not in known.get(o, ()))


def number_of_boxes(units: Units) -> str:
    """In words."""
    return "1 box" if len(units.ops) == 1 else f"{len(units.ops)} boxes"
