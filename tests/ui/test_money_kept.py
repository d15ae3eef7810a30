"""Money in the window: another currency is refused, and everything said of money stays with the design."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPushButton
from pytestqt.qtbot import QtBot
from tests.ui.controls import named, there
from tests.ui.shop_at_hand import design_with_offer, opened_shop

from poolwright.design.recommend import recommend
from poolwright.design.request import Request
from poolwright.domain.catalogue import planned_disks
from poolwright.domain.design import Design
from poolwright.domain.money import money
from poolwright.domain.workload import Budget
from poolwright.judging import judge_maker
from poolwright.questions import RankedRows
from poolwright.rules.model import RuleBook
from poolwright.ui.buying.page import BuyingPage
from poolwright.ui.parts.note_lines import NoteLines
from poolwright.ui.parts.theme import Tone
from poolwright.ui.ranking.candidates import CandidateColumn, CandidateTable
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.state.keeper import Library
from poolwright.ui.state.money_of_budget import currency_remark
from poolwright.ui.state.preferences import Preferences
from poolwright.ui.state.session import Session

SHOP = "model;media;size_bytes;price;currency;priced_on\nM8;hdd;8 TB;50,10;USD;2026-11-02\n"
SAID = Budget(money=money(5000, "EUR"), currency="EUR", price_per_disk=money("50.10", "EUR"))


@pytest.fixture
def page(window: MainWindow, rules: RuleBook, tmp_path: Path) -> BuyingPage:
    return opened_shop(window, rules, tmp_path, SHOP)


def _search(page: BuyingPage, qtbot: QtBot) -> None:
    named(page, QPushButton, "Search what to buy").click()
    qtbot.waitUntil(lambda: not page.session.jobs.jobs, timeout=30_000)


@pytest.mark.slow
def test_that_dollars_are_not_shown_as_euros_but_refused(page: BuyingPage, qtbot: QtBot) -> None:
    page.session.set_budget(Budget(money=money("460.92", "EUR"), bays=12, buy_most=12))
    _search(page, qtbot)
    assert "use one currency" in named(page, NoteLines, "What the search found").text()
    page.session.set_budget(Budget(money=money("501", "USD"), bays=12, buy_most=12))
    _search(page, qtbot)
    design_with_offer(page, qtbot)
    design = there(page.session.design)
    assert len(design.disks) <= 10
    assert {disk.price for disk in design.disks} == {money("50.10", "USD")}
    assert {str(disk.origin_of("price")).endswith("2026-11-02") for disk in design.disks} == {True}
    assert design.budget.with_money_of(page.session.budget) == design.budget


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


def test_that_the_list_of_layouts_is_written_with_exact_costs_and_their_currency(page: BuyingPage) -> None:
    disks = planned_disks(page._products.catalogue.products[0], 3)
    request = Request(disks=disks, workload=page.session.workload, budget=Budget())
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
    session.set_budget(Budget(currency="EUR"))
    window.show_page("budget")
    asked = named(window.page("budget"), QLineEdit, "Prices of disks are in")
    assert asked.isVisibleTo(window)
    assert "nobody noted" in asked.accessibleDescription()
    QTest.keyClicks(asked, "USD")
    assert {disk.price for disk in there(session.inventory).disks} == {money("50.10", "USD")}
    assert not asked.isVisibleTo(window)
