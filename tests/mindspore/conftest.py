"""The modes of MindSpore for a test; afterwards it is as before."""

import pytest

import labkit.mindspore as ms


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def mode(request):
    """Both modes, one after the other."""
    yield from _in(request.param)


@pytest.fixture
def graph_mode():
    yield from _in(ms.GRAPH_MODE)


def _in(mode):
    before = ms.get_context("mode")
    ms.set_context(mode=mode)
    yield mode
    ms.set_context(mode=before)
