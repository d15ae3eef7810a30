"""Where disks come from: each source ends with a new inventory in the session, or with a text that says why not."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.estimate import Origin
from poolwright.domain.host import Inventory
from poolwright.jobs.job import Asking, Job
from poolwright.paths import resources_folder, shipped_text
from poolwright.texts import _, per_language
from poolwright.ui.state.work import with_more

if TYPE_CHECKING:
    from poolwright.ui.state.session import Session


@per_language
@cache
def example(name: str) -> Inventory:
    """Return an example machine; raises UserError for an unknown name, EnvironmentFailure for a missing file."""
    from poolwright.machine.examples import example_file, load_example

    return load_example(name, shipped_text(resources_folder() / "machines" / example_file(name)))


_LONGEST_TYPED = 2000


def typed_disks(text: str) -> Inventory:
    from poolwright.machine.typed.read import read_typed

    return read_typed([text], name=_("typed disks"))


def is_typed(inventory: Inventory | None) -> bool:
    return inventory is not None and inventory.name == _("typed disks")


def is_output(text: str) -> bool:
    """Tell whether a tool printed this, rather than that somebody types disks, whose lines begin with a number."""
    from poolwright.machine.recognition import kind_of

    first = text.lstrip()[:1]
    return (
        first in {"{", "["}
        or len(text) > _LONGEST_TYPED
        or ("\n" in text.strip() and (not first.isdigit() or kind_of(text, "") is not None))
    )


Pieces = tuple[Path | str, ...]  # what a machine is read from: files, and texts that were pasted


def reading_job(pieces: Pieces, parent: QObject) -> Job:
    from poolwright.jobs.worker_job import WorkerJob
    from poolwright.questions import read_captures

    target = str(pieces[0]) if isinstance(pieces[0], Path) else _("pasted text")
    return WorkerJob(_("Reading the capture"), target, parent, read_captures, pieces)


class Sources(QObject):
    """Opens inventories for the session. ``opened`` follows success.

    ``busy_changed`` is sent when reading begins and when it ends.
    """

    opened = Signal()
    busy_changed = Signal(bool)

    def __init__(self, session: "Session") -> None:
        super().__init__(session)
        self._session = session
        self.refusal = ""  # why the last reading was not made as administrator, where that was asked for
        self._pieces: Pieces = ()
        self._origin: Origin | None = None  # of the machine that was read from the pieces
        self._asking = Asking(session.jobs, self, self._on_read, session.complain)
        self._asking.ended.connect(self._on_ended)
        self._again = Asking(session.jobs, self, self._on_read_again)

    @property
    def busy(self) -> bool:
        return self._asking.busy

    def open_example(self, name: str) -> None:
        try:
            self._begin(example(name), made_up=True)
        except PoolwrightError as error:
            self._session.complain(error.text)

    def read_this_machine(self) -> None:
        from poolwright.jobs.command_job import CommandJob
        from poolwright.machine.collect import read_machine

        self.refusal = ""
        self._start(CommandJob(_("Reading this machine"), _("this machine"), read_machine(), self))

    def read_as_administrator(self) -> None:
        """Do the same with what only root is told; refused, the reading goes on and ``refusal`` says why."""
        from poolwright.jobs.command_job import CommandJob
        from poolwright.machine.collect import read_machine
        from poolwright.process.administrator import as_administrator

        self.refusal = ""
        reading = as_administrator(read_machine(), self._on_refused)
        self._start(CommandJob(_("Reading this machine as administrator"), _("this machine"), reading, self))

    def _on_refused(self, why: str) -> None:
        self.refusal = why

    def take_read(self, inventory: Inventory, pieces: Pieces = ()) -> None:
        """Take a machine that was read from that; where more joined the one in front, ticks and typed disks stay."""
        inventory = self._session.library.with_burn_ins(inventory)
        self._session.take_burn_ins(inventory)
        more = self._machine is not None and pieces[:-1] == self._pieces
        self._pieces, self._origin = pieces, inventory.origin
        if more and self._session.design is None:
            self._session.put(with_more(self._session.work, inventory))
            self.opened.emit()
        else:
            self._begin(inventory)

    def retell(self, choose: Callable[[], object]) -> None:
        """Choose another language, and read what is in front once more for its notes; a live machine keeps them."""
        inventory, typed, read = self._session.inventory, is_typed(self._session.inventory), self._machine
        choose()
        if inventory is not None and typed:
            self._renew(replace(inventory, name=_("typed disks")))
        elif inventory is not None and any((disk.serial or "").startswith("EXAMPLE") for disk in inventory.disks[:1]):
            self._renew(example(inventory.name))
        elif inventory is read is not None:
            self._again.ask(reading_job(self._pieces, self))

    def _on_read_again(self, read: tuple[Inventory, Pieces]) -> None:
        if read[1] == self._pieces and self._session.inventory is self._machine:  # no other came meanwhile
            self._renew(read[0])

    def _renew(self, read: Inventory) -> None:
        if (old := self._session.inventory) is not None:
            notes = {disk.key: disk.notes for disk in read.disks}
            disks = tuple(replace(disk, notes=notes.get(disk.key, disk.notes)) for disk in old.disks)
            new = replace(old, name=read.name, notes=read.notes, disks=disks)
            self._session.put(replace(self._session.work, inventory=new))

    def joined(self, text: str) -> Pieces:
        """Return what the machine in front was read from and this text, alone where it is a machine by itself."""
        from poolwright.machine.recognition import is_machine

        machine = self._machine
        return (text,) if machine is None or is_machine(text, listed=machine.tells_uses) else (*self._pieces, text)

    @property
    def _machine(self) -> Inventory | None:
        """Return the machine that was read from the pieces, where it is in front still, or at hand."""
        work = self._session.work
        known = (work.inventory, work.at_hand.inventory if work.at_hand is not None else None)
        there = (machine for machine in known if machine is not None and machine.origin is self._origin)
        return next(there, None) if self._pieces else None

    def open_captures(self, paths: Sequence[str | Path]) -> None:
        if paths:
            self._open(tuple(map(Path, paths)))

    def open_pasted(self, text: str) -> None:
        self._open(self.joined(text))

    def _open(self, pieces: Pieces) -> None:
        self._start(reading_job(pieces, self))

    def cancel(self) -> None:
        self._asking.cancel()

    def _start(self, job: Job) -> None:
        self._asking.ask(job)
        self.busy_changed.emit(True)

    def _on_ended(self) -> None:
        self.busy_changed.emit(False)

    def _on_read(self, read: Inventory | tuple[Inventory, Pieces]) -> None:
        self.take_read(*(read if isinstance(read, tuple) else (read,)))

    def _begin(self, inventory: Inventory, *, made_up: bool = False) -> None:
        if self._session.receive(inventory, example=made_up):
            self.opened.emit()


# Designs as files: opened into the session, saved from it.

SUFFIX = ".json"


def read_design(path: Path) -> tuple[Design, dict[str, int] | None]:
    """Return the design in a file with the sums of the rules it was saved under, where it tells them; raises UserError
    where it cannot be read or is none.
    """
    from poolwright.store.design_file import from_json, rules_in
    from poolwright.store.tool_files import text_of

    text = text_of(path)
    return from_json(text, where=str(path)), rules_in(text)


def file_name(design: Design) -> str:
    """Return a name for the design's file that every file system takes."""
    kept = "".join(c if c.isalnum() or c in " ._-" else "-" for c in design.name).strip(" .-")
    return f"{kept[:80] or 'design'}{SUFFIX}"
