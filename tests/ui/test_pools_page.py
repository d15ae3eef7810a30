"""The page of the pools that exist: state, findings with commands, devices, sizes; and what it says without a pool."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QInputDialog, QLabel, QPushButton
from pytestqt.qtbot import QtBot
from tests.changes.existing_machines import SICK, machine
from tests.changes.migration.machines import machine as mirrors
from tests.design.half_known import LISTED, STATUS, read
from tests.design.pools_by_hand import machine_with
from tests.ui.controls import links, part_of, press, press_link, saved, say_where, shown, there, visit

from poolwright.changes.as_design import design_of_pool
from poolwright.domain.design import Dataset, Setting
from poolwright.domain.finding import Outcome
from poolwright.domain.growth import parse_growth_step
from poolwright.domain.host import Inventory
from poolwright.rules.rulebook import RuleBook
from poolwright.ui.commands.page import CommandsPage
from poolwright.ui.design.growth.pane import GrowthPlanPane
from poolwright.ui.design.growth.stages import StepDialog
from poolwright.ui.pools.page import PoolsPage
from poolwright.ui.pools.plans import MigrationPane
from poolwright.ui.shell.main_window import MainWindow

pytestmark = pytest.mark.slow
HEAD = "NAME        SIZE  ALLOC   FREE    CAP  DEDUP  HEALTH  ALTROOT\n"
LINE = f"{HEAD}tank       3.62T  1.00T  2.62T    27%  1.00x  ONLINE  -\n"


def opened(window: MainWindow, qtbot: QtBot, rules: RuleBook, inventory: Inventory | None) -> PoolsPage:
    window.session.set_rules(rules)
    if inventory is not None:
        window.session.start_from(inventory)
    page = visit(window, PoolsPage)
    qtbot.waitUntil(lambda: not window.session.jobs.jobs, timeout=20_000)
    return page


def test_that_the_gravest_pool_is_in_front_and_each_can_be_chosen(
    window: MainWindow, qtbot: QtBot, rules: RuleBook
) -> None:
    page = opened(window, qtbot, rules, machine("wrong"))
    assert page._choice.count() == 5
    assert "critical" in page._state.text()
    page._choice.setCurrentText("tank")
    assert page._state.text().startswith("tank: DEGRADED, 1 critical finding")
    told = page.found.toPlainText()
    places = [
        told.index(w) for w in ("Now", "tank is DEGRADED", "has no redundancy", "This week", "No hurry", "raidz2-0")
    ]
    assert places == sorted(places)
    assert told.count("OFFLINE") == 1
    assert "Gain: The risk of losing the pool per year falls from 1 in" in told
    assert "\n  wwn-0x5000c50000000001-part1\n" in told
    assert page.sizes.toPlainText().count("Explained to the byte") > 2


def test_that_the_keyboard_begins_at_the_choice_of_the_pool(window: MainWindow, qtbot: QtBot, rules: RuleBook) -> None:
    page = opened(window, qtbot, rules, machine("wrong"))
    assert page.first_stop([page._save, page.given.text]) is page.given.text
    assert page.first_stop([page._choice, page._save, page.given.text]) is page._choice


def test_that_the_commands_of_a_finding_are_copied_and_nothing_runs(
    window: MainWindow, qtbot: QtBot, rules: RuleBook
) -> None:
    page = opened(window, qtbot, rules, machine("wrong"))
    page._choice.setCurrentText("tank")
    copied = []
    for number in range(len(links(page.found, "Copy"))):
        press_link(page.found, "Copy", number)
        copied.append(QGuiApplication.clipboard().text())
    assert "zpool online tank /dev/disk/by-id/wwn-0x5000c50000000000" in copied
    page._copy.click()  # what follows buys a disk and changes properties
    assert QGuiApplication.clipboard().text().splitlines()[1:] == [
        "zpool online tank /dev/disk/by-id/wwn-0x5000c50000000000 &&",
        "zpool wait -t resilver tank",
    ]


def test_that_without_a_pool_one_is_pasted_in_the_field_of_the_page(
    window: MainWindow, qtbot: QtBot, rules: RuleBook
) -> None:
    page = opened(window, qtbot, rules, None)
    assert not page.card.isVisible()
    assert "drop files" in page._empty.toPlainText()
    assert "zpool status -P; " in page._empty.toPlainText()
    press(page._copy)
    assert QGuiApplication.clipboard().text().startswith("zpool status -P; ")
    page.given.text.setPlainText(SICK)  # no button comes and goes, which would move what is below
    qtbot.waitUntil(lambda: page._state.text().startswith("tank: ONLINE, 3 critical findings"), timeout=20_000)
    assert window.current_page() == "pools"
    assert page.main_button() is page._copy
    assert page._counted.text() == "1 of 5 commands: look before the next"


def test_that_the_disks_page_does_not_call_a_sick_pool_well(
    window: MainWindow, qtbot: QtBot, rules: RuleBook, tmp_path: Path
) -> None:
    (tmp_path / "status.txt").write_text(SICK, encoding="utf-8")
    window.session.set_rules(rules)
    window.session.sources.open_captures([tmp_path / "status.txt"])
    qtbot.waitUntil(lambda: window.current_page() == "pools")  # it has no disk to design another pool with
    page = visit(window, PoolsPage)
    qtbot.waitUntil(lambda: page._state.text().startswith("tank: ONLINE, 3 critical findings"))
    window.show_page("disks")
    texts = " ".join(label.text() for label in window.page("disks").findChildren(QLabel))
    assert "1 device not online, 1 device with errors, a special device without redundancy" in texts


def test_that_a_report_of_all_pools_is_saved_for_its_customer(
    window: MainWindow, qtbot: QtBot, rules: RuleBook, tmp_path: Path
) -> None:
    page = opened(window, qtbot, rules, machine("good"))
    window.session.customer = "Ada & Co"
    page._write(str(tmp_path / "audit.html"))
    qtbot.waitUntil((tmp_path / "audit.html").exists)
    text = (tmp_path / "audit.html").read_text(encoding="utf-8")
    assert "Audit of the pools" in text
    assert "For Ada &amp; Co" in text
    page._write(str(tmp_path / "none" / "audit.html"))
    assert not (tmp_path / "none").exists()


@pytest.mark.qt_log_ignore("propagateSizeHints")
def test_that_a_pool_opened_as_design_differs_in_nothing_until_it_is_changed(
    window: MainWindow, qtbot: QtBot, rules: RuleBook, tmp_path: Path
) -> None:
    page = opened(window, qtbot, rules, machine("good"))
    assert "Open a design" in page.against.summary.text()
    page._choice.setCurrentText("tank")
    page._open.click()
    assert window.current_page() == "design"
    design = there(window.session.design)
    assert design.pool_name == "tank"
    assert not window._actions.export.isEnabled(), "there is no script that creates it"
    visit(window, PoolsPage)._sheet.click()
    there(page.findChild(QInputDialog)).accept()
    say_where(page, tmp_path / "tank.md")
    qtbot.waitUntil(lambda: not window.session.jobs.jobs, timeout=20_000)
    assert "zpool replace -o ashift=12 tank /dev/disk/by-id/" in (tmp_path / "tank.md").read_text("utf-8")
    script = visit(window, CommandsPage)
    qtbot.waitUntil(lambda: not window.session.jobs.jobs, timeout=20_000)
    assert script.notice.text().startswith("The pool tank exists already: ")
    assert (script.missing(), script.copy.isEnabled(), script.save.isEnabled()) == ("", False, False)
    window.session.asked.emit("design", "growth")
    onward = window.page("design").findChildren(QPushButton)
    assert not [b for b in onward if b.isVisible() and b.text() == "Next: Script"], "there is none to write"
    visit(window, CommandsPage)
    press(shown(script, QPushButton, "Compare"))
    qtbot.waitUntil(lambda: not window.session.jobs.jobs, timeout=20_000)
    assert page.shows(page.against)
    assert page.against.summary.text() == "The pool tank is as the design says, as far as it was read."
    films = Dataset(name="films", settings=(Setting(name="recordsize", value="1M"),))
    window.session.change_design(replace(design, datasets=(*design.datasets, films)), "Add dataset")
    qtbot.waitUntil(lambda: not window.session.jobs.jobs, timeout=20_000)
    assert page.against.summary.text() == "tank needs 1 change to match the design."
    assert "zfs create -o recordsize=1M tank/films" in saved(page.against.save_button, tmp_path / "change.sh")
    window.session.undo_steps.undo()
    qtbot.waitUntil(lambda: not window.session.jobs.jobs, timeout=20_000)
    assert "as the design says" in page.against.summary.text()


def test_that_a_machine_read_beside_an_open_design_is_compared_with_it_and_comes_with_its_pool(
    window: MainWindow, qtbot: QtBot, rules: RuleBook
) -> None:
    session, inventory = window.session, machine("good")
    design = design_of_pool(inventory, next(pool for pool in inventory.pools if pool.name == "tank")).design
    session.open_design(replace(design, key="mine"))
    session.receive(inventory)
    page = opened(window, qtbot, rules, None)
    page._choice.setCurrentText("tank")
    qtbot.waitUntil(lambda: not session.jobs.jobs, timeout=20_000)
    assert "as the design says" in page.against.summary.text()
    before = session.work.disks_in_front()
    page._grow.click()
    assert (there(session.design).key, session.inventory, session.work.at_hand) == ("pool-tank", inventory, None)
    assert window.message.isHidden(), "it said that the other design stays"
    session.change_design(replace(there(session.design), growth=(parse_growth_step("replace:12TB@1"),)), "Plan")
    page._grow.click()
    assert there(session.design).growth, "nothing that is planned is lost"
    session.undo_steps.undo()
    session.undo_steps.undo()
    assert (there(session.design).key, session.work.disks_in_front()) == ("mine", before)


def test_that_a_change_by_way_of_another_pool_leads_to_the_plan_of_its_move(
    window: MainWindow, qtbot: QtBot, rules: RuleBook
) -> None:
    page = opened(window, qtbot, rules, machine_with(("8 x 12TB CMR SATA",), (("data", "raidz1", 8),), fill=80))
    page.improver.money.setText("2000 USD")
    page.show_view(page.improver)
    page.improver.work_out()
    qtbot.waitUntil(lambda: not window.session.jobs.jobs, timeout=30_000)
    press_link(page.improver.steps, "Plan the move")
    assert page.shows(page.migration)
    assert page.migration.layout_line.text() == "raidz2:8x14TB"
    assert page.migration.bought_line.text() == "8 x 14TB"
    assert window.session.design is None  # the pool to be is no design for this pool
    qtbot.waitUntil(lambda: not window.session.jobs.jobs, timeout=30_000)


def test_that_what_helps_the_pool_is_worked_out_and_a_change_leads_to_its_commands(
    window: MainWindow, qtbot: QtBot, rules: RuleBook
) -> None:
    page = opened(window, qtbot, rules, machine("wrong"))
    page._choice.setCurrentText("tank")
    page.improver.money.setText("2000")  # in the currency of the catalogue, where nobody chose another
    page.show_view(page.improver)
    page.improver.work_out()
    qtbot.waitUntil(lambda: not window.session.jobs.jobs, timeout=30_000)
    assert page.improver.summary.text() == "tank: 0 % full, 2,000.00 USD to spend"
    assert "zpool online tank" in page.improver.steps.toPlainText()
    press_link(page.improver.steps, "Open as design")
    qtbot.waitUntil(lambda: not window.session.jobs.jobs, timeout=30_000)
    assert page.shows(page.against)
    assert page.against.summary.text().startswith("tank needs 2 changes")
    page.improver.money.setText("lots")
    page.improver.work_out()
    assert "lots" in page.improver.summary.text()
    assert page.improver.summary.text().count("Write a number") == 1, "what to do is told once"


@pytest.mark.parametrize("known", [True, False])
def test_that_a_pool_is_grown_from_what_it_is_and_no_size_is_invented(
    window: MainWindow, qtbot: QtBot, rules: RuleBook, tmp_path: Path, known: bool
) -> None:
    usable = "assumed" if known else "not known"
    page = opened(window, qtbot, rules, read(tmp_path, STATUS, *([LINE] * known)))
    page._grow.click()
    growth = part_of(window, GrowthPlanPane, "growth")
    assert growth.stages.index(0, 1).data() == "tank now"
    figures = [growth.stages.index(0, 2).data(), growth.ways.index(0, 1).data()]
    assert [figure == "unknown" for figure in figures] == [not known] * 2
    assert ("TB" in growth.about_way.toPlainText(), "not known" in growth.intro.text()) == (known, not known)
    growth.take.click()
    dialog = growth.findChild(StepDialog)
    assert str(there(dialog).form.value("amount")) == ("mirror:2x4000787030016" if known else "None")
    there(dialog).reject()
    qtbot.waitUntil(lambda: not window.session.jobs.jobs, timeout=20_000)
    found = there(there(window.session.assessment).findings)
    assert "disks.in-use" not in [f.rule_id for f in found if f.outcome is Outcome.VIOLATED]
    assert not there(window.summary.numbers).value("used"), "each disk is counted once"
    assert any(label.text().endswith(usable) for label in window.summary.findChildren(QLabel))


# The page of the pools that exist where only a part of them was read: what is known, what is not, and what to add.


def test_that_a_pool_of_sizes_alone_says_what_to_add_and_opens_no_design(
    window: MainWindow, qtbot: QtBot, rules: RuleBook, tmp_path: Path
) -> None:
    page = opened(window, qtbot, rules, read(tmp_path, LISTED))
    assert page._state.text().startswith("tank: DEGRADED")
    assert "zpool status was not read of tank" in page.found.toPlainText()
    assert "State" not in page.found.toPlainText(), "no table without rows"
    assert not page._open.isEnabled()
    page.show_view(page.improver)
    qtbot.waitUntil(lambda: "was not read of tank" in page.improver.summary.text())


# Moving a pool to another layout on the page of the pools: asked, refused, planned, copied and written as a script.


def moving(window: MainWindow, qtbot: QtBot, rules: RuleBook, free: int) -> MigrationPane:
    page = opened(window, qtbot, rules, mirrors([("mirror", 2)], free))
    page.show_view(page.migration)
    return page.migration


def planned(window: MainWindow, qtbot: QtBot, pane: MigrationPane, layout: str) -> None:
    pane.layout_line.setText(layout)
    pane.plan_button.click()
    qtbot.waitUntil(lambda: not window.session.jobs.jobs, timeout=20_000)


def test_that_each_step_tells_what_survives_and_its_commands(
    window: MainWindow, qtbot: QtBot, rules: RuleBook, tmp_path: Path
) -> None:
    pane = moving(window, qtbot, rules, 2)
    planned(window, qtbot, pane, "raidz2:4x4TB")
    assert len(links(pane.steps, "Copy")) == 13
    assert "$ zpool destroy tank-old" in pane.steps.toPlainText()
    assert "step 'Detach ata-DISK_old" in saved(pane.save_button, tmp_path / "migrate.sh")


def test_that_a_refusal_tells_its_reasons_and_a_backup_allows_it(
    window: MainWindow, qtbot: QtBot, rules: RuleBook
) -> None:
    pane = moving(window, qtbot, rules, 1)
    planned(window, qtbot, pane, "raidz1:3x4TB")
    assert "– steps 2 to " in pane.summary.text()
    assert not pane.steps.toPlainText()
    pane.backup.setChecked(True)
    planned(window, qtbot, pane, "raidz1:3x4TB")
    assert len(links(pane.steps, "Copy")) == 12


def test_that_bad_words_are_told_in_place_and_disks_to_come_count(
    window: MainWindow, qtbot: QtBot, rules: RuleBook
) -> None:
    pane = moving(window, qtbot, rules, 0)
    planned(window, qtbot, pane, "raidzz")
    assert "raidzz" in pane.summary.text()
    pane.bought_line.setText("2 x 4TB hdd")
    planned(window, qtbot, pane, "raidz2:4x4TB")
    assert len(links(pane.steps, "Copy")) == 13
    said: list[str] = []
    window.session.complained.connect(said.append)
    pane.save_button.click()
    assert not pane.findChildren(QFileDialog), "no name is asked for what cannot be written"
    assert " ".join(said) == (
        "2 disks of this move are planned, so no script can name them. Once all are in the machine, read it again and "
        "plan the move without disks to come."
    )
