"""What to buy: the cheapest and the best design that meets the wishes, from a catalogue, with or without disks at hand.

One model is bought at a time, in every number that money, bays and the wish for capacity admit, and each number is
designed with as any disks are. What this leaves out is said in `Buying.left_out`."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cache, partial
from heapq import heapify, heappop, heappush

from poolwright.design.candidate import Candidate
from poolwright.design.evaluator import judged
from poolwright.design.floors import FAILURES_WANTED, FEW_DISKS
from poolwright.design.rank import SAFE_LOSS, most_points, score
from poolwright.design.recommend import layouts_of, recommend
from poolwright.design.request import JudgeMaker, LayoutJudge, Request
from poolwright.design.select import placed, waits
from poolwright.design.slots import placed_vdevs
from poolwright.design.two_pools import split_of
from poolwright.design.wishes import wishes_words
from poolwright.domain.catalogue import Catalogue, Product, planned_disks, purchase_currency
from poolwright.domain.disk import Disk
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.money import Money, how_many, rounded
from poolwright.domain.units import TB, drive_size
from poolwright.domain.vdev import describe
from poolwright.domain.workload import Budget, Goal
from poolwright.predict.drives import DriveBook
from poolwright.texts import _, ngettext

MOST_BOUGHT = 96
MOST_WITHOUT_BAYS = 48  # tried where nobody said how many bays there are
# Left over after a purchase: says nothing of what is bought, for idle disks are not bought.
_IDLE_RULE = "spares.unused-disks"
_SAME_SCORE = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A purchase with the design it makes: ``count`` disks of ``product`` for ``cost`` in all (None, 0: nothing).

    ``cost`` is in the currency of the whole search: the budget's, else that of the catalogue. ``request`` is what the
    candidate answers: its disks are those at hand and those bought, its budget the whole one. ``score`` compares
    offers: capacity and speed are measured against the most that any purchase of the same money and bays could give.
    """

    product: Product | None
    count: int
    cost: Money
    candidate: Candidate
    request: Request
    score: float

    @property
    def usable_bytes(self) -> int:
        return self.candidate.measures.usable_bytes

    @property
    def cost_per_tb(self) -> Money | None:
        """Return the cost of a usable decimal TB; None where nothing is usable."""
        if self.usable_bytes <= 0:
            return None
        return rounded(Fraction(self.cost.amount) * TB / self.usable_bytes, self.cost.currency)


@dataclass(frozen=True, slots=True, kw_only=True)
class BuyProgress:
    """How far a search is: models looked at, of all; the best offers so far."""

    done: int
    models: int
    best: Offer | None = None
    cheapest: Offer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Buying:
    """The answer: the cheapest offer that meets the wishes, the best, and the front.

    ``best`` is the cheapest that is the first choice of its disks where room or speed was asked for, else that with the
    best score. ``front`` holds the offers that are worth more for more money (by score), the cheapest first, none of
    them beaten by another in cost, space and protection together; ``offers`` the best offer for each model and number.
    ``left_out`` says what was not tried.
    """

    cheapest: Offer
    best: Offer
    front: tuple[Offer, ...]
    offers: tuple[Offer, ...]
    models: int
    left_out: tuple[str, ...]


def still_sold(catalogue: Catalogue) -> Catalogue:
    """Return the catalogue without the models of which it says that they are no longer sold."""
    return replace(catalogue, products=tuple(product for product in catalogue.products if product.sold is not False))


def buy(
    request: Request,
    catalogue: Catalogue,
    make_judge: JudgeMaker,
    *,
    with_old: bool = False,
    progress: Callable[[BuyProgress], None] | None = None,
) -> Buying:
    """Return what to buy; raises Refusal where nothing meets the wishes, UserError where nothing bounds the search.

    ``request.disks`` are those at hand, its budget says money, bays and wishes. Models that are no longer sold are
    offered ``with_old`` only. ``progress`` is told after each model.
    """
    sold = catalogue if with_old else still_sold(catalogue)
    most = _bounds(request, sold)
    search = _Search(request, make_judge, most, purchase_currency(request.budget, sold))
    if progress is not None:
        progress(BuyProgress(done=0, models=len(most)))
    if request.disks:
        search.look_at(None, 0)
    for done, (product, count) in enumerate(most, start=1):
        for bought in range(1, count + 1) if request.disks else (count,):
            search.look_at(product, bought)
        if progress is not None:
            worth = _worth(search.offers)
            best, cheapest = (_best(worth), _cheapest(worth)) if worth else (None, None)
            progress(BuyProgress(done=done, models=len(most), best=best, cheapest=cheapest))
    if not search.offers:
        raise Refusal(
            _("Nothing that can be bought meets the request"),
            where=", ".join((_("goal {goal}", goal=_(request.workload.goal.value)), *wishes_words(request.budget))),
            todo=_("Allow more money or bays, ask for less, or put other disks into the catalogue."),
            reasons=tuple(search.why_none()) or (_("No disk of the catalogue is within the money."),),
        )
    unsold = len(catalogue.products) - len(sold.products)
    return search.answer(tuple(left_out_of_buying(request.budget, sold, most, unsold=unsold)))


def affordable(product: Product, budget: Budget, hand: int) -> int:
    """Return how many disks of ``product`` money, bays and ``buy_most`` admit beside ``hand`` disks."""
    limits = [_most_tried(budget)]
    if budget.buy_most is not None:
        limits.append(budget.buy_most)
    if budget.bays is not None:
        limits.append(budget.bays - hand)
    if budget.money is not None and product.price is not None:
        bought = how_many(budget.money, product.price)
        limits += [] if bought is None else [bought]
    return max(0, min(limits))


def _most_tried(budget: Budget) -> int:
    return MOST_WITHOUT_BAYS if budget.bays is None else MOST_BOUGHT


def _bounds(request: Request, catalogue: Catalogue) -> list[tuple[Product, int]]:
    """Return the models worth a look, the cheapest by space first, with the most disks of each."""
    budget = request.budget
    if budget.money is None and budget.bays is None and budget.buy_most is None and budget.wanted_bytes is None:
        raise UserError(
            _("Nothing says how many disks may be bought"), todo=_("Give money, bays, a number of disks or a capacity.")
        )
    each = {product: Fraction(product.price.amount) for product in catalogue.products if product.price is not None}
    if not each:
        raise UserError(
            _("No disk of the catalogue that is still sold has a price"),
            todo=_("Enter prices in the catalogue, or allow models that are no longer sold."),
        )
    purchase_currency(budget, catalogue)  # refuses prices in several currencies
    found: list[tuple[Product, int]] = []
    for product in sorted(each, key=lambda p: (each[p] / p.size_bytes, p.key)):
        if any(_beats(other, product, each, request.drives) for other, __ in found):
            continue
        most = affordable(product, budget, len(request.disks))
        if budget.money is None and budget.wanted_bytes is not None:
            # Twice the capacity and some: mirrors of two with spares. More would only cost more.
            most = min(most, 3 * -(-budget.wanted_bytes // product.size_bytes) + 8)
        if most:
            found.append((product, most))
    return found


def _beats(one: Product, other: Product, each: Mapping[Product, Fraction], drives: DriveBook) -> bool:
    """Tell whether nobody would buy ``other``: as dear, no larger, of the same kind and failing no less."""

    def afr(product: Product) -> float:
        return drives.rate(product.model, product.afr_percent).typical

    alike = (one.media, one.smr, one.power_loss_protection) == (other.media, other.smr, other.power_loss_protection)
    return alike and each[other] >= each[one] and other.size_bytes <= one.size_bytes and afr(other) >= afr(one)


_Look = Candidate | Callable[[], Candidate | None]
_Known = tuple[float, _Look]  # the most that a layout may score, and what is known of it or looks at it


class _Search:
    def __init__(
        self, request: Request, make_judge: JudgeMaker, most: Sequence[tuple[Product, int]], currency: str | None
    ) -> None:
        self._request, self._judge, self._models, self._currency = request, make_judge, len(most), currency
        hand = request.disks
        held = sum(disk.size_bytes or 0 for disk in hand)
        self._reference_disks = len(hand) + max((count for __, count in most), default=0)
        self._reference_bytes = held + max((product.size_bytes * count for product, count in most), default=0)
        # Cheap is only what meets the goal: what is below its floors, as a ranking has them, is no offer.
        self._wishes = replace(request.budget, money=None, price_per_disk=None, buy_most=None)
        self.offers: list[Offer] = []
        self._failed: dict[Product | None, Request] = {}  # the largest purchase of each model that meets no wish

    def look_at(self, product: Product | None, count: int) -> None:
        """Find the best offers of so many disks of a model: of this number beside disks at hand, else up to it."""
        wishes, goal, hand = self._wishes, self._request.workload.goal, self._request.disks
        bought = () if product is None else planned_disks(product, count)
        if not hand and count <= FEW_DISKS[goal] < self._reference_disks:
            # Of few disks less is asked; not where another model can be bought in numbers.
            wishes = replace(wishes, survive=FAILURES_WANTED[goal] if wishes.survive is None else wishes.survive)
        # Who has three disks is told to survive one failure with them; nobody is told to buy three that survive two.
        unasked = not hand and goal is Goal.SAFETY and self._wishes.survive is None
        fewest = FEW_DISKS[goal] + 1 if unasked and self._reference_disks > FEW_DISKS[goal] else 0
        asked = replace(self._request, disks=(*hand, *bought), budget=wishes)
        raw = sum(disk.size_bytes or 0 for disk in asked.disks)
        listed = self._listed(asked, bought if hand else ()) if raw >= (wishes.wanted_bytes or 0) else ()
        offers = self._offers(product, asked, listed, count if hand else None)
        self.offers.extend(offer for number, offer in offers.items() if number >= fewest)
        if not offers:
            self._failed[product] = asked

    def _listed(self, asked: Request, bought: Sequence[Disk]) -> Sequence[_Known]:
        """Return the layouts that use all that are ``bought`` with the most each may score."""
        try:
            if split_of(asked) is not None:
                found = recommend(asked, self._judge)
                return [(self._score(c), c) for c in found.candidates if not c.missed and not c.below]
            listed = layouts_of(asked, self._judge, bought)
        except Refusal:
            return ()
        goal, ordered = asked.workload.goal, asked.workload.sequential_percent
        return [(most_points(goal, ordered, held / self._reference_bytes), look) for held, look in listed]

    def _offers(
        self, product: Product | None, asked: Request, listed: Sequence[_Known], count: int | None
    ) -> dict[int, Offer]:
        """Return the best offer for each number of disks bought, or for ``count`` alone.

        What promises most is looked at first, then placed and judged, for all that only takes points; until nothing
        else could be better.
        """
        judge_of = cache(partial(self._judge, asked))
        waiting = [(-most, number, known) for number, (most, known) in enumerate(listed)]
        heapify(waiting)
        best: dict[int, Offer] = {}
        while waiting:
            most, number, known = heappop(waiting)
            if count in best and -most < best[count].score - _SAME_SCORE:
                break
            if not isinstance(known, Candidate):
                looked = known()
                if looked is not None:
                    heappush(waiting, (-self._score(looked), number, looked))
                continue
            bought = bought_disks(known)
            rival = best.get(bought)
            if count not in (None, bought) or (rival and -most < rival.score - _SAME_SCORE):
                continue
            exact = self._judged(known, asked, judge_of)
            if exact is None:
                continue
            offer = Offer(
                product=product if bought else None,
                count=bought,
                cost=self._cost(product, bought),
                candidate=exact,
                request=replace(asked, budget=self._request.budget),
                score=self._score(exact),
            )
            if rival is None or _value(offer) > _value(rival):
                best[bought] = offer
        return best

    def _judged(
        self, candidate: Candidate, asked: Request, judge_of: Callable[[tuple[Disk, ...], int], LayoutJudge]
    ) -> Candidate | None:
        """Return a layout with its disks in their places and what the rules find; None where it is none to offer."""
        if split_of(asked) is not None:
            return candidate
        exact = placed(candidate, asked.budget) if waits(candidate) else candidate
        if exact.missed:
            return None
        found = judged(exact, lambda medium, kinds: judge_of(medium.disks(kinds), medium.ashift))
        return found if isinstance(found, Candidate) else None

    def why_none(self) -> Iterator[str]:
        """Return why none of the purchases meets the wishes: of each model with most disks."""
        for product, asked in self._failed.items():
            try:
                best = recommend(asked, self._judge).best
                reasons = tuple(f"{best.words}: {missed.text}" for missed in best.missed)
            except Refusal as refusal:
                reasons = refusal.reasons[:3]
            name = _("The disks already here")
            if product is not None:
                count = len(asked.disks) - len(self._request.disks)
                name = ngettext("{count} disk of {model}", "{count} disks of {model}", count, model=product.model)
            if reasons:
                yield f"{name}: {'; '.join(reasons)}"

    def _cost(self, product: Product | None, count: int) -> Money:
        if product is None or product.price is None:
            return Money(amount=Decimal(0), currency=self._currency)
        return product.price * count

    def _score(self, candidate: Candidate) -> float:
        ideal = replace(candidate.measures.ideal, most_disks=self._reference_disks, raw_bytes=self._reference_bytes)
        findings = [finding for finding in candidate.findings if finding.rule_id != _IDLE_RULE]
        return score(replace(candidate.measures, ideal=ideal), findings)

    def answer(self, left_out: tuple[str, ...]) -> Buying:
        """Return what was found, each offer that is shown designed anew from exactly the disks it buys."""
        worth = _worth(self.offers)
        front = tuple(self._exact(offer) for offer in _front(worth))
        known = {(o.product, o.count): o for o in front}
        best, cheapest = self._enough(front) or _best(worth), _cheapest(worth)
        return Buying(
            cheapest=known.get((cheapest.product, cheapest.count)) or self._exact(cheapest),
            best=known.get((best.product, best.count)) or self._exact(best),
            front=front,
            offers=tuple(sorted(self.offers, key=_by_cost)),
            models=self._models,
            left_out=left_out,
        )

    def _enough(self, front: Sequence[Offer]) -> Offer | None:
        """Return the cheapest that is the first choice of its disks, where so much room or speed was asked for.

        More than was asked for is not better: the front has it. None where only money and bays bound the search.
        """
        bare = replace(
            self._wishes, least_usable_bytes=None, least_read_bytes_per_second=None, least_write_bytes_per_second=None
        )
        if bare == self._wishes:
            return None
        for offer in front:
            best = recommend(replace(offer.request, budget=bare), self._judge).best
            if best.main.layout == offer.candidate.main.layout:
                return offer
        return None

    def _exact(self, offer: Offer) -> Offer:
        """Return the offer with no disk left over that nobody would buy."""
        if offer.product is None or self._request.disks or offer.count == len(offer.request.disks):
            return offer
        request = replace(offer.request, disks=planned_disks(offer.product, offer.count))
        asked = replace(request, budget=self._wishes)
        looks = (known if isinstance(known, Candidate) else known() for __, known in self._listed(asked, ()))
        same = next((one for one in looks if one is not None and one.main.layout == offer.candidate.main.layout), None)
        exact = self._judged(same, asked, partial(self._judge, asked)) if same is not None else None
        return replace(offer, candidate=exact, request=request) if exact is not None else offer


def bought_disks(candidate: Candidate) -> int:
    bought = {disk.key for disk in candidate.main.disks if disk.planned and disk.price is not None}
    if len(bought) == len(candidate.main.disks):
        return candidate.used_count
    pools = placed_vdevs(candidate.pools)
    return len({member.disk_key for vdevs in pools for vdev in vdevs for member in vdev.members} & bought)


def _value(offer: Offer) -> tuple[float, int]:
    return round(offer.score, 6), offer.usable_bytes


def _by_cost(offer: Offer) -> tuple[Decimal, float]:
    return offer.cost.amount, -offer.score


def _best(offers: Iterable[Offer]) -> Offer:
    return max(offers, key=lambda o: (round(o.score, 6), -o.cost.amount, o.usable_bytes))


def _cheapest(offers: Iterable[Offer]) -> Offer:
    return min(offers, key=_by_cost)


def _worth(offers: Sequence[Offer]) -> list[Offer]:
    """Return the offers that no other beats in cost and space, as long as it protects and serves as well."""
    marks = [(offer, _marks(offer)) for offer in offers]
    return [
        offer
        for offer, mine in marks
        if not any(mine != other and all(a >= b for a, b in zip(other, mine, strict=True)) for __, other in marks)
    ]


def _marks(offer: Offer) -> tuple[float | Decimal, ...]:
    """Return what counts of an offer, more being better; speed only where the goal asks for it."""
    candidate = offer.candidate
    speed, wanted = candidate.measures.speed, (0.0, 0.0)
    if candidate.measures.ideal.goal is Goal.CONCURRENT:
        wanted = (speed.rand_read_iops, speed.rand_write_iops)
    elif candidate.measures.ideal.goal is Goal.SPEED:
        wanted = (speed.seq_read, speed.seq_write)
    loss = max(candidate.measures.any_loss, SAFE_LOSS)
    return (-offer.cost.amount, offer.usable_bytes, candidate.measures.failures_survived, -loss, *wanted)


def _front(offers: Iterable[Offer]) -> list[Offer]:
    found: list[Offer] = []
    for offer in sorted(offers, key=_by_cost):
        if not found or offer.score > found[-1].score + 1e-9:
            found.append(offer)
    return found


# What is said of a purchase: what was wished, and what was not tried.


def left_out_of_buying(
    budget: Budget, catalogue: Catalogue, most: Sequence[tuple[Product, int]], *, unsold: int
) -> Iterator[str]:
    """Return in sentences which purchases were not tried.

    ``most`` are the models that were tried with the most disks of each, ``unsold`` counts those no longer sold.
    """
    yield _("One model was bought at a time: purchases of two models together were not tried.")
    tried = {product for product, __ in most}
    if unpriced := sum(product.price is None for product in catalogue.products):
        yield ngettext(
            "{count} model of the catalogue without a price.",
            "{count} models of the catalogue without a price.",
            unpriced,
        )
    if other := sum(product.price is not None and product not in tried for product in catalogue.products):
        yield ngettext(
            "{count} model that money or bays do not admit, or that cost more for no more.",
            "{count} models that money or bays do not admit, or that cost more for no more.",
            other,
        )
    limit = _most_tried(budget)
    if any(count == limit for __, count in most):
        yield (
            _("More than {limit} disks of one model.", limit=limit)
            if budget.bays is not None
            else _("More than {limit} disks of one model: say how many bays there are to have more tried.", limit=limit)
        )
    if budget.money is None and budget.wanted_bytes is not None:
        yield _("Far more disks than the capacity asked for needs.")
    if unsold:
        yield ngettext(
            "{count} model of the catalogue no longer sold.", "{count} models of the catalogue no longer sold.", unsold
        )


def offer_words(offer: Offer) -> str:
    """Return what an offer is: its disks by size, those at hand included, and the layout they make."""
    sizes = Counter(disk.size_bytes for disk in offer.request.disks)
    disks = ", ".join(f"{count} × {drive_size(size)}" for size, count in sorted(sizes.items(), key=lambda s: -s[1]))
    return f"{disks}, {describe(offer.candidate.main.layout)}"
