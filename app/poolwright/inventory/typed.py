"""Disks typed by hand: “12 x 16TB CMR SATA, 2 x 960GB nvme”. They are planned, not seen."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from poolwright.domain.disk import Disk, Media, Note
from poolwright.domain.errors import UserError
from poolwright.domain.inventory import Inventory
from poolwright.domain.origin import Origin, OriginKind
from poolwright.domain.units import GB, TB, drive_size, parse_size

MOST_DISKS = 4096
_HELP = "Write COUNT x SIZE and what you know of the disks: “12 x 16TB CMR SATA”, “2 x 960GB nvme”, “4 x 4TB ssd 4kn”."
# Between two groups: a comma, semicolon, plus or new line, or simply the next “COUNT x”.
_BETWEEN = re.compile(r"\s*[;+\n]\s*|,\s+|,(?=\s*\d+\s*[x×*])|\s+(?=\d+\s*[x×*]\s*\d)", re.IGNORECASE)
_COUNT = re.compile(r"(\d+)\s*[x×*]\s*(?=\d)", re.IGNORECASE)
_SIZE = re.compile(r"(\d+(?:[.,]\d+)?)\s*([kmgtpe]i?b?|b)?(?=\s|$)", re.IGNORECASE)
_SECTORS = {"512n": (512, 512), "512e": (512, 4096), "4kn": (4096, 4096)}
_TRANSPORTS = ("sata", "sas", "usb", "pcie")
_MEDIA = {"hdd": Media.HDD, "ssd": Media.SSD, "nvme": Media.NVME, "disk": Media.HDD, "disks": Media.HDD}
# Capacities in GB that only flash is sold in.
_FLASH_SIZES = frozenset(
    {100, 120, 128, 200, 240, 256, 400, 480, 512, 800, 960, 1024, 1600, 1920, 3200, 3840, 6400, 7680, 15360, 30720}
)


def label_bytes(gigabytes: int) -> int:
    """Return the bytes a drive sold as ``gigabytes`` GB really has.

    Up to 8 TB: IDEMA LBA1-03, LBA = 97 696 368 + 1 953 504 x (GB - 50) sectors of 512 bytes, from 80 GB on.
    Above: SFF-8447, the label's bytes rounded up to whole 2^21 sectors (1 GiB). Both agree with the 6, 8, 10, 14,
    16 and 18 TB drives of all makers. Below 80 GB no rule holds and the label is taken literally.
    """
    if gigabytes < 80:
        return gigabytes * GB
    if gigabytes <= 8000:
        return 512 * (97_696_368 + 1_953_504 * (gigabytes - 50))
    step = 512 << 21
    return -(-gigabytes * GB // step) * step


@dataclass(slots=True, kw_only=True)
class _Group:
    """What one group of typed disks says, and what had to be assumed."""

    count: int
    size_bytes: int
    label: str
    assumed: list[str] = field(default_factory=list)
    media: Media | None = None
    smr: bool | None = None
    transport: str | None = None
    sectors: tuple[int, int] | None = None
    rpm: int | None = None
    model: str | None = None
    typed: set[str] = field(default_factory=set)


def read_typed(specs: Sequence[str], *, name: str = "typed disks") -> Inventory:
    """Return the planned disks that ``specs`` describe; several groups may stand in one text.

    Every fact that was not typed is assumed, says so in its origin and in a note. Raises UserError with the word that
    was not understood.
    """
    text = " ".join(specs)
    groups = [part for part in _BETWEEN.split(text.strip()) if part.strip()]
    if not groups:
        raise UserError("No disks were typed", todo=_HELP)
    disks: list[Disk] = []
    notes: list[Note] = []
    for part in groups:
        group = _parse(part.strip())
        if len(disks) + group.count > MOST_DISKS:
            raise UserError(f"More than {MOST_DISKS} disks were typed", where=part.strip())
        _assume(group)
        disks.extend(_disks(group, first=len(disks) + 1))
        if group.assumed:
            notes.append(Note(text=f"{part.strip()}: assumed {', '.join(group.assumed)}"))
    origin = Origin(kind=OriginKind.TYPED, source=f"typed: {text.strip()}")
    return Inventory(name=name, disks=tuple(disks), notes=tuple(notes), origin=origin)


def _parse(text: str) -> _Group:
    counted = _COUNT.match(text)
    count = int(counted.group(1)[:12]) if counted else 1
    rest = text[counted.end() :] if counted else text
    sized = _SIZE.match(rest)
    if sized is None:
        raise UserError(f"“{text}” names no size", todo=_HELP)
    if not 0 < count <= MOST_DISKS:
        raise UserError(f"{count} is not a possible number of disks", where=text)
    size, label, rounded = _size(sized)
    group = _Group(count=count, size_bytes=size, label=label)
    if rounded:
        group.assumed.append(f"{size} bytes, the usual size behind the label {label}")
    words = rest[sized.end() :].replace(",", " ").split()
    _read_words(group, words, text)
    return group


def _size(sized: re.Match[str]) -> tuple[int, str, bool]:
    number, unit = sized.group(1), (sized.group(2) or "").upper()
    size = parse_size(f"{number}{unit}", what="disk size")
    if unit not in {"GB", "TB", "PB"} or size % GB or size < 80 * GB:
        return size, f"{number}{unit}" if unit else drive_size(size), False
    return label_bytes(size // GB), f"{number} {unit}", True


def _read_words(group: _Group, words: list[str], text: str) -> None:
    for position, word in enumerate(words):
        bare = word.lower().strip(".")
        speed = re.fullmatch(r"(\d{4,5})(?:rpm)?", bare)
        if bare in _MEDIA:
            group.media = _MEDIA[bare]
            group.typed.add("media")
        elif bare in {"cmr", "smr"}:
            group.smr = bare == "smr"
            group.typed.add("smr")
        elif bare in _SECTORS:
            group.sectors = _SECTORS[bare]
            group.typed.add("sectors")
        elif bare in _TRANSPORTS:
            group.transport = "nvme" if bare == "pcie" else bare
            group.typed.add("transport")
        elif speed and (bare.endswith("rpm") or words[position + 1 : position + 2] == ["rpm"]):
            group.rpm = int(speed.group(1))
            group.typed.add("rotation_rpm")
        elif word.lower().startswith("model="):
            group.model = word[6:] or None
            group.typed.add("model")
        elif bare != "rpm":
            raise UserError(f"“{word}” is not understood", where=text, todo=_HELP)


def _assume(group: _Group) -> None:
    if group.media is None:
        flash = group.size_bytes // GB in _FLASH_SIZES or group.transport == "nvme"
        group.media = Media.SSD if flash else Media.HDD
        if group.rpm:
            group.media = Media.HDD
        elif group.transport == "nvme":
            group.media = Media.NVME
        group.assumed.append({Media.HDD: "hard disks", Media.SSD: "SSDs", Media.NVME: "NVMe SSDs"}[group.media])
    if group.media is Media.NVME:
        group.transport = "nvme"
    if group.media is not Media.HDD:
        group.smr = False
    if group.sectors is None:
        group.sectors = (512, 4096)
        why = "as hard disks over 2 TB have" if group.media is Media.HDD and group.size_bytes > 2 * TB else "to be safe"
        group.assumed.append(f"512-byte logical and 4096-byte physical sectors (512e), {why}")


def _disks(group: _Group, *, first: int) -> list[Disk]:
    logical, physical = group.sectors or (None, None)
    typed = Origin(kind=OriginKind.TYPED, source="typed by hand")
    assumed = Origin(kind=OriginKind.ASSUMED, source="assumed, because it was not typed")
    label = Origin(kind=OriginKind.COMPUTED, source=f"capacity behind {group.label} (IDEMA LBA1-03, SFF-8447)")
    sizes = label if any("usual size" in a for a in group.assumed) else typed
    origins = [("size_bytes", sizes)]
    for name, word in (
        ("logical_sector_bytes", "sectors"), ("physical_sector_bytes", "sectors"), ("media", "media"),
    ):  # fmt: skip
        origins.append((name, typed if word in group.typed else assumed))
    origins += [(n, typed) for n in ("smr", "transport", "rotation_rpm", "model") if n in group.typed]
    notes = (Note(text=f"planned; assumed {', '.join(group.assumed)}"),) if group.assumed else ()
    tag = re.sub(r"[^A-Za-z0-9.]", "", group.label.replace(",", "."))
    return [
        Disk(
            key=f"planned-{tag}-{number:02d}",
            model=group.model,
            size_bytes=group.size_bytes,
            logical_sector_bytes=logical,
            physical_sector_bytes=physical,
            media=group.media,
            rotation_rpm=group.rpm,
            smr=group.smr,
            transport=group.transport,
            planned=True,
            notes=notes,
            origins=tuple(origins),
        )
        for number in range(first, first + group.count)
    ]
