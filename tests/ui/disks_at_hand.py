"""A machine of odd disks, and how the tests of the disks page find things on it."""

from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtTest import QTest
from tests.ui import controls
from tests.ui.controls import W

from poolwright.domain.disk import Disk, Health, LbaFormat, Media, Note, NoteLevel, Use, UseKind
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.host import Inventory
from poolwright.ui.disks.columns import DiskColumn
from poolwright.ui.disks.table import DiskTable
from poolwright.ui.disks.view import DiskView
from poolwright.ui.shell.main_window import MainWindow

LSBLK = Origin(kind=OriginKind.READ, source="lsblk on nas1")
SMART = Origin(kind=OriginKind.READ, source="smartctl on nas1", when="2026-11-20 10:12")


def hdd(number: int, **changes: object) -> Disk:
    facts: dict[str, object] = {
        "key": f"hdd{number}",
        "path": f"/dev/sd{'abcdefgh'[number]}",
        "by_id": (f"ata-WDC_WD40EFRX_WD-{number}", f"wwn-0x50014ee00000000{number}"),
        "model": "WDC WD40EFRX",
        "serial": f"WD-{number}",
        "size_bytes": 4_000_787_030_016,
        "logical_sector_bytes": 512,
        "physical_sector_bytes": 4096,
        "media": Media.HDD,
        "health": Health.GOOD,
        "power_on_hours": 1000 * number + 500,
        "origins": (("size_bytes", LSBLK), ("physical_sector_bytes", SMART)),
    }
    return Disk(**(facts | changes))  # type: ignore[arg-type]


NVME = Disk(
    key="nvme",
    path="/dev/nvme0n1",
    model="Fast 1T",
    serial="F<b>1",
    size_bytes=1_000_204_886_016,
    logical_sector_bytes=512,
    media=Media.NVME,
    lba_formats=(LbaFormat(data_bytes=512, current=True), LbaFormat(data_bytes=4096)),
    health=Health.SUSPECT,
    notes=(Note(text="formatted with 512-byte blocks and offers 4096"), Note(text="wear 91 %", level=NoteLevel.WARN)),
)
NAMELESS = Disk(key="odd", path="/dev/sdz")
MACHINE = Inventory(
    name="nas1",
    disks=(
        hdd(2),
        hdd(0),
        hdd(1, uses=(Use(kind=UseKind.MOUNTED, detail="/"), Use(kind=UseKind.BOOT))),
        NVME,
        NAMELESS,
    ),
    notes=(Note(text="smartctl is not installed: health is unknown", level=NoteLevel.WARN), Note(text="a remark")),
    origin=LSBLK,
)


def named(window: MainWindow, kind: type[W], name: str) -> W:
    return controls.named(window.page("disks"), kind, name)


def table(window: MainWindow) -> DiskTable:
    model = view(window).model()
    assert isinstance(model, DiskTable)
    return model


def view(window: MainWindow) -> DiskView:
    return named(window, DiskView, "Disks")


def index(window: MainWindow, key: str, column: DiskColumn = DiskColumn.DISK) -> QModelIndex:
    return table(window).index_of(key, column)


def cell(window: MainWindow, key: str, column: DiskColumn) -> str:
    return str(index(window, key, column).data())


def tick_box(window: MainWindow, at: QModelIndex) -> QPoint:
    """Return where the box of a line is, found by its checked look: left of the text."""
    where = view(window).visualRect(at)
    return QPoint(where.left() + 12, where.center().y())


def press(window: MainWindow, at: QPoint, *, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.mouseClick(view(window).viewport(), Qt.MouseButton.LeftButton, keys, at)
