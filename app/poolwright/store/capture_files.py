"""Captures: files and folders of tool output, and the single file a collector script writes."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.host import Inventory
from poolwright.domain.shown import whole_escapes, whole_text
from poolwright.domain.steps import at_once
from poolwright.machine import json_values, recognition
from poolwright.machine.gather import Gatherer, ToolOutput, merge_in_steps
from poolwright.machine.packed import is_zipped, unpacked, unzipped
from poolwright.machine.remarks import about
from poolwright.store.tool_files import CAPTURES, bytes_of, files_below, nothing_read, too_large
from poolwright.texts import N_, _, first_of

MOST_TOTAL_BYTES = 512 << 20
STANDARD_INPUT = Path("-")
_READS = N_(
    "Poolwright reads lsblk, smartctl, nvme list and id-ns, multipath -ll, zpool status, list, get and import, zfs get "
    "and list, storcli and ssacli tables, listings of /dev/disk/by-id, and what `poolwright collector` writes."
)


def open_captures(paths: Sequence[Path], pasted: Sequence[str] = ()) -> Inventory:
    """Return the inventory that files, folders and what was ``pasted`` describe; “-” is standard input.

    Each file's kind is told from its content. Files that cannot be read are left out with a note as long as one can;
    else, and where a path does not exist, UserError names the file, what is wrong with it and what to do.
    """
    gatherer = Gatherer()
    failures: list[UserError] = []
    readable = total = 0
    for path, shown in _files(paths):
        try:
            text = _read(path, shown)
            _add_text(gatherer, text, shown)
        except UserError as error:
            failures.append(error if error.where else UserError(error.what, where=shown, todo=error.todo))
        else:
            readable, total = readable + 1, total + len(text)
        if total > MOST_TOTAL_BYTES:
            raise UserError(
                _("The file is larger than {most} MiB", most=MOST_TOTAL_BYTES >> 20), where=_name_to_show(paths[0])
            )
    if not readable:
        raise nothing_read(", ".join(map(_name_to_show, paths)), failures, _(_READS))
    for failure in failures:
        file, why = failure.where or _name_to_show(paths[0]), f"{failure.what}. {failure.todo or ''}".rstrip()
        gatherer.remarks.append(about(file, _("left out: {file}: {why}", file=file, why=why), kind="files"))
    shown = first_of([_name_to_show(path) for path in paths], 1)
    origin = Origin(kind=OriginKind.READ, source=_("capture {file}", file=shown))
    own = _name_to_show(paths[0]) if paths[0] == STANDARD_INPUT else whole_text(paths[0].absolute().name)
    return _with_pasted(gatherer, pasted, own, origin)


def open_pasted(*texts: str) -> Inventory:
    """Return the inventory that pasted output describes; raises UserError where it is none."""
    shown = _("pasted text")
    return _with_pasted(Gatherer(), texts, shown, Origin(kind=OriginKind.READ, source=shown))


def _with_pasted(gatherer: Gatherer, texts: Sequence[str], name: str, origin: Origin) -> Inventory:
    for text in texts:
        if not text.strip():
            raise UserError(_("Nothing was pasted"), todo=_(_READS))
        _add_text(gatherer, whole_escapes(whole_text(text)), _("pasted text"))
    return at_once(merge_in_steps(gatherer, name=gatherer.host.name or name, origin=origin))


def text_of(path: Path) -> str:
    """Return the text of one capture, unpacked; raises UserError as `open_captures` does."""
    shown = _name_to_show(path)
    return unpacked(_read(path, shown), where=shown)


def _name_to_show(path: Path) -> str:
    return _("standard input") if path == STANDARD_INPUT else whole_text(str(path))


def _files(paths: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    for path in paths:
        if path == STANDARD_INPUT:
            yield path, _name_to_show(path)
            continue
        for file in files_below(path, CAPTURES):
            yield file, str(file if file == path else file.relative_to(path))


def _read(path: Path, shown: str) -> str:
    """Return the text of a file; refuses what is too large before reading it, and what is no text."""
    data = sys.stdin.buffer.read(CAPTURES.bytes + 1) if path == STANDARD_INPUT else bytes_of(path, CAPTURES)
    if len(data) > CAPTURES.bytes:
        raise too_large(shown, CAPTURES)
    if is_zipped(data):
        data = unzipped(data, where=shown)
    if b"\0" in data[:8192] and not data.startswith(json_values.UTF_16):
        raise UserError(_("This is a binary file, not the output of a tool"), where=shown, todo=_(_READS))
    if not data.strip():
        raise UserError(_("The file is empty"), where=shown, todo=_("Run the tool again and save what it prints."))
    return whole_escapes(json_values.text_of(data))


def _add_text(gatherer: Gatherer, text: str, shown: str) -> None:
    text = unpacked(text, where=shown)
    if recognition.is_capture(text):
        _add_capture(gatherer, text, shown)
        return
    parts = recognition.documents_of(recognition.unquoted(text))
    failures: list[UserError] = []
    for part in parts:
        try:
            kind = recognition.kind_of(part, shown)
            if kind is None:
                what = _("This is not output of a tool that is known here")
                failures.append(UserError(what, where=shown, todo=_(_READS)))
            else:
                gatherer.add(_piece(kind, part, shown if len(parts) == 1 else "", shown))
        except UserError as error:
            failures.append(error)
    if len(failures) == len(parts):
        raise failures[0]
    for failure in failures:
        gatherer.warn(_("left out a part of {shown}: {text}", shown=shown, text=failure.text))


def _piece(kind: recognition.PieceKind, text: str, name: str, where: str) -> ToolOutput:
    origin = Origin(kind=OriginKind.READ, source=f"{kind.value} ({where})")
    return ToolOutput(kind=kind, text=text, origin=origin, device=recognition.device_in_name(name))


def _add_capture(gatherer: Gatherer, text: str, shown: str) -> None:
    read = False
    missing: dict[str, None] = {}
    for section in recognition.sections_of(text, shown):
        if section.status == recognition.NOT_FOUND:
            missing.setdefault(section.name.partition("-")[0])
        elif section.text.strip():
            read |= _add_section(gatherer, section, shown)
    for program in missing:
        gatherer.warn(_("{program} is not installed on that machine", program=program))
    if not recognition.is_complete(text):
        gatherer.warn(_("{shown} was cut off: sections may be missing", shown=shown))
    if not read:
        raise UserError(
            _("The capture has no section that can be read"), where=shown, todo=_("Run the collector again.")
        )


def _add_section(gatherer: Gatherer, section: recognition.CaptureSection, shown: str) -> bool:
    """Read one section; what cannot be read becomes a warning, in the tool's own words where it failed."""
    where = f"{shown}, {section.name}"
    try:
        kind = recognition.kind_of(section.text, section.name)
        if kind is not None:
            gatherer.add(_piece(kind, section.text, section.name, where))
            return True
    except UserError as error:
        if not section.status:
            gatherer.warn(_("left out: {text}", text=error.text if error.where else f"{where}: {error.text}"))
            return False
    said = section.text.strip().splitlines()[0][:200]
    gatherer.remarks.append(about(section.name, f"{section.name}: {said}", kind="sections"))
    return False
