"""What would change the answer: the nearest change of each input that leads to another first choice, and to which."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_DOWN, Decimal
from enum import StrEnum
from functools import partial

from poolwright.design.candidate import Candidate, Recommendation
from poolwright.design.reach import one_more
from poolwright.design.recommend import recommend_in_steps
from poolwright.design.request import JudgeMaker, Request
from poolwright.design.told import below_words
from poolwright.design.wishes import affordable_disks, own_prices
from poolwright.domain.disk import Disk
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.money import Money
from poolwright.domain.steps import at_each, at_once
from poolwright.domain.units import binary
from poolwright.domain.workload import Budget, Workload
from poolwright.texts import tell, tell_counted

# Disks that are added or left out at most, one by one, until the kind of layout is another.
MOST_DISKS = 4
_CLIENTS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
# A wish for so much more space than the first choice has asks for another one.
_A_LITTLE_MORE = 1.001


class Input(StrEnum):
    MORE_DISKS = "more disks"
    FEWER_DISKS = "fewer disks"
    CAPACITY = "capacity"
    MORE_FAILURES = "more failures"
    FEWER_FAILURES = "fewer failures"
    CLIENTS = "clients"
    PRICE = "price"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change of one input: ``said`` in words, and the first choice that it leads to.

    ``choice`` is None where nothing was found that changes the answer; ``said`` then tells how far was looked.
    """

    input: Input
    said: str
    choice: Candidate | None


def changes(request: Request, found: Recommendation, make_judge: JudgeMaker) -> tuple[Change, ...]:
    return at_once(changes_in_steps(request, found, make_judge))


def changes_in_steps(
    request: Request, found: Recommendation, make_judge: JudgeMaker
) -> Generator[float, None, tuple[Change, ...]]:
    """Return what would change the first choice of ``found``, for each input of ``request`` that can.

    Each is a search of its own. The network is none of them: it never decides between layouts, which are compared by
    what the pool itself can do. Yields the share of the inputs that were looked at.
    """
    asked = _Asked(request, found.best, make_judge)
    told: list[Change] = []
    looks = (_more_disks, _fewer_disks, _capacity, _more_failures, _fewer_failures, _clients, _price)
    for done, look in enumerate(looks):
        change = yield from at_each(look(asked), partial(_share, done / len(looks)))
        if change is not None:
            told.append(change)
    return tuple(told)


def _share(done: float, _step: None) -> float:
    return done


@dataclass(frozen=True, slots=True)
class _Asked:
    request: Request
    best: Candidate
    make_judge: JudgeMaker

    @property
    def last_disk(self) -> Disk:
        """Return the last disk of the first choice as it was offered: whole, also where room is reserved on it."""
        key = self.best.disks[-1].key
        return next(disk for disk in self.request.disks if disk.key == key)

    def answer(self, **changed: object) -> Generator[None, None, Candidate | None]:
        """Return the first choice where parts of the request are others; None where there is none."""
        found = yield from self.ranked(**changed)
        return None if found is None else found.best

    def ranked(self, **changed: object) -> Generator[None, None, Recommendation | None]:
        """Return all layouts where parts of the request are others; None where there are none."""
        request = replace(self.request, **changed)  # type: ignore[arg-type]
        try:
            return (yield from at_each(recommend_in_steps(request, self.make_judge), lambda _: None))
        except (Refusal, UserError):
            return None

    def differs(self, other: Candidate | None) -> bool:
        return other is not None and other.words != self.best.words


_Look = Generator[None, None, Change | None]


def _kind(candidate: Candidate) -> tuple[str, int, int]:
    return candidate.family, candidate.vdevs, candidate.pool_count


def _more_disks(asked: _Asked) -> _Look:
    disks, like = asked.request.disks, asked.last_disk
    if not _has_room_for(asked.request.budget, (*disks, one_more(like, 0))):
        return None
    added = [[*disks, *(one_more(like, number) for number in range(count))] for count in range(1, MOST_DISKS + 1)]
    return (yield from _other_disks(asked, Input.MORE_DISKS, added))


def _has_room_for(budget: Budget, disks: Sequence[Disk]) -> bool:
    """Tell whether bays and money admit all these disks; where they do not, one disk more changes nothing."""
    try:
        return affordable_disks(budget, len(disks), own_prices(budget, disks, disks))[0] >= len(disks)
    except UserError:  # nobody can tell what they cost
        return False


def _fewer_disks(asked: _Asked) -> _Look:
    """Leave out disks of the kind that the first choice is made of, the last ones first."""
    disks, like = asked.request.disks, asked.last_disk
    alike = [disk for disk in disks if disk.media is like.media and disk.size_bytes == like.size_bytes]
    left = []
    for count in range(1, min(MOST_DISKS, len(alike) - 1) + 1):
        gone = {disk.key for disk in alike[-count:]}
        left.append([disk for disk in disks if disk.key not in gone])
    return (yield from _other_disks(asked, Input.FEWER_DISKS, left))


def _disks_said(which: Input, count: int) -> str:
    if which is Input.MORE_DISKS:
        return tell_counted("{count} disk more", "{count} disks more", count)
    return tell_counted("{count} disk fewer", "{count} disks fewer", count)


def _other_disks(asked: _Asked, which: Input, tried: Sequence[Sequence[Disk]]) -> _Look:
    """Return the least number of disks that leads to another kind of layout, or what one disk leads to."""
    first: Candidate | None = None
    for count, disks in enumerate(tried, start=1):
        choice = yield from asked.answer(disks=tuple(disks))
        first = first or choice
        if choice is not None and _kind(choice) != _kind(asked.best):
            return Change(input=which, said=_disks_said(which, count), choice=choice)
    return Change(input=which, said=_disks_said(which, 1), choice=first) if asked.differs(first) else None


def _capacity(asked: _Asked) -> _Look:
    """Return the least wish for space that the first choice does not meet, and what meets it."""
    room = int(min(asked.best.usable_bytes, asked.best.measures.held_bytes) * _A_LITTLE_MORE)
    found = yield from asked.ranked(budget=_budget(asked, least_usable_bytes=room))
    choice = None if found is None else found.best
    if found is None or choice is None or choice.missed or not asked.differs(choice):
        return Change(input=Input.CAPACITY, said=_not_reached(binary(room), found), choice=None)
    return Change(input=Input.CAPACITY, said=tell("{room} or more wished", room=binary(room)), choice=choice)


def _not_reached(room: str, found: Recommendation | None) -> str:
    """Return that no layout above the floors holds so much, and the best of those below them that does."""
    candidates = () if found is None else found.candidates
    lower = next((candidate for candidate in candidates if candidate.below and not candidate.missed), None)
    if found is None or lower is None:
        return tell("{room} wished: no other layout reaches it", room=room)
    below = below_words(lower, found.survives)
    return tell("{room} wished: only {layout}, which {below}, reaches it", room=room, layout=lower.words, below=below)


def _more_failures(asked: _Asked) -> _Look:
    return (yield from _failures(asked, Input.MORE_FAILURES, asked.best.failures_survived + 1))


def _fewer_failures(asked: _Asked) -> _Look:
    survived = asked.best.failures_survived
    return (yield from _failures(asked, Input.FEWER_FAILURES, survived - 1)) if survived else None


def _failures(asked: _Asked, which: Input, wanted: int) -> _Look:
    choice = yield from asked.answer(budget=_budget(asked, survive=wanted))
    if choice is None or not asked.differs(choice):
        return None
    return Change(
        input=which,
        said=tell_counted("{count} failure to survive", "{count} failures to survive", wanted),
        choice=choice,
    )


def _clients(asked: _Asked) -> _Look:
    """Return the number of clients nearest to the one told from which on another layout is better."""
    now = asked.request.workload.clients
    numbers = [number for number in _CLIENTS if number != now]
    if now is not None:
        numbers.sort(key=lambda number: max(number / now, now / number))
    for number in numbers:
        workload: Workload = replace(asked.request.workload, clients=number)
        choice = yield from asked.answer(workload=workload)
        if asked.differs(choice):
            return Change(
                input=Input.CLIENTS,
                said=tell_counted("{count} client at once", "{count} clients at once", number),
                choice=choice,
            )
    return None


def _price(asked: _Asked) -> _Look:
    """Return the price of a disk at which the money buys one more, where money limits the disks."""
    budget = asked.request.budget
    used = asked.best.used
    if budget.money is None or budget.price_per_disk is None or used >= len(asked.request.disks):
        return None
    amount = (budget.money.amount / (used + 1)).quantize(Decimal("0.01"), rounding=ROUND_DOWN)
    price = Money(amount=amount, currency=budget.money.currency)
    choice = yield from asked.answer(budget=_budget(asked, price_per_disk=price))
    return (
        Change(input=Input.PRICE, said=tell("{price} or less for a disk", price=price), choice=choice)
        if asked.differs(choice)
        else None
    )


def _budget(asked: _Asked, **changed: object) -> Budget:
    return replace(asked.request.budget, **changed)  # type: ignore[arg-type]
