"""The devices in `lsblk -J` output of any version, column subset and surroundings."""

import re

from poolwright.domain.command import Reading
from poolwright.machine.lsblk.node import BlockNode, column_key, make_node
from poolwright.machine.picking import damaged, decoded, is_json, json_start, nothing_of

_START = re.compile(r"\{\s*\"blockdevices\"")
_BAD_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\x([0-9a-fA-F]{2})")
_DEEPEST = 64
_DEVICES_PER_STEP = 50


def looks_like_json(text: str) -> bool:
    return '"blockdevices"' in text or is_json(text)


def read_json_nodes_in_steps(text: str) -> Reading[tuple[BlockNode, ...]]:
    """Return the devices as printed, nested as printed; yields now and then.

    Text before and after the JSON (a prompt, a log line) is passed over; several documents are read as one.
    Raises UserError when the JSON is cut off, damaged or not from lsblk.
    """
    # Versions before 2.34 wrote \xHH into JSON, which JSON does not know; `make_node` reads the bytes.
    if "\\x" in text:
        text = _BAD_ESCAPE.sub(r"\1\\\\x\2", text)
    nodes: list[BlockNode] = []
    end = -1
    for start in [match.start() for match in _START.finditer(text)] or [json_start(text)]:
        if start >= end:
            document, end = decoded(text, start, tool="lsblk -J -b -O")
            yield ()
            nodes.extend((yield from _devices_of(document)))
    return tuple(nodes)


def _devices_of(document: object) -> Reading[tuple[BlockNode, ...]]:
    devices = document.get("blockdevices") if isinstance(document, dict) else document
    if not isinstance(devices, list) or not all(isinstance(item, dict) for item in devices):
        raise nothing_of("lsblk", "", "lsblk -J -b -O")
    if devices and isinstance(document, list) and not any(_names_a_device(item) for item in devices):
        raise nothing_of("lsblk", "", "lsblk -J -b -O")
    nodes: list[BlockNode] = []
    for first in range(0, len(devices), _DEVICES_PER_STEP):
        nodes.extend(_nodes(devices[first : first + _DEVICES_PER_STEP], 0))
        yield ()
    return tuple(nodes)


def _names_a_device(item: object) -> bool:
    return isinstance(item, dict) and any(isinstance(item.get(key), str) for key in ("name", "kname", "path"))


def _nodes(items: list[object], depth: int) -> tuple[BlockNode, ...]:
    if depth > _DEEPEST:
        raise damaged("lsblk -J -b -O")
    nodes: list[BlockNode] = []
    for item in items:
        if not isinstance(item, dict):
            continue
        below = item.get("children")
        children = _nodes(below, depth + 1) if isinstance(below, list) else ()
        columns = {column_key(str(key)): value for key, value in item.items() if key != "children"}
        node = make_node(columns, children)
        if node is not None:
            nodes.append(node)
    return tuple(nodes)
