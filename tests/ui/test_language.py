"""The window in another language: whatever is pressed, ticked or read as a heading is told, not written."""

import re
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QAbstractButton, QGroupBox, QHeaderView, QTabBar, QWidget
from pytestqt.qtbot import QtBot
from tests.texts.brackets import Bracketed
from tests.ui.conftest import thesis_design

from poolwright import texts
from poolwright.rules.model import RuleBook
from poolwright.ui.parts.page import Page
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.shell.rail import page_entries
from poolwright.ui.state.preferences import Preferences
from poolwright.ui.state.session import Session

# Names that are the same in every language: kinds of vdevs, properties, sizes, example machines, commands.
_SAME = re.compile(
    r"^[^A-Za-z]*$|^[a-z0-9_.@:/-]+$|raidz|zpool|\bzfs\b|fio|ashift|[KMGTP]i?B\b|^\W*[A-Z]{1,4}\W*$|IOPS|OpenZFS|disko|Ansible"
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
