"""How tensors and their relatives print: an expression, and its text."""

import pytest

import labkit.torch as torch  # noqa: F401
import labkit.torch.nn.functional as F  # noqa: F401

# fmt: off
PRINTED = [
    ("torch.tensor([1e-5,1.])", "tensor([1.0000e-05, 1.0000e+00])"),
    ("torch.tensor([1e5,1.])", "tensor([1.0000e+05, 1.0000e+00])"),
    ("torch.tensor([1234.5,0.001])", "tensor([1.2345e+03, 1.0000e-03])"),
    ("torch.tensor([1e8,1.])", "tensor([1.0000e+08, 1.0000e+00])"),
    ("torch.tensor([2e8,1e8])", "tensor([2.0000e+08, 1.0000e+08])"),
    ("torch.tensor([0.,0.])", "tensor([0., 0.])"),
    ("torch.tensor([0.,1e-9])", "tensor([0.0000e+00, 1.0000e-09])"),
    ('torch.tensor([float("nan"),0.])', "tensor([nan, 0.])"),
    ('torch.tensor([float("inf"),1.5])', "tensor([   inf, 1.5000])"),
    ('torch.tensor([[1.5,float("nan")],[float("-inf"),2]])', "tensor([[1.5000,    nan],\n        [  -inf, 2.0000]])"),
    ("torch.zeros(2,0)", "tensor([], size=(2, 0))"),
    ("torch.zeros(0,3,dtype=torch.int64)", "tensor([], size=(0, 3), dtype=torch.int64)"),
    ("torch.tensor([],dtype=torch.int64)", "tensor([], dtype=torch.int64)"),
    ("torch.tensor([],dtype=torch.float64)", "tensor([], dtype=torch.float64)"),
    ("torch.tensor(1e-5)", "tensor(1.0000e-05)"),
    ("torch.tensor(123456789.)", "tensor(1.2346e+08)"),
    ("torch.tensor(12345678.9)", "tensor(12345679.)"),
    ("torch.tensor(0.1)", "tensor(0.1000)"),
    ("torch.tensor(-0.)", "tensor(-0.)"),
    ("torch.tensor([-1.,2.])", "tensor([-1.,  2.])"),
    ("torch.tensor([-1.5,22.25])", "tensor([-1.5000, 22.2500])"),
    ("torch.randn(0)", "tensor([])"),
    ("torch.arange(30.)",
     "tensor([ 0.,  1.,  2.,  3.,  4.,  5.,  6.,  7.,  8.,  9., 10., 11., 12., 13.,\n"
     "        14., 15., 16., 17., 18., 19., 20., 21., 22., 23., 24., 25., 26., 27.,\n"
     "        28., 29.])"),
    ("torch.arange(30)",
     "tensor([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16, 17,\n"
     "        18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29])"),
    ("torch.arange(30,dtype=torch.float64)",
     "tensor([ 0.,  1.,  2.,  3.,  4.,  5.,  6.,  7.,  8.,  9., 10., 11., 12., 13.,\n"
     "        14., 15., 16., 17., 18., 19., 20., 21., 22., 23., 24., 25., 26., 27.,\n"
     "        28., 29.], dtype=torch.float64)"),
    ("torch.arange(100.)/7",
     "tensor([ 0.0000,  0.1429,  0.2857,  0.4286,  0.5714,  0.7143,  0.8571,  1.0000,\n"
     "         1.1429,  1.2857,  1.4286,  1.5714,  1.7143,  1.8571,  2.0000,  2.1429,\n"
     "         2.2857,  2.4286,  2.5714,  2.7143,  2.8571,  3.0000,  3.1429,  3.2857,\n"
     "         3.4286,  3.5714,  3.7143,  3.8571,  4.0000,  4.1429,  4.2857,  4.4286,\n"
     "         4.5714,  4.7143,  4.8571,  5.0000,  5.1429,  5.2857,  5.4286,  5.5714,\n"
     "         5.7143,  5.8571,  6.0000,  6.1429,  6.2857,  6.4286,  6.5714,  6.7143,\n"
     "         6.8571,  7.0000,  7.1429,  7.2857,  7.4286,  7.5714,  7.7143,  7.8571,\n"
     "         8.0000,  8.1429,  8.2857,  8.4286,  8.5714,  8.7143,  8.8571,  9.0000,\n"
     "         9.1429,  9.2857,  9.4286,  9.5714,  9.7143,  9.8571, 10.0000, 10.1429,\n"
     "        10.2857, 10.4286, 10.5714, 10.7143, 10.8571, 11.0000, 11.1429, 11.2857,\n"
     "        11.4286, 11.5714, 11.7143, 11.8571, 12.0000, 12.1429, 12.2857, 12.4286,\n"
     "        12.5714, 12.7143, 12.8571, 13.0000, 13.1429, 13.2857, 13.4286, 13.5714,\n"
     "        13.7143, 13.8571, 14.0000, 14.1429])"),
    ("torch.linspace(0,1,50)",
     "tensor([0.0000, 0.0204, 0.0408, 0.0612, 0.0816, 0.1020, 0.1224, 0.1429, 0.1633,\n"
     "        0.1837, 0.2041, 0.2245, 0.2449, 0.2653, 0.2857, 0.3061, 0.3265, 0.3469,\n"
     "        0.3673, 0.3878, 0.4082, 0.4286, 0.4490, 0.4694, 0.4898, 0.5102, 0.5306,\n"
     "        0.5510, 0.5714, 0.5918, 0.6122, 0.6327, 0.6531, 0.6735, 0.6939, 0.7143,\n"
     "        0.7347, 0.7551, 0.7755, 0.7959, 0.8163, 0.8367, 0.8571, 0.8776, 0.8980,\n"
     "        0.9184, 0.9388, 0.9592, 0.9796, 1.0000])"),
    ("torch.zeros(3,30)",
     "tensor([[0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0."
     ", 0., 0.,\n"
     "         0., 0., 0., 0., 0., 0.],\n"
     "        [0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0."
     ", 0., 0.,\n"
     "         0., 0., 0., 0., 0., 0.],\n"
     "        [0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0."
     ", 0., 0.,\n"
     "         0., 0., 0., 0., 0., 0.]])"),
    ("torch.ones(2,2,2,2)",
     "tensor([[[[1., 1.],\n"
     "          [1., 1.]],\n"
     "\n"
     "         [[1., 1.],\n"
     "          [1., 1.]]],\n"
     "\n"
     "\n"
     "        [[[1., 1.],\n"
     "          [1., 1.]],\n"
     "\n"
     "         [[1., 1.],\n"
     "          [1., 1.]]]])"),
    ("torch.arange(2000.).reshape(2,1000)",
     "tensor([[0.0000e+00, 1.0000e+00, 2.0000e+00,  ..., 9.9700e+02, 9.9800e+02,\n"
     "         9.9900e+02],\n"
     "        [1.0000e+03, 1.0010e+03, 1.0020e+03,  ..., 1.9970e+03, 1.9980e+03,\n"
     "         1.9990e+03]])"),
    ("torch.tensor([True])", "tensor([True])"),
    ("torch.tensor([[True,False]])", "tensor([[ True, False]])"),
    ("torch.tensor([1,-200,30])", "tensor([   1, -200,   30])"),
    ("torch.tensor([1.5],dtype=torch.float16)", "tensor([1.5000], dtype=torch.float16)"),
    ("torch.tensor([1.5,1e4],dtype=torch.bfloat16)", "tensor([1.5000e+00, 9.9840e+03], dtype=torch.bfloat16)"),
    ("torch.tensor([65504.],dtype=torch.float16)", "tensor([65504.], dtype=torch.float16)"),
    ("torch.ones(2,3,requires_grad=True)*2", "tensor([[2., 2., 2.],\n        [2., 2., 2.]], grad_fn=<MulBackward0>)"),
    ("(torch.ones(12,requires_grad=True)*1.23456)",
     "tensor([1.2346, 1.2346, 1.2346, 1.2346, 1.2346, 1.2346, 1.2346, 1.2346, 1.2346,\n"
     "        1.2346, 1.2346, 1.2346], grad_fn=<MulBackward0>)"),
    ("(torch.ones(11,requires_grad=True)*1.23456).exp()",
     "tensor([3.4369, 3.4369, 3.4369, 3.4369, 3.4369, 3.4369, 3.4369, 3.4369, 3.4369,\n"
     "        3.4369, 3.4369], grad_fn=<ExpBackward0>)"),
    ("torch.ones(10,dtype=torch.float64,requires_grad=True)*2.5",
     "tensor([2.5000, 2.5000, 2.5000, 2.5000, 2.5000, 2.5000, 2.5000, 2.5000, 2.5000,\n"
     "        2.5000], dtype=torch.float64, grad_fn=<MulBackward0>)"),
    ("torch.nn.Parameter(torch.ones(3))", "Parameter containing:\ntensor([1., 1., 1.], requires_grad=True)"),
    ("torch.tensor(2,dtype=torch.int8)", "tensor(2, dtype=torch.int8)"),
    ("torch.tensor([1.]).half()", "tensor([1.], dtype=torch.float16)"),
    ("torch.Size([])", "torch.Size([])"),
    ("torch.Size([1])", "torch.Size([1])"),
    ("torch.Size([1,2])+(3,)", "torch.Size([1, 2, 3])"),
    ("torch.float32", "torch.float32"),
    ("[torch.int64, torch.bool]", "[torch.int64, torch.bool]"),
    ("torch.tensor([1.,2.]).dtype", "torch.float32"),
    ('torch.device("cpu")', "cpu"),
    ('repr(torch.device("cpu"))', "device(type='cpu')"),
    ("torch.finfo(torch.float32)",
     "finfo(resolution=1e-06, min=-3.40282e+38, max=3.40282e+38, eps=1.19209e-07, "
     "smallest_normal=1.17549e-38, tiny=1.17549e-38, dtype=float32)"),
    ("torch.finfo(torch.float16).max", "65504.0"),
    ("torch.tensor([[[1.]]])", "tensor([[[1.]]])"),
    ("torch.eye(3)", "tensor([[1., 0., 0.],\n        [0., 1., 0.],\n        [0., 0., 1.]])"),
    ("torch.full((2,2),7)", "tensor([[7, 7],\n        [7, 7]])"),
    ("torch.full((2,),1.5)", "tensor([1.5000, 1.5000])"),
    ("torch.tensor([1e-8,1e-7])", "tensor([1.0000e-08, 1.0000e-07])"),
    ("torch.tensor([0.00011,0.5])", "tensor([1.1000e-04, 5.0000e-01])"),
    ("torch.tensor([99999.,1.])", "tensor([9.9999e+04, 1.0000e+00])"),
    ("torch.tensor([1000.5,1.])", "tensor([1.0005e+03, 1.0000e+00])"),
    ("torch.tensor([1e10])", "tensor([1.0000e+10])"),
    ("torch.tensor([3.0000001])", "tensor([3.])"),
    ("torch.tensor(3)/2", "tensor(1.5000)"),
    ("torch.tensor([1,2]).float()", "tensor([1., 2.])"),
    ("torch.tensor([1.,2.]).tolist()", "[1.0, 2.0]"),
    ("torch.tensor(2.).item()", "2.0"),
    ("torch.tensor([[1,2]]).max()", "tensor(2)"),
    ("torch.tensor([[1.,5.],[2.,3.]]).max(1)",
     "torch.return_types.max(\n"
     "values=tensor([5., 3.]),\n"
     "indices=tensor([1, 1]))"),
    ("torch.tensor([3.,1.,2.]).sort()",
     "torch.return_types.sort(\n"
     "values=tensor([1., 2., 3.]),\n"
     "indices=tensor([1, 2, 0]))"),
    ("torch.tensor([[1.,5.],[2.,3.]]).min(0,keepdim=True)",
     "torch.return_types.min(\n"
     "values=tensor([[1., 3.]]),\n"
     "indices=tensor([[0, 1]]))"),
    ("torch.unique(torch.tensor([1,2,1]))", "tensor([1, 2])"),
    ('f"{torch.tensor(1.5):.2f} {torch.tensor([1,2])}"', "1.50 tensor([1, 2])"),
    ("torch.tensor([1.])==torch.tensor([1])", "tensor([True])"),
]
# fmt: on


@pytest.mark.parametrize("expression, text", PRINTED)
def test_an_expression_prints_as(expression, text):
    assert str(eval(expression)) == text
