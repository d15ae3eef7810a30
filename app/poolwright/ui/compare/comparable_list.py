"""What can be compared, as a list to tick: headings and offers, at most six ticked at once."""

from collections.abc import Sequence
from enum import IntEnum

from PySide6.QtCore import QObject, Qt, Signal

from poolwright.design.compare import MOST_COLUMNS
from poolwright.emit.comparison_charts import LETTERS
from poolwright.texts import tell
from poolwright.ui.compare.comparing import Choice, Comparable
from poolwright.ui.parts.table import Index, RowModel, TableColumn
from poolwright.ui.parts.theme import Tone, text_font, theme

Line = str | Comparable


class OfferRole(IntEnum):
    """What a line tells beside its title."""

    DETAIL = Qt.ItemDataRole.UserRole + 11
    LETTER = Qt.ItemDataRole.UserRole + 12


_MOST_LINES = 300  # more than anybody reads through


class ComparableList(RowModel[Line]):
    """Offers in groups. ``asked`` sends a choice and whether it is wanted; ``full`` that there is no room."""

    asked = Signal(object, bool)
    full = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        column: TableColumn[Line] = TableColumn(
            title=tell("Designs to compare"), text=_title, look=self._look, ticked=self._ticked, tick=self._tick
        )
        super().__init__((column,), parent, key=_key)
        self._offers: tuple[Comparable, ...] = ()
        self._chosen: tuple[Choice, ...] = ()
        self._wanted: tuple[str, ...] = ()

    def show_offers(self, offers: Sequence[Comparable], chosen: Sequence[Choice]) -> None:
        """Show these offers; ``chosen`` are ticked, in their order."""
        others = tuple(offers) != self._offers
        self._offers, self._chosen = tuple(offers), tuple(chosen)
        if others:
            self.show_rows(self._lines())
        else:
            self.rearrange()

    def show_with(self, text: str) -> None:
        """Show the offers with all words of ``text``, and those that are ticked."""
        self._wanted = tuple(text.casefold().split())
        self.show_rows(self._lines())

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let the keyboard pass over headings, and nobody tick what is impossible."""
        line = self.row(index.row())
        if isinstance(line, str):
            return Qt.ItemFlag.ItemIsEnabled
        return super().flags(index) & ~Qt.ItemFlag.ItemIsEnabled if line.why_not else super().flags(index)

    def _ticked(self, line: Line) -> bool | None:
        return None if isinstance(line, str) else line.choice in self._chosen

    def _tick(self, line: Line, wanted: bool) -> bool:
        if isinstance(line, str) or line.why_not:
            return False
        if wanted and len(self._chosen) >= MOST_COLUMNS:
            self.full.emit()
            return False
        self.asked.emit(line.choice, wanted)
        return True

    def _look(self, line: Line, role: int) -> object:
        if isinstance(line, str):
            if role == Qt.ItemDataRole.FontRole:
                return text_font(semibold=True)
            return theme().colour(Tone.MUTED) if role == Qt.ItemDataRole.ForegroundRole else None
        detail = line.why_not or line.detail
        if role == OfferRole.LETTER:
            return LETTERS[self._chosen.index(line.choice)] if line.choice in self._chosen else ""
        if role == OfferRole.DETAIL:
            return detail
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{line.title}\n{detail}"
        return f"{line.title}, {detail}" if role == Qt.ItemDataRole.AccessibleTextRole else None

    def _lines(self) -> list[Line]:
        lines: list[Line] = []
        group = ""
        chosen, hidden = frozenset(self._chosen), 0
        for offer in self._offers:
            if offer.choice not in chosen:
                text = f"{offer.title} {offer.detail}".casefold() if self._wanted else ""
                if not all(word in text for word in self._wanted):
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
        return lines


def _key(line: Line) -> object:
    return line if isinstance(line, str) else line.choice


def _title(line: Line) -> str:
    return line if isinstance(line, str) else line.title
