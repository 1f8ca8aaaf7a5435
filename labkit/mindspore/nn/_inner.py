"""The primitives that a layer of the real framework holds as attributes, for a class derived from it that calls them.

`class StdConv(nn.Conv2d)` writes `self.conv2d(x, weight)`. Each is made of the layer's options when it is asked for.
"""

import re
from functools import cache

from .. import ops

_CONVOLUTION = (
    "self.out_channels, self.kernel_size, 1, self.pad_mode, self.padding, self.stride, self.dilation, self.group"
)
_WINDOW = "self.kernel_size, self.stride, self.pad_mode"
# class: attribute=primitive; an attribute of a base class is one of its derived classes, too
_TABLE = f"""
Dense: matmul=MatMul(transpose_b=True) bias_add=BiasAdd() reshape=Reshape() shape_op=Shape()
Conv2d: conv2d=Conv2D({_CONVOLUTION}) bias_add=BiasAdd()
LayerNorm: layer_norm=LayerNorm(self.begin_norm_axis, self.begin_params_axis, self.epsilon)
Embedding: gather=Gather() reshape=Reshape() reshape_flat=Reshape() expand=ExpandDims() get_shp=Shape() concat=Concat()
BatchNorm2d: reshape=Reshape() shape=Shape() cast=Cast() sqrt=Sqrt() square=Square() reduce_mean=ReduceMean(True)
MaxPool2d: max_pool=MaxPool({_WINDOW})
AvgPool2d: avg_pool=AvgPool({_WINDOW})
ReLU: relu=ReLU()
ReLU6: relu6=ReLU6()
Sigmoid: sigmoid=Sigmoid()
Tanh: tanh=Tanh()
Softmax: softmax=Softmax(self.axis)
LogSoftmax: log_softmax=LogSoftmax(self.axis)
HSwish: hswish=HSwish()
HSigmoid: hsigmoid=HSigmoid()
Mish: mish=Mish()
PReLU: prelu=PReLU()
OneHot: onehot=OneHot(self.axis)
LossBase: cast=Cast() mul=Mul() reduce_mean=ReduceMean() reduce_sum=ReduceSum()
LearningRateSchedule: cast=Cast() min=Minimum() max=Maximum() pow=Pow() cos=Cos() sin=Sin()
"""


@cache
def _words():
    found = {}
    for name, words in re.findall(r"^(\w+): (.*)$", _TABLE, re.M):
        found[name] = dict(re.findall(r"(\w+)=(\w+\([^)]*\))", words))
    return found


def inner(layer, name):
    """The primitive that `layer` holds as the attribute `name`; None for any other name."""
    for kind in type(layer).__mro__:
        made = _words().get(kind.__name__, {}).get(name) if kind.__module__.startswith(__package__) else None
        if made is not None:
            return eval(made, vars(ops) | {"self": layer})
    return None
