"""Every saved design: found, opened, renamed, copied, exported, imported, deleted and put back.

A search finds the runs and the pages of the guide beside the designs.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from poolwright.capacity.pool import predict_design
from poolwright.design.compare import LEAST_COLUMNS, MOST_COLUMNS
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.units import binary
from poolwright.domain.vdev import Layout
from poolwright.guide import guide_pages
from poolwright.jobs.job import Job, SlicedJob, Work
from poolwright.store.database import Database
from poolwright.store.design_file import to_json
from poolwright.store.library import DesignEntry, Designs, Runs, StoredRun
from poolwright.store.project import PROJECT_ENDING, is_project, merge_in_steps, write_project_in_steps
from poolwright.texts import N_, _, capital, quoted
from poolwright.ui.parts import widgets
from poolwright.ui.parts.note_lines import Notice
from poolwright.ui.parts.page import Page, when
from poolwright.ui.parts.pool_picture import paint_layout
from poolwright.ui.parts.save_file import ask_files, ask_where
from poolwright.ui.parts.table import KEY_ROLE, Index, RowModel, TableColumn, plain_table
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font
from poolwright.ui.parts.widgets import ChoiceBox, ToneLabel
from poolwright.ui.state.keeper import Library
from poolwright.ui.state.sources import file_name, read_design

# The designs of the library as a table: sorted by value, filtered by words.


NAME, VDEVS, LAYOUT, USABLE, POOL, MODIFIED, KIND = range(7)
_DESIGN, _RUN, _GUIDE = N_("Design"), N_("Benchmark"), N_("Guide")


class Found(NamedTuple):
    """A row: a design or, beside it while somebody searches, a run or a page of the guide."""

    kind: str
    key: str
    name: str
    summary: str
    pool_name: str = ""
    modified: datetime | None = None
    words: str = ""
    run: StoredRun | None = None


def _of_design(entry: DesignEntry) -> Found:
    words = f"{entry.summary} {_(entry.goal.value)} {entry.pool_name} {when(entry.modified)}"
    return Found(_DESIGN, entry.key, entry.name, entry.summary, entry.pool_name, entry.modified, words)


def _of_run(run: StoredRun) -> Found:
    words = " ".join(filter(None, (run.judgement, run.profile, run.host, run.pool, run.design_name, when(run.made))))
    return Found(_RUN, run.key, run.name, run.judgement, run.pool or "", run.made, words, run=run)


class DesignTable(RowModel[Found]):
    """One row per design; the name can be edited, ``renamed`` sends key and new name."""

    renamed = Signal(str, str)

    def __init__(self, library: Library, parent: QObject) -> None:
        super().__init__(self._make_columns(), parent, key=attrgetter("key"), searched=_searched_text)
        self._current: str | None = None
        self._library = library
        self._known: dict[tuple[str, datetime | None], tuple[Layout, int | None]] = {}
        self._wanted: list[Found] = []
        self._later = widgets.single_shot_timer(self, _APART, self._look_up)

    def facts(self, entry: Found) -> tuple[Layout, int | None]:
        """Return the vdevs and the usable bytes of a design; of one not looked at yet nothing, and it comes."""
        found = self._known.get((entry.key, entry.modified))
        if found is None and entry.kind == _DESIGN and entry not in self._wanted:
            self._wanted.append(entry)
            self._later.start()
        return found or ((), None)

    def _look_up(self) -> None:
        """Read the design that was asked for last, which is in sight, and no more of them in one turn."""
        entry = self._wanted.pop()
        self._known[entry.key, entry.modified] = self._library.use(partial(_facts_in, entry.key)) or ((), None)
        line = self.line_of(entry.key)
        if line is not None:
            self.dataChanged.emit(self.index(line, 0), self.index(line, len(self.columns) - 1))
        if self._wanted:
            self._later.start()

    def _usable(self, entry: Found) -> str:
        usable = self.facts(entry)[1]
        return "" if usable is None else binary(usable)

    def show_current(self, current: str | None) -> None:
        self._current = current
        if self.rowCount():
            self.dataChanged.emit(self.index(0, NAME), self.index(self.rowCount() - 1, NAME))

    def entry(self, key: str | None) -> Found | None:
        return next((entry for entry in self.rows if entry.key == key), None)

    def _look(self, entry: Found, role: int) -> object:
        opened = role == Qt.ItemDataRole.FontRole and entry.key == self._current
        return text_font(SMALL_POINTS, semibold=True) if opened else None

    def _write(self, entry: Found, text: str) -> bool:
        name = text.strip()
        if not name or name == entry.name or entry.kind != _DESIGN:
            return False
        self.renamed.emit(entry.key, name)
        return True

    def _make_columns(self) -> tuple[TableColumn[Found], ...]:
        name, layout = attrgetter("name"), attrgetter("summary")
        return (
            TableColumn(title=_("Name"), text=name, tip=name, look=self._look, write=self._write),
            TableColumn(title=capital(_("vdevs")), text=lambda _entry: "", tip=layout),
            TableColumn(title=_("Layout"), text=layout, tip=layout),
            TableColumn(title=_("Usable"), text=self._usable, value=lambda entry: self.facts(entry)[1], number=True),
            TableColumn(title=_("Pool"), text=attrgetter("pool_name")),
            TableColumn(
                title=_("Changed"), text=lambda e: when(e.modified) if e.modified else "", value=attrgetter("modified")
            ),
            TableColumn(title=_("Kind"), text=lambda entry: _(entry.kind)),
        )


def _facts_in(key: str, database: Database) -> tuple[Layout, int | None]:
    """Return the vdevs and the usable bytes of a design of the library, as far as it can be read."""
    try:
        design = Designs(database).open(key)
        layout = design.layout() if design is not None else ()
        pools = design.pools() if design is not None and len(design.disks) <= _MOST_DISKS else ()
        return layout, sum(predict_design(pool).available_bytes for pool in pools) or None
    except PoolwrightError:
        return (), None


class _PictureDelegate(QStyledItemDelegate):
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        table = index.model()
        if isinstance(table, DesignTable):
            layout, __ = table.facts(table.row(index.row()))
            paint_layout(painter, layout, QRectF(option.rect).adjusted(GRID, GRID, -GRID, 0))


def _searched_text(entry: Found) -> str:
    """Return the texts of all columns as one: asking each column is too slow for thousands of designs."""
    return f"{entry.name} {_(entry.kind)} {entry.words}"


_WIDTHS = {VDEVS: 13, USABLE: 10, POOL: 9, MODIFIED: 17, KIND: 8}
_NARROW = 92 * GRID  # a table that is no wider has no room for the picture and the pool
_APART = 5  # milliseconds between two designs that are looked into
_MOST_DISKS = 200  # whose capacity is worked out in passing


class LibraryPage(Page):
    """A table with what can be done to the selected design below it."""

    heading = N_("Library")
    about = N_("Every design is saved here as it is made.")

    def build(self) -> None:
        self._table = DesignTable(self.session.library, self)
        # Queued: the table is filled anew while its editor is still open.
        self._table.renamed.connect(self._on_renamed, Qt.ConnectionType.QueuedConnection)
        self._designs: tuple[Found, ...] = ()
        self._listed: bool | None = None  # whether the bin is in the table; None where it must be read anew
        self.body.addLayout(self._make_filter_row())
        self._notice = Notice(_("State of the library"), self)
        self.body.addWidget(self._notice)
        self.body.addWidget(self._make_view(), 2)
        self._empty = ToneLabel("", Tone.MUTED, self)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.body.addWidget(self._empty, 1)
        self._make_buttons()
        # Queued: reading versions first saves pending changes, and rows must not change during a selection.
        self.session.library.changed.connect(self._on_library_changed, Qt.ConnectionType.QueuedConnection)

    def refresh(self) -> None:
        """Show what the library holds; it is read only when it changed."""
        current = self.session.design.key if self.session.design else None
        in_bin = self._bin.isChecked()
        self._table.show_current(current)
        if self._listed is in_bin:
            return
        key, line = self._selected(), max(0, self._view.currentIndex().row())
        self._designs = tuple(map(_of_design, self.session.library.entries(deleted=in_bin)))
        self._listed = in_bin
        self._table.show_rows((*self._designs, *self._beside()))
        self._view.setColumnHidden(KIND, len(self._table.rows) == len(self._designs))
        for button in self._buttons:
            button.setVisible(not in_bin)
        self._put_back.setVisible(in_bin)
        self._backups.setVisible(in_bin)
        self._select(key or current, line)
        self._show_found()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.is_built:
            for column in (VDEVS, POOL):
                self._view.setColumnHidden(column, self.width() < _NARROW)
            for button in self._buttons[:-1]:
                button.setText("" if self.width() < _NARROW else button.accessibleName())

    def main_button(self) -> QPushButton | None:
        return self._put_back if self._bin.isChecked() else self._buttons[-1]

    def _make_filter_row(self) -> QHBoxLayout:
        self._search = widgets.search_line(
            self, _("Filter the designs"), _("Search designs, runs, guide…"), self._on_filter
        )
        self._search.setMinimumWidth(11 * GRID)
        self._count = ToneLabel("", Tone.MUTED, self, wrapped=False)
        ask = partial(ask_files, self, self.import_from)
        take_in = widgets.button(_("Import…"), self, ask, icon="import", name=_("Import…"))
        self._bin = widgets.button(_("Bin"), self, self._on_bin, icon="delete", name=_("Bin"))
        self._bin.setCheckable(True)
        tip = _("Look for designs that only a backup holds")
        self._backups = widgets.button(
            _("Search backups"), self, self._on_backups, icon="search", tip=tip, name=_("Search backups")
        )
        where = partial(ask_where, self, f"{_('library')}.{PROJECT_ENDING}", self.export_all_to)
        tip = _("The designs, runs, comparisons and inventories as one file, for a colleague or a customer")
        export = widgets.button(_("Export all…"), self, where, icon="export", tip=tip, name=_("Export all…"))
        self.short += [self._backups, self._bin, take_in, export]
        return widgets.row((self._search, 1), self._count, self._backups, self._bin, take_in, export, gap=GRID // 2)

    def _make_view(self) -> QWidget:
        newest, wide = (MODIFIED, Qt.SortOrder.DescendingOrder), (NAME, LAYOUT)
        view = plain_table(_("Designs"), self._table, self, row_height=4 * GRID, stretched=wide, sorted_by=newest)
        view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        view.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        header = view.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        view.setItemDelegateForColumn(VDEVS, _PictureDelegate(view))
        for column, width in _WIDTHS.items():
            view.setColumnWidth(column, width * GRID)
        view.doubleClicked.connect(self._on_open)
        view.selectionModel().selectionChanged.connect(self._on_selection)
        widgets.action(_("Open"), view, "Return", self._on_open)
        widgets.action(_("Delete"), view, "Del", self._on_delete)
        self._view = view
        return view

    def _make_buttons(self) -> None:
        self._version = ChoiceBox(self, _("Saved versions"), self._on_version, letters=14)
        self._version.setToolTip(_("Opening an older version makes it the newest"))
        self._put_back = widgets.button(_("Put back"), self, self._on_put_back, icon="undo")
        self._buttons = [
            widgets.button(text, self, slot, icon=icon, tip=text, name=text)
            for icon, text, slot in (
                ("delete", _("Delete"), self._on_delete),
                ("rename", _("Rename"), self._on_rename),
                ("duplicate", _("Duplicate"), self._on_duplicate),
                ("export", _("Export…"), self._on_export),
                ("compare", _("Compare"), self._on_compare),
                ("open", _("Open"), self._on_open),
            )
        ]
        self._compare = self._buttons[-2]
        self._compare.setToolTip(_("Two to six selected designs, or one and the open design"))
        self.put_in_foot(self._version, *self._buttons, self._put_back)

    def _selected_designs(self) -> tuple[str, ...]:
        rows = (self._table.row(index.row()) for index in self._view.selectionModel().selectedRows())
        return tuple(entry.key for entry in rows if entry.kind == _DESIGN)

    def _selected(self) -> str | None:
        """Return the key of the one row that is selected."""
        rows = self._view.selectionModel().selectedRows()
        return str(rows[0].data(KEY_ROLE)) if len(rows) == 1 else None

    def _selected_design(self) -> Found | None:
        entry = self._table.entry(self._selected())
        return entry if entry is not None and entry.kind == _DESIGN else None

    def _design(self) -> Design | None:
        entry = self._selected_design()
        return self.session.library.read(entry.key) if entry else None

    def _searching(self) -> bool:
        return bool(self._search.text().strip()) and not self._bin.isChecked()

    def _beside(self) -> tuple[Found, ...]:
        """Return what is searched beside the designs."""
        if not self._searching():
            return ()
        runs = self.session.library.use(lambda database: Runs(database).entries()) or ()
        pages = guide_pages().values()
        guide = (Found(_GUIDE, page.name, page.title, page.about, words=page.about) for page in pages)
        return (*map(_of_run, runs), *guide)

    def _select(self, key: str | None, otherwise: int = 0) -> None:
        row = self._table.line_of(key) if key else None
        if rows := self._table.rowCount():
            self._view.selectRow(min(otherwise, rows - 1) if row is None else row)
        self._on_selection()

    def _show_found(self) -> None:
        shown, total = self._table.rowCount(), len(self._table.rows)
        self._count.setText(_("{shown:,} of {total:,}", shown=shown, total=total) if total else "")
        empty = _("The bin is empty.") if self._bin.isChecked() else ""
        empty = empty or _("No design yet: choose a layout and it appears here.")
        none = _("Nothing has all of these words.") if total else self.session.library.problem or empty
        self._empty.setText(none)
        self._empty.setVisible(not shown)
        self._view.setVisible(bool(shown))

    def _on_filter(self, text: str) -> None:
        key = self._selected()
        if self._searching() != (len(self._table.rows) > len(self._designs)):
            self._listed = None
            self.refresh()
        self._table.keep(text)
        self._show_found()
        self._select(key)

    def _on_selection(self) -> None:
        entry = self._selected_design()
        for button in (*self._buttons[:-1], self._put_back):
            button.setEnabled(entry is not None)
        self._buttons[0].setEnabled(bool(self._selected_designs()))
        self._compare.setEnabled(LEAST_COLUMNS <= len(self._compared()) <= MOST_COLUMNS)
        self._buttons[-1].setEnabled(self._selected() is not None)
        versions = self.session.library.versions(entry.key) if entry and not self._bin.isChecked() else ()
        self._version.offer((f"{when(each.saved)}, {each.summary}", each.number) for each in versions)  # for machines
        self._version.setVisible(len(versions) > 1)

    def _on_bin(self) -> None:
        self._notice.hide()
        self.refresh_now()

    def _on_backups(self) -> None:
        self._notice.hide()
        if found := self.session.library.offer():
            self._notice.show_text(found, Tone.WARN, action=_("Take from the backup"), does=self._take_from_backup)
        else:
            self.session.say(_("The backups hold no design that is missing here."))

    def _take_from_backup(self) -> None:
        self._notice.hide()
        self.session.library.take_offer()

    def _undelete(self, keys: tuple[str, ...]) -> None:
        self._notice.hide()
        for key in keys:
            self.session.library.undelete(key)
            self._select(key)

    def _on_put_back(self) -> None:
        if (key := self._selected()) is not None:
            self.session.library.undelete(key)

    def _on_version(self) -> None:
        key, number = self._selected(), self._version.currentData()
        design = self.session.library.read(key, number=number) if key else None
        if design is not None:
            self.session.show_design(design)

    def _on_library_changed(self) -> None:
        self._listed = None
        if self.isVisible():
            self.refresh_now()

    def _on_open(self) -> None:
        entry = self._table.entry(self._selected())
        if self._bin.isChecked() or entry is None:
            return
        if entry.run is not None:
            self.session.asked.emit("verify", (entry.run,))
        elif entry.kind == _GUIDE:
            self.session.asked.emit("reference", f"guide:{entry.key}")
        elif (design := self._design()) is not None:
            self.session.show_design(design)

    def _on_rename(self) -> None:
        rows = self._view.selectionModel().selectedRows()
        if self._selected_design() is not None and not self._bin.isChecked():
            self._view.setFocus()
            self._view.edit(rows[0])

    def _on_renamed(self, key: str, name: str) -> None:
        renamed = self.session.library.rename(key, name)
        if renamed is not None and self.session.design is not None and self.session.design.key == key:
            self.session.change_design(self.session.design.renamed(name=name), _("Rename"))

    def _on_duplicate(self) -> None:
        if entry := self._selected_design():
            copy = self.session.library.duplicate(entry.key, _("{name} (copy)", name=entry.name))
            self._select(copy)

    def _on_delete(self) -> None:
        keys, first = self._selected_designs(), self._table.entry(next(iter(self._selected_designs()), None))
        if first is not None and not self._bin.isChecked():
            text = _("“{name}” was deleted.", name=first.name)
            for key in keys:
                self.session.library.delete(key)
            text = text if len(keys) == 1 else _("{count} designs were deleted.", count=len(keys))
            self._notice.show_text(text, action=_("Undo"), does=partial(self._undelete, keys))

    def _compared(self) -> tuple[str, ...]:
        """Return the designs that are selected, a single one with the one that is open."""
        keys, opened = self._selected_designs(), self.session.design
        other = () if opened is None or len(keys) != 1 or opened.key in keys else (opened.key,)
        return (*other, *keys)

    def _on_compare(self) -> None:
        self.session.asked.emit("compare", self._compared())

    def _on_export(self) -> None:
        if (design := self._design()) is not None:
            text = to_json(design, self.session.library.rules_of(design.key))
            ask_where(self, file_name(design), partial(self.session.write, text=text))

    def export_all_to(self, path: str) -> None:
        if self.session.library.database() is not None:
            self._work(_("Saving the project"), write_project_in_steps(self.session.library.path, Path(path)))

    def _work(self, title: str, steps: Work) -> None:
        job = SlicedJob(title, "library", steps, self)
        job.ended.connect(self._on_worked)
        self.session.jobs.add(job)

    def _on_worked(self) -> None:
        job = widgets.sent(self, Job)
        if job.state.error is not None:
            self.session.complain(job.state.error_text)
        elif isinstance(job.result, Path):
            self.session.say(_("Saved to {path}", path=job.result))
        elif isinstance(job.result, tuple):
            names = ", ".join(map(quoted, job.result))
            self.session.say(_("Merged: {names}", names=names) if names else _("The library holds all of it already."))
            self.session.library.changed.emit()

    def take(self, what: object) -> None:
        """Import the files that were dropped."""
        assert isinstance(what, tuple)
        self.import_from([str(path) for path in what])

    def import_from(self, paths: Sequence[str]) -> None:
        problems: list[str] = []
        last: str | None = None
        for path in paths:
            database = self.session.library.database() if is_project(Path(path)) else None
            if database is not None:
                self._work(_("Merging the project"), merge_in_steps(database, Path(path)))
                continue
            try:
                design, __ = read_design(Path(path))
            except PoolwrightError as error:
                problems.append(error.text)
                continue
            if self.session.library.save(design):
                last = design.key
        if problems:
            self.session.complain("\n".join(problems))
        if last is not None:
            self._select(last)
