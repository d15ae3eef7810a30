"""The single state of the window: what is designed, from which disks, for what.

Pages read it and ask it to change; they never talk to each other. Each signal says that a part was replaced; the new
value is read from the attribute of the same name. ``changed`` follows every one of them.
"""

from collections.abc import Iterable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoStack

from poolwright.advise.candidate import Candidate, Recommendation
from poolwright.advise.evaluate import unassigned_of
from poolwright.advise.groups import safe_ashift
from poolwright.domain.design import Design
from poolwright.domain.inventory import Inventory
from poolwright.domain.origin import Origin, OriginKind
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.jobs.queue import JobQueue
from poolwright.predict.expected import Expected
from poolwright.rules.model import RuleBook
from poolwright.ui.state.assessing import Assessing
from poolwright.ui.state.assessment import Assessment
from poolwright.ui.state.design_step import DesignStep
from poolwright.ui.state.expectations import Expectations
from poolwright.ui.state.keeper import Library
from poolwright.ui.state.kept import Kept, kept_of, version_of
from poolwright.ui.state.money_of_budget import with_money_of
from poolwright.ui.state.once import Once, send_each
from poolwright.ui.state.preferences import Preferences
from poolwright.ui.state.showing import show_in_turns
from poolwright.ui.state.sources import Sources

# What can be replaced; each has a signal of its name.
_PARTS = (
    *("inventory", "ticked", "workload", "budget", "version", "recommendation", "candidate", "design"),
    *("script_saved", "rules"),
)


class Session(QObject):
    """What is open in the window. All values are immutable; replacing one sends its signal, then ``changed``.

    A new inventory forgets ticks, recommendation, candidate and design; new ticks, workload or budget forget the
    recommendation and the candidate, never the design, which the user may want to keep.
    """

    inventory_changed = Signal()
    ticked_changed = Signal()
    workload_changed = Signal()
    budget_changed = Signal()
    version_changed = Signal()
    recommendation_changed = Signal()
    candidate_changed = Signal()
    design_changed = Signal()
    script_saved_changed = Signal()
    rules_changed = Signal()  # with them the findings in ``assessment``
    changed = Signal()
    said = Signal(str)  # a line for the status bar
    complained = Signal(str)  # a failure, for the message bar
    replaced = Signal(str)  # other disks took the place of work that `take_back` brings back; what, in words
    shown = Signal()  # a design was opened and wants to be looked at
    table_asked = Signal(str)  # a table of measurements wants to be looked at; its name

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.undo_stack = QUndoStack(self)
        self.jobs = JobQueue(self)
        self.sources = Sources(self)
        self.library = Library(self)
        self.expectations = Expectations(self)
        self.expectations.settled.connect(self._judge_again)
        self._assessing = Assessing(self.jobs, self)
        self._assessing.settled.connect(self.changed)
        self.design_changed.connect(self._save_design)
        self._inventory: Inventory | None = None
        self._ticked: frozenset[str] = frozenset()
        self._workload = Workload(goal=Goal.SAFETY)
        self._budget = Budget()
        self._version = DEFAULT_VERSION
        self._recommendation: Recommendation | None = None
        self._candidate: Candidate | None = None
        self._design: Design | None = None
        self._script_saved_for: Design | None = None
        self._rules: RuleBook | None = None
        self._rules_problem = ""
        self._ashift: int | None = None
        self._pools_beside: tuple[str, ...] = ()
        self._before: Kept | None = None
        self._unreadable: dict[str, str] = {}
        self.preferences = Preferences()
        self._once = Once(self.changed.emit)
        for part in _PARTS:
            getattr(self, f"{part}_changed").connect(self._once.note)

    @property
    def inventory(self) -> Inventory | None:
        """Return the disks and the host in front of us; None before a source was chosen."""
        return self._inventory

    @property
    def ticked(self) -> frozenset[str]:
        """Return the keys of the disks that may be used."""
        return self._ticked

    @property
    def workload(self) -> Workload:
        """Return what the pool is for."""
        return self._workload

    @property
    def budget(self) -> Budget:
        """Return what a design must keep to."""
        return self._budget

    @property
    def version(self) -> ZfsVersion:
        """Return the OpenZFS that new designs are made for."""
        return self._version

    @property
    def recommendation(self) -> Recommendation | None:
        """Return the ranked layouts for the present ticks, workload and budget; None when not computed yet."""
        return self._recommendation

    @property
    def candidate(self) -> Candidate | None:
        """Return the chosen layout of the recommendation."""
        return self._candidate

    @property
    def design(self) -> Design | None:
        """Return the current design."""
        return self._design

    @property
    def assessment(self) -> Assessment | None:
        """Return the numbers of the current design; None without one. Worked out when first asked for.

        Findings on a very large one are None at first; ``changed`` follows when they are there.
        """
        if self._design is None:
            return None
        unassigned = unassigned_of(self._design, list(self._ticked))
        return self._assessing.of(self._design, self._rules, unassigned, self.expectations.of)

    @property
    def expected(self) -> Expected | None:
        """Return what is predicted of the current design; None without one, or where nothing can be predicted."""
        assessment = self.assessment
        return None if assessment is None else self.expectations.of(assessment.design, assessment.capacity)

    def unreadable(self, step: str) -> str:
        """Return the names of the fields of a step whose text nobody understands; empty when there are none."""
        return self._unreadable.get(step, "")

    def note_unreadable(self, step: str, names: str) -> None:
        """Tell the rail which fields of a step cannot be read."""
        if names != self.unreadable(step):
            self._unreadable[step] = names
            self.changed.emit()

    @property
    def rules(self) -> RuleBook | None:
        """Return the rules; None until they are loaded, shortly after the start, or with a `rules_problem`."""
        return self._rules

    @property
    def rules_problem(self) -> str:
        """Return why there are no rules; empty when there are or when they are still being loaded."""
        return self._rules_problem

    @property
    def script_saved(self) -> bool:
        """Tell whether the script of exactly this design was saved to a file in this session."""
        return self._design is not None and self._script_saved_for == self._design

    def replace_by(self, inventory: Inventory) -> None:
        """Begin a new design from these disks in place of what is open, which `take_back` brings back."""
        before = kept_of(self)
        self.start_from(inventory)
        if before is None:
            return
        self._before = before
        self.replaced.emit(before.words())

    def take_back(self) -> None:
        """Go back to what was open before `replace_by`."""
        before, self._before = self._before, None
        if before is None:
            return
        with self._once.held():
            self._take_back(before)

    def _take_back(self, before: Kept) -> None:
        self.start_from(before.inventory)
        self._ticked, self._workload, self._budget = before.ticked, before.workload, before.budget
        self._version, self._pools_beside = before.version, before.pools_beside
        self.expectations.assume_again(before.assumed)
        send_each(self.ticked_changed, self.workload_changed, self.budget_changed, self.version_changed)
        for step in before.steps:
            self.undo_stack.push(step)
        self.undo_stack.setIndex(before.steps_taken)
        self._ashift = before.ashift
        if before.design is not self._design:
            self.put_design(before.design)
        self._recommendation, self._candidate = before.recommendation, before.candidate
        self.recommendation_changed.emit()
        self.candidate_changed.emit()

    def start_another(self) -> None:
        """Begin another design from the disks that the current one leaves over; that one stays in the library."""
        design = self._design
        if design is None or self._inventory is None:
            return
        left = self._ticked - design.used_keys()
        self._pools_beside = (*self._pools_beside, *(pool.pool_name for pool in design.pools()))
        self.undo_stack.clear()
        self._candidate = None
        self.put_design(None)
        self.candidate_changed.emit()
        self.tick(left)

    @property
    def pools_beside(self) -> tuple[str, ...]:
        """Return the names of pools that were designed from other disks of this machine."""
        return self._pools_beside

    def start_from(self, inventory: Inventory) -> None:
        """Begin a new design from these disks: every disk that may be used is ticked."""
        self.undo_stack.clear()
        self._design = self._candidate = self._recommendation = None
        self._inventory = inventory
        self.expectations.start_afresh()
        self._ticked = frozenset(disk.key for disk in inventory.usable())
        self._ashift, self._pools_beside = None, ()
        self._version = version_of(inventory) or self.preferences.version
        with self._once.held():
            send_each(self.inventory_changed, self.ticked_changed, self.version_changed)
            send_each(self.recommendation_changed, self.candidate_changed, self.design_changed)

    def set_inventory(self, inventory: Inventory, ticked: frozenset[str]) -> None:
        """Go on with more or fewer disks: the design, its steps to undo and all wishes stay."""
        self._inventory = inventory
        self._ticked = ticked & frozenset(disk.key for disk in inventory.usable())
        self._forget_recommendation()
        self.inventory_changed.emit()
        self.ticked_changed.emit()

    def tick(self, keys: Iterable[str]) -> None:
        """Replace the set of disks that may be used; a disk that has a refusal is left out."""
        allowed = frozenset(d.key for d in self._inventory.usable()) if self._inventory else frozenset()
        wanted = frozenset(keys) & allowed
        if wanted != self._ticked:
            self._ticked = wanted
            self._forget_recommendation()
            self.ticked_changed.emit()

    def set_workload(self, workload: Workload) -> None:
        """Replace the workload."""
        if workload != self._workload:
            self._workload = workload
            self._forget_recommendation()
            self.workload_changed.emit()

    def set_budget(self, budget: Budget) -> None:
        """Replace the budget."""
        if budget != self._budget:
            self._budget = budget
            self.preferences.keep_money(budget)
            self._forget_recommendation()
            self.budget_changed.emit()
            self._tell_design_of_money()

    def set_version(self, version: ZfsVersion) -> None:
        """Compute for this OpenZFS from now on."""
        if version != self._version:
            self._version = version
            self._forget_recommendation()
            self.version_changed.emit()

    @property
    def ashift(self) -> int | None:
        """Return the ashift that was asked for; None leaves it to the sectors of the disks."""
        return self._ashift

    def set_ashift(self, ashift: int | None) -> None:
        """Ask for this ashift from now on; the current design gets it as well, as a step that can be undone."""
        if ashift != self._ashift:
            self._ashift = ashift
            self._forget_recommendation()
            self.changed.emit()
        if self._design is not None and ashift is not None and ashift != self._design.ashift:
            self.change_design(replace(self._design, ashift=ashift), self.tr("Change ashift"))

    def set_recommendation(self, recommendation: Recommendation | None) -> None:
        """Show this ranking; the chosen candidate is forgotten, the design stays."""
        self._recommendation = recommendation
        self._candidate = None
        self.recommendation_changed.emit()
        self.candidate_changed.emit()

    def choose(self, candidate: Candidate, design: Design) -> None:
        """Make ``design``, built from ``candidate``, the current one; can be undone."""
        self._candidate = candidate
        self.candidate_changed.emit()
        self.change_design(design, self.tr("Choose layout"))

    def change_design(self, design: Design | None, text: str) -> None:
        """Make this the current design; ``text`` names the step in the Edit menu."""
        if design != self._design:
            self.undo_stack.push(DesignStep(self._step_to, self._design, design, text))

    def _step_to(self, design: Design | None, *, fresh: bool) -> None:
        """Go to a design of the undo stack; what was said of money after it was left stays said."""
        self.put_design(design if fresh else with_money_of(design, self._budget))

    def _tell_design_of_money(self) -> None:
        """Keep with the design what money there is and what disks cost, which changes nothing of its layout."""
        before, told = self._design, with_money_of(self._design, self._budget)
        if told != before:
            self._script_saved_for = told if self.script_saved else self._script_saved_for
            self.put_design(told)

    def put_design(self, design: Design | None) -> None:
        """Replace the design without a step to undo; for undo itself and for designs that are opened."""
        if design is not None and self._ashift not in (None, design.ashift):
            self._ashift = None  # the wish was undone with the design that had it
            self._forget_recommendation()
        self._design = design
        self.design_changed.emit()

    def open_design(self, design: Design, *, beside: tuple[str, ...] = ()) -> None:
        """Show a design from the library or a file, with the disks, workload and budget it was made from.

        ``beside`` names the pools that were designed from other disks of its machine.
        """
        origin = design.inventory_origin or Origin(kind=OriginKind.READ, source=f"the design “{design.name}”")
        name = design.inventory_name or design.name
        with self._once.held():
            self.start_from(Inventory(name=name, host=design.host, disks=design.disks, origin=origin))
            self._workload, self._budget, self._version = design.workload, design.budget, design.version
            self._ticked, self._pools_beside = self._ticked | design.used_keys(), beside
            usual = safe_ashift(disk for disk in design.disks if disk.key in self._ticked)
            self._ashift = design.ashift if design.ashift != usual else None
            send_each(self.workload_changed, self.budget_changed, self.version_changed)
            self.put_design(design)

    def mark_script_saved(self) -> None:
        """Note that the script of the current design lies in a file."""
        self._script_saved_for = self._design
        self.script_saved_changed.emit()

    def set_rules(self, rules: RuleBook | None, problem: str = "") -> None:
        """Judge designs by these rules from now on; ``problem`` says why there are none."""
        self._rules, self._rules_problem = rules, problem
        self._assessing.forget()
        self.rules_changed.emit()

    @property
    def currency(self) -> str | None:
        """Return the currency of sums, which an amount typed without one has too; None while nobody said."""
        return self._budget.reckoned_in or self.preferences.currency

    def take_preferences(self, preferences: Preferences) -> None:
        """Use what the user chose, and keep what is chosen from now on there."""
        self.preferences = preferences
        self.expectations.take_preferences(preferences)
        self.set_budget(preferences.money_of(self._budget) if self._budget == Budget() else self._budget)
        self.set_version(preferences.version)

    def show_design(self, design: Design) -> None:
        """Open a design and bring it to the front; a very large one in the window's next turns."""
        show_in_turns(self, design)

    def complain(self, text: str) -> None:
        """Tell a failure across the top of the pages."""
        self.complained.emit(text)

    def _save_design(self) -> None:
        if self._design is not None:
            self.library.save_soon(self._design)

    def _judge_again(self) -> None:
        """Ask the rules anew, now that something else is assumed."""
        self._assessing.forget()
        if self._design is not None:
            self.changed.emit()

    def say(self, text: str) -> None:
        """Show a line in the status bar."""
        self.said.emit(text)

    def _forget_recommendation(self) -> None:
        if self._recommendation is not None or self._candidate is not None:
            self.set_recommendation(None)
