"""`zpool status` and `zpool import`, text (0.6 to 2.4) or JSON (2.3 on: nested or flat, numbers as strings too)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import groupby

from poolwright.domain.errors import UserError
from poolwright.domain.pool import STANDING_IN, USABLE, Pool, PoolNode, printed_number
from poolwright.machine.json_values import PROMPT, child, integer, is_json, members, nested, nothing_of, parse_json
from poolwright.shipped import shipped
from poolwright.texts import _

_NONE = re.compile(r"^[ \t]*no pools available( to import)?[ \t]*$", re.MULTILINE)
_HEALTHY = re.compile(r"^[ \t]*(all pools are healthy|pool '.*' is healthy)[ \t]*$", re.MULTILINE)


def read_zpool_status(text: str) -> tuple[Pool, ...]:
    """Return the pools in the output of `zpool status`, with any of -P -v -D -i -s -t -x -j.

    Pure. “no pools available” and “all pools are healthy” give an empty tuple; see `lists_every_pool`. JSON may be
    nested or flat, with numbers as strings or integers, keyed by name or guid. Raises UserError for anything else.
    """
    text = clean(text)
    if is_json(text):
        return _json_pools(text)
    pools = read_pools(text, importable=False)
    if not pools and not _NONE.search(text) and not _HEALTHY.search(text):
        raise not_pools(text, "zpool status")
    return pools


def lists_every_pool(text: str) -> bool:
    """Tell whether the output may be all imported pools: `zpool status -x` says of healthy ones only that they are."""
    return _HEALTHY.search(text) is None


def clean(text: str) -> str:
    """Return ``text`` without byte-order mark, carriage returns and NULs; raises UserError when nothing is left."""
    text = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    if not text.strip():
        raise nothing_of("zpool", "", "zpool status -P")
    return text


def not_pools(text: str, command: str) -> UserError:
    """Return what to tell a person about text in which no pool is described."""
    failed = next((entry["why"] for entry in shipped("zpool")["failure"] if re.search(entry["said"], text)), None)
    if failed is None:
        return nothing_of(command, "", command)
    said = next(line.strip() for line in text.splitlines() if line.strip())[:200]
    todo = _("Run as root: {command}", command=command)
    return UserError(_(failed), where=_("It said: {said}", said=said), todo=todo)


def read_zpool_import(text: str) -> tuple[Pool, ...]:
    """Return the pools listed, each ``importable`` and with its guid; empty for “no pools available to import”.

    The list has no error counts, so these are None. Pure. Raises UserError when the text is something else.
    """
    text = clean(text)
    pools = read_pools(text, importable=True)
    none = _NONE.search(text)
    if not pools and not (none and none[1]):
        raise not_pools(text, "zpool import")
    return pools


# The grammar that both texts share: headed paragraphs and a config tree.

_KEY = re.compile(
    r"^\s{0,12}(pool|id|state|status|action|see|comment|scan|scrub|remove|expand|checkpoint|config|errors|dedup|msgid|"
    r"hostid|hostname|compatibility|prune|trim):(?:\s++(.*))?$"
)
_ROW = re.compile(r"^(\s*+)(\S++)(?:\s++(\S.*))?$")
_STATE = re.compile(r"[A-Z]{4,}$")
_BEHIND_SPACES = re.compile(r"(?<=\S)  ++(?=[A-Z]{4,}(?: |$))")
_COUNT = re.compile(r"(\d+(?:[.,]\d+)?)([KMGTPE]?)$")
_GROUP = re.compile(r"(mirror|raidz[1-3]?|spare|replacing|indirect|missing|hole|root)(?:-\d+)?$")
_DRAID = re.compile(r"(draid[1-3]?(?::\d+[dcs])*)(?:-\d+)?$")
_DRAID_SPARE = re.compile(r"draid[1-3]-\d+-\d+$")
SECTIONS = {
    "logs": "logs", "log": "logs", "cache": "cache", "spares": "spares", "spare": "spares", "special": "special",
    "dedup": "dedup",
}  # fmt: skip
_MESSAGE = re.compile(r"\b(ZFS-8000-[0-9A-Z]{2})\b")
# Messages of a pool that waits for devices or for another host, with the state that old releases print beside them.
_STOPPED = frozenset({"ZFS-8000-HC", "ZFS-8000-JQ", "ZFS-8000-MM"})
_IO_FAILURES = "One or more devices are faulted in response to IO failures"  # for machines


_Paragraphs = list[tuple[str, list[str]]]  # the lines of one pool, by key, in order of appearance; its name first


@dataclass(frozen=True, slots=True)
class _Row:
    indent: int
    name: str
    rest: str


def kind_of(name: str, *, has_children: bool) -> str:
    """Return the vdev word of a line: ``raidz2`` for raidz2-0, ``dspare`` for draid1-0-0, ``disk`` or ``file``."""
    if _DRAID_SPARE.match(name):
        return "dspare"
    group = _DRAID.match(name) or _GROUP.match(name)
    if group is not None:
        return "raidz1" if group.group(1) == "raidz" else group.group(1)
    if has_children:
        return name
    return "file" if name.startswith("/") and not name.startswith("/dev/") else "disk"


def read_pools(text: str, *, importable: bool) -> tuple[Pool, ...]:
    """Return the pools that the paragraphs describe; text before the first ``pool:`` is passed over."""
    found: list[_Paragraphs] = []
    for line in text.splitlines():
        match = _KEY.match(line)
        if match is not None and match[1] == "pool":
            found.append([])
        if found and match is not None:
            found[-1].append((match[1], [match[2] or ""]))
        elif found and PROMPT.match(line):
            found[-1].append(("", []))
        elif found and len(found[-1]) > 1:
            found[-1][-1][1].append(line)
    return tuple(_pool(paragraphs, importable=importable) for paragraphs in found)


def _join(lines: Sequence[str]) -> str:
    return " ".join(line.strip() for line in lines if line.strip())


def _pool(paragraphs: _Paragraphs, *, importable: bool) -> Pool:
    texts = [(key, text) for key, lines in paragraphs if (text := _join(lines))]
    first = dict(reversed(texts))
    message = message_id(first.get("see") or first.get("msgid"))
    # The files that -v lists: a name may have blanks, so each is a line.
    listed = (lines[1:] for key, lines in paragraphs if key == "errors" and "following files" in lines[0])
    damaged = (line for lines in listed for line in lines)
    return Pool(
        name=paragraphs[0][1][0].strip(),
        state=state_now(first.get("state"), message, first.get("status")),
        guid=first.get("id"),
        status=first.get("status"),
        action=first.get("action"),
        scans=tuple(text for key, text in texts if key in {"scan", "scrub"}),
        operations=tuple(f"{key}: {text}" for key, text in texts if key in {"remove", "expand", "checkpoint"}),
        errors=" ".join(text for key, text in texts if key == "errors") or None,
        message=message,
        damaged_files=tuple(line.strip() for line in damaged if line.strip()),
        importable=importable,
        vdevs=_vdevs(next((lines for key, lines in paragraphs if key == "config"), [])),
    )


def message_id(text: str | None) -> str | None:
    found = _MESSAGE.search(text or "")
    return found.group(1) if found is not None else None


def state_now(state: str | None, message: str | None, status: str | None) -> str | None:
    """Return the state of a pool; SUSPENDED where releases before 0.8 print ONLINE of one that does no more work."""
    stopped = message in _STOPPED or (status or "").startswith(_IO_FAILURES)
    return "SUSPENDED" if stopped and state in USABLE else state


def _vdevs(lines: Sequence[str]) -> tuple[PoolNode, ...]:
    """Return the top-level vdevs of a config tree; the pool's own line is left out."""
    extra = 0
    rows: list[_Row] = []
    for line in lines:
        match = _ROW.match(line.expandtabs().rstrip())
        if match is None:
            continue
        row = _whole_name(_Row(len(match.group(1)), match.group(2), match.group(3) or ""))
        words = row.rest.split()
        if row.name == "NAME" and words[:1] == ["STATE"]:
            # SLOW, POWER and the columns of -c stand behind the three error counts.
            extra = max(0, len(words) - 4)
        elif not words or _STATE.match(words[0]):
            rows.append(row)
    if not rows:
        return ()
    if len(rows) > 1 and len({row.indent for row in rows}) == 1:
        rows = [rows[0], *(replace(row, indent=rows[0].indent + _guessed_depth(row.name)) for row in rows[1:])]
    root, section = rows[0].indent, "data"
    kept: list[tuple[str, _Row]] = []
    for row in rows[1:]:
        if row.indent <= root and row.name in SECTIONS:
            section = SECTIONS[row.name]
        elif row.rest:
            kept.append((section, replace(row, indent=max(row.indent, root + 1))))
    found: list[PoolNode] = []
    for section, mine in groupby(_indented(kept), lambda row: row[0]):
        found += nested(((row.indent, row) for _, row in mine), partial(_node, section=section, extra=extra))
    return tuple(found)


def _indented(rows: list[tuple[str, _Row]]) -> list[tuple[str, _Row]]:
    """Return the rows, in pasted text that lost its indentation with the two devices of a group that stands in.

    Two devices belong into such a group: the old one and the new one.
    """
    found = [*rows]
    for place, (section, row) in enumerate(rows):
        two = rows[place + 1 : place + 3]
        alike = all(of == section and other.indent == row.indent and not _GROUP.match(other.name) for of, other in two)
        if len(two) == 2 and alike and kind_of(row.name, has_children=True) in STANDING_IN:
            found[place + 1 : place + 3] = [(of, replace(other, indent=other.indent + 1)) for of, other in two]
    return found


def _whole_name(row: _Row) -> _Row:
    """Return a row with its whole name: a pool's and the path of a file may have spaces. Two stand behind a name."""
    if not row.rest or row.name == "NAME" or _STATE.match(row.rest.partition(" ")[0]):
        return row
    found = _BEHIND_SPACES.search(row.rest)
    if found is None:
        return row
    return replace(row, name=f"{row.name} {row.rest[: found.start()]}", rest=row.rest[found.end() :])


def _guessed_depth(name: str) -> int:
    """Return how deep a row belongs where the indentation is lost, as on web pages: devices follow their group."""
    if name in SECTIONS:
        return 0
    return 1 if _DRAID.match(name) or re.match(r"(?:mirror|raidz[1-3]?)-\d+$", name) else 2


def _node(row: _Row, children: list[PoolNode], section: str, extra: int) -> PoolNode:
    words = row.rest.split()
    counts = [printed_number(word) for word in words[1:4]]
    counted = len(counts) == 3 and all(word == "-" or _COUNT.match(word) for word in words[1:4])
    note = " ".join(words[4 + extra :] if counted else words[1:])
    return PoolNode(
        name=row.name,
        kind=kind_of(row.name, has_children=bool(children)),
        section=section,
        state=words[0],
        read_errors=counts[0] if counted else None,
        write_errors=counts[1] if counted else None,
        checksum_errors=counts[2] if counted else None,
        note=note or None,
        path=row.name if row.name.startswith("/") else None,
        children=tuple(children),
    )


# The JSON of `zpool status -j`, also the vdevs in that of `zpool list -v`.

# The keys beside “vdevs” and the classes of a vdev, both in the words of the text output.
_SECTION_KEYS = {"logs": "logs", "l2cache": "cache", "spares": "spares", "special": "special", "dedup": "dedup"}
_CLASSES = {"log": "logs", "l2cache": "cache", "spare": "spares", "special": "special", "dedup": "dedup"}
_OPERATIONS = {"removal_stats": "remove", "checkpoint_stats": "checkpoint", "raidz_expand_stats": "expand"}
_STATS = {
    "name": "",
    "start_time": "start ",
    "end_time": "end ",
    "scrub_pause": "paused since ",
    "processed": "processed ",
}  # for machines
# What is done of how much: of a scan (checked: without what was skipped), a removal, an expansion.
_PARTS = (("issued", "to_examine"), ("copied", "to_copy"), ("reflowed", "to_reflow"))
_DEEPEST = 64

Json = dict[str, object]


def _json_pools(text: str) -> tuple[Pool, ...]:
    """Return the pools of a `zpool status -j` document. Raises UserError when it is cut off or another document."""
    pools = child(parse_json(text, where="", tool="zpool status -j"), "pools")
    named = [(key, pool) for key, pool in members(pools) if isinstance(pool, dict)]
    if not isinstance(pools, dict) or (pools and not any("vdevs" in pool for __, pool in named)):
        raise nothing_of("zpool status", "", "zpool status -j")
    return tuple(_json_pool(key, pool) for key, pool in named)


def _json_pool(key: str, pool: Json) -> Pool:
    name = _text(pool.get("name")) or key
    count = _count(pool.get("error_count"))
    scan = _described(pool.get("scan_stats"))
    operations = (f"{word}: {text}" for stats, word in _OPERATIONS.items() if (text := _described(pool.get(stats))))
    errors = None if count is None else f"{count} data errors" if count else "No known data errors"  # for machines
    message = message_id(_text(pool.get("msgid")) or _text(pool.get("moreinfo")))
    return Pool(
        name=name,
        state=state_now(_text(pool.get("state")), message, _text(pool.get("status"))),
        guid=_text(pool.get("pool_guid")),
        status=_text(pool.get("status")),
        action=_text(pool.get("action")),
        scans=(scan,) if scan else (),
        operations=tuple(operations),
        errors=errors,
        message=message,
        vdevs=vdevs_of(pool, name),
    )


def vdevs_of(pool: Json, name: str) -> tuple[PoolNode, ...]:
    """Return the top-level vdevs of a pool of that name, out of the JSON of `zpool status` or `zpool list -v`."""
    found = pool.get("vdevs")
    vdevs = _objects(found)
    if any("parent" in vdev for vdev in vdevs):
        return _flat(vdevs, name)
    top: list[PoolNode] = []
    for vdev in vdevs:
        section = _SECTION_KEYS.get(str(vdev.get("name"))) if "vdev_type" not in vdev else None
        if section is not None:  # `zpool list` has the sections among the vdevs
            top.extend(_nested(child, section, 0) for child in _objects({k: v for k, v in vdev.items() if k != "name"}))
            continue
        inner = _objects(vdev.get("vdevs")) if vdev.get("vdev_type") == "root" else [vdev]
        top.extend(_nested(child, "data", 0) for child in inner)
    for key, section in _SECTION_KEYS.items():
        top.extend(_nested(child, section, 0) for child in _objects(pool.get(key)))
    return tuple(top)


def _nested(vdev: Json, section: str, depth: int) -> PoolNode:
    below = _objects(vdev.get("vdevs")) if depth < _DEEPEST else []
    return _json_node(vdev, section, tuple(_nested(child, section, depth + 1) for child in below))


def _flat(vdevs: list[Json], pool_name: str) -> tuple[PoolNode, ...]:
    """Rebuild the tree of --json-flat-vdevs, where every group repeats all devices below it and each names its parent.

    A spare in use stands at the top as a spare and, only inside its group, as a member.
    """
    inside: dict[str, list[Json]] = {}
    tops: list[Json] = []
    seen: set[tuple[str, str | None]] = set()
    for vdev in _everything(vdevs, 0):
        name, parent = _text(vdev.get("name")) or "", _text(vdev.get("parent"))
        if vdev.get("vdev_type") == "root" or (name, parent) in seen:
            continue
        seen.add((name, parent))
        if parent is None or parent == pool_name:
            tops.append(vdev)
        else:
            inside.setdefault(parent, []).append(vdev)

    def build(vdev: Json, section: str, depth: int) -> PoolNode:
        below = inside.get(_text(vdev.get("name")) or "", []) if depth < _DEEPEST else []
        # A leaf may carry a group's name only in damaged input; a group never lies in itself.
        children = () if "vdevs" not in vdev else tuple(build(child, section, depth + 1) for child in below)
        return _json_node(vdev, section, children)

    return tuple(build(vdev, _CLASSES.get(str(vdev.get("class")), "data"), 0) for vdev in tops)


def _everything(vdevs: list[Json], depth: int) -> Iterator[Json]:
    for vdev in vdevs:
        if depth < _DEEPEST:
            yield from _everything(_objects(vdev.get("vdevs")), depth + 1)
        yield vdev


def _json_node(vdev: Json, section: str, children: tuple[PoolNode, ...]) -> PoolNode:
    name = _text(vdev.get("name")) or "?"
    kind = kind_of(name, has_children=bool(children))
    printed = _text(vdev.get("vdev_type"))
    # The name tells more of a group (raidz2, draid1:4d:8c:1s) than its type does.
    if printed is not None and (printed in {"disk", "file", "dspare"} or kind in {"disk", "file", name}):
        kind = printed
    path = _text(vdev.get("path"))
    was = _text(vdev.get("was"))
    aux = _text(vdev.get("aux"))
    notes = (was and _("was {path}", path=was), aux and shipped("zpool")["aux"].get(aux, aux.lower().replace("_", " ")))
    return PoolNode(
        name=name,
        kind=kind,
        section=section,
        # A spare is ONLINE to `zpool list`; that it waits or stands in is told by its health.
        state=_text(child(vdev, "properties", "health", "value")) or _text(vdev.get("state")),
        read_errors=_count(vdev.get("read_errors")),
        write_errors=_count(vdev.get("write_errors")),
        checksum_errors=_count(vdev.get("checksum_errors")),
        note=", ".join(note for note in notes if note) or None,
        path=path if path is not None and path.startswith("/") else None,
        children=children,
    )


def _objects(value: object) -> list[Json]:
    if isinstance(value, dict):
        # The key repeats the name, which a shortened document may leave out.
        return [{"name": str(key), **item} for key, item in value.items() if isinstance(item, dict)]
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _text(value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return None
    return " ".join(str(value).split()) or None


def _count(value: object) -> int | None:
    return printed_number(value) if isinstance(value, str) else integer(value)


def _moment(value: object) -> str | None:
    """Return a time as printed, or in words where --json-int gives seconds since 1970."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1 << 33:
        return datetime.fromtimestamp(value, tz=UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    return _text(value)


def _described(stats: object) -> str:
    """Return a statistics object in words: ``scrub finished, start Fri…, end Fri…, 0 errors``."""
    if not isinstance(stats, dict):
        return ""
    head = " ".join(word.lower() for key in ("function", "state") if (word := _text(stats.get(key))))
    subject = _text(stats.get("expanding_vdev")) or (_text(stats.get("name")) if "to_copy" in stats else None)
    head = f"{head} ({subject})" if subject is not None else head
    parts = [head] if head else []
    for key, word in _STATS.items():
        value = _text(stats.get(key)) if key == "processed" else _moment(stats.get(key))
        if value not in (None, "-", "0"):
            parts.append(f"{word}{value}")
    errors = _text(stats.get("errors"))
    if errors is not None:
        parts.append(_("{count} errors", count=errors))
    return ", ".join((*parts, *_amounts(stats)))


def _amounts(stats: Json) -> Iterator[str]:
    """Yield how much is done, what a checkpoint holds and what a removal costs in memory, in the words of the text."""
    running = str(stats.get("state")).upper() in {"SCANNING", "IN_PROGRESS"}
    for done, whole in _PARTS:
        part, total, skipped = (printed_number(_text(stats.get(key))) for key in (done, whole, "skipped"))
        total = (total or 0) - (skipped or 0)
        if running and part is not None and total > 0:
            yield f"{min(100.0, 100.0 * part / total):.2f}% done"  # for machines
    space, mapping = _text(stats.get("space")), _text(stats.get("mapping_memory"))
    if space is not None:
        yield f"consumes {space}"  # for machines
    if mapping not in {None, "0", "0B"}:
        yield f"{mapping} memory used for removed device mappings"  # for machines
