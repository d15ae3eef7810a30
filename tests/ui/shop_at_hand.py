"""The page that says what to buy, with a shop's list of prices read in."""

from pathlib import Path

from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot
from tests.ui.controls import shown as named
from tests.ui.controls import there

from poolwright.rules.rulebook import RuleBook
from poolwright.ui.buying.page import BuyingPage
from poolwright.ui.shell.main_window import MainWindow


def opened_shop(window: MainWindow, rules: RuleBook, folder: Path, prices: str) -> BuyingPage:
    """Return the page after the file of ``prices`` was imported; the file is written to ``folder``."""
    window.session.set_rules(rules)
    window.show_page("buying")
    page = there(window.findChild(BuyingPage))
    shop = folder / "shop.csv"
    shop.write_text(prices, encoding="utf-8")
    page.import_file(str(shop))
    return page


def design_with_offer(page: BuyingPage, qtbot: QtBot) -> None:
    named(page, QPushButton, "Design with these").click()
    qtbot.waitUntil(lambda: not page.session.jobs.jobs, timeout=30_000)
