"""Room beside the data: partitions of a disk that ZFS does not get, and how people write them.

Type codes are those of `sgdisk`; what writes which of them is said by the rules of `rules/reserve.toml`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from poolwright.domain.errors import UserError
from poolwright.domain.units import GIB, MIB, not_understood, out_of_range, parse_size, shortened
from poolwright.shipped import shipped
from poolwright.texts import N_, _


class ReservePurpose(StrEnum):
    BIOS = "bios"  # where GRUB puts itself on machines that start without UEFI
    ESP = "esp"
    BOOT = "boot"  # kernel and initrd on a file system of their own
    SWAP = "swap"
    TRUENAS = "truenas"  # the 2 GiB of swap that TrueNAS put on each data disk
    RAID = "raid"  # member of an md array: swap, /boot or ESP that is mirrored
    BARE = "bare"  # no partition at all: room at the end of the disk


def _about(purpose: ReservePurpose) -> dict[str, str]:
    """Return type code, words and usual size, of those that it has."""
    return next(entry for entry in shipped("reserves")["purpose"] if entry["name"] == purpose)


def purpose_found(by: str, word: str | None) -> ReservePurpose | None:
    """Return the purpose of a partition that is there: by its type, one of the ``guids``, or by ``signatures``."""
    known = (entry["name"] for entry in shipped("reserves")["purpose"] if word and word in entry.get(by, "").split())
    return next(map(ReservePurpose, known), None)


ONE_EACH = frozenset({ReservePurpose.BIOS, ReservePurpose.ESP, ReservePurpose.TRUENAS})
# FAT32 has at least 65,527 clusters of at least one sector.
LEAST_ESP_BYTES = {512: 36 * MIB, 4096: 260 * MIB}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReservedPartition:
    """A partition beside the data, or with the purpose `bare` room without one.

    It lies before the partitions of ZFS, or behind them (``last``; room that is left empty always does). ``disk_keys``
    are the disks that have it; none means every disk of a data vdev, also such as are added later.
    """

    purpose: ReservePurpose
    size_bytes: int
    last: bool = False
    disk_keys: tuple[str, ...] = ()

    @property
    def at_end(self) -> bool:
        return self.last or self.purpose is ReservePurpose.BARE

    @property
    def type_code(self) -> str | None:
        return _about(self.purpose).get("type")

    @property
    def words(self) -> str:
        known = _about(self.purpose)
        return known.get("as_is") or _(known["title"])

    def __str__(self) -> str:
        return f"{self.purpose.value}={size_text(self.size_bytes)}{':last' if self.last else ''}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedReserve:
    """What a person typed: the partition, and on which disks: the first ``count``, or those of these ``names``."""

    partition: ReservedPartition
    count: int | None = None
    names: tuple[str, ...] = ()


_HELP = N_(
    "Write PURPOSE=SIZE, such as esp=512MiB, swap=8GiB:last, raid=4GiB@2 (on the first 2 data disks) or truenas; "
    "purposes are {purposes}."
)
_COUNT = re.compile(r"[0-9]{1,5}\Z")
_MOST_NAMES = 1000


def parse_reserve(text: str) -> AskedReserve:
    """Return what ``PURPOSE[=SIZE][:first|:last][@N or @DISK,DISK,…]`` asks for; sizes become whole MiB.

    Raises UserError with what is wrong and how to write it.
    """
    head, at, where = (part.strip() for part in text.partition("@"))
    head, colon, place = head.partition(":")
    word, sign, size_text = (part.strip() for part in head.partition("="))
    place = place.strip().lower()
    try:
        purpose = ReservePurpose(word.lower())
    except ValueError:
        raise _unread(text) from None
    if (colon and place not in ("first", "last")) or (sign and not size_text) or (at and not where):
        raise _unread(text)
    if sign:
        size = parse_size(size_text)
    elif (usual := _about(purpose).get("usual")) is not None:
        size = parse_size(usual)
    else:
        raise UserError(_("{purpose} has no usual size", purpose=purpose.value), where=shortened(text), todo=_how())
    if size <= 0:
        raise out_of_range(size_text, of=shortened(text))
    partition = ReservedPartition(purpose=purpose, size_bytes=whole_mib(size), last=place == "last")
    return _on(partition, where, text)


def parse_reserves(text: str) -> tuple[ReservedPartition, ...]:
    """Return what is asked for on each data disk, one after the other: ``esp=1GiB swap=8GiB:last``.

    Raises UserError where one of it is none, or is for some disks only.
    """
    asked = [parse_reserve(part) for part in text.replace(",", " ").replace(";", " ").split()]
    if any(one.count is not None or one.names for one in asked):
        raise UserError(
            _("Which disks come first is not known before there is a layout: reserve on some of them under Design"),
            where=shortened(text),
            todo=_("Leave out what follows the @."),
        )
    return tuple(one.partition for one in asked)


def size_text(size: int) -> str:
    """Return a size of whole MiB as people type it: 512MiB, 2GiB."""
    return f"{size // GIB}GiB" if size % GIB == 0 else f"{size // MIB}MiB"


def whole_mib(size: int) -> int:
    return -(-size // SLICE_STEP_BYTES) * SLICE_STEP_BYTES


def _on(partition: ReservedPartition, where: str, text: str) -> AskedReserve:
    if _COUNT.match(where):
        count = int(where)
        if count == 0:
            raise out_of_range(where, of=shortened(text))
        return AskedReserve(partition=partition, count=count)
    names = tuple(dict.fromkeys(name.strip() for name in where.split(",") if name.strip()))
    if len(names) > _MOST_NAMES:
        raise out_of_range(len(names), 1, _MOST_NAMES, of=shortened(text))
    return AskedReserve(partition=partition, names=names)


def _unread(text: str) -> UserError:
    return not_understood(text, _how())


def _how() -> str:
    return _(_HELP, purposes=", ".join(purpose.value for purpose in ReservePurpose))


# Partitions of a disk that is shared by several vdevs: where they begin and what room there is for them.

# Partitions begin on whole MiB; the first MiB holds the partition table, the last its copy.
SLICE_STEP_BYTES = MIB


def sliceable_bytes(size_bytes: int) -> int:
    """Return the bytes of a disk of ``size_bytes`` that partitions can have together, in whole MiB."""
    return max(0, size_bytes // SLICE_STEP_BYTES - 2) * SLICE_STEP_BYTES


def whole_slice(wanted_bytes: int) -> int:
    """Return the largest size of a partition of at most ``wanted_bytes``."""
    return wanted_bytes // SLICE_STEP_BYTES * SLICE_STEP_BYTES


def usual_reserves() -> tuple[tuple[tuple[ReservedPartition, ...], str], ...]:
    """Return what the makers of systems reserve, to be chosen instead of typed, each with what it is called."""
    known = shipped("reserves")["usual"]
    return tuple((usual_partitions(entry["partitions"].split()), _(entry["title"])) for entry in known)


def usual_partitions(texts: Iterable[str]) -> tuple[ReservedPartition, ...]:
    return tuple(parse_reserve(text).partition for text in texts)
