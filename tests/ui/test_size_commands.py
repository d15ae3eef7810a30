"""The commands of very many disks: written between events, and whole when they are saved."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QSize, Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot
from tests.ui.conftest import thesis_design
from tests.ui.controls import visit
from tests.ui.test_size import SLACK, WITHIN, on_shelves, turns

from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.vdev import VdevKind
from poolwright.emit.exports import EXPORTS
from poolwright.rules.rulebook import RuleBook
from poolwright.store.design_file import from_json
from poolwright.ui.commands import lines
from poolwright.ui.commands.page import CommandsPage
from poolwright.ui.disks.table import DiskTable
from poolwright.ui.parts.table import WrappedDelegate
from poolwright.ui.parts.theme import Scheme, theme
from poolwright.ui.shell.main_window import MainWindow


def many_disks(count: int) -> Design:
    """Return raidz2 vdevs of ten disks on shelves."""
    shelves = on_shelves(count)
    members = [Member(disk_key=disk.key) for disk in shelves.disks]
    vdevs = tuple(
        Vdev(kind=VdevKind.RAIDZ, parity=2, members=tuple(members[at : at + 10])) for at in range(0, count, 10)
    )
    return replace(thesis_design(), disks=shelves.disks, vdevs=vdevs, inventory_name="shelves")


@pytest.fixture
def page(window: MainWindow, rules: RuleBook) -> CommandsPage:
    window.session.set_rules(rules)
    window.session.change_design(many_disks(200), "Choose layout")
    return visit(window, CommandsPage)


def wait_for_script(page: CommandsPage, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: page.save.isEnabled() and not page.session.jobs.jobs, timeout=60_000)


@pytest.mark.slow
def test_that_the_script_of_very_many_disks_is_written_between_events_as_the_design_is_now(
    page: CommandsPage, qtbot: QtBot, window: MainWindow
) -> None:
    assert page.missing() == "Writing the script"
    assert not page.save.isEnabled()
    assert not page.export.isEnabled()
    wait_for_script(page, qtbot)
    assert page.save.isEnabled()
    assert sum(line.startswith("  disk ") for line in page.script.toPlainText().split("\n")) == 200
    wait_for_script(page, qtbot)
    window.session.change_design(many_disks(200).renamed(pool_name="other"), "Rename")
    assert not page.save.isEnabled()
    page._ask_where()
    assert "other" in page.script.toPlainText()
    assert page.save.isEnabled()
    wait_for_script(page, qtbot)
    assert "other" in page.script.toPlainText()


def choose(page: CommandsPage, key: str) -> None:
    page.export.chooser.setCurrentIndex(page.export.chooser.findData(key))


@pytest.mark.slow
def test_that_a_very_long_form_is_shown_as_far_as_a_person_reads(
    page: CommandsPage, window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    wait_for_script(page, qtbot)
    window.session.change_design(many_disks(600), "Choose layout")
    # The script is written once more when the design is judged: nothing can be copied meanwhile.
    wait_for_script(page, qtbot)
    choose(page, "json")
    whole = page.export.text_in("json")
    lines = whole.split("\n")
    told = f"… {len(lines) - 1 - 10_000:,} further lines are saved and copied"
    shown = "\n".join((*lines[:10_000], told))
    assert page.script.toPlainText() == shown
    page.copy.click()
    assert QGuiApplication.clipboard().text() == whole
    page.export.save_to(str(tmp_path / "design.json"))
    assert (tmp_path / "design.json").read_text(encoding="utf-8") == whole
    choose(page, "fio")
    assert page.script.toPlainText() == page.export.text_in("fio")
    assert from_json(whole) == page.session.design


@pytest.mark.slow
def test_that_a_script_is_shown_whole_however_long(
    page: CommandsPage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "_MOST_LINES", 10)
    wait_for_script(page, qtbot)
    choose(page, "fio")
    assert "further lines" in page.script.toPlainText()
    choose(page, "sh")
    assert page.script.toPlainText() == page.export.text_in("sh")


@pytest.mark.slow
def test_that_the_page_shows_as_many_disks_as_a_person_reads_and_says_where_the_others_are(
    page: CommandsPage, qtbot: QtBot, tmp_path: Path
) -> None:
    wait_for_script(page, qtbot)
    choose(page, "sheet-html")
    shown = page.export.page.toPlainText()
    assert "SN000059" in shown
    assert "SN000060" not in shown
    assert "140 further rows are saved and in the PDF" in shown
    page.export.save_to(str(tmp_path / "sheet.html"))
    saved = (tmp_path / "sheet.html").read_text(encoding="utf-8")
    assert "SN000199" in saved
    assert "further rows" not in saved


@pytest.mark.slow
def test_that_a_line_is_measured_once_however_often_colours_change(
    page: CommandsPage, window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait_for_script(page, qtbot)
    for scheme in (Scheme.DARK, Scheme.LIGHT, Scheme.DARK):  # until all is laid out in both
        theme().choose(scheme)
        QCoreApplication.processEvents()
    measured: list[int] = []
    measure = WrappedDelegate._measured

    def count(delegate: WrappedDelegate, *args: Any) -> QSize:
        measured.append(args[-1])
        return measure(delegate, *args)

    monkeypatch.setattr(WrappedDelegate, "_measured", count)
    theme().choose(Scheme.LIGHT)
    QCoreApplication.processEvents()
    assert measured == []
    window.session.change_design(many_disks(190), "Choose layout")
    wait_for_script(page, qtbot)
    qtbot.waitUntil(lambda: len(measured) >= page.lines.rowCount())


def test_that_no_view_looks_for_lines_below_a_disk(qapp: QCoreApplication) -> None:
    table = DiskTable(qapp)
    table.show_inventory(on_shelves(3), frozenset())
    group = table.index(0, 0)
    assert not group.flags() & Qt.ItemFlag.ItemNeverHasChildren
    for disk in (table.index(0, 0, group), table.index(2, 1, group)):
        assert disk.flags() & Qt.ItemFlag.ItemNeverHasChildren
    assert table.index(2, 0, group).flags() & Qt.ItemFlag.ItemIsUserCheckable
    assert not table.index(2, 1, group).flags() & Qt.ItemFlag.ItemIsUserCheckable
    table.deleteLater()


@pytest.mark.slow
def test_that_colours_change_at_once_with_two_thousand_disks(window: MainWindow, rules: RuleBook, frozen: None) -> None:
    window.session.set_rules(rules)
    measured = turns(window)
    window.session.show_design(many_disks(2000))
    for name in ("disks", "commands"):
        measured.step("seen", partial(window.show_page, name))
        measured.step("seen", partial(theme().choose, Scheme.DARK))  # icons are drawn once in each colour
        measured.step(f"colours on {name}", partial(theme().choose, Scheme.LIGHT))
    del measured.longest["seen"]
    # Every line was measured anew.
    assert measured.over(WITHIN * SLACK) == {}


@pytest.mark.slow
def test_that_every_form_of_two_thousand_disks_is_shown_without_waiting(
    window: MainWindow, rules: RuleBook, frozen: None
) -> None:
    window.session.set_rules(rules)
    measured = turns(window)
    window.session.show_design(many_disks(2000))
    measured.step("commands", partial(window.show_page, "commands"))
    page = visit(window, CommandsPage)
    measured.longest.clear()
    for form in EXPORTS:
        measured.step(form.key, partial(choose, page, form.key))
        measured.step("and back", partial(choose, page, "sh"))
    # The page to print took 2.4 s, the design file 0.6 s, and to let go of its lines 0.2 s.
    assert measured.over(WITHIN * SLACK) == {}
