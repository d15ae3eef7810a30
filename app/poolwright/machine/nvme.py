"""NVMe disks as nvme-cli shows them (`nvme list`, `nvme id-ns`, and `nvme smart-log -o json`)."""

import re
from collections.abc import Iterator
from typing import Any

from poolwright.domain.disk import Disk, LbaFormat, Media
from poolwright.domain.estimate import Origin
from poolwright.machine.json_values import (
    elements,
    integer,
    is_json,
    members,
    parse_json,
    positive,
    string,
    with_origins,
)
from poolwright.machine.smartctl.facts import HEALTH, canonical_wwn, facts_of, sector
from poolwright.machine.smartctl.read import SmartctlReading, reading_of

KELVIN = 273
# SN and model are parted by their padding, which a long serial number eats up.
_ROW = re.compile(
    r"\s*(?:/dev/)?(?P<name>nvme\d+n\d+)\s+(?:(?:/dev/)?ng\d+n\d+\s+)?(?P<serial>\S{20,}|\S(?:\S| (?! ))*)\s+"
    r"(?P<model>\S.*?)\s+(?:0x[0-9a-f]+|\d+)\s+[\d.]+\s*[kMGTPE]?B\s*/\s*(?P<size>\d+(?:\.\d+)?)\s*(?P<letter>[kMGTPE]?)B\s+"
    r"(?P<data>\d+)\s*(?P<unit>KiB|B)\s*\+\s*(?P<extra>\d+)\s*B\b(?:\s+(?P<firmware>\S+))?\s*$"
)
_NUMBER = re.compile(r"^(nsze|flbas)\s*: (0x[0-9a-f]{1,16}|\d{1,20})", re.MULTILINE)
_NAME = re.compile(r"^(nguid|eui64)\s*: ([0-9a-f]{16,32})", re.MULTILINE)
_FORMAT = re.compile(
    r"^(?:lbaf +\d+ : ms:(\d{1,5}) +lbads:(\d{1,3})|"
    r"LBA Format +\d+ : Metadata Size: (\d{1,5}) +bytes - Data Size: (\d{1,7}))",
    re.MULTILINE,
)


def read_nvme_list(text: str, origin: Origin) -> tuple[Disk, ...]:
    """Return the namespaces that `nvme list` names, in its table or in its JSON, flat (1.x) or nested (2.x).

    Raises UserError when JSON is cut off.
    """
    if not is_json(text):
        rows = (_of_row(match, origin) for line in text.splitlines() if (match := _ROW.match(line)))
        return tuple({disk.key: disk for disk in rows}.values())
    document = parse_json(text, where=origin.source, tool="nvme")
    found: dict[str, Disk] = {}
    for device in elements(document, "Devices"):
        for controller, namespace in _namespaces(device):
            disk = _listed_disk(controller, namespace, origin)
            if disk is not None and disk.path is not None:
                # A shared namespace hangs under each of its controllers and is one disk all the same.
                found.setdefault(disk.path, disk)
    return tuple(found.values())


def _of_row(row: re.Match[str], origin: Origin) -> Disk:
    """Return the namespace of one line of the table, which tells its format and rounds its size."""
    path, data = f"/dev/{row['name']}", int(row["data"]) * (1024 if row["unit"] == "KiB" else 1)
    size = round(float(row["size"]) * 1000 ** " kMGTPE".index(row["letter"] or " "))
    return _namespace(
        origin,
        rounded=True,
        key=path,
        path=path,
        model=row["model"],
        serial=row["serial"],
        firmware=row["firmware"],
        size_bytes=size or None,
        logical_sector_bytes=sector(data),
        lba_formats=(LbaFormat(data_bytes=data, metadata_bytes=int(row["extra"]), current=True),),
    )


def _namespace(origin: Origin, *, rounded: bool = False, transport: str = "nvme", **facts: Any) -> Disk:
    disk = Disk(media=Media.NVME, smr=False, transport=transport, **facts)
    return with_origins(disk, _TRACKED, origin, rounded=rounded)


def _namespaces(device: object) -> Iterator[tuple[object, object]]:
    subsystems = elements(device, "Subsystems")
    if not subsystems:
        yield device, device
    for subsystem in subsystems:
        controllers = elements(subsystem, "Controllers")
        for controller in controllers:
            for namespace in elements(controller, "Namespaces"):
                yield controller, namespace
        for namespace in elements(subsystem, "Namespaces"):
            yield (controllers[0] if controllers else subsystem), namespace


def _listed_disk(controller: object, namespace: object, origin: Origin) -> Disk | None:
    named = string(namespace, "DevicePath") or string(namespace, "NameSpace") or ""
    found = re.fullmatch(r"(?:/dev/)?(nvme\d+(?:c\d+)?n\d+)", named)
    if found is None:
        return None
    path = f"/dev/{found[1]}"
    serial, transport = string(controller, "SerialNumber"), string(controller, "Transport")
    return _namespace(
        origin,
        key=serial or path,
        path=path,
        model=string(controller, "ModelNumber"),
        serial=serial,
        firmware=string(controller, "Firmware"),
        size_bytes=positive(namespace, "PhysicalSize"),
        logical_sector_bytes=sector(positive(namespace, "SectorSize")),
        transport=transport if transport and transport != "pcie" else "nvme",
    )


def read_id_ns(text: str, origin: Origin, *, path_hint: str | None = None) -> Disk:
    """Return the namespace `nvme id-ns` describes: size in use and every LBA format it offers.

    The output names no device, so ``path_hint`` does. Raises UserError when JSON is cut off.
    """
    if is_json(text):
        document = parse_json(text, where=origin.source, tool="nvme")
    else:
        shifts = [
            {"ms": int(ms or extra), "ds": int(lbads or int(data).bit_length() - 1)}
            for ms, lbads, extra, data in _FORMAT.findall(text)
        ]
        numbers = {name: int(value, 0) for name, value in _NUMBER.findall(text)}
        document = {**numbers, **dict(_NAME.findall(text)), "lbafs": shifts}
    rows = [(integer(f, "ds") or 0, integer(f, "ms") or 0) for f in elements(document, "lbafs")]
    flags = integer(document, "flbas") or 0
    # Bits 0-3 are the low, bits 5-6 the high part of the format's index (NVMe 2.0, Identify Namespace, FLBAS).
    current = (flags & 0xF) | (flags >> 1 & 0x30)
    formats = tuple(
        LbaFormat(data_bytes=1 << shift, metadata_bytes=extra, current=index == current)
        for index, (shift, extra) in enumerate(rows)
        if 9 <= shift <= 20
    )
    logical = next((f.data_bytes for f in formats if f.current), None)
    blocks = positive(document, "nsze")
    eui, guid = string(document, "eui64"), string(document, "nguid")
    return _namespace(
        origin,
        key=path_hint or "namespace",
        path=path_hint,
        wwn=next((w for x in (eui, guid) if x and (w := canonical_wwn(f"eui.{x}"))), None),
        size_bytes=blocks * logical if blocks and logical else None,
        logical_sector_bytes=logical,
        lba_formats=formats,
    )


def read_smart_log(text: str, origin: Origin, *, path_hint: str | None = None) -> SmartctlReading:
    """Return health, wear, hours and temperature from `nvme smart-log -o json` (temperatures there are kelvin).

    Raises UserError when the text is cut off or no JSON.
    """
    log = parse_json(text, where=origin.source, tool="nvme")
    kelvin, warning = integer(log, "temperature"), integer(log, "critical_warning")
    warning = integer(log, "critical_warning", "value") if warning is None else warning
    names = {"percent_used": "percentage_used", "avail_spare": "available_spare",
             "spare_thresh": "available_spare_threshold"}  # fmt: skip
    health = {names.get(name, name): value for name, value in members(log)}
    document: dict[str, object] = {
        "device": {"name": path_hint, "protocol": "NVMe"},
        "smart_status": {"passed": None if warning is None else warning == 0},
        HEALTH: {**health, "critical_warning": warning, "temperature": None if kelvin is None else kelvin - KELVIN},
    }
    return reading_of(facts_of(document), origin)


_TRACKED = (
    "model", "serial", "wwn", "firmware", "size_bytes", "logical_sector_bytes", "lba_formats", "media", "transport",
)  # fmt: skip
