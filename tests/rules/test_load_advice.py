"""Advice in files of rules, what is said of the unknown, and facts that only come later."""

import pytest
from tests.cases import cases, table
from tests.rules.machines import NUMBERS, SIX_TB, design, disks, load_rule_book, premises, raidz
from tests.texts.brackets import in_brackets

from poolwright.domain.finding import Outcome
from poolwright.domain.vdev import VdevKind, VdevSpec
from poolwright.rules.design_judge import judge_design
from poolwright.rules.judge import Judge
from poolwright.rules.layout_facts import LayoutNumbers
from poolwright.rules.rulebook import RuleBook
from poolwright.rules.texts import RuleErrors

LIMITS = "schema = 1\n"
ADVICE: str = table(__file__, "advice")


def _load(text: str) -> RuleBook:
    return load_rule_book({"test.toml": text}, limits=LIMITS)


def _problems(text: str) -> str:
    with pytest.raises(RuleErrors) as caught:
        _load(text)
    return "\n".join(str(problem) for problem in caught.value.problems)


def test_that_a_text_is_told_in_the_chosen_language_and_a_command_is_not() -> None:
    with in_brackets():
        (rule,) = _load(ADVICE).advice
    assert (rule.text.raw(), rule.command.raw()) == ("⟦leaves ⟧{value}⟦ to others⟧", "set {value}")


@pytest.mark.parametrize(("old", "new", "expected"), cases(__file__, "faulty"))
def test_that_faulty_advice_is_refused(old: str, new: str, expected: str) -> None:
    assert old in ADVICE
    assert expected in _problems(ADVICE.replace(old, new))


def test_that_a_sentence_on_the_unknown_needs_something_that_may_be_unknown() -> None:
    text = """schema = 1
[[rule]]
id       = "test.wide"
title    = "Too wide"
scope    = "data_vdev"
severity = "warn"
basis    = "convention"
holds    = 'vdev.width <= 8'
text     = "wide"
why      = "slow"
unknown  = "nobody knows"
sources  = [{ man = "x(1)" }]
examples = [{ violated = { vdev.width = 9 } }, { holds = { vdev.width = 8 } }]
"""
    assert "“needs” is missing" in _problems(text)


def _judge(book: RuleBook) -> Judge:
    return Judge(book, premises(disks(16)), ashift=12)


@pytest.mark.parametrize(("hours", "told"), [(None, False), (5.0, False), (120.0, True)])
def test_that_a_rebuild_time_speaks_once_a_model_gives_it(hours: float | None, told: bool, shipped: RuleBook) -> None:
    layout = (VdevSpec(kind=VdevKind.RAIDZ, sizes=(SIX_TB,) * 8, parity=2),) * 2
    judge = _judge(shipped)
    judge.layout(layout, NUMBERS, rebuild=lambda _: 300.0 - (hours or 0))  # another layout before
    rebuild = None if hours is None else lambda _: hours
    of_layout = {finding.rule_id for finding in judge.layout(layout, NUMBERS, rebuild=rebuild)}
    members = disks(16)
    planned = design(raidz(members[:8], 2), raidz(members[8:], 2), of=members)
    judged = judge_design(shipped, planned, NUMBERS, rebuild)
    of_design = {finding.rule_id for finding in judged if finding.outcome is Outcome.VIOLATED}
    assert ("expected.days-of-rebuild" in of_layout, "expected.days-of-rebuild" in of_design) == (told, told)


def test_that_each_layout_is_judged_by_its_own_predictions(shipped: RuleBook) -> None:
    judge = _judge(shipped)
    layout = (VdevSpec(kind=VdevKind.RAIDZ, sizes=(SIX_TB,) * 8, parity=2),) * 2
    told = []
    for loss in (2.0, 0.001, None, 3.0):
        numbers = LayoutNumbers(usable_bytes=10**14, predicted={"pool.yearly_loss_percent": loss})
        found = [f for f in judge.layout(layout, numbers) if f.rule_id == "expected.yearly-loss"]
        told.append([finding.text for finding in found])
    assert [len(texts) for texts in told] == [1, 0, 0, 1]
    assert "2 % per year" in told[0][0]
    assert "3 % per year" in told[3][0]


def test_that_silent_rules_are_asked_again_of_other_vdevs(shipped: RuleBook) -> None:
    judge = _judge(shipped)
    wide = VdevSpec(kind=VdevKind.RAIDZ, sizes=(SIX_TB,) * 13, parity=2)
    good = VdevSpec(kind=VdevKind.RAIDZ, sizes=(SIX_TB,) * 8, parity=2)
    for spec, expected in ((good, 0), (wide, 1)):
        for count in (1, 2, 1):
            found = judge.layout((spec,) * count, NUMBERS)
            assert sum(finding.rule_id == "width.raidz-too-wide" for finding in found) == expected
