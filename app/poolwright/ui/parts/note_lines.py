"""Lines of text, each with the icon and colour of how much it matters; the rest of a long list is folded away."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSizePolicy, QToolButton, QWidget

from poolwright.texts import tell
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.mark import Mark
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font

TONE_ICONS = {Tone.OK: "ok", Tone.NOTE: "note", Tone.WARN: "warn", Tone.BLOCK: "block", Tone.UNKNOWN: "unknown"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line: its text, and a tone that has an icon."""

    text: str
    tone: Tone = Tone.NOTE


class NoteLines(QWidget):
    """Shows up to ``most`` lines at first, and all of them when asked."""

    def __init__(self, name: str, parent: QWidget | None = None, *, most: int = 3, small: bool = False) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self._most, self._small = most, small
        self._lines: tuple[Line, ...] = ()
        self._rows: list[_Row] = []
        self._column = lay.column(gap=GRID // 2)
        self._more = QToolButton(self)
        self._more.setAutoRaise(True)
        self._more.setCheckable(True)
        self._more.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._more.setFont(text_font(SMALL_POINTS))
        self._more.toggled.connect(self._arrange)
        lay.row((self._column, 1), (self._more, 0, Qt.AlignmentFlag.AlignTop), of=self, gap=2 * GRID)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._arrange()

    def show_lines(self, lines: Sequence[Line]) -> None:
        if tuple(lines) == self._lines:
            return
        self._lines = tuple(lines)
        while len(self._rows) < len(lines):
            row = _Row(self, small=self._small)
            self._rows.append(row)
            self._column.addWidget(row)
        for row, line in zip(self._rows, lines, strict=False):
            row.show_line(line)
        self._more.setChecked(False)
        self._arrange()

    def text(self) -> str:
        return "\n".join(line.text for line in self._lines)

    def _arrange(self) -> None:
        folds = len(self._lines) > self._most
        visible = len(self._lines) if self._more.isChecked() or not folds else self._most
        for number, row in enumerate(self._rows):
            row.setVisible(number < visible)
        self._more.setVisible(folds)
        self.setVisible(bool(self._lines))
        rest = len(self._lines) - self._most
        text = tell("Show fewer") if self._more.isChecked() else tell("{count:,} more", count=rest)
        self._more.setText(text)
        self._more.setAccessibleName(f"{self.accessibleName()}: {text}")
        icons.give(self._more, "fold-down" if not self._more.isChecked() else "fold-right", Tone.MUTED)


class _Row(QWidget):
    def __init__(self, parent: QWidget, *, small: bool) -> None:
        super().__init__(parent)
        self._mark = Mark("note", self, size=icons.SMALL)
        self._text = ToneLabel("", Tone.TEXT, self, small=small)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        lay.row((self._mark, 0, Qt.AlignmentFlag.AlignTop), (self._text, 1), of=self)

    def show_line(self, line: Line) -> None:
        self._mark.show_mark(TONE_ICONS.get(line.tone, "note"), line.tone)
        self._text.setText(line.text)
        self._text.set_tone(line.tone if line.tone in {Tone.BLOCK, Tone.WARN} else Tone.TEXT)
