"""Everything to look up behind one search: rules with sources, measured tables, sync writes, terms, the guide."""

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any, ClassVar, NamedTuple
from unicodedata import combining, normalize

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QColor, QTextCursor, QTextFormat
from PySide6.QtWidgets import QTableView, QTextBrowser, QWidget

from poolwright.domain.finding import SEVERITY_WORDS, first_sentence
from poolwright.emit.report import TextTone, Words
from poolwright.emit.table_chart import haystack
from poolwright.guide import CONTENTS, GuidePage, guide_pages
from poolwright.paths import resources_folder
from poolwright.predict.tables import Table
from poolwright.rules.rulebook import PropertyRule, Rule, RuleBook, explain_rule
from poolwright.shipped import shipped
from poolwright.texts import N_, _
from poolwright.ui.parts import icons, widgets
from poolwright.ui.parts.card import Card
from poolwright.ui.parts.finding_rows import SEVERITY_TONES, guide_links
from poolwright.ui.parts.report_view import Link, ReportView, Shown, facts_table, subheading
from poolwright.ui.parts.tabbed_page import TabbedPage, TabEntry
from poolwright.ui.parts.table import KEY_ROLE, RowModel, TableColumn, plain_table
from poolwright.ui.parts.theme import GRID, Recoloured, Tone, theme
from poolwright.ui.state.session import Session

_SEARCHED = ("all", "tables")


class Term(NamedTuple):
    """A term of the field, what it means, and the pages of the manual and the guide that say more, if any do."""

    name: str
    meaning: str
    manual: str
    guide: str


def terms() -> tuple[Term, ...]:
    glossary = (
        Term(
            entry.get("as_is") or _(entry["title"]),
            _(entry["summary"]),
            *(entry.get(n, "") for n in ("manual", "guide")),
        )
        for entry in shipped("terms")["term"]
    )
    return tuple(sorted(glossary, key=lambda term: _place(term.name)))


def _place(name: str) -> bytes:
    """Return by what names are sorted: without accents, and as GB 18030 has common Chinese signs, by their sound."""
    bare = "".join(letter for letter in normalize("NFKD", name.casefold()) if not combining(letter))
    return bare.encode("gb18030")


Told = Rule | PropertyRule | Term | Table | GuidePage


class ReferencePage(TabbedPage):
    """What is searched for is looked for in every part; the tabs tell how much each has of it."""

    heading = N_("Reference")
    about = N_("Rules, measurements and terms, each with its source.")
    of_tabs: ClassVar[str] = N_("Reference")

    def entries(self) -> tuple[TabEntry, ...]:
        return (
            TabEntry("all", _("All"), "knowledge.page", "EntriesPane"),
            TabEntry("tables", _("Tables"), "knowledge.tables", "TablesPane"),
            TabEntry("synclog", _("Sync writes"), "knowledge.synclog", "SynclogPane"),
            TabEntry("guide", _("Guide"), "knowledge.page", "GuidePane"),
        )

    def build(self) -> None:
        self._counts: dict[str, int] = {}
        hint = _("Search: ashift, raidz1, slog, resilver…")
        self.search = widgets.search_line(self, _("Search the reference"), hint, self._on_search)
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
        self.part("all").refresh()  # type: ignore[attr-defined]
        for name in _SEARCHED:
            self.part(name).search(self.search.text())  # type: ignore[attr-defined]
        self._show_counts()
        if self.search.text().strip() and not self._counts.get(self.front):
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

_KIND, _TITLE, _ABOUT = range(3)  # columns
_WIDTHS = {_KIND: 12, _TITLE: 38}  # in steps of the grid; what it is about has the rest
# What people search for by another name than titles have.
_ALSO = {"log device": "slog zil", "cache device": "l2arc", "records": "recordsize"}  # for machines


class ReferenceEntry(NamedTuple):
    """A line of the reference: what it tells ``of``, the ``rank`` of its kind, and ``words`` that find it as well."""

    of: Told
    key: str
    kind: str
    rank: int
    icon: str
    title: str
    about: str
    words: str

    @property
    def searched(self) -> str:
        title = self.title.casefold()
        also = (also for words, also in _ALSO.items() if words in title)
        return " ".join((self.kind, self.title, self.about, self.words, *also))


def entries(book: RuleBook | None, tables: Iterable[Table]) -> Iterator[ReferenceEntry]:
    """Yield terms and pages of the guide first, then what rules say, then proposals and measured tables."""
    line = ReferenceEntry
    for term in terms():
        yield line(term, term.name, _("Term"), 0, "knowledge", term.name, term.meaning, term.manual)
    for page in guide_pages().values():
        yield line(page, f"guide:{page.name}", _("Guide"), 1, "knowledge", page.title, page.about, page.text)
    grave = list(SEVERITY_TONES)
    for rule in book.rules if book is not None else ():
        kind, rank = _(SEVERITY_WORDS[rule.severity]), 2 + grave.index(rule.severity)
        yield line(rule, rule.id, kind, rank, rule.severity.value, rule.title, rule.why.raw(), _texts(rule))
    for one in book.properties if book is not None else ():
        yield line(one, one.id, _("Proposal"), 8, "recommendation", one.title, one.why.raw(), _texts(one))
    for table in tables:
        yield line(table, table.name, _("Table"), 9, "list", table.short, table.title, haystack(table))


def _texts(rule: Rule | PropertyRule) -> str:
    subject = _(rule.scope.words) if isinstance(rule, Rule) else rule.target
    return f"{rule.id} {subject} {_(rule.basis.value)} {rule.text.raw()}"


def _plain(text: str) -> str:
    return text.rstrip(".。").replace("`", "")


def _icon(entry: ReferenceEntry, role: int) -> object:
    tones = {severity.value: tone for severity, tone in SEVERITY_TONES.items()}
    shown = role == Qt.ItemDataRole.DecorationRole
    return icons.icon(entry.icon, tones.get(entry.icon, Tone.MUTED)) if shown else None


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
        self._table = RowModel(self._columns(), self, key=attrgetter("key"), searched=attrgetter("searched"))
        self._details = ReportView(_("Selected"), self, least=0, grows=True)
        card = Card(self)
        card.body.addWidget(self._details)
        self._details.pressed.connect(self.opened)
        self._view = self._make_view()
        widgets.column((self._view, 1), card, of=self)
        self._shown_book: object = self

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

    def _rank(self, entry: ReferenceEntry) -> int:
        return 2 * entry.rank + (not entry.title.casefold().startswith(self._words.strip().casefold()))

    def _columns(self) -> tuple[TableColumn[ReferenceEntry], ...]:
        title, about = attrgetter("title"), attrgetter("about")  # of which the first sentence is in the table
        return (
            TableColumn(title=_("Kind"), text=attrgetter("kind"), value=self._rank, look=_icon),
            TableColumn(title=_("Title"), text=lambda entry: entry.title.replace("`", ""), tip=title),
            TableColumn(
                title=_("About"),
                text=lambda entry: first_sentence(entry.about).rstrip(".。").replace("`", ""),
                tip=about,
            ),
        )

    def take(self, rule_id: str) -> None:
        self._view.selectRow(self._table.line_of(rule_id) or 0)

    def _show_entries(self) -> None:
        self._table.show_rows(entries(self._session.rules, self._tables))
        self.search(self._words)

    def _make_view(self) -> QTableView:
        kind = (_KIND, Qt.SortOrder.AscendingOrder)
        view = plain_table(
            _("Reference"), self._table, self, stretched=(_ABOUT,), sorted_by=kind, selected=self._on_selected
        )
        view.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for column, width in _WIDTHS.items():
            view.setColumnWidth(column, width * GRID)
        view.activated.connect(self._on_activated)
        view.verticalScrollBar().rangeChanged.connect(self._keep_in_sight)
        return view

    def _keep_in_sight(self) -> None:
        self._view.scrollTo(self._view.currentIndex())

    def _on_selected(self, *__: Any) -> None:
        entry = self._table.at(self._view.currentIndex())
        nothing: Iterable[Shown] = (Words(_("Nothing has all of these words."), TextTone.MUTED),)
        self._details.show_blocks(nothing if entry is None else entry_blocks(entry.of, self._session.rules))

    def _on_activated(self) -> None:
        for link in (block for block in self._details.blocks if isinstance(block, Link)):
            self.opened.emit(link.of)


_MODELLED = ("log (SLOG)", "sync")  # terms of which there is a model


def entry_blocks(entry: Told, book: RuleBook | None) -> Iterator[Shown]:
    """Yield an entry in full, and a link to the part of the page where more of it is."""
    if isinstance(entry, Term):
        yield subheading(entry.name)
        yield Words(entry.meaning, small=entry.manual)
        if entry.guide:
            yield Link(text=_("Guide"), of=f"guide:{entry.guide}")
        if entry.name in _MODELLED:
            yield Link(text=_("Sync writes"), of="synclog")
    elif isinstance(entry, GuidePage):
        yield subheading(entry.title)
        yield Words(entry.about)
        yield Link(text=_("Open"), of=f"guide:{entry.name}")
    elif isinstance(entry, Table):
        yield subheading(entry.title)
        yield Words(f"{entry.source} ({entry.date})", small=entry.note)
        yield Link(text=_("Open"), of=f"tables:{entry.name}")
    elif book is not None:
        title, *lines = explain_rule(entry, book).replace("`", "").splitlines()
        parts = [tuple(line.strip().split(": ", 1)) for line in lines]
        facts = [(part[0], part[1]) for part in parts if len(part) > 1 and "=" not in part[0]]
        yield subheading(title)
        yield facts_table(sorted(facts, key=lambda fact: fact[0] not in (_("Why"), _("Advice"))))
        yield from (Words(": ".join(part), TextTone.MUTED) for part in parts if part not in facts)
        yield from guide_links(entry.id)


class GuidePane(QWidget):
    """The guide as it ships; its pages name each other, and above them is the way back."""

    def __init__(self, _session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = widgets.named(_GuideText(self), _("Guide"))
        self._back = widgets.button("", self, self._text.backward, icon="back")
        widgets.column(widgets.row(self._back, 1), (self._text, 1), of=self)
        self.setMaximumWidth(120 * GRID)  # longer lines are hard to read
        self.setFocusProxy(self._text)
        self._text.historyChanged.connect(self._show_back)
        self.take(CONTENTS)

    def take(self, name: str) -> None:
        self._text.setSource(QUrl.fromLocalFile(str(resources_folder() / "guide" / f"{name}.md")))

    def _show_back(self) -> None:
        before = _page_at(self._text.historyUrl(-1))
        self._back.setVisible(before is not None)
        self._back.setText(_("Back: {page}", page=before.title) if before is not None else "")


def _page_at(url: QUrl) -> GuidePage | None:
    return guide_pages().get(url.fileName().removesuffix(".md"))


class _GuideText(QTextBrowser):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setOpenExternalLinks(True)
        self.document().setDocumentMargin(2 * GRID)
        self.sourceChanged.connect(self._dress)
        Recoloured(self, self.reload)

    def loadResource(self, kind: int, url: QUrl | str) -> Any:
        """Return a page in the language of the window."""
        page = _page_at(QUrl(url))
        return super().loadResource(kind, url) if page is None else page.text

    def _dress(self) -> None:
        """Give commands a ground of their own, headings room above and tables light lines, which Markdown cannot."""
        cursor, colours = QTextCursor(self.document()), theme().colours
        block = self.document().begin()
        while block.isValid():
            cursor.setPosition(block.position())
            look = block.blockFormat()
            if look.hasProperty(QTextFormat.Property.BlockCodeLanguage):
                look.setBackground(QColor(colours.window))
            elif look.headingLevel():
                look.setTopMargin(2 * GRID)
            cursor.setBlockFormat(look)
            block = block.next()
        for table in self.document().rootFrame().childFrames():
            lines = table.frameFormat()
            lines.setBorderBrush(QColor(colours.line))
            table.setFrameFormat(lines)
