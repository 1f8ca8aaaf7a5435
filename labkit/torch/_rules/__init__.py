"""The ops of this dialect: those of both dialects, and those whose nodes or numbers are PyTorch's own, which come after.

Rules are written with recorded functions only, so that a derivative made with `create_graph=True` has a tape of its
own. Half precisions are summed in float32 and rounded once, as the real kernels do.
"""

from ...ops import *
from .arithmetic import *
from .declaration import fused as fused
from .declaration import mover as mover
from .declaration import op as op
from .elementwise import *
from .linear_algebra import *
from .memory import *
from .reductions import *
from .shape import *
