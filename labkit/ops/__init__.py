"""The ops of both dialects: each is a row with its kernel, its derivative, the values that this saves, and its spelling and
words.

`table` has the rows and what is asked of them. An op of an existing kind is a row: `elementwise` has the functions
of one number, `arithmetic` those of two, `reductions` and `moving` those of a tensor and options such as an axis
(`signatures`). Both dialects, pictures and programs take them from there. `convolution`
and `pooling` have what dialects put under their own names.
"""

from .arithmetic import PAIRS, add_scaled, clamp, divide_by, operand, power, rsub, scale, select, subtract_scaled, zero
from .elementwise import FUNCTIONS, about, absolute, erf, erf_kernel, exp, log, relu, sigmoid, sign, softplus, tanh
from .kernels import in_float32, rounding, stored, two_bytes, whole
from .moving import MOVERS, copy, expand, gather, index_max, index_min, scatter_add, set_item, sort
from .reductions import REDUCTIONS, log_softmax, logsumexp, mean, norm, others, prod, softmax, sum_, var
from .signatures import offered, signed
from .table import (
    NUMBERS_ARE_WEAK,
    TABLE,
    Row,
    defined_here,
    kept,
    known,
    name_of,
    namesake,
    node_name,
    op_of_node,
    row_of,
    row_of_node,
    rule,
    sign_of,
    spelling,
    variant,
    words_of,
)  # fmt: skip

__all__ = [
    "FUNCTIONS", "MOVERS", "NUMBERS_ARE_WEAK", "PAIRS", "REDUCTIONS", "TABLE", "Row", "about", "absolute", "add_scaled",
    "clamp", "convolution", "copy", "defined_here", "divide_by", "erf", "erf_kernel", "exp", "expand", "gather",
    "in_float32", "index_max", "index_min", "kept", "known", "log", "log_softmax", "logsumexp", "mean", "name_of",
    "namesake", "node_name", "norm", "offered", "op_of_node", "operand", "others", "pooling", "power", "prod", "relu",
    "rounding", "row_of", "row_of_node", "rsub", "rule", "scale", "scatter_add", "select", "set_item", "sigmoid", "sign",
    "sign_of", "signed", "softmax", "softplus", "sort", "spelling", "stored", "subtract_scaled", "sum_", "tanh",
    "two_bytes", "var", "variant", "whole", "words_of", "zero",
]  # fmt: skip
