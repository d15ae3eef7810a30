"""What is open in the window, and the one place where it becomes another.

Pages read `Session.work` and put another one; they never talk to each other. ``changed`` carries the names of the parts
of `Work` that were replaced (and "rules", "findings"); however many they are, it is sent once.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from PySide6.QtCore import QMimeData, QObject, QUrl, Signal
from PySide6.QtGui import QGuiApplication

from poolwright.domain.command import Reading
from poolwright.domain.design import Design
from poolwright.domain.disk import Disk
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.host import Inventory
from poolwright.domain.steps import at_once
from poolwright.domain.version import ZfsVersion, known_system
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.jobs.job import Job, JobPhase, JobQueue, SlicedJob
from poolwright.store.codec import write_ahead
from poolwright.texts import _
from poolwright.ui.parts.widgets import sent
from poolwright.ui.state.expectations import Assessing, Expectations
from poolwright.ui.state.keeper import Library
from poolwright.ui.state.preferences import Preferences
from poolwright.ui.state.sources import Sources
from poolwright.ui.state.work import (
    MANY_DISKS,
    DesignStep,
    DisksInFront,
    Kept,
    MachineAtHand,
    Work,
    bound_step,
    changed_parts,
    machine_beside,
    stays_open,
    step_to,
    without_stale_ranking,
    work_of,
    work_on,
)

if TYPE_CHECKING:
    from poolwright.design.binding.binding import Binding
    from poolwright.design.candidate import Candidate
    from poolwright.design.evaluate import Evaluation
    from poolwright.emit.report import Report
    from poolwright.predict.assessment import Assessment
    from poolwright.questions import RankedRows
    from poolwright.rules.rulebook import RuleBook

_NOTHING: frozenset[str] = frozenset()
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class _PartOfWork(Generic[_Value]):
    """A part of the work that is open, to be read of the session itself."""

    read: Callable[[Work], _Value]

    def __get__(self, session: "Session", _: object = None) -> _Value:
        return self.read(session.work)


class Session(QObject):
    """Holds the `Work` that is open, and what is worked out of it.

    New disks, ticks, wishes or versions forget a ranking, never the design, which the user may want to keep.
    """

    changed = Signal(object)  # names of what is another now: a frozenset of str
    said = Signal(str)  # a line for the status bar
    complained = Signal(str)  # a failure, for the message bar
    failing = Signal(bool)  # whether disks fail in the picture of the design, whose numbers are those from before
    replaced = Signal(str)  # something else took the place of work that `take_back` brings back; what, in words
    shown = Signal()  # a design was opened and wants to be looked at
    dropped = Signal(object)  # files and folders were dropped on a page: their QMimeData
    machine_read = Signal(object)  # a machine was read beside the open design: the `Binding` that is proposed
    binding_seen = Signal()  # what is proposed to be bound is in sight
    language_chosen = Signal()  # another one: the window tells everything anew
    asked = Signal(str, object)  # a page is wanted: its name, and what it is asked to show (see `Page.take`) or None

    inventory = _PartOfWork(lambda work: work.inventory)
    ticked = _PartOfWork(lambda work: work.ticked)
    workload = _PartOfWork(lambda work: work.workload)
    budget = _PartOfWork(lambda work: work.budget)
    version = _PartOfWork(lambda work: work.version)
    ashift = _PartOfWork(lambda work: work.ashift)
    recommendation = _PartOfWork(lambda work: work.recommendation)
    candidate = _PartOfWork(lambda work: work.candidate)
    design = _PartOfWork(lambda work: work.design)
    customer = ""  # whom reports are for
    previewed: Inventory | None = None  # what is being typed, before it is taken
    pools_beside = _PartOfWork(lambda work: work.pools_beside)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._work = Work()
        self._untold, self._telling = _NOTHING, False
        self.rules: RuleBook | None = None  # until they are loaded, shortly after the start, or with a problem
        self.rules_problem = ""
        self._before: Kept | None = None
        self._saved_under: Mapping[str, int] | None = None  # sums of the rules of a design that was opened
        self._binding: tuple[Design, MachineAtHand, Binding] | None = None
        self.undo_steps, self.jobs = UndoSteps(self._step_to, self), JobQueue(self)
        self.sources = Sources(self)
        self.library = Library(self)
        self.expectations = Expectations(self)
        self.expectations.settled.connect(self._judge_again)
        self._assessing = Assessing(self)
        self._assessing.settled.connect(self._on_judged)
        self.preferences = Preferences()

    @property
    def work(self) -> Work:
        return self._work

    def put(self, work: Work) -> None:
        """Go on with this work. Pages are told once what changed, also where they change more while they are told."""
        before, self._work = self._work, without_stale_ranking(self._work, work)
        changed = changed_parts(before, self._work)
        if "design" in changed and self._work.design is not None:
            self.library.save_soon(self._work.design)
        if "assumed" in changed:
            self.expectations.note()  # pages follow once nothing was typed for a moment
        self._tell(changed - {"assumed"})

    def _tell(self, changed: frozenset[str]) -> None:
        self._untold |= changed
        if self._telling:
            return
        self._telling = True
        try:
            while self._untold:
                parts, self._untold = self._untold, _NOTHING
                self.changed.emit(parts)
        finally:
            self._telling = False

    @contextmanager
    def _together(self) -> Iterator[None]:
        """Tell all that changes meanwhile as one, when it ends, also by an error."""
        outer, self._telling = self._telling, True
        try:
            yield
        finally:
            self._telling = outer
            self._tell(_NOTHING)

    @property
    def assessment(self) -> "Evaluation | None":
        """Return the numbers of the current design; None without one. Worked out when first asked for.

        What is predicted and found is None while it is `judged`; ``changed`` follows when it is there.
        """
        design = self._work.design
        if design is None:
            return None
        return self._assessing.of(design)

    @property
    def judging(self) -> bool:
        """Tell whether the rules are still to be asked about the current design, and its predictions to be made."""
        return self.assessment is not None and self._assessing.at_work

    @property
    def expected(self) -> "Assessment | None":
        assessment = self.assessment
        return None if assessment is None else self.expectations.of(assessment.design, assessment.capacity)

    def unreadable(self, step: str) -> str:
        return ", ".join(self._work.unread_in(step))

    def note_unreadable(self, step: str, texts: Mapping[str, str]) -> None:
        """Tell the rail which fields of a step cannot be read, and keep their texts."""
        self.put(self._work.reading(step, texts))

    @property
    def script_saved(self) -> bool:
        return self._work.design is not None and self._work.script_saved_for == self._work.design

    def receive(self, inventory: Inventory, *, example: bool = False) -> bool:
        """Take a machine that was read; tell whether it is in front now.

        An open design stays, and the machine waits at hand for its disks to be bound.
        """
        if not stays_open(self._work.design, inventory, example=example):
            self.replace_by(inventory)
            return True
        self.put(replace(self._work, at_hand=MachineAtHand(inventory=inventory)))
        self.machine_read.emit(self.binding)
        return False

    def take_burn_ins(self, read: Inventory) -> None:
        """Give the disks of the open design, and of the machine in front, the burn-ins that were read of them."""
        burn_ins = {disk.drive: disk.burn_in for disk in read.disks if disk.burn_in is not None and disk.drive[0]}

        def burnt(disks: tuple[Disk, ...]) -> tuple[Disk, ...]:
            return tuple(replace(disk, burn_in=burn_ins.get(disk.drive, disk.burn_in)) for disk in disks)

        design, machine = self._work.design, self._work.inventory
        if design is not None and machine is not None and burnt(design.disks) != design.disks:
            in_front = replace(machine, disks=burnt(machine.disks))
            self.change_design(replace(design, disks=burnt(design.disks)), _("Burn-in"), in_front)

    @property
    def binding(self) -> "Binding | None":
        """Return which disk of the machine at hand takes which place of the design; None without both."""
        design, at_hand = self._work.design, self._work.at_hand
        if design is None or at_hand is None:
            return None
        if self._binding is None or self._binding[0] is not design or self._binding[1] is not at_hand:
            self._binding = design, at_hand, at_hand.binding(design)
        return self._binding[2]

    def ask_binding(self) -> None:
        self.asked.emit("design", "binding")

    def choose_pairs(self, at_hand: MachineAtHand) -> None:
        self.put(replace(self._work, at_hand=at_hand))

    def bind_disks(self) -> None:
        """Give the places of the design the disks of the machine at hand, as one step that can be undone."""
        binding, at_hand = self.binding, self._work.at_hand
        if binding is None or at_hand is None or not binding.bound:
            return
        before, text = self._work.disks_in_front(), _("Bind disks")
        design, after = bound_step(binding, at_hand, self._work.ticked)
        self.undo_steps.push(
            DesignStep(before=binding.design, after=design, text=text, disks_before=before, disks_after=after)
        )

    def begin_with_machine(self) -> None:
        """Begin a new design on the machine at hand; what is open can be brought back."""
        at_hand = self._work.at_hand
        if at_hand is not None:
            self.put(replace(self._work, at_hand=None))
            self.replace_by(at_hand.inventory)

    def replace_by(self, inventory: Inventory) -> None:
        """Begin a new design from these disks in place of what is open, which `take_back` brings back."""
        self.start_from(inventory, pity=self._is_begun())

    def begin_anew(self) -> None:
        """Let nothing be open, and wish for nothing: only the settings stay. `take_back` brings back what was open."""
        kept, assumed = self.preferences, self.expectations.of_any_machine()
        budget = Budget(currency=kept.currency, system=kept.system)
        fresh = Work(budget=budget, version=kept.version, assumed=assumed)
        self._go_over_to(fresh, pity=bool(changed_parts(self._work, fresh) - {"version"}))

    def _go_over_to(self, work: Work, *, pity: bool) -> None:
        before = Kept(self._work, self.undo_steps.steps, self.undo_steps.position)
        self.undo_steps.put((), 0)
        self.put(work)
        if pity:
            self._before = before
            self.replaced.emit(before.words())

    def _is_begun(self) -> bool:
        """Tell whether something was done with the disks in front: it would be a pity to lose it."""
        work = self._work
        if work.inventory is None:
            return False
        first = work_on(work.inventory, work, version=work.version, assumed=work.assumed)
        touched = changed_parts(first, work) & {"ticked", "workload", "budget", "design", "pools_beside"}
        return bool(touched) or work.assumed != self.expectations.of_any_machine()

    def take_back(self) -> None:
        """Go back to the work that was open before `replace_by`; habits and prices stay as they are now."""
        before, self._before = self._before, None
        if before is None:
            return
        self.undo_steps.put(before.steps, before.position)
        self.put(replace(before.work, assumed=self.expectations.with_habits(before.work.assumed)))

    def start_another(self) -> None:
        """Begin another design from the disks that the current one leaves over; that one stays in the library."""
        work, design = self._work, self._work.design
        if design is None or work.inventory is None:
            return
        pools = (*work.pools_beside, *(pool.pool_name for pool in design.pools()))
        self.undo_steps.put((), 0)
        work = replace(work, pools_beside=pools, candidate=None, design=None)
        self.put(work.ticking(work.ticked - design.used_keys()))

    def start_from(self, inventory: Inventory, *, pity: bool = False) -> None:
        """Begin a new design from these disks: every disk that may be used is ticked."""
        kept, assumed = self.preferences, self.expectations.of_any_machine()
        system = known_system(self._work.budget.system)  # that of a design which was opened may be another
        version = system.version if system and system.key != kept.system else kept.version
        self._go_over_to(work_on(inventory, self._work, version=version, assumed=assumed), pity=pity)

    def set_inventory(self, inventory: Inventory, ticked: frozenset[str]) -> None:
        self.put(replace(self._work, inventory=inventory).ticking(ticked))

    def tick(self, keys: Iterable[str]) -> None:
        self.put(self._work.ticking(frozenset(keys)))

    def preview(self, inventory: Inventory | None) -> None:
        if inventory is not self.previewed:
            self.previewed = inventory
            self._tell(frozenset({"previewed"}))

    def set_workload(self, workload: Workload) -> None:
        """Replace the workload; while nobody has named a goal, its data decide it."""
        from poolwright.rules.presets import goal_of_data

        given = self._work.goal_told or workload.goal is not self._work.workload.goal
        workload = workload if given else replace(workload, goal=goal_of_data(workload))
        self.put(replace(self._work, workload=workload, goal_told=given))

    def set_goal(self, goal: Goal | None) -> None:
        """Name the goal, which no data change any more; None leaves it to the data again."""
        from poolwright.rules.presets import goal_of_data

        workload = self._work.workload
        workload = replace(workload, goal=goal_of_data(workload) if goal is None else goal)
        self.put(replace(self._work, workload=workload, goal_told=goal is not None))

    def set_budget(self, budget: Budget) -> None:
        """Replace the budget; what it says of money is kept with the design, whose layout does not change by it."""
        work, design = self._work, _with_money(self._work.design, budget)
        if design == work.design:
            design = work.design
        saved = design if self.script_saved else work.script_saved_for
        self.put(replace(work, budget=budget, design=design, script_saved_for=saved))

    def set_version(self, version: ZfsVersion) -> None:
        self.put(replace(self._work, version=version))

    def set_system(self, system: str | None, version: ZfsVersion) -> None:
        """Let new designs be for this system (its key) and OpenZFS."""
        budget = replace(self._work.budget, system=system)
        self.put(replace(self._work, budget=budget, version=version))

    def set_ashift(self, ashift: int | None) -> None:
        """Ask for this ashift from now on; the current design gets it as well, as a step that can be undone."""
        design = self._work.design
        with self._together():
            self.put(replace(self._work, ashift=ashift))
            if design is not None and ashift is not None and ashift != design.known_ashift:
                self.change_design(replace(design, ashift=ashift, ashift_read=True), _("Change ashift"))

    def set_recommendation(self, recommendation: "RankedRows | None") -> None:
        self.put(replace(self._work, recommendation=recommendation, candidate=None))

    def look_at(self, candidate: "Candidate | None") -> None:
        """Let the summary tell of this layout as long as there is no design."""
        if candidate is not self._work.candidate:
            self.put(replace(self._work, candidate=candidate))

    def choose(self, candidate: "Candidate", design: Design) -> None:
        with self._together():
            self.look_at(candidate)
            self.change_design(_with_money(design, self._work.budget), _("Choose layout"))

    def change_design(self, design: Design | None, text: str, of: Inventory | None = None) -> None:
        """Make this the current design, with the disks it is ``of``; ``text`` names the step in the Edit menu."""
        if design != self._work.design:
            self.undo_steps.push(step_to(self._work, design, text, of))

    def renew_workload(self) -> None:
        """Let the design be for the present workload, with the properties that are proposed then."""
        from poolwright.rules.propose import with_workload_of

        design = self._work.design
        if design is not None and self.rules is not None:
            self.change_design(with_workload_of(self.rules, design, self.workload), _("Use the new workload"))

    def _step_to(self, design: Design | None, disks: DisksInFront | None, fresh: bool) -> None:
        """Go to a design of the Edit menu; what was said of money after it was left stays said."""
        with self._together():
            if disks is not None:
                self.put(self._work.with_disks(disks))
            self.put_design(design if fresh else _with_money(design, self._work.budget))

    def put_design(self, design: Design | None) -> None:
        """Have this design; a wish for an ashift that it does not have was undone with another."""
        kept = design is None or self.ashift in (None, design.ashift)
        self.put(replace(self._work, design=design, ashift=self.ashift if kept else None))

    def open_design(
        self, design: Design, *, beside: tuple[str, ...] = (), under: "Mapping[str, int] | None" = None
    ) -> None:
        """Show a design from the library or a file, with the disks, workload and budget it was made from.

        ``beside`` names the pools that were designed from other disks of its machine, ``under`` are the sums of the
        rules with which a file was saved.
        """
        self.undo_steps.put((), 0)
        at_hand = machine_beside(design, self._work.inventory, self._work.at_hand)
        self._saved_under = under or self.library.rules_of(design.key)
        self.put(replace(work_of(design, beside, self.expectations.of_any_machine()), at_hand=at_hand))
        self._tell_changed_rules()

    def _tell_changed_rules(self) -> None:
        """Say which rules changed since the design that was opened was saved, as soon as it is judged."""
        before, found = self._saved_under, self.assessment
        if before is not None and self.rules is not None and found is not None and not self.judging:
            from poolwright.judging import changed_rules

            self._saved_under = None
            if text := changed_rules(before, self.rules, found):
                self.library.noted.emit(text)

    def mark_script_saved(self) -> None:
        self.put(replace(self._work, script_saved_for=self._work.design))

    def set_rules(self, rules: "RuleBook | None", problem: str = "") -> None:
        """Judge designs by these rules from now on; ``problem`` says why there are none."""
        if self.rules is not None and self.rules is not rules:
            from poolwright.jobs.worker_job import workers

            workers().renew()
            self.set_recommendation(None)  # its layouts are told by their places in it
        self.rules, self.rules_problem = rules, problem
        self.library.rules = None if rules is None else rules.sums()
        self._assessing.forget()
        self._tell(frozenset({"rules"}))
        self._tell_changed_rules()

    @property
    def currency(self) -> str | None:
        """Return the currency of sums, which an amount typed without one has too; None while nobody said."""
        return self._work.budget.reckoned_in or self.preferences.currency

    def take_preferences(self, preferences: Preferences) -> None:
        self.preferences = preferences
        self.expectations.take_preferences(preferences)
        budget = self._work.budget
        default = Budget(currency=preferences.currency, system=preferences.system)
        self.set_budget(default if budget == Budget() else budget)
        self.set_version(preferences.version)

    def show_design(self, design: Design, under: "Mapping[str, int] | None" = None) -> None:
        """Open a design and bring it to the front; a very large one in the window's next turns."""
        if len(design.disks) < MANY_DISKS:
            at_once(self._showing(design, under))
        else:
            self.jobs.add(SlicedJob(_("Opening the design"), "design", self._showing(design, under), self))

    def _showing(self, design: Design, under: "Mapping[str, int] | None") -> Generator[None, None, None]:
        if len(design.disks) >= MANY_DISKS:
            # It is saved with whatever changes first, and shown as JSON; its disks are written by then.
            yield from write_ahead(design.disks)
        self.open_design(design, under=under)
        yield
        self.shown.emit()

    def open_files(self, names: Iterable[str]) -> None:
        """Open files as if they were dropped: what each is, is found out there."""
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(name) for name in names])
        self.dropped.emit(data)

    def complain(self, text: str) -> None:
        self.complained.emit(text)

    def write(self, path: str, text: str, mode: int | None = None) -> None:
        from poolwright.store.files import PLAIN_MODE, write_text

        try:
            write_text(Path(path), text, mode=PLAIN_MODE if mode is None else mode)
        except PoolwrightError as error:
            self.complain(error.text)
        else:
            self.say(_("Saved to {path}", path=path))

    def covered(self, report: "Report") -> "Report":
        """Return the report with what is kept for all of them above it; raises UserError for no picture."""
        from poolwright.paper.cover import covered

        kept = self.preferences
        return covered(report, customer=self.customer, author=kept.author, logo=Path(kept.logo) if kept.logo else None)

    def write_beside(self, title: str, path: str, content: Reading[bytes]) -> None:
        """Have a job write what a reading returns to a file; say so, or tell why it cannot be."""
        from poolwright.jobs.command_job import CommandJob

        job = CommandJob(title, "printer", _written(Path(path), content), self)
        job.ended.connect(self._on_written)
        self.jobs.add(job)

    def _on_written(self) -> None:
        job = sent(self, Job)
        if job.state.error is not None:
            self.complain(job.state.error_text)
        elif job.state.phase is JobPhase.SUCCEEDED:
            self.say(_("Saved to {path}", path=job.result))

    def say(self, text: str) -> None:
        self.said.emit(text)

    def copy(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self.say(_("Copied."))

    def _judge_again(self) -> None:
        self._assessing.forget()
        if self._work.design is not None:
            self._tell(frozenset({"assumed"}))

    def _on_judged(self) -> None:
        self._tell(frozenset({"findings"}))
        self._tell_changed_rules()


def _written(path: Path, content: Reading[bytes]) -> Reading[Path]:
    from poolwright.store.files import write_bytes

    write_bytes(path, (yield from content))
    return path


# The steps of the Edit menu: what was done to the open design, in order, and how far of it is taken.


class UndoSteps(QObject):
    """Takes steps, goes back through them and on again; ``changed`` tells that others can be undone or redone now.

    Not Qt's own stack: its commands are Python's and Qt's at once, and where Python collects both together it may
    free a command before the stack does it again, which ends the program.
    """

    changed = Signal()

    def __init__(self, show: "Callable[[Design | None, DisksInFront | None, bool], None]", parent: QObject) -> None:
        """``show`` is given a design, the disks that come with it, and whether a step is taken the first time."""
        super().__init__(parent)
        self._show = show
        self.steps: tuple[DesignStep, ...] = ()  # those that were undone as well
        self.position = 0

    @property
    def undo_text(self) -> str:
        return self.steps[self.position - 1].text if self.position else ""

    @property
    def redo_text(self) -> str:
        return self.steps[self.position].text if self.position < len(self.steps) else ""

    def push(self, step: DesignStep) -> None:
        """Take a step; those that were undone are forgotten."""
        self._show(step.after, step.disks_after, True)
        self.put((*self.steps[: self.position], step), self.position + 1)

    def undo(self) -> None:
        if self.position:
            step = self.steps[self.position - 1]
            self._show(step.before, step.disks_before, False)
            self.put(self.steps, self.position - 1)

    def redo(self) -> None:
        if self.position < len(self.steps):
            step = self.steps[self.position]
            self._show(step.after, step.disks_after, False)
            self.put(self.steps, self.position + 1)

    def put(self, steps: tuple[DesignStep, ...], position: int) -> None:
        """Hold these steps, the first of which were taken before; none of them is taken now."""
        if (steps, position) != (self.steps, self.position):
            self.steps, self.position = steps, position
            self.changed.emit()


def _with_money(design: Design | None, budget: Budget) -> Design | None:
    return None if design is None else replace(design, budget=design.budget.with_money_of(budget))
