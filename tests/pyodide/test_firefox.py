"""The playground in Firefox: from its start to a picture, an error, another dialect, and Stop."""

import firefox
import pytest
from playground_site import LINK, UNLEAVABLE

pytestmark = pytest.mark.needs("firefox")


def show(page, code, dialect):
    page.click(f"input[value={dialect}]")
    page.evaluate(f"document.querySelector('#code').value = {code!r}")
    page.click("#run")


def test_a_reader_in_firefox(address):
    with firefox.page(width=390) as page:
        page.goto(f"{address}?seconds=20{LINK}")
        page.wait_for("document.querySelector('.lab-title')?.textContent.includes('step by step')")
        page.click(".graph-card")
        page.type("\ue014")  # the right arrow
        page.wait_for("location.hash.includes('at.step=7')")
        show(page, "(x * w).exp()", "torch")
        page.wait_for("document.querySelector('.lab-panels').textContent.includes('exp')")
        show(page, "sin x", "numpy")
        page.wait_for(
            "document.querySelector('#error').textContent.includes('What a function takes stands in brackets')"
        )
        show(page, UNLEAVABLE, "numpy")
        page.wait_for("!document.querySelector('#stop').disabled")
        page.click("#stop")
        page.wait_for("document.querySelector('#status').textContent.includes('Python is ready')")
        assert page.evaluate("document.documentElement.scrollWidth === document.documentElement.clientWidth")
        site = address.partition("/playground")[0]
        assert page.messages == [] and all(url.startswith((site, "data:", "blob:")) for url in page.requests)
