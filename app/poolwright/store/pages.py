"""The rows of a SQLite file read page by page, without SQLite: what is whole is found whatever else is damaged.

The format is that of https://sqlite.org/fileformat2.html. Nothing is written, nothing raises for wrong bytes.
"""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

Value = None | int | float | str | bytes
USUAL_PAGE_BYTES = 4096
_LEAF_TABLE, _LEAF_INDEX, _INNER_INDEX = 0x0D, 0x0A, 0x02
_MOST_COLUMNS = 64
_LARGEST_ROW = 256 << 20  # a run with its archive
_WAL_HEADER, _FRAME_HEADER = 32, 24
_INTEGER_BYTES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}


class _Broken(Exception):
    """These bytes are no row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A row of a table, or an entry of an index, which has no ``rowid`` of its own."""

    rowid: int | None
    values: tuple[Value, ...]


def records_of(path: Path) -> Iterator[Record]:
    """Return every row that can be read in a file and its log of writes; the likelier of two copies comes first.

    Rows of free pages come as well. Raises OSError where the files cannot be read.
    """
    content = path.read_bytes()
    size = _page_bytes(content)
    wal = path.with_name(f"{path.name}-wal")
    sound, rest = _pages_logged(wal.read_bytes() if wal.exists() else b"", size)
    overlays = [sound] if sound else []
    if rest:
        overlays.append({**sound, **rest})
    for overlay in (*overlays, {}):
        yield from _Image(content, size, overlay).records()


def _page_bytes(content: bytes) -> int:
    """Return the size of a page as the header has it, where that can be true."""
    told = int.from_bytes(content[16:18], "big")
    told = 65536 if told == 1 else told
    plausible = 512 <= told <= 65536 and told & (told - 1) == 0
    if not plausible or told == USUAL_PAGE_BYTES:
        return USUAL_PAGE_BYTES
    usual = sum(1 for _ in _Image(content, USUAL_PAGE_BYTES, {}).records())
    return USUAL_PAGE_BYTES if usual > sum(1 for _ in _Image(content, told, {}).records()) else told


@dataclass(frozen=True, slots=True)
class _Frame:
    """A page in a log of writes. ``sound``: its sum and all before it are right; ``present``: of the present run."""

    page: int
    content: bytes
    sound: bool
    present: bool


def _frames(log: bytes, size: int | None = None) -> Iterator[_Frame]:
    """Return the whole frames of a log of writes, those of earlier runs too; ``size`` where its header is not to be
    asked for the size of a page.
    """
    if len(log) < _WAL_HEADER:
        return
    order, salts = ">" if log[3] & 1 else "<", log[16:24]
    sums = _sums(order, log[:24], (0, 0))
    good = headed = struct.unpack(">2I", log[24:32]) == sums
    size = size or (int.from_bytes(log[8:12], "big") if headed else USUAL_PAGE_BYTES)
    for at in range(_WAL_HEADER, len(log) - _FRAME_HEADER - size + 1, _FRAME_HEADER + size):
        head, content = log[at : at + _FRAME_HEADER], log[at + _FRAME_HEADER : at + _FRAME_HEADER + size]
        # What an earlier run left has two other salts; where one of the two fits, the other was damaged.
        present = not headed or head[8:12] == salts[:4] or head[12:16] == salts[4:]
        good = good and head[8:16] == salts
        sums = _sums(order, head[:8] + content, sums) if good else sums
        good = good and struct.unpack(">2I", head[16:24]) == sums
        yield _Frame(int.from_bytes(head[:4], "big"), content, good, present)


def _pages_logged(log: bytes, size: int) -> tuple[dict[int, bytes], dict[int, bytes]]:
    """Return the pages of a log of writes by number: those whose sums are right, and those of the same run after."""
    sound: dict[int, bytes] = {}
    rest: dict[int, bytes] = {}
    for frame in _frames(log, size):
        if frame.present:
            (sound if frame.sound else rest)[frame.page] = frame.content
    return sound, rest


def broken_log(log: Path) -> tuple[int, int] | None:
    """Return how many pages of a log of writes SQLite would take, and of how many, where it would throw some away.

    None where it would take all of the log's present run, or there is none. Raises OSError.
    """
    try:
        present = [frame.sound for frame in _frames(log.read_bytes()) if frame.present]
    except FileNotFoundError:
        return None
    return (sum(present), len(present)) if not all(present) else None


def _sums(order: str, data: bytes, start: tuple[int, int]) -> tuple[int, int]:
    first, second = start
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for even, odd in zip(words[::2], words[1::2], strict=True):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return first, second


class _Image:
    """The pages of a file with those of its log of writes laid over them; pages are numbered from 1."""

    def __init__(self, content: bytes, size: int, overlay: Mapping[int, bytes]) -> None:
        self._content, self._size, self._overlay = content, size, overlay
        self._count = max((-(-len(content) // size), *overlay))

    def records(self) -> Iterator[Record]:
        """Return the rows of every page that looks like a leaf of a table, and the entries of indexes."""
        free = self._free()
        in_use = (number for number in range(1, self._count + 1) if number not in free)
        for number in (*in_use, *sorted(free)):
            page = self._page(number)
            start = 100 if number == 1 else 0
            kind = page[start] if len(page) > start + 8 else 0
            if kind in {_LEAF_TABLE, _LEAF_INDEX, _INNER_INDEX}:
                yield from self._cells(page, start, kind, torn=number not in free)

    def _free(self) -> set[int]:
        """Return the numbers of the pages that hold nothing any more; what was there before can still be read."""
        free: set[int] = set()
        trunk = int.from_bytes(self._page(1)[32:36], "big")
        while 1 < trunk <= self._count and trunk not in free:
            free.add(trunk)
            page = self._page(trunk)
            count = min(int.from_bytes(page[4:8], "big"), self._size // 4 - 2)
            leaves = (int.from_bytes(page[8 + 4 * place : 12 + 4 * place], "big") for place in range(count))
            free.update(leaf for leaf in leaves if 1 < leaf <= self._count)
            trunk = int.from_bytes(page[:4], "big")
        return free

    def _page(self, number: int) -> bytes:
        found = self._overlay.get(number)
        return self._content[(number - 1) * self._size : number * self._size] if found is None else found

    def _cells(self, page: bytes, start: int, kind: int, *, torn: bool) -> Iterator[Record]:
        first = start + (12 if kind == _INNER_INDEX else 8)
        count = int.from_bytes(page[start + 3 : start + 5], "big")
        for place in range(min(count, (len(page) - first) // 2)):
            at = int.from_bytes(page[first + 2 * place : first + 2 * place + 2], "big")
            try:
                yield self._cell(page, at, kind, torn=torn)
            except _Broken:
                continue

    def _cell(self, page: bytes, at: int, kind: int, *, torn: bool) -> Record:
        at += 4 if kind == _INNER_INDEX else 0
        length, at = _varint(page, at)
        rowid: int | None = None
        if kind == _LEAF_TABLE:
            number, at = _varint(page, at)
            rowid = number - (1 << 64) if number >> 63 else number
        return Record(rowid=rowid, values=_values(self._payload(page, at, length, kind, torn=torn)))

    def _payload(self, page: bytes, at: int, length: int, kind: int, *, torn: bool) -> bytes:
        """Return the bytes of a row. With ``torn``, one whose further pages are lost comes all the same, with zeros in
        their place: its name tells what is lost.
        """
        if not 0 < length <= min(_LARGEST_ROW, len(self._content) + len(self._overlay) * self._size):
            raise _Broken
        usable = self._size
        most = usable - 35 if kind == _LEAF_TABLE else (usable - 12) * 64 // 255 - 23
        here = length
        if length > most:
            least = (usable - 12) * 32 // 255 - 23
            wanted = least + (length - least) % (usable - 4)
            here = wanted if wanted <= most else least
        parts = [page[at : at + here]]
        left = length - here
        onward = int.from_bytes(page[at + here : at + here + 4], "big") if left else 0
        while left > 0:
            if not 1 <= onward <= self._count:
                if not torn:
                    raise _Broken
                parts.append(bytes(left))
                break
            page = self._page(onward)
            parts.append(page[4 : 4 + min(left, usable - 4)])
            left -= usable - 4
            onward = int.from_bytes(page[:4], "big")
        payload = b"".join(parts)
        if len(payload) != length:
            raise _Broken
        return payload


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for place in range(9):
        if at + place >= len(data):
            raise _Broken
        byte = data[at + place]
        if place == 8:
            return value << 8 | byte, at + 9
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + place + 1
    raise _Broken


def _values(payload: bytes) -> tuple[Value, ...]:
    header, at = _varint(payload, 0)
    if not at <= header <= len(payload):
        raise _Broken
    kinds = []
    while at < header:
        kind, at = _varint(payload, at)
        kinds.append(kind)
        if len(kinds) > _MOST_COLUMNS:
            raise _Broken
    values = []
    for kind in kinds:
        value, at = _value(payload, at, kind)
        values.append(value)
    if at != len(payload):
        raise _Broken
    return tuple(values)


def _value(payload: bytes, at: int, kind: int) -> tuple[Value, int]:
    if kind == 0:
        return None, at
    if kind in {8, 9}:
        return kind - 8, at
    if kind in {10, 11}:
        raise _Broken
    length = _INTEGER_BYTES.get(kind, 8 if kind == 7 else (kind - 12) // 2)
    piece = payload[at : at + length]
    if len(piece) != length:
        raise _Broken
    if kind == 7:
        return float(struct.unpack(">d", piece)[0]), at + 8
    if kind < 7:
        return int.from_bytes(piece, "big", signed=True), at + length
    if kind % 2 == 0:
        return piece, at + length
    try:
        return piece.decode("utf-8"), at + length
    except UnicodeDecodeError:
        return piece, at + length  # a text that is none any more: the row is told, its text is lost
