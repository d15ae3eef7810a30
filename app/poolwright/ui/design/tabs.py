"""The parts of the design page, in the order of their tabs. A part is imported when it is first shown.

To add one: write a widget class that takes ``(session, parent)`` and has ``refresh()``, and an entry.
The design page calls ``refresh`` when the part comes to the front and whenever the session changed while it is there.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol

from PySide6.QtWidgets import QWidget

from poolwright.texts import tell
from poolwright.ui.state.session import Session


class DesignPart(Protocol):
    """What the design page asks of a part, which is a QWidget as well."""

    def refresh(self) -> None:
        """Show the session's state."""
        ...


@dataclass(frozen=True, slots=True)
class TabEntry:
    """A tab of the design page: ``kind`` is the class of its part in ``place`` (below ``poolwright.ui.design``)."""

    name: str
    title: str
    place: str
    kind: str

    @property
    def module(self) -> str:
        """Return the name of the module that ``load`` imports."""
        return f"poolwright.ui.design.{self.place}"

    def load(self) -> Callable[[Session, QWidget], QWidget]:
        """Import the part's class."""
        found: Callable[[Session, QWidget], QWidget] = getattr(import_module(self.module), self.kind)
        return found


def tab_entries() -> tuple[TabEntry, ...]:
    """Return every tab of the design page."""
    return (
        TabEntry("picture", tell("Picture"), "picture.page", "PicturePane"),
        TabEntry("capacity", tell("Capacity"), "cascade_pane", "CascadePane"),
        TabEntry("datasets", tell("Datasets"), "datasets.pane", "DatasetsPane"),
        TabEntry("pool", tell("Pool"), "pool_pane", "PoolPane"),
        TabEntry("roles", tell("Support devices"), "roles.pane", "RolesPane"),
        TabEntry("growth", tell("Growth"), "growth.pane", "GrowthPlanPane"),
    )
