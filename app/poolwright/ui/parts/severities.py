"""How severities are shown: a colour, an icon of the same name, and a word."""

from poolwright.domain.finding import Severity
from poolwright.texts import tell
from poolwright.ui.parts.theme import Tone

SEVERITY_TONES = {Severity.BLOCK: Tone.BLOCK, Severity.WARN: Tone.WARN, Severity.NOTE: Tone.NOTE}


def severity_word(severity: Severity) -> str:
    words = {Severity.BLOCK: tell("Block"), Severity.WARN: tell("Warning"), Severity.NOTE: tell("Note")}
    return words[severity]
