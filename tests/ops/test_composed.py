"""Ops made of others are the same in both dialects, and NumPy's."""

import numpy as np
import pytest

import labkit
from labkit import mindspore as ms
from labkit import torch
from labkit.ops.composed import COMPOSED, TORCH_ONLY

X = np.array([[1.0, 2.0, 3.0], [4.0, 0.5, -1.0]])
DIALECTS = {
    "torch": (torch, torch.tensor, lambda x: x.detach().numpy()),
    "mindspore": (ms.ops, ms.Tensor, lambda x: x.asnumpy()),
}
STACKED = [[X[0], X[1]], [X, 2 * X], [X[0], X[:1]], [np.array(1.0), np.array(2.0)]]
A, B, V = X[:, :2], X[:, 1:], np.array([2.0, 3.0, 5.0])
WHOLE, OTHER = np.array([12, 18, 7]), np.array([8, 27, 14])
OF_NUMPY = {  # arguments, for the NumPy function of that name
    "kron": (X, V), "cross": (X, V), "inner": (X, V), "tensordot": (X, V, 1), "corrcoef": (X,), "cov": (X,), "deg2rad": (X,),
    "rad2deg": (X,), "logaddexp": (X, V), "logaddexp2": (X, V), "fmax": (np.where(X > 2, np.nan, X), V),
    "fmin": (X, np.where(V > 2, np.nan, V)), "float_power": (X, 2), "copysign": (V, X[1]), "ldexp": (X, WHOLE - 9),
    "quantile": (X.ravel(), 0.3), "nanquantile": (np.where(X > 3, np.nan, X), 0.4),
    "atleast_1d": (V,),
    "atleast_2d": (V,), "atleast_3d": (X,), "hsplit": (np.tile(X, (1, 2)), 2), "vsplit": (X, 2), "dsplit": (X[:, None], [1]),
    "argwhere": (X > 1,), "heaviside": (X - 2, V), "isin": (X, V), "gcd": (WHOLE, OTHER), "lcm": (WHOLE, OTHER),
    "nextafter": (V, 2 * V), "diff": (X,), "vander": (V,), "nanmean": (X,), "ravel": (X,), "fliplr": (X,), "flipud": (X,),
    "trapezoid": (X, V), "searchsorted": (V, X), "unravel_index": (np.array([1, 5]), (2, 3)),
}  # fmt: skip
ELSE = {  # arguments, and what comes
    "addmv": ((A[0], A, B[0]), A[0] + A @ B[0]), "baddbmm": ((A[None], A[None], B[None]), (A + A @ B)[None]),
    "addbmm": ((A, A[None], B[None]), A + A @ B), "addr": ((A, A[0], B[0]), A + np.outer(A[0], B[0])),
    "chain_matmul": ((A, B, A), A @ B @ A), "cummax": ((X, 1), ([[1, 2, 3], [4, 4, 4]], [[0, 1, 2], [0, 0, 0]])),
    "cummin": ((X, 1), ([[1, 1, 1], [4, 0.5, -1]], [[0, 0, 0], [0, 1, 2]])), "msort": ((X,), np.sort(X, 0)),
    "block_diag": ((A, V), [[1, 2, 0, 0, 0], [4, 0.5, 0, 0, 0], [0, 0, 2, 3, 5]]),
    "combinations": ((V,), [[2, 3], [2, 5], [3, 5]]), "cartesian_prod": ((V[:2], V[1:]), [[2, 3], [2, 5], [3, 3], [3, 5]]),
    "cumulative_trapezoid": ((X,), [[1.5, 4.0], [2.25, 2.0]]), "renorm": ((V * 1e6, 1, 0, 4.0), [4.0, 4, 4]),
    "dist": ((V, 0 * V), 38**0.5), "cdist": ((V[:, None], V[:2, None]), [[0, 1], [1, 0], [3, 2]]),
    "range": ((1, 4), [1, 2, 3, 4]), "tensor_split": ((V, 2), ([2, 3], [5])),
    "take_along_dim": ((X, np.array([[2], [0]]), 1), [[3], [4]]), "bucketize": ((X, V), [[0, 0, 1], [2, 0, 0]]),
    "select_scatter": ((X, V, 0, 1), [X[0], V]), "slice_scatter": ((X, A, 1, 1), np.hstack([X[:, :1], A])),
    "diagonal_scatter": ((X, V[:2]), [[2, 2, 3], [4, 3, -1]]), "narrow_copy": ((X, 1, 1, 2), B),
    "index_add": ((X, 0, np.array([1]), V[None]), [X[0], X[1] + V]), "index_copy": ((X, 0, np.array([1]), V[None]), [X[0], V]),
    "index_fill": ((X, 0, np.array([1]), 7), [X[0], [7, 7, 7]]), "is_nonzero": ((V[:1],), True),
    "tril_indices": ((2, 2), [[0, 1, 1], [0, 0, 1]]), "triu_indices": ((2, 2), [[0, 0, 1], [0, 1, 1]]),
    "histc": ((V, 3, 2.0, 5.0), [1, 1, 1]),
    "unique_consecutive": ((np.array([1, 1, 2, 1]), True, True), ([1, 2, 1], [0, 0, 1, 2], [2, 1, 1])),
    "pdist": ((X,), [np.linalg.norm(X[0] - X[1])]),
    "masked_scatter": ((X, X > 2, 10 * WHOLE), [[1, 2, 120], [180, 0.5, -1]]),
    "put": ((V, np.array([1]), np.array([9.0])), [2, 9, 5]),
    "index_reduce": ((V, 0, np.array([0, 0]), np.array([7.0, 1.0]), "amin"), [1, 3, 5]),
    "as_strided_scatter": ((X, A, (2, 2), (1, 2), 1), [[1, 1, 4], [2, 0.5, -1]]),
    "scatter_reduce": ((V, 0, np.array([0, 0]), np.array([7.0, 1.0]), "amax"), [7, 3, 5]),
    "aminmax": ((X,), (X.min(), X.max())),
    "bitwise_left_shift": ((WHOLE, WHOLE - WHOLE + 1), 2 * WHOLE),
    "bitwise_right_shift": ((WHOLE, WHOLE - WHOLE + 1), WHOLE // 2),
}  # fmt: skip
JOINING = ("vstack", "hstack", "dstack", "column_stack")


def test_each_is_tried():
    assert sorted(COMPOSED) == sorted([*OF_NUMPY, *ELSE, *JOINING])


@pytest.mark.parametrize(
    "name, dialect", [(n, d) for n in (*OF_NUMPY, *ELSE) for d in DIALECTS if d == "torch" or n not in TORCH_ONLY]
)
def test_it_is_what_numpy_computes(name, dialect):
    room, tensor, array = DIALECTS[dialect]
    given, expected = ELSE[name] if name in ELSE else (OF_NUMPY[name], None)
    if expected is None:
        with np.errstate(all="ignore"):
            expected = getattr(np, name)(*given)
    ours = getattr(room, name)(*[tensor(a) if isinstance(a, np.ndarray) else a for a in given])
    if not isinstance(ours, tuple):
        ours, expected = (ours,), (expected,)
    for one, other in zip(ours, expected, strict=True):
        np.testing.assert_allclose(one if one is True else array(one), np.asarray(other), rtol=1e-5)


@pytest.mark.parametrize("room, tensor, array", DIALECTS.values(), ids=DIALECTS)
@pytest.mark.parametrize("name", JOINING)
def test_joined_as_numpy_joins(name, room, tensor, array):
    for given in STACKED:
        try:
            expected = getattr(np, name)(given)
        except ValueError:  # shapes that NumPy cannot join either
            continue
        np.testing.assert_array_equal(array(getattr(room, name)([tensor(a) for a in given])), expected)


SLOPED = ["kron", "cross", "inner", "cov", "logaddexp", "fmax", "copysign", "atleast_3d", "hsplit", "diff", "cummax",
          "block_diag", "combinations", "renorm", "addr", "msort"]  # fmt: skip


@pytest.mark.parametrize("name", SLOPED)
def test_its_slope_agrees_with_differences(name):
    given = ELSE[name][0] if name in ELSE else OF_NUMPY[name]
    others = [ms.Tensor(a) if isinstance(a, np.ndarray) else a for a in given[1:]]

    def first(x):
        found = getattr(ms.ops, name)(x, *others)
        return found[0] if isinstance(found, tuple) else found

    assert labkit.check_gradient(first, ms.Tensor(np.nan_to_num(given[0], nan=1.5)))


@pytest.mark.parametrize("room, tensor, array", DIALECTS.values(), ids=DIALECTS)
def test_a_mean_without_nan_along_an_axis(room, tensor, array):
    x = np.where(X > 2, np.nan, X)
    np.testing.assert_allclose(array(room.nanmean(tensor(x), 1, True)), np.nanmean(x, 1, keepdims=True))
    np.testing.assert_allclose(array(tensor(x).nanmean(axis=0)), np.nanmean(x, 0))
    with np.errstate(all="ignore"):
        assert np.isnan(array(room.nanmean(tensor(np.array([np.nan])))))


@pytest.mark.parametrize("room", [torch, ms.ops], ids=DIALECTS)
def test_what_is_no_tensor_is_named(room):
    with pytest.raises(TypeError, match=r"(?i)fliplr"):
        room.fliplr([1.0])
    with pytest.raises((IndexError, ValueError), match=r"range.* got 1\b"):
        room.fliplr((torch.tensor if room is torch else ms.Tensor)([1.0, 2.0]))


@pytest.mark.parametrize("interpolation", ["linear", "lower", "higher", "nearest", "midpoint"])
def test_quantiles_are_those_of_numpy(interpolation):
    given, shares = np.array([[3.0, 1.0, np.nan, 2.0], [5.0, 9.0, 7.0, 6.0]]), np.array([0.0, 0.3, 0.9])
    found = torch.quantile(torch.tensor(given), torch.tensor(shares), dim=1, keepdim=True, interpolation=interpolation)
    np.testing.assert_allclose(found.numpy(), np.quantile(given, shares, 1, method=interpolation, keepdims=True))
    found = torch.nanquantile(torch.tensor(given), torch.tensor(shares), interpolation=interpolation)
    np.testing.assert_allclose(found.numpy(), np.nanquantile(given, shares, method=interpolation))
    with pytest.raises(RuntimeError, match=r"q must be in the range \[0, 1\] but got 2"):
        torch.quantile(torch.tensor(given), 2.0)


@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("reduce", ["sum", "prod", "mean", "amax", "amin"])
def test_what_goes_to_the_same_place_is_reduced(reduce, include_self):
    base, index, source = (
        np.arange(6.0).reshape(2, 3) + 1,
        np.array([[0, 0, 1], [2, 2, 2]]),
        np.array([[7.0, 2, 5], [1, 3, 4]]),
    )
    each = {"sum": np.sum, "prod": np.prod, "mean": np.mean, "amax": np.max, "amin": np.min}[reduce]
    expected = base.copy()
    for i, k in np.ndindex(2, 3):
        gone = source[i][index[i] == k]
        if len(gone):
            expected[i, k] = each([*gone, base[i, k]] if include_self else gone)
    reduced = lambda x, y: x.scatter_reduce(1, torch.tensor(index), y, reduce, include_self=include_self)
    tensors = torch.tensor(base, requires_grad=True), torch.tensor(source, requires_grad=True)
    np.testing.assert_allclose(reduced(*tensors).detach().numpy(), expected)
    assert type(reduced(*tensors).grad_fn).__name__ == "ScatterReduceBackward0"
    assert torch.autograd.gradcheck(reduced, tensors)


def test_a_composition_is_one_node_where_it_is_one_in_pytorch():
    x, y = (torch.tensor(a, requires_grad=True) for a in (X, X[::-1] + 0.5))
    column, row = torch.tensor([1.0, 2.0]).double().requires_grad_(), torch.tensor(V, requires_grad=True)
    pairs = dict.fromkeys(("logaddexp", "copysign", "ldexp", "cdist"), (x, y))
    for name, given in {**pairs, "addr": (x, column, row)}.items():
        fun = getattr(torch, name)
        assert type(fun(*given).grad_fn).__name__ == f"{name.title()}Backward0"
        assert torch.autograd.gradcheck(fun, given) and torch.autograd.gradgradcheck(fun, given)
    assert torch.allclose(torch.einsum(x, [0, 1], y, [0, 1], [1]), (x * y).sum(0))
    assert torch.linalg.norm(x, 1) == abs(X).sum(0).max()
    assert np.isclose(torch.linalg.norm(x, 2).item(), np.linalg.norm(X, 2))
