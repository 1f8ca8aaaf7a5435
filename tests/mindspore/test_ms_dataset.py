"""Data pipelines give the rows that were asked for, in an order that a seed fixes, and say what is wrong with a file."""

import struct
import threading

import labkit.mindspore.dataset.transforms.c_transforms as C
import labkit.mindspore.dataset.vision.c_transforms as CV
import numpy as np
import pytest

import labkit.mindspore as ms
import labkit.mindspore.dataset as ds
from labkit.mindspore.dataset import transforms, vision
from labkit.mindspore.dataset.vision import Inter

X = np.arange(12, dtype=np.float32).reshape(6, 2)
Y = np.arange(6, dtype=np.int32)


def source(shuffle=False):
    return ds.NumpySlicesDataset((X, Y), ["x", "y"], shuffle=shuffle)


def column(dataset, name="y"):
    return [row[name].tolist() for row in dataset.create_dict_iterator(num_epochs=1, output_numpy=True)]


# ---- reading ----


def test_rows_are_tensors_or_arrays():
    row = next(source().create_dict_iterator())
    assert isinstance(row["x"], ms.Tensor) and row["x"].dtype == ms.float32 and row["y"].shape == ()
    x, y = next(source().create_tuple_iterator(output_numpy=True))
    assert isinstance(x, np.ndarray) and x.tolist() == [0, 1] and y.dtype == np.int32
    assert [len(row) for row in source()] == [2] * 6


def test_what_a_data_set_says_of_itself():
    d = source().batch(4).repeat(3)
    assert (d.get_dataset_size(), len(d), d.get_col_names()) == (6, 6, ["x", "y"])


def test_each_loop_over_an_iterator_is_an_epoch():
    reader = source().create_tuple_iterator(num_epochs=2)
    assert [len(list(reader)), len(list(reader))] == [6, 6]
    with pytest.raises(RuntimeError, match="beyond the specified number of epochs"):
        next(reader)


def test_two_iterators_do_not_disturb_each_other():
    d = source(shuffle=True).batch(2)
    ds.config.set_seed(1)
    alone = column(d)
    one, other = d.create_dict_iterator(output_numpy=True), d.create_dict_iterator(output_numpy=True)
    pairs = [(next(one)["y"].tolist(), next(other)["y"].tolist()) for _ in range(3)]
    assert [p[0] for p in pairs] == [p[1] for p in pairs] == alone


# ---- building ----


def test_batches_keep_or_drop_the_rest():
    assert [len(x) for x in column(source().batch(4), "x")] == [4, 2]
    assert column(source().batch(4, drop_remainder=True)) == [[0, 1, 2, 3]]
    assert source().batch(4, True).get_dataset_size() == 1


def test_map_applies_operations_in_order():
    assert column(source().map([lambda x: x + 1, lambda x: x * 2], "x"), "x")[0] == [2, 4]
    both = source().map(lambda x, y: (y, x), ["x", "y"], ["p", "q"], num_parallel_workers=4)
    assert both.get_col_names() == ["p", "q"] and column(both, "p") == list(range(6))
    more = source().map(lambda x: (x, -x), "x", ["p", "q"])
    assert more.get_col_names() == ["p", "q", "y"] and column(more, "q")[1] == [-2, -3]
    assert column(source().map(lambda x: x + 1), "x")[0] == [1, 2]  # the first column


def test_a_seed_fixes_the_order_and_epochs_differ():
    def two_epochs():
        reader = source().shuffle(6).create_dict_iterator(output_numpy=True)
        return [[int(row["y"]) for row in reader] for _ in range(2)]

    ds.config.set_seed(5)
    first = two_epochs()
    assert first == two_epochs() and first[0] != first[1] and sorted(first[0]) == list(range(6))
    ms.set_seed(5)
    assert first == two_epochs() and ds.config.get_seed() == 5


def test_a_small_buffer_shuffles_locally():
    ds.config.set_seed(0)
    d = ds.NumpySlicesDataset(np.arange(1000), ["n"], shuffle=False).shuffle(10)
    order = np.array(column(d, "n"))
    assert sorted(order) == list(range(1000)) and (order != np.arange(1000)).any()
    assert all(order[k] <= k + 10 for k in range(1000))


def test_repeat_before_batch_joins_epochs():
    assert [len(b) for b in column(source().repeat(2).batch(4))] == [4, 4, 4]
    endless = source().repeat().create_dict_iterator(output_numpy=True)
    assert [int(next(endless)["y"]) for _ in range(8)] == [0, 1, 2, 3, 4, 5, 0, 1]


def test_generators_as_sources():
    def rows():
        for k in range(3):
            yield np.full(2, k, np.float32), k

    d = ds.GeneratorDataset(rows, ["x", "y"])
    assert d.get_dataset_size() == 3 and column(d) == [0, 1, 2] == column(d)

    class Squares:
        def __getitem__(self, k):
            return np.int64(k * k)

        def __len__(self):
            return 5

    assert sorted(column(ds.GeneratorDataset(Squares(), ["y"]))) == [0, 1, 4, 9, 16]
    assert column(ds.GeneratorDataset(Squares(), "y", shuffle=False, num_samples=2)) == [0, 1]


def test_slices_of_a_dictionary_or_one_array():
    d = ds.NumpySlicesDataset({"a": [1, 2], "b": [3.0, 4.0]}, shuffle=False)
    assert d.get_col_names() == ["a", "b"] and column(d, "b") == [3, 4]
    assert ds.NumpySlicesDataset(X).get_col_names() == ["column_0"]


def test_a_seed_holds_in_every_thread():
    ds.config.set_seed(1)
    seen = []
    thread = threading.Thread(target=lambda: seen.append(ds.config.get_seed()))
    thread.start()
    thread.join()
    assert seen == [1]


# ---- errors ----


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        (lambda: ds.NumpySlicesDataset((X, Y[:4]), ["x", "y"]), ValueError, "Data length in each column is not equal"),
        (lambda: ds.NumpySlicesDataset((X, Y), ["x"]), ValueError, "is 1, but required is 2"),
        (lambda: ds.NumpySlicesDataset(3), TypeError, "Argument data with value 3"),
        (lambda: ds.NumpySlicesDataset([]), ValueError, "cannot be empty"),
        (lambda: ds.GeneratorDataset(list, None), ValueError, "Neither columns_names"),
        (lambda: list(ds.GeneratorDataset([(1, 2)], ["x"], shuffle=False)), RuntimeError, "is:1 and number of returned"),
        (lambda: source().batch(0), ValueError, r"batch_size is not within the required interval of \[1,"),
        (lambda: source().batch("a"), TypeError, "either be an int"),
        (lambda: source().repeat(0), ValueError, "count should be either -1 or positive"),
        (lambda: source().shuffle(1), ValueError, r"buffer_size is not within the required interval of \[2,"),
        (lambda: source().map(3, "x"), ValueError, "should be callable, but got: 3"),
        (lambda: list(source().map(abs, "z")), RuntimeError, "column name: z doesn't exist"),
        (lambda: list(source().map(lambda x: 1 / 0, "x")), RuntimeError, "ZeroDivisionError: division by zero"),
        (lambda: list(source().map(lambda x: (x, x), "x")), RuntimeError, "returned 2 columns"),
        (lambda: list(ds.GeneratorDataset([[1], [1, 2]], ["x"], shuffle=False).map(np.zeros, "x").batch(2)),
         RuntimeError, "returned NumPy array is:2"),
        (lambda: ds.config.set_seed(-1), ValueError, "not within the required range"),
        (lambda: ds.config.set_seed("a"), TypeError, "isn't of type int"),
    ],
)  # fmt: skip
def test_errors_say_what_was_expected(wrong, error, words):
    with pytest.raises(error, match=words):
        wrong()


def test_rows_of_different_shapes_make_no_batch():
    ragged = ds.GeneratorDataset(lambda: iter([np.zeros(2), np.zeros(3)]), ["x"]).batch(2)
    with pytest.raises(RuntimeError, match=r"inconsistent shape in column 'x': \[\(2,\), \(3,\)\]"):
        list(ragged)


# ---- transforms ----


def test_present_names_and_those_of_release_1():
    assert CV.Resize is vision.Resize and CV.Rescale is vision.Rescale and CV.HWC2CHW is vision.HWC2CHW
    assert C.TypeCast is transforms.TypeCast and Inter.LINEAR is Inter.BILINEAR


def test_the_documented_pipeline():
    image = np.arange(784, dtype=np.uint8).reshape(28, 28, 1)
    steps = [
        vision.Resize((32, 32), interpolation=Inter.LINEAR), vision.Rescale(1 / 255, 0.0),
        vision.Rescale(1 / 0.3081, -0.1307 / 0.3081), vision.HWC2CHW(),
    ]  # fmt: skip
    d = ds.NumpySlicesDataset((image[None], [3]), ["image", "label"])
    d = d.map(transforms.TypeCast(ms.int32), "label").map(steps, "image")
    image, label = next(d.create_tuple_iterator())
    assert image.shape == (1, 32, 32) and image.dtype == ms.float32 and label.dtype == ms.int32


# what MindSpore 2.10 gives for these 4 x 4 pixels
PIXELS = np.array([[0, 255, 13, 77], [200, 3, 90, 128], [45, 66, 254, 1], [9, 250, 31, 180]], np.uint8)


def test_resizing_equals_the_real_framework():
    assert vision.Resize((3, 5))(PIXELS).tolist() == [
        [33, 159, 119, 44, 85],
        [123, 61, 103, 140, 65],
        [15, 158, 144, 93, 150],
    ]
    assert vision.Resize((2, 8), Inter.NEAREST)(PIXELS).tolist() == [
        [0, 0, 255, 255, 13, 13, 77, 77], [45, 45, 66, 66, 254, 254, 1, 1],
    ]  # fmt: skip
    assert vision.Resize(8)(np.zeros((4, 6, 1), np.uint8)).shape == (8, 12, 1)


def test_resizing_a_constant_image_keeps_it():
    for kind in (np.uint8, np.float32, np.float64):
        made = vision.Resize((32, 32))(np.full((8, 8, 1), 77, kind))
        assert made.dtype == kind and np.allclose(made, 77)


def test_transforms_of_values():
    assert vision.Normalize([1.0], [2.0])(np.full((2, 2, 1), 5, np.uint8)).ravel().tolist() == [2.0] * 4
    assert vision.Rescale(0.5, 1.0)(np.uint8([4])).dtype == np.float32


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (lambda: vision.Resize((0, 2)), ValueError), (lambda: vision.Resize("a"), TypeError),
        (lambda: vision.Rescale("a", 0.0), TypeError), (lambda: transforms.TypeCast("x"), TypeError),
    ],
)  # fmt: skip
def test_wrong_arguments_of_transforms(wrong, error):
    with pytest.raises(error):
        wrong()


# ---- MNIST ----


def write_idx(folder, count=4, labels=None, magic=2051, cut=0, prefix="train", side=28):
    folder.mkdir(exist_ok=True)
    images = np.repeat(np.arange(count, dtype=np.uint8), side * side)
    content = struct.pack(">IIII", magic, count, side, side) + images.tobytes()
    (folder / f"{prefix}-images-idx3-ubyte").write_bytes(content[: len(content) - cut])
    names = np.arange(count if labels is None else labels, dtype=np.uint8)
    (folder / f"{prefix}-labels-idx1-ubyte").write_bytes(struct.pack(">II", 2049, len(names)) + names.tobytes())
    return str(folder)


def test_mnist_reads_the_idx_files(tmp_path):
    d = ds.MnistDataset(write_idx(tmp_path / "m"), shuffle=False)
    image, label = next(d.create_tuple_iterator(output_numpy=True))
    assert (d.get_dataset_size(), image.shape, image.dtype, label.dtype) == (4, (28, 28, 1), np.uint8, np.uint32)
    assert column(d, "label") == [0, 1, 2, 3] and [row.shape for (row,) in d.create_tuple_iterator(["label"])][:1] == [
        ()
    ]
    assert [int(i[0][0][0]) for i in column(d, "image")] == [0, 1, 2, 3]
    assert column(ds.MnistDataset(str(tmp_path / "m"), num_samples=2, shuffle=False), "label") == [0, 1]
    halves = [ds.MnistDataset(str(tmp_path / "m"), shuffle=False, num_shards=2, shard_id=k) for k in (0, 1)]
    assert [column(half, "label") for half in halves] == [[0, 2], [1, 3]]


def test_mnist_reads_what_is_there_or_what_is_asked(tmp_path):
    folder = write_idx(tmp_path / "m")
    write_idx(tmp_path / "m", count=2, prefix="t10k")
    sizes = [ds.MnistDataset(folder, usage).get_dataset_size() for usage in (None, "all", "train", "test")]
    assert sizes == [6, 6, 4, 2]


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        ({"cut": 100}, r"train-images-idx3-ubyte should be 3152 bytes for 4 images, but it is 3052"),
        ({"cut": 3145}, r"should be 2051 .* but got a file of 7 bytes"),
        ({"magic": 77}, r"train-images-idx3-ubyte should be 2051 .* but got 77"),
        ({"labels": 3}, r"num of images: 4, num of labels: 3"),
    ],
)
def test_a_damaged_file_is_named(tmp_path, damage, words):
    with pytest.raises(RuntimeError, match=words):
        next(iter(ds.MnistDataset(write_idx(tmp_path / "m", **damage))))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ValueError, match="The folder /nowhere does not exist"):
        ds.MnistDataset("/nowhere")
    with pytest.raises(RuntimeError, match="train-images-idx3-ubyte is missing"):
        ds.MnistDataset(str(tmp_path)).get_dataset_size()
    (tmp_path / "train-images-idx3-ubyte.gz").write_bytes(b"")
    with pytest.raises(RuntimeError, match="unpack it with gunzip"):
        ds.MnistDataset(str(tmp_path)).get_dataset_size()
    with pytest.raises(ValueError, match="Input usage"):
        ds.MnistDataset(str(tmp_path), usage="foo")


# ---- which rows are read: what the real framework reads ----


def epochs(dataset):
    ds.config.set_seed(5)
    reader = dataset.create_tuple_iterator(output_numpy=True)
    return [[int(row[0]) for row in reader] for _ in range(2)]


SAMPLED = [
    ({"num_shards": 5, "shard_id": 1, "shuffle": False}, [[1, 6, 11]] * 2),
    ({"num_shards": 4, "shard_id": 1}, [[6, 3, 7], [8, 3, 5]]),
    ({"num_shards": 4, "shard_id": 1, "num_samples": 2, "shuffle": False}, [[1, 5]] * 2),
    ({"num_samples": 5}, [[11, 8, 5, 2, 10], [4, 7, 5, 0, 8]]),
    ({"sampler": [3, 1, 2]}, [[3, 1, 2]] * 2),
]


@pytest.mark.parametrize("options, rows", SAMPLED)
def test_arguments_of_a_source_choose_its_rows(options, rows):
    values = list(range(12))
    for dataset in (
        ds.NumpySlicesDataset(values, ["a"], **options), ds.GeneratorDataset([(v,) for v in values], ["a"], **options),
    ):  # fmt: skip
        assert epochs(dataset) == rows and dataset.get_dataset_size() == len(rows[0])


def of(values, name):
    return ds.NumpySlicesDataset(values, [name], shuffle=False)


def test_arrays_show_their_type_as_there():
    assert [repr(row) for row in of([1], "u").create_dict_iterator(output_numpy=True)] == [
        "{'u': array(1, dtype=int64)}"
    ]
    assert [row[0].tolist() for row in of(["a", "bc"], "u")] == ["a", "bc"]


def test_a_row_may_be_a_generator_of_its_columns():
    class Pairs:
        def __getitem__(self, k):
            return (c[k] for c in (X, Y))

        def __len__(self):
            return 2

    assert column(ds.GeneratorDataset(Pairs(), ["x", "y"], shuffle=False)) == [0, 1]
