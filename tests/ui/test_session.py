"""The session forgets what no longer holds, and nothing else."""

from dataclasses import replace

from PySide6.QtTest import QSignalSpy
from pytestqt.qtbot import QtBot
from tests.design.test_recommend import no_rules
from tests.ui.conftest import thesis_design
from tests.ui.controls import there
from tests.ui.disks_at_hand import NVME, hdd

from poolwright.design.recommend import recommend
from poolwright.design.request import Request
from poolwright.domain.design import Design
from poolwright.domain.disk import Use, UseKind
from poolwright.domain.finding import Outcome, Severity
from poolwright.domain.money import Money, money, money_words
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.questions import RankedRows
from poolwright.rules.rulebook import RuleBook
from poolwright.texts import first_of
from poolwright.ui.state.session import Session
from poolwright.ui.state.sources import example
from poolwright.ui.state.steps import (
    StepState,
    budget_status,
    commands_status,
    disks_status,
    recommendation_status,
    workload_status,
)


def test_that_every_disk_that_may_be_used_is_ticked_at_first_and_no_other_can_be(session: Session) -> None:
    inventory = example("thesis")
    used = replace(inventory.disks[0], uses=(Use(kind=UseKind.MOUNTED, detail="/"),))
    session.start_from(replace(inventory, disks=(used, *inventory.disks[1:])))
    assert session.ticked == {disk.key for disk in inventory.disks[1:]}
    session.tick(disk.key for disk in inventory.disks)
    assert used.key not in session.ticked
    unread = replace(NVME, use_known=False)  # it may hold the system
    session.start_from(replace(inventory, disks=(hdd(0), hdd(1), unread)))
    assert session.ticked == {"hdd0", "hdd1"}
    session.start_from(replace(inventory, disks=(hdd(0), hdd(1), unread, replace(unread, key="other"))))
    assert len(session.ticked) == 4


def test_that_undo_brings_the_former_design_back_and_a_new_workload_keeps_it(session: Session, design: Design) -> None:
    other = thesis_design(width=10)
    session.change_design(design, "Choose layout")
    session.change_design(other, "Widen")
    seen = [session.design]
    for step in (session.undo_steps.undo, session.undo_steps.undo, session.undo_steps.redo, session.undo_steps.redo):
        step()
        seen.append(session.design)
    assert seen == [other, design, None, design, other]
    session.change_design(design, "Choose layout")
    session.set_workload(Workload(goal=Goal.SPEED))
    session.set_budget(Budget(survive=2))
    assert session.design == design


def test_that_opening_a_design_brings_what_it_was_made_from_and_is_told_once(session: Session, design: Design) -> None:
    told = QSignalSpy(session.changed)
    session.open_design(replace(design, workload=Workload(goal=Goal.SPEED)))
    assert told.count() == 1
    assert (
        told.at(0)[0] == {"inventory", "ticked", "workload", "goal_told", "budget", "ashift", "design"} & told.at(0)[0]
    )
    assert {"inventory", "ticked", "workload", "design"} <= told.at(0)[0]
    session.open_design(session.design or design)
    assert told.count() == 2
    made_for = replace(design, workload=Workload(goal=Goal.CONCURRENT), budget=Budget(spares=4))
    session.open_design(made_for)
    assert session.inventory is not None
    assert (session.inventory.disks, session.workload.goal, session.budget.spares) == (design.disks, "concurrent", 4)
    assert session.design == made_for
    assert not session.undo_steps.undo_text


def purchase(session: Session) -> Money | None:
    expected = there(session.expected)
    return there(expected.cost).purchase


def test_that_the_assessment_is_exact_for_the_current_design_and_its_cost_known_only_with_a_price(
    session: Session, design: Design
) -> None:
    session.change_design(design, "Choose layout")
    assessment = there(session.assessment)
    assert there(assessment.capacity).layout == design.layout()
    assert (assessment.survived, assessment.disks_used, assessment.spares) == (2, 44, 4)
    assert purchase(session) is None
    session.change_design(replace(design, budget=Budget(price_per_disk=money(100))), "Choose layout")
    assert purchase(session) == money(4400)
    assert money_words(money(4400)) == "4,400.00 (currency not said)"
    assert money_words(money(4400, "EUR")) == "4,400.00 EUR"


def test_that_findings_come_with_the_rules(session: Session, design: Design, rules: RuleBook) -> None:
    session.change_design(design, "Choose layout")
    before = session.assessment
    session.set_rules(rules)
    after = session.assessment
    assert before is not None
    assert after is not None
    assert before.findings is None
    assert after.findings


def test_that_the_steps_say_how_far_they_are(session: Session, design: Design) -> None:
    states = (disks_status, recommendation_status, commands_status)
    assert [status(session).state for status in states] == [StepState.TO_DO] * 3
    session.start_from(example("thesis"))
    session.change_design(design, "Choose layout")
    assert [status(session).state for status in states] == [StepState.DONE, StepState.DONE, StepState.TO_DO]
    session.mark_script_saved()
    assert commands_status(session).state is StepState.DONE
    session.change_design(replace(design, pool_name="dozer"), "Rename")
    assert commands_status(session).state is StepState.TO_DO
    session.set_budget(Budget(money=money(2000)))
    assert budget_status(session).reason == "No limits are set."  # without prices money is none
    in_use = Use(kind=UseKind.POOL, detail=design.pool_name)
    session.show_design(replace(design, disks=tuple(replace(disk, uses=(in_use,)) for disk in design.disks)))
    of_pool = (disks_status, workload_status, budget_status, recommendation_status)
    assert {status(session).state for status in of_pool} == {StepState.DEFAULTS}, "nobody decided these here"
    assert commands_status(session).state is StepState.TO_DO


def test_that_what_changes_while_a_change_is_told_is_told_next(session: Session) -> None:
    heard: list[frozenset[str]] = []

    def follow(parts: frozenset[str]) -> None:
        heard.append(parts)
        if "workload" in parts:
            session.set_budget(Budget(spares=1))
            session.note_unreadable("budget", {"Money": "lots"})

    session.changed.connect(follow)
    session.set_workload(Workload(goal=Goal.SPEED))
    assert heard == [{"workload", "goal_told"}, {"budget", "unread"}]


def test_that_a_ranking_goes_with_the_question_it_answers(session: Session) -> None:
    session.start_from(example("macblog"))
    inventory = there(session.inventory)
    request = Request(disks=inventory.usable(), workload=session.workload, budget=session.budget)
    found = RankedRows.of(recommend(request, no_rules))
    for other in (
        {"ticked": frozenset(sorted(session.ticked)[1:])},
        {"workload": Workload(goal=Goal.SPEED)},
        {"budget": Budget(spares=1)},
        {"ashift": 13},
        {"version": ZfsVersion(2, 1, 11)},
    ):
        session.set_recommendation(found)
        assert session.recommendation is found
        session.put(replace(session.work, **other))
        assert session.recommendation is None


def test_that_a_design_opened_with_newer_rules_names_those_that_changed_for_it(
    session: Session, design: Design, rules: RuleBook, qtbot: QtBot
) -> None:
    session.set_rules(rules)
    session.change_design(design, "Choose layout")
    assert session.assessment is not None
    known = {one.rule_id: one.outcome for one in session.assessment.findings or ()}
    graver = {rule.id: replace(rule, severity=Severity.BLOCK) for rule in rules.rules if rule.severity is Severity.NOTE}
    others = {rule.id: rule for rule in rules.rules} | graver
    newer = replace(rules, rules=(*others.values(), *(replace(rule, id=f"{rule.id}-2") for rule in rules.rules)))
    reworded = replace(rules, rules=tuple(replace(rule, title="other") for rule in rules.rules))
    noted = QSignalSpy(session.library.noted)
    session.set_rules(reworded)  # what it says in other words has not changed
    session.open_design(design)
    qtbot.waitUntil(lambda: not session.judging)
    assert noted.count() == 0
    session.set_rules(newer)
    session.open_design(design)
    qtbot.waitUntil(lambda: noted.count() == 1)
    said = {f"{name}-2" for name, outcome in known.items() if outcome is not Outcome.HOLDS}
    names = sorted({*(graver.keys() & known.keys()), *said})
    assert len(names) > 6
    assert noted.at(0)[0] == f"Rules changed since this design was saved: {first_of(names, 6)}."
    session.change_design(replace(design, ashift=13), "Change ashift")
    assert session.library.save(replace(design, ashift=13))
    session.open_design(replace(design, ashift=13))
    qtbot.waitUntil(lambda: not session.judging)
    assert noted.count() == 1
    session.show_design(replace(design, key="of a file"), under={**newer.sums(), names[0]: 1})
    qtbot.waitUntil(lambda: noted.count() == 2)
    assert noted.at(1)[0] == f"Rules changed since this design was saved: {names[0]}."
