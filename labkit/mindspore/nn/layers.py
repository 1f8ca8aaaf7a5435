"""Layers: dense, flatten, dropout, an embedding, clipping; and activations."""

import math

import numpy as np

from ...dialects.argument_types import of_kind
from ...dialects.class_paths import with_names
from ..argument_checks import check_positive_int, check_type, check_types
from ..common.dtype import float32
from ..common.initializer import HeUniform, Uniform, initializer
from ..common.parameter import Parameter
from ..common.seed import op_seed
from ..common.tensor import Tensor
from ..ops import Primitive, dense, flatten, gelu, leaky_relu, matmul, maximum, relu, sigmoid, softmax, tanh, zeros
from ..ops.creation import dropped
from ..ops.losses import as_one_hot
from ..ops.op_table import value_of
from .cell import Cell

__all__ = [
    "GELU", "ClipByNorm", "Dense", "Dropout", "Embedding", "Flatten", "Identity", "LeakyReLU", "ReLU", "Sigmoid",
    "Softmax", "Tanh", "get_activation",
]  # fmt: skip


class Identity(Cell):
    """Returns its input."""

    def construct(self, input) -> Tensor:
        return input


class _WithoutOptions(Cell):
    def __init__(self):
        super().__init__()


class ReLU(_WithoutOptions):
    """`ops.relu` as a cell: x above 0, else 0; any shape.

    >>> import labkit.mindspore as ms
    >>> ReLU()(ms.Tensor([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    """

    def construct(self, input) -> Tensor:
        return relu(input)


class LeakyReLU(Cell):
    """`ops.leaky_relu` as a cell: x above 0, else `alpha` x; any shape.

    >>> import labkit.mindspore as ms
    >>> LeakyReLU(0.5)(ms.Tensor([-1.0, 2.0])).tolist()
    [-0.5, 2.0]
    """

    def __init__(self, alpha=0.2):
        super().__init__()
        self.alpha = alpha

    def construct(self, input) -> Tensor:
        return leaky_relu(input, self.alpha)


class Sigmoid(_WithoutOptions):
    """`ops.sigmoid` as a cell: 1 / (1 + exp(-x)); any shape.

    >>> import labkit.mindspore as ms
    >>> Sigmoid()(ms.Tensor([0.0])).tolist()
    [0.5]
    """

    def construct(self, input) -> Tensor:
        return sigmoid(input)


class Tanh(_WithoutOptions):
    """`ops.tanh` as a cell; any shape.

    >>> import labkit.mindspore as ms
    >>> Tanh()(ms.Tensor([0.0])).tolist()
    [0.0]
    """

    def construct(self, input) -> Tensor:
        return tanh(input)


class Softmax(Cell):
    """`ops.softmax` as a cell: exp(x) over its sum along `axis`.

    >>> import labkit.mindspore as ms
    >>> Softmax()(ms.Tensor([[0.0, 0.0]])).tolist()
    [[0.5, 0.5]]
    """

    def __init__(self, axis=-1):
        super().__init__()
        self.axis = axis

    def construct(self, input) -> Tensor:
        return softmax(input, self.axis)


class GELU(Cell):
    """`ops.gelu` as a cell; by the tanh formula unless `approximate` is False."""

    def __init__(self, approximate=True):
        super().__init__()
        self.approximate = approximate

    def construct(self, input) -> Tensor:
        return gelu(input, "tanh" if self.approximate else "none")


_NAMED = {"relu": ReLU, "sigmoid": Sigmoid, "tanh": Tanh, "softmax": Softmax, "gelu": GELU, "leakyrelu": LeakyReLU}


def get_activation(name, prim_name=None) -> Cell:
    """The activation cell of a name such as "relu". Raises KeyError for an unknown one."""
    if name not in _NAMED:
        owner = "The" if prim_name is None else f"For '{prim_name}', the"
        raise KeyError(f"{owner} 'name' must be in {list(_NAMED)}, but got '{name}'.")
    return _NAMED[name]()


class Dense(Cell):
    """x @ weight.T + bias: x (..., in_channels), weight (out_channels, in_channels), output (..., out_channels).

    Both are drawn from U(-1/sqrt(in), 1/sqrt(in)) unless `weight_init`, `bias_init` say otherwise (a tensor, number,
    name or Initializer). `activation`: a name or cell to apply to the result.

    >>> Dense(3, 1, has_bias=False)
    Dense(input_channels=3, output_channels=1)
    """

    def __init__(self, in_channels, out_channels, weight_init=None, bias_init=None, has_bias=True, activation=None,
                 dtype=float32):  # fmt: skip
        super().__init__()
        self.in_channels = check_positive_int(in_channels, "in_channels", self.cls_name)
        self.out_channels = check_positive_int(out_channels, "out_channels", self.cls_name)
        self.has_bias = of_kind(has_bias, bool, "For 'Dense', the 'has_bias' must be a bool, but got {kind}.")
        weight_init = HeUniform(math.sqrt(5)) if weight_init is None else weight_init
        self.weight = Parameter(initializer(weight_init, (out_channels, in_channels), dtype), name="weight")
        bias_init = Uniform(1 / math.sqrt(in_channels)) if bias_init is None else bias_init
        self.bias = Parameter(initializer(bias_init, (out_channels,), dtype), name="bias") if has_bias else None
        self.activation = get_activation(activation) if isinstance(activation, str) else activation
        if activation is not None:
            text = "For 'Dense', the 'activation' must be str or Cell or Primitive, but got {kind}."
            of_kind(self.activation, (Cell, Primitive), text)

    def construct(self, x) -> Tensor:
        out = dense(x, self.weight, self.bias)
        return out if self.activation is None else self.activation(out)

    def extend_repr(self) -> str:
        bias = f", has_bias={self.has_bias}" if self.has_bias else ""
        activation = f", activation={self.activation}" if self.activation is not None else ""
        return f"input_channels={self.in_channels}, output_channels={self.out_channels}{bias}{activation}"


class Flatten(Cell):
    """All axes from `start_dim` to `end_dim` as one; the first axis, the batch, stays by default.

    No parameters; raises TypeError for anything but a tensor.

    >>> import labkit.mindspore as ms
    >>> ms.nn.Flatten()(ms.ops.ones((2, 3, 4))).shape
    (2, 12)
    """

    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def construct(self, x) -> Tensor:
        return flatten(x, start_dim=self.start_dim, end_dim=self.end_dim)


class ClipByNorm(Cell):
    """`x * clip_norm / max(norm, clip_norm)`: a gradient of at most that norm, over all axes or over `axis`.

    With an `axis` the real framework's CPU kernel takes the norms of other elements; here it does what is documented.

    >>> ClipByNorm()(Tensor([3.0, 4.0]), Tensor([1.0])).asnumpy()
    array([0.6, 0.8], dtype=float32)
    """

    def __init__(self, axis=None):
        super().__init__()
        self.axis = axis

    def construct(self, x, clip_norm) -> Tensor:
        norm = (x * x).sum(self.axis, keepdims=True).sqrt()
        return (x / (maximum(norm, clip_norm) / clip_norm)).astype(x.dtype)


class Dropout(Cell):
    """While training, each element is 0 with probability `p`, else divided by 1 - p; otherwise the input itself.

    `keep_prob` is the older way to say 1 - p; `dtype` changes nothing. A new choice is made at
    every call, in a compiled network too.
    """

    def __init__(self, keep_prob=0.5, p=None, dtype=None):
        super().__init__()
        name, value = ("keep_prob", keep_prob) if p is None else ("p", p)
        check_type(value, name, (float, int), "Dropout")
        if not (0 <= value < 1 if name == "p" else 0 < value <= 1):
            interval = "[0, 1)" if name == "p" else "(0, 1]"
            raise ValueError(f"For 'Dropout', the '{name}' must be a number in range {interval}, but got {value}.")
        self.keep_prob, self.p = keep_prob, p
        self._seed, self._engines = op_seed("dropout"), {}

    def construct(self, x) -> Tensor:
        if not self.training:
            return x
        p = 1 - self.keep_prob if self.p is None else self.p
        return dropped(x, value_of(x, "Dropout"), p, self._seed, self._engines)

    def extend_repr(self) -> str:
        return with_names(self, "keep_prob" if self.p is None else "p")


class Embedding(Cell):
    """`layer(ids)` is the row of `embedding_table` (vocab_size, embedding_size) for each number of `ids`.

    The row `padding_idx` begins as zeros. Raises TypeError or ValueError for arguments of another type or range.

    >>> import labkit.mindspore as ms
    >>> ms.nn.Embedding(10, 3)(ms.Tensor([[1, 2], [3, 4]], ms.int32)).shape
    (2, 2, 3)
    """

    def __init__(self, vocab_size, embedding_size, use_one_hot=False, embedding_table="normal", dtype=float32,
                 padding_idx=None):  # fmt: skip
        super().__init__()
        check_types(int, self.cls_name, vocab_size=vocab_size, embedding_size=embedding_size)
        self.vocab_size, self.embedding_size, self.use_one_hot = vocab_size, embedding_size, use_one_hot
        self.dtype, self.padding_idx = dtype, padding_idx
        table = initializer(embedding_table, (vocab_size, embedding_size), dtype)
        if padding_idx is not None:
            if not 0 <= padding_idx < vocab_size:
                raise ValueError(
                    f"For 'Embedding', the 'padding_idx' must be in range of [0, {vocab_size}), but got {padding_idx}."
                )
            rows = np.array(table.asnumpy())
            rows[padding_idx] = 0
            table = Tensor(rows)
        self.embedding_table = Parameter(table, name="embedding_table")

    def construct(self, ids) -> Tensor:
        if not self.use_one_hot:
            return self.embedding_table[ids]
        return matmul(as_one_hot(ids, zeros(self.vocab_size, dtype=self.dtype)), self.embedding_table)

    def extend_repr(self) -> str:
        return with_names(
            self, "vocab_size", "embedding_size", "use_one_hot", "embedding_table", "dtype", "padding_idx"
        )
