"""The right side of the window: the numbers of the current design, never off the screen, foldable to a strip."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QToolButton, QVBoxLayout, QWidget

from poolwright.domain.errors import PoolwrightError
from poolwright.domain.vdev import Layout, short_words
from poolwright.texts import _
from poolwright.ui.parts import icons, widgets
from poolwright.ui.parts.pool_picture import PoolPicture
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, TEXT_POINTS, Tone, text_font, theme
from poolwright.ui.parts.widgets import ElidedLabel, ToneLabel
from poolwright.ui.state.session import Session

if TYPE_CHECKING:  # what judges and predicts: the first page does not wait for it
    from poolwright.design.candidate import Candidate
    from poolwright.design.evaluate import Evaluation
    from poolwright.ui.shell.summary_numbers import SummaryNumbers
    from poolwright.ui.state.recommending import BestSoFar

WIDE = 34 * GRID
FOLDED = 6 * GRID


class Summary(QWidget):
    """Shows `Session.assessment`, and before a layout is chosen the first choice of the ranking."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(_("Summary of the design"))
        self._session = session
        self.folded = self._narrow = self._bare = False
        self.wished_folded = False  # whether the strip alone is wanted where there is room for everything
        self.numbers: SummaryNumbers | None = None  # until there are any
        self.so_far: BestSoFar | None = None
        column = widgets.column(self._make_head(), of=self, around=(GRID, 2 * GRID, GRID, GRID))
        self._strip = _Strip(self)
        column.addWidget(self._strip, 1)
        self._strip.hide()
        self._full = self._make_full()
        column.addWidget(self._full, 1)
        self._failing = False
        session.changed.connect(self.refresh)
        session.failing.connect(self._show_failing)
        self.set_folded(folded=False)
        self.refresh()

    def set_narrow(self, *, narrow: bool, bare: bool = False) -> None:
        """Fold by itself in a small window, go from a ``bare`` one, and stand again as it was wanted in a large one."""
        if (narrow, bare) != (self._narrow, self._bare):
            self._narrow, self._bare = narrow, bare
            self._fold_now(folded=narrow or self.wished_folded)

    def set_folded(self, *, folded: bool) -> None:
        """Show the strip, or everything; what is done in a small window is not wanted for a large one."""
        if not self._narrow:
            self.wished_folded = folded
        self._fold_now(folded=folded)

    def _fold_now(self, *, folded: bool) -> None:
        self.folded = folded
        self.setFixedWidth(FOLDED if folded else WIDE)
        self.setVisible(not (folded and self._bare))
        self._full.setVisible(not folded)
        self._heading.setVisible(not folded)
        self._strip.setVisible(folded)
        icons.set_icon(self._fold, "fold-left" if folded else "fold-right")
        text = _("Show the summary") if folded else _("Fold the summary")
        self._fold.setToolTip(text)
        self._fold.setAccessibleName(text)
        if folded:
            self.refresh()

    def toggle(self) -> None:
        self.set_folded(folded=not self.folded)

    def refresh(self, changed: frozenset[str] | None = None) -> None:
        """Show what follows from what changed; None is everything."""
        assessment = self._session.assessment
        typed = self._session.rules and self._session.previewed
        known = (assessment, self._session.inventory, typed, self._session.candidate)
        if self.numbers is None and any(each is not None for each in known):
            self._make_numbers()
        if self.numbers is None or self.so_far is None:
            self._show_title(assessment, None)
            return
        self.so_far.follow(changed)
        best, before = self.so_far.best, self.so_far.wished
        if best is None and self.so_far.before is not None and not self.so_far.problem:  # until the next one is found
            best, before = self.so_far.before[1], None
        looked_at = self._session.candidate
        if looked_at is not None and (best is None or looked_at.main.layout != best.main.layout):
            best, before = looked_at, None
        self._show_title(assessment, best)
        self.numbers.setVisible(assessment is not None or best is not None)
        self.numbers.refresh(changed, best, before)
        if self.folded:
            self._strip.show_numbers(self.numbers)

    def _show_failing(self, failing: bool) -> None:
        """Say that the numbers are those of the whole pool while some of its disks fail."""
        self._failing = failing
        self.refresh(frozenset())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(theme().colour("line"))
        painter.drawLine(0, 0, 0, self.height())

    def _make_head(self) -> QHBoxLayout:
        self._heading = ElidedLabel(Tone.MUTED, self)
        self._heading.setFont(text_font(SMALL_POINTS, semibold=True))
        self._fold = QToolButton(self)
        self._fold.setAutoRaise(True)
        self._fold.clicked.connect(self.toggle)
        return widgets.row((self._heading, 1), (self._fold, 0, Qt.AlignmentFlag.AlignRight), around=(GRID, 0, 0, 0))

    def _make_full(self) -> QScrollArea:
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._inner = inner = QWidget(area)
        self._column = widgets.column(self._make_title(inner), of=inner, gap=0)
        self._column.addStretch(1)
        area.setViewport(QWidget(area))  # one that is not filled; `viewport()` would make every class of widgets
        area.setWidget(inner)
        inner.setAutoFillBackground(False)
        return area

    def _make_title(self, inner: QWidget) -> QVBoxLayout:
        self._layout_text = ToneLabel("", Tone.TEXT, inner, bold=True)
        self._picture = PoolPicture(inner, height=7 * GRID)
        return widgets.column(self._layout_text, self._picture, gap=GRID, around=(GRID, 0, GRID, 0))

    def _make_numbers(self) -> None:
        from poolwright.ui.shell.summary_numbers import SummaryNumbers
        from poolwright.ui.state.recommending import BestSoFar

        self.so_far = BestSoFar(self._session)
        self.so_far.changed.connect(self.refresh)
        self.numbers = SummaryNumbers(self._session, self._inner)
        self._column.insertWidget(1, self.numbers)

    def _show_title(self, assessment: "Evaluation | None", best: "Candidate | None") -> None:
        """Say what the numbers are of: the design, or before there is one the best layout that was found."""
        busy = self._session.judging or (self.so_far is not None and self.so_far.busy)
        layouts: Sequence[Layout] = ()
        if assessment is not None:
            name, layouts = assessment.design.name, _layouts_of(assessment)
            words = "; ".join(map(short_words, layouts))
        elif best is not None:
            name = _("Layout") if best is self._session.candidate else _("Best so far")
            words, layouts = best.short_words, [pool.layout for pool in best.pools]
        else:
            name, words = _("No design yet"), self.so_far.problem if self.so_far is not None else ""
            words = words or ("" if busy else _("The best layout appears here with the first disks."))
        name = _("Before the failure") if self._failing else name
        self._heading.show_text(f"{name} …" if busy else name)
        self._layout_text.setText(words)
        self._layout_text.setFont(text_font(semibold=bool(layouts)))
        self._picture.show_layout(tuple(spec for layout in layouts for spec in layout))
        self._picture.setVisible(bool(layouts))


def _layouts_of(assessment: "Evaluation") -> list[Layout]:
    try:
        return [pool.design.layout() for pool in assessment.pools]
    except PoolwrightError:  # a size is unknown, which is said below
        return []


class _Strip(QWidget):
    """The folded summary, written downwards: usable space, failures survived, probability of loss and findings."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._parts: tuple[tuple[str, Tone], ...] = ()

    def show_numbers(self, numbers: "SummaryNumbers") -> None:
        """Show what there is; the size has the colour and tooltip of a wish that is not kept."""
        survived, findings = numbers.value("survives"), numbers.findings
        parts = (
            (numbers.usable_text, Tone.WARN if numbers.broken_words else Tone.TEXT),
            (_("survives {failures}", failures=survived) if survived else "", Tone.MUTED),
            (numbers.value("risk"), Tone.MUTED),
            (findings.words.partition(", ")[0] if findings.tone is not Tone.MUTED else "", findings.tone),
        )
        self._parts = tuple((text, tone) for text, tone in parts if text)
        words = " · ".join(text for text, __ in self._parts)
        self.setAccessibleName(words)
        self.setToolTip(numbers.broken_words or words)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, at = QPainter(self), 2 * GRID
        painter.rotate(90)
        for number, (text, tone) in enumerate(self._parts):
            painter.setFont(text_font(SMALL_POINTS if number else TEXT_POINTS, semibold=not number))
            painter.setPen(theme().colour(tone))
            painter.drawText(QPoint(at, painter.fontMetrics().descent() - self.width() // 2), text)
            at += painter.fontMetrics().horizontalAdvance(text) + 2 * GRID
