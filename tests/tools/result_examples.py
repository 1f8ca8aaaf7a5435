"""Results to write out, for the tests: students with names that nobody would choose in good faith."""

from labkit.grading.results import QuestionResult, SubmissionResult

NASTY = (
    "../../x", "/etc/passwd", "..\\..\\x", ".", "..", "", " ", "CON", "nul.txt", "=cmd()", "+1", "-1", "@SUM(A1)", "'=1",
    "a,b", 'a"b', "a;=1", "\t=1", "a\r\n=1", "ünï", "u\u0308n", "x" * 5000, "a\x00b", "\x1b[31m", "bytes\udcff",
    "<script>alert(1)</script>", "\u202egnp", "_instructor", "a~b", "a.", ".hidden", "-rf", "uid=0&x={{ 7*7 }}", "😀",
)  # fmt: skip


def question(name="q1", kind="right", points=2.0, exercise="grad-slip", **more):
    text = more.pop("text", "What the student may know.")
    return QuestionResult(name, exercise, points, 2.0, kind, text, **more)


def submission(student="ann", *questions, **more):
    more = {"file": "a/week1.ipynb", "digest": "12ab", "timestamp": "2025-03-01T14:30:00+02:00"} | more
    return SubmissionResult(student, "week1", questions or (question(), question("q2", "value", 0.5)), **more)
