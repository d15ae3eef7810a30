"""The budget page: what a design must keep to, and which of these wishes cannot be met at all."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from PySide6.QtWidgets import QWidget

from poolwright.advise.amounts import (
    parse_count,
    parse_hours,
    parse_money,
    parse_rate,
    parse_risk,
    risk_text,
    size_text,
)
from poolwright.advise.import_targets import IMPORT_TARGETS
from poolwright.advise.wishes import WishLine, fastest, judge_wishes, most_usable_bytes, usable_disks
from poolwright.domain.host import Host
from poolwright.domain.units import binary, parse_size
from poolwright.domain.workload import Budget
from poolwright.ui.pages.page import Page
from poolwright.ui.theme import GRID, Tone
from poolwright.ui.widgets.card import Card
from poolwright.ui.widgets.fact_form import FactChoice, FactEntry, FactForm, Remark
from poolwright.ui.widgets.labels import Heading, ToneLabel
from poolwright.ui.widgets.note_lines import Line, NoteLines
from poolwright.ui.widgets.room_bars import RoomBar, RoomBars

_MOST_SURVIVED = 3
_LONGEST_CURRENCY = 8
_TONES = {True: Tone.NOTE, False: Tone.BLOCK, None: Tone.UNKNOWN}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    """A field of Budget: how it is typed, shown and explained."""

    field: str
    name: str
    help: str
    parse: Callable[[str], object]
    shown: Callable[[object], str] = str
    empty: str = ""


class BudgetPage(Page):
    """Changes the session's budget."""

    scrolls: ClassVar[bool] = True
    width_limit: ClassVar[int | None] = 1400

    def title(self) -> str:
        """Return the title."""
        return self.tr("Budget")

    def sentence(self) -> str:
        """Return what to do here."""
        return self.tr("Say what the design must keep to. Every field is optional: what is left empty sets no limit.")

    def missing(self) -> str:
        """Return which fields cannot be read, or that a wish is impossible."""
        if wrong := self._unreadable():
            return self.tr("Not understood, so no limit: {what}.").format(what=wrong)
        if any(line.possible is False for line in self._judged()):
            return self.tr("No layout can meet these wishes.")
        return ""

    def _unreadable(self) -> str:
        return ", ".join(e.accessibleName() for e in self._entries if e.error)

    def build(self) -> None:
        """Make the form and the answer below it."""
        self._entries: list[FactEntry] = []
        self._wishes: dict[str, _Wish] = {}
        self.body.addWidget(self._make_form())
        self.body.addWidget(self._make_answer())
        self.body.addStretch(1)

    def refresh(self) -> None:
        """Show the budget and what it means."""
        budget = self.session.budget
        for entry in self._entries:
            wish = self._wishes[str(entry.property("wish"))]
            value = getattr(budget, wish.field)
            if wish.field == "ram_bytes":
                self._show_ram(entry, budget)
            else:
                entry.show_value(value, Remark(text=wish.help), wish.empty)
        self._survive.show_value(budget.survive, Remark(text=self._survive_help(budget.survive)))
        self._import_on.show_value(budget.import_on, Remark(text=self._import_help(budget.import_on)))
        about = self.tr("Only a label; amounts are never converted.")
        self._currency.show_value(self.session.currency or None, Remark(text=about), self.tr("none"))
        self._show_answer(budget)

    def _make_form(self) -> QWidget:
        form = FactForm(self)
        wishes = self._all_wishes()
        self._add(form, wishes[:1])
        choices: list[tuple[object, str]] = [(None, self.tr("any number"))]
        choices += [(n, self.tr("at least {count}").format(count=n)) for n in range(1, _MOST_SURVIVED + 1)]
        choices.insert(1, (0, self.tr("none needed")))
        self._survive = FactChoice(self.tr("Failures to survive"), choices, form)
        self._survive.value_changed.connect(self._on_survive)
        form.add_row(self.tr("Failures to survive"), self._survive)
        self._add(form, wishes[1:-1])
        self._currency = FactEntry(self.tr("Currency"), str.strip, str, form)
        self._currency.setMaxLength(_LONGEST_CURRENCY)
        self._currency.value_changed.connect(self._on_currency)
        form.add_row(self.tr("Currency"), self._currency)
        self._add(form, wishes[-1:])
        systems: list[tuple[object, str]] = [(None, self.tr("this machine only"))]
        systems += [(target.key, target.title) for target in IMPORT_TARGETS]
        self._import_on = FactChoice(self.tr("Importable on"), systems, form)
        self._import_on.value_changed.connect(self._on_import)
        form.add_row(self.tr("Importable on"), self._import_on)
        return form

    def _add(self, form: FactForm, wishes: Sequence[_Wish]) -> None:
        for wish in wishes:
            entry = FactEntry(wish.name, wish.parse, wish.shown, form)
            entry.setProperty("wish", wish.field)
            entry.value_changed.connect(self._on_value)
            self._wishes[wish.field] = wish
            self._entries.append(entry)
            form.add_row(wish.name, entry)

    def _make_answer(self) -> QWidget:
        card = Card(self)
        card.body.addWidget(Heading(self.tr("What this means"), card))
        self._answer = NoteLines(self.tr("What these wishes mean"), card, most=6)
        card.body.addWidget(self._answer)
        self._bound_text = ToneLabel(
            self.tr("What the ticked disks can hold at most, by the failures to survive"), Tone.MUTED, card, small=True
        )
        card.body.addSpacing(GRID)
        card.body.addWidget(self._bound_text)
        self._bars = RoomBars(self.tr("Most that the disks can hold"), card)
        card.body.addWidget(self._bars)
        return card

    def _all_wishes(self) -> tuple[_Wish, ...]:
        no_limit = self.tr("no limit")
        return (
            _Wish(
                field="least_usable_bytes",
                name=self.tr("Least usable capacity"),
                help=self.tr("With its unit: 100 TiB counts in 1024s, 100 TB in 1000s as drive makers do."),
                parse=_capacity,
                shown=_size,
                empty=no_limit,
            ),
            _Wish(
                field="most_yearly_loss",
                name=self.tr("Most yearly risk, %"),
                help=self.tr("Of losing the pool by failing disks. 0.01 is 1 in 10,000."),
                parse=parse_risk,
                shown=_risk,
                empty=no_limit,
            ),
            _Wish(
                field="most_rebuild_hours",
                name=self.tr("Most hours of a rebuild"),
                help=self.tr("Of one disk at 80 % fill. Wide vdevs of large disks take longest."),
                parse=parse_hours,
                shown=_hours,
                empty=no_limit,
            ),
            _Wish(
                field="least_read_bytes_per_second",
                name=self.tr("Least read rate"),
                help=self.tr("In sequence, by the pool itself, without the network. Such as 800 MB/s."),
                parse=parse_rate,
                shown=_rate,
                empty=no_limit,
            ),
            _Wish(
                field="least_write_bytes_per_second",
                name=self.tr("Least write rate"),
                help=self.tr("In sequence. Held against the typical value of the prediction."),
                parse=parse_rate,
                shown=_rate,
                empty=no_limit,
            ),
            _Wish(
                field="spares",
                name=self.tr("Hot spares"),
                help=self.tr("They wait in the pool and take over when a disk fails. Empty: 0 to 4 are tried."),
                parse=_spares,
                empty=self.tr("as it suits"),
            ),
            _Wish(
                field="bays",
                name=self.tr("Drive bays"),
                help=self.tr("Slots for disks of any role, spares included."),
                parse=_bays,
                empty=no_limit,
            ),
            _Wish(
                field="money",
                name=self.tr("Money"),
                help=self.tr("For all disks together; needs the price of one."),
                parse=parse_money,
                shown=_amount,
                empty=no_limit,
            ),
            _Wish(
                field="price_per_disk",
                name=self.tr("Price of a disk"),
                help=self.tr("Shows what each layout costs."),
                parse=_price,
                shown=_amount,
                empty=self.tr("unknown"),
            ),
            _Wish(
                field="ram_bytes",
                name=self.tr("RAM"),
                help=self.tr("For the ARC and for deduplication. Such as 64 GiB."),
                parse=_ram,
                shown=_size,
                empty=self.tr("unknown"),
            ),
        )

    def _show_ram(self, entry: FactEntry, budget: Budget) -> None:
        wish = self._wishes["ram_bytes"]
        host = self.session.inventory.host if self.session.inventory is not None else Host()
        if host.ram_bytes is None:
            entry.show_value(budget.ram_bytes, Remark(text=wish.help), wish.empty)
            return
        read = binary(host.ram_bytes)
        origin = next((str(o) for field, o in host.origins if field == "ram_bytes"), self.tr("the machine"))
        if budget.ram_bytes is None or budget.ram_bytes == host.ram_bytes:
            text = self.tr("{ram} as read from {origin}. Type another amount to plan with that.").format(
                ram=read, origin=origin
            )
        else:
            text = self.tr("The machine has {ram} ({origin}).").format(ram=read, origin=origin)
        shown = host.ram_bytes if budget.ram_bytes is None and not entry.hasFocus() else budget.ram_bytes
        entry.show_value(shown, Remark(text=text), read)

    def _survive_help(self, survive: int | None) -> str:
        if survive is None:
            return self.tr("Disks that may fail at once, whichever they are. No wish: the goal decides.")
        if survive == 0:
            return self.tr("No layout is refused for want of redundancy; the goal still counts it.")
        kinds = {1: self.tr("mirrors, raidz1"), 2: self.tr("mirrors of 3, raidz2"), 3: self.tr("mirrors of 4, raidz3")}
        return self.tr("Whichever disks they are: {kinds} or more.").format(kinds=kinds.get(survive, ""))

    def _import_help(self, key: str | None) -> str:
        target = next((target for target in IMPORT_TARGETS if target.key == key), None)
        if target is None:
            return self.tr(
                "Another system that must import the pool or boot from it. With none, every feature is switched on."
            )
        return self.tr("{why} Sets compatibility; a feature in use cannot be switched off later.").format(
            why=target.why
        )

    def _sizes(self) -> list[int]:
        inventory, ticked = self.session.inventory, self.session.ticked
        disks = inventory.disks if inventory is not None else ()
        return [disk.size_bytes for disk in disks if disk.key in ticked and disk.size_bytes is not None]

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
        for survive in range(_MOST_SURVIVED + 1):
            bound = most_usable_bytes(sizes, disks=disks, spares=spares, survive=survive)
            name = self.tr("{count} failures").format(count=survive) if survive != 1 else self.tr("1 failure")
            bars.append(RoomBar(name=name, size_bytes=bound, chosen=survive == budget.survive))
        self._bound_text.setVisible(bool(sizes))
        self._bars.show_bars(bars if sizes else [], budget.least_usable_bytes)

    def _on_value(self, value: object) -> None:
        sender = self.sender()
        if sender is not None:
            changes = {str(sender.property("wish")): value}
            self.session.set_budget(replace(self.session.budget, **changes))  # type: ignore[arg-type]
        self.session.note_unreadable("budget", self._unreadable())
        self.show_missing()

    def _on_survive(self, value: object) -> None:
        survive = value if isinstance(value, int) else None
        self.session.set_budget(replace(self.session.budget, survive=survive))

    def _on_import(self, value: object) -> None:
        system = value if isinstance(value, str) else None
        self.session.set_budget(replace(self.session.budget, import_on=system))

    def _on_currency(self, text: object) -> None:
        self.session.set_currency(text if isinstance(text, str) else "")


def _capacity(text: str) -> int:
    return parse_size(text, what="capacity")


def _ram(text: str) -> int:
    return parse_size(text, what="amount of RAM")


def _spares(text: str) -> int:
    return parse_count(text, what="number of spares")


def _bays(text: str) -> int:
    return parse_count(text, what="number of bays", least=1)


def _price(text: str) -> float:
    return parse_money(text, what="price", positive=True)


def _size(value: object) -> str:
    return size_text(value) if isinstance(value, int) else ""


def _rate(value: object) -> str:
    return f"{size_text(value)}/s" if isinstance(value, int) else ""


def _risk(value: object) -> str:
    return risk_text(value) if isinstance(value, float | int) else ""


def _hours(value: object) -> str:
    return f"{value:g}" if isinstance(value, float | int) else ""


def _amount(value: object) -> str:
    return f"{value:.2f}".removesuffix(".00") if isinstance(value, float | int) else ""
