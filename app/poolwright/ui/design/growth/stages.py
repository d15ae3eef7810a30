"""The stages of a growth plan: a table of what zpool list and zfs list will print, each in detail, and a chart."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from PySide6.QtCore import QDate, QLocale, Qt, Signal, SignalInstance
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QWidget

from poolwright.changes.growth.plan import CASES, GrowthPlan, Stage, disks_bought
from poolwright.domain.disk import NoteLevel
from poolwright.domain.errors import PoolwrightError, UserError
from poolwright.domain.growth import MOST_PERCENT, GrowthKind, GrowthStep
from poolwright.domain.money import Money, money_typed, parse_money
from poolwright.domain.rates import drive_read, rate_text
from poolwright.domain.units import PLAN_FILL_PERCENT, TIB, binary, drive_size, drive_text, drive_word, parse_drive_size
from poolwright.domain.vdev import describe, parse_spec
from poolwright.emit.change import commands_text
from poolwright.emit.chart import Chart, ChartLimit, ChartMark, ChartSeries, SeriesKind, axis_over
from poolwright.emit.drawing import ShapeRole
from poolwright.emit.report import Block, Code, TextTone, paragraph
from poolwright.predict.assessment import Assessment
from poolwright.predict.number_words import hours_text, loss_words, operations_text
from poolwright.predict.space import DAYS_PER_YEAR, PoolSpace
from poolwright.texts import _, either
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.assumption_form import today_text
from poolwright.ui.parts.estimate_line import sentence
from poolwright.ui.parts.lay import Complaint
from poolwright.ui.parts.table import TableColumn
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.parts.understood import Understood


@dataclass(frozen=True, slots=True)
class StageRow:
    """A row: the step (None: the new pool), its stage where it could be computed, and why not otherwise."""

    step: GrowthStep | None
    stage: Stage | None
    name: str
    problem: str = ""


def stage_rows(plan: GrowthPlan, steps: tuple[GrowthStep, ...]) -> tuple[StageRow, ...]:
    rows = [StageRow(None, plan.stages[0], "")]
    for number, step in enumerate(steps):
        stage = plan.stages[number + 1] if number + 1 < len(plan.stages) else None
        before = plan.stages[min(number, len(plan.stages) - 1)].grown.pool
        at = step.top if step.top is not None else next((n for n, t in enumerate(before.tops) if not t.removed), 0)
        name = before.name(at) if 0 <= at < len(before.tops) else ""
        problem = ""
        if stage is None:
            own = plan.problem is not None and plan.problem.number == number
            problem = (
                (plan.problem.text if plan.problem is not None else "") if own else _("waits for the step above it")
            )
        rows.append(StageRow(step, stage, name, problem))
    return tuple(rows)


def stage_columns() -> tuple[TableColumn[StageRow], ...]:
    """Return the columns; the pointer on a cell tells why a step is not possible, else exact bytes."""
    printed = _("What zfs list prints for the root dataset when the step has ended")
    size = _("What zpool list prints when the step has ended, parity included")
    level = _("{level} % on", level=PLAN_FILL_PERCENT)
    survives = _("Failures survived, whichever disks they are")
    sizes: tuple[tuple[str, str, Callable[[Stage], int | None]], ...] = (
        ("SIZE", size, lambda stage: stage.capacity.pool_size_bytes),
        (_("USED"), printed, lambda stage: stage.used_bytes),
        (_("AVAIL"), printed, lambda s: s.capacity.available_bytes if s.avail_bytes is None else s.avail_bytes),
    )
    others: tuple[tuple[str, str, Callable[[Stage], str]], ...] = (
        (_("Full"), _("USED of USED + AVAIL"), lambda stage: percent_text(stage.fill_after)),
        (_("Survives"), survives, lambda stage: str(stage.failures_survived)),
        (level, _("When this is no longer enough"), lambda stage: day_text(stage.full_on)),
        (_("Price"), "", lambda stage: "" if not stage.price else str(stage.price)),
    )
    return (
        TableColumn(title=_("When"), text=_when, tip=lambda row: row.problem or _begins(row)),
        TableColumn(title=_("Step"), text=_title, tip=lambda row: row.problem, look=_look),
        *(
            _number(title, meaning, _sized(of, binary), _sized(of, lambda n: f"{n:,} B"))
            for title, meaning, of in sizes
        ),
        *(_number(title, meaning, text) for title, meaning, text in others),
    )


def _number(
    title: str, meaning: str, text: Callable[[Stage], str], exact: Callable[[Stage], str] = lambda _stage: ""
) -> TableColumn[StageRow]:
    return TableColumn(
        title=title, meaning=meaning, number=True,
        text=lambda row: "" if row.stage is None else text(row.stage),
        tip=lambda row: row.problem or ("" if row.stage is None else exact(row.stage)),
    )  # fmt: skip


def _sized(size: Callable[[Stage], int | None], words: Callable[[int], str]) -> Callable[[Stage], str]:
    def text(stage: Stage) -> str:
        if stage.grown.origin.sizes_invented:
            return _("unknown")
        return "" if (known := size(stage)) is None else words(known)

    return text


def _look(row: StageRow, role: int) -> object:
    blocked = role == Qt.ItemDataRole.DecorationRole and row.problem
    return icons.icon("block", Tone.BLOCK) if blocked else None


def _title(row: StageRow) -> str:
    if row.step is not None:
        return step_title(row.step, row.name)
    pool = row.stage.grown.origin if row.stage is not None else None
    return _("{pool} now", pool=pool.pool_name) if pool and pool.exists else _("New pool")


def _when(row: StageRow) -> str:
    if row.step is None:
        return _("now")
    if row.stage is None:
        return _("not possible")
    return day_text(row.stage.begins) or when_text(row.step)


def _begins(row: StageRow) -> str:
    return "" if row.stage is None or row.step is None else when_text(row.step)


# One step of a growth plan: what to know of it, what is expected after it, and its commands to copy.


def stage_blocks(plan: GrowthPlan, row: StageRow, stage: Stage, predicted: Assessment | None) -> Iterator[Block]:
    commands, why_none = _commands(plan, next(n for n, known in enumerate(plan.stages) if known is stage))
    freed = stage.rewrite_gain_bytes
    yield paragraph(_title(row), strong=True)
    yield paragraph(_summary(stage))
    for note in stage.notes:
        yield paragraph(note.text, TextTone.WARN if note.level is NoteLevel.WARN else TextTone.MUTED)
    others = (
        _("Rewriting all old data would free {size} of USED.", size=binary(freed)) if freed else "",
        *(sentence(str(bought)) for bought in (disks_bought(stage) if stage.step is not None else ())),
        "" if predicted is None else _expected(predicted),
        _("For you to run, one by one; disks not bought yet stand in < >.") if commands else why_none,
    )
    for text in others:
        yield paragraph(text, TextTone.MUTED)
    if commands:
        yield Code(text=commands)


def _expected(predicted: Assessment) -> str:
    speed, rebuild = predicted.speed, predicted.rebuild
    text = _(
        "Expected then: reads {read}, writes {write}, {iops} random reads a second; "
        "yearly risk {risk}; rebuild {hours}."
    )
    return text.format(
        read=rate_text(speed.seq_read.typical),
        write=rate_text(speed.seq_write.typical),
        iops=operations_text(speed.rand_read_iops.typical),
        risk=loss_words(predicted.risk.probability, predicted.risk.disk_probability),
        hours=_("impossible") if rebuild is None else hours_text(rebuild.typical),
    )


def _commands(plan: GrowthPlan, number: int) -> tuple[str, str]:
    """Return the commands of a stage, else why there are none."""
    if not number:
        return "", "" if plan.stages[0].grown.origin.exists else _("The script makes the new pool.")
    try:
        return commands_text(plan, number), ""
    except PoolwrightError as error:
        return "", error.text


def _summary(stage: Stage) -> str:
    parts = [describe(stage.capacity.layout) + "."]
    if stage.step is not None:
        parts.append(work_text(stage))
    if not stage.grown.origin.sizes_invented:
        size, plan = binary(stage.capacity.available_bytes), binary(stage.capacity.plan_bytes)
        parts.append(_("{size} usable, of which {plan} up to 80 %.", size=size, plan=plan))
    if stage.charged_percent < 99.5:
        n = f"{stage.charged_percent:.0f}"
        parts.append(_("zfs list counts new data as {n} % of their size: there is more room than AVAIL says.", n=n))
    return " ".join(part for part in parts if part)


# The growing data against the space that the steps add: a curve with its band, and stairs for 80 % and for full.

_POINTS = 80
_LEAST_YEARS, _MOST_YEARS = 2.0, 25.0
_ROOM_ABOVE = 1.12

Rooms = Sequence[tuple[float, float]]


def growth_chart(plan: GrowthPlan) -> Chart | None:
    """Return data and USED + AVAIL in TiB over the years; None where growth or the data of today are not known."""
    if plan.used_at(0.0) is None:
        return None
    today = plan.question.today
    dates = [stage.full_on for stage in plan.stages if stage.full_on is not None]
    last = max(((day - today).days / DAYS_PER_YEAR for day in dates), default=_LEAST_YEARS)
    end = min(_MOST_YEARS, max(_LEAST_YEARS, last * 1.1))
    rooms = [
        ((stage.ends - today).days / DAYS_PER_YEAR, stage.capacity.available_bytes / TIB)
        for stage in plan.stages
        if stage.ends is not None
    ]
    data = tuple(_data(plan, end * n / _POINTS, rooms) for n in range(_POINTS + 1))
    begun = [(n, stage.begins) for n, stage in enumerate(plan.stages) if n and stage.begins is not None]
    level = _("{percent} % full", percent=PLAN_FILL_PERCENT)
    series = (
        _stairs(_("Full"), ShapeRole.MUTED, rooms, end, 1.0, dashed=True),
        _stairs(level, ShapeRole.WARN, rooms, end, PLAN_FILL_PERCENT / 100),
        ChartSeries(name=_("Data"), kind=SeriesKind.CURVE, marks=data),
    )
    return Chart(
        stem="growth-plan",
        title=_("Plot of the data against the room that the steps make"),
        x=axis_over(_("Years from now"), [end]),
        y=axis_over(
            _("USED and AVAIL of zfs list"), [*(m.y for s in series for m in s.marks)], unit="TiB", room=_ROOM_ABOVE
        ),
        series=series,
        limits=tuple(
            ChartLimit(name=str(number), value=(day - today).days / DAYS_PER_YEAR, upright=True)
            for number, day in begun
        ),
    )


def room_at(rooms: Rooms, x: float) -> float:
    """Return USED + AVAIL in TiB, ``x`` years from now, of pairs of years and TiB."""
    return rooms[max(0, bisect_right([start for start, __ in rooms], x) - 1)][1]


def _data(plan: GrowthPlan, x: float, rooms: Rooms) -> ChartMark:
    low, typical, high = ((plan.used_at(x, case) or 0.0) / TIB for case in CASES)
    room = room_at(rooms, x)
    told = _(
        "In {years:.1f} years: {used:.1f} TiB ({low:.1f} to {high:.1f}) of {room:.1f}, {percent:.0f} %.",
        years=x,
        used=typical,
        low=low,
        high=high,
        room=room,
        percent=100 * typical / room if room else 0,
    )
    return ChartMark(x=x, y=typical, low=low, high=high, told=told)


def _stairs(name: str, role: ShapeRole, rooms: Rooms, end: float, share: float, *, dashed: bool = False) -> ChartSeries:
    steps = [*rooms, (max(end, rooms[-1][0]), rooms[-1][1])]
    marks = tuple(ChartMark(x=x, y=room * share) for x, room in steps)
    return ChartSeries(name=name, kind=SeriesKind.STAIRS, marks=marks, role=role, dashed=dashed)


# The fields with which a step of growth is written: what, to which vdev, how large, when, for how much.

_WITH_SIZE = (GrowthKind.ATTACH, GrowthKind.REPLACE)
_SOON, _LEVEL, _DATE = range(3)
_FIELDS_A_ROW = 3


class GrowthPlanEditor(QWidget):
    """``added`` and ``applied`` send a step; where the fields cannot be read they say so and send nothing."""

    added = Signal(object)
    applied = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._stage: Stage | None = None
        self._shown: GrowthStep | None = None
        boxes = (_("What the step does"), _("The vdev it is done to"), _("When the step is begun"))
        lines = (_("Disk size or new vdev"), _("Fill level or month"), _("Price of one disk"))
        self.kind, self.top, self.when = (lay.named(QComboBox(self), name) for name in boxes)
        self.amount, self.moment, self.price = map(self._line, lines)
        for kind in GrowthKind:
            self.kind.addItem(kind_title(kind), kind.value)
        self.when.addItems([_("at once"), _("when full to %"), _("in the month")])
        self.price.setPlaceholderText(_("unknown"))
        self.problem = Complaint(_("What is wrong with the step"), self, Tone.WARN)
        self.add_button = lay.button(_("Add as new step"), self, self._on_add, icon="add")
        self.apply_button = lay.button(_("Change this step"), self, self._on_apply, icon="ok")
        self._lay_out()
        self.kind.currentIndexChanged.connect(self._on_kind)
        self.top.currentIndexChanged.connect(self._on_kind)
        self.when.currentIndexChanged.connect(self._on_when)
        self.when.setCurrentIndex(_LEVEL)
        self._on_kind()

    def show_stage(self, stage: Stage, step: GrowthStep | None) -> None:
        """Offer the vdevs of ``stage``, in which the step begins; show ``step`` in the fields where there is one."""
        self._stage, self._shown = stage, step
        chosen = self.top.currentData()
        self.top.blockSignals(True)
        self.top.clear()
        pool = stage.grown.pool
        for number, top in enumerate(pool.tops):
            if not top.removed:
                self.top.addItem(_("{word} of {width}", word=pool.name(number), width=top.width), number)
        wanted = step.top if step is not None and step.top is not None else chosen
        self.top.setCurrentIndex(max(0, self.top.findData(wanted)))
        self.top.blockSignals(False)
        self.apply_button.setEnabled(step is not None)
        if step is not None:
            self._show_step(step)
        else:
            self._on_kind()
        self.problem.say("")

    def step(self) -> GrowthStep:
        """Return the step in the fields; raises UserError with what is wrong."""
        kind = GrowthKind(self.kind.currentData())
        made = GrowthStep(kind=kind)
        if kind is GrowthKind.ADD:
            made = replace(made, vdev=parse_spec(self.amount.text()))
        else:
            made = replace(made, top=self.top.currentData())
        if kind in _WITH_SIZE:
            made = replace(made, size_bytes=parse_drive_size(self.amount.text()))
        moment = self.moment.text().strip()
        if self.when.currentIndex() == _LEVEL:
            made = replace(made, at_percent=_percent(moment))
        elif self.when.currentIndex() == _DATE:
            made = replace(made, on=_month(moment))
        if self._shown is not None and self._shown.kind is kind:
            made = replace(made, disk_keys=self._shown.disk_keys, note=self._shown.note)
        price, shown = self._price(self.price.text()), self._shown
        kept = shown is not None and shown.price_per_disk == price  # is still of the day on which it was typed
        said_on = "" if price is None else shown.price_on if shown is not None and kept else today_text()
        return replace(made, price_per_disk=price, price_on=said_on)

    def _price(self, text: str) -> Money | None:
        currency = None if self._stage is None else self._stage.grown.origin.budget.reckoned_in
        return parse_money(text, currency=currency) if text.strip() else None

    def _show_step(self, step: GrowthStep) -> None:
        self.kind.setCurrentIndex(self.kind.findData(step.kind.value))
        if step.vdev is not None:
            self.amount.setText(step.vdev.written(drive_word))
        elif step.size_bytes is not None:
            self.amount.setText(drive_text(step.size_bytes))
        self.when.setCurrentIndex(_LEVEL if step.at_percent is not None else _DATE if step.on is not None else _SOON)
        self.moment.setText(str(step.at_percent) if step.at_percent is not None else step.on or "")
        self.price.setText("" if step.price_per_disk is None else money_typed(step.price_per_disk))

    def _suggest(self) -> None:
        """Fill in what is most likely meant: a vdev like the last, a disk like those of the vdev."""
        stage = self._stage
        if stage is None:
            return
        kind = GrowthKind(self.kind.currentData())
        tops = [top for top in stage.grown.pool.tops if not top.removed]
        if stage.grown.origin.sizes_invented:
            self.amount.clear()
        elif kind is GrowthKind.ADD and tops:
            spec = tops[-1].exact
            self.amount.setText(f"{spec.word}:{spec.width}x{drive_size(min(spec.sizes)).replace(' ', '')}")
        elif kind in _WITH_SIZE and self.top.currentData() is not None:
            least = min(stage.grown.pool.tops[self.top.currentData()].spec.sizes)
            self.amount.setText(drive_text(least) if kind is GrowthKind.ATTACH else drive_size(2 * least))

    def _on_kind(self) -> None:
        kind = GrowthKind(self.kind.currentData())
        self.top.setEnabled(kind is not GrowthKind.ADD)
        self.amount.setEnabled(kind is GrowthKind.ADD or kind in _WITH_SIZE)
        self.price.setEnabled(self.amount.isEnabled())
        self._amount_label.setText(_("Vdev") if kind is GrowthKind.ADD else _("Disk size"))
        if not self.amount.isEnabled():
            self.amount.clear()
            return
        self._suggest()
        self.understood.read_again()

    def _on_when(self) -> None:
        mode = self.when.currentIndex()
        self.moment.setEnabled(mode != _SOON)
        self.moment.setText(str(PLAN_FILL_PERCENT) if mode == _LEVEL else "")
        self.moment.setPlaceholderText("2028-03" if mode == _DATE else "")
        self.moment_understood.read_again()

    def _on_add(self) -> None:
        self._send(self.added)

    def _on_apply(self) -> None:
        self._send(self.applied)

    def _send(self, signal: SignalInstance) -> None:
        try:
            step = self.step()
        except PoolwrightError as error:
            self.problem.say(error.text)
        else:
            self.problem.say("")
            signal.emit(step)

    def _read_amount(self, text: str) -> str:
        """Return what the disk size or the vdev means. Raises UserError."""
        if GrowthKind(self.kind.currentData()) is not GrowthKind.ADD:
            return drive_read(parse_drive_size(text))
        spec = parse_spec(text)
        sizes = sorted(set(spec.sizes))
        return _("{vdev}, each {disk}", vdev=describe((spec,)), disk=either([drive_read(size) for size in sizes[:2]]))

    def _read_moment(self, text: str) -> str:
        """Return when the step is begun. Raises UserError."""
        if self.when.currentIndex() == _LEVEL:
            return _("when {percent} % of USED + AVAIL are used", percent=_percent(text.strip()))
        day = date.fromisoformat(f"{_month(text.strip())}-01"[: len("2028-03-01")])
        return QLocale().toString(QDate(day.year, day.month, day.day), "d MMMM yyyy")

    def _read_price(self, text: str) -> str:
        """Return what one disk costs. Raises UserError."""
        price = self._price(text)
        if price is not None and price.currency is None:
            return _("{price}, no currency", price=price)
        return str(price)

    def _line(self, name: str) -> QLineEdit:
        line = lay.named(QLineEdit(self), name)
        line.setMinimumWidth(10 * GRID)
        line.returnPressed.connect(self._on_return)
        return line

    def _on_return(self) -> None:
        (self.apply_button if self.apply_button.isEnabled() else self.add_button).click()

    def _lay_out(self) -> None:
        grid = lay.grid(of=self, gap=(GRID, GRID // 4))
        self._amount_label = QLabel(_("Disk size"), self)
        labels = (_("Step"), _("At"), "", _("When"), _("Fill level or month"), _("Price a disk"))
        fields: tuple[QWidget, ...] = (self.kind, self.top, self.amount, self.when, self.moment, self.price)
        for number, (text, widget) in enumerate(zip(labels, fields, strict=True)):
            label = QLabel(text, self) if text else self._amount_label
            row, column = 3 * (number // _FIELDS_A_ROW), number % _FIELDS_A_ROW
            label.setBuddy(widget)
            grid.addWidget(label, row, column)
            grid.addWidget(widget, row + 1, column)
            grid.setColumnStretch(column, 1)
        buttons = lay.row((self.problem, 1), self.apply_button, self.add_button)
        self.understood = Understood(self.amount, self._read_amount, self)
        self.moment_understood = Understood(self.moment, self._read_moment, self)
        grid.addWidget(self.understood, 2, 0, 1, _FIELDS_A_ROW)
        grid.addWidget(self.moment_understood, 5, 0, 1, _FIELDS_A_ROW - 1)
        grid.addWidget(Understood(self.price, self._read_price, self), 5, _FIELDS_A_ROW - 1)
        grid.addLayout(buttons, 6, 0, 1, _FIELDS_A_ROW)


def _percent(text: str) -> int:
    try:
        value = int(text.rstrip("% "))
    except ValueError:
        value = 0
    if not 0 < value <= MOST_PERCENT:
        raise UserError(_("“{text}” is not a fill level", text=text), todo=_("Write a number such as 80."))
    return value


def _month(text: str) -> str:
    try:
        date.fromisoformat(f"{text}-01" if len(text) == len("2028-03") else text)
    except ValueError:
        raise UserError(_("“{text}” is not a month", text=text), todo=_("Write 2028-03 or 2028-03-15.")) from None
    return text


# Steps of growth in words of the window.


def kind_title(kind: GrowthKind) -> str:
    return {
        GrowthKind.ADD: _("Add a vdev"),
        GrowthKind.ATTACH: _("Attach a disk"),
        GrowthKind.REPLACE: _("Replace all disks"),
        GrowthKind.EXPAND: _("Expand (online -e)"),
        GrowthKind.DETACH: _("Detach a disk"),
        GrowthKind.REMOVE: _("Remove a vdev"),
    }[kind]


def step_title(step: GrowthStep, name: str) -> str:
    """Return a step in a few words; ``name`` is the vdev it is done to, empty where that is not known."""
    size = drive_size(step.size_bytes) if step.size_bytes is not None else ""
    if step.vdev is not None and step.vdev.sizes:
        return _("Add {vdev} × {size}", vdev=describe((step.vdev,)), size=drive_size(min(step.vdev.sizes)))
    texts = {
        GrowthKind.ADD: _("Add a vdev"),
        GrowthKind.ATTACH: _("Attach {size} to {vdev}"),
        GrowthKind.REPLACE: _("Replace {vdev} by {size}"),
        GrowthKind.EXPAND: _("Expand {vdev}"),
        GrowthKind.DETACH: _("Detach a disk of {vdev}"),
        GrowthKind.REMOVE: _("Remove {vdev}"),
    }
    return texts[step.kind].format(size=size, vdev=name or _("the vdev"))


def when_text(step: GrowthStep) -> str:
    if step.at_percent is not None:
        return _("at {percent} %", percent=step.at_percent)
    return step.on or _("at once")


def day_text(day: date | None) -> str:
    return "" if day is None else QLocale().toString(QDate(day.year, day.month, day.day), "MMM yyyy")


def percent_text(value: float | None) -> str:
    return "" if value is None else f"{value:.0f} %"


def datasets_words(space: PoolSpace) -> str:
    """Return that an amount is what the datasets take, and which of them nobody said anything of."""
    if not space.uncounted:
        return _("What the datasets take.")
    return _("What the datasets take, without {names}.", names=", ".join(space.uncounted))


def work_text(stage: Stage) -> str:
    """Return how long a step takes, from hours to days; empty where nothing is copied."""
    if (work := stage.work) is None:
        return ""
    typical, low, high = map(hours_text, (work.typical, work.low, work.high))
    return _("It takes {typical}, between {low} and {high}.", typical=typical, low=low, high=high)
