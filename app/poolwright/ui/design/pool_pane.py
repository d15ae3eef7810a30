"""The properties of the pool itself, each with its reason, and whether its disks leave room for replacements."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtWidgets import QCheckBox, QComboBox, QWidget

from poolwright.capacity.of_design import predict_pools
from poolwright.design.edits.reserve import can_have_slack, has_slack, with_reserve, with_slack
from poolwright.domain.as_built import data_keys, reserved_by_disk, total_bytes
from poolwright.domain.dataset_values import space_bytes
from poolwright.domain.design import Design, Setting
from poolwright.domain.errors import PoolwrightError, UserError
from poolwright.domain.inheritance import Effective
from poolwright.domain.pool_settings import (
    PoolSettings,
    effective_pool_settings,
    entered_pool_value,
    pool_properties,
    pool_value_problem,
    proposed_in,
    set_in,
    unset_in,
)
from poolwright.domain.rates import size_read
from poolwright.domain.reserve import (
    PURPOSE_WORDS,
    USUAL_BYTES,
    ReservedPartition,
    ReservePurpose,
    size_text,
    whole_mib,
)
from poolwright.domain.units import GIB, binary, parse_size
from poolwright.emit.partitions import reserved_words
from poolwright.judging import with_proposals
from poolwright.texts import marked, tell, tell_counted
from poolwright.ui.design.datasets.properties import PropertyColumn, PropertySheet, ValueDelegate, show_property
from poolwright.ui.design.dialog import FormDialog
from poolwright.ui.parts import lay
from poolwright.ui.parts.assumption_form import USUAL_RESERVES, usual_partitions
from poolwright.ui.parts.form import Field, Remark, Typed
from poolwright.ui.parts.lay import Complaint, ElidedLabel, ScrolledRows
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.state.session import Session


class _PoolValues(ValueDelegate):
    """Offers the words that a property of a pool takes."""

    def words_for(self, name: str) -> tuple[str, ...]:
        return next((known.words for known in pool_properties(self.version) if known.name == name), ())

    def read(self, name: str, text: str) -> str:
        """Return what a typed value means as a size; empty where it is none. Raises UserError."""
        size = space_bytes(entered_pool_value(name, text)) if name == "dedup_table_quota" else None
        return size_read(size) if size else ""


class PoolPane(PropertySheet):
    """A part of the design page. Every edit is a step that can be undone."""

    samples = ("dedup_table_quota", marked("backup of the office"), "default", "changed")
    example = "comment=backup"

    def __init__(self, session: Session, parent: QWidget) -> None:
        tip = tell("Leave it to OpenZFS (Delete)")
        super().__init__(tell("Properties of the pool"), tell("Default"), tip, _PoolValues(), parent)
        self.session = session
        self._shown: Design | None = None
        self.property_asked.connect(self._on_asked)
        self.propose_asked.connect(self._on_propose)
        self.why_asked.connect(self._show_why)
        self.pools = PoolChoice(tell("Pool whose properties are shown"), session, self.refresh, self)
        self.complaint = Complaint(tell("Why the pool was not changed"), self, small=True)
        self.failed.connect(self.complaint.say)
        self.slack = QCheckBox(tell("Leave room for slightly smaller &replacements"), self)
        self.slack.setToolTip(tell("Ends each disk with redundancy 2 GiB early: disks of one label differ by some MB."))
        self.slack.clicked.connect(self._on_slack)
        self.beside = lay.button(tell("Room &beside the data…"), self, self._on_beside)
        self.beside.setToolTip(tell("Partitions on each data disk that ZFS does not get: to start from, to swap."))
        self.reserved = lay.named(ElidedLabel(Tone.MUTED, self), tell("What is reserved beside the data"))
        self.column.insertLayout(0, lay.row(self.pools, self.slack, 1))
        self.column.insertLayout(1, lay.row(self.beside, (self.reserved, 1)))
        self.column.addWidget(self.complaint)

    def refresh(self) -> None:
        design = self._shown = self.session.design
        self.setEnabled(design is not None)
        pool = self.pools.show_pools()
        self.propose.setEnabled(self.session.rules is not None)
        self.reserved.show_text("; ".join(() if design is None else reserved_words(design)))
        self.slack.setEnabled(design is not None and can_have_slack(design))
        self.slack.setChecked(design is not None and has_slack(design))
        if pool is None:
            self.table.show_properties((), "")
        else:
            self.delegate.version = pool.version
            self.table.show_properties(effective_pool_settings(pool), pool.pool_name)
            if not self.view.currentIndex().isValid():
                self.view.setCurrentIndex(self.table.index(0, PropertyColumn.VALUE))
        self.show_selected()

    def _on_asked(self, name: str, value: str) -> None:
        """Set a property of the pool in front; an empty value leaves it to the default."""
        pool = self.pools.pool()
        if pool is None:
            return
        try:
            if value:
                value = entered_pool_value(name, value)
                problem = pool_value_problem(name, value, pool.version)
                if problem is not None:
                    raise UserError(problem, where=pool.pool_name)
                settings = set_in(pool.pool_settings, Setting(name=name, value=value))
                text = tell("Set {property} of {name}")
            else:
                settings = unset_in(pool.pool_settings, name)
                text = tell("Default {property} of {name}")
        except PoolwrightError as error:
            self.complaint.say(error.text)
            return
        self._put(settings, text.format(property=name, name=pool.pool_name))
        self.typed.clear()
        self.select(name)

    def _on_propose(self) -> None:
        pool = self.pools.pool()
        if pool is not None:
            proposed = with_proposals(replace(pool, pool_settings=()), self.session.rules).pool_settings
            text = tell("Proposals for {name}", name=pool.pool_name)
            self._put(proposed_in(pool.pool_settings, proposed), text)

    def _on_slack(self, on: bool) -> None:
        if self.session.design is not None:
            text = tell("Leave room for replacements") if on else tell("Use disks whole")
            self._change_design(with_slack(self.session.design, on=on), text)

    def _on_beside(self) -> None:
        design = self.session.design
        if design is not None:
            dialog = ReserveDialog(design, self)
            dialog.taken.connect(self._on_reserve)
            dialog.open()

    def _on_reserve(self, reserve: tuple[ReservedPartition, ...]) -> None:
        if self.session.design is not None:
            self._change_design(with_reserve(self.session.design, reserve), tell("Room beside the data"))

    def _show_why(self, item: Effective) -> None:
        pool = self.pools.pool()
        if pool is not None:
            show_property(item, "", pool.pool_name, self.session.rules, self)

    def _put(self, settings: PoolSettings, text: str) -> None:
        if self.session.design is not None:
            self._change_design(self.session.design.with_pool(self.pools.number, pool_settings=settings), text)

    def _change_design(self, design: Design, text: str) -> None:
        self.complaint.say("")
        self.session.change_design(design, text)
        if self._shown is not self.session.design:  # the page around has not refreshed it by now
            self.refresh()


# Asks what is to be reserved beside the data on the disks of a design, and tells what that costs while it is typed.

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
_PLAIN = Remark(text="")


class ReserveDialog(FormDialog):
    """Asks for one partition for each purpose that has a size."""

    def __init__(self, design: Design, parent: QWidget) -> None:
        super().__init__(tell("Room beside the data"), parent)
        self._design = design
        self._keys = data_keys(design)
        self.ok.setText(tell("Reserve"))
        area = ScrolledRows(tell("Room beside the data"), self)
        area.setWidget(self.form)
        self.form.setAutoFillBackground(False)
        self.show_fields(*self._fields(), holder=area)
        self.form.edited.connect(self._on_edited)
        self.resize(_WIDTH, min(_HEIGHT, parent.window().height()))
        self._show(design.reserve)
        self.tell()

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
        kept = any(p.disk_keys and self._count(p) == _KEPT for p in self._design.reserve)
        return ((0, every), *few, *(((_KEPT, tell("the disks that were named")),) if kept else ()))

    def _count(self, partition: ReservedPartition) -> int:
        """Return the number of first data disks that have a partition; 0 for all, `_KEPT` for others."""
        keys = partition.disk_keys
        return len(keys) if keys == self._keys[: len(keys)] and len(keys) < 5 else _KEPT

    def _show(self, reserve: Sequence[ReservedPartition]) -> None:
        for purpose in ReservePurpose:
            found = next((p.size_bytes for p in reserve if p.purpose is purpose), None)
            self.form.editor(purpose.value).show_value(found, Remark(text=tell(_HELP[purpose])), _example(purpose))
        last = any(p.last for p in reserve if p.purpose in _BEHIND)
        self.form.editor("place").show_value("last" if last else "first", _PLAIN, "")
        self.form.editor("on").show_value(self._count(reserve[0]) if reserve else 0, _PLAIN, "")

    def asked(self) -> tuple[ReservedPartition, ...]:
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
        if key != "preset":
            self.form.editor("preset").show_value("", _PLAIN, "")
            return
        texts = next(texts for name, _, texts in _PRESETS if name == value)
        if texts:
            kept = {name: self.form.value(name) for name in ("on", "place")}
            self._show(usual_partitions(texts))
            for name, chosen in kept.items():
                self.form.editor(name).show_value(chosen, _PLAIN, "")
            self.tell()

    def outcome(self) -> tuple[str, bool]:
        try:
            return self._effect(), True
        except PoolwrightError as error:
            return error.text, False

    def _effect(self) -> str:
        """Return what the fields come to; raises where they cannot be."""
        changed = with_reserve(self._design, self.asked())
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


def _title(purpose: ReservePurpose) -> str:
    words = tell(PURPOSE_WORDS[purpose])
    return words[:1].upper() + words[1:]


def _size(text: str) -> int:
    return whole_mib(parse_size(text, what=tell("size of the reserved partition")))


def _example(purpose: ReservePurpose) -> str:
    return tell("none, or {size}", size=binary(USUAL_BYTES.get(purpose, 8 * GIB)))


# Which of the design's pools a part of the page shows.


class PoolChoice(QComboBox):
    """Seen where a design has several pools; ``chosen`` is called when another one is taken."""

    def __init__(self, name: str, session: Session, chosen: Callable[[], object], parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self.setAccessibleName(name)
        self.currentIndexChanged.connect(chosen)

    @property
    def number(self) -> int:
        return max(0, self.currentIndex())

    def pool(self) -> Design | None:
        design = self._session.design
        return None if design is None else design.pools()[self.number]

    def show_pools(self) -> Design | None:
        design = self._session.design
        names = [] if design is None else [pool.pool_name for pool in design.pools()]
        if names != [self.itemText(number) for number in range(self.count())]:
            front = min(self.number, max(0, len(names) - 1))
            self.blockSignals(True)
            self.clear()
            self.addItems(names)
            self.setCurrentIndex(front)
            self.blockSignals(False)
        self.setVisible(len(names) > 1)
        return self.pool()
