"""One disk as an inventory knows it. Unknown stays None."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from poolwright.domain.money import Money
from poolwright.domain.origin import Origin
from poolwright.texts import marked, tell


class Media(StrEnum):
    """What the data lie on, from the slowest on."""

    HDD = "hdd"
    SSD = "ssd"
    NVME = "nvme"

    @property
    def words(self) -> str:
        """Return its usual name."""
        return "NVMe" if self is Media.NVME else self.value.upper()


FLASH_MEDIA = (Media.SSD, Media.NVME)


def slowest(media: Collection[Media | None]) -> Media | None:
    """Return the slowest of these media; None where one is unknown, or there are none."""
    return None if None in media else next((medium for medium in Media if medium in media), None)


class Health(StrEnum):
    """The drive's own SMART verdict, and ours where attributes speak against it."""

    GOOD = marked("good")
    SUSPECT = marked("suspect")  # passes its own test but counts errors, wear or reallocations
    FAILING = marked("failing")


class UseKind(StrEnum):
    """Why a disk is not free."""

    MOUNTED = marked("mounted")
    SWAP = marked("swap")
    BOOT = marked("boot disk")
    FILESYSTEM = marked("filesystem")
    PARTITIONED = marked("partitioned")
    MD = marked("md array")
    LVM = marked("LVM")
    LUKS = marked("LUKS")
    MULTIPATH = marked("multipath path")
    POOL = marked("pool member")
    FOREIGN_POOL = marked("exported or foreign pool")
    CACHE_LAYER = marked("bcache, bcachefs or dm-cache")
    HOLDER = marked("held by another device")
    READ_ONLY = marked("read-only")


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """One reason why a disk may not be used; ``detail`` names the mount point, array or pool."""

    kind: UseKind
    detail: str = ""

    def __str__(self) -> str:
        kind = tell(self.kind.value)
        return f"{kind}: {self.detail}" if self.detail else kind


class NoteLevel(StrEnum):
    """How much a note about a disk matters."""

    NOTE = "note"
    WARN = "warn"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Something odd about a disk or a capture that a person should read."""

    text: str
    level: NoteLevel = NoteLevel.NOTE


@dataclass(frozen=True, slots=True, kw_only=True)
class LbaFormat:
    """One LBA format an NVMe namespace offers: bytes of data per block, and whether it is the current one."""

    data_bytes: int
    metadata_bytes: int = 0
    current: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskPart:
    """A partition that was seen on a disk: its number and bytes, GPT type GUID, and what blkid calls its contents."""

    number: int
    size_bytes: int | None = None
    type_guid: str | None = None
    signature: str | None = None


_SCSI_ADDRESS = re.compile(r"\d+:\d+:\d+:\d+")
_STABLE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:+@-]*\Z")
# Best first: names that carry model and serial, then the world-wide name, then the rest.
_PREFERENCE = (
    "nvme-",
    "ata-",
    "scsi-S",
    "scsi-",
    "virtio-",
    "usb-",
    "mmc-",
    "wwn-",
    "nvme-eui.",
    "nvme-nvme.",
)
_PREFERRED = re.compile("|".join(f"({re.escape(beginning)})" for beginning in _PREFERENCE))
_OPAQUE = re.compile(r"^(nvme-eui\.|nvme-nvme\.|wwn-|scsi-[0-9a-f]{17,33}$)")
# Serials that makers, bridges and hypervisors give to every disk; equal ones mean nothing.
_NO_SERIALS = frozenset({"", "0", "none", "unknown", "n/a", "to be filled by o.e.m."})  # for machines


@lru_cache(maxsize=16384)
def best_by_id(names: tuple[str, ...]) -> str | None:
    """Return the name of /dev/disk/by-id that tells a person most and is safe to write; None when there is none.

    Model-and-serial names win over opaque identifiers because they can be read off the drive's label.
    """
    usable = [n for n in names if _STABLE.match(n) and "-part" not in n]

    def rank(name: str) -> tuple[int, int, int, str]:
        opaque = 1 if _OPAQUE.match(name) else 0
        preferred = _PREFERRED.match(name)
        order = (preferred.lastindex or 0) - 1 if preferred else len(_PREFERENCE)
        return opaque, order, len(name), name

    return min(usable, key=rank, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Disk:
    """A disk: what it is, how it is, what uses it.

    ``key`` is unique in its inventory and stable across readings (serial, wwn or device path). Sizes are bytes.
    ``planned`` marks a disk that is not bought or not seen by any tool; ``price`` is what it costs to buy, in the
    user's currency, ``watts`` and ``afr_percent`` (failures a year) are what a catalogue says of it. ``use_known``
    False says that nobody looked what uses the disk, so that empty ``uses`` prove nothing. No tool tells of
    ``power_loss_protection``, but people and catalogues do. ``read_bytes_per_second`` and
    ``write_bytes_per_second`` are sequential rates that a person measured of this disk alone. ``slot`` is the bay, or
    the SCSI address host:channel:target:lun. ``parts`` are the partitions that were seen. ``origins`` maps field name
    to source.
    """

    key: str
    path: str | None = None
    by_id: tuple[str, ...] = ()
    model: str | None = None
    vendor: str | None = None
    serial: str | None = None
    wwn: str | None = None
    firmware: str | None = None
    size_bytes: int | None = None
    logical_sector_bytes: int | None = None
    physical_sector_bytes: int | None = None
    lba_formats: tuple[LbaFormat, ...] = ()
    media: Media | None = None
    rotation_rpm: int | None = None
    smr: bool | None = None
    transport: str | None = None
    power_loss_protection: bool | None = None
    read_bytes_per_second: int | None = None
    write_bytes_per_second: int | None = None
    health: Health | None = None
    wear_percent: int | None = None
    power_on_hours: int | None = None
    temperature_celsius: int | None = None
    media_errors: int | None = None
    removable: bool | None = None
    enclosure: str | None = None
    slot: str | None = None
    controller: str | None = None
    planned: bool = False
    price: Money | None = None
    watts: float | None = None
    afr_percent: float | None = None
    use_known: bool = True
    uses: tuple[Use, ...] = ()
    parts: tuple[DiskPart, ...] = ()
    notes: tuple[Note, ...] = ()
    origins: tuple[tuple[str, Origin], ...] = ()

    @property
    def in_use(self) -> bool:
        """Tell whether something on the machine uses this disk."""
        return bool(self.uses)

    @property
    def by_id_name(self) -> str | None:
        """Return the chosen name under /dev/disk/by-id."""
        return best_by_id(self.by_id)

    @property
    def label(self) -> str:
        """Return what a person calls this disk: by-id name, path, or model and serial."""
        return self.by_id_name or self.path or " ".join(p for p in (self.model, self.serial) if p) or self.key

    @property
    def bay(self) -> str | None:
        """Return the bay of its enclosure; None for a SCSI address, whose numbers stand on no bay."""
        return None if self.slot is None or _SCSI_ADDRESS.fullmatch(self.slot) else self.slot

    @property
    def telling_serial(self) -> str | None:
        """Return the serial number where it tells this disk from others; None for what bridges and makers fill in."""
        serial = (self.serial or "").strip()
        return None if serial.lower() in _NO_SERIALS or not serial.strip("0") else serial

    def origin_of(self, field: str) -> Origin | None:
        """Return where the value of ``field`` comes from."""
        return next((origin for name, origin in self.origins if name == field), None)

    def refusals(self) -> tuple[str, ...]:
        """Return every reason why this disk cannot be ticked; empty when it may be used."""
        reasons = [str(use) for use in self.uses]
        if self.size_bytes is None:
            reasons.append(tell("its size is unknown"))
        elif self.size_bytes < 64 << 20:
            reasons.append(tell("it is smaller than 64 MiB, the least OpenZFS takes"))
        return tuple(reasons)
