"""“What is it, really?”: each size that zpool and zfs print, from where it begins to what is printed, step by step."""

from PySide6.QtWidgets import QVBoxLayout, QWidget

from poolwright.capacity.explained import SizeCascade
from poolwright.changes.audit import PoolAudit
from poolwright.domain.units import binary
from poolwright.emit.report_audit import rest_words
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.cascade_steps import CascadeStep
from poolwright.ui.parts.labels import SmallHeading, ToneLabel
from poolwright.ui.parts.scrolled_rows import ScrolledRows
from poolwright.ui.parts.theme import GRID, Tone


class SizesPane(ScrolledRows):
    """Shows the cascades of one pool; a press on a step unfolds its bytes."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tell("What is it, really?"), parent)
        self.steps: list[CascadeStep] = []
        self._shown: PoolAudit | None = None

    def show_audit(self, audit: PoolAudit) -> None:
        if audit is self._shown:
            return
        self._shown = audit
        self.steps = []
        inner = QWidget(self)
        column = lay.column(of=inner, gap=0, around=(0, 0, GRID, 0))
        sizes = audit.sizes
        for cascade in sizes.cascades() if sizes is not None else ():
            self._add(cascade, inner, column)
        missing = sizes.missing if sizes is not None else (audit.problem,)
        texts = [tell("Not read: {what}", what=text) for text in missing if text]
        if sizes is not None and sizes.rounded:
            texts.append(tell("The sizes were printed with three digits; with -p they are exact."))
        for text in texts:
            column.addWidget(ToneLabel(text, Tone.MUTED, inner, small=True))
        column.addStretch(1)
        self.setWidget(inner)
        inner.setAutoFillBackground(False)

    def _add(self, cascade: SizeCascade, inner: QWidget, column: QVBoxLayout) -> None:
        most = max(1, *(step.bytes_left for step in cascade.steps))
        title = f"{cascade.title}: {binary(cascade.printed_bytes)}"
        parts: list[QWidget] = [SmallHeading(title, inner)]
        for step in cascade.steps:
            line = CascadeStep(inner)
            line.show_step(step, most, "")
            self.steps.append(line)
            parts.append(line)
        told = ToneLabel(rest_words(cascade), Tone.MUTED, inner, small=True)
        lay.room(told, around=(GRID, 0, 0, 2 * GRID))
        for part in (*parts, told):
            column.addWidget(part)
