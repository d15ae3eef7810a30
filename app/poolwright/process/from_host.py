"""Reading a machine over SSH: the same conversation as for this one, and what was missing there for want of root."""

from dataclasses import replace

from poolwright.domain.command import Reading
from poolwright.domain.disk import Note, NoteLevel
from poolwright.domain.inventory import Inventory
from poolwright.domain.shown import shown_text
from poolwright.machine.collect import read_machine
from poolwright.process.on_host import SshHost
from poolwright.process.ssh.arriving import Visit, arrived
from poolwright.process.ssh.failures import Asker
from poolwright.process.ssh.root import RootBy
from poolwright.process.ssh.visiting import visiting
from poolwright.texts import marked, tell

# What a program tells only to root.
_MISSING_FACTS = {
    "smartctl": marked("health, hours, temperature and SMART's sector sizes (smartctl)"),
    "zpool": marked("pools that are exported (zpool import)"),
    "nvme": marked("the formats that NVMe drives offer (nvme id-ns)"),
}
_WHY = {
    RootBy.NOT: marked("You are not root there, and there is no sudo"),
    RootBy.PERHAPS: marked("You are not root there, and sudo wants a password"),
    RootBy.PASSWORD: marked("sudo there does not let you run all that needs root"),
}


def read_host(host: SshHost, asker: Asker | None = None, *, look_for_exported: bool = True) -> Reading[Inventory]:
    """Read a machine over SSH; a conversation that returns its inventory, and ends the connection however it ends.

    Every command only reads. Raises `SshFailure` where it is not reached or lost, and what `read_machine` raises.
    ``asker`` asks for passwords; None asks for nothing.
    """
    visit = yield from arrived(host, asker)
    try:
        reading = read_machine(name=shown_text(host.name), look_for_exported=look_for_exported)
        found = yield from visiting(visit, reading)
    finally:
        visit.leave()
    note = _without_root(visit)
    return found if note is None else replace(found, notes=(note, *found.notes))


def _without_root(visit: Visit) -> Note | None:
    """Return the note on what is not known because it was read without root; None where all was read as root."""
    programs = visit.without_root
    if not programs or visit.rights.by not in _WHY:
        return None
    facts = "; ".join(tell(_MISSING_FACTS.get(program, program)) for program in programs)
    return Note(
        text=tell("{why}. Not known are therefore: {facts}.", why=tell(_WHY[visit.rights.by]), facts=facts),
        level=NoteLevel.WARN,
    )
