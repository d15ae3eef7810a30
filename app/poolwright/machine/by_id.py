"""Which names under /dev/disk/by-id (or by-path) lead to which kernel device, from a directory listing."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from poolwright.domain.disk import Disk, Note, UseKind, is_placeholder, names_of_wwn
from poolwright.domain.errors import UserError
from poolwright.domain.origin import Origin, OriginKind
from poolwright.texts import marked, tell

_COLOUR = re.compile(r"\x1b\[[0-9;]*[mK]")
_DIRECTORY = re.compile(r"^(?:\S+\s+)?['\"]?(/dev/disk/[\w-]+)/?['\"]?:?$")
_PAIR = re.compile(r"^(\S+)\s+((?:\.\./)+\S+|/dev/\S+)$")
_UPWARDS = re.compile(r"\A(?:\.\./)*+(?:/dev/)*+")
_PART = re.compile(r"^(.+)-part(\d+)$")
_BY_PATH = re.compile(r"^(pci|platform|virtio-pci|acpi|ip|vmbus|ccw|xen|fc|ap|usbv?\d)-")
# These name what is on a disk at the moment, or an alias somebody chose, not the disk.
_OF_UDEV = re.compile(r"(?:ata|scsi|wwn|nvme|virtio|usb|mmc|md|dm|lvm|raid|ieee1394|memstick|google|cciss)-")
_CONTENT = ("lvm-pv-uuid-", "lvm-vg-", "md-name-", "md-uuid-", "dm-name-")

_DERIVED = marked("derived, checked by the script")
# The SCSI inquiry has 16 characters for the model: of that length it may be the beginning of a longer one.
_CUT_MODEL = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class ByIdLink:
    """One link: its name, the kernel device it leads to, and the partition number when the name is a partition's."""

    name: str
    kernel_name: str
    partition: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ById:
    """The links of one directory; ``directory`` is ``by-id``, ``by-path`` or another name under /dev/disk."""

    directory: str = "by-id"
    links: tuple[ByIdLink, ...] = ()

    def names_of(self, kernel_name: str) -> tuple[str, ...]:
        """Return the names that identify the whole disk ``kernel_name`` (``sda``, ``nvme0n1``, ``dm-3``), sorted."""
        return self.names().get(kernel_name, ())

    def names(self) -> dict[str, tuple[str, ...]]:
        """Return, by kernel name, the names that identify each whole disk, sorted."""
        found: dict[str, set[str]] = {}
        for link in self.links:
            if link.partition is None and not link.name.startswith(_CONTENT):
                found.setdefault(link.kernel_name, set()).add(link.name)
        return {kernel: tuple(sorted(names)) for kernel, names in found.items()}

    def kernel_name(self, name: str) -> str | None:
        """Return the kernel device a name (or its path under /dev) leads to: ``sda1`` for a partition's name."""
        wanted = name.rpartition("/")[2]
        return next((link.kernel_name for link in self.links if link.name == wanted), None)

    def disk_of(self, name: str) -> str | None:
        """Return the kernel name of the disk behind a disk's or a partition's name; None when it is not listed."""
        wanted = name.rpartition("/")[2]
        part = _PART.match(wanted)
        if part is not None:
            whole = self.kernel_name(part.group(1))
            if whole is not None:
                return whole
        return self.kernel_name(wanted)

    def kernel_names(self) -> tuple[str, ...]:
        """Return the kernel names of the whole devices listed, sorted."""
        return tuple(sorted({link.kernel_name for link in self.links if link.partition is None}))


def read_by_id(text: str) -> ById:
    """Return the links in ``text``: `ls -l /dev/disk/by-id`, or lines ``name -> ../../sda``.

    Pure. Where the listing has several directories (`ls -lR /dev/disk`), only by-id is kept. An empty directory
    gives no links; text without any link raises UserError.
    """
    text = _COLOUR.sub("", text.lstrip("\ufeff").replace("\0", ""))
    if not text.strip():
        raise UserError(tell("The listing of /dev/disk/by-id is empty"), todo=tell("Run: ls -l /dev/disk/by-id"))
    found: dict[str, list[ByIdLink]] = {}
    directory = ""
    listed = False
    for raw in text.splitlines():
        line = raw.strip()
        heading = _DIRECTORY.match(line)
        if heading is not None:
            directory = heading.group(1).rpartition("/")[2]
        listed = listed or heading is not None or re.match(r"^total \d", line) is not None
        link = _link(line)
        if link is not None:
            found.setdefault(directory, []).append(link)
    if not found and not listed:
        raise UserError(tell("This is not a listing of /dev/disk/by-id: it has no line “name -> ../../sda”"),
                        todo=tell("Run: ls -l /dev/disk/by-id"))  # fmt: skip
    chosen = "by-id" if "by-id" in found else next(iter(found), "")
    links = tuple(dict.fromkeys(found.get(chosen, ())))
    return ById(directory=chosen or _guessed(links), links=links)


def _link(line: str) -> ByIdLink | None:
    left, arrow, right = line.partition(" -> ")
    pair = None if arrow else _PAIR.match(line)
    if pair is not None:
        left, right = pair.group(1), pair.group(2)
    elif not arrow:
        return None
    quoted = _quoted(left.rstrip())
    words = left.split()
    target = _kernel_name(right.strip().strip("'\""))
    if not words or target is None:
        return None
    name = (quoted or words[-1]).rpartition("/")[2]
    part = _PART.match(name)
    # A number longer than any kernel's is not a partition number.
    number = int(part.group(2)) if part is not None and len(part.group(2)) < 6 and part.group(2).isascii() else None
    return ByIdLink(name=name, kernel_name=target, partition=number)


def _quoted(text: str) -> str | None:
    """Return what stands between the first and the last quote of the kind that ``text`` ends with; None without."""
    mark = text[-1:]
    start = text.find(mark) if mark in {"'", '"'} else -1
    return text[start + 1 : -1] or None if 0 <= start < len(text) - 1 else None


def _kernel_name(target: str) -> str | None:
    words = _UPWARDS.sub("", target).split()
    return words[0].replace("/", "!") if len(words) == 1 else None


def _guessed(links: tuple[ByIdLink, ...]) -> str:
    by_path = sum(_BY_PATH.match(link.name) is not None for link in links)
    if links and 2 * by_path > len(links):
        return "by-path"
    return "by-id" if any(_OF_UDEV.match(link.name) for link in links) else "by-vdev"


def with_derived_names(disks: Sequence[Disk]) -> tuple[Disk, ...]:
    """Return the disks, those without a name under by-id with such as udev makes of what is known of them.

    Only names that no second disk would have, and only of what udev itself reads: a disk behind a RAID controller, a
    mapping, or a second way to a disk keeps none.
    """
    made = {disk.key: tuple(_derived(disk)) for disk in disks}
    owners: dict[str, int] = {}
    for disk in disks:
        for name in {*disk.by_id, *made[disk.key]}:
            owners[name] = owners.get(name, 0) + 1
    return tuple(_with_derived(disk, [n for n in made[disk.key] if owners[n] == 1]) for disk in disks)


def _with_derived(disk: Disk, names: Sequence[str]) -> Disk:
    if not names:
        return disk
    origin = Origin(kind=OriginKind.COMPUTED, source=tell(_DERIVED))
    text = tell("its name under /dev/disk/by-id is derived and not read; the script checks it before it writes")
    return replace(
        disk, by_id=tuple(names), notes=(*disk.notes, Note(text=text)), origins=(*disk.origins, ("by_id", origin))
    )


def _derived(disk: Disk) -> Iterator[str]:
    """Yield the names that 60-persistent-storage.rules gives the whole disk."""
    kernel = (disk.path or "").removeprefix("/dev/")
    second = any(use.kind is UseKind.MULTIPATH for use in disk.uses)
    if disk.by_id or disk.planned or disk.controller is not None or second:
        return
    wide = names_of_wwn(disk.wwn)
    serial = "" if is_placeholder(disk.serial or "") else disk.telling_serial or ""
    if re.fullmatch(r"sd[a-z]+", kernel):
        yield from wide[:1]
        model = disk.model or ""
        if disk.transport == "sata" and serial and len(model) > _CUT_MODEL:
            yield f"ata-{_as_udev(model, 40)}_{_as_udev(serial, 20)}"
    elif re.fullmatch(r"nvme\d+(n\d+)?", kernel):
        if not re.search(r"n(?!1\Z)\d+\Z", kernel) and serial and disk.model:
            yield f"nvme-{_as_udev(disk.model, 40)}_{_as_udev(serial, 20)}"
        yield from wide
    elif re.fullmatch(r"vd[a-z]+", kernel) and serial:
        yield f"virtio-{_as_udev(serial, 20)}"


def _as_udev(text: str, longest: int) -> str:
    """Return a value as udev writes it: runs of blanks as one underscore, what is not safe as an underscore."""
    return re.sub(r"[^0-9A-Za-z#+.:=@_-]", "_", re.sub(r"\s+", "_", text.strip()))[:longest]
