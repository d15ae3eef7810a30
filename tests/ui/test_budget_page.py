"""The budget page: wishes, errors in place, and what cannot be met."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QCheckBox, QComboBox, QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot
from tests.ui import controls
from tests.ui.controls import W, press, there

from poolwright.domain.design import Design
from poolwright.domain.money import money
from poolwright.domain.units import TB
from poolwright.domain.workload import Allowance, Budget
from poolwright.machine.typed.read import read_typed
from poolwright.predict.assessment import together
from poolwright.rules.rulebook import RuleBook
from poolwright.ui.parts.form import FactEntry
from poolwright.ui.parts.note_lines import NoteLines
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.shell.pages import page_entries
from poolwright.ui.state.expectations import today_text
from poolwright.ui.state.sources import example
from poolwright.ui.state.steps import StepState, budget_status


def named(window: MainWindow, kind: type[W], name: str) -> W:
    return controls.named(window.page("budget"), kind, name)


def answer(window: MainWindow) -> str:
    return named(window, NoteLines, "Why none fits").text()


def wished(window: MainWindow) -> Budget:
    return window.session.budget


@pytest.fixture
def budget(window: MainWindow) -> MainWindow:
    window.session.start_from(example("thesis"))
    window.show_page("budget")
    QApplication.processEvents()
    return window


def fit(window: MainWindow) -> str:
    return named(window, QLabel, "Layouts that fit").text()


def test_that_nothing_is_asked_for_at_first_in_at_most_ninety_words(budget: MainWindow) -> None:
    assert budget.session.budget == Budget()
    assert named(budget, QLineEdit, "Usable capacity, at least").placeholderText() == "no limit"
    assert named(budget, QLabel, "What is still missing").text() == ""
    assert len(controls.words_in_sight(budget.page("budget"))) <= 90
    more = named(budget, QAbstractButton, "More")
    assert not named(budget, QLineEdit, "Resilver time, at most").isVisible()
    assert more.accessibleDescription() == "snapshots, risk, resilver time, speed, RAM, partitions"
    QTest.keyClicks(named(budget, QLineEdit, "Resilver time, at most"), "24")
    assert more.accessibleDescription() == "Resilver time, at most 24"
    fields = [w for w in budget.page("budget").findChildren(QWidget) if hasattr(w, "remark") and w.isVisible()]
    assert (len(fields), len({field.width() for field in fields})) == (5, 1)


def test_that_capacity_is_for_data_alone_once_snapshots_and_change_are_known(budget: MainWindow) -> None:
    for name, text in (("Usable capacity, at least", "80 TB"), ("Snapshots", "24h 30d"), ("Changed a day", "800 GB")):
        QTest.keyClicks(named(budget, QLineEdit, name), text)
    assert str(wished(budget).keep) == "24h 30d"
    assert (wished(budget).wanted_bytes or 0) > 80 * 10**12 + 23 * 10**12
    assert "94.5 TiB with snapshots" in {label.text() for label in budget.page("budget").findChildren(QLabel)}
    assert named(budget, QLineEdit, "Changed a day").text() == "800 GB"


def test_that_each_wish_says_what_it_costs_and_the_page_how_many_layouts_still_fit(
    budget: MainWindow, rules: RuleBook, qtbot: QtBot
) -> None:
    session = budget.session
    session.start_from(read_typed(["8x8TB"]))
    session.set_rules(rules)
    qtbot.waitUntil(lambda: fit(budget).isdigit(), timeout=60_000)
    every = int(fit(budget))
    spares, bays = (named(budget, FactEntry, name) for name in ("Hot spares, exactly", "Drive bays"))
    QTest.keyClicks(spares, "1")
    QTest.keyClicks(bays, "8")
    assert fit(budget) == str(every)  # until more is known
    qtbot.waitUntil(lambda: bool(bays.accessibleDescription()), timeout=60_000)
    assert bays.accessibleDescription() == "costs nothing"
    assert " → " in spares.accessibleDescription()
    assert int(fit(budget)) < every
    QTest.keyClicks(named(budget, FactEntry, "Sequential read, at least"), "90 GB/s")
    qtbot.waitUntil(lambda: fit(budget) == "0", timeout=60_000)
    assert "a lower rate" in answer(budget)
    assert named(budget, QLabel, "What is still missing").text() == "No layout can meet these wishes."
    controls.type_in(bays, "80")
    budget.show_page("workload")
    QTest.qWait(600)
    assert "budget" not in {job.target for job in session.jobs.jobs}  # nobody looks at it
    session.tick([])
    budget.show_page("budget")
    assert not named(budget, QLabel, "Layouts that fit").isVisible()


def test_that_the_currency_is_asked_beside_the_money_and_prices_that_lack_are_set(budget: MainWindow) -> None:
    money_field, currency = named(budget, FactEntry, "Money"), named(budget, QComboBox, "Currency of the money")
    QTest.keyClicks(money_field, "5000")
    assert money_field.accessibleDescription() == "In which currency? New designs will use it too."
    controls.choose(currency, "EUR")
    assert (wished(budget).money, budget.session.preferences.currency) == (money(5000, "EUR"), "EUR")
    assert not currency.isVisible()
    assert "disk prices not known" in money_field.accessibleDescription()
    press(named(budget, QAbstractButton, "Set prices…"))
    price = named(budget, FactEntry, "Price of a disk")
    QApplication.processEvents()
    assert price.isVisible()
    assert price.hasFocus()
    QTest.keyClicks(price, "200 EUR")
    assert not named(budget, QAbstractButton, "Set prices…").isVisible()


@pytest.mark.parametrize("width", [800, 1000, 1280])
def test_that_rows_stay_where_they_are_while_limits_are_typed(budget: MainWindow, qtbot: QtBot, width: int) -> None:
    budget.resize(width, 800)
    qtbot.wait(50)
    editors = [w for w in budget.page("budget").findChildren(QWidget) if hasattr(w, "remark") and w.isVisible()]
    for name, text in (("Usable capacity, at least", "16TB"), ("Money", "2000"), ("Drive bays", "4")):
        before = [editor.y() for editor in editors]
        QTest.keyClicks(named(budget, FactEntry, name), text)
        qtbot.wait(0)
        assert [editor.y() for editor in editors] == before


def test_that_room_beside_the_data_is_chosen_or_typed(budget: MainWindow) -> None:
    QTest.keyClicks(named(budget, QLineEdit, "Usable capacity, at least"), "240 TiB")
    assert answer(budget) == ""
    choice = named(budget, QComboBox, "Room beside the data")
    controls.choose(choice, "Proxmox VE")
    assert [str(partition) for partition in budget.session.budget.reserve] == ["bios=1MiB", "esp=1GiB"]
    sizes = named(budget, QLineEdit, "Reserved on each disk")
    assert sizes.text() == "bios=1MiB esp=1GiB"
    assert "beside the data" in budget_status(budget.session).reason
    controls.type_in(sizes, "bare=1000GiB")
    assert [str(partition) for partition in budget.session.budget.reserve] == ["bare=1000GiB"]
    assert choice.currentText() == "as typed below"
    assert "240 TiB usable is not possible" in answer(budget)  # the bound counts without it
    controls.type_in(sizes, "swap=8GiB@2")
    assert budget.session.budget.reserve == ()
    assert "under Design" in sizes.accessibleDescription()
    controls.type_in(sizes, "bios=1MiB esp=1GiB boot=2GiB swap=8GiB:last")
    QTest.keyClick(sizes, Qt.Key.Key_Return)
    assert sizes.cursorPosition() == 0  # its beginning is shown once it is typed


@pytest.mark.slow
def test_that_every_wish_can_be_typed(budget: MainWindow) -> None:
    for name, text in (
        ("Usable capacity, at least", "100 TiB"),
        ("Hot spares, exactly", "2"),
        ("Drive bays", "48"),
        ("Money", "20000"),
        ("Price of a disk", "289.90"),
        ("Currency", "EUR"),
        ("Data loss a year, at most", "0.01"),
        ("Resilver time, at most", "36"),
        ("Sequential read, at least", "800 MB/s"),
        ("Sequential write, at least", "10 Gbit/s"),
    ):
        QTest.keyClicks(named(budget, QLineEdit, name), text)
    survive = named(budget, QComboBox, "Failures to survive")
    for _ in range(3):
        QTest.keyClick(survive, Qt.Key.Key_Down)
    assert budget.session.budget == Budget(
        least_usable_bytes=100 << 40,
        survive=2,
        spares=2,
        bays=48,
        money=money(20000, "EUR"),
        price_per_disk=money("289.90", "EUR"),
        price_on=today_text(),
        currency="EUR",
        most_yearly_loss=0.0001,
        most_rebuild_hours=36,
        least_read_bytes_per_second=800_000_000,
        least_write_bytes_per_second=1_250_000_000,
    )
    assert budget.session.currency == "EUR"


def test_that_impossible_capacity_is_told_with_the_numbers(budget: MainWindow) -> None:
    QTest.keyClicks(named(budget, QLineEdit, "Usable capacity, at least"), "300 TiB")
    assert "300 TiB usable is not possible" in answer(budget)
    assert "241 TiB" in answer(budget)
    assert named(budget, QLabel, "What is still missing").text() == "No layout can meet these wishes."


def test_that_failures_to_survive_are_chosen_none_needed_is_a_wish_and_no_wish_is_none(budget: MainWindow) -> None:
    survive = named(budget, QComboBox, "Failures to survive")
    QTest.keyClick(survive, Qt.Key.Key_Down)
    assert wished(budget).survive == 0
    QTest.keyClick(survive, Qt.Key.Key_Up)
    assert wished(budget).survive is None
    budget.session.tick([disk.key for disk in there(budget.session.inventory).disks[:2]])
    QTest.keyClick(survive, Qt.Key.Key_End)
    assert "need at least 4 disks; there are 2." in answer(budget)


def test_that_what_makes_no_sense_is_refused_in_place(budget: MainWindow) -> None:
    size, risk = "Usable capacity, at least", "Data loss a year, at most"
    for name, text in ((size, "much"), ("Money", "1,00,0"), ("RAM", "x"), (risk, "never")):
        entry = named(budget, FactEntry, name)
        controls.type_in(entry, text)
        assert entry.error
        assert (entry.accessibleDescription(), entry.text()) == (entry.error, text)
        assert budget.session.budget == Budget()
        assert name in named(budget, QLabel, "What is still missing").text()


def test_that_the_ram_of_the_machine_is_in_the_field_and_another_can_be_planned_with(budget: MainWindow) -> None:
    entry = named(budget, FactEntry, "RAM")
    assert entry.placeholderText() == "256 GiB"
    assert "Then 2016" in entry.accessibleDescription()
    assert wished(budget).ram_bytes is None
    for machine, shown in (("tunables", "unknown"), ("thesis", "256 GiB")):
        budget.session.sources.open_example(machine)
        budget.show_page("budget")
        assert (entry.text(), entry.placeholderText()) == ("", shown)
    controls.type_in(entry, "64 GiB")
    assert wished(budget).ram_bytes == 64 << 30
    assert "The machine has 256 GiB" in entry.accessibleDescription()


def test_that_the_system_that_must_import_the_pool_is_chosen_and_its_cost_told(budget: MainWindow) -> None:
    box = named(budget, QComboBox, "Must import on")
    controls.choose(box, "OpenZFS 2.1")
    assert budget.session.budget.import_on == "2.1"
    assert "raidz expansion" in box.accessibleDescription()
    QTest.keyClick(box, Qt.Key.Key_Home)
    assert budget.session.budget.import_on is None


@pytest.mark.slow
def test_that_what_was_understood_stands_beside_the_field(budget: MainWindow) -> None:
    for name, text, told in (
        ("Usable capacity, at least", "100", "100 TB, 100 TiB or 100 GB"),
        ("Data loss a year, at most", "0,01 %", "= 0.01 % a year: 1 in 10,000."),
        ("Resilver time, at most", "2 days", "= 48 h = 2 d."),
    ):
        entry = named(budget, QLineEdit, name)
        controls.type_in(entry, text)
        assert told in entry.accessibleDescription()


def test_that_a_power_supply_is_asked_for_and_reaches_the_design_that_was_made_before(budget: MainWindow) -> None:
    session = budget.session
    assert session.inventory is not None
    made = Design(key="d", name="d", pool_name="tank", host=session.inventory.host, disks=session.inventory.disks)
    session.put_design(made)
    assert made.machine.ups is None
    power = named(budget, QComboBox, "UPS")
    QTest.keyClick(power, Qt.Key.Key_Down)
    assert session.budget.ups is True
    assert there(session.design).machine.ups is True
    QTest.keyClick(power, Qt.Key.Key_Down)
    assert there(session.design).machine.ups is False


@pytest.mark.slow
def test_that_what_is_allowed_is_a_wish_with_its_sentence_and_is_kept(budget: MainWindow) -> None:
    box = named(budget, QCheckBox, "Partitions")
    assert box.accessibleDescription().endswith("serves several vdevs or pools.")
    assert not box.isChecked()
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Space)
    named(budget, QCheckBox, "Very wide raidz").click()
    assert budget.session.budget.allow == (Allowance.PARTITIONS, Allowance.WIDE)
    assert "allowed: partitions, very wide raidz" in budget_status(budget.session).reason
    budget.session.set_budget(Budget(allow=(Allowance.KINDS,)))
    budget.page("budget").refresh_now()
    ticked = [b.text() for b in budget.page("budget").findChildren(QCheckBox) if b.isChecked()]
    assert ticked == ["Several kinds of vdevs in a pool"]


@pytest.mark.slow
def test_that_what_was_not_understood_goes_with_other_work_and_comes_back_with_it(
    budget: MainWindow, design: Design
) -> None:
    session, page = budget.session, budget.page("budget")
    field = named(budget, FactEntry, "Usable capacity, at least")
    QTest.keyClicks(field, "plenty")
    assert "Not understood" in page.missing()
    assert "Not understood" in budget_status(session).reason
    session.tick(sorted(session.ticked)[1:])
    session.replace_by(example("macblog"))
    assert (field.text(), page.missing()) == ("", "")
    assert "Not understood" not in budget_status(session).reason
    session.take_back()
    assert field.text() == "plenty"
    assert "Not understood" in page.missing()
    session.open_design(design)
    assert (field.text(), page.missing()) == ("", "")


# A wish that the design does not keep is told wherever the design is shown: rail, summary, design page.


@pytest.mark.slow
def test_that_too_little_space_is_told_on_rail_summary_and_design_page(window: MainWindow, design: Design) -> None:
    status = there(next(entry.status for entry in page_entries() if entry.name == "design"))
    window.session.start_from(example("thesis"))
    window.session.change_design(design, "Choose layout")
    window.show_page("design")
    assert there(status(window.session)).state is StepState.DONE
    window.session.set_budget(replace(window.session.budget, least_usable_bytes=10_000 * TB, spares=9))
    told = there(status(window.session))
    assert told.state is StepState.WARNING
    assert told.reason.startswith("Does not meet: has 4 spares, 9 wanted; ")
    assert "usable, 8.88 PiB wanted" in told.reason
    assert controls.named(window, QLabel, "Limits not met").text() == told.reason
    assert window.page("design").sentence() == told.reason
    window.session.set_budget(replace(window.session.budget, least_usable_bytes=None, spares=None))
    assert there(status(window.session)).state is StepState.DONE
    assert not controls.named(window, QLabel, "Limits not met").isVisible()


def test_that_risk_rebuild_and_rates_are_held_against_the_wishes_of_all_pools(
    window: MainWindow, design: Design
) -> None:
    status = there(next(entry.status for entry in page_entries() if entry.name == "design"))
    session = window.session
    session.start_from(example("thesis"))
    session.change_design(design, "Choose layout")
    risk, hours = there(session.expected).risk.probability, there(session.expected).rebuild
    assert hours is not None
    read = int(there(session.expected).itself.seq_read.typical)
    kept = replace(
        session.budget,
        most_yearly_loss=risk * 1.01,
        most_rebuild_hours=hours.typical * 1.01,
        least_read_bytes_per_second=read - 1,
    )
    session.set_budget(kept)
    assert there(status(session)).state is StepState.DONE
    for budget, told in (
        (replace(kept, most_yearly_loss=risk / 2), "is lost with 1 in "),
        (replace(kept, most_rebuild_hours=hours.typical / 2), "h to rebuild, "),
        (replace(kept, least_read_bytes_per_second=2 * read), "reads about "),
        (replace(kept, least_write_bytes_per_second=10 * read), "writes about "),
    ):
        session.set_budget(budget)
        said = there(status(session))
        assert said.state is StepState.WARNING
        assert told in said.reason
        assert said.reason.count(" wanted") == 1
        assert controls.named(window, QLabel, "Limits not met").text() == said.reason


def test_that_rates_of_several_pools_add_up_and_one_of_them_may_be_lost(window: MainWindow, design: Design) -> None:
    session = window.session
    session.start_from(example("thesis"))
    session.change_design(design, "Choose layout")
    one = there(session.expected)
    alone, both = together([one], shared=False), together([one, one], shared=False)
    assert both.speed.seq_read == 2 * alone.speed.seq_read
    assert both.rebuild_hours == alone.rebuild_hours
    assert alone.yearly_loss < both.yearly_loss < 2 * alone.yearly_loss, "what threatens all of them counts once"
    on_the_same = together([one, one], shared=True)
    assert on_the_same.speed == alone.speed
    assert on_the_same.rebuild_hours == 2 * (alone.rebuild_hours or 0)
