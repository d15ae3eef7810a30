"""What a set of disks has in common, as far as rules ask: computed once, shared by every layout of these disks."""

import re
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from poolwright.domain.disk import Disk, Media, UseKind
from poolwright.domain.estimate import Origin
from poolwright.rules.facts import DiskFacts

ADVANCED_FORMAT_BYTES = 4096
# Facts of a disk that come straight from one of its fields, and so have that field's origin.
_READ_FIELDS = (
    "size_bytes", "logical_sector_bytes", "physical_sector_bytes", "media", "smr", "transport", "health",
    "wear_percent", "temperature_celsius", "power_on_hours",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskProfile:
    """Disks taken together. ``None`` means unknown; ``media`` is a medium or ``mixed``. Sizes are bytes.

    ``disks`` are the facts of each, in order, ``origins`` where each field's value comes from (the first disk's).
    """

    count: int
    least_bytes: int | None
    largest_bytes: int | None
    logical_sector_bytes: int | None
    logical_sectors_mixed: bool | None
    physical_sector_bytes: int | None
    physical_sectors_mixed: bool | None
    physical_sectors_known: bool
    media: str | None
    media_mixed: bool | None
    flash: bool | None
    shingled_disks: int
    power_loss_protected: bool | None
    planned: bool
    disks: tuple[DiskFacts, ...]
    origins: tuple[tuple[str, Origin], ...] = ()
    disk_origins: tuple[tuple[tuple[str, Origin], ...], ...] = ()
    # Made when first asked for: many rules ask about the same facts, and every layout about the same disks.
    _alike: dict[tuple[str, ...], tuple[tuple[int, ...], ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def alike_in(self, facts: tuple[str, ...]) -> tuple[tuple[int, ...], ...]:
        """Return the numbers of the disks, those together whose ``facts`` (names of `DiskFacts`) are the same."""
        known = self._alike.get(facts)
        if known is None:
            same: dict[object, list[int]] = {}
            value_of = attrgetter(*facts) if facts else _nothing
            for index, disk in enumerate(self.disks):
                same.setdefault(value_of(disk), []).append(index)
            known = self._alike[facts] = tuple(tuple(indices) for indices in same.values())
        return known

    @classmethod
    def from_disks(cls, disks: Sequence[Disk], roles: Sequence[str] = ()) -> "DiskProfile":
        """Return the profile of ``disks``; of no disks, everything is unknown. ``roles`` are their parts in a pool."""
        asked = (tuple(disks), tuple(roles))
        if len(disks) < _MANY:
            return _profile(disks, disk_facts(disks, roles))
        for known, profile in _recent:
            # Equal at once where the disks are the same objects: nothing of them is compared.
            if known == asked:
                return profile
        made = _profile(disks, disk_facts(disks, roles))
        _recent.appendleft((asked, made))
        return made

    @classmethod
    def summary_of(cls, disks: Sequence[Disk]) -> "DiskProfile":
        """Return what ``disks`` have in common, without the facts and origins of each: enough for facts of a vdev."""
        return _profile(disks, ())


def _nothing(_: object) -> None:
    return None


_MANY = 64  # so many disks are looked at once, however many layouts, pools and datasets ask about them
_recent: deque[tuple[tuple[tuple[Disk, ...], tuple[str, ...]], DiskProfile]] = deque(maxlen=8)


def disk_facts(disks: Sequence[Disk], roles: Sequence[str] = (), company: Iterable[Disk] = ()) -> tuple[DiskFacts, ...]:
    """Return the facts of each disk. ``roles`` are their parts in a pool; serials are compared with ``company`` too."""
    known = {disk.key: disk for disk in (*disks, *company)}
    repeated = Counter(s for disk in known.values() if disk.body is None and (s := disk.telling_serial) is not None)
    return tuple(
        _one_disk(disk, roles[i] if roles else "data", repeated.get(disk.telling_serial or "", 0) > 1)
        for i, disk in enumerate(disks)
    )


def disk_origins(disk: Disk) -> tuple[tuple[str, Origin], ...]:
    """Return where each fact of this disk comes from, under the facts' full names."""
    if not disk.origins:
        return ()
    of = dict(reversed(disk.origins))  # of a name that stands there twice, the first counts
    return tuple((f"disk.{name}", of[name]) for name in _READ_FIELDS if name in of)


# By identity, for comparing a disk costs more than its facts; the disk is held, so that no other gets its identity.
_known_facts: dict[tuple[int, str, bool], tuple[Disk, DiskFacts]] = {}
_MOST_KNOWN = 20_000


def _one_disk(disk: Disk, role: str, repeated: bool) -> DiskFacts:
    known = _known_facts.get((id(disk), role, repeated))
    if known is None:
        if len(_known_facts) >= _MOST_KNOWN:
            _known_facts.clear()
        known = _known_facts[id(disk), role, repeated] = (disk, _facts_of(disk, role=role, repeated=repeated))
    return known[1]


def _facts_of(disk: Disk, *, role: str, repeated: bool) -> DiskFacts:
    current = next((f.data_bytes for f in disk.lba_formats if f.current), disk.logical_sector_bytes)
    offers = any(f.data_bytes == ADVANCED_FORMAT_BYTES and not f.metadata_bytes for f in disk.lba_formats)
    return DiskFacts(
        label=disk.label,
        size_bytes=disk.size_bytes,
        logical_sector_bytes=disk.logical_sector_bytes,
        physical_sector_bytes=disk.physical_sector_bytes,
        physical_sector_known=disk.physical_sector_bytes is not None,
        offers_4096=offers and current is not None and current < ADVANCED_FORMAT_BYTES,
        media=disk.media.value if disk.media else None,
        smr_known=disk.smr is not None,
        smr=disk.smr,
        transport_known=disk.transport is not None,
        transport=disk.transport.lower() if disk.transport else None,
        health_known=disk.health is not None,
        health=disk.health.value if disk.health else None,
        wear_known=disk.wear_percent is not None,
        wear_percent=disk.wear_percent,
        temperature_known=disk.temperature_celsius is not None,
        temperature_celsius=disk.temperature_celsius,
        hours_known=disk.power_on_hours is not None,
        power_on_hours=disk.power_on_hours,
        foreign_pool=any(use.kind is UseKind.FOREIGN_POOL for use in disk.uses),
        has_by_id=disk.by_id_name is not None,
        planned=disk.planned,
        serial_repeated=repeated,
        in_use=disk.in_use,
        uses=", ".join(str(use) for use in disk.uses),
        role=role,
    )


def _profile(disks: Sequence[Disk], facts: tuple[DiskFacts, ...]) -> DiskProfile:
    media = [disk.media.value if disk.media else None for disk in disks]
    media_mixed = _mixed(media)
    physical = [disk.physical_sector_bytes for disk in disks]
    logical = [disk.logical_sector_bytes for disk in disks]
    sizes = [disk.size_bytes for disk in disks]
    origins = disk_origins(disks[0]) if disks else ()
    return DiskProfile(
        count=len(disks),
        least_bytes=None if None in sizes else min((s for s in sizes if s is not None), default=None),
        largest_bytes=_largest(sizes),
        logical_sector_bytes=_largest(logical),
        logical_sectors_mixed=_mixed(logical),
        physical_sector_bytes=_largest(physical),
        physical_sectors_mixed=_mixed(physical),
        physical_sectors_known=bool(disks) and None not in physical,
        media="mixed" if media_mixed else (media[0] if media_mixed is False else None),
        media_mixed=media_mixed,
        flash=_all([None if medium is None else medium != Media.HDD.value for medium in media]),
        shingled_disks=sum(1 for disk in disks if disk.smr),
        power_loss_protected=all_keep_writes(disks),
        planned=bool(disks) and all(disk.planned for disk in disks),
        disks=facts,
        origins=tuple((f"{part}.{name[5:]}", o) for name, o in origins for part in ("disk", "pool", "vdev")),
        disk_origins=tuple(disk_origins(disk) for disk in disks[: len(facts)]),
    )


def _all(values: Sequence[bool | None]) -> bool | None:
    """Tell whether all are true: one that is not settles it, one unknown leaves it open."""
    if False in values:
        return False
    return None if None in values or not values else True


def _largest(values: Sequence[int | None]) -> int | None:
    """Return the largest; unknown when one is, for that one could be larger."""
    known = [v for v in values if v is not None]
    return max(known) if known and len(known) == len(values) else None


def _mixed(values: Sequence[object]) -> bool | None:
    """Tell whether the values differ; None where that depends on an unknown one."""
    known = {v for v in values if v is not None}
    if len(known) > 1:
        return True
    return False if values and None not in values else None


# Which flash drives keep what they have confirmed when the power fails, as far as the model tells.

_WITH = re.compile(
    r"optane|\bP(4800|5800|1600)X|\bSSD(SC2[BK][ABX]|PE2K|PED[MK])|\bDC (S|P)[34]\d{3}|"
    r"\bMZ(7L|7K|WL|QL|1L|PL)|\b(PM|SM)(863|883|893|963|983|9A3|1643|1725|1733|1735)|"
    r"MICRON_?.?(5100|5200|5300|5400|7300|7400|7450|7500|9300|9400)|KINGSTON SEDC|DC[456]\d0[MRB]|"
    r"ULTRASTAR|\bHUS(MM|MR)|WUS[45]|\bXS\d+(SE|ME|LE)|\bKPM|\bCD[5678]-|NYTRO",
    re.IGNORECASE,
)
_WITHOUT = re.compile(
    r"SAMSUNG (SSD )?(8[3-7]0|9[5-9]0)|CRUCIAL|\bCT\d+(MX|BX|P[1-5])|\bWDS\d|WD_BLACK|WD BLUE|SANDISK SSD PLUS|"
    r"KINGSTON SA[24]00|KINGSTON S(NV|KC)|SABRENT|INTEL SSDPEKN|ADATA",
    re.IGNORECASE,
)


def keeps_writes(disk: Disk) -> bool | None:
    """Tell whether the drive keeps confirmed writes in a power cut; None where neither it was said nor the model tells.

    A hard disk does: it writes through when it is asked to flush, and OpenZFS asks.
    """
    if disk.media is Media.HDD:
        return True
    if disk.power_loss_protection is not None:
        return disk.power_loss_protection
    name = " ".join(part for part in (disk.vendor, disk.model) if part)
    if _WITH.search(name):
        return True
    return False if _WITHOUT.search(name) else None


def all_keep_writes(disks: Sequence[Disk]) -> bool | None:
    return _all([keeps_writes(disk) for disk in disks])
