"""smartctl's text output (`-i`, `-a`, `-x`, `-H`, `-A`; 5.0 to 7.5) read into facts."""

import re

from poolwright.domain.disk import LbaFormat
from poolwright.machine.smartctl.facts import (
    CONTROLLER_SIZE,
    NO_SIZE,
    TRANSLATION_LAYER,
    Attribute,
    SmartFacts,
    believable_hours,
    believable_temperature,
    canonical_wwn,
    first_number,
    sector,
)
from poolwright.texts import tell

_LABEL = re.compile(r"^(\S[^:]{1,60}?):\s++(\S.*)$")
_ATTRIBUTE = re.compile(
    r"^\s*(\d{1,3}) (\S+)\s+(?:0x[0-9a-f]{4}|[POSRCK-]{6,7})\s+(\d{1,9}|---)\s+(?:\d{1,9}|---)\s+(\d{1,9}|---)\s+"
    r"(?:(?:Pre-fail|Old_age)\s+(?:(?:Always|Offline)\s+)?)?(-|NOW|Past|FAILING_NOW|In_the_past)\s+(.*)$"
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
_VERSION = re.compile(r"^smartctl (?:version )?(\d+\.\d+(?:[.-]\d+)?)")
_ERROR_ROW = re.compile(r"^(?:read|write|verify):\s.*\s(\d{1,18})$")
_ENDURANCE = re.compile(r"^0x\w+\s+0x\w+\s+\d+\s+(\d{1,9})\s+\S+\s+Percentage Used Endurance Indicator")
_POWERED = re.compile(
    r"number of hours powered up\s*+=\s*+(\d{1,9})|power on time, hours:minutes\s++(\d{1,9})", re.IGNORECASE
)

# smartctl's own lines are far shorter; what is longer is something else.
_LONGEST_LINE = 2000

Labels = dict[str, str]


def facts_from_text(text: str) -> SmartFacts:
    """Return what smartctl's text output says; anything missing or odd is None."""
    lines = [line[:_LONGEST_LINE].rstrip() for line in text.splitlines()]
    labels = _labels(lines)
    size, source, remarks = _size(labels)
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
        size_source=source,
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
        version=next((m.group(1) for line in lines[:5] if (m := _VERSION.match(line))), None),
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


def _positive(number: int | None) -> int | None:
    return number or None


def _size(labels: Labels) -> tuple[int | None, str | None, tuple[str, ...]]:
    capacity = grouped_number(labels.get("User Capacity"))
    if capacity:
        return capacity, tell("user capacity"), ()
    for label, value in labels.items():
        if re.match(r"Namespace \d+ (?:Size/Capacity|Size)$", label):
            size = _positive(grouped_number(value))
            if size:
                return size, tell("namespace size"), ()
    total = grouped_number(labels.get("Total NVM Capacity"))
    if total:
        size = total - (grouped_number(labels.get("Unallocated NVM Capacity")) or 0)
        return _positive(size), tell("controller's allocated capacity"), (tell(CONTROLLER_SIZE),)
    if capacity == 0:
        return None, None, (tell(NO_SIZE),)
    return None, None, ()


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
    start = next((i for i, line in enumerate(lines) if line.startswith("Supported LBA Sizes")), None)
    if start is None:
        return ()
    formats = []
    for line in lines[start + 2 :]:
        match = _LBA.match(line)
        if match is None:
            break
        formats.append(
            LbaFormat(data_bytes=int(match.group(2)), metadata_bytes=int(match.group(3)), current=match.group(1) == "+")
        )
    return tuple(formats)


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
    words = labels.get("Transport protocol", "").lower()
    return next(
        (name for name in ("sas", "iscsi", "fibre channel", "usb", "sata") if words.startswith(name)), None
    )  # for machines


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
    if verdict is None:
        return None
    return verdict.startswith("OK")


def _hex(text: str | None) -> int | None:
    match = re.match(r"0x([0-9a-fA-F]{1,4})\b", text or "")
    return int(match.group(1), 16) if match else None


def _attributes(lines: list[str]) -> tuple[Attribute, ...]:
    table = []
    for line in lines:
        match = _ATTRIBUTE.match(line)
        if match:
            number, name, value, threshold, failed, raw = match.groups()
            table.append(
                Attribute(
                    number=int(number),
                    name=name,
                    value=int(value) if value.isdigit() else None,
                    threshold=int(threshold) if threshold.isdigit() else None,
                    raw=first_number(raw),
                    failed="" if failed == "-" else failed,
                )
            )
    return tuple(table)


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
    for attribute in attributes:
        if attribute.number == 9:
            return believable_hours(attribute.raw)
    for line in lines:
        match = _POWERED.search(line)
        if match:
            return believable_hours(int(match.group(1) or match.group(2)))
    return None


def _temperature(labels: Labels, attributes: tuple[Attribute, ...]) -> int | None:
    for label in ("Current Temperature", "Temperature", "Current Drive Temperature"):  # for machines
        celsius = believable_temperature(first_number(labels.get(label)))
        if celsius is not None:
            return celsius
    for number in (194, 190):
        raw = next((a.raw for a in attributes if a.number == number), None)
        celsius = believable_temperature(raw)
        if celsius is not None:
            return celsius
    return None


_LIMITS_OF_TEMPERATURE = (
    "Drive Trip Temperature",
    "Warning  Comp. Temp. Threshold",
    "Warning Comp. Temp. Threshold",
)  # for machines


def _temperature_limit(labels: Labels) -> int | None:
    for label in _LIMITS_OF_TEMPERATURE:
        limit = first_number(labels.get(label))
        if limit:
            return limit
    pair = re.match(r"-?\d+/\s*+(\d{1,9})", labels.get("Min/Max recommended Temperature", ""))
    return int(pair.group(1)) if pair else None
