"""Bounds of time are those of an ordinary machine; the yardstick tells how much slower this one is."""

import pytest
from tests import pace


@pytest.mark.slow
def test_that_a_machine_that_needs_longer_for_the_yardstick_is_slower(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "_ORDINARY_SECONDS", 1e-6)
    once = pace.slowness()
    monkeypatch.setattr(pace, "_STEPS", 10 * pace._STEPS)
    assert pace.slowness() > 3 * once  # not 10: the machine has other work as well


def test_that_no_machine_is_asked_for_more_than_an_ordinary_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "_STEPS", 1)
    assert pace.slowness() == 1
