"""For the tests that go through all exercises of the course."""

import pickle

import pytest

from labkit.classroom import Exercise


@pytest.fixture(scope="module")
def right_answers_found_once():
    """`Exercise.expected` runs labkit anew at every check; here it is asked a dozen times for each of the same inputs."""
    found, expected = {}, Exercise.expected

    def remembered(exercise, inputs=()):
        key = exercise.name, pickle.dumps(inputs)
        if key not in found:
            found[key] = expected(exercise, inputs)
        return found[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Exercise, "expected", remembered)
        yield
