"""What a loader makes of examples is for its `collate_fn` to say."""

from labkit.torch.utils.data import DataLoader


def test_a_loader_hands_each_list_of_examples_to_its_function():
    assert list(DataLoader(range(7), batch_size=5, collate_fn=list)) == [[0, 1, 2, 3, 4], [5, 6]]
