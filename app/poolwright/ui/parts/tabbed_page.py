"""A page of parts, each behind a tab and made when that is first shown.

To add a part: write a widget class that takes ``(session, parent)``, and an entry in `entries` of the page. It is made
when its tab is first shown; its ``refresh``, if it has one, is called then and whenever the session changed while it is
in front. A part may have a ``main`` button: it stands in the footer while the part is in front and shows it.
"""

from collections.abc import Generator, Sequence
from importlib import import_module
from typing import ClassVar, NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget

from poolwright.texts import _
from poolwright.ui.parts import widgets
from poolwright.ui.parts.importing import import_in_steps
from poolwright.ui.parts.page import Page, focus_order
from poolwright.ui.parts.theme import GRID


class TabEntry(NamedTuple):
    name: str
    title: str
    place: str  # its module, below `poolwright.ui`
    kind: str  # the class of the part in it, a QWidget

    @property
    def module(self) -> str:
        return f"poolwright.ui.{self.place}"


class TabbedPage(Page):
    gap: ClassVar[int] = GRID
    of_tabs: ClassVar[str]  # the name of the row of tabs

    def entries(self) -> tuple[TabEntry, ...]:
        raise NotImplementedError

    def build(self) -> None:
        self._entries = self.entries()
        self._parts: dict[str, QWidget] = {}
        self.tabs = widgets.tabs(self, _(self.of_tabs))
        for entry in self._entries:
            self.tabs.addTab(entry.title)
        self.stack = QWidget(self)  # not a QStackedWidget: that is as high as the highest of its parts
        self._column = widgets.column(of=self.stack)
        self.body.addWidget(self.tabs, 0, Qt.AlignmentFlag.AlignLeft)
        self.body.addWidget(self.stack, 1)
        self.tabs.currentChanged.connect(self.refresh_now)

    def build_in_steps(self) -> Generator[None, None, None]:
        if not self.is_built:
            yield from import_in_steps(self.entries()[0].module)
        yield from super().build_in_steps()

    def refresh(self) -> None:
        """Let the part in front show the session's state; the others follow when they come to the front."""
        getattr(self._front(), "refresh", bool)()

    def part(self, name: str) -> QWidget:
        if name not in self._parts:
            entry = next(entry for entry in self._entries if entry.name == name)
            pane: QWidget = getattr(import_module(entry.module), entry.kind)(self.session, self.stack)
            pane.setAccessibleName(pane.accessibleName() or entry.title)
            self._parts[name] = pane
            pane.hide()
            self._column.addWidget(pane)
            if hasattr(pane, "main"):
                self.put_in_foot(pane.main)
        return self._parts[name]

    def bring_to_front(self, name: str) -> None:
        self.tabs.setCurrentIndex([entry.name for entry in self._entries].index(name))

    def take(self, what: str) -> None:
        """Show a part, and in it what follows a colon."""
        name, __, inside = what.partition(":")
        self.bring_to_front(name)
        if inside:
            self.part(name).take(inside)  # type: ignore[attr-defined]
        self.focus_first()

    def main_button(self) -> QPushButton | None:
        main: QPushButton | None = getattr(self._front(), "main", None)
        return super().main_button() if main is None or main.isHidden() or not main.isEnabled() else main

    @property
    def front(self) -> str:
        return self._entries[self.tabs.currentIndex()].name

    def shows(self, name: str) -> bool:
        return self.is_built and self.front == name

    def first_stop(self, stops: Sequence[QWidget]) -> QWidget | None:
        front = self._front()
        inside, wanted = focus_order(front), front.focusProxy()
        if wanted is not None and wanted in inside:
            return wanted
        return inside[0] if inside else super().first_stop(stops)

    def _front(self) -> QWidget:
        part = self.part(self.front)
        for other in self._parts.values():
            other.setVisible(other is part)
            if other is not part and hasattr(other, "main"):
                other.main.hide()
        return part
