"""The widgets under test, each by the code of the cell that shows it: to test another one, add a line to `LABS`."""

import ast
import linecache
from functools import cache
from typing import Any

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
LABS = {
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


@cache
def made(name: str) -> Any:
    """The widget of an example, outside a notebook, and the same one for every test."""
    return of_code(LABS[name], name)


def of_code(code: str, name: str = "example") -> Any:
    """What the last expression of some code is."""
    body = ast.parse(code).body
    linecache.cache[name] = len(code), None, code.splitlines(True), name  # as IPython does for cells
    space: dict = {}
    exec(compile(ast.Module(body[:-1], []), name, "exec"), space)
    return eval(compile(ast.Expression(body[-1].value), name, "eval"), space)
