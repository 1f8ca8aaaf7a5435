"""A name that a running class relies on does not disappear."""

import kept_names


def test_nothing_that_a_class_relies_on_is_gone():
    assert list(kept_names.gone(kept_names.kept(), kept_names.found())) == []


def test_whatever_is_new_is_kept_from_now_on():
    new = list(kept_names.gone(kept_names.found(), kept_names.kept()))
    assert new == [], "python tests/tools/kept_names.py adds them"


def test_a_name_that_goes_is_told_whatever_it_names():
    before = kept_names.kept()
    (first, misconceptions), (second, _) = list(before["exercises"].items())[:2]
    after = {"files": {"notebooks": before["files"]["notebooks"][1:]}, "exercises": dict(before["exercises"])}
    after["exercises"][first] = misconceptions[1:]
    del after["exercises"][second]
    assert list(kept_names.gone(before, after)) == [
        f"{before['files']['notebooks'][0]} of notebooks is gone", f"{misconceptions[0]} of {first} is gone",
        f"{second} is gone",
    ]  # fmt: skip
    assert list(kept_names.gone(before, kept_names.together(after, before))) == []
