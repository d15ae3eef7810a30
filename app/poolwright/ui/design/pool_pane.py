"""A pool of the design: its properties, each with its reason, and room beside its data."""

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtWidgets import QCheckBox, QWidget

from poolwright.capacity.pool import predict_pools
from poolwright.design.edits.reserve import can_have_slack, has_slack, reserve_of, with_reserve, with_slack
from poolwright.domain.as_built import data_keys, reserved_by_disk, total_bytes
from poolwright.domain.dataset_properties import space_bytes
from poolwright.domain.design import Design, Setting
from poolwright.domain.errors import PoolwrightError, UserError
from poolwright.domain.pool_settings import (
    PoolSettings,
    effective_pool_settings,
    entered_pool_value,
    pool_properties,
    pool_value_problem,
    with_proposed,
    with_setting,
    without_setting,
)
from poolwright.domain.rates import size_read
from poolwright.domain.reserve import ReservedPartition, parse_reserve, usual_reserves
from poolwright.domain.units import binary
from poolwright.emit.partitions import reserved_words
from poolwright.judging import with_proposals
from poolwright.texts import _, ngettext
from poolwright.ui.design.datasets.properties import PropertyColumn, PropertySheet, ValueDelegate
from poolwright.ui.parts import widgets
from poolwright.ui.parts.form import Field, FormDialog, Remark, Typed
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.parts.widgets import ChoiceBox, ElidedLabel
from poolwright.ui.state.session import Session


class _PoolValues(ValueDelegate):
    """Offers the words that a property of a pool takes."""

    def words_for(self, name: str) -> tuple[str, ...]:
        return next((known.words for known in pool_properties(self.version) if known.name == name), ())

    def words_of(self, name: str, text: str) -> str:
        """Return what a typed value means as a size; empty where it is none. Raises UserError."""
        size = space_bytes(entered_pool_value(name, text)) if name == "dedup_table_quota" else None
        return size_read(size) if size else ""


class PoolPane(PropertySheet):
    """A part of the design page. Every edit is a step that can be undone."""

    example = "comment=backup"

    def __init__(self, session: Session, parent: QWidget) -> None:
        tip = _("Leave it to OpenZFS (Delete)")
        super().__init__(session, _("Properties of the pool"), _("Default"), tip, _PoolValues(), parent)
        self._shown: Design | None = None
        self.property_asked.connect(self._on_asked)
        self.propose.clicked.connect(self._on_propose)
        self.pools = PoolChoice(_("Pool whose properties are shown"), session, self.refresh, self)
        self.failed.connect(self.complain)
        self.slack = QCheckBox(_("Room for smaller &replacements"), self)
        self.slack.setToolTip(_("Leaves the last 2 GiB of each disk unused: disks of one size differ by some MB."))
        self.slack.clicked.connect(self._on_slack)
        tip = _("Partitions on each data disk outside ZFS, to boot from or for swap.")
        self.reserve_button = widgets.button(_("Reserve &partitions…"), self, self._on_beside, tip=tip)
        self.reserved = widgets.named(ElidedLabel(Tone.MUTED, self), _("What is reserved"))
        self.column.insertLayout(0, widgets.row(self.pools, self.slack, (self.reserved, 1), self.reserve_button))

    def refresh(self) -> None:
        design = self._shown = self.session.design
        pool = self.pools.show_pools()
        if design is None or pool is None:
            return
        self.propose.setEnabled(self.session.rules is not None)
        self.reserved.show_text("; ".join(reserved_words(design)))
        self.slack.setEnabled(can_have_slack(design))
        self.slack.setChecked(has_slack(design))
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
                settings = with_setting(pool.pool_settings, Setting(name=name, value=value))
                text = _("Set {property} of {name}")
            else:
                settings = without_setting(pool.pool_settings, name)
                text = _("Default {property} of {name}")
        except PoolwrightError as error:
            self.complain(error.text)
            return
        self._put(settings, text.format(property=name, name=pool.pool_name))
        self.typed.clear()
        self.select(name)

    def _on_propose(self) -> None:
        pool = self.pools.pool()
        if pool is not None:
            proposed = with_proposals(replace(pool, pool_settings=()), self.session.rules).pool_settings
            text = _("Proposals for {name}", name=pool.pool_name)
            self._put(with_proposed(pool.pool_settings, proposed), text)

    def _on_slack(self, on: bool) -> None:
        if self.session.design is not None:
            text = _("Leave room for replacements") if on else _("Use disks whole")
            self._change_design(with_slack(self.session.design, on=on), text)

    def _on_beside(self) -> None:
        design = self.session.design
        if design is not None:
            dialog = ReserveDialog(design, self)
            dialog.taken.connect(self._on_reserve)
            dialog.open()

    def _on_reserve(self, reserve: tuple[ReservedPartition, ...]) -> None:
        if self.session.design is not None:
            self._change_design(with_reserve(self.session.design, reserve), _("Reserve partitions"))

    def _put(self, settings: PoolSettings, text: str) -> None:
        if self.session.design is not None:
            self._change_design(self.session.design.with_pool(self.pools.number, pool_settings=settings), text)

    def _change_design(self, design: Design, text: str) -> None:
        self.session.change_design(design, text)
        if self._shown is not self.session.design:  # the page around has not refreshed it by now
            self.refresh()


# Asks what is to be reserved beside the data on the disks of a design, and tells what that costs while it is typed.

Reserve = tuple[ReservedPartition, ...]
_LONGEST, _FIELD = 2000, 36 * GRID


class ReserveDialog(FormDialog):
    """Asks for the partitions in one line, as the budget page does; here some may be on a few disks only."""

    def __init__(self, design: Design, parent: QWidget) -> None:
        super().__init__(_("Reserve partitions"), parent)
        self._design = design
        self.ok.setText(_("Reserve"))
        usual = usual_reserves()
        self.show_fields(
            Field("preset", _("&As made by"), (((), _("as typed below")), *usual), width=_FIELD),
            Field("sizes", _("&Reserved"), Typed(self._read, self._written), longest=_LONGEST, width=_FIELD),
        )
        self.form.edited.connect(self._on_edited)
        self._show(design.reserve)

    def _show(self, reserve: Reserve) -> None:
        help_ = _("Such as esp=1GiB@2 (the first 2 disks) swap=8GiB:last; also bios, boot, raid, truenas, bare.")
        self.form.editor("sizes").show_value(reserve or None, Remark(text=help_), _("nothing"))
        self.tell()

    def _read(self, text: str) -> Reserve:
        return tuple(reserve_of(parse_reserve(part), self._design) for part in text.split())

    def _written(self, reserve: Reserve) -> str:
        return " ".join(f"{partition}{self._disks(partition.disk_keys)}" for partition in reserve)

    def _disks(self, keys: tuple[str, ...]) -> str:
        few = keys == data_keys(self._design)[: len(keys)]
        return "" if not keys else f"@{len(keys)}" if few else f"@{','.join(keys)}"

    def value(self) -> Reserve:
        return self.form.value("sizes") or ()

    def _on_edited(self, key: str, value: object) -> None:
        if key == "sizes":
            self.form.editor("preset").show_value((), Remark(text=""), "")
        elif isinstance(value, tuple) and value:
            self._show(value)

    def outcome(self) -> tuple[str, bool]:
        try:
            return self._effect(), True
        except PoolwrightError as error:
            return error.text, False

    def _effect(self) -> str:
        """Return what the fields come to; raises where they cannot be."""
        changed = with_reserve(self._design, self.value())
        reserved = reserved_by_disk(changed)
        if not reserved:
            return _("Nothing is reserved: ZFS gets whole disks.")
        most = max(total_bytes(partitions) for partitions in reserved.values())
        bare = replace(self._design, reserve=())
        space, without = (sum(p.available_bytes for p in predict_pools(one)) for one in (changed, bare))
        return ngettext(
            "{size} of {count} disk, which ZFS does not use. The pool holds {less} less: {space}.",
            "{size} of each of {count} disks, which ZFS does not use. The pool holds {less} less: {space}.",
            len(reserved),
            size=binary(most),
            space=binary(space),
            less=binary(without - space),
        )


# Which of the design's pools a part of the page shows.


class PoolChoice(ChoiceBox):
    """Seen where a design has several pools; ``chosen`` is called when another one is taken."""

    def __init__(self, name: str, session: Session, chosen: Callable[[], object], parent: QWidget) -> None:
        super().__init__(parent, name)
        self._session = session
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
        self.offer(((name, at) for at, name in enumerate(names)), min(self.number, len(names) - 1))
        self.setVisible(len(names) > 1)
        return self.pool()
