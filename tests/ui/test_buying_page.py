"""The buying page: prices kept, what to buy found, and the design made from it."""

from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QCheckBox, QLabel, QPushButton, QTableView, QWidget
from pytestqt.qtbot import QtBot
from tests.ui.controls import there
from tests.ui.shop_at_hand import design_with_offer, opened_shop

from poolwright.design.buying import closest_to
from poolwright.domain.money import money
from poolwright.domain.units import TIB
from poolwright.domain.workload import Budget
from poolwright.rules.model import RuleBook
from poolwright.ui.buying.offer_table import OfferColumn, ProductTable
from poolwright.ui.buying.page import BuyingPage
from poolwright.ui.compare.page import ComparePage
from poolwright.ui.parts.lay import ToneLabel
from poolwright.ui.parts.note_lines import NoteLines
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.start.page import StartCard
from poolwright.ui.state.sources import example

W = TypeVar("W", bound=QWidget)
SHOP = "model;media;size_bytes;price;currency\nM8;hdd;8 TB;140;EUR\nL16;hdd;16 TB;330;EUR\n"


def control(page: QWidget, kind: type[W], name: str) -> W:
    return next(w for w in page.findChildren(kind) if name in (w.accessibleName(), getattr(w, "text", str)()))


@pytest.fixture
def page(window: MainWindow, rules: RuleBook, tmp_path: Path) -> BuyingPage:
    return opened_shop(window, rules, tmp_path, SHOP)


def _search(page: BuyingPage, qtbot: QtBot) -> None:
    control(page, QPushButton, "Search what to buy").click()
    qtbot.waitUntil(lambda: not page.session.jobs.jobs, timeout=30_000)


@pytest.mark.slow
def test_that_the_cheapest_and_the_best_are_found_and_the_design_is_made(page: BuyingPage, qtbot: QtBot) -> None:
    page.session.set_budget(Budget(money=money(1300, "EUR"), bays=8, least_usable_bytes=20 * TIB))
    _search(page, qtbot)
    view = control(page, QTableView, "What can be bought")
    marks = [view.model().index(row, OfferColumn.MARK).data() for row in range(view.model().rowCount())]
    assert marks[0] == "cheapest, closest to the wish, best"
    chosen = control(page, ToneLabel, "Chosen offer")
    assert "best" in chosen.text()
    view.selectRow(0)
    assert str(view.model().index(0, OfferColumn.BUY).data()) in chosen.text()
    assert "cheapest" in chosen.text()
    design_with_offer(page, qtbot)
    design, inventory = page.session.design, page.session.inventory
    assert design is not None
    assert inventory is not None
    assert design.used_keys() == {disk.key for disk in inventory.disks}
    assert all(disk.planned and disk.price == money(140, "EUR") for disk in design.disks)
    assert page.session.budget.money == money(1300, "EUR")
    assert design.budget.money == money(1300, "EUR")
    assert design.name.startswith(f"{len(design.disks)} × 8 TB, ")


@pytest.mark.slow
def test_that_ticked_offers_are_compared_under_names_that_say_what_they_are(
    page: BuyingPage, window: MainWindow, qtbot: QtBot
) -> None:
    page.session.set_budget(Budget(money=money(1300, "EUR"), bays=8, least_usable_bytes=20 * TIB))
    _search(page, qtbot)
    model = control(page, QTableView, "What can be bought").model()
    names = [str(model.index(row, OfferColumn.LAYOUT).data()) for row in range(model.rowCount())]
    marks = [str(model.index(row, OfferColumn.MARK).data()) for row in range(model.rowCount())]
    assert names[0].startswith("5 × 8 TB, ")
    assert sum("closest to the wish" in mark for mark in marks) == 1
    press = control(page, QPushButton, "Compare the ticked").click
    press()
    assert window.statusBar().currentMessage() == "Tick 2 to 6 offers to compare them."
    for row in (0, model.rowCount() - 1):
        index = model.index(row, OfferColumn.COST)
        assert model.setData(index, Qt.CheckState.Checked.value, Qt.ItemDataRole.CheckStateRole)
        assert index.data(Qt.ItemDataRole.CheckStateRole) is Qt.CheckState.Checked
    press()
    qtbot.waitUntil(lambda: window.current_page() == "compare", timeout=30_000)
    compared = window.page("compare")
    assert isinstance(compared, ComparePage)
    qtbot.waitUntil(lambda: compared.comparison is not None, timeout=30_000)
    assert [column.title for column in there(compared.comparison).columns] == [names[0], names[-1]]
    assert page.session.design is None


@pytest.mark.slow
def test_that_the_offer_closest_to_the_wish_is_the_one_whose_space_and_cost_differ_least(
    page: BuyingPage, qtbot: QtBot
) -> None:
    page.session.set_budget(Budget(money=money(1300, "EUR"), bays=8))
    _search(page, qtbot)
    found = there(page._found)
    assert closest_to(Budget(bays=8), found.front) is None
    assert closest_to(Budget(money=found.best.cost), found.front) is found.best
    for offer in found.front:
        assert closest_to(Budget(money=offer.cost), found.front) is offer
        wished = there(closest_to(Budget(money=found.best.cost, least_usable_bytes=offer.usable_bytes), found.front))
        assert wished.usable_bytes == offer.usable_bytes


@pytest.mark.slow
@pytest.mark.parametrize(
    ("at_once", "words"),
    [
        (True, ["Stopped before the first model was tried."]),
        (False, ["Stopped: ", "models were tried, the others were not."]),
    ],
)
def test_that_a_stopped_search_says_how_much_was_not_tried(
    page: BuyingPage, qtbot: QtBot, at_once: bool, words: list[str]
) -> None:
    page.session.set_budget(Budget(money=money(20_000, "EUR"), bays=60))
    control(page, QPushButton, "Search what to buy").click()
    qtbot.waitUntil(lambda: at_once or bool(page._seen), timeout=30_000)
    page._asking.cancel()
    qtbot.waitUntil(lambda: not page.session.jobs.jobs, timeout=30_000)
    told = "\n".join(label.text() for label in page._told.findChildren(QLabel))
    assert all(word in told for word in words), told


@pytest.mark.slow
def test_that_money_leads_from_the_first_page_to_what_to_buy(window: MainWindow) -> None:
    window.show_page("start")
    control(window, StartCard, "Money, not disks").click()
    assert window.current_page() == "buying"


@pytest.mark.slow
def test_that_every_bought_disk_has_a_place_in_the_design(page: BuyingPage, window: MainWindow, qtbot: QtBot) -> None:
    page.session.set_budget(Budget(money=money(1300, "EUR"), bays=8, least_usable_bytes=20 * TIB))
    _search(page, qtbot)
    design_with_offer(page, qtbot)
    assert window.current_page() == "design"
    design = there(page.session.design)
    assert design.used_keys() == {disk.key for disk in design.disks}


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
    bought = page.session.design
    found = page.session.recommendation
    assert bought is not None
    assert found is not None
    assert [vdev.kind for vdev in bought.vdevs] == [spec.kind for spec in found.best.layout]


@pytest.mark.slow
def test_that_disks_at_hand_are_joined_by_bought_ones(page: BuyingPage, qtbot: QtBot) -> None:
    page.session.start_from(example("paper"))
    before = page.session.ticked
    page.session.set_budget(Budget(buy_most=3))
    control(page, QCheckBox, "Use the ticked disks too").setChecked(True)
    _search(page, qtbot)
    view = control(page, QTableView, "What can be bought")
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
    view = control(page, QTableView, "What can be bought")

    def bought() -> str:
        _search(page, qtbot)
        return " ".join(str(view.model().index(row, OfferColumn.BUY).data()) for row in range(view.model().rowCount()))

    box = control(page, QCheckBox, "Only models that are &still sold")
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
    assert "not a price" in control(page, ToneLabel, "What was not taken").text()
    assert table.row(row).price == money("129.90", "EUR")


@pytest.mark.slow
def test_that_products_can_be_added_removed_and_taken_back(page: BuyingPage, tmp_path: Path) -> None:
    view = control(page, QTableView, "Catalogue of disks")
    control(page, QPushButton, "Add").click()
    assert view.model().rowCount() == 3
    view.closePersistentEditor(view.currentIndex())
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    control(page, QPushButton, "Remove").click()
    assert view.model().rowCount() == 2
    page.export_file(str(tmp_path / "out.csv"))
    assert "M8" in (tmp_path / "out.csv").read_text(encoding="utf-8")
    bad = tmp_path / "bad.csv"
    bad.write_text("model\nX\n", encoding="utf-8")
    page.import_file(str(bad))
    assert view.model().rowCount() == 2
    control(page, QPushButton, "Shipped").click()
    assert view.model().rowCount() == 35


def test_that_a_wish_nothing_meets_is_refused_in_place(page: BuyingPage, qtbot: QtBot) -> None:
    page.session.set_budget(Budget(money=money(200, "EUR"), least_usable_bytes=100 * TIB))
    _search(page, qtbot)
    assert "Nothing that can be bought" in control(page, NoteLines, "What the search found").text()
    assert not control(page, QPushButton, "Design with these disks").isVisible()
