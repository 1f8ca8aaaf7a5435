"""The rules of a class: due dates, what is taken off, extensions, systems that a course adds."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from labkit.grading.course import Course, CourseError, class_rules
from labkit.grading.late_policy import Policy

COURSE = 'title = "T"\nseed = 1\n{course}\n[[assignment]]\nname = "a1"\ntitle = "A"\n{assignment}\nquestions = ["grad-slip"]\n'
DUE = datetime(2026, 11, 30, 23, 59, tzinfo=UTC)


@pytest.fixture
def rules(tmp_path):
    def read(course="", assignment=""):
        (tmp_path / "course.toml").write_text(COURSE.format(course=course, assignment=assignment))
        return class_rules(tmp_path / "source" / "a1" / "a1.ipynb", "a1")

    return read


def test_a_course_without_rules_takes_nothing_off(rules):
    policy = rules().policy
    assert policy.due is None and not policy.takes_off and policy.days_late(("ada",), DUE) == 0


def test_each_day_begun_costs_its_share_until_the_last(rules):
    policy = rules('timezone = "UTC"\nlate = { per_day = 10, last_day = 2 }', "due = 2026-11-30T23:59:00").policy
    for hours, days, off in ((0, 0, 0), (0.01, 1, 1), (24, 1, 1), (24.1, 2, 2), (48.1, 3, 8)):
        late = policy.days_late(("ada",), DUE + timedelta(hours=hours))
        assert (late, policy.taken_off(late, 8.0, 10.0)) == (days, off)
    assert policy.taken_off(2, 1.5, 10.0) == 1.5  # never more than was earned


def test_an_assignment_has_its_own_policy_and_students_their_own_date(rules):
    text = 'due = 2026-11-30T23:59:00+00:00\nlate = {}\nextensions = { "ada@x" = 2026-12-02T23:59:00+00:00 }'
    policy = rules("late = { per_day = 50 }", text).policy
    assert not policy.takes_off
    later = DUE + timedelta(days=2)
    assert policy.days_late(("ada", "ada@x"), later) == 0 and policy.days_late(("bob", "bob@x"), later) == 2


def test_a_day_in_which_the_clocks_change_is_one_day():
    berlin = ZoneInfo("Europe/Berlin")
    due = datetime(2026, 10, 24, 23, 59, tzinfo=berlin)
    for later, days in (
        (due, 0),
        (datetime(2026, 10, 25, 23, 58, tzinfo=berlin), 1),
        (datetime(2026, 10, 26, 0, 1, tzinfo=berlin), 2),
    ):
        assert (
            Policy(due).days_late((), later.astimezone(UTC))
            == Policy(due.astimezone(berlin)).days_late((), later)
            == days
        )
    spring = datetime(2026, 3, 28, 23, 59, tzinfo=berlin)
    assert Policy(spring).days_late((), datetime(2026, 3, 29, 23, 59, 30, tzinfo=berlin)) == 1  # 23 hours and a bit
    twice = datetime(2026, 10, 25, 2, 30, tzinfo=berlin)
    assert Policy(twice).days_late((), twice.replace(minute=10, fold=1)) == 1  # after it, though the clock says less


def test_what_a_system_marks_is_used_as_far_as_it_goes():
    policy = Policy(DUE, 10.0)
    assert policy.days_late(("a",), None, False) == 0 and policy.days_late(("a",), None, True) is None
    assert policy.days_late(("a",), None) is None and policy.taken_off(None, 5.0, 5.0) == 0.0


@pytest.mark.parametrize(
    "course, assignment, said",
    [
        ("roster = 3", "", "roster is 3"),
        ('timezone = "Mars"', "", "timezone is 'Mars'"),
        ("", "due = 2026-11-30T23:59:00", "has no time zone"),
        ("", "due = 2026-11-30", "expected a date with a time"),
        ("late = 10", "", "late is 10; expected a table"),
        ("late = { per_dya = 10 }", "", "unknown key 'per_dya' of late. Did you mean 'per_day'?"),
        ("late = { per_day = 200 }", "", "per_day is 200"),
        ("", "late = { last_day = 1.5 }", "last_day is 1.5"),
        ("", "extensions = { ada = 2026-11-30T23:59:00Z }", "it has extensions but no due date"),
    ],
)
def test_a_rule_that_cannot_be_followed_is_told_when_building_and_when_grading(
    course, assignment, said, rules, tmp_path
):
    with pytest.raises(CourseError) as caught:
        rules(course, assignment)
    assert said in str(caught.value)
    with pytest.raises(CourseError) as caught:
        Course.read(tmp_path)
    assert said in str(caught.value)
