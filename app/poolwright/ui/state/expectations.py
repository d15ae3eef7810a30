"""Keeps what is assumed for predictions of the current design, and predicts when asked."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.money import Money, money_typed, parse_money
from poolwright.jobs.job import Asking
from poolwright.predict.assumptions import Assumptions
from poolwright.predict.measured_runs import NO_RUNS, Calibration, MeasuredRun, read_runs
from poolwright.texts import _
from poolwright.ui.parts import widgets
from poolwright.ui.state.preferences import Preferences
from poolwright.ui.state.work import MANY_DISKS

if TYPE_CHECKING:
    from poolwright.capacity.pool import PoolCapacity
    from poolwright.design.evaluate import Evaluation, PoolEvaluation
    from poolwright.predict.assessment import Assessment
    from poolwright.predict.drives import DriveBook
    from poolwright.predict.risk_conditions import RiskConditions
    from poolwright.ui.state.session import Session

_MOMENT_MILLISECONDS = 250
_OF_COST = frozenset({"watts", "kwh_price", "years", "cooling_factor"})

_REMEMBERED_DESIGNS = 6  # a design and a few pools of it are asked in turn


@dataclass(slots=True)
class _Known:
    """What was worked out for a design, under what was assumed then; ``model`` holds whatever is assumed."""

    design: Design
    capacity: "PoolCapacity | None"
    model: "RiskConditions"
    assumed: Assumptions
    expected: "Assessment | None" = None


class Expectations(QObject):
    """``changed`` is sent when something else is assumed, ``settled`` once nothing has changed for a moment.

    Predictions are worked out when asked for, and remembered.
    """

    changed = Signal()
    settled = Signal()

    def __init__(self, session: "Session") -> None:
        super().__init__(session)
        self._session = session
        self._preferences = Preferences()
        self._known: list[_Known] = []  # last asked last
        self.problem = ""  # why the design last asked for could not be predicted; empty when it could
        self._rest = widgets.single_shot_timer(self, _MOMENT_MILLISECONDS, self.settled)

    @property
    def assumed(self) -> Assumptions:
        return self._session.work.assumed

    def book(self) -> "DriveBook":
        """Return the drive statistics; the default rate alone where they cannot be read."""
        from poolwright.table_library import load_drive_book

        try:
            return load_drive_book()
        except PoolwrightError:
            from poolwright.predict.drives import read_drive_book

            return read_drive_book({})

    def of(self, design: Design, capacity: "PoolCapacity | None", among: Sequence[Design] = ()) -> "Assessment | None":
        """Return what is predicted of ``design``; None with the reason in ``problem`` where nothing can be.

        ``among`` are all pools of which it is one, where it is not the whole design.
        """
        from poolwright.predict.assessment import assess

        self.problem = ""
        try:
            known = self._take(design, capacity)
            if known.expected is None or known.assumed is not self.assumed:
                known.expected = assess(
                    design, capacity, self.book(), self.assumed, today=today_here(), among=among, model=known.model
                )
                known.assumed = self.assumed
        except PoolwrightError as error:
            self.problem = error.text
            return None
        return known.expected

    def of_pools(self, pools: "Iterable[tuple[Design, PoolCapacity | None]]") -> "tuple[Assessment, ...]":
        """Return what is predicted of each pool of a design; nothing as soon as one of them cannot be."""
        known_pools = tuple(pools)
        among = [pool for pool, __ in known_pools]
        found = [self.of(pool, capacity, among) for pool, capacity in known_pools]
        known = tuple(expected for expected in found if expected is not None)
        return known if len(known) == len(found) else ()

    def tried(self, design: Design) -> "Evaluation":
        """Return the numbers of a design that nobody has taken yet, under the same assumptions."""
        from poolwright.design.evaluate import evaluate

        return evaluate(design, drives=self.book(), today=today_here(), assumed=self.assumed)

    def _take(self, design: Design, capacity: "PoolCapacity | None") -> "_Known":
        """Return what is known of a design or of a pool of it, and put it behind all others."""
        from poolwright.predict.risk_conditions import design_conditions

        for number, known in enumerate(self._known):
            if known.design is design and known.capacity is capacity:
                self._known.append(self._known.pop(number))
                return known
        known = _Known(design, capacity, design_conditions(design, self.book()), self.assumed)
        self._known = [*self._known[1 - _REMEMBERED_DESIGNS :], known]
        return known

    def assume(self, **changes: Any) -> None:
        """Assume something else from now on; the names are those of `Assumptions`."""
        if _OF_COST & changes.keys():
            changes["cost_date"] = today_here().strftime("%Y-%m")
        self._put(replace(self.assumed, **changes))
        for name in _REMEMBERED.keys() & changes.keys():
            value = changes[name]
            kept = "" if value is None else money_typed(value) if isinstance(value, Money) else str(value)
            self._preferences.keep_arrangement(f"assumed-{name}", kept)

    def open_runs(self, text: str, name: str) -> int:
        """Adapt the speeds to runs in the text of a CSV file; return their number. Raises UserError with the line."""
        runs = read_runs(text, where=name)
        self._put(replace(self.assumed, calibration=Calibration(runs=runs), runs_name=name))
        return len(runs)

    def add_runs(self, runs: tuple[MeasuredRun, ...], name: str) -> None:
        kinds = {(run.layout, run.metric, run.record_bytes) for run in runs}
        kept = [r for r in self.assumed.calibration.runs if (r.layout, r.metric, r.record_bytes) not in kinds]
        self._put(replace(self.assumed, calibration=Calibration(runs=(*kept, *runs)), runs_name=name))

    def forget_runs(self) -> None:
        self._put(replace(self.assumed, calibration=NO_RUNS, runs_name=""))

    def with_habits(self, assumed: Assumptions) -> Assumptions:
        """Return what was assumed of a machine before, with prices and habits as they are now."""
        return replace(assumed, **{name: getattr(self.assumed, name) for name in _REMEMBERED})

    def of_any_machine(self) -> Assumptions:
        """Return what holds for any machine: prices and habits, nothing typed of this one."""
        return self.with_habits(Assumptions())

    def take_preferences(self, preferences: Preferences) -> None:
        """Take up what was assumed when the program last ended, and keep what is assumed from now on there."""
        self._preferences = preferences
        found = {name: read(preferences.arrangement(f"assumed-{name}")) for name, read in _REMEMBERED.items()}
        if (found["years"] or 1) <= 0 or (found["cooling_factor"] or 1) < 1:
            found["years"] = found["cooling_factor"] = None
        self._put(replace(self.assumed, **found))

    def _put(self, assumed: Assumptions) -> None:
        self._session.put(replace(self._session.work, assumed=assumed))

    def note(self) -> None:
        self.changed.emit()
        if self._known:
            self._rest.start()


def today_here() -> date:
    return datetime.now().astimezone().date()


def today_text() -> str:
    return today_here().isoformat()


def _amount(text: str) -> Money | None:
    try:
        return parse_money(text) if text else None
    except PoolwrightError:
        return None


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None


# What does not change with the machine, kept from one start of the program to the next, and how each is read again.
_REMEMBERED: dict[str, Callable[[str], Any]] = {
    "replace_hours": _number,
    "watts": _number,
    "kwh_price": _amount,
    "years": _number,
    "cooling_factor": _number,
    "cost_date": lambda text: text or None,
}


# The numbers of the current design: its space at once, what is predicted and found of an edit a moment later.

# The window paints an edit before it is judged, and of edits that follow each other as fast as a held key only the
# last one is judged. What an edit shows and what is found of it stand within a tenth of a second.
_EDIT_MILLISECONDS = 40


class Assessing(QObject):
    """Remembers the last assessment. ``settled`` is sent when what it lacked at first is there."""

    settled = Signal()

    def __init__(self, session: "Session") -> None:
        super().__init__(session)
        self._session = session
        self._asking = Asking(session.jobs, self, self._on_judged, session.complained)
        self._asking.ended.connect(self._on_ended)
        self._rest = widgets.single_shot_timer(self, _EDIT_MILLISECONDS, self._judge)
        self._painted = widgets.single_shot_timer(self, 0, self._rest.start)  # after what is painted now
        self._found: Evaluation | None = None
        self.at_work = False  # whether the last assessment still lacks what takes time

    def of(self, design: Design) -> "Evaluation":
        """Return the numbers of ``design``; nothing is predicted or found in them while this is `at_work`.

        That is so after an edit, and of very many disks; what is opened or chosen is judged at once.
        """
        from poolwright.design.evaluate import numbers_of

        before = self._found
        if before is not None and before.design is design:
            return before
        self.forget()
        self._found = numbers_of(design)
        if self._found.survived is None:  # a size is unknown
            return self._found
        edited = before is not None and before.design.key == design.key
        self.at_work = edited or self._found.disks_used >= MANY_DISKS
        if self.at_work:
            self._painted.start()
        else:
            self._found = self._judged(self._found)
        return self._found

    def forget(self) -> None:
        self._found, self.at_work = None, False
        self._painted.stop()
        self._rest.stop()
        self._asking.forget()

    def _judge(self) -> None:
        """Ask about an ordinary design here, about a very large one the worker."""
        session, found = self._session, self._found
        assert found is not None
        if found.disks_used < MANY_DISKS:
            self._found = self._judged(found)
            self._on_ended()
        elif session.rules is not None:  # until they are loaded nobody waits for findings
            from poolwright.jobs.worker_job import BriefJob
            from poolwright.questions import judged_pools

            known = session.expectations
            question = found.design, known.book(), known.assumed, today_here(), self._unassigned(found)
            self._asking.ask(BriefJob(_("Checking the design"), "assessment", self, judged_pools, *question))
        elif session.rules_problem:
            self._on_ended()

    def _judged(self, found: "Evaluation") -> "Evaluation":
        from poolwright.design.evaluate import judge_pools

        return judge_pools(found, self._session.rules, self._unassigned(found), self._session.expectations.of)

    def _unassigned(self, found: "Evaluation") -> int:
        from poolwright.design.evaluate import unassigned_of

        return unassigned_of(found.design, list(self._session.ticked))

    def _on_judged(self, pools: "tuple[PoolEvaluation, ...]") -> None:
        assert self._found is not None
        # The designs of the pools stay the very ones of which predictions are remembered.
        own = zip(self._found.pools, pools, strict=True)
        judged = (replace(o, expected=j.expected, findings=j.findings, problem=j.problem) for o, j in own)
        self._found = replace(self._found, pools=tuple(judged))

    def _on_ended(self) -> None:
        self.at_work = False
        self.settled.emit()
