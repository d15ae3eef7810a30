"""What the picture says in words: of a disk, of a vdev, of a selection; for hover, the tree and screen readers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from poolwright.design.blast import State
from poolwright.design.evaluate import Evaluation
from poolwright.domain.disk import Disk, Health, Media, plan_only
from poolwright.domain.finding import Finding
from poolwright.domain.reserve import ReservedPartition
from poolwright.domain.units import binary, drive_size
from poolwright.domain.vdev import VdevClass, VdevKind, describe
from poolwright.emit.disk_words import health_word, media_word, short_name
from poolwright.predict.number_words import odds_text
from poolwright.texts import _, ngettext
from poolwright.ui.design.picture.content import Frame, PoolBox, Tile
from poolwright.ui.parts.finding_rows import word_of
from poolwright.ui.parts.theme import Tone

_TAIL = 4
STATE_MARKS = {
    State.ONLINE: ("ok", Tone.OK),
    State.DEGRADED: ("warn", Tone.WARN),
    State.SUSPENDED: ("block", Tone.BLOCK),
    State.LOST: ("block", Tone.BLOCK),
}


def class_word(vdev_class: VdevClass) -> str:
    named = (_("Data"), _("Log"), _("Special"), _("Dedup"), _("Cache"), _("Spares"))
    order = VdevClass.DATA, VdevClass.LOG, VdevClass.SPECIAL, VdevClass.DEDUP, VdevClass.CACHE, VdevClass.SPARE
    return named[order.index(vdev_class)]


def sector_kind(disk: Disk) -> str:
    logical, physical = disk.logical_sector_bytes, disk.physical_sector_bytes
    if logical is None or physical is None:
        return ""
    if logical == physical:
        return "512n" if logical == 512 else "4Kn"
    return "512e"


def health_text(disk: Disk) -> str:
    return _("health {word}", word=health_word(disk.health))


def disks_text(count: int) -> str:
    return ngettext("{count} disk", "{count} disks", count)


def sector_word(disk: Disk) -> str:
    return sector_kind(disk) or _("sectors unknown")


def tail(disk: Disk) -> str:
    text = disk.serial or disk.key.rpartition("-")[2]  # of a planned one its number
    return text if len(text) <= _TAIL + 1 else f"…{text[-_TAIL:]}"


def state_word(state: State, *, of_pool: bool) -> str:
    words = {
        State.ONLINE: (_("pool survives"), _("whole")),
        State.DEGRADED: (_("degraded, pool survives"), _("degraded")),
        State.SUSPENDED: (_("pool suspended"), _("suspended")),
        State.LOST: (_("pool lost"), _("lost")),
    }
    return words[state][not of_pool]


def key_text(tiles: Sequence[Tile]) -> str:
    """Return what the marks on these tiles mean, of those there are."""
    disks = [tile.disk for tile in tiles]
    sectors, media, health = ({sector_kind(d) for d in disks}, {d.media for d in disks}, {d.health for d in disks})
    badge = plan_only(disks)
    marks = (
        (bool(badge), _("dashed: {badge}", badge=badge)),
        ("4Kn" in sectors, _("bar: 4Kn sectors")),
        ("512e" in sectors, _("two bars: 512e sectors")),
        ("512n" in sectors, _("four bars: 512n sectors")),
        ("" in sectors, _("hollow bar: sectors unknown")),
        (Media.SSD in media, _("corner: SSD")),
        (Media.NVME in media, _("corner with a line: NVMe")),
        (Health.GOOD in health, _("dot: healthy")),
        (Health.SUSPECT in health, _("triangle: suspect")),
        (Health.FAILING in health, _("square: failing")),
        (None in health, _("ring: health unknown")),
        (any(tile.partitions for tile in tiles), _("band: reserved space")),
    )
    return " · ".join(text for there, text in marks if there)


def piece_size(tile: Tile) -> str:
    return drive_size(tile.size_bytes)


def tile_name(tile: Tile) -> str:
    if tile.whole:
        return tile.disk.label
    if tile.left_over:
        return _("Left over of {disk}", disk=tile.disk.label)
    return _("Partition {number} of {disk}", number=tile.piece.part, disk=tile.disk.label)


def tile_short_name(tile: Tile) -> str:
    """Return what a tile is called where model and size stand beside it."""
    name = short_name(tile.disk)
    if tile.whole:
        return name
    return _("Left over of {disk}", disk=name) if tile.left_over else f"{name} p{tile.piece.part}"


def tile_lines(tile: Tile, frame: Frame | None) -> list[str]:
    disk = tile.disk
    size = piece_size(tile)
    if not tile.whole:
        size = _("{part} of {whole}", part=size, whole=drive_size(disk.size_bytes))
    facts = [size, sector_word(disk), media_word(disk) or _("media unknown"), health_text(disk)]
    model = " ".join(part for part in (disk.model, disk.serial) if part)
    where = ", ".join(part for part in (disk.place, disk.controller) if part)
    lines = [tile_name(tile), ", ".join(facts), plan_only((disk,)), partition_words(tile.partitions), model, where]
    if frame is not None:
        lines.append(_("In {vdev}, {kind}", vdev=frame.name, kind=kind_text(frame)))
    else:
        lines.append(_("Not used by any vdev"))
    return [line for line in (*lines, *map(finding_line, tile.findings)) if line]


def partition_words(partitions: Sequence[ReservedPartition]) -> str:
    named = ", ".join(f"{part.words} {binary(part.size_bytes)}" for part in partitions)
    return _("Beside the data: {partitions}", partitions=named) if named else ""


def kind_text(frame: Frame) -> str:
    spec = frame.vdev.sizeless()
    return describe((spec if spec.vdev_class is VdevClass.SPARE else replace(spec, vdev_class=VdevClass.DATA),))


def parity_text(frame: Frame) -> str:
    percent = round(100 * frame.parity_share)
    if not percent:
        return _("no redundancy")
    if frame.vdev.kind is VdevKind.MIRROR:
        return _("{percent} % copies", percent=percent)
    if frame.vdev.draid_spares:
        return _("{percent} % parity and spares", percent=percent)
    return _("{percent} % parity", percent=percent)


def frame_title(frame: Frame) -> str:
    """Return what stands at the head of a frame: the name of the vdev, in a bay what it serves."""
    if frame.vdev.vdev_class is VdevClass.DATA:
        return frame.name
    word = class_word(frame.vdev.vdev_class)
    return word if frame.vdev.kind is VdevKind.STRIPE else f"{word} {frame.name}"


def frame_lines(frame: Frame) -> list[str]:
    kind = kind_text(frame)
    if frame.vdev.vdev_class is not VdevClass.DATA:
        kind = f"{class_word(frame.vdev.vdev_class)}: {kind}"
    lines = [frame.name, kind]
    if frame.vdev.vdev_class not in (VdevClass.SPARE, VdevClass.CACHE):
        lines.append(parity_text(frame))
    if frame.usable_bytes is not None and frame.vdev.vdev_class is VdevClass.DATA:
        lines.append(_("{size} for data", size=binary(frame.usable_bytes)))
    return lines + [finding_line(finding) for finding in frame.findings]


def pool_text(pool: PoolBox) -> str:
    if not pool.frames:
        return _("no vdev yet, ashift {ashift}", ashift=pool.ashift)
    if pool.problem or pool.capacity is None:
        return pool.problem
    usable = _("{size} usable", size=binary(pool.capacity.available_bytes))
    return _("{usable}, ashift {ashift}", usable=usable, ashift=pool.ashift)


def finding_line(finding: Finding) -> str:
    return f"{word_of(finding)}: {finding.sentence}"


def selection_text(chosen: Sequence[Tile | Frame], *, failing: bool) -> str:
    """Return in a few words what is selected, or fails: one disk or vdev by its name, else how many disks."""
    if not chosen:
        return _("Nothing fails yet") if failing else _("Nothing selected")
    if len(chosen) == 1:
        one = chosen[0]
        return one.name if isinstance(one, Frame) else f"{tail(one.disk)}, {piece_size(one)}"
    count = sum(len(one.tiles) if isinstance(one, Frame) else 1 for one in chosen)
    return _("{count:,} disks fail", count=count) if failing else _("{count:,} disks selected", count=count)


def new_vdev_text(*, started: bool, pool: int) -> str:
    if not started:
        return _("Drag disks from the tray to here, or mark them with Space and press N, for the first vdev.")
    return _("New vdev") if pool == 0 else _("New vdev of this pool")


def short_place(frame: Frame | None) -> str:
    """Return in a few letters where a disk belongs: z2-0 for raidz2-0, m-1 for mirror-1."""
    if frame is None:
        return "–"
    if frame.vdev.vdev_class is not VdevClass.DATA:
        return class_word(frame.vdev.vdev_class)
    number = frame.name.rpartition("-")[2]
    kinds = {VdevKind.MIRROR: "m", VdevKind.RAIDZ: f"z{frame.vdev.parity}", VdevKind.DRAID: f"d{frame.vdev.parity}"}
    kind = kinds.get(frame.vdev.kind)
    return f"{kind}-{number}" if kind and number.isdecimal() else _("single")


def tray_title() -> str:
    return _("Tray")


def tray_text(tiles: Sequence[Tile]) -> str:
    disks = [tile for tile in tiles if tile.whole]
    parts = [tile for tile in tiles if not tile.whole]
    if not tiles:
        return _("empty")
    said = []
    if disks:
        count = _("{count:,} unused", count=len(disks))
        said.append(f"{count}, {_sum(disks)}")
    if parts:
        said.append(_("{size} left over", size=_sum(parts)))
    return "; ".join(said)


def _sum(tiles: Sequence[Tile]) -> str:
    return binary(sum(tile.size_bytes or 0 for tile in tiles))


# What an edit would do, before it is made: at the place of a drop, in every menu and dialog.


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure in words, with what it is now where that is another; ``worse`` than now. ``cell`` is it in a column."""

    text: str
    worse: bool = False
    cell: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """Capacity, failures survived and probability of loss after an edit; or why it is refused.

    ``fatal``: the first disk to fail takes the pool.
    """

    figures: tuple[Figure, ...]
    possible: bool = True
    fatal: bool = False

    @property
    def text(self) -> str:
        return ", ".join(figure.text for figure in self.figures)


def refused(why: str) -> Effect:
    return Effect(figures=(Figure(text=why),), possible=False)


def effect_of(before: Evaluation | None, after: Evaluation) -> Effect:
    """Return what ``after`` is beside what is ``before``, both of all pools together."""
    usable, risk = after.usable_bytes, after.risk
    if usable is None or risk is None:
        return Effect(figures=(Figure(text=after.problem),))
    was, known = (None, None) if before is None else (before.survived, before.risk)
    fatal = after.survived == 0
    survives = _("survives {count}", count=after.survived)
    if was not in (None, after.survived):
        survives = _("{figure} (was {now})", figure=survives, now=was)
    odds, now = odds_text(risk.loss.typical), "" if known is None else odds_text(known.loss.typical)
    loss = _("loss {odds}", odds=odds)
    figures = (
        Figure(text=_space(usable, None if before is None else before.usable_bytes)),
        Figure(
            text=_("one failed disk loses the pool") if fatal else survives,
            worse=fatal or (was is not None and (after.survived or 0) < was),
            cell=f"{after.survived}" if was in (None, after.survived) else f"{was} → {after.survived}",
        ),
        Figure(
            text=loss if now in ("", odds) else _("{figure} (was {now})", figure=loss, now=now),
            worse=known is not None and now != odds and risk.loss.typical > known.loss.typical,
            cell=odds,
        ),
    )
    return Effect(figures=figures, fatal=fatal)


def _space(usable: int, before: int | None) -> str:
    size = binary(usable)
    if before is None or usable == before:
        return size
    number, __, unit = binary(abs(usable - before)).partition(" ")
    change = number if size.endswith(f" {unit}") else f"{number} {unit}"
    return f"{size} ({'+' if usable > before else '−'}{change})"
