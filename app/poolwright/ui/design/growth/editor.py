"""The fields with which a step of growth is written: what, to which vdev, how large, when, for how much."""

from dataclasses import replace
from datetime import date

from PySide6.QtCore import QDate, QLocale, Signal, SignalInstance
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QWidget

from poolwright.changes.growth.plan import Stage
from poolwright.domain.errors import PoolwrightError, UserError
from poolwright.domain.growth import MOST_PERCENT, GrowthKind, GrowthStep
from poolwright.domain.money import Money, money_typed, parse_money
from poolwright.domain.rates import drive_read
from poolwright.domain.units import PLAN_FILL_PERCENT, drive_size, drive_text, parse_drive_size
from poolwright.domain.vdev import VdevSpec, describe, parse_spec
from poolwright.predict.number_words import hours_text
from poolwright.predict.space import PoolSpace
from poolwright.texts import either, tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.assumption_form import today_text
from poolwright.ui.parts.lay import Complaint
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.parts.understood import Understood

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
        boxes = (tell("What the step does"), tell("The vdev it is done to"), tell("When the step is begun"))
        lines = (tell("Disk size or new vdev"), tell("Fill level or month"), tell("Price of one disk"))
        self.kind, self.top, self.when = (lay.named(QComboBox(self), name) for name in boxes)
        self.amount, self.moment, self.price = map(self._line, lines)
        for kind in GrowthKind:
            self.kind.addItem(kind_title(kind), kind.value)
        self.when.addItems([tell("at once"), tell("when full to %"), tell("in the month")])
        self.price.setPlaceholderText(tell("unknown"))
        self.problem = Complaint(tell("What is wrong with the step"), self, Tone.WARN)
        self.add_button = lay.button(tell("Add as new step"), self, self._on_add, icon="add")
        self.apply_button = lay.button(tell("Change this step"), self, self._on_apply, icon="ok")
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
                self.top.addItem(tell("{name} of {width}", name=pool.name(number), width=top.width), number)
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
        return parse_money(text, currency=currency, what="price") if text.strip() else None

    def _show_step(self, step: GrowthStep) -> None:
        self.kind.setCurrentIndex(self.kind.findData(step.kind.value))
        if step.vdev is not None:
            self.amount.setText(str(step.vdev))
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
        if kind is GrowthKind.ADD and tops:
            spec = tops[-1].exact
            size = drive_text(min(spec.sizes)).replace(" ", "")
            self.amount.setText(f"{spec.word}:{spec.width}x{size}")
        elif kind in _WITH_SIZE and self.top.currentData() is not None:
            least = min(stage.grown.pool.tops[self.top.currentData()].spec.sizes)
            self.amount.setText(drive_text(least) if kind is GrowthKind.ATTACH else drive_size(2 * least))

    def _on_kind(self) -> None:
        kind = GrowthKind(self.kind.currentData())
        self.top.setEnabled(kind is not GrowthKind.ADD)
        self.amount.setEnabled(kind is GrowthKind.ADD or kind in _WITH_SIZE)
        self.price.setEnabled(self.amount.isEnabled())
        self._amount_label.setText(tell("Vdev") if kind is GrowthKind.ADD else tell("Disk size"))
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
        return tell(
            "{vdev}, each {disk}", vdev=describe((spec,)), disk=either([drive_read(size) for size in sizes[:2]])
        )

    def _read_moment(self, text: str) -> str:
        """Return when the step is begun. Raises UserError."""
        if self.when.currentIndex() == _LEVEL:
            return tell("when {percent} % of USED + AVAIL are used", percent=_percent(text.strip()))
        day = date.fromisoformat(f"{_month(text.strip())}-01"[: len("2028-03-01")])
        return QLocale().toString(QDate(day.year, day.month, day.day), "d MMMM yyyy")

    def _read_price(self, text: str) -> str:
        """Return what one disk costs. Raises UserError."""
        price = self._price(text)
        if price is not None and price.currency is None:
            return tell("{price}, no currency", price=price)
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
        self._amount_label = QLabel(tell("Disk size"), self)
        labels = (tell("Step"), tell("At"), "", tell("When"), tell("Fill level or month"), tell("Price a disk"))
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
        raise UserError(tell("“{text}” is not a fill level", text=text), todo=tell("Write a number such as 80."))
    return value


def _month(text: str) -> str:
    try:
        date.fromisoformat(f"{text}-01" if len(text) == len("2028-03") else text)
    except ValueError:
        raise UserError(tell("“{text}” is not a month", text=text), todo=tell("Write 2028-03 or 2028-03-15.")) from None
    return text


# Steps of growth in words of the window.


def kind_title(kind: GrowthKind) -> str:
    return {
        GrowthKind.ADD: tell("Add a vdev"),
        GrowthKind.ATTACH: tell("Attach a disk"),
        GrowthKind.REPLACE: tell("Replace all disks"),
        GrowthKind.EXPAND: tell("Expand (online -e)"),
        GrowthKind.DETACH: tell("Detach a disk"),
        GrowthKind.REMOVE: tell("Remove a vdev"),
    }[kind]


def step_title(step: GrowthStep, name: str) -> str:
    """Return a step in a few words; ``name`` is the vdev it is done to, empty where that is not known."""
    size = drive_size(step.size_bytes) if step.size_bytes is not None else ""
    if step.kind is GrowthKind.ADD:
        return tell("Add {vdev}", vdev=_spec_words(step.vdev))
    texts = {
        GrowthKind.ATTACH: tell("Attach {size} to {vdev}"),
        GrowthKind.REPLACE: tell("Replace {vdev} by {size}"),
        GrowthKind.EXPAND: tell("Expand {vdev}"),
        GrowthKind.DETACH: tell("Detach a disk of {vdev}"),
        GrowthKind.REMOVE: tell("Remove {vdev}"),
    }
    return texts[step.kind].format(size=size, vdev=name or tell("the vdev"))


def when_text(step: GrowthStep) -> str:
    if step.at_percent is not None:
        return tell("at {percent} %", percent=step.at_percent)
    if step.on is not None:
        return step.on
    return tell("at once")


def day_text(day: date | None) -> str:
    return "" if day is None else QLocale().toString(QDate(day.year, day.month, day.day), "MMM yyyy")


def percent_text(value: float | None) -> str:
    return "" if value is None else f"{value:.0f} %"


def datasets_words(space: PoolSpace) -> str:
    """Return that an amount is what the datasets take, and which of them nobody said anything of."""
    if not space.uncounted:
        return tell("What the datasets take.")
    return tell("What the datasets take, without {names}.", names=", ".join(space.uncounted))


def work_text(stage: Stage) -> str:
    """Return how long a step takes, from hours to days; empty where nothing is copied."""
    work = stage.work
    if work is None:
        return ""
    text = tell("It takes {typical}, between {low} and {high}.")
    return text.format(typical=hours_text(work.typical), low=hours_text(work.low), high=hours_text(work.high))


def _spec_words(spec: VdevSpec | None) -> str:
    if spec is None or not spec.sizes:
        return tell("a vdev")
    return tell("{vdev} × {size}", vdev=describe((spec,)), size=drive_size(min(spec.sizes)))
