"""Bounds of time are those of an ordinary machine; the yardstick tells how much slower this one is."""

import pytest
from tests import pace


def test_that_twice_the_work_is_twice_as_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "_ORDINARY_SECONDS", 1e-6)
    once = pace.slowness()
    monkeypatch.setattr(pace, "_STEPS", 2 * pace._STEPS)
    assert 1.5 < pace.slowness() / once < 3


def test_that_no_machine_is_asked_for_more_than_an_ordinary_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "_STEPS", 1)
    assert pace.slowness() == 1
