"""The update rules: each is its state and one formula, from the old parameter `p` and its gradient `g` to the new one."""

import autograd.numpy as anp
import numpy as np

from ...dialects.argument_types import of_kind
from ...ops import select
from ..argument_checks import check_type, check_types, floating, in_open_interval
from ..common.parameter import Parameter
from ..common.tensor import Tensor, wrap
from ..ops.op_table import in_dtype_of
from .optimizer import Optimizer, fused

__all__ = ["SGD", "Adam", "AdamWeightDecay", "Momentum", "RMSProp"]


def _number(value, name):
    """An int as a float. Raises TypeError for what is not a number."""
    value = float(value) if isinstance(value, int) else value
    of_kind(value, float, "For 'SGD', the argument '{name}' must be float type, but got {type}.", name=name)
    return value


class SGD(Optimizer):
    """Gradient descent: p - lr * v, where v = momentum * v + (1 - dampening) * g, and at the first step v = g.

    `nesterov` steps along g + momentum * v. Without momentum v = g, and dampening plays no part.

    >>> from labkit.mindspore import Parameter, Tensor
    >>> p = Parameter(Tensor([1.0, 2.0]), name="p")
    >>> SGD([p], 0.5)((Tensor([1.0, 2.0]),)), p.value()
    ((True,), Tensor(shape=[2], dtype=Float32, value= [ 5.00000000e-01,  1.00000000e+00]))
    """

    slots = {"accum": ("accum", "zeros"), "stat": ("stat", "ones")}

    def __init__(self, params, learning_rate=0.1, momentum=0.0, dampening=0.0, weight_decay=0.0, nesterov=False,
                 loss_scale=1.0):  # fmt: skip
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        momentum, dampening = _number(momentum, "momentum"), _number(dampening, "dampening")
        if momentum < 0.0:
            raise ValueError(f"For 'SGD', the argument 'momentum' must be at least 0.0, but got {momentum}.")
        check_type(nesterov, "nesterov", bool, self.cls_name)
        if nesterov and (momentum <= 0.0 or dampening != 0.0):
            raise ValueError(
                "For 'SGD', if 'nesterov' is true, 'momentum' must be > 0.0 and 'dampening' must equal to 0.0, but got "
                f"'momentum' {momentum}, 'dampening' {dampening}."
            )
        self.dampening, self.nesterov, self.has_momentum = dampening, nesterov, momentum > 0
        self.momentum = Parameter(wrap(np.float32(momentum)), name="momentum")
        self.keep_slots()

    def _step(self, p, g, lr, v, first, place) -> tuple:
        if not self.has_momentum:
            return p - lr * g, v, first
        momentum = in_dtype_of(self.momentum, p)
        v = select(first > 0, g, momentum * v + in_dtype_of(1 - self.dampening, p) * g)
        return p - lr * (g + momentum * v if self.nesterov else v), v, anp.zeros_like(first)


class Momentum(Optimizer):
    """v = momentum * v + g; p = p - lr * v, or, with `use_nesterov`, p = p - lr * (g + momentum * v).

    The real framework's CPU kernel ignores `use_nesterov`; here it does what is documented.

    >>> from labkit.mindspore import Parameter, Tensor
    >>> p = Parameter(Tensor([1.0]), name="p")
    >>> optimizer = Momentum([p], 0.5, 0.5)
    >>> for _ in range(2):
    ...     _ = optimizer((Tensor([1.0]),))
    >>> p.value(), optimizer.moments[0].value()
    (Tensor(shape=[1], dtype=Float32, value= [-2.50000000e-01]), Tensor(shape=[1], dtype=Float32, value= [ 1.50000000e+00]))
    """

    slots = {"moments": ("moments", "zeros")}
    operator = "ApplyMomentum"

    def __init__(self, params, learning_rate, momentum, weight_decay=0.0, loss_scale=1.0, use_nesterov=False):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        check_type(momentum, "momentum", float, self.cls_name)
        if momentum < 0.0:
            raise ValueError(f"For 'Momentum', the argument 'momentum' must be at least 0.0, but got {momentum}")
        self.momentum = Parameter(wrap(np.float32(momentum)), name="momentum")
        self.use_nesterov = use_nesterov
        self.keep_slots()

    def _step(self, p, g, lr, v, place) -> tuple:
        momentum = in_dtype_of(self.momentum, p)
        v = momentum * v + g
        return p - lr * (g + momentum * v if self.use_nesterov else v), v


class _OfMoments(Optimizer):
    """What the Adam family shares: the checks of beta1, beta2 and eps."""

    def _keep_betas(self, beta1, beta2, eps):
        check_types(float, self.cls_name, beta1=beta1, beta2=beta2, eps=eps)
        in_open_interval(beta1, 0.0, 1.0, "beta1", self.cls_name)
        in_open_interval(beta2, 0.0, 1.0, "beta2", self.cls_name)
        floating(eps, "eps", self.cls_name)
        self.beta1, self.beta2, self.eps = (Tensor(np.float32(value)) for value in (beta1, beta2, eps))

    def _moments(self, g, m, v):
        """Running means of the gradient and of its square."""
        beta1, beta2 = in_dtype_of(self.beta1, g), in_dtype_of(self.beta2, g)
        return fused(1 - beta1, g - m, m), fused(1 - beta2, fused(g, g, -v), v)


class Adam(_OfMoments):
    """m and v are running means of g and g^2; p = p - lr * sqrt(1 - beta2^t) / (1 - beta1^t) * m / (sqrt(v) + eps).

    `use_nesterov` takes beta1 * m + (1 - beta1) * g for m; `use_amsgrad` the largest v so far. Weight decay goes into
    the gradient (see `AdamWeightDecay`).

    >>> from labkit.mindspore import Parameter, Tensor
    >>> p = Parameter(Tensor([1.0]), name="p")
    >>> Adam([p], 0.5)((Tensor([3.0]),)), p.value()
    ((True,), Tensor(shape=[1], dtype=Float32, value= [ 5.00000119e-01]))
    """

    def __init__(self, params, learning_rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, use_locking=False,
                 use_nesterov=False, weight_decay=0.0, loss_scale=1.0, use_amsgrad=False):  # fmt: skip
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self._keep_betas(beta1, beta2, eps)
        self.use_nesterov, self.use_amsgrad = use_nesterov, use_amsgrad
        self.beta1_power = Parameter(wrap(np.float32(1)), name="beta1_power")
        self.beta2_power = Parameter(wrap(np.float32(1)), name="beta2_power")
        names = ["moment1", "moment2"] + (["vhat"] if use_amsgrad else [])
        self.slots = {name: (name, "zeros") for name in names}
        self.keep_slots()

    def before_step(self) -> None:
        for power, beta in ((self.beta1_power, self.beta1), (self.beta2_power, self.beta2)):
            power.set_data(power * beta)

    def _step(self, p, g, lr, m, v, *largest, place) -> tuple:
        beta1, beta2 = in_dtype_of(self.beta1, p), in_dtype_of(self.beta2, p)
        if self.use_amsgrad:  # its kernel rounds every product
            m, v = m + (g - m) * (1 - beta1), v + (g * g - v) * (1 - beta2)
        else:
            m, v = self._moments(g, m, v)
        along = fused(1 - beta1, g, m * beta1) if self.use_nesterov else m
        largest = tuple(anp.maximum(v, vhat) for vhat in largest)
        rate = lr * anp.sqrt(1 - in_dtype_of(self.beta2_power, p)) / (1 - in_dtype_of(self.beta1_power, p))
        root = anp.sqrt(largest[0] if largest else v)
        return p - rate * along / (root + in_dtype_of(self.eps, p)), m, v, *largest


class AdamWeightDecay(_OfMoments):
    """Adam with decoupled weight decay and without bias correction: p = p - lr * (m / (sqrt(v) + eps) + weight_decay * p).

    >>> from labkit import mindspore as ms
    >>> p = ms.Parameter(ms.Tensor([1.0], ms.float32), name="p")
    >>> AdamWeightDecay([p], learning_rate=0.1)((ms.Tensor([1.0], ms.float32),))
    (True,)
    >>> round(float(p.asnumpy()[0]), 3)
    0.684
    """

    slots = {"moments1": ("adam_m", "zeros"), "moments2": ("adam_v", "zeros")}

    def __init__(self, params, learning_rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-6, weight_decay=0.0):
        super().__init__(learning_rate, params, weight_decay)
        self._keep_betas(beta1, beta2, eps)
        self.keep_slots()

    def decay_weight(self, gradients) -> tuple[Tensor, ...]:
        """The gradients as they are: the decay is part of the step."""
        return gradients

    def _step(self, p, g, lr, m, v, place) -> tuple:
        m, v = self._moments(g, m, v)
        update = m / (anp.sqrt(v) + in_dtype_of(self.eps, p))
        if self.decay_flags[place]:
            decay = self.get_weight_decay()
            update = update + in_dtype_of(decay[place] if self.is_group else decay, p) * p
        return p - lr * update, m, v


class RMSProp(Optimizer):
    """s = decay * s + (1 - decay) * g^2; v = momentum * v + lr * g / sqrt(s + epsilon); p = p - v. s starts at 1.

    `centered` subtracts the square of the running mean of g from s.

    >>> from labkit.mindspore import Parameter, Tensor
    >>> p = Parameter(Tensor([1.0]), name="p")
    >>> RMSProp([p], 0.5)((Tensor([1.0]),)), p.value()
    ((True,), Tensor(shape=[1], dtype=Float32, value= [ 5.00000000e-01]))
    """

    def __init__(self, params, learning_rate=0.1, decay=0.9, momentum=0.0, epsilon=1e-10, use_locking=False,
                 centered=False, loss_scale=1.0, weight_decay=0.0):  # fmt: skip
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        for name, value in (("decay", decay), ("momentum", momentum), ("epsilon", epsilon)):
            check_type(value, name, float, self.cls_name)
            floating(value, name, self.cls_name, zero=name != "epsilon")
        check_types(bool, self.cls_name, use_locking=use_locking, centered=centered)
        self.centered, self.momentum, self.epsilon, self.decay = centered, momentum, epsilon, decay
        mean = {"mg": ("mean_grad", "zeros")} if centered else {}
        self.slots = mean | {"ms": ("mean_square", "ones"), "moment": ("moment", "zeros")}
        self.keep_slots()

    def _step(self, p, g, lr, *state, place) -> tuple:
        *mean, s, v = state
        decay, momentum, epsilon = (in_dtype_of(number, p) for number in (self.decay, self.momentum, self.epsilon))
        mean = [m + (g - m) * (1 - decay) for m in mean]
        s = s + (g * g - s) * (1 - decay) if mean else fused(1 - decay, fused(g, g, -s), s)
        spread = s - mean[0] * mean[0] if mean else s
        v = momentum * v + lr * g / anp.sqrt(spread + epsilon)
        return p - v, *mean, s, v
