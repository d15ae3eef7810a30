"""The numbers of the summary: space, what is predicted, findings and disks. Made once there are any to show."""

from collections import Counter

from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from poolwright.capacity.pool import PoolCapacity
from poolwright.design.evaluate import Evaluation, unassigned_of
from poolwright.domain.design import Design
from poolwright.domain.finding import Finding, Outcome, Severity
from poolwright.domain.inventory import group_disks
from poolwright.domain.origin import OriginKind
from poolwright.domain.units import TB, TIB, binary, decimal, drive_size
from poolwright.texts import tell, tell_counted
from poolwright.ui.parts import lay
from poolwright.ui.parts.estimate_line import OriginLine, PredictedLines
from poolwright.ui.parts.finding_rows import text_of
from poolwright.ui.parts.lay import ToneLabel
from poolwright.ui.parts.theme import GRID, Tone, text_font
from poolwright.ui.parts.understood import broken_words
from poolwright.ui.state.session import Session

_BIG_POINTS = 28.0


class SummaryNumbers(QWidget):
    """Shows `Session.assessment` and the disks that may be used."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._broken_words = ""
        column = lay.column(self._make_title(self), of=self, gap=0)
        of_disks = self._make_lines(self, column)
        self._make_findings(self, column)
        column.addSpacing(GRID)
        for line in of_disks.values():
            column.addWidget(line)
        session.expectations.changed.connect(self._show_predicted)
        self.refresh()

    @property
    def broken_words(self) -> str:
        """Return which wishes the design does not keep to, as a sentence; empty where it keeps to all."""
        return self._broken_words

    def refresh(self) -> None:
        assessment = self._session.assessment
        self._show_capacity(assessment.capacities if assessment else None, assessment)
        self._broken_words = broken_words(self._session)
        self._broken.setText(self._broken_words)
        self._broken.setVisible(bool(self._broken_words))
        self._show_design_lines(assessment)
        self._show_predicted()
        self._show_findings(assessment.findings if assessment else None, has_design=assessment is not None)
        self._show_disks()

    def _make_title(self, inner: QWidget) -> QVBoxLayout:
        text = lay.column(gap=2, around=(GRID, 0, GRID, GRID))
        self._big = QLabel(inner)
        self._big.setFont(text_font(_BIG_POINTS))
        self._big.setAccessibleName(tell("Usable capacity"))
        self._small = ToneLabel("", Tone.MUTED, inner)
        self._broken = ToneLabel("", Tone.WARN, inner)
        self._broken.setAccessibleName(tell("Wishes that are not kept"))
        for label in (self._big, self._small, self._broken):
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
        of_disks = {"ticked": OriginLine(tell("Disks allowed"), inner), "raw": OriginLine(tell("Raw capacity"), inner)}
        self._lines |= of_disks
        return of_disks

    def _make_findings(self, inner: QWidget, column: QVBoxLayout) -> None:
        self._findings_heading = ToneLabel(tell("Findings"), Tone.TEXT, inner, bold=True)
        lay.room(self._findings_heading, around=(GRID, 2 * GRID, GRID, GRID // 2))
        column.addWidget(self._findings_heading)
        self._severities = {
            Severity.BLOCK: OriginLine(tell("Blocks"), inner, icon="block", tone=Tone.BLOCK),
            Severity.WARN: OriginLine(tell("Warnings"), inner, icon="warn", tone=Tone.WARN),
            Severity.NOTE: OriginLine(tell("Notes"), inner, icon="note", tone=Tone.NOTE),
        }
        self._untold = OriginLine(tell("Cannot tell"), inner, icon="unknown", tone=Tone.UNKNOWN)
        for line in (*self._severities.values(), self._untold):
            column.addWidget(line)

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
        one = tell("usable, disk sizes assumed") if _sizes_assumed(assessment.design) else tell("usable")
        self._small.setText(many if len(named) > 1 else one)
        origins = [self._space_origin(capacity) for capacity in capacities]
        if len(origins) > 1:
            origins = [f"{name}: {origin}" for name, origin in zip(named, origins, strict=True)]
        self._lines["usable"].show_value(decimal(available), "\n".join(origins))
        plan = tell("80 % of the usable space: a fuller pool becomes slow.")
        self._lines["plan"].show_value(binary(sum(capacity.plan_bytes for capacity in capacities)), plan)

    def _unused_text(self, design: Design, rest: int) -> str:
        """Return what becomes of the ``rest`` of the disks: those of another medium than the data's lack in no pool."""
        idle = unassigned_of(design, [disk.key for disk in design.disks])
        texts = []
        if idle:
            texts.append(tell_counted("{count} disk stays unused.", "{count} disks stay unused.", idle))
        if rest > idle:
            texts.append(
                tell_counted(
                    "{count} drive of another medium is left over.",
                    "{count} drives of another medium are left over.",
                    rest - idle,
                )
            )
        if not texts:
            return tell("Every disk of the machine has a place.")
        return " ".join(texts)

    def _space_origin(self, capacity: PoolCapacity) -> str:
        return tell(
            "OpenZFS {version}, ashift {ashift}: zpool list shows {size} bytes, zfs list {available} ({slop} is slop).",
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
            tell("This many disks may fail at once, whichever they are. The weakest vdev counts."),
        )
        of = len(assessment.design.disks)
        used = tell("{used} of {all}", used=assessment.disks_used, all=of)
        self._lines["used"].show_value(used, self._unused_text(assessment.design, of - assessment.disks_used))
        self._lines["spares"].show_value(
            str(assessment.spares), tell("Hot spares and those of dRAID: they take over by themselves.")
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
        raw = tell("The ticked disks added up: {tib:.2f} TiB, {tb:.2f} TB.")
        self._lines["raw"].show_value(decimal(total), raw.format(tib=total / TIB, tb=total / TB))


def _sizes_assumed(design: Design) -> bool:
    """Tell whether nobody read how large a used disk is: of a pool that exists it may follow from SIZE."""
    origins = (design.disk(key).origin_of("size_bytes") for key in design.used_keys())
    return any(origin is not None and origin.kind is OriginKind.ASSUMED for origin in origins)
