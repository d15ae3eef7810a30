"""One disk as an inventory knows it. Unknown stays None."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from poolwright.domain.burn_in import BurnIn
from poolwright.domain.estimate import Origin
from poolwright.domain.money import Money
from poolwright.domain.shown import shown_text
from poolwright.domain.units import DEFAULT_LOGICAL_SECTOR_BYTES
from poolwright.shipped import shipped
from poolwright.texts import N_, _, says


class Media(StrEnum):
    """What the data lie on, from the slowest on."""

    HDD = "hdd"
    SSD = "ssd"
    NVME = "nvme"

    @property
    def words(self) -> str:
        return "NVMe" if self is Media.NVME else self.value.upper()


FLASH_MEDIA = (Media.SSD, Media.NVME)


def slowest(media: Collection[Media | None]) -> Media | None:
    """Return the slowest of these media; None where one is unknown, or there are none."""
    return None if None in media else next((medium for medium in Media if medium in media), None)


class Health(StrEnum):
    """The drive's own SMART verdict, and ours where attributes speak against it."""

    GOOD = N_("good")
    SUSPECT = N_("suspect")  # passes its own test but counts errors, wear or reallocations
    FAILING = N_("failing")


class UseKind(StrEnum):
    """Why a disk is not free, in the order in which reasons are shown: what would be lost first."""

    BOOT = N_("boot disk")
    MOUNTED = N_("mounted")
    SWAP = N_("swap")
    MULTIPATH = N_("multipath path")
    POOL = N_("pool member")
    FOREIGN_POOL = N_("exported or foreign pool")
    MD = N_("md array")
    LVM = "LVM"
    LUKS = "LUKS"
    CACHE_LAYER = N_("bcache, bcachefs or dm-cache")
    HOLDER = N_("held by another device")
    FILESYSTEM = N_("filesystem")
    PARTITIONED = N_("partitioned")
    READ_ONLY = N_("read-only")


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """One reason why a disk may not be used; ``detail`` names the mount point, array or pool."""

    kind: UseKind
    detail: str = ""

    def __str__(self) -> str:
        kind = _(self.kind.value)
        return f"{kind}: {self.detail}" if self.detail else kind


_WORLD_WIDE = re.compile(r"(?:0x|naa\.)?([0-9a-f]{16}(?:[0-9a-f]{16})?)\Z")
_NVME_WIDE = re.compile(r"eui\.([0-9a-f]{16}|[0-9a-f]{32})\Z")


def names_of_wwn(wwn: str | None) -> tuple[str, ...]:
    """Return the names under /dev/disk/by-id that udev makes of a world-wide name, `wwn-` first; none of fillers."""
    bare = "" if is_placeholder(wwn or "") else (wwn or "").lower()
    if (scsi := _WORLD_WIDE.match(bare)) is not None:
        return f"wwn-0x{scsi[1]}", f"scsi-3{scsi[1]}"
    return (f"nvme-{bare}",) if _NVME_WIDE.match(bare) else ()


class Unfit(StrEnum):
    HOST_MANAGED = "host-managed"
    PROTECTED = "protected"
    NO_SIZE = "no-size"
    OFFLINE = "offline"
    MAPPED = "mapped"

    @property
    def words(self) -> str:
        return next(_(entry["why"]) for entry in shipped("drives")["unfit"] if entry["name"] == self)


class NoteLevel(StrEnum):
    NOTE = "note"
    WARN = "warn"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Something odd about a disk or a capture that a person should read."""

    text: str
    level: NoteLevel = NoteLevel.NOTE


class UseNote(Note):
    """That nobody looked what uses some disks, which is a matter of reading them and not of their layout."""

    __slots__ = ()


IS_ARRAY = N_("an array of the RAID controller {name}: ZFS wants the drives themselves (HBA mode)")
LOOKS_LIKE_ARRAY = N_("looks like a logical drive of a RAID controller; ZFS wants the drives themselves (HBA mode)")


@dataclass(frozen=True, slots=True, kw_only=True)
class LbaFormat:
    """One LBA format an NVMe namespace offers: bytes of data per block, and whether it is the current one."""

    data_bytes: int
    metadata_bytes: int = 0
    current: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskPart:
    """A partition that was seen on a disk: its number and bytes, GPT type GUID, and what blkid calls its contents.

    ``names`` are its PARTUUID and PARTLABEL: TrueNAS and people make pools of these.
    """

    number: int
    size_bytes: int | None = None
    type_guid: str | None = None
    signature: str | None = None
    names: tuple[str, ...] = ()


# Letters as far as machines reach: a label such as sdisk1, vdev1 or hdd1 (IDE is gone from kernels) is none of these.
_KERNEL_DISK = r"(?:sd(?:[a-z]{1,2}|[a-d][a-z]{2})|vd(?:[a-z]|[a-d][a-z])|xvd[a-z]{1,2})"
_KERNEL_NUMBERED = r"(?:nvme\d+(?:c\d+)?n\d+|mmcblk\d+|md_?\d+|loop\d+|nbd\d+|pmem\d+|(?:ada|da|nda|nvd|vtbd|mmcsd)\d+)"
_KERNEL_NAME = re.compile(
    rf"(?P<folder>/dev/)?(?:(?P<lettered>{_KERNEL_DISK})(?P<part>\d{{1,4}})?"
    rf"|(?P<numbered>{_KERNEL_NUMBERED})(?:[ps](?P<number>\d{{1,4}}))?)\Z"
)
_LINKED_PART = re.compile(r"-part(\d{1,4})\Z")


def kernel_name(printed: str) -> bool:
    """Tell whether a device goes by the name the kernel gave it, with or without /dev/, which another may get."""
    return _KERNEL_NAME.match(printed) is not None


def without_partition(printed: str) -> tuple[str, int | None]:
    """Return the name or path of the whole disk, and the number of the partition of it that ``printed`` names.

    Only bare kernel names and udev's links tell: hdd1 (a label), gpt/sdisk1 or d1 (an alias) are no partitions.
    """
    link = _LINKED_PART.search(printed)
    if link is not None:
        return printed[: link.start()], int(link.group(1))
    match = _KERNEL_NAME.match(printed)
    number = None if match is None else match["part"] or match["number"]
    if match is None or number is None:
        return printed, None
    return (match["folder"] or "") + (match["lettered"] or match["numbered"]), int(number)


_FOLDER = re.compile(r"/dev/(?:disk/by-[a-z]+/|mapper/)?|/(?:.*/)?")


def short_name(printed: str) -> str:
    """Return what a person calls a device: gpt/d1 and label/d1 of FreeBSD are two, a folder of links says nothing."""
    return _FOLDER.sub("", printed, count=1) if printed.startswith("/") else printed


_SCSI_ADDRESS = re.compile(r"\d+:\d+:\d+:\d+")
_LONGEST_FILE_NAME = 255  # NAME_MAX of Linux, in bytes
_STABLE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:+@-]*\Z")
# Best first: names that carry model and serial, then the world-wide name, then the rest.
_PREFERENCE = ("nvme-", "ata-", "scsi-S", "scsi-", "virtio-", "usb-", "mmc-", "wwn-", "nvme-eui.", "nvme-nvme.")
_PREFERRED = re.compile("|".join(f"({re.escape(beginning)})" for beginning in _PREFERENCE))
_OPAQUE = re.compile(r"^(nvme-eui\.|nvme-nvme\.|wwn-|scsi-[0-9a-f]{17,33}$)")
# What people put in the place of a serial number, and what makers, bridges and hypervisors give to every disk; equal
# ones mean nothing.
_MASKED = re.compile(r"x{4}|\*\*|\.{3}|…|[<\[]|redacted|hidden|removed", re.IGNORECASE)
_FILLED = re.compile(
    r"(?:[x#?.\-_]+|.*\*.*|0+|1234567890\w*|0123456789\w*|none|null|unknown|n/?a|not ?available|"
    r"to be filled by o\.e\.m\.|serial.*)\Z",
    re.IGNORECASE,
)
# World-wide names whose maker's part is all ones or 1234567890, which redaction writes, and links of those.
_FILLER_WWN = re.compile(
    r"(?i)(?:(?:0x|naa\.)[0-9a-f]{7}(?:f{9}|0499602d2)|eui\.[0-9a-f]{6}(?:f{10}|00499602d2)|(?:0x|eui\.)0+)\Z"
)
_REDACTED_LINK = re.compile(r"(?:wwn-0x|scsi-3|nvme-eui\.)[0-9a-f]{7}0499602d2\Z")


def is_masked(text: str) -> bool:
    """Tell whether a person put this in the place of a serial number."""
    return _MASKED.search(text) is not None


def is_placeholder(text: str) -> bool:
    """Tell whether a serial number or world-wide name is none."""
    return not (bare := text.strip()) or is_masked(bare) or bool(_FILLED.match(bare) or _FILLER_WWN.match(bare))


# Devices made of others: device mapper, multipath, md, LVM.
_MAPPED_NAMES = ("dm-", "md-", "lvm-", "raid-")
_MAPPED_PATHS = ("/dev/mapper/", "/dev/dm-", "/dev/md")


@lru_cache(maxsize=1 << 11)
def best_by_id(names: tuple[str, ...]) -> str | None:
    """Return the name of /dev/disk/by-id that tells a person most and is safe to write; None when there is none.

    Model-and-serial names win over opaque identifiers because they can be read off the drive's label.
    """
    fit = (n for n in names if len(n) <= _LONGEST_FILE_NAME and _STABLE.match(n))
    usable = [n for n in fit if "-part" not in n and not _REDACTED_LINK.match(n)]

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
    False says that nobody looked what uses the disk, so that empty ``uses`` prove nothing. ``unfit`` says why it
    makes no pool as it is; ``body`` names the drive of which this is one part of several (a LUN of a drive with two
    actuators, an NVMe namespace), which all fail with it. No tool tells of ``power_loss_protection``, but people and
    catalogues do. ``read_bytes_per_second`` and ``write_bytes_per_second`` are sequential rates that a person
    measured of this disk alone. ``slot`` is the bay, or the SCSI address host:channel:target:lun. ``parts`` are the
    partitions that were seen. ``origins`` maps field name to source.
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
    burn_in: BurnIn | None = None
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
    unfit: tuple[Unfit, ...] = ()
    body: str | None = None
    parts: tuple[DiskPart, ...] = ()
    notes: tuple[Note, ...] = ()
    origins: tuple[tuple[str, Origin], ...] = ()

    @property
    def in_use(self) -> bool:
        return bool(self.uses)

    @property
    def by_id_name(self) -> str | None:
        return best_by_id(self.by_id)

    @property
    def nameable(self) -> bool:
        """Tell whether a script can name it: a real disk, not made of others, of which a name that stays is known."""
        return self.by_id_name is not None and not self.planned and not self.mapped

    @property
    def label(self) -> str:
        """Return what a person calls this disk: by-id name, path, or model and serial number, else its slot."""
        number = self.serial or (None if self.planned else self.slot)
        return self.by_id_name or self.path or " ".join(p for p in (self.model, number) if p) or self.key

    @property
    def bay(self) -> str | None:
        """Return the bay of its enclosure; None for a SCSI address, whose numbers stand on no bay."""
        return None if self.slot is None or _SCSI_ADDRESS.fullmatch(self.slot) else self.slot

    @property
    def place(self) -> str:
        return self.place_words(_)

    def place_words(self, translate: Callable[..., str]) -> str:
        """Return shelf and bay as ``translate`` writes a text with its values: `_`, or `str.format` in English."""
        bay = translate(_BAY, bay=self.bay) if self.bay else ""
        return ", ".join(part for part in (shelf_words(self.enclosure, translate), bay) if part)

    @property
    def telling_serial(self) -> str | None:
        """Return the serial number where it tells this disk from others; None for what bridges and makers fill in."""
        serial = (self.serial or "").strip()
        return None if is_placeholder(serial) else serial

    @property
    def drive(self) -> tuple[str | None, int | None]:
        """Return by what a drive is known again, whatever machine it is in."""
        return self.telling_serial or self.wwn, self.size_bytes

    @property
    def mapped(self) -> bool:
        """Tell whether it is made of others, which the scripts refuse on the machine whatever link leads to it."""
        made = (self.path or "").startswith(_MAPPED_PATHS) or (self.by_id_name or "").startswith(_MAPPED_NAMES)
        return made and not self.planned

    @property
    def array(self) -> bool:
        """Tell whether a RAID controller made it of drives that nobody sees."""
        begins = tuple(text.partition("{")[0] for text in (IS_ARRAY, _(IS_ARRAY)))
        return any(says(note.text, LOOKS_LIKE_ARRAY) or note.text.startswith(begins) for note in self.notes)

    def origin_of(self, field: str) -> Origin | None:
        return next((origin for name, origin in self.origins if name == field), None)

    def refusals(self) -> tuple[str, ...]:
        reasons = [*map(str, self.uses), *self.hindrances()]
        if self.size_bytes is None:
            reasons.append(_("its size is unknown"))
        elif self.size_bytes < 64 << 20 and Unfit.NO_SIZE not in self.unfit:
            reasons.append(_("it is smaller than 64 MiB, the least OpenZFS takes"))
        return tuple(reasons)

    def hindrances(self) -> tuple[str, ...]:
        found, misformatted = (*self.unfit, *((Unfit.MAPPED,) if self.mapped else ())), ""
        sector = self.logical_sector_bytes or DEFAULT_LOGICAL_SECTOR_BYTES
        extra = next((form.metadata_bytes for form in self.lba_formats if form.current), 0)
        data = 4096 if sector >= 4096 else 512
        if sector % 512:
            misformatted = _(
                "its sectors have {sector} bytes, which Linux cannot use: format it with {data} (`sg_format "
                "--format --size={data}`, which erases it and takes hours)",
                sector=sector,
                data=data,
            )
        elif extra:
            misformatted = _(
                "its blocks carry {extra} bytes of metadata each: format it without (`nvme format "
                "--block-size={data}`, which erases it)",
                extra=extra,
                data=data,
            )
        # Formatting it ends what the kernel cannot read of its size, and its protection.
        hidden = (Unfit.NO_SIZE, Unfit.PROTECTED) if misformatted else ()
        reasons = (why.words for why in dict.fromkeys(found) if why not in hidden)
        return (*reasons, misformatted) if misformatted else tuple(reasons)


_SHELF, _BAY = N_("shelf {name}"), N_("bay {bay}")


def shelf_words(name: str | None, translate: Callable[..., str] = _) -> str:
    """Return what a person calls a shelf: one whose name is of several words says what it is."""
    return translate(_SHELF, name=name) if name and " " not in name else name or ""


def size_unknown(label: str) -> str:
    return _("The size of {disk} is unknown", disk=label)


def sectors_problem(disk: Disk, ashift: int) -> str:
    """Return why a disk has no place in a vdev of this ashift: zpool refuses sectors larger than its blocks."""
    sector = disk.logical_sector_bytes or 0
    if sector <= 1 << ashift:
        return ""
    words = {"disk": shown_text(disk.label), "bytes": sector, "ashift": ashift}
    return _("{disk} has sectors of {bytes} bytes: ashift {ashift} is too small", **words)


def parts_by_name(disks: Iterable[Disk]) -> dict[str, tuple[Disk, DiskPart]]:
    """Return the partitions by PARTUUID and PARTLABEL; a label that several have tells of none."""
    found = [(name, (disk, part)) for disk in disks for part in disk.parts for name in part.names]
    counts = Counter(name for name, __ in found)
    return {name: owner for name, owner in found if counts[name] == 1}


def plan_only(disks: Iterable[Disk], *, short: bool = False) -> str:
    """Return the badge where one of these disks is planned; empty where all are real. ``short`` for little room."""
    if not any(disk.planned for disk in disks):
        return ""
    return _("plan only") if short else _("plan only: bind before script")


# What must be done before a script can name disks; the command line adds its command.
HOW_TO_BIND = N_("Bind the planned disks to real ones first.")
HOW_TO_NAME = N_("Read `ls -l /dev/disk/by-id` too.")
