"""The datasets of a pool as a tree, with what each takes, and the keys that change them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from PySide6.QtCore import QItemSelectionModel, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QLabel, QLineEdit, QTreeWidget, QTreeWidgetItem, QWidget

from poolwright.design.amounts import size_text
from poolwright.domain.dataset_properties import is_user_property
from poolwright.domain.design import Dataset, Setting
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.estimate import Estimate
from poolwright.domain.inheritance import Effective, SettingSource
from poolwright.domain.rates import size_read
from poolwright.domain.units import GB, TB, binary, parse_size
from poolwright.domain.workload import Workload
from poolwright.predict.space import DatasetSpace
from poolwright.rules.presets import PRESETS, preset
from poolwright.shipped import shipped
from poolwright.texts import N_, _, capital, numeral, sentence
from poolwright.ui.parts import icons, widgets
from poolwright.ui.parts.form import Understood
from poolwright.ui.parts.theme import GRID, Tone, theme
from poolwright.ui.parts.widgets import ChoiceBox

_ROW_HEIGHT = 3 * GRID + 2
_LEAST = 9 * GRID  # of a kind and of a name
_MOST_ROWS = 16  # of a tree that does not scroll


class DatasetColumn(IntEnum):
    NAME = 0
    KIND = 1
    DATA = 2
    TAKES = 3
    STORED = 4
    SETTINGS = 5


_NUMBERS = (DatasetColumn.DATA, DatasetColumn.TAKES, DatasetColumn.STORED)
# How wide the columns but the last are: as these texts.
_SAMPLES = ("longer dataset", "volume, 10.0 TiB", "unknown", "unknown", N_("Efficiency"))  # for machines


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetLine:
    """A dataset with what is set on it; ``space`` is None where the pool's space is unknown."""

    dataset: Dataset
    settings: tuple[Setting, ...]
    space: DatasetSpace | None

    @property
    def name(self) -> str:
        return self.dataset.name


class DatasetTree(QTreeWidget):
    """The root dataset at the top, children below their parents; ``renamed`` sends a name and the one typed for it.

    Its menu and keys are the actions it is given.
    """

    renamed = Signal(str, str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._pool_name = ""
        self._lines: Sequence[DatasetLine] = ()
        self._items: dict[str, QTreeWidgetItem] = {}
        self.setAccessibleName(_("Datasets"))
        self.setUniformRowHeights(True)
        self.setAlternatingRowColors(True)
        self.setAllColumnsShowFocus(True)
        self.setIndentation(2 * GRID)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self._head()
        self.itemDoubleClicked.connect(self.edit_name)
        self.itemChanged.connect(self._on_typed)
        theme().changed.connect(self._fill)

    def _head(self) -> None:
        headings = (
            (_("Dataset"), ""),
            (_("Kind"), ""),
            (_("Data"), _("What programs will write, before compression: 2 TiB, 500 GB, 0")),
            (_("Used"), _("USED as zfs list will print it, without children; typical")),
            (_("Efficiency"), _("Share of the disks' bytes that a typical block fills with data")),
            (_("Properties"), ""),
        )
        self.setHeaderLabels([title for title, __ in headings])
        for column, (__, meaning) in enumerate(headings):
            self.headerItem().setToolTip(column, meaning)
        _to_the_right(self.headerItem())
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(DatasetColumn.SETTINGS, QHeaderView.ResizeMode.Stretch)
        advance = self.fontMetrics().horizontalAdvance
        self._wide = [advance(_(text)) + 2 * GRID + 4 for text in _SAMPLES]
        for column, width in enumerate(self._wide):
            self.setColumnWidth(column, width)

    def show_lines(self, pool_name: str, lines: Sequence[DatasetLine]) -> None:
        """Show these datasets, parents before children.

        Where only numbers and settings changed, what is selected and folded stays.
        """
        same = self._pool_name == pool_name and [line.name for line in lines] == list(self._items)
        self._pool_name, self._lines = pool_name, lines
        if not same:
            self.clear()
            self._items = {}
            for line in lines:
                above = self._items[line.name.rpartition("/")[0]] if line.name else self
                self._items[line.name] = QTreeWidgetItem(above)
        self._fill()
        if not same:
            self.expandAll()
        rows = min(_MOST_ROWS, len(lines) + 1)  # with the header: the page scrolls, and nothing in it
        self.setMinimumHeight(rows * _ROW_HEIGHT + 2 * GRID)
        self._share_room()

    def _fill(self) -> None:
        with QSignalBlocker(self):
            for line in self._lines:
                _show(self._items[line.name], line, self._pool_name)

    def item_of(self, name: str) -> QTreeWidgetItem | None:
        return self._items.get(name)

    def name(self) -> str | None:
        item = self.currentItem()
        return next((name for name, known in self._items.items() if known is item), None)

    def select(self, name: str) -> None:
        """Select a dataset, the nearest one above it where it is gone."""
        while name and name not in self._items:
            name = name.rpartition("/")[0]
        item = self.item_of(name)
        if item is not None and item is not self.currentItem():
            rows = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.setCurrentItem(item, DatasetColumn.NAME, rows)
            self.scrollToItem(item)

    def edit_name(self) -> None:
        item = self.currentItem()
        if item is not None and self.name():  # the root has the name of the pool
            self.setFocus(Qt.FocusReason.OtherFocusReason)
            self.editItem(item, DatasetColumn.NAME)

    def _on_typed(self, item: QTreeWidgetItem, _column: int) -> None:
        """Ask for another name; a name with / moves the dataset below another one."""
        name = next(name for name, known in self._items.items() if known is item)
        above, __, last = name.rpartition("/")
        typed = item.text(DatasetColumn.NAME).strip().strip("/")
        with QSignalBlocker(self):
            item.setText(DatasetColumn.NAME, last)
        if typed and typed != last:
            self.renamed.emit(name, f"{above}/{typed}" if above else typed)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_room()
        self.scrollTo(self.currentIndex())

    def _share_room(self) -> None:
        """Let properties have the room that kinds and names do not need, and cut these where there is little."""
        needed, wide = self.header().sectionSizeHint(DatasetColumn.SETTINGS), [*self._wide]
        wide[DatasetColumn.NAME] = max(wide[DatasetColumn.NAME], self.sizeHintForColumn(DatasetColumn.NAME))
        lacking = sum(wide) + self.sizeHintForColumn(DatasetColumn.SETTINGS) - self.viewport().width()
        spare = wide[DatasetColumn.KIND] - self.sizeHintForColumn(DatasetColumn.KIND)
        wide[DatasetColumn.KIND] -= min(max(0, lacking), max(0, spare))
        lacking = sum(wide) + needed - self.viewport().width()
        for column in (DatasetColumn.KIND, DatasetColumn.NAME):
            given = min(max(0, lacking), wide[column] - _LEAST)
            self.setColumnWidth(column, wide[column] - given)
            lacking -= given


def _show(item: QTreeWidgetItem, line: DatasetLine, pool_name: str) -> None:
    """Write texts, tips and marks of a dataset into its line."""
    space, volume = line.space, line.dataset.volume_bytes
    used = space.used if space is not None else None
    band = band_words(used) if used is not None else ""
    holder = item.childCount() > 0 or not line.name  # is there for those below it: what it takes itself is no question
    data, takes = line.dataset.logical_bytes, used.typical if used is not None else None
    reasons = (
        f"{s.name}={s.value}{': ' if s.reason else ''}{s.why}" for s in line.settings if not is_user_property(s.name)
    )
    for column, text, tip in (
        (DatasetColumn.NAME, line.name.rpartition("/")[2] or pool_name, full_name(pool_name, line.name)),
        (DatasetColumn.KIND, _("filesystem") if volume is None else _("volume, {size}", size=binary(volume)), ""),
        (DatasetColumn.DATA, _size(data, holder=holder), ""),
        (DatasetColumn.TAKES, _size(takes, holder=holder), _("Low to high: {band}", band=band) if band else ""),
        (DatasetColumn.STORED, f"{100 * space.efficiency:.0f} %" if space is not None else "", ""),
        (DatasetColumn.SETTINGS, ", ".join(f"{s.name}={s.value}" for s in line.settings), "\n".join(reasons)),
    ):
        item.setText(column, text)
        item.setToolTip(column, tip)
    _to_the_right(item)
    item.setSizeHint(DatasetColumn.NAME, QSize(0, _ROW_HEIGHT))
    if line.name and not item.flags() & Qt.ItemFlag.ItemIsEditable:  # set again, it would reset a name being typed
        item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
    wasteful = space is not None and poor(space)
    item.setIcon(DatasetColumn.STORED, icons.icon("warn", Tone.WARN) if wasteful else QIcon())
    item.setForeground(DatasetColumn.STORED, theme().colour(Tone.WARN if wasteful else Tone.TEXT))
    for column, size in ((DatasetColumn.DATA, data), (DatasetColumn.TAKES, takes)):
        item.setForeground(column, theme().colour(Tone.UNKNOWN if size is None else Tone.TEXT))


def _size(size_bytes: float | None, *, holder: bool) -> str:
    return "" if size_bytes is None and holder else binary(None if size_bytes is None else round(size_bytes))


def _to_the_right(item: QTreeWidgetItem) -> None:
    for column in _NUMBERS:
        item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


# What is said of a dataset in fields: how much lies in it, its size, what it holds.

_LINE_HEIGHT = 4 * GRID


class SizeField(QLineEdit):
    """A line of text that is read when it is left or Return is pressed.

    ``entered`` carries the value; ``failed`` why the text cannot be read, and then nothing is entered.
    """

    entered = Signal(object)
    failed = Signal(str)

    def __init__(
        self, name: str, parse: Callable[[str], int | None], shown: Callable[[int], str], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setMinimumHeight(_LINE_HEIGHT)
        self.setMaxLength(300)
        self._parse, self._shown = parse, shown
        self._value: int | None = None
        self.editingFinished.connect(self._on_finished)

    def show_value(self, value: int | None) -> None:
        """Show a value; a text that means the same stays as it was typed."""
        if value != self._value or not self.isModified():
            self._value = value
            self.setText("" if value is None else self._shown(value))
        self.setModified(False)

    def _on_finished(self) -> None:
        if not self.isModified():
            return
        try:
            value = self._parse(self.text())
        except PoolwrightError as error:
            self.failed.emit(error.text)
            return
        self.setModified(False)
        if value != self._value:
            self._value = value
            self.entered.emit(value)


class HoldsChoice(ChoiceBox):
    """What a dataset holds: a preset, or whatever the pool is for."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent, name, letters=12)
        self.setMinimumHeight(_LINE_HEIGHT)
        self.setPlaceholderText(_("Own workload"))
        self.addItem(_("Same as the pool"), None)
        for known in PRESETS:
            self.addItem(_(known.title), known.key)
            self.setItemData(self.count() - 1, _(known.summary), Qt.ItemDataRole.ToolTipRole)

    def workload(self) -> Workload | None:
        chosen = preset(self.currentData())
        return None if chosen is None else replace(chosen.workload, preset=chosen.key)

    def show_workload(self, workload: Workload | None) -> None:
        """Show what a dataset holds; a workload that follows no preset is shown as its own."""
        row = 0 if workload is None else self.findData(workload.preset) if workload.preset else -1
        self.setCurrentIndex(row)


class DatasetFields(QWidget):
    """Data, size of a volume and what it holds, side by side; below, what was understood of the sizes."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.data = SizeField(_("Data in the dataset"), _parse_data, _size_shown, self)
        self.data.setPlaceholderText(_("unknown"))
        self.data.setToolTip(_("What programs will write, before compression: 2 TiB, 500 GB, 0"))
        self.volume_size = SizeField(_("Size of the volume"), _parse_volume, _volume_shown, self)
        self.holds = HoldsChoice(_("What the dataset holds"), self)
        self.holds.setToolTip(_("Sets the properties recommended for it"))
        size_label = QLabel(_("Size"), self)
        volume = (self.volume_size, lambda text: _("a volume of {text}", text=size_read(_parse_volume(text))))
        size_read_ = Understood(*volume, self)
        grid = widgets.grid(of=self, gap=(GRID, 0))
        labels = (QLabel(_("Data"), self), size_label, QLabel(_("Holds"), self))
        for number, (label, field) in enumerate(zip(labels, (self.data, self.volume_size, self.holds), strict=True)):
            label.setBuddy(field)
            grid.addWidget(label, 0, 2 * number)
            grid.addWidget(field, 0, 2 * number + 1)
            grid.setColumnStretch(2 * number + 1, 1)
        data = Understood(self.data, lambda text: _("data of {text}", text=size_read(_parse_data(text) or 0)), self)
        grid.addWidget(data, 1, 0, 1, 2)
        grid.addWidget(size_read_, 1, 2, 1, 4)
        self._of_volume = (size_label, self.volume_size, size_read_)

    def show_dataset(self, dataset: Dataset) -> None:
        self.data.show_value(dataset.logical_bytes)
        self.volume_size.show_value(dataset.volume_bytes)
        self.holds.show_workload(dataset.workload)
        for part in self._of_volume:
            part.setVisible(dataset.volume_bytes is not None)


def _parse_data(text: str) -> int | None:
    """Return an amount of data in bytes, None for an empty text (unknown). Raises UserError."""
    return 0 if text.strip() == "0" else parse_size(text) if text.strip() else None


def _parse_volume(text: str) -> int:
    return parse_size(text)


def _size_shown(value: int) -> str:
    return "0" if value == 0 else size_text(value)


def _volume_shown(value: int) -> str:
    """Return the size that a person types for a volume; one that was rounded up to whole blocks as what was typed."""
    for unit, name in ((TB, "TB"), (GB, "GB")):
        typed = value // unit * unit
        blocks = (1 << exponent for exponent in range(9, 25))
        if typed and typed != value and any(-(-typed // block) * block == value for block in blocks):
            return f"{typed // unit} {name}"
    return _size_shown(value)


# What is said to people about datasets: what each property does, where a value comes from, what a dataset takes.


def full_name(pool_name: str, name: str) -> str:
    return f"{pool_name}/{name}".rstrip("/")


def source_words(effective: Effective, pool_name: str) -> str:
    """Return where a value comes from, in the words of `zfs get`."""
    if effective.source is SettingSource.LOCAL:
        return _("local")
    if effective.inherited_from is not None:
        return _("inherited from {name}", name=full_name(pool_name, effective.inherited_from))
    return _("default")


def reason_words(effective: Effective) -> str:
    """Return why a property has its value; what it does where nobody gave a reason."""
    if effective.reason:
        return capital(effective.reason)
    return property_words(effective.name) if effective.source is SettingSource.DEFAULT else _("set by hand")


def explanation(effective: Effective) -> str:
    why, does = reason_words(effective), property_words(effective.name)
    text = capital(why if not does or why == does else f"{why}. {does}")
    if not effective.changed or effective.default_value is None:
        return sentence(text)
    return _("{told}. OpenZFS's default is {value}.", told=text, value=effective.default_value)


def property_words(name: str) -> str:
    """Return in a few words what a property does; empty for one that nobody described."""
    known = [shipped(f"{kind}_properties")["summaries"].get(name) for kind in ("pool", "dataset")]
    return next(map(_, filter(None, known)), "")


def band_words(estimate: Estimate) -> str:
    """Return the low and the high end of a number of bytes."""
    low, high = binary(round(estimate.low)), binary(round(estimate.high))
    if low == high:
        return low
    number, __, unit = low.partition(" ")
    return _("{low} to {high}", low=number if high.endswith(f" {unit}") else low, high=high)


def poor(space: DatasetSpace) -> bool:
    """Tell whether blocks of this size waste a fifth or more of what the disks could hold."""
    return space.efficiency < 0.8 * space.nominal


def dataset_notes(space: DatasetSpace, money: str) -> list[tuple[str, Tone]]:
    """Return what is to be said of a dataset; ``money`` is what it wastes in money, empty where that is not known."""
    lines: list[tuple[str, Tone]] = []
    lost = ""
    if space.usage is not None and space.waste_bytes and space.waste_bytes >= TB / 1000:
        lost = _(
            "{size} of the disks go to padding and extra parity", size=numeral(space.waste_bytes / TB, ",.2f", "TB")
        )
        lost = sentence(f"{lost}, {money}" if money else lost)
    if poor(space):
        text = _("Blocks of {size} are stored at {share:.0f} %, where {most:.0f} % are data disks.")
        share, most = 100 * space.efficiency, 100 * space.nominal
        text = text.format(size=binary(space.block_bytes), share=share, most=most)
        lines.append((f"{text} {lost}".rstrip(), Tone.WARN))
    elif lost:
        lines.append((lost, Tone.NOTE))
    if space.reserved_bytes and space.dataset.volume_bytes is not None:
        text = _("The volume reserves {size} at once. refreservation=none makes it thin.")
        lines.append((text.format(size=binary(space.reserved_bytes)), Tone.NOTE))
    return [*lines, *((note, Tone.NOTE) for note in space.notes)]
