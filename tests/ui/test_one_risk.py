"""The window says one risk of a design: card, summary, step, outlook page and comparison have the same numbers."""

from datetime import datetime

import pytest
from pytestqt.qtbot import QtBot
from tests.ui.controls import there, visit
from tests.ui.rankings import use_layout
from tests.ui.summary_at_hand import numbers_of
from tests.ui.test_outlook_page import row, told

from poolwright.design.compared import zfs_column
from poolwright.design.evaluate import evaluate
from poolwright.domain.host import Inventory
from poolwright.drive_library import load_drive_book
from poolwright.machine.typed.read import read_typed
from poolwright.predict.number_words import odds_text
from poolwright.rules.model import RuleBook
from poolwright.ui.outlook.page import OutlookPage
from poolwright.ui.ranking.candidates import CandidateColumn
from poolwright.ui.ranking.page import RecommendationPage
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.state.sources import example
from poolwright.ui.state.steps import outlook_status

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
    window.show_page("recommendation")
    qtbot.waitUntil(lambda: window.session.recommendation is not None, timeout=30_000)
    page = window.page("recommendation")
    assert isinstance(page, RecommendationPage)
    use_layout(page, qtbot)
    return page


@pytest.mark.slow
@pytest.mark.parametrize("machine", MACHINES)
def test_that_every_page_says_the_same_risk_of_the_first_choice(
    window: MainWindow, qtbot: QtBot, rules: RuleBook, machine: str
) -> None:
    page = chosen(window, qtbot, rules, MACHINES[machine])
    session = window.session
    candidate, design = page.selected, session.design
    assert candidate is not None
    assert design is not None
    loss, alone = odds_text(candidate.yearly_loss), odds_text(candidate.disk_loss)
    assert str(page.candidates.model.index(0, CandidateColumn.RISK).data()) == loss
    assert told(window.summary, "Loss a year") == loss
    assert alone in numbers_of(window).predicted.risk.button.accessibleDescription()
    assert f"yearly risk of loss {loss}." in outlook_status(session).reason
    outlook = visit(window, OutlookPage)
    assert row(outlook, "Loss of a pool, a year")[1] == loss
    assert row(outlook, "… by disks alone")[1] == alone
    today = datetime.now().astimezone().date()
    column = zfs_column(evaluate(design, drives=load_drive_book(), today=today, rules=rules))
    values = [column.cell(name).value for name in ("loss", "disk_loss")]
    assert values == pytest.approx([candidate.yearly_loss, candidate.disk_loss], rel=1e-9)
