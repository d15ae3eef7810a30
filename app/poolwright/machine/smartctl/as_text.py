"""smartctl's text output (`-i`, `-a`, `-x`, `-H`, `-A`; 5.0 to 7.5) read into facts."""

import re
from dataclasses import dataclass
from itertools import chain, takewhile

from poolwright.domain.disk import LbaFormat
from poolwright.texts import marked, tell

# What smartctl said of one device, before it is judged: the common shape of its JSON and its text output.

OPTICAL = ("cd/dvd", "cd-rom", "tape", "scanner", "printer", "enclosure", "media changer", "optical")  # for machines
CONTROLLER_SIZE = marked(
    "smartctl reports the capacity of the NVMe controller, not of a namespace: several may share it"
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
    remarks: tuple[str, ...] = ()

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


def transport_of(words: str | None) -> str | None:
    """Return the transport that SCSI's own words begin with: ``sas`` of “SAS (SPL-4)”."""
    known = ("sas", "iscsi", "fibre channel", "usb", "sata")  # for machines
    return next((name for name in known if (words or "").lower().startswith(name)), None)


_HEX_NAME = re.compile(r"(?:0x)?([0-9a-f]{16}|[0-9a-f]{32})\Z")


def canonical_wwn(text: str | None) -> str | None:
    """Return a world-wide name as the kernel writes it (0x5000c500…, eui.0025…); None when it is none."""
    bare = (text or "").replace(" ", "").lower()
    if re.match(r"eui\.[0-9a-f]{16,32}\Z", bare):
        return bare
    match = _HEX_NAME.match(bare)
    return f"0x{match.group(1)}" if match and set(match.group(1)) != {"0"} else None


_LABEL = re.compile(r"^(\S[^:]{1,60}?):\s++(\S.*)$")
_ATTRIBUTE = re.compile(
    r"^\s*(?P<number>\d{1,3}) (?P<name>\S+)\s+(?:0x[0-9a-f]{4}|[POSRCK-]{6,7})\s+(?P<value>\d{1,9}|---)\s+"
    r"(?:\d{1,9}|---)\s+(?P<threshold>\d{1,9}|---)\s+(?:(?:Pre-fail|Old_age)\s+(?:(?:Always|Offline)\s+)?)?"
    r"(?P<failed>-|NOW|Past|FAILING_NOW|In_the_past)\s+(?P<raw>.*)$"
)
_LBA = re.compile(r"^\s*\d{1,4}\s+([+-])\s+(\d{1,9})\s+(\d{1,9})\s+\d{1,4}$")
_COMPLAINT = re.compile(
    r"Unable to detect device type|Unknown USB bridge|open device:.*failed|failed: .*|Permission denied|"
    r"mandatory SMART command failed|Read Device Identity failed|does not support SMART|Unknown device type"
)
_PATHS = (
    re.compile(r"^(/dev/\S+): "),
    re.compile(r"open device: (/dev/\S+)(?: \[[^\]]*\])? failed"),
    re.compile(r"^.{0,200}?smartctl\b.*\s(/dev/\S+)$"),
)
_ERROR_ROW = re.compile(r"^(?:read|write|verify):\s.*\s(\d{1,18})$")
_ENDURANCE = re.compile(r"^0x\w+\s+0x\w+\s+\d+\s+(\d{1,9})\s+\S+\s+Percentage Used Endurance Indicator")
_POWERED = re.compile(
    r"number of hours powered up\s*+=\s*+(\d{1,9})|power on time, hours:minutes\s++(\d{1,9})", re.IGNORECASE
)

_TEMPERATURES = ("Current Temperature", "Temperature", "Current Drive Temperature")  # for machines
_LIMITS_OF_TEMPERATURE = (
    "Drive Trip Temperature",
    "Warning  Comp. Temp. Threshold",
    "Warning Comp. Temp. Threshold",
)  # for machines
# smartctl's own lines are far shorter; what is longer is something else.
_LONGEST_LINE = 2000

Labels = dict[str, str]


def facts_from_text(text: str) -> SmartFacts:
    """Return what smartctl's text output says; anything missing or odd is None."""
    lines = [line[:_LONGEST_LINE].rstrip() for line in text.splitlines()]
    labels = _labels(lines)
    size, remarks = _size(labels)
    broken = "Structure error: invalid SMART checksum" in text
    if broken:
        remarks = (*remarks, tell("the SMART attributes fail their own checksum and are ignored"))
    logical, physical = _sectors(labels)
    model, vendor = _model(labels)
    complaints = tuple(line.strip() for line in lines if _COMPLAINT.search(line))
    zones = _zones(labels)
    attributes = () if broken else _attributes(lines)
    return SmartFacts(
        path=_path(lines),
        protocol="NVMe" if "Model Number" in labels or "(NVMe Log" in text else None,
        model=model,
        family=labels.get("Model Family"),
        vendor=vendor,
        serial=_serial(labels),
        wwn=_wwn(labels),
        firmware=labels.get("Firmware Version") or labels.get("Revision"),
        size_bytes=size,
        logical_sector_bytes=logical,
        physical_sector_bytes=physical,
        lba_formats=_lba_formats(lines),
        rotation=_rotation(labels, size),
        zoned=True if "managed" in zones or "aware" in zones else None,
        host_managed="host managed" in zones,
        protection=_protection(lines),
        recording=labels.get("Drive Recording Type"),
        transport=_transport(labels, complaints),
        kind=_kind(text, labels),
        messages=complaints,
        smart_enabled=False if labels.get("SMART support is") == "Disabled" else None,
        passed=_passed(labels),
        attributes=attributes,
        critical_warning=_hex(labels.get("Critical Warning")),
        percentage_used=_percentage_used(labels, lines),
        available_spare=first_number(labels.get("Available Spare")),
        spare_threshold=first_number(labels.get("Available Spare Threshold")),
        media_errors=grouped_number(labels.get("Media and Data Integrity Errors")),
        grown_defects=first_number(labels.get("Elements in grown defect list")),
        uncorrected_errors=_uncorrected(lines),
        hours=_hours(labels, attributes, lines),
        temperature=_temperature(labels, attributes),
        temperature_limit=_temperature_limit(labels),
        remarks=remarks,
    )


def _model(labels: dict[str, str]) -> tuple[str | None, str | None]:
    """Return model and vendor; a layer that translates SCSI to ATA is none."""
    vendor = labels.get("Vendor")
    vendor = None if vendor == TRANSLATION_LAYER else vendor
    product = labels.get("Product") or labels.get("Device", "").partition("Version:")[0].strip()
    whole = labels.get("Device Model") or labels.get("Model Number")
    return whole or " ".join(part for part in (vendor, product) if part) or None, vendor


def _path(lines: list[str]) -> str | None:
    """Return the device the output names: in a complaint, or in the command line that was copied with it."""
    for line in lines[:12]:
        for pattern in _PATHS:
            match = pattern.search(line)
            if match:
                return match.group(1)
    return None


def _labels(lines: list[str]) -> Labels:
    """Return `Label: value` pairs; of a label printed twice the first counts, SMART support the last."""
    labels: Labels = {}
    for line in lines:
        match = _LABEL.match(line)
        if match:
            label, value = match.group(1).strip(), match.group(2).strip()
            if label == "SMART support is":
                labels[label] = value
            labels.setdefault(label, value)
    return labels


def grouped_number(text: str | None) -> int | None:
    """Return a number whatever separates its thousands: 500.107.862.016, 3'840'755, a narrow space."""
    if not text:
        return None
    head = re.split(r"\s*(?:\[|bytes)", text, maxsplit=1)[0]
    digits = re.sub(r"\D", "", head)
    return int(digits) if digits.isascii() and 0 < len(digits) < 25 else None


def _size(labels: Labels) -> tuple[int | None, tuple[str, ...]]:
    sized = re.compile(r"Namespace \d+ (?:Size/Capacity|Size)$")
    told = (labels.get("User Capacity"), *(value for label, value in labels.items() if sized.match(label)))
    if size := next(filter(None, map(grouped_number, told)), None):
        return size, ()
    if total := grouped_number(labels.get("Total NVM Capacity")):
        size = total - (grouped_number(labels.get("Unallocated NVM Capacity")) or 0)
        return size or None, (tell(CONTROLLER_SIZE),)
    return None, (tell(NO_SIZE),) if grouped_number(told[0]) == 0 else ()


def _sectors(labels: Labels) -> tuple[int | None, int | None]:
    both = re.match(r"(\d{1,9}) bytes logical/physical", labels.get("Sector Size", ""))
    if both:
        size = sector(int(both.group(1)))
        return size, size
    two = re.match(r"(\d{1,9}) bytes logical, (\d{1,9}) bytes physical", labels.get("Sector Sizes", ""))
    if two:
        return sector(int(two.group(1))), sector(int(two.group(2)))
    logical = first_number(labels.get("Logical block size"))
    if logical is None:
        formatted = (v for k, v in labels.items() if re.match(r"Namespace \d+ Formatted LBA Size$", k))
        logical = first_number(next(formatted, None))
    # Without “Physical block size” the drive did not say: equal sizes must not be assumed.
    return sector(logical), sector(first_number(labels.get("Physical block size")))


def _serial(labels: Labels) -> str | None:
    serial = labels.get("Serial Number") or labels.get("Serial number")
    return None if serial is None or serial.startswith("[No Information") else serial


def _wwn(labels: Labels) -> str | None:
    name = labels.get("LU WWN Device Id") or labels.get("Logical Unit id")
    eui = next((v for k, v in labels.items() if re.match(r"Namespace \d+ IEEE EUI-64$", k)), None)
    return canonical_wwn(name) or canonical_wwn(f"eui.{eui}" if eui else None)


def _lba_formats(lines: list[str]) -> tuple[LbaFormat, ...]:
    start = next((i for i, line in enumerate(lines) if line.startswith("Supported LBA Sizes")), len(lines))
    rows = takewhile(lambda match: match is not None, map(_LBA.match, lines[start + 2 :]))
    return tuple(
        LbaFormat(data_bytes=int(row[2]), metadata_bytes=int(row[3]), current=row[1] == "+") for row in rows if row
    )


def _rotation(labels: Labels, size: int | None) -> int | None:
    words = labels.get("Rotation Rate", "")
    if words.startswith("Solid State"):
        return 0 if size or "User Capacity" not in labels else None
    return first_number(words) if "rpm" in words else None


def _zones(labels: Labels) -> str:
    return f"{labels.get('Zoned Device', '')} {labels.get('Device type', '')}".lower().replace("-", " ")


def _protection(lines: list[str]) -> int | None:
    """Return the type of T10 protection information that a SAS disk is formatted with."""
    found = (re.match(r"\s*Formatted with type (\d) protection", line) for line in lines)
    return next((int(match.group(1)) for match in found if match), None)


def _transport(labels: Labels, complaints: tuple[str, ...]) -> str | None:
    if any("USB" in line for line in complaints):
        return "usb"
    if "SATA Version is" in labels:
        return "sata"
    if "Model Number" in labels:
        return "nvme"
    return transport_of(labels.get("Transport protocol"))


def _kind(text: str, labels: Labels) -> str | None:
    packet = re.search(r"Packet Interface Devices \[this device: ([^\]]+)\]", text)
    if packet:
        return packet.group(1)
    if "Device type" in labels:
        return labels["Device type"]
    return "CD/DVD" if re.search(r"\b(?:DVD|CD)-?R|\bDVD\b", labels.get("Product", "")) else None


def _passed(labels: Labels) -> bool | None:
    verdict = labels.get("SMART overall-health self-assessment test result")
    if verdict is not None:
        return True if verdict.startswith("PASSED") else False if verdict.startswith("FAILED") else None
    verdict = labels.get("SMART Health Status")
    return None if verdict is None else verdict.startswith("OK")


def _hex(text: str | None) -> int | None:
    match = re.match(r"0x([0-9a-fA-F]{1,4})\b", text or "")
    return int(match.group(1), 16) if match else None


def _attributes(lines: list[str]) -> tuple[Attribute, ...]:
    return tuple(
        Attribute(
            number=int(match["number"]),
            name=match["name"],
            value=first_number(match["value"]),
            threshold=first_number(match["threshold"]),
            raw=first_number(match["raw"]),
            failed=match["failed"].strip("-"),
        )
        for line in lines
        if (match := _ATTRIBUTE.match(line))
    )


def _percentage_used(labels: Labels, lines: list[str]) -> int | None:
    used = labels.get("Percentage Used") or labels.get("Percentage used endurance indicator")
    if used:
        return first_number(used)
    return next((int(m.group(1)) for line in lines if (m := _ENDURANCE.match(line))), None)


def _uncorrected(lines: list[str]) -> int | None:
    counts = [int(match.group(1)) for line in lines if (match := _ERROR_ROW.match(line))]
    return sum(counts) if counts else None


def _hours(labels: Labels, attributes: tuple[Attribute, ...], lines: list[str]) -> int | None:
    if "Power On Hours" in labels:
        return believable_hours(grouped_number(labels["Power On Hours"]))
    told = (attribute.raw for attribute in attributes if attribute.number == 9)
    powered = (int(match[1] or match[2]) for line in lines if (match := _POWERED.search(line)))
    return believable_hours(next(chain(told, powered), None))


def _temperature(labels: Labels, attributes: tuple[Attribute, ...]) -> int | None:
    told = [first_number(labels.get(label)) for label in _TEMPERATURES]
    told += [next((a.raw for a in attributes if a.number == number), None) for number in (194, 190)]
    return next((celsius for celsius in map(believable_temperature, told) if celsius is not None), None)


def _temperature_limit(labels: Labels) -> int | None:
    if limit := next(filter(None, (first_number(labels.get(label)) for label in _LIMITS_OF_TEMPERATURE)), None):
        return limit
    pair = re.match(r"-?\d+/\s*+(\d{1,9})", labels.get("Min/Max recommended Temperature", ""))
    return int(pair.group(1)) if pair else None
