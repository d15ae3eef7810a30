"""What can be bought, as a table: each offer costs more than the one before and is worth more."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from enum import IntEnum
from fractions import Fraction
from functools import partial
from operator import itemgetter
from uuid import uuid4

from PySide6.QtCore import QObject, Signal

from poolwright.design.answers import OnCard
from poolwright.design.assign import Identity
from poolwright.design.buying import Offer
from poolwright.design.request import Request
from poolwright.domain.catalogue import Catalogue, Product
from poolwright.domain.design import Design
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.host import Host, Inventory
from poolwright.domain.money import Money, money_typed, money_words, no_currency, parse_money, rounded
from poolwright.domain.units import TB, TIB, binary, drive_size
from poolwright.machine.catalogue import cell_text, parse_cell
from poolwright.predict.number_words import odds_text
from poolwright.table_library import load_drive_book
from poolwright.texts import _, capital, sentence
from poolwright.ui.parts.table import RowModel, TableColumn
from poolwright.ui.state.recommending import POOL_NAME, free_pool_name, identity_of
from poolwright.ui.state.session import Session


class OfferColumn(IntEnum):
    COST = 0
    BUY = 1
    USABLE = 2
    PER_TIB = 3
    LAYOUT = 4
    SURVIVES = 5
    LOSS = 6


def purchase_text(offer: Offer) -> str:
    if offer.product is None:
        return _("nothing")
    return f"{offer.count} × {drive_size(offer.product.size_bytes)} {offer.product.model}"


def per_tib(offer: Offer) -> Money | None:
    """Return the cost of a usable TiB; None where nothing is usable."""
    usable = offer.usable_bytes
    return rounded(Fraction(offer.cost.amount) * TIB / usable, offer.cost.currency) if usable > 0 else None


def cards_of(offers: Sequence[Offer], cheapest: Offer | None, best: Offer | None) -> tuple[OnCard, ...]:
    """Return the best offer, and those that are the first in something; each is named by what it is the first in."""
    if best is None or cheapest is None:
        return ()
    costs = [(cost.amount, offer) for offer in offers if (cost := per_tib(offer))]
    __, least = min(costs, key=itemgetter(0), default=(None, cheapest))
    largest = max(offers, key=lambda offer: offer.usable_bytes)
    named = {id(best): (best, _("best score"))}
    names = ((largest, _("more space")), (least, _("lowest cost per TiB")), (cheapest, _("cheapest that is enough")))
    named |= {id(offer): (offer, name) for offer, name in names}
    # No more than what all of the money buys.
    first = least if best is largest and best is not cheapest else best
    order = dict.fromkeys(map(id, (first, cheapest, largest, least)))
    return tuple(_card(*named[each]) for each in order)[:3]


# To the cent it would be an offer; it is what such disks cost once.
def _about(offer: Offer) -> str:
    return f"{offer.cost.amount:,.0f} {offer.cost.currency or no_currency()}"


def _card(offer: Offer, name: str) -> OnCard:
    product = offer.product
    if product is None:
        return OnCard(offer.candidate, capital(name), capital(_("nothing to buy")))
    disks = f"{offer.count} × {drive_size(product.size_bytes)}"
    title = _("{name}: {disks} for about {cost}", name=capital(name), disks=disks, cost=_about(offer))
    each = _("{model}, {price} each", model=product.model, price=product.price)
    when, usable = (
        f", {product.priced_on}" if product.priced_on else "",
        _("{price} per TiB usable", price=per_tib(offer)),
    )
    return OnCard(offer.candidate, title, sentence(f"{usable}. {each}{when}"))


def offer_columns() -> tuple[TableColumn[Offer], ...]:
    columns: tuple[tuple[str, Callable[[Offer], str], bool], ...] = (
        (_("Cost"), _about, True),
        (_("Buy"), purchase_text, False),
        (_("Usable"), lambda offer: binary(offer.usable_bytes), True),
        (_("Per TiB"), lambda offer: _money_text(per_tib(offer), str), True),
        (_("Layout"), lambda offer: offer.candidate.short_words, False),
        (_("Survives"), lambda offer: offer.candidate.survives_counts, True),
        (_("Loss a year"), lambda offer: odds_text(offer.candidate.measures.any_loss), True),
    )
    return tuple(TableColumn(title=title, text=text, number=number) for title, text, number in columns)


# The catalogue of disks one can buy as a table that can be edited.


def per_tb(product: Product) -> Money | None:
    price = product.price
    return None if price is None else rounded(Fraction(price.amount) * TB / product.size_bytes, price.currency)


def _money_text(value: Money | None, words: Callable[[Money], str] = money_words) -> str:
    return "" if value is None else words(value)


# What stands in a cell of money while somebody types in it.
_TYPED: dict[str, Callable[[Product], str]] = {
    "price": lambda product: _money_text(product.price, money_typed),
    "per_tb": lambda product: _money_text(per_tb(product), money_typed),
}


class ProductTable(RowModel[Product]):
    """One row per product. ``edited`` sends the whole changed catalogue, ``refused`` why a text was not taken."""

    edited = Signal(object)
    refused = Signal(str)

    def __init__(
        self, today: Callable[[], str], currency: Callable[[], str | None], parent: QObject | None = None
    ) -> None:
        super().__init__(
            self._make_columns(), parent, key=lambda product: product.key, searched=lambda product: product.model
        )
        self._today, self._currency = today, currency

    @property
    def catalogue(self) -> Catalogue:
        return Catalogue(products=self.rows)

    def insert(self, product: Product) -> None:
        self._take((*self.rows, product))

    def remove(self, key: str) -> None:
        self._take(product for product in self.rows if product.key != key)

    def put(self, product: Product) -> None:
        self._take(product if known.key == product.key else known for known in self.rows)

    def _take(self, products: Iterable[Product]) -> None:
        self.show_rows(products)
        self.edited.emit(self.catalogue)

    def write(self, field: str, title: str, product: Product, text: str) -> bool:
        """Take a new value; a new price gets today's date."""
        try:
            changes = self._changes(product, field, text)
        except UserError as error:
            self.refused.emit(f"{product.model}, {title}: {error.text}")
            return False
        if all(new == getattr(product, name) for name, new in changes.items()):
            return False
        if "price" in changes:
            changes |= {"priced_on": self._today(), "source": _("entered by hand")}
        self.put(replace(product, **changes))  # type: ignore[arg-type]
        return True

    def _changes(self, product: Product, field: str, text: str) -> dict[str, object]:
        known = product.price
        if field in ("price", "per_tb"):
            # A price typed without a currency has that of the price before, else the one that is reckoned in.
            usual = self._currency() if known is None else known.currency or self._currency()
            typed = parse_money(text, currency=usual) if text.strip() else None
            if typed is not None and field == "per_tb":
                typed = rounded(Fraction(typed.amount) * product.size_bytes / TB, typed.currency)
            return {"price": typed}
        return {field: parse_cell(field, text)}

    def _make_columns(self) -> tuple[TableColumn[Product], ...]:
        return tuple(
            TableColumn(
                title=title,
                text=shown,
                value=partial(_sort_value, field) if number else None,
                number=number,
                tip=lambda product: product.source,
                typed=_TYPED.get(field) or partial(cell_text, column=field),
                write=partial(self.write, field, title),
            )
            for field, title, shown, number in self._fields()
        )

    def _fields(self) -> tuple[tuple[str, str, Callable[[Product], str], bool], ...]:
        return (
            ("model", _("Model"), self._fact("model"), False),
            ("media", _("Kind"), lambda p: p.media.words, False),
            ("size_bytes", _("Size"), lambda p: drive_size(p.size_bytes), True),
            ("price", _("Price"), lambda p: _money_text(p.price), True),
            ("per_tb", _("Price/TB"), lambda p: _money_text(per_tb(p), str), True),
            ("priced_on", _("Price of"), self._fact("priced_on"), False),
            ("afr_percent", _("AFR in %"), _amount("afr_percent", ".2f"), True),
            ("watts", _("Watts"), _amount("watts", ".1f"), True),
            ("sold", _("Still sold"), self._fact("sold"), False),
            ("smr", _("SMR"), self._fact("smr"), False),
            ("power_loss_protection", capital(_("power-loss protection")), self._fact("power_loss_protection"), False),
            ("physical_sector_bytes", _("Physical sector"), _amount("physical_sector_bytes", "d"), True),
        )

    def _fact(self, field: str) -> Callable[[Product], str]:
        known = {True: _("yes"), False: _("no"), None: ""}

        def shown(product: Product) -> str:
            value = getattr(product, field)
            return known.get(value, str(value))

        return shown


def _amount(field: str, form: str) -> Callable[[Product], str]:
    def shown(product: Product) -> str:
        value = getattr(product, field)
        return "" if value is None else format(value, form)

    return shown


def _sort_value(field: str, product: Product) -> float | None:
    value = per_tb(product) if field == "per_tb" else getattr(product, field)
    return None if value is None else float(value.amount if isinstance(value, Money) else value)


# From the session to a search of what to buy, and from an offer to the design.


def buy_request(session: Session, *, with_hand: bool) -> Request:
    inventory = session.inventory
    hand = tuple(d for d in inventory.disks if d.key in session.ticked) if inventory and with_hand else ()
    return Request(
        disks=hand, workload=session.workload, budget=session.budget, version=session.version, ashift=session.ashift,
        host=inventory.host if inventory else Host(), drives=load_drive_book(),
    )  # fmt: skip


def _joins(session: Session, offer: Offer) -> bool:
    """Tell whether what is bought joins disks at hand, else it stands in front by itself."""
    hand = any(not disk.planned or disk.price is None for disk in offer.request.disks)
    return hand and session.inventory is not None


def inventory_with(session: Session, offer: Offer) -> Inventory:
    before = session.inventory
    if before is None or not _joins(session, offer):
        origin = Origin(kind=OriginKind.TYPED, source=_("catalogue of disks to buy"))
        return Inventory(name=capital(_("disks to buy")), disks=offer.request.disks, origin=origin)
    # One search may follow another: disks of an earlier offer make room.
    kept = tuple(disk for disk in before.disks if disk.price is None)
    return replace(before, disks=(*kept, *(d for d in offer.request.disks if d.planned and d.price is not None)))


def identity_with(session: Session, offer: Offer) -> Identity:
    """Return how the design of an offer is called: as the one that is open, unless its disks take that one's place."""
    if session.design is not None and _joins(session, offer):
        return identity_of(session, offer.candidate.main.layout)
    pool_name = free_pool_name(session) if _joins(session, offer) else POOL_NAME
    return Identity(key=uuid4().hex, pool_name=pool_name)


def take_offer(session: Session, offer: Offer, design: Design) -> None:
    """Go on with the design of an offer, and with its disks in front."""
    inventory = inventory_with(session, offer)
    if _joins(session, offer):
        session.set_inventory(inventory, frozenset(disk.key for disk in offer.request.disks))
    else:
        workload, budget = session.workload, session.budget
        session.replace_by(inventory)
        session.set_workload(workload)
        session.set_budget(budget)
    session.choose(offer.candidate, design)
