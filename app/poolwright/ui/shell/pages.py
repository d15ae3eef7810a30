"""Which pages the window has, in the order of the rail. A page is imported when it is first shown."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module

from poolwright.texts import _
from poolwright.ui.parts.page import Page
from poolwright.ui.state.session import Session
from poolwright.ui.state.steps import (
    StepStatus,
    budget_status,
    commands_status,
    design_status_with_wishes,
    disks_status,
    recommendation_status,
    verify_status,
    workload_status,
)


@dataclass(frozen=True, slots=True)
class PageEntry:
    """A page: ``kind`` is its class in ``room``/page.py, ``status`` is given for the steps of a design.

    ``drawn``, its icon, and ``room`` have its name where nothing else is said. ``follows`` names what the status is
    told of, as `Session.changed` does, and ``job`` the target of the job during which the step is at work. A page
    ``under`` another is not in the rail: it is reached from that one, and leads back there.
    """

    name: str
    title: str
    kind: str
    status: Callable[[Session], StepStatus | None] | None = None
    follows: frozenset[str] = frozenset()
    room: str = ""
    drawn: str = ""
    job: str = ""
    under: str = ""

    @property
    def module(self) -> str:
        return f"poolwright.ui.{self.room or self.name}.page"

    @property
    def about_design(self) -> bool:
        return self.name == HOME or self.status is not None or bool(self.under)

    def load(self) -> type[Page]:
        found: type[Page] = getattr(import_module(self.module), self.kind)
        return found


HOME = "start"
_DISKS = frozenset({"inventory", "ticked"})
_PICK = _DISKS | {"design"}
_JUDGED = frozenset({"design", "findings", "rules", "assumed"})
_SCRIPT = _JUDGED | {"script_saved_for"}
_MEASURED = frozenset({"design", "assumed"})
_USE = frozenset({"workload", "goal_told", "unread", "design"})


def page_entries() -> tuple[PageEntry, ...]:
    return (
        PageEntry(HOME, _("Start"), "StartPage", drawn="brand"),
        PageEntry("disks", _("Disks"), "DisksPage", disks_status, _DISKS),
        PageEntry("workload", _("Workload"), "WorkloadPage", workload_status, _USE),
        PageEntry("budget", _("Budget"), "BudgetPage", budget_status, _PICK | {"budget", "version", "unread"}),
        PageEntry(
            "recommendation", _("Layouts"), "RecommendationPage", recommendation_status, _PICK, "ranking", "list",
            "recommendation",
        ),
        PageEntry("design", _("Design"), "DesignPage", design_status_with_wishes, _DISKS | _JUDGED | {"budget"}),
        PageEntry("commands", _("Script"), "CommandsPage", commands_status, _SCRIPT),
        PageEntry("verify", _("Verify"), "VerifyPage", verify_status, _MEASURED, job="benchmark"),
        PageEntry("pools", _("Pools"), "PoolsPage"),
        PageEntry("library", _("Library"), "LibraryPage"),
        PageEntry("compare", _("Compare"), "ComparePage"),
        PageEntry("reference", _("Reference"), "ReferencePage", room="knowledge", drawn="knowledge"),
        PageEntry("settings", _("Settings"), "SettingsPage"),
        PageEntry("hosts", _("Hosts"), "HostsPage", under="disks"),
        PageEntry("buying", _("Buy"), "BuyingPage", under="disks"),
    )  # fmt: skip


def neighbours(entries: Sequence[PageEntry], name: str) -> tuple[tuple[str, str] | None, tuple[str, str] | None]:
    """Return name and title of the steps before and after this one; None where there is none."""
    under = next(entry.under for entry in entries if entry.name == name)
    steps = [entry for entry in entries if entry.status is not None or entry.name == HOME]
    at = next((number for number, entry in enumerate(steps) if entry.name == (under or name)), 0)
    if under:
        return (steps[at].name, steps[at].title), None
    if not at:
        return None, None
    onward = steps[at + 1] if at + 1 < len(steps) else None
    return (steps[at - 1].name, steps[at - 1].title), (onward.name, onward.title) if onward else None
