"""A button with a word and the icon that goes with it."""

from PySide6.QtWidgets import QPushButton, QWidget

from poolwright.ui.parts import icons


def icon_button(text: str, icon: str, parent: QWidget) -> QPushButton:
    """Return a button with this text and the icon of this name."""
    button = QPushButton(text, parent)
    icons.give(button, icon)
    return button
