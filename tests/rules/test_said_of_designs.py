"""What rules say of designs, facts and presets, as a person read it: every finding, fact and proposal of small cases.

`python -m tests.rules.test_said_of_designs` writes the files in `answers` anew where something is meant to change.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from tests.design.in_words import written
from tests.rules.judged_answers import (
    detail_answers,
    explained_answers,
    fact_answers,
    plan_answers,
    preset_answers,
    proposal_answers,
)
from tests.rules.loaded_answers import loaded_answers

from poolwright.rule_library import load_shipped

FOLDER = Path(__file__).with_name("answers")
_WRITERS: dict[str, Callable[[], dict[str, object]]] = {
    "findings": lambda: plan_answers(load_shipped()),
    "explained": lambda: explained_answers(load_shipped()),
    "facts": lambda: fact_answers(load_shipped()),
    "details": detail_answers,
    "loaded": loaded_answers,
    "presets": preset_answers,
    "proposals": lambda: proposal_answers(load_shipped()),
}


@cache
def _text(name: str) -> str:
    return written(_WRITERS[name](), without=("origins", "disk_origins", "judged", "evaluate"))


def _entries(text: str) -> dict[str, list[str]]:
    entries: dict[str, list[str]] = {}
    for line in text.splitlines():
        if not line.startswith(" "):
            key = line
        entries.setdefault(key, []).append(line)
    return entries


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name == "findings" else ()) for name in _WRITERS]
)
def test_that_what_is_said_is_what_was_read(name: str) -> None:
    recorded = _entries((FOLDER / f"{name}.txt").read_text(encoding="utf-8"))
    # Another preset is recorded with the next change that is meant.
    said = {key: told for key, told in _entries(_text(name)).items() if name != "presets" or key in recorded}
    assert said == recorded, "where this is meant: python -m tests.rules.test_said_of_designs"


if __name__ == "__main__":
    for each in _WRITERS:
        (FOLDER / f"{each}.txt").write_text(_text(each), encoding="utf-8")
