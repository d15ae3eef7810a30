"""Every layout of a number of equal disks, by shape: kind, widths, spares. Exhaustive for what it says."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from poolwright.capacity.vdev import MOST_CHILDREN
from poolwright.domain.vdev import VdevKind, tolerance
from poolwright.texts import _

MIRROR_WIDTHS = (2, 3, 4)
RAIDZ_PARITIES = (1, 2, 3)
MOST_STRIPE = 20  # vdevs up to which speed grows about linearly (thesis, chapter 7.3)
MOST_SPARES = 4  # more are only tried where they are asked for, or all that are left are one for fifteen disks
# Distributed spares pay off through the many disks that share a rebuild (limits.toml, draid.least_disks).
LEAST_DRAID = 10
# Data disks of a redundancy group: powers of two, so that a record fills whole stripes.
DRAID_DATA = (4, 8, 16)
DISKS_PER_SPARE, FEWEST_PER_SPARE = 20, 15  # disks for which one hot spare is wanted, and for which one is no waste
MOST_DRAID_SPARES = 4  # distributed spares of one vdev
# Of more disks not every number of vdevs is tried that leaves some unused: no first choice of 3 to 120 disks does. Of
# very many not every width is: 2,000 disks have 160,000 layouts, most of them alike.
EVERY_NUMBER_TO, EVERY_WIDTH_TO = 24, 240
# Every number up to this; above, each so many times as large as the one before.
_PARTLY_USED, _BESIDE, _ALL_USED = (2, 1.5), (12, 1.2), (40, 1.05)
# The widest vdev of which other numbers are tried than that which uses up the disks.
WIDEST_PARTLY = 32
# Of unlike disks, which `pack` combines: those of a raidz at most, or all there are, as beyond eight they are worse
# with every rule (of many equal ones they have no spares); the same for combined vdevs; pools side by side.
WIDEST, WIDEST_COMBINED, MOST_SEPARATE = 16, 10, 3
FEW_DISKS = 8  # are combined in every way, and divided in every way where there are not too many


@dataclass(frozen=True, slots=True, order=True)
class EqualLayout:
    """A layout of equal disks: ``narrow`` vdevs of ``width`` and ``wide`` vdevs of ``width + 1``, and hot spares.

    A stripe has ``narrow`` vdevs of width 1. ``pools`` such pools are made of the disks. Each vdev of a dRAID has
    groups of ``data`` data disks and ``distributed`` spares.
    """

    kind: VdevKind
    parity: int
    width: int
    narrow: int
    wide: int = 0
    spares: int = 0
    pools: int = 1
    data: int | None = None
    distributed: int = 0

    @property
    def vdevs(self) -> int:
        return self.narrow + self.wide

    @property
    def widths(self) -> tuple[tuple[int, int], ...]:
        """Return the widths of the vdevs of one pool with their number, the wide ones first; a stripe is one vdev."""
        if self.kind is VdevKind.STRIPE:
            return ((self.narrow, 1),)
        return ((self.width + 1, self.wide), (self.width, self.narrow)) if self.wide else ((self.width, self.narrow),)

    @property
    def disks(self) -> int:
        return self.narrow * self.width + self.wide * (self.width + 1) + self.spares

    @property
    def all_spares(self) -> int:
        return self.spares + self.distributed * self.vdevs

    @property
    def failures_survived(self) -> int:
        """Return how many disks of a pool may fail, whichever they are, without loss of data."""
        return tolerance(self.kind, self.width, self.parity)

    @property
    def family(self) -> str:
        return family_of(self.kind, self.parity, self.width)


def family_of(kind: VdevKind, parity: int, width: int) -> str:
    """Return the lasting name of the family: stripe, mirror of 3, raidz2, draid2; `family_words` tells it."""
    if kind is VdevKind.MIRROR:
        return f"mirror of {width}"  # for machines
    return kind.value if kind is VdevKind.STRIPE else f"{kind.value}{parity}"


SEVERAL_KINDS = "several kinds"  # for machines
FAMILIES = (
    "stripe",
    *(f"mirror of {width}" for width in MIRROR_WIDTHS),  # for machines
    *(f"raidz{parity}" for parity in RAIDZ_PARITIES),
    *(f"draid{parity}" for parity in RAIDZ_PARITIES),
)


def family_words(family: str) -> str:
    width = family.removeprefix("mirror of ")
    if width != family:
        return _("{word} of {width}", word="mirror", width=width)
    return _("several kinds") if family == SEVERAL_KINDS else family


Enough = Callable[[EqualLayout], bool]


def shapes(
    disks: int,
    *,
    spares: int | None = None,
    split_stripes: bool = False,
    enough: Enough | None = None,
    every_number: bool = False,
) -> Iterator[EqualLayout]:
    """Yield every shape of at most ``disks`` equal disks.

    Stripes; mirrors of 2 to 4; raidz1-3 of every width OpenZFS takes, any number of equal vdevs, and vdevs whose widths
    differ by one where that uses every disk; dRAID of 10 and more disks. ``spares`` fixes the spares, hot and
    distributed together; otherwise 0 to 4 hot ones are tried, and all disks left over up to one for fifteen. With
    ``split_stripes`` more than 20 disks are also split into as few pools as keep each stripe within 20.

    Of more than `EVERY_NUMBER_TO` disks those numbers of vdevs stay that use up the disks, and the least that is
    ``enough``, which must hold for every larger number; raidz beyond `WIDEST` has no spares that nobody asked for. With
    ``every_number`` all stay: what is wished of speed or risk may hold for some number in between alone.
    """
    thin, very_many = disks > (EVERY_WIDTH_TO if every_number else EVERY_NUMBER_TO), disks > EVERY_WIDTH_TO
    tried = range(MOST_SPARES + 1) if spares is None else range(spares, spares + 1)
    hot = spares or 0
    yield from _uniform(disks, range(hot, hot + 1), VdevKind.STRIPE, 0, 1, enough, thin=thin)
    if split_stripes and disks > MOST_STRIPE:
        for count in range(1, min(disks - hot, MOST_STRIPE) + 1):
            pools = disks // (count + hot)
            if pools in (disks // MOST_STRIPE, -(-disks // MOST_STRIPE)) and pools > 1:
                yield EqualLayout(kind=VdevKind.STRIPE, parity=0, width=1, narrow=count, spares=hot, pools=pools)
    for width in MIRROR_WIDTHS:
        yield from _uniform(disks, tried, VdevKind.MIRROR, 0, width, enough, thin=thin)
    # Of very many disks ever fewer widths beyond `WIDEST_PARTLY`.
    widths = [*_numbers(min(disks, MOST_CHILDREN), WIDEST_PARTLY, 1.1, thin=very_many and enough is None)]
    for parity in RAIDZ_PARITIES:
        for width in (w for w in widths if w > parity):
            own = tried[:1] if thin and width > WIDEST else tried
            yield from _uniform(disks, own, VdevKind.RAIDZ, parity, width, enough, thin=thin)
        yield from _uneven(disks, tried, parity)
    yield from draids(disks, spares)


def full_shapes(
    disks: int, *, widest: int, spares: Sequence[int], draid_spares: int | None = None, beside: bool = False
) -> Iterator[EqualLayout]:
    """Yield the shapes that leave fewer of ``disks`` unused than one more vdev would take.

    Vdevs have at most ``widest`` disks, or all there are; ``spares`` are the numbers of hot spares tried.
    ``draid_spares`` fixes the spares of a dRAID, hot and distributed together. Of very many disks ``beside`` others
    fewer numbers of dRAID vdevs are tried: they are most of the shapes, and neighbours hardly differ.
    """
    for hot in spares:
        left = disks - hot
        if left > 0:
            yield EqualLayout(kind=VdevKind.STRIPE, parity=0, width=1, narrow=left, spares=hot)
        for width in MIRROR_WIDTHS:
            if left >= width:
                yield EqualLayout(kind=VdevKind.MIRROR, parity=0, width=width, narrow=left // width, spares=hot)
        for parity in RAIDZ_PARITIES:
            for width in range(parity + 1, min(left, MOST_CHILDREN) + 1):
                if width <= widest or width == left:
                    yield EqualLayout(kind=VdevKind.RAIDZ, parity=parity, width=width, narrow=left // width, spares=hot)
        for parity in RAIDZ_PARITIES if left > 0 else ():
            yield from (replace(one, spares=hot) for one in _uneven(left, range(1), parity) if one.width < widest)
    yield from draids(disks, draid_spares, _BESIDE if beside else _ALL_USED)


def spare_numbers(disks: int, wanted: int | None) -> tuple[int, ...]:
    """Return how many hot spares are tried where disks are packed: none, one for twenty disks, one less, half of that.

    Of few disks 0, 1 and 2. ``wanted`` fixes the number.
    """
    if wanted is not None:
        return (wanted,)
    usual = max(2, disks // DISKS_PER_SPARE)
    return tuple(sorted({0, max(1, usual // 2), usual - 1, usual}))


def draids(disks: int, spares: int | None = None, tried: tuple[int, float] = _ALL_USED) -> Iterator[EqualLayout]:
    """Yield the dRAID layouts that use the disks as evenly as possible.

    One vdev or several of at least ten disks, parity 1 to 3, groups of 4, 8 or 16 data disks, 1 to 4 distributed spares
    a vdev. Disks that do not divide are hot spares, at most four. ``spares`` fixes hot and distributed spares together.
    """
    for vdevs in _numbers(disks // LEAST_DRAID, *tried, thin=disks > EVERY_WIDTH_TO):
        for distributed in range(1, MOST_DRAID_SPARES + 1):
            hot = 0 if spares is None else spares - distributed * vdevs
            width = min((disks - max(hot, 0)) // vdevs, MOST_CHILDREN)
            if hot < 0 or width < LEAST_DRAID:
                continue
            if spares is None:
                hot = min(disks - vdevs * width, MOST_SPARES)
            for parity in RAIDZ_PARITIES:
                for data in DRAID_DATA:
                    if data + parity + distributed <= width:
                        yield EqualLayout(
                            kind=VdevKind.DRAID,
                            parity=parity,
                            width=width,
                            narrow=vdevs,
                            spares=hot,
                            data=data,
                            distributed=distributed,
                        )


def _numbers(most: int, every: int, growth: float, *, thin: bool) -> Iterator[int]:
    """Yield the numbers from 1 to ``most`` that are tried: ``thin``: ever fewer, and always the last."""
    number = 1
    while number < most:
        yield number
        number = number + 1 if not thin or number < every else int(number * growth) + 1
    if most > 0:
        yield most


def _partly(most: EqualLayout, enough: Enough | None, *, fewer: bool) -> Iterator[EqualLayout]:
    """Yield ``most``, with ``fewer`` ever fewer vdevs thinned out, and the least of them that is ``enough``."""
    found = set(_numbers(most.narrow, *_PARTLY_USED, thin=True)) if fewer else {most.narrow}
    if enough is not None and enough(most):
        low, high = 0, most.narrow  # high is enough, low is not
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if enough(replace(most, narrow=middle)) else (middle, high)
        found.add(high)
    for narrow in sorted(found):
        yield most if narrow == most.narrow else replace(most, narrow=narrow)


def _uniform(
    disks: int, tried: range, kind: VdevKind, parity: int, width: int, enough: Enough | None, *, thin: bool
) -> Iterator[EqualLayout]:
    for spares in tried:
        narrow = (disks - spares) // width
        if narrow < 1:
            break
        most = EqualLayout(kind=kind, parity=parity, width=width, narrow=narrow, spares=spares)
        if thin:  # whoever leaves disks unused can have every spare
            yield from _partly(most, enough, fewer=width <= WIDEST_PARTLY and spares == tried[-1])
        else:
            yield from (replace(most, narrow=number) for number in range(1, narrow + 1))
    # More than is usual, and no waste: vdevs of equal width, of which some disks are left, need leave none idle.
    count, left = divmod(disks, width)
    if len(tried) > 1 and MOST_SPARES < left <= -(-disks // FEWEST_PER_SPARE):
        yield EqualLayout(kind=kind, parity=parity, width=width, narrow=count, spares=left)


def _uneven(disks: int, tried: range, parity: int) -> Iterator[EqualLayout]:
    for spares in tried:
        members = disks - spares
        for vdevs in _numbers(members // (parity + 1), *_ALL_USED, thin=disks > EVERY_WIDTH_TO):
            width, wide = divmod(members, vdevs)
            if vdevs > 1 and wide and parity < width < MOST_CHILDREN:
                yield EqualLayout(
                    kind=VdevKind.RAIDZ, parity=parity, width=width, narrow=vdevs - wide, wide=wide, spares=spares
                )
