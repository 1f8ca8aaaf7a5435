"""`Parameter` under the name `mindspore.common.parameter`."""

from ..parameter import Parameter, ParameterTuple

__all__ = ["Parameter", "ParameterTuple"]
