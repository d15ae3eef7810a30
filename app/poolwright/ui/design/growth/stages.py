"""The stages of a growth plan: a table of what zpool list and zfs list will print, each in detail, and a chart."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from PySide6.QtCore import QDate, QLocale, Qt
from PySide6.QtWidgets import QWidget

from poolwright.changes.growth.plan import (
    LARGER_FACTOR,
    GrowthPlan,
    GrowthWay,
    Stage,
    brings_disks,
    disks_bought,
    extended,
)
from poolwright.domain.disk import NoteLevel
from poolwright.domain.errors import PoolwrightError, UserError
from poolwright.domain.growth import MOST_PERCENT, GrowthKind, GrowthStep, parse_day
from poolwright.domain.money import Money, money_typed, parse_money
from poolwright.domain.rates import drive_read, rate_text
from poolwright.domain.units import binary, drive_size, drive_text, drive_word, parse_drive_size
from poolwright.domain.vdev import VdevClass, VdevSpec, describe, parse_spec
from poolwright.emit.difference_script import commands_text
from poolwright.emit.names import comment_line
from poolwright.emit.report import Block, ReportTable, TextTone, Words, code
from poolwright.predict.assessment import Assessment
from poolwright.predict.number_words import hours_text, loss_words, operations_text
from poolwright.texts import _, either, numeral
from poolwright.ui.parts import icons
from poolwright.ui.parts.estimate_line import sentence
from poolwright.ui.parts.form import Field, FormDialog, Remark, Typed
from poolwright.ui.parts.report_view import facts_table
from poolwright.ui.parts.table import TableColumn
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.state.expectations import today_text


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
        own = plan.problem if plan.problem is not None and plan.problem.number == number else None
        problem = "" if stage is not None else own.text if own is not None else _("waits for the step above it")
        rows.append(StageRow(step, stage, name, problem))
    return tuple(rows)


def stage_columns() -> tuple[TableColumn[StageRow], ...]:
    """Return the columns; the pointer on a cell tells why a step is not possible, else exact bytes."""
    return (
        TableColumn(title=_("When"), text=_when, tip=lambda row: row.problem),
        TableColumn(title=_("Step"), text=_title, tip=lambda row: row.problem, look=_look),
        _number(_("AVAIL"), lambda stage: binary(stage.most_avail_bytes), lambda stage: stage.most_avail_bytes),
        _number(_("Full"), lambda stage: percent_text(stage.fill_after), lambda stage: stage.used_bytes),
        _number(_("Survives"), lambda stage: str(stage.failures_survived)),
        _number(_("80 % full on"), lambda stage: day_text(stage.full_on)),
        _number(_("Price"), lambda stage: str(stage.price or "")),
    )


def way_columns() -> tuple[TableColumn[GrowthWay], ...]:
    """Return the columns of what could be done next: what it gives, then what it costs."""

    def gives(way: GrowthWay) -> str:
        if not way.stages:
            return _("not possible")
        return f"+{binary(way.gain_bytes)}" if way.gain_bytes is not None else _("unknown")

    def look(way: GrowthWay, role: int) -> object:
        blocked = role == Qt.ItemDataRole.DecorationRole and not way.stages
        return icons.icon("block", Tone.BLOCK) if blocked else None

    def end(text: Callable[[Stage], str]) -> Callable[[GrowthWay], str]:
        return lambda way: text(way.stages[-1]) if way.stages else ""

    columns: tuple[tuple[str, Callable[[GrowthWay], str]], ...] = (
        (_("Gives"), gives),
        (_("New disks"), lambda way: str(sum(len(stage.disks) for stage in way.stages) or "")),
        (_("Price"), lambda way: str(way.price or "")),
        (_("Time"), lambda way: hours_text(way.hours) if way.hours else ""),
        (_("80 % full on"), end(lambda stage: day_text(stage.full_on))),
    )
    return (
        TableColumn(title=_("Ways to grow"), text=way_title, look=look),
        *(TableColumn(title=title, text=text, number=True) for title, text in columns),
    )


def _number(
    title: str, text: Callable[[Stage], str], exact: Callable[[Stage], int | None] = lambda _stage: None
) -> TableColumn[StageRow]:
    def tip(row: StageRow) -> str:
        size = None if row.stage is None else exact(row.stage)
        return row.problem or ("" if size is None else _("{size} bytes", size=numeral(size)))

    return TableColumn(
        title=title, number=True,
        text=lambda row: "" if row.stage is None else text(row.stage),
        tip=tip,
    )  # fmt: skip


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
    if row.stage.begins is None and row.step.at_percent is not None:
        return _("at {percent} %", percent=row.step.at_percent)
    return day_text(row.stage.begins) or row.step.on or _("at once")


# Steps of a growth plan: what to know of them, what is expected after them, and their commands to copy.


def row_blocks(plan: GrowthPlan, row: StageRow, predicted: Assessment | None) -> Iterator[Block]:
    if row.stage is None:
        yield Words(row.problem, TextTone.BLOCK)
        return
    number = next(n for n, known in enumerate(plan.stages) if known is row.stage)
    yield from _blocks(plan, _title(row), (number,), predicted)


def way_blocks(way: GrowthWay, predicted: Assessment | None) -> Iterator[Block]:
    if way.plan.problem is not None:
        yield Words(way.plan.problem.text, TextTone.BLOCK)
        return
    count = len(way.plan.stages)
    yield from _blocks(way.plan, way_title(way), range(count - len(way.steps), count), predicted)


def plan_text(plan: GrowthPlan, rows: Sequence[StageRow]) -> str:
    """Return the commands of all planned steps, each below its name; empty where there are none."""
    there = (row for row in rows if row.step and row.stage)
    steps = ((f"{_when(row)}: {_title(row)}", *_commands(plan, number)) for number, row in enumerate(there, 1))
    parts = ((comment_line(title), *(texts or [comment_line(why)]), "") for title, texts, why in steps)
    return "\n".join(line for part in parts for line in part)


def _blocks(plan: GrowthPlan, title: str, numbers: Sequence[int], predicted: Assessment | None) -> Iterator[Block]:
    stages = [plan.stages[number] for number in numbers]
    results = [_commands(plan, number) for number in numbers]
    commands, why_none = [text for texts, __ in results for text in texts], results[0][1]
    freed, known = stages[-1].rewrite_gain_bytes, stages[-1].usable_bytes is not None
    yield Words(title, strong=True)
    yield Words(_summary(stages[-1]) if len(stages) == 1 else "")
    for note in dict.fromkeys(note for stage in stages for note in stage.notes):
        yield Words(note.text, TextTone.WARN if note.level is NoteLevel.WARN else TextTone.MUTED)
    others = (
        _("Rewriting all old data would free {size} of USED.", size=binary(freed)) if freed else "",
        *(sentence(str(bought)) for stage in stages if stage.step and known for bought in disks_bought(stage)),
        _("Run these one by one; < > stands for a disk that is still to be bought.") if commands else why_none,
    )
    if predicted is not None:
        yield _expected(predicted)
    for text in others:
        yield Words(text, TextTone.MUTED)
    yield from code(commands)


def _expected(predicted: Assessment) -> ReportTable:
    speed, rebuild, risk = predicted.speed, predicted.rebuild, predicted.risk
    facts = (
        (_("Sequential read"), rate_text(speed.seq_read.typical)),
        (_("Sequential write"), rate_text(speed.seq_write.typical)),
        (_("Random reads"), operations_text(speed.rand_read_iops.typical)),
        (_("Loss"), loss_words(risk.probability, risk.disk_probability)),
        (_("Resilver"), _("impossible") if rebuild is None else hours_text(rebuild.typical)),
    )
    return facts_table(facts)


def _commands(plan: GrowthPlan, number: int) -> tuple[Sequence[str], str]:
    """Return the commands of a stage, each below its reason, else why there are none."""
    if not number:
        return (), "" if plan.stages[0].grown.origin.exists else _("The script makes the new pool.")
    try:
        return commands_text(plan, number), plan.stages[number].refusal
    except PoolwrightError as error:
        return (), error.text


def _summary(stage: Stage) -> str:
    parts = [describe(stage.capacity.layout) + "."]
    if stage.step is not None:
        parts.append(work_text(stage))
    if stage.usable_bytes is not None:
        size, plan = binary(stage.usable_bytes), binary(stage.capacity.plan_bytes)
        parts.append(_("{size} usable, of which {plan} up to 80 %.", size=size, plan=plan))
    if stage.charged_percent < 99.5:
        n = f"{stage.charged_percent:.0f}"
        parts.append(_("zfs list counts new data at {n} % of its size: there is more space than AVAIL shows.", n=n))
    return " ".join(part for part in parts if part)


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


def way_title(way: GrowthWay) -> str:
    pool, step = way.plan.stages[0].grown.pool, way.steps[0]
    if len(way.steps) > 1:
        return _("Replace all disks with {size} disks", size=_disk_size(step, way.plan.stages[0]))
    return step_title(step, "" if step.top is None else pool.name(step.top), way.plan.stages[0])


def step_title(step: GrowthStep, name: str, pool: Stage | None = None) -> str:
    """Return a step in a few words; ``name`` is the vdev it is done to, empty where that is not known.

    Where the sizes of the disks of ``pool`` are unknown, so is that of a step which nobody typed.
    """
    size = _disk_size(step, pool)
    if step.vdev is not None:
        vdev = describe((step.vdev,))
        return _("Add a vdev: {vdev} × {size}", vdev=vdev, size=size) if size else _("Add a vdev: {vdev}", vdev=vdev)
    texts = {
        GrowthKind.ADD: _("Add a vdev"),
        GrowthKind.ATTACH: _("Expand {vdev} by a {size} disk") if "raidz" in name else _("Attach {size} to {vdev}"),
        GrowthKind.REPLACE: _("Replace {vdev} with {size} disks"),
        GrowthKind.EXPAND: _("Expand {vdev}"),
        GrowthKind.DETACH: _("Detach a disk of {vdev}"),
        GrowthKind.REMOVE: _("Remove {vdev}"),
    }
    return texts[step.kind].format(size=size or "?", vdev=name or _("the vdev"))


def _disk_size(step: GrowthStep, pool: Stage | None) -> str:
    if pool is not None and pool.usable_bytes is None:
        return _("larger") if step.kind is GrowthKind.REPLACE else ""
    return drive_size(min(step.vdev.sizes) if step.vdev is not None and step.vdev.sizes else step.size_bytes)


def day_text(day: date | None) -> str:
    return "" if day is None else QLocale().toString(QDate(day.year, day.month, day.day), "MMM yyyy")


def percent_text(value: float | None) -> str:
    return "" if value is None else f"{value:.0f} %"


def work_text(stage: Stage) -> str:
    """Return how long a step takes, from hours to days; empty where nothing is copied."""
    if (work := stage.work) is None:
        return ""
    typical, low, high = map(hours_text, (work.typical, work.low, work.high))
    return _("It takes {typical}, between {low} and {high}.", typical=typical, low=low, high=high)


# The dialog in which a step of growth is written: what, to which vdev, how large, when, for how much.

_SIZED = (GrowthKind.ADD, GrowthKind.ATTACH, GrowthKind.REPLACE)
_WIDTH = 28 * GRID


class StepDialog(FormDialog):
    """Shows ``step``, which would follow on ``plan``, and what comes of it while it is changed.

    Of a ``fresh`` one nobody has typed anything yet.
    """

    def __init__(self, plan: GrowthPlan, step: GrowthStep, parent: QWidget, *, fresh: bool = False) -> None:
        super().__init__(_("Step of growth"), parent)
        self._plan, self._before = plan, step
        self._stage = plan.stages[-1]
        pool = self._stage.grown.pool
        tops = [(n, pool.name(n)) for n, top in enumerate(pool.tops) if not top.removed]
        moment = Typed(_moment, lambda when: f"{when} %" if isinstance(when, int) else when, _moment_text)
        self.show_fields(
            Field("kind", _("Step"), tuple((kind, kind_title(kind)) for kind in GrowthKind), width=_WIDTH),
            Field("top", _("Vdev"), tops, width=_WIDTH),
            Field("amount", _("Disks"), Typed(self._amount, _written, _amount_text), width=_WIDTH),
            Field("when", _("When"), moment, width=_WIDTH),
            Field(
                "price", _("Price of a disk"), Typed(self._price, money_typed, str), empty=_("unknown"), width=_WIDTH
            ),
        )
        self.form.edited.connect(self._on_edited)
        when = step.at_percent if step.at_percent is not None else step.on
        amount = None if fresh and self._stage.usable_bytes is None else step.vdev or step.size_bytes
        self._show(kind=step.kind, top=step.top, amount=amount, when=when, price=step.price_per_disk)

    def value(self) -> GrowthStep:
        kind, amount, when = (self.form.value(name) for name in ("kind", "amount", "when"))
        before, price = self._before, self.form.value("price")
        kept = before.price_per_disk == price  # is still of the day on which it was typed
        alike = before.kind is kind
        return GrowthStep(
            kind=kind,
            vdev=amount if isinstance(amount, VdevSpec) else None,
            size_bytes=amount if isinstance(amount, int) else None,
            top=None if kind is GrowthKind.ADD else self.form.value("top"),
            at_percent=when if isinstance(when, int) else None,
            on=when if isinstance(when, str) else None,
            price_per_disk=price,
            price_on="" if price is None else before.price_on if kept else today_text(),
            disk_keys=before.disk_keys if alike else (),
            note=before.note if alike else "",
        )

    def outcome(self) -> tuple[str, bool]:
        step = self.value()
        if step.kind in _SIZED and not brings_disks(step):
            return _("Write the disks as in raidz2:8x6TB for a vdev, 6TB for a disk."), False
        plan = extended(self._plan, step)
        if plan.problem is not None:
            return plan.problem.text, False
        gain, last = GrowthWay(steps=(step,), plan=plan).gain_bytes, plan.stages[-1]
        if gain is None:
            return _("Disk sizes are not known."), True
        text = _("{gain} more: {size} usable.", gain=binary(gain), size=binary(last.usable_bytes))
        return f"{text} {work_text(last)}".rstrip(), True

    def _show(self, **values: object) -> None:
        for key, value in values.items():
            empty = {"when": _("at once"), "price": _("unknown")}.get(key, "")
            self.form.editor(key).show_value(value, Remark(text=""), empty)
        kind = self.form.value("kind")
        self.form.editor("top").setEnabled(kind is not GrowthKind.ADD)
        for key in ("amount", "price"):
            self.form.editor(key).setEnabled(kind in _SIZED)
        self.tell()

    def _on_edited(self, key: str, _value: object) -> None:
        if key in ("kind", "top"):
            self._show(amount=self._usual())

    def _usual(self) -> VdevSpec | int | None:
        """Return what is most likely meant: a vdev like the last, a disk like those of the vdev, one twice as large."""
        kind: GrowthKind = self.form.value("kind")
        tops = self._stage.grown.pool.tops
        if self._stage.usable_bytes is None or kind not in _SIZED:
            return None
        if kind is GrowthKind.ADD:
            data = [t for t in tops if not t.removed and t.spec.vdev_class is VdevClass.DATA]
            return data[-1].exact if data else None
        top: int = self.form.value("top")
        least = min(tops[top].spec.sizes)
        return least if kind is GrowthKind.ATTACH else LARGER_FACTOR * least

    def _amount(self, text: str) -> VdevSpec | int:
        return parse_spec(text) if self.form.value("kind") is GrowthKind.ADD else parse_drive_size(text)

    def _price(self, text: str) -> Money:
        return parse_money(text, currency=self._stage.grown.origin.budget.reckoned_in)


def _written(amount: VdevSpec | int) -> str:
    return amount.written(drive_word) if isinstance(amount, VdevSpec) else drive_text(amount)


def _amount_text(amount: VdevSpec | int) -> str:
    if isinstance(amount, int):
        return drive_read(amount)
    sizes = sorted(set(amount.sizes))
    return _("{vdev}, each {disk}", vdev=describe((amount,)), disk=either([drive_read(size) for size in sizes[:2]]))


def _moment(text: str) -> int | str:
    """Return a fill level in per cent, or a day. Raises UserError."""
    text = text.strip()
    level = text.rstrip("% ")
    if level.isdecimal() and 0 < int(level) <= MOST_PERCENT:
        return int(level)
    if parse_day(text) is None:
        raise UserError(_("“{text}” is neither a fill level nor a month", text=text), todo=_("Write 80 % or 2028-03."))
    return text


def _moment_text(when: int | str) -> str:
    if isinstance(when, int):
        return _("when {percent} % of USED + AVAIL are used", percent=when)
    day = parse_day(when)
    return "" if day is None else QLocale().toString(QDate(day.year, day.month, day.day), "d MMMM yyyy")
