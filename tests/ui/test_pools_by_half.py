"""The page of the pools that exist where only a part of them was read: what is known, what is not, and what to add."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from tests.design.half_known import DISKS, LISTED, LISTED_VDEVS, read
from tests.ui.test_pools_page import opened

from poolwright.rules.model import RuleBook
from poolwright.ui.shell.main_window import MainWindow

pytestmark = pytest.mark.slow


def test_that_a_pool_of_sizes_alone_says_what_to_add_and_opens_no_design(
    window: MainWindow, qtbot: QtBot, rules: RuleBook, tmp_path: Path
) -> None:
    page = opened(window, qtbot, rules, read(tmp_path, LISTED))
    assert page._state.text().startswith("tank: DEGRADED")
    assert "`zpool status` was not read of tank" in page.found.toPlainText()
    assert not page._open.isEnabled()
    page.panes.bring_to_front(page.improver)
    qtbot.waitUntil(lambda: "was not read of tank" in page.improver.told.text())


def test_that_a_pool_of_a_list_with_vdevs_shows_them(
    window: MainWindow, qtbot: QtBot, rules: RuleBook, tmp_path: Path
) -> None:
    page = opened(window, qtbot, rules, read(tmp_path, LISTED_VDEVS))
    words = page.found.toPlainText().split()
    assert [word for word in words if word in ("mirror-0", "sda", "sdb")][-3:] == ["mirror-0", "sda", "sdb"]
    assert page._open.isEnabled()


def test_that_a_machine_where_nobody_looked_is_not_said_to_have_no_pool(
    window: MainWindow, qtbot: QtBot, rules: RuleBook, tmp_path: Path
) -> None:
    page = opened(window, qtbot, rules, read(tmp_path, DISKS))
    assert "cannot be told" in page._empty.text()
    assert "has no imported pool" not in page._empty.text()
