"""smartctl's text output (`-i`, `-a`, `-x`, `-H`, `-A`; 5.0 to 7.5) as the document that its JSON would be."""

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import takewhile

from poolwright.machine.smartctl.facts import believable_temperature, first_number
from poolwright.shipped import shipped

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
    for fact in shipped("smartctl_labels")["fact"]:
        for label in fact["label"].split("|"):
            if label in labels:
                _put(found, fact["place"], _value(fact, labels[label]))
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


def _value(fact: Mapping[str, str], words: str) -> object:
    if "behind" not in fact:
        return _READ[fact.get("how", "text")](words)
    match = re.match(fact["behind"], words)
    return int(match[1], 16 if match[1].startswith("0x") else 10) if match else None


def _passed(words: str) -> bool | None:
    return True if words.startswith(("PASSED", "OK")) else False if words.startswith("FAILED") else None


# How the value of a label is read.
_READ: dict[str, Callable[[str], object]] = {
    "text": str,
    "number": first_number,
    "grouped": grouped_number,
    "rotation": _rotation,
    "celsius": lambda words: believable_temperature(first_number(words)),
    "passed": _passed,
    "passed-or-not": lambda words: words.startswith("OK"),
    "disabled": lambda words: False if words == "Disabled" else None,
    "product": lambda words: words.partition("Version:")[0].strip(),
    "eui": lambda words: f"eui.{words}",
}
