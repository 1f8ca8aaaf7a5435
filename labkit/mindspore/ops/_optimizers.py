"""The steps of optimizers as primitive classes: they write into the parameters that stand first, and give their new values."""

from collections.abc import Callable
from inspect import Parameter as Word
from inspect import signature

from ..parameter import Parameter
from ..tensor import Tensor
from . import _elementwise, _joining, _reduction  # noqa: F401  (whose ops it asks for)
from ._op import OPS

STEPS: dict[str, tuple[dict, Callable]] = {}  # class: (its options, what it does with them)


def _step(fun):
    """Enter a function of what is changed, first, of numbers and the gradient, and of options, by name. What it gives becomes
    the value of what is changed."""

    def call(options, *given):
        args = [Tensor(a, given[0].dtype) if isinstance(a, (int, float)) else a for a in given]
        found = fun(*args, **options)
        for held, value in zip(args, found, strict=False):
            if isinstance(held, Parameter):
                held.set_data(value)
        return found[0] if len(found) == 1 or fun in _ALONE else found

    words = signature(fun).parameters.values()
    call.__doc__ = fun.__doc__
    STEPS[fun.__name__] = {w.name: w.default for w in words if w.kind is Word.KEYWORD_ONLY}, call
    return fun


_ALONE: set = set()


def _alone(fun):
    """Mark one that gives the first of its values alone."""
    _ALONE.add(fun)
    return fun


def _moved(mean, value, share):
    """A running mean."""
    return share * mean + (1 - share) * value


def _shrunk(x, by):
    """Nearer to 0 by so much, and 0 where that is beyond it."""
    return OPS["sign"](x) * OPS["relu"](OPS["abs"](x) - by)


@_step
def Adam(
    var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, gradient, *, use_locking=False, use_nesterov=False
):
    """m and v, running means of g and g^2: var - lr * sqrt(1 - beta2_power) / (1 - beta1_power) * m / (sqrt(v) + epsilon)."""
    m, v = _moved(m, gradient, beta1), _moved(v, gradient * gradient, beta2)
    rate = lr * (1 - beta2_power).sqrt() / (1 - beta1_power)
    return var - rate * (_moved(m, gradient, beta1) if use_nesterov else m) / (v.sqrt() + epsilon), m, v


@_step
def AdamWeightDecay(var, m, v, lr, beta1, beta2, epsilon, decay, gradient, *, use_locking=False):
    """Adam's step without bias correction, with decay * var added to the direction."""
    m, v = _moved(m, gradient, beta1), _moved(v, gradient * gradient, beta2)
    return var - lr * (m / (v.sqrt() + epsilon) + decay * var), m, v


@_step
def ApplyAdaMax(var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad):
    """v, the largest g so far, which fades by beta2: var - lr / (1 - beta1_power) * m / (v + epsilon)."""
    m, v = _moved(m, grad, beta1), OPS["maximum"](beta2 * v, OPS["abs"](grad))
    return var - lr / (1 - beta1_power) * m / (v + epsilon), m, v


def _amsgrad(var, m, v, vhat, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad):
    m, v = _moved(m, grad, beta1), _moved(v, grad * grad, beta2)
    vhat = OPS["maximum"](vhat, v)
    return var - lr * (1 - beta2_power).sqrt() / (1 - beta1_power) * m / (vhat.sqrt() + epsilon), m, v, vhat


@_step
def ApplyAdamWithAmsgrad(
    var, m, v, vhat, beta1_power, beta2_power, lr, grad, *, beta1=0.9, beta2=0.999, epsilon=1e-8, use_locking=False
):
    """Adam's step with vhat, the largest v so far, for v."""
    return _amsgrad(var, m, v, vhat, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad)


@_step
def ApplyAdamWithAmsgradV2(
    var, m, v, vhat, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad, *, use_locking=False
):
    """Adam's step with vhat, the largest v so far, for v."""
    return _amsgrad(var, m, v, vhat, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad)


@_step
def ApplyAdadelta(var, accum, accum_update, lr, rho, epsilon, grad):
    """Running means of g^2 and of the squared steps set the step."""
    accum = _moved(accum, grad * grad, rho)
    update = (accum_update + epsilon).sqrt() / (accum + epsilon).sqrt() * grad
    return var - lr * update, accum, _moved(accum_update, update * update, rho)


@_step
def ApplyAdagrad(var, accum, lr, grad, *, update_slots=True):
    """var - lr * g / sqrt(accum), with g^2 added to accum before."""
    accum = accum + grad * grad if update_slots else accum
    return var - lr * grad / accum.sqrt(), accum


@_step
def ApplyAdagradV2(var, accum, lr, grad, *, epsilon, update_slots=True):
    """var - lr * g / (sqrt(accum) + epsilon), with g^2 added to accum before."""
    accum = accum + grad * grad if update_slots else accum
    return var - lr * grad / (accum.sqrt() + epsilon), accum


@_step
@_alone
def ApplyAdagradDA(
    var, gradient_accumulator, gradient_squared_accumulator, grad, lr, l1, l2, global_step, *, use_locking=False
):
    """The value that the gradients so far, and their squares, ask for, with the penalties l1 and l2 (dual averaging)."""
    total, squares = gradient_accumulator + grad, gradient_squared_accumulator + grad * grad
    return -lr * _shrunk(total, l1 * global_step) / (l2 * global_step * lr + squares.sqrt()), total, squares


@_step
def ApplyAddSign(var, m, lr, alpha, sign_decay, beta, grad):
    """var - lr * (alpha + sign_decay * sign(g) * sign(m)) * g, with m the running mean of g."""
    m = _moved(m, grad, beta)
    return var - lr * (alpha + sign_decay * OPS["sign"](grad) * OPS["sign"](m)) * grad, m


@_step
def ApplyPowerSign(var, m, lr, logbase, sign_decay, beta, grad):
    """var - lr * exp(logbase * sign_decay * sign(g) * sign(m)) * g, with m the running mean of g."""
    m = _moved(m, grad, beta)
    return var - lr * (logbase * sign_decay * OPS["sign"](grad) * OPS["sign"](m)).exp() * grad, m


@_step
@_alone
def ApplyRMSProp(var, mean_square, moment, learning_rate, grad, decay, momentum, epsilon, *, use_locking=False):
    """var - moment, with moment = momentum * moment + lr * g / sqrt(mean_square + epsilon)."""
    mean_square = _moved(mean_square, grad * grad, decay)
    moment = momentum * moment + learning_rate * grad / (mean_square + epsilon).sqrt()
    return var - moment, mean_square, moment


@_step
@_alone
def ApplyCenteredRMSProp(
    var, mean_gradient, mean_square, moment, grad, learning_rate, decay, momentum, epsilon, *, use_locking=False
):
    """`ApplyRMSProp` with mean_square less the square of the running mean of g."""
    mean_gradient, mean_square = _moved(mean_gradient, grad, decay), _moved(mean_square, grad * grad, decay)
    spread = mean_square - mean_gradient * mean_gradient + epsilon
    moment = momentum * moment + learning_rate * grad / spread.sqrt()
    return var - moment, mean_gradient, mean_square, moment


@_step
@_alone
def ApplyFtrl(var, accum, linear, grad, lr, l1, l2, lr_power, *, use_locking=False):
    """Follow the regularized leader: the value that the gradients so far ask for, with the penalties l1 and l2."""
    total = accum + grad * grad
    powers = [x ** (-lr_power) for x in (accum, total)]
    linear = linear + grad - (powers[1] - powers[0]) / lr * var
    return -_shrunk(linear, l1) / (powers[1] / lr + 2 * l2), total, linear


def _proximal(var, rate, l1, l2, grad):
    return _shrunk(var - rate * grad, rate * l1) / (1 + l2 * rate)


@_step
def ApplyProximalAdagrad(var, accum, lr, l1, l2, grad, *, use_locking=False):
    """`ApplyAdagrad`, then nearer to 0 by the penalties l1 and l2."""
    accum = accum + grad * grad
    return _proximal(var, lr / accum.sqrt(), l1, l2, grad), accum


@_step
def ApplyProximalGradientDescent(var, alpha, l1, l2, delta):
    """var - alpha * delta, then nearer to 0 by the penalties l1 and l2."""
    return (_proximal(var, alpha, l1, l2, delta),)


@_step
@_alone
def SGD(parameters, gradient, learning_rate, accum, momentum, stat, *, dampening=0.0, weight_decay=0.0, nesterov=False):
    """accum = momentum * accum + (1 - dampening) * g, or g where `stat` is above 0; then a step along it."""
    g = gradient + weight_decay * parameters
    accum = OPS["where"](stat > 0, g, momentum * accum + (1 - dampening) * g)
    return parameters - learning_rate * (g + momentum * accum if nesterov else accum), gradient, learning_rate, accum
