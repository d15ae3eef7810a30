"""The disks page: table, ticks, details, copying."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QMenu, QPlainTextEdit, QPushButton, QToolButton
from pytestqt.qtbot import QtBot
from tests.emit.pretend import small_design
from tests.machine.bays.captured import capture_text
from tests.machine.bays.sysfs import two_shelves
from tests.machines.writing import zpool_status
from tests.ui.controls import shown, there, visit
from tests.ui.disks_at_hand import MACHINE, NVME, SMART, cell, hdd, index, named, press, table, tick_box, view

from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Health, Media
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.host import Host, Inventory
from poolwright.domain.pool import Pool
from poolwright.domain.vdev import VdevKind
from poolwright.store.capture_files import open_captures, open_pasted
from poolwright.ui.disks import columns as disk_columns
from poolwright.ui.disks.columns import DECIDE, DiskColumn
from poolwright.ui.disks.page import DisksPage
from poolwright.ui.disks.view import DiskFacts
from poolwright.ui.parts.note_lines import NoteLines
from poolwright.ui.shell.main_window import MainWindow


@pytest.fixture
def disks(window: MainWindow) -> MainWindow:
    window.session.start_from(MACHINE)
    window.show_page("disks")
    QApplication.processEvents()
    return window


def given(window: MainWindow) -> QPlainTextEdit:
    return named(window, QPlainTextEdit, "What do you have?")


def type_disks(window: MainWindow, text: str) -> None:
    QTest.keyClicks(given(window), text)
    QTest.keyClick(given(window), Qt.Key.Key_Return)


@pytest.mark.slow
def test_that_the_page_asks_for_a_source_and_leads_to_others(window: MainWindow) -> None:
    window.show_page("disks")
    assert named(window, QLabel, "What is still missing").text() == "Choose where the disks come from."
    assert not view(window).isVisible()
    for way, page in (("Over SSH", "hosts"), ("Buy", "buying")):
        named(window, QPushButton, way).click()
        assert window.current_page() == page
        window.show_page("disks")
    window.session.sources.open_example("thesis")
    assert named(window, QLabel, "Ticked disks").text() == "46 of 46 ticked, 241 TiB raw"
    assert view(window).isVisible()


def test_that_a_pool_on_the_disks_is_named_and_leads_to_pools(window: MainWindow) -> None:
    window.show_page("disks")
    page = window.page("disks")
    assert isinstance(page, DisksPage)
    assert page.pools.isHidden()
    window.session.start_from(replace(MACHINE, pools=(Pool(name="tank", state="ONLINE"),)))
    assert page.pools.text() == "Pool tank is on these disks."
    named(window, QPushButton, "Look at this pool").click()
    assert window.current_page() == "pools"


def test_that_equal_disks_stand_below_a_line_of_their_own_and_unknown_is_a_word(disks: MainWindow) -> None:
    model = table(disks)
    assert model.rowCount() == 3
    group = model.index(0, 0)
    assert group.data() == "3 × 4 TB WDC WD40EFRX"
    assert model.rowCount(group) == 3
    assert not view(disks).isExpanded(group)
    assert model.index(0, DiskColumn.USE).data() == "1 of 3 not"
    assert model.index(0, DiskColumn.MODEL).data() == "WDC WD40EFRX"
    assert model.index(0, DiskColumn.HOURS).data() == "0.1–0.3"
    for column in (DiskColumn.MODEL, DiskColumn.SIZE, DiskColumn.SECTORS, DiskColumn.HEALTH, DiskColumn.HOURS):
        assert cell(disks, "odd", column) == "unknown"
    assert cell(disks, "nvme", DiskColumn.SECTORS) == "512/?"
    assert cell(disks, "odd", DiskColumn.USE) == "its size is unknown"


@pytest.mark.slow
def test_that_a_box_ticks_its_disk_and_that_of_a_group_all_shown_ones_that_may_be_used(disks: MainWindow) -> None:
    assert disks.session.ticked == {"hdd0", "hdd2", "nvme"}
    view(disks).expandAll()
    press(disks, tick_box(disks, index(disks, "hdd0")))
    assert disks.session.ticked == {"hdd2", "nvme"}
    assert table(disks).index(0, 0).data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.PartiallyChecked
    press(disks, tick_box(disks, index(disks, "hdd0")))
    assert disks.session.ticked == {"hdd0", "hdd2", "nvme"}
    press(disks, tick_box(disks, table(disks).index(0, 0)))
    assert disks.session.ticked == {"nvme"}
    press(disks, tick_box(disks, table(disks).index(0, 0)))
    assert disks.session.ticked == {"hdd0", "hdd2", "nvme"}
    assert table(disks).index(0, 0).data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked
    QTest.keyClicks(named(disks, QLineEdit, "Filter the disks"), "WD-2")
    press(disks, tick_box(disks, table(disks).index(0, 0)))
    assert disks.session.ticked == {"hdd0", "nvme"}


@pytest.mark.slow
def test_that_a_disk_in_use_cannot_be_ticked_and_says_why(disks: MainWindow) -> None:
    used = index(disks, "hdd1")
    assert used.data(Qt.ItemDataRole.CheckStateRole) is None
    assert "mounted: /" in str(used.data(Qt.ItemDataRole.ToolTipRole))
    assert cell(disks, "hdd1", DiskColumn.USE) == "mounted: /; boot disk"
    assert "cannot be used" in str(used.data(Qt.ItemDataRole.AccessibleTextRole))
    press(disks, tick_box(disks, used))
    QTest.keyClick(view(disks), Qt.Key.Key_Space)
    assert "hdd1" not in disks.session.ticked
    tip = str(used.data(Qt.ItemDataRole.ToolTipRole))
    assert "Cannot be ticked: mounted: /" in tip
    assert "Cannot be ticked: boot disk" in tip
    view(disks).setCurrentIndex(used)
    listing = visit(disks, DisksPage).listing
    assert listing.text() == "sdb cannot be used: mounted: /; boot disk"
    assert listing.reasons().startswith("lsblk -")


def test_that_a_file_is_no_name_of_a_machine_and_its_disks_of_no_size_say_what_to_run(window: MainWindow) -> None:
    window.session.start_from(open_pasted(zpool_status("old", "sda", "sdb")))
    page = visit(window, DisksPage)
    assert named(window, QLabel, "Inventory").text() == "Unnamed machine"
    assert page.listing.text() == "sda, sdb cannot be used: pool member: old; its size is unknown"
    assert page.listing.reasons() == "lsblk -JbO"


@pytest.mark.slow
def test_that_space_and_select_all_tick_by_keyboard(disks: MainWindow) -> None:
    view(disks).setFocus()
    QTest.keyClick(view(disks), Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(view(disks), Qt.Key.Key_Space)
    assert disks.session.ticked == frozenset()
    assert named(disks, QLabel, "Ticked disks").text() == "0 of 5 ticked, 0 B raw"
    assert named(disks, QLabel, "What is still missing").text() == "Tick the disks that may be used."
    QTest.keyClick(view(disks), Qt.Key.Key_Space)
    assert disks.session.ticked == {"hdd0", "hdd2", "nvme"}


@pytest.mark.slow
def test_that_arrows_move_and_the_facts_at_the_foot_follow(disks: MainWindow) -> None:
    foot = named(disks, DiskFacts, "Details of the selected disk")
    assert foot.text().startswith("Health: various")
    view(disks).setFocus()
    view(disks).setCurrentIndex(table(disks).index(0, 0))
    assert foot.text().startswith("3 disks: 10.9 TiB raw (12.0 TB)")
    assert "In use by: mounted: /, boot disk" in foot.text()
    view(disks).expand(table(disks).index(0, 0))
    QTest.keyClick(view(disks), Qt.Key.Key_Down)
    assert "Name in scripts: ata-WDC_WD40EFRX_WD-0" in foot.text()
    assert "In use by: nothing" in foot.text()


def test_that_the_tip_of_a_disk_says_all_that_is_known_of_it_with_origins(disks: MainWindow) -> None:
    tip = str(index(disks, "hdd0").data(Qt.ItemDataRole.ToolTipRole))
    for words in (
        "4,000,787,030,016 B", "lsblk on nas1", "smartctl on nas1, 2026-11-20 10:12", "wwn-0x50014ee000000000", "512e",
    ):  # fmt: skip
        assert words in tip
    tip = str(index(disks, "nvme").data(Qt.ItemDataRole.ToolTipRole))
    for words in ("F<b>1", "offers 4096", "wear 91 %", "cannot be told", "512 B (now), 4096 B"):
        assert words in tip


def test_that_a_disk_nobody_looked_at_is_not_called_free_and_the_line_to_run_is_told(window: MainWindow) -> None:
    window.session.start_from(Inventory(name="x", disks=(hdd(3, use_known=False), hdd(4)), origin=SMART))
    window.show_page("disks")
    assert [cell(window, "hdd3", column) for column in DECIDE] == ["yes", "in use? not read"]
    assert [cell(window, "hdd4", column) for column in DECIDE] == ["yes", "yes"]
    listing = visit(window, DisksPage).listing
    assert (listing.text(), listing.reasons()) == ("Not read yet: what uses sdd", "lsblk -JbO")
    QApplication.clipboard().setText("NAME SIZE\n")
    shown(listing, QPushButton, "Paste").click()
    assert window.session.sources.busy
    window.session.sources.cancel()


@pytest.mark.slow
def test_that_columns_sort_by_value_with_unknown_last_and_keep_the_selection(disks: MainWindow) -> None:
    model = table(disks)
    model.sort(DiskColumn.HOURS, Qt.SortOrder.DescendingOrder)
    assert [d.key for d in model.shown()] == ["hdd2", "hdd1", "hdd0", "nvme", "odd"]
    model.sort(DiskColumn.HOURS, Qt.SortOrder.AscendingOrder)
    assert [d.key for d in model.shown()] == ["hdd0", "hdd1", "hdd2", "nvme", "odd"]
    model.sort(DiskColumn.SIZE, Qt.SortOrder.AscendingOrder)
    keys = [d.key for d in model.shown()]
    assert (keys[0], keys[-1]) == ("nvme", "odd")
    view(disks).expandAll()
    press(disks, view(disks).visualRect(index(disks, "hdd0", DiskColumn.SIZE)).center())
    header = view(disks).header()
    at = header.sectionViewportPosition(DiskColumn.SERIAL) + 10
    for _ in range(2):
        QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(at, header.height() // 2))
        assert [d.key for d in view(disks).chosen_disks()] == ["hdd0"]
        assert view(disks).isExpanded(table(disks).index_of("hdd0").parent())


def test_that_the_filter_finds_words_in_any_fact_and_keeps_what_is_folded(disks: MainWindow) -> None:
    box = named(disks, QLineEdit, "Filter the disks")
    before = view(disks).visible_columns()
    QTest.keyClicks(box, "WD")
    assert view(disks).visible_columns() == before
    assert view(disks).isExpanded(table(disks).index(0, 0))
    box.clear()
    assert not view(disks).isExpanded(table(disks).index(0, 0))
    QTest.keyClicks(box, "wd-2 wdc")
    assert [d.key for d in table(disks).shown()] == ["hdd2"]
    assert "4 filtered out" in named(disks, QLabel, "Ticked disks").text()
    box.clear()
    QTest.keyClicks(box, "boot")
    assert [d.key for d in table(disks).shown()] == ["hdd1"]


@pytest.mark.slow
def test_that_ctrl_f_leads_to_the_filter(disks: MainWindow, qtbot: QtBot) -> None:
    disks.activateWindow()
    view(disks).setFocus()
    qtbot.waitUntil(view(disks).hasFocus)
    QTest.keyClick(view(disks), Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert named(disks, QLineEdit, "Filter the disks").hasFocus()


def test_that_csv_holds_bytes_of_all_disks_or_of_the_selected_ones(disks: MainWindow) -> None:
    disks.resize(2560, 1440)
    QApplication.processEvents()
    view(disks).expandAll()
    QTest.keyClick(view(disks), Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].startswith('Ticked,Disk,Model,Serial,"Size, B"')
    assert len(lines) == 6
    assert any(line.startswith("yes,ata-WDC_WD40EFRX_WD-0,WDC WD40EFRX,WD-0,4000787030016") for line in lines)
    assert any(line.startswith("no,/dev/sdz,,,,") and "its size is unknown" in line for line in lines)
    press(disks, view(disks).visualRect(index(disks, "hdd2", DiskColumn.SIZE)).center())
    QTest.keyClick(view(disks), Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines) == 2
    assert "WD-2" in lines[1]


@pytest.mark.slow
def test_that_columns_are_chosen_from_the_menu(disks: MainWindow) -> None:
    menu = view(disks).columns_menu
    assert isinstance(menu, QMenu)
    menu.aboutToShow.emit()
    hours = next(a for a in menu.actions() if a.text() == "Age, years")
    assert view(disks).isColumnHidden(DiskColumn.HOURS) != hours.isChecked()
    before = hours.isChecked()
    hours.trigger()
    assert view(disks).isColumnHidden(DiskColumn.HOURS) == before


@pytest.mark.slow
def test_that_a_wide_window_shows_every_column_and_cuts_no_text(disks: MainWindow, qtbot: QtBot) -> None:
    disks.session.start_from(replace(MACHINE, disks=(*MACHINE.disks, replace(NVME, key="worn", wear_percent=91))))
    view(disks).expandAll()
    assert view(disks).isColumnHidden(DiskColumn.WEAR)
    disks.resize(2560, 1440)
    qtbot.waitUntil(lambda: not view(disks).isColumnHidden(DiskColumn.WEAR))
    disks.grab()
    shown = view(disks)
    for column in shown.visible_columns():
        assert shown.columnWidth(column) >= shown.sizeHintForColumn(column), DiskColumn(column).name


def test_that_a_column_of_which_nothing_is_known_is_not_shown(window: MainWindow) -> None:
    window.session.start_from(
        replace(MACHINE, disks=tuple(hdd(n, health=None, temperature_celsius=None) for n in (0, 2)))
    )
    window.show_page("disks")
    window.resize(1920, 1080)
    QApplication.processEvents()
    assert not {DiskColumn.HEALTH, DiskColumn.TEMPERATURE} & set(view(window).visible_columns())
    assert {DiskColumn.USE, DiskColumn.SCRIPT} <= set(view(window).visible_columns())


def test_that_notes_of_the_reading_are_folded_and_warnings_stand_first(disks: MainWindow) -> None:
    (notes,) = disks.page("disks").findChildren(NoteLines)
    assert notes.text().splitlines()[0] == "smartctl is not installed: health is unknown"
    before = view(disks).geometry()
    (more,) = notes.findChildren(QToolButton)
    assert more.isVisible()
    assert more.text() == f"{len(notes.text().splitlines()) - 1} more"
    more.click()
    QApplication.processEvents()
    assert view(disks).geometry() == before


def test_that_a_group_shows_in_each_column_what_the_texts_of_its_disks_say() -> None:
    changes: tuple[dict[str, object], ...] = (
        {},
        {"media": Media.SSD, "wear_percent": 3},
        {"logical_sector_bytes": 4096, "physical_sector_bytes": None},
        {"health": Health.SUSPECT, "planned": True},
        {"rotation_rpm": 7200, "temperature_celsius": 31},
    )
    machine = [replace(disk, **change) for disk in MACHINE.disks[:3] for change in changes]  # type: ignore[arg-type]
    for column in set(DiskColumn) - {DiskColumn.DISK, DiskColumn.USE, DiskColumn.SERIAL}:
        for one in machine:
            for other in machine:
                cell = disk_columns.group_cell((one, other), column)
                texts = {disk_columns.text(one, column), disk_columns.text(other, column)}
                assert cell.shared == (len(texts) == 1), (column, texts)


def test_that_disks_without_a_name_for_scripts_are_told_with_the_line_to_run(window: MainWindow) -> None:
    machine = replace(MACHINE, disks=(hdd(0, by_id=()), hdd(2)), notes=())
    window.session.start_from(machine)
    window.show_page("disks")
    assert (cell(window, "hdd0", DiskColumn.SCRIPT), cell(window, "hdd2", DiskColumn.SCRIPT)) == (
        "by-id name missing",
        "yes",
    )
    page = window.page("disks")
    assert isinstance(page, DisksPage)
    assert page.listing.text() == "Not read yet: the stable names of sda"
    named(window, QPushButton, "Copy").click()
    assert QGuiApplication.clipboard().text() == page.listing.reasons() == "ls -l /dev/disk/by-id"
    window.session.start_from(replace(machine, disks=(hdd(2),)))
    assert page.listing.isHidden()


@pytest.mark.parametrize(
    "names",
    [
        pytest.param((), id="no name"),
        pytest.param(("dm-uuid-mpath-35000c500a1b2c3d4", "dm-name-mpatha"), id="names of the map"),
        pytest.param(("wwn-0x5000c500a1b2c3d4",), id="a name of its own"),
    ],
)
def test_that_a_mapped_device_which_scripts_refuse_cannot_be_ticked(window: MainWindow, names: tuple[str, ...]) -> None:
    mapped = hdd(0, path="/dev/mapper/mpatha", by_id=names)
    window.session.start_from(replace(MACHINE, disks=(mapped, hdd(2)), notes=()))
    window.show_page("disks")
    assert window.session.ticked == {hdd(2).key}
    assert "it is a mapped device" in "; ".join(mapped.refusals())


# The disks page: disks that are typed, dropped or read from this machine.


@pytest.mark.slow
def test_that_typed_disks_join_the_machine_and_keep_ticks_and_design(disks: MainWindow, design: Design) -> None:
    disks.session.tick({"hdd0"})
    disks.session.put_design(design)
    field = given(disks)
    QTest.keyClicks(field, "2 x 16TB CMR SATA")
    assert "29.1 TiB raw" in named(disks, QLabel, "About the typed disks").text()
    QTest.mouseClick(named(disks, QPushButton, "Add these"), Qt.MouseButton.LeftButton)
    type_disks(disks, "1 x 16TB")
    inventory = there(disks.session.inventory)
    planned = [disk for disk in inventory.disks if disk.planned]
    assert len({disk.key for disk in inventory.disks}) == len(MACHINE.disks) + 3
    assert disks.session.ticked == {"hdd0", *(disk.key for disk in planned)}
    assert disks.session.design is design
    assert field.toPlainText() == ""


LSBLK_OUTPUT = """{"blockdevices": [
{"name": "sda", "size": 4000787030016, "type": "disk", "model": "A", "serial": "S1", "fstype": "", "mountpoint": ""},
{"name": "sdb", "size": 4000787030016, "type": "disk", "model": "A", "serial": "S2", "fstype": "", "mountpoint": ""}
]}"""
LINKS = """total 0
lrwxrwxrwx 1 root root 9 Nov 29 08:00 ata-A_S1 -> ../../sda
lrwxrwxrwx 1 root root 9 Nov 29 08:00 ata-A_S2 -> ../../sdb
"""


def paste(window: MainWindow, qtbot: QtBot, text: str, button: str) -> None:
    given(window).setPlainText(text)
    qtbot.waitUntil(lambda: named(window, QPushButton, button).isVisible(), timeout=30_000)
    named(window, QPushButton, button).click()


def test_that_what_is_pasted_joins_what_was_read_and_keeps_ticks_and_typed_disks(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.show_page("disks")
    paste(window, qtbot, LSBLK_OUTPUT, "Design with these")
    window.session.tick({"S1"})
    type_disks(window, "1 x 16TB")
    assert cell(window, "S1", DiskColumn.SCRIPT) == "by-id name missing"
    paste(window, qtbot, LINKS, "Add these")
    disks = {disk.key: disk for disk in there(window.session.inventory).disks}
    assert [disks[key].by_id for key in ("S1", "S2")] == [("ata-A_S1",), ("ata-A_S2",)]
    assert window.session.ticked == {"S1", *(key for key, disk in disks.items() if disk.planned)}
    assert cell(window, "S1", DiskColumn.SCRIPT) == "yes"
    paste(window, qtbot, LSBLK_OUTPUT.replace("S1", "S3"), "Design with these")  # a machine by itself
    assert {disk.key for disk in there(window.session.inventory).disks} == {"S2", "S3"}


def test_that_the_collector_is_copied_with_what_is_to_be_replaced(window: MainWindow) -> None:
    window.show_page("disks")
    named(window, QPushButton, "Collector").click()
    lines = []
    for button in ("Copy this line", "Copy, serials replaced"):
        shown(window.page("disks"), QPushButton, button).click()
        lines.append(QGuiApplication.clipboard().text())
    assert "\n" not in lines[0]
    assert ["--redact" in line for line in lines] == [False, True]


@pytest.mark.slow
def test_that_delete_takes_typed_disks_out_and_never_real_ones(disks: MainWindow) -> None:
    type_disks(disks, "2 x 16TB")
    view(disks).setFocus()
    QTest.keyClick(view(disks), Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(view(disks), Qt.Key.Key_Delete)
    inventory = there(disks.session.inventory)
    assert inventory.disks == MACHINE.disks


@pytest.mark.slow
def test_that_typed_disks_alone_begin_an_inventory(window: MainWindow) -> None:
    window.show_page("disks")
    type_disks(window, "12 x 16TB")
    assert named(window, QLabel, "Ticked disks").text().startswith("12 of 12 ticked")
    type_disks(window, "2 x 1TB NVMe")
    assert window.preferences.typed_disks == "12 x 16TB, 2 x 1TB NVMe"  # the first page offers them again


def test_that_reading_this_machine_can_be_cancelled_from_the_page(window: MainWindow, qtbot: QtBot) -> None:
    window.show_page("disks")
    cancel = named(window, QPushButton, "Cancel reading")
    assert not cancel.isVisible()
    QTest.mouseClick(named(window, QPushButton, "This machine"), Qt.MouseButton.LeftButton)
    assert cancel.isVisible()
    assert not named(window, QPushButton, "Files").isEnabled()
    QTest.mouseClick(cancel, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not window.session.sources.busy)
    assert not cancel.isVisible()
    assert named(window, QPushButton, "Files").isEnabled()
    assert window.session.inventory is None
    assert not window.message.isVisible()


@pytest.mark.slow
def test_that_disks_typed_beside_a_machine_of_which_nothing_is_used_do_not_take_its_processor_unasked(
    disks: MainWindow,
) -> None:
    """A laptop is read, then a server is planned: neither its cores nor its memory are the server's."""
    laptop = replace(MACHINE, host=Host(ram_bytes=8 << 30, cores=2))
    disks.session.start_from(laptop)
    disks.session.tick(frozenset())
    type_disks(disks, "12 x 16TB")
    assert there(disks.session.inventory).host == Host()
    assert "unknown processor and memory" in disks.statusBar().currentMessage()


# The disks page: facts that are missing for lack of rights, and where the disks sit.


HERE = Origin(kind=OriginKind.READ, source="this machine")
DENIED = replace(MACHINE, origin=HERE, denied=("/dev/sda", "/dev/sdb"))


def notice(window: MainWindow, inventory: Inventory, refusal: str = "") -> str:
    """Return what the page says of missing rights; empty where it says nothing."""
    window.session.sources.refusal = refusal
    window.session.start_from(inventory)
    page = visit(window, DisksPage)
    QApplication.processEvents()
    said = page.rights.said
    return " ".join((said.title, said.reasons, said.todo)) if page.rights.isVisible() else ""


def test_that_missing_rights_are_told_of_this_machine_only(window: MainWindow) -> None:
    assert "Health, hours and exact sectors of sda, sdb" in notice(window, DENIED)
    assert notice(window, replace(DENIED, origin=replace(HERE, source="nas1"))) == ""
    assert notice(window, replace(DENIED, denied=())) == ""


@pytest.mark.slow
def test_that_without_a_helper_the_page_says_why_and_what_to_type(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("poolwright.ui.disks.page.helper_problem", lambda: "the helper is not installed")
    text = notice(window, DENIED)
    assert "Not read as administrator: the helper is not installed." in text
    assert "poolwright collector | sudo sh > machine.capture" in text
    assert not [b for b in window.findChildren(QPushButton) if b.text() == "Read as administrator" and b.isVisible()]


@pytest.mark.slow
def test_that_a_refusal_is_told_and_may_be_tried_again(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("poolwright.ui.disks.page.helper_problem", lambda: None)
    text = notice(window, DENIED, refusal="the request was refused or dismissed")
    assert "Not read as administrator: the request was refused or dismissed." in text
    QTest.mouseClick(named(window, QPushButton, "Read as administrator"), Qt.MouseButton.LeftButton)
    assert window.session.sources.busy
    qtbot.waitUntil(lambda: not window.session.sources.busy, timeout=30_000)
    assert window.session.inventory is not None


@pytest.mark.slow
def test_that_the_table_shows_shelf_and_bay_where_there_is_room(window: MainWindow, tmp_path: Path) -> None:
    file = tmp_path / "vault.capture"
    file.write_text(capture_text(two_shelves(tmp_path / "sys")), encoding="utf-8")
    machine = open_captures([file])
    notice(window, machine)
    window.resize(1700, 900)
    QApplication.processEvents()
    assert not view(window).isColumnHidden(DiskColumn.PLACE)
    assert machine.disks[13].place == "SMC SC826-N4 (3d1f), bay 1"
    notice(window, MACHINE)
    assert view(window).isColumnHidden(DiskColumn.PLACE)


def test_that_a_burn_in_marks_each_disk_and_is_remembered_when_the_machine_is_read_again(window: MainWindow) -> None:
    burnt = open_captures([Path(__file__).parents[1] / "machines" / "burn-in.capture"])
    window.session.sources.take_read(burnt)
    bare = replace(burnt, disks=tuple(replace(disk, burn_in=None) for disk in burnt.disks), name="another host")
    for machine in (burnt, bare):
        window.session.sources.take_read(machine)
        window.show_page("disks")
        QApplication.processEvents()
        found = window.session.inventory
        assert found is not None
        words = [disk_columns.text(disk, DiskColumn.USE) for disk in found.disks]
        assert words == ["burn-in: go", "burn-in: no-go", "burn-in: watch", "burn-in unfinished"]
        assert disk_columns.group_cell(found.disks, DiskColumn.USE).text == "burn-in: 1 no-go, 1 watch, 1 unknown"
        assert "reallocated sectors: 0 before, 8 after" in disk_columns.tooltip(found.disks[1], DiskColumn.USE)


def test_that_an_open_design_takes_the_burn_ins_of_its_disks_as_one_step(window: MainWindow) -> None:
    session = window.session
    burnt = open_captures([Path(__file__).parents[1] / "machines" / "burn-in.capture"])
    bare = replace(burnt, disks=tuple(replace(disk, burn_in=None) for disk in burnt.disks))
    session.sources.take_read(bare)
    members = tuple(Member(disk_key=disk.key) for disk in bare.disks)
    vdev = Vdev(kind=VdevKind.RAIDZ, parity=1, members=members)
    session.change_design(small_design(disks=bare.disks, vdevs=(vdev,)), "Choose layout")
    session.sources.take_read(burnt)
    assert session.design is not None
    assert session.inventory is not None
    assert session.design.disks == session.inventory.disks == burnt.disks
    session.undo_steps.undo()
    assert session.design.disks == bare.disks
