"""What can be compared, as a list to tick: headings and offers, at most six ticked at once."""

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, Qt, Signal

from poolwright.advise.compare import MOST_COLUMNS
from poolwright.emit.compared_words import LETTERS
from poolwright.texts import tell
from poolwright.ui.compare.comparing import Choice, Comparable
from poolwright.ui.parts.model_index import Index
from poolwright.ui.parts.theme import Tone, text_font, theme

Line = str | Comparable


class OfferRole(IntEnum):
    """What a line tells beside its title."""

    DETAIL = Qt.ItemDataRole.UserRole
    LETTER = Qt.ItemDataRole.UserRole + 1
    CHOICE = Qt.ItemDataRole.UserRole + 2


_MOST_LINES = 300  # more than anybody reads through


class ComparableList(QAbstractListModel):
    """Offers in groups. ``asked`` sends a choice and whether it is wanted; ``full`` that there is no room."""

    asked = Signal(object, bool)
    full = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._offers: tuple[Comparable, ...] = ()
        self._chosen: tuple[Choice, ...] = ()
        self._words: tuple[str, ...] = ()
        self._lines: tuple[Line, ...] = ()

    def show_offers(self, offers: Sequence[Comparable], chosen: Sequence[Choice]) -> None:
        """Show these offers; ``chosen`` are ticked, in their order."""
        if tuple(offers) == self._offers:
            self.show_chosen(chosen)
            return
        self._offers, self._chosen = tuple(offers), tuple(chosen)
        self._fill()

    def show_chosen(self, chosen: Sequence[Choice]) -> None:
        """Tick these."""
        self._chosen = tuple(chosen)
        if self._lines:
            self.dataChanged.emit(self.index(0), self.index(len(self._lines) - 1))

    def keep(self, text: str) -> None:
        """Show the offers with all words of ``text``, and those that are ticked."""
        self._words = tuple(text.casefold().split())
        self._fill()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of lines."""
        return 0 if parent.isValid() else len(self._lines)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let possible offers be ticked."""
        line = self._lines[index.row()]
        if isinstance(line, str):
            return Qt.ItemFlag.ItemIsEnabled
        wanted = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable
        return wanted if line.why_not else wanted | Qt.ItemFlag.ItemIsEnabled

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a line shows."""
        line = self._lines[index.row()]
        if isinstance(line, str):
            return self._heading(line, role)
        if role == Qt.ItemDataRole.DisplayRole:
            return line.title
        if role == OfferRole.DETAIL:
            return line.why_not or line.detail
        if role == OfferRole.CHOICE:
            return line.choice
        if role == OfferRole.LETTER:
            return LETTERS[self._chosen.index(line.choice)] if line.choice in self._chosen else ""
        if role == Qt.ItemDataRole.CheckStateRole:
            return Qt.CheckState.Checked if line.choice in self._chosen else Qt.CheckState.Unchecked
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{line.title}\n{line.why_not or line.detail}"
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{line.title}, {line.why_not or line.detail}"
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Ask to take an offer in, or out."""
        line = self._lines[index.row()]
        if role != Qt.ItemDataRole.CheckStateRole or isinstance(line, str) or line.why_not:
            return False
        wanted = Qt.CheckState(value) is Qt.CheckState.Checked
        if wanted and len(self._chosen) >= MOST_COLUMNS:
            self.full.emit()
            return False
        self.asked.emit(line.choice, wanted)
        return True

    def _heading(self, text: str, role: int) -> Any:
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return text
        if role == Qt.ItemDataRole.FontRole:
            return text_font(semibold=True)
        return theme().colour(Tone.MUTED) if role == Qt.ItemDataRole.ForegroundRole else None

    def _fill(self) -> None:
        self.beginResetModel()
        lines: list[Line] = []
        group = ""
        chosen, hidden = frozenset(self._chosen), 0
        for offer in self._offers:
            if offer.choice not in chosen:
                text = f"{offer.title} {offer.detail}".casefold() if self._words else ""
                if not all(word in text for word in self._words):
                    continue
                if len(lines) >= _MOST_LINES:
                    hidden += 1
                    continue
            if offer.group != group:
                group = offer.group
                lines.append(group)
            lines.append(offer)
        if hidden:
            lines.append(tell("{count} more are not shown: type words to find them", count=f"{hidden:,}"))
        self._lines = tuple(lines)
        self.endResetModel()
