"""The ops of this dialect: those of both dialects, and those whose nodes or numbers are PyTorch's own, which come after.

Rules are written with recorded functions only, so that a derivative made with `create_graph=True` has a tape of its
own. Half precisions are summed in float32 and rounded once, as the real kernels do.
"""

from ...ops import *
from .arithmetic import *
from .core import fused as fused
from .core import mover as mover
from .core import op as op
from .elementwise import *
from .memory import *
from .moving import *
from .products import *
from .reductions import *
from .solving import *
from .special import *
from .spectral import *
