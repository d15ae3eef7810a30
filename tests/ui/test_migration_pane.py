"""Moving a pool to another layout on the page of the pools: asked, refused, planned, copied and written as a script."""

from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot
from tests.changes.migration.machines import machine
from tests.ui.controls import links, visit

from poolwright.rules.model import RuleBook
from poolwright.ui.pools.improve_pane import MigrationPane
from poolwright.ui.pools.page import PoolsPage
from poolwright.ui.shell.main_window import MainWindow

pytestmark = pytest.mark.slow


def opened(window: MainWindow, qtbot: QtBot, rules: RuleBook, free: int) -> MigrationPane:
    window.session.set_rules(rules)
    window.session.start_from(machine([("mirror", 2)], free))
    page = visit(window, PoolsPage)
    idle(window, qtbot)
    page.panes.bring_to_front(page.migration)
    return page.migration


def idle(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not window.session.jobs.jobs, timeout=20_000)


def planned(window: MainWindow, qtbot: QtBot, pane: MigrationPane, layout: str) -> None:
    pane.layout_line.setText(layout)
    pane.plan_button.click()
    idle(window, qtbot)


def test_that_each_step_tells_what_survives_and_its_commands(
    window: MainWindow, qtbot: QtBot, rules: RuleBook, tmp_path: Path
) -> None:
    pane = opened(window, qtbot, rules, 2)
    assert not pane.copy_button.isVisible()
    planned(window, qtbot, pane, "raidz2:4x4TB")
    assert len(links(pane.rows, "Copy")) == 13
    assert pane.problem.text() == ""
    assert "$ zpool destroy tank-old" in pane.rows.toPlainText()
    pane.copy_button.click()
    assert "At every moment any 1 disk may fail." in QGuiApplication.clipboard().text()
    pane.write(str(tmp_path / "migrate.sh"))
    assert "step 'Detach ata-DISK_old" in (tmp_path / "migrate.sh").read_text(encoding="utf-8")


def test_that_a_refusal_tells_its_reasons_and_a_backup_allows_it(
    window: MainWindow, qtbot: QtBot, rules: RuleBook
) -> None:
    pane = opened(window, qtbot, rules, 1)
    planned(window, qtbot, pane, "raidz1:3x4TB")
    assert "– steps 2 to " in pane.problem.text()
    assert not pane.rows.toPlainText()
    pane.backup.setChecked(True)
    planned(window, qtbot, pane, "raidz1:3x4TB")
    assert len(links(pane.rows, "Copy")) == 12


def test_that_bad_words_are_told_in_place_and_disks_to_come_count(
    window: MainWindow, qtbot: QtBot, rules: RuleBook
) -> None:
    pane = opened(window, qtbot, rules, 0)
    planned(window, qtbot, pane, "raidzz")
    assert "raidzz" in pane.problem.text()
    pane.bought_line.setText("2 x 4TB hdd")
    planned(window, qtbot, pane, "raidz2:4x4TB")
    assert len(links(pane.rows, "Copy")) == 13
    said: list[str] = []
    window.session.complained.connect(said.append)
    pane.save_button.click()
    assert not pane.findChildren(QFileDialog), "no name is asked for what cannot be written"
    assert " ".join(said) == (
        "2 disks of this move are planned, so no script can name them. Once all are in the machine, read it again and "
        "plan the move without disks to come."
    )
