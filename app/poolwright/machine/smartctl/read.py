"""One device as smartctl shows it, from its JSON or its text output, whatever the version."""

import re
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, fields
from typing import Any

from poolwright.domain.disk import FLASH_MEDIA, Disk, Health, Media, Note, NoteLevel, Unfit, is_placeholder
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Origin
from poolwright.machine.drive_words import recording_of
from poolwright.machine.json_values import elements, is_json, nothing_of, parse_json, string, with_origins
from poolwright.machine.remarks import OddFact, about, warning
from poolwright.machine.smartctl.facts import BRIDGE_HIDES, SmartFacts, document_of, facts_of
from poolwright.shipped import shipped
from poolwright.texts import N_, _

_FIELDS = (
    "model", "vendor", "serial", "wwn", "firmware", "size_bytes", "logical_sector_bytes", "physical_sector_bytes",
    "lba_formats", "media", "rotation_rpm", "smr", "transport", "health", "wear_percent", "power_on_hours",
    "temperature_celsius", "media_errors",
)  # fmt: skip
_BY_ID = "/dev/disk/by-id/"
_BEHIND_RAID = re.compile(r"(megaraid|cciss|areca|3ware|hpt|aacraid|sssraid|jmb39x(?:-q)?|intelliprop)[,+]?([\d,/]*)")
_SIGNS = re.compile(r"smartctl |=== START OF (?:INFORMATION SECTION|READ SMART|SMART DATA)")
# The facts of a drive, copied without what stands above them.
_BARE_FACTS = re.compile(
    r"^(?:Device Model|Model Number|Product):.*\n(?:.+\n){0,12}?(?:User Capacity|Namespace \d+ Size/Capacity):",
    re.MULTILINE,
)
_VANISHED = re.compile(r"No such device|No such file|No device connected|No medium", re.IGNORECASE)
_DENIED = re.compile(r"Permission denied|Operation not permitted", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class SmartctlReading:
    """What one run of smartctl tells: a partial disk, or none (a CD drive, a vanished device) and why in ``remarks``.

    The disk's key is provisional. ``path`` is the device that was asked, ``silent`` that nothing was learnt of it.
    ``whole_controller`` marks an NVMe controller (/dev/nvme0), whose namespaces the kernel shows as disks.
    """

    disk: Disk | None
    remarks: tuple[OddFact, ...] = ()
    whole_controller: bool = False
    path: str | None = None
    silent: bool = False


def looks_like_smartctl(text: str) -> bool:
    if is_json(text):
        return '"smartctl"' in text and ('"json_format_version"' in text or '"exit_status"' in text)
    return _SIGNS.search(text[:4000]) is not None or _BARE_FACTS.search(text[:4000]) is not None


def read_smartctl(text: str, origin: Origin, *, path_hint: str | None = None) -> SmartctlReading:
    """Return the device that ``text`` describes; ``path_hint`` is its path where the text does not say.

    Raises UserError when the text is cut-off JSON or shows no sign of smartctl.
    """
    if not is_json(text) and not looks_like_smartctl(text):
        raise nothing_of("smartctl", origin.source, "smartctl --json -x /dev/…")
    return reading_of(facts_in(text, where=origin.source), origin, path_hint=path_hint)


def tells_capacity(text: str) -> bool:
    try:
        return facts_in(text).size_bytes is not None
    except UserError:
        return False


def facts_in(text: str, where: str = "smartctl") -> SmartFacts:
    return facts_of(parse_json(text, where=where, tool="smartctl") if is_json(text) else document_of(text))


def other_types(text: str) -> tuple[str, ...]:
    """Return the device types (`-d`) worth trying after ``text``, the answer of `smartctl` without one.

    None where the capacity is known, the device is no disk, is gone, or may not be opened. Disks behind some adapters
    answer only as `sat` or only as `scsi`. A USB bridge that smartctl does not know is only asked as `scsi`:
    unknown ones have been seen to hang on anything else.
    """
    try:
        facts = facts_in(text)
    except UserError:
        return ()
    complaints = " ".join(facts.messages)
    if facts.size_bytes is not None or not facts.is_disk or _VANISHED.search(complaints) or _DENIED.search(complaints):
        return ()
    return ("scsi",) if facts.transport == "usb" else ("sat", "scsi")


def reading_of(facts: SmartFacts, origin: Origin, *, path_hint: str | None = None) -> SmartctlReading:
    # smartctl takes a partition and reads its disk.
    part = re.fullmatch(r"(/dev/(?:sd[a-z]+|nvme\d+n\d+(?=p)))p?\d+", facts.path or path_hint or "")
    path = part[1] if part else facts.path or path_hint
    name = path or facts.model or origin.source
    if not facts.is_disk:
        text = _("{device}: {kind}, not a disk; left out", device=name, kind=facts.kind)
        other = about(name, text, kind="devices", level=NoteLevel.NOTE)
        return SmartctlReading(disk=None, remarks=(other,), path=path)
    if not facts.says_something:
        remark = _silence(facts, name, path)
        if remark is not None:
            return SmartctlReading(disk=None, remarks=(remark,), path=path, silent=True)
    disk = _disk(facts, origin, path)
    whole = bool(re.fullmatch(r"/dev/nvme\d+", path or ""))
    return SmartctlReading(disk=disk, whole_controller=whole, path=path, silent=not facts.says_something)


def _silence(facts: SmartFacts, name: str, path: str | None) -> OddFact | None:
    """Return why smartctl told nothing; None where the disk itself is to say so."""
    said = " ".join(facts.messages)
    gone = _VANISHED.search(said)
    if said and path is not None and not gone:
        return None
    why = gone.group() if gone else said or _("it printed nothing")
    if path is None and not gone:
        return about(why, _("smartctl read no device: {why} ({name})", why=why, name=name), kind="complaints")
    return about(name, _("smartctl reported nothing for {disk}: {why}", disk=name, why=why))


def _disk(facts: SmartFacts, origin: Origin, path: str | None) -> Disk:
    health, health_notes = judge(facts)
    raid = _BEHIND_RAID.search(facts.device_type or "")
    media = _media(facts)
    unfit = {Unfit.HOST_MANAGED: facts.host_managed, Unfit.PROTECTED: facts.protection}
    key = facts.serial if facts.serial and not is_placeholder(facts.serial) else None
    if raid:
        key = key or f"{path or 'raid'}:{facts.device_type}"
    # What the facts name as the disk does is taken as it is.
    values: dict[str, Any] = {name: getattr(facts, name) for name in _FIELDS if hasattr(facts, name)}
    disk = Disk(
        key=key or facts.wwn or path or facts.model or "unnamed",
        # Behind a RAID controller many drives answer under the path of one logical drive.
        path=None if raid else path,
        by_id=(path.removeprefix(_BY_ID),) if path and path.startswith(_BY_ID) else (),
        media=media,
        rotation_rpm=facts.rotation or None,
        smr=_smr(facts, media),
        unfit=tuple(why for why, so in unfit.items() if so),
        health=health,
        wear_percent=wear_percent(facts),
        power_on_hours=facts.hours,
        temperature_celsius=facts.temperature,
        controller=facts.device_type if raid else None,
        slot=raid.group(2) or None if raid else None,
        notes=(*_reading_notes(facts, raid is not None, path), *health_notes),
        **values,
    )
    return with_origins(disk, _FIELDS, origin)


def _media(facts: SmartFacts) -> Media | None:
    if (facts.protocol or "").upper() == "NVME" or (facts.device_type or "").startswith(("nvme", "snt")):
        return Media.NVME
    if facts.rotation is not None:
        return Media.HDD if facts.rotation > 0 else Media.SSD
    words = f"{facts.model or ''} {facts.family or ''}".upper()
    return Media.SSD if re.search(r"\bSSDS?\b|SOLID STATE", words) else None


def _smr(facts: SmartFacts, media: Media | None) -> bool | None:
    if facts.zoned or (facts.recording or "").upper() == "SMR":
        return True
    if media in FLASH_MEDIA or (facts.recording or "").upper() == "CMR":
        return False
    # Newer drive databases say it with the name of the family.
    return (facts.family or "").rstrip().endswith("(SMR)") or recording_of(facts.model)


def _reading_notes(facts: SmartFacts, behind_raid: bool, path: str | None) -> tuple[Note, ...]:
    notes = []
    complaints = " ".join(facts.messages)
    if facts.transport == "usb" and facts.physical_sector_bytes is None and not facts.lba_formats:
        notes.append(warning(_(BRIDGE_HIDES)))
    if _DENIED.search(complaints):
        text = _("smartctl was not permitted to open the disk: run it as root to learn sector sizes and health")
        notes.append(warning(text))
    elif not facts.says_something:
        said = facts.messages[0].removeprefix(f"{path}: ")
        notes.append(warning(f"smartctl: {said}"))
    if behind_raid:
        kind, place = facts.device_type, f" {path}" if path else ""
        text = _("behind a RAID controller ({kind}):{place} is not this disk alone", kind=kind, place=place)
        notes.append(Note(text=text))
    if facts.serial and is_placeholder(facts.serial):
        text = _("the serial number “{serial}” is a placeholder", serial=facts.serial)
        notes.append(warning(text))
    if _smr(facts, _media(facts)):
        notes.append(warning(_("shingled recording (SMR): writes and rebuilds can be very slow")))
    return tuple(notes)


# The verdict on a drive: its own SMART result, and what its counters say against it.

# smartctl(8), EXIT STATUS: a bit mask of facts. Bits 0 and 1: the device was not read at all.
BIT_COMMAND_FAILED, BIT_FAILING, BIT_PREFAIL, BIT_PAST, BIT_ERRORS, BIT_SELFTEST = 4, 8, 16, 32, 64, 128

_NOW = ("now", "failing_now")
_COUNTERS = ("alloc", "pending", "uncorrect", "unc_", "retired", "bad_block", "defect")


def _failed(facts: SmartFacts, words: Container[str]) -> bool:
    return any(attribute.failed.lower() in words for attribute in facts.attributes)


def _above(value: int | None, limit: int | None) -> bool:
    return value is not None and limit is not None and value > limit


# What speaks against a drive beside its attributes, and what is only to be known of it.
_Signs = tuple[tuple[str, Callable[[SmartFacts], object]], ...]
_SUSPECT: _Signs = (
    (N_("{media_errors} media errors"), lambda f: f.media_errors),
    (N_("{grown_defects} grown defects"), lambda f: f.grown_defects),
    (N_("{uncorrected_errors} uncorrected errors"), lambda f: f.uncorrected_errors),
    (N_("{percentage_used} % of the rated endurance is used"), lambda f: _above(f.percentage_used, 99)),
    (N_("only {available_spare} % spare blocks are left"), lambda f: _above(f.spare_threshold, f.available_spare)),
    (N_("it is {temperature} °C warm, above its limit of {temperature_limit} °C"),
     lambda f: _above(f.temperature, f.temperature_limit) and _above(f.temperature_limit, 39)),
    (N_("a pre-failure SMART attribute is at or below its threshold"),
     lambda f: _bit(f, BIT_PREFAIL) and not _failed(f, _NOW)),
    (N_("its log of self-tests contains failures"), lambda f: _bit(f, BIT_SELFTEST)),
)  # fmt: skip
_REMARKS: _Signs = (
    (N_("SMART is switched off in this drive: its verdict may be old"), lambda f: f.smart_enabled is False),
    (N_("a SMART attribute was at or below its threshold in the past"),
     lambda f: _failed(f, ("past", "in_the_past")) or _bit(f, BIT_PAST)),
    (N_("its error log contains errors"), lambda f: _bit(f, BIT_ERRORS)),
    (N_("a SMART command failed: some facts may be missing"), lambda f: _bit(f, BIT_COMMAND_FAILED)),
)  # fmt: skip


def judge(facts: SmartFacts) -> tuple[Health | None, tuple[Note, ...]]:
    """Return the health and one note per fact that speaks against the drive; None where nothing is known."""
    failing = _failing(facts)
    suspect = [*_of_attributes(facts), *_true_of(facts, _SUSPECT)]
    remarks = (Note(text=text) for text in (*facts.remarks, *_true_of(facts, _REMARKS)))
    good = Health.GOOD if facts.passed else None
    health = Health.FAILING if failing else Health.SUSPECT if suspect else good
    return health, (*map(warning, (*failing, *suspect)), *remarks)


def _true_of(facts: SmartFacts, signs: _Signs) -> Iterator[str]:
    numbers = {field.name: getattr(facts, field.name) for field in fields(facts)}
    return (_(words, **numbers) for words, is_so in signs if is_so(facts))


def _failing(facts: SmartFacts) -> list[str]:
    reasons = []
    if facts.passed is False or (facts.passed is None and _bit(facts, BIT_FAILING)):
        reasons.append(_("SMART says that this drive is failing"))
    if facts.critical_warning:
        known = shipped("smartctl_facts")["critical"]
        bits = [_(bit["title"]) for i, bit in enumerate(known) if facts.critical_warning >> i & 1]
        reasons.append(_("NVMe critical warning: {bits}", bits=", ".join(bits) or hex(facts.critical_warning)))
    return reasons


def _of_attributes(facts: SmartFacts) -> Iterator[str]:
    counted = {entry["number"]: entry["title"] for entry in shipped("smartctl_facts")["counted"]}
    for attribute in facts.attributes:
        number, raw, name = attribute.number, attribute.raw, attribute.name
        # Some makers put other things at these numbers, or pack several counters into one huge value.
        known = number in counted and any(word in name.lower() for word in _COUNTERS)
        if known and raw and raw < 1 << 31:
            yield _("{raw} {text} (SMART attribute {number})", raw=raw, text=_(counted[number]), number=number)
        if attribute.failed.lower() in _NOW:
            yield _("SMART attribute {number} {name} is at or below its threshold", number=number, name=name)


def _bit(facts: SmartFacts, bit: int) -> bool:
    return facts.exit_status is not None and bool(facts.exit_status & bit)


def wear_percent(facts: SmartFacts) -> int | None:
    """Return the used share of the rated endurance in per cent (may exceed 100); None for hard disks and unknown."""
    if facts.percentage_used is not None:
        return facts.percentage_used
    if facts.rotation:
        return None
    used, left = (shipped("smartctl_facts")["endurance"][kind].split() for kind in ("used", "left"))
    for attribute in facts.attributes:
        if attribute.name in used and attribute.raw is not None and attribute.raw <= 255:
            return attribute.raw
    for name in left:
        value = next((a.value for a in facts.attributes if a.name == name), None)
        if value is not None and 0 <= value <= 100:
            return 100 - value
    return None


# The devices that `smartctl --scan` names.

_SCAN = re.compile(r"^(/dev/\S+) -d (\S+) #", re.MULTILINE)


def scanned(text: str, where: str) -> list[tuple[str, str]]:
    """Return path and type of each device in the JSON of `smartctl --scan`; raises UserError when it is cut off."""
    devices = elements(parse_json(text, where=where, tool="smartctl"), "devices")
    return [(string(d, "name") or "", string(d, "type") or "") for d in devices]


def read_scan(text: str, origin: Origin) -> tuple[Disk, ...]:
    """Return the devices `smartctl --scan` names, as disks of which only the path is known.

    Devices behind a RAID controller share one path and are left to smartctl's own output. Raises UserError when the
    text is cut-off JSON.
    """
    pairs = scanned(text, origin.source) if is_json(text) else [(m[1], m[2]) for m in _SCAN.finditer(text)]
    if not pairs and "smartctl" not in text:
        raise nothing_of("smartctl --scan", origin.source)
    nvme = {"media": Media.NVME, "transport": "nvme"}
    return tuple(
        Disk(key=path, path=path, **(nvme if kind == "nvme" else {}))  # type: ignore[arg-type]
        for path, kind in pairs
        if path and "," not in kind and not path.startswith("/dev/bus/")
    )
