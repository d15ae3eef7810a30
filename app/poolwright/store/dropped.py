"""What files and folders that were dropped are: designs, projects, captures, or results and runs of measurements."""

import zipfile
from collections.abc import Generator, Sequence
from enum import StrEnum
from itertools import islice
from pathlib import Path

from poolwright.domain.errors import PoolwrightError, UserError
from poolwright.machine.json_values import UTF_16, text_of
from poolwright.machine.packed import BEGIN
from poolwright.machine.recognition import is_capture, kind_of
from poolwright.store.project import PROJECT_HEAD
from poolwright.store.read_results import FORMATS
from poolwright.store.tool_files import CAPTURES, files_below
from poolwright.texts import N_, _

_HEAD_BYTES = 1 << 18
_MOST_LOOKED_AT = 200  # of a folder: the first that tells decides
_DESIGN = b'"poolwright-design"'
_JOB_FILES = (".fio", ".job", ".toml")
# Of JSON that is longer than what is looked at.
_CAPTURED = (b'"blockdevices"', b'"smartctl"', b'"json_format_version"', b'"vdevs"', b'"Devices"', b'"lbafs"')
_TAKES = N_("Poolwright opens captures, designs (JSON), projects, runs (ZIP) and what its tools and benchmarks print.")


class DroppedKind(StrEnum):
    CAPTURES = "captures"
    DESIGN = "design"
    MEASURED = "measured"
    PROJECT = "project"


def kind_of_paths(paths: Sequence[Path]) -> Generator[None, None, DroppedKind]:
    """Find out in steps what was dropped: the first file that can be told decides.

    Raises UserError where nothing of it is anything that can be opened here.
    """
    for path in paths:
        for file in islice(files_below(path, CAPTURES), _MOST_LOOKED_AT):
            yield
            found = _kind(file)
            if found is not None:
                return found
    shown = ", ".join(str(path) for path in paths[:3])
    raise UserError(_("This cannot be opened here"), where=shown, todo=_(_TAKES))


def _kind(file: Path) -> DroppedKind | None:
    try:
        with file.open("rb") as opened:
            head = opened.read(_HEAD_BYTES)
    except OSError:
        return None
    if head.startswith(b"PK"):
        return DroppedKind.MEASURED if zipfile.is_zipfile(file) else None
    if head.startswith(PROJECT_HEAD):
        return DroppedKind.PROJECT
    if head.lstrip()[:1] == b"{" and _DESIGN in head:
        return DroppedKind.DESIGN
    if head.startswith(b"\x1f\x8b"):
        return DroppedKind.CAPTURES if ".capture" in file.name else DroppedKind.MEASURED
    text = text_of(head)
    if is_capture(text) or BEGIN in text:
        return DroppedKind.CAPTURES
    if any(shape.looks_like(head, file.name) for shape in FORMATS[:2]):  # fio's own forms are sure
        return DroppedKind.MEASURED
    if _captured(head, text, file.name):
        return DroppedKind.CAPTURES
    measured = file.suffix.lower() in _JOB_FILES or any(shape.looks_like(head, file.name) for shape in FORMATS)
    return DroppedKind.MEASURED if measured and b"\0" not in head else None


def _captured(head: bytes, text: str, name: str) -> bool:
    if b"\0" in head[:8192] and not head.startswith(UTF_16):
        return False
    try:
        return kind_of(text, name) is not None
    except PoolwrightError:  # JSON, longer than what is looked at
        return any(sign in head for sign in _CAPTURED)
