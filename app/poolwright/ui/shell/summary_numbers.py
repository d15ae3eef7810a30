"""The numbers of the summary: space, what is predicted, findings and disks. Made once there are any to show."""

from collections import Counter

from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from poolwright.capacity.pool import PoolCapacity
from poolwright.design.evaluate import Evaluation, unassigned_of
from poolwright.domain.design import Design
from poolwright.domain.estimate import OriginKind
from poolwright.domain.finding import Finding, Outcome, Severity
from poolwright.domain.host import group_disks
from poolwright.domain.units import TB, TIB, binary, decimal, drive_size
from poolwright.texts import _, ngettext
from poolwright.ui.parts import lay
from poolwright.ui.parts.estimate_line import OriginLine, PredictedLines
from poolwright.ui.parts.finding_rows import SEVERITY_TONES, text_of
from poolwright.ui.parts.lay import Complaint, ToneLabel
from poolwright.ui.parts.theme import GRID, Tone, text_font
from poolwright.ui.parts.understood import broken_words
from poolwright.ui.state.session import Session
from poolwright.ui.state.work import MANY_DISKS

_BIG_POINTS = 28.0


class SummaryNumbers(QWidget):
    """Shows `Session.assessment` and the disks that may be used; ``lines`` are those with a value each.

    ``broken_words`` says which wishes the design does not keep to; empty where it keeps to all.
    """

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self.broken_words = ""
        self.lines: dict[str, OriginLine] = {}
        column = lay.column(self._make_title(), of=self, gap=0)
        self._add(
            column,
            ("usable", _("In drive makers’ TB")),
            ("plan", _("Plan for 80 %")),
            ("survives", _("Failures survived")),
            ("used", _("Disks used")),
            ("spares", _("Spares")),
        )
        self.predicted = PredictedLines(self)
        self._findings_heading = ToneLabel(_("Findings"), Tone.TEXT, self, bold=True)
        lay.room(self._findings_heading, around=(GRID, 2 * GRID, GRID, GRID // 2))
        for part in (self.predicted, self._findings_heading):
            column.addWidget(part)
        self._add(
            column,
            (Severity.BLOCK, _("Blocks")),
            (Severity.WARN, _("Warnings")),
            (Severity.NOTE, _("Notes")),
            ("unknown", _("Cannot tell")),
        )
        column.addSpacing(GRID)
        self._add(column, ("ticked", _("Disks allowed")), ("raw", _("Raw capacity")))
        self._judged = ""
        session.expectations.changed.connect(self._show_judged)
        self.refresh()

    def refresh(self, changed: frozenset[str] | None = None) -> None:
        """Show what follows from what changed; None is everything."""
        assessment = self._session.assessment
        self.broken_words = broken_words(self._session)
        self._broken.say(self.broken_words)
        if changed is None or changed - {"findings"}:
            self._show_capacity(assessment)
            self._show_layout(assessment)
        self._show_judged()
        if changed is None or changed & {"inventory", "ticked"}:
            self._show_disks()

    def _show_judged(self) -> None:
        """Show what is predicted and found; what holds of a design before its last edit stays until then."""
        assessment, judging = self._session.assessment, self._session.judging
        key = assessment.design.key if assessment is not None else ""
        if not judging:
            self._show_predicted()
        elif key != self._judged:
            self.predicted.hide()
        if not judging or key != self._judged:
            self._show_findings(None if assessment is None else assessment.findings)
        self._judged = key

    def _make_title(self) -> QVBoxLayout:
        self._big = lay.named(QLabel(self), _("Usable capacity"))
        self._big.setFont(text_font(_BIG_POINTS))
        self._small = ToneLabel("", Tone.MUTED, self)
        self._broken = Complaint(_("Wishes that are not kept"), self, Tone.WARN)
        return lay.column(self._big, self._small, self._broken, gap=2, around=(GRID, 0, GRID, GRID))

    def _add(self, column: QVBoxLayout, *names: tuple[str, str]) -> None:
        tones = {severity.value: tone for severity, tone in SEVERITY_TONES.items()} | {"unknown": Tone.UNKNOWN}
        for name, title in names:
            tone = tones.get(name)
            made = OriginLine(title, self, icon=str(name) if tone else "", tone=tone or Tone.TEXT)
            self.lines[name] = made
            column.addWidget(made)

    def _say(self, name: str, value: str | None, origin: str = "") -> None:
        """Show a value with where it is from; no line without one."""
        self.lines[name].setVisible(value is not None)
        if value is not None:
            self.lines[name].show_value(value, origin)

    def _show_capacity(self, assessment: Evaluation | None) -> None:
        capacities = assessment.capacities if assessment else None
        problem = assessment.problem if assessment else ""
        found = self._session.recommendation if assessment is None else None
        self._big.setVisible(capacities is not None or found is not None)
        self._small.setVisible(capacities is not None or bool(problem) or found is not None)
        self._small.set_tone(Tone.BLOCK if problem else Tone.MUTED)
        if capacities is None or assessment is None:
            self._small.setText(problem)
            self._say("usable", None)
            self._say("plan", None)
            if found is not None:
                self._big.setText(binary(found.best.usable_bytes))
                self._small.setText(_("usable, {tb}", tb=decimal(found.best.usable_bytes)))
            return
        available = sum(capacity.available_bytes for capacity in capacities)
        self._big.setText(binary(available))
        names = [pool.design.pool_name for pool in assessment.pools]
        named = [f"{name} {binary(one.available_bytes)}" for name, one in zip(names, capacities, strict=True)]
        many = _("usable: {pools}", pools=", ".join(named))
        one = _("usable, disk sizes assumed") if _sizes_assumed(assessment.design) else _("usable")
        self._small.setText(many if len(named) > 1 else one)
        origins = [_space_origin(capacity) for capacity in capacities]
        if len(origins) > 1:
            origins = [f"{name}: {origin}" for name, origin in zip(named, origins, strict=True)]
        self._say("usable", decimal(available), "\n".join(origins))
        plan = _("80 % of the usable space: a fuller pool becomes slow.")
        self._say("plan", binary(sum(capacity.plan_bytes for capacity in capacities)), plan)

    def _show_layout(self, assessment: Evaluation | None) -> None:
        if assessment is None:
            found = self._session.recommendation
            self._say("survives", None if found is None else found.best.survives_counts)
            self._say("spares", None if found is None else str(found.best.spares))
            self._say("used", None)
            return
        survived = (_("unknown") if pool.survived is None else str(pool.survived) for pool in assessment.pools)
        told = _("This many disks may fail at once, whichever they are. The weakest vdev counts.")
        self._say("survives", " / ".join(survived), told)
        of = len(assessment.design.disks)
        used = _("{used} of {all}", used=assessment.disks_used, all=of)
        self._say("used", used, _unused_text(assessment.design, of - assessment.disks_used))
        told = _("Hot spares and those of dRAID: they take over by themselves.")
        self._say("spares", str(assessment.spares), told)

    def _show_predicted(self) -> None:
        assessment, expected = self._session.assessment, self._session.expected
        found = self._session.recommendation if assessment is None else None
        if found is not None and found.best.used < MANY_DISKS:  # of more it takes long
            expected = found.best.predictions
        if assessment is None or len(assessment.pools) == 1:
            self.predicted.show_expected(expected)
            return
        of_pools = self._session.expectations.of_pools((pool.design, pool.capacity) for pool in assessment.pools)
        self.predicted.show_expected(expected if of_pools else None, of_pools, assessment)

    def _show_findings(self, findings: tuple[Finding, ...] | None) -> None:
        self._findings_heading.setVisible(findings is not None)
        violated = [f for f in findings or () if f.outcome is Outcome.VIOLATED]
        for severity in SEVERITY_TONES:
            texts = [f.text for f in violated if f.severity is severity]
            self._say(severity, None if findings is None else str(len(texts)), _one_each(texts))
        unknown = [f"{f.title}. {text_of(f)}" for f in findings or () if f.outcome is Outcome.CANNOT_TELL]
        self._say("unknown", str(len(unknown)) if unknown else None, _one_each(unknown))

    def _show_disks(self) -> None:
        inventory = self._session.inventory
        if inventory is None:
            self._say("ticked", None)
            self._say("raw", None)
            return
        ticked = [disk for disk in inventory.disks if disk.key in self._session.ticked]
        groups = (
            f"{len(g.disks)} × {g.model or _('unknown model')}, {drive_size(g.size_bytes)}" for g in group_disks(ticked)
        )
        total = sum(disk.size_bytes or 0 for disk in ticked)
        value = _("{ticked} of {all}", ticked=len(ticked), all=len(inventory.disks))
        self._say("ticked", value, "\n".join((f"{inventory.name}: {inventory.origin}", *groups)))
        raw = _("The ticked disks added up: {tib:.2f} TiB, {tb:.2f} TB.", tib=total / TIB, tb=total / TB)
        self._say("raw", decimal(total), raw)


def _unused_text(design: Design, rest: int) -> str:
    """Return what becomes of the ``rest`` of the disks: those of another medium than the data's lack in no pool."""
    idle = unassigned_of(design, [disk.key for disk in design.disks])
    texts = []
    if idle:
        texts.append(ngettext("{count} disk stays unused.", "{count} disks stay unused.", idle))
    if rest > idle:
        texts.append(
            ngettext(
                "{count} drive of another medium is left over.",
                "{count} drives of another medium are left over.",
                rest - idle,
            )
        )
    return " ".join(texts) or _("Every disk of the machine has a place.")


def _space_origin(capacity: PoolCapacity) -> str:
    return _(
        "OpenZFS {version}, ashift {ashift}: zpool list shows {size} bytes, zfs list {available} ({slop} is slop).",
        version=capacity.version,
        ashift=capacity.ashift,
        size=f"{capacity.pool_size_bytes:,}",
        available=f"{capacity.available_bytes:,}",
        slop=binary(capacity.slop_bytes),
    )


def _one_each(texts: list[str]) -> str:
    if not texts:
        return _("None.")
    return "\n".join(f"{text} ({count} ×)" if count > 1 else text for text, count in Counter(texts).items())


def _sizes_assumed(design: Design) -> bool:
    """Tell whether nobody read how large a used disk is: of a pool that exists it may follow from SIZE."""
    origins = (design.disk(key).origin_of("size_bytes") for key in design.used_keys())
    return any(origin is not None and origin.kind is OriginKind.ASSUMED for origin in origins)
