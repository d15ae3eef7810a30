"""The datasets of the design: the tree with what each takes, the properties of one of them, and the sum."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QPushButton, QSizePolicy, QWidget

from poolwright.capacity.pool import PoolCapacity, predict_design
from poolwright.domain import dataset_edits as edits
from poolwright.domain.dataset_properties import dataset_properties, entered_value, space_bytes, value_problem
from poolwright.domain.design import Dataset, Design, Setting
from poolwright.domain.encryption import lacks_key
from poolwright.domain.errors import PoolwrightError, UserError
from poolwright.domain.inheritance import Resolver, all_datasets, effective_settings
from poolwright.domain.money import money_words
from poolwright.domain.names import check_dataset_name
from poolwright.domain.units import GIB, KIB, PLAN_FILL_PERCENT, binary
from poolwright.emit.names import check_setting
from poolwright.predict.assessment import growth_of
from poolwright.predict.space import FillForecast, PoolSpace, VolumeBlock, predict_space, volume_blocks
from poolwright.rules.dataset_plan import volume_block_bytes
from poolwright.rules.propose import proposals_for
from poolwright.texts import N_, _, numeral
from poolwright.ui.design.datasets.properties import DatasetProperties, KeyDialog
from poolwright.ui.design.datasets.tree import (
    DatasetFields,
    DatasetLine,
    DatasetTree,
    band_words,
    dataset_notes,
    full_name,
)
from poolwright.ui.design.pool_pane import PoolChoice
from poolwright.ui.parts import widgets
from poolwright.ui.parts.estimate_line import OriginLine
from poolwright.ui.parts.note_lines import Line, NoteLines
from poolwright.ui.parts.page import month
from poolwright.ui.parts.panes import Panes
from poolwright.ui.parts.table import RowModel, TableColumn, plain_table
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font
from poolwright.ui.parts.widgets import Complaint, ToneLabel
from poolwright.ui.state.expectations import today_here
from poolwright.ui.state.session import Session

_SIDE_BY_SIDE_FROM = 1100
_FIRST_SIZE = 100 * GIB  # of a volume, until another is typed


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
        self.complaint = Complaint(_("Why the last change was not made"), self, small=True)
        place = self.complaint.sizePolicy()
        place.setRetainSizeWhenHidden(True)
        self.complaint.setSizePolicy(place)
        self.facts = DatasetFields(self)
        self.notes = NoteLines(_("Notes on the dataset"), self, most=1, small=True)
        self.blocks = VolumeBlocksPane(self)
        self.properties = DatasetProperties(session, self)
        self.summary = SpaceSummary(self)
        self._connect()
        overview = QWidget(self)
        widgets.column(self._make_head(), (self.tree, 1), self.facts, self.notes, self.blocks, of=overview)
        self.panes = Panes(_("Views of the datasets"), _SIDE_BY_SIDE_FROM, self)
        self.panes.add(_("Space"), overview)
        self.panes.add(_("Properties"), self.properties)
        widgets.column((self.panes, 1), self.complaint, self.summary, of=self)

    def _connect(self) -> None:
        facts, properties = self.facts, self.properties
        for signal, slot in (
            (self.tree.renamed, self._on_renamed),
            (self.tree.currentItemChanged, self._on_selected),
            (facts.data.entered, self._on_data),
            (facts.data.failed, self.complaint.say),
            (facts.volume_size.entered, self._on_size),
            (facts.volume_size.failed, self.complaint.say),
            (facts.holds.activated, self._on_holds),
            (self.blocks.chosen, self._on_property),
            (properties.property_asked, self._on_property),
            (properties.propose.clicked, self._on_propose),
            (properties.chosen, self.select),
            (properties.failed, self.complaint.say),
        ):
            signal.connect(slot)

    def _make_head(self) -> QHBoxLayout:
        self.pools = PoolChoice(_("Pool"), self.session, self.refresh, self)
        buttons: list[QPushButton] = []
        for text, icon, keys, slot in (
            (_("Add filesystem"), "add", "Ins", partial(self._add, Dataset(name="new"))),
            (_("Add volume"), "add", "Shift+Ins", partial(self._add, Dataset(name="volume", volume_bytes=_FIRST_SIZE))),
            (_("Rename"), "rename", "F2", self.tree.edit_name),
            (_("Delete"), "delete", "Del", self._on_delete),
        ):
            buttons.append(widgets.button(text, self, slot, icon=icon))
            widgets.action(text, self.tree, keys, slot)
        self._of_named = buttons[2:]  # the root is neither renamed nor deleted
        return widgets.row(self.pools, *buttons, 1)

    def refresh(self) -> None:
        design = self._shown = self.session.design
        pool = self.pools.show_pools()
        if design is None or pool is None:
            return
        self._space = self._work_out(pool)
        selected = self.selected_name()
        of = {item.dataset.name: item for item in self._space.datasets} if self._space is not None else {}
        resolver = Resolver(pool)
        lines = [DatasetLine(dataset=d, settings=resolver.written(d), space=of.get(d.name)) for d in all_datasets(pool)]
        self.tree.show_lines(pool.pool_name, lines)
        self.properties.show_names(pool.pool_name, [line.name for line in lines])
        self.select(selected if selected is not None else "")
        self.summary.show_space(self._space, growth_of(design, self.session.expectations.assumed), self._problem)
        self._show_selected()

    def selected_name(self) -> str | None:
        """Return the name of the selected dataset, '' for the root; None where nothing is selected."""
        return self.tree.name()

    def select(self, name: str) -> None:
        self.tree.select(name)

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
        for part in (self.facts, self.notes):
            part.setVisible(dataset is not None)
        self.properties.setEnabled(dataset is not None)
        for button in self._of_named:
            button.setEnabled(bool(dataset and dataset.name))
        if pool is None or dataset is None:
            self.blocks.hide()
            return
        self.facts.show_dataset(dataset)
        notes = [(self._problem, Tone.WARN)] if self._problem else []
        space = None if self._space is None else self._space.of(dataset.name)
        if space is not None:
            notes = dataset_notes(space, "" if space.waste_money is None else money_words(space.waste_money))
        self.notes.show_lines([Line(text=text, tone=tone) for text, tone in notes])
        settings = effective_settings(pool, dataset)
        block = next((space_bytes(e.value) for e in settings if e.name == "volblocksize"), None)
        self.blocks.show_blocks(self._capacity if dataset.volume_bytes is not None else None, block)
        self.properties.show_dataset(dataset.name, settings, pool)
        self.properties.propose.setEnabled(self.session.rules is not None)

    def _selected(self) -> Dataset | None:
        pool, name = self.pools.pool(), self.selected_name()
        return None if pool is None else next((d for d in all_datasets(pool) if d.name == name), None)

    def _on_selected(self) -> None:
        self.complaint.say("")
        self._show_selected()

    def _add(self, dataset: Dataset) -> None:
        """Add a dataset by the selected one; its name is typed where it stands, the rest below."""
        pool = self.pools.pool()
        if pool is None:
            return
        wanted, names = f"{self._place_for_new()}{dataset.name}", {d.name for d in all_datasets(pool)}
        name = next(name for number in count(1) if (name := f"{wanted}{number if number > 1 else ''}") not in names)
        new = replace(dataset, name=name)

        def add(pool: Design) -> edits.Datasets:
            datasets = edits.add(pool.datasets, new)
            return edits.change(datasets, self._proposed(replace(pool, datasets=datasets), new))

        if not self._edit(_("Add {name}", name=name), add):
            self._say_without_rules()
            self.select(name)
            self.tree.edit_name()

    def _place_for_new(self) -> str:
        """Return how the name of a new dataset begins: below the selected one, or beside it where it is a volume."""
        dataset = self._selected()
        if dataset is None or not dataset.name:
            return ""
        above = dataset.name.rpartition("/")[0] if dataset.volume_bytes is not None else dataset.name
        return f"{above}/" if above else ""

    def _edit(self, text: str, change: Callable[[Design], edits.Datasets]) -> str:
        """Make an edit of the datasets of the pool in front; return, and say, why where it cannot be made."""
        pool, design = self.pools.pool(), self.session.design
        if pool is None or design is None:
            return ""
        try:
            datasets = change(pool)
        except PoolwrightError as error:
            self.complaint.say(error.text)
            return error.text
        self.complaint.say("")
        self.session.change_design(design.with_pool(self.pools.number, datasets=datasets), text)
        if self._shown is not self.session.design:  # the page around has not refreshed it by now
            self.refresh()
        return ""

    def _edit_selected(self, text: str, change: Callable[[Design, Dataset], edits.Datasets]) -> bool:
        """Make an edit of the selected dataset, told as ``text`` with its name; tell whether it was made."""
        pool, dataset = self.pools.pool(), self._selected()
        if pool is None or dataset is None:
            return False
        where = full_name(pool.pool_name, dataset.name)
        return not self._edit(text.replace("{name}", where), lambda pool: change(pool, dataset))

    def _on_renamed(self, old: str, new: str) -> None:
        def rename(pool: Design) -> edits.Datasets:
            check_dataset_name(pool.pool_name, new)
            datasets = pool.datasets
            if edits.find(datasets, old) is None:  # a parent that nobody wrote down is written down to be moved
                datasets = edits.change(datasets, Dataset(name=old))
            return edits.rename(datasets, old, new)

        if not self._edit(_("Rename {name}", name=old), rename):
            self.select(new)

    def _on_delete(self) -> None:
        name = self.selected_name()
        if name:
            self._edit(_("Delete {name}", name=name), lambda pool: edits.remove(pool.datasets, name))

    def _on_data(self, value: int | None) -> None:
        self._put(_("Data of {name}"), logical_bytes=value)

    def _on_size(self, value: int) -> None:
        self._put(_("Size of {name}"), volume_bytes=value)

    def _put(self, text: str, **wanted: Any) -> None:
        self._edit_selected(text, lambda pool, dataset: edits.change(pool.datasets, replace(dataset, **wanted)))

    def _on_holds(self) -> None:
        self._propose(_("What {name} holds"), workload=self.facts.holds.workload())

    def _on_propose(self) -> None:
        self._propose(_("Proposals for {name}"))

    def _propose(self, text: str, **wanted: Any) -> None:
        def propose(pool: Design, dataset: Dataset) -> edits.Datasets:
            return edits.change(pool.datasets, self._proposed(pool, replace(dataset, **wanted)))

        if self._edit_selected(text, propose):
            self._say_without_rules()

    def _say_without_rules(self) -> None:
        if self.session.rules is None:
            why = self.session.rules_problem or _("The rules are being loaded.")
            self.complaint.say(_("No properties were proposed. {why} Press “Use recommended” later.", why=why))

    def _proposed(self, pool: Design, dataset: Dataset) -> Dataset:
        """Return the dataset with what the rules propose for it; as it is while there are no rules."""
        book = self.session.rules
        if book is None:
            return dataset
        return edits.propose(dataset, list(proposals_for(book, pool, dataset)))

    def _on_property(self, name: str, value: str) -> None:
        """Set a property of the selected dataset; an empty value inherits it."""

        def put(pool: Design, dataset: Dataset) -> edits.Datasets:
            if not value:
                return edits.inherit(pool.datasets, dataset.name, name)
            taken, where = entered_value(name, value, pool.version), full_name(pool.pool_name, dataset.name)
            check_setting(name, taken, where=where)
            problem = value_problem(name, taken, pool.version, volume=dataset.volume_bytes is not None)
            if problem is not None:
                raise UserError(problem, where=where)
            datasets = edits.set_property(pool.datasets, dataset.name, Setting(name=name, value=taken))
            if name == "encryption" and lacks_key(replace(pool, datasets=datasets), dataset.name):
                dialog = KeyDialog(pool, dataset.name, taken, self)
                dialog.taken.connect(self._on_key)
                dialog.open()
                return pool.datasets
            return datasets

        before = self.session.design
        text = _("Set {property} of {name}") if value else _("Inherit {property} of {name}")
        if not self._edit_selected(text.replace("{property}", name), put) or before is self.session.design:
            return
        self._taken(name, own=bool(value) and dataset_properties(self.properties.delegate.version).get(name) is None)

    def _taken(self, name: str, *, own: bool = False) -> None:
        self.properties.typed.clear()
        if own:  # which stand at the very end
            self.properties.only_set.setChecked(True)
        self.properties.select(name)

    def _on_key(self, key: tuple[Setting, ...]) -> None:
        """Encrypt the selected dataset with the key that the dialog asked for, in one step."""
        self._edit_selected(_("Encrypt {name}"), lambda pool, one: edits.set_properties(pool.datasets, one.name, key))
        self._taken("encryption")


# The choice of a volume's block size, beside what each of them takes and wastes on this pool.

_ROW = 2 * GRID + 4
_FRAME = 4


class VolumeBlocksPane(QWidget):
    """A row for each usual volblocksize, the one in force in bold; hidden but for volumes.

    ``chosen`` sends the name of the property and a block size as it is written: ``64K``.
    """

    chosen = Signal(str, str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._asked: tuple[PoolCapacity, int | None] | None = None
        self.table = RowModel[VolumeBlock]((), self, key=lambda block: block.block_bytes)
        self.view = plain_table(_("What each volblocksize wastes"), self.table, self, row_height=_ROW)
        self.view.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.view.selectionModel().selectionChanged.connect(self._on_selected)
        self.view.doubleClicked.connect(self._on_use)
        self.view.verticalHeader().setMinimumSectionSize(_ROW)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        hint = ToneLabel(_("Fixed when the volume is created."), Tone.MUTED, self, small=True)
        self.use = widgets.button(_("Use this size"), self, self._on_use, icon="ok")
        widgets.column(self.view, widgets.row((hint, 1), self.use), of=self, gap=GRID // 2)
        self.hide()

    @property
    def in_force(self) -> int | None:
        return None if self._asked is None else self.table.line_of(self._asked[1])

    def show_blocks(self, capacity: PoolCapacity | None, current: int | None) -> None:
        """Show what each size takes on a pool; ``current`` bytes are in force. Without a capacity there is no table."""
        self.setVisible(capacity is not None)
        if capacity is None or (capacity, current) == self._asked:
            return
        self._asked = (capacity, current)
        self.table.show_rows(volume_blocks(capacity), self._columns(current, volume_block_bytes(capacity.version)))
        header = self.view.horizontalHeader().sizeHint().height()
        self.view.setFixedHeight(header + self.view.verticalHeader().length() + _FRAME)
        if self.in_force is None:
            self.view.clearSelection()
        else:
            self.view.selectRow(self.in_force)
        self._on_selected()

    def _columns(self, current: int | None, usual: int) -> tuple[TableColumn[VolumeBlock], ...]:
        def size(block: VolumeBlock) -> str:
            kib = f"{block.block_bytes // KIB}K"
            return _("{size}, default", size=kib) if block.block_bytes == usual else kib

        def look(block: VolumeBlock, role: int) -> object:
            in_force = role == Qt.ItemDataRole.FontRole and block.block_bytes == current
            return text_font(SMALL_POINTS, semibold=True) if in_force else None

        columns: tuple[tuple[str, Callable[[VolumeBlock], str]], ...] = (
            ("volblocksize", size),
            (_("A block takes"), lambda block: binary(block.disk_bytes)),
            (_("Efficiency"), lambda block: f"{100 * block.efficiency:.0f} %"),
            (_("Wasted"), lambda block: f"{100 * block.waste:.0f} %"),
            (_("1 TiB reserves"), lambda block: binary(block.reserved_bytes)),
        )
        return tuple(
            TableColumn(title=title, text=text, look=look, number=bool(number))
            for number, (title, text) in enumerate(columns)
        )

    def _selected(self) -> int | None:
        rows = self.view.selectionModel().selectedRows()
        return rows[0].row() if rows and rows[0].row() != self.in_force else None

    def _on_selected(self) -> None:
        self.use.setEnabled(self._selected() is not None)

    def _on_use(self) -> None:
        row = self._selected()
        if row is not None:
            self.chosen.emit("volblocksize", f"{self.table.row(row).block_bytes // KIB}K")


# What all datasets of a pool take together, how full it is, and when 80 % is reached.

_WIDEST = 54 * GRID


class SpaceSummary(QWidget):
    """Four lines; each unfolds where its number comes from."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.used, self.fill = OriginLine(_("Used by all"), self), OriginLine(_("Pool full to"), self)
        self.full, self.special = OriginLine(_("80 % full on"), self), OriginLine(_("Special vdevs"), self)
        grid = widgets.grid(of=self, gap=(2 * GRID, 0))
        for number, line in enumerate((self.used, self.fill, self.full, self.special)):
            line.setMaximumWidth(_WIDEST)
            grid.addWidget(line, number // 2, number % 2)
            grid.setColumnStretch(number % 2, 10)
        grid.setColumnStretch(2, 1)
        self._missing = ToneLabel("", Tone.MUTED, self)
        grid.addWidget(self._missing, 2, 0, 1, 3)

    def show_space(self, space: PoolSpace | None, growth_percent: float | None, problem: str) -> None:
        """Show the sum; without any ``problem`` says why there is none."""
        if space is not None and all(item.used is None for item in space.datasets):
            space, problem = None, _("Enter how much data each dataset holds.")
        promises = None if space is None else space.promises
        message = problem if space is None else "" if promises is None else promises.text
        self._missing.setText(message)
        self._missing.setVisible(bool(message))
        for line in (self.used, self.fill, self.full, self.special):
            line.setVisible(space is not None)
        if space is None:
            return
        least = _("at least {size}") if space.uncounted else "{size}"
        of = _("{band} of {size} available.", band=band_words(space.used), size=binary(space.available_bytes))
        missing = _("Not counted, because their size is unknown: {names}.")
        uncounted = missing.format(names=", ".join(space.uncounted)) if space.uncounted else ""
        origin = " ".join(part for part in (of, uncounted, str(space.usage.used.origin)) if part)
        self.used.show_value(least.format(size=binary(round(space.used.typical))), origin)
        fill, left = space.fill_percent, binary(abs(space.free_bytes))
        if fill.typical > 100:
            full, note = _("{full:.1f} % (too small)", full=fill.typical), _("{size} do not fit.", size=left)
        else:
            full = numeral(fill.typical, ".1f", "%")
            band = N_("{low:.1f} to {high:.1f} % of the data vdevs. {left} are left.")
            note = _(band, low=fill.low, high=fill.high, left=left)
        self.fill.show_value(least.format(size=full), note)
        self._show_date(space, growth_percent)
        self._show_special(space)

    def _show_date(self, space: PoolSpace, growth_percent: float | None) -> None:
        if growth_percent is None:
            why = _("Enter the yearly growth on the Workload page to see the date.")
            self.full.show_value(_("unknown"), why)
            return
        fill = space.full_at(growth_percent, today_here())
        note = N_("{percent} % are {size}. At {growth:g} % a year, a third faster and slower.")
        note = _(note, percent=PLAN_FILL_PERCENT, size=binary(fill.level_bytes), growth=growth_percent)
        if space.fixed_bytes:
            note = f"{note} {_('What volumes reserve does not grow.')}"
        self.full.show_value(*_dates(fill, note))

    def _show_special(self, space: PoolSpace) -> None:
        usage = space.usage
        self.special.setVisible(usage.special_bytes is not None)
        if usage.special_bytes is None:
            return
        words = _("{count} of {all} (too small)") if usage.special_overflows else _("{count} of {all}")
        value = words.format(count=binary(round(usage.special.typical)), all=binary(usage.special_bytes))
        note = _("Metadata and small blocks: {band}. Small blocks stay off a special vdev that is 75 % full.")
        self.special.show_value(value, note.format(band=band_words(usage.special)))


def _dates(fill: FillForecast, note: str) -> tuple[str, str]:
    """Return when the level is reached, and from when to when with the ``note``."""
    if fill.reached:
        return _("at once"), note
    if fill.typical is None:
        return _("not within 200 years"), note
    latest = _("later than 200 years") if fill.latest is None else month(fill.latest)
    span = _("{earliest} to {latest}.", earliest=month(fill.earliest or fill.typical), latest=latest)
    return month(fill.typical), f"{span} {note}"
