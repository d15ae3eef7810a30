"""How much hypothesis tries: enough for every run, far more where somebody asks for it; and how often is collected."""

import gc
import os

import pytest
from hypothesis import settings

settings.register_profile("quick", max_examples=15, deadline=None)
settings.register_profile("thorough", max_examples=1000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Leave what the imports made out of every later collection and of the search for leaks, and collect more rarely.

    A fifth of the time of the tests went into looking for garbage. What is measured as it is for a person is not
    eased so.
    """
    gc.collect()
    gc.freeze()
    if not any(item.get_closest_marker("bench") for item in session.items):
        gc.set_threshold(20_000, 10, 20)
