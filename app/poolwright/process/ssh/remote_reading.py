"""A reading made on another machine, with root where that can be had; and whatever else runs there, as who one is."""

import os
import re
from dataclasses import replace
from typing import TypeVar

from poolwright.domain.command import Batch, Completed, Ending, Reading
from poolwright.domain.host import Inventory
from poolwright.domain.shown import shown_text
from poolwright.machine.collect import read_machine
from poolwright.machine.remarks import warning
from poolwright.process.on_host import SshHost, answered, command_on, on_host
from poolwright.process.piped import Answers, Conversation, through
from poolwright.process.ssh.connecting import Asker, RootBy, Visit, arrived, lost
from poolwright.shipped import shipped
from poolwright.texts import _

_T = TypeVar("_T")


def visiting(visit: Visit, reading: Reading[_T]) -> Reading[_T]:
    """Return a reading that runs there what another one asks for, and gives it the answers as its own.

    What sudo refuses is run without it, and kept in `Visit.without_root`. Raises `SshFailure` where the connection is
    lost; what one of many sessions at once was refused is asked again alone.
    """

    def there(batch: Batch) -> Reading[Answers]:
        return (yield from _there(visit, batch)) if batch else (yield ())

    return through(reading, there)


def visited(conversation: Conversation[_T], host: SshHost, asker: Asker | None = None) -> Conversation[_T]:
    """Return a conversation that reaches ``host``, is another one there (see `on_host`), and leaves however it ends.

    Raises `SshFailure` where the host is not reached. Nothing in it becomes root.
    """
    try:
        visit = yield from arrived(host, asker)
    except BaseException:
        conversation.close()
        raise
    try:
        return (yield from on_host(conversation, visit.host))
    finally:
        visit.leave()


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
    programs, told = visit.without_root, {entry["kind"]: entry["why"] for entry in shipped("ssh")["without_root"]}
    if not programs or visit.rights.by not in told:  # all was read as root
        return found
    facts = "; ".join(_(told.get(program, program)) for program in programs)
    note = warning(_("{why}. Not known: {facts}.", why=_(told[visit.rights.by]), facts=facts))
    return replace(found, notes=(note, *found.notes))


def _there(visit: Visit, batch: Batch) -> Reading[tuple[Completed, ...]]:
    answers = yield from _sent(visit, tuple(visit.rights.with_sudo(command) for command in batch))
    again = [place for place, answer in enumerate(answers) if batch[place].needs_root and visit.rights.refused(answer)]
    never = visit.rights.by is RootBy.NOT
    alone = [command for place, command in enumerate(batch) if command.needs_root and (never or place in again)]
    visit.without_root |= dict.fromkeys(command.program for command in alone)
    found = list(answers)
    if again:
        for place, answer in zip(again, (yield from _sent(visit, tuple(batch[p] for p in again))), strict=True):
            found[place] = answer
    return tuple(replace(answer, command=command) for answer, command in zip(found, batch, strict=True))


def _sent(visit: Visit, batch: Batch) -> Reading[tuple[Completed, ...]]:
    raw = yield tuple(command_on(command, visit.host) for command in batch)
    answers = [answered(answer, command) for answer, command in zip(raw, batch, strict=True)]
    for place, answer in enumerate(answers):
        if answer.ending is Ending.LOST:
            (again,) = yield (command_on(batch[place], visit.host),)
            answers[place] = answered(again, batch[place])
            if answers[place].ending is Ending.LOST:
                raise lost(visit.host, answers[place])
    return tuple(answers)


# Questions of OpenSSH that are no passwords: whether to trust a key. They are answered no, always.

_YES_NO = re.compile(r"\(yes/no|fingerprint|authenticity of host|Are you sure|\[y/n\]", re.IGNORECASE)


def is_confirmation(question: str) -> bool:
    """Tell whether a question wants yes or no, or is only shown (SSH_ASKPASS_PROMPT of OpenSSH 8.2)."""
    return os.environ.get("SSH_ASKPASS_PROMPT", "") in ("confirm", "none") or _YES_NO.search(question) is not None
