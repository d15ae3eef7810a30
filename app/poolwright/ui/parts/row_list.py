"""What there is to say, one below the other: headings, lines of text, and rows with commands to copy and buttons."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QWidget

from poolwright.texts import tell
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.icons import Mark
from poolwright.ui.parts.lay import ScrolledRows, SmallHeading, ToneLabel
from poolwright.ui.parts.theme import GRID, Tone, mono_font, text_font

Text = tuple[str, Tone | None]  # None is of commands
COPY = "copy"  # what the button sends that copies the commands of its row


@dataclass(frozen=True, slots=True, kw_only=True)
class RowButton:
    """A button of a row: what stands on it, and what `RowList.pressed` sends for it."""

    text: str
    key: str
    icon: str = ""
    name: str = ""
    tip: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRow:
    """An icon, a title, what is said below it (nothing for empty texts), and buttons; ``of`` is what it is about."""

    title: str
    icon: str
    tone: Tone
    title_tone: Tone = Tone.TEXT
    bold: bool = True
    texts: tuple[Text, ...] = ()
    offers: tuple[RowButton, ...] = ()
    of: object = field(default=None, hash=False)  # may be large

    @property
    def commands(self) -> str:
        return "\n".join(text for text, tone in self.texts if text and tone is None)


Item = ListRow | str | Text  # a string is a heading


def copying(title: str) -> RowButton:
    return RowButton(text=tell("Copy"), key=COPY, icon="copy", name=tell("Copy: {title}", title=title))


class RowWidget(QWidget):
    pressed = Signal(str, object)

    def __init__(self, row: ListRow, parent: QWidget) -> None:
        super().__init__(parent)
        self.row = row
        title = ToneLabel(row.title, row.title_tone, self)
        title.setFont(text_font(semibold=row.bold))
        texts = lay.column(title, gap=2)
        for text, tone in row.texts:
            if text:
                texts.addWidget(self._commands(text) if tone is None else ToneLabel(text, tone, self, small=True))
        top = Qt.AlignmentFlag.AlignTop
        whole = lay.row((Mark(row.icon, self, row.tone, icons.SMALL), 0, top), (texts, 1), of=self)
        self.buttons: list[QPushButton] = []
        for offer in row.offers:
            button = lay.button(offer.text, self, self._on_pressed, icon=offer.icon, tip=offer.tip, name=offer.name)
            button.setProperty("key", offer.key)
            self.buttons.append(button)
            whole.addWidget(button, 0, top)

    def _commands(self, text: str) -> ToneLabel:
        # A line of a shell has few places to break at: the zero-width spaces are only shown, never copied.
        made = ToneLabel(text.replace("/", "/\u200b").replace("_", "_\u200b"), Tone.TEXT, self)
        made.setFont(mono_font())
        return made

    def _on_pressed(self) -> None:
        key = str(self.sender().property("key"))
        if key == COPY:
            QGuiApplication.clipboard().setText(self.row.commands)
        self.pressed.emit(key, self.row.of)


class RowList(ScrolledRows):
    """Shows rows; ``pressed`` sends the key of a button and what its row is ``of``. A page grows it from ``least``."""

    pressed = Signal(str, object)

    def __init__(self, name: str, parent: QWidget | None = None, *, least: int = 0) -> None:
        super().__init__(name, parent)
        self._least = least
        self._made: dict[Item, QWidget] = {}
        self._column = lay.column(of=self.inner, around=(0, 0, GRID, 0))

    @property
    def rows(self) -> list[RowWidget]:
        return [made for made in self._made.values() if isinstance(made, RowWidget)]

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        return QSize(hint.width(), self._least) if self._least else hint

    def show_items(self, items: Iterable[Item]) -> None:
        """Replace what is shown; rows that are shown already stay: a dozen new ones take most of 0.1 s."""
        shown = tuple(dict.fromkeys(item for item in items if isinstance(item, ListRow) or item[0]))
        if self._made and shown == tuple(self._made):
            return
        before, self._made = self._made, {}
        while self._column.count():
            self._column.takeAt(0)
        for item in shown:
            self._made[item] = made = before.pop(item, None) or self._widget(item)
            self._column.addWidget(made)
            made.show()  # at once, not in a later turn
        self._column.addStretch(1)
        for gone in before.values():
            gone.hide()
            gone.deleteLater()

    def _widget(self, item: Item) -> QWidget:
        inner = self.inner
        if isinstance(item, str):
            return SmallHeading(item, inner)
        if isinstance(item, ListRow):
            row = RowWidget(item, inner)
            row.pressed.connect(self.pressed)
            return row
        return ToneLabel(item[0], item[1] or Tone.TEXT, inner, small=True)
