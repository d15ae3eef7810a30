"""Asks what is to be reserved beside the data on the disks of a design, and tells what that costs while it is typed."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFrame, QScrollArea, QWidget

from poolwright.capacity.of_design import predict_pools
from poolwright.design.edits.reserve import with_reserve
from poolwright.domain.as_built import data_keys, reserved_by_disk, total_bytes
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.read_back import size_read
from poolwright.domain.reserve import (
    PURPOSE_WORDS,
    USUAL_BYTES,
    ReservedPartition,
    ReservePurpose,
    size_text,
    whole_mib,
)
from poolwright.domain.units import GIB, binary, parse_size
from poolwright.texts import marked, tell, tell_counted
from poolwright.ui.parts import lay
from poolwright.ui.parts.form import Field, Form, Remark, Typed
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.save_file import keep_size
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.parts.usual_reserves import USUAL_RESERVES, usual_partitions

_WIDTH, _HEIGHT = 94 * GRID, 68 * GRID
_FIELD = 22 * GRID
_BEHIND = (ReservePurpose.SWAP, ReservePurpose.RAID)  # where the place is chosen; what starts the machine lies in front
_HELP = {
    ReservePurpose.BIOS: marked("GRUB, where the machine starts without UEFI"),
    ReservePurpose.ESP: marked("firmware starts from it"),
    ReservePurpose.BOOT: marked("kernels on a file system of their own"),
    ReservePurpose.SWAP: marked("nothing mirrors it"),
    ReservePurpose.RAID: marked("md mirrors it, for swap or /boot"),
    ReservePurpose.BARE: marked("no partition: room at the end"),
    ReservePurpose.TRUENAS: marked("up to SCALE 24.04.0"),
}
_PRESETS = (("", marked("as typed below"), ()), *USUAL_RESERVES)
_KEPT = -1  # the disks that were named before


class ReserveDialog(QDialog):
    """``chosen`` carries what is reserved: one partition for each purpose that has a size."""

    chosen = Signal(object)

    def __init__(self, design: Design, parent: QWidget) -> None:
        super().__init__(parent)
        self._design = design
        self._keys = data_keys(design)
        self.setWindowTitle(tell("Room beside the data"))
        self.setAccessibleName(self.windowTitle())
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.form = Form(self)
        self.form.add(*self._fields())
        self.form.edited.connect(self._on_edited)
        self.told = ToneLabel("", Tone.TEXT, self)
        self.told.setAccessibleName(tell("What comes of it"))
        self.told.setMinimumHeight(6 * GRID)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel, self
        )
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setText(tell("Reserve"))
        self.buttons.accepted.connect(self._take)
        self.buttons.rejected.connect(self.reject)
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.viewport().setAutoFillBackground(False)
        area.setWidget(self.form)
        self.form.setAutoFillBackground(False)
        lay.column((area, 1), self.told, self.buttons, of=self, around=2 * GRID)
        keep_size(self)
        self.resize(_WIDTH, min(_HEIGHT, parent.window().height()))
        self._show(design.reserve)
        self._tell()

    def _fields(self) -> tuple[Field, ...]:
        how = Typed(_size, shown=size_text, told=size_read)
        presets = tuple((key, tell(title)) for key, title, _ in _PRESETS)
        sizes = tuple(Field(p.value, _title(p), how, empty=_example(p), width=_FIELD) for p in ReservePurpose)
        places = (("first", tell("in front of the data")), ("last", tell("at the end")))
        return (
            Field("preset", tell("&As made by"), presets, width=_FIELD),
            *sizes,
            Field("place", tell("S&wap and array lie"), places, width=_FIELD),
            Field("on", tell("&On"), self._choices(), width=_FIELD),
        )

    def _choices(self) -> tuple[tuple[object, str], ...]:
        """Return on which disks: all data disks, the first few, or those named before."""
        few = tuple(
            (count, tell_counted("the first data disk", "the first {count} data disks", count))
            for count in range(1, min(5, len(self._keys)))
        )
        every = tell_counted("the only data disk", "all {count} data disks", len(self._keys))
        if any(p.disk_keys and self._count(p) == _KEPT for p in self._design.reserve):
            return ((0, every), *few, (_KEPT, tell("the disks that were named")))
        return ((0, every), *few)

    def _count(self, partition: ReservedPartition) -> int:
        """Return the number of first data disks that have a partition; 0 for all, `_KEPT` for others."""
        keys = partition.disk_keys
        return len(keys) if keys == self._keys[: len(keys)] and len(keys) < 5 else _KEPT

    def _show(self, reserve: Sequence[ReservedPartition]) -> None:
        for purpose in ReservePurpose:
            found = next((p.size_bytes for p in reserve if p.purpose is purpose), None)
            self.form.editor(purpose.value).show_value(found, Remark(text=tell(_HELP[purpose])), _example(purpose))
        last = any(p.last for p in reserve if p.purpose in _BEHIND)
        plain = Remark(text="")
        self.form.editor("place").show_value("last" if last else "first", plain, "")
        self.form.editor("on").show_value(self._count(reserve[0]) if reserve else 0, plain, "")

    def reserve(self) -> tuple[ReservedPartition, ...]:
        """Return what the fields ask for; they show the first of each purpose, and the others stay as they are."""
        count, before = self.form.value("on"), {p.purpose: p for p in reversed(self._design.reserve)}
        found: list[ReservedPartition] = []
        for purpose in ReservePurpose:
            size = self.form.value(purpose.value)
            if size is None:
                continue
            keys = self._keys[:count] if count > 0 else ()
            if count == _KEPT and purpose in before:
                keys = before[purpose].disk_keys
            last = purpose in _BEHIND and self.form.value("place") == "last"
            found.append(ReservedPartition(purpose=purpose, size_bytes=size, last=last, disk_keys=keys))
            found += [p for p in self._design.reserve if p.purpose is purpose and p is not before[purpose]]
        return tuple(found)

    def _on_edited(self, key: str, value: object) -> None:
        if key == "preset":
            asked = next(texts for name, _, texts in _PRESETS if name == value)
            if asked:
                count, place = self.form.value("on"), self.form.value("place")
                self._show(usual_partitions(asked))
                self.form.editor("on").show_value(count, Remark(text=""), "")
                self.form.editor("place").show_value(place, Remark(text=""), "")
        else:
            self.form.editor("preset").show_value("", Remark(text=""), "")
        self._tell()

    def _tell(self) -> None:
        try:
            text, possible = self._effect(), True
        except PoolwrightError as error:
            text, possible = error.text, False
        self.told.setText(text)
        self.told.set_tone(Tone.TEXT if possible else Tone.BLOCK)
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(possible and not self.form.unread())

    def _effect(self) -> str:
        """Return what the fields come to; raises where they cannot be."""
        changed = with_reserve(self._design, self.reserve())
        reserved = reserved_by_disk(changed)
        bare = replace(self._design, reserve=())
        if not reserved:
            return tell("Nothing is reserved: ZFS gets the disks whole.")
        most = max(total_bytes(partitions) for partitions in reserved.values())
        space, without = (sum(p.available_bytes for p in predict_pools(one)) for one in (changed, bare))
        return tell_counted(
            "{size} of {count} disk, which ZFS does not use. The pool holds {less} less: {space}.",
            "{size} of each of {count} disks, which ZFS does not use. The pool holds {less} less: {space}.",
            len(reserved),
            size=binary(most),
            space=binary(space),
            less=binary(without - space),
        )

    def _take(self) -> None:
        reserve = self.reserve()
        self.accept()
        self.chosen.emit(reserve)


def _title(purpose: ReservePurpose) -> str:
    words = tell(PURPOSE_WORDS[purpose])
    return words[:1].upper() + words[1:]


def _size(text: str) -> int:
    return whole_mib(parse_size(text, what=tell("size of the reserved partition")))


def _example(purpose: ReservePurpose) -> str:
    return tell("none, or {size}", size=binary(USUAL_BYTES.get(purpose, 8 * GIB)))
