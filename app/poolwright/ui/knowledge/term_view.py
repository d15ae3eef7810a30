"""The terms of the field with their meaning, found by any word."""

from PySide6.QtWidgets import QLineEdit, QTextBrowser, QWidget

from poolwright.domain.shown import html_escaped
from poolwright.texts import tell
from poolwright.ui.knowledge.terms import Term, matching
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.recoloured import Recoloured
from poolwright.ui.parts.theme import GRID, Tone, theme


class TermView(QWidget):
    """A filter, and below it what matches."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(tell("Filter: vdev, resilver, slop…"))
        self.search.setAccessibleName(tell("Filter the terms"))
        self.search.setClearButtonEnabled(True)
        icons.lead(self.search, "search")
        self.search.textChanged.connect(self.show_terms)
        self.text = QTextBrowser(self)
        self.text.setAccessibleName(tell("Terms"))
        self.text.setOpenLinks(False)
        self.text.document().setDocumentMargin(2 * GRID)
        lay.column(self.search, (self.text, 1), of=self)
        Recoloured(self, self.show_terms)
        self.show_terms()

    def show_terms(self) -> None:
        found = matching(self.search.text())
        rows = "".join(self._row(term) for term in found)
        nothing = f"<p>{html_escaped(tell('No term has these words.'))}</p>"
        self.text.setHtml(f"<table cellspacing='0' cellpadding='4'>{rows}</table>" if found else nothing)

    def _row(self, term: Term) -> str:
        muted = theme().colour(Tone.MUTED).name()
        manual = f' <span style="color:{muted}">{html_escaped(term.manual)}</span>' if term.manual else ""
        name = f'<td width="180"><b>{html_escaped(term.name)}</b></td>'
        return f"<tr>{name}<td>{html_escaped(term.meaning)}{manual}</td></tr>"
