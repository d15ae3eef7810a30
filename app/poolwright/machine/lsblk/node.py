"""One block device as lsblk printed it, whatever the output form, with typed columns."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from poolwright.domain.disk import is_placeholder
from poolwright.domain.errors import UserError
from poolwright.domain.units import parse_size
from poolwright.texts import marked

Columns = Mapping[str, object]

RERUN = marked("Run: lsblk -J -b -O")
_ESCAPE = re.compile(r"(?:\\x[0-9a-fA-F]{2})+")
_PARTITION = re.compile(
    r"^(?:(?:sd|vd|xvd|hd|dasd|ub)[a-z]+\d+|(?:nvme\d+n\d+|mmcblk\d+|md\d+|md_\w+|loop\d+|nbd\d+|zd\d+|cciss!c\d+d\d+)p\d+)$"
)
_DISK = re.compile(
    r"^(?:(?:sd|vd|xvd|hd|dasd|ub)[a-z]+|nvme\d+(?:c\d+)?n\d+|mmcblk\d+(?:boot\d+|rpmb)?|pmem\d+[a-z]?|cciss!c\d+d\d+"
    r"|zd\d+|nbd\d+|rbd\d+|drbd\d+|bcache\d+|zram\d+|ram\d+|fio[a-z]+|rssd[a-z]+)$"
)
_PARENT = re.compile(r"^(.*?\d)p\d+$|^([a-z]+?)\d+$")
_EXACT = re.compile(r"^\d+$")
# The most digits a real byte count has; longer ones are damage, and slow to convert.
_MOST_DIGITS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockNode:
    """A device with what lies on it. ``columns`` names the columns the output had, so that absent differs from empty.

    ``size_text`` is set when the size was printed rounded (``5.5T``) and ``size_bytes`` is its approximation.
    """

    kname: str
    name: str
    path: str
    type: str | None
    columns: frozenset[str]
    size_bytes: int | None = None
    size_text: str | None = None
    logical_sector_bytes: int | None = None
    physical_sector_bytes: int | None = None
    rotational: bool | None = None
    removable: bool | None = None
    read_only: bool | None = None
    transport: str | None = None
    model: str | None = None
    vendor: str | None = None
    serial: str | None = None
    wwn: str | None = None
    firmware: str | None = None
    hctl: str | None = None
    state: str | None = None
    zoned: str | None = None
    id_link: str | None = None
    fstype: str | None = None
    label: str | None = None
    table: str | None = None
    part_type: str | None = None
    part_number: int | None = None
    part_names: tuple[str, ...] = ()
    parent: str | None = None
    mountpoints: tuple[str, ...] = ()
    children: tuple["BlockNode", ...] = ()


def column_key(heading: str) -> str:
    """Return a heading in one spelling: ``LOG-SEC``, ``log_sec`` and ``log-sec`` are the same column."""
    key = heading.strip().lower().replace("_", "-")
    return {"maj-min": "maj:min", "fsuse-pct": "fsuse%"}.get(key, key)


def make_node(columns: Columns, children: tuple[BlockNode, ...] = ()) -> BlockNode | None:
    """Return the device that one row or one JSON object describes; None when it names none."""
    name, kname = _device_name(columns.get("name")), _device_name(columns.get("kname"))
    path, wwn = _text(columns.get("path")), _text(columns.get("wwn"))
    if name is None and kname is None and path is None:
        return None
    kernel = kname or name or _device_name(path) or ""
    shown = name or kernel
    kind = _text(columns.get("type")) or infer_type(kernel)
    size, rounded = _size(columns.get("size"))
    return BlockNode(
        kname=kernel,
        name=shown,
        path=path or _default_path(kernel if kname else shown, shown, kind),
        type=kind,
        columns=frozenset(columns),
        size_bytes=size,
        size_text=rounded,
        logical_sector_bytes=_positive(columns.get("log-sec")),
        physical_sector_bytes=_positive(columns.get("phy-sec")),
        rotational=_flag(columns.get("rota")),
        removable=_flag(columns.get("rm")),
        read_only=_flag(columns.get("ro")),
        transport=_text(columns.get("tran")),
        model=_text(columns.get("model")),
        vendor=_text(columns.get("vendor")),
        serial=_text(columns.get("serial")),
        wwn=None if is_placeholder(wwn or "") else wwn,
        firmware=_text(columns.get("rev")),
        hctl=_text(columns.get("hctl")),
        state=_text(columns.get("state")),
        zoned=_text(columns.get("zoned")),
        id_link=_text(columns.get("id-link")),
        fstype=_text(columns.get("fstype")),
        label=_text(columns.get("label")),
        table=_text(columns.get("pttype")) or _text(columns.get("ptttype")),
        part_type=_text(columns.get("parttype")),
        part_names=tuple(name for column in ("partuuid", "partlabel") if (name := _text(columns.get(column)))),
        part_number=_positive(columns.get("partn")) or _number_of(kernel),
        parent=_device_name(columns.get("pkname")),
        mountpoints=_mountpoints(columns),
        children=children,
    )


def _number_of(kname: str) -> int | None:
    """Return the number of a partition by its kernel name; None for what is none."""
    digits = re.search(r"\d{1,3}\Z", kname) if _PARTITION.match(kname) else None
    return int(digits.group()) if digits else None


def infer_type(kname: str) -> str | None:
    """Return lsblk's TYPE word as far as the kernel name alone tells it."""
    if _PARTITION.match(kname):
        return "part"
    if _DISK.match(kname):
        return "disk"
    for pattern, kind in ((r"loop\d+$", "loop"), (r"sr\d+$", "rom"), (r"md[\d_]", "md"), (r"dm-\d+$", "dm")):
        if re.match(pattern, kname):
            return kind
    return None


def parent_by_name(kname: str) -> str | None:
    """Return the disk a partition's kernel name belongs to: sda for sda1, nvme0n1 for nvme0n1p2; None for others."""
    match = _PARENT.match(kname) if _PARTITION.match(kname) else None
    return (match.group(1) or match.group(2)) if match else None


def _device_name(value: object) -> str | None:
    text = _text(value)
    if text is None:
        return None
    for prefix in ("/dev/mapper/", "/dev/"):
        if text.startswith(prefix) and len(text) > len(prefix):
            return text.removeprefix(prefix).replace("/", "!")
    return text


def _default_path(kernel: str, shown: str, kind: str | None) -> str:
    if kind in {"mpath", "crypt", "lvm", "dm"} and not shown.startswith("dm-"):
        return f"/dev/mapper/{shown}"
    return "/dev/" + kernel.replace("!", "/")


def _text(value: object) -> str | None:
    if isinstance(value, bool) or value is None or isinstance(value, (list, dict)):
        return None
    text = value if isinstance(value, str) else str(value)[:64]
    return unescape(text).strip() or None


def unescape(text: str) -> str:
    r"""Return ``text`` with lsblk's ``\xHH`` escapes undone."""

    def decode(match: re.Match[str]) -> str:
        return bytes.fromhex(match.group().replace("\\x", "")).decode("utf-8", "replace")

    return _ESCAPE.sub(decode, text) if "\\x" in text else text


def _number(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if math.isfinite(value) and value == int(value) else None
    if isinstance(value, str):
        text = value.strip()
        return int(text) if _EXACT.match(text) and text.isascii() and len(text) <= _MOST_DIGITS else None
    return None


def _positive(value: object) -> int | None:
    number = _number(value)
    return number if number is not None and 0 < number < 1 << 32 else None


def _flag(value: object) -> bool | None:
    if isinstance(value, bool):
        return value
    return {"1": True, "0": False, "true": True, "false": False}.get(str(value).strip().lower())


def _size(value: object) -> tuple[int | None, str | None]:
    """Return the size in bytes and, when it was printed rounded, its text."""
    number = _number(value)
    if number is not None:
        return (number, None) if 0 <= number < 1 << 63 else (None, None)
    text = _text(value)
    if text is None or not text.isascii() or len(text) > _MOST_DIGITS:
        return None, None
    if re.fullmatch(r"0+(?:[.,]0+)?\s*[BKMGTPE]?", text):
        return 0, None
    try:
        # lsblk's letters count in 1024s, with or without the B.
        return parse_size(re.sub(r"(?<=[KMGTPE])i?B$", "", text)), text
    except UserError:
        return None, None


def _mountpoints(columns: Columns) -> tuple[str, ...]:
    found: list[str] = []
    for key in ("mountpoints", "mountpoint"):
        value = columns.get(key)
        items: Sequence[object] = value if isinstance(value, (list, tuple)) else str(value or "").split("\n")
        for item in items:
            text = _text(item)
            if text is not None and text not in found:
                found.append(text)
    return tuple(found)
