"""The pairs of a design's disks and a machine's as rows of a table, and as choices for one place."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt

from poolwright.design.binding.binding import Binding, BoundPair
from poolwright.design.binding.identity import PairedBy
from poolwright.design.binding.judging import PairVerdict, judge
from poolwright.design.binding.places import DiskSeat
from poolwright.domain.disk import Disk
from poolwright.domain.plan_only import plan_only
from poolwright.domain.units import drive_size
from poolwright.texts import tell
from poolwright.ui.disks.columns import short_name
from poolwright.ui.parts import icons
from poolwright.ui.parts.note_lines import Line
from poolwright.ui.parts.table import TableColumn
from poolwright.ui.parts.theme import Tone

_TONES = {PairVerdict.FINE: Tone.OK, PairVerdict.LOOK: Tone.WARN, PairVerdict.REFUSED: Tone.BLOCK}
_ICONS = {PairVerdict.FINE: "ok", PairVerdict.LOOK: "warn", PairVerdict.REFUSED: "block"}


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskChoice:
    """A disk that may take a place: its ``key`` (None leaves the place open) and how it is offered."""

    key: str | None
    text: str


def planned_name(seat: DiskSeat) -> str:
    """Return how a disk of the design is called here: planned ones of one model are told apart by their keys."""
    return seat.disk.key if seat.disk.planned else seat.disk.label


def pair_key(pair: BoundPair) -> str:
    return pair.seat.disk.key


def differences_text(pair: BoundPair) -> str:
    """Return by what the disk is known and what differs, or why there is no disk, in one line."""
    if pair.judged is None:
        return "; ".join(pair.reasons)
    known = pair.by if pair.by is not PairedBy.FACTS else None
    return "; ".join([*([tell(known.value)] if known is not None else []), *(d.text for d in pair.judged.differences)])


def verdict_text(pair: BoundPair) -> str:
    return tell("open") if pair.judged is None else tell(pair.judged.verdict.value)


def binding_columns() -> tuple[TableColumn[BoundPair], ...]:
    """Return the columns: place, disk of the design, real disk, how it fits, what differs."""
    return (
        TableColumn(title=tell("Place"), text=lambda pair: pair.seat.words, meaning=tell("The vdev that has the disk")),
        TableColumn(
            title=tell("In the design"),
            text=lambda pair: planned_name(pair.seat),
            tip=lambda pair: plan_only((pair.seat.disk,)),
        ),
        TableColumn(title=tell("Real disk"), text=_real, tip=lambda pair: pair.real.label if pair.real else ""),
        TableColumn(title=tell("Fits"), text=verdict_text, look=_look),
        TableColumn(title=tell("What differs"), text=differences_text, tip=differences_text),
    )


def _real(pair: BoundPair) -> str:
    if pair.real is None:
        return "–"
    serial = pair.real.serial
    name = short_name(pair.real)
    return f"{name} ({serial})" if serial and serial != name else name


def _look(pair: BoundPair, role: int) -> object:
    if role != Qt.ItemDataRole.DecorationRole:
        return None
    if pair.judged is None:
        return icons.icon("block", Tone.BLOCK)
    return icons.icon(_ICONS[pair.judged.verdict], _TONES[pair.judged.verdict])


def pair_lines(pair: BoundPair) -> list[Line]:
    """Return all that is to be said of a pair: what is equal, what differs, why there is none."""
    if pair.judged is None:
        return [Line(text=_sentence(reason), tone=Tone.BLOCK) for reason in pair.reasons]
    told = [Line(text=_sentence(d.text), tone=_TONES[d.verdict]) for d in pair.judged.differences]
    if pair.judged.equal:
        told.append(Line(text=tell("Equal: {facts}.", facts=", ".join(pair.judged.equal)), tone=Tone.OK))
    if pair.by is not None and pair.by is not PairedBy.FACTS:
        told.append(Line(text=tell("Found by: {how}.", how=tell(pair.by.value)), tone=Tone.OK))
    return told


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def choices_for(binding: Binding, pair: BoundPair, *, smaller: bool) -> list[DiskChoice]:
    """Return the disks that may take the place of a pair, the best first; each says where it is proposed now."""
    held = {other.real.key: other.seat.words for other in binding.pairs if other.real is not None}
    found: list[tuple[int, str, DiskChoice]] = []
    for disk in binding.inventory.disks:
        judged = judge(pair.seat, disk, smaller=smaller)
        if not judged.refused:
            choice = DiskChoice(key=disk.key, text=_offered(disk, judged.verdict, held.get(disk.key)))
            found.append((judged.cost, disk.key, choice))
    found.sort(key=lambda item: item[:2])
    return [choice for _, _, choice in found]


def _offered(disk: Disk, verdict: PairVerdict, place: str | None) -> str:
    parts: Sequence[str | None] = (short_name(disk), drive_size(disk.size_bytes), disk.model, disk.serial)
    told = " · ".join(part for part in dict.fromkeys(parts) if part)
    fits = tell(verdict.value)
    return (
        f"{told} · {fits}"
        if place is None
        else tell("{disk} · {fits}, now in {place}", disk=told, fits=fits, place=place)
    )
