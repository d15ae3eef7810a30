"""From the session to a search of what to buy, and from an offer to the design."""

from collections.abc import Generator, Sequence
from dataclasses import replace
from uuid import uuid4

from PySide6.QtCore import QObject, Signal

from poolwright.design.assign import placing_in_steps
from poolwright.design.buying import Buying, BuyProgress, Offer, buy_in_steps
from poolwright.design.offers import offer_words
from poolwright.design.request import Request
from poolwright.domain.catalogue import Catalogue
from poolwright.domain.design import Design
from poolwright.domain.inventory import Inventory
from poolwright.domain.origin import Origin, OriginKind
from poolwright.domain.steps import at_each
from poolwright.domain.units import TB
from poolwright.drive_library import load_drive_book
from poolwright.judging import judge_maker
from poolwright.rules.model import RuleBook
from poolwright.texts import tell, tell_counted
from poolwright.ui.state.money_of_budget import money_words
from poolwright.ui.state.recommending import Placing, design_from
from poolwright.ui.state.session import Session


def buy_request(session: Session, *, with_hand: bool) -> Request:
    """Return what is asked: the wishes of the budget, with the ticked disks or from nothing."""
    inventory = session.inventory
    hand = tuple(d for d in inventory.disks if d.key in session.ticked) if inventory and with_hand else ()
    host = inventory.host if inventory else None
    request = Request(
        disks=hand,
        workload=session.workload,
        budget=session.budget,
        version=session.version,
        ashift=session.ashift,
        drives=load_drive_book(),
    )
    return request if host is None else replace(request, host=host)


def searching(
    request: Request, catalogue: Catalogue, book: RuleBook, seen: list[BuyProgress], *, with_old: bool = False
) -> Generator[float, None, Buying]:
    """Yield the share of models looked at, return the answer; ``seen`` holds the last progress for who looks on.

    Models that are no longer sold are looked at ``with_old`` only.
    """

    def share(progress: BuyProgress) -> float:
        seen[:] = [progress]
        return progress.done / max(1, progress.models)

    steps = buy_in_steps(request, catalogue, judge_maker(book, request.host), with_old=with_old)
    return (yield from at_each(steps, share))


def take_offer(session: Session, offer: Offer) -> None:
    """Make the disks of an offer the session's, and its layout the design."""
    before = session.inventory
    bought = tuple(disk for disk in offer.request.disks if disk.planned)
    if before is not None and any(not disk.planned or disk.price is None for disk in offer.request.disks):
        # One search may follow another: disks of an earlier offer make room.
        kept = tuple(disk for disk in before.disks if disk.price is None)
        keys = frozenset(disk.key for disk in offer.request.disks)
        session.set_inventory(replace(before, disks=(*kept, *(d for d in bought if d.price is not None))), keys)
    else:
        origin = Origin(kind=OriginKind.TYPED, source=tell("catalogue of disks to buy"))
        workload, budget = session.workload, session.budget
        session.replace_by(Inventory(name=tell("Disks to buy"), disks=offer.request.disks, origin=origin))
        session.set_workload(workload)
        session.set_budget(budget)
    afresh = session.design is None
    design = design_from(offer.candidate, offer.request, session)
    session.choose(offer.candidate, replace(design, name=offer_words(offer)) if afresh else design)


def designs_in_steps(session: Session, offers: Sequence[Offer]) -> Generator[float, None, tuple[Design, ...]]:
    """Return each offer as a design for the library, named by what it is; yields the share that is done."""
    designs = []
    for done, offer in enumerate(offers):
        for _ in placing_in_steps(offer.candidate):
            yield done / len(offers)
        design = design_from(offer.candidate, offer.request, session)
        designs.append(replace(design, key=uuid4().hex, name=offer_words(offer)))
    return tuple(designs)


class Taking(QObject):
    """Takes one offer at a time, as `take_offer`, once the places of its disks are known. ``done`` is sent then."""

    done = Signal()

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._offer: Offer | None = None
        self._placing = Placing(session.jobs, self)
        self._placing.done.connect(self._on_placed)

    def take(self, offer: Offer) -> None:
        self._offer = offer
        self._placing.start(offer.candidate)

    def _on_placed(self) -> None:
        offer, self._offer = self._offer, None
        if offer is not None:
            take_offer(self._session, offer)
            self.done.emit()


def wishes_text(session: Session) -> str:
    """Return in a line what a search would keep to."""
    budget = session.budget
    parts = [tell("Asked for: {goal}", goal=tell(session.workload.goal.value))]
    if budget.money is not None:
        parts.append(tell("at most {money}", money=money_words(budget.money)))
    if budget.bays is not None:
        parts.append(tell_counted("{count} bay", "{count} bays", budget.bays))
    if budget.least_usable_bytes is not None:
        parts.append(tell("{size:.4g} TB usable", size=budget.least_usable_bytes / TB))
    if budget.survive is not None:
        parts.append(tell_counted("survives {count} failure", "survives {count} failures", budget.survive))
    if budget.spares is not None:
        parts.append(tell_counted("{count} spare", "{count} spares", budget.spares))
    return ", ".join(parts)
