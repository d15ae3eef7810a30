"""The tree of a pool out of the lines of `zpool list -v`, which has all vdevs and their states but no errors."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from poolwright.domain.pool import STANDING_IN, PoolNode
from poolwright.machine.zpool.status_text import kind_of

_DEEPEST = 64
_LEAVES = frozenset({"disk", "file", "dspare"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedLine:
    """A line of a vdev or device. ``indent`` is None with -H, which puts all of them behind one tab.

    ``allocated`` False: the line has no ALLOC, as that of a member of a group.
    """

    name: str
    section: str
    indent: int | None
    state: str | None
    allocated: bool


def tree_of_lines(lines: Sequence[ListedLine]) -> tuple[PoolNode, ...]:
    """Return the top-level vdevs. Groups of one name, as releases up to 2.0 print them, are numbered in brackets."""
    nodes: list[PoolNode] = []
    reader = _Raw(lines) if any(line.indent is None for line in lines) else _Indented(lines)
    while reader.position < len(lines):
        nodes.append(reader.top())
    return _told_apart(nodes)


class _Indented:
    """Reads lines whose indentation says what lies in what."""

    def __init__(self, lines: Sequence[ListedLine]) -> None:
        self._lines = lines
        self.position = 0

    def top(self) -> PoolNode:
        return self._node(0)

    def _node(self, depth: int) -> PoolNode:
        line, children = self._lines[self.position], list[PoolNode]()
        self.position += 1
        while depth < _DEEPEST and self._below(line):
            children.append(self._node(depth + 1))
        return _node(line, children)

    def _below(self, above: ListedLine) -> bool:
        line = self._lines[self.position] if self.position < len(self._lines) else None
        return line is not None and line.section == above.section and (line.indent or 0) > (above.indent or 0)


class _Raw:
    """Reads lines that are not indented: a device without ALLOC belongs to the group above it."""

    def __init__(self, lines: Sequence[ListedLine]) -> None:
        self._lines = lines
        self.position = 0
        self._standing_in = {line.name for line in lines if line.section == "spares" and line.state == "INUSE"}

    def top(self) -> PoolNode:
        line, children = self._lines[self.position], list[PoolNode]()
        self.position += 1
        if line.section != "spares" and _word(line) not in _LEAVES:
            while self._is_member(line.section):
                children.append(self._seat(0))
        return _node(line, children)

    def _is_member(self, section: str) -> bool:
        line = self._next()
        if line is None or line.section != section or line.allocated:
            return False
        return _word(line) in _LEAVES or _word(line) in STANDING_IN

    def _seat(self, depth: int) -> PoolNode:
        """Return what takes one place: a device, or a group of it and of what stands in for it."""
        line, children = self._lines[self.position], list[PoolNode]()
        self.position += 1
        if _word(line) in STANDING_IN and depth < _DEEPEST:
            while self._is_member(line.section) and (not children or self._stands_in(line, children)):
                children.append(self._seat(depth + 1))
        return _node(line, children)

    def _stands_in(self, group: ListedLine, children: Sequence[PoolNode]) -> bool:
        line = self._next()
        return len(children) < 2 if _word(group) == "replacing" else line is not None and line.name in self._standing_in

    def _next(self) -> ListedLine | None:
        return self._lines[self.position] if self.position < len(self._lines) else None


def _word(line: ListedLine) -> str:
    return kind_of(line.name, has_children=False)


def _node(line: ListedLine, children: Sequence[PoolNode]) -> PoolNode:
    return PoolNode(
        name=line.name,
        kind=kind_of(line.name, has_children=bool(children)),
        section=line.section,
        state=line.state,
        path=line.name if line.name.startswith("/") else None,
        children=tuple(children),
    )


def _told_apart(nodes: Sequence[PoolNode]) -> tuple[PoolNode, ...]:
    """Number the groups that bear one name; which number `zpool status` gives them is not known."""
    names = [node.name for node in nodes if node.children]
    found, seen = [], dict[str, int]()
    for node in nodes:
        if not node.children or names.count(node.name) == 1:
            found.append(node)
            continue
        seen[node.name] = seen.get(node.name, 0) + 1
        found.append(replace(node, name=f"{node.name} ({seen[node.name]})"))
    return tuple(found)
