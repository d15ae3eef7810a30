"""The recommendation page with a ranking on it."""

from pytestqt.qtbot import QtBot
from tests.ui.controls import press, there, visit

from poolwright.design.candidate import Recommendation
from poolwright.rules.rulebook import RuleBook
from poolwright.ui.ranking.page import RecommendationPage
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.state.sources import example

HARD_DISK_BYTES = 6_001_175_126_016


def ranked(window: MainWindow) -> Recommendation:
    return there(window.session.recommendation)


def wait_for_ranking(window: MainWindow, qtbot: QtBot) -> None:
    """Wait for the layouts, and for what is asked of the one in sight."""
    qtbot.waitUntil(lambda: window.session.recommendation is not None, timeout=30_000)
    at_rest(window, qtbot)


def ranking_in(window: MainWindow, qtbot: QtBot) -> RecommendationPage:
    """Show the layouts, and return their page once they are there, with all of them in the table."""
    page = visit(window, RecommendationPage)
    wait_for_ranking(window, qtbot)
    if not page.show_all.isChecked():
        press(page.show_all)
    return page


def at_rest(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not window.session.jobs.jobs, timeout=30_000)


def use_layout(page: RecommendationPage, qtbot: QtBot) -> None:
    """Press the button that takes the layout in sight, wait for its design, and come back to the layouts."""
    window = page.window()
    assert isinstance(window, MainWindow)
    press(page.use)
    qtbot.waitUntil(lambda: window.current_page() == "design", timeout=30_000)
    window.show_page("recommendation")
    at_rest(window, qtbot)


def twelve_ranked(window: MainWindow, qtbot: QtBot, rules: RuleBook, *, count: int = 12) -> RecommendationPage:
    """Return the page with twelve disks of the thesis machine, or so many, ranked for safety."""
    window.session.set_rules(rules)
    window.session.start_from(example("thesis"))
    inventory = there(window.session.inventory)
    window.session.tick([d.key for d in inventory.disks if d.size_bytes == HARD_DISK_BYTES][:count])
    return ranking_in(window, qtbot)


def details_of(page: RecommendationPage) -> str:
    """Return all that is said of the selected layout, as it is read behind “Why…”."""
    if not page.why.isVisible():
        page.show_pane(page.why)
    return page.why.report.toPlainText()
