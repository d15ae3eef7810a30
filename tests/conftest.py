"""What holds for all tests: how much hypothesis tries, what collections leave out, one language after another."""

import gc
import os
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

from poolwright import texts

settings.register_profile("quick", max_examples=15, deadline=None)
settings.register_profile("thorough", max_examples=1000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))
gc.disable()  # until all tests are collected: what the imports make stays, and to look through it took a fifth of them


def pytest_collection_finish() -> None:
    """Leave what the imports made out of every later collection and of the search for leaks.

    How often is collected stays as Python has it: where closed windows pile up, a collection of hundreds at once has
    ended the process.
    """
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True, scope="session")
def nothing_told_in_another_language_is_remembered() -> Iterator[None]:
    """Forget what the core remembers when a test ends another language: values have texts in them.

    The program has one language from its start to its end.
    """
    use = texts.use

    def used(catalogue: texts.Translations | None) -> None:
        left = texts.chosen()
        use(catalogue)
        if left is not None and left is not catalogue:
            _forget()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(texts, "use", used)
        yield


def _forget() -> None:
    rooms = tuple(f"poolwright.{room}." for room in ("advise", "predict", "rules", "capacity", "domain"))
    for name, module in tuple(sys.modules.items()):
        if name.startswith(rooms):
            for value in tuple(vars(module).values()):
                clear = getattr(value, "cache_clear", None)
                if callable(clear):
                    clear()
