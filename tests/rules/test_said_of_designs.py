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


def check(name: str) -> None:
    recorded = _entries((FOLDER / f"{name}.txt").read_text(encoding="utf-8"))
    said = _entries(_text(name))
    # What is new is recorded with the next change that is meant: another preset would make a pair with each.
    assert [said.get(key, [key, "is gone"]) for key in recorded] == list(recorded.values()), (
        "where this is meant: python -m tests.rules.test_said_of_designs"
    )


def _entries(text: str) -> dict[str, list[str]]:
    entries: dict[str, list[str]] = {}
    for line in text.splitlines():
        if not line.startswith(" "):
            key = line
        entries.setdefault(key, []).append(line)
    return entries


@pytest.mark.slow
def test_that_the_findings_in_designs_that_violate_rules_are_those_that_were_read() -> None:
    check("findings")


def test_that_findings_are_explained_as_was_read() -> None:
    check("explained")


def test_that_the_facts_of_layouts_and_disks_are_those_that_were_read() -> None:
    check("facts")


def test_that_the_details_of_designs_and_sizes_are_those_that_were_read() -> None:
    check("details")


def test_that_files_of_rules_are_read_and_their_faults_told_as_was_read() -> None:
    check("loaded")


def test_that_presets_make_the_workloads_that_were_read() -> None:
    check("presets")


def test_that_the_proposals_and_the_advice_are_those_that_were_read() -> None:
    check("proposals")


if __name__ == "__main__":
    for each in _WRITERS:
        (FOLDER / f"{each}.txt").write_text(_text(each), encoding="utf-8")
