"""Which pages the window has, in the order of the rail. A page is imported when it is first shown.

To add one: write the class (see parts/page.py) in a room of its own, and an entry here. Nothing else knows the pages.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module

from poolwright.texts import tell
from poolwright.ui.parts.broken_wishes import design_status_with_wishes
from poolwright.ui.parts.page import Page
from poolwright.ui.state.session import Session
from poolwright.ui.state.steps import (
    StepStatus,
    budget_status,
    commands_status,
    disks_status,
    outlook_status,
    recommendation_status,
    verify_status,
    workload_status,
)


@dataclass(frozen=True, slots=True)
class PageEntry:
    """A page in the rail: ``kind`` is its class in ``room``/page.py, ``status`` is given for the steps of the work.

    ``icon`` and ``room`` have its name where nothing else is said; the rooms that are always there have no status.
    """

    name: str
    title: str
    kind: str
    status: Callable[[Session], StepStatus] | None = None
    room: str = ""
    drawn: str = ""

    @property
    def icon(self) -> str:
        return self.drawn or self.name

    @property
    def module(self) -> str:
        """Return the name of the module that ``load`` imports."""
        return f"poolwright.ui.{self.room or self.name}.page"

    def load(self) -> type[Page]:
        found: type[Page] = getattr(import_module(self.module), self.kind)
        return found


def page_entries() -> tuple[PageEntry, ...]:
    """Return every page: the start page first, then the steps, then the rooms."""
    return (
        PageEntry("start", tell("Start"), "StartPage"),
        PageEntry("disks", tell("Disks"), "DisksPage", disks_status),
        PageEntry("workload", tell("Workload"), "WorkloadPage", workload_status),
        PageEntry("budget", tell("Budget"), "BudgetPage", budget_status),
        PageEntry(
            "recommendation", tell("Recommendation"), "RecommendationPage", recommendation_status, room="ranking"
        ),
        PageEntry("design", tell("Design"), "DesignPage", design_status_with_wishes),
        PageEntry("outlook", tell("Outlook"), "OutlookPage", outlook_status),
        PageEntry("commands", tell("Commands"), "CommandsPage", commands_status),
        PageEntry("verify", tell("Verify"), "VerifyPage", verify_status),
        PageEntry("hosts", tell("Hosts"), "HostsPage"),
        PageEntry("another", tell("Other machine"), "AnotherPage", drawn="capture"),
        PageEntry("buying", tell("Buy"), "BuyingPage", drawn="buy"),
        PageEntry("compare", tell("Compare"), "ComparePage"),
        PageEntry("library", tell("Library"), "LibraryPage"),
        PageEntry("pools", tell("Pools"), "PoolsPage"),
        PageEntry("knowledge", tell("Knowledge"), "KnowledgePage"),
        PageEntry("tables", tell("Tables"), "TablesPage"),
        PageEntry("synclog", tell("Sync writes"), "SynclogPage"),
        PageEntry("settings", tell("Settings"), "SettingsPage"),
    )


def neighbours(entries: Sequence[PageEntry], name: str) -> tuple[tuple[str, str] | None, tuple[str, str] | None]:
    """Return name and title of the steps before and after this one; None where there is none."""
    steps = [entry for entry in entries if entry.status is not None or entry.name == "start"]
    at = next((number for number, entry in enumerate(steps) if entry.name == name), 0)
    if not at:
        return None, None
    onward = steps[at + 1] if at + 1 < len(steps) else None
    return (steps[at - 1].name, steps[at - 1].title), (onward.name, onward.title) if onward else None
