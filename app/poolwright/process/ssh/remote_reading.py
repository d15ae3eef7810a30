"""A reading made on another machine, with root where that can be had; and whatever else runs there, as who one is."""

import os
import re
from dataclasses import replace
from typing import TypeVar

from poolwright.domain.command import Batch, Command, Completed, Ending, Reading
from poolwright.process.on_host import SshHost, answered, command_on, on_host
from poolwright.process.piped import Answers, Conversation, through
from poolwright.process.ssh.connecting import Visit, arrived
from poolwright.process.ssh.failures import Asker, lost
from poolwright.process.ssh.root import RootBy

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
            answers[place] = yield from _once_more(visit, batch[place])
    return tuple(answers)


def _once_more(visit: Visit, command: Command) -> Reading[Completed]:
    (raw,) = yield (command_on(command, visit.host),)
    answer = answered(raw, command)
    if answer.ending is Ending.LOST:
        raise lost(visit.host, answer)
    return answer


# Questions of OpenSSH that are no passwords: whether to trust a key. They are answered no, always.

_YES_NO = re.compile(r"\(yes/no|fingerprint|authenticity of host|Are you sure|\[y/n\]", re.IGNORECASE)


def is_confirmation(question: str) -> bool:
    """Tell whether a question wants yes or no, or is only shown (SSH_ASKPASS_PROMPT of OpenSSH 8.2)."""
    return os.environ.get("SSH_ASKPASS_PROMPT", "") in ("confirm", "none") or _YES_NO.search(question) is not None
