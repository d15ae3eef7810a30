"""One block device as lsblk printed it, whatever the output form, with typed columns; and the forms that are text."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice, pairwise
from typing import Any

from poolwright.domain.disk import Use, UseKind, is_placeholder
from poolwright.domain.errors import UserError
from poolwright.domain.units import parse_size
from poolwright.machine.json_values import PROMPT, damaged, integer, nested
from poolwright.shipped import shipped
from poolwright.texts import N_, _, ngettext

Columns = Mapping[str, object]

RERUN = N_("Run: lsblk -J -b -O")
_ESCAPE = re.compile(r"(?:\\x[0-9a-fA-F]{2})+")
_PARTITION = re.compile(
    r"^(?:(?:sd|vd|xvd|hd|dasd|ub)[a-z]+\d+|(?:nvme\d+n\d+|mmcblk\d+|md\d+|md_\w+|loop\d+|nbd\d+|zd\d+|cciss!c\d+d\d+)p\d+)$"
)
_DISK = re.compile(
    r"^(?:(?:sd|vd|xvd|hd|dasd|ub)[a-z]+|nvme\d+(?:c\d+)?n\d+|mmcblk\d+(?:boot\d+|rpmb)?|pmem\d+[a-z]?|cciss!c\d+d\d+"
    r"|zd\d+|nbd\d+|rbd\d+|drbd\d+|bcache\d+|zram\d+|ram\d+|fio[a-z]+|rssd[a-z]+)$"
)
_PARENT = re.compile(r"^(.*?\d)p\d+$|^([a-z]+?)\d+$")
# The most digits a real byte count has; longer ones are damage, and slow to convert.
_MOST_DIGITS = 20
_FLAGS = {"rotational": "rota", "removable": "rm", "read_only": "ro"}


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
    return heading.strip().lower().replace("_", "-")


def make_node(columns: Columns, children: tuple[BlockNode, ...] = ()) -> BlockNode | None:
    """Return the device that one row or one JSON object describes; None when it names none."""
    name, kname = _device_name(columns.get("name")), _device_name(columns.get("kname"))
    path, wwn = _text(columns.get("path")), _text(columns.get("wwn"))
    if name is None and kname is None and path is None:
        return None
    kernel = kname or name or _device_name(path) or ""
    shown = name or kernel
    kind = _text(columns.get("type")) or infer_type(kernel)
    mapped = kind in {"mpath", "crypt", "lvm", "dm"} and not shown.startswith("dm-")
    digits = re.search(r"\d{1,3}\Z", kernel) if _PARTITION.match(kernel) else None
    size, rounded = _size(columns.get("size"))
    plain: dict[str, Any] = {field: _text(columns.get(column)) for field, column in shipped("lsblk")["words"].items()}
    plain |= {field: _flag(columns.get(column)) for field, column in _FLAGS.items()}
    return BlockNode(
        kname=kernel,
        name=shown,
        path=path or (f"/dev/mapper/{shown}" if mapped else f"/dev/{(kname or shown).replace('!', '/')}"),
        type=kind,
        columns=frozenset(columns),
        size_bytes=size,
        size_text=rounded,
        logical_sector_bytes=_positive(columns.get("log-sec")),
        physical_sector_bytes=_positive(columns.get("phy-sec")),
        wwn=None if is_placeholder(wwn or "") else wwn,
        table=_text(columns.get("pttype")) or _text(columns.get("ptttype")),
        part_names=tuple(name for column in ("partuuid", "partlabel") if (name := _text(columns.get(column)))),
        part_number=_positive(columns.get("partn")) or (int(digits[0]) if digits else None),
        parent=_device_name(columns.get("pkname")),
        mountpoints=_mountpoints(columns),
        children=children,
        **plain,
    )


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


def _text(value: object) -> str | None:
    if isinstance(value, bool) or value is None or isinstance(value, (list, dict)):
        return None
    text = value if isinstance(value, str) else str(value)[:64]
    return unescape(text).strip() or None


def unescape(text: str) -> str:

    def decode(match: re.Match[str]) -> str:
        return bytes.fromhex(match.group().replace("\\x", "")).decode("utf-8", "replace")

    return _ESCAPE.sub(decode, text) if "\\x" in text else text


def _positive(value: object) -> int | None:
    number = integer(value)
    return number if number is not None and 0 < number < 1 << 32 else None


def _flag(value: object) -> bool | None:
    return {"1": True, "0": False, "true": True, "false": False}.get(str(value).strip().lower())


def _size(value: object) -> tuple[int | None, str | None]:
    number = integer(value)
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
    values = [columns.get(key) for key in ("mountpoints", "mountpoint")]
    items = (item for v in values for item in (v if isinstance(v, (list, tuple)) else str(v or "").split("\n")))
    return tuple(dict.fromkeys(text for item in items if (text := _text(item)) is not None))


# What a disk is used for, read from everything that lies on it.

_BOOT_MOUNTS = frozenset({"/", "/boot", "/boot/efi", "/efi", "/boot/firmware", "/sysroot"})
_SIGNATURES = {
    "LVM1_member": UseKind.LVM, "LVM2_member": UseKind.LVM, "crypto_LUKS": UseKind.LUKS,
    "mpath_member": UseKind.MULTIPATH, "bcache": UseKind.CACHE_LAYER, "bcachefs": UseKind.CACHE_LAYER,
    "DM_snapshot_cow": UseKind.HOLDER, "drbd": UseKind.HOLDER, "vdo": UseKind.HOLDER, "ceph_bluestore": UseKind.HOLDER,
}  # fmt: skip
_CUTTABLE = ("zfs_member", "linux_raid_member", "isw_raid_member", *_SIGNATURES)
_SHORTEST_CUT = 4
_TYPES = {"lvm": UseKind.LVM, "crypt": UseKind.LUKS, "mpath": UseKind.MULTIPATH, "md": UseKind.MD, "linear": UseKind.MD}


def uses_of(disk: BlockNode) -> tuple[Use, ...]:
    """Return every reason why ``disk`` is not free, the weightiest first.

    A path of a multipath device says only that: the rest is said of the multipath device. A `zfs_member` signature
    gives ``UseKind.POOL`` with the pool's name as far as lsblk shows it (LABEL); whether that pool is imported is
    not known here.
    """
    if any(child.type == "mpath" for child in disk.children) or disk.fstype == "mpath_member":
        names = sorted({child.name for child in disk.children if child.type == "mpath"})
        return (Use(kind=UseKind.MULTIPATH, detail=", ".join(names)),)
    uses = [use for node in walk(disk) for use in _uses_of_node(node)]
    uses.extend(_partitioned(disk))
    if disk.read_only:
        uses.append(Use(kind=UseKind.READ_ONLY, detail=_("the kernel refuses writes")))
    return tuple(sorted(_merged(uses), key=lambda use: tuple(UseKind).index(use.kind)))


def walk(node: BlockNode) -> Iterator[BlockNode]:
    yield node
    for child in node.children:
        yield from walk(child)


def _uses_of_node(node: BlockNode) -> Iterator[Use]:
    for mount in node.mountpoints:
        if mount == "[SWAP]":
            yield Use(kind=UseKind.SWAP, detail=node.name)
        else:
            yield Use(kind=UseKind.BOOT if mount in _BOOT_MOUNTS else UseKind.MOUNTED, detail=mount)
    signature = _signature(node)
    if signature is not None:
        yield signature
    for child in node.children:
        held = _held_by(child, node)
        if held is not None:
            yield held


def _signature(node: BlockNode) -> Use | None:
    fstype = node.fstype
    if fstype is None:
        return None
    if fstype not in _SIGNATURES and len(fstype) >= _SHORTEST_CUT:  # in a narrow terminal `lsblk -f` cuts it: zfs_me
        fstype = next((name for name in _CUTTABLE if name.startswith(fstype)), fstype)
    if fstype == "zfs_member":
        return Use(kind=UseKind.POOL, detail=node.label or "")
    if fstype.endswith("_raid_member"):
        return Use(kind=UseKind.MD, detail="" if node.children else node.label or fstype)
    kind = _SIGNATURES.get(fstype)
    if kind is not None:
        detail = "" if node.children else node.label or (fstype if kind is UseKind.CACHE_LAYER else node.name)
        return Use(kind=kind, detail=detail if kind is not UseKind.HOLDER else fstype)
    if node.mountpoints:
        return None
    if fstype == "swap":
        return Use(kind=UseKind.SWAP, detail=_("{name}, not active", name=node.name))
    named = f" “{node.label}”" if node.label else ""
    return Use(kind=UseKind.FILESYSTEM, detail=f"{fstype}{named} on {node.name}")


def _held_by(child: BlockNode, node: BlockNode) -> Use | None:
    kind = child.type
    if kind == "part":
        return None
    if kind is None:
        # Without the TYPE column, the signature below tells what the device above is.
        signature = _signature(node)
        return Use(kind=UseKind.HOLDER if signature is None else signature.kind, detail=child.name)
    if kind in _TYPES:
        return Use(kind=_TYPES[kind], detail=child.name)
    if kind.startswith("raid"):
        return Use(kind=UseKind.MD, detail=child.name)
    if child.kname.startswith("bcache"):
        return Use(kind=UseKind.CACHE_LAYER, detail=child.name)
    return Use(kind=UseKind.HOLDER, detail=child.name)


def _partitioned(disk: BlockNode) -> Iterator[Use]:
    count = sum(child.type == "part" for child in disk.children)
    if count:
        parts = ngettext("{count} partition", "{count} partitions", count)
        yield Use(kind=UseKind.PARTITIONED, detail=f"{parts}, {disk.table}" if disk.table else parts)
    elif disk.table:
        yield Use(kind=UseKind.PARTITIONED, detail=_("empty {table} partition table", table=disk.table))


def _merged(uses: list[Use]) -> list[Use]:
    """Drop repeats, and a reason without detail where the same reason with detail is there."""
    detailed = {use.kind for use in uses if use.detail}
    return [use for use in dict.fromkeys(uses) if use.detail or use.kind not in detailed]


# The text output of lsblk: table with or without tree, list, raw, or KEY="value" pairs.

_NAMES = frozenset({"name", "kname", "path"})
# Cut in the wrong place, these would make a disk that is in use look free.
_WEIGHTY = frozenset({"size", "type", "fstype", "mountpoint", "mountpoints"})
_PAIR = re.compile(r'([A-Z][A-Z0-9:_%-]*)="((?:[^"\\]|\\.)*)"')
_TREE = re.compile(r"[\s|`+'├└│─┬┌┈▶┆╰╭>-]*")
_DRAWN = " |`├└│"
# What is left of the drawing when UTF-8 was read as Latin-1 or Windows-1252.
_GARBLED = (("â”œâ”€", "├─"), ("â””â”€", "└─"), ("â”‚", "│"), ("\xe2\x94\x9c\xe2\x94\x80", "├─"),
            ("\xe2\x94\x94\xe2\x94\x80", "└─"), ("\xe2\x94\x82", "│"))  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Column:
    key: str
    start: int
    end: int


def read_text_nodes(text: str) -> tuple[BlockNode, ...]:
    """Return the devices, nested where a tree is drawn. Raises UserError when there is no table to read."""
    lines = text.expandtabs().splitlines()
    if any(_PAIR.match(line.strip()) for line in lines):
        return _pairs(lines)
    for garbled, drawn in _GARBLED:
        lines = [line.replace(garbled, drawn) for line in lines]
    nodes: list[BlockNode] = []
    found = False
    for position, line in enumerate(lines):
        header = _header(line)
        if header is None:
            continue
        found = True
        body = _body(islice(lines, position + 1, None))
        if len(header) == 1 and body and (further := _headings(body[0])) is not None:
            # The heading is wrapped too: NAME alone, the rest on the next line.
            header, body = header + further, body[1:]
        nodes.extend(nested(_table(header, body), lambda node, below: replace(node, children=tuple(below))))
    if not found:
        raise UserError(_("This is not lsblk output: there is no heading line with NAME"), todo=_(RERUN))
    return tuple(nodes)


@cache
def _aligned_to(side: str) -> frozenset[str]:
    return frozenset(shipped("lsblk")["columns"][side].split())


def _headings(line: str) -> tuple[_Column, ...] | None:
    columns = tuple(
        _Column(column_key(m.group()), m.start(), m.end()) for m in re.finditer(r"\S+", line) if m.group().isupper()
    )
    if not columns or len(columns) != len(line.split()):
        return None
    known = {column.key for column in columns} & (_aligned_to("left") | _aligned_to("right"))
    return columns if 2 * len(known) >= len(columns) else None


def _header(line: str) -> tuple[_Column, ...] | None:
    columns = _headings(line)
    return columns if columns is not None and _NAMES & {column.key for column in columns} else None


def _body(lines: Iterable[str]) -> list[str]:
    body: list[str] = []
    for line in lines:
        if not line.strip() or _header(line) or PROMPT.match(line) or line.startswith("lsblk: "):
            break
        body.append(line)
    return body


def _table(columns: tuple[_Column, ...], body: list[str]) -> list[tuple[int, BlockNode]]:
    loose = all(right.start - left.end == 1 for left, right in pairwise(columns))
    whole = [line for line in body if not _name_alone(columns, line)]
    raw = loose and not all(_aligned(columns, line) for line in whole)
    if raw:
        lost = whole if any(line[0] in _DRAWN for line in body) or _squeezed(columns, whole) else []
    else:
        weighty = tuple(column for column in columns if column.key in _WEIGHTY)
        lost = [line for line in whole if not _aligned(weighty, line)]
    if lost:
        words = _("This lsblk table lost its columns and is not read: “{line}”", line=lost[0].strip()[:60])
        raise UserError(words, todo=_(RERUN))
    found: list[tuple[int, dict[str, str]]] = []
    for line in body:
        if raw:  # it separates by exactly one space, so that an empty cell leaves two
            found.append((0, {column.key: value for column, value in zip(columns, line.split(" "), strict=False)}))
            continue
        cells = {"name": line} if _name_alone(columns, line) else _cells(columns, line)
        depth = _undraw(cells)
        if found and not any(cells.get(key, "").strip() for key in _NAMES):
            _continue(found[-1][1], cells)
        else:
            found.append((depth, dict.fromkeys((column.key for column in columns), "") | cells))
    nodes = (make_node({key: unescape(value.strip()) for key, value in cells.items()}) for __, cells in found)
    return [(depth, node) for (depth, __), node in zip(found, nodes, strict=True) if node is not None]


def _squeezed(columns: tuple[_Column, ...], lines: Sequence[str]) -> bool:
    """Tell whether runs of blanks were made one: raw output has two where a cell is empty, and one at the end."""
    short = [line for line in lines if len(line.split()) < len(columns)]
    return bool(short) and not any("  " in line.strip() or line.endswith(" ") for line in short)


def _name_alone(columns: tuple[_Column, ...], line: str) -> bool:
    """Tell whether the line has nothing but a name: `lsblk -f` wraps long names in a narrow terminal."""
    prefix = _TREE.match(line)
    rest = line[prefix.end() if prefix else 0 :].split()
    return columns[0].key == "name" and len(rest) == 1 and line.rstrip().find(rest[0]) < columns[0].end


def _undraw(cells: dict[str, str]) -> int:
    """Return how deep the drawing before a name puts it, which is taken away; blanks alone are how it was pasted."""
    depth = 0
    for key in ("name", "path", "kname"):
        drawn = cells.get(key, "")
        prefix = _TREE.match(drawn)
        if prefix is not None and prefix.group().strip():
            depth = max(depth, (len(prefix.group()) + 1) // 2)
            cells[key] = drawn[prefix.end() :]
    return depth


def _continue(row: dict[str, str], more: dict[str, str]) -> None:
    """Add a further line to a row: one more mount point, or the cells that follow a name that was too long."""
    for key, value in more.items():
        if value.strip() and key in {"mountpoint", "mountpoints"}:
            row[key] = f"{row.get(key, '').strip()}\n{value.strip()}"
        elif not row.get(key, "").strip():
            row[key] = value


def _aligned(columns: tuple[_Column, ...], line: str) -> bool:
    for column in columns:
        if column.key in _aligned_to("right"):
            if line[column.end : column.end + 1].strip():
                return False
        elif column.start and line[column.start - 1 : column.start].strip():
            return False
    return True


def _cells(columns: tuple[_Column, ...], line: str) -> dict[str, str]:
    """Return the cells by position: numbers end where their heading ends, the rest start where it starts."""
    cells: dict[str, str] = {}
    until = len(line)
    for column in reversed(columns):
        right = column.key in _aligned_to("right")
        start = _start_of_run(line, column) if right else column.start
        cells[column.key] = line[start : column.end if right else until]
        until = min(until, start)
    return dict(reversed(cells.items()))


def _start_of_run(line: str, column: _Column) -> int:
    """Return where the word that stands under a right-aligned heading begins; it may be wider than the heading."""
    inside = line[column.start : column.end]
    start = column.start + len(inside) - len(inside.lstrip())
    if not inside.strip():
        return column.end
    while start > 0 and not line[start - 1].isspace():
        start -= 1
    return start


def _pairs(lines: list[str]) -> tuple[BlockNode, ...]:
    nodes: list[BlockNode] = []
    for number, line in enumerate(lines, 1):
        if not _PAIR.match(line.strip()):
            continue
        rest = _PAIR.sub("", line)
        if '="' in rest:
            raise damaged("lsblk -J -b -O", _("line {line}", line=number))
        node = make_node({column_key(m.group(1)): unescape(m.group(2)) for m in _PAIR.finditer(line)})
        if node is not None:
            nodes.append(node)
    return tuple(nodes)
