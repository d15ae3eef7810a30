"""The budget page: what a design must keep to, and which of these wishes cannot be met at all."""

from dataclasses import replace
from typing import Any, ClassVar

from PySide6.QtWidgets import QWidget

from poolwright.design.beside import sizes_beside
from poolwright.design.wishes import WishLine, fastest, judge_wishes, most_usable_bytes, usable_disks
from poolwright.domain.currency import parse_currency
from poolwright.domain.host import Host
from poolwright.domain.import_targets import IMPORT_TARGETS
from poolwright.domain.money import Money
from poolwright.domain.units import binary
from poolwright.domain.workload import Budget
from poolwright.texts import tell, tell_counted
from poolwright.ui.budget.allowance_boxes import AllowanceBoxes
from poolwright.ui.budget.room_bars import RoomBar, RoomBars
from poolwright.ui.budget.room_beside import RoomBeside
from poolwright.ui.budget.unnamed_prices import UnnamedPricesRow
from poolwright.ui.budget.wishes import (
    MOST_SURVIVED,
    wishes_of_money,
    wishes_of_the_host,
    wishes_of_the_machine,
    wishes_of_the_pool,
)
from poolwright.ui.parts.card import Card
from poolwright.ui.parts.form import FactEntry, Field, Form, Remark, Typed
from poolwright.ui.parts.labels import Heading, ToneLabel
from poolwright.ui.parts.note_lines import Line, NoteLines
from poolwright.ui.parts.page import Page
from poolwright.ui.parts.rates_entry import RatesEntry, today_text
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.state.money_of_budget import reckoned

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
        about = tell("Of sums, and of amounts typed without one. Others are converted by the rates below only.")
        self._currency.show_value(budget.currency, Remark(text=about), self._other_currency())
        self._allowed.show_allowed(budget.allow)
        self._beside.show_reserve(budget.reserve)
        self._rates.refresh()
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
        self._rates = RatesEntry(tell("Exchange rates"), self.session, self._prices, form)
        form.add_row(tell("Exchange rates"), self._rates)
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
