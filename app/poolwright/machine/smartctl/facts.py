"""What smartctl's JSON (7.0 and later) says of a drive, as facts; its text is made the document that JSON would be."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from poolwright.domain.disk import LbaFormat, is_placeholder
from poolwright.machine.json_values import boolean, child, elements, integer, members, positive, string
from poolwright.shipped import shipped
from poolwright.texts import N_, _

_OPTICAL = ("cd/dvd", "cd-rom", "tape", "scanner", "printer", "enclosure", "media changer", "optical")  # for machines
_OPTICAL_PRODUCT = re.compile(r"\b(?:DVD|CD|BD)-?R|\bDVD\b|CDRW")
CONTROLLER_SIZE = N_("smartctl reports the capacity of the NVMe controller, not of a namespace: several may share it")
BRIDGE_HIDES = N_("behind a USB bridge that hides the sector size: it cannot be told")
_NO_SIZE = N_("the device reports a capacity of 0 bytes: an adapter hides the disk behind it")
# What stands in the place of the vendor when an ATA disk is asked in SCSI's words.
_TRANSLATION_LAYER = "ATA"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """One ATA SMART attribute; ``raw`` is the first number of the raw value as smartctl formats it."""

    number: int
    name: str
    value: int | None = None
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
        return not (self.kind and any(word in self.kind.lower() for word in _OPTICAL))

    @property
    def says_something(self) -> bool:
        found = (
            self.model, self.serial, self.size_bytes, self.logical_sector_bytes, self.passed, self.hours,
            self.temperature, self.percentage_used,
        )  # fmt: skip
        return any(value is not None for value in found) or bool(self.attributes)


_FIRST_NUMBER = re.compile(r"\s*+(\d{1,20})(?!\d)")
_MOST_HOURS = 50 * 366 * 24  # fifty years, for which no drive has been on


def first_number(text: str | None) -> int | None:
    """Return the number a raw value begins with: 28 for “28 (Min/Max 21/30)”, 463 for “463h+45m”."""
    match = _FIRST_NUMBER.match(text or "")
    return int(match.group(1)) if match else None


def believable_temperature(celsius: int | None) -> int | None:
    """Return the temperature when a drive can have it; 0 is what drives without a sensor report."""
    return celsius if celsius is not None and celsius != 0 and -60 < celsius < 150 else None


def sector(size: int | None) -> int | None:
    """Return a sector size when it is one: 128 bytes to 1 MiB, 520-byte sectors included."""
    return size if size is not None and 128 <= size <= 1 << 20 else None


_SCSI_TRANSPORTS = ("sas", "iscsi", "fibre channel", "usb", "sata")  # for machines
_HEX_NAME = re.compile(r"(?:0x)?([0-9a-f]{16}|[0-9a-f]{32})\Z")


def canonical_wwn(text: str | None) -> str | None:
    """Return a world-wide name as the kernel writes it (0x5000c500…, eui.0025…); None when it is none."""
    bare = (text or "").replace(" ", "").lower()
    match = _HEX_NAME.match(bare)
    name = bare if re.match(r"eui\.[0-9a-f]{16,32}\Z", bare) else f"0x{match[1]}" if match else ""
    return None if is_placeholder(name) else name


FARM = ("seagate_farm_log", "page_1_drive_information")
HEALTH = "nvme_smart_health_information_log"
_NAMESPACE = re.compile(r"/dev/nvme\d+n(\d+)")


def _numbers(document: object, places: Sequence[str]) -> Iterator[int]:
    return (found for place in places if (found := integer(document, *place.split("."))) is not None)


# How a fact is read, of what stands in these places, the best first.
_READ: dict[str, Callable[[object, Sequence[str]], object]] = {
    "text": lambda document, places: _first(document, *places),
    "yes": lambda document, places: boolean(document, *places[0].split(".")),
    "number": lambda document, places: next(_numbers(document, places), None),
    "positive": lambda document, places: next((found for found in _numbers(document, places) if found > 0), None),
    "sector": lambda document, places: sector(next((n for n in _numbers(document, places) if n > 0), None)),
    "hours": lambda document, places: next(
        (hours if 0 <= hours <= _MOST_HOURS else None for hours in _numbers(document, places)), None
    ),
    "celsius": lambda document, places: next(
        filter(None, map(believable_temperature, _numbers(document, places))), None
    ),
}


def facts_of(document: object) -> SmartFacts:
    """Return what a JSON ``document`` of smartctl says; anything missing or odd is None."""
    namespace = _namespace(document)
    size, remarks = _size(document, namespace)
    # It says so in a sentence, and prints the attributes all the same.
    broken = any("invalid SMART checksum" in message for message in _messages(document))
    doubt = [_("the SMART attributes fail their own checksum and are ignored")] if broken else []
    whole = dict(members(document)) | {"namespace": namespace}
    known = shipped("smartctl_facts")["fact"]
    facts: dict[str, Any] = {
        fact["name"]: _READ[fact.get("as", "text")](whole, fact["places"].split()) for fact in known
    }
    if facts["percentage_used"] is None:
        facts["percentage_used"] = _percentage_used(document)
    vendor = string(document, "scsi_vendor") or string(document, "vendor")
    serial = string(document, "serial_number") or string(document, *FARM, "serial_number")
    # A drive that fails early says no device type; CD drives still give themselves away.
    product = _first(document, "scsi_product", "product", "model_name") or ""
    optical = _OPTICAL_PRODUCT.search(product.upper())
    # Only NVMe drives have these facts; people trim the block that says it.
    nvme = any(key.startswith("nvme_") for key, __ in members(document))
    return SmartFacts(
        path=_path(document),
        protocol=string(document, "device", "protocol") or ("NVMe" if nvme else None),
        model=_model(document, vendor),
        vendor=None if vendor == _TRANSLATION_LAYER else vendor,
        serial=None if serial and serial.startswith("[No Information") else serial,
        wwn=_wwn(document, namespace),
        size_bytes=size,
        lba_formats=_lba_formats(namespace),
        rotation=_rotation(document),
        zoned=True if any(word in _zones(document) for word in ("managed", "aware", "zoned")) else None,
        host_managed="host managed" in _zones(document).replace("-", " "),
        transport=_transport(document),
        kind=string(document, "device_type", "name") or ("CD/DVD" if optical else None),
        messages=_messages(document),
        attributes=() if broken else _attributes(document),
        uncorrected_errors=_uncorrected(document),
        remarks=(*remarks, *doubt),
        **facts,
    )


def _first(document: object, *places: str) -> str | None:
    return next((found for place in places if (found := string(document, *place.split("."))) is not None), None)


def _path(document: object) -> str | None:
    name = string(document, "device", "name")
    if name is None:
        arguments = [a for a in elements(document, "smartctl", "argv") if isinstance(a, str)]
        name = arguments[-1] if arguments else None
    return name if name and name.startswith("/dev/") else None


def _model(document: object, vendor: str | None) -> str | None:
    whole = _first(document, "model_name", "scsi_model_name")
    layer = vendor == _TRANSLATION_LAYER
    if whole:
        return whole.removeprefix(f"{_TRANSLATION_LAYER} ").strip() if layer else whole
    product = _first(document, "scsi_product", "product")
    return " ".join(part for part in (None if layer else vendor, product) if part) or None


def _wwn(document: object, namespace: object) -> str | None:
    naa, oui, number = (integer(document, "wwn", key) for key in ("naa", "oui", "id"))
    if naa is not None and oui is not None and number is not None:
        return canonical_wwn(f"{naa:x}{oui:06x}{number:09x}")
    oui, number = integer(namespace, "eui64", "oui"), integer(namespace, "eui64", "ext_id")
    if oui is not None and number is not None:
        return canonical_wwn(f"eui.{oui:06x}{number:010x}")
    return canonical_wwn(_first(document, "logical_unit_id") or string(document, *FARM, "world_wide_name"))


def _namespace(document: object) -> object:
    """Return the namespace the device name asks for, else the first one."""
    namespaces = elements(document, "nvme_namespaces")
    match = _NAMESPACE.match(_path(document) or "")
    wanted = int(match.group(1)) if match else None
    return next((n for n in namespaces if integer(n, "id") == wanted), namespaces[0] if namespaces else None)


def _size(document: object, namespace: object) -> tuple[int | None, tuple[str, ...]]:
    # smartctl takes a namespace's user capacity from NCAP; the kernel's disk is as large as NSZE, its size.
    size = positive(namespace, "size", "bytes") or positive(document, "user_capacity", "bytes")
    if size := size or positive(namespace, "capacity", "bytes"):
        return size, ()
    if total := positive(document, "nvme_total_capacity"):
        return total - (positive(document, "nvme_unallocated_capacity") or 0) or None, (_(CONTROLLER_SIZE),)
    sectors, bytes_each = (positive(document, *FARM, k) for k in ("device_capacity_in_sectors", "logical_sector_size"))
    if sectors and bytes_each:
        return sectors * bytes_each, ()
    return None, (_(_NO_SIZE),) if integer(document, "user_capacity", "bytes") == 0 else ()


def _lba_formats(namespace: object) -> tuple[LbaFormat, ...]:
    """Return the formats of `nvme_namespaces[].lba_formats` (smartctl 7.4 and later, nvmeprint.cpp)."""
    return tuple(
        LbaFormat(
            data_bytes=data,
            metadata_bytes=integer(entry, "metadata_bytes") or 0,
            current=boolean(entry, "formatted") or False,
        )
        for entry in elements(namespace, "lba_formats")
        if (data := sector(positive(entry, "data_bytes")))
    )


def _rotation(document: object) -> int | None:
    rate = integer(document, "rotation_rate")
    if rate is None:
        rate = integer(document, *FARM, "rotation_rate")
    # An adapter that answers zero for the capacity answers zero for everything: that is not “solid state”.
    return None if rate == 0 and integer(document, "user_capacity", "bytes") == 0 else rate


def _zones(document: object) -> str:
    """Return what is said of zones, in whichever place this version says it."""
    zones = [str(w) for key, v in members(document) if "zoned" in key.lower() for __, w in members(v) or ((key, v),)]
    kind = string(document, "device_type", "name") or ""
    return " ".join([*zones, *([kind] if "zoned" in kind.lower() else [])]).lower()


def _transport(document: object) -> str | None:
    kind = (string(document, "device", "type") or "").lower()
    info = (string(document, "device", "info_name") or "").lower()
    if kind.startswith(("usb", "snt")) or "[usb" in info or any("USB" in message for message in _messages(document)):
        return "usb"
    protocol = (string(document, "device", "protocol") or "").lower()
    if protocol == "nvme":
        return "nvme"
    if child(document, "sata_version") is not None or string(document, *FARM, "device_interface") == "SATA":
        return "sata"
    words = (string(document, "scsi_transport_protocol", "name") or "").lower()  # “SAS (SPL-4)”
    return next((name for name in _SCSI_TRANSPORTS if words.startswith(name)), None)


def _messages(document: object) -> tuple[str, ...]:
    found = (string(message, "string") for message in elements(document, "smartctl", "messages"))
    return tuple(text for text in found if text)


def _attributes(document: object) -> tuple[Attribute, ...]:
    return tuple(
        Attribute(
            number=number,
            name=string(row, "name") or "",
            value=integer(row, "value"),
            raw=integer(row, "raw", "value") if raw is None else raw,
            failed=string(row, "when_failed") or "",
        )
        for row in elements(document, "ata_smart_attributes", "table")
        for raw in (first_number(string(row, "raw", "string")),)
        if (number := integer(row, "id")) is not None
    )


def _percentage_used(document: object) -> int | None:
    """Return what is used of the endurance by the statistics of an ATA drive."""
    for page in elements(document, "ata_device_statistics", "pages"):
        for row in elements(page, "table"):
            if (string(row, "name") or "").startswith("Percentage Used Endurance"):
                return integer(row, "value") if boolean(row, "flags", "valid") is not False else None
    return None


def _uncorrected(document: object) -> int | None:
    counts = [
        count
        for name, log in members(document, "scsi_error_counter_log")
        if name in {"read", "write", "verify"} and (count := integer(log, "total_uncorrected_errors")) is not None
    ]
    return sum(counts) if counts else None


# The text (`-i`, `-a`, `-x`, `-H`, `-A`; 5.0 to 7.5) as the document that its JSON would be.

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
    yield "device.name", _path_in(lines)
    yield "device_type.name", next((match[1] for match in [_PACKET.search(text)] if match), None)
    yield "scsi_protection_type", _first_in(_PROTECTED, lines)
    yield "endurance_used.current_percent", _first_in(_ENDURANCE, lines)
    rows = [match for line in lines if (match := _ATTRIBUTE.match(line))]
    yield "ata_smart_attributes.table", [_attribute(row) for row in rows]
    raw = {number: first_number(row["raw"]) for row in reversed(rows) if (number := int(row["id"])) in {9, 190, 194}}
    yield "power_on_time.hours", raw.get(9)
    yield "power_on_time.hours", _first_in(_POWERED, lines)
    for number in (194, 190):
        yield "temperature.current", believable_temperature(raw.get(number))
    if formats := _formats_in(lines):
        yield "nvme_namespaces", [{"lba_formats": formats}]
    errors = [
        (match[1], {"total_uncorrected_errors": int(match[2])}) for match in map(_ERROR_ROW.match, lines) if match
    ]
    yield "scsi_error_counter_log", dict(errors)


def _first_in(pattern: re.Pattern[str], lines: list[str]) -> int | None:
    found = (match for line in lines if (match := pattern.search(line)))
    return next((int(next(filter(None, match.groups()))) for match in found), None)


def _path_in(lines: list[str]) -> str | None:
    """Return the device the output names: in a complaint, or in the command line that was copied with it."""
    found = (match[1] for line in lines[:12] for pattern in _PATHS if (match := pattern.search(line)))
    return next(found, None)


def _attribute(row: re.Match[str]) -> _Document:
    numbers: _Document = {name: first_number(row[name]) for name in ("id", "value")}
    return numbers | {"name": row["name"], "when_failed": row["failed"].strip("-"), "raw": {"string": row["raw"]}}


def _formats_in(lines: list[str]) -> list[_Document]:
    start = next((i for i, line in enumerate(lines) if line.startswith("Supported LBA Sizes")), len(lines))
    rows = takewhile(lambda match: match is not None, map(_LBA.match, lines[start + 2 :]))
    return [
        {"data_bytes": int(row[2]), "metadata_bytes": int(row[3]), "formatted": row[1] == "+"} for row in rows if row
    ]


def grouped_number(text: str) -> int | None:
    """Return a number whatever separates its thousands: 500.107.862.016, 3'840'755, a narrow space."""
    digits = re.sub(r"\D", "", re.split(r"\s*(?:\[|bytes)", text, maxsplit=1)[0])
    return int(digits) if digits.isascii() and 0 < len(digits) < 25 else None


def _value(fact: Mapping[str, str], words: str) -> object:
    if "behind" not in fact:
        return _READ_LABEL[fact.get("how", "text")](words)
    match = re.match(fact["behind"], words)
    return int(match[1], 16 if match[1].startswith("0x") else 10) if match else None


# How the value of a label is read.
_READ_LABEL: dict[str, Callable[[str], object]] = {
    "text": str,
    "number": first_number,
    "grouped": grouped_number,
    "rotation": lambda words: 0 if words.startswith("Solid State") else first_number(words) if "rpm" in words else None,
    "celsius": lambda words: believable_temperature(first_number(words)),
    "passed": lambda words: words.startswith(("PASSED", "OK")) or (False if words.startswith("FAILED") else None),
    "passed-or-not": lambda words: words.startswith("OK"),
    "disabled": lambda words: False if words == "Disabled" else None,
    "product": lambda words: words.partition("Version:")[0].strip(),
    "eui": lambda words: f"eui.{words}",
}
