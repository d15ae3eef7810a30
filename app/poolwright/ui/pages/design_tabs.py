"""The parts of the design page, in the order of their tabs. A part is imported when it is first shown.

To add one: write a widget class that takes ``(session, parent)`` and has ``refresh()``, then a loader and an entry.
The design page calls ``refresh`` when the part comes to the front and whenever the session changed while it is there.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from poolwright.ui.session import Session


class DesignPart(Protocol):
    """What the design page asks of a part, which is a QWidget as well."""

    def refresh(self) -> None:
        """Show the session's state."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TabEntry:
    """A tab of the design page: ``load`` imports the class from ``module`` and returns it."""

    name: str
    title: str
    module: str
    load: Callable[[], Callable[[Session, QWidget], QWidget]]


def _load_picture() -> Callable[[Session, QWidget], QWidget]:
    from poolwright.ui.pages.design_picture import PicturePane

    return PicturePane


def _load_capacity() -> Callable[[Session, QWidget], QWidget]:
    from poolwright.ui.widgets.cascade_pane import CascadePane

    return CascadePane


def _load_datasets() -> Callable[[Session, QWidget], QWidget]:
    from poolwright.ui.widgets.datasets_pane import DatasetsPane

    return DatasetsPane


def _load_pool() -> Callable[[Session, QWidget], QWidget]:
    from poolwright.ui.widgets.pool_pane import PoolPane

    return PoolPane


def _load_roles() -> Callable[[Session, QWidget], QWidget]:
    from poolwright.ui.widgets.roles_pane import RolesPane

    return RolesPane


def _load_growth() -> Callable[[Session, QWidget], QWidget]:
    from poolwright.ui.widgets.growth_plan_pane import GrowthPlanPane

    return GrowthPlanPane


def tab_entries() -> tuple[TabEntry, ...]:
    """Return every tab of the design page."""
    return (
        TabEntry(name="picture", title=_tr("Picture"), module="poolwright.ui.pages.design_picture", load=_load_picture),
        TabEntry(
            name="capacity", title=_tr("Capacity"), module="poolwright.ui.widgets.cascade_pane", load=_load_capacity
        ),
        TabEntry(
            name="datasets", title=_tr("Datasets"), module="poolwright.ui.widgets.datasets_pane", load=_load_datasets
        ),
        TabEntry(name="pool", title=_tr("Pool"), module="poolwright.ui.widgets.pool_pane", load=_load_pool),
        TabEntry(
            name="roles", title=_tr("Support devices"), module="poolwright.ui.widgets.roles_pane", load=_load_roles
        ),
        TabEntry(
            name="growth", title=_tr("Growth"), module="poolwright.ui.widgets.growth_plan_pane", load=_load_growth
        ),
    )


def _tr(text: str) -> str:
    return QCoreApplication.translate("design tabs", text)
