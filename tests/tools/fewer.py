"""`@fewer`: a quarter of the examples that others draw, for what shows in few; `--hypothesis-profile=thorough` draws 1,250."""

from hypothesis import settings

fewer = settings(max_examples=settings.default.max_examples // 4)
