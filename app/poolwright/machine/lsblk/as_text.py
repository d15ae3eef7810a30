"""The devices in lsblk's text output: table with or without tree, list, raw, or KEY="value" pairs."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice, pairwise

from poolwright.domain.errors import UserError
from poolwright.machine.json_values import damaged, nested
from poolwright.machine.lsblk.node import RERUN, BlockNode, column_key, make_node, unescape
from poolwright.shipped import shipped
from poolwright.texts import _

_NAMES = frozenset({"name", "kname", "path"})
# Cut in the wrong place, these would make a disk that is in use look free.
_WEIGHTY = frozenset({"size", "type", "fstype", "mountpoint", "mountpoints"})
_PAIR = re.compile(r'([A-Z][A-Z0-9:_%-]*)="((?:[^"\\]|\\.)*)"')
_TREE = re.compile(r"[\s|`+'├└│─┬┌┈▶┆╰╭>-]*")
_DRAWN = " |`├└│"
# What is left of the drawing when UTF-8 was read as Latin-1 or Windows-1252.
_GARBLED = (("â”œâ”€", "├─"), ("â””â”€", "└─"), ("â”‚", "│"), ("\xe2\x94\x9c\xe2\x94\x80", "├─"),
            ("\xe2\x94\x94\xe2\x94\x80", "└─"), ("\xe2\x94\x82", "│"))  # fmt: skip
_PROMPT = re.compile(r"^\[?[\w.-]+@[\w.-]+[: ~].*[#$%](\s|$)|^[#$%>](\s|$)")


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
        nodes.extend(_tree(_table(header, body)))
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
        if not line.strip() or _header(line) or _PROMPT.match(line) or line.startswith("lsblk: "):
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
        if raw:
            found.append((0, _raw_cells(columns, line)))
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


def _depth(drawn: str) -> int:
    """Return how deep the drawing before a name puts it; blanks alone are how the text was pasted."""
    return (len(drawn) + 1) // 2 if drawn.strip() else 0


def _name_alone(columns: tuple[_Column, ...], line: str) -> bool:
    """Tell whether the line has nothing but a name: `lsblk -f` wraps long names in a narrow terminal."""
    prefix = _TREE.match(line)
    rest = line[prefix.end() if prefix else 0 :].split()
    return columns[0].key == "name" and len(rest) == 1 and line.rstrip().find(rest[0]) < columns[0].end


def _undraw(cells: dict[str, str]) -> int:
    depth = 0
    for key in ("name", "path", "kname"):
        drawn = cells.get(key, "")
        prefix = _TREE.match(drawn)
        if prefix is not None and prefix.group().strip():
            depth = max(depth, _depth(prefix.group()))
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


def _raw_cells(columns: tuple[_Column, ...], line: str) -> dict[str, str]:
    # Raw output separates by exactly one space, so that an empty cell leaves two.
    values = line.split(" ")
    return {column.key: value for column, value in zip(columns, values, strict=False)}


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


def _tree(rows: list[tuple[int, BlockNode]]) -> list[BlockNode]:
    return nested(rows, lambda node, below: replace(node, children=tuple(below)))


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
