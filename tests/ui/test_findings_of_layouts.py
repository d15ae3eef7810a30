"""The card of a layout tells what the models expect as well, without changing its place in the ranking."""

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from poolwright.domain.workload import Goal, Workload
from poolwright.rules.model import RuleBook
from poolwright.ui.ranking.page import RecommendationPage
from poolwright.ui.shell.main_window import MainWindow


@pytest.mark.slow
def test_that_a_layout_in_sight_is_judged_with_its_predictions(
    window: MainWindow, qtbot: QtBot, rules: RuleBook
) -> None:
    window.session.set_rules(rules)
    window.session.sources.open_example("thesis")
    window.session.set_workload(Workload(goal=Goal.SAFETY, network_bytes_per_second=125_000_000))
    window.show_page("recommendation")
    qtbot.waitUntil(lambda: window.session.recommendation is not None, timeout=60_000)
    page = window.page("recommendation")
    assert isinstance(page, RecommendationPage)
    found = window.session.recommendation
    assert found is not None
    single = next(c for c in found.candidates if c.family == "raidz1")
    row = page.candidates.model.row_of(single)
    assert row is not None
    page.candidates.table.selectRow(row)
    asked = {b.accessibleName() for b in page.card._findings.findChildren(QPushButton)}
    assert {"Why? Single parity and a long rebuild", "Why? The network is slower than the pool"} <= asked
    assert sum(term.points for term in single.terms) == pytest.approx(single.score)
    assert not any(term.name.startswith("expected.network") for term in single.terms)
