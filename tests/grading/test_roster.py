"""Rosters: who is in the class, as the systems write it, and whom a name of a file means."""

from datetime import UTC

import pytest

from labkit.grading.lms_file_names import known
from labkit.grading.roster import RosterError, read_roster, with_ids_of
from labkit.grading.submissions import moment


@pytest.fixture
def roster(tmp_path):
    def read(text):
        (tmp_path / "roster.csv").write_bytes(text.encode() if isinstance(text, str) else text)
        return read_roster(tmp_path / "roster.csv")

    return read


def ids(roster):
    return tuple(student.id for student in roster.students)


def test_a_roster_of_nbgrader_is_read(roster):
    text = '\ufeffid,first_name,last_name,email\r\n ada ,"A, B",L,\r\nbob@uni.example,,,\r\n'
    read = roster(text)
    assert ids(read) == ("ada", "bob@uni.example") and read.students[0].first_name == "A, B"


def test_a_persons_own_table_is_read_with_semicolons_and_other_capitals(roster):
    read = roster("ID;Name;E-Mail;Section\nada;Lovelace, Ada;ada@x;B\n")
    (ada,) = read.students
    assert (ada.first_name, ada.last_name, ada.email, ada.section) == ("Ada", "Lovelace", "ada@x", "B")


def test_the_kinds_are_told_apart(roster):
    for heading, line, kind, student in [
        (
            "Identifier,Full name,Email address,Grade,Last modified (grade)",
            "Participant 7,A B,a@x,,-",
            "worksheet",
            "a@x",
        ),
        ("First name,Last name,Email address,Groups", "A,B,a@x,one", "participants", "a@x"),
        ("Student,ID,SIS Login ID,Section", '"B, A",7,ab,one', "Canvas", "ab"),
        ("Student,ID,SIS Login ID,Section", '"B, A",7,,one', "Canvas", "7"),
        ("identifier,github_username,github_id,name", "ab,a-b,1,A B", "GitHub", "ab"),
    ]:
        read = roster(f"{heading}\n{line}\n")
        assert kind in read.kind.name and ids(read) == (student,)


def test_the_id_is_what_everybody_has_one_of(roster):
    """Not the number of one and the address of another."""
    read = roster("First name,Last name,ID number,Email address\nA,B,17,a@x\nC,D,,c@x\n")
    assert ids(read) == ("a@x", "c@x")


def test_lines_of_canvas_that_are_no_students_are_left_out(roster):
    lines = ",,,,Manual Posting", "    Points Possible,,,,10", '"B, A",7,ab,x,', '"Student, Test",9,q,x,'
    assert ids(roster("\n".join(["Student,ID,SIS Login ID,Section,A (1)", *lines]))) == ("ab",)


@pytest.mark.parametrize(
    "text, said",
    [
        ("name\nada\n", "expected a column 'id', but the columns are: name"),
        ("", "columns are: none"),
        ("id\n", "no students"),
        ("id\nada\nada\n", "'ada' occurs 2 times"),
        ("id\n../../etc\n", "cannot be the name of a folder"),
        ("id\n..\n", "cannot be the name of a folder"),
        ("id,x\n,1\n", "cannot be the name of a folder"),
        ("id\n/root\n", "cannot be the name of a folder"),
        (b"\xff\xfe\x00", "cannot be read as CSV"),
    ],
)
def test_a_wrong_roster_is_refused(text, said, roster):
    with pytest.raises(RosterError) as caught:
        roster(text)
    assert said in str(caught.value)


def test_a_systems_table_has_the_ids_of_the_courses_own(roster, tmp_path):
    own = roster("id,email,section\nada,ada@x,B\nbob,bob@x,B\n")
    worksheet = "Identifier,Full name,Email address,Grade,Last modified (grade)\n"
    read = roster(f"{worksheet}Participant 7,Ada L,ADA@x,,-\nParticipant 8,Eve,eve@x,,-\n")
    both = with_ids_of(read, own)
    assert [(s.id, s.section, s.row) for s in both.students] == [("ada", "B", 0), ("eve@x", "", 1), ("bob", "B", -1)]
    assert meant(both, "Ada L_7_assignsubmission_file_", is_folder=True) == {"ada"}
    with pytest.raises(RosterError, match="matches ada, bob"):
        with_ids_of(read, roster("id,email\nada,ada@x\nbob,ada@x\n"))
    with pytest.raises(RosterError, match=r"no student in common: 'Identifier', 'Email address' here, 'id' there"):
        with_ids_of(read, roster("id,name\ns1,Ada L\n"))


# ---- whom a name means ----


def meant(roster, name, is_folder=False):
    labels = [layout.read(name, is_folder, ["hw"]) for layout in known().layouts]
    return {student.id for label in labels if label for student in roster.meant(label)}


CANVAS = 'Student,ID,SIS Login ID,Section\n"Lovelace, Ada",101,ada,x\n"Li, Bo",102,bo,x\n"Li, Bo",103,bo2,x\n'


def test_a_systems_number_counts_before_a_name(roster):
    assert meant(roster(CANVAS), "libo_103_555_hw.ipynb") == {"bo2"}


def test_without_the_number_a_name_that_is_one_persons_alone_is_sure(roster):
    plain = roster("id,first_name,last_name\nada,Ada,Lovelace\nbo,Bo,Li\nbo2,Bo,Li\n")
    assert meant(plain, "lovelaceada_101_555_hw.ipynb") == {"ada"}
    assert meant(plain, "Ada Lovelace_7_assignsubmission_file_", is_folder=True) == {"ada"}
    assert meant(plain, "libo_103_555_hw.ipynb") == {"bo", "bo2"}  # it could be either's


def test_a_number_and_a_name_that_contradict_each_other_are_not_sure(roster):
    assert meant(roster(CANVAS), "lovelaceada_102_555_hw.ipynb") == {"ada", "bo"}


def test_a_part_of_an_id_is_nobodys(roster):
    plain = roster("id,email\nada,ada@x\nadam,adam@x\n")
    for name, students in {"ada.ipynb": {"ada"}, "hw-adam.ipynb": {"adam"}, "ada@x_hw.py": {"ada"}, "ad.ipynb": set(),
                           "ada2.ipynb": set(), "ADA.ipynb": {"ada"}}.items():  # fmt: skip
        assert meant(plain, name) == students, name


def test_times_are_read_as_moodle_writes_them():
    for text in ("Wednesday, 10 June 2026, 2:14 PM", "Wednesday, June 10, 2026, 2:14 PM", "2026-06-10T14:14:00+00:00",
                 "2026-06-10 14:14:00 UTC"):  # fmt: skip
        assert moment(text, UTC).isoformat() == "2026-06-10T14:14:00+00:00"
    assert moment("-", UTC) is None and moment("Mittwoch, 10. Juni 2026", UTC) is None
    assert moment("2026-06-10T14:14:00", None) is None  # in which zone?


@pytest.mark.parametrize(
    "text",
    [
        "sep=;\r\nid;name\r\nzoë;Zoë\r\n", "\ufeffid;name\r\nzoë;Zoë\r\n;;\r\n", "id\tname\t\nzoë\tZoë\t\n",
        "Student;ID;SIS Login ID;Section;A (1)\n    Mögliche Punkte;;;;10,00\nZoë;7;zoë;x;\n",
        'ID;"Vollständiger Name";E-Mail-Adresse;ID-Nummer;Bewertung;"Zuletzt geändert (Bewertung)"\n'
        "Teilnehmer/in7;Zoë;z@x;zoë;;-\n",
    ],
)  # fmt: skip
def test_tables_as_other_countries_have_them_are_read_and_accents_may_be_taken_apart(text, roster):
    read = roster(text)
    assert ids(read) == ("zoë",) and meant(read, "zoe\u0308_hw.ipynb") == {"zoë"}
