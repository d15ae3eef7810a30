"""The right side of the window: the numbers of the current design, never off the screen, foldable to a strip."""

from collections import Counter

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QToolButton, QVBoxLayout, QWidget

from poolwright.advise.evaluate import Evaluation, unassigned_of
from poolwright.capacity.pool import PoolCapacity
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.finding import Finding, Outcome, Severity
from poolwright.domain.inventory import group_disks
from poolwright.domain.units import TB, TIB, binary, decimal, drive_size
from poolwright.domain.vdev import describe
from poolwright.texts import tell
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.broken_wishes import broken_words
from poolwright.ui.parts.finding_rows import text_of
from poolwright.ui.parts.labels import Heading, ToneLabel
from poolwright.ui.parts.origin_line import OriginLine
from poolwright.ui.parts.predicted_lines import PredictedLines
from poolwright.ui.parts.severities import SEVERITY_TONES
from poolwright.ui.parts.theme import GRID, Tone, text_font, theme
from poolwright.ui.state.session import Session

WIDE = 34 * GRID
FOLDED = 9 * GRID
_BIG_POINTS = 28.0


class Summary(QWidget):
    """Shows `Session.assessment`; ``folded_changed`` tells the window to remember the state."""

    folded_changed = Signal(bool)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tell("Summary of the design"))
        self._session = session
        self._folded = self._wished_folded = self._narrow = False
        column = lay.column(self._make_head(), of=self, around=(GRID, 2 * GRID, GRID, GRID))
        self._strip = _Strip(self)
        column.addWidget(self._strip)
        self._strip.hide()
        self._full = self._make_full()
        column.addWidget(self._full, 1)
        self._spring = QWidget(self)
        self._spring.hide()
        column.addWidget(self._spring, 1)
        session.changed.connect(self.refresh)
        session.expectations.changed.connect(self._show_predicted)
        theme().changed.connect(self._recolour)
        self.set_folded(folded=False)
        self.refresh()

    @property
    def folded(self) -> bool:
        """Tell whether only the strip is shown."""
        return self._folded

    @property
    def wished_folded(self) -> bool:
        """Tell whether the strip alone is wanted where there is room for everything."""
        return self._wished_folded

    def set_narrow(self, *, narrow: bool) -> None:
        """Fold by itself in a small window, and stand again as it was wanted in a large one."""
        if narrow != self._narrow:
            self._narrow = narrow
            self._fold_now(folded=narrow or self._wished_folded)

    def set_folded(self, *, folded: bool) -> None:
        """Show the strip, or everything; what is done in a small window is not wanted for a large one."""
        if not self._narrow:
            self._wished_folded = folded
        self._fold_now(folded=folded)

    def _fold_now(self, *, folded: bool) -> None:
        self._folded = folded
        self.setFixedWidth(FOLDED if folded else WIDE)
        self._full.setVisible(not folded)
        self._heading.setVisible(not folded)
        self._strip.setVisible(folded)
        self._spring.setVisible(folded)
        icons.give(self._fold, "fold-left" if folded else "fold-right")
        text = tell("Show the summary") if folded else tell("Fold the summary")
        self._fold.setToolTip(text)
        self._fold.setAccessibleName(text)

    def toggle(self) -> None:
        """Fold, or unfold."""
        self.set_folded(folded=not self._folded)
        self.folded_changed.emit(self._folded)

    def refresh(self) -> None:
        """Show the current design."""
        assessment = self._session.assessment
        self._name.setText(assessment.design.name if assessment else tell("No design yet"))
        self._layout_text.setText(self._describe(assessment))
        capacities = assessment.capacities if assessment else None
        self._show_capacity(capacities, assessment)
        broken = broken_words(self._session)
        self._broken.setText(broken)
        self._broken.setVisible(bool(broken))
        self._show_design_lines(assessment)
        self._show_predicted()
        self._show_findings(assessment.findings if assessment else None, has_design=assessment is not None)
        self._show_disks()
        self._strip.show_numbers(capacities, assessment, broken)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the line between the page and the summary."""
        painter = QPainter(self)
        painter.setPen(theme().colour("line"))
        painter.drawLine(0, 0, 0, self.height())

    def _make_head(self) -> QHBoxLayout:
        self._heading = Heading(tell("Summary"), self)
        self._fold = QToolButton(self)
        self._fold.setAutoRaise(True)
        self._fold.clicked.connect(self.toggle)
        return lay.row((self._heading, 1), (self._fold, 0, Qt.AlignmentFlag.AlignRight), around=(GRID, 0, 0, 0))

    def _make_full(self) -> QScrollArea:
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        inner = QWidget(area)
        column = lay.column(self._make_title(inner), of=inner, gap=0)
        of_disks = self._make_lines(inner, column)
        self._make_findings(inner, column)
        column.addSpacing(GRID)
        for line in of_disks.values():
            column.addWidget(line)
        column.addStretch(1)
        area.setWidget(inner)
        area.viewport().setAutoFillBackground(False)
        inner.setAutoFillBackground(False)
        return area

    def _make_title(self, inner: QWidget) -> QVBoxLayout:
        text = lay.column(gap=2, around=(GRID, 0, GRID, GRID))
        self._name = QLabel(inner)
        self._name.setFont(text_font(semibold=True))
        self._name.setWordWrap(True)
        self._layout_text = ToneLabel("", Tone.MUTED, inner)
        self._big = QLabel(inner)
        self._big.setFont(text_font(_BIG_POINTS))
        self._big.setAccessibleName(tell("Usable capacity"))
        self._small = ToneLabel("", Tone.MUTED, inner)
        self._broken = ToneLabel("", Tone.WARN, inner)
        self._broken.setAccessibleName(tell("Wishes that are not kept"))
        for label in (self._name, self._layout_text, self._big, self._small, self._broken):
            text.addWidget(label)
        return text

    def _make_lines(self, inner: QWidget, column: QVBoxLayout) -> dict[str, OriginLine]:
        """Add the lines of the design; return those of the disks, which stand below the findings."""
        self._lines = {
            "usable": OriginLine(tell("In drive makers’ TB"), inner),
            "plan": OriginLine(tell("Plan for 80 %"), inner),
            "survives": OriginLine(tell("Failures survived"), inner),
            "used": OriginLine(tell("Disks used"), inner),
            "spares": OriginLine(tell("Spares"), inner),
        }
        for line in self._lines.values():
            column.addWidget(line)
        self.predicted = PredictedLines(inner)
        column.addWidget(self.predicted)
        of_disks = {
            "ticked": OriginLine(tell("Disks allowed"), inner),
            "raw": OriginLine(tell("Raw capacity"), inner),
        }
        self._lines |= of_disks
        return of_disks

    def _make_findings(self, inner: QWidget, column: QVBoxLayout) -> None:
        self._findings_heading = ToneLabel(tell("Findings"), Tone.TEXT, inner)
        self._findings_heading.setFont(text_font(semibold=True))
        self._findings_heading.setContentsMargins(GRID, 2 * GRID, GRID, GRID // 2)
        column.addWidget(self._findings_heading)
        self._severities = {
            Severity.BLOCK: OriginLine(tell("Blocks"), inner, icon="block", tone=Tone.BLOCK),
            Severity.WARN: OriginLine(tell("Warnings"), inner, icon="warn", tone=Tone.WARN),
            Severity.NOTE: OriginLine(tell("Notes"), inner, icon="note", tone=Tone.NOTE),
        }
        self._untold = OriginLine(tell("Cannot tell"), inner, icon="unknown", tone=Tone.UNKNOWN)
        for line in (*self._severities.values(), self._untold):
            column.addWidget(line)

    def _describe(self, assessment: Evaluation | None) -> str:
        if assessment is None:
            return tell("Its numbers appear here as soon as a layout is chosen.")
        try:
            return "; ".join(describe(pool.design.layout()) for pool in assessment.pools)
        except PoolwrightError:  # a size is unknown, which is said below
            return ""

    def _show_capacity(self, capacities: tuple[PoolCapacity, ...] | None, assessment: Evaluation | None) -> None:
        problem = assessment.problem if assessment else ""
        self._big.setVisible(capacities is not None)
        self._small.setVisible(capacities is not None or bool(problem))
        self._small.set_tone(Tone.BLOCK if problem else Tone.MUTED)
        self._lines["usable"].setVisible(capacities is not None)
        self._lines["plan"].setVisible(capacities is not None)
        if capacities is None or assessment is None:
            self._small.setText(problem)
            return
        available = sum(capacity.available_bytes for capacity in capacities)
        self._big.setText(binary(available))
        named = [
            f"{pool.design.pool_name} {binary(capacity.available_bytes)}"
            for pool, capacity in zip(assessment.pools, capacities, strict=True)
        ]
        many = tell("usable: {pools}", pools=", ".join(named))
        self._small.setText(many if len(named) > 1 else tell("usable"))
        origins = [self._space_origin(capacity) for capacity in capacities]
        if len(origins) > 1:
            origins = [f"{name}: {origin}" for name, origin in zip(named, origins, strict=True)]
        self._lines["usable"].show_value(decimal(available), "\n".join(origins))
        plan = tell(
            "80 % of the usable space. A pool that is fuller becomes slow, because free space lies in small pieces."
        )
        self._lines["plan"].show_value(binary(sum(capacity.plan_bytes for capacity in capacities)), plan)

    def _unused_text(self, design: Design, rest: int) -> str:
        """Return what becomes of the ``rest`` of the disks: those of another medium than the data's lack in no pool."""
        idle = unassigned_of(design, [disk.key for disk in design.disks])
        texts = []
        if idle:
            texts.append(tell("1 disk stays unused.") if idle == 1 else tell("{count} disks stay unused."))
        if rest > idle:
            one = tell("1 drive of another medium is left for other uses.")
            others = tell("{others} drives of another medium are left for other uses.")
            texts.append(one if rest - idle == 1 else others)
        if not texts:
            return tell("Every disk of the machine has a place.")
        return " ".join(texts).format(count=idle, others=rest - idle)

    def _space_origin(self, capacity: PoolCapacity) -> str:
        return tell(
            "Computed with OpenZFS {version}'s own arithmetic for ashift {ashift}: zpool list will show {size} bytes, "
            "zfs list {available} bytes on the new, empty pool ({slop} are kept back as slop space).",
            version=capacity.version,
            ashift=capacity.ashift,
            size=f"{capacity.pool_size_bytes:,}",
            available=f"{capacity.available_bytes:,}",
            slop=binary(capacity.slop_bytes),
        )

    def _show_design_lines(self, assessment: Evaluation | None) -> None:
        names = ("survives", "used", "spares")
        for name in names:
            self._lines[name].setVisible(assessment is not None)
        if assessment is None:
            return
        survived = [pool.survived for pool in assessment.pools]
        self._lines["survives"].show_value(
            " / ".join(tell("unknown") if count is None else str(count) for count in survived),
            tell(
                "That many disks may fail at once, whichever they are, and no data are lost. The weakest vdev counts; "
                "of several pools each has its number."
            ),
        )
        of = len(assessment.design.disks)
        used = tell("{used} of {all}", used=assessment.disks_used, all=of)
        self._lines["used"].show_value(used, self._unused_text(assessment.design, of - assessment.disks_used))
        self._lines["spares"].show_value(
            str(assessment.spares),
            tell("Hot spares, and distributed ones of dRAID: they take over by themselves when a disk fails."),
        )

    def _show_predicted(self) -> None:
        assessment, expected = self._session.assessment, self._session.expected
        if assessment is None or len(assessment.pools) == 1:
            self.predicted.show_expected(expected)
            return
        of_pools = self._session.expectations.of_pools((pool.design, pool.capacity) for pool in assessment.pools)
        self.predicted.show_expected(expected if of_pools else None, of_pools, assessment)

    def _show_findings(self, findings: tuple[Finding, ...] | None, *, has_design: bool) -> None:
        self._findings_heading.setVisible(has_design and findings is not None)
        violated = [f for f in findings or () if f.outcome is Outcome.VIOLATED]
        for severity, line in self._severities.items():
            texts = [f.text for f in violated if f.severity is severity]
            line.setVisible(has_design and findings is not None)
            line.show_value(str(len(texts)), self._one_each(texts))
        untold = [f"{f.title}. {text_of(f)}" for f in findings or () if f.outcome is Outcome.CANNOT_TELL]
        self._untold.setVisible(has_design and bool(untold))
        self._untold.show_value(str(len(untold)), self._one_each(untold))

    def _one_each(self, texts: list[str]) -> str:
        if not texts:
            return tell("None.")
        return "\n".join(f"{text} ({count} ×)" if count > 1 else text for text, count in Counter(texts).items())

    def _show_disks(self) -> None:
        inventory = self._session.inventory
        self._lines["ticked"].setVisible(inventory is not None)
        self._lines["raw"].setVisible(inventory is not None)
        if inventory is None:
            return
        ticked = [disk for disk in inventory.disks if disk.key in self._session.ticked]
        groups = "\n".join(
            f"{len(g.disks)} × {g.model or tell('unknown model')}, {drive_size(g.size_bytes)}"
            for g in group_disks(ticked)
        )
        total = sum(disk.size_bytes or 0 for disk in ticked)
        origin = f"{inventory.name}: {inventory.origin}\n{groups}".strip()
        value = tell("{ticked} of {all}", ticked=len(ticked), all=len(inventory.disks))
        self._lines["ticked"].show_value(value, origin)
        raw = tell("The sizes of the ticked disks added up: {tib:.2f} TiB, {tb:.2f} TB.")
        self._lines["raw"].show_value(decimal(total), raw.format(tib=total / TIB, tb=total / TB))

    def _recolour(self) -> None:
        icons.refresh(self)
        self.refresh()
        self.update()


class _Strip(QWidget):
    """The folded summary: usable space and the findings as numbers."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        column = lay.column(of=self, gap=GRID // 2)
        self._number = ToneLabel("–", Tone.TEXT, self)
        self._number.setWordWrap(False)
        self._number.setFont(text_font(14.0, semibold=True))
        self._unit = ToneLabel("", Tone.MUTED, self, small=True)
        self._findings = QLabel(self)
        self._findings.setTextFormat(Qt.TextFormat.RichText)
        for label in (self._number, self._unit, self._findings):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            column.addWidget(label)

    def show_numbers(
        self, capacities: tuple[PoolCapacity, ...] | None, assessment: Evaluation | None, broken: str
    ) -> None:
        """Show what fits into the strip; the number has the colour and tooltip of a wish that is not kept."""
        available = sum(capacity.available_bytes for capacity in capacities or ())
        number, _, unit = binary(available).partition(" ") if capacities else ("–", "", "")
        self._number.setText(number)
        self._number.set_tone(Tone.WARN if broken else Tone.TEXT)
        self._number.setToolTip(broken)
        self._unit.setText(tell("{unit}\nusable", unit=unit) if capacities else "")
        violated = [f for f in (assessment.findings or () if assessment else ()) if f.outcome is Outcome.VIOLATED]
        lines: list[str] = []
        for severity, tone in SEVERITY_TONES.items():
            count = sum(1 for f in violated if f.severity is severity)
            if count:
                lines.append(f'<span style="color:{theme().colour(tone).name()}">{count} {severity.value}</span>')
        self._findings.setText("<br>".join(lines))
