"""The window tells one value of a design for each number: card, table, summary and steps have the same words."""

from collections import Counter
from datetime import datetime

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot
from tests.ui.controls import part_of, shown, there
from tests.ui.rankings import ranking_in, use_layout
from tests.ui.summary_at_hand import numbers_of
from tests.ui.test_outlook_page import row, told

from poolwright.design.candidate import Candidate
from poolwright.design.comparison_columns import zfs_column
from poolwright.design.evaluate import evaluate
from poolwright.domain.finding import Outcome
from poolwright.domain.host import Inventory
from poolwright.domain.rates import rate_text
from poolwright.domain.units import GB, PLAN_FILL_PERCENT, TIB, binary
from poolwright.machine.typed.read import read_typed
from poolwright.predict.number_words import odds_text
from poolwright.rules.rulebook import RuleBook
from poolwright.table_library import load_drive_book
from poolwright.ui.outlook.pane import OutlookPane
from poolwright.ui.parts.finding_rows import SEVERITY_TONES, each_count
from poolwright.ui.ranking.page import RecommendationPage
from poolwright.ui.ranking.pane import CandidateColumn, three_digits
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.state.sources import example


@pytest.mark.slow
def test_that_card_table_summary_and_steps_tell_one_size_one_plan_and_one_unit_of_speed(
    window: MainWindow, qtbot: QtBot, rules: RuleBook
) -> None:
    page = chosen(window, qtbot, rules, MACHINES["thesis"])
    candidate = there(page.selected)
    usable = binary(candidate.measures.usable_bytes)
    plan = binary(candidate.measures.usable_bytes * PLAN_FILL_PERCENT // 100)
    window.resize(1920, 1080)
    assert page.cards.cards[0].accessibleDescription().startswith(f"{usable}, ")
    assert shown(window.summary, QLabel, "Usable capacity").text() == usable
    assert told(window.summary, "Plan for 80 %") == plan
    row = page.candidates.model.row_of(candidate) or 0
    held = three_digits(candidate.measures.usable_bytes / TIB)
    assert page.candidates.model.index(row, CandidateColumn.USABLE).data() == held
    assert told(window.summary, "Failures survived") == f"any {candidate.measures.failures_survived}"
    assert told(window.summary, "Sequential read") == rate_text(candidate.predictions.speed.seq_read.typical)
    read = float(page.candidates.model.index(row, CandidateColumn.READ).data())
    assert read == pytest.approx(candidate.main.predictions.itself.seq_read.typical / GB, rel=0.005)
    assert page.candidates.model.index(row, CandidateColumn.UNASSIGNED).data() == str(candidate.idle_disks)
    _assert_design_pages_agree(window, candidate)


def _assert_design_pages_agree(window: MainWindow, candidate: Candidate) -> None:
    """Summary and outlook of the design that was made of the layout have its disks, speeds and findings."""
    session = window.session
    design, assessment = there(session.design), there(session.assessment)
    used = {member.disk_key for vdev in design.vdevs for member in vdev.members}
    ticked = f"{len(session.ticked | used)} ticked" if len(session.ticked) < len(design.disks) else len(design.disks)
    assert told(window.summary, "Disks used") == f"{len(used)} of {ticked}"
    assert len(session.ticked) - len(used) == candidate.idle_disks
    outlook = part_of(window, OutlookPane, "outlook")
    for name, speed in (
        ("Sequential read", candidate.main.predictions.itself.seq_read),
        ("Sequential write", candidate.main.predictions.itself.seq_write),
    ):
        expected = {rate_text(speed.typical), "unpredictable"}
        assert told(window.summary, name) in expected, name
        assert row(outlook, name)[1] in expected, name
    violated = Counter(f.severity for f in assessment.findings or () if f.outcome is Outcome.VIOLATED)
    assert violated == Counter(f.severity for f in candidate.findings if f.outcome is Outcome.VIOLATED)
    words = filter(None, each_count(*(violated[severity] for severity in SEVERITY_TONES)))
    assert numbers_of(window).findings.words == (", ".join(words) or "none")


# The window says one risk of a design: card, summary, step, outlook page and comparison have the same numbers.


MACHINES = {
    "thesis": example("thesis"),
    "two models": read_typed(["9 x 8TB hdd model=ST8000DM002 shelf=1", "4 x 8TB hdd model=ST8000NM000A shelf=2"]),
}


def chosen(window: MainWindow, qtbot: QtBot, rules: RuleBook, machine: Inventory) -> RecommendationPage:
    """Return the page with thirteen equal disks of a machine ranked, and its first choice taken as the design."""
    window.session.set_rules(rules)
    window.session.start_from(machine)
    inventory = there(window.session.inventory)
    large = max(disk.size_bytes or 0 for disk in inventory.disks)
    window.session.tick([disk.key for disk in inventory.disks if disk.size_bytes == large][:13])
    page = ranking_in(window, qtbot)
    use_layout(page, qtbot)
    return page


@pytest.mark.slow
@pytest.mark.parametrize("machine", MACHINES)
def test_that_every_page_says_the_same_risk_of_the_first_choice(
    window: MainWindow, qtbot: QtBot, rules: RuleBook, machine: str
) -> None:
    page = chosen(window, qtbot, rules, MACHINES[machine])
    session = window.session
    candidate, design = there(page.selected), there(session.design)
    loss, alone = odds_text(candidate.measures.any_loss), odds_text(candidate.measures.any_disk_loss)
    assert str(page.candidates.model.index(0, CandidateColumn.RISK).data()) == loss.removeprefix("1 in ")
    assert told(window.summary, "Loss a year") == loss
    assert alone in numbers_of(window).lines["risk"].button.accessibleDescription()
    outlook = part_of(window, OutlookPane, "outlook")
    assert row(outlook, "Loss a year")[1] == loss
    assert row(outlook, "… by disks alone")[1] == alone
    today = datetime.now().astimezone().date()
    column = zfs_column(evaluate(design, drives=load_drive_book(), today=today, rules=rules))
    values = [column.cell(name).value for name in ("loss", "disk_loss")]
    assert values == pytest.approx([candidate.measures.any_loss, candidate.measures.any_disk_loss], rel=1e-9)
