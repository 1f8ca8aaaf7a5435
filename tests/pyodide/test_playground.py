"""The playground in Chromium: from a link to the picture, what is typed, what goes wrong, and how it looks."""

import re

import chromium
import pytest
from listened_page import Listened, axe_findings
from playground_site import LINK, UNLEAVABLE

pytestmark = pytest.mark.needs("chromium")


@pytest.fixture(scope="module")
def listened(address):
    """The page, opened by a link; all tests go on with it."""
    with chromium.browser() as browser:
        found = Listened(browser.new_context(reduced_motion="reduce").new_page())
        found.page.goto(f"{address}?seconds=20{LINK}")
        yield found


@pytest.fixture
def page(listened):
    listened.page.wait_for_function(
        "document.querySelector('#stop').disabled && !document.querySelector('#status').textContent"
    )
    return listened.page


def show(page, code, dialect=None):
    if dialect:
        page.get_by_role("radio", name=dialect, exact=True).check()
    page.get_by_label("Code").fill(code)
    page.keyboard.press("Control+Enter")


def title(page, words):
    page.wait_for_function("words => document.querySelector('.lab-title')?.textContent.includes(words)", arg=words)


def error(page, words):
    page.wait_for_function(
        "words => document.querySelector('#error:not([hidden])')?.textContent.includes(words)", arg=words
    )


def test_from_a_link_to_the_picture(page):
    title(page, "step by step")
    assert "at.step=6" in page.url
    assert page.get_by_label("x =").input_value() == "2.0" and page.get_by_label("w =").input_value() == "0.5"
    assert "Backward" in page.locator(".lab-say").text_content()


def test_a_step_by_the_keyboard_is_in_the_link(page):
    page.locator(".graph-card").first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile("at.step=7"))


def test_another_input_keeps_the_step(page):
    page.get_by_label("x =").fill("1")
    page.keyboard.press("Tab")
    page.wait_for_url(re.compile("in.x=1.0"))
    assert "at.step=7" in page.url


def test_the_derivative_is_checked(page):
    page.get_by_text("Is the derivative right?").click()
    assert "gradient agrees" in page.locator("[data-name=check] pre").text_content()


def test_another_expression_in_a_dialect(page):
    show(page, "(x * w).exp().sum()", "PyTorch")
    page.wait_for_function("document.querySelector('.lab-panels')?.textContent.includes('exp')")
    page.wait_for_url(lambda url: "dialect=torch" in url and "at.step" not in url)


def test_a_case_of_the_documents_by_name(page):
    page.get_by_label("Begin with").select_option(label="several outputs: the gradients of all of them add up")
    title(page, "net")
    assert "{" in page.locator("[data-name=printed] pre").text_content()


def test_an_error_says_the_line_and_the_picture_of_another_program_goes(page):
    show(page, "h = x\nh.nothing", "NumPy")
    error(page, "Line 2: AttributeError: a value that is being differentiated has no .nothing")
    assert page.locator("#stage svg").count() == 0


def test_a_loop_without_end_is_left_by_python(page):
    show(page, "while True:\n    try: pass\n    except: pass\nx")
    error(page, "It ran for more than 20 s and was stopped")


def test_stop_ends_the_worker_and_python_starts_anew(page):
    show(page, UNLEAVABLE)
    page.get_by_role("button", name="Stop").click()
    error(page, "Stopped.")
    page.wait_for_function("document.querySelector('#status').textContent.includes('Python is ready')")
    show(page, "cos(x)")
    page.wait_for_function("document.querySelector('.lab-panels')?.textContent.includes('cos')")


def test_a_call_that_python_cannot_leave_ends_the_worker_and_says_so(page):
    show(page, UNLEAVABLE)
    error(page, "It ran for more than 20 s in one call, which Python cannot leave.")
    page.wait_for_function("document.querySelector('#status').textContent.includes('started again. Python is ready')")
    show(page, "sin(x)")
    page.wait_for_function("document.querySelector('.lab-panels')?.textContent.includes('sin')")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_read_by_everyone_also_on_a_telephone(page, scheme):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert axe_findings(page, "html") == []


def test_two_visitors_draw_other_numbers_at_random(listened, address):
    drawn = set()
    for _ in range(2):
        page = Listened(listened.page.context.new_page()).page
        page.goto(f"{address}#run&code=import+random%0Aprint(random.random()%2C+np.random.rand())&dialect=numpy")
        page.locator("[data-name=printed] pre").wait_for()
        drawn |= set(page.locator("[data-name=printed] pre").text_content().split())
        page.close()
    assert len(drawn) == 4


def test_nothing_comes_from_another_host_and_nothing_is_complained_of(listened, address):
    host = address.partition("/playground")[0]
    assert [url for url in listened.requests if not url.startswith((host, "data:", "blob:"))] == []
    assert listened.messages == []
