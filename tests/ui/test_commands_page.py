"""The commands page as a person uses it: name the pool, read, copy, save."""

import subprocess
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QPlainTextEdit, QPushButton, QTableView
from pytestqt.qtbot import QtBot
from tests.pace import slowness
from tests.ui.conftest import thesis_design
from tests.ui.controls import enter, press, press_link, say_where, shown, there, type_in, visit
from tests.ui.controls import shown as named
from tests.ui.test_size import turns

from poolwright.domain.design import Dataset, Design, FurtherPool, Setting
from poolwright.domain.vdev import VdevClass
from poolwright.domain.workload import Goal, Workload
from poolwright.emit.script import fixed_part_sum
from poolwright.process.worker import Reporter
from poolwright.questions import LayoutAsked, design_of_row, recommend
from poolwright.rules.presets import apply_preset, preset
from poolwright.rules.rulebook import RuleBook
from poolwright.ui.commands.page import CommandsPage
from poolwright.ui.parts.finding_rows import WhyDialog
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.state.recommending import identity_of, request_of
from poolwright.ui.state.session import Session
from poolwright.ui.state.sources import example


@pytest.fixture
def page(window: MainWindow, rules: RuleBook, design: Design) -> CommandsPage:
    window.session.set_rules(rules)
    settings = (Setting(name="compression", value="lz4", reason="saves space", rule_id="property.compression"),)
    made = replace(design, datasets=(Dataset(name="", settings=settings), Dataset(name="home")))
    window.session.change_design(made, "Choose layout")
    return visit(window, CommandsPage)


def rename(page: CommandsPage, name: str) -> None:
    type_in(named(page, QLineEdit, "Pool name"), name)


def save(page: CommandsPage, path: Path) -> None:
    press(named(page, QPushButton, "Save script…"))
    say_where(page, path)


def lines(page: CommandsPage) -> list[tuple[str, str]]:
    model = named(page, QTableView, "Command lines with reasons").model()
    return [(model.index(row, 0).data(), model.index(row, 1).data()) for row in range(model.rowCount())]


@pytest.mark.slow
def test_that_every_line_has_its_reason_and_all_of_them_are_the_commands_that_are_copied(page: CommandsPage) -> None:
    told = {text.strip(" \\"): reason for text, reason in lines(page)}
    assert told["-O compression=lz4"] == "Saves space"
    assert told["-o ashift=12"].startswith("Cannot be changed later: blocks of 4 KiB.")
    assert told["zfs create"] == "Filesystem tank/home"
    assert told["tank/home"] == "Name"
    assert all(reason for reason in told.values())
    press(named(page, QPushButton, "Copy commands"))
    copied = QGuiApplication.clipboard().text()
    for text, _ in lines(page):
        assert text.strip(" \\") in copied
    subprocess.run(["bash", "-n"], input=copied, text=True, check=True)
    script = named_script(page)  # which runs these and no others, the mark of the pool too
    of_pool = [word for text in told if text.startswith(("-o ", "-O ")) for word in text.split()[1:]]
    assert [word for word in of_pool if word not in script] == []
    assert any(word.startswith("org.poolwright:design=") for word in of_pool)
    assert page.lasting.text() == "Cannot be changed later: ashift 12, not encrypted, casesensitivity=sensitive."


@pytest.mark.slow
def test_that_the_commands_follow_a_name_that_is_typed_and_leaving_the_field_gives_it_to_the_pool(
    page: CommandsPage, window: MainWindow
) -> None:
    rename(page, "attic")
    assert ("zfs create \\", "Filesystem attic/home") in lines(page)
    assert "creates the pool attic.\n" in named_script(page)
    assert there(window.session.design).pool_name == "tank"
    enter(named(page, QLineEdit, "Pool name"), "attic")
    assert there(window.session.design).pool_name == "attic"
    assert window.session.undo_steps.undo_text == "Rename the pool"
    window.session.undo_steps.undo()
    assert there(window.session.design).pool_name == "tank"


def named_script(page: CommandsPage) -> str:
    page.panes.bring_to_front(page.export)
    text = named(page, QPlainTextEdit, "The script").toPlainText()
    page.panes.bring_to_front(page.table)
    return text


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mirror", "c0t0", "a b", "../x", "-f", "log", "tank;reboot"])
def test_that_a_hostile_name_is_refused_in_place(page: CommandsPage, window: MainWindow, name: str) -> None:
    enter(named(page, QLineEdit, "Pool name"), name)
    assert named(page, QLabel, "What is wrong with the name").text()
    assert not named(page, QPushButton, "Save script…").isEnabled()
    assert not named(page, QPushButton, "Copy commands").isEnabled()
    assert there(window.session.design).pool_name == "tank"


@pytest.mark.slow
def test_that_the_script_is_saved_so_that_it_can_be_run(page: CommandsPage, window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "create-tank.sh"
    save(page, path)
    assert path.stat().st_mode & 0o777 == 0o755
    assert path.read_text() == named_script(page)
    subprocess.run(["bash", "-n", str(path)], check=True)
    assert window.session.script_saved
    assert str(path) in named(page, QLabel, "State of the script").text()
    assert [p.name for p in tmp_path.iterdir() if p.suffix == ".sh" or p.name.startswith(".create")] == [path.name]


@pytest.mark.slow
def test_that_a_typed_name_is_in_the_saved_script_and_another_design_is_not_the_one_that_was_saved(
    page: CommandsPage, tmp_path: Path
) -> None:
    rename(page, "attic")
    path = tmp_path / "new.sh"
    save(page, path)
    assert "creates the pool attic.\n" in path.read_text()
    assert there(page.session.design).pool_name == "attic"
    page.session.change_design(there(page.session.design).renamed(pool_name="other"), "Rename")
    assert not page.session.script_saved
    assert not page.notice.isVisible()


@pytest.mark.slow
def test_that_a_folder_that_is_gone_says_so_and_keeps_the_design(page: CommandsPage, tmp_path: Path) -> None:
    page._save_to(str(tmp_path / "gone" / "create.sh"))
    assert "cannot be written" in named(page, QLabel, "State of the script").text()
    assert not page.session.script_saved


@pytest.mark.slow
def test_that_disks_without_names_are_shown_but_not_scripted_and_the_listing_is_asked_for(
    page: CommandsPage, window: MainWindow
) -> None:
    design = there(window.session.design)
    nameless = tuple(replace(disk, by_id=()) for disk in design.disks)
    window.session.change_design(replace(design, disks=nameless), "Forget names")
    assert not named(page, QPushButton, "Save script…").isEnabled()
    assert page.notice.text().startswith("No stable name is known for EXAMPLET01, ")
    assert page.given.isVisible()
    assert any("<disk 1>" in text and "name missing" in reason for text, reason in lines(page))
    assert named_script(page) == ""


@pytest.mark.slow
def test_that_another_ashift_changes_design_and_ranking_and_can_be_undone(page: CommandsPage) -> None:
    session = page.session
    session.open_design(there(session.design))
    choice = named(page, QComboBox, "ashift")
    choice.setFocus()
    QTest.keyClick(choice, Qt.Key.Key_Down)
    assert (there(session.design).ashift, session.ashift, there(request_of(session)).ashift) == (13, 13, 13)
    assert "-o ashift=13" in {text.strip(" \\") for text, _ in lines(page)}
    session.undo_steps.undo()
    assert (there(session.design).ashift, session.ashift) == (12, None)
    assert choice.currentText() == "12 (4 KiB)"
    # What nobody read of a pool that exists is not told as read, until somebody chooses it.
    session.open_design(replace(there(session.design), ashift_read=False))
    assert (choice.currentText(), choice.placeholderText()) == ("", "not read")
    assert any("was not read" in why for __, why in lines(page))
    choice.activated.emit(choice.findText("12 (4 KiB)"))
    assert (there(session.design).known_ashift, choice.currentText()) == (12, "12 (4 KiB)")


@pytest.mark.slow
def test_that_a_line_opens_the_rule_that_proposed_it(page: CommandsPage, rules: RuleBook, window: MainWindow) -> None:
    assert window.session.design is not None
    proposal = rules.properties[0]
    settings = (Setting(name="compression", value="lz4", reason="saves space", rule_id=proposal.id),)
    window.session.change_design(replace(window.session.design, datasets=(Dataset(name="", settings=settings),)), "Set")
    table = named(page, QTableView, "Command lines with reasons")
    row = next(i for i, (text, _) in enumerate(lines(page)) if "compression=lz4" in text)
    table.setFocus()
    table.selectRow(row)
    table.setCurrentIndex(table.model().index(row, 0))
    QTest.keyClick(table, Qt.Key.Key_Return)
    (dialog,) = page.findChildren(WhyDialog)
    assert proposal.title in dialog.windowTitle()
    dialog.close()


@pytest.mark.slow
def test_that_without_a_design_the_page_leads_to_the_layouts(window: MainWindow, qtbot: QtBot) -> None:
    window.show_page("commands")
    page = window.page("commands")
    assert not named(page, QPushButton, "Save script…").isEnabled()
    press(named(page, QPushButton, "Choose a layout"))
    assert window.current_page() == "recommendation"


def show_host(page: CommandsPage) -> None:
    page.panes.bring_to_front(page.host)


@pytest.mark.slow
def test_that_advice_for_the_host_has_its_reason_and_source_a_command_to_copy_and_its_rule(page: CommandsPage) -> None:
    show_host(page)
    text = page.host.toPlainText()
    assert "systemctl enable --now zfs-scrub-monthly@tank.timer" in text
    assert "finds and repairs damage" in text.casefold()
    assert "zpool-scrub(8)" not in text, "its sources are behind “Why?”"
    before = page.host.toPlainText().partition("Scrub once a month")[0]
    press_link(page.host, "Copy", before.count("\nCopy"))
    assert QGuiApplication.clipboard().text() == "systemctl enable --now zfs-scrub-monthly@tank.timer"
    page.host.pressed.emit("advice.scrub-timer")
    dialogs = page.findChildren(WhyDialog)
    assert len(dialogs) == 1
    assert "advice.scrub-timer" in dialogs[0].text.toPlainText()
    assert "man zpool-scrub(8)" in dialogs[0].text.toPlainText()
    dialogs[0].close()


@pytest.mark.slow
def test_that_the_advice_is_saved_beside_the_script_whose_fixed_part_has_its_checksum_on_the_page(
    page: CommandsPage, tmp_path: Path
) -> None:
    page.export.write_script_to(tmp_path / "create-tank.sh")
    assert "zfs-scrub-monthly" not in (tmp_path / "create-tank.sh").read_text()
    advice = (tmp_path / "create-tank.advice.txt").read_text()
    assert "#     $ systemctl enable --now zfs-scrub-monthly@tank.timer" in advice
    assert fixed_part_sum("create") in page.export.fixed.text()
    assert fixed_part_sum("create") in page.export.fixed.toolTip()


@pytest.mark.slow
def test_that_the_reasons_keep_a_third_of_the_table_when_the_window_becomes_wide(
    window: MainWindow, qtbot: QtBot, design: Design
) -> None:
    window.session.show_design(design)
    page = visit(window, CommandsPage)
    for width, height in ((1920, 1080), (1280, 800), (1920, 1080)):
        window.resize(width, height)
        qtbot.waitUntil(lambda: page.table.columnWidth(1) > page.table.viewport().width() // 3)


# The second, third … pool of a design is named on the commands page, too.


@pytest.fixture
def pools_page(window: MainWindow, design: Design) -> CommandsPage:
    first, second, third, *rest = design.vdevs
    further = tuple(FurtherPool(pool_name=name, vdevs=(vdev,)) for name, vdev in (("tank2", second), ("tank3", third)))
    window.session.change_design(replace(design, vdevs=(first, *rest), further_pools=further), "three pools")
    return visit(window, CommandsPage)


def names(pools_page: CommandsPage) -> list[str]:
    design = there(pools_page.session.design)
    return [pool.pool_name for pool in design.pools()]


@pytest.mark.slow
def test_that_a_further_pool_is_renamed_the_first_cannot_take_its_name_and_one_alone_shows_no_other(
    pools_page: CommandsPage, design: Design
) -> None:
    assert shown(pools_page, QLineEdit, "Name of pool 3").text() == "tank3"
    enter(named(pools_page, QLineEdit, "Name of pool 3"), "archive")
    assert names(pools_page) == ["tank", "tank2", "archive"]
    assert "  archive \\" in dict(lines(pools_page))
    pools_page.session.undo_steps.undo()
    assert names(pools_page) == ["tank", "tank2", "tank3"]
    enter(named(pools_page, QLineEdit, "Pool name"), "tank2")
    assert names(pools_page) == ["tank", "tank2", "tank3"]
    pools_page.session.change_design(design, "one pool")
    assert not pools_page.further.isVisible()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "word"), [("tank2", "already"), ("mirror1", "keeps names"), ("a b", "letters")])
def test_that_a_name_that_cannot_be_is_refused_with_its_reason(pools_page: CommandsPage, name: str, word: str) -> None:
    enter(named(pools_page, QLineEdit, "Name of pool 3"), name)
    assert word in pools_page.further.problem.text()
    assert pools_page.further.problem.isVisible()
    assert names(pools_page) == ["tank", "tank2", "tank3"]


# A vdev is changed with the commands in sight: no turn of the window is long, and what is advised follows.


WITHIN = 0.05
EDITS = 7


@pytest.fixture
def designs(window: MainWindow, rules: RuleBook) -> tuple[Design, Design]:
    """Return two designs of the same disks of which other things are advised; the first is open."""
    window.session.set_rules(rules)
    workload = apply_preset(Workload(goal=Goal.CONCURRENT), preset("vm-images"), preset("database"))
    narrow, wide = thesis_design(), thesis_design(width=10)
    window.session.set_workload(workload)
    first, second = replace(narrow, workload=workload), replace(wide, workload=workload, ashift=14)
    window.session.change_design(first, "Choose layout")
    window.show_page("commands")
    return first, second


def _advised(page: CommandsPage) -> list[str]:
    shown = page.host.toPlainText()
    return [advice.title for advice in page._advice if advice.title in shown]


@pytest.mark.slow
def test_that_no_turn_is_long_where_a_changed_vdev_brings_other_advice(
    window: MainWindow, designs: tuple[Design, Design]
) -> None:
    measured = turns(window)
    measured.step("shown")
    took = []
    for number in range(EDITS):
        edited = designs[(number + 1) % 2]
        took.append(measured.step(f"edit {number}", partial(window.session.change_design, edited, "Change")))
    # Where all advice is made anew, in the turn that writes the script: 62 to 81 ms. Half of them, for a machine is
    # busy with other things as well.
    assert sorted(took)[EDITS // 2] < WITHIN * slowness(), took


@pytest.mark.slow
def test_that_advice_that_stays_is_not_made_anew(window: MainWindow, designs: tuple[Design, Design]) -> None:
    page = visit(window, CommandsPage)
    told = page._advice
    window.session.change_design(designs[1], "Change")
    assert page._advice != told
    assert _advised(page) == [advice.title for advice in page._advice]
    window.session.change_design(designs[0], "Back")
    assert page._advice == told
    assert _advised(page) == [advice.title for advice in told]


def test_that_designs_made_alike_have_names_that_tell_them_apart(session: Session) -> None:
    names = []
    for __ in range(3):
        made = identity_of(session, thesis_design().layout())
        session.library.save(replace(thesis_design(), key=made.key, name=made.name))
        names.append(made.name)
    assert names == [names[0], f"{names[0]} 2", f"{names[0]} 3"]


# The report on the design that is open in the window.


@pytest.mark.slow
def test_that_the_score_is_broken_down_for_a_chosen_layout_and_not_after_an_edit(session: Session) -> None:
    session.start_from(example("thesis"))
    session.tick(member.disk_key for member in thesis_design().vdevs[0].members)
    request = there(request_of(session))
    session.set_recommendation(recommend(Reporter(), request))
    best = there(session.recommendation).best
    asked = LayoutAsked(request=request, row=1, identity=identity_of(session), inventory=session.inventory)
    session.choose(best, design_of_row(Reporter(), asked))
    chosen = there(session.design)
    assert there(chosen.ranked).terms == best.terms
    session.change_design(replace(chosen, vdevs=thesis_design().vdevs), "Edit")
    assert there(session.design).ranked is None


def test_that_commands_of_a_layout_that_a_rule_blocks_are_not_copied(page: CommandsPage, qtbot: QtBot) -> None:
    design = there(page.session.design)
    spares = next(vdev for vdev in design.vdevs if vdev.vdev_class is VdevClass.SPARE)
    bare = replace(spares, vdev_class=VdevClass.DATA, members=spares.members[:1])
    kept = tuple(vdev for vdev in design.vdevs if vdev is not spares)
    assert page.copy.isEnabled()
    page.session.change_design(replace(design, vdevs=(*kept, bare)), "Make a vdev of a spare")
    qtbot.waitUntil(lambda: not page.copy.isEnabled(), timeout=20_000)
    assert page.notice.text().startswith("Do not build this: ")
    assert any("With -f, as " in line.reason for line in page.lines.shown())
