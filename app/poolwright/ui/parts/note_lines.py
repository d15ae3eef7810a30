"""Lines of text, each with the icon and colour of how much it matters; the rest of a long list is folded away."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QPushButton, QSizePolicy, QToolButton, QWidget

from poolwright.texts import _
from poolwright.ui.parts import icons, widgets
from poolwright.ui.parts.card import draw_card
from poolwright.ui.parts.icons import IconLabel
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, mono_font, text_font, theme
from poolwright.ui.parts.widgets import ToneLabel

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
        self._column = widgets.column(gap=GRID // 2)
        self._more = QToolButton(self)
        self._more.setAutoRaise(True)
        self._more.setCheckable(True)
        self._more.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._more.setFont(text_font(SMALL_POINTS))
        self._more.toggled.connect(self._arrange)
        widgets.row((self._column, 1), (self._more, 0, Qt.AlignmentFlag.AlignTop), of=self, gap=2 * GRID)
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
        text = _("Show fewer") if self._more.isChecked() else _("{count:,} more", count=rest)
        self._more.setText(text)
        self._more.setAccessibleName(f"{self.accessibleName()}: {text}")
        icons.set_icon(self._more, "fold-down" if not self._more.isChecked() else "fold-right", Tone.MUTED)


class _Row(QWidget):
    def __init__(self, parent: QWidget, *, small: bool) -> None:
        super().__init__(parent)
        self._mark = IconLabel("note", self, size=icons.SMALL)
        self._text = ToneLabel("", Tone.TEXT, self, small=small, selectable=True)
        widgets.row((self._mark, 0, Qt.AlignmentFlag.AlignTop), (self._text, 1), of=self)

    def show_line(self, line: Line) -> None:
        self._mark.show_icon(TONE_ICONS.get(line.tone, "note"), line.tone)
        self._text.setText(line.text)
        self._text.set_tone(line.tone if line.tone in {Tone.BLOCK, Tone.WARN} else Tone.TEXT)


# A message in its place: what happened, why, what to do about it, and the buttons that do it.

_MIDDLE = Qt.AlignmentFlag.AlignVCenter
_BAR_HEIGHT = 3 * GRID + 2  # of a line with a button: the status bar has this room before there is a message
_CARD, _PAGE, _BAR = (2 * GRID, GRID, GRID, GRID), (0, 0, 0, 0), (GRID + 4, 0, 0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What a notice says. ``offers`` are its buttons: what stands on each, and what it does or `Notice.pressed` sends.

    The icon is that of the ``tone``; ``command`` says that the reasons are a line to be typed, beside its buttons; what
    is not ``framed`` stands on the page itself. With ``apart`` the buttons stand below the text, which may be long.
    """

    title: str
    tone: Tone = Tone.NOTE
    icon: str = ""
    reasons: str = ""
    todo: str = ""
    offers: tuple[tuple[str, str | Callable[[], object]], ...] = ()
    bold: bool = False
    command: bool = False
    framed: bool = True
    apart: bool = False


def no_design() -> Message:
    """Say it on a page that has nothing to show without one; what is sent is the page that leads to it."""
    offers = ((_("Choose a layout"), "recommendation"),)
    return Message(title=_("No design yet: choose a layout first."), offers=offers, bold=True)


class Notice(QWidget):
    """Hidden until it has something to say. ``pressed`` sends what a pressed button is offered to send.

    ``name`` tells assistive technology what the message is about. A ``bar`` has a stripe in the message's colour, can
    be closed, and is as high as its text needs. ``message_changed`` follows each message.
    """

    pressed = Signal(str)
    message_changed = Signal()

    def __init__(self, name: str, parent: QWidget | None = None, *, bar: bool = False) -> None:
        super().__init__(parent)
        self.said = Message(title="")
        self._bar = bar
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._mark = IconLabel("note", self, size=icons.MEDIUM if bar else icons.SMALL)
        self._title = self._label(name)
        self._reasons = self._label(_("Reasons"))
        self._todo = self._label(_("What to do"), Tone.MUTED)
        self._buttons = QButtonGroup(self)
        self._buttons.idClicked.connect(self._on_clicked)
        self._row = widgets.row((self._mark, 0, _MIDDLE), (self._title, 1))
        if bar:
            self._row.addWidget(self._closing(), 0, _MIDDLE)
        self._line, self._below = widgets.row((self._reasons, 1)), widgets.row(1)
        self._column = widgets.column(self._row, self._line, self._todo, self._below, of=self)
        if bar:
            self.setMinimumHeight(_BAR_HEIGHT)
        self.hide()

    def text(self) -> str:
        return self._title.text()

    def reasons(self) -> str:
        return self._reasons.text()

    def say(self, said: Message) -> None:
        self.said = said
        self._mark.show_icon(said.icon or TONE_ICONS.get(said.tone, "note"), said.tone)
        self._title.setText(said.title)
        self._title.setFont(text_font(semibold=said.bold))
        self._reasons.setFont(mono_font() if said.command else text_font())
        for label, text in ((self._reasons, said.reasons), (self._todo, said.todo)):
            label.setText(text)
            label.setVisible(bool(text))
        widgets.room(self._column, around=_BAR if self._bar else _CARD if said.framed else _PAGE)
        self._show_buttons()
        self.update()
        self.show()
        self._stand(self.window().width() - 2 * GRID)
        self.message_changed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._stand(self.width())

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self._bar:
            self.setMinimumHeight(_BAR_HEIGHT)

    def sizeHint(self) -> QSize:
        return self.minimumSize() if self._bar else super().sizeHint()

    def hasHeightForWidth(self) -> bool:
        return not self._bar and super().hasHeightForWidth()

    def _stand(self, width: int) -> None:
        """Be as high as the text needs: a status bar takes the height at the least width, however wide it is."""
        if self._bar:
            self.setMinimumHeight(max(_BAR_HEIGHT, self._column.heightForWidth(width)))

    def show_or_hide(self, said: Message | None) -> None:
        if said is None:
            self.hide()
        else:
            self.say(said)

    def show_text(
        self, text: str, tone: Tone = Tone.NOTE, *, action: str = "", does: str | Callable[[], object] = ""
    ) -> None:
        self.say(Message(title=text, tone=tone, offers=((action, does),) if action else ()))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self._bar:
            painter.fillRect(self.rect(), theme().colour("base"))
            painter.fillRect(0, 0, 4, self.height(), theme().colour(self.said.tone))
        elif self.said.framed:
            draw_card(painter, QRectF(self.rect()))

    def _label(self, name: str, tone: Tone = Tone.TEXT) -> ToneLabel:
        return widgets.named(ToneLabel("", tone, self, selectable=True), name)

    def _closing(self) -> QToolButton:
        button = widgets.named(QToolButton(self), _("Close the message"))
        button.setAutoRaise(True)
        button.setToolTip(_("Close the message"))
        icons.set_icon(button, "close")
        button.clicked.connect(self.hide)
        return button

    def _show_buttons(self) -> None:
        """Show one button for each offer; those that were made stay for the next message."""
        offers = self.said.offers
        for place in range(len(self._buttons.buttons()), len(offers)):
            new = QPushButton(self)
            self._buttons.addButton(new, place)
        rows = ((self._below, 0), (self._line, 1), (self._row, 2))  # where the buttons may stand, and after what
        into, first = rows[0 if self.said.apart else 1 if self.said.command else 2]
        for place, button in enumerate(self._buttons.buttons()):
            for row, __ in rows:
                row.removeWidget(button)
            into.insertWidget(first + place, button, 0, _MIDDLE)
            button.setVisible(place < len(offers))
            if place < len(offers):
                button.setText(offers[place][0])

    def _on_clicked(self, place: int) -> None:
        if self._bar:
            self.hide()
        does = self.said.offers[place][1]
        if isinstance(does, str):
            self.pressed.emit(does)
        else:
            does()
