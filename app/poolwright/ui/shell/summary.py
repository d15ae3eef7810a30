"""The right side of the window: the numbers of the current design, never off the screen, foldable to a strip."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QToolButton, QVBoxLayout, QWidget

from poolwright.domain.errors import PoolwrightError
from poolwright.domain.finding import Outcome
from poolwright.domain.units import binary
from poolwright.domain.vdev import Layout, short_words
from poolwright.texts import _
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.finding_rows import SEVERITY_TONES
from poolwright.ui.parts.lay import Heading, ToneLabel
from poolwright.ui.parts.pool_picture import PoolPicture
from poolwright.ui.parts.theme import GRID, Tone, text_font, theme
from poolwright.ui.state.session import Session

if TYPE_CHECKING:  # what judges and predicts: the first page does not wait for it
    from poolwright.design.evaluate import Evaluation
    from poolwright.ui.shell.summary_numbers import SummaryNumbers

WIDE = 34 * GRID
FOLDED = 9 * GRID


class Summary(QWidget):
    """Shows `Session.assessment`, and before a layout is chosen the first choice of the ranking."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(_("Summary of the design"))
        self._session = session
        self._folded = self._wished_folded = self._narrow = False
        self.numbers: SummaryNumbers | None = None  # until there are any
        column = lay.column(self._make_head(), of=self, around=(GRID, 2 * GRID, GRID, GRID))
        self._strip = _Strip(self)
        column.addWidget(self._strip)
        self._strip.hide()
        self._full = self._make_full()
        column.addWidget(self._full, 1)
        self._spring = QWidget(self)
        self._spring.hide()
        column.addWidget(self._spring, 1)
        session.changed.connect(self.refresh)
        theme().changed.connect(self._recolour)
        self.set_folded(folded=False)
        self.refresh()

    @property
    def folded(self) -> bool:
        return self._folded

    @property
    def wished_folded(self) -> bool:
        """Tell whether the strip alone is wanted where there is room for everything."""
        return self._wished_folded

    def set_narrow(self, *, narrow: bool) -> None:
        """Fold by itself in a small window, and stand again as it was wanted in a large one."""
        if narrow != self._narrow:
            self._narrow = narrow
            self._fold_now(folded=narrow or self._wished_folded)

    def set_folded(self, *, folded: bool) -> None:
        """Show the strip, or everything; what is done in a small window is not wanted for a large one."""
        if not self._narrow:
            self._wished_folded = folded
        self._fold_now(folded=folded)

    def _fold_now(self, *, folded: bool) -> None:
        self._folded = folded
        self.setFixedWidth(FOLDED if folded else WIDE)
        self._full.setVisible(not folded)
        self._heading.setVisible(not folded)
        self._strip.setVisible(folded)
        self._spring.setVisible(folded)
        icons.give(self._fold, "fold-left" if folded else "fold-right")
        text = _("Show the summary") if folded else _("Fold the summary")
        self._fold.setToolTip(text)
        self._fold.setAccessibleName(text)
        if folded:
            self.refresh()

    def toggle(self) -> None:
        self.set_folded(folded=not self._folded)

    def refresh(self, changed: frozenset[str] | None = None) -> None:
        """Show what follows from what changed; None is everything."""
        assessment = self._session.assessment
        self._heading.setText(f"{_('Summary')} …" if self._session.judging else _("Summary"))
        self._show_title(assessment)
        if self.numbers is None and (assessment is not None or self._session.inventory is not None):
            self._make_numbers()
        elif self.numbers is not None:
            self.numbers.refresh(changed)
        if self._folded:
            self._strip.show_numbers(assessment, self.numbers.broken_words if self.numbers is not None else "")

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(theme().colour("line"))
        painter.drawLine(0, 0, 0, self.height())

    def _make_head(self) -> QHBoxLayout:
        self._heading = Heading(_("Summary"), self)
        self._fold = QToolButton(self)
        self._fold.setAutoRaise(True)
        self._fold.clicked.connect(self.toggle)
        return lay.row((self._heading, 1), (self._fold, 0, Qt.AlignmentFlag.AlignRight), around=(GRID, 0, 0, 0))

    def _make_full(self) -> QScrollArea:
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._inner = inner = QWidget(area)
        self._column = lay.column(self._make_title(inner), of=inner, gap=0)
        self._column.addStretch(1)
        area.setViewport(QWidget(area))  # one that is not filled; `viewport()` would make every class of widgets
        area.setWidget(inner)
        inner.setAutoFillBackground(False)
        return area

    def _make_title(self, inner: QWidget) -> QVBoxLayout:
        text = lay.column(gap=2, around=(GRID, 0, GRID, 0))
        self._name = QLabel(inner)
        self._name.setFont(text_font(semibold=True))
        self._name.setWordWrap(True)
        self._layout_text = ToneLabel("", Tone.MUTED, inner)
        self._picture = PoolPicture(inner, height=8 * GRID)
        for part in (self._name, self._layout_text, self._picture):
            text.addWidget(part)
        return text

    def _make_numbers(self) -> None:
        from poolwright.ui.shell.summary_numbers import SummaryNumbers

        self.numbers = SummaryNumbers(self._session, self._inner)
        self._column.insertWidget(1, self.numbers)

    def _show_title(self, assessment: "Evaluation | None") -> None:
        """Say what the numbers are of: the design, or before there is one the best layout that was found."""
        found = self._session.recommendation
        if assessment is not None:
            name, layouts = assessment.design.name, _layouts_of(assessment)
            words = "; ".join(map(short_words, layouts))
        elif found is not None:
            name, words = _("First choice"), found.best.short_words
            layouts = [pool.layout for pool in found.best.pools]
        else:
            name, words, layouts = _("No design yet"), _("Its numbers appear here as soon as a layout is chosen."), []
        self._name.setText(name)
        self._layout_text.setText(words)
        self._picture.show_layout(tuple(spec for layout in layouts for spec in layout))
        self._picture.setVisible(bool(layouts))

    def _recolour(self) -> None:
        icons.refresh(self)
        self.refresh()
        self.update()


def _layouts_of(assessment: "Evaluation") -> list[Layout]:
    try:
        return [pool.design.layout() for pool in assessment.pools]
    except PoolwrightError:  # a size is unknown, which is said below
        return []


class _Strip(QWidget):
    """The folded summary: usable space and the findings as numbers."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        column = lay.column(of=self, gap=GRID // 2)
        self._number = ToneLabel("–", Tone.TEXT, self)
        self._number.setWordWrap(False)
        self._number.setFont(text_font(14.0, semibold=True))
        self._unit = ToneLabel("", Tone.MUTED, self, small=True)
        self._findings = QLabel(self)
        self._findings.setTextFormat(Qt.TextFormat.RichText)
        for label in (self._number, self._unit, self._findings):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            column.addWidget(label)

    def show_numbers(self, assessment: "Evaluation | None", broken: str) -> None:
        """Show what fits into the strip; the number has the colour and tooltip of a wish that is not kept."""
        capacities = assessment.capacities if assessment else None
        available = sum(capacity.available_bytes for capacity in capacities or ())
        number, __, unit = binary(available).partition(" ") if capacities else ("–", "", "")
        self._number.setText(number)
        self._number.set_tone(Tone.WARN if broken else Tone.TEXT)
        self._number.setToolTip(broken)
        self._unit.setText(_("{unit}\nusable", unit=unit) if capacities else "")
        violated = [f for f in (assessment.findings or () if assessment else ()) if f.outcome is Outcome.VIOLATED]
        lines: list[str] = []
        for severity, tone in SEVERITY_TONES.items():
            count = sum(1 for f in violated if f.severity is severity)
            if count:
                words = _("{count} {severity}", count=count, severity=_(severity.value))
                lines.append(f'<span style="color:{theme().colour(tone).name()}">{words}</span>')
        self._findings.setText("<br>".join(lines))
