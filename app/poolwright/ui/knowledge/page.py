"""Everything to look up behind one search: rules with sources, measured tables, sync writes, terms, the guide."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtWidgets import QHeaderView, QTableView, QTextBrowser, QWidget

from poolwright.emit.report import paragraph
from poolwright.paths import resources_folder
from poolwright.predict.table_model import Table
from poolwright.rules.model import PropertyRule, Rule, RuleBook, explain_rule
from poolwright.texts import N_, _
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.finding_rows import SEVERITY_TONES, severity_word
from poolwright.ui.parts.icons import Recoloured
from poolwright.ui.parts.report_view import Link, ReportView, Shown, subheading
from poolwright.ui.parts.sheet import remember_split
from poolwright.ui.parts.tabbed_page import TabbedPage, TabEntry
from poolwright.ui.parts.table import KEY_ROLE, ROW_ROLE, RowModel, TableColumn, plain_table
from poolwright.ui.parts.theme import GRID, Tone, theme
from poolwright.ui.state.session import Session
from poolwright.ui.tables.chart import haystack

_SEARCHED = ("all", "tables")


class ReferencePage(TabbedPage):
    """What is searched for is looked for in every part; the tabs tell how much each has of it."""

    heading = N_("Reference")
    about = N_("Rules, measurements and terms, each with its source.")
    of_tabs: ClassVar[str] = N_("Reference")

    def entries(self) -> tuple[TabEntry, ...]:
        return (
            TabEntry("all", _("All"), "knowledge.page", "EntriesPane"),
            TabEntry("tables", _("Tables"), "tables.pane", "TablesPane"),
            TabEntry("synclog", _("Sync writes"), "synclog.pane", "SynclogPane"),
            TabEntry("guide", _("Guide"), "knowledge.page", "GuidePane"),
        )

    def build(self) -> None:
        self._counts: dict[str, int] = {}
        hint = _("Search: ashift, raidz1, slog, resilver…")
        self.search = lay.search_line(self, _("Search the reference"), hint, self._on_search)
        self.body.addWidget(self.search)
        super().build()

    def part(self, name: str) -> QWidget:
        new = name not in self._parts
        part = super().part(name)
        if new and name in _SEARCHED:
            part.counted.connect(self._on_counted)  # type: ignore[attr-defined]
            part.search(self.search.text())  # type: ignore[attr-defined]
        if new and isinstance(part, EntriesPane):
            part.opened.connect(self.take)
        return part

    def take(self, what: str) -> None:
        self.search.clear()  # or what is asked for might not be among what was found
        super().take(what)
        name = what.partition(":")[0]
        (self.search if name in _SEARCHED else self.part(name)).setFocus(Qt.FocusReason.ShortcutFocusReason)

    def first_stop(self, stops: Sequence[QWidget]) -> QWidget | None:
        return self.search if self.search in stops else super().first_stop(stops)

    def _on_search(self) -> None:
        for name in _SEARCHED:
            self.part(name).refresh()  # type: ignore[attr-defined]
            self.part(name).search(self.search.text())  # type: ignore[attr-defined]
        self._show_counts()
        front = self._entries[self.tabs.currentIndex()].name
        if self.search.text().strip() and not self._counts.get(front):
            self.bring_to_front("all")

    def _on_counted(self, count: int) -> None:
        name = next(name for name, part in self._parts.items() if part is self.sender())
        self._counts[name] = count
        if name == "tables":
            self.part("all").show_tables(tuple(self.part(name).tables))  # type: ignore[attr-defined]
        self._show_counts()

    def _show_counts(self) -> None:
        searching = bool(self.search.text().strip())
        for number, entry in enumerate(self._entries):
            count = self._counts.get(entry.name) if searching else None
            self.tabs.setTabText(number, entry.title if count is None else f"{entry.title} ({count})")


# Terms, rules, proposals of a rule book and measured tables as one table.

_GRAVITIES = tuple(SEVERITY_TONES)


_KIND, _TITLE, _SUBJECT, _BASIS = range(4)  # columns
_WIDTHS = {_KIND: 14, _SUBJECT: 15, _BASIS: 17}  # in steps of the grid; the title has the rest
# What people search for by another name than titles have.
_ALSO = {"log device": "slog zil", "cache device": "l2arc", "records": "recordsize"}  # for machines


class Term(NamedTuple):
    """A term of the field, what it means, and the manual page that says more (empty where none does)."""

    name: str
    meaning: str
    manual: str


_Entry = Rule | PropertyRule | Term | Table


def _columns(rank: Callable[[_Entry], int]) -> tuple[TableColumn[_Entry], ...]:
    return (
        TableColumn(title=_("Kind"), text=_kind, value=rank, look=_icon),
        TableColumn(title=_("Title"), text=_title, tip=_title),
        TableColumn(title=_("On"), text=_subject, tip=_subject),
        TableColumn(title=_("Rests on"), text=_basis),
    )


def _kind(entry: _Entry) -> str:
    if isinstance(entry, Rule):
        return severity_word(entry.severity)
    return _("Proposal") if isinstance(entry, PropertyRule) else _("Term") if isinstance(entry, Term) else _("Table")


def _title(entry: _Entry) -> str:
    return entry.name if isinstance(entry, Term) else entry.short if isinstance(entry, Table) else entry.title


def _subject(entry: _Entry) -> str:
    if isinstance(entry, Rule):
        return _(entry.scope.words)
    return entry.target if isinstance(entry, PropertyRule) else ""


def _basis(entry: _Entry) -> str:
    return entry.manual if isinstance(entry, Term) else "" if isinstance(entry, Table) else _(entry.basis.value)


def _all_said(entry: _Entry) -> str:
    """Return what the filter looks into: what the cells say, and texts and reasons."""
    told = f"{_kind(entry)} {_title(entry)} {_subject(entry)} {_basis(entry)} "
    if isinstance(entry, Table):
        return told + haystack(entry)
    told += entry.meaning if isinstance(entry, Term) else f"{entry.id} {entry.text.raw()} {entry.why.raw()}"
    title = _title(entry).casefold()
    return " ".join((told, *(also for words, also in _ALSO.items() if words in title)))


def _gravity(entry: _Entry) -> int:
    """Return where a kind stands: terms first, then what a rule says by how grave it is, proposals, tables."""
    if isinstance(entry, Rule):
        return _GRAVITIES.index(entry.severity)
    return -1 if isinstance(entry, Term) else len(_GRAVITIES) + isinstance(entry, Table)


def _icon(entry: _Entry, role: int) -> object:
    if role != Qt.ItemDataRole.DecorationRole:
        return None
    if isinstance(entry, Rule):
        return icons.icon(entry.severity.value, SEVERITY_TONES[entry.severity])
    if isinstance(entry, PropertyRule):
        return icons.icon("recommendation", Tone.ACCENT)
    return icons.icon("knowledge" if isinstance(entry, Term) else "list", Tone.MUTED)


class EntriesPane(QWidget):
    """A table of all there is; below it the one that is selected, in full. ``counted`` sends how many a search leaves,
    ``opened`` the part of the page where more of it is.
    """

    counted = Signal(int)
    opened = Signal(object)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._words = session, ""
        self._tables: tuple[Table, ...] = ()
        self._table = RowModel[_Entry](_columns(self._rank), self, key=_key, searched=_all_said)
        self._details = ReportView(_("Selected"), self)
        self._details.document().setDocumentMargin(2 * GRID)
        self._details.pressed.connect(self.opened)
        self._view = self._make_view()
        splitter = lay.split(self, (self._view, 3), (self._details, 2))
        splitter.setSizes([3, 2])
        remember_split(splitter, "knowledge", session.preferences)
        lay.column((splitter, 1), of=self)
        self._shown_book: object = self
        theme().changed.connect(self._show_entries)

    def refresh(self) -> None:
        if self._session.rules is not self._shown_book:
            self._shown_book = self._session.rules
            self._show_entries()

    def show_tables(self, tables: tuple[Table, ...]) -> None:
        if tables != self._tables:
            self._tables = tables
            self._show_entries()

    def search(self, words: str) -> None:
        """Keep what holds all the words; what is called so comes first of its kind, and the first one is selected."""
        held = self._view.currentIndex().data(KEY_ROLE) if words in ("", self._words) else None
        self._words = words
        self._table.keep(words)
        self.counted.emit(self._table.rowCount())
        self._view.selectRow(self._table.line_of(held) or 0)
        self._on_selected()

    def _rank(self, entry: _Entry) -> int:
        return 2 * _gravity(entry) + (not _title(entry).casefold().startswith(self._words.strip().casefold()))

    def take(self, rule_id: str) -> None:
        self._view.selectRow(self._table.line_of(rule_id) or 0)

    def _show_entries(self) -> None:
        book = self._session.rules
        of_rules: tuple[_Entry, ...] = (*book.rules, *book.properties) if book else ()
        self._table.show_rows((*terms(), *of_rules, *self._tables))
        self.search(self._words)

    def _make_view(self) -> QTableView:
        view = plain_table(_("Reference"), self._table, self)
        view.setSortingEnabled(True)
        view.sortByColumn(_KIND, Qt.SortOrder.AscendingOrder)
        header = view.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(_TITLE, QHeaderView.ResizeMode.Stretch)
        for column, width in _WIDTHS.items():
            view.setColumnWidth(column, width * GRID)
        view.selectionModel().currentRowChanged.connect(self._on_selected)
        return view

    def _on_selected(self, *__: Any) -> None:
        index = self._view.currentIndex()
        entry = index.data(ROW_ROLE) if index.isValid() else None
        self._details.show_blocks(entry_blocks(entry, self._session.rules))


def _key(entry: _Entry) -> str:
    return entry.id if isinstance(entry, Rule | PropertyRule) else entry.name


def entry_blocks(entry: _Entry | None, book: RuleBook | None) -> Iterator[Shown]:
    """Yield an entry in full, and a link to the part of the page where more of it is."""
    if isinstance(entry, Term):
        yield subheading(entry.name)
        yield paragraph(entry.meaning, small=entry.manual)
        if entry.name in _MODELLED:
            yield Link(text=_("Sync writes"), of="synclog")
    elif isinstance(entry, Table):
        yield subheading(entry.title)
        yield paragraph(f"{entry.source} ({entry.date})", small=entry.note)
        yield Link(text=_("Open"), of=f"tables:{entry.name}")
    elif entry is not None and book is not None:
        title, *lines = explain_rule(entry, book).replace("`", "").splitlines()
        yield subheading(title)
        yield from (paragraph(line.strip()) for line in lines)


class GuidePane(QTextBrowser):
    """The guide as it ships; its pages name each other."""

    def __init__(self, _session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(_("Guide"))
        self.setOpenExternalLinks(True)
        self.document().setDocumentMargin(2 * GRID)
        self.setSource(QUrl.fromLocalFile(str(resources_folder() / "guide" / "index.md")))
        Recoloured(self, self.reload)

    def refresh(self) -> None:
        """Stay as it is: the guide is the same for every design."""


# The terms of the field, explained in a sentence or two; the words are those of the manual pages.


_MODELLED = ("log (SLOG)", "sync")  # terms of which there is a model
_CONCEPTS, _PROPERTIES = "zpoolconcepts(7)", "zfsprops(7)"
_TERMS = (
    ("vdev", N_("Disks with redundancy of their own. A pool spreads its data over its vdevs."), _CONCEPTS),
    ("pool", N_("All vdevs together. When one data vdev is lost, the whole pool is lost."), _CONCEPTS),
    ("mirror", N_("Each disk of the vdev holds all of its data. It survives while one is left."), _CONCEPTS),
    (N_("raidz1, raidz2, raidz3"), N_("1, 2 or 3 disks of parity a vdev. It survives that many failures."), _CONCEPTS),
    ("dRAID", N_("raidz with spare space spread over all disks, so that many take part in a rebuild."), _CONCEPTS),
    ("stripe", N_("Disks without redundancy. The first failure loses the pool."), _CONCEPTS),
    ("spare", N_("A disk that waits in the pool and takes over by itself when another one fails."), _CONCEPTS),
    ("log (SLOG)", N_("A fast device for synchronous writes until they are in the pool."), _CONCEPTS),
    ("cache (L2ARC)", N_("A second level of the read cache behind RAM. It may fail without loss."), _CONCEPTS),
    ("special", N_("A vdev for metadata and small blocks. The pool is lost without it."), _CONCEPTS),
    ("resilver", N_("The rebuild of a disk’s content from the others after it was replaced."), "zpool-resilver(8)"),
    ("scrub", N_("Reading everything once to find and repair what the disks got wrong."), "zpool-scrub(8)"),
    (N_("failures survived"), N_("This many disks may fail at once, whichever they are. The weakest vdev counts."), ""),
    (N_("TiB and TB"), N_("1 TiB is 1024⁴ bytes, 10 % more than 1 TB of 1000⁴, in which drives are sold."), ""),
    (N_("raw and usable"), N_("Raw: the disks. Usable: zfs list on the new, empty pool."), "zfs-list(8)"),
    (N_("plan for 80 %"), N_("A fuller pool becomes slow: its free space lies in small pieces."), ""),
    (N_("slop space"), N_("What ZFS keeps back to delete with: 1/32 of the pool, at most 128 GiB."), ""),
    ("metaslab", N_("The pieces in which a vdev hands out its space. What does not fill one is not used."), ""),
    ("padding", N_("raidz rounds blocks up to multiples of parity + 1 sectors. Small blocks lose most."), ""),
    (N_("deduplication"), N_("Equal blocks are stored once. Their table must fit in RAM."), "zfsconcepts(7)"),
    ("ashift", N_("A vdev’s smallest block as a power of two: 12 is 4096 bytes. For good."), "zpoolprops(7)"),
    ("512e, 512n, 4Kn", N_("How a disk is addressed and writes: 512 over 4096 bytes, both 512, both 4096."), ""),
    (N_("by-id name"), N_("A name with model and serial, which stays when disks are plugged elsewhere."), ""),
    (N_("SMART verdict"), N_("What the drive says of itself. Believe a failing one; a good one is no promise."), ""),
    ("SMR", N_("Shingled disks rewrite whole zones: they stall under a resilver."), ""),
    ("ARC", N_("The read cache in RAM. What fits in it is not read from the disks again."), ""),
    ("recordsize", N_("The largest block of a file: large for large files, a database’s page size."), _PROPERTIES),
    ("volblocksize", N_("The block of a volume (zvol). It cannot be changed later."), _PROPERTIES),
    ("compression", N_("lz4 costs next to nothing and gives up early on what does not shrink."), _PROPERTIES),
    ("atime", N_("Whether each read writes down when it happened. Off saves those writes."), _PROPERTIES),
    ("sync", N_("Whether writes that ask for it wait until safe. Off loses seconds in a crash."), _PROPERTIES),
    ("checksum", N_("What finds silent errors. Never turn it off."), _PROPERTIES),
    ("AFR", N_("Annualised failure rate: failures of a hundred disks of a model in a year."), ""),
    (N_("band"), N_("Low and high end of a prediction, wider far from what was measured."), ""),
    (N_("calibration"), N_("Pools measured on your host: they adapt the predicted speeds and narrow the band."), ""),
    (N_("correlation"), N_("How much more often a vdev’s other disks fail while one is down; 1: no more."), ""),
    (N_("loss a year"), N_("How likely a vdev loses more disks at a time than it survives, per year."), ""),
    (N_("left-out error"), N_("How far a model misses a row it was not fitted to. Bands are made from this."), ""),
)


def terms() -> tuple[Term, ...]:
    made = (Term(_(name), _(meaning), manual) for name, meaning, manual in _TERMS)
    return tuple(sorted(made, key=lambda term: term.name.casefold()))
