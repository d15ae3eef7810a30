"""Start, reference and settings do what they say."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QPushButton, QTableView, QTextBrowser
from pytestqt.qtbot import QtBot
from tests.ui.controls import choose, named

from poolwright.domain.host import Host
from poolwright.guide import guide_pages
from poolwright.rules.rulebook import RuleBook
from poolwright.ui.knowledge.page import terms
from poolwright.ui.parts.card import ChoiceCard
from poolwright.ui.parts.theme import Scheme, theme
from poolwright.ui.parts.widgets import ToneLabel
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.state.sources import example
from poolwright.ui.verify.page import VerifyPage


@pytest.mark.slow
def test_that_this_machine_is_read_beside_the_window(window: MainWindow, qtbot: QtBot) -> None:
    sources = window.session.sources
    with qtbot.waitSignals([sources.busy_changed, sources.busy_changed], timeout=60_000):
        QTest.mouseClick(named(window, ChoiceCard, "This machine"), Qt.MouseButton.LeftButton)
        assert sources.busy
    # A build machine may have no disks or no lsblk; then a text says so.
    assert window.session.inventory is not None or window.message.text()


def test_that_a_capture_that_is_none_says_so(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    file = tmp_path / "holiday.txt"
    file.write_text("dear all\n")
    with qtbot.waitSignal(window.session.complained):
        window.session.sources.open_captures([file])
    assert "holiday.txt" in window.message.text()
    assert window.session.inventory is None


def test_that_rules_are_found_by_their_words_and_the_selected_one_shows_its_sources_and_stays_so(
    window: MainWindow, qtbot: QtBot, rules: RuleBook
) -> None:
    window.session.set_rules(rules)
    window.show_page("reference")
    view = named(window, QTableView, "Reference")
    assert view.model().rowCount() == len(terms()) + len(guide_pages()) + len(rules.rules) + len(rules.properties)
    QTest.keyClicks(named(window, QLineEdit, "Search the reference"), "ashift")
    assert 0 < view.model().rowCount() < len(rules.rules)
    assert view.currentIndex().siblingAtColumn(1).data() == "ashift", "the term comes first, and is shown"
    search = named(window, QLineEdit, "Search the reference")
    search.setText("ashift")
    view.selectRow(2)
    title = view.currentIndex().siblingAtColumn(1).data()
    search.setText("")
    assert view.currentIndex().siblingAtColumn(1).data() == title
    assert view.currentIndex().row() > 2
    details = named(window, QTextBrowser, "Selected")
    view.selectRow(len(terms()) + len(guide_pages()))
    assert "Source" in details.toPlainText()
    assert "Why" in details.toPlainText()


def test_that_choosing_colours_takes_effect_and_is_remembered(window: MainWindow, settings: QSettings) -> None:
    window.show_page("settings")
    choose(named(window, QComboBox, "Colours"), "Dark")
    assert theme().scheme is Scheme.DARK
    assert window.preferences.scheme is Scheme.DARK


def test_that_openzfs_and_currency_of_new_designs_are_remembered_and_what_is_odd_is_told(window: MainWindow) -> None:
    window.show_page("settings")
    choose(named(window, QComboBox, "OpenZFS version"), "2.1 (2.1.16)")
    assert str(window.session.version).startswith("2.1")
    assert window.preferences.version == window.session.version
    box, told = named(window, QComboBox, "OpenZFS version"), named(window, QLabel, "OpenZFS version")
    assert "old" not in told.text()
    for series in ("2.0", "0.8", "0.7", "0.6"):
        row = next(n for n in range(box.count()) if box.itemText(n).startswith(f"{series} "))
        assert box.itemText(row).endswith("old")
        choose(box, box.itemText(row))
        assert str(window.session.version).startswith(series)
        assert f"{window.session.version} is old" in told.text()
        assert told.isVisible()
    field, told = named(window.page("settings"), QLineEdit, "Currency"), named(window, QLabel, "Currency")
    QTest.keyClicks(field, "eur")
    assert window.preferences.currency == "EUR"
    assert told.text().startswith("= EUR.")
    QTest.keyClicks(field, "p")
    assert "not understood" in told.text()
    assert field.text() == "eurp"
    assert window.preferences.currency == "EUR"


def test_that_a_system_brings_its_openzfs_which_can_be_changed(window: MainWindow) -> None:
    window.show_page("settings")
    system, version = named(window, QComboBox, "System"), named(window, QComboBox, "OpenZFS version")
    choose(system, "Debian 12")
    assert "zfs-dkms" in named(window, QLabel, "System").text()
    assert version.currentText() == "2.1.11"
    machine = replace(example("thesis"), host=Host(os_name="Ubuntu 24.04.3 LTS", zfs_version="2.2.2"))
    window.session.start_from(machine)
    assert (window.session.budget.system, str(window.session.version)) == ("debian-12", "2.1.11")
    choose(version, "2.1 (2.1.16)")
    window.session.begin_anew()
    window.session.start_from(machine)
    assert (window.session.budget.system, str(window.session.version)) == ("debian-12", "2.1.16")
    choose(system, "As on the machine")
    window.session.start_from(machine)
    assert (window.session.budget.system, str(window.session.version)) == (None, "2.2.2")


@pytest.mark.slow
def test_that_bad_rules_of_ones_own_leave_the_old_ones_in_force(
    window: MainWindow, qtbot: QtBot, rules: RuleBook, tmp_path: Path
) -> None:
    folder = tmp_path / "config" / "poolwright" / "rules"
    folder.mkdir(parents=True)
    (folder / "mine.toml").write_text("[[rule]]\nid = 3\n")
    window.session.set_rules(rules)
    window.show_page("settings")
    QTest.mouseClick(named(window, QPushButton, "Read rules again"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not window.session.jobs.jobs)
    assert window.session.rules is rules
    assert any("mine.toml" in label.text() for label in window.page("settings").findChildren(ToneLabel))


def test_that_a_page_left_while_it_is_built_is_whole_when_one_comes_back(window: MainWindow, qtbot: QtBot) -> None:
    page = window.page("verify")
    steps = page.build_in_steps()
    next(steps)
    next(steps)
    steps.close()
    built = [page.is_built]
    window.show_page("verify")
    built.append(page.is_built)
    assert built == [False, True]
    assert isinstance(page, VerifyPage)
    assert page.panes.isVisibleTo(page)
    assert page.setup.isVisible()
