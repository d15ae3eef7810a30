"""Which device lies on which, where lsblk did not draw it: lists, inverse trees."""

from dataclasses import fields, replace

from poolwright.machine.lsblk.node import BlockNode, parent_by_name

# Types that stand alone in a list, or whose disk their name tells.
_ALONE = frozenset({None, "disk", "loop", "rom", "part"})
# Deeper than any real stack; bounds what damaged input can build.
_DEEPEST = 64


def as_tree(nodes: tuple[BlockNode, ...]) -> tuple[tuple[BlockNode, ...], tuple[str, ...]]:
    """Return the devices with what lies on them below them, and the names of those whose place is unknown.

    A list (`-l`, `-r`, `-P`) is nested by its PKNAME column, else by the names of partitions; other devices in such
    a list are put under the disk they follow, because lsblk walks disk by disk, and are reported as uncertain.
    The inverse tree of `-s` is turned over.
    """
    if not any(node.children for node in nodes):
        return _nest(nodes)
    if any(_inverse(node) for node in nodes):
        return _turned_over(nodes), ()
    return nodes, ()


def merged(nodes: tuple[BlockNode, ...]) -> tuple[BlockNode, ...]:
    """Return the devices with those named twice made one, as when `lsblk` and `lsblk -f` are kept in one file."""
    found: dict[str, BlockNode] = {}
    for node in nodes:
        known = found.get(node.kname)
        found[node.kname] = node if known is None else _united(known, node)
    return tuple(replace(node, children=merged(node.children)) if node.children else node for node in found.values())


def _united(one: BlockNode, other: BlockNode) -> BlockNode:
    empty = {f.name: getattr(other, f.name) for f in fields(one) if getattr(one, f.name) in (None, ())}
    united = replace(one, **empty)
    if one.size_text is not None and other.size_bytes is not None and other.size_text is None:
        united = replace(united, size_bytes=other.size_bytes, size_text=None)
    elif one.size_bytes is not None:
        united = replace(united, size_text=one.size_text)
    return replace(
        united,
        columns=one.columns | other.columns,
        mountpoints=tuple(dict.fromkeys(one.mountpoints + other.mountpoints)),
        children=one.children + other.children,
    )


def _inverse(node: BlockNode) -> bool:
    if node.type != "disk" and any(child.type == "disk" and not _stacked(child) for child in node.children):
        return True
    return any(_inverse(child) for child in node.children)


def _stacked(node: BlockNode) -> bool:
    """Tell whether a device of type disk is made of others: bcache and drbd are."""
    return node.kname.startswith(("bcache", "drbd", "zd", "nbd", "rbd"))


def _turned_over(nodes: tuple[BlockNode, ...]) -> tuple[BlockNode, ...]:
    known: dict[str, BlockNode] = {}
    above: dict[str, list[str]] = {}

    def walk(node: BlockNode, user: str | None) -> None:
        known.setdefault(node.kname, node)
        users = above.setdefault(node.kname, [])
        if user is not None and user not in users:
            users.append(user)
        for child in node.children:
            walk(child, node.kname)

    for node in nodes:
        walk(node, None)

    def build(kname: str, seen: frozenset[str]) -> BlockNode:
        children = tuple(build(user, seen | {kname}) for user in above[kname] if user not in seen and user != kname)
        return replace(known[kname], children=children)

    used = {user for users in above.values() for user in users}
    return tuple(build(kname, frozenset()) for kname in known if kname not in used)


def _nest(nodes: tuple[BlockNode, ...]) -> tuple[tuple[BlockNode, ...], tuple[str, ...]]:
    index: dict[str, int] = {}
    for position, node in enumerate(nodes):
        for name in (node.name, node.kname):
            index.setdefault(name, position)
    parents: list[int | None] = []
    uncertain: list[str] = []
    disk: int | None = None
    for position, node in enumerate(nodes):
        parent = _parent(node, index)
        if parent is None and node.type == "disk" and not _stacked(node):
            disk = position
        elif parent is None and node.type not in _ALONE and "pkname" not in node.columns:
            uncertain.append(node.name)
            parent = disk
        parents.append(None if parent == position or _cycle(parents, position, parent) else parent)
    children: dict[int, list[int]] = {}
    for position, parent in enumerate(parents):
        if parent is not None:
            children.setdefault(parent, []).append(position)

    def build(position: int, depth: int) -> BlockNode:
        below = tuple(build(child, depth + 1) for child in children.get(position, ()) if depth < _DEEPEST)
        return replace(nodes[position], children=below) if below else nodes[position]

    return tuple(build(p, 0) for p, parent in enumerate(parents) if parent is None), tuple(dict.fromkeys(uncertain))


def _parent(node: BlockNode, index: dict[str, int]) -> int | None:
    if node.parent is not None:
        return index.get(node.parent)
    if node.type == "part":
        above = parent_by_name(node.kname)
        return index.get(above) if above is not None else None
    return None


def _cycle(parents: list[int | None], position: int, parent: int | None) -> bool:
    """Tell whether hanging ``position`` under ``parent`` would close a circle or a chain deeper than any real one."""
    for _ in range(_DEEPEST):
        if parent is None or parent > len(parents):
            return False
        if parent == position:
            return True
        parent = parents[parent] if parent < len(parents) else None
    return True
