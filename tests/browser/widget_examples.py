"""The widgets under test, each by the code of the cell that shows it; and a small one with every kind of control.

To test another widget, add a line to `EXAMPLES`.
"""

import ast
import linecache
from functools import cache
from typing import Any

from labkit.widgets.kit.grips import Along, Grip
from labkit.widgets.kit.picture import Picture
from labkit.widgets.kit.scene import (
    Ask,
    Caption,
    Dial,
    Link,
    Panel,
    Scene,
    arrow_head,
    changes,
    circle,
    line,
    path,
    rect,
    text,
)

LENET = """
import numpy as np
import labkit
import labkit.mindspore as ms
from labkit.mindspore import nn

class LeNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.SequentialCell(nn.Conv2d(1, 2, 3, pad_mode="valid"), nn.ReLU(), nn.MaxPool2d(2, 2))
        self.head = nn.SequentialCell(nn.Flatten(), nn.Dense(18, 4), nn.ReLU(), nn.Dense(4, 3))

    def construct(self, x):
        return self.head(self.conv(x))

ms.set_seed(1)
image = ms.Tensor(np.linspace(0, 1, 64, dtype=np.float32).reshape(1, 1, 8, 8))
"""
EXAMPLES = {
    "demo": "from widget_examples import Demo\nDemo()",
}
LABS = {  # compute in the page
    "step_size": "from labkit.widgets import StepSize\nStepSize(lambda x: x**3, 1.0)",
    "clipping": "from labkit.widgets import ClippingLab\nClippingLab()",
    "jacobian": "import numpy as np\nfrom labkit.widgets import JacobianMap\n"
    "JacobianMap(lambda x: np.array([[2.0, 1.0, 0.0], [0.0, 1.0, -1.0]]) @ x**2, np.array([1.0, 2.0, 3.0]))",
    "upstream_gradient": "import numpy as np\nfrom labkit.widgets import UpstreamGradientLab\n"
    "UpstreamGradientLab(lambda x: x**2 * x[0], np.array([1.0, 2.0, 3.0]))",
    "memory": "from labkit.widgets import MemoryCurve\nMemoryCurve()",
    "batch_splitter": "from labkit.widgets import BatchSplitter\nBatchSplitter()",
    "loss_scale": "from labkit.widgets import LossScaleLab\nLossScaleLab()",
    "show": "import labkit\nimport autograd.numpy as np\nlabkit.show(lambda x, w, b: np.tanh(x * w + b) ** 2, 0.5, -1.0, 0.25)",
    "microscope": "from labkit.widgets import Microscope\nMicroscope('0.1')",
    "cut": "from labkit.widgets import CutEdge\nCutEdge(lambda x, y: x * y + x, 3.0, 2.0)",
    "landscape": "from labkit.widgets import Landscape\nLandscape()",
    "wrong_engines": "from labkit.widgets import WrongEngineLab\nWrongEngineLab()",
    "calls": "from labkit.widgets import CallBuilder\nCallBuilder()",
}
FEW = ("demo",)  # has every kind of control and of link


@cache
def made(name: str) -> Any:
    """The widget of an example, outside a notebook; whoever turns its dials turns them for everybody."""
    return of_code((EXAMPLES | LABS)[name], name)


def of_code(code: str, name: str = "example") -> Any:
    """What the last expression of some code is."""
    body = ast.parse(code).body
    linecache.cache[name] = len(code), None, code.splitlines(True), name  # as IPython does for cells
    space: dict = {}
    exec(compile(ast.Module(body[:-1], []), name, "exec"), space)
    return eval(compile(ast.Expression(body[-1].value), name, "eval"), space)


class Demo(Picture):
    """The powers x, x^2, x^4 in three steps, and a plane with a point; x is a field."""

    def __init__(self, x=1.5):
        super().__init__(demo_scene(x))

    def respond(self, message):
        if "set" in message:
            self.scene = demo_scene(float(message["set"]["x"]))


SIDE = 5


def demo_scene(x: float) -> Scene:
    """The scene of `Demo`."""
    values = [f"{x ** (2**i):.4g}" for i in range(3)]
    ask = Ask("What is the square?", x**2, f"{x:g} times {x:g}.", slips=((2 * x, "That is twice x."),))
    dials = [
        Dial("step", "Step", ["start", "square", "square again"], asks={1: ask}),
        Dial("show", "Show", ["powers", "powers and plane"], kind="choice"),
        Dial("far", "Colour the result", ["no", "yes"], kind="toggle", when={"show": [0]}),
        Dial("view", "Many", [f"choice {i}" for i in range(8)], kind="choice"),
        Dial("place", "Place", [f"({i % SIDE}, {i // SIDE})" for i in range(SIDE**2)], kind="plane", start=12,
             plane={"columns": SIDE}, when={"show": [1]}),
    ]  # fmt: skip
    said = Caption("step", [(0, "Here is x."), (1, "It is squared."), (2, "It is squared again.")])
    here = Caption("place", changes(f"The point is at {i % SIDE}, {i // SIDE}." for i in range(SIDE**2)), {"show": [1]})
    links = {
        f"v{i}": Link(f"x to the power {2**i}, {values[i]}", [f"x^{2**i}", values[i]], [[1.0, -0.5, None]], {"step": i})
        for i in range(3)
    }
    panels = [
        Panel("powers", "Powers", 420, 120, _powers(values)),
        Panel("plane", "Plane", 200, 200, _plane(), {"show": [1]}),
    ]
    spots = [(20.0 + 40 * (i % SIDE), 20.0 + 40 * (i // SIDE)) for i in range(SIDE**2)]
    grips = [
        Grip("point", "plane", "the point", "place", spots, when={"show": [1]}),
        Grip("x", "powers", "x", at=(60.0, 61.0), free={"x": Along.scrubbed("x", x, 60.0)}, by="x", stays=True),
    ]
    return Scene(
        "Powers", "A number is squared twice.", dials, panels, [said, here], links, fields={"x": f"{x:g}"}, grips=grips
    )  # fmt: skip


def _powers(values):
    marks = []
    for i, value in enumerate(values):
        left, states = 10 + 140 * i, {"state": [(0, "pending" if i else "now"), (i, "now"), (i + 1, "")]}
        if i:
            marks += [line(left - 40, 50, left, 50, "edge", vary={"step": {"opacity": [(0, 0.2), (i, 1.0)]}})]
            marks += [arrow_head(left, 50, 1, 0, "head"), text(left - 20, 40, "x²", "slope", "middle")]
        marks += [rect(left, 20, 100, 60, "op", link=f"v{i}", vary={"step": states})]
        marks += [text(left + 50, 45, f"x^{2**i}", "name", "middle", link=f"v{i}")]
        marks += [text(left + 50, 65, "?", "value", "middle", vary={"step": {"text": [(0, "?"), (i, value)]}})]
    bad = rect(284, 14, 112, 72, "bad", vary={"far": {"opacity": [(1, 0.5)]}}, when={"far": [1]})
    note = text(10, 110, "choice 0", "note", vary={"view": {"text": changes(f"choice {i}" for i in range(8))}})
    return [*marks, bad, note]


def _plane():
    x, y = ([20.0 + 40 * (i % SIDE if across else i // SIDE) for i in range(SIDE**2)] for across in (True, False))
    vary = {"place": {"cx": changes(x), "cy": changes(y)}}
    return [
        rect(0, 0, 200, 200, "area"),
        path("M20 20L180 20L180 180L20 180Z", "grid"),
        circle(100, 100, 6, "bar", vary=vary),
    ]
