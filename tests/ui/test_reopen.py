"""What was open comes back: after a restart, a kill, another source, and from the bin."""

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot
from tests.ui.conftest import thesis_design
from tests.ui.controls import restarted, there

from poolwright.domain.design import Design
from poolwright.domain.host import Host
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.domain.workload import Budget, Goal
from poolwright.store.design_file import to_json
from poolwright.ui.disks.columns import DiskColumn
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.start.page import StartCard
from poolwright.ui.state.recommending import free_pool_name
from poolwright.ui.state.session import Session
from poolwright.ui.state.sources import example, typed_disks
from poolwright.ui.state.work import Work

KILLED = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from PySide6.QtWidgets import QApplication
from poolwright.ui.shell.application import open_settings
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.state.preferences import Preferences
from poolwright.ui.state.session import Session
from tests.ui.conftest import thesis_design
application = QApplication([])
window = MainWindow(Session(), Preferences(open_settings()))
window.show()
window.session.open_design(thesis_design())
window.show_page("workload")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.slow
def test_that_kill_9_loses_neither_design_nor_page(qtbot: QtBot, light: None, tmp_path: Path) -> None:
    root = str(Path(__file__).parents[2])
    ended = subprocess.run([sys.executable, "-c", KILLED, root], timeout=60, check=False, env=dict(os.environ))
    assert ended.returncode == -signal.SIGKILL
    path = tmp_path / "config" / "poolwright" / "window.ini"
    window = restarted(qtbot, QSettings(str(path), QSettings.Format.IniFormat))
    assert window.session.design == thesis_design()
    assert window.current_page() == "workload"
    window.close()


@pytest.mark.slow
def test_that_a_design_in_the_bin_is_not_reopened(qtbot: QtBot, window: MainWindow, settings: QSettings) -> None:
    window.session.change_design(thesis_design(), "Choose layout")
    window.session.library.delete("thesis-raidz2")
    window.close()
    again = restarted(qtbot, settings)
    assert again.session.design is None
    assert again.message.isHidden()
    again.close()


@pytest.mark.slow
def test_that_a_new_source_begins_without_wishes_as_new_does_and_both_offer_the_way_back(window: MainWindow) -> None:
    session = window.session
    session.preferences.currency = "GBP"
    session.sources.open_example("thesis")
    session.set_workload(replace(session.workload, goal=Goal.CONCURRENT))
    session.set_budget(Budget(bays=4))
    session.change_design(thesis_design(), "Choose layout")
    session.expectations.assume(afr_percent=2.5)
    session.note_unreadable("workload", {"Clients": "many"})
    before = session.work
    session.sources.open_example("macblog")
    assert (opened(session), session.workload, session.budget) == (None, Work().workload, Budget())
    assert "“thesis, raidz2” stays in the library" in window.message.text()
    press(window, "Go back")
    start = window.page("start")
    there(start.findChild(StartCard)).setFocus()
    window._actions.new.trigger()
    assert session.work == Work(budget=Budget(currency="GBP"))
    assert window.focusWidget() in start.begins
    press(window, "Go back")
    assert session.work == before
    assert window.message.isHidden()


@pytest.mark.slow
def test_that_the_way_back_brings_back_what_was_typed_and_the_steps_to_undo(window: MainWindow, design: Design) -> None:
    session = window.session
    session.sources.open_example("thesis")
    session.expectations.assume(afr_percent=2.5, watts=7.0)
    session.change_design(design, "Choose layout")
    session.change_design(replace(design, ashift=13), "Change ashift")
    session.undo_steps.undo()
    session.sources.open_example("macblog")
    assert typed(session)[0] is None
    press(window, "Go back")
    assert typed(session) == (2.5, 7.0)
    assert opened(session) == design
    session.undo_steps.redo()
    assert opened(session) == replace(design, ashift=13)
    session.undo_steps.undo()
    session.undo_steps.undo()
    assert opened(session) is None


@pytest.mark.slow
def test_that_a_restart_knows_the_pools_beside(qtbot: QtBot, window: MainWindow, settings: QSettings) -> None:
    session, design = window.session, thesis_design()
    session.start_from(example("thesis"))
    session.change_design(design, "Choose layout")
    session.start_another()
    session.change_design(replace(design, key="second", pool_name="tank2", vdevs=()), "Choose layout")
    window.close()
    again = restarted(qtbot, settings)
    again.session.start_another()
    assert free_pool_name(again.session) == "tank3"
    again.close()


@pytest.mark.slow
def test_that_a_restart_knows_the_wishes_beside_a_design(
    qtbot: QtBot, window: MainWindow, settings: QSettings, design: Design
) -> None:
    window.session.start_from(example("thesis"))
    window.session.change_design(design, "Choose layout")
    wished = replace(window.session.budget, spares=3, currency="CHF")
    window.session.set_budget(wished)
    window.session.set_workload(replace(window.session.workload, clients=40))
    window.close()
    again = restarted(qtbot, settings)
    assert there(again.session.design).budget.spares is None
    assert (again.session.budget.spares, again.session.budget.currency) == (3, "CHF")
    assert again.session.workload.clients == 40
    again.close()


@pytest.mark.slow
def test_that_typed_disks_come_back_with_their_wishes_and_wishes_for_others_end_with_them(
    qtbot: QtBot, window: MainWindow, settings: QSettings
) -> None:
    session, typed = window.session, "8 x 3.84TB NVMe"
    for inventory, count, spares in ((typed_disks(typed), 8, 3), (example("thesis"), 0, None)):
        session.preferences.typed_disks = typed
        session.start_from(inventory)
        session.set_budget(replace(session.budget, spares=3))
        window.close()
        window = restarted(qtbot, settings)
        session = window.session
        found = session.inventory.disks if session.inventory is not None else ()
        assert (len(found), session.budget.spares) == (count, spares)
        session.start_from(typed_disks("6 x 4TB"))
        assert session.budget.spares is None
    window.close()


@pytest.mark.slow
def test_that_untouched_disks_are_replaced_without_a_word(window: MainWindow) -> None:
    window.session.sources.open_example("thesis")
    window.session.sources.open_example("macblog")
    assert window.message.isHidden()
    ticked = sorted(window.session.ticked)[1:]
    window.session.tick(ticked)
    window.session.sources.open_example("thesis")
    assert "macblog" in window.message.text()
    press(window, "Go back")
    assert sorted(window.session.ticked) == ticked


def test_that_another_design_is_begun_from_the_disks_left_over(session: Session, design: Design) -> None:
    session.start_from(example("thesis"))
    session.change_design(design, "Choose layout")
    session.start_another()
    assert session.design is None
    assert session.ticked == frozenset(d.key for d in design.disks) - design.used_keys()
    assert session.library.read(design.key) == design
    assert free_pool_name(session) == "tank2"


def test_that_the_openzfs_of_the_machine_goes_before_the_setting(session: Session) -> None:
    inventory = example("thesis")
    session.start_from(replace(inventory, host=Host(zfs_version="zfs-2.1.11-1")))
    assert session.version == ZfsVersion(2, 1, 11)
    # An old one is computed by its own rules, and told as old.
    session.start_from(replace(inventory, host=Host(zfs_version="0.7.2")))
    assert session.version == ZfsVersion(0, 7, 2)
    session.start_from(replace(inventory, host=Host(zfs_version="0.5.1")))
    assert session.version == DEFAULT_VERSION
    session.start_from(replace(inventory, host=Host(zfs_version="what")))
    assert session.version == DEFAULT_VERSION


@pytest.mark.slow
def test_that_columns_and_order_are_remembered(qtbot: QtBot, window: MainWindow, settings: QSettings) -> None:
    window.session.start_from(example("thesis"))
    window.show_page("disks")
    view = window.page("disks")._view  # type: ignore[attr-defined]
    view.columns_menu.choose((DiskColumn.MODEL, DiskColumn.SIZE, DiskColumn.HOURS))
    view.sortByColumn(2, Qt.SortOrder.DescendingOrder)
    shown = view.visible_columns()
    window.close()
    again = restarted(qtbot, settings)
    again.resize(window.size())
    again.session.start_from(example("thesis"))
    again.show_page("disks")
    view = again.page("disks")._view  # type: ignore[attr-defined]
    assert view.visible_columns() == shown
    assert view.header().sortIndicatorSection() == 2
    again.close()


@pytest.mark.slow
def test_that_a_garbled_arrangement_changes_nothing(window: MainWindow) -> None:
    window.session.start_from(example("thesis"))
    window.show_page("disks")
    view = window.page("disks")._view  # type: ignore[attr-defined]
    before = view.columns_menu.arrangement()
    for text in ("", "*", "*;99;0", "x;y;z", "*;1;7", ";;"):
        view.columns_menu.arrange(text)
        assert view.columns_menu.arrangement() == before


def opened(session: Session) -> Design | None:
    return session.design


def typed(session: Session) -> tuple[float | None, float | None]:
    return session.expectations.assumed.afr_percent, session.expectations.assumed.watts


def press(parent: MainWindow, text: str) -> None:
    button = next(b for b in parent.findChildren(QPushButton) if b.text() == text and b.isVisible())
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def test_that_a_file_given_at_the_start_is_opened_instead_of_the_last_design(
    qtbot: QtBot, window: MainWindow, design: Design, settings: QSettings, tmp_path: Path
) -> None:
    window.session.open_design(design)
    window.close()
    given = tmp_path / "other.json"
    given.write_text(to_json(replace(design, key="other", name="other")), encoding="utf-8")
    again = restarted(qtbot, settings)
    again.first_file = given
    again.reopen()
    assert there(again.session.design).name == "other"
    again.first_file = tmp_path / "missing.json"
    again.reopen()
    assert there(again.session.design).name == "other"
    assert "missing.json" in again.message.text()
