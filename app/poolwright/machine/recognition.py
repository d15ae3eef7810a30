"""What a piece of text is: which tool printed it, told from the text itself, with the file's name as a hint."""

import json
import re
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import pairwise
from typing import Any

from poolwright.domain.disk import Disk, Health, Media, Note, Use, UseKind
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Origin
from poolwright.domain.units import decimal
from poolwright.machine import json_values
from poolwright.machine.bays.adapters import is_places
from poolwright.machine.bays.read import looks_like_multipath
from poolwright.machine.burn_in import BURN_IN
from poolwright.machine.packed import BEGIN
from poolwright.machine.remarks import warning
from poolwright.machine.smartctl.read import looks_like_smartctl
from poolwright.shipped import shipped
from poolwright.texts import _


class PieceKind(StrEnum):
    LSBLK = "lsblk"
    SMARTCTL = "smartctl"
    BURN_IN = "burn-in"
    SMARTCTL_SCAN = "smartctl --scan"
    NVME_LIST = "nvme list"
    NVME_NAMESPACE = "nvme id-ns"
    NVME_SMART_LOG = "nvme smart-log"
    ZPOOL_STATUS = "zpool status"
    ZPOOL_IMPORT = "zpool import"
    ZPOOL_LIST = "zpool list"
    ZPOOL_GET = "zpool get"
    ZDB_CONFIG = "zdb -C"
    ZFS_GET = "zfs get"
    ZFS_LIST = "zfs list"
    DATE = "date"
    BY_ID = "ls -l /dev/disk/by-id"
    MEMINFO = "/proc/meminfo"
    CPUINFO = "/proc/cpuinfo"
    OS_RELEASE = "/etc/os-release"
    ZFS_VERSION = "zfs version"
    UNAME = "uname -r"
    HOSTNAME = "uname -n"
    PLACES = "/sys"
    MULTIPATH = "multipath -ll"
    CONTROLLER = "storcli show, ssacli show config"


_SCAN_LINE = re.compile(r"^/dev/\S+ -d \S+ #", re.MULTILINE)


@cache
def _texts() -> tuple[tuple[PieceKind, re.Pattern[str]], ...]:
    known = shipped("outputs")["text"]
    return tuple((PieceKind(entry["kind"]), re.compile(entry["looks"], re.MULTILINE)) for entry in known)


def kind_of(text: str, name: str) -> PieceKind | None:
    """Return which tool printed ``text``; None when no tool that is read here did.

    ``name`` (a file's) decides only where the text itself says nothing, as an empty listing does. Raises UserError
    when the text is JSON and cut off.
    """
    if name.startswith("zpool-get-vdevs/"):
        return PieceKind.ZPOOL_GET
    if text.startswith(BURN_IN):
        return PieceKind.BURN_IN
    stem = re.split(r"[/\\]", name)[-1].partition(".")[0].lower().replace("_", "-")
    named = shipped("outputs")["names"].get(stem)
    by_name = None if named is None else PieceKind(named)
    if json_values.is_json(text):
        return _kind_of_json(json_values.parse_json(text, where=name, tool=_("the tool")), by_name)
    if is_places(text):
        return PieceKind.PLACES
    if looks_like_multipath(text):
        return PieceKind.MULTIPATH
    if _STORCLI.search(text) is not None or any(_SSACLI.match(line) for line in text.splitlines()):
        return PieceKind.CONTROLLER
    if by_name in {PieceKind.UNAME, PieceKind.HOSTNAME, PieceKind.DATE}:
        return by_name
    if looks_like_smartctl(text):
        return PieceKind.SMARTCTL_SCAN if _SCAN_LINE.search(text) else PieceKind.SMARTCTL
    head = text[:200_000]
    for kind, pattern in _texts():
        if pattern.search(head):
            return kind
    return by_name


def _kind_of_json(document: object, by_name: PieceKind | None) -> PieceKind | None:
    keys = {key for key, __ in json_values.members(document)}
    if "smartctl" in keys or "json_format_version" in keys:
        arguments = {str(a) for a in json_values.elements(document, "smartctl", "argv")}
        scanning = "devices" in keys or bool(arguments & {"--scan", "--scan-open"})
        return PieceKind.SMARTCTL_SCAN if scanning else PieceKind.SMARTCTL
    if _is_drive(keys):
        return PieceKind.SMARTCTL
    command = json_values.string(document, "output_version", "command") or ""
    if command in set(PieceKind):
        return PieceKind(command)
    pools = json_values.members(document, "pools")
    has_vdevs = any(json_values.child(pool, "vdevs") is not None for __, pool in pools)
    if has_vdevs and not command:
        return PieceKind.ZPOOL_STATUS
    if keys == {"Devices"}:
        return PieceKind.NVME_LIST
    found = next((kind for wanted, kind in _OF_KEYS if wanted <= keys), None)
    return found or (by_name if by_name is PieceKind.LSBLK else None)


_OF_KEYS = (
    ({"blockdevices"}, PieceKind.LSBLK), ({"zfs_version"}, PieceKind.ZFS_VERSION),
    ({"nsze", "lbafs"}, PieceKind.NVME_NAMESPACE), ({"critical_warning", "avail_spare"}, PieceKind.NVME_SMART_LOG),
)  # fmt: skip
_FEWEST_DRIVE_KEYS = 2


def _is_drive(keys: set[str]) -> bool:
    return len(keys.intersection(shipped("outputs")["drive_keys"].split())) >= _FEWEST_DRIVE_KEYS


def _drives_of(text: str) -> tuple[str, ...]:
    """Return each drive of a JSON list of smartctl's answers, as `jq -s` makes one; else the text itself."""
    try:
        document = json_values.parse_json(text, where="", tool=_("the tool"))
    except UserError:
        return (text,)
    parts = document if isinstance(document, list) else []
    drives = [part for part in parts if _is_drive({key for key, __ in json_values.members(part)})]
    return tuple(json.dumps(part) for part in drives) if drives and len(drives) == len(parts) else (text,)


_DEVICE_IN_NAME = re.compile(
    r"(?:^|[._/\-\s])(sd[a-z]{1,3}|nvme\d+(?:n\d+)?|vd[a-z]{1,2}|mmcblk\d+|disk/by-id/[\w.:+@-]+)(?=[._\-\s]|$)"
)
_BY_ID_NAME = re.compile(r"((?:ata|scsi|nvme|wwn|usb|virtio)-[\w.:+@-]+?)(?:\.(?:json|txt|out|log))?\Z")


def device_in_name(name: str) -> str | None:
    """Return the device a file name speaks of: /dev/sda for ``host1_sda.json``; None when it names none."""
    base = re.split(r"[/\\]", name)[-1]
    by_id = _BY_ID_NAME.match(base)
    if by_id:
        return f"/dev/disk/by-id/{by_id.group(1)}"
    found = _DEVICE_IN_NAME.findall(base)
    return f"/dev/{found[-1]}" if found else None


_DEEPEST_QUOTE = 20  # levels of “> ” that a mail has at most


def unquoted(text: str) -> str:
    """Return ``text`` without what a mail or web page put before every line: “> ”, or blanks."""
    if text.lstrip("\n\r")[:1] not in {">", " ", "\t"}:
        return text
    lines = text.splitlines()
    for __ in range(_DEEPEST_QUOTE):
        if not any(lines) or not all(line.startswith(">") for line in lines if line.strip()):
            break
        lines = [line.removeprefix(">").removeprefix(" ") for line in lines]
    return textwrap.dedent("\n".join(lines)) + "\n"


_SMARTCTL_BANNER = re.compile(r"^smartctl (?:version )?\d+\.\d", re.MULTILINE)


def documents_of(text: str) -> tuple[str, ...]:
    """Return the outputs that stand one after another in ``text``: JSON documents, or texts of one or several tools.

    People run a tool for each disk and append to one file, or copy what a terminal shows. Text that is one output comes
    back as it is.
    """
    if json_values.is_json(text):
        parts = json_values.split_json(text)
        return tuple(drive for part in parts for drive in (_drives_of(part) if part.startswith("[") else (part,)))
    if parts := _of_several_tools(text):
        return parts
    starts = [match.start() for match in _SMARTCTL_BANNER.finditer(text)]
    if len(starts) < 2:
        return (text,)
    # The line before a banner may be the command that was typed.
    cuts = [0]
    for start in starts[1:]:
        above = text.rfind("\n", 0, max(0, start - 1)) + 1
        cuts.append(above if re.search(r"smartctl\b.*/dev/", text[above:start]) else start)
    return tuple(text[a:b] for a, b in pairwise([*cuts, len(text)]))


# How the output of each tool begins, and for tables what a row of theirs is.
_SIZES = re.compile(r".*\s(?:-|\d[\d.,]*[BKMGTPE]?)\s+(?:-|\d[\d.,]*[BKMGTPE]?)(?:\s|$)")
_BEGINS: tuple[tuple[str, re.Pattern[str], re.Pattern[str] | None], ...] = (
    ("smartctl", _SMARTCTL_BANNER, None),
    ("status", re.compile(r"[ \t]*+pool: \S"), re.compile(r"\s|[a-z]+:(?:\s|$)|\S+\s+[A-Z]{4,}\b|[a-z]+\s*$")),
    ("zpool list", re.compile(r"NAME +SIZE +(?:ALLOC|USED) "), _SIZES),
    ("zfs list", re.compile(r"NAME +(?:USED +AVAIL +REFER|AVAIL +USED +USEDSNAP)"), _SIZES),
    ("version", re.compile(r"zfs-v?\d"), re.compile(r"zfs-")),
    ("get", re.compile(r"NAME +PROPERTY +VALUE +SOURCE"), re.compile(r"\S.*? {2,}\S+ {2,}\S")),
    ("lsblk", re.compile(r"[ \t]*+(?:K?NAME|PATH)\s.*\b(?:MAJ:MIN|TYPE|FSTYPE|MODEL|ROTA)\b"), None),
    ("by-id", re.compile(r".* -> (?:\.\./)+\w+[ \t]*$"), re.compile(r".* -> ")),
)
_AT_PROMPT = re.compile(
    r"(?:\[?[\w.-]+@[\w.-]+[: ~][^#$%>]*[#$%>](?:\s|$)|(?:[^#$%>\s]{0,40}[#$%>][ ]*)?(?:sudo +)?(?:/\S*/)?"
    r"(?:zpool (?:status|list|get|import)|zfs (?:list|get|version)|lsblk|smartctl (?:-|/)|ls -))"
)


def _of_several_tools(text: str) -> tuple[str, ...]:
    """Return the outputs of a terminal's text, without prompts and prose between; none where it is of one tool."""
    parts: list[tuple[str, list[str]]] = []
    rows: re.Pattern[str] | None = None
    inside = False
    for line in text.splitlines():
        begun = next(((tool, row) for tool, first, row in _BEGINS if first.match(line)), None)
        if begun is not None and not (inside and parts[-1][0] == begun[0] and begun[0] != "smartctl"):
            parts.append((begun[0], [line]))
            inside, rows = True, begun[1]
        elif inside and (_AT_PROMPT.match(line) or (line.strip() and begun is None and rows and not rows.match(line))):
            inside = False
        elif inside:
            parts[-1][1].append(line)
    if len({tool for tool, __ in parts}) < 2:
        return ()
    return tuple("\n".join(lines) + "\n" for __, lines in parts)


HEADER = "### poolwright-capture 1"
END = "### end"
NOT_FOUND = 127


def is_capture(text: str) -> bool:
    return text.lstrip("\ufeff").startswith("### poolwright-capture ")


def is_machine(text: str, *, listed: bool) -> bool:
    """Tell whether a text is of a machine by itself: a capture, or an lsblk listing where one is ``listed`` already."""
    if is_capture(text) or BEGIN in text:
        return True
    with suppress(UserError):
        return listed and any(kind_of(part, "") is PieceKind.LSBLK for part in documents_of(unquoted(text)))
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureSection:
    """One command's part of a capture: its name, what it printed, its exit status (127: not installed)."""

    name: str
    text: str
    status: int | None = None


def sections_of(text: str, where: str) -> tuple[CaptureSection, ...]:
    """Return every section of a collector's capture: `### file: NAME`, the output, `### status: N`; `### end` last.

    Raises UserError when the capture is of a newer format.
    """
    lines = text.lstrip("\ufeff").replace("\r\n", "\n").split("\n")
    if lines[0].strip() != HEADER:
        raise json_values.too_new(_("The capture"), lines[0].strip()[:60].rpartition(" ")[2], 1, where)
    found: list[CaptureSection] = []
    name: str | None = None
    status: int | None = None
    body: list[str] = []
    for line in [*lines[1:], END]:
        if line.startswith("### status: "):
            digits = line.removeprefix("### status: ").strip()
            status = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 5 else None
        elif line.startswith(("### file: ", END)):
            if name:
                found.append(CaptureSection(name=name, text="\n".join(body).rstrip("\n") + "\n", status=status))
            name = line.removeprefix("### file: ").strip() if line.startswith("### file: ") else None
            body, status = [], None
        elif name:
            body.append(line)
    return tuple(found)


def is_complete(text: str) -> bool:
    return f"\n{END}" in text


# Drives behind a RAID controller, as storcli (perccli) and ssacli (hpssacli) list them: the system does not see them.

# EID:Slt DID State DG Size Intf Med SED PI SeSz Model Sp [Type]; the enclosure may be blank.
_STORCLI = re.compile(
    r"^[ \t]*(?P<slot>\d* ?:\d+)\s+\d+\s+(?P<state>[A-Za-z]+)\s+(?P<group>-|\d+|F)\s+(?P<size>[\d.]+) "
    r"(?P<unit>[MGTP]B)\s+(?P<link>SAS|SATA|NVMe|PCIe)\s+(?P<media>HDD|SSD)\s+[YN-]\s+(?P<protected>[YN-])\s+"
    r"(?P<sector>\d+(?:\.\d+)?) ?(?P<kilo>K?)B\s+"
    r"(?P<model>\S.*?)\s+[UD-](?:\s+\S+)?[ \t\r]*$",
    re.MULTILINE,
)
_SSACLI = re.compile(
    r"^\s*physicaldrive (?P<slot>\S+) \(port [^,]*, (?:(?P<link>SAS|SATA|NVMe|PCIe)(?: \w+)*? ?)?(?P<media>HDD|SSD)?, "
    r"(?P<size>[\d.]+) (?P<unit>[MGT]B), (?P<state>[^)]*)\)",
    re.IGNORECASE,
)
_SSACLI_GROUP = re.compile(r"^\s*(?:(?P<array>array \w+)\b|(?P<free>unassigned|hba drives)\b)", re.IGNORECASE)
_POWERS = {"MB": 2, "GB": 3, "TB": 4, "PB": 5}
_PASSED_ON = frozenset(("jbod", "hba drives"))  # for machines
_NO_GROUP = frozenset(("-", "f"))
# What storcli and ssacli say of drives that failed or are about to, and of spares of the controller.
_BAD = re.compile(r"ubad|ubunsp|offln|failed|msng|missing|predictive failure|erase", re.IGNORECASE)
_SPARE = re.compile(r"[gd]hs\Z|.*, (?:active )?spare", re.IGNORECASE)

_KNOWN_OF_DRIVES = ("model", "size_bytes", "logical_sector_bytes", "media", "transport", "slot", "health")


def read_controller_drives(text: str, origin: Origin) -> tuple[Disk, ...]:
    """Return the drives of a controller; sizes are what it rounds them to, bays are its own words for them."""
    return (*_from_storcli(text, origin), *_from_ssacli(text, origin))


def controller_note(drives: Sequence[Disk]) -> Note:
    """Return what ZFS would get of these drives, and what the controller has to do for it."""
    sizes = sorted({disk.size_bytes or 0 for disk in drives})
    kinds = ", ".join(
        f"{sum(disk.size_bytes == size for disk in drives)} x {decimal(size)}" for size in sizes
    )  # for machines
    grouped = sum(disk.in_use for disk in drives)
    text = _(
        "A RAID controller has {kinds}, {grouped} of them in RAID groups: ZFS would see virtual drives and could "
        "not repair below them. In HBA mode (IT firmware, or JBOD for each drive) it gets the {kinds} themselves; "
        "what is on the groups is lost by that.",
        kinds=kinds,
        grouped=grouped,
    )
    return warning(text)


def _from_storcli(text: str, origin: Origin) -> Iterator[Disk]:
    for found in _STORCLI.finditer(text):
        # storcli counts in powers of 1024 under the names of powers of 1000.
        size = round(float(found["size"]) * 1024 ** _POWERS[found["unit"]])
        sector = round(float(found["sector"]) * (1024 if found["kilo"] else 1))
        group = "" if found["group"].lower() in _NO_GROUP else _("drive group {group}", group=found["group"])
        notes: tuple[Note, ...] = ()
        if found["protected"] == "Y":
            words = _("It is formatted with protection information (T10): format it without before ZFS gets it.")
            notes = (warning(words),)
        seen = found["state"].lower() in _PASSED_ON
        facts = {"model": found["model"], "logical_sector_bytes": sector}
        yield _drive(found, size, group, origin, facts, seen=seen, notes=notes)


def _from_ssacli(text: str, origin: Origin) -> Iterator[Disk]:
    group, seen = "", False
    for line in text.splitlines():
        heading = _SSACLI_GROUP.match(line)
        if heading is not None:
            group, seen = heading["array"] or "", (heading["free"] or "").lower() in _PASSED_ON
        found = _SSACLI.match(line)
        if found is not None:
            size = round(float(found["size"]) * 1000 ** _POWERS[found["unit"].upper()])
            yield _drive(found, size, group, origin, {}, seen=seen)


def _drive(
    found: re.Match[str], size: int, group: str, origin: Origin, facts: dict[str, Any], *, seen: bool,
    notes: tuple[Note, ...] = (),
) -> Disk:  # fmt: skip
    state, slot, media = found["state"], found["slot"].replace(" ", ""), found["media"]
    group = group or (_("hot spare") if _SPARE.match(state) else "")
    uses = (Use(kind=UseKind.HOLDER, detail=_("{group} of the RAID controller", group=group)),) if group else ()
    if not group and not seen:
        words = _("The system does not see it until the controller passes it on (HBA mode, or JBOD for this drive).")
        notes = (*notes, warning(words))
    disk = Disk(
        key=f"controller {slot}",
        size_bytes=size,
        media=None if media is None else Media(media.lower()),
        transport=(found["link"] or "").lower() or None,
        slot=slot,
        health=Health.FAILING if _BAD.match(state) else None,
        uses=uses,
        notes=notes,
        **facts,
    )
    return json_values.with_origins(disk, _KNOWN_OF_DRIVES, origin)
