"""How far each step is: done, needs attention, or not yet possible, always with the reason."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from poolwright.design.floors import allowed_words
from poolwright.domain.finding import Outcome, Severity
from poolwright.domain.rates import rate_text
from poolwright.domain.units import binary, drive_size
from poolwright.domain.workload import Budget
from poolwright.predict.number_words import banded_text, odds_text
from poolwright.texts import _, ngettext
from poolwright.ui.parts.theme import Tone
from poolwright.ui.state.money_of_budget import money_words
from poolwright.ui.state.session import Session

if TYPE_CHECKING:  # what predicts: the first page does not wait for it
    from poolwright.predict.assessment import Assessment


class StepState(StrEnum):
    DONE = "done"
    ATTENTION = "attention"
    NOT_YET = "not-yet"


STATE_TONES = {StepState.DONE: Tone.OK, StepState.ATTENTION: Tone.WARN, StepState.NOT_YET: Tone.UNKNOWN}


@dataclass(frozen=True, slots=True, kw_only=True)
class StepStatus:
    """A state and why; ``reason`` is a sentence for a tooltip and for the page's footer."""

    state: StepState
    reason: str


def state_word(state: StepState | None) -> str:
    """Return how far a step is; None is a state that is not known yet."""
    words = {
        None: _("being worked out"),
        StepState.DONE: _("done"),
        StepState.ATTENTION: _("needs attention"),
        StepState.NOT_YET: _("not yet possible"),
    }
    return words[state]


def disks_status(session: Session) -> StepStatus:
    inventory = session.inventory
    if inventory is None:
        return _attention(_("Choose where the disks come from."))
    if not session.ticked:
        return _attention(_("Tick the disks that may be used."))
    return _done(_("{ticked:,} of {all:,} disks may be used.", ticked=len(session.ticked), all=len(inventory.disks)))


def workload_status(session: Session) -> StepStatus:
    if unread := session.unreadable("workload"):
        return _attention(_("Not understood, so taken as unknown: {names}.", names=unread))
    return _done(_("Goal: {goal}.", goal=_(session.workload.goal.value)))


def budget_status(session: Session) -> StepStatus:
    budget = session.budget
    if unread := session.unreadable("budget"):
        return _attention(_("Not understood, so no limit: {names}.", names=unread))
    if (sizes := _ticked_sizes(session)) and (impossible := _impossible_wish(budget, sizes)):
        return _attention(impossible)
    parts = wishes_words(budget)
    return _done(_("Asked for: {what}.", what=", ".join(parts)) if parts else _("No limits are set."))


def wishes_words(budget: Budget) -> list[str]:
    parts: list[str] = []
    if budget.least_usable_bytes is not None:
        parts.append(_("at least {size} usable", size=drive_size(budget.least_usable_bytes)))
    if budget.survive is not None:
        parts.append(ngettext("survives {count} failure", "survives {count} failures", budget.survive))
    if budget.spares is not None:
        parts.append(ngettext("{count} spare", "{count} spares", budget.spares))
    if budget.bays is not None:
        parts.append(ngettext("{count} bay", "{count} bays", budget.bays))
    if budget.money is not None:
        parts.append(_("at most {money}", money=money_words(budget.money)))
    if budget.reserve:
        size = binary(sum(partition.size_bytes for partition in budget.reserve))
        parts.append(_("{size} of each data disk beside the data", size=size))
    if budget.allow:
        parts.append(allowed_words(budget.allow))
    return parts


def _impossible_wish(budget: Budget, sizes: list[int]) -> str:
    from poolwright.design.wishes import impossible_wishes

    return next(iter(impossible_wishes(budget, sizes)), "")


def recommendation_status(session: Session) -> StepStatus:
    if not session.ticked:
        return _not_yet(_("No disks to design with yet."))
    if session.design is None:
        return _attention(_("Choose one of the layouts."))
    return _done(_("A layout is chosen."))


def design_status(session: Session) -> StepStatus | None:
    """Tell whether the design can be built, and nothing speaks against it; None while the rules are asked."""
    assessment = session.assessment
    if assessment is None:
        if not session.ticked:
            return _not_yet(_("No disks to design with yet."))
        return _attention(_("Choose a layout, or begin one by hand."))
    if session.judging:
        return None
    if assessment.problem:
        return _attention(assessment.problem)
    blocks = [f for f in assessment.findings or () if f.outcome is Outcome.VIOLATED and f.severity is Severity.BLOCK]
    if blocks:
        return _attention(blocks[0].text)
    vdevs, disks = len(assessment.design.all_vdevs()), assessment.disks_used
    if vdevs == 1:
        return _done(ngettext("1 vdev of {count} disk.", "1 vdev of {count} disks.", disks))
    return _done(_("{count:,} vdevs of {disks:,} disks.", count=vdevs, disks=disks))


def outlook_status(session: Session) -> StepStatus | None:
    """Tell what is predicted of the design; None while that is worked out."""
    if session.design is None:
        return _not_yet(_("No design yet: choose a layout first."))
    if session.judging:
        return None
    expected = session.expected
    if expected is None:
        return _attention(_("Nothing can be predicted: {why}", why=session.expectations.problem))
    speed = expected.speed
    loss = odds_text(_loss_of_any_pool(session, expected))
    reads = banded_text(speed.seq_read, rate_text)
    return _done(_("Reads {reads}; yearly risk of loss {loss}.", reads=reads, loss=loss))


def _loss_of_any_pool(session: Session, main: "Assessment") -> float:
    """Return the yearly probability that a pool of the design is lost; ``main`` is what is expected of the first."""
    pools = session.assessment.pools if session.assessment is not None else ()
    if len(pools) < 2:
        return main.risk.probability
    from poolwright.predict.reliability import joined

    of_pools = session.expectations.of_pools((pool.design, pool.capacity) for pool in pools) or (main,)
    return joined([found.risk for found in of_pools], pools=len(of_pools)).probability


def commands_status(session: Session) -> StepStatus:
    if session.design is None:
        return _not_yet(_("No design yet: choose a layout first."))
    if not session.script_saved:
        return _attention(_("The script of this design has not been saved."))
    return _done(_("The script of this design is saved."))


def verify_status(session: Session) -> StepStatus:
    """Tell whether the pool was measured; one may measure without a design, and nothing is judged then."""
    if session.design is None:
        return _not_yet(_("No design yet to judge a measurement by."))
    if session.work.assumed.calibration.runs:
        return _done(_("Measured runs narrow the predictions: {name}.", name=session.work.assumed.runs_name))
    return _attention(_("The pool has not been measured."))


def _ticked_sizes(session: Session) -> list[int]:
    from poolwright.design.groups import sizes_beside

    disks = [d for d in (session.inventory.disks if session.inventory else ()) if d.key in session.ticked]
    return sizes_beside(disks, session.budget.reserve, session.version)


def _done(reason: str) -> StepStatus:
    return StepStatus(state=StepState.DONE, reason=reason)


def _attention(reason: str) -> StepStatus:
    return StepStatus(state=StepState.ATTENTION, reason=reason)


def _not_yet(reason: str) -> StepStatus:
    return StepStatus(state=StepState.NOT_YET, reason=reason)
