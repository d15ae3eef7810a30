"""The budget page: what a design must keep to, what each wish costs, and how many layouts still fit."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QProgressBar, QWidget

from poolwright.design.amounts import parse_count, parse_hours, parse_risk, risk_text, size_text
from poolwright.design.changes import WishesWeighed
from poolwright.design.floors import allowance_sentence, allowance_title
from poolwright.design.rank import odds
from poolwright.design.wishes import wanted_words
from poolwright.domain.disk import Disk
from poolwright.domain.host import Host
from poolwright.domain.money import Money, money_typed, parse_currency, parse_money
from poolwright.domain.pool_settings import IMPORT_TARGETS
from poolwright.domain.rates import chance_read, hours_read, parse_disk_rate, rate_read, size_read
from poolwright.domain.reserve import ReservedPartition, parse_reserves, usual_reserves
from poolwright.domain.retention import parse_change, parse_retention
from poolwright.domain.units import binary, parse_capacity, parse_memory
from poolwright.domain.workload import Allowance, Budget
from poolwright.jobs.worker_job import WorkerJob
from poolwright.questions import weigh_wishes
from poolwright.texts import N_, _, capital, listed, marked, numeral
from poolwright.ui.parts import widgets
from poolwright.ui.parts.card import Card, FoldCard
from poolwright.ui.parts.form import FactChoice, FactEntry, Field, Form, Remark, Typed, short
from poolwright.ui.parts.note_lines import Line, NoteLines
from poolwright.ui.parts.page import AskingInSight, Page
from poolwright.ui.parts.theme import GRID, TITLE_POINTS, Tone, text_font
from poolwright.ui.parts.widgets import SmallHeading, ToneLabel
from poolwright.ui.state.expectations import today_text
from poolwright.ui.state.recommending import request_of
from poolwright.ui.state.session import Session
from poolwright.ui.state.steps import impossible_in

_LONGEST_CURRENCY, _LONGEST_RESERVE = 8, 200
_MOST_SURVIVED = 3
_COLUMN = 25 * GRID
_CURRENCIES = ("EUR", "USD", "GBP", "CHF")


class BudgetPage(Page):
    heading = N_("Budget")
    about = N_("Limits for the search; empty means none.")
    width_limit: ClassVar[int | None] = 1400

    def missing(self) -> str:
        if wrong := self._unread():
            return _("Not understood, so no limit: {names}.", names=", ".join(wrong))
        refused = self._weighed is not None and not self._weighed.fit
        return _("No layout can meet these wishes.") if refused or impossible_in(self.session) else ""

    def build(self) -> None:
        self._inventory = self.session.inventory  # with another, what was not understood belongs to other work
        self._asking = AskingInSight(self, self._weigh, self._on_weighed, self.session.complain)
        self._weighed: WishesWeighed | None = None
        limits = Card(self)
        self._form = self._make_form(limits)
        limits.body.addWidget(self._form)
        self._fit = FitCard(self)
        self._more = self._make_more()
        self._to_price = widgets.single_shot_timer(self, 0, self._show_price)
        for part in (limits, self._fit, self._more):
            self.body.addWidget(part)
        self.body.addStretch(1)

    def refresh(self) -> None:
        budget, inventory = self.session.budget, self.session.inventory
        self._follow()
        self._form.show_values(budget, self._remark)
        self._others.show_values(budget, self._remark)
        other = budget.reckoned_in or _("none")
        self._currency.show_value(budget.currency, currency_remark(budget, [d.price for d in self._disks()]), other)
        self._allowed.show_allowed(budget.allow)
        self._beside.show_reserve(budget.reserve)
        if inventory is not self._inventory:
            self._inventory = inventory
            for form in (self._form, self._others):
                form.show_unread(self.session.work.unread_in("budget"))
        bare = self._lacks_currency()
        self._currencies.setCurrentIndex(-1)
        self._currencies.setVisible(bare)
        self._set_prices.setVisible(budget.money is not None and not bare and not self.session.work.has_prices)
        self._more.head.show_words(self._others.words() or _("snapshots, risk, resilver time, speed, RAM, partitions"))
        self._show_fit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._follow()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._built:  # how many fit stand in sight in a low window too
            self._fit.be_low(low=self.stands_low)

    def hideEvent(self, event: QHideEvent) -> None:
        """Leave off weighing wishes that nobody looks at."""
        super().hideEvent(event)
        if self.is_built and self._asking.pending:
            self._asking.leave()

    # What the wishes cost: asked of the worker once nothing was typed for a moment.

    def _follow(self) -> None:
        """Have the wishes weighed that stand now, where they are others than before."""
        request = request_of(self.session) if self.session.rules or self.session.rules_problem else None
        if self._asking.follow(request, ready=request is not None):
            self._weighed = None

    def _weigh(self) -> None:
        job = WorkerJob(_("Checking the limits"), "budget", self, weigh_wishes, self._asking.wanted)
        job.so_far.connect(self._on_weighed)
        self._asking.ask(job)

    def _on_weighed(self, weighed: WishesWeighed) -> None:
        if self._asking.wanted is not None:
            self._weighed = weighed
            self._form.show_values(self.session.budget, self._remark)
            self._show_fit()
            self.show_missing()

    def _show_fit(self) -> None:
        self._fit.show_weighed(self._weighed, impossible_in(self.session), len(self._disks()))

    def _make_form(self, parent: QWidget) -> Form:
        form = Form(parent, editors=_COLUMN)
        form.add_heads(_("Limit"), _("What it costs"))
        form.add(*wish_fields(lambda: self.session.currency))
        form.edited.connect(self._on_edited)
        self._set_prices = widgets.button(_("Set prices…"), form, self._on_set_prices)
        self._currencies = widgets.named(QComboBox(form), _("Currency of the money"))
        self._currencies.addItems(_CURRENCIES)
        self._currencies.setPlaceholderText(_("Currency"))
        self._currencies.activated.connect(self._on_currency)
        for part in (self._set_prices, self._currencies):
            form.put_behind("money", part, inside=True)
        return form

    def _make_more(self) -> FoldCard:
        inner = QWidget(self)
        form = self._others = Form(inner, editors=_COLUMN)
        form.add(*_others(self.session))
        self._currency = FactEntry(_("Currency"), Typed(parse_currency), form)
        self._currency.setMaxLength(_LONGEST_CURRENCY)
        self._currency.value_changed.connect(self._on_currency)
        form.add_row(_("Currency"), self._currency)
        self._beside = RoomBeside(form)
        self._beside.edited.connect(self._on_edited)
        form.edited.connect(self._on_edited)
        self._allowed = AllowanceBoxes(inner)
        self._allowed.edited.connect(self._on_edited)
        widgets.column(form, self._allowed, of=inner)
        return FoldCard(_("More"), inner, self)

    def _unread(self) -> dict[str, str]:
        return self._form.unread() | self._others.unread()

    def _disks(self) -> list[Disk]:
        inventory = self.session.inventory
        return [disk for disk in (inventory.disks if inventory else ()) if disk.key in self.session.ticked]

    def _on_edited(self, key: str, value: object) -> None:
        dated = {"price_on": "" if value is None else today_text()} if key == "price_per_disk" else {}
        self.session.set_budget(replace(self.session.budget, **{key: value}, **dated))  # type: ignore[arg-type]
        self.session.note_unreadable("budget", self._unread())
        self.show_missing()

    def _on_currency(self, code: object) -> None:
        currency = _CURRENCIES[code] if isinstance(code, int) else code if isinstance(code, str) else None
        if not self._currency.error:
            self.session.preferences.currency = currency
        self.session.set_budget(self.session.budget.in_currency(currency))
        if currency is not None:
            self._name_prices(currency)

    def _name_prices(self, currency: str) -> None:
        """Let prices of which nobody noted the currency be in this one."""
        inventory, design = self.session.inventory, self.session.design
        if inventory is None or not any(map(_unnamed, inventory.disks)):
            return
        ticked = self.session.ticked
        if design is not None:
            named = replace(design, disks=tuple(_named(disk, currency) for disk in design.disks))
            self.session.change_design(named, _("Set prices…"))
        disks = tuple(_named(disk, currency) for disk in inventory.disks)
        self.session.set_inventory(replace(inventory, disks=disks), ticked)

    def _lacks_currency(self) -> bool:
        money, inventory = self.session.budget.money, self.session.inventory
        bare = any(map(_unnamed, inventory.disks)) if inventory is not None else False
        return bare or (money is not None and money.currency is None)

    def _on_set_prices(self) -> None:
        self._more.fold(folded=False)
        self._to_price.start()  # the page is laid out by then

    def _show_price(self) -> None:
        price = self._others.editor("price_per_disk")
        price.setFocus(Qt.FocusReason.OtherFocusReason)
        self.area.ensureWidgetVisible(price)

    def _remark(self, wish: Field, value: Any) -> Remark:
        if wish.key == "money" and self._lacks_currency():
            return Remark(text=_("In which currency? New designs will use it too."), tone=Tone.WARN)
        if wish.key == "price_per_disk" and value is not None:
            return Remark(text=f"{value}, {said}" if (said := self.session.budget.price_on) else str(value))
        host = self.session.inventory.host if self.session.inventory is not None else Host()
        if wish.key == "ram_bytes" and host.ram_bytes is not None:
            origin = next((str(o) for field, o in host.origins if field == "ram_bytes"), _("the machine"))
            ram = binary(host.ram_bytes)
            return Remark(text=_("The machine has {ram} ({origin}).", ram=ram, origin=origin), empty=ram)
        if wish.key == "change" and self.session.budget.wanted_bytes != self.session.budget.least_usable_bytes:
            return Remark(text=wanted_words(self.session.budget))
        if wish.key == "import_on":
            return Remark(text=next((_(target.why) for target in IMPORT_TARGETS if target.key == value), ""))
        if wish.key == "money" and value is not None and not self.session.work.has_prices:
            return Remark(text=_("No limit yet: disk prices not known"))
        costs = self._weighed.costs if self._weighed is not None else ()
        return Remark(text=next((cost.words for cost in costs if cost.wish == wish.key), wish.help))


# How many layouts keep to the wishes: a number, a bar, and the two ends of what they reach.


class FitCard(Card):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._disks = 0
        self._fit = widgets.named(QLabel(self), _("Layouts that fit"))
        self._fit.setFont(text_font(TITLE_POINTS))
        self._of, self._bar = QLabel(self), widgets.named(QProgressBar(self), _("Layouts that fit"))
        self._bar.setFixedHeight(GRID)
        self._bar.setProperty("look", "share")
        self._bar.setTextVisible(False)
        self._largest, self._safest = ToneLabel("", parent=self, small=True), ToneLabel("", parent=self, small=True)
        self._safest.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._why = NoteLines(_("Why none fits"), self)
        low, ends = Qt.AlignmentFlag.AlignBottom, widgets.row(self._largest, self._safest)
        whole = widgets.column(widgets.row((self._fit, 0, low), (self._of, 1, low)), self._bar, ends, self._why)
        self.body.addLayout(whole)

    def be_low(self, *, low: bool) -> None:
        """Stand in a low window as the number and its bar."""
        for end in (self._largest, self._safest):
            end.setVisible(not low)
        widgets.room(self.body, around=(2 * GRID, GRID // 2, 2 * GRID, GRID // 2) if low else 2 * GRID)

    def show_weighed(self, weighed: WishesWeighed | None, impossible: Sequence[str], disks: int) -> None:
        """Show how many fit, or why none can, which is known before any is worked out."""
        self.setVisible(disks > 0 or bool(impossible))
        found = WishesWeighed(fit=0, refused="\n".join(impossible)) if impossible else weighed
        if found is None and disks == self._disks:
            self._why.show_lines(())
            return  # what was known stands until more is known
        self._disks, found = disks, found or WishesWeighed(fit=0)
        known, every = bool(weighed or impossible), found.every
        self._fit.setText(numeral(found.fit) if known else "")
        still = _("layouts still fit") if every is None else _("of {every} layouts still fit", every=numeral(every))
        self._of.setText(still if known else _("Checking the limits"))
        self._bar.setRange(0, every or 1)
        self._bar.setValue(found.fit if every else 0)
        largest, safest = found.largest_bytes, found.safest
        self._largest.setText("" if largest is None else _("Largest {size}", size=binary(largest)))
        self._safest.setText("" if safest is None else _("Safest {odds} a year", odds=odds(safest)))
        tone = Tone.WARN if found.fit else Tone.BLOCK
        self._why.show_lines([Line(text=text, tone=tone) for text in found.refused.splitlines()])


# The wishes: name, how to read and write each, and what it means.


def wish_fields(currency: Callable[[], str | None]) -> tuple[Field, ...]:
    """Return those that most people have; ``currency`` is that of an amount that is typed without one."""

    def money(text: str) -> Money:
        return parse_money(text, currency=currency())

    no_limit = _("no limit")
    few = [(n, str(n)) for n in range(1, _MOST_SURVIVED + 1)]
    size = Typed(parse_capacity, size_text, size_read)
    spares = Typed(parse_count, str)
    bays = Typed(partial(parse_count, least=1), str)
    survive = ((None, _("by the goal")), (0, _("none needed")), *few)
    return (
        Field("least_usable_bytes", _("Usable capacity, at least"), size, "", no_limit),
        Field("survive", capital(_("failures to survive")), survive),
        Field("spares", _("Hot spares, exactly"), spares, "", _("automatic")),
        Field("money", capital(_("money")), Typed(money, money_typed), "", no_limit),
        Field("bays", _("Drive bays"), bays, "", no_limit),
    )


def _others(session: Session) -> tuple[Field, ...]:
    def price(text: str) -> Money:
        return parse_money(text, currency=session.currency, positive=True)

    no_limit, unknown = _("no limit"), _("unknown")
    risk, hours = Typed(parse_risk, risk_text, chance_read), Typed(parse_hours, partial(short, unit="h"), hours_read)
    rate = Typed(lambda text: int(parse_disk_rate(text)), lambda rate: f"{size_text(rate)}/s", rate_read)
    memory = Typed(parse_memory, size_text, size_read)
    changed = Typed(parse_change, lambda each: marked(str(each)) if each.percent else size_text(round(each.amount)))
    known = ((None, unknown), (True, _("yes")), (False, _("no")))
    systems = ((None, _("this machine only")), *((target.key, _(target.title)) for target in IMPORT_TARGETS))
    return (
        Field("keep", _("Snapshots"), Typed(parse_retention), "24h 30d 12m", _("none")),
        Field("change", _("Changed a day"), changed, _("Capacity is then for data alone."), unknown),
        Field("most_yearly_loss", _("Data loss a year, at most"), risk, "", no_limit),
        Field("most_rebuild_hours", _("Resilver time, at most"), hours, "", no_limit),
        Field("least_read_bytes_per_second", _("Sequential read, at least"), rate, "", no_limit),
        Field("least_write_bytes_per_second", _("Sequential write, at least"), rate, "", no_limit),
        Field("ram_bytes", _("RAM"), memory, "", unknown),
        Field("ups", _("UPS"), known),
        Field("import_on", _("Must import on"), systems),
        Field("price_per_disk", capital(_("price of a disk")), Typed(price, money_typed), "", unknown),
    )


# The fields for room beside the data: as a maker of systems divides disks, or in sizes of one's own.

Reserve = tuple[ReservedPartition, ...]
_OWN = "own"


class RoomBeside(QObject):
    """Two rows of a form. ``edited`` carries “reserve”, and what is reserved on each data disk."""

    edited = Signal(str, object)

    def __init__(self, form: Form) -> None:
        super().__init__(form)
        usual = usual_reserves()
        self._usual = {value for value, __ in usual}
        title, sizes = _("Room beside the data"), _("Reserved on each disk")
        self.choice = FactChoice(title, (((), _("none")), *usual, (_OWN, _("as typed below"))), form)
        self.sizes = FactEntry(sizes, Typed(parse_reserves, lambda reserve: " ".join(map(str, reserve))), form)
        self.sizes.setMaxLength(_LONGEST_RESERVE)
        form.add_row(title, self.choice)
        form.add_row(sizes, self.sizes)
        self.choice.value_changed.connect(self._on_chosen)
        self.sizes.value_changed.connect(self._on_typed)
        self.sizes.editingFinished.connect(self._show_beginning)

    def show_reserve(self, reserve: Reserve) -> None:
        chosen: object = reserve if not reserve or reserve in self._usual else _OWN
        self.choice.show_value(chosen, Remark(text=""))
        text = _("Such as esp=1GiB swap=8GiB:last.")
        if reserve:
            parts = [_("{what} {size}", what=one.words, size=binary(one.size_bytes)) for one in reserve]
            size = binary(sum(partition.size_bytes for partition in reserve))
            text = _("{size} of each data disk: {parts}.", parts=listed(parts), size=size)
        self.sizes.show_value(reserve or None, Remark(text=text), _("nothing"))

    def _on_chosen(self, value: object) -> None:
        if value == _OWN:
            self.sizes.setFocus()
        else:
            self.edited.emit("reserve", value)
            self._show_beginning()

    def _show_beginning(self) -> None:
        self.sizes.setCursorPosition(0)  # the text is longer than its field

    def _on_typed(self, value: object) -> None:
        self.edited.emit("reserve", value if isinstance(value, tuple) else ())


# Prices of disks that came without a currency.


def _unnamed(disk: Disk) -> bool:
    return disk.price is not None and disk.price.currency is None


def _named(disk: Disk, currency: str) -> Disk:
    price = disk.price
    return replace(disk, price=replace(price, currency=currency)) if price is not None and _unnamed(disk) else disk


# Check boxes for what is recommended only where somebody wishes it, each with its sentence.


class AllowanceBoxes(QWidget):
    """The group “Allow”. ``edited`` sends “allow” and the allowances that are ticked, in their order."""

    edited = Signal(str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(_("Allow"))
        grid = widgets.grid(of=self, gap=(2 * GRID, GRID // 2))
        grid.setColumnStretch(1, 1)
        grid.addWidget(SmallHeading(_("Allow"), self), 0, 0)
        about = _("The first choice avoids these unless you allow them.")
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
        self.edited.emit("allow", tuple(each for each, box in self._boxes.items() if box.isChecked()))


def currency_remark(budget: Budget, prices: Iterable[Money | None]) -> Remark:
    """Return what stands beside the currency of a budget: a warning where an amount has another."""
    for amount in (budget.money, budget.price_per_disk, *prices):
        source = None if amount is None else amount.currency
        if source is not None and source != (budget.reckoned_in or source):
            text = _("Prices in {one}, sums in {other}: nothing is converted, so use one currency.")
            return Remark(text=text.format(one=source, other=budget.reckoned_in), tone=Tone.WARN)
    return Remark(text=_("For amounts typed without a currency."))
