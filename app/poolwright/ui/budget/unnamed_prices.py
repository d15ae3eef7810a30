"""Asks for the currency of prices that came without one, from designs that are older than the question."""

from dataclasses import replace

from PySide6.QtWidgets import QWidget

from poolwright.domain.currency import parse_currency
from poolwright.domain.disk import Disk
from poolwright.texts import tell
from poolwright.ui.parts.form import FactEntry, Form, Remark, Typed
from poolwright.ui.parts.theme import Tone
from poolwright.ui.state.session import Session


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
