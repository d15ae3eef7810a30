"""What holds for all tests: their fonts, how much hypothesis tries, what collections leave out, Ctrl-C."""

import gc
import os
import signal
from pathlib import Path

from hypothesis import settings

os.environ["FONTCONFIG_FILE"] = str(Path(__file__).parent / "fonts" / "fonts.conf")  # also for what tests start
settings.register_profile("quick", max_examples=15, deadline=None)
settings.register_profile("thorough", max_examples=1000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A script that starts the tests beside itself (`make test &`) has them and all programs of theirs pass by Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
gc.disable()  # until all tests are collected: what the imports make stays, and to look through it took a fifth of them


def pytest_collection_finish() -> None:
    """Leave what the imports made out of every later collection and of the search for leaks."""
    gc.collect()
    gc.freeze()
    gc.enable()
