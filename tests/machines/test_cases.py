"""Machines, odd ones included, each with the first choice or the refusal that a storage engineer would expect."""

import re
from functools import cache
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from tests.machines.reading import FOLDER, Ask, Case, read_case

from poolwright.design.assign import Identity, design_of
from poolwright.design.candidate import Recommendation
from poolwright.design.recommend import recommend
from poolwright.domain.errors import PoolwrightError, Refusal
from poolwright.domain.finding import Outcome
from poolwright.judging import finder_with_predictions, judge_maker
from poolwright.rule_library import load_shipped

FILES = sorted(FOLDER.glob("*.toml"))
# Machines of more disks take a quarter of a second to seconds each, and so do some of several sizes.
MOST_QUICK = 15
_SEVERAL_SIZES = frozenset(
    {
        "three-sizes",
        "two-halves",
        "one-larger",
        "one-smaller",
        "4kn-with-512e",
        "macblog-third",
        "mixed-eights",
        "mixed-pairs-clients",
    }
)


@cache
def _case(path: Path) -> Case:
    return read_case(path)


def _told(error: PoolwrightError) -> str:
    return " ".join((error.text, *(error.reasons if isinstance(error, Refusal) else ())))


def _answer(ask: Ask) -> Recommendation | str:
    """Return the ranking, or the refusal in words."""
    try:
        return recommend(ask.request, judge_maker(load_shipped(), ask.request.host))
    except PoolwrightError as error:
        return _told(error)


def _check(ask: Ask) -> None:
    found = _answer(ask)
    if isinstance(found, str):
        assert ask.refused is not None, found
        assert ask.refused in found
        return
    words = found.best.words
    assert ask.first, f"recommends {words}"
    assert any(_is_meant(words, expected) for expected in ask.first), (words, ask.first)
    assert [missed.text for missed in found.best.missed] == [] or ask.missed is not None
    assert ask.missed is None or any(ask.missed in missed.text for missed in found.best.missed)
    assert set(ask.as_good) <= {candidate.words for candidate in found.as_good}
    assert set(ask.near) <= {candidate.words for candidate in found.near}
    _check_told(ask, found)
    # What is chosen can be built: each disk once, none that is refused.
    design = design_of(found.best, ask.request, Identity(key="k", name="n"))
    refused = {disk.key for disk in ask.request.disks if disk.refusals()}
    assert not design.used_keys() & refused


def _is_meant(words: str, expected: str) -> bool:
    return words.startswith(expected[:-1]) if expected.endswith("…") else words == expected


def _check_told(ask: Ask, found: Recommendation) -> None:
    findings = [
        finding
        for finding in finder_with_predictions(load_shipped(), ask.request, ask.request.host)(found.best)
        if finding.outcome in (Outcome.VIOLATED, Outcome.CANNOT_TELL)
    ]
    told = [*(note.text for note in found.notes), *(finding.text for finding in findings)]
    for note in ask.notes:
        assert any(note in text for text in told), told
    assert set(ask.findings) <= {finding.rule_id for finding in findings}


def test_that_there_are_at_least_150_machines_and_each_says_what_it_follows() -> None:
    assert len(FILES) >= 150
    assert [path.stem for path in FILES if not read_case(path).why] == []


def _marked(path: Path) -> ParameterSet:
    """Mark what takes its time: large machines, some of several sizes, and two of each three others."""
    disks = re.search(r'^disks = "(.*)"', path.read_text(encoding="utf-8"), re.MULTILINE)
    assert disks is not None, path
    many = sum(int(count) for count in re.findall(r"(\d+) x ", disks[1])) > MOST_QUICK
    marks = [pytest.mark.slow] if many or path.stem in _SEVERAL_SIZES or FILES.index(path) % 3 else []
    return pytest.param(path, id=path.stem, marks=marks)


@pytest.mark.parametrize("path", [_marked(path) for path in FILES])
def test_that_a_machine_gets_what_an_engineer_expects(path: Path) -> None:
    for ask in _case(path).asks:
        _check(ask)


def test_that_a_case_has_the_details_of_its_preset() -> None:
    workloads = [ask.request.workload for path in FILES for ask in _case(path).asks]
    asked = [workload for workload in workloads if workload.preset == "vm-images"]
    assert asked
    assert all(workload.volumes and workload.io_size_bytes is not None for workload in asked)
