"""How severities are shown: a colour, an icon of the same name, and a word."""

from PySide6.QtCore import QCoreApplication

from poolwright.domain.finding import Severity
from poolwright.ui.parts.theme import Tone

SEVERITY_TONES = {Severity.BLOCK: Tone.BLOCK, Severity.WARN: Tone.WARN, Severity.NOTE: Tone.NOTE}


def severity_word(severity: Severity) -> str:
    """Return the word for one finding of this severity."""
    words = {
        Severity.BLOCK: QCoreApplication.translate("severities", "Block"),
        Severity.WARN: QCoreApplication.translate("severities", "Warning"),
        Severity.NOTE: QCoreApplication.translate("severities", "Note"),
    }
    return words[severity]
