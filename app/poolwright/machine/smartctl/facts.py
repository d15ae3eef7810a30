"""What smartctl's JSON (7.0 and later) says of a drive, as facts; its text is read into the same document first."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from poolwright.domain.disk import LbaFormat, is_placeholder
from poolwright.machine.json_values import boolean, child, elements, integer, members, positive, string
from poolwright.shipped import shipped
from poolwright.texts import N_, _

_OPTICAL = ("cd/dvd", "cd-rom", "tape", "scanner", "printer", "enclosure", "media changer", "optical")  # for machines
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
_MOST_HOURS = 50 * 366 * 24


def first_number(text: str | None) -> int | None:
    """Return the number a raw value begins with: 28 for “28 (Min/Max 21/30)”, 463 for “463h+45m”."""
    match = _FIRST_NUMBER.match(text or "")
    return int(match.group(1)) if match else None


def believable_hours(hours: int | None) -> int | None:
    """Return the hours unless they exceed fifty years, which no drive has been on for."""
    return hours if hours is not None and 0 <= hours <= _MOST_HOURS else None


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
    match = _HEX_NAME.match(bare)
    name = bare if re.match(r"eui\.[0-9a-f]{16,32}\Z", bare) else f"0x{match[1]}" if match else ""
    return None if is_placeholder(name) else name


FARM = ("seagate_farm_log", "page_1_drive_information")
HEALTH = "nvme_smart_health_information_log"
_NAMESPACE = re.compile(r"/dev/nvme\d+n(\d+)")


def _protocol_of_keys(document: object) -> str | None:
    """Return NVMe where only such drives have these facts; people trim the block that says it."""
    return "NVMe" if any(key.startswith("nvme_") for key, __ in members(document)) else None


def _numbers(document: object, places: Sequence[str]) -> Iterator[int]:
    return (found for place in places if (found := integer(document, *place.split("."))) is not None)


# How a fact is read, of what stands in these places, the best first.
_READ: dict[str, Callable[[object, Sequence[str]], object]] = {
    "text": lambda document, places: _first(document, *places),
    "yes": lambda document, places: boolean(document, *places[0].split(".")),
    "number": lambda document, places: next(_numbers(document, places), None),
    "positive": lambda document, places: next((found for found in _numbers(document, places) if found > 0), None),
    "sector": lambda document, places: sector(next((n for n in _numbers(document, places) if n > 0), None)),
    "hours": lambda document, places: believable_hours(next(_numbers(document, places), None)),
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
    told: dict[str, Any] = {
        fact["name"]: _READ[fact.get("as", "text")](whole, fact["places"].split()) for fact in known
    }
    if told["percentage_used"] is None:
        told["percentage_used"] = _percentage_used(document)
    vendor = string(document, "scsi_vendor") or string(document, "vendor")
    return SmartFacts(
        path=_path(document),
        protocol=string(document, "device", "protocol") or _protocol_of_keys(document),
        model=_model(document, vendor),
        vendor=None if vendor == _TRANSLATION_LAYER else vendor,
        serial=_serial(document),
        wwn=_wwn(document, namespace),
        size_bytes=size,
        lba_formats=_lba_formats(namespace),
        rotation=_rotation(document),
        zoned=True if any(word in _zones(document) for word in ("managed", "aware", "zoned")) else None,
        host_managed="host managed" in _zones(document).replace("-", " "),
        transport=_transport(document),
        kind=string(document, "device_type", "name") or _kind_by_product(document),
        messages=_messages(document),
        attributes=() if broken else _attributes(document),
        uncorrected_errors=_uncorrected(document),
        remarks=(*remarks, *doubt),
        **told,
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


def _serial(document: object) -> str | None:
    serial = _first(document, "serial_number") or string(document, *FARM, "serial_number")
    return None if serial and serial.startswith("[No Information") else serial


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
    told = [str(w) for key, v in members(document) if "zoned" in key.lower() for __, w in members(v) or ((key, v),)]
    kind = string(document, "device_type", "name") or ""
    return " ".join([*told, *([kind] if "zoned" in kind.lower() else [])]).lower()


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
    return transport_of(string(document, "scsi_transport_protocol", "name"))


def _kind_by_product(document: object) -> str | None:
    # A drive that fails early says no device type; CD drives still give themselves away.
    product = (_first(document, "scsi_product", "product", "model_name") or "").upper()
    return "CD/DVD" if re.search(r"\b(?:DVD|CD|BD)-?R|\bDVD\b|CDRW", product) else None


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
