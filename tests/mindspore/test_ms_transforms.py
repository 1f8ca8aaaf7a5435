"""Products with Jacobians, Jacobians, higher derivatives, mapping."""

import pytest

import labkit.mindspore as ms
from labkit.mindspore import Parameter, Tensor

V, U = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
E1 = Tensor([1.0, 0.0])


def square(x):
    return x**2


def both(x, y):
    return x * y, x + y


def three(x):
    return x**2, x * 3, x * 5


def plain(tree):
    return tree.tolist() if isinstance(tree, Tensor) else tuple(plain(b) for b in tree)


def test_jvp_is_the_derivative_along_a_vector():
    assert plain(ms.jvp(square, V, E1)) == ([1.0, 4.0], [2.0, 0.0])
    assert plain(ms.jvp(both, (V, U), (V, U))) == (([3.0, 8.0], [4.0, 6.0]), ([6.0, 16.0], [4.0, 6.0]))
    assert plain(ms.jvp(three, V, E1, has_aux=True)) == ([1.0, 4.0], [2.0, 0.0], ([3.0, 6.0], [5.0, 10.0]))


def test_vjp_is_a_vector_times_the_jacobian_as_often_as_wanted():
    output, pull = ms.vjp(both, V, U)
    assert plain(output) == ([3.0, 8.0], [4.0, 6.0])
    assert plain(pull(E1, V)) == plain(pull(E1, V)) == ([4.0, 2.0], [2.0, 2.0])
    assert plain(ms.vjp(three, V, has_aux=True)[2]) == ([3.0, 6.0], [5.0, 10.0])


def test_vjp_with_weights():
    p = Parameter(Tensor([2.0, 3.0]), name="p")
    assert plain(ms.vjp(lambda x: x * p, V, weights=[p])[1](E1)) == (([2.0, 0.0],), ([1.0, 0.0],))
    assert plain(ms.vjp(lambda x: x * p, V, weights=p)[1](E1)) == (([2.0, 0.0],), [1.0, 0.0])


@pytest.mark.parametrize("jacobian", [ms.jacrev, ms.jacfwd])
def test_jacobians_of_either_mode(jacobian):
    assert plain(jacobian(square)(V)) == [[2.0, 0.0], [0.0, 4.0]]
    assert plain(jacobian(both, (0, 1))(V, U)) == (
        ([[3.0, 0.0], [0.0, 4.0]], [[1.0, 0.0], [0.0, 2.0]]),
        ([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]]),
    )
    assert plain(jacobian(both, (1,))(V, U))[1] == [[1.0, 0.0], [0.0, 1.0]]
    assert plain(jacobian(three, has_aux=True)(V)) == ([[2.0, 0.0], [0.0, 4.0]], ([3.0, 6.0], [5.0, 10.0]))
    assert jacobian(square)(Tensor([[1.0, 2.0], [3.0, 4.0]])).shape == (2, 2, 2, 2)


@pytest.mark.parametrize("outer", [ms.jacrev, ms.jacfwd])
@pytest.mark.parametrize("inner", [ms.jacrev, ms.jacfwd, ms.grad])
def test_hessians_are_compositions(outer, inner):
    assert outer(inner(lambda x: (x**3).sum()))(V).tolist() == [[6.0, 0.0], [0.0, 12.0]]


@pytest.mark.parametrize(
    "use, error, message",
    [
        (lambda: ms.jvp(square, V, 1.0), TypeError, "The inputs type must be a Tensor, tuple or list of Tensors."),
        (lambda: ms.jvp(both, (V, U), (V,)), ValueError, "v has invalid length: should be 2, but got 1"),
        (lambda: ms.jvp(square, V, Tensor([1.0])), ValueError, r"expected a tangent of its argument's shape \(2,\)"),
        (lambda: ms.vjp(square, 3.0), TypeError, "The inputs type must be Tensor."),
        (lambda: ms.vjp(square, V)[1](), RuntimeError, "expected a cotangent for every output"),
        (lambda: ms.vjp(square, V)[1](Tensor([1.0, 2.0, 3.0])), ValueError, "The shape should be"),
        (lambda: ms.jacrev(square, 3)(V), ValueError, r"The element in grad_position must belong to \[0, args_num\)."),
        (lambda: ms.jacrev(square, -1), ValueError, "grad_position must be >= 0."),
        (lambda: ms.vmap(both)(V, Tensor([1.0, 2.0, 3.0])), ValueError, "expected one batch size"),
    ],
)
def test_misuse_says_what_is_wrong(use, error, message):
    with pytest.raises(error, match=message):
        use()


def test_mapping_over_a_batch():
    assert ms.vmap(lambda x, y: x * y, in_axes=(0, None))(V, U).tolist() == [[3.0, 4.0], [6.0, 8.0]]
    assert ms.vmap(ms.grad(square))(V).tolist() == [2.0, 4.0]
    assert plain(ms.vmap(both)(V, U)) == ([3.0, 8.0], [4.0, 6.0])


def test_jit_runs_the_function_decorated_or_given():
    @ms.jit
    def f(x):
        return x * 2

    @ms.jit(jit_level="O0")
    def g(x):
        return x * 3

    assert (f(V).tolist(), g(V).tolist(), ms.jit(square)(V).tolist()) == ([2.0, 4.0], [3.0, 6.0], [1.0, 4.0])
