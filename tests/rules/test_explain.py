"""“Why?” and `--explain`: facts, origin, sources, in words."""

from dataclasses import replace

import pytest
from tests.rules.machines import NUMBERS, design, disks, raidz

from poolwright.domain.finding import Outcome
from poolwright.rules.design_judge import judge_design
from poolwright.rules.explain import explain_finding, explain_rule
from poolwright.rules.model import PropertyRule, Rule, RuleBook


def test_that_a_violation_is_explained_by_facts_with_origin_and_by_sources(shipped: RuleBook) -> None:
    found = judge_design(shipped, design(raidz(disks(8), 2), of=disks(8), ashift=9), NUMBERS)
    text = explain_finding(next(f for f in found if f.rule_id == "ashift.below-physical"))
    assert "4096 [smartctl on nas1, 2026-11-20 10:12]" in text
    assert "pool.ashift_bytes" in text
    assert "Advice: Use ashift 12" in text
    assert "Source: document Then 2016, ZFS unter Linux, chapter 5.1.1" in text


def test_that_what_cannot_be_told_names_what_is_missing(shipped: RuleBook) -> None:
    members = disks(8, physical_sector_bytes=None)
    found = judge_design(shipped, design(raidz(members, 2), of=members, ashift=9), NUMBERS)
    finding = next(f for f in found if f.rule_id == "ashift.below-physical")
    assert finding.outcome is Outcome.CANNOT_TELL
    text = explain_finding(finding)
    assert "Missing: largest physical sector size of the disks." in text
    assert "= unknown" in text


def test_that_a_rule_is_explained_with_its_limits_and_their_reasons(shipped: RuleBook) -> None:
    rule = shipped.rule("width.too-many-vdevs")
    assert rule is not None
    text = explain_rule(rule, shipped)
    assert "Must hold: pool.data_vdevs <= limit.vdevs.most" in text
    assert "Limit vdevs.most = 20 data vdevs in a pool (measured): " in text
    assert "up to about 20; beyond" in text


def test_that_every_rule_and_property_can_be_explained(shipped: RuleBook) -> None:
    everything: tuple[Rule | PropertyRule, ...] = (*shipped.rules, *shipped.properties)
    for rule in everything:
        text = explain_rule(rule, shipped)
        assert rule.title in text
        assert "Source: " in text


@pytest.mark.parametrize(
    ("since", "until", "words"),
    [
        ("2.0", "2.2", "Holds for OpenZFS from 2.0 to before 2.2."),
        ("2.0", None, "Holds for OpenZFS since 2.0."),
        (None, "2.2", "Holds for OpenZFS before 2.2."),
        (None, None, ""),
    ],
)
def test_that_the_versions_a_rule_holds_for_are_told(
    since: str | None, until: str | None, words: str, shipped: RuleBook
) -> None:
    finding = judge_design(shipped, design(raidz(disks(8), 2), of=disks(8), ashift=9), NUMBERS)[0]
    text = explain_finding(replace(finding, since=since, until=until))
    assert words in text
    assert ("Holds for OpenZFS" in text) is bool(words)
