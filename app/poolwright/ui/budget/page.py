"""The budget page: what a design must keep to, and which of these wishes cannot be met at all."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from poolwright.design.amounts import parse_count, parse_hours, parse_risk, risk_text, size_text
from poolwright.design.floors import allowance_sentence, allowance_title
from poolwright.design.groups import sizes_beside
from poolwright.design.wishes import WishLine, fastest, judge_wishes, most_usable_bytes, usable_disks
from poolwright.domain.currency import parse_currency
from poolwright.domain.disk import Disk
from poolwright.domain.host import Host
from poolwright.domain.money import Money
from poolwright.domain.money_text import money_typed, parse_money
from poolwright.domain.pool_settings import IMPORT_TARGETS
from poolwright.domain.rates import chance_read, hours_read, parse_disk_rate, rate_read, size_read
from poolwright.domain.units import binary, parse_capacity, parse_memory
from poolwright.domain.workload import Allowance, Budget
from poolwright.predict.drives import ASSUMED_FLOOR
from poolwright.texts import tell, tell_counted
from poolwright.ui.budget.room_bars import RoomBar, RoomBars, RoomBeside
from poolwright.ui.parts import lay
from poolwright.ui.parts.assumption_form import today_text
from poolwright.ui.parts.card import Card
from poolwright.ui.parts.form import FactEntry, Field, Form, Remark, Typed, short
from poolwright.ui.parts.lay import Heading, SmallHeading, ToneLabel
from poolwright.ui.parts.note_lines import Line, NoteLines
from poolwright.ui.parts.page import Page
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.state.money_of_budget import currency_remark, reckoned
from poolwright.ui.state.session import Session

_LONGEST_CURRENCY = 8
_TONES = {True: Tone.NOTE, False: Tone.BLOCK, None: Tone.UNKNOWN}


class BudgetPage(Page):
    width_limit: ClassVar[int | None] = 1400

    def title(self) -> str:
        return tell("Budget")

    def sentence(self) -> str:
        return tell("Say what the design must keep to. Every field is optional: what is left empty sets no limit.")

    def missing(self) -> str:
        """Return which fields cannot be read, or that a wish is impossible."""
        if wrong := self._form.unread():
            return tell("Not understood, so no limit: {what}.", what=", ".join(wrong))
        if any(line.possible is False for line in self._judged()):
            return tell("No layout can meet these wishes.")
        return ""

    def build(self) -> None:
        """Make the form and the answer below it."""
        self._disks = self.session.inventory  # with others, what was typed and not understood belongs to other work
        self._form = self._make_form()
        self.body.addWidget(self._form)
        self._unnamed = UnnamedPricesRow(self.session, self)
        self.body.addWidget(self._unnamed)
        self._allowed = AllowanceBoxes(self)
        self._allowed.changed.connect(self._on_allowed)
        self.body.addWidget(self._allowed)
        self.body.addWidget(self._make_answer())
        self.body.addStretch(1)

    def refresh(self) -> None:
        budget = self.session.budget
        from_host = self.session.inventory is not None and self.session.inventory.host.ram_bytes is not None
        self._form.show_values(budget, self._remark, but="ram_bytes" if from_host else "")
        self._show_ram(budget)
        self._currency.show_value(budget.currency, currency_remark(budget, self._prices()), self._other_currency())
        self._allowed.show_allowed(budget.allow)
        self._beside.show_reserve(budget.reserve)
        if self.session.inventory is not self._disks:
            self._disks = self.session.inventory
            self._form.show_unread(self.session.work.unread_in("budget"))
        self._unnamed.refresh()
        self._show_answer(budget)

    def _make_form(self) -> Form:
        form = Form(self)
        form.add(*wishes_of_the_pool(), *wishes_of_the_machine())
        self._beside = RoomBeside(form)
        self._beside.changed.connect(self._on_reserved)
        form.add(*wishes_of_money(self._currency_typed))
        self._currency = FactEntry(tell("Currency"), Typed(parse_currency), form)
        self._currency.setMaxLength(_LONGEST_CURRENCY)
        self._currency.value_changed.connect(self._on_currency)
        form.add_row(tell("Currency"), self._currency)
        form.add(*wishes_of_the_host())
        form.edited.connect(self._on_edited)
        return form

    def _make_answer(self) -> QWidget:
        card = Card(self)
        card.body.addWidget(Heading(tell("What this means"), card))
        self._answer = NoteLines(tell("What these wishes mean"), card, most=6)
        card.body.addWidget(self._answer)
        self._bound_text = ToneLabel(
            tell("What the ticked disks can hold at most, by the failures to survive"), Tone.MUTED, card, small=True
        )
        card.body.addSpacing(GRID)
        card.body.addWidget(self._bound_text)
        self._bars = RoomBars(tell("Most that the disks can hold"), card)
        card.body.addWidget(self._bars)
        return card

    def _show_ram(self, budget: Budget) -> None:
        entry = self._form.editor("ram_bytes")
        host = self.session.inventory.host if self.session.inventory is not None else Host()
        if not isinstance(entry, FactEntry) or host.ram_bytes is None:
            return
        read = binary(host.ram_bytes)
        origin = next((str(o) for field, o in host.origins if field == "ram_bytes"), tell("the machine"))
        if budget.ram_bytes is None or budget.ram_bytes == host.ram_bytes:
            text = tell("{ram} as read from {origin}. Type another amount to plan with that.", ram=read, origin=origin)
        else:
            text = tell("The machine has {ram} ({origin}).", ram=read, origin=origin)
        untouched = budget.ram_bytes is None and not entry.hasFocus() and not entry.error
        shown = host.ram_bytes if untouched else budget.ram_bytes
        entry.show_value(shown, Remark(text=text), read)

    def _survive_help(self, survive: int | None) -> str:
        if survive is None:
            return tell("Disks that may fail at once. No wish: the goal decides; of two or three disks one is enough.")
        if survive == 0:
            return tell("No layout is refused for want of redundancy; the goal still counts it.")
        kinds = {1: tell("mirrors, raidz1"), 2: tell("mirrors of 3, raidz2"), 3: tell("mirrors of 4, raidz3")}
        return tell("Whichever disks they are: {kinds} or more.", kinds=kinds.get(survive, ""))

    def _import_help(self, key: str | None) -> str:
        target = next((target for target in IMPORT_TARGETS if target.key == key), None)
        if target is None:
            return tell(
                "Another system that must import the pool or boot from it. With none, every feature is switched on."
            )
        return tell("{why} Sets compatibility; a feature in use cannot be switched off later.", why=tell(target.why))

    def _sizes(self) -> list[int]:
        inventory, ticked = self.session.inventory, self.session.ticked
        disks = [disk for disk in (inventory.disks if inventory else ()) if disk.key in ticked]
        return sizes_beside(disks, self.session.budget.reserve, self.session.version)

    def _judged(self) -> tuple[WishLine, ...]:
        """Return what the wishes mean for the ticked disks."""
        session = self.session
        budget, bound = session.budget, None
        if budget.least_read_bytes_per_second is not None or budget.least_write_bytes_per_second is not None:
            inventory = session.inventory
            disks = [d for d in (inventory.disks if inventory else ()) if d.key in session.ticked]
            bound = fastest(disks, budget, session.workload, inventory.host if inventory else Host())
        return judge_wishes(budget, self._sizes(), bound)

    def _show_answer(self, budget: Budget) -> None:
        sizes = self._sizes()
        lines = self._judged()
        self._answer.show_lines([Line(text=line.text, tone=_TONES[line.possible]) for line in lines])
        bars = []
        disks, spares = usable_disks(budget, len(sizes)), budget.spares or 0
        for survive in range(MOST_SURVIVED + 1):
            bound = most_usable_bytes(sizes, disks=disks, spares=spares, survive=survive)
            name = tell_counted("{count} failure", "{count} failures", survive)
            bars.append(RoomBar(name=name, size_bytes=bound, chosen=survive == budget.survive))
        self._bound_text.setVisible(bool(sizes))
        self._bars.show_bars(bars if sizes else [], budget.least_usable_bytes)

    def _on_edited(self, key: str, value: object) -> None:
        changes = {key: value}
        if key == "price_per_disk":
            changes["price_on"] = "" if value is None else today_text()
        self.session.set_budget(replace(self.session.budget, **changes))  # type: ignore[arg-type]
        self.session.note_unreadable("budget", self._form.unread())
        self.show_missing()

    def _on_allowed(self, allowed: object) -> None:
        assert isinstance(allowed, tuple)
        self.session.set_budget(replace(self.session.budget, allow=allowed))

    def _on_reserved(self, reserve: object) -> None:
        assert isinstance(reserve, tuple)
        self.session.set_budget(replace(self.session.budget, reserve=reserve))
        self.session.note_unreadable("budget", self._form.unread())
        self.show_missing()

    def _on_currency(self, code: object) -> None:
        currency = code if isinstance(code, str) else None
        if not self._currency.error:
            self.session.preferences.currency = currency
        self.session.set_budget(reckoned(self.session.budget, currency))

    def _currency_typed(self) -> str | None:
        return self.session.currency

    def _other_currency(self) -> str:
        """Return what holds while no currency is chosen: that of the amounts."""
        return self.session.budget.reckoned_in or tell("none")

    def _prices(self) -> list[Money | None]:
        inventory = self.session.inventory
        return [d.price for d in (inventory.disks if inventory else ()) if d.key in self.session.ticked]

    def _remark(self, wish: Field, value: Any) -> Remark:
        if wish.key == "survive":
            return Remark(text=self._survive_help(value))
        if wish.key == "import_on":
            return Remark(text=self._import_help(value))
        if not isinstance(value, Money):
            return Remark(text=wish.help)
        if value.currency is None:
            text = tell("{amount} in no currency yet: choose it below. {help}")
            return Remark(text=text.format(amount=value, help=wish.help), tone=Tone.WARN)
        said = self.session.budget.price_on if wish.key == "price_per_disk" else ""
        return Remark(text=f"{value}{f', {said}' if said else ''}. {wish.help}")


# The wishes of the budget page: name, how to read and write each, and what it means.

MOST_SURVIVED = 3


def wishes_of_the_pool() -> tuple[Field, ...]:
    """Return the fields for what the pool is to hold, to survive and to bear."""
    no_limit, least = tell("no limit"), 100 * ASSUMED_FLOOR
    few = [(n, tell("at least {count}", count=n)) for n in range(1, MOST_SURVIVED + 1)]
    losing = tell(
        "Of losing it by whatever cause. 0.01 is 1 in 10,000; no layout reaches less than {least:g}.", least=least
    )
    return (
        Field(
            "least_usable_bytes",
            tell("Least usable capacity"),
            Typed(parse_capacity, size_text, size_read),
            tell("With its unit: 100 TiB counts in 1024s, 100 TB in 1000s as drive makers do."),
            no_limit,
        ),
        Field("survive", tell("Failures to survive"), ((None, tell("no wish")), (0, tell("none needed")), *few)),
        Field(
            "most_yearly_loss", tell("Most yearly risk, %"), Typed(parse_risk, risk_text, chance_read), losing, no_limit
        ),
        Field(
            "most_rebuild_hours",
            tell("Most hours of a rebuild"),
            Typed(parse_hours, short, hours_read),
            tell("Of one disk at 80 % fill. Wide vdevs of large disks take longest."),
            no_limit,
        ),
    )


def wishes_of_the_machine() -> tuple[Field, ...]:
    """Return the fields for speed and the number of disks."""
    no_limit = tell("no limit")
    rate = Typed(_pool_rate, _rate, rate_read)
    return (
        Field(
            "least_read_bytes_per_second",
            tell("Least read rate"),
            rate,
            tell("In sequence, by the pool itself, without the network. Such as 800 MB/s."),
            no_limit,
        ),
        Field(
            "least_write_bytes_per_second",
            tell("Least write rate"),
            rate,
            tell("In sequence. Held against the typical value of the prediction."),
            no_limit,
        ),
        Field(
            "spares",
            tell("Hot spares"),
            Typed(partial(parse_count, what=tell("number of spares")), str, _spares_told),
            tell("They take over when a disk fails. Empty: 0 to 4 are tried, of many disks one for twenty."),
            tell("as it suits"),
        ),
        Field(
            "bays",
            tell("Drive bays"),
            Typed(partial(parse_count, what=tell("number of bays"), least=1), str, _bays_told),
            tell("Slots for disks of any role, spares included."),
            no_limit,
        ),
    )


def wishes_of_money(currency: Callable[[], str | None]) -> tuple[Field, ...]:
    """Return the fields for sums and prices; ``currency`` tells that of amounts typed without one."""

    def money(text: str) -> Money:
        return parse_money(text, currency=currency())

    def price(text: str) -> Money:
        return parse_money(text, currency=currency(), what=tell("price"), positive=True)

    return (
        Field(
            "money",
            tell("Money"),
            Typed(money, money_typed),
            tell("For all disks together; needs the price of one. Such as 5000 EUR."),
            tell("no limit"),
        ),
        Field(
            "price_per_disk",
            tell("Price of a disk"),
            Typed(price, money_typed),
            tell("Of a disk that has none from the catalogue. Shows what each layout costs."),
            tell("unknown"),
        ),
    )


def wishes_of_the_host() -> tuple[Field, ...]:
    """Return the fields for what the host has, and what else must import the pool."""
    systems = [(target.key, tell(target.title)) for target in IMPORT_TARGETS]
    return (
        Field(
            "ram_bytes",
            tell("RAM"),
            Typed(parse_memory, size_text, size_read),
            tell("For the ARC and for deduplication. Such as 64 GiB."),
            tell("unknown"),
        ),
        Field(
            "ups",
            tell("Uninterruptible power supply"),
            ((None, tell("unknown")), (True, tell("yes")), (False, tell("no"))),
            tell("Decides what sync=disabled and a log device may lose."),
        ),
        Field("import_on", tell("Importable on"), ((None, tell("this machine only")), *systems)),
    )


def _pool_rate(text: str) -> int:
    return int(parse_disk_rate(text, what=tell("rate of the pool")))


def _rate(bytes_per_second: int) -> str:
    return f"{size_text(bytes_per_second)}/s"


def _spares_told(count: int) -> str:
    if count == 0:
        return tell("no disk is kept ready")
    return tell_counted("{count} disk is kept ready", "{count} disks are kept ready", count)


def _bays_told(count: int) -> str:
    return tell_counted("room for {count} disk in all", "room for {count} disks in all", count)


# Asks for the currency of prices that came without one, from designs that are older than the question.


class UnnamedPricesRow(Form):
    """A row with the field; hidden where every price of a disk has its currency."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        name = tell("Prices of disks are in")
        self.entry = FactEntry(name, Typed(parse_currency), self)
        self.entry.value_changed.connect(self._on_currency)
        self.add_row(name, self.entry)
        self.hide()

    def refresh(self) -> None:
        inventory = self._session.inventory
        count = sum(_unnamed(disk) for disk in (inventory.disks if inventory is not None else ()))
        text = tell("Disks with a price whose currency nobody noted: {count}. It is not taken for yours.")
        self.entry.show_value(None, Remark(text=text.format(count=count), tone=Tone.WARN), tell("not said"))
        self.setVisible(count > 0)

    def _on_currency(self, currency: object) -> None:
        inventory, design = self._session.inventory, self._session.design
        if not isinstance(currency, str) or inventory is None:
            return
        ticked = self._session.ticked
        if design is not None:
            named = replace(design, disks=tuple(_named(disk, currency) for disk in design.disks))
            self._session.change_design(named, tell("Name the currency of prices"))
        disks = tuple(_named(disk, currency) for disk in inventory.disks)
        self._session.set_inventory(replace(inventory, disks=disks), ticked)


def _unnamed(disk: Disk) -> bool:
    return disk.price is not None and disk.price.currency is None


def _named(disk: Disk, currency: str) -> Disk:
    if disk.price is None or disk.price.currency is not None:
        return disk
    return replace(disk, price=replace(disk.price, currency=currency))


# Check boxes for what is recommended only where somebody wishes it, each with its sentence.


class AllowanceBoxes(QWidget):
    """The group “Allow”. ``changed`` sends the allowances that are ticked, in their order."""

    changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tell("Allow"))
        grid = lay.grid(of=self, gap=(2 * GRID, GRID // 2))
        grid.setColumnStretch(1, 1)
        grid.addWidget(SmallHeading(tell("Allow"), self), 0, 0)
        about = tell("A first choice does without these, unless you allow them.")
        grid.addWidget(ToneLabel(about, Tone.MUTED, self, small=True), 0, 1, Qt.AlignmentFlag.AlignBottom)
        self._boxes: dict[Allowance, QCheckBox] = {}
        for row, allowance in enumerate(Allowance, start=1):
            box = QCheckBox(allowance_title(allowance), self)
            sentence = allowance_sentence(allowance)
            box.setAccessibleDescription(sentence)
            box.setToolTip(sentence)
            box.clicked.connect(self._on_clicked)
            self._boxes[allowance] = box
            grid.addWidget(box, row, 0)
            grid.addWidget(ToneLabel(sentence, Tone.MUTED, self, small=True), row, 1)

    def show_allowed(self, allowed: Iterable[Allowance]) -> None:
        ticked = set(allowed)
        for allowance, box in self._boxes.items():
            box.setChecked(allowance in ticked)

    def _on_clicked(self) -> None:
        self.changed.emit(tuple(allowance for allowance, box in self._boxes.items() if box.isChecked()))
