"""Quiet colours for shell text: comments, quoted words, keywords and the commands that matter."""

import re

from PySide6.QtGui import QFont, QSyntaxHighlighter, QTextCharFormat, QTextDocument

from poolwright.ui.theme import Tone, theme

_KEYWORDS = re.compile(
    r"\b(?:if|then|else|elif|fi|for|while|do|done|case|esac|in|function|local|readonly|return|exit|set|trap|export)\b"
)
_TOOLS = re.compile(r"(?<![\w/.-])(?:zpool|zfs)(?![\w/.-])")
_QUOTED = re.compile(r"'[^']*'|\"(?:\\.|[^\"\\])*\"")
_COMMENT = re.compile(r"(?:^|(?<=\s))#.*$")


class ShellHighlighter(QSyntaxHighlighter):
    """Colours one line at a time: enough to read by, no parser."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        theme().changed.connect(self.rehighlight)

    def highlightBlock(self, text: str) -> None:
        """Colour a line; a quote hides keywords, a comment hides everything but quotes before it."""
        for pattern, tone, bold in ((_KEYWORDS, Tone.NOTE, False), (_TOOLS, Tone.ACCENT, True)):
            for match in pattern.finditer(text):
                self.setFormat(match.start(), match.end() - match.start(), _format(tone, bold=bold))
        quoted = [match.span() for match in _QUOTED.finditer(text)]
        for start, end in quoted:
            self.setFormat(start, end - start, _format(Tone.OK))
        for match in _COMMENT.finditer(text):
            at = match.start()
            if not any(start < at < end for start, end in quoted):
                self.setFormat(at, len(text) - at, _format(Tone.MUTED))


def _format(tone: Tone, *, bold: bool = False) -> QTextCharFormat:
    made = QTextCharFormat()
    made.setForeground(theme().colour(tone))
    if bold:
        made.setFontWeight(QFont.Weight.Bold)
    return made
