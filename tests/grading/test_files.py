"""Names made from students' ids stay in their folder and stay apart; text can be written to any file."""

import string

import pytest
from drawn import drawn
from hypothesis import given
from hypothesis import strategies as st
from result_examples import NASTY

from labkit.grading.files import printable, safe_name, safe_names

ALLOWED = set(string.ascii_letters + string.digits + "._-~")


@pytest.mark.parametrize("student", NASTY, ids=ascii)
def test_a_name_is_one_plain_component_whatever_the_student_is_called(student, tmp_path):
    name = safe_name(student)
    assert set(name) <= ALLOWED and 0 < len(name) <= 80
    assert name[0].isalnum() and not name.endswith(".")
    assert (tmp_path / name).resolve().parent == tmp_path.resolve()


@pytest.mark.parametrize("device", ["CON", "con", "Nul", "aux.html", "COM1", "lpt9.tar.gz"])
def test_names_of_devices_are_not_used(device):
    assert safe_name(device) != device


@pytest.mark.parametrize("student", ["ann", "s1234567", "S1234567", "ann.bee", "ann-bee_2"])
def test_a_plain_id_names_its_own_folder(student):
    assert safe_name(student) == student


@drawn(12)
@given(st.lists(st.text(max_size=6) | st.sampled_from(NASTY) | st.text("aA.~", max_size=4), unique=True))
def test_different_students_get_different_names_even_where_capitals_do_not_count(students):
    names = safe_names(students)
    assert len({name.casefold() for name in names.values()}) == len(students)


def test_a_name_cannot_be_chosen_that_is_another_students():
    forged = safe_name("../../x")
    assert safe_name(forged) != forged


@drawn(12)
@given(st.text(st.characters()))
def test_printable_text_can_be_written_to_any_file(text):
    shown = printable(text)
    assert shown.encode("utf-8").decode("utf-8") == shown
    assert all(c.isprintable() or c in "\t\n\r" or ord(c) > 0x9F for c in shown)
