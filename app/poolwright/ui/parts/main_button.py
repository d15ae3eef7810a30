"""How the one button of a page that goes on stands out from the others."""

from PySide6.QtWidgets import QPushButton

from poolwright.ui.parts import icons
from poolwright.ui.parts.theme import Tone


def mark_main(button: QPushButton, *, main: bool) -> None:
    """Fill ``button`` with the accent colour, or take that back; the style sheet does the painting."""
    button.setProperty("main", main)
    icons.tint(button, Tone.ON_ACCENT if main else Tone.TEXT)
    style = button.style()
    style.unpolish(button)
    style.polish(button)
