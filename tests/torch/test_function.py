"""Derivatives written by hand."""

import pytest

import labkit.torch as torch


class Power(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.save_for_backward(x)
        ctx.n = n
        return x**n

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * ctx.n * x ** (ctx.n - 1), None


class ProductAndSum(torch.autograd.Function):
    @staticmethod
    def forward(a, b):
        return a * b, a + b

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, g1, g2):
        a, b = ctx.saved_tensors
        return g1 * b + g2, g1 * a + g2


def made(backward):
    class Made(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return backward(g)

    return Made


def test_a_function_is_one_node_and_can_be_differentiated_twice():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = Power.apply(x, 3)
    assert str(y) == "tensor([1., 8.], grad_fn=<PowerBackward>)"
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    assert torch.autograd.grad(g.sum(), x)[0].tolist() == [6.0, 12.0]


def test_its_saved_tensors_are_freed():
    x = torch.tensor(2.0, requires_grad=True)
    y = Power.apply(x, 2)
    y.backward()
    with pytest.raises(RuntimeError, match="a second time"):
        y.backward()


def test_several_outputs_meet_in_one_backward():
    a, b = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)
    u, v = ProductAndSum.apply(a, b)
    assert v.output_nr == 1
    (u + v).backward()
    assert (a.grad.item(), b.grad.item()) == (4.0, 3.0)


WRONG = [
    (lambda g: (g, g), r"function MadeBackward returned an incorrect number of gradients \(expected 1, got 2\)"),
    (lambda g: torch.ones(3), r"Function MadeBackward returned an invalid gradient at index 0 - got \[3\]"),
    (lambda g: 3, r"expected Variable or None \(got int\)"),
]


@pytest.mark.parametrize("backward, message", WRONG)
def test_wrong_answers_of_backward_are_explained(backward, message):
    y = made(backward).apply(torch.ones(2, requires_grad=True))
    with pytest.raises(RuntimeError, match=message):
        y.sum().backward()


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x**3

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 3 * x**2


class BatchedCube(Cube):
    generate_vmap_rule = True


def test_functions_with_a_context_of_their_own_work_inside_transforms():
    assert torch.func.grad(torch.func.grad(Cube.apply))(torch.tensor(2.0)).item() == 12.0
    with pytest.raises(RuntimeError, match="it must override the setup_context staticmethod"):
        torch.func.grad(lambda x: Power.apply(x, 3))(torch.tensor(2.0))


def test_functions_say_whether_they_take_batches():
    x = torch.tensor([1.0, 2.0])
    assert torch.vmap(BatchedCube.apply)(x).tolist() == [1.0, 8.0]
    with pytest.raises(RuntimeError, match="You tried to vmap over Cube, but it does not have vmap support"):
        torch.vmap(Cube.apply)(x)
    with pytest.raises(RuntimeError, match="must override the setup_context staticmethod"):
        torch.vmap(lambda x: Power.apply(x, 3))(x)


def test_gradcheck_finds_a_wrong_derivative():
    x = torch.tensor([1.0], dtype=torch.float64, requires_grad=True)
    with pytest.raises(torch.autograd.GradcheckError, match="Jacobian mismatch for output 0 with respect to input 0"):
        torch.autograd.gradcheck(made(lambda g: g * 3).apply, (x,))
    assert not torch.autograd.gradcheck(made(lambda g: g * 3).apply, (x,), raise_exception=False)
