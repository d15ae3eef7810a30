"""What is said of pools beside the main one: in findings, and where their slices share disks with it."""

from dataclasses import replace

import pytest
from tests.design.test_packing import mixed
from tests.design.test_ranked_as_designed import BOOK, designed
from tests.design.test_recommend import OLD, disks, no_rules, request

from poolwright.design.assign import Identity, design_of
from poolwright.design.evaluator import OTHER_POOL
from poolwright.design.groups import Packing
from poolwright.design.recommend import recommend
from poolwright.design.request import LayoutJudge
from poolwright.domain.finding import Finding, Outcome, Severity
from poolwright.domain.units import TB
from poolwright.domain.vdev import Layout
from poolwright.domain.workload import Goal
from poolwright.predict.groups import any_loss
from poolwright.rules.layout_facts import LayoutNumbers


@pytest.mark.slow
def test_that_slices_which_share_disks_have_the_risk_and_the_rebuild_of_their_design() -> None:
    asked = replace(request(Goal.SAFETY, mixed((2, 4 * TB), (2, 3 * TB), (1, TB))), drives=BOOK)
    cut = [c for c in recommend(asked, _finds_fault).candidates if c.partitioned]
    assert {c.way for c in cut} == {Packing.STACKED, Packing.LAYERED}
    for candidate in cut[::3]:
        pools = designed(candidate, asked)
        risks = [pool.risk for pool in pools]
        loss = any_loss([risk.probability for risk in risks], risks[0].causes.floor(1))
        assert loss == pytest.approx(candidate.measures.any_loss, rel=1e-9), candidate.words


def _finds_fault(_request: object, _disks: object, _ashift: int) -> LayoutJudge:
    """Return a judge that finds the same fault in every vdev, of a weight in two terms."""

    def judge(layout: Layout, numbers: LayoutNumbers, places: object) -> tuple[Finding, ...]:
        return tuple(
            Finding(
                rule_id="own.fault", title="Fault", severity=Severity.NOTE, basis="convention", subject=spec.word,
                outcome=Outcome.VIOLATED, text=f"{spec.word} of {numbers.usable_bytes}",
                weight=(("risk", 3.0), ("care", 2.0)),
            )
            for spec in layout
        )  # fmt: skip

    return judge


def test_that_faults_of_a_further_pool_count_by_its_share_of_space_and_its_risk_not_again() -> None:
    found = recommend(request(Goal.SAFETY, mixed((2, 4 * TB), (3, 2 * TB))), _finds_fault).candidates
    several = [c for c in found if c.further]
    assert several
    for candidate in several:
        first = [f for f in candidate.findings if not f.subject.startswith(OTHER_POOL)]
        assert all(finding.weight == (("risk", 3.0), ("care", 2.0)) for finding in first)
        share = candidate.further[0].usable_bytes / sum(pool.usable_bytes for pool in candidate.pools)
        second = [f for f in candidate.findings if f.subject.startswith(f"{OTHER_POOL}2")]
        for finding in second:
            ((term, amount),) = finding.weight
            assert term == "care"
            assert amount == pytest.approx(2.0 * share)
        said = {f"{spec.word} of {candidate.measures.usable_bytes}" for spec in candidate.further[0].layout}
        # What was said of the first pool already is not said again.
        assert {finding.text for finding in second} == {f"Pool 2: {text}" for text in said - {f.text for f in first}}


@pytest.mark.parametrize(
    ("name", "others"), [("tank", ["tank2", "tank3"]), ("tank4", ["tank5", "tank6"]), ("7", ["72", "73"])]
)
def test_that_further_pools_are_numbered_on(name: str, others: list[str]) -> None:
    asked = replace(request(Goal.SPEED, disks(44)), version=OLD)
    several = next(c for c in recommend(asked, no_rules).candidates if c.main.copies == 3)
    design = design_of(several, asked, Identity(key="k", name="fast", pool_name=name))
    assert [pool.pool_name for pool in design.further_pools] == others
