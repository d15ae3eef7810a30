"""What there is to say about the script: why there is none, that it was saved and how to use it."""

import shlex
from collections import Counter
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from poolwright.domain.errors import PoolwrightError, Refusal
from poolwright.texts import tell
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.card import Card
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.mark import Mark
from poolwright.ui.parts.theme import Tone, mono_font, text_font

_MOST_REASONS = 3


class ScriptNotice(QWidget):
    """One card, hidden when there is nothing to say. ``go`` asks for a page."""

    go = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._target = ""
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        card = Card(self)
        lay.column(card, of=self)
        self._mark = Mark("note", card, size=icons.SMALL)
        self._title = ToneLabel("", Tone.TEXT, card)
        self._title.setFont(text_font(semibold=True))
        self._title.setAccessibleName(tell("State of the script"))
        self._button = QPushButton(card)
        self._button.clicked.connect(self._on_pressed)
        card.body.addLayout(lay.row(self._mark, (self._title, 1), self._button))
        self._reasons = ToneLabel("", Tone.TEXT, card)
        self._reasons.setAccessibleName(tell("Reasons"))
        self._reasons.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._todo = ToneLabel("", Tone.MUTED, card)
        self._todo.setAccessibleName(tell("What to do"))
        card.body.addWidget(self._reasons)
        card.body.addWidget(self._todo)
        self.hide()

    def show_no_design(self) -> None:
        """Say that a layout must be chosen first."""
        self._say(("note", Tone.NOTE), tell("There is no design yet."))
        self._show_todo(tell("Choose one of the layouts on the recommendation page."))
        self._offer(tell("Choose a layout"), "recommendation")

    def show_refusal(self, error: PoolwrightError) -> None:
        """Say why no script can be written, and what to do."""
        self._say(("block", Tone.BLOCK), tell("No script can be written for this design yet."))
        reasons = error.reasons if isinstance(error, Refusal) else (error.text,)
        counted = list(Counter(reasons).items())
        shown = [
            f"• {reason}" if count == 1 else f"• {reason} ({count} ×)" for reason, count in counted[:_MOST_REASONS]
        ]
        if len(counted) > _MOST_REASONS:
            more = sum(count for _, count in counted[_MOST_REASONS:])
            shown.append(tell("and {count:,} more of this kind", count=more))
        self._show_reasons("\n".join(shown))
        self._show_todo(error.todo or "")
        self._offer(tell("Choose disks"), "disks")

    def show_failure(self, error: PoolwrightError) -> None:
        """Say why the file was not written."""
        self._say(("block", Tone.BLOCK), error.text)

    def show_saved(self, path: Path) -> None:
        """Say where the script lies and what to do with it."""
        self._say(("ok", Tone.OK), tell("The script is saved to {path}", path=path))
        self._check = tell("sudo bash {name} --check", name=shlex.quote(path.name))
        self._reasons.setFont(mono_font())
        self._show_reasons(self._check)
        self._show_todo(
            tell("Copy it to the machine and run this line there first: it checks every disk and changes nothing.")
        )
        self._offer(tell("Copy this line"), "")

    def _say(self, mark: tuple[str, Tone], text: str) -> None:
        self._mark.show_mark(*mark)
        self._title.setText(text)
        self._reasons.setFont(text_font())
        for widget in (self._reasons, self._todo, self._button):
            widget.hide()
        self.show()

    def _show_reasons(self, text: str) -> None:
        self._reasons.setText(text)
        self._reasons.show()

    def _show_todo(self, text: str) -> None:
        self._todo.setText(text)
        self._todo.setVisible(bool(text))

    def _offer(self, text: str, target: str) -> None:
        self._button.setText(text)
        self._target = target
        self._button.show()

    def _on_pressed(self) -> None:
        if self._target:
            self.go.emit(self._target)
        else:
            QGuiApplication.clipboard().setText(self._check)
