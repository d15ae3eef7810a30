"""smartctl's text output (`-i`, `-a`, `-x`, `-H`, `-A`; 5.0 to 7.5) as the document that its JSON would be."""

import re
from collections.abc import Callable, Iterator
from itertools import takewhile

from poolwright.machine.smartctl.facts import FARM, HEALTH, believable_temperature, first_number

_LABEL = re.compile(r"^(\S[^:]{1,60}?):\s++(\S.*)$")
_ATTRIBUTE = re.compile(
    r"^\s*(?P<id>\d{1,3}) (?P<name>\S+)\s+(?:0x[0-9a-f]{4}|[POSRCK-]{6,7})\s+(?P<value>\d{1,9}|---)\s+"
    r"(?:\d{1,9}|---)\s+(?:\d{1,9}|---)\s+(?:(?:Pre-fail|Old_age)\s+(?:(?:Always|Offline)\s+)?)?"
    r"(?P<failed>-|NOW|Past|FAILING_NOW|In_the_past)\s+(?P<raw>.*)$"
)
_LBA = re.compile(r"^\s*\d{1,4}\s+([+-])\s+(\d{1,9})\s+(\d{1,9})\s+\d{1,4}$")
_COMPLAINT = re.compile(
    r"Unable to detect device type|Unknown USB bridge|open device:.*failed|failed: .*|Permission denied|"
    r"mandatory SMART command failed|Read Device Identity failed|does not support SMART|Unknown device type|"
    r"invalid SMART checksum"
)
_PATHS = (
    re.compile(r"^(/dev/\S+): "),
    re.compile(r"open device: (/dev/\S+)(?: \[[^\]]*\])? failed"),
    re.compile(r"^.{0,200}?smartctl\b.*\s(/dev/\S+)$"),
)
_ERROR_ROW = re.compile(r"^(read|write|verify):\s.*\s(\d{1,18})$")
_ENDURANCE = re.compile(r"^0x\w+\s+0x\w+\s+\d+\s+(\d{1,9})\s+\S+\s+Percentage Used Endurance Indicator")
_POWERED = re.compile(
    r"number of hours powered up\s*+=\s*+(\d{1,9})|power on time, hours:minutes\s++(\d{1,9})", re.IGNORECASE
)
_PROTECTED = re.compile(r"\s*Formatted with type (\d) protection")
_PACKET = re.compile(r"Packet Interface Devices \[this device: ([^\]]+)\]")
# smartctl's own lines are far shorter; what is longer is something else.
_LONGEST_LINE = 2000

_Document = dict[str, object]


def document_of(text: str) -> _Document:
    """Return what smartctl's text output says, each fact where its JSON has it."""
    lines = [line[:_LONGEST_LINE].rstrip() for line in text.splitlines()]
    labels = _labels(lines)
    found: _Document = {}
    for names, convert, place in _FACTS:
        for label in names.split("|"):
            if label in labels:
                _put(found, place, convert(labels[label]))
    for place, value in _of_lines(text, lines):
        _put(found, place, value)
    if "Model Number" in labels:
        _put(found, "device.protocol", "NVMe")
    elif "(NVMe Log" in text:  # a part of what it prints, which does not tell how the drive is reached
        _put(found, "device.type", "nvme")
    return found


def _put(document: _Document, place: str, value: object) -> None:
    """Put a fact where nothing stands yet that tells more than “none”."""
    *above, name = place.split(".")
    for key in above:
        document = document.setdefault(key, {})  # type: ignore[assignment]
    if value is not None and not document.get(name):
        document[name] = value


def _labels(lines: list[str]) -> dict[str, str]:
    """Return `Label: value` pairs; of a label printed twice the first counts, SMART support the last."""
    labels: dict[str, str] = {}
    for line in lines:
        match = _LABEL.match(line)
        if match:
            label = re.sub(r"^Namespace \d+ ", "Namespace ", match.group(1).strip())
            if label == "SMART support is":
                labels[label] = match.group(2).strip()
            labels.setdefault(label, match.group(2).strip())
    return labels


def _of_lines(text: str, lines: list[str]) -> Iterator[tuple[str, object]]:
    """Yield what stands in tables and sentences; the rows of attributes say less than the labels above them."""
    complaints = [{"string": line.strip()} for line in lines if _COMPLAINT.search(line)]
    yield "smartctl.messages", complaints
    yield "device.name", _path(lines)
    yield "device_type.name", next((match[1] for match in [_PACKET.search(text)] if match), None)
    yield "scsi_protection_type", _first(_PROTECTED, lines)
    yield "endurance_used.current_percent", _first(_ENDURANCE, lines)
    rows = [match for line in lines if (match := _ATTRIBUTE.match(line))]
    yield "ata_smart_attributes.table", [_attribute(row) for row in rows]
    raw = {number: first_number(row["raw"]) for row in reversed(rows) if (number := int(row["id"])) in {9, 190, 194}}
    yield "power_on_time.hours", raw.get(9)
    yield "power_on_time.hours", _first(_POWERED, lines)
    for number in (194, 190):
        yield "temperature.current", believable_temperature(raw.get(number))
    if formats := _lba_formats(lines):
        yield "nvme_namespaces", [{"lba_formats": formats}]
    errors = [
        (match[1], {"total_uncorrected_errors": int(match[2])}) for match in map(_ERROR_ROW.match, lines) if match
    ]
    yield "scsi_error_counter_log", dict(errors)


def _first(pattern: re.Pattern[str], lines: list[str]) -> int | None:
    found = (match for line in lines if (match := pattern.search(line)))
    return next((int(next(filter(None, match.groups()))) for match in found), None)


def _path(lines: list[str]) -> str | None:
    """Return the device the output names: in a complaint, or in the command line that was copied with it."""
    found = (match[1] for line in lines[:12] for pattern in _PATHS if (match := pattern.search(line)))
    return next(found, None)


def _attribute(row: re.Match[str]) -> _Document:
    numbers: _Document = {name: first_number(row[name]) for name in ("id", "value")}
    return numbers | {"name": row["name"], "when_failed": row["failed"].strip("-"), "raw": {"string": row["raw"]}}


def _lba_formats(lines: list[str]) -> list[_Document]:
    start = next((i for i, line in enumerate(lines) if line.startswith("Supported LBA Sizes")), len(lines))
    rows = takewhile(lambda match: match is not None, map(_LBA.match, lines[start + 2 :]))
    return [
        {"data_bytes": int(row[2]), "metadata_bytes": int(row[3]), "formatted": row[1] == "+"} for row in rows if row
    ]


def grouped_number(text: str | None) -> int | None:
    """Return a number whatever separates its thousands: 500.107.862.016, 3'840'755, a narrow space."""
    if not text:
        return None
    head = re.split(r"\s*(?:\[|bytes)", text, maxsplit=1)[0]
    digits = re.sub(r"\D", "", head)
    return int(digits) if digits.isascii() and 0 < len(digits) < 25 else None


def _rotation(words: str) -> int | None:
    return 0 if words.startswith("Solid State") else first_number(words) if "rpm" in words else None


def _warm(words: str) -> int | None:
    return believable_temperature(first_number(words))


def _behind(pattern: str, base: int = 10) -> Callable[[str], int | None]:
    """Return what reads the number behind the beginning of a value."""
    found = re.compile(pattern)
    return lambda text: int(match[1], base) if (match := found.match(text)) else None


def _passed(words: str) -> bool | None:
    return True if words.startswith(("PASSED", "OK")) else False if words.startswith("FAILED") else None


# What labels tell, and where in the JSON that stands; what comes first is believed.
_FACTS: tuple[tuple[str, Callable[[str], object], str], ...] = (
    ("Device Model|Model Number", str, "model_name"),
    ("Model Family", str, "model_family"),
    ("Vendor", str, "scsi_vendor"),
    ("Product", str, "scsi_product"),
    ("Device", lambda words: words.partition("Version:")[0].strip(), "scsi_product"),
    ("Serial Number|Serial number", str, "serial_number"),
    ("Firmware Version", str, "firmware_version"),
    ("Revision", str, "scsi_revision"),
    ("LU WWN Device Id|Logical Unit id", str, "logical_unit_id"),
    ("Namespace IEEE EUI-64", lambda words: f"eui.{words}", "logical_unit_id"),
    ("Device type", str, "device_type.name"),
    ("Zoned Device", str, "zoned_device"),
    ("Drive Recording Type", str, f"{'.'.join(FARM)}.drive_recording_type"),
    ("Transport protocol", str, "scsi_transport_protocol.name"),
    ("SATA Version is", str, "sata_version"),
    ("User Capacity|Namespace Size/Capacity|Namespace Size", grouped_number, "user_capacity.bytes"),
    ("Total NVM Capacity", grouped_number, "nvme_total_capacity"),
    ("Unallocated NVM Capacity", grouped_number, "nvme_unallocated_capacity"),
    ("Sector Size", _behind(r"(\d{1,9}) bytes logical/physical"), "logical_block_size"),
    ("Sector Size", _behind(r"(\d{1,9}) bytes logical/physical"), "physical_block_size"),
    ("Sector Sizes", _behind(r"(\d{1,9}) bytes logical, "), "logical_block_size"),
    ("Sector Sizes", _behind(r"\d{1,9} bytes logical, (\d{1,9}) bytes physical"), "physical_block_size"),
    ("Logical block size|Namespace Formatted LBA Size", first_number, "logical_block_size"),
    # Without it the drive did not say: equal sizes must not be assumed.
    ("Physical block size", first_number, "physical_block_size"),
    ("Rotation Rate", _rotation, "rotation_rate"),
    ("SMART support is", lambda words: False if words == "Disabled" else None, "smart_support.enabled"),
    ("SMART overall-health self-assessment test result", _passed, "smart_status.passed"),
    ("SMART Health Status", lambda words: words.startswith("OK"), "smart_status.passed"),
    ("Critical Warning", _behind(r"0x([0-9a-fA-F]{1,4})\b", 16), f"{HEALTH}.critical_warning"),
    ("Percentage Used|Percentage used endurance indicator", first_number, "endurance_used.current_percent"),
    ("Available Spare", first_number, f"{HEALTH}.available_spare"),
    ("Available Spare Threshold", first_number, f"{HEALTH}.available_spare_threshold"),
    ("Media and Data Integrity Errors", grouped_number, f"{HEALTH}.media_errors"),
    ("Elements in grown defect list", first_number, "scsi_grown_defect_list"),
    ("Power On Hours", grouped_number, "power_on_time.hours"),
    ("Current Temperature|Temperature|Current Drive Temperature", _warm, "temperature.current"),
    (
        "Drive Trip Temperature|Warning  Comp. Temp. Threshold|Warning Comp. Temp. Threshold",
        first_number,
        "temperature.op_limit_max",
    ),
    ("Min/Max recommended Temperature", _behind(r"-?\d+/\s*+(\d{1,9})"), "temperature.op_limit_max"),
)  # for machines
