"""Sequential rates: the disks of a pool in parallel, less what raidz and mirrors take, under the limits of the host.

The limits meet smoothly: 1/rate^e is the sum of 1/limit^e. Measured stripes of 1 to 40 disks follow that within 7 %.
A raidz vdev has a limit of its own besides, which falls with its parity: beyond it more disks in the vdev add nothing,
more vdevs do.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from poolwright.domain.disk import Media
from poolwright.domain.units import KIB
from poolwright.domain.vdev import VdevKind
from poolwright.predict import coefficients as fitted
from poolwright.predict.coefficients import (
    FITTED,
    MEET_EXPONENT,
    MIRROR_HALF_BYTES,
    MIRROR_LIMIT_EXPONENT,
    RECORD_OVERHEAD_BYTES,
    Coefficients,
)
from poolwright.predict.groups import Groups, VdevGroup, data_disks_of, vdevs_of

BASE_RECORD_BYTES = 128 * KIB
SECTOR_BYTES = 4 * KIB


class Writers(NamedTuple):
    """``number`` equal vdevs (or groups of a dRAID) that each take ``share`` disks' worth of data at once.

    ``limit_share`` is what of the host's limit for one raidz1 vdev each of them passes (0: such a limit has no meaning,
    as for mirrors and single disks), ``raw_per_byte`` how many bytes go to disks for each byte written.
    """

    number: float
    share: float
    limit_share: float
    raw_per_byte: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Ability:
    """What the vdevs of a pool could move if nothing but the disks limited it, in single-disk rates.

    ``disks_read`` and ``disks_write`` are before, ``read`` after the losses of raidz and the like; ``writers`` are
    the vdevs as writes see them. ``host_cost`` is by how much the pool's redundancy divides the host's write limit.
    """

    data_disks: float
    disks_read: float
    disks_write: float
    read: float
    writers: tuple[Writers, ...]
    host_cost: float

    @property
    def write(self) -> float:
        """Return what the disks alone could take, in single-disk rates."""
        return sum([w.number * w.share for w in self.writers])

    @property
    def raw_per_byte(self) -> float:
        """Return how many bytes go to disks for each byte written, if the disks alone limited it."""
        return sum([w.number * w.share * w.raw_per_byte for w in self.writers]) / self.write


class Demand(NamedTuple):
    """What is asked of the vdevs: bytes of a record, clients that read at once (None: one for each vdev), media."""

    record_bytes: int = BASE_RECORD_BYTES
    clients: int | None = None
    media: Media = Media.HDD


DEFAULT_DEMAND = Demand()


@lru_cache(maxsize=1 << 11)
def ability(groups: Groups, demand: Demand = DEFAULT_DEMAND, model: Coefficients = FITTED) -> Ability:
    """Return what the vdevs could move where ``demand`` is asked of them."""
    writers = tuple([_writers(g, demand, model) for g in groups])
    write = sum([w.number * w.share for w in writers])
    at_once = 1.0 if demand.clients is None else max(1.0, demand.clients / vdevs_of(groups))
    sides = sum([w.number * w.share * _host_cost(g) for g, w in zip(groups, writers, strict=True)])
    return Ability(
        data_disks=data_disks_of(groups),
        disks_read=sum([g.count * _all_sides(g, demand.media) for g in groups]),
        disks_write=data_disks_of(groups),
        read=sum([g.count * _read(g, demand, at_once, model) for g in groups]),
        writers=writers,
        host_cost=sides / write,
    )


def _all_sides(group: VdevGroup, media: Media) -> float:
    """Return the disks that serve reads: all of a mirror, and all of flash, which has no head to move past parity."""
    if group.kind is VdevKind.MIRROR:
        return float(group.members)
    if media is Media.HDD:
        return group.data_share
    return group.data_share * group.stripe_width / group.stripe_data


def _read(group: VdevGroup, demand: Demand, at_once: float, model: Coefficients) -> float:
    """A mirror reads ahead from its sides; a raidz disk reads smaller pieces the more columns share a record."""
    if group.kind is VdevKind.MIRROR:
        gain = _side_share(demand.record_bytes * at_once)
        if demand.media is Media.HDD:  # heads pass over what the other side reads
            gain *= model.mirror_read_gain / _side_share(BASE_RECORD_BYTES)
        return 1.0 + gain * (group.members - 1)
    share = _all_sides(group, demand.media)
    if demand.media is not Media.HDD or group.kind is VdevKind.STRIPE:
        return share
    scale = demand.record_bytes / BASE_RECORD_BYTES
    return share / (1.0 + model.read_column_cost * (group.stripe_data - 1) / scale)


def _side_share(bytes_asked: float) -> float:
    """Return which share of their rate the further sides of a mirror add when so many bytes are asked of it at once."""
    return bytes_asked / (bytes_asked + MIRROR_HALF_BYTES)


def _writers(group: VdevGroup, demand: Demand, model: Coefficients) -> Writers:
    """A raidz vdev writes as fast as its data disks, up to a limit of its own; a dRAID like as many raidz as groups."""
    if group.kind in (VdevKind.MIRROR, VdevKind.STRIPE):
        return Writers(group.count, group.data_share, 0.0, group.raw_per_byte)
    share = group.data_share
    if demand.record_bytes < BASE_RECORD_BYTES:
        # Small records carry more parity and padding for each byte than those of 128K.
        base = sectors_per_sector(group, BASE_RECORD_BYTES)
        share *= base / sectors_per_sector(group, demand.record_bytes)
    parts = group.data_share / group.stripe_data
    limit_share = float(max(1, group.parity) ** -model.parity_exponent)
    return Writers(group.count * parts, share / parts, limit_share, group.raw_per_byte)


def _host_cost(group: VdevGroup) -> float:
    return float(group.members**MIRROR_LIMIT_EXPONENT) if group.kind is VdevKind.MIRROR else 1.0


def sectors_per_sector(group: VdevGroup, record_bytes: int) -> float:
    """Return the sectors that a raidz vdev allocates for each sector of data, at ashift 12."""
    data = max(1, -(-record_bytes // SECTOR_BYTES))
    used = data + group.parity * -(-data // group.stripe_data)
    return float(used + -used % (group.parity + 1)) / data


def record_factor(record_bytes: int) -> float:
    """Return how the limit of the host changes with the record size, 1 at 128K: each record costs the same time."""
    overhead = RECORD_OVERHEAD_BYTES
    return (1.0 + overhead / BASE_RECORD_BYTES) / (1.0 + overhead / record_bytes)


def left_of_rates(media: Media, fill_percent: float, *, aged: bool) -> tuple[float, float]:
    """Return what a filled pool keeps of its disks' read and write rates.

    Nobody measured flash: it has no tracks, and small pieces cost it little.
    """
    if media is not Media.HDD:
        return 1.0, 1.0
    inner = 1.0 - (1.0 - fitted.FULL_SHARE) * fill_percent / 100.0
    old = 0.0
    if aged:
        old = (fill_percent - fitted.AGED_FROM_PERCENT) / (fitted.AGED_AT_PERCENT - fitted.AGED_FROM_PERCENT)
    old = min(1.0, max(0.0, old))
    return inner * fitted.AGED_READ_SHARE**old, inner * fitted.AGED_WRITE_SHARE**old


def meet(*limits: float | None, exponent: float = MEET_EXPONENT) -> float:
    """Return the rate under all ``limits``; None is no limit."""
    return float(sum([limit**-exponent for limit in limits if limit is not None]) ** (-1.0 / exponent))
