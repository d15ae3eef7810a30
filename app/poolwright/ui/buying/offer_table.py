"""What can be bought, as a table: each offer costs more than the one before and is worth more."""

from enum import IntEnum

from PySide6.QtCore import QObject

from poolwright.design.buying import Offer
from poolwright.design.offers import offer_words
from poolwright.domain.rates import rate_text
from poolwright.domain.units import binary, decimal, drive_size
from poolwright.predict.number_words import odds_text
from poolwright.texts import tell
from poolwright.ui.parts.table import RowModel, TableColumn
from poolwright.ui.state.money_of_budget import money_words


class OfferColumn(IntEnum):
    COST = 0
    MARK = 1
    BUY = 2
    USABLE = 3
    LAYOUT = 4
    SCORE = 5
    EACH = 6
    SURVIVES = 7
    RISK = 8
    READ = 9


def purchase_text(offer: Offer, nothing: str) -> str:
    """Return what an offer buys; ``nothing`` where the disks at hand are enough."""
    if offer.product is None:
        return nothing
    return f"{offer.count} × {offer.product.model} ({drive_size(offer.product.size_bytes)})"


def price_told(offer: Offer) -> str:
    """Return the price of one disk of an offer, in the currency and of the day it was seen; empty for no purchase."""
    product = offer.product
    if product is None or product.price is None:
        return ""
    each = tell("{price} each", price=product.price)
    return f"{each} ({product.priced_on})" if product.priced_on else each


class OfferTable(RowModel[Offer]):
    """One row per offer; the cheapest and the best are marked with a word."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(self._make_columns(), parent)
        self._cheapest: Offer | None = None
        self._best_offer: Offer | None = None
        self._closest: Offer | None = None
        self._ticked: set[int] = set()

    def show_offers(
        self, offers: tuple[Offer, ...], cheapest: Offer | None, best: Offer | None, closest: Offer | None = None
    ) -> None:
        """Show these; ``closest`` comes closest to the wishes."""
        self._cheapest, self._best_offer, self._closest = cheapest, best, closest
        self._ticked &= {id(offer) for offer in offers}
        self.show_rows(offers)

    def ticked(self) -> tuple[Offer, ...]:
        """Return the offers that are ticked, in the order they are shown."""
        return tuple(offer for offer in self.shown() if id(offer) in self._ticked)

    def _tick(self, offer: Offer, wanted: bool) -> bool:
        self._ticked = self._ticked | {id(offer)} if wanted else self._ticked - {id(offer)}
        self.rearrange()  # tells those who look that it changed
        return True

    def _marks(self, offer: Offer) -> str:
        told = (
            (self._cheapest, tell("cheapest")),
            (self._closest, tell("closest to the wish")),
            (self._best_offer, tell("best")),
        )
        return ", ".join(word for marked, word in told if marked is offer)

    def _make_columns(self) -> tuple[TableColumn[Offer], ...]:
        nothing = tell("nothing")
        return (
            TableColumn(
                title=tell("Cost"),
                text=lambda offer: str(offer.cost),
                tip=lambda offer: ", ".join(part for part in (money_words(offer.cost), price_told(offer)) if part),
                number=True,
                ticked=lambda offer: id(offer) in self._ticked,
                tick=self._tick,
            ),
            TableColumn(title=tell("Mark"), text=self._marks),
            TableColumn(title=tell("Buy"), text=lambda offer: purchase_text(offer, nothing)),
            TableColumn(
                title=tell("Usable"),
                text=lambda offer: binary(offer.usable_bytes),
                tip=lambda offer: decimal(offer.usable_bytes),
                number=True,
            ),
            TableColumn(title=tell("Layout"), text=offer_words),
            TableColumn(title=tell("Score"), text=lambda offer: f"{offer.score:.1f}", number=True),
            TableColumn(
                title=tell("Cost/TB"),
                text=lambda offer: "" if offer.cost_per_tb is None else str(offer.cost_per_tb),
                number=True,
            ),
            TableColumn(title=tell("Survives"), text=lambda offer: str(offer.candidate.failures_survived), number=True),
            TableColumn(title=tell("Yearly risk"), text=lambda offer: odds_text(offer.candidate.yearly_loss)),
            TableColumn(title=tell("Reads"), text=_reads, number=True),
        )


def _reads(offer: Offer) -> str:
    return rate_text(offer.candidate.predictions.speed.seq_read.typical)
