"""What the program knows: every rule with its reason and its sources, the terms of the field, the guide."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, ClassVar

from PySide6.QtCore import Qt, QUrl
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QTextBrowser, QWidget

from poolwright.domain.finding import Severity
from poolwright.emit.report import ReportTable, Words, paragraph
from poolwright.paths import resources_folder
from poolwright.rules.model import PropertyRule, Rule, explain_rule
from poolwright.texts import N_, _
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.finding_rows import SEVERITY_TONES, severity_word
from poolwright.ui.parts.icons import Recoloured
from poolwright.ui.parts.lay import ToneLabel
from poolwright.ui.parts.page import Page
from poolwright.ui.parts.panes import Panes, Place
from poolwright.ui.parts.report_view import ReportView, subheading
from poolwright.ui.parts.sheet import remember_split
from poolwright.ui.parts.table import KEY_ROLE, ROW_ROLE, RowModel, TableColumn, plain_table
from poolwright.ui.parts.theme import GRID, Tone

# The rules and proposals of a rule book as a table.

_GRAVITY = {Severity.BLOCK: 0, Severity.WARN: 1, Severity.NOTE: 2}
_PROPOSAL_GRAVITY = 3


class RuleColumn(IntEnum):
    KIND = 0
    TITLE = 1
    SUBJECT = 2
    BASIS = 3


_Rule = Rule | PropertyRule


def rule_columns() -> tuple[TableColumn[_Rule], ...]:
    return (
        TableColumn(title=_("Kind"), text=_kind, value=gravity, look=_icon),
        TableColumn(title=_("Rule"), text=_title, tip=_title),
        TableColumn(title=_("On"), text=_subject, tip=_subject),
        TableColumn(title=_("Rests on"), text=lambda rule: _(rule.basis.value)),
    )


def _kind(rule: _Rule) -> str:
    return severity_word(rule.severity) if isinstance(rule, Rule) else _("Proposal")


def _title(rule: _Rule) -> str:
    return rule.title


def _all_said(rule: _Rule) -> str:
    """Return what the filter looks into: what the cells say, and texts and reasons."""
    cells = (_kind(rule), rule.title, _subject(rule), _(rule.basis.value))
    return " ".join((*cells, rule.id, rule.text.raw(), rule.why.raw()))


def gravity(rule: _Rule) -> int:
    """Return how grave what a rule says is, 0 the gravest; proposals come last."""
    return _GRAVITY[rule.severity] if isinstance(rule, Rule) else _PROPOSAL_GRAVITY


def _subject(rule: _Rule) -> str:
    return _(rule.scope.words) if isinstance(rule, Rule) else rule.target


def _icon(rule: _Rule, role: int) -> object:
    if role != Qt.ItemDataRole.DecorationRole:
        return None
    if isinstance(rule, Rule):
        return icons.icon(rule.severity.value, SEVERITY_TONES[rule.severity])
    return icons.icon("recommendation", Tone.ACCENT)


_NEVER = 1 << 20  # rules and terms stay behind tabs, however wide the window is
_WIDTHS = {RuleColumn.KIND: 14, RuleColumn.SUBJECT: 15, RuleColumn.BASIS: 15}


class KnowledgePage(Page):
    """A table of rules; below it the one that is selected, in full."""

    heading = N_("Knowledge")
    about = N_("Rules with their sources, terms of the field, the guide.")
    gap: ClassVar[int] = GRID

    def build(self) -> None:
        self._table = RowModel(rule_columns(), self, key=lambda rule: rule.id, searched=_all_said)
        self._panes = Panes(_("Rules, terms or guide"), _NEVER, self)
        rules = QWidget(self._panes)
        column = lay.column(self._make_filter_row(), of=rules)
        self._details = ReportView(_("The selected rule"), self)
        self._details.document().setDocumentMargin(2 * GRID)
        splitter = lay.split(rules, (self._make_view(), 3), (self._details, 2))
        splitter.setSizes([3, 2])
        remember_split(splitter, "knowledge", self.session.preferences)
        column.addWidget(splitter, 1)
        self.terms = TermView(self._panes)
        self._panes.add(_("Rules"), rules, Place(column=0))
        self._panes.add(_("Terms"), self.terms, Place(column=1))
        self.guide = GuideView(self._panes)
        self._panes.add(_("Guide"), self.guide, Place(column=2))
        self.body.addWidget(self._panes, 1)
        self._shown_book: object = self

    def refresh(self) -> None:
        if self.session.rules is self._shown_book:
            return
        self._shown_book = self.session.rules
        self._show_rules()
        self._on_filter()
        self._view.selectRow(0)

    def recolour(self) -> None:
        self._show_rules()
        self._view.selectRow(0)

    def _show_rules(self) -> None:
        book = self.session.rules
        self._table.show_rows((*book.rules, *book.properties) if book else ())

    def take(self, what: str) -> None:
        """Show the “guide” or the “terms”."""
        terms = what == "terms"
        self._panes.bring_to_front(self.terms if terms else self.guide)
        (self.terms.search if terms else self.guide).setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _make_filter_row(self) -> QHBoxLayout:
        self._search = lay.search_line(
            self, _("Filter the rules"), _("Filter: ashift, raidz1, spare…"), self._on_filter
        )
        self._count = ToneLabel("", Tone.MUTED, self)
        self._count.setWordWrap(False)
        return lay.row((self._search, 1), self._count)

    def _make_view(self) -> QWidget:
        view = plain_table(_("Rules"), self._table, self)
        view.setSortingEnabled(True)
        view.sortByColumn(RuleColumn.KIND, Qt.SortOrder.AscendingOrder)
        header = view.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(RuleColumn.TITLE, QHeaderView.ResizeMode.Stretch)
        for column, width in _WIDTHS.items():
            view.setColumnWidth(column, width * GRID)
        view.selectionModel().currentRowChanged.connect(self._on_selected)
        self._view = view
        return view

    def _on_filter(self) -> None:
        held = self._view.currentIndex().data(KEY_ROLE)
        self._table.keep(self._search.text())
        shown, total = self._table.rowCount(), len(self._table.rows)
        if self.session.rules is None:
            self._count.setText((self.session.rules_problem and _("no rules")) or _("loading…"))
        else:
            self._count.setText(_("{shown:,} of {total:,}", shown=shown, total=total))
        self._view.selectRow(self._table.line_of(held) or 0)
        self._on_selected()

    def _on_selected(self, *__: Any) -> None:
        index = self._view.currentIndex()
        rule = index.data(ROW_ROLE) if index.isValid() else None
        book = self.session.rules
        if isinstance(rule, Rule | PropertyRule) and book is not None:
            title, *lines = explain_rule(rule, book).splitlines()
            self._details.show_blocks([subheading(title), *(paragraph(line.strip()) for line in lines)])
        else:
            self._details.show_blocks([paragraph(self.session.rules_problem)])


# The terms of the field with their meaning, found by any word.


class TermView(QWidget):
    """A filter, and below it what matches."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.search = lay.search_line(self, _("Filter the terms"), _("Filter: vdev, resilver, slop…"), self.show_terms)
        self.text = ReportView(_("Terms"), self)
        lay.column(self.search, (self.text, 1), of=self)
        self.show_terms()

    def show_terms(self) -> None:
        found = matching(self.search.text())
        rows = tuple((Words(text=t.name, strong=True), Words(text=t.meaning, small=t.manual)) for t in found)
        nothing = paragraph("" if found else _("No term has these words."))
        self.text.show_blocks([nothing, ReportTable(header=("", ""), rows=rows)])


class GuideView(QTextBrowser):
    """The guide as it ships; its pages name each other."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(_("Guide"))
        self.setOpenExternalLinks(True)
        self.document().setDocumentMargin(2 * GRID)
        self.setSource(QUrl.fromLocalFile(str(resources_folder() / "guide" / "index.md")))
        Recoloured(self, self.reload)


# The terms of the field, explained in a sentence or two; the words are those of the manual pages.


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A term, what it means, and the manual page that says more (empty where none does)."""

    name: str
    meaning: str
    manual: str = ""


_CONCEPTS, _PROPERTIES = "zpoolconcepts(7)", "zfsprops(7)"
# Term, meaning, manual page.
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
    ("scrub", N_("Reading everything once to find and mend what the disks got wrong."), "zpool-scrub(8)"),
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
    (N_("loss a year"), N_("How likely a vdev loses more disks at a time than it survives, within a year."), ""),
    (N_("left-out error"), N_("How far a model misses a row it was not fitted to. Bands are made from this."), ""),
)


def terms() -> tuple[Term, ...]:
    made = (Term(name=_(name), meaning=_(meaning), manual=manual) for name, meaning, manual in _TERMS)
    return tuple(sorted(made, key=lambda term: term.name.casefold()))


def matching(text: str) -> tuple[Term, ...]:
    """Return the terms that hold every word of ``text``."""
    words = text.casefold().split()
    return tuple(t for t in terms() if all(word in f"{t.name} {t.meaning}".casefold() for word in words))
