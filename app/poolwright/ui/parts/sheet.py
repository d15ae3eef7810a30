"""The style sheet, kept by each part of the window for itself.

Qt restyles every widget of the program when the sheet of the application changes, which takes well over a second once
all pages were seen. So each page, and each part around the pages, has the sheet of its own, and a hidden part takes
new colours when it is shown.
"""

import re
from functools import cache

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from poolwright.emit.palette import Colours
from poolwright.paths import resources_folder
from poolwright.ui.parts import icons
from poolwright.ui.parts.theme import Recoloured, take_tones, theme


@cache
def style_sheet(colours: Colours) -> str:
    text = (resources_folder() / "styles" / "window.qss").read_text(encoding="utf-8")
    return re.sub(r"@([a-z_]+)", lambda name: str(getattr(colours, name[1])), text)


class Sheet(QObject):
    """Keeps the style sheet and the icons of ``part``, and of all below it, in the colours in force."""

    def __init__(self, part: QWidget) -> None:
        super().__init__(part)
        self._part = part
        part.setStyleSheet(style_sheet(theme().colours))
        Recoloured(part, self._wear)

    def _wear(self) -> None:
        self._part.setStyleSheet(style_sheet(theme().colours))
        icons.recolour_all(self._part)
        take_tones(self._part)
