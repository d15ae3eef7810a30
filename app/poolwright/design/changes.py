"""What would change the answer: the nearest change of each input that leads to another first choice, and each wish."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_DOWN, Decimal
from functools import partial
from typing import Any

from poolwright.design.candidate import Candidate, Recommendation
from poolwright.design.explanations import below_words, missing_words
from poolwright.design.more_disks import one_more
from poolwright.design.recommend import recommend
from poolwright.design.request import JudgeMaker, Request
from poolwright.design.wishes import PREDICTED, affordable_disks, own_prices
from poolwright.domain.disk import Disk
from poolwright.domain.errors import PoolwrightError, UserError
from poolwright.domain.money import Money
from poolwright.domain.units import binary
from poolwright.domain.workload import Budget
from poolwright.texts import _, ngettext

# Disks that are added or left out at most, one by one, until the kind of layout is another.
MOST_DISKS = 4
_CLIENTS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
# A wish for so much more space than the first choice has asks for another one.
_A_LITTLE_MORE = 1.001


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change of one ``input`` (its name for programs): ``said`` in words, and the first choice that it leads to.

    ``choice`` is None where nothing was found that changes the answer; ``said`` then tells how far was looked.
    """

    said: str
    choice: Candidate | None
    input: str = ""


def changes(
    request: Request, found: Recommendation, make_judge: JudgeMaker, progress: Callable[[float], None] | None = None
) -> tuple[Change, ...]:
    """Return what would change the first choice of ``found``, for each input of ``request`` that can.

    Each is a search of its own, of which ``progress`` is told the share that is done. The network is none of them: it
    never decides between layouts, which are compared by what the pool itself can do.
    """
    asked = _Asked(request, found.best, make_judge)
    looks: dict[str, Callable[[_Asked], Change | None]] = {
        "more disks": _more_disks, "fewer disks": _fewer_disks, "capacity": _capacity,
        "more failures": partial(_failures, more=1), "fewer failures": partial(_failures, more=-1),
        "clients": _clients, "price": _price,
    }  # fmt: skip
    named = []
    for done, (what, look) in enumerate(looks.items()):
        if progress is not None:
            progress(done / len(looks))
        if (change := look(asked)) is not None:
            named.append(replace(change, input=what))
    return tuple(named)


@dataclass(frozen=True, slots=True)
class _Asked:
    request: Request
    best: Candidate
    make_judge: JudgeMaker

    @property
    def last_disk(self) -> Disk:
        """Return the last disk of the first choice as it was offered: whole, also where room is reserved on it."""
        key = self.best.main.disks[-1].key
        return next(disk for disk in self.request.disks if disk.key == key)

    def ranked(self, **changed: Any) -> Recommendation | None:
        """Return all layouts where parts of the request are others; None where there are none."""
        return _ranked(replace(self.request, **changed), self.make_judge)

    def with_budget(self, **changed: Any) -> Recommendation | None:
        return self.ranked(budget=replace(self.request.budget, **changed))

    def change(self, said: str, found: Recommendation | None) -> Change | None:
        """Return the change to the first of the layouts ``found``; None where that is the first choice as it is."""
        if found is None or found.best.words == self.best.words:
            return None
        return Change(said=said, choice=found.best)


def _ranked(request: Request, make_judge: JudgeMaker) -> Recommendation | None:
    try:
        return recommend(request, make_judge)
    except PoolwrightError:
        return None


def _kind(candidate: Candidate) -> tuple[str, int, int]:
    return candidate.family, candidate.vdev_count, candidate.measures.pool_count


def _more_disks(asked: _Asked) -> Change | None:
    disks, like = asked.request.disks, asked.last_disk
    if not _has_room_for(asked.request.budget, (*disks, one_more(like, 0))):
        return None
    added = [[*disks, *(one_more(like, number) for number in range(count))] for count in range(1, MOST_DISKS + 1)]
    return _other_disks(asked, lambda count: ngettext("{count} disk more", "{count} disks more", count), added)


def _has_room_for(budget: Budget, disks: Sequence[Disk]) -> bool:
    """Tell whether bays and money admit all these disks; where they do not, one disk more changes nothing."""
    try:
        return affordable_disks(budget, len(disks), own_prices(budget, disks, disks))[0] >= len(disks)
    except UserError:  # nobody can tell what they cost
        return False


def _fewer_disks(asked: _Asked) -> Change | None:
    """Leave out disks of the kind that the first choice is made of, the last ones first."""
    disks, like = asked.request.disks, asked.last_disk
    alike = [disk for disk in disks if disk.media is like.media and disk.size_bytes == like.size_bytes]
    left = []
    for count in range(1, min(MOST_DISKS, len(alike) - 1) + 1):
        gone = {disk.key for disk in alike[-count:]}
        left.append([disk for disk in disks if disk.key not in gone])
    return _other_disks(asked, lambda count: ngettext("{count} disk fewer", "{count} disks fewer", count), left)


def _other_disks(asked: _Asked, said: Callable[[int], str], tried: Sequence[Sequence[Disk]]) -> Change | None:
    """Return the least number of disks that leads to another kind of layout, or what one disk leads to."""
    first: Recommendation | None = None
    for count, disks in enumerate(tried, start=1):
        found = asked.ranked(disks=tuple(disks))
        first = first or found
        if found is not None and _kind(found.best) != _kind(asked.best):
            return Change(said=said(count), choice=found.best)
    return asked.change(said(1), first)


def _capacity(asked: _Asked) -> Change:
    """Return the least wish for space that the first choice does not meet, and what meets it."""
    room = int(min(asked.best.measures.usable_bytes, asked.best.measures.held_bytes) * _A_LITTLE_MORE)
    found = asked.with_budget(least_usable_bytes=room, keep=None)
    if found is not None and not found.best.missed:
        change = asked.change(_("{room} or more wished", room=binary(room)), found)
        if change is not None:
            return change
    return Change(said=_not_reached(binary(room), found), choice=None)


def _not_reached(room: str, found: Recommendation | None) -> str:
    """Return that no layout above the floors holds so much, and the best of those below them that does."""
    candidates = () if found is None else found.candidates
    lower = next((candidate for candidate in candidates if candidate.below and not candidate.missed), None)
    if found is None or lower is None:
        return _("{room} wished: no other layout reaches it", room=room)
    below = below_words(lower, found.survives)
    return _("{room} wished: only {layout}, which {below}, reaches it", room=room, layout=lower.words, below=below)


def _failures(asked: _Asked, *, more: int) -> Change | None:
    wanted = asked.best.measures.failures_survived + more
    if wanted < 0:
        return None
    said = ngettext("{count} failure to survive", "{count} failures to survive", wanted)
    return asked.change(said, asked.with_budget(survive=wanted))


def _clients(asked: _Asked) -> Change | None:
    """Return the number of clients nearest to the one told from which on another layout is better."""
    workload, now = asked.request.workload, asked.request.workload.clients
    numbers = [number for number in _CLIENTS if number != now]
    if now is not None:
        numbers.sort(key=lambda number: max(number / now, now / number))
    for number in numbers:
        said = ngettext("{count} client at once", "{count} clients at once", number)
        change = asked.change(said, asked.ranked(workload=replace(workload, clients=number)))
        if change is not None:
            return change
    return None


def _price(asked: _Asked) -> Change | None:
    """Return the price of a disk at which the money buys one more, where money limits the disks."""
    money, used = asked.request.budget.money, asked.best.used_count
    if money is None or asked.request.budget.price_per_disk is None or used >= len(asked.request.disks):
        return None
    amount = (money.amount / (used + 1)).quantize(Decimal("0.01"), rounding=ROUND_DOWN)
    price = Money(amount=amount, currency=money.currency)
    return asked.change(_("{price} or less for a disk", price=price), asked.with_budget(price_per_disk=price))


# What each wish of a budget costs: the best layout with it beside the best without it.

WISHES = ("least_usable_bytes", "survive", "spares", "money", "bays")
_SEEN = 1.25  # times as often as which a pool is lost or not that is worth a word
_SAME_SHARE = 0.001  # of the space: what two layouts may differ by and hold the same for people


@dataclass(frozen=True, slots=True, kw_only=True)
class WishCost:
    """What the best layout has by a wish and would not have without it.

    ``usable_bytes`` is the difference to ``free_bytes``, 0 where nobody would see it, ``loss`` how many times as often
    the pool is lost; None where no layout keeps to all wishes. ``fit`` is how many layouts there are without this one.
    """

    wish: str
    usable_bytes: int | None = None
    free_bytes: int = 0
    loss: float | None = None
    fit: int = 0

    @property
    def words(self) -> str:
        if self.usable_bytes is None or self.loss is None:
            return ngettext("without it {count} layout fits", "without it {count} layouts fit", self.fit)
        parts = []
        if self.usable_bytes:
            parts.append(f"{binary(self.free_bytes)} → {binary(self.free_bytes + self.usable_bytes)}")
        if self.loss * _SEEN < 1:
            parts.append(_("{times:.2g} times as safe", times=1 / self.loss))
        elif self.loss > _SEEN:
            parts.append(_("{times:.2g} times the risk", times=self.loss))
        return ", ".join(parts) or _("costs nothing")


@dataclass(frozen=True, slots=True, kw_only=True)
class WishesWeighed:
    """How many layouts ``fit`` of ``every`` one without any limit (None: not yet known), and what each wish costs.

    ``largest_bytes`` and ``safest`` (probability a year) are of those that fit; ``refused`` says why none does, or what
    the first choice misses.
    """

    fit: int
    every: int | None = None
    largest_bytes: int | None = None
    safest: float | None = None
    refused: str = ""
    costs: tuple[WishCost, ...] = ()


def wishes_weighed(
    request: Request,
    search: Callable[[], Recommendation],
    make_judge: JudgeMaker,
    look: Callable[[WishesWeighed], None],
) -> WishesWeighed:
    """Return what each wish costs, by a search; ``look`` gets what is known so far, ``search`` is the first one."""
    budget, best = request.budget, None
    try:
        found = search()
    except PoolwrightError as error:
        known = WishesWeighed(fit=0, refused=error.text)
    else:
        best = found.best
        rows = [one for one in found.candidates if not one.missed]
        known = WishesWeighed(
            fit=found.feasible - len(found.candidates) + len(rows),
            largest_bytes=max((one.measures.usable_bytes for one in rows), default=None),
            safest=min((one.measures.any_loss for one in rows), default=None),
            refused=missing_words(found),
        )
    look(known)
    for wish in WISHES:
        if getattr(budget, wish) is not None:
            known = replace(known, costs=(*known.costs, _cost(wish, best, _without(request, (wish,), make_judge))))
            look(known)
    every = _without(request, (*WISHES, *PREDICTED), make_judge)
    return replace(known, every=every.feasible if every is not None else None)


def _without(request: Request, wishes: Sequence[str], make_judge: JudgeMaker) -> Recommendation | None:
    free: dict[str, Any] = dict.fromkeys(wishes)
    return _ranked(replace(request, budget=replace(request.budget, **free)), make_judge)


def _cost(wish: str, best: Candidate | None, without: Recommendation | None) -> WishCost:
    if best is None or without is None:
        return WishCost(wish=wish, fit=without.feasible if without is not None else 0)
    free = without.best
    difference = best.measures.usable_bytes - free.measures.usable_bytes
    return WishCost(
        wish=wish,
        usable_bytes=difference if abs(difference) > _SAME_SHARE * free.measures.usable_bytes else 0,
        free_bytes=free.measures.usable_bytes,
        loss=best.measures.any_loss / free.measures.any_loss if free.measures.any_loss else 1.0,
        fit=without.feasible,
    )
