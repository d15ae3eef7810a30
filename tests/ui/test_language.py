"""The window in another language: whatever is pressed, ticked or read as a heading is told, not written."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QLocale, QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDialogButtonBox,
    QGroupBox,
    QHeaderView,
    QLineEdit,
    QTabBar,
    QWidget,
)
from pytestqt.qtbot import QtBot
from tests.texts.brackets import Bracketed
from tests.ui.conftest import thesis_design
from tests.ui.controls import there
from tests.ui.rankings import ranking_in

from poolwright import texts
from poolwright.design.candidate import AnswerName
from poolwright.design.evaluate import judge_pools, numbers_of
from poolwright.domain.finding import Finding, Outcome
from poolwright.domain.workload import Budget, Goal
from poolwright.languages import NAMES
from poolwright.rules.rulebook import RuleBook
from poolwright.ui.disks.columns import DiskColumn, group_cell
from poolwright.ui.knowledge.page import terms
from poolwright.ui.parts.finding_rows import text_of, word_of
from poolwright.ui.parts.form import FactChoice
from poolwright.ui.parts.page import Page
from poolwright.ui.shell.main_window import MainWindow, tell_in
from poolwright.ui.shell.pages import page_entries
from poolwright.ui.shell.rail import Rail
from poolwright.ui.state.preferences import Preferences
from poolwright.ui.state.session import Session
from poolwright.ui.state.sources import example
from poolwright.ui.state.steps import StepState, StepStatus, budget_status, workload_status

# Names that are the same in every language: kinds of vdevs, properties, sizes, example machines, commands.
_SAME = re.compile(
    r"^[^A-Za-z]*$|^[a-z0-9_.@:/-]+$|raidz|zpool|\bzfs\b|fio|ashift|[KMGTP]i?B\b|^\W*i?[A-Z]{1,4}\W*$|IOPS|OpenZFS|disko|Ansible"
)


@pytest.fixture
def bracketed() -> Iterator[None]:
    texts.use(Bracketed())
    yield
    texts.use(None)


def words_of(widget: QWidget) -> Iterator[str]:
    """Yield the words on buttons, tabs, groups and headers of tables."""
    for button in widget.findChildren(QAbstractButton):
        yield button.text().replace("&", "")
    for bar in widget.findChildren(QTabBar):
        yield from (bar.tabText(index) for index in range(bar.count()))
    for group in widget.findChildren(QGroupBox):
        yield group.title()
    for header in widget.findChildren(QHeaderView):
        model = header.model()
        count = model.columnCount() if model is not None and header.orientation() is Qt.Orientation.Horizontal else 0
        for section in range(count):
            yield str(model.headerData(section, header.orientation()) or "")


@pytest.mark.slow
def test_that_buttons_tabs_and_headings_of_every_page_are_told_in_the_chosen_language(
    bracketed: None, session: Session, rules: RuleBook, qtbot: QtBot
) -> None:
    window = MainWindow(session, Preferences(QSettings()))
    qtbot.addWidget(window)
    session.set_rules(rules)
    session.show_design(thesis_design())
    missed: dict[str, set[str]] = {}
    for entry in page_entries():
        window.show_page(entry.name)
        page = window.page(entry.name)
        assert isinstance(page, Page)
        found = {word for word in words_of(page) if word and "⟦" not in word and not _SAME.search(word)}
        if found:
            missed[entry.name] = found
    assert missed == {}


@pytest.fixture
def english_again(qapp: QApplication) -> Iterator[None]:
    """Go back to the language of the tests, and to their way to write numbers in fields."""
    before = QLocale()
    yield
    tell_in("en")
    QLocale.setDefault(before)


def test_that_settings_turn_the_window_to_another_language_and_back(
    designed: MainWindow, english_again: None, qtbot: QtBot
) -> None:
    before = designed.session.design
    for code, design, file, cancel in (("de", "Entwurf", "Datei", "Abbrechen"), ("en", "Design", "File", "Cancel")):
        designed.show_page("settings")
        boxes = designed.page("settings").findChildren(FactChoice)
        choice = next(box for box in boxes if box.findText(NAMES[code]) >= 0)
        choice.setCurrentIndex(choice.findText(NAMES[code]))
        choice.activated.emit(choice.currentIndex())
        qtbot.waitUntil(lambda: designed.rail.button("design").text() == design)  # noqa: B023 - waited for here
        assert designed.menuBar().actions()[0].text().replace("&", "") == file
        assert designed.current_page() == "settings"
        assert QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, designed).buttons()[0].text() == cancel
        qtbot.waitUntil(lambda: not designed.session.jobs.jobs)
        assert designed.session.design is before
        assert there(designed.session.inventory).notes == example("thesis").notes
        designed.show_page("design")
        assert designed.page("design").title() == design
    assert designed.preferences.language == "en"
    assert len(designed.findChildren(Rail)) == 1


# What the window says where facts are missing, mixed or cannot be read, and how it fetches what is slow.


def untold(rules: RuleBook) -> Finding:
    findings = judge_pools(numbers_of(thesis_design()), rules).findings or ()
    return next(f for f in findings if f.outcome is Outcome.CANNOT_TELL)


def test_that_what_cannot_be_told_names_the_missing_fact_once(rules: RuleBook) -> None:
    finding = untold(rules)
    assert word_of(finding) == "Cannot tell"
    assert text_of(finding).count("SMART verdict") == 1
    assert finding.title not in text_of(finding)


def test_that_mixed_sizes_are_said_in_the_unit_of_their_heading() -> None:
    disks = example("thesis").disks
    assert group_cell(disks, DiskColumn.SIZE).text == "0.10–6.00"


def field(page: Page, name: str) -> QLineEdit:
    return next(f for f in page.findChildren(QLineEdit) if f.accessibleName() == name)


@pytest.mark.parametrize(
    ("name", "what", "status"), [("budget", "Drive bays", budget_status), ("workload", "Clients", workload_status)]
)
def test_that_text_nobody_understands_shows_in_the_rail(
    window: MainWindow, name: str, what: str, status: Callable[[Session], StepStatus]
) -> None:
    window.show_page(name)
    entry = field(window.page(name), what)
    entry.setFocus()
    QTest.keyClicks(entry, "many")
    told = status(window.session)
    assert told.state is StepState.WARNING
    assert what in told.reason
    assert "warning" in window.rail.button(name).accessibleName()
    entry.selectAll()
    QTest.keyClick(entry, Qt.Key.Key_Delete)
    assert status(window.session).state is StepState.TO_DO


def test_that_an_impossible_wish_shows_in_the_rail(session: Session) -> None:
    session.start_from(example("thesis"))
    session.set_budget(replace(session.budget, least_usable_bytes=10**18))
    assert budget_status(session).state is StepState.BLOCKED
    session.set_budget(Budget(survive=1, spares=1))
    assert budget_status(session).reason == "Asked for: survives 1 failure, 1 spare."


@pytest.mark.slow
def test_that_the_safest_layout_is_not_one_mirror_with_all_others_as_spares(
    window: MainWindow, qtbot: QtBot, rules: RuleBook
) -> None:
    window.session.set_rules(rules)
    window.session.start_from(example("thesis"))
    window.session.set_workload(replace(window.session.workload, goal=Goal.CONCURRENT))
    ranking_in(window, qtbot)
    found = there(window.session.recommendation)
    safest = next(answer.candidate for answer in found.answers if answer.name is AnswerName.PROTECTION)
    assert safest.measures.usable_bytes * 4 >= found.best.measures.usable_bytes
    assert safest.measures.failures_survived > found.best.measures.failures_survived


def test_that_terms_are_explained_once_each() -> None:
    names = [term.name for term in terms()]
    assert len(set(names)) == len(names) > 25
    assert names == sorted(names, key=str.casefold)
    assert all(term.meaning.endswith(".") for term in terms())
