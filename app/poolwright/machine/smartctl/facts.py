"""What smartctl said of one device, before it is judged: the common shape of its JSON and its text output."""

import re
from dataclasses import dataclass, field

from poolwright.domain.disk import LbaFormat
from poolwright.texts import marked

OPTICAL = ("cd/dvd", "cd-rom", "tape", "scanner", "printer", "enclosure", "media changer", "optical")  # for machines
CONTROLLER_SIZE = marked(
    "smartctl reports the capacity of the NVMe controller, not of a namespace: several namespaces may share that size"
)
BRIDGE_BETWEEN = marked("A USB bridge stands between smartctl and the disk: the sector size cannot be told")
NO_SIZE = marked("the device reports a capacity of 0 bytes: an adapter hides the disk behind it")
# What stands in the place of the vendor when an ATA disk is asked in SCSI's words.
TRANSLATION_LAYER = "ATA"


def without_layer(model: str, vendor: str | None) -> str:
    """Return the model without the “ATA” that SCSI-to-ATA translation puts before it."""
    return model.removeprefix(f"{TRANSLATION_LAYER} ").strip() if vendor == TRANSLATION_LAYER else model


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """One ATA SMART attribute; ``raw`` is the first number of the raw value as smartctl formats it."""

    number: int
    name: str
    value: int | None = None
    threshold: int | None = None
    raw: int | None = None
    failed: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SmartFacts:
    """Everything read; None where smartctl said nothing. Sizes are bytes, temperatures degrees Celsius."""

    path: str | None = None
    device_type: str | None = None
    protocol: str | None = None
    model: str | None = None
    family: str | None = None
    vendor: str | None = None
    serial: str | None = None
    wwn: str | None = None
    firmware: str | None = None
    size_bytes: int | None = None
    size_source: str | None = None
    logical_sector_bytes: int | None = None
    physical_sector_bytes: int | None = None
    lba_formats: tuple[LbaFormat, ...] = ()
    rotation: int | None = None
    zoned: bool | None = None
    host_managed: bool = False
    protection: int | None = None
    recording: str | None = None
    transport: str | None = None
    kind: str | None = None
    version: str | None = None
    exit_status: int | None = None
    messages: tuple[str, ...] = ()
    smart_enabled: bool | None = None
    passed: bool | None = None
    attributes: tuple[Attribute, ...] = ()
    critical_warning: int | None = None
    percentage_used: int | None = None
    available_spare: int | None = None
    spare_threshold: int | None = None
    media_errors: int | None = None
    grown_defects: int | None = None
    uncorrected_errors: int | None = None
    hours: int | None = None
    temperature: int | None = None
    temperature_limit: int | None = None
    remarks: tuple[str, ...] = field(default=())

    @property
    def is_disk(self) -> bool:
        """Tell whether the device may be a disk: CD drives, tapes and enclosures are not."""
        return not (self.kind and any(word in self.kind.lower() for word in OPTICAL))

    @property
    def says_something(self) -> bool:
        """Tell whether any fact about a device was read."""
        found = (
            self.model, self.serial, self.size_bytes, self.logical_sector_bytes, self.passed, self.hours,
            self.temperature, self.percentage_used,
        )  # fmt: skip
        return any(value is not None for value in found) or bool(self.attributes)


_FIRST_NUMBER = re.compile(r"\s*+(\d{1,20})(?!\d)")
MOST_HOURS = 50 * 366 * 24


def first_number(text: str | None) -> int | None:
    """Return the number a raw value begins with: 28 for “28 (Min/Max 21/30)”, 463 for “463h+45m”."""
    match = _FIRST_NUMBER.match(text or "")
    return int(match.group(1)) if match else None


def believable_hours(hours: int | None) -> int | None:
    """Return the hours unless they exceed fifty years, which no drive has been on for."""
    return hours if hours is not None and 0 <= hours <= MOST_HOURS else None


def believable_temperature(celsius: int | None) -> int | None:
    """Return the temperature when a drive can have it; 0 is what drives without a sensor report."""
    return celsius if celsius is not None and celsius != 0 and -60 < celsius < 150 else None


def sector(size: int | None) -> int | None:
    """Return a sector size when it is one: 128 bytes to 1 MiB, 520-byte sectors included."""
    return size if size is not None and 128 <= size <= 1 << 20 else None


_HEX_NAME = re.compile(r"(?:0x)?([0-9a-f]{16}|[0-9a-f]{32})\Z")


def canonical_wwn(text: str | None) -> str | None:
    """Return a world-wide name as the kernel writes it (0x5000c500…, eui.0025…); None when it is none."""
    bare = (text or "").replace(" ", "").lower()
    if re.match(r"eui\.[0-9a-f]{16,32}\Z", bare):
        return bare
    match = _HEX_NAME.match(bare)
    return f"0x{match.group(1)}" if match and set(match.group(1)) != {"0"} else None
