"""How many examples a test draws: few in the usual run, always the same; many where another hypothesis profile is asked for."""

from hypothesis import settings


def drawn(usual: int) -> settings:
    """`@drawn(20)`: 20 examples, but those of the profile with `pytest --hypothesis-profile=thorough tests/widgets`."""
    profile = settings.default
    return settings(max_examples=usual if profile is settings.get_profile("labkit") else profile.max_examples)
