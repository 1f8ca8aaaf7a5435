"""Pruning: what a mask holds at zero, by whatever method, stays zero while the rest is trained."""

import pytest

import labkit.torch as torch
import labkit.torch.nn.utils.prune as prune

nn = torch.nn


def layer():
    found = nn.Linear(4, 3)
    found.weight.data = torch.arange(1.0, 13.0).reshape(3, 4)
    return found


def test_a_pruned_weight_is_a_parameter_times_a_buffer_until_it_is_removed():
    pruned = prune.l1_unstructured(layer(), "weight", amount=0.5)
    assert list(pruned.state_dict()) == ["bias", "weight_orig", "weight_mask"]
    assert pruned.weight.tolist() == [[0, 0, 0, 0], [0, 0, 7, 8], [9, 10, 11, 12]]
    assert prune.is_pruned(pruned) and not prune.is_pruned(layer())
    prune.remove(pruned, "weight")
    assert {name for name, _ in pruned.named_parameters()} == {"bias", "weight"} and not prune.is_pruned(pruned)
    assert pruned.weight[0].tolist() == [0, 0, 0, 0]


def test_what_is_zero_stays_zero_in_training():
    pruned = prune.l1_unstructured(layer(), "weight", amount=5)
    optimizer = torch.optim.SGD(pruned.parameters(), lr=0.1, momentum=0.9)
    for _ in range(3):
        pruned(torch.ones(2, 4)).sum().backward()
        optimizer.step()
    assert (pruned.weight == 0).sum() == 5 and pruned.weight_orig.grad.flatten()[:5].eq(0).all()


@pytest.mark.parametrize(
    ("pruned", "mask"),
    [
        (lambda m: prune.ln_structured(m, "weight", 1, n=2, dim=0), [[0, 0, 0, 0], [1, 1, 1, 1], [1, 1, 1, 1]]),
        (lambda m: prune.ln_structured(m, "weight", 0.5, n=1, dim=1), [[0, 0, 1, 1]] * 3),
        (lambda m: prune.custom_from_mask(m, "weight", torch.eye(3, 4)), torch.eye(3, 4).tolist()),
        (lambda m: prune.identity(m, "weight"), [[1] * 4] * 3),
        (lambda m: prune.l1_unstructured(m, "weight", 8, 1 / m.weight), [[1] * 4, [0] * 4, [0] * 4]),
    ],
)
def test_each_method_prunes_what_it_says(pruned, mask):
    assert pruned(layer()).weight_mask.tolist() == mask


def test_methods_follow_each_other_and_look_at_what_is_left():
    pruned = prune.ln_structured(layer(), "weight", 1, n=2, dim=0)
    prune.l1_unstructured(pruned, "weight", amount=0.5)
    (container,) = pruned._forward_pre_hooks.values()
    assert [type(method).__name__ for method in container] == ["LnStructured", "L1Unstructured"]
    assert pruned.weight_mask.tolist() == [[0, 0, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1]]


def test_a_seed_prunes_what_it_prunes_in_pytorch():
    torch.manual_seed(0)
    assert prune.RandomUnstructured(4).prune(torch.arange(1.0, 11.0)).tolist() == [1, 0, 3, 4, 5, 0, 7, 0, 9, 0]
    torch.manual_seed(0)
    assert prune.RandomStructured(2).prune(torch.ones(3, 4)).tolist() == [[1, 1, 0, 0]] * 3


def test_together_the_smallest_of_all_go():
    first, second = layer(), layer()
    second.weight.data = second.weight.data * 10
    prune.global_unstructured([(first, "weight"), (second, "weight")], prune.L1Unstructured, amount=0.5)
    assert (first.weight_mask.sum(), second.weight_mask.sum()) == (1, 11)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda m: prune.remove(m, "weight"), "has to be pruned before"),
        (lambda m: prune.l1_unstructured(m, "weight", 1.5), r"float in the range \[0, 1\]"),
        (lambda m: prune.l1_unstructured(m, "weight", 70), "parameters to prune=12"),
        (lambda m: prune.ln_structured(m, "bias", 1, 2, 0), "multidimensional"),
    ],
)
def test_what_cannot_be_pruned_is_refused_and_left_as_it_is(wrong, said):
    whole = layer()
    with pytest.raises(ValueError, match=said):
        wrong(whole)
    assert list(whole.state_dict()) == ["weight", "bias"]
