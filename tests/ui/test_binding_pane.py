"""Binding the disks of a design in the window: a machine that is read, the pairs, one press, one step back."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QPushButton, QTableView, QWidget
from pytestqt.qtbot import QtBot
from tests.design.binding.at_hand import TB8, machine, planned_design, real_disk
from tests.design.half_known import LISTED, STATUS
from tests.machines.writing import zpool_status
from tests.ui.conftest import thesis_design
from tests.ui.controls import named, part_of, press, shown, there
from tests.ui.test_disks_page import LSBLK_OUTPUT

from poolwright.domain.design import Design
from poolwright.domain.disk import Disk
from poolwright.domain.host import Inventory
from poolwright.machine.typed.read import read_typed
from poolwright.store.capture_files import open_pasted
from poolwright.ui.design.binding.pane import BindingPane
from poolwright.ui.parts.theme import Tone
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.state.session import Session
from poolwright.ui.state.sources import typed_disks

CAPTURE = Path(__file__).parents[1] / "machines" / "vm-mixed-sectors.capture"
FOUR = [real_disk(f"sd{letter}") for letter in "abcd"]


@pytest.fixture
def pane(session: Session, qtbot: QtBot, light: None) -> Iterator[BindingPane]:
    around = QWidget()
    around.resize(736, 480)
    made = BindingPane(session, around)
    made.setGeometry(around.rect())
    qtbot.addWidget(around)
    session.changed.connect(made.refresh)  # as the page does for the part in front
    around.show()
    session.open_design(planned_design("mirror:2x8TB", disks="3 x 8TB"))
    yield made
    session.changed.disconnect(made.refresh)


def opened(session: Session) -> Design:
    return there(session.design)


def used(session: Session) -> list[Disk]:
    design = opened(session)
    return [design.disk(member.disk_key) for vdev in design.vdevs for member in vdev.members]


def cells(pane: BindingPane, column: int) -> list[str]:
    model = named(pane, QTableView, "Vdevs and their disks").model()
    return [str(model.index(row, column).data()) for row in range(model.rowCount())]


def outcomes(pane: BindingPane) -> str:
    return "\n".join(
        str(pane.rows.index(row, 2).data(Qt.ItemDataRole.ToolTipRole)) for row in range(pane.rows.rowCount())
    )


def test_that_it_says_what_to_read_and_a_machine_that_is_read_is_proposed(pane: BindingPane) -> None:
    assert pane.state.text().startswith("2 of 2 disks have no name")
    assert not pane.bind.isEnabled()
    assert cells(pane, 3) == ["–", "–"]
    before = opened(pane.session)
    assert not pane.session.receive(machine(FOUR))
    assert pane.session.design is before
    assert cells(pane, 0) == ["mirror-0", "mirror-0"]
    assert cells(pane, 3) == ["ata-MODEL_S-sda", "ata-MODEL_S-sdb"]
    assert cells(pane, 2) == ["fine", "fine"]
    assert pane.state.text().startswith("All 2 disks matched.")
    assert "usable, as before" in pane.state.text()


def test_that_one_press_binds_and_one_step_back_unbinds(pane: BindingPane) -> None:
    session = pane.session
    inventory, ticked, design = session.inventory, session.ticked, session.design
    session.receive(machine(FOUR))
    press(named(pane, QPushButton, "Bind"))
    assert [disk.path for disk in used(session)] == ["/dev/sda", "/dev/sdb"]
    assert there(session.inventory).name == "store"
    assert there(session.inventory).disks == tuple(FOUR)
    assert session.ticked == {disk.key for disk in FOUR}
    assert session.work.at_hand is None
    assert session.undo_steps.undo_text == "Bind disks"
    session.undo_steps.undo()
    assert (session.inventory, session.ticked, session.design) == (inventory, ticked, design)
    assert session.binding is not None
    session.undo_steps.redo()
    assert [disk.path for disk in used(session)] == ["/dev/sda", "/dev/sdb"]


def test_that_another_disk_is_chosen_proposed_again_and_leaves_another_place(pane: BindingPane) -> None:
    pane.session.receive(machine(FOUR))
    pane.table.selectRow(1)
    box = named(pane, QComboBox, "Real disk of the selected row")
    assert box.count() == 6
    texts = [box.itemText(number) for number in range(box.count())]
    assert texts[:2] == ["As proposed", "Leave open"]
    assert "now in mirror-0" in " ".join(texts)
    wanted = next(number for number, text in enumerate(texts) if text.startswith("sdd"))
    box.setCurrentIndex(wanted)
    box.activated.emit(wanted)
    assert cells(pane, 3) == ["ata-MODEL_S-sda", "ata-MODEL_S-sdd"]
    assert pane.table.currentIndex().row() == 1
    assert box.currentText().startswith("sdd")
    box.activated.emit(1)
    assert cells(pane, 3)[1] == "–"
    assert "1 of 2 disks matched" in pane.state.text()
    box.activated.emit(0)
    assert cells(pane, 3)[1] == "ata-MODEL_S-sdb"
    for row in (0, 1):
        pane.table.selectRow(row)
        box = named(pane, QComboBox, "Real disk of the selected row")
        at = next(number for number in range(box.count()) if box.itemText(number).startswith("sdc"))
        box.activated.emit(at)
    assert cells(pane, 3)[1] == "ata-MODEL_S-sdc"
    assert "sdc" not in cells(pane, 3)[0]


def test_that_smaller_disks_are_taken_when_that_is_ticked_and_the_space_is_told(pane: BindingPane) -> None:
    pane.session.receive(machine([real_disk("sda"), real_disk("sdb", TB8 // 2)]))
    assert cells(pane, 3)[1] == "–"
    assert "too small" in outcomes(pane)
    assert cells(pane, 2)[1] == "open"
    named(pane, QCheckBox, "Take smaller disks too").click()
    assert cells(pane, 3)[1] == "ata-MODEL_S-sdb"
    assert "usable instead of" in pane.state.text()
    press(pane.bind)
    assert used(pane.session)[1].path == "/dev/sdb"


def test_that_a_part_is_bound_and_the_machine_stays_at_hand_for_the_rest(pane: BindingPane) -> None:
    session = pane.session
    session.receive(machine(FOUR[:1]))
    press(pane.bind)
    assert [disk.planned for disk in used(session)] == [False, True]
    assert session.work.at_hand is not None
    assert "1 of 2 disks matched" in pane.state.text()


def test_that_a_disk_without_a_name_is_counted_as_the_script_counts_it(pane: BindingPane) -> None:
    masked = real_disk("sdb", by_id=(), serial="XXXXXXXX")
    pane.session.receive(machine([real_disk("sda"), masked]))
    assert cells(pane, 3) == ["ata-MODEL_S-sda", "sdb · 8 TB"]
    assert pane.state.text().startswith("2 of 2 disks matched, 1 with a by-id name. Please confirm.")
    press(pane.bind)
    assert pane.state.text() == "1 of 2 disks have no name that a script can use."
    assert cells(pane, 2) == ["bound", "no name"]


def test_that_everything_is_said_beside_the_pair(pane: BindingPane) -> None:
    pane.session.receive(machine([real_disk("sda", 2 * TB8, model="WD"), real_disk("sdb", by_id=())]))
    told = outcomes(pane)
    assert "larger than planned by 8.00 TB" in told
    assert "/dev/disk/by-id was not read" in told
    assert "equal: HDD" in told


# The window around it


def message_buttons(window: MainWindow) -> list[str]:
    return [button.text() for button in window.message.findChildren(QPushButton) if button.isVisible()]


def test_that_the_window_offers_to_bind_and_goes_there(window: MainWindow) -> None:
    session = window.session
    session.open_design(planned_design("mirror:2x8TB"))
    session.receive(machine(FOUR))
    assert "“on paper” stays as it is" in window.message.text()
    assert message_buttons(window) == ["Bind disks…", "New design with these"]
    press(shown(window.message, QPushButton, "Bind disks…"))
    assert window.current_page() == "design"
    pane = there(window.findChild(BindingPane))
    assert pane.isVisible()
    assert not window.message.isVisible()
    press(pane.bind)
    assert [disk.path for disk in used(session)] == ["/dev/sda", "/dev/sdb"]


def test_that_a_pool_whose_disks_fit_no_place_is_to_be_compared_and_not_bound(window: MainWindow) -> None:
    session = window.session
    session.open_design(planned_design("mirror:2x8TB"))
    session.receive(open_pasted(zpool_status("old", "sda", "sdb")))
    assert message_buttons(window) == ["Look at this pool"]
    press(shown(window.message, QPushButton, "Look at this pool"))
    assert window.current_page() == "pools"


@pytest.mark.slow
def test_that_a_new_design_on_the_machine_can_be_taken_back(window: MainWindow) -> None:
    session = window.session
    design = planned_design("mirror:2x8TB")
    session.open_design(design)
    session.receive(machine(FOUR))
    press(shown(window.message, QPushButton, "New design with these"))
    assert session.design is None
    assert there(session.inventory).name == "store"
    press(shown(window.message, QPushButton, "Go back"))
    assert session.design == design


@pytest.mark.slow
def test_that_names_that_changed_are_taken_over_by_one_press(window: MainWindow) -> None:
    session = window.session
    session.open_design(planned_design("mirror:2x8TB"))
    session.receive(machine(FOUR[:2]))
    session.bind_disks()
    renamed = [replace(disk, by_id=(f"scsi-S{disk.serial}",), path=f"/dev/x{disk.serial}") for disk in FOUR[:2]]
    session.receive(machine(renamed))
    assert "all disks of “on paper” are there" in window.message.text()
    window.show_page("design")
    part_of(window, BindingPane, "binding")
    assert not window.message.isVisible(), "the tab says it itself, with one button"
    window.show_page("disks")
    session.receive(machine(renamed))
    press(shown(window.message, QPushButton, "Use what was read"))
    assert [disk.by_id for disk in used(session)] == [("scsi-SS-sda",), ("scsi-SS-sdb",)]
    assert not window.message.isVisible()
    session.undo_steps.undo()
    assert [disk.by_id for disk in used(session)] == [disk.by_id for disk in FOUR[:2]]


def test_that_a_replaced_disk_leaves_one_place_to_bind(session: Session) -> None:
    session.open_design(planned_design("mirror:2x8TB"))
    session.receive(machine(FOUR[:2]))
    session.bind_disks()
    session.receive(machine([FOUR[0], FOUR[3]]))
    assert not there(session.binding).all_known
    session.bind_disks()
    assert [disk.path for disk in used(session)] == ["/dev/sda", "/dev/sdd"]


@pytest.mark.parametrize(
    ("inventory", "stays"), [(machine(FOUR), True), (read_typed(["4 x 8TB"]), False)], ids=("machine", "typed")
)
def test_that_typed_disks_begin_anew_and_a_machine_does_not(
    session: Session, inventory: Inventory, stays: bool
) -> None:
    session.open_design(planned_design("mirror:2x8TB"))
    session.receive(inventory)
    assert (session.design is not None) is stays


def test_that_an_example_binds_a_plan_and_takes_the_place_of_real_disks(session: Session) -> None:
    session.open_design(planned_design("mirror:2x6TB", disks="2 x 6TB"))
    session.sources.open_example("thesis")
    assert session.design is not None
    session.bind_disks()
    session.sources.open_example("macblog")
    assert session.design is None


def test_that_a_plan_that_is_opened_finds_the_machine_that_was_in_front(session: Session) -> None:
    session.start_from(machine(FOUR))
    session.open_design(planned_design("mirror:2x8TB"))
    assert there(session.work.at_hand).inventory.name == "store"
    session.open_design(thesis_design())
    assert session.work.at_hand is None


@pytest.mark.slow
@pytest.mark.parametrize("beside", [False, True])
def test_that_what_is_pasted_joins_the_machine_that_it_is_of_and_no_other(
    session: Session, qtbot: QtBot, beside: bool
) -> None:
    if beside:  # the machine waits beside this design then
        session.open_design(planned_design("mirror:2x8TB"))
    foreign = STATUS.replace("sda", "wwn-0xaa").replace("sdb", "wwn-0xbb")
    for text, told in (
        (foreign, ("ONLINE", None, 2)),
        (foreign.replace("state: ONLINE", "state: DEGRADED"), ("DEGRADED", None, 2)),  # of one name the newest
        (LISTED, ("DEGRADED", "5.45T", 2)),
        (LSBLK_OUTPUT, (None, None, 2)),
        (foreign, ("ONLINE", None, 2)),
        (LSBLK_OUTPUT, (None, None, 2)),
        (STATUS, ("ONLINE", None, 2)),
        (LISTED, ("ONLINE", "5.45T", 2)),
    ):
        session.sources.open_pasted(text)
        qtbot.waitUntil(lambda: not session.jobs.jobs, timeout=20_000)
        machine = there(session.work.at_hand).inventory if beside else there(session.inventory)
        pool = next(iter(machine.pools), None)
        size = there(machine.existing[0]).value("size") if pool else None
        assert (pool and pool.state, size, len(machine.disks)) == told
    assert [disk.path for disk in machine.usable()] == []


def test_that_a_capture_pasted_on_the_script_page_leads_to_its_pairs(window: MainWindow, qtbot: QtBot) -> None:
    session = window.session
    session.open_design(planned_design("raidz2:6x6TB", disks="6 x 6TB"))
    window.show_page("commands")
    page = window.page("commands")
    assert "This is a plan" in page.notice.text()  # type: ignore[attr-defined]
    page.given.text.setPlainText("total 0\nlrwxrwxrwx 1 r r 9 Nov 26 10:00 ata-WDC_WD60_X1 -> ../../sda\n")  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: bool(page.given.given.pieces))  # type: ignore[attr-defined]
    assert not [p.text for p in page.given.given.pieces if p.tone is Tone.BLOCK], "it is what was asked for"  # type: ignore[attr-defined]
    page.given.text.setPlainText(CAPTURE.read_text(encoding="utf-8"))  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: shown(page, QPushButton, "Bind these").isEnabled())
    with qtbot.waitSignal(session.machine_read):
        press(shown(page, QPushButton, "Bind these"))
    assert window.current_page() == "design"
    session.bind_disks()
    window.show_page("commands")
    assert "scsi-35000c50000000004" in "".join(line.text for line in page.lines.shown())  # type: ignore[attr-defined]
    assert page.save.isEnabled()  # type: ignore[attr-defined]


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_that_menus_lead_to_it(window: MainWindow, qtbot: QtBot) -> None:
    session = window.session
    action = next(a for a in window._actions.findChildren(type(window._actions.undo)) if "Bind" in a.text())
    assert not action.isEnabled()
    session.open_design(planned_design("mirror:2x8TB"))
    assert action.isEnabled()
    with qtbot.waitSignal(session.asked):
        action.trigger()
    assert window.current_page() == "design"
    window.show_page("design")
    pane = window.page("design").part("picture")  # type: ignore[attr-defined]
    menu = pane.verbs.all
    pane.verbs.popup(window.mapToGlobal(window.rect().center()))
    action = next(action for action in menu.actions() if action.text() == "Bind disks…")
    with qtbot.waitSignal(session.asked):
        action.trigger()
    menu.close()


def test_that_another_message_stays_when_the_offer_is_gone(window: MainWindow) -> None:
    session = window.session
    session.open_design(planned_design("mirror:2x8TB"))
    session.receive(machine(FOUR))
    session.complain("The disk is full.")
    session.bind_disks()
    assert window.message.isVisible()
    assert window.message.text() == "The disk is full."


def test_that_the_way_back_from_other_disks_keeps_the_step_that_bound(session: Session) -> None:
    session.open_design(planned_design("mirror:2x8TB"))
    session.receive(machine(FOUR))
    session.bind_disks()
    session.sources.take_read(typed_disks("2 x 4TB"))
    session.take_back()
    assert [disk.path for disk in used(session)] == ["/dev/sda", "/dev/sdb"]
    session.undo_steps.undo()
    assert all(disk.planned for disk in used(session))
    assert there(session.inventory).name != "store"


def test_that_the_machine_that_waits_is_said_on_every_page_and_can_be_begun_with(window: MainWindow) -> None:
    session = window.session
    session.open_design(planned_design("mirror:2x8TB"))
    for page in ("disks", "workload"):
        window.show_page(page)
        session.receive(machine(FOUR))
        assert window.message.isVisible()
    press(shown(window.message, QPushButton, "New design with these"))
    assert session.design is None
    assert there(session.inventory).name == "store"


def test_that_the_ways_to_a_machine_elsewhere_are_on_the_tab(window: MainWindow, qtbot: QtBot) -> None:
    session = window.session
    session.open_design(planned_design("mirror:2x8TB"))
    for number, name in ((1, "hosts"), (2, "disks")):
        session.ask_binding()
        there(window.findChild(BindingPane)).ways[number].click()
        assert window.current_page() == name


def test_that_what_is_pasted_is_matched_and_typed_disks_are_not(window: MainWindow, qtbot: QtBot) -> None:
    session = window.session
    session.open_design(planned_design("raidz2:6x6TB", disks="6 x 6TB"))
    pane = part_of(window, BindingPane, "binding")
    pane.given.text.setPlainText("6 x 6TB")
    press(pane.given.button)
    assert "typed disks have no names" in window.message.text()
    pane.given.text.setPlainText(CAPTURE.read_text(encoding="utf-8"))
    qtbot.waitUntil(pane.given.button.isEnabled)
    press(pane.given.button)
    assert pane.state.text().startswith("All 6 disks matched.")


def test_that_nobody_is_led_to_the_pairs_who_sees_them(window: MainWindow, qtbot: QtBot) -> None:
    session = window.session
    session.open_design(planned_design("mirror:2x8TB"))
    window.show_page("design")
    session.receive(machine(FOUR))
    assert window.message.isVisible()
    pane = part_of(window, BindingPane, "binding")
    assert not window.message.isVisible()
    session.receive(machine(FOUR))
    assert not window.message.isVisible()
    press(pane.anew)
    assert session.design is None
