"""The engine: record and differentiate. NumPy and autograd only; no dialect, no picture, no Jupyter.

Read these files first, in this order: `dtypes`, `trees`, `levels`, `boxes`, `rule_lookup`, `reverse`, `forward`.
"""

from .box_errors import run
from .boxes import ArrayBox, Own, new_box, power
from .checks import check_function, check_output, numeric
from .custom_rules import custom_vjp, stop_gradient
from .derive import grad, hvp, jacfwd, jacrev, restrict, value_and_grad
from .dtypes import cast, dense, dtype_of, getval, isbox, match_dtype, shape_of
from .forward import Forward, jvp
from .graph import Contribution, Graph, Step, argument_names, checked_names, ones_like, record
from .levels import TAPE, inside, new_level, running
from .no_warnings import quietly
from .numpy_rules import sum_once, two_bytes, unbroadcast_f
from .observers import watch
from .per_thread import PerThread
from .record_node import Record
from .reverse import Reverse, reverse_pass, vjp
from .rule_lookup import vjp_of
from .scope import Scope, current
from .summary import LARGE, Summary, Unknown, summarised
from .trees import leaves, map_leaves
from .user_code import assignment_target, is_library, is_own, user_site

__all__ = [
    "LARGE", "TAPE", "ArrayBox", "Contribution", "Forward", "Graph", "Own", "PerThread", "Record",
    "Reverse", "Scope", "Step", "Summary", "Unknown", "argument_names", "assignment_target", "cast",
    "check_function", "check_output", "checked_names", "current", "custom_vjp", "dense", "dtype_of", "getval",
    "grad", "hvp", "inside", "is_library", "is_own", "isbox", "jacfwd", "jacrev", "jvp", "leaves", "map_leaves",
    "match_dtype", "new_box", "new_level", "numeric", "ones_like", "power", "quietly", "record", "restrict",
    "reverse_pass", "run", "running", "shape_of", "stop_gradient", "sum_once", "summarised", "two_bytes",
    "unbroadcast_f", "user_site", "value_and_grad", "vjp", "vjp_of", "watch",
]  # fmt: skip
