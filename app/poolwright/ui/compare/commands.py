"""What becomes of the commands from one design to another: lines that go, lines that come."""

from collections.abc import Generator

from PySide6.QtCore import Signal
from PySide6.QtGui import QColor, QGuiApplication, QShowEvent, QTextBlockFormat, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QComboBox, QLabel, QPlainTextEdit, QWidget

from poolwright.design.compare import Comparison, DiffKind, DiffLine
from poolwright.emit.column_commands import commands_diff_in_steps
from poolwright.emit.compared_words import LETTERS
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.recoloured import Recoloured
from poolwright.ui.parts.slices import Slices
from poolwright.ui.parts.theme import SMALL_POINTS, Tone, mono_font, theme

_SIGNS = {DiffKind.SAME: " ", DiffKind.GONE: "−", DiffKind.NEW: "+"}
_TONES = {DiffKind.SAME: Tone.TEXT, DiffKind.GONE: Tone.BLOCK, DiffKind.NEW: Tone.OK}
_FAINT = 28
_AT_ONCE = 800  # disks of all columns, and lines: so many take a few milliseconds
_LINES_AT_ONCE = 20


class CommandsPane(QWidget):
    """Two choices and the difference. ``copied`` says that it is on the clipboard."""

    copied = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._comparison: Comparison | None = None
        self._lines: tuple[DiffLine, ...] = ()
        self._stale = False  # the commands of thousands of disks are written when somebody reads them
        self.first = self._choice(tell("Commands of"))
        self.second = self._choice(tell("Commands compared with"))
        self._count = ToneLabel("", Tone.MUTED, self)
        self._count.setWordWrap(False)
        self._count.setAccessibleName(tell("Lines that differ"))
        copy = lay.button(tell("Copy difference"), self, self._copy, icon="copy")
        row = lay.row()
        arrow = QLabel(tell("to"), self)
        for widget in (self.first, arrow, self.second, self._count, copy):
            row.addWidget(widget, 1 if widget in (self.first, self.second) else 0)
        self.text = QPlainTextEdit(self)
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setFont(mono_font(SMALL_POINTS))
        self.text.setAccessibleName(tell("Difference of the commands"))
        lay.column(row, (self.text, 1), of=self)
        self._slices = Slices(self)
        Recoloured(self, self._recolour)

    def show_comparison(self, comparison: Comparison | None) -> None:
        """Show this: from the first to the second design unless others were chosen."""
        self._comparison = comparison
        names = [f"{LETTERS[n]}  {c.title}" for n, c in enumerate(comparison.columns)] if comparison else []
        for choice, standard in ((self.first, 0), (self.second, 1)):
            before = choice.currentIndex()
            choice.blockSignals(True)
            choice.clear()
            choice.addItems(names)
            choice.setCurrentIndex(before if 0 <= before < len(names) else min(standard, len(names) - 1))
            choice.blockSignals(False)
        self._on_chosen()

    def _choice(self, name: str) -> QComboBox:
        choice = QComboBox(self)
        choice.setAccessibleName(name)
        choice.setMinimumContentsLength(7)
        choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        choice.currentIndexChanged.connect(self._on_chosen)
        return choice

    def showEvent(self, event: QShowEvent) -> None:
        """Write the commands of what was compared while this pane was hidden."""
        if self._stale:
            self._write()
        super().showEvent(event)

    def _on_chosen(self) -> None:
        self._stale = True
        if self.isVisible():
            self._write()

    def _write(self) -> None:
        self._stale = False
        columns = self._comparison.columns if self._comparison is not None else ()
        if sum(len(column.evaluation.design.disks) for column in columns if column.evaluation) <= _AT_ONCE:
            self._slices.do(self._writing())
        else:
            self.text.clear()
            self._count.setText(tell("being compared"))
            self._slices.begin(self._writing())

    def _writing(self) -> Generator[None, None, None]:
        first, second = self.first.currentIndex(), self.second.currentIndex()
        if self._comparison is None or min(first, second) < 0:
            self._lines = ()
        else:
            columns = self._comparison.columns
            self._lines = yield from commands_diff_in_steps(columns[first], columns[second])
        gone = sum(line.kind is DiffKind.GONE for line in self._lines)
        new = sum(line.kind is DiffKind.NEW for line in self._lines)
        yield
        self.text.setPlainText("\n".join(f"{_SIGNS[line.kind]} {line.text}" for line in self._lines))
        self._count.setText(tell("−{gone} +{new} lines", gone=gone, new=new))
        yield from self._colouring()

    def _recolour(self) -> None:
        if len(self._lines) <= _AT_ONCE:
            self._slices.do(self._colouring())
        elif self.text.document().blockCount() == len(self._lines):  # else it is being written
            self._slices.begin(self._colouring())

    def _colouring(self) -> Generator[None, None, None]:
        block = self.text.document().begin()
        for number, line in enumerate(self._lines):
            if line.kind is not DiffKind.SAME:
                colour = theme().colour(_TONES[line.kind])
                look, ground = QTextCharFormat(), QTextBlockFormat()
                look.setForeground(colour)
                faint = QColor(colour)
                faint.setAlpha(_FAINT)
                ground.setBackground(faint)
                cursor = QTextCursor(block)
                cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
                cursor.setCharFormat(look)
                cursor.setBlockFormat(ground)
            block = block.next()
            if number % _LINES_AT_ONCE == 0:
                yield

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText() + "\n")
        self.copied.emit()
