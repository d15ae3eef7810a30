"""The left rail: the steps with their states, below them the rooms that are always there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QSizePolicy, QWidget

from poolwright.texts import _
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.page import Page
from poolwright.ui.parts.theme import GRID, Tone, theme
from poolwright.ui.parts.understood import design_status_with_wishes
from poolwright.ui.state.session import Session
from poolwright.ui.state.steps import (
    STATE_TONES,
    StepStatus,
    budget_status,
    commands_status,
    disks_status,
    outlook_status,
    recommendation_status,
    state_word,
    verify_status,
    workload_status,
)

# Which pages the window has, in the order of the rail. A page is imported when it is first shown.


@dataclass(frozen=True, slots=True)
class PageEntry:
    """A page in the rail: ``kind`` is its class in ``room``/page.py, ``status`` is given for the steps of the work.

    ``icon`` and ``room`` have its name where nothing else is said; the rooms that are always there have no status.
    ``follows`` names what the status is told of, as `Session.changed` does.
    """

    name: str
    title: str
    kind: str
    status: Callable[[Session], StepStatus | None] | None = None
    follows: frozenset[str] = frozenset()
    room: str = ""
    drawn: str = ""

    @property
    def icon(self) -> str:
        return self.drawn or self.name

    @property
    def module(self) -> str:
        return f"poolwright.ui.{self.room or self.name}.page"

    def load(self) -> type[Page]:
        found: type[Page] = getattr(import_module(self.module), self.kind)
        return found


_DISKS = frozenset({"inventory", "ticked"})
_PICK = _DISKS | {"design"}
_JUDGED = frozenset({"design", "findings", "rules", "assumed"})
_SCRIPT = frozenset({"design", "script_saved_for"})


def page_entries() -> tuple[PageEntry, ...]:
    return (
        PageEntry("start", _("Start"), "StartPage"),
        PageEntry("disks", _("Disks"), "DisksPage", disks_status, _DISKS),
        PageEntry("workload", _("Workload"), "WorkloadPage", workload_status, frozenset({"workload", "unread"})),
        PageEntry("budget", _("Budget"), "BudgetPage", budget_status, _DISKS | {"budget", "version", "unread"}),
        PageEntry("recommendation", _("Recommendation"), "RecommendationPage", recommendation_status, _PICK, "ranking"),
        PageEntry("design", _("Design"), "DesignPage", design_status_with_wishes, _DISKS | _JUDGED | {"budget"}),
        PageEntry("outlook", _("Outlook"), "OutlookPage", outlook_status, _JUDGED),
        PageEntry("commands", _("Commands"), "CommandsPage", commands_status, _SCRIPT),
        PageEntry("verify", _("Verify"), "VerifyPage", verify_status, frozenset({"design", "assumed"})),
        PageEntry("hosts", _("Hosts"), "HostsPage"),
        PageEntry("other_machine", _("Other machine"), "OtherMachinePage", drawn="capture"),
        PageEntry("buying", _("Buy"), "BuyingPage", drawn="buy"),
        PageEntry("compare", _("Compare"), "ComparePage"),
        PageEntry("library", _("Library"), "LibraryPage"),
        PageEntry("pools", _("Pools"), "PoolsPage"),
        PageEntry("knowledge", _("Knowledge"), "KnowledgePage"),
        PageEntry("tables", _("Tables"), "TablesPage"),
        PageEntry("synclog", _("Sync writes"), "SynclogPage"),
        PageEntry("settings", _("Settings"), "SettingsPage"),
    )


def neighbours(entries: Sequence[PageEntry], name: str) -> tuple[tuple[str, str] | None, tuple[str, str] | None]:
    """Return name and title of the steps before and after this one; None where there is none."""
    steps = [entry for entry in entries if entry.status is not None or entry.name == "start"]
    at = next((number for number, entry in enumerate(steps) if entry.name == name), 0)
    if not at:
        return None, None
    onward = steps[at + 1] if at + 1 < len(steps) else None
    return (steps[at - 1].name, steps[at - 1].title), (onward.name, onward.title) if onward else None


WIDE = 28 * GRID
NARROW = 7 * GRID
_HEIGHT = 5 * GRID
_PALE = 0.35
HIGHEST_KEY = 9  # Alt with a digit goes to a page; those beyond have none


class RailButton(QAbstractButton):
    """One line of the rail: icon, title and, for a step, the icon of its state."""

    def __init__(self, entry: PageEntry, number: int | None, parent: QWidget) -> None:
        super().__init__(parent)
        self.entry = entry
        self._number = number
        self._status: StepStatus | None = None
        self._stale = False
        self._narrow = False
        self._ringed = False
        self.setText(entry.title)
        self.setCheckable(True)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._describe()

    def show_status(self, status: StepStatus | None) -> None:
        """Show how far a step is; None is not told yet: what was told before is pale until then."""
        shown = status or self._status, status is None
        if shown != (self._status, self._stale):
            self._status, self._stale = shown
            self._describe()
            self.update()

    def set_narrow(self, narrow: bool) -> None:
        self._narrow = narrow
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(NARROW if self._narrow else WIDE, _HEIGHT)

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
        colours = theme()
        ground = QRectF(self.rect()).adjusted(GRID, 2, -GRID, -2)
        if self.isChecked() or self.underMouse():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colours.colour(Tone.SELECTION if self.isChecked() else "button"))
            painter.drawRoundedRect(ground, 6, 6)
        if self._ringed:
            painter.setPen(colours.colour(Tone.ACCENT))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(ground.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        middle = self.height() / 2
        tone = Tone.ACCENT if self.isChecked() else Tone.MUTED
        left = (self.width() - icons.MEDIUM) / 2 if self._narrow else 2 * GRID
        icons.paint(painter, self.entry.icon, QRectF(left, middle - 10, 20, 20), tone)
        if self._narrow:
            top = max(0.0, middle - 2 * GRID + 2)  # in a low window a line is hardly higher than its icon
            self._paint_state(painter, QRectF(self.width() - 2.5 * GRID, top, 11, 11))
            return
        painter.setPen(colours.colour(Tone.TEXT))
        where = QRectF(left + 20 + GRID, 0, self.width() - left - 20 - 4.5 * GRID, self.height())
        painter.drawText(where, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.text())
        self._paint_state(painter, QRectF(self.width() - 2 * GRID - 14, middle - 7, 14, 14))

    def _paint_state(self, painter: QPainter, where: QRectF) -> None:
        if self._status is not None:
            painter.setOpacity(_PALE if self._stale else 1.0)
            icons.paint(painter, f"state-{self._status.state.value}", where, STATE_TONES[self._status.state])

    def _describe(self) -> None:
        title = self.entry.title
        keys = f" (Alt+{self._number})" if self._number is not None else ""
        if self._status is None:
            self.setAccessibleName(title)
            self.setToolTip(f"{title}{keys}")
            return
        word = state_word(None if self._stale else self._status.state)
        reason = "" if self._stale else self._status.reason
        self.setAccessibleName(f"{title}, {word}")
        self.setAccessibleDescription(reason)
        self.setToolTip(f"{title}{keys}: {word}. {reason}".strip())


class Rail(QWidget):
    """All lines; ``chosen`` sends the name of the page that was asked for."""

    chosen = Signal(str)

    def __init__(self, entries: tuple[PageEntry, ...], session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(_("Steps and rooms"))
        self._session = session
        self._group = QButtonGroup(self)
        self._buttons: dict[str, RailButton] = {}
        column = lay.column(of=self, gap=0, around=(0, GRID // 2, 0, GRID // 2))
        steps = [e for e in entries if e.status is not None]
        rooms = [e for e in entries if e.status is None]
        home, *others = rooms
        number = 0
        for entry in (home, *steps, None, *others):
            if entry is None:
                column.addStretch(1)
                continue
            button = RailButton(entry, number if 0 < number <= HIGHEST_KEY else None, self)
            number += 1
            self._group.addButton(button)
            self._buttons[entry.name] = button
            column.addWidget(button)
            if entry is home:
                column.addSpacing(GRID)
        self._group.buttonClicked.connect(self._on_clicked)
        session.changed.connect(self.refresh)
        theme().changed.connect(self.update)
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
        self._buttons[name].setChecked(True)

    def set_narrow(self, narrow: bool) -> None:
        self.setFixedWidth(NARROW if narrow else WIDE)
        for button in self._buttons.values():
            button.set_narrow(narrow)

    def refresh(self, changed: frozenset[str] | None = None) -> None:
        """Tell anew how far the steps are that follow what changed; None is everything."""
        for button in self._buttons.values():
            entry = button.entry
            if entry.status is not None and (changed is None or changed & entry.follows):
                button.show_status(entry.status(self._session))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        buttons = list(self._buttons.values())
        focused = next((i for i, b in enumerate(buttons) if b.hasFocus()), 0)
        buttons[(focused + step) % len(buttons)].setFocus(Qt.FocusReason.TabFocusReason)

    def _on_clicked(self, button: QAbstractButton) -> None:
        assert isinstance(button, RailButton)
        self.chosen.emit(button.entry.name)
