"""Machines over SSH: which are offered, which are being read, and what became of each; one disturbs no other."""

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from poolwright.domain.command import Reading
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.host import Inventory
from poolwright.domain.shown import shown_text
from poolwright.jobs.command_job import CommandJob
from poolwright.jobs.job import Asking, Job, JobPhase
from poolwright.process.on_host import SshHost, command_on
from poolwright.process.piped import own_program
from poolwright.process.ssh import (
    ASKPASS,
    WINDOW,
    Asker,
    SshFailure,
    SshWay,
    asks_way,
    configured_hosts,
    read_host,
    way_of,
)
from poolwright.texts import N_, _

if TYPE_CHECKING:
    from poolwright.ui.state.session import Session

MOST_AT_ONCE = 12


class HostPhase(StrEnum):
    OFFERED = N_("not read")
    WAITING = N_("waits")
    READING = N_("is being read")
    READ = N_("read")
    FAILED = N_("failed")
    CANCELLED = N_("cancelled")


@dataclass(frozen=True, slots=True, kw_only=True)
class HostRow:
    """A host and what became of it. ``typed`` says that it is none of ~/.ssh/config."""

    name: str
    typed: bool = False
    phase: HostPhase = HostPhase.OFFERED
    fraction: float | None = None
    way: SshWay | None = None
    inventory: Inventory | None = None
    error: Exception | None = None

    @property
    def busy(self) -> bool:
        return self.phase in (HostPhase.WAITING, HostPhase.READING)

    @property
    def failure(self) -> PoolwrightError | None:
        return self.error if isinstance(self.error, PoolwrightError) else None

    @property
    def command(self) -> str:
        return self.error.command if isinstance(self.error, SshFailure) else ""


class Hosts(QObject):
    """``changed`` follows whatever becomes of a host. Nothing is kept but the names that were typed."""

    changed = Signal()

    def __init__(self, session: "Session", parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._rows: dict[str, HostRow] = {}
        self._jobs: dict[str, Job] = {}
        self._opens: str | None = None  # this one is opened as soon as it was read
        self._way_of = ""
        self._config: Path | None = None
        self._ways = Asking(session.jobs, self, self._on_way)
        self.look()

    @property
    def rows(self) -> tuple[HostRow, ...]:
        return tuple(self._rows.values())

    def row(self, name: str) -> HostRow | None:
        return self._rows.get(name)

    def use(self, config: Path) -> None:
        """Offer the hosts of another configuration than ~/.ssh/config, and reach them by it."""
        self._config = config
        self.look()

    def look(self) -> None:
        """Read again which hosts are configured; what became of them stays."""
        typed = self._session.preferences.typed_hosts
        names = dict.fromkeys((*configured_hosts(self._config), *typed))
        self._rows = {name: self._rows.get(name, HostRow(name=name, typed=name in typed)) for name in names}
        self.changed.emit()

    def add(self, name: str) -> str:
        """Offer a host that was typed, and remember its name; return it as it is listed. Raises UserError."""
        name = name.strip().removeprefix("ssh ").strip()
        command_on(asks_way(SshHost(name="any")), SshHost(name=name))  # raises for what is no name
        if name not in self._rows:
            self._rows[name] = HostRow(name=name, typed=True)
            self._keep_typed()
            self.changed.emit()
        return name

    def forget(self, name: str) -> None:
        row = self._rows.get(name)
        if row is not None and row.typed and not row.busy:
            del self._rows[name]
            self._keep_typed()
            self.changed.emit()

    def read(self, names: tuple[str, ...]) -> None:
        """Read these side by side; one alone is opened when it was read."""
        self._opens = names[0] if len(names) == 1 else None
        for name in names:
            row = self._rows.get(name)
            if row is not None and not row.busy:
                self._put(replace(row, phase=HostPhase.WAITING, error=None, fraction=None))
        self._begin_some()

    def cancel(self, name: str) -> None:
        job, row = self._jobs.get(name), self._rows.get(name)
        if job is not None:
            job.cancel()
        elif row is not None and row.phase is HostPhase.WAITING:
            self._put(replace(row, phase=HostPhase.CANCELLED))

    def open(self, name: str) -> None:
        row = self._rows.get(name)
        if row is not None and row.inventory is not None:
            self._session.sources.take_read(row.inventory)

    def ask_way(self, name: str) -> None:
        """Find out how OpenSSH reaches a host; nothing is connected to."""
        row = self._rows.get(name)
        if row is None or row.way is not None:
            return
        self._way_of = name
        self._ways.ask(CommandJob(_("Checking how it is reached"), "ssh -G", _way(self.host(name)), self))

    def _on_way(self, way: object) -> None:
        row = self._rows.get(self._way_of)
        if row is not None and isinstance(way, SshWay):
            self._put(replace(row, way=way))

    def host(self, name: str) -> SshHost:
        return SshHost(name=name, options=() if self._config is None else ("-F", str(self._config)))

    def _keep_typed(self) -> None:
        self._session.preferences.typed_hosts = tuple(row.name for row in self.rows if row.typed)

    def _put(self, row: HostRow) -> None:
        if row.name in self._rows:
            self._rows[row.name] = row
            self.changed.emit()

    def _begin_some(self) -> None:
        for row in self.rows:
            if len(self._jobs) >= MOST_AT_ONCE:
                return
            if row.phase is HostPhase.WAITING:
                self._begin(row)

    def _begin(self, row: HostRow) -> None:
        title, reading = _("Reading {host}", host=shown_text(row.name)), read_host(self.host(row.name), window_asker())
        job = CommandJob(title, f"ssh {row.name}", reading, self)
        job.setProperty("host", row.name)
        self._jobs[row.name] = job
        job.state_changed.connect(self._on_moved)
        job.ended.connect(self._on_ended)
        self._put(replace(row, phase=HostPhase.READING))
        self._session.jobs.add(job)

    def _on_moved(self) -> None:
        name = str(self.sender().property("host"))
        job, row = self._jobs.get(name), self._rows.get(name)
        if job is not None and row is not None and not job.state.ended:
            self._put(replace(row, fraction=job.state.fraction))

    def _on_ended(self) -> None:
        name = str(self.sender().property("host"))
        job, row = self._jobs.pop(name), self._rows.get(name)
        if row is not None:
            self._put(_ended(row, job))
        if job.state.phase is JobPhase.SUCCEEDED and self._opens == name:
            self._opens = None
            self.open(name)
        self._begin_some()


def window_asker() -> Asker:
    return Asker(argv=(*own_program(ASKPASS), WINDOW))


def _ended(row: HostRow, job: Job) -> HostRow:
    if job.state.phase is JobPhase.SUCCEEDED and isinstance(job.result, Inventory):
        return replace(row, phase=HostPhase.READ, fraction=1.0, inventory=job.result)
    if job.state.phase is JobPhase.FAILED:
        return replace(row, phase=HostPhase.FAILED, fraction=None, error=job.state.error)
    return replace(row, phase=HostPhase.CANCELLED, fraction=None)


def _way(host: SshHost) -> Reading[SshWay | None]:
    (answer,) = yield (asks_way(host),)
    return way_of(answer)
