"""What the text of a field means, or why it cannot be read, told below it while it is typed."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QLineEdit, QSizePolicy, QWidget

from poolwright.domain.errors import PoolwrightError
from poolwright.texts import _
from poolwright.ui.parts.form import Remark, RemarkLabel
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.state.session import Session
from poolwright.ui.state.steps import StepState, StepStatus, design_status

if TYPE_CHECKING:
    from poolwright.design.candidate import Candidate
    from poolwright.design.evaluate import Evaluation

_LINE = 2 * GRID


class Understood(RemarkLabel):
    """``read`` turns a text into words, or raises what is wrong. An empty text is not spoken of.

    The place of ``lines`` lines is kept from the beginning, so that nothing moves; what does not fit is in the tip.
    """

    def __init__(self, field: QLineEdit, read: Callable[[str], str], parent: QWidget, *, lines: int = 1) -> None:
        super().__init__(_("What is understood: {field}", field=field.accessibleName()), parent)
        self._field, self._read = field, read
        self.setFixedHeight(lines * _LINE + GRID // 2)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        field.textChanged.connect(self.read_again)
        self.read_again()

    def read_again(self) -> None:
        """Tell anew; for when what a text means depends on something else that has changed."""
        remark = Remark(text="")
        if self._field.isEnabled() and self._field.text().strip():
            try:
                remark = Remark(text=f"= {self._read(self._field.text())}")
            except PoolwrightError as error:
                remark = Remark(text=error.text, tone=Tone.WARN)
        self.show_of(self._field, remark)
        self.setToolTip(remark.text)


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
