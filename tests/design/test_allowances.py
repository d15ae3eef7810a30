"""What a recommendation has only where it is wished by name."""

import json
from typing import Any

import pytest

from poolwright.cli.main import run
from poolwright.design.candidate import Candidate
from poolwright.design.floors import (
    WIDEST,
    allowance_sentence,
    allowance_title,
    allowed_titles,
    allowed_words,
    parse_allowances,
)
from poolwright.design.recommend import recommend
from poolwright.design.request import Request
from poolwright.domain.errors import UserError
from poolwright.domain.workload import Allowance, Budget, Goal, Workload
from poolwright.judging import judge_maker
from poolwright.machine.typed.read import read_typed
from poolwright.rule_library import load_shipped


def recommended(capsys: pytest.CaptureFixture[str], *args: str) -> list[dict[str, Any]]:
    assert run(["recommend", "--goal", "safety", "--disks", "12 x 18TB SMR", *args, "--json"]) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["candidates"]
    return found


def test_that_shingled_disks_are_mirrored_unless_parity_is_allowed_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    plain = recommended(capsys)
    assert not any("raid" in spec for candidate in plain for spec in candidate["layout"])
    allowed = recommended(capsys, "--allow", "smr-parity")
    assert allowed[0]["layout"][0].startswith("raidz2")
    told = {finding["rule"] for finding in allowed[0]["findings"]}
    assert "disks.smr-parity-allowed" in told
    assert "disks.smr-in-raidz" not in told


def test_that_only_what_there_is_can_be_allowed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["recommend", "--goal", "safety", "--disks", "6 x 4TB", "--allow", "everything"]) == 2
    assert "smr-parity" in capsys.readouterr().err


def first_of(typed: str, *allow: Allowance) -> Candidate:
    asked = Request(
        disks=read_typed([typed]).disks, workload=Workload(goal=Goal.SAFETY), budget=Budget(allow=tuple(allow))
    )
    return recommend(asked, judge_maker(load_shipped())).best


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("3 x 8TB smr", "mirror of 3"),
        ("4 x 8TB smr", "2 × mirror of 2"),
        ("5 x 8TB smr", "2 × mirror of 2, 1 spare"),
        ("6 x 8TB smr", "2 × mirror of 3"),
        ("8 x 8TB smr", "2 × mirror of 3, 2 spares"),
        ("4 x 8TB hdd", "raidz2 of 4"),
        ("3 x 8TB hdd + 1 x 8TB smr", "mirror of 2 (1 × 8 TB, 1 × 8 TB SMR), mirror of 2 (8 TB)"),
        ("4 x 8TB hdd + 1 x 8TB smr", "raidz2 of 4 (8 TB)"),
    ],
)
def test_that_few_shingled_disks_become_mirrors_of_two(typed: str, words: str) -> None:
    assert first_of(typed).words == words


def test_that_shingled_disks_that_may_lie_behind_parity_survive_two() -> None:
    assert first_of("4 x 8TB smr", Allowance.SHINGLED).words == "raidz2 of 4"


def test_that_what_is_said_of_very_wide_raidz_names_the_widths_of_the_floors() -> None:
    told = allowance_sentence(Allowance.WIDE)
    assert f"More than {WIDEST[1]} disks in a raidz1, {WIDEST[2]} in a raidz2 or {WIDEST[3]} in a raidz3" in told
    assert all(allowance_sentence(one) and allowance_title(one) for one in Allowance)


def test_that_what_is_allowed_is_read_with_commas_and_spaces_and_told_in_the_order_of_the_list() -> None:
    every = " ".join(one.value for one in reversed(Allowance))
    assert parse_allowances(every.upper()) == tuple(Allowance)
    assert parse_allowances(f"{Allowance.KINDS.value},{Allowance.KINDS.value}") == (Allowance.KINDS,)
    assert allowed_titles((Allowance.PARTITIONS, Allowance.WIDE)) == "partitions, very wide raidz"
    assert allowed_words((Allowance.KINDS,)) == "allowed: several kinds of vdevs in a pool"
    for wrong, word in (("", "“”"), ("everything", "everything"), (f"{Allowance.WIDE.value} x", "“x”")):
        with pytest.raises(UserError, match="is nothing that can be allowed") as caught:
            parse_allowances(wrong)
        assert word in caught.value.text
        assert Allowance.SHINGLED.value in (caught.value.todo or "")
