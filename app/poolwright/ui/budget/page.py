"""The budget page: what a design must keep to, and which of these wishes cannot be met at all."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from poolwright.design.amounts import parse_count, parse_hours, parse_risk, risk_text, size_text
from poolwright.design.floors import allowance_sentence, allowance_title
from poolwright.design.groups import sizes_beside
from poolwright.design.wishes import WishLine, fastest, judge_wishes
from poolwright.domain.disk import Disk
from poolwright.domain.host import Host
from poolwright.domain.money import Money, money_typed, parse_currency, parse_money
from poolwright.domain.pool_settings import IMPORT_TARGETS
from poolwright.domain.rates import chance_read, hours_read, parse_disk_rate, rate_read, size_read
from poolwright.domain.reserve import ReservedPartition, parse_reserves
from poolwright.domain.units import binary, parse_capacity, parse_memory
from poolwright.domain.workload import Allowance, Budget
from poolwright.predict.drives import ASSUMED_FLOOR
from poolwright.texts import _, listed
from poolwright.ui.parts import lay
from poolwright.ui.parts.assumption_form import USUAL_RESERVES, today_text, usual_partitions
from poolwright.ui.parts.card import Card
from poolwright.ui.parts.form import FactChoice, FactEntry, Field, Form, Remark, Typed, short
from poolwright.ui.parts.lay import Heading, SmallHeading, ToneLabel
from poolwright.ui.parts.note_lines import Line, NoteLines
from poolwright.ui.parts.page import Page
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.state.money_of_budget import currency_remark, reckoned
from poolwright.ui.state.session import Session

_LONGEST_CURRENCY, _LONGEST_RESERVE = 8, 200
_MOST_SURVIVED = 3
_TONES = {True: Tone.NOTE, False: Tone.BLOCK, None: Tone.UNKNOWN}


class BudgetPage(Page):
    width_limit: ClassVar[int | None] = 1400

    def title(self) -> str:
        return _("Budget")

    def sentence(self) -> str:
        return _("Say what the design must keep to. What is left empty sets no limit.")

    def missing(self) -> str:
        """Return which fields cannot be read, or that a wish is impossible."""
        if wrong := self._form.unread():
            return _("Not understood, so no limit: {what}.", what=", ".join(wrong))
        if any(line.possible is False for line in self._judged()):
            return _("No layout can meet these wishes.")
        return ""

    def build(self) -> None:
        self._inventory = self.session.inventory  # with another, what was not understood belongs to other work
        self._form = self._make_form()
        self._unnamed = UnnamedPricesRow(self.session, self)
        self._allowed = AllowanceBoxes(self)
        self._allowed.changed.connect(self._on_allowed)
        card = Card(self)
        self._answer = NoteLines(_("What these wishes mean"), card, most=6)
        for widget in (Heading(_("What this means"), card), self._answer):
            card.body.addWidget(widget)
        for part in (self._form, self._unnamed, self._allowed, card):
            self.body.addWidget(part)
        self.body.addStretch(1)

    def refresh(self) -> None:
        budget, inventory = self.session.budget, self.session.inventory
        from_host = self._host().ram_bytes is not None
        self._form.show_values(budget, self._remark, but="ram_bytes" if from_host else "")
        if from_host:
            self._show_ram(budget)
        other = budget.reckoned_in or _("none")
        self._currency.show_value(budget.currency, currency_remark(budget, [d.price for d in self._disks()]), other)
        self._allowed.show_allowed(budget.allow)
        self._beside.show_reserve(budget.reserve)
        if inventory is not self._inventory:
            self._inventory = inventory
            self._form.show_unread(self.session.work.unread_in("budget"))
        self._unnamed.refresh()
        self._answer.show_lines([Line(text=line.text, tone=_TONES[line.possible]) for line in self._judged()])

    def _make_form(self) -> Form:
        form = Form(self)
        form.add(*_of_the_pool())
        self._beside = RoomBeside(form)
        self._beside.changed.connect(self._on_reserved)
        form.add(*_of_money(self._currency_typed))
        self._currency = FactEntry(_("Currency"), Typed(parse_currency), form)
        self._currency.setMaxLength(_LONGEST_CURRENCY)
        self._currency.value_changed.connect(self._on_currency)
        form.add_row(_("Currency"), self._currency)
        form.add(*_of_the_host())
        form.edited.connect(self._on_edited)
        return form

    def _host(self) -> Host:
        return self.session.inventory.host if self.session.inventory is not None else Host()

    def _disks(self) -> list[Disk]:
        inventory = self.session.inventory
        return [disk for disk in (inventory.disks if inventory else ()) if disk.key in self.session.ticked]

    def _show_ram(self, budget: Budget) -> None:
        """Show what the machine has until another amount is typed."""
        entry, host = self._form.editor("ram_bytes"), self._host()
        assert isinstance(entry, FactEntry)
        read = binary(host.ram_bytes)
        origin = next((str(o) for field, o in host.origins if field == "ram_bytes"), _("the machine"))
        untouched = budget.ram_bytes is None and not entry.hasFocus() and not entry.error
        shown = host.ram_bytes if untouched else budget.ram_bytes
        text = _("The machine has {ram} ({origin}).", ram=read, origin=origin)
        entry.show_value(shown, Remark(text=text), read)

    def _judged(self) -> tuple[WishLine, ...]:
        session, disks = self.session, self._disks()
        budget, bound = session.budget, None
        if budget.least_read_bytes_per_second is not None or budget.least_write_bytes_per_second is not None:
            bound = fastest(disks, budget, session.workload, self._host())
        return judge_wishes(budget, sizes_beside(disks, budget.reserve, session.version), bound)

    def _put(self, **changes: object) -> None:
        self.session.set_budget(replace(self.session.budget, **changes))  # type: ignore[arg-type]
        self.session.note_unreadable("budget", self._form.unread())
        self.show_missing()

    def _on_edited(self, key: str, value: object) -> None:
        dated = {"price_on": "" if value is None else today_text()} if key == "price_per_disk" else {}
        self._put(**{key: value}, **dated)

    def _on_allowed(self, allowed: object) -> None:
        self._put(allow=allowed)

    def _on_reserved(self, reserve: object) -> None:
        self._put(reserve=reserve)

    def _on_currency(self, code: object) -> None:
        currency = code if isinstance(code, str) else None
        if not self._currency.error:
            self.session.preferences.currency = currency
        self.session.set_budget(reckoned(self.session.budget, currency))

    def _currency_typed(self) -> str | None:
        return self.session.currency

    def _remark(self, wish: Field, value: Any) -> Remark:
        if wish.key == "survive":
            return Remark(text=_survive_help(value))
        if wish.key == "import_on":
            return Remark(text=_import_help(value))
        if not isinstance(value, Money):
            return Remark(text=wish.help)
        if value.currency is None:
            text = _("{amount} in no currency yet: choose it below. {help}")
            return Remark(text=text.format(amount=value, help=wish.help), tone=Tone.WARN)
        said = self.session.budget.price_on if wish.key == "price_per_disk" else ""
        return Remark(text=f"{value}{f', {said}' if said else ''}. {wish.help}")


# The wishes: name, how to read and write each, and what it means.


def _of_the_pool() -> tuple[Field, ...]:
    no_limit, least = _("no limit"), 100 * ASSUMED_FLOOR
    few = [(n, _("at least {count}", count=n)) for n in range(1, _MOST_SURVIVED + 1)]
    size, hours = Typed(parse_capacity, size_text, size_read), Typed(parse_hours, short, hours_read)
    risk, rate = Typed(parse_risk, risk_text, chance_read), Typed(_pool_rate, _rate_text, rate_read)
    spares = Typed(partial(parse_count, what=_("number of spares")), str)
    bays = Typed(partial(parse_count, what=_("number of bays"), least=1), str)
    losing = _("By whatever cause. 0.01 is 1 in 10,000; no layout reaches less than {least:g}.", least=least)
    read, write = _("In sequence, without the network. Such as 800 MB/s."), _("In sequence, the typical value.")
    return (
        Field("least_usable_bytes", _("Least usable capacity"), size, _("Such as 100 TiB."), no_limit),
        Field("survive", _("Failures to survive"), ((None, _("no wish")), (0, _("none needed")), *few)),
        Field("most_yearly_loss", _("Most yearly risk, %"), risk, losing, no_limit),
        Field("most_rebuild_hours", _("Most hours of a rebuild"), hours, _("Of one disk at 80 % fill."), no_limit),
        Field("least_read_bytes_per_second", _("Least read rate"), rate, read, no_limit),
        Field("least_write_bytes_per_second", _("Least write rate"), rate, write, no_limit),
        Field("spares", _("Hot spares"), spares, _("Empty: 0 to 4 are tried."), _("as it suits")),
        Field("bays", _("Drive bays"), bays, _("For disks of any role, spares included."), no_limit),
    )


def _of_money(currency: Callable[[], str | None]) -> tuple[Field, ...]:
    """Return the fields for sums and prices; ``currency`` tells that of amounts typed without one."""

    def money(text: str) -> Money:
        return parse_money(text, currency=currency())

    def price(text: str) -> Money:
        return parse_money(text, currency=currency(), what=_("price"), positive=True)

    together = _("For all disks together; needs the price of one. Such as 5000 EUR.")
    each = _("Of a disk that has none from the catalogue.")
    return (
        Field("money", _("Money"), Typed(money, money_typed), together, _("no limit")),
        Field("price_per_disk", _("Price of a disk"), Typed(price, money_typed), each, _("unknown")),
    )


def _of_the_host() -> tuple[Field, ...]:
    unknown = _("unknown")
    systems = [(target.key, _(target.title)) for target in IMPORT_TARGETS]
    memory = Typed(parse_memory, size_text, size_read)
    known = ((None, unknown), (True, _("yes")), (False, _("no")))
    power = _("Decides what sync=disabled and a log device may lose.")
    return (
        Field("ram_bytes", _("RAM"), memory, _("For the ARC and for deduplication. Such as 64 GiB."), unknown),
        Field("ups", _("Uninterruptible power supply"), known, power),
        Field("import_on", _("Importable on"), ((None, _("this machine only")), *systems)),
    )


def _survive_help(survive: int | None) -> str:
    if survive is None:
        return _("Disks that may fail at once. No wish: the goal decides.")
    if survive == 0:
        return _("No layout is refused for want of redundancy; the goal still counts it.")
    kinds = {1: _("mirrors, raidz1"), 2: _("mirrors of 3, raidz2"), 3: _("mirrors of 4, raidz3")}
    return _("Whichever disks they are: {kinds} or more.", kinds=kinds.get(survive, ""))


def _import_help(key: str | None) -> str:
    target = next((target for target in IMPORT_TARGETS if target.key == key), None)
    if target is None:
        return _("Another system that must import the pool or boot from it.")
    return _("{why} Sets compatibility; a feature in use cannot be switched off later.", why=_(target.why))


def _pool_rate(text: str) -> int:
    return int(parse_disk_rate(text, what=_("rate of the pool")))


def _rate_text(bytes_per_second: int) -> str:
    return f"{size_text(bytes_per_second)}/s"


# The fields for room beside the data: as a maker of systems divides disks, or in sizes of one's own.

Reserve = tuple[ReservedPartition, ...]
_OWN = "own"


class RoomBeside(QObject):
    """Two rows of a form. ``changed`` carries what is reserved on each data disk."""

    changed = Signal(object)

    def __init__(self, form: Form) -> None:
        super().__init__(form)
        usual = tuple((usual_partitions(texts), _(title)) for __, title, texts in USUAL_RESERVES)
        self._usual = {value for value, __ in usual}
        beside, sizes = _("Room beside the data"), _("Reserved on each disk")
        self.choice = FactChoice(beside, (((), _("none")), *usual, (_OWN, _("as typed below"))), form)
        self.sizes = FactEntry(sizes, Typed(parse_reserves, _reserve_text), form)
        self.sizes.setMaxLength(_LONGEST_RESERVE)
        form.add_row(beside, self.choice)
        form.add_row(sizes, self.sizes)
        self.choice.value_changed.connect(self._on_chosen)
        self.sizes.value_changed.connect(self._on_typed)
        self.sizes.editingFinished.connect(self._show_beginning)

    def show_reserve(self, reserve: Reserve) -> None:
        chosen: object = reserve if not reserve or reserve in self._usual else _OWN
        self.choice.show_value(chosen, Remark(text=_("Partitions of other systems on the data disks.")))
        told = _("Such as esp=1GiB swap=8GiB:last; also bios, boot, raid, truenas, bare.")
        if reserve:
            parts = [_("{what} {size}", what=one.words, size=binary(one.size_bytes)) for one in reserve]
            size = binary(sum(partition.size_bytes for partition in reserve))
            told = _("{size} of each data disk: {parts}.", parts=listed(parts), size=size)
        self.sizes.show_value(reserve or None, Remark(text=told), _("nothing"))

    def _on_chosen(self, value: object) -> None:
        if value == _OWN:
            self.sizes.setFocus()
        else:
            self.changed.emit(value)
            self._show_beginning()

    def _show_beginning(self) -> None:
        self.sizes.setCursorPosition(0)  # the text is longer than its field

    def _on_typed(self, value: object) -> None:
        self.changed.emit(value if isinstance(value, tuple) else ())


def _reserve_text(reserve: Reserve) -> str:
    return " ".join(str(partition) for partition in reserve)


# Asks for the currency of prices that came without one.


class UnnamedPricesRow(Form):
    """A row with the field; hidden where every price of a disk has its currency."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        name = _("Prices of disks are in")
        self.entry = FactEntry(name, Typed(parse_currency), self)
        self.entry.value_changed.connect(self._on_currency)
        self.add_row(name, self.entry)
        self.hide()

    def refresh(self) -> None:
        inventory = self._session.inventory
        count = sum(_unnamed(disk) for disk in (inventory.disks if inventory is not None else ()))
        text = _("Disks with a price whose currency nobody noted: {count}.")
        self.entry.show_value(None, Remark(text=text.format(count=count), tone=Tone.WARN), _("not said"))
        self.setVisible(count > 0)

    def _on_currency(self, currency: object) -> None:
        inventory, design = self._session.inventory, self._session.design
        if not isinstance(currency, str) or inventory is None:
            return
        ticked = self._session.ticked
        if design is not None:
            named = replace(design, disks=tuple(_named(disk, currency) for disk in design.disks))
            self._session.change_design(named, _("Name the currency of prices"))
        disks = tuple(_named(disk, currency) for disk in inventory.disks)
        self._session.set_inventory(replace(inventory, disks=disks), ticked)


def _unnamed(disk: Disk) -> bool:
    return disk.price is not None and disk.price.currency is None


def _named(disk: Disk, currency: str) -> Disk:
    price = disk.price
    return replace(disk, price=replace(price, currency=currency)) if price is not None and _unnamed(disk) else disk


# Check boxes for what is recommended only where somebody wishes it, each with its sentence.


class AllowanceBoxes(QWidget):
    """The group “Allow”. ``changed`` sends the allowances that are ticked, in their order."""

    changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(_("Allow"))
        grid = lay.grid(of=self, gap=(2 * GRID, GRID // 2))
        grid.setColumnStretch(1, 1)
        grid.addWidget(SmallHeading(_("Allow"), self), 0, 0)
        about = _("A first choice does without these, unless you allow them.")
        grid.addWidget(ToneLabel(about, Tone.MUTED, self, small=True), 0, 1, Qt.AlignmentFlag.AlignBottom)
        self._boxes: dict[Allowance, QCheckBox] = {}
        for row, allowance in enumerate(Allowance, start=1):
            box = self._boxes[allowance] = QCheckBox(allowance_title(allowance), self)
            sentence = allowance_sentence(allowance)
            box.setAccessibleDescription(sentence)
            box.clicked.connect(self._on_clicked)
            grid.addWidget(box, row, 0)
            grid.addWidget(ToneLabel(sentence, Tone.MUTED, self, small=True), row, 1)

    def show_allowed(self, allowed: tuple[Allowance, ...]) -> None:
        for allowance, box in self._boxes.items():
            box.setChecked(allowance in allowed)

    def _on_clicked(self) -> None:
        self.changed.emit(tuple(allowance for allowance, box in self._boxes.items() if box.isChecked()))
