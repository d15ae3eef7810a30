"""Remarks about a reading, and joining those of one kind, so that forty disks do not give forty equal lines."""

from collections.abc import Iterable
from dataclasses import dataclass

from poolwright.domain.disk import Note, NoteLevel
from poolwright.texts import N_, _

SHARES_DRIVE = N_("a part of {body}: all parts of it fail together")

_SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class OddFact:
    """Something odd, as ``before`` + ``subject`` + ``after``; remarks that differ in their subject only are joined.

    ``subject`` is a device or file, None where the remark is about the whole reading; ``kind`` is what several
    subjects are called together.
    """

    before: str
    subject: str | None = None
    after: str = ""
    kind: str = "disks"
    level: NoteLevel = NoteLevel.WARN


def warning(text: str) -> Note:
    return Note(text=text, level=NoteLevel.WARN)


def state_notes(state: str | None) -> tuple[Note, ...]:
    """Return what is to be known of the state in which the kernel has a disk."""
    bad = state in {"offline", "transport-offline", "blocked", "quiesce"}
    return (warning(_("the kernel has set this disk {state}", state=state)),) if bad else ()


def about(subject: str, text: str, *, kind: str = "disks", level: NoteLevel = NoteLevel.WARN) -> OddFact:
    """Return ``text`` as a remark about ``subject``, which it may name itself: “/dev/vda: Unable to detect …”."""
    before, found, after = text.partition(subject)
    if not found or after[:1].isalnum():
        before, after = "", f": {text}"
    return OddFact(before=before, subject=subject, after=after, kind=kind, level=level)


def joined(remarks: Iterable[OddFact]) -> tuple[Note, ...]:
    """Return one note for each kind of remark, in order of appearance.

    Several subjects are counted and listed: “smartctl told nothing of 16 disks (sda, sdb, sdc, … sdp): …”.
    """
    groups: dict[tuple[str, str, str, NoteLevel], dict[str | None, None]] = {}
    for remark in remarks:
        group = groups.setdefault((remark.before, remark.after, remark.kind, remark.level), {})
        group.setdefault(remark.subject)
    return tuple(
        Note(text=f"{before}{_subjects(tuple(subjects), kind)}{after}", level=level)
        for (before, after, kind, level), subjects in groups.items()
    )


def _subjects(subjects: tuple[str | None, ...], kind: str) -> str:
    named = [subject for subject in subjects if subject is not None]
    if len(named) < 2:
        return "".join(named)
    short = [name.removeprefix("/dev/") for name in named]
    if len(short) > _SHOWN + 1:
        return f"{len(short)} {kind} ({', '.join(short[:_SHOWN])}, … {short[-1]})"
    return f"{len(short)} {kind} ({', '.join(short)})"
