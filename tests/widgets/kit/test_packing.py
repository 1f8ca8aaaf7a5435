"""A packed scene is shorter, and the page reads of it what was written."""

import base64
import gzip
import json

import javascript
import pytest

from labkit.widgets import CutEdge
from labkit.widgets.kit.page import packed
from labkit.widgets.kit.page.packing import relative
from labkit.widgets.kit.scene import to_json


def unzipped(text):
    return gzip.decompress(base64.b64decode(text)).decode()


@pytest.mark.parametrize(
    "path", ["M0 0", "M-0.5 10L1 2.3C1 2 3 4 5 6Z", "M0 1L2 3M4 5L6.7 -8.9", "M100000.1 0L0.1 0.2ZM1 1Z"]
)
def test_a_path_is_read_as_it_was_written(path):
    assert relative(path) != path and javascript.unpacked(packed([path])) == [path]


@pytest.mark.parametrize("words", ["M", "Max", "M1 2 and L", "M01 2", "M1.50 2", "M-0 1", "m1 2", "Z or not", "1 2"])
def test_what_is_no_path_stays(words):
    assert javascript.unpacked(packed([words])) == json.loads(unzipped(packed([words]))) == [words]


def test_the_page_reads_the_scene_that_was_packed():
    scene = to_json(CutEdge(lambda x, w: (x * w) ** 2 - x, 1.5, 2.0).scene)
    assert javascript.unpacked(packed(scene)) == json.loads(json.dumps(scene))
    assert len(packed(scene)) < 0.3 * len(json.dumps(scene, separators=(",", ":")))
    assert packed(scene, plain=10**6) is scene
