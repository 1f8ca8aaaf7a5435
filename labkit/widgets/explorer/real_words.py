"""A sentence for every step of a tape of the installed PyTorch: shorter than of a run, for it tells what the tape keeps."""

from ..kit.words import brief, capital, clipped, in_full, listed
from .graph.cards import title
from .graph.said import Said
from .graph.tape import saves
from .graph.units import Unit, Units
from .run.story import Story
from .words import sentences

NAMED = 4  # things that a sentence names
SHAPES_ALONE = "The steps show only shapes; backward=True adds the numbers."


def real_sentences(units: Units, say: Said | None = None) -> list[str]:
    """One text per step."""
    leaves = [node.title.partition(": ")[0] for node in units.story.leaves if node.cut is None]
    given = sorted(leaves, key=lambda title: "." in title)  # parameters of modules last
    said = [f"Forward, from {listed(given, NAMED)}."] if given else ["Forward."]
    said += [_forward(units, unit) for unit in units.ran]
    if units.goes_back:
        walked = len(units.walked)
        said.append(_seed(units.story))
        said += (
            sentences(units, say)[-walked:] if units.story.stepped else [_back(units, unit) for unit in units.walked]
        )
    return [*said, *filter(None, [units.story.ending])]


def _forward(units, unit: Unit):
    node = unit.lead
    kept = _kept(units, unit)
    keeps = f"saves {kept} for the backward pass" if kept else ""
    if node.value is None:
        return f"{capital(title(unit))} runs{' and ' if keeps else ''}{keeps}; its result is not kept."
    value = brief(node.value) if len(node.shape) > 1 else in_full(node.value)
    name = f"{clipped(node.name)} = " if node.name and not unit.block else ""
    return f"{capital(title(unit))} gives {name}{value}{', and ' if keeps else ''}{keeps}."


def _kept(units, unit):
    """What a box keeps, in words; of a folded block how many bytes."""
    if unit.block:
        return saves(units, unit).removeprefix("saves ")
    if unit.lead.freed:
        return ""
    names = [what if isinstance(what, str) else _called(units.story, what, unit) for what in unit.lead.keeps]
    return listed(dict.fromkeys(names), NAMED)


def _called(story: Story, index: int, unit: Unit):
    return "its result" if index == unit.lead.index else story.nodes[index].called.partition(": ")[0]


def _seed(story: Story):
    names = listed([node.called for node in story.outputs], NAMED)
    return f"backward() starts at {names}.{'' if story.stepped else f' {SHAPES_ALONE}'}"


def _back(units, unit: Unit):
    """Where a backward would come, and where it would go on."""
    steps = units.steps_of[unit]
    here = f"Then {title(unit)} runs backward"
    if unit.block:
        return f"{here}: {len(steps)} step{'s' if len(steps) > 1 else ''} inside."
    goes = [units.story.nodes[sent.parent].called for sent in steps[0].sent]
    return f"{here}, towards {listed(dict.fromkeys(goes), NAMED)}." if goes else f"{here}, and goes no further."
