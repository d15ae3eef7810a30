"""Where disks come from: each source ends with a new inventory in the session, or with a text that says why not."""

import zipfile
from collections.abc import Generator, Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from poolwright.domain.design import Design
from poolwright.domain.errors import EnvironmentFailure, PoolwrightError, UserError
from poolwright.domain.inventory import Inventory
from poolwright.domain.steps import at_each
from poolwright.jobs.job import Asking, Job, SlicedJob
from poolwright.machine.examples import example_file, load_example
from poolwright.machine.packed import BEGIN
from poolwright.machine.pieces import is_capture, kind_of
from poolwright.paths import resources_folder
from poolwright.store.design_file import from_json, to_json
from poolwright.store.files import write_text
from poolwright.store.read_results import FORMATS
from poolwright.store.tool_files import FileLimits, files_below
from poolwright.texts import marked, tell, told_once

if TYPE_CHECKING:
    from poolwright.ui.state.session import Session


@told_once
@cache
def example(name: str) -> Inventory:
    """Return an example machine; raises UserError for an unknown name, EnvironmentFailure for a missing file."""
    path = resources_folder() / "machines" / example_file(name)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise EnvironmentFailure(
            tell("The example machine cannot be read: {strerror}", strerror=error.strerror), where=str(path)
        ) from error
    return load_example(name, text)


class Sources(QObject):
    """Opens inventories for the session. ``opened`` follows success, ``failed`` carries the text for people.

    ``busy_changed`` is sent when reading begins and when it ends.
    """

    opened = Signal()
    failed = Signal(str)
    busy_changed = Signal(bool)

    def __init__(self, session: "Session") -> None:
        super().__init__(session)
        self._session = session
        self.refusal = ""  # why the last reading was not made as administrator, where that was asked for
        self._asking = Asking(session.jobs, self)
        self._asking.answered.connect(self._begin)
        self._asking.failed.connect(self.failed)
        self._asking.ended.connect(self._on_ended)

    @property
    def busy(self) -> bool:
        """Tell whether a source is being read."""
        return self._asking.busy

    def open_example(self, name: str) -> None:
        try:
            self._begin(example(name), made_up=True)
        except PoolwrightError as error:
            self.failed.emit(error.text)

    def take_typed(self, text: str) -> None:
        """Begin with disks typed by hand, such as “12 x 16TB CMR SATA”."""
        from poolwright.machine.typed.read import read_typed

        try:
            self._begin(read_typed([text], name=tell("shopping list")))
        except PoolwrightError as error:
            self.failed.emit(error.text)

    def read_this_machine(self) -> None:
        """Begin with the disks of this machine; every command only reads."""
        from poolwright.jobs.command_job import CommandJob
        from poolwright.machine.collect import read_machine

        self.refusal = ""
        self._start(CommandJob(tell("Reading this machine"), tell("this machine"), read_machine(), self))

    def read_as_administrator(self) -> None:
        """Do the same with what only root is told; refused, the reading goes on and ``refusal`` says why."""
        from poolwright.jobs.command_job import CommandJob
        from poolwright.machine.collect import read_machine
        from poolwright.process.administrator import as_administrator

        self.refusal = ""
        reading = as_administrator(read_machine(), self._on_refused)
        self._start(CommandJob(tell("Reading this machine as administrator"), tell("this machine"), reading, self))

    def _on_refused(self, why: str) -> None:
        self.refusal = why

    def take_read(self, inventory: Inventory) -> None:
        """Begin with a machine that was read elsewhere."""
        self._begin(inventory)

    def open_captures(self, paths: Sequence[Path]) -> None:
        """Begin with what files and folders of tool output tell."""
        if paths:
            self._start(SlicedJob(tell("Reading the capture"), str(paths[0]), _captures(tuple(paths)), self))

    def open_pasted(self, text: str) -> None:
        self._start(SlicedJob(tell("Reading what was pasted"), tell("pasted text"), _pasted(text), self))

    def cancel(self) -> None:
        """Stop reading; the session keeps what it had."""
        self._asking.cancel()

    def _start(self, job: Job) -> None:
        self._asking.ask(job)
        self.busy_changed.emit(True)

    def _on_ended(self) -> None:
        self.busy_changed.emit(False)

    def _begin(self, inventory: Inventory, *, made_up: bool = False) -> None:
        if self._session.receive(inventory, example=made_up):
            self.opened.emit()


def _pasted(text: str) -> Generator[float | None, None, Inventory]:
    from poolwright.store.capture_files import open_pasted_in_steps

    yield None
    return (yield from at_each(open_pasted_in_steps(text), lambda _: None))


def _captures(paths: tuple[Path, ...]) -> Generator[float | None, None, Inventory]:
    from poolwright.store.capture_files import open_captures_in_steps

    yield None
    # How many files there are is known at the end.
    return (yield from at_each(open_captures_in_steps(paths), lambda _: None))


# What files and folders that were dropped are: designs, captures, or results and runs of measurements.

_HEAD_BYTES = 1 << 18
_MOST_FILES = 5000
_MOST_LOOKED_AT = 200  # of a folder: the first that tells decides
_DESIGN = b'"poolwright-design"'
_JOB_FILES = (".fio", ".job", ".toml")
# Of JSON that is longer than what is looked at.
_CAPTURED = (b'"blockdevices"', b'"smartctl"', b'"json_format_version"', b'"vdevs"', b'"Devices"', b'"lbafs"')
_TAKES = marked(
    "Poolwright opens captures (lsblk, smartctl, nvme, zpool, the collector), designs (JSON), runs (ZIP), and results "
    "of fio, bonnie++, dd, sar, zpool iostat and zdb."
)


class DroppedKind(StrEnum):
    CAPTURES = "captures"
    DESIGN = "design"
    MEASURED = "measured"


def kind_of_paths(paths: Sequence[Path]) -> Generator[None, None, DroppedKind]:
    """Find out in steps what was dropped: the first file that can be told decides.

    Raises UserError where nothing of it is anything that can be opened here.
    """
    looked = 0
    for path in paths:
        for file in files_below(path, FileLimits(bytes=_HEAD_BYTES, files=_MOST_FILES, todo="")):
            yield
            looked += 1
            found = _kind(file)
            if found is not None:
                return found
            if looked >= _MOST_LOOKED_AT:
                break
    shown = ", ".join(str(path) for path in paths[:3])
    raise UserError(tell("Nothing of this can be opened here"), where=shown, todo=tell(_TAKES))


def _kind(file: Path) -> DroppedKind | None:
    try:
        with file.open("rb") as opened:
            head = opened.read(_HEAD_BYTES)
    except OSError:
        return None
    if head.startswith(b"PK"):
        return DroppedKind.MEASURED if zipfile.is_zipfile(file) else None
    if head.lstrip()[:1] == b"{" and _DESIGN in head:
        return DroppedKind.DESIGN
    if head.startswith(b"\x1f\x8b"):
        return DroppedKind.CAPTURES if ".capture" in file.name else DroppedKind.MEASURED
    text = head.decode("utf-16" if head.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8", "replace")
    if is_capture(text) or BEGIN in text:
        return DroppedKind.CAPTURES
    if any(shape.looks_like(head, file.name) for shape in FORMATS[:2]):  # fio's own forms are sure
        return DroppedKind.MEASURED
    if _captured(head, text, file.name):
        return DroppedKind.CAPTURES
    measured = file.suffix.lower() in _JOB_FILES or any(shape.looks_like(head, file.name) for shape in FORMATS)
    return DroppedKind.MEASURED if measured and b"\0" not in head else None


def _captured(head: bytes, text: str, name: str) -> bool:
    if b"\0" in head[:8192] and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return False
    try:
        return kind_of(text, name) is not None
    except PoolwrightError:  # JSON, longer than what is looked at
        return any(sign in head for sign in _CAPTURED)


# Designs as files: opened into the session, saved from it.

SUFFIX = ".json"
LARGEST_BYTES = 64 << 20


def read_design(path: Path) -> Design:
    """Return the design in a file.

    Raises EnvironmentFailure where the file cannot be read, UserError where it is too large or no design.
    """
    try:
        size = path.stat().st_size
        if size > LARGEST_BYTES:
            raise UserError(
                tell("The file is too large to be a design: {size} MiB", size=size >> 20),
                where=str(path),
                todo=tell("Open captures from the start page instead."),
            )
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        reason = error.strerror or str(error)
        raise EnvironmentFailure(tell("The design cannot be read: {reason}", reason=reason), where=str(path)) from error
    except UnicodeDecodeError:
        raise UserError(tell("The file is not a design: it is not UTF-8 text"), where=str(path)) from None
    return from_json(text, where=str(path))


def write_design(design: Design, path: Path) -> Path:
    """Write the design to a file and return its path, with .json added where it has no suffix."""
    path = path if path.suffix else path.with_suffix(SUFFIX)
    write_text(path, to_json(design))
    return path


def file_name(design: Design) -> str:
    """Return a name for the design's file that every file system takes."""
    kept = "".join(c if c.isalnum() or c in " ._-" else "-" for c in design.name).strip(" .-")
    return f"{kept[:80] or 'design'}{SUFFIX}"
