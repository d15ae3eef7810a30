"""What stands where the table will be as long as there are no disks: where they can come from."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from poolwright.ui.parts import lay
from poolwright.ui.parts.labels import Heading, ToneLabel
from poolwright.ui.parts.mark import Mark
from poolwright.ui.parts.theme import GRID, Tone, text_font, theme

_TEXT_WIDTH = 68 * GRID


class DropGround(QWidget):
    """A dashed frame; ``set_lit`` shows that files may be dropped."""

    def __init__(self, title: str, lines: tuple[str, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lit = False
        column = lay.column(of=self, around=GRID)
        column.addStretch(1)
        column.addWidget(Mark("capture", self, size=40), 0, Qt.AlignmentFlag.AlignHCenter)
        heading = Heading(title, self)
        column.addWidget(heading, 0, Qt.AlignmentFlag.AlignHCenter)
        for line in lines:
            label = ToneLabel(line, Tone.MUTED, self)
            label.setFont(text_font())
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            label.setFixedWidth(_TEXT_WIDTH)
            column.addWidget(label, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)
        theme().changed.connect(self.update)

    def set_lit(self, *, lit: bool) -> None:
        """Show whether files over the page would be taken."""
        self._lit = lit
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = QPen(
            theme().colour(Tone.ACCENT if self._lit else "line"), 2.0 if self._lit else 1.5, Qt.PenStyle.DashLine
        )
        painter.setPen(pen)
        painter.setBrush(theme().colour(Tone.SELECTION) if self._lit else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 8, 8)
