"""`torch.autograd.functional` and `torch.func`: Jacobians, Hessians, products, transforms that compose."""

import pytest

import labkit.torch as torch
from labkit.torch.autograd.functional import hessian, hvp, jacobian, jvp, vhp, vjp  # noqa: F401
from labkit.torch.func import functional_call, grad, grad_and_value, jacfwd, jacrev, vmap  # noqa: F401

X, Y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])


def dot(x, y):
    return (x * y).sum()


VALUES = [
    ("jacobian(lambda x: x**2, X)", "tensor([[2., 0.],\n        [0., 4.]])"),
    ("jacobian(lambda x, y: x * y, (X, Y))[1]", "tensor([[1., 0.],\n        [0., 2.]])"),
    ("jacobian(lambda x: (x**2, x.sum()), X)[1]", "tensor([1., 1.])"),
    ("hessian(lambda x: (x**3).sum(), X)", "tensor([[ 6.,  0.],\n        [ 0., 12.]])"),
    ("hessian(dot, (X, Y))[0][1]", "tensor([[1., 0.],\n        [0., 1.]])"),
    ("vjp(lambda x: x**2, X, torch.ones(2))", "(tensor([1., 4.]), tensor([2., 4.]))"),
    ("jvp(lambda x: x**2, X, torch.tensor([1.0, 0.0]))", "(tensor([1., 4.]), tensor([2., 0.]))"),
    ("hvp(lambda x: (x**3).sum(), X, torch.ones(2))", "(tensor(9.), tensor([ 6., 12.]))"),
    ("vhp(dot, (X, Y), (torch.ones(2), torch.ones(2)))", "(tensor(11.), (tensor([1., 1.]), tensor([1., 1.])))"),
    ("grad(dot, argnums=(0, 1))(X, Y)", "(tensor([3., 4.]), tensor([1., 2.]))"),
    ("grad_and_value(dot)(X, Y)", "(tensor([3., 4.]), tensor(11.))"),
    ("grad(lambda x, y: (dot(x, y), x), has_aux=True)(X, Y)", "(tensor([3., 4.]), tensor([1., 2.]))"),
    ("grad(grad(grad(lambda x: x**4)))(torch.tensor(1.0))", "tensor(24.)"),
    ("grad(lambda d: dot(d['a'], d['b'][0]))({'a': X, 'b': [Y]})", "{'a': tensor([3., 4.]), 'b': [tensor([1., 2.])]}"),
    ("grad(lambda x: x.detach() * x)(torch.tensor(3.0))", "tensor(3.)"),
    (
        "torch.func.vjp(lambda x, y: (x * y, x + y), X, Y)[1]((torch.ones(2), torch.zeros(2)))",
        "(tensor([3., 4.]), tensor([1., 2.]))",
    ),
    (
        "torch.func.jvp(lambda x, y: x * y, (X, Y), (torch.ones(2), torch.zeros(2)))",
        "(tensor([3., 8.]), tensor([3., 4.]))",
    ),
    ("jacrev(lambda x, y: x * y, argnums=(0, 1))(X, Y)[0]", "tensor([[3., 0.],\n        [0., 4.]])"),
    ("jacfwd(lambda x, y: x * y, argnums=(0, 1))(X, Y)[1]", "tensor([[1., 0.],\n        [0., 2.]])"),
    ("torch.func.hessian(lambda x: (x**3).sum())(X)", "tensor([[ 6.,  0.],\n        [ 0., 12.]])"),
    ("vmap(lambda a, b: a @ b)(torch.ones(3, 2), torch.ones(3, 2))", "tensor([2., 2., 2.])"),
    ("vmap(grad(dot), in_dims=(None, 0))(X, torch.eye(2))", "tensor([[1., 0.],\n        [0., 1.]])"),
]


@pytest.mark.parametrize("expression, text", VALUES)
def test_a_derivative_is(expression, text):
    assert str(eval(expression)) == text


def test_transforms_pass_through_tensors_that_require_grad():
    w = torch.tensor(2.0, requires_grad=True)
    g = grad(lambda z: z**3 * w)(torch.tensor(1.0))
    assert str(g) == "tensor(6., grad_fn=<MulBackward0>)"
    g.backward()
    assert w.grad.item() == 3.0


def test_no_grad_counts_inside_a_transform_but_not_around_it():
    def f(x):
        with torch.no_grad():
            constant = x**2
        return x - constant

    assert grad(f)(torch.tensor(1.0)).item() == 1.0
    with torch.no_grad():
        assert grad(lambda x: x**2)(torch.tensor(3.0)).item() == 6.0


def test_in_place_changes_are_differentiated_in_a_transform():
    def f(x):
        y = x.clone()
        y[0] *= 3
        y.add_(1)
        return (y * y).sum()

    assert grad(f)(X).tolist() == [24.0, 6.0]


def test_a_jacobian_with_create_graph_can_be_differentiated():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    jacobian(lambda x: x**3, x, create_graph=True).sum().backward()
    assert x.grad.tolist() == [6.0, 12.0]


def test_functional_call_takes_other_parameters():
    lin = torch.nn.Linear(2, 1)
    given = {"weight": torch.ones(1, 2), "bias": torch.zeros(1)}
    assert functional_call(lin, given, (X,)).tolist() == [3.0]
    assert grad(lambda p: functional_call(lin, p, (X,)).sum())(given)["weight"].tolist() == [[1.0, 2.0]]


REFUSED = [
    ("grad(lambda x: x * 2)(X)", "Expected f(*args) to return a scalar Tensor, got tensor with 1 dims."),
    ("grad(lambda x: (x, x))(X)", "Expected f(*args) to return a Tensor, got <class 'tuple'>"),
    ("grad(lambda x: x, argnums=2)(X)", "Got argnum=2, but only 1 positional inputs"),
    ("vjp(lambda x: x * 2, X)", "The vector v can only be None if the user-provided function returns a single Tensor"),
    (
        "vjp(lambda x: x * 2, X, torch.ones(3))",
        "v has invalid size: should be torch.Size([2]) but got torch.Size([3]).",
    ),
    ("vjp(lambda x: x * 2, X, (X, X))", "The given v should contain a single Tensor."),
    ("jacobian(lambda x: x * 2, X, strict=True, create_graph=True)", "strict mode when create_graph=True"),
    ("grad(lambda x: x.requires_grad_().sum())(X)", "You are attempting to call Tensor.requires_grad_()"),
    ("vmap(lambda x: x.requires_grad_())(X)", "call requires_grad_() outside of a function being transformed"),
    ("grad(lambda x: jvp(torch.sin, x, x)[1].sum())(X)", "torch.autograd.functional.* APIs"),
    ("grad(lambda x: x.retain_grad())(X)", "You are attempting to call Tensor.retain_grad()"),
    ("hessian(lambda x: x, X)", "The Tensor returned by the function given to hessian should contain a single element"),
]


@pytest.mark.parametrize("expression, message", REFUSED)
def test_what_cannot_be_transformed_says_why(expression, message):
    with pytest.raises(RuntimeError) as caught:
        eval(expression)
    assert message in str(caught.value)
