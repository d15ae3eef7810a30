"""How far each step is: to do, done, left as it is, with a warning to read, at work, or blocked; with the reason."""

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING

from poolwright.domain.design import Design
from poolwright.domain.finding import Severity, violated
from poolwright.domain.names import exists_already
from poolwright.domain.workload import Budget
from poolwright.texts import N_, _, ngettext, sentence
from poolwright.ui.parts.theme import Tone
from poolwright.ui.state.session import Session
from poolwright.ui.state.work import Work

if TYPE_CHECKING:
    from poolwright.design.candidate import Candidate
    from poolwright.design.evaluate import Evaluation


class StepState(StrEnum):
    TO_DO = "not-yet"
    DONE = "done"
    DEFAULTS = "defaults"
    WARNING = "warning"
    WORKING = "working"
    BLOCKED = "blocked"


STATE_TONES = {
    StepState.TO_DO: Tone.UNKNOWN,
    StepState.DONE: Tone.OK,
    StepState.DEFAULTS: Tone.UNKNOWN,
    StepState.WARNING: Tone.WARN,
    StepState.WORKING: Tone.ACCENT,
    StepState.BLOCKED: Tone.BLOCK,
}


STATE_WORDS = {
    StepState.TO_DO: N_("to do"),
    StepState.DONE: N_("done"),
    StepState.DEFAULTS: N_("defaults"),
    StepState.WARNING: N_("warning"),
    StepState.WORKING: N_("working"),
    StepState.BLOCKED: N_("blocked"),
}


@dataclass(frozen=True, slots=True)
class StepStatus:
    """A state and why; ``reason`` is a sentence for a tooltip and for the page's footer."""

    state: StepState
    reason: str


_to_do, _done = partial(StepStatus, StepState.TO_DO), partial(StepStatus, StepState.DONE)
_defaults = partial(StepStatus, StepState.DEFAULTS)
_warning, _blocked = partial(StepStatus, StepState.WARNING), partial(StepStatus, StepState.BLOCKED)


def disks_status(session: Session) -> StepStatus:
    inventory = session.inventory
    if inventory is None:
        return _to_do(_("Choose where the disks come from."))
    if session.design is not None and session.design.exists:
        return _of_pool(session.design)
    if not session.ticked:
        return _to_do(_("Tick the disks that may be used."))
    return _done(_("{ticked:,} of {all:,} disks may be used.", ticked=len(session.ticked), all=len(inventory.disks)))


def workload_status(session: Session) -> StepStatus:
    if unread := session.unreadable("workload"):
        return _warning(_("Not understood, so taken as unknown: {names}.", names=unread))
    described = (session.work.goal_told and session.design is None) or session.workload != Work().workload
    return _made(session, _("Goal: {goal}.", goal=_(session.workload.goal.value)), described)


def budget_status(session: Session) -> StepStatus:
    if unread := session.unreadable("budget"):
        return _warning(_("Not understood, so no limit: {names}.", names=unread))
    if impossible := impossible_in(session):
        return _blocked(impossible[0])
    text = wishes_text(session)
    return _made(session, text or _("No limits are set."), bool(text))


def wishes_text(session: Session) -> str:
    """Return what is asked for in a sentence; empty where nothing is. Money limits nothing without prices."""
    budget = session.budget if session.work.has_prices else replace(session.budget, money=None)
    if budget == Budget(currency=budget.currency, system=budget.system):
        return ""  # the first page does without what is imported here
    from poolwright.design.wishes import wishes_words

    parts = wishes_words(budget)
    return _("Asked for: {what}.", what=", ".join(parts)) if parts else ""


def recommendation_status(session: Session) -> StepStatus:
    if session.design is not None and session.design.exists:
        return _of_pool(session.design)
    if not session.ticked:
        return _to_do(_("No disks to design with yet."))
    if session.design is None:
        return _to_do(_("Choose one of the layouts."))
    return _done(_("A layout is chosen."))


def design_status(session: Session) -> StepStatus | None:
    """Tell whether the design can be built, what speaks against it, and whether it can be predicted.

    None while the rules are asked.
    """
    assessment = session.assessment
    if assessment is None:
        if not session.ticked:
            return _to_do(_("No disks to design with yet."))
        return _to_do(_("Choose a layout, or begin one by hand."))
    if session.judging:
        return None
    if assessment.problem:
        return _blocked(assessment.problem)
    for severity, status in ((Severity.BLOCK, _blocked), (Severity.WARN, _warning)):
        for found in violated(assessment.findings, severity):
            return status(found.text)
    if session.expected is None:
        return _warning(_("Nothing can be predicted: {why}", why=session.expectations.problem))
    vdevs, disks = len(assessment.design.all_vdevs()), assessment.disks_used
    if vdevs == 1:
        return _done(ngettext("1 vdev of {count} disk.", "1 vdev of {count} disks.", disks))
    return _done(_("{count:,} vdevs of {disks:,} disks.", count=vdevs, disks=disks))


def commands_status(session: Session) -> StepStatus:
    if session.design is None:
        return _to_do(_("No design yet: choose a layout first."))
    if session.design.exists:
        return _to_do(sentence(exists_already(session.design.pool_name)))
    if (whole := design_status(session)) is not None and whole.state is StepState.BLOCKED:
        return whole
    if not session.script_saved:
        return _to_do(_("The script of this design has not been saved."))
    return _done(_("The script of this design is saved."))


def verify_status(session: Session) -> StepStatus:
    """Tell whether the pool was measured; one may measure without a design, and nothing is judged then."""
    if session.design is None:
        return _to_do(_("No design to compare a measurement with."))
    if session.work.assumed.calibration.runs:
        return _done(_("Measured runs narrow the predictions: {name}.", name=session.work.assumed.runs_name))
    return _to_do(_("The pool has not been measured."))


def impossible_in(session: Session) -> tuple[str, ...]:
    """Return which wishes no layout of the ticked disks can meet."""
    if not session.ticked or session.inventory is None:
        return ()  # the first page does without what is imported here
    from poolwright.design.groups import sizes_beside
    from poolwright.design.wishes import impossible_wishes

    disks = [disk for disk in session.inventory.disks if disk.key in session.ticked]
    sizes = sizes_beside(disks, session.budget.reserve, session.version)
    return tuple(impossible_wishes(session.budget, sizes)) if sizes else ()


def _of_pool(design: Design) -> StepStatus:
    """Return the state of what nobody chose here: a pool that exists has it."""
    return _defaults(_("As in the pool {name}.", name=design.pool_name))


def _made(session: Session, reason: str, set_by_hand: bool) -> StepStatus:
    """Return the state of what has a default: done once it was set by hand, which the pool that was read was not."""
    design = session.design
    if design is not None and design.exists:
        set_by_hand = (design.workload, design.budget) != (session.workload, session.budget)
    if set_by_hand:
        return _done(reason)
    return _to_do(reason) if session.design is None else _defaults(reason)


# Which wishes of the budget the current design does not keep to, for every place that shows the design.


def broken_wishes(session: Session) -> tuple[str, ...]:
    """Return what the design has less of than is wanted: space and rates of all pools, failures survived, spares.

    Also what is more than wanted: the risk and the hours of a rebuild. What nobody can predict is not held against it.
    """
    assessment = session.assessment
    if assessment is None or assessment.capacities is None:
        return ()
    from poolwright.design.wishes import budget_objections, wants_forecast

    survived = [pool.survived for pool in assessment.pools if pool.survived is not None]
    usable = sum(capacity.available_bytes for capacity in assessment.capacities)
    budget = session.budget
    return (
        *budget_objections(budget, assessment.spares, usable, min(survived, default=0)),
        *(_broken_forecast(session, assessment) if wants_forecast(budget) and not session.judging else ()),
    )


def _broken_forecast(session: Session, whole: "Evaluation") -> tuple[str, ...]:
    from poolwright.design.wishes import missing_forecast
    from poolwright.predict.assessment import together

    expected = session.expectations.of_pools((pool.design, pool.capacity) for pool in whole.pools)
    found = missing_forecast(session.budget, together(expected, shared=whole.disks_shared)) if expected else ()
    return tuple(missed.text for missed in found)


def broken_words(session: Session, best: "Candidate | None" = None) -> str:
    """Return what the design lacks, or before there is one the ``best`` layout."""
    broken = [missed.text for missed in best.missed] if best is not None else broken_wishes(session)
    return _("Does not meet: {what}.", what="; ".join(broken)) if broken else ""


def design_status_with_wishes(session: Session) -> StepStatus | None:
    """Tell whether the design can be built, nothing speaks against it, and it is what is wanted."""
    status = design_status(session)
    if status is not None and status.state in {StepState.DONE, StepState.WARNING} and (broken := broken_words(session)):
        return StepStatus(StepState.WARNING, broken)
    return status
