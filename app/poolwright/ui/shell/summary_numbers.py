"""The numbers of the summary: space, what is predicted, price and findings. Made once there are any to show."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from poolwright.capacity.pool import PoolCapacity
from poolwright.design.candidate import Candidate
from poolwright.design.evaluate import Evaluation, PoolEvaluation, unassigned_of
from poolwright.design.request import Request
from poolwright.domain.design import Design
from poolwright.domain.estimate import Estimate
from poolwright.domain.finding import Finding, Outcome, violated
from poolwright.domain.money import money_words
from poolwright.domain.outage import UnitKind, units_of
from poolwright.domain.rates import rate_text
from poolwright.domain.units import GB, MB, binary, decimal
from poolwright.predict.assessment import Assessment
from poolwright.predict.cost import Cost
from poolwright.predict.groups import longest
from poolwright.predict.number_words import (
    SPEED_TITLES,
    advice_on,
    band_text,
    hours_text,
    odds_text,
    operations_text,
    units_words,
)
from poolwright.predict.reliability import joined
from poolwright.texts import _, capital, comma, numeral
from poolwright.ui.parts import icons, widgets
from poolwright.ui.parts.card import draw_card, inert
from poolwright.ui.parts.estimate_line import EstimateLine, OriginLine, origin_text, sentence
from poolwright.ui.parts.finding_rows import SEVERITY_TONES, each_count, text_of
from poolwright.ui.parts.icons import IconLabel
from poolwright.ui.parts.note_lines import Line, Message, NoteLines, Notice
from poolwright.ui.parts.theme import GRID, HEADING_POINTS, Tone, text_font
from poolwright.ui.parts.widgets import Complaint, ToneLabel
from poolwright.ui.state.session import Session
from poolwright.ui.state.steps import broken_words
from poolwright.ui.state.work import MANY_DISKS

_BIG_POINTS, _EVERY = 27.0, 1000
_OLD = "members.old"  # the rule on the age of disks


# The speeds that share an axis, with the text of their values and its ends, which are those of any pool: a bar says
# the same whatever was looked at before.
_SCALES = ("10 MB/s–100 GB/s", "10–1M IOPS")  # for machines
_SPEEDS: dict[tuple[str, str], tuple[Callable[[float], str], tuple[float, float]]] = {
    ("seq_read", "seq_write"): (rate_text, (10 * MB, 100 * GB)),
    ("rand_read_iops", "rand_write_iops"): (lambda value: f"{operations_text(value)} IOPS", (10, 1_000_000)),
}


class SummaryNumbers(QWidget):
    """Shows the numbers of a design, or of a layout before one is chosen; ``lines`` are those with a value each.

    ``broken_words`` says which wishes the design does not keep to; empty where it keeps to all.
    """

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self.broken_words = self._judged = ""
        self.best: Candidate | None = None
        self._predicted: Candidate | None = None  # whose predictions are shown
        self.lines: dict[str, OriginLine] = {
            "survives": OriginLine(_("Failures survived"), self),
            "shelf": OriginLine(_("Shelf failure"), self),
            "spares": OriginLine(capital(_("hot spares")), self),
            "used": OriginLine(_("Disks used"), self),
            "plan": OriginLine(_("Plan for 80 %"), self),
            "rebuild": OriginLine(capital(_("resilver")), self),
            "risk": OriginLine(_("Loss a year"), self),
            "cost": OriginLine(_("Price"), self),
        }
        self.findings = FindingsLine(self)
        counted = {"rand_read_iops": _("Read IOPS"), "rand_write_iops": _("Write IOPS")}
        self.speeds = {
            name: EstimateLine(counted.get(name) or _(SPEED_TITLES[name]), text, ends, self)
            for names, (text, ends) in _SPEEDS.items()
            for name in names
        }
        self.change = ChangeBox(self)
        self._band = widgets.named(ToneLabel("", Tone.MUTED, self, small=True), _("Band of the loss a year"))
        self._band.setAlignment(Qt.AlignmentFlag.AlignRight)
        widgets.room(self._band, around=(0, 0, GRID, 0))
        self._ends = [ToneLabel(scale, Tone.MUTED, self, small=True, wrapped=False) for scale in _SCALES]
        self._ends[-1].setAlignment(Qt.AlignmentFlag.AlignRight)
        scale = widgets.row(*((end, 1) for end in self._ends), around=(GRID, 0, GRID, GRID))
        *first, price = self.lines.values()
        self._broken = Complaint(_("Limits not met"), self, Tone.WARN)
        widgets.room(self._broken, around=(GRID, 0, GRID, 0))
        self.stale = Notice(_("Workload"), self)
        title, offers = _("The workload has changed. These numbers are for the one before."), _("Use the new workload")
        self.stale.say(Message(title=title, offers=((offers, session.renew_workload),), apart=True, framed=False))
        widgets.room(self.stale, around=(GRID, 0, GRID, GRID))
        column = widgets.column(self._make_title(), self.stale, self._broken, self.change, of=self, gap=0)
        for part in (*first, self._band):
            column.addWidget(part)
        column.addSpacing(GRID)
        for speed in self.speeds.values():
            column.addWidget(speed)
        column.addLayout(scale)
        for part in (price, self.findings):
            column.addWidget(part)
        session.expectations.changed.connect(self._show_judged)

    @property
    def usable_text(self) -> str:
        return self._big.text() if not self._big.isHidden() else ""

    def value(self, name: str) -> str:
        """Return the value on a line; empty where there is none."""
        return self.lines[name].value if not self.lines[name].isHidden() else ""

    def refresh(
        self,
        changed: frozenset[str] | None = None,
        best: Candidate | None = None,
        before: tuple[Request, Candidate] | None = None,
    ) -> None:
        """Show what follows from what changed, None is everything; ``best`` stands for a design before there is one."""
        assessment = self._session.assessment
        self.best = best if assessment is None else None
        self.broken_words = broken_words(self._session, self.best)
        self._broken.say(self.broken_words)
        design = self._session.design
        old = design is not None and design.workload != self._session.workload
        self.stale.setVisible(old)
        if changed is None or changed - {"findings"}:
            self._show_capacity(assessment)
            self._show_layout(assessment)
        self.change.show_change(before, self.best, self._session)
        self._show_judged()

    def _show_judged(self) -> None:
        """Show what is predicted and found; what holds of a design before its last edit stays until then."""
        assessment, judging = self._session.assessment, self._session.judging
        key = assessment.design.key if assessment is not None else ""
        if not judging:
            self._show_predicted(assessment)
        elif key != self._judged:
            self._show_expected(None)
        if not judging or key != self._judged:
            found = assessment.findings if assessment is not None else self.best.findings if self.best else None
            self.findings.setVisible(found is not None)
            self.findings.show_findings(found or ())
        self._judged = key

    def _make_title(self) -> QHBoxLayout:
        self._big = widgets.named(QLabel(self), _("Usable capacity"))
        self._big.setFont(text_font(_BIG_POINTS))
        self._small = ToneLabel("", Tone.MUTED, self, small=True)
        widgets.room(self._small, around=(0, 0, 0, 5))
        low = Qt.AlignmentFlag.AlignBottom
        return widgets.row(self._big, (self._small, 1, low), around=(GRID, 0, GRID, GRID // 2))

    def _say(self, name: str, value: str | None, origin: str = "") -> None:
        """Show a value with where it is from; no line without one."""
        self.lines[name].setVisible(value is not None)
        if value is not None:
            self.lines[name].show_value(value, origin)

    def _show_capacity(self, assessment: Evaluation | None) -> None:
        capacities = assessment.capacities if assessment else None
        problem = assessment.problem if assessment else ""
        self._big.setVisible(capacities is not None or self.best is not None)
        self._small.set_tone(Tone.BLOCK if problem else Tone.MUTED)
        self._small.setText(problem)
        if assessment is None and self.best is not None:
            self._big.setText(binary(self.best.measures.usable_bytes))
            self._small.setText(_("usable\n{tb}", tb=decimal(self.best.measures.usable_bytes)))
        invented = assessment is not None and assessment.design.sizes_invented
        self._big.setFont(text_font(HEADING_POINTS if invented else _BIG_POINTS))
        if invented:
            self._big.setText(_("unknown"))
            self._small.setText(_("usable, the disk sizes are not known"))
        if capacities is None or assessment is None or invented:
            self._say("plan", None)
            return
        available = sum(capacity.available_bytes for capacity in capacities)
        self._big.setText(binary(available))
        names = [pool.design.pool_name for pool in assessment.pools]
        named = [f"{name} {binary(one.available_bytes)}" for name, one in zip(names, capacities, strict=True)]
        text = _("usable\n{tb}\nassumed") if assessment.design.assumed_sizes() else _("usable\n{tb}")
        text = _("usable in {count} pools\n{tb}") if len(named) > 1 else text
        self._small.setText(text.format(tb=decimal(available), count=len(named)))
        origins = [_space_origin(capacity) for capacity in capacities]
        if len(origins) > 1:
            origins = [f"{name}: {origin}" for name, origin in zip(named, origins, strict=True)]
        plan = _("80 % of the usable space: a fuller pool becomes slow.")
        total = sum(capacity.plan_bytes for capacity in capacities)
        self._say("plan", binary(total), "\n".join((plan, *origins)))

    def _show_layout(self, assessment: Evaluation | None) -> None:
        if assessment is None:
            best = self.best
            self._say("survives", None if best is None else any_text(best.survives_counts))
            self._say("spares", str(best.spare_count) if best is not None and best.spare_count else None)
            self._say("used", None)
            return
        survived = (_("unknown") if pool.survived is None else str(pool.survived) for pool in assessment.pools)
        note = _("This many disks may fail at once, whichever they are. The weakest vdev counts.")
        self._say("survives", any_text(" / ".join(survived)), note)
        inventory, allowed = self._session.inventory, self._session.ticked | assessment.design.used_keys()
        left_out = sum(disk.key not in allowed for disk in inventory.usable()) if inventory is not None else 0
        of = len(assessment.design.disks) - left_out
        rest, text = of - assessment.disks_used, _("{count} of {all} ticked") if left_out else _("{count} of {all}")
        used = text.format(count=assessment.disks_used, all=of) if rest or left_out else None
        self._say("used", used, _unused_text(assessment.design, rest))
        note = _("Hot spares and those of dRAID: they take over by themselves.")
        self._say("spares", str(assessment.spares) if assessment.spares else None, note)

    def _show_predicted(self, assessment: Evaluation | None) -> None:
        before, self._predicted = self._predicted, self.best
        if assessment is None and self.best is not None and self.best is before:
            return  # it takes its time, and is as it was
        if assessment is None:
            # Of many disks it would be slow.
            pools = self.best.predictions_of_pools if self.best and self.best.used_count < MANY_DISKS else ()
            self._show_expected(pools[0] if pools else None, pools)
            self._say("cost", money_words(self.best.cost) if self.best and self.best.cost else None)
        elif len(assessment.pools) == 1:
            self._show_expected(self._session.expected)
        else:
            pools = self._session.expectations.of_pools((pool.design, pool.capacity) for pool in assessment.pools)
            self._show_expected(self._session.expected if pools else None, pools, assessment)

    def _show_expected(
        self, expected: Assessment | None, of_pools: Sequence[Assessment] = (), whole: Evaluation | None = None
    ) -> None:
        """Show this: the speed of the main pool, the risk and the rebuild of all pools of the ``whole`` design."""
        for part in (*self.speeds.values(), *self._ends, self._band):
            part.setVisible(expected is not None)
        if expected is None:
            for name in ("shelf", "rebuild", "risk", "cost"):
                self._say(name, None)
            return
        pools = whole.pools if whole is not None else ()
        self._show_speeds(expected, pools)
        self._show_risk(expected, of_pools or (expected,), pools)
        self._show_rebuild(of_pools or (expected,), shared=whole is not None and whole.disks_shared)
        assessment = self._session.assessment
        if assessment is not None and assessment.design.sizes_invented:
            for name in ("rebuild", "risk"):
                self._say(name, _("unknown"), _("Disk sizes are not known."))
            self._band.hide()
        self._show_cost(expected.cost)

    def _show_speeds(self, expected: Assessment, pools: Sequence[PoolEvaluation]) -> None:
        speed, bare = expected.speed, expected.without_runs
        for name, line in self.speeds.items():
            before = getattr(bare, name) if bare is not None else None
            line.show_estimate(getattr(speed, name), *_beyond(expected, pools), before=before)

    def _show_rebuild(self, of_pools: Sequence[Assessment], *, shared: bool) -> None:
        rebuilds = [e.rebuild for e in of_pools]
        known = [rebuild for rebuild in rebuilds if rebuild is not None]
        if len(known) < len(rebuilds):
            self._say("rebuild", _("none possible"), _("No redundancy: nothing can be rebuilt."))
            return
        rebuild = longest(known, shared=shared)
        full = _("at {fill:g} % full, without the wait for a disk", fill=of_pools[0].conditions.rebuild.fill_percent)
        self._say("rebuild", hours_text(rebuild.typical), origin_text(rebuild, hours_text, full))

    def _show_risk(self, expected: Assessment, of_pools: Sequence[Assessment], pools: Sequence[PoolEvaluation]) -> None:
        risk = joined([e.risk for e in of_pools], pools=len(of_pools))
        each = zip((pool.design.pool_name for pool in pools), (e.risk.loss.typical for e in of_pools), strict=False)
        named = ", ".join(f"{name} {odds_text(chance)}" for name, chance in each) if len(pools) > 1 else ""
        lines = (
            _("from disk failures alone: {odds}", odds=_odds_words(risk.disk_loss)),
            units_words(risk.units),
            advice_on(risk.disk_probability),
            _("each by itself: {pools}", pools=named) if named else "",
            _("any data lost: {odds}", odds=_odds_words(risk.damage)),
            *_rate_lines(expected),
        )
        self._say("risk", odds_text(risk.loss.typical), origin_text(risk.loss, odds_text, *lines))
        self._say("shelf", self._shelf_words(risk.units), units_words(risk.units))
        judged = self._session.assessment
        found = (judged.findings if judged is not None else self.best.findings if self.best is not None else None) or ()
        old = any(one.rule_id == _OLD and one.outcome is Outcome.VIOLATED for one in found)
        band = band_text(risk.loss, odds_text)
        self._band.setText(_("{band}\nage of the disks not counted", band=band) if old else band)

    def _shelf_words(self, units: Collection[str]) -> str | None:
        """Return what becomes of the pools with one shelf of several, where ``units`` take one with them."""
        design, best = self._session.design, self.best
        disks = [disk for pool in best.pools for disk in pool.disks] if best is not None else []
        if design is not None:
            disks = [design.disk(key) for key in design.used_keys()]
        shelves = {str(unit) for unit in units_of(disks) if unit.kind is UnitKind.ENCLOSURE}
        survived = not shelves.intersection(units) and self.value("survives") != any_text("0")
        return None if len(shelves) < 2 else _("survived") if survived else _("pool lost")

    def _show_cost(self, cost: Cost | None) -> None:
        if cost is None or cost.purchase is None:
            mixed = cost is not None and bool(cost.groups) and cost.priced
            self._say("cost", _("unknown") if mixed else None, cost.problem if cost is not None else "")
            return
        lines = [sentence(_("purchase of the disks: {origin}", origin=cost.purchase_origin or ""))]
        lines += [sentence(cost.problem)] if cost.problem else []
        self._say("cost", money_words(cost.purchase), "\n".join(lines))


def any_text(counts: str) -> str:
    return _("none") if counts == "0" else _("any {count}", count=counts) if counts.isdecimal() else counts


class FindingsLine(OriginLine):
    """How many findings there are of each severity, a line each; a press tells them."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(_("Findings"), parent)
        tones = {severity.value: tone for severity, tone in SEVERITY_TONES.items()} | {"unknown": Tone.UNKNOWN}
        self.words, self.tone = "", Tone.MUTED
        self._lines = NoteLines(_("Findings"), self, most=_EVERY, small=True)
        self._opened = QWidget(self)
        widgets.column(self._lines, of=self._opened, around=(GRID, GRID // 2, GRID, GRID))
        self.column.addWidget(self._opened)
        self._opened.hide()
        self._counts: list[tuple[IconLabel, ToneLabel]] = []
        self._tones = tuple(tones.values())
        column = widgets.column(gap=0)
        for name, tone in tones.items():
            mark = inert(IconLabel(name, self.button, tone, icons.SMALL))
            count = inert(ToneLabel("", Tone.TEXT, self.button, bold=True, wrapped=False))
            column.addLayout(widgets.row(1, mark, count, gap=GRID // 2))
            self._counts.append((mark, count))
        self.row.addLayout(column)
        self.row.setAlignment(self._label, Qt.AlignmentFlag.AlignTop)

    def show_findings(self, findings: Sequence[Finding]) -> None:
        texts = [[found.text for found in violated(findings, severity)] for severity in SEVERITY_TONES]
        unknown = [f"{f.title}. {text_of(f)}" for f in findings if f.outcome is Outcome.CANNOT_TELL]
        texts.append(unknown)
        counts = each_count(*map(len, texts))
        for (mark, label), words in zip(self._counts, counts, strict=True):
            for part in (mark, label):
                part.setVisible(bool(words))
            label.setText(words)
        alike = [(tone, Counter(of_one).items()) for tone, of_one in zip(self._tones, texts, strict=True)]
        lines = [(f"{t} ({n} ×)" if n > 1 else t, tone) for tone, of_one in alike for t, n in of_one]
        self.show_value("" if any(texts) else _("none"), "\n".join(text for text, __ in lines))
        self._lines.show_lines([Line(text=text, tone=tone) for text, tone in lines])
        self.words = ", ".join(filter(None, counts[:-1])) or _("none")
        self.tone = next((tone for tone, found in zip(self._tones, texts, strict=True) if found), Tone.MUTED)
        self.button.setAccessibleName(_("Findings: {counts}", counts=", ".join(filter(None, counts)) or _("none")))


class ChangeBox(QWidget):
    """What the last wish changed of the best layout: space, failures survived, probability of loss."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.text = widgets.named(ToneLabel("", Tone.TEXT, self, small=True), _("What the last wish changed"))
        widgets.column(self.text, of=self, around=(2 * GRID, GRID, 2 * GRID, 2 * GRID))

    def paintEvent(self, _event: QPaintEvent) -> None:
        draw_card(QPainter(self), QRectF(self.rect()).adjusted(GRID, 0, -GRID, -GRID))

    def show_change(self, before: tuple[Request, Candidate] | None, best: Candidate | None, session: Session) -> None:
        lines: list[str] = []
        if before is not None and best is not None:
            request, old = before
            lines = [f"{_wish_name(request, session)}: {_space_change(old, best)}"]
            if old.measures.failures_survived != best.measures.failures_survived:
                survived = old.measures.failures_survived, best.measures.failures_survived
                lines.append(capital(_("failures survived {old} → {new}", old=survived[0], new=survived[1])))
            odds = odds_text(old.measures.any_loss), odds_text(best.measures.any_loss)
            if odds[0] != odds[1]:
                lines.append(_("Loss {old} → {new}", old=odds[0], new=odds[1]))
        self.text.setText("\n".join(lines))
        self.setVisible(bool(lines))


def _space_change(old: Candidate, best: Candidate) -> str:
    cost = best.measures.usable_bytes - old.measures.usable_bytes
    if binary(old.measures.usable_bytes) == binary(best.measures.usable_bytes):
        return _("{size} as before", size=binary(best.measures.usable_bytes))
    sign = "−" if cost < 0 else "+"
    return f"{binary(best.measures.usable_bytes)}, {sign}{binary(abs(cost))}"


def _wish_name(request: Request, session: Session) -> str:
    """Return which wishes are others now: two may be typed before a layout for the first is found."""
    names = {
        "least_usable_bytes": _("Usable capacity"),
        "survive": capital(_("failures to survive")),
        "spares": capital(_("hot spares")),
        "money": capital(_("money")),
        "bays": _("Drive bays"),
    }
    changed = [n for key, n in names.items() if getattr(request.budget, key) != getattr(session.budget, key)]
    if request.workload != session.workload:
        changed.insert(0, _("Workload"))
    return comma().join(changed) or _("Budget")


def _beyond(expected: Assessment, pools: Sequence[PoolEvaluation]) -> tuple[str, ...]:
    if len(pools) > 1:
        return (_("of pool {name} while the others are idle", name=pools[0].design.pool_name),)
    network = expected.host.network_bytes_per_second
    if network is not None and any(link.name == "network" and link.narrowest_read for link in expected.speed.chain):
        return (_("over the network; Design, Numbers shows what the disks deliver"),)
    return ()


def _odds_words(estimate: Estimate) -> str:
    return f"{odds_text(estimate.typical)} ({band_text(estimate, odds_text)})"


def _rate_lines(expected: Assessment) -> tuple[str, ...]:
    """Return how often a disk of the data fails; where the vdevs have unlike disks, each rate that counts."""
    conditions = expected.conditions
    rates = dict.fromkeys(own.drive for own in conditions.of_data) or (conditions.drive,)
    return tuple(
        _("failure rate of a disk {rate:.2f} % a year: {origin}", rate=rate.typical, origin=rate.origin)
        for rate in rates
    )


def _unused_text(design: Design, rest: int) -> str:
    """Return what becomes of the ``rest`` of the disks: those of another medium than the data's lack in no pool."""
    idle = unassigned_of(design, [disk.key for disk in design.disks])
    counts = (
        (_("Unassigned: {count}.", count=idle), idle),
        (_("Of other media than the data: {count}.", count=rest - idle), rest - idle),
    )
    return " ".join(text for text, count in counts if count > 0)


def _space_origin(capacity: PoolCapacity) -> str:
    return _(
        "OpenZFS {version}, ashift {ashift}: zpool list shows {size} bytes, zfs list {available} ({slop} is slop).",
        version=capacity.version,
        ashift=capacity.ashift,
        size=numeral(capacity.pool_size_bytes),
        available=numeral(capacity.available_bytes),
        slop=binary(capacity.slop_bytes),
    )
