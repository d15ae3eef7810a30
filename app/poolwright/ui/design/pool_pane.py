"""The properties of the pool itself, each with its reason, and whether its disks leave room for replacements."""

from dataclasses import replace

from PySide6.QtWidgets import QCheckBox, QWidget

from poolwright.design.edits.reserve import with_reserve
from poolwright.design.edits.slack import can_have_slack, has_slack, with_slack
from poolwright.domain.dataset_values import space_bytes
from poolwright.domain.design import Design, Setting
from poolwright.domain.errors import PoolwrightError, UserError
from poolwright.domain.pool_properties import entered_pool_value, pool_value_problem
from poolwright.domain.pool_settings import (
    PoolSettings,
    effective_pool_settings,
    pool_properties,
    proposed_in,
    set_in,
    unset_in,
    with_pool_settings,
)
from poolwright.domain.read_back import size_read
from poolwright.domain.reserve import ReservedPartition
from poolwright.emit.reserved import reserved_words
from poolwright.judging import with_proposals
from poolwright.texts import marked, tell
from poolwright.ui.design.datasets.property_sheet import PropertyColumn, PropertySheet, PropertyWords, ValueDelegate
from poolwright.ui.design.datasets.why_property import show_property
from poolwright.ui.design.pool_choice import PoolChoice
from poolwright.ui.design.reserve_dialog import ReserveDialog
from poolwright.ui.parts import lay
from poolwright.ui.parts.elided_label import ElidedLabel
from poolwright.ui.parts.labels import Complaint
from poolwright.ui.parts.theme import Tone
from poolwright.ui.state.session import Session

_SAMPLES = {
    PropertyColumn.NAME: "dedup_table_quota",
    PropertyColumn.VALUE: marked("backup of the office"),
    PropertyColumn.SOURCE: "default",
    PropertyColumn.CHANGED: "changed",
}


class _PoolValues(ValueDelegate):
    """Offers the words that a property of a pool takes."""

    def words_for(self, name: str) -> tuple[str, ...]:
        """Return the values to choose from; others can be typed."""
        return next((known.words for known in pool_properties(self.version) if known.name == name), ())

    def read(self, name: str, text: str) -> str:
        """Return what a typed value means as a size; empty where it is none. Raises UserError."""
        size = space_bytes(entered_pool_value(name, text)) if name == "dedup_table_quota" else None
        return size_read(size) if size else ""


class PoolPane(PropertySheet):
    """A part of the design page. Every edit is a step that can be undone."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        words = PropertyWords(
            table=tell("Properties of the pool"),
            told=tell("Why the selected property of the pool has its value"),
            typed=tell("Set a property of the pool by name"),
            leave=tell("Default"),
            leave_tip=tell("Leave it to OpenZFS (Delete)"),
            example="comment=backup",
        )
        super().__init__(words, _PoolValues(), _SAMPLES, parent)
        self.session = session
        self._shown: Design | None = None
        self.property_asked.connect(self._on_asked)
        self.propose_asked.connect(self._on_propose)
        self.why_asked.connect(self._show_why)
        self.pools = PoolChoice(tell("Pool whose properties are shown"), session, self.refresh, self)
        self.complaint = Complaint(tell("Why the pool was not changed"), self, small=True)
        self.failed.connect(self.complaint.say)
        self.slack = QCheckBox(tell("Leave room for slightly smaller &replacements"), self)
        self.slack.setToolTip(
            tell(
                "Ends each disk with redundancy 2 GiB before the agreed size of its label, in a partition: disks of "
                "one label differ by some MB, and a replacement must not be smaller."
            )
        )
        self.slack.clicked.connect(self._on_slack)
        self.beside = lay.button(tell("Room &beside the data…"), self, self._on_beside)
        self.reserved = ElidedLabel(Tone.MUTED, self)
        self.reserved.setAccessibleName(tell("What is reserved beside the data"))
        self.column.insertLayout(0, lay.row(self.pools, self.slack, 1))
        self.column.insertLayout(1, lay.row(self.beside, (self.reserved, 1)))
        self.column.addWidget(self.complaint)

    def refresh(self) -> None:
        design = self._shown = self.session.design
        self.setEnabled(design is not None)
        pool = self.pools.show_pools()
        self.propose.setEnabled(self.session.rules is not None)
        self._show_slack(design)
        if pool is None:
            self.table.show_properties((), "")
        else:
            self.delegate.version = pool.version
            self.table.show_properties(effective_pool_settings(pool), pool.pool_name)
            if not self.view.currentIndex().isValid():
                self.view.setCurrentIndex(self.table.index(0, PropertyColumn.VALUE))
        self.show_selected()

    def _show_slack(self, design: Design | None) -> None:
        words = () if design is None else reserved_words(design)
        self.reserved.show_text("; ".join(words))
        self.beside.setToolTip(
            "\n".join(words)
            or tell("Partitions on each data disk that ZFS does not get: to start from, to swap, or left empty.")
        )
        self.slack.setEnabled(design is not None and can_have_slack(design))
        self.slack.setChecked(design is not None and has_slack(design))

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
        self.typed_taken()
        self.select(name)

    def _on_propose(self) -> None:
        pool = self.pools.pool()
        if pool is not None:
            proposed = with_proposals(replace(pool, pool_settings=()), self.session.rules).pool_settings
            text = tell("Proposals for {name}", name=pool.pool_name)
            self._put(proposed_in(pool.pool_settings, proposed), text)

    def _on_slack(self, on: bool) -> None:
        design = self.session.design
        if design is None:
            return
        text = tell("Leave room for replacements") if on else tell("Use disks whole")
        self.session.change_design(with_slack(design, on=on), text)
        self._show_slack(self.session.design)

    def _on_beside(self) -> None:
        design = self.session.design
        if design is not None:
            dialog = ReserveDialog(design, self)
            dialog.chosen.connect(self._on_reserve)
            dialog.open()

    def _on_reserve(self, reserve: tuple[ReservedPartition, ...]) -> None:
        design = self.session.design
        if design is None:
            return
        try:
            changed = with_reserve(design, reserve)
        except PoolwrightError as error:
            self.complaint.say(error.text)
            return
        self.session.change_design(changed, tell("Room beside the data"))
        self._show_slack(self.session.design)

    def _show_why(self, _name: str) -> None:
        item, pool = self.current(), self.pools.pool()
        if item is not None and pool is not None:
            show_property(item, "", pool.pool_name, self.session.rules, self)

    def _put(self, settings: PoolSettings, text: str) -> None:
        design = self.session.design
        self.complaint.say("")
        if design is not None:
            self.session.change_design(with_pool_settings(design, self.pools.number, settings), text)
            if self._shown is not self.session.design:  # the page around has not refreshed it by now
                self.refresh()
