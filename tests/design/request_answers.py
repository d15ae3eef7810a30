"""What is tried and wanted before any layout is scored: shapes, floors, groups of disks, survival, purchases."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import product

from tests.design.in_words import short
from tests.design.test_buying import LARGE, MIDDLE, SHOP, SMALL, eur

from poolwright.design.buying import Buying, Offer, buy, offer_words
from poolwright.design.equal_layouts import (
    FAMILIES,
    EqualLayout,
    draids,
    family_words,
    full_shapes,
    shapes,
    spare_numbers,
)
from poolwright.design.floors import WIDEST, Floor, failures_wanted, floor_words, floors_of
from poolwright.design.groups import Stock, blocks, equal_groups, layerings, safe_ashift
from poolwright.design.pack import divisions
from poolwright.design.request import Request
from poolwright.design.survival import survival_of_sets, survival_shares
from poolwright.domain.catalogue import Catalogue
from poolwright.domain.disk import Disk, Health, Media
from poolwright.domain.errors import PoolwrightError, Refusal
from poolwright.domain.units import TB
from poolwright.domain.vdev import VdevKind, VdevSpec
from poolwright.domain.workload import Allowance, Budget, Goal, Workload
from poolwright.judging import judge_maker
from poolwright.rule_library import load_shipped

_ALIKE = (
    (VdevKind.MIRROR, 0),
    (VdevKind.RAIDZ, 1),
    (VdevKind.RAIDZ, 2),
    (VdevKind.RAIDZ, 3),
    (VdevKind.DRAID, 2),
    (VdevKind.STRIPE, 0),
)


def _counted(found: Iterable[EqualLayout]) -> list[str]:
    """Return by family how many shapes there are, and the sums of what they are made of."""
    sums: dict[str, Counter[str]] = {}
    for one in found:
        told = sums.setdefault(f"{one.family} of {one.data}" if one.data else one.family, Counter())
        told.update(shapes=1, width=one.width, narrow=one.narrow, wide=one.wide, spares=one.spares, pools=one.pools)
        told.update(
            distributed=one.distributed, disks=one.disks, spares_in_all=one.all_spares, survives=one.failures_survived
        )
    return [f"{family}: " + ", ".join(f"{name} {n}" for name, n in told.items()) for family, told in sums.items()]


def shape_answers() -> dict[str, object]:
    """Return which shapes are tried of some numbers of disks, and how few disks of several sizes are divided."""
    enough = 30
    found: dict[str, object] = {str(n): _counted(shapes(n)) for n in (1, 2, 3, 5, 7, 10, 12, 23, 44)}
    wide = EqualLayout(kind=VdevKind.RAIDZ, parity=2, width=6, narrow=3, wide=2, spares=1, pools=2)
    draid = EqualLayout(kind=VdevKind.DRAID, parity=1, width=12, narrow=2, data=4, distributed=2)
    return found | {
        "7 with 2 spares": _counted(shapes(7, spares=2)),
        "12 with a spare": _counted(shapes(12, spares=1)),
        "45 split": _counted(shapes(45, split_stripes=True)),
        "300": _counted(shapes(300, enough=lambda shape: shape.narrow * shape.width >= enough)),
        "1000": _counted(shapes(1000, spares=3)),
        "full": {n: _counted(full_shapes(n, widest=6, spares=(0, 1, 3))) for n in (1, 3, 7, 14)},
        "full of 24, 2 spares": _counted(full_shapes(24, widest=10, spares=(2,), draid_spares=2)),
        "dRAID": {n: _counted(draids(n)) for n in (9, 10, 21, 33)},
        "dRAID of 300": [_counted(draids(300)), _counted(draids(43, 2))],
        "spares": [spare_numbers(n, None) for n in (1, 20, 44, 60, 85, 200)] + [spare_numbers(9, 3)],
        "of a shape": [[s.vdevs, s.disks - s.spares, s.disks, s.all_spares, s.family] for s in (wide, draid)],
        "families": [family_words(family) for family in (*FAMILIES, "several kinds")],
        "divisions": [_divided(counts, spares) for counts in ((1,), (3,), (1, 2), (2, 1, 1)) for spares in (None, 1)],
        "too many divisions": divisions((4, 4), None, 100),
        "blocks": [_stocks(each) for each in blocks((2, 3, 1))] + [len(list(blocks((1,) * n))) for n in range(1, 8)],
        "layers": [_stocks(each) for each in layerings((8 * TB, 4 * TB, 3 * TB), (1, 2, 3))],
        "thin layers": [_stocks(each) for each in layerings((4 * TB + 10**9, 4 * TB, TB), (1, 2, 3))],
        "dealt": [
            Stock((0, 1, 2), (2, 3, 2)).dealt(widths, n)
            for widths, n in ((((3, 2),), 0), (((2, 2),), 3), (((7, 1),), 0))
        ],
    }


def _divided(counts: tuple[int, ...], spares: int | None) -> str:
    found = divisions(counts, spares, 5000) or ()
    vdevs = Counter(f"{kind.value}{parity}" for made, _ in found for kind, parity, _ in made)
    members = sum(n for made, _ in found for _, _, taken in made for _, n in taken)
    held = sum((group + 1) * n for _, taken in found for group, n in taken)
    return f"{counts} {spares}: {len(found)} divisions, {sorted(vdevs.items())}, {members} members, spares {held}"


def _stocks(found: Iterable[Stock]) -> str:
    return "; ".join(f"{s.groups} {s.counts} layer {s.layer} of {s.slice_bytes}" for s in found)


def floor_answers() -> dict[str, object]:
    """Return what the goals ask for at least, and which floors parts of pools break."""
    budgets = (Budget(), Budget(survive=3), Budget(allow=tuple(Allowance)), Budget(spares=1))
    asked = {
        f"{goal.value} {number}": [
            failures_wanted(goal, budgets[0], disks, shingled) for disks in range(1, 9) for shingled in (0, 3)
        ]
        for number, goal in enumerate(Goal)
    }
    broken: dict[str, object] = {}
    for goal, budget in product((Goal.SAFETY, Goal.SPACE), budgets):
        floors = floors_of(goal, budget, [Disk(key=f"d{n}", smr=n < 2) for n in range(8)])
        for (kind, parity), more, survived in product(_ALIKE, (0, 1, 2, WIDEST[2], WIDEST[3] + 1), (0, 1, 2)):
            sizes = (TB,) * (2 if kind is VdevKind.MIRROR else parity + more)
            vdev = VdevSpec(kind=kind, parity=parity, sizes=sizes, draid_data=more)
            vdevs, cut = ((vdev, 1),), more == 2
            found = tuple(floors.broken(vdevs, survived=survived, hot_spares=1, shingled=True, partitioned=cut))
            wished = f"{len(budget.allow)} {budget.survive} {budget.spares}"
            name = f"{goal.value} {survived} {kind.value}{parity}+{more} {wished}"
            broken[name] = short(found)
    mixed = [(VdevSpec(kind=VdevKind.MIRROR, sizes=(TB,) * sides), 1) for sides in (2, 3)]
    floors = floors_of(Goal.SAFETY, Budget(), [Disk(key=f"d{n}") for n in range(9)])
    return asked | broken | {
        "mixed": [
            tuple(floors.broken(mixed, survived=1, hot_spares=0, shingled=False, survives=n)) for n in (None, 0, 1, 3)
        ],
        "words": [floor_words(floor, survives=n) for floor in Floor for n in (0, 1, 2)],
    }  # fmt: skip


def group_answers() -> dict[str, object]:
    """Return how disks are grouped and ordered, and which ashift is safe for them."""
    of: list[tuple[float | None, Media | None, bool | None]] = [
        (8, Media.HDD, None),
        (8.00001, Media.HDD, None),
        (8, Media.HDD, True),
        (4, Media.SSD, None),
        (None, Media.HDD, None),
    ]
    of += [(4, Media.NVME, None), (8.2, Media.HDD, False), (4, None, None)]
    disks = [
        Disk(
            key=f"d{n:02}", size_bytes=None if size is None else int(size * TB), media=media, smr=smr,
            slot=f"{n % 3}:{9 - n}",
            health=Health.SUSPECT if n % 5 == 1 else Health.GOOD, model="B" if n % 4 else "A",
            logical_sector_bytes=4096 if n == 8 else 512, physical_sector_bytes=None if n % 6 == 5 else 4096,
        )
        for n, (size, media, smr) in enumerate(of * 2)
    ]  # fmt: skip
    slots = [
        replace(disk, slot=None, path=f"/dev/sd{name}") for disk, name in zip(disks, ("b", "aa", "c"), strict=False)
    ]
    shaped = [EqualLayout(kind=k, parity=p, width=w, narrow=n, wide=x, spares=s) for k, p, w, n, x, s in _SHAPED]
    sets = (((("a", "b"), 1), (("b", "c", "d"), 1)), ((("a",), 0), (("a", "b", "c"), 2)), ())
    return {
        "groups": [[g.words, g.full_words, g.raw_bytes, g.beside, g.shingled, g.disks] for g in equal_groups(disks)],
        "by path": [g.disks for g in equal_groups(slots)],
        "ashift": [safe_ashift([replace(disks[0], physical_sector_bytes=n)]) for n in (None, 512, 4096, 8192, 1 << 20)],
        "survival": [
            survival_shares([(n, w, s.failures_survived) for n, w in ((s.narrow, s.width), (s.wide, s.width + 1))])
            for s in shaped
        ],
        "survival of sets": [survival_of_sets(each) for each in sets],
    }


_SHAPED = (
    (VdevKind.MIRROR, 0, 2, 4, 0, 1), (VdevKind.RAIDZ, 1, 3, 2, 1, 0), (VdevKind.RAIDZ, 3, 5, 2, 0, 2),
    (VdevKind.STRIPE, 0, 1, 3, 0, 0), (VdevKind.MIRROR, 0, 4, 2, 0, 0), (VdevKind.RAIDZ, 2, 6, 1, 0, 0),
)  # fmt: skip


def buying_answers() -> dict[str, object]:
    """Return what is bought for several wishes, each offer in a line, or why nothing can be."""
    hand = tuple(Disk(key=f"h{n}", size_bytes=8 * TB, media=Media.HDD) for n in range(2))
    dated = (
        replace(SMALL, priced_on="2026-10-01"),
        replace(LARGE, priced_on="2026-11-05"),
        replace(MIDDLE, price=None),
    )
    old = Catalogue(products=(*dated, replace(SMALL, key="old", sold=False, price=eur(10))))
    asked: dict[str, tuple[Budget, tuple[Disk, ...], Catalogue, Goal]] = {
        "money and bays": (Budget(money=eur(640), bays=5), (), SHOP, Goal.SAFETY),
        "space": (Budget(least_usable_bytes=7 * TB, bays=4), (), SHOP, Goal.CONCURRENT),
        "beside two": (Budget(buy_most=2, survive=1), hand, SHOP, Goal.SPACE),
        "some dated": (Budget(money=eur(500)), (), old, Goal.SPEED),
        "nothing said": (Budget(), (), SHOP, Goal.SAFETY),
        "too little": (Budget(money=eur(90), bays=3), (), SHOP, Goal.SAFETY),
        "no prices": (Budget(bays=3), (), Catalogue(products=(replace(SMALL, price=None),)), Goal.SAFETY),
    }
    return {name: _bought(*each) for name, each in asked.items()}


def _bought(budget: Budget, hand: tuple[Disk, ...], shop: Catalogue, goal: Goal) -> object:
    request = Request(disks=hand, workload=Workload(goal=goal), budget=budget)
    try:
        found: Buying = buy(request, shop, judge_maker(load_shipped()))
    except PoolwrightError as error:
        return [error.text, error.where, error.todo, *(error.reasons if isinstance(error, Refusal) else ())]
    return {
        "cheapest": _offer(found.cheapest),
        "best": _offer(found.best),
        "front": [_offer(offer) for offer in found.front],
        "offers": [_offer(offer) for offer in found.offers],
        "models": found.models,
        "left out": found.left_out,
    }


def _offer(offer: Offer) -> str:
    what = "nothing" if offer.product is None else f"{offer.count} × {offer.product.key}"
    made = f"{offer.score:.3f} {offer.usable_bytes} B {offer.cost_per_tb} a TB: {offer.candidate.words}"
    return f"{what} for {offer.cost}: {made} ({offer_words(offer)})"
