"""From the raw bytes of a pool to those to plan with: one bar cut into its parts, and every step with its origin."""

from PySide6.QtWidgets import QWidget

from poolwright.capacity.explained import Step, cascade
from poolwright.capacity.pool import PoolCapacity, predict_design
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.units import binary, decimal
from poolwright.domain.vdev import describe
from poolwright.texts import tell
from poolwright.ui.design.pool_pane import PoolChoice
from poolwright.ui.parts import lay
from poolwright.ui.parts.estimate_line import CascadeBar, CascadeStep, Segment
from poolwright.ui.parts.lay import ScrolledRows, ToneLabel
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.state.session import Session


class CascadePane(QWidget):
    """Shows one bar cut into its parts, and below it each step with its bytes; a press on a step opens its origin."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.steps: list[CascadeStep] = []
        self.pool = PoolChoice(tell("Pool"), session, self.refresh, self)
        self.told = lay.named(ToneLabel("", Tone.TEXT, self), tell("Capacity of the pool"))
        head = lay.row(self.pool, (self.told, 1))
        self.bar = CascadeBar(self)
        area = ScrolledRows(tell("From raw to usable"), self)
        self._inner = area.inner
        self._rows = lay.column(1, of=self._inner, gap=0, around=(0, 0, GRID, 0))
        lay.column(head, self.bar, (area, 1), of=self)

    def refresh(self) -> None:
        pool, assessment = self.pool.show_pools(), self.session.assessment
        if pool is None:
            self._show_nothing(tell("There is no design yet."))
            return
        capacity = assessment.capacity if assessment is not None and self.pool.number == 0 else None
        try:
            capacity = capacity or predict_design(pool)
        except PoolwrightError as error:
            self._show_nothing(error.text)
            return
        told = tell("{layout}: {usable} usable ({tb}), {plan} to plan with. Press a step to see where it comes from.")
        self.told.set_tone(Tone.TEXT)
        self.told.setText(
            told.format(
                layout=describe(pool.layout()),
                usable=binary(capacity.available_bytes),
                tb=decimal(capacity.available_bytes),
                plan=binary(capacity.plan_bytes),
            )
        )
        self._show_steps(capacity)

    def _show_nothing(self, why: str) -> None:
        self.told.set_tone(Tone.MUTED)
        self.told.setText(why)
        self.bar.show_segments(())
        self._keep(0)

    def _show_steps(self, capacity: PoolCapacity) -> None:
        steps = cascade(capacity)
        raw = max(1, steps[0].bytes_left)
        lost = [Segment(name=self._taken_by(s), size_bytes=-s.change_bytes) for s in steps if s.change_bytes < 0]
        kept = Segment(name=tell("To plan with"), size_bytes=steps[-1].bytes_left, kept=True)
        self.bar.show_segments((kept, *reversed(lost)))
        self._keep(len(steps))
        origin = tell("OpenZFS {version} for ashift {ashift}", version=capacity.version, ashift=capacity.ashift)
        for line, step in zip(self.steps, steps, strict=True):
            line.show_step(step, raw, origin)

    def _taken_by(self, step: Step) -> str:
        return tell("Kept free") if step.name == "fill-reserve" else step.title

    def _keep(self, count: int) -> None:
        """Have as many lines as there are steps; those that stay keep what is unfolded."""
        while len(self.steps) > count:
            gone = self.steps.pop()
            self._rows.removeWidget(gone)
            gone.deleteLater()
        while len(self.steps) < count:
            made = CascadeStep(self._inner)
            self._rows.insertWidget(len(self.steps), made)
            self.steps.append(made)
