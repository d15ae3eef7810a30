"""Conversations on the command line: blocking, and Ctrl-C is a cancel that the conversation may answer."""

import time
from dataclasses import replace
from typing import TypeVar

from poolwright.domain.command import Completed, Ending, Reading
from poolwright.domain.disk import Note, NoteLevel
from poolwright.domain.host import Inventory
from poolwright.domain.shown import shown_text
from poolwright.machine.collect import read_machine
from poolwright.process.blocking import Runner, run_batch
from poolwright.process.on_host import SshHost
from poolwright.process.piped import Conversation, LetGo, Scene, Step, commands_of
from poolwright.process.ssh.connecting import Visit, arrived
from poolwright.process.ssh.failures import Asker
from poolwright.process.ssh.remote_reading import visiting
from poolwright.shipped import shipped
from poolwright.texts import _

_PAUSE_SECONDS = 0.02
_T = TypeVar("_T")


def converse(conversation: Conversation[_T], runner: Runner = run_batch) -> _T:
    """Run a conversation to its end and return its value; ``runner`` does what is neither watched nor stays.

    A first Ctrl-C ends what runs and lets the conversation return what it has; a second one is raised.
    """
    scene = Scene()
    stopped = False
    try:
        step = next(conversation)
        while True:
            try:
                answers = _answers(scene, step, runner, stopped=stopped)
            except KeyboardInterrupt:
                if stopped:
                    raise
                stopped = True
                answers = _ended(scene, step)
            step = conversation.send(answers)
    except StopIteration as stop:
        value: _T = stop.value
        return value
    finally:
        conversation.close()
        scene.leave()


def _answers(scene: Scene, step: Step, runner: Runner, *, stopped: bool) -> tuple[Completed, ...]:
    if stopped and not isinstance(step, LetGo):
        return not_begun(step)
    if isinstance(step, tuple):
        return runner(step) if step else ()
    scene.begin(step)
    return _awaited(scene)


def _awaited(scene: Scene) -> tuple[Completed, ...]:
    while scene.answers is None:
        if not scene.move():
            time.sleep(_PAUSE_SECONDS)
    return scene.answers


def _ended(scene: Scene, step: Step) -> tuple[Completed, ...]:
    if isinstance(step, tuple):
        return not_begun(step)
    scene.cancel()
    return _awaited(scene)


def not_begun(step: Step) -> tuple[Completed, ...]:
    return tuple(Completed(command=command, ending=Ending.CANCELLED) for command in commands_of(step))


# Reading a machine over SSH: the same conversation as for this one, and what was missing there for want of root.


def read_host(host: SshHost, asker: Asker | None = None) -> Reading[Inventory]:
    """Read a machine over SSH; a conversation that returns its inventory, and ends the connection however it ends.

    Every command only reads. Raises `SshFailure` where it is not reached or lost, and what `read_machine` raises.
    ``asker`` asks for passwords; None asks for nothing.
    """
    visit = yield from arrived(host, asker)
    try:
        found = yield from visiting(visit, read_machine(name=shown_text(host.name)))
    finally:
        visit.leave()
    note = _without_root(visit)
    return found if note is None else replace(found, notes=(note, *found.notes))


def _without_root(visit: Visit) -> Note | None:
    """Return the note on what is not known because it was read without root; None where all was read as root."""
    programs, told = visit.without_root, {entry["kind"]: entry["why"] for entry in shipped("ssh")["without_root"]}
    if not programs or visit.rights.by not in told:
        return None
    facts = "; ".join(_(told.get(program, program)) for program in programs)
    return Note(text=_("{why}. Not known: {facts}.", why=_(told[visit.rights.by]), facts=facts), level=NoteLevel.WARN)
