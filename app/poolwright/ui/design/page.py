"""The design by hand: its picture, its tree, its capacity and what else belongs to it, each behind a tab.

To add a part: write a widget class that takes ``(session, parent)`` and has ``refresh()``, and an entry in
`tab_entries`. It is imported when its tab is first shown, and refreshed then and whenever the session changed while it
is in front.
"""

from collections.abc import Generator, Sequence
from importlib import import_module
from typing import ClassVar, NamedTuple

from PySide6.QtWidgets import QStackedWidget, QTabBar, QWidget

from poolwright.domain.design import Design
from poolwright.domain.disk import plan_only
from poolwright.texts import _
from poolwright.ui.parts import lay
from poolwright.ui.parts.importing import import_in_steps
from poolwright.ui.parts.page import Page, focus_order
from poolwright.ui.parts.theme import GRID
from poolwright.ui.parts.understood import broken_words


class TabEntry(NamedTuple):
    name: str
    title: str
    place: str  # its module, below `poolwright.ui.design`
    kind: str  # the class of the part in it, a QWidget with ``refresh()``


def tab_entries() -> tuple[TabEntry, ...]:
    return (
        TabEntry("picture", _("Picture"), "picture.page", "PicturePane"),
        TabEntry("capacity", _("Capacity"), "pool_pane", "CascadePane"),
        TabEntry("datasets", _("Datasets"), "datasets.pane", "DatasetsPane"),
        TabEntry("pool", _("Pool"), "pool_pane", "PoolPane"),
        TabEntry("roles", _("Support devices"), "roles.pane", "RolesPane"),
        TabEntry("growth", _("Growth"), "growth.pane", "GrowthPlanPane"),
        TabEntry("binding", _("Bind"), "binding.pane", "BindingPane"),
    )


def _module(entry: TabEntry) -> str:
    return f"poolwright.ui.design.{entry.place}"


def planned_words(design: Design) -> str:
    """Return how many disks of a design no tool has seen, with their badge; empty where all are real."""
    disks = [design.disk(key) for key in design.used_keys()]
    badge = plan_only(disks)
    if not badge:
        return ""
    planned = sum(disk.planned for disk in disks)
    if planned == len(disks):
        return _("No disk of this design is a real one yet ({badge}).", badge=badge)
    told = _("{planned} of {all} disks are not real ones yet ({badge}).")
    return told.format(planned=planned, all=len(disks), badge=badge)


class DesignPage(Page):
    """Holds the tabs listed in `tab_entries`; a part is made when its tab is first shown."""

    gap: ClassVar[int] = GRID

    def title(self) -> str:
        return _("Design")

    def sentence(self) -> str:
        if self.session.design is None:
            return _("Begin a pool by hand: mark disks in the tray and make a vdev of them.")
        return (
            broken_words(self.session)
            or planned_words(self.session.design)
            or _("Change the pool by hand: every number follows, each step can be undone.")
        )

    def missing(self) -> str:
        if not self.session.ticked and self.session.design is None:
            return _("Tick disks on the disks page first.")
        return "" if self.session.design is not None else _("There is no vdev yet.")

    def build(self) -> None:
        self._entries = tab_entries()
        self._parts: dict[str, QWidget] = {}
        self.tabs = lay.named(QTabBar(self), _("Parts of the design"))
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        for entry in self._entries:
            self.tabs.addTab(entry.title)
        self.stack = QStackedWidget(self)
        self.body.addWidget(self.tabs)
        self.body.addWidget(self.stack, 1)
        self.tabs.currentChanged.connect(self._on_tab)

    def build_in_steps(self) -> Generator[None, None, None]:
        if not self.is_built:
            yield from import_in_steps(_module(tab_entries()[0]))
        yield from super().build_in_steps()

    def refresh(self) -> None:
        """Let the part in front show the session's state; the others follow when they come to the front."""
        self._front().refresh()  # type: ignore[attr-defined]

    def part(self, name: str) -> QWidget:
        if name not in self._parts:
            entry = next(entry for entry in self._entries if entry.name == name)
            made: QWidget = getattr(import_module(_module(entry)), entry.kind)(self.session, self.stack)
            made.setAccessibleName(made.accessibleName() or entry.title)
            self._parts[name] = made
            self.stack.addWidget(made)
        return self._parts[name]

    def bring_to_front(self, name: str) -> None:
        self.tabs.setCurrentIndex([entry.name for entry in self._entries].index(name))

    def take(self, what: str) -> None:
        self.bring_to_front(what)
        self.focus_first()

    def shows(self, name: str) -> bool:
        return self.is_built and self._entries[self.tabs.currentIndex()].name == name

    def first_stop(self, stops: Sequence[QWidget]) -> QWidget | None:
        front = self._front()
        inside, wanted = focus_order(front), front.focusProxy()
        if wanted is not None and wanted in inside:
            return wanted
        return inside[0] if inside else super().first_stop(stops)

    def _front(self) -> QWidget:
        part = self.part(self._entries[self.tabs.currentIndex()].name)
        self.stack.setCurrentWidget(part)
        return part

    def _on_tab(self) -> None:
        self.refresh_now()
