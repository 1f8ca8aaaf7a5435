"""Recording the real frameworks anew: what changed is named, and what is stored is what was asked."""

from dataclasses import replace

import pytest
import recorded
from recorded import compared

RECORDS = [(framework, record) for framework, records in recorded.RECORDS.items() for record in records]
each = pytest.mark.parametrize("framework, record", RECORDS, ids=[f"{f}-{r.file.stem}" for f, r in RECORDS])


@each
def test_every_answer_of_a_record_has_a_name(framework, record):
    answers = record.answers(record.file.read_text(encoding="utf-8"))
    assert len(answers) > 10 and all(isinstance(answer, str) for answer in answers.values())


@each
def test_what_changed_is_named_and_stored_unless_one_only_looks(framework, record, tmp_path):
    old = record.file.read_text(encoding="utf-8")
    copy = replace(record, file=tmp_path / record.file.name, ask=lambda python: python)
    copy.file.write_text(old, encoding="utf-8")
    answers = record.answers(old)
    name, value = next((n, v) for n, v in answers.items() if old.count(v) == 1)
    new = old.replace(value, f"{value}9", 1)
    for store, kept in [(False, old), (True, new)]:
        found = recorded.again(copy, new, store)
        assert (value, f"{value}9") in [(before, after) for n, before, after in found if n == name]
        assert copy.file.read_text(encoding="utf-8") == kept
    assert recorded.again(copy, new, store=True) == []


def test_an_answer_that_is_new_and_one_that_is_gone():
    assert list(recorded.changes({"a": "1", "b": "2"}, {"b": "2", "c": "3"})) == [("a", "1", None), ("c", None, "3")]


def test_the_kept_programs_are_stored_as_they_are_written():
    assert compared.as_text(compared.kept()) == compared.KEPT.read_text()
