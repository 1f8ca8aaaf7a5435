"""Primitive classes: `ops.MatMul(transpose_b=True)(x, w)` is an op whose options are fixed beforehand."""

import re
from collections.abc import Callable
from inspect import Parameter as Option
from inspect import cleandoc, signature
from typing import Any

from ...kinds import one_by_one
from ...ops import FUNCTIONS
from .._methods import with_words
from ..tensor import Tensor
from . import (  # noqa: F401
    _activations,
    _adaptive,
    _clip,
    _composed,
    _convolution,
    _create,
    _dropout,
    _elementwise,
    _entropy,
    _formulas,
    _further,
    _gradient,
    _joining,
    _linear,
    _matrices,
    _more_losses,
    _named,
    _of_numpy,
    _optimizers,
    _padding,
    _pieces,
    _places,
    _pooled_places,
    _random,
    _reduction,
    _resizing,
    _shape,
    _special,
    _widened,
)
from ._op import OPS, PRIMITIVES
from ._primitive import Primitive

CLASSES: dict[str, type] = {}


_SAME = """

>>> import labkit.mindspore as ms
>>> x = ms.Tensor({x})
>>> bool((ms.ops.{call} == ms.ops.{same}).all())
True
"""


def _without_options(name, fun):
    def __call__(self, *args):
        return fun(*args)

    doc = f"`ops.{fun.__name__}` as a primitive class: without options, called with the same tensors."
    if fun.__name__ in FUNCTIONS:
        doc += _SAME.format(call=f"{name}()(x)", same=f"{fun.__name__}(x)", x=FUNCTIONS[fun.__name__].at[0])
    return type(name, (Primitive,), {"__call__": __call__, "__doc__": doc})


def chosen(name, options, args, named):
    """Which of the names `options` were given, with what. Raises TypeError for others, in the words of the class `name`."""
    unknown = set(named) - set(options)
    if unknown or len(args) > len(options):
        raise TypeError(f"For '{name}', expected options among {list(options)}, but got {sorted(unknown) or args}.")
    return {**dict(zip(options, args, strict=False)), **named}


def _with_options(name, options, call, doc):
    """A primitive whose constructor takes `options` (a dict of defaults) and whose call is `call(options, *args)`."""

    def __init__(self, *args, **kwargs):
        Primitive.__init__(self)
        self.options = {**options, **chosen(name, options, args, kwargs)}
        self.attrs.update(self.options)

    def __call__(self, *args):
        return call(self.options, *args)

    return type(name, (Primitive,), {"__init__": __init__, "__call__": __call__, "__doc__": doc})


def _matmul(options, x, y):
    x = x.swapaxes(-1, -2) if options["transpose_a"] else x
    y = y.swapaxes(-1, -2) if options["transpose_b"] else y
    return OPS["matmul"](x, y)


def _reducer(function):
    def call(options, x, axis=()):
        """`ops.{name}(keep_dims)(x, axis)`: over `axis`, a number or a tuple, `()` for all; with `keep_dims` each of these
        axes stays, of length 1. Raises TypeError for anything but a tensor.

        >>> import labkit.mindspore as ms
        >>> x = ms.ops.ones((2, 3)) > 0 if "{name}"[6:] in ("All", "Any") else ms.ops.ones((2, 3))
        >>> ms.ops.{name}(keep_dims=True)(x, 1).shape, ms.ops.{name}()(x).shape
        ((2, 1), ())
        """
        return OPS[function](x, axis if axis != () else None, options["keep_dims"])

    return call


def _running(function):
    def call(options, x, axis):
        """`ops.{name}(exclusive, reverse)(x, axis)`: along `axis`, with `reverse` from its end, with
        `exclusive` each without itself.

        >>> import labkit.mindspore as ms
        >>> print(ms.ops.{name}(exclusive=True)(ms.Tensor([2.0, 3.0, 4.0]), 0)[:2] * 0)
        [0. 0.]
        """
        x = OPS["flip"](x, (axis,)) if options["reverse"] else x
        found = OPS[function](x, axis)
        if options["exclusive"]:
            start = OPS["narrow"](found, axis, 0, 1) * 0 + int(function == "cumprod")
            found = OPS["cat"]((start, OPS["narrow"](found, axis, 0, x.shape[axis] - 1)), axis)
        return OPS["flip"](found, (axis,)) if options["reverse"] else found

    return call


def _padded(options, x):
    """`ops.Pad(paddings)(x)`: zeros around, `(before, after)` for each axis.

    >>> import labkit.mindspore as ms
    >>> print(ms.ops.Pad(((1, 0),))(ms.Tensor([1.0, 2.0])))
    [0. 1. 2.]
    """
    pairs = options["paddings"]
    if not isinstance(pairs, tuple):
        raise TypeError(f"For 'Pad', the type of 'paddings' should be 'tuple', but got type '{type(pairs).__name__}'.")
    if len(pairs) != x.ndim:
        raise ValueError(f"For 'Pad', expected {x.ndim} pairs, one for each axis, but got {len(pairs)}.")
    return OPS["pad"](x, [n for pair in reversed(pairs) for n in pair])


def _reduce_sum(options, x, axis=()):
    return OPS["sum"](x, axis if axis != () else None, options["keep_dims"]).astype(x.dtype)


def _joiner(function):
    def call(options, *tensors):
        return OPS[function](one_by_one(tensors), options["axis"])

    return call


def _split(options, x):
    return OPS["split"](x, x.shape[options["axis"]] // options["output_num"], options["axis"])


def _cummin(options, x):
    values, places = OPS["cummin"](x, options["axis"])
    return values, places.astype("int32")


def _l2_loss(options, x):
    return (x * x).sum() / 2


def _normalized(options, x):
    axis, epsilon = options["axis"], options["epsilon"]
    size = OPS["maximum"]((x * x).sum(axis, keepdims=True), Tensor(epsilon, x.dtype))
    return x / size.sqrt()


def _layer_norm(options, x, gamma, beta):
    """`ops.LayerNorm(begin_norm_axis, begin_params_axis, epsilon)(x, gamma, beta)`: (the normalised, mean, variance)."""
    axes = tuple(range(options["begin_norm_axis"] % x.ndim, x.ndim))
    mean = x.mean(axes, True)
    variance = ((x - mean) ** 2).mean(axes, True)
    return (x - mean) / (variance + options["epsilon"]).sqrt() * gamma + beta, mean, variance


def _with_place(name):
    """`ops.ArgMaxWithValue(axis, keep_dims)(x)` and its like: (where, the value)."""
    return lambda options, x: OPS[name](x, options["axis"], options["keep_dims"])[::-1]


def _descent(options, var, alpha, delta):
    var.set_data(var - delta * alpha)
    return var.value()


def _by_name(name):
    return lambda options, *args: OPS[name](*args, **options)


# the options of a class with their defaults, and what it does with them: the op of this name, or a function
_OPTIONS: dict[str, tuple[dict, Callable | str]] = {
    "MatMul": ({"transpose_a": False, "transpose_b": False}, _matmul),
    "BatchMatMul": ({"transpose_a": False, "transpose_b": False}, _matmul),
    "ReduceSum": ({"keep_dims": False, "skip_mode": False}, _reduce_sum),
    "ReduceMean": ({"keep_dims": False}, _reducer("mean")),
    "ReduceMax": ({"keep_dims": False}, _reducer("amax")),
    "ReduceMin": ({"keep_dims": False}, _reducer("amin")),
    "ReduceProd": ({"keep_dims": False}, _reducer("prod")),
    "ReduceAll": ({"keep_dims": False}, _reducer("all")),
    "ReduceAny": ({"keep_dims": False}, _reducer("any")),
    "Softmax": ({"axis": -1}, "softmax"),
    "LogSoftmax": ({"axis": -1}, "log_softmax"),
    "Squeeze": ({"axis": ()}, lambda o, x: OPS["squeeze"](x, o["axis"] if o["axis"] != () else None)),
    "Concat": ({"axis": 0}, _joiner("concat")),
    "Stack": ({"axis": 0}, _joiner("stack")),
    "Split": ({"axis": 0, "output_num": 1}, _split),
    "Bucketize": ({"boundaries": None}, lambda o, x: OPS["bucketize"](x, o["boundaries"], right=True).astype("int32")),
    "Cummin": ({"axis": 0}, _cummin),
    "Einsum": ({"equation": None}, lambda o, tensors: OPS["einsum"](o["equation"], *tensors)),
    "Meshgrid": ({"indexing": "xy"}, lambda o, tensors: OPS["meshgrid"](*tensors, indexing=o["indexing"])),
    "TopK": ({"sorted": True}, lambda o, x, k: OPS["topk"](x, k)),
    "Unstack": ({"axis": 0}, "unstack"),
    "CumSum": ({"exclusive": False, "reverse": False}, _running("cumsum")),
    "CumProd": ({"exclusive": False, "reverse": False}, _running("cumprod")),
    "Pad": ({"paddings": ()}, _padded),
    "Argmin": ({"axis": -1, "output_type": "int32"}, lambda o, x: OPS["argmin"](x, o["axis"]).astype(o["output_type"])),
    "CountNonZero": ({"dims": None}, lambda o, x: OPS["count_nonzero"](x, o["dims"])),
    "Argmax": ({"axis": -1, "output_type": "int32"}, lambda o, x: OPS["argmax"](x, o["axis"]).astype(o["output_type"])),
    "Flatten": ({}, lambda o, x: OPS["flatten"](x)),
    "BroadcastTo": ({"shape": ()}, lambda o, x: OPS["broadcast_to"](x, o["shape"])),
    "Tile": ({}, lambda o, x, dims: OPS["tile"](x, dims)),
    "AddN": ({}, "addn"),
    "L2Loss": ({}, _l2_loss),
    "ArgMaxWithValue": ({"axis": 0, "keep_dims": False}, _with_place("max")),
    "ArgMinWithValue": ({"axis": 0, "keep_dims": False}, _with_place("min")),
    "L2Normalize": ({"axis": 0, "epsilon": 1e-4}, _normalized),
    "LayerNorm": ({"begin_norm_axis": 1, "begin_params_axis": 1, "epsilon": 1e-7}, _layer_norm),
    "StridedSlice": ({"begin_mask": 0, "end_mask": 0, "ellipsis_mask": 0, "new_axis_mask": 0, "shrink_axis_mask": 0},
        lambda o, x, begin, end, strides: OPS["strided_slice"](x, begin, end, strides, **o)),
    "ApplyGradientDescent": ({}, _descent),
    "SquaredDifference": ({}, lambda o, x, y: (x - y) ** 2),
    "Inv": ({}, "reciprocal"),
    "Mod": ({}, lambda o, x, y: OPS["fmod"](x, y).astype(OPS["add"](x, y).dtype)),
    "DivNoNan": ({}, lambda o, x, y: OPS["masked_fill"](x / OPS["masked_fill"](y, y == 0, 1.0), y == 0, 0.0)),
    "SigmoidCrossEntropyWithLogits": ({}, lambda o, x, y: OPS["relu"](x) - x * y + (1 + (-x.abs()).exp()).log()),
    "OneHot": ({"axis": -1}, lambda o, i, depth, on, off: OPS["one_hot"](i, depth, on, off, o["axis"])),
    "Eye": ({}, lambda o, n, m, dtype: OPS["eye"](n, m, dtype)),
    "Ones": ({}, lambda o, shape, dtype=None: OPS["ones"](shape, dtype=dtype)),
    "Zeros": ({}, lambda o, shape, dtype=None: OPS["zeros"](shape, dtype=dtype)),
    "Fill": ({}, lambda o, dtype, shape, value: OPS["full"](shape, value, dtype=dtype)),
    "Identity": ({}, "copy"),
    "ScalarToTensor": ({}, "scalar_to_tensor"),
    "Print": ({}, lambda o, *args: print(*(repr(a) if isinstance(a, Tensor) else a for a in args), sep="\n")),
    "Bincount": ({}, lambda o, array, size, weights: OPS["bincount"](array, weights, size.item())[: size.item()]),
    "TrilIndices": ({"row": None, "col": None, "offset": 0, "dtype": "int32"}, lambda o: OPS["tril_indices"](**o)),
    "TriuIndices": ({"row": None, "col": None, "offset": 0, "dtype": "int32"}, lambda o: OPS["triu_indices"](**o)),
}  # fmt: skip
for _more in (
    _activations.OPTIONS,
    _convolution.OPTIONS,
    _dropout.OPTIONS,
    _entropy.OPTIONS,
    _more_losses.OPTIONS,
    _optimizers.STEPS,
    _formulas.FORMULAS,
):
    _OPTIONS.update(_more)

for _name, _fun in PRIMITIVES.items():
    CLASSES[_name] = _without_options(_name, _fun)
for _name, (_options, _does) in _OPTIONS.items():
    _call = _by_name(_does) if isinstance(_does, str) else _does
    _doc = _call.__doc__ or "The op {name} with its options fixed: {options}."
    _said = (
        _doc
        if _call.__doc__ and _name in _formulas.FORMULAS
        else cleandoc(_doc).format(name=_name, options=[*_options])
    )
    CLASSES[_name] = _with_options(_name, _options, _call, _said)
# classes that are a function of the same name, letters and words aside: what the constructor takes, the call does not
_NAMESAKES = """
    Cholesky(upper=False) InplaceAdd(indices) InplaceSub(indices) InplaceUpdate(indices) MatrixBandPart MatrixPower(n)
    LRN(depth_radius=5,bias=1.0,alpha=1.0,beta=0.5,norm_region="ACROSS_CHANNELS") ReverseSequence(seq_dim,batch_dim=0)
    TruncateDiv TruncateMod
    Mvlgamma(p) CholeskyInverse(upper=False) CholeskySolve(upper=False) MatrixSolve(adjoint=False) Lstsq LuSolve Geqrf Orgqr
    LuUnpack(unpack_data=True,unpack_pivots=True) Svd(full_matrices=False,compute_uv=True) Pdist(p=2.0) Eps Qr
    Addcdiv Addcmul AdaptiveAvgPool2D(output_size) Cdist(p=2.0) ChannelShuffle(groups) Cross(dim=None) Cummax(axis)
    Diag Elu(alpha=1.0) Expand Gather(batch_dims=0) Gelu IndexAdd(axis,use_lock=True,check_index_bound=True) IndexFill
    MultiMarginLoss(p=1,margin=1.0,reduction="mean") NanToNum(nan=None,posinf=None,neginf=None)
    TensorScatterElements(axis=0,reduction="none")
    TripletMarginLoss(p=2,swap=False,eps=1e-06,reduction="mean") TupleToArray
    UniqueConsecutive(return_inverse=False,return_counts=False,dim=None)
    FastGelu Fmax Fmin Gcd Ger Heaviside IsClose(rtol=1e-05,atol=1e-08,equal_nan=False) Lcm Lerp LinSpace Logit(eps=-1.0)
    MaskedFill MaskedSelect NextAfter NonZero Range(maxlen=1000000) Renorm(p,dim,maxnorm)
    RmsNorm(epsilon=1e-06) Roll(shifts,dims=None) Sinc SmoothL1Loss(beta=1.0,reduction="none") SoftMarginLoss(reduction="mean")
    Sort(axis=-1,descending=False) StandardNormal(seed=0,seed2=0) StopGradient Trace Tril(diagonal=0)
    Triu(diagonal=0) Unique
"""
_OTHER_WORD = {"dim": "axis", "dims": "axis", "epsilon": "eps"}


def _plain(name):
    return name.replace("_", "").lower()


def _named_after(name, takes, fun):
    """The class of this name: its constructor `takes` some arguments of `fun`, and the call the others."""
    own, wanted = signature(eval(f"lambda {takes}: 0")), signature(fun).parameters

    def __init__(self, *args, **kwargs):
        Primitive.__init__(self)
        given = own.bind(*args, **kwargs)
        given.apply_defaults()
        self.options = {o if o in wanted else _OTHER_WORD.get(o): value for o, value in given.arguments.items()}
        self.attrs.update(given.arguments)

    def __call__(self, *args):
        left, placed = list(args), list[Any]()
        named = {o: value for o, value in self.options.items() if o in wanted and wanted[o].kind is Option.KEYWORD_ONLY}
        for option, parameter in wanted.items():
            if parameter.kind is Option.VAR_POSITIONAL:
                placed, left = placed + left, []
            elif option in self.options and option not in named:
                placed.append(self.options[option])
            elif left:
                placed.append(left.pop(0))
        return fun(*placed, *left, **named)

    doc = f"`ops.{fun.__name__}` as a primitive class: with the options ({takes}), called with the other arguments."
    return type(name, (Primitive,), {"__init__": __init__, "__call__": __call__, "__doc__": doc})


_FUNCTIONS = {_plain(_name): _fun for _name, _fun in OPS.items()}
_WRITING = " ".join(
    f"{_name}(use_locking=False)" for _name in PRIMITIVES if _name.startswith("Scatter") and _name != "ScatterNd"
)
for _name, _takes in re.findall(r"(\w+)(?:\(([^)]*)\))?", _NAMESAKES + _WRITING):
    CLASSES[_name] = _named_after(_name, _takes, _FUNCTIONS[_plain(_name)])
CLASSES["Primitive"] = CLASSES["PrimitiveWithInfer"] = CLASSES["PrimitiveWithCheck"] = Primitive
CLASSES["RealDiv"], CLASSES["TensorAdd"] = _without_options("RealDiv", OPS["div"]), CLASSES["Add"]


def _reduce_function(name):
    reduce = CLASSES[name]

    def function(x, axis=()):
        return reduce()(x, axis)

    function.__doc__ = f"`ops.{name}()(x, axis)`."
    return function


for _name in ("Sum", "Mean", "Max", "Min", "Prod", "All", "Any"):
    OPS[f"reduce_{_name.lower()}"] = _reduce_function(f"Reduce{_name}")
OPS["tensor_add"] = OPS["add"]


def fill(type, shape, value):
    """All `value`, of a type and shape. (The method `x.fill(value)` keeps those of x.)"""
    return OPS["full"](shape, value, dtype=type)


OPS["fill"] = fill


def attach_methods(methods):
    """Give `Tensor` the ops that are methods."""
    for name, fun in methods.items():
        setattr(Tensor, name, with_words(name, fun))
