"""Whatever was hidden while the colours changed has the new ones when it is seen, as if made in them."""

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QImage, QPalette
from PySide6.QtWidgets import QLabel, QWidget
from tests.ui.conftest import thesis_design

from poolwright.emit.drawing import DARK, LIGHT
from poolwright.rules.model import RuleBook
from poolwright.ui.parts.theme import Scheme, theme
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.state.session import Session

# Their look does not depend on what ended when.
PAGES = ("start", "workload", "budget", "design", "commands", "library", "knowledge")


def looks(window: MainWindow, names: tuple[str, ...]) -> dict[str, QImage]:
    found = {}
    for name in names:
        window.show_page(name)
        focused: QWidget | None = window.focusWidget()
        if focused is not None:
            focused.clearFocus()
        for _ in range(5):
            QCoreApplication.processEvents()
        found[name] = window.stack.grab().toImage()
    return found


def written_in(page: QWidget) -> set[str]:
    role = QPalette.ColorRole.WindowText
    return {label.palette().color(role).name() for label in page.findChildren(QLabel)}


@pytest.mark.slow
def test_that_a_page_hidden_during_the_change_is_written_in_the_new_colours(
    window: MainWindow, session: Session
) -> None:
    session.show_design(thesis_design())
    for name in PAGES:
        window.show_page(name)
    theme().choose(Scheme.DARK)
    window.show_page("workload")
    page = window.page("workload")
    both = {LIGHT.muted, LIGHT.text, LIGHT.accent, LIGHT.note}
    assert DARK.muted in written_in(page) | written_in(window.summary)
    assert not (written_in(page) | written_in(window.summary) | written_in(window.rail)) & both


@pytest.mark.slow
def test_that_pages_look_after_a_change_as_if_made_in_the_new_colours(
    window: MainWindow, session: Session, rules: RuleBook
) -> None:
    session.set_rules(rules)
    session.show_design(thesis_design())
    theme().choose(Scheme.DARK)
    looks(window, PAGES)
    dark = looks(window, PAGES)
    window.show_page("library")
    theme().choose(Scheme.LIGHT)
    light = looks(window, PAGES)
    window.show_page("start")
    theme().choose(Scheme.DARK)
    again = looks(window, PAGES)
    assert [name for name in PAGES if light[name] == dark[name]] == []
    assert [name for name in PAGES if again[name] != dark[name]] == []
