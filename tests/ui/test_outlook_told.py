"""What the outlook says where there is little to predict, and what it tells the rules."""

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QTableView
from pytestqt.qtbot import QtBot
from tests.ui.controls import named
from tests.ui.test_outlook_page import bring_to_front, line, opened, texts, told

from poolwright.domain.design import Design, Vdev
from poolwright.domain.finding import Outcome
from poolwright.domain.vdev import VdevKind
from poolwright.rules.model import RuleBook
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.state.session import Session

pytestmark = pytest.mark.slow


def test_that_a_pool_without_redundancy_has_nothing_to_rebuild(
    window: MainWindow, design: Design, qtbot: QtBot
) -> None:
    members = design.vdevs[0].members[:4]
    page = opened(window, replace(design, vdevs=(Vdev(kind=VdevKind.STRIPE, members=members),)))
    bring_to_front(page, "Rebuild and scrub")
    assert page.rebuild.rebuild.isHidden()
    assert told(window.summary, "Rebuild") == "none"
    row, _ = texts(named(page, QTableView, "What the risk is made of"))
    assert (row[0], *row[4:7]) == ("4 × single disk", "1.57 %", "none", "none")


def test_that_what_was_never_measured_is_said(window: MainWindow, design: Design) -> None:
    members = design.vdevs[0].members[:3]
    page = opened(window, replace(design, vdevs=(Vdev(kind=VdevKind.MIRROR, members=members),)))
    assert "The band is wider here: mirrors of 3; only pairs were measured." in page.speed.beyond.text()
    assert "Extrapolated: mirrors of 3." in line(page.speed, "Sequential read").accessibleDescription()


def test_that_rules_are_told_what_is_predicted(
    window: MainWindow, design: Design, rules: RuleBook, qtbot: QtBot
) -> None:
    opened(window, design)
    session = window.session
    session.set_rules(rules)
    assert outcome(session, "expected.days-of-rebuild") is not Outcome.CANNOT_TELL
    before = outcome(session, "expected.days-of-rebuild")
    with qtbot.waitSignal(session.expectations.settled):
        session.expectations.assume(load_percent=95)
    assert (before, outcome(session, "expected.days-of-rebuild")) == (Outcome.HOLDS, Outcome.VIOLATED)


def outcome(session: Session, rule_id: str) -> Outcome:
    assert session.assessment is not None
    assert session.assessment.findings is not None
    return next(f.outcome for f in session.assessment.findings if f.rule_id == rule_id)
