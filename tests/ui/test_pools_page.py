"""The page of the pools that exist: state, findings with commands, devices, sizes; and what it says without a pool."""

from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot
from tests.advise.existing_machines import SICK, machine

from poolwright.domain.inventory import Inventory
from poolwright.inventory.recorded import open_captures
from poolwright.rules.model import RuleBook
from poolwright.ui.pools.page import PoolsPage
from poolwright.ui.shell.main_window import MainWindow

pytestmark = pytest.mark.slow


def opened(window: MainWindow, qtbot: QtBot, rules: RuleBook, inventory: Inventory | None) -> PoolsPage:
    window.session.set_rules(rules)
    if inventory is not None:
        window.session.start_from(inventory)
    window.show_page("pools")
    page = window.page("pools")
    assert isinstance(page, PoolsPage)
    qtbot.waitUntil(lambda: not window.session.jobs.jobs, timeout=20_000)
    return page


def test_that_the_gravest_pool_is_in_front_and_each_can_be_chosen(
    window: MainWindow, qtbot: QtBot, rules: RuleBook
) -> None:
    page = opened(window, qtbot, rules, machine("wrong"))
    assert page._choice.count() == 5
    assert "grave" in page._state.text()
    page._choice.setCurrentText("tank")
    assert page._state.text().startswith("tank: DEGRADED, 1 grave finding")
    names = [line.node.name for line in page.devices.model.rows]
    assert names[0] == "raidz2-0"
    assert [line.node.state for line in page.devices.model.rows if line.wrong] == ["DEGRADED", "OFFLINE"]
    assert page.findings.rows[0].finding.rule_id == "redundancy.special-bare"
    assert len(page.sizes.steps) > 15


def test_that_the_commands_of_a_finding_are_copied_and_nothing_runs(
    window: MainWindow, qtbot: QtBot, rules: RuleBook
) -> None:
    page = opened(window, qtbot, rules, machine("wrong"))
    page._choice.setCurrentText("tank")
    row = next(row for row in page.findings.rows if row.finding.rule_id == "existing.not-online")
    row.findChildren(QPushButton)[0].click()
    assert QGuiApplication.clipboard().text() == ("zpool online tank /dev/disk/by-id/wwn-0x5000c50000000000-part1\n")


def test_that_without_a_pool_the_page_says_how_to_read_one(window: MainWindow, qtbot: QtBot, rules: RuleBook) -> None:
    page = opened(window, qtbot, rules, None)
    assert "zpool status" in page._empty.text()
    assert page._empty.isVisible()
    assert not page.panes.isVisible()
    page._read.click()
    assert window.current_page() == "disks"


def test_that_the_disks_page_does_not_call_a_sick_pool_well(
    window: MainWindow, qtbot: QtBot, rules: RuleBook, tmp_path: Path
) -> None:
    (tmp_path / "status.txt").write_text(SICK, encoding="utf-8")
    inventory = open_captures([tmp_path / "status.txt"])
    page = opened(window, qtbot, rules, inventory)
    assert page._state.text().startswith("tank: ONLINE, 1 grave finding")
    window.show_page("disks")
    texts = " ".join(label.text() for label in window.page("disks").findChildren(QLabel))
    assert "1 device not online, 1 device with errors, a special device without redundancy" in texts


def test_that_a_report_of_all_pools_is_saved(window: MainWindow, qtbot: QtBot, rules: RuleBook, tmp_path: Path) -> None:
    page = opened(window, qtbot, rules, machine("good"))
    page._write(str(tmp_path / "audit.html"))
    assert "Audit of the pools" in (tmp_path / "audit.html").read_text(encoding="utf-8")
    page._write(str(tmp_path / "none" / "audit.html"))
    assert not (tmp_path / "none").exists()
