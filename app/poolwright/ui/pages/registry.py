"""Which pages the window has, in the order of the rail. A page is imported when it is first shown.

To add one: write the class (see page.py), a loader and an entry here. Nothing else knows the pages.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from poolwright.ui.pages.page import Page
from poolwright.ui.session import Session
from poolwright.ui.steps import (
    StepStatus,
    budget_status,
    commands_status,
    design_status,
    disks_status,
    outlook_status,
    recommendation_status,
    workload_status,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageEntry:
    """A page in the rail: ``status`` is given for the steps of the work, None for the rooms that are always there."""

    name: str
    title: str
    icon: str
    load: Callable[[], type[Page]]
    status: Callable[[Session], StepStatus] | None = None

    @property
    def module(self) -> str:
        """Return the name of the module that ``load`` imports."""
        return f"poolwright.ui.pages.{self.name}"


def _load_start() -> type[Page]:
    from poolwright.ui.pages.start import StartPage

    return StartPage


def _load_disks() -> type[Page]:
    from poolwright.ui.pages.disks import DisksPage

    return DisksPage


def _load_workload() -> type[Page]:
    from poolwright.ui.pages.workload import WorkloadPage

    return WorkloadPage


def _load_budget() -> type[Page]:
    from poolwright.ui.pages.budget import BudgetPage

    return BudgetPage


def _load_recommendation() -> type[Page]:
    from poolwright.ui.pages.recommendation import RecommendationPage

    return RecommendationPage


def _load_design() -> type[Page]:
    from poolwright.ui.pages.design import DesignPage

    return DesignPage


def _load_outlook() -> type[Page]:
    from poolwright.ui.pages.outlook import OutlookPage

    return OutlookPage


def _load_commands() -> type[Page]:
    from poolwright.ui.pages.commands import CommandsPage

    return CommandsPage


def _load_buying() -> type[Page]:
    from poolwright.ui.pages.buying import BuyingPage

    return BuyingPage


def _load_compare() -> type[Page]:
    from poolwright.ui.pages.compare import ComparePage

    return ComparePage


def _load_library() -> type[Page]:
    from poolwright.ui.pages.library import LibraryPage

    return LibraryPage


def _load_knowledge() -> type[Page]:
    from poolwright.ui.pages.knowledge import KnowledgePage

    return KnowledgePage


def _load_tables() -> type[Page]:
    from poolwright.ui.pages.tables import TablesPage

    return TablesPage


def _load_synclog() -> type[Page]:
    from poolwright.ui.pages.synclog import SynclogPage

    return SynclogPage


def _load_settings() -> type[Page]:
    from poolwright.ui.pages.settings import SettingsPage

    return SettingsPage


def page_entries() -> tuple[PageEntry, ...]:
    """Return every page: the start page first, then the steps, then the rooms."""
    return (
        PageEntry(name="start", title=_tr("Start"), icon="start", load=_load_start),
        PageEntry(name="disks", title=_tr("Disks"), icon="disks", load=_load_disks, status=disks_status),
        PageEntry(name="workload", title=_tr("Workload"), icon="workload", load=_load_workload, status=workload_status),
        PageEntry(name="budget", title=_tr("Budget"), icon="budget", load=_load_budget, status=budget_status),
        PageEntry(
            name="recommendation",
            title=_tr("Recommendation"),
            icon="recommendation",
            load=_load_recommendation,
            status=recommendation_status,
        ),
        PageEntry(name="design", title=_tr("Design"), icon="design", load=_load_design, status=design_status),
        PageEntry(name="outlook", title=_tr("Outlook"), icon="outlook", load=_load_outlook, status=outlook_status),
        PageEntry(name="commands", title=_tr("Commands"), icon="commands", load=_load_commands, status=commands_status),
        PageEntry(name="buying", title=_tr("Buy"), icon="buy", load=_load_buying),
        PageEntry(name="compare", title=_tr("Compare"), icon="compare", load=_load_compare),
        PageEntry(name="library", title=_tr("Library"), icon="library", load=_load_library),
        PageEntry(name="knowledge", title=_tr("Knowledge"), icon="knowledge", load=_load_knowledge),
        PageEntry(name="tables", title=_tr("Tables"), icon="tables", load=_load_tables),
        PageEntry(name="synclog", title=_tr("Sync writes"), icon="synclog", load=_load_synclog),
        PageEntry(name="settings", title=_tr("Settings"), icon="settings", load=_load_settings),
    )


def neighbours(entries: Sequence[PageEntry], name: str) -> tuple[tuple[str, str] | None, tuple[str, str] | None]:
    """Return name and title of the steps before and after this one; None where there is none."""
    steps = [entry for entry in entries if entry.status is not None or entry.name == "start"]
    at = next((number for number, entry in enumerate(steps) if entry.name == name), 0)
    if not at:
        return None, None
    onward = steps[at + 1] if at + 1 < len(steps) else None
    return (steps[at - 1].name, steps[at - 1].title), (onward.name, onward.title) if onward else None


def _tr(text: str) -> str:
    return QCoreApplication.translate("pages", text)
