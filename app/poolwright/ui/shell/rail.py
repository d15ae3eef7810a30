"""The left rail: the name of the program leads to Start, then the steps with their states, then all other pages."""

from PySide6.QtCore import QRectF, QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QFont, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QSizePolicy, QWidget

from poolwright.texts import _
from poolwright.ui.parts import icons, widgets
from poolwright.ui.parts.theme import GRID, TEXT_POINTS, Tone, text_font, theme
from poolwright.ui.shell.pages import HOME, PageEntry
from poolwright.ui.state.session import Session
from poolwright.ui.state.steps import STATE_TONES, STATE_WORDS, StepState, StepStatus

WIDE = 28 * GRID
NARROW = 7 * GRID
_HEIGHT, _NARROW_HEIGHT, _HOME_HEIGHT = 4 * GRID, 3 * GRID, 5 * GRID
_LEFT = 2 * GRID + GRID // 2  # where icons and titles begin
_TITLE_POINTS, _HOME_POINTS, _ROUND = 9.0, 12.0, 6.0
HIGHEST_KEY = 9  # Alt with a digit goes to a page; those beyond have none
_TURN_MILLISECONDS, _TURN_DEGREES = 100, 30
_SHOWN_FROM = 3  # turns: what is over sooner is not shown as work


class RailButton(QAbstractButton):
    """One line of the rail: icon, title and, for a step, the mark of its state."""

    def __init__(self, entry: PageEntry, number: int | None, parent: QWidget) -> None:
        super().__init__(parent)
        self.entry = entry
        self._number = number
        self._status: StepStatus | None = None
        self._turns = 0  # since it is at work
        self._narrow = False
        self._ringed = False
        self.setText("Poolwright" if entry.name == HOME else entry.title)
        self.setCheckable(True)
        self.setAutoExclusive(True)  # one of several, not a box to tick
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._describe()

    def show_status(self, status: StepStatus) -> None:
        if status != self._status:
            self._status = status
            self._describe()
            self.update()

    def turn(self, *, working: bool) -> None:
        """Turn the ring of a step at work on, or show its state again."""
        before, self._turns = self._turns, self._turns + 1 if working else 0
        if before or self._turns:
            self._describe()
            self.update()

    def set_narrow(self, narrow: bool) -> None:
        self._narrow = narrow
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        wide = _HOME_HEIGHT if self.entry.name == HOME else _HEIGHT
        return QSize(NARROW, _NARROW_HEIGHT) if self._narrow else QSize(WIDE, wide)

    def minimumSizeHint(self) -> QSize:
        return QSize(self.sizeHint().width(), icons.MEDIUM)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._ringed = event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._ringed = False
        super().focusOutEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        around = GRID // 2 if self._narrow else GRID
        self._paint_ground(painter, QRectF(self.rect()).adjusted(around, 0, -around, 0))
        home, current, middle = self.entry.name == HOME, self.isChecked(), self.height() / 2
        left = (self.width() - icons.MEDIUM) / 2 if self._narrow else _LEFT
        tone = Tone.ACCENT if current or home else Tone.MUTED
        icons.paint(
            painter, self.entry.drawn or self.entry.name, QRectF(left, middle - 10, icons.MEDIUM, icons.MEDIUM), tone
        )
        if self._narrow:
            if self._state() is not StepState.TO_DO:
                self._paint_state(painter, QRectF(left + icons.MEDIUM + 2, middle - 11, 10, 10))
            return
        painter.setFont(text_font(_HOME_POINTS if home else TEXT_POINTS, semibold=home or current))
        painter.setPen(theme().colour(Tone.TEXT))
        where = QRectF(left + icons.MEDIUM + 1.5 * GRID, 0, self.width() - left - 7.5 * GRID, self.height())
        painter.drawText(where, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.text())
        self._paint_state(painter, QRectF(self.width() - 4.5 * GRID, middle - GRID, icons.SMALL, icons.SMALL))

    def _paint_ground(self, painter: QPainter, ground: QRectF) -> None:
        colours, shape = theme(), QPainterPath()
        shape.addRoundedRect(ground, _ROUND, _ROUND)
        if self.isChecked() or self.underMouse():
            painter.fillPath(shape, colours.colour(Tone.SELECTION if self.isChecked() else "button"))
        if self.isChecked():
            painter.save()
            painter.setClipPath(shape)
            painter.fillRect(QRectF(ground.left(), ground.top(), 3, ground.height()), colours.colour(Tone.ACCENT))
            painter.restore()
        if self._ringed:
            painter.setPen(colours.colour(Tone.ACCENT))
            painter.drawRoundedRect(ground.adjusted(0.5, 0.5, -0.5, -0.5), _ROUND, _ROUND)

    def _paint_state(self, painter: QPainter, where: QRectF) -> None:
        state = self._state()
        if state is None:
            return
        if state is StepState.WORKING:
            painter.translate(where.center())
            painter.rotate(self._turns * _TURN_DEGREES)
            painter.translate(-where.center())
        icons.paint(painter, f"state-{state.value}", where, STATE_TONES[state])

    def _state(self) -> StepState | None:
        if self._turns >= _SHOWN_FROM:
            return StepState.WORKING
        return self._status.state if self._status is not None else None

    def _describe(self) -> None:
        title, state = self.entry.title, self._state()
        keys = "" if self._number is None else f" (Alt+{self._number or _('Home')})"
        if state is None or self._status is None:
            self.setAccessibleName(title)
            self.setToolTip(f"{title}{keys}")
            return
        word, reason = _(STATE_WORDS[state]), "" if state is StepState.WORKING else self._status.reason
        self.setAccessibleName(f"{title}, {word}")
        self.setAccessibleDescription(reason)
        self.setToolTip(f"{title}{keys}: {word}. {reason}".strip())


class _Group(QWidget):
    """Holds lines below the title of their group, or below a rule where the rail is narrow."""

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(title)
        self._title, self._narrow = title, False
        self.column = widgets.column(of=self, gap=0)

    def set_narrow(self, narrow: bool) -> None:
        self._narrow = narrow
        widgets.room(self.column, around=(0, GRID + 1 if narrow else 4 * GRID if self._title else 2 * GRID, 0, 0))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, font = QPainter(self), text_font(_TITLE_POINTS, semibold=True)
        font.setCapitalization(QFont.Capitalization.AllUppercase)
        font.setLetterSpacing(QFont.SpacingType.PercentageSpacing, 106)
        painter.setFont(font)
        painter.setPen(theme().colour("line" if self._narrow else Tone.MUTED))
        if self._narrow:
            painter.drawLine(GRID // 2, GRID // 2, self.width() - GRID // 2, GRID // 2)
        else:
            where = QRectF(_LEFT, 0, self.width() - _LEFT, 3.5 * GRID)
            painter.drawText(where, Qt.AlignmentFlag.AlignBottom, self._title)


class Rail(QWidget):
    """All lines; ``chosen`` sends the name of the page that was asked for."""

    chosen = Signal(str)

    def __init__(self, entries: tuple[PageEntry, ...], session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(_("Pages"))
        self._session = session
        self._group = QButtonGroup(self)
        self._buttons: dict[str, RailButton] = {}
        self._above = {entry.name: entry.under for entry in entries if entry.under}
        self._groups: list[_Group] = []
        column = lines = widgets.column(of=self, gap=0, around=(0, GRID, 0, GRID))
        titles = {"disks": _("Design"), "pools": _("Pools and designs"), "reference": ""}  # by the page below
        for number, entry in enumerate(entry for entry in entries if not entry.under):
            if (title := titles.get(entry.name)) is not None:
                self._groups.append(_Group(title, self))
                column.addWidget(self._groups[-1])
                lines = self._groups[-1].column
            button = RailButton(entry, number if number <= HIGHEST_KEY else None, self)
            self._group.addButton(button)
            self._buttons[entry.name] = button
            lines.addWidget(button)
        column.addStretch(1)
        self._timer = QTimer(self)
        self._timer.setInterval(_TURN_MILLISECONDS)
        self._timer.timeout.connect(self._turn)
        self._group.buttonClicked.connect(self._on_clicked)
        self._group.buttonToggled.connect(self._on_toggled)
        self._current = ""
        self._waiting: set[str] = set()  # whose state is being worked out
        session.changed.connect(self.refresh)
        session.jobs.changed.connect(self._look_for_work)
        self.set_narrow(False)
        self.refresh()

    def order(self) -> tuple[str, ...]:
        return tuple(self._buttons)

    def button(self, name: str) -> RailButton:
        return self._buttons[name]

    @property
    def has_keyboard(self) -> bool:
        """Tell whether somebody walks through the lines by keyboard; a click leaves the keyboard where it is."""
        return any(button.hasFocus() for button in self._buttons.values())

    def show_current(self, name: str) -> None:
        self._current = name
        with QSignalBlocker(self._group):
            self._buttons[self._above.get(name, name)].setChecked(True)

    def set_narrow(self, narrow: bool) -> None:
        self.setFixedWidth(NARROW if narrow else WIDE)
        parts: tuple[RailButton | _Group, ...] = (*self._buttons.values(), *self._groups)
        for part in parts:
            part.set_narrow(narrow)

    def refresh(self, changed: frozenset[str] | None = None) -> None:
        """Tell anew how far the steps are that follow what changed; None is everything."""
        for name, button in self._buttons.items():
            entry = button.entry
            if entry.status is not None and (changed is None or changed & entry.follows):
                status = entry.status(self._session)
                if status is None:
                    self._waiting.add(name)
                else:
                    self._waiting.discard(name)
                    button.show_status(status)
        self._look_for_work()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(theme().colour("line"))
        painter.drawLine(self.width() - 1, 0, self.width() - 1, self.height())

    def _at_work(self) -> set[str]:
        targets = {job.target for job in self._session.jobs.jobs}
        return self._waiting | {name for name, button in self._buttons.items() if button.entry.job in targets}

    def _look_for_work(self) -> None:
        if self._at_work() and not self._timer.isActive():
            self._timer.start()

    def _turn(self) -> None:
        working = self._at_work()
        for name, button in self._buttons.items():
            button.turn(working=name in working)
        if not working:
            self._timer.stop()

    def _on_clicked(self, button: QAbstractButton) -> None:
        """Lead back from a page that stands under this one, which is chosen already."""
        assert isinstance(button, RailButton)
        if self._above.get(self._current) == button.entry.name:
            self.chosen.emit(button.entry.name)

    def _on_toggled(self, button: QAbstractButton, checked: bool) -> None:
        """Follow pointer and keys as well as assistive technology, which does not click."""
        assert isinstance(button, RailButton)
        if checked:
            self.chosen.emit(button.entry.name)
