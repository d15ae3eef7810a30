"""What a set of disks has in common, as far as rules ask: computed once, shared by every layout of these disks."""

import re
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from poolwright.domain.disk import Disk, Media, UseKind
from poolwright.domain.estimate import Origin
from poolwright.rules.facts import Facts, only_known

ADVANCED_FORMAT_BYTES = 4096
# Facts of a disk, of the pool or of its vdevs that come straight from one of its fields, and so have that field's
# origin.
_READ_FIELDS = (
    "logical_sector_bytes", "physical_sector_bytes", "media", "smr", "transport", "health", "wear_percent",
    "temperature_celsius", "power_on_hours",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskProfile:
    """Disks taken together. ``None`` means unknown; ``media`` is a medium or ``mixed``. Sizes are bytes.

    ``disks`` are the facts of each, in order, ``origins`` by the names of facts where those come from.
    """

    logical_sector_bytes: int | None
    logical_sectors_mixed: bool | None
    physical_sector_bytes: int | None
    physical_sectors_mixed: bool | None
    media: str | None
    media_mixed: bool | None
    flash: bool | None
    shingled_disks: int
    power_loss_protected: bool | None
    planned: bool
    disks: tuple[Facts, ...]
    origins: tuple[dict[str, Origin], ...]
    # Made when first asked for: many rules ask about the same facts, and every layout about the same disks.
    _alike: dict[tuple[str, ...], tuple[tuple[int, ...], ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def alike_in(self, facts: tuple[str, ...]) -> tuple[tuple[int, ...], ...]:
        """Return the numbers of the disks, those together whose ``facts`` are the same."""
        found = self._alike.get(facts)
        if found is None:
            same: dict[object, list[int]] = {}
            for index, disk in enumerate(self.disks):
                same.setdefault(tuple(map(disk.get, facts)), []).append(index)
            found = self._alike[facts] = tuple(map(tuple, same.values()))
        return found

    @classmethod
    def from_disks(cls, disks: Sequence[Disk]) -> "DiskProfile":
        """Return the profile of ``disks``, all unknown of none; looked at once, however many ask about them."""
        asked = tuple(disks)
        for looked_at, profile in _recent:
            # Equal at once where the disks are the same objects: nothing of them is compared.
            if looked_at == asked:
                return profile
        bodies = {disk.key: disk for disk in asked if disk.body is None}
        serials = Counter(disk.telling_serial for disk in bodies.values())
        del serials[None]  # those of whom nobody knows one are not the same
        made = cls.summary_of(asked, tuple(_facts_of(d, repeated=serials[d.telling_serial] > 1) for d in asked))
        _recent.appendleft((asked, made))
        return made

    @classmethod
    def summary_of(cls, disks: Sequence[Disk], facts: tuple[Facts, ...] = ()) -> "DiskProfile":
        """Return what ``disks`` have in common; without the ``facts`` of each, enough for facts of a vdev."""
        origins = []
        for disk in disks[: max(1, len(facts))]:
            of = dict(reversed(disk.origins))  # of a name that stands there twice, the first counts
            known = [name for name in _READ_FIELDS if name in of]
            origins.append({f"{part}.{name}": of[name] for name in known for part in ("disk", "pool", "vdev")})
        media = [disk.media.value if disk.media else None for disk in disks]
        media_mixed = _mixed(media)
        physical = list(map(attrgetter("physical_sector_bytes"), disks))
        logical = list(map(attrgetter("logical_sector_bytes"), disks))
        return cls(
            logical_sector_bytes=_largest(logical),
            logical_sectors_mixed=_mixed(logical),
            physical_sector_bytes=_largest(physical),
            physical_sectors_mixed=_mixed(physical),
            media="mixed" if media_mixed else (media[0] if media_mixed is False else None),
            media_mixed=media_mixed,
            flash=_all([None if medium is None else medium != Media.HDD.value for medium in media]),
            shingled_disks=sum(disk.smr is True for disk in disks),
            power_loss_protected=all_keep_writes(disks),
            planned=bool(disks) and all(map(attrgetter("planned"), disks)),
            disks=facts,
            origins=tuple(origins),
        )


_recent: deque[tuple[tuple[Disk, ...], DiskProfile]] = deque(maxlen=8)


def _facts_of(disk: Disk, *, repeated: bool) -> Facts:
    current = next((f.data_bytes for f in disk.lba_formats if f.current), disk.logical_sector_bytes)
    verdict = disk.burn_in.verdict if disk.burn_in else None
    offers = any(f.data_bytes == ADVANCED_FORMAT_BYTES and not f.metadata_bytes for f in disk.lba_formats)
    return only_known({
        "disk.label": disk.label,
        "disk.physical_sector_known": disk.physical_sector_bytes is not None,
        "disk.offers_4096": offers and current is not None and current < ADVANCED_FORMAT_BYTES,
        "disk.media": disk.media.value if disk.media else None,
        "disk.smr": disk.smr,
        "disk.transport": disk.transport.lower() if disk.transport else None,
        "disk.health": disk.health.value if disk.health else None,
        "disk.burn_in": verdict.value if verdict else None,
        "disk.burn_in_why": "; ".join(disk.burn_in.reasons) if disk.burn_in else "",
        "disk.wear_percent": disk.wear_percent,
        "disk.temperature_celsius": disk.temperature_celsius,
        "disk.power_on_hours": disk.power_on_hours,
        "disk.foreign_pool": any(use.kind is UseKind.FOREIGN_POOL for use in disk.uses),
        "disk.has_by_id": disk.by_id_name is not None,
        "disk.planned": disk.planned,
        "disk.serial_repeated": repeated,
        "disk.in_use": disk.in_use,
        "disk.uses": ", ".join(str(use) for use in disk.uses),
    })  # fmt: skip


def _all(values: Sequence[bool | None]) -> bool | None:
    """Tell whether all are true: one that is not settles it, one unknown leaves it open."""
    if False in values:
        return False
    return None if None in values or not values else True


def _largest(values: Sequence[int | None]) -> int | None:
    """Return the largest; unknown when one is, for that one could be larger."""
    return None if None in values else max(filter(None, values), default=None)


def _mixed(values: Sequence[object]) -> bool | None:
    """Tell whether the values differ; None where that depends on an unknown one."""
    if len({*values} - {None}) > 1:
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
    name = " ".join(part for part in (disk.vendor, disk.model or disk.label.replace("_", " ")) if part)
    if _WITH.search(name):
        return True
    return False if _WITHOUT.search(name) else None


def all_keep_writes(disks: Sequence[Disk]) -> bool | None:
    return _all(list(map(keeps_writes, disks)))
