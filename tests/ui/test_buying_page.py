"""The buying page: prices kept, what to buy found, and the design made from it."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QCheckBox, QComboBox, QLabel, QLineEdit, QPushButton, QTableView
from pytestqt.qtbot import QtBot
from tests.ui.controls import choose, named, saved, there, visit
from tests.ui.shop_at_hand import design_with_offer, opened_shop

from poolwright.design.recommend import recommend
from poolwright.design.request import Request
from poolwright.domain.catalogue import planned_disks
from poolwright.domain.design import Design
from poolwright.domain.money import money
from poolwright.domain.units import TIB
from poolwright.domain.workload import Budget
from poolwright.judging import judge_maker
from poolwright.questions import RankedRows
from poolwright.rules.rulebook import RuleBook
from poolwright.ui.budget.page import currency_remark
from poolwright.ui.buying.offer_table import OfferColumn, ProductTable
from poolwright.ui.buying.page import BuyingPage
from poolwright.ui.compare.page import ComparePage
from poolwright.ui.parts.note_lines import NoteLines
from poolwright.ui.parts.theme import Tone
from poolwright.ui.parts.widgets import ToneLabel
from poolwright.ui.ranking.pane import CandidateColumn, CandidateTable
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.start.page import StartCard
from poolwright.ui.state.keeper import Library
from poolwright.ui.state.preferences import Preferences
from poolwright.ui.state.session import Session
from poolwright.ui.state.sources import example

SHOP = "model;media;size_bytes;price;currency\nM8;hdd;8 TB;140;EUR\nL16;hdd;16 TB;330;EUR\n"


@pytest.fixture
def page(window: MainWindow, rules: RuleBook, tmp_path: Path) -> BuyingPage:
    return opened_shop(window, rules, tmp_path, SHOP)


def _search(page: BuyingPage, qtbot: QtBot) -> None:
    """Wait for what the page searches as soon as wishes change."""
    qtbot.waitUntil(lambda: not page._asking.pending, timeout=30_000)


def _on_cards(page: BuyingPage) -> list[str]:
    return [card.text() for card in page._cards.cards if card.candidate is not None]


@pytest.mark.slow
def test_that_the_cheapest_and_the_best_are_found_and_the_design_is_made(page: BuyingPage, qtbot: QtBot) -> None:
    page.session.set_budget(Budget(money=money(1300, "EUR"), bays=8, least_usable_bytes=20 * TIB))
    _search(page, qtbot)
    view = named(page, QTableView, "What can be bought")
    best = there(page._selected())
    assert _on_cards(page)[0] == f"Cheapest that is enough: {best.count} × 8 TB for about {best.cost.amount:,.0f} EUR"
    last = view.model().rowCount() - 1
    view.selectRow(last)
    assert [card.isChecked() for card in page._cards.cards] == [False, True, False]
    assert page._cards.cards[1].text().endswith(str(view.model().index(last, OfferColumn.COST).data()))
    view.selectRow(0)
    design_with_offer(page, qtbot)
    design, inventory = there(page.session.design), there(page.session.inventory)
    assert design.used_keys() == {disk.key for disk in inventory.disks}
    assert all(disk.planned and disk.price == money(140, "EUR") for disk in design.disks)
    assert page.session.budget.money == money(1300, "EUR")
    assert design.budget.money == money(1300, "EUR")
    assert design.name.startswith(f"{len(design.disks)} × 8 TB, ")


@pytest.mark.slow
def test_that_the_offers_on_cards_are_compared_under_names_that_say_what_they_are(
    page: BuyingPage, window: MainWindow, qtbot: QtBot
) -> None:
    page.session.set_budget(Budget(money=money(1300, "EUR"), bays=8, least_usable_bytes=20 * TIB))
    _search(page, qtbot)
    assert len(_on_cards(page)) == 2
    named(page, QPushButton, "Compare").click()
    qtbot.waitUntil(lambda: window.current_page() == "compare", timeout=30_000)
    compared = visit(window, ComparePage)
    qtbot.waitUntil(lambda: compared.comparison is not None, timeout=30_000)
    titles = [column.title for column in there(compared.comparison).columns]
    assert titles[0].startswith("5 × 8 TB, ")
    assert len(titles) == 2
    assert page.session.design is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("at_once", "words"),
    [(True, ["Stopped before the first model."]), (False, ["Stopped: ", "models were tried, the others were not."])],
)
def test_that_a_stopped_search_says_how_much_was_not_tried(
    page: BuyingPage, qtbot: QtBot, at_once: bool, words: list[str]
) -> None:
    page.session.set_budget(Budget(money=money(20_000, "EUR"), bays=60))
    qtbot.waitUntil(lambda: page._asking.busy and (at_once or bool(page._so_far and page._so_far.done)), timeout=30_000)
    page._asking.cancel()
    qtbot.waitUntil(lambda: not page.session.jobs.jobs, timeout=30_000)
    told = "\n".join(label.text() for label in page._notes.findChildren(QLabel))
    assert all(word in told for word in words), told


@pytest.mark.slow
def test_that_money_leads_from_the_first_page_to_what_to_buy(window: MainWindow) -> None:
    window.show_page("start")
    named(window, StartCard, "Money").click()
    assert window.current_page() == "buying"


@pytest.mark.slow
def test_that_bought_disks_can_be_ranked_again_within_the_same_money(
    page: BuyingPage, window: MainWindow, qtbot: QtBot
) -> None:
    page.session.set_budget(Budget(money=money(1300, "EUR"), bays=8, least_usable_bytes=20 * TIB))
    _search(page, qtbot)
    design_with_offer(page, qtbot)
    assert window.current_page() == "design"
    window.show_page("recommendation")
    qtbot.waitUntil(lambda: page.session.recommendation is not None, timeout=30_000)
    bought = there(page.session.design)
    found = there(page.session.recommendation)
    assert [vdev.kind for vdev in bought.vdevs] == [spec.kind for spec in found.best.main.layout]


@pytest.mark.slow
def test_that_disks_at_hand_are_joined_by_bought_ones(page: BuyingPage, qtbot: QtBot) -> None:
    page.session.start_from(example("paper"))
    before = page.session.ticked
    page.session.set_budget(Budget(buy_most=3))
    named(page, QCheckBox, "Use the ticked disks too").setChecked(True)
    _search(page, qtbot)
    view = named(page, QTableView, "What can be bought")
    assert view.model().index(0, OfferColumn.BUY).data() == "nothing"
    view.selectRow(view.model().rowCount() - 1)
    design_with_offer(page, qtbot)
    assert before <= page.session.ticked
    assert any(disk.price for disk in there(page.session.inventory).disks)


@pytest.mark.slow
def test_that_models_that_nobody_sells_are_offered_once_the_box_is_unticked(
    window: MainWindow, rules: RuleBook, tmp_path: Path, qtbot: QtBot
) -> None:
    lines = "model;media;size_bytes;price;currency;sold\nNEW;hdd;8 TB;140;EUR;yes\nOLD;hdd;8 TB;60;EUR;no\n"
    page = opened_shop(window, rules, tmp_path, lines)
    page.session.set_budget(Budget(money=money(1300, "EUR"), bays=8))
    view = named(page, QTableView, "What can be bought")

    def bought() -> str:
        _search(page, qtbot)
        return " ".join(str(view.model().index(row, OfferColumn.BUY).data()) for row in range(view.model().rowCount()))

    box = named(page, QCheckBox, "Only models &still sold")
    assert box.isChecked()
    assert "OLD" not in bought()
    box.click()
    assert "OLD" in bought()


def test_that_a_new_price_is_kept_with_its_day_and_a_wrong_one_is_told(page: BuyingPage) -> None:
    table = there(page.findChild(ProductTable))
    row = there(table.line_of("m8"))
    price = next(i for i, column in enumerate(table.columns) if column.title == "Price")
    assert table.setData(table.index(row, price), "129,90", Qt.ItemDataRole.EditRole)
    kept = there(page.session.library.catalogue().product("m8"))
    assert kept.price == money("129.90", "EUR")
    assert len(kept.priced_on) == 10
    assert not table.setData(table.index(row, price), "cheap", Qt.ItemDataRole.EditRole)
    assert "“cheap” is not understood" in named(page, ToneLabel, "What was not taken").text()
    assert table.row(row).price == money("129.90", "EUR")
    assert table.setData(table.index(row, price + 1), "15.50", Qt.ItemDataRole.EditRole)  # a TB
    assert table.row(row).price == money("124.02", "EUR")


@pytest.mark.slow
def test_that_products_can_be_added_removed_and_taken_back(page: BuyingPage, tmp_path: Path) -> None:
    view = named(page, QTableView, "Catalogue of disks")
    named(page, QPushButton, "Add").click()
    assert view.model().rowCount() == 3
    view.closePersistentEditor(view.currentIndex())
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    named(page, QPushButton, "Remove").click()
    assert view.model().rowCount() == 2
    assert "M8" in saved(named(page, QPushButton, "Export…"), tmp_path / "out.csv")
    bad = tmp_path / "bad.csv"
    bad.write_text("model\nX\n", encoding="utf-8")
    page.import_file(str(bad))
    assert view.model().rowCount() == 2
    named(page, QPushButton, "Reset").click()
    assert view.model().rowCount() == 35


def test_that_a_wish_nothing_meets_is_refused_in_place(page: BuyingPage, qtbot: QtBot) -> None:
    page.session.set_budget(Budget(money=money(200, "EUR"), least_usable_bytes=100 * TIB))
    _search(page, qtbot)
    assert "Nothing that can be bought" in named(page, NoteLines, "What the search found").text()
    assert not named(page, QPushButton, "Design with these").isVisible()
    money_line = page._form.editor("money")
    for text, wrong in (("2,00,0", True), ("2,000", False)):
        money_line.clear()
        QTest.keyClicks(money_line, text)
        assert money_line.remark.isVisible() is wrong, "what is wrong is said at the field it is about"


# Money in the window: another currency is refused, and everything said of money stays with the design.


DOLLARS = "model;media;size_bytes;price;currency;priced_on\nM8;hdd;8 TB;50,10;USD;2026-11-02\n"
SAID = Budget(money=money(5000, "EUR"), currency="EUR", price_per_disk=money("50.10", "EUR"))


@pytest.fixture
def dollar_page(window: MainWindow, rules: RuleBook, tmp_path: Path) -> BuyingPage:
    return opened_shop(window, rules, tmp_path, DOLLARS)


@pytest.mark.slow
def test_that_dollars_are_not_shown_as_euros_but_converted_at_a_rate_that_is_typed(
    dollar_page: BuyingPage, qtbot: QtBot
) -> None:
    dollar_page.session.set_budget(Budget(money=money("501", "EUR"), bays=12, buy_most=12))
    _search(dollar_page, qtbot)
    assert not named(dollar_page, QPushButton, "Design with these").isVisible()
    convert = named(dollar_page, QPushButton, "Convert prices")
    convert.click()
    assert "Write a number such as 0.92" in named(dollar_page, ToneLabel, "Rate of exchange").text()
    QTest.keyClicks(named(dollar_page, QLineEdit, "Rate of exchange"), "0,9")
    convert.click()
    _search(dollar_page, qtbot)
    assert "1 price, 2026-11-02, EUR" in named(dollar_page, NoteLines, "About the prices").text()
    design_with_offer(dollar_page, qtbot)
    design = there(dollar_page.session.design)
    assert len(design.disks) <= 11
    assert {disk.price for disk in design.disks} == {money("45.09", "EUR")}
    assert {"50.10 USD × 0.9" in str(disk.origin_of("price")) for disk in design.disks} == {True}
    assert design.budget.with_money_of(dollar_page.session.budget) == design.budget


def test_that_the_currency_of_a_budget_warns_of_prices_in_another() -> None:
    assert currency_remark(SAID, [money(1, "USD")]).tone is Tone.WARN
    assert currency_remark(SAID, [money(1, "EUR"), None]).tone is not Tone.WARN


def test_that_money_said_after_the_design_is_kept_with_it_through_undo_and_restart(
    session: Session, design: Design, tmp_path: Path
) -> None:
    session.library = Library(session, tmp_path / "library.sqlite")
    session.change_design(design, "Choose layout")
    session.change_design(replace(design, ashift=13), "Change ashift")
    session.mark_script_saved()
    session.set_budget(SAID)
    assert session.script_saved
    session.undo_steps.undo()
    assert there(session.design).ashift == design.ashift
    assert there(session.design).budget.with_money_of(SAID) == there(session.design).budget
    session.library.close()
    again = there(session.library.read(design.key))
    assert again.budget.money == SAID.money
    session.open_design(design)
    assert session.budget.money is None
    session.open_design(again)
    assert session.budget.currency == "EUR"
    session.library.close()


def test_that_an_old_label_of_the_currency_is_understood_or_forgotten() -> None:
    preferences = Preferences()
    preferences.keep("designs/currency", "€")
    assert preferences.currency == "EUR"
    preferences.keep("designs/currency", "credits")
    assert preferences.currency is None


def test_that_the_list_of_layouts_is_written_with_exact_costs_and_their_currency(dollar_page: BuyingPage) -> None:
    disks = planned_disks(dollar_page._products.catalogue.products[0], 3)
    request = Request(disks=disks, workload=dollar_page.session.workload, budget=Budget())
    table = CandidateTable()
    table.show_recommendation(RankedRows.of(recommend(request, judge_maker(RuleBook(), request.host))))
    lines = table.csv([CandidateColumn.COST, CandidateColumn.DISKS]).splitlines()
    assert lines[0].startswith("Cost (USD),")
    assert {line.split(",")[0] for line in lines[1:]} <= {"50.10", "100.20", "150.30"}


@pytest.mark.slow
def test_that_the_currency_of_old_prices_is_asked_for_and_not_taken_for_granted(window: MainWindow) -> None:
    session = window.session
    session.sources.open_example("thesis")
    inventory = there(session.inventory)
    old = tuple(replace(disk, price=money("50.10")) for disk in inventory.disks)
    session.set_inventory(replace(inventory, disks=old), session.ticked)
    window.show_page("budget")
    asked = named(window.page("budget"), QComboBox, "Currency of the money")
    assert asked.isVisibleTo(window)
    choose(asked, "USD")
    assert {disk.price for disk in there(session.inventory).disks} == {money("50.10", "USD")}
    assert not asked.isVisibleTo(window)
