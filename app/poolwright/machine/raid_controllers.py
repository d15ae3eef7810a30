"""Drives behind a RAID controller, as storcli (perccli) and ssacli (hpssacli) list them: the system does not see them.

ZFS needs the drives themselves: https://openzfs.github.io/openzfs-docs/Performance%20and%20Tuning/Hardware.html says
why. So each is told with what the controller would have to do first.
"""

import re
from collections.abc import Iterator, Sequence

from poolwright.domain.disk import Disk, Health, Media, Note, NoteLevel, Use, UseKind
from poolwright.domain.origin import Origin
from poolwright.domain.units import decimal
from poolwright.texts import tell

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


def looks_like_controller(text: str) -> bool:
    """Tell whether ``text`` lists the drives of a RAID controller."""
    return _STORCLI.search(text) is not None or any(_SSACLI.match(line) for line in text.splitlines())


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
    text = tell(
        "A RAID controller has {kinds}, {grouped} of them in RAID groups: ZFS would see virtual drives, cannot repair "
        "what lies below them and is not told of failing drives. In HBA mode (IT firmware), or with each drive set to "
        "JBOD, it gets the {kinds} themselves; what is on the groups is lost by that.",
        kinds=kinds,
        grouped=grouped,
    )
    return Note(text=text, level=NoteLevel.WARN)


def _from_storcli(text: str, origin: Origin) -> Iterator[Disk]:
    for found in _STORCLI.finditer(text):
        # storcli counts in powers of 1024 under the names of powers of 1000.
        size = round(float(found["size"]) * 1024 ** _POWERS[found["unit"]])
        sector = round(float(found["sector"]) * (1024 if found["kilo"] else 1))
        group = "" if found["group"].lower() in _NO_GROUP else tell("drive group {group}", group=found["group"])
        notes: tuple[Note, ...] = ()
        if found["protected"] == "Y":
            words = tell("It is formatted with protection information (T10): format it without before ZFS gets it.")
            notes = (Note(text=words, level=NoteLevel.WARN),)
        yield _drive(
            slot=found["slot"].replace(" ", ""), model=found["model"], size=size, sector=sector, link=found["link"],
            media=found["media"], group=group, seen=found["state"].lower() in _PASSED_ON, notes=notes, origin=origin,
            state=found["state"],
        )  # fmt: skip


def _from_ssacli(text: str, origin: Origin) -> Iterator[Disk]:
    group, seen = "", False
    for line in text.splitlines():
        heading = _SSACLI_GROUP.match(line)
        if heading is not None:
            group, seen = heading["array"] or "", (heading["free"] or "").lower() in _PASSED_ON
        found = _SSACLI.match(line)
        if found is not None:
            size = round(float(found["size"]) * 1000 ** _POWERS[found["unit"].upper()])
            yield _drive(
                slot=found["slot"], model=None, size=size, sector=None, link=found["link"] or "", media=found["media"],
                group=group, seen=seen, notes=(), origin=origin, state=found["state"],
            )  # fmt: skip


def _drive(
    *,
    slot: str,
    model: str | None,
    size: int,
    sector: int | None,
    link: str,
    media: str | None,
    group: str,
    seen: bool,
    notes: tuple[Note, ...],
    origin: Origin,
    state: str,
) -> Disk:
    group = group or (tell("hot spare") if _SPARE.match(state) else "")
    uses = (Use(kind=UseKind.HOLDER, detail=tell("{group} of the RAID controller", group=group)),) if group else ()
    if not group and not seen:
        words = tell("The system does not see it: the controller has to pass it on (HBA mode, or JBOD for this drive).")
        notes = (*notes, Note(text=words, level=NoteLevel.WARN))
    facts = {
        "model": model,
        "size_bytes": size,
        "logical_sector_bytes": sector,
        "media": None if media is None else Media(media.lower()),
        "transport": link.lower() or None,
        "slot": slot,
        "health": Health.FAILING if _BAD.match(state) else None,
    }
    known = {name: value for name, value in facts.items() if value is not None}
    origins = tuple((name, origin) for name in known)
    return Disk(key=f"controller {slot}", uses=uses, notes=notes, origins=origins, **known)  # type: ignore[arg-type]
