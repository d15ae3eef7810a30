"""What the program knows: every rule with its reason and its sources."""

from typing import Any, ClassVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QHeaderView, QLineEdit, QSplitter, QTextBrowser, QWidget

from poolwright.domain.shown import html_escaped
from poolwright.rules.explain import explain_rule
from poolwright.rules.model import PropertyRule, Rule
from poolwright.texts import tell
from poolwright.ui.knowledge.rule_table import RuleColumn, RuleTable, gravity
from poolwright.ui.knowledge.term_view import TermView
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.model_index import KEY_ROLE, ROW_ROLE
from poolwright.ui.parts.page import Page
from poolwright.ui.parts.panes import Panes, Place
from poolwright.ui.parts.plain_table import plain_table
from poolwright.ui.parts.remembered import remember_split
from poolwright.ui.parts.theme import GRID, HEADING_POINTS, Tone, theme

_NEVER = 1 << 20  # rules and terms stay behind tabs, however wide the window is
_WIDTHS = {RuleColumn.KIND: 14, RuleColumn.SUBJECT: 15, RuleColumn.BASIS: 15}


class KnowledgePage(Page):
    """A table of rules; below it the one that is selected, in full."""

    gap: ClassVar[int] = GRID

    def title(self) -> str:
        return tell("Knowledge")

    def sentence(self) -> str:
        return tell("The rules by which designs are judged, with reasons and sources, and the terms of the field.")

    def build(self) -> None:
        """Make filter, table and details."""
        self._table = RuleTable(self)
        self._panes = Panes(tell("Rules or terms"), _NEVER, self)
        rules = QWidget(self._panes)
        column = lay.column(self._make_filter_row(), of=rules)
        splitter = QSplitter(Qt.Orientation.Vertical, rules)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self._make_view())
        splitter.addWidget(self._make_details())
        splitter.setSizes([3, 2])
        splitter.setStretchFactor(0, 3)
        splitter.setStretchFactor(1, 2)
        remember_split(splitter, "knowledge", self.session.preferences)
        column.addWidget(splitter, 1)
        self.terms = TermView(self._panes)
        self._panes.add(tell("Rules"), rules, Place(column=0))
        self._panes.add(tell("Terms"), self.terms, Place(column=1))
        self.body.addWidget(self._panes, 1)
        self._shown_book: object = self

    def refresh(self) -> None:
        """Show the rules, once they are loaded."""
        if self.session.rules is self._shown_book:
            return
        self._shown_book = self.session.rules
        self._table.show_book(self.session.rules)
        self._on_filter()
        self._view.selectRow(0)

    def recolour(self) -> None:
        """Draw icons and details in the new colours."""
        self._table.show_book(self.session.rules)
        self._view.selectRow(0)

    def show_terms(self) -> None:
        self._panes.bring_to_front(self.terms)
        self.terms.search.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _make_filter_row(self) -> QHBoxLayout:
        self._search = QLineEdit(self)
        self._search.setPlaceholderText(tell("Filter: ashift, raidz1, spare…"))
        self._search.setAccessibleName(tell("Filter the rules"))
        self._search.setClearButtonEnabled(True)
        icons.lead(self._search, "search")
        self._search.textChanged.connect(self._on_filter)
        self._kinds = QComboBox(self)
        self._kinds.setAccessibleName(tell("Kind of rule"))
        kinds = (tell("All kinds"), tell("Blocks"), tell("Warnings"), tell("Notes"), tell("Proposals"))
        self._kinds.addItems(list(kinds))
        self._kinds.currentIndexChanged.connect(self._on_filter)
        self._count = ToneLabel("", Tone.MUTED, self)
        self._count.setWordWrap(False)
        return lay.row((self._search, 1), self._kinds, self._count)

    def _make_view(self) -> QWidget:
        view = plain_table(tell("Rules"), self._table, self)
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

    def _make_details(self) -> QWidget:
        self._details = QTextBrowser(self)
        self._details.setAccessibleName(tell("The selected rule"))
        self._details.setOpenLinks(False)
        self._details.document().setDocumentMargin(2 * GRID)
        return self._details

    def _on_filter(self) -> None:
        kind, held = self._kinds.currentIndex(), self._view.currentIndex().data(KEY_ROLE)
        self._table.keep(self._search.text(), lambda rule: kind <= 0 or gravity(rule) == kind - 1)
        shown, total = self._table.rowCount(), len(self._table.rows)
        if self.session.rules is None:
            self._count.setText((self.session.rules_problem and tell("no rules")) or tell("loading…"))
        else:
            self._count.setText(tell("{shown:,} of {total:,}", shown=shown, total=total))
        self._view.selectRow(self._table.line_of(held) or 0)
        self._on_selected()

    def _on_selected(self, *_: Any) -> None:
        index = self._view.currentIndex()
        rule = index.data(ROW_ROLE) if index.isValid() else None
        book = self.session.rules
        if isinstance(rule, Rule | PropertyRule) and book is not None:
            self._details.setHtml(rule_html(explain_rule(rule, book)))
        else:
            self._details.setPlainText(self.session.rules_problem)


def rule_html(text: str) -> str:
    """Return the explanation of a rule as HTML: the title large, the word before each colon muted."""
    title, *lines = text.splitlines()
    muted = theme().colour(Tone.MUTED).name()
    body: list[str] = []
    for line in lines:
        label, colon, rest = line.strip().partition(": ")
        if colon and len(label) < 40:
            body.append(f'<p><span style="color:{muted}">{html_escaped(label)}</span>&nbsp; {html_escaped(rest)}</p>')
        else:
            body.append(f"<p>{html_escaped(line.strip())}</p>")
    size = f"font-size:{HEADING_POINTS:g}pt; font-weight:600"
    return f'<p style="{size}">{html_escaped(title)}</p>{"".join(body)}'
