"""How well a drive is: each fact that speaks against it, each bound, each word of the reason."""

from typing import Any

import pytest
from tests.cases import cases

from poolwright.domain.disk import NoteLevel
from poolwright.machine.smartctl.facts import Attribute, SmartFacts
from poolwright.machine.smartctl.read import judge, wear_percent


def facts(said: dict[str, Any]) -> SmartFacts:
    attributes = tuple(Attribute(**attribute) for attribute in said.get("attributes", ()))
    return SmartFacts(**said | {"attributes": attributes})


@pytest.mark.parametrize(("said", "words", "health"), cases(__file__, "health"))
def test_that_a_drive_is_judged_by_each_fact_that_speaks_against_it(
    said: dict[str, Any], words: list[str], health: str | None
) -> None:
    found, notes = judge(facts(said))
    assert (found, [note.text for note in notes]) == (health, words)


def test_that_reasons_are_warnings_and_remarks_are_notes() -> None:
    _, notes = judge(SmartFacts(passed=False, media_errors=1, exit_status=64))
    assert [note.level for note in notes] == [NoteLevel.WARN, NoteLevel.WARN, NoteLevel.NOTE]


@pytest.mark.parametrize(("said", "wear"), cases(__file__, "wear"))
def test_that_wear_is_what_the_drive_calls_it(said: dict[str, Any], wear: int | None) -> None:
    assert wear_percent(facts(said)) == wear
