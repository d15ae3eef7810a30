"""From the raw bytes of a pool to those to plan with: a picture, and every step with its bytes and its reason."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from poolwright.capacity.explained import cascade
from poolwright.capacity.pool import PoolCapacity
from poolwright.domain.units import binary, decimal
from poolwright.domain.vdev import describe
from poolwright.emit.chart import cascade_chart
from poolwright.emit.report import Block, Picture, TextTone, paragraph
from poolwright.emit.report_pools import steps_table
from poolwright.texts import _
from poolwright.ui.design.pool_pane import PoolChoice
from poolwright.ui.parts import lay
from poolwright.ui.parts.report_view import ReportView
from poolwright.ui.state.session import Session


class CascadePane(QWidget):
    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.pool = PoolChoice(_("Pool"), session, self.refresh, self)
        self.steps = ReportView(_("From raw to usable"), self)
        lay.column(lay.row(self.pool, 1), (self.steps, 1), of=self)

    def refresh(self) -> None:
        pool, assessment = self.pool.show_pools(), self.session.assessment
        if pool is None or assessment is None:
            self.steps.show_blocks((paragraph(_("There is no design yet."), TextTone.MUTED),))
            return
        found = assessment.pools[self.pool.number]
        nothing = (paragraph(found.problem, TextTone.MUTED),)
        self.steps.show_blocks(nothing if found.capacity is None else _told(describe(pool.layout()), found.capacity))


def _told(layout: str, capacity: PoolCapacity) -> Iterator[Block]:
    usable, plan = capacity.available_bytes, binary(capacity.plan_bytes)
    text = _("{layout}: {usable} usable ({tb}), {plan} to plan with.")
    yield paragraph(text.format(layout=layout, usable=binary(usable), tb=decimal(usable), plan=plan), strong=True)
    steps = cascade(capacity)
    yield Picture(drawing=cascade_chart(_("From raw to planned bytes"), steps))
    yield steps_table(steps)
    origin = _("OpenZFS {version} for ashift {ashift}", version=capacity.version, ashift=capacity.ashift)
    yield paragraph(_("Computed with the arithmetic of {what}.", what=origin), TextTone.MUTED)
