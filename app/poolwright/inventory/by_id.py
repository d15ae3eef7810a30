"""Which names under /dev/disk/by-id (or by-path) lead to which kernel device, from a directory listing."""

import re
from dataclasses import dataclass

from poolwright.domain.errors import UserError
from poolwright.texts import tell

_COLOUR = re.compile(r"\x1b\[[0-9;]*[mK]")
_DIRECTORY = re.compile(r"^(?:\S+\s+)?['\"]?(/dev/disk/[\w-]+)/?['\"]?:?$")
_PAIR = re.compile(r"^(\S+)\s+((?:\.\./)+\S+|/dev/\S+)$")
_UPWARDS = re.compile(r"\A(?:\.\./)*+(?:/dev/)*+")
_PART = re.compile(r"^(.+)-part(\d+)$")
_BY_PATH = re.compile(r"^(pci|platform|virtio-pci|acpi|ip|vmbus|ccw|xen|fc|ap|usbv?\d)-")
# These name what is on a disk at the moment, or an alias somebody chose, not the disk.
_CONTENT = ("lvm-pv-uuid-", "lvm-vg-", "md-name-", "md-uuid-", "dm-name-")


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
    return "by-path" if links and 2 * by_path > len(links) else "by-id"
