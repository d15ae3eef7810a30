"""Quiet colours for shell text: comments, quoted words, keywords and the commands that matter."""

import re
import time

from PySide6.QtCore import QTimer
from PySide6.QtGui import QFont, QSyntaxHighlighter, QTextBlock, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit

from poolwright.jobs.sliced_job import SLICE_SECONDS
from poolwright.ui.parts.recoloured import Recoloured
from poolwright.ui.parts.theme import Tone, theme

_KEYWORDS = re.compile(
    r"\b(?:if|then|else|elif|fi|for|while|do|done|case|esac|in|function|local|readonly|return|exit|set|trap|export)\b"
)
_TOOLS = re.compile(r"(?<![\w/.-])(?:zpool|zfs)(?![\w/.-])")
_QUOTED = re.compile(r"'[^']*'|\"(?:\\.|[^\"\\])*\"")
_PIECE = 250_000  # characters that are taken in between two events, with the line they end in
_COMMENT = re.compile(r"(?:^|(?<=\s))#.*$")


class ShellHighlighter(QSyntaxHighlighter):
    """Colours one line at a time: enough to read by, no parser.

    Long texts are coloured from above in slices, and very long ones are taken in piece by piece before.
    """

    def __init__(self, editor: QPlainTextEdit) -> None:
        super().__init__(editor.document())
        self._editor = editor
        self._showing = False
        self._text, self._taken = "", 0
        self._next = QTextBlock()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._go_on)
        self._make_formats()
        Recoloured(editor, self._recolour)

    def show_text(self, text: str) -> None:
        """Replace the text: at once and coloured above, or soon after where it is very long."""
        if text == self._text:
            return
        self._text, self._taken = text, 0
        self._next = QTextBlock()
        if len(text) > _PIECE:
            self._timer.start(0)
        else:
            self._take_in()
            self._begin()

    def _take_in(self) -> None:
        """Show the next piece of the text."""
        end = self._text.find("\n", self._taken + _PIECE) + 1 or len(self._text)
        self._showing = True
        if self._taken:
            last = QTextCursor(self.document())
            last.movePosition(QTextCursor.MoveOperation.End)
            last.insertText(self._text[self._taken : end])
        else:
            self._editor.setPlainText(self._text[:end])
        self._showing = False
        self._taken = end

    def highlightBlock(self, text: str) -> None:
        """Colour a line; a quote hides keywords, a comment hides everything but quotes before it."""
        if self._showing:
            return
        for pattern, made in ((_KEYWORDS, self._keyword), (_TOOLS, self._tool)):
            for match in pattern.finditer(text):
                self.setFormat(match.start(), match.end() - match.start(), made)
        quoted = [match.span() for match in _QUOTED.finditer(text)]
        for start, end in quoted:
            self.setFormat(start, end - start, self._quote)
        for match in _COMMENT.finditer(text):
            at = match.start()
            if not any(start < at < end for start, end in quoted):
                self.setFormat(at, len(text) - at, self._comment)

    def _recolour(self) -> None:
        self._make_formats()
        self._begin()

    def _begin(self) -> None:
        self._next = self.document().begin()
        self._timer.start(0)
        self._colour()

    def _go_on(self) -> None:
        if self._taken < len(self._text):
            self._take_in()
            if not self._next.isValid():
                self._next = self.document().begin()
        else:
            self._colour()

    def _colour(self) -> None:
        until = time.monotonic() + SLICE_SECONDS
        while self._next.isValid():
            self.rehighlightBlock(self._next)
            self._next = self._next.next()
            if time.monotonic() >= until:
                return
        if self._taken >= len(self._text):
            self._timer.stop()

    def _make_formats(self) -> None:
        self._keyword, self._tool = _format(Tone.NOTE), _format(Tone.ACCENT, bold=True)
        self._quote, self._comment = _format(Tone.OK), _format(Tone.MUTED)


def _format(tone: Tone, *, bold: bool = False) -> QTextCharFormat:
    made = QTextCharFormat()
    made.setForeground(theme().colour(tone))
    if bold:
        made.setFontWeight(QFont.Weight.Bold)
    return made
