"""A browser, pages, and JupyterLab, for tests of what a reader sees."""

from pathlib import Path

import chromium
import pytest
from listened_page import Listened
from notebook_server import Server

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Every test here needs a browser."""
    for item in items:
        if item.path.parent == HERE:
            item.add_marker(pytest.mark.needs("chromium"))


@pytest.fixture(scope="module")
def browser():
    with chromium.browser() as running:
        yield running


@pytest.fixture(scope="module")
def window(browser):
    """One page of a reader who wants little motion, in which addresses are opened one after another, and what it has said."""
    context = browser.new_context(reduced_motion="reduce")
    yield Listened(context.new_page())
    context.close()


@pytest.fixture
def go(browser):
    """`go(url, width=..., color_scheme=...)`: the page at an address, in a window of its own."""
    windows = []

    def open_page(url, width=1000, height=800, **options):
        windows.append(browser.new_context(viewport={"width": width, "height": height}, **options))
        listened = Listened(windows[-1].new_page())
        listened.page.goto(url)
        return listened

    yield open_page
    for window in windows:
        window.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    running = Server(tmp_path_factory.mktemp("jupyter"))
    yield running
    running.close()


@pytest.fixture(scope="module")
def lab(browser, server):
    """JupyterLab in a window, and what it has said."""
    window = browser.new_context(viewport={"width": 1280, "height": 1200}, reduced_motion="reduce")
    listened = Listened(window.new_page())
    listened.page.goto(f"{server.url}/lab?reset")
    listened.page.wait_for_function("window.jupyterapp")
    listened.page.evaluate("() => jupyterapp.restored")
    yield listened
    window.close()
