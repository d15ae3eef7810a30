"""The datasets of the design: the tree with what each takes, the properties of one of them, and the sum."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import IntEnum

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QLabel, QLineEdit, QPushButton, QSizePolicy, QWidget

from poolwright.capacity.of_design import predict_design
from poolwright.capacity.pool import PoolCapacity
from poolwright.domain import dataset_edits as edits
from poolwright.domain.dataset_properties import dataset_property
from poolwright.domain.dataset_values import entered_value, space_bytes, value_problem
from poolwright.domain.design import Dataset, Design, Setting
from poolwright.domain.encryption import lacks_key
from poolwright.domain.errors import PoolwrightError, UserError
from poolwright.domain.inheritance import Resolver, all_datasets, effective_settings
from poolwright.domain.names import check_dataset_name
from poolwright.domain.units import KIB, binary
from poolwright.emit.names import check_setting
from poolwright.predict.assessment import growth_of
from poolwright.predict.space import VOLUME_BLOCKS, PoolSpace, VolumeBlock, predict_space, volume_blocks
from poolwright.rules.dataset_plan import volume_block_bytes
from poolwright.rules.propose import proposals_for
from poolwright.texts import tell
from poolwright.ui.design.datasets.properties import DatasetProperties
from poolwright.ui.design.datasets.summary import SpaceSummary, ask_key
from poolwright.ui.design.datasets.tree import DatasetRow, DatasetTree, DatasetView
from poolwright.ui.design.datasets.why_property import (
    LINE_HEIGHT,
    DatasetFields,
    HoldsChoice,
    SizeField,
    parse_data,
    parse_volume,
    read_data,
    read_volume,
    show_property,
)
from poolwright.ui.design.datasets.words import bill_words, dataset_notes, full_name
from poolwright.ui.design.pool_pane import PoolChoice
from poolwright.ui.parts import lay
from poolwright.ui.parts.lay import Complaint, ToneLabel
from poolwright.ui.parts.panes import Panes, Place
from poolwright.ui.parts.table import RowModel, TableColumn, plain_table
from poolwright.ui.parts.theme import GRID, Tone, text_font
from poolwright.ui.parts.understood import Understood
from poolwright.ui.state.money_of_budget import money_words
from poolwright.ui.state.session import Session

_SIDE_BY_SIDE_FROM = 1100


class DatasetsPane(QWidget):
    """A part of the design page. Every edit is a step that can be undone."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._space: PoolSpace | None = None
        self._capacity: PoolCapacity | None = None
        self._problem = ""
        self._shown: Design | None = None
        self.tree = DatasetTree(self)
        self.tree.renamed.connect(self._on_renamed)
        self.view = DatasetView(self.tree, self)
        self._connect_view()
        self.add_form = AddForm(self)
        self.add_form.wanted.connect(self._on_wanted)
        self.add_form.left.connect(self._focus_tree)
        self.complaint = Complaint(tell("Why the last change was not made"), self, small=True)
        self.facts = DatasetFields(self)
        self.blocks = VolumeBlocksPane(self)
        self.blocks.chosen.connect(self._on_block)
        self.properties = DatasetProperties(self)
        self._connect_parts()
        self.summary = SpaceSummary(self)
        self._arrange()

    def _arrange(self) -> None:
        overview = QWidget(self)
        lay.column(self._make_head(), self.add_form, (self.view, 1), self.facts, self.blocks, of=overview)
        self.panes = Panes(tell("Views of the datasets"), _SIDE_BY_SIDE_FROM, self)
        self.panes.add(tell("What each takes"), overview, Place(column=0, column_stretch=1))
        self.panes.add(tell("Properties"), self.properties, Place(column=1, column_stretch=1))
        lay.column((self.panes, 1), self.complaint, self.summary, of=self)

    def _connect_view(self) -> None:
        self.view.selected.connect(self._on_selected)
        self.view.add_filesystem.connect(self._on_add_filesystem)
        self.view.add_volume.connect(self._on_add_volume)
        self.view.remove.connect(self._on_delete)

    def _make_head(self) -> QHBoxLayout:
        self.pools = PoolChoice(tell("Pool"), self.session, self.refresh, self)
        filesystem = lay.button(tell("Add filesystem"), self, self._on_add_filesystem, icon="add")
        volume = lay.button(tell("Add volume"), self, self._on_add_volume, icon="add")
        self._rename = lay.button(tell("Rename"), self, self.view.edit_name, icon="rename")
        self._delete = lay.button(tell("Delete"), self, self._on_delete, icon="delete")
        return lay.row(self.pools, filesystem, volume, self._rename, self._delete, 1)

    def _connect_parts(self) -> None:
        self.facts.data_entered.connect(self._on_data)
        self.facts.size_entered.connect(self._on_size)
        self.facts.holds_chosen.connect(self._on_holds)
        self.facts.failed.connect(self.complaint.say)
        self.properties.property_asked.connect(self._on_property)
        self.properties.propose_asked.connect(self._on_propose)
        self.properties.why_asked.connect(self._on_why)
        self.properties.chosen.connect(self.select)
        self.properties.failed.connect(self.complaint.say)

    def refresh(self) -> None:
        design = self._shown = self.session.design
        self.setEnabled(design is not None)
        pool = self.pools.show_pools()
        if design is None or pool is None:
            self.tree.show_rows("", ())
            self._show_selected()
            self.summary.show_space(None, None, tell("There is no pool yet."))
            return
        self._space = self._work_out(pool)
        selected = self.selected_name()
        of = {item.dataset.name: item for item in self._space.datasets} if self._space is not None else {}
        resolver = Resolver(pool)
        rows = [DatasetRow(dataset=d, settings=resolver.written(d), space=of.get(d.name)) for d in all_datasets(pool)]
        if self.tree.show_rows(pool.pool_name, rows):
            self.view.expandAll()
        self.properties.show_names([(r.dataset.name, full_name(pool.pool_name, r.dataset.name)) for r in rows])
        self.select(selected if selected is not None else "")
        self.summary.show_space(self._space, growth_of(design, self.session.expectations.assumed), self._problem)
        self._show_selected()

    def selected_name(self) -> str | None:
        """Return the name of the selected dataset, '' for the root; None where nothing is selected."""
        return self.view.name()

    def select(self, name: str) -> None:
        """Select a dataset, the nearest one above it where it is gone."""
        self.view.select(name)

    def _work_out(self, pool: Design) -> PoolSpace | None:
        """Return the space of the pool, or None with the problem noted."""
        self._problem, self._capacity = "", None
        try:
            assessment = self.session.assessment
            known = assessment.capacity if self.pools.number == 0 and assessment is not None else None
            price = self.session.expectations.assumed.price
            if price is not None:  # as the costs have it: what was entered there goes before the budget's
                pool = replace(pool, budget=replace(pool.budget, price_per_disk=price))
            self._capacity = known if known is not None else predict_design(pool)
            return predict_space(pool, self._capacity)
        except PoolwrightError as error:
            self._problem = error.text
            return None

    def _show_selected(self) -> None:
        pool, dataset = self.pools.pool(), self._selected()
        self.facts.setVisible(dataset is not None)
        self.properties.setEnabled(dataset is not None)
        self._rename.setEnabled(bool(dataset and dataset.name))
        self._delete.setEnabled(bool(dataset and dataset.name))
        if pool is None or dataset is None:
            self.blocks.hide()
            return
        space = None if self._space is None else self._space.of(dataset.name)
        notes: tuple[tuple[str, Tone], ...] = ((self._problem, Tone.WARN),) if self._problem else ()
        if space is not None:
            money = "" if space.waste_money is None else money_words(space.waste_money)
            notes = dataset_notes(space, bill_words(space, money))
        self.facts.show_dataset(dataset, notes)
        settings = effective_settings(pool, dataset)
        block = next((space_bytes(e.value) for e in settings if e.name == "volblocksize"), None)
        self.blocks.show_blocks(self._capacity if dataset.volume_bytes is not None else None, block)
        self.properties.show_dataset(
            dataset.name, settings, pool_name=pool.pool_name, version=pool.version, rules=self.session.rules is not None
        )

    def _selected(self) -> Dataset | None:
        pool, name = self.pools.pool(), self.selected_name()
        if pool is None or name is None:
            return None
        return next((d for d in all_datasets(pool) if d.name == name), None)

    def _on_selected(self) -> None:
        self.complaint.say("")
        self._show_selected()

    def _focus_tree(self) -> None:
        self.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_add_filesystem(self) -> None:
        self.add_form.begin(volume=False, name=self._place_for_new())

    def _on_add_volume(self) -> None:
        self.add_form.begin(volume=True, name=self._place_for_new())

    def _place_for_new(self) -> str:
        """Return how the name of a new dataset begins: below the selected one, or beside it where it is a volume."""
        dataset = self._selected()
        if dataset is None or not dataset.name:
            return ""
        above = dataset.name.rpartition("/")[0] if dataset.volume_bytes is not None else dataset.name
        return f"{above}/" if above else ""

    def _on_wanted(self, dataset: Dataset) -> None:
        pool = self.pools.pool()
        if pool is None:
            return
        try:
            check_dataset_name(pool.pool_name, dataset.name)
            datasets = edits.add(pool.datasets, dataset)
            datasets = edits.change(datasets, self._proposed(replace(pool, datasets=datasets), dataset))
        except PoolwrightError as error:
            self.add_form.complain(error.text)
            return
        self.add_form.hide()
        self._put(datasets, tell("Add {name}", name=dataset.name))
        self._say_without_rules()
        self.select(dataset.name)
        self._focus_tree()

    def _on_renamed(self, old: str, new: str) -> None:
        pool = self.pools.pool()
        if pool is None:
            return
        try:
            check_dataset_name(pool.pool_name, new)
            # A parent that nobody wrote down is written down to be moved.
            datasets = pool.datasets
            if edits.find(datasets, old) is None:
                datasets = edits.change(datasets, Dataset(name=old))
            datasets = edits.rename(datasets, old, new)
        except PoolwrightError as error:
            self.complaint.say(error.text)
            return
        self._put(datasets, tell("Rename {name}", name=old))
        self.select(new)

    def _on_delete(self) -> None:
        pool, name = self.pools.pool(), self.selected_name()
        if pool is not None and name:
            self._put(edits.remove(pool.datasets, name), tell("Delete {name}", name=name))

    def _on_data(self, value: object) -> None:
        data = value if isinstance(value, int) else None
        self._change_selected(tell("Data of {name}"), logical_bytes=data)

    def _on_size(self, value: object) -> None:
        if isinstance(value, int):
            self._change_selected(tell("Size of {name}"), volume_bytes=value)

    def _change_selected(self, text: str, **changes: int | None) -> None:
        pool, dataset = self.pools.pool(), self._selected()
        if pool is not None and dataset is not None:
            changed = replace(dataset, **changes)  # type: ignore[arg-type]
            self._put(edits.change(pool.datasets, changed), text.format(name=full_name(pool.pool_name, dataset.name)))

    def _on_holds(self) -> None:
        self._propose(tell("What {name} holds"), workload=True)

    def _on_propose(self) -> None:
        self._propose(tell("Proposals for {name}"), workload=False)

    def _propose(self, text: str, *, workload: bool) -> None:
        pool, dataset = self.pools.pool(), self._selected()
        if pool is None or dataset is None:
            return
        wanted = replace(dataset, workload=self.facts.holds.workload()) if workload else dataset
        try:
            wanted = self._proposed(pool, wanted)
        except PoolwrightError as error:
            self.complaint.say(error.text)
            return
        self._put(edits.change(pool.datasets, wanted), text.format(name=full_name(pool.pool_name, dataset.name)))
        self._say_without_rules()

    def _say_without_rules(self) -> None:
        """Tell that nothing was proposed because there are no rules to do it."""
        if self.session.rules is None:
            why = self.session.rules_problem or tell("the rules are still being loaded")
            self.complaint.say(tell("No properties were proposed: {why}. Press Propose later.", why=why))

    def _proposed(self, pool: Design, dataset: Dataset) -> Dataset:
        """Return the dataset with what the rules propose for it; as it is while there are no rules."""
        book = self.session.rules
        if book is None:
            return dataset
        return edits.propose(dataset, [found.setting for found in proposals_for(book, pool, dataset)])

    def _on_block(self, size: str) -> None:
        self._on_property("volblocksize", size)

    def _on_property(self, name: str, value: str) -> None:
        pool, dataset = self.pools.pool(), self._selected()
        if pool is None or dataset is None:
            return
        where = full_name(pool.pool_name, dataset.name)
        try:
            if value:
                value = entered_value(name, value, pool.version)
                check_setting(name, value, where=where)
                problem = value_problem(name, value, pool.version, volume=dataset.volume_bytes is not None)
                if problem is not None:
                    raise UserError(problem, where=where)
                datasets = edits.set_property(pool.datasets, dataset.name, Setting(name=name, value=value))
                if name == "encryption" and lacks_key(replace(pool, datasets=datasets), dataset.name):
                    ask_key(pool, dataset.name, value, self).chosen.connect(self._on_key)
                    return
                text = tell("Set {property} of {name}")
            else:
                datasets = edits.inherit(pool.datasets, dataset.name, name)
                text = tell("Inherit {property} of {name}")
        except PoolwrightError as error:
            self.complaint.say(error.text)
            return
        self._put(datasets, text.format(property=name, name=where))
        self.properties.typed_taken()
        if value and dataset_property(name, pool.version) is None:
            self.properties.keep_only_set(only=True)  # one's own stand at the very end
        self.properties.select(name)

    def _on_key(self, key: tuple[Setting, ...]) -> None:
        """Encrypt the selected dataset with the key that the dialog asked for, in one step."""
        pool, dataset = self.pools.pool(), self._selected()
        if pool is None or dataset is None:
            return
        where = full_name(pool.pool_name, dataset.name)
        self._put(edits.set_properties(pool.datasets, dataset.name, key), tell("Encrypt {name}", name=where))
        self.properties.typed_taken()
        self.properties.select("encryption")

    def _on_why(self, name: str) -> None:
        pool, dataset = self.pools.pool(), self._selected()
        if pool is None or dataset is None:
            return
        found = next((e for e in effective_settings(pool, dataset) if e.name == name), None)
        if found is not None:
            show_property(found, dataset.name, pool.pool_name, self.session.rules, self)

    def _put(self, datasets: edits.Datasets, text: str) -> None:
        design = self.session.design
        self.complaint.say("")
        if design is not None:
            self.session.change_design(design.with_pool(self.pools.number, datasets=datasets), text)
            if self._shown is not self.session.design:  # the page around has not refreshed it by now
                self.refresh()


# The line in which a new filesystem or volume is described before it is added.


class AddForm(QWidget):
    """Hidden until `begin`. ``wanted`` sends the `Dataset` described, ``left`` that somebody thought better of it."""

    wanted = Signal(object)
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._volume = False
        grid = lay.grid(of=self, gap=(GRID, GRID // 2))
        self.name = QLineEdit(self)
        self.name.setAccessibleName(tell("Name of the new dataset"))
        self.name.setMinimumHeight(LINE_HEIGHT)
        self.name.setMaxLength(255)
        self.holds = HoldsChoice(tell("What the new dataset holds"), self)
        self.volume_size = SizeField(tell("Size of the new volume"), parse_volume, str, self)
        self.volume_size.setPlaceholderText(tell("such as 100 GiB"))
        self.data = SizeField(tell("Data in the new dataset"), parse_data, str, self)
        self.data.setPlaceholderText(tell("unknown"))
        self._size_label = QLabel(tell("Size"), self)
        fields: tuple[tuple[QLabel, QWidget], ...] = (
            (QLabel(tell("Name"), self), self.name),
            (QLabel(tell("Holds"), self), self.holds),
            (self._size_label, self.volume_size),
            (QLabel(tell("Data"), self), self.data),
        )
        for column, (label, field) in enumerate(fields):
            label.setBuddy(field)
            grid.addWidget(label, 0, column)
            grid.addWidget(field, 1, column)
            grid.setColumnStretch(column, 3 if column == 0 else 2)
        self._size_read = Understood(self.volume_size, read_volume, self, lines=2)
        grid.addWidget(self._size_read, 2, 0, 1, 2)
        grid.addWidget(Understood(self.data, read_data, self, lines=2), 2, 2, 1, 2)
        grid.addLayout(self._make_buttons(), 3, 0, 1, 4)
        self.hide()

    def _make_buttons(self) -> QHBoxLayout:
        self.problem = ToneLabel("", Tone.BLOCK, self, small=True)
        self.problem.setAccessibleName(tell("What is wrong with the new dataset"))
        self._add = lay.button(tell("Add"), self, self._on_add, icon="add")
        return lay.row((self.problem, 1), self._add, lay.button(tell("Cancel"), self, self.leave, icon="cancel"))

    def begin(self, *, volume: bool, name: str) -> None:
        """Ask for a filesystem or a volume, ``name`` to begin with."""
        self._volume = volume
        self.name.setText(name)
        self.volume_size.clear()
        self.data.clear()
        self.holds.show_workload(None)
        self.problem.setText("")
        self.volume_size.setVisible(volume)
        self._size_label.setVisible(volume)
        self._size_read.setVisible(volume)
        self._add.setText(tell("Add volume") if volume else tell("Add filesystem"))
        self.show()
        self.name.setFocus(Qt.FocusReason.OtherFocusReason)
        self.name.setCursorPosition(len(name))

    def complain(self, text: str) -> None:
        """Say why what is described cannot be added."""
        self.problem.setText(text)

    def leave(self) -> None:
        self.hide()
        self.left.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.leave()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not self._add_or_cancel_focused():
            self._on_add()
        else:
            super().keyPressEvent(event)

    def _add_or_cancel_focused(self) -> bool:
        return isinstance(self.focusWidget(), QPushButton)

    def _on_add(self) -> None:
        try:
            size, data = (self.volume_size.read() if self._volume else None), self.data.read()
        except PoolwrightError as error:
            self.complain(error.text)
            return
        dataset = Dataset(
            name=self.name.text().strip().strip("/"),
            volume_bytes=size if isinstance(size, int) else None,
            logical_bytes=data if isinstance(data, int) else None,
            workload=self.holds.workload(),
        )
        self.wanted.emit(dataset)


# The choice of a volume's block size, beside what each of them takes and wastes on this pool.

_ROW = 2 * GRID + 4
_FRAME = 4
_LEAST_ROWS = 3  # in a small window


class BlockColumn(IntEnum):
    BLOCK = 0
    TAKES = 1
    STORED = 2
    WASTED = 3
    RESERVES = 4


class VolumeBlockTable(RowModel[VolumeBlock]):
    """A row for each usual volblocksize, the one in force in bold."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__((), parent)
        self._current: int | None = None

    def show_blocks(self, blocks: Sequence[VolumeBlock], current: int | None, usual: int) -> None:
        """Show these; ``current`` is in force on the volume, ``usual`` OpenZFS's default."""
        self._current = current
        self.show_rows(blocks, self._make_columns(usual))

    def block(self, row: int) -> int:
        """Return the block size of a row, in bytes."""
        return self.row(row).block_bytes

    def row_in_force(self) -> int | None:
        """Return the row of the block size in force, None where it is no usual one."""
        return next((row for row, block in enumerate(self.rows) if block.block_bytes == self._current), None)

    def _make_columns(self, usual: int) -> tuple[TableColumn[VolumeBlock], ...]:
        def size(block: VolumeBlock) -> str:
            name = tell("{size}K, default") if block.block_bytes == usual else "{size}K"
            return name.format(size=block.block_bytes // KIB)

        def stored(block: VolumeBlock) -> str:
            words = tell("{share:.0f} % of {nominal:.0f} %")
            return words.format(share=100 * block.efficiency, nominal=100 * block.nominal)

        told: tuple[tuple[str, str, Callable[[VolumeBlock], str]], ...] = (
            ("volblocksize", tell("The size of the volume's blocks; it cannot be changed later"), size),
            (
                tell("A block takes"),
                tell("Of all disks, parity and padding included; nothing is compressed"),
                lambda block: binary(block.disk_bytes),
            ),
            (tell("Stored at"), tell("Share of that which is data; behind “of” without padding and stripes"), stored),
            (
                tell("Wasted"),
                tell("Lost to padding and stripes, beyond the layout's own parity or copies"),
                lambda block: f"{100 * block.waste:.0f} %",
            ),
            (
                tell("1 TiB reserves"),
                tell("What a volume of 1 TiB that is not sparse sets aside"),
                lambda block: binary(block.reserved_bytes),
            ),
        )
        return tuple(
            TableColumn(title=title, meaning=meaning, text=text, look=self._look, number=bool(number))
            for number, (title, meaning, text) in enumerate(told)
        )

    def _look(self, block: VolumeBlock, role: int) -> object:
        in_force = role == Qt.ItemDataRole.FontRole and block.block_bytes == self._current
        return text_font(semibold=True) if in_force else None


class VolumeBlocksPane(QWidget):
    """Hidden but for volumes. ``chosen`` carries a volblocksize as it is written: ``64K``."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._told: tuple[PoolCapacity, int | None] | None = None
        self.table = VolumeBlockTable(self)
        self.view = plain_table(tell("What each volblocksize wastes"), self.table, self, row_height=_ROW)
        self.view.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.view.selectionModel().selectionChanged.connect(self._on_selected)
        self.view.doubleClicked.connect(self._on_use)
        self.view.verticalHeader().setMinimumSectionSize(_ROW)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._hint = ToneLabel(tell("Chosen when the volume is made, for ever."), Tone.MUTED, self, small=True)
        self.use = lay.button(
            tell("Use this size"),
            self,
            self._on_use,
            icon="ok",
            tip=tell("Make the selected row the volblocksize of the volume"),
        )
        lay.column(self.view, lay.row((self._hint, 1), self.use), of=self, gap=GRID // 2)
        self.hide()

    def show_blocks(self, capacity: PoolCapacity | None, current: int | None) -> None:
        """Show what each size takes on a pool; ``current`` bytes are in force. Without a capacity there is no table."""
        self.setVisible(capacity is not None)
        if capacity is None or (capacity, current) == self._told:
            return
        self._told = (capacity, current)
        self.table.show_blocks(volume_blocks(capacity), current, volume_block_bytes(capacity.version))
        header = self.view.horizontalHeader().sizeHint().height()
        self.view.setMinimumHeight(header + _LEAST_ROWS * _ROW + _FRAME)
        self.view.setMaximumHeight(header + len(VOLUME_BLOCKS) * _ROW + _FRAME)
        row = self.table.row_in_force()
        if row is None:
            self.view.clearSelection()
        else:
            self.view.selectRow(row)
        self._on_selected()

    def _selected(self) -> int | None:
        rows = self.view.selectionModel().selectedRows()
        return rows[0].row() if rows else None

    def _on_selected(self) -> None:
        row = self._selected()
        self.use.setEnabled(row is not None and row != self.table.row_in_force())

    def _on_use(self) -> None:
        row = self._selected()
        if row is not None and row != self.table.row_in_force():
            self.chosen.emit(f"{self.table.block(row) // KIB}K")
