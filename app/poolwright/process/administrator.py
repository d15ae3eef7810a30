"""Reading as administrator: what needs root is answered by a small helper that pkexec runs, all else as ever.

The helper (`poolwright-read-disks`, a shell script of root's) takes questions of a closed list on standard input, so
that one password is enough for a whole batch. Where it is not installed, or a person refuses, the same commands run
without rights: the reading goes on with what they tell.
"""

import os
import re
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from poolwright.domain.command import Batch, Command, Completed, Ending, Reading
from poolwright.process.piped import Answers, through
from poolwright.texts import _

HELPER = Path("/usr/lib/poolwright/poolwright-read-disks")
_GREETING = b"poolwright-read-disks 1\n"
_HEAD = re.compile(rb"@ (\d{1,3}) (\d{1,10}) (\d{1,10})\n")
_REFUSED, _NO_AGENT = 126, 127  # what pkexec ends with: dismissed or not allowed; nobody to ask, or no helper
_TIMED_OUT = frozenset({124, 137})  # of timeout(1): ended, and killed
_QUESTION_REFUSED = 126
_PASSWORD_SECONDS, _QUESTIONS_AT_ONCE = 300.0, 8
_SMARTCTL = re.compile(r"smartctl(?P<json> --json)? -x(?: -d (?P<type>\S+))? (?P<disk>/dev/\S+)")
_WORD = re.compile(r"[A-Za-z0-9/,+_-]+")
_PLAIN = {
    ("smartctl", "--scan", "--json"): "smartctl-scan",
    ("zpool", "import"): "zpool-import",
    ("multipath", "-ll"): "multipath",
    ("zdb", "-C"): "zdb-config",
}
_T = TypeVar("_T")


def helper_problem(helper: Path = HELPER) -> str | None:
    """Return why the helper cannot be trusted with root's rights; None where it and all above it are root's alone."""
    for place in (helper, *helper.parents):
        try:
            found = place.lstat()
        except OSError:
            return _("the helper {helper} is not installed: it comes with the Debian package", helper=str(helper))
        right = stat.S_ISREG(found.st_mode) if place == helper else stat.S_ISDIR(found.st_mode)
        if not right or found.st_uid != 0 or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return _("{place} is not root's alone, so the helper is not run", place=str(place))
    return None


def question_of(command: Command) -> str | None:
    """Return a command as a question of the helper; None where the helper does not answer such."""
    if not command.needs_root or not all(_WORD.fullmatch(word) for word in command.argv):
        return None
    if command.argv[:-1] == ("nvme", "id-ns", "-o", "json"):
        return f"nvme-id-ns {command.argv[-1]}"
    found = _SMARTCTL.fullmatch(" ".join(command.argv))
    if found is None:
        return _PLAIN.get(command.argv)
    verb = "smartctl" if found["json"] else "smartctl-text"
    return " ".join(part for part in (verb, found["disk"], found["type"]) if part)


def as_administrator(
    reading: Reading[_T], refused: Callable[[str], None], *, front: Sequence[str] = ("pkexec",), helper: Path = HELPER
) -> Reading[_T]:
    """Return a reading whose questions for root are answered by the helper; for who is root already, the same one.

    ``refused`` is told once, in a sentence for people, why the answers came without rights instead.
    """
    if os.geteuid() == 0 and tuple(front) == ("pkexec",):
        return (yield from reading)
    problem = helper_problem(helper) if tuple(front) == ("pkexec",) else None
    if problem is not None:
        refused(problem)
        return (yield from reading)
    trusted = True

    def there(batch: Batch) -> Reading[Answers]:
        nonlocal trusted
        asked = tuple(command for command in batch if trusted and question_of(command))
        if not asked:
            return (yield batch)
        others = tuple(command for command in batch if command not in asked)
        *rest, answer = yield (*others, _call(asked, (*front, str(helper))))
        found = _answers(asked, answer)
        if found is None:
            trusted = False
            refused(_why(answer))
            found = yield asked
        known = dict(zip((*others, *asked), (*rest, *found), strict=True))
        return tuple(known[command] for command in batch)

    return (yield from through(reading, there))


def _call(asked: Sequence[Command], argv: tuple[str, ...]) -> Command:
    lines = "".join(f"{question_of(command)}\n" for command in asked)
    waves = -(-len(asked) // _QUESTIONS_AT_ONCE)
    slowest = max(command.timeout_seconds for command in asked)
    return Command(argv=argv, stdin=lines.encode("ascii"), timeout_seconds=_PASSWORD_SECONDS + waves * slowest)


def _answers(asked: Sequence[Command], answer: Completed) -> tuple[Completed, ...] | None:
    """Return what the helper said to each question; None where it did not answer at all.

    A question without an answer, because the helper was ended before it, is told as a program that was killed.
    """
    if not answer.stdout.startswith(_GREETING):
        return None
    place, found = len(_GREETING), []
    for command in asked:
        head = _HEAD.match(answer.stdout, place)
        if head is None:
            break
        status, out, err = (int(number) for number in head.groups())
        middle = head.end() + out
        if middle + err > len(answer.stdout):
            break
        place = middle + err
        found.append(_completed(command, status, answer.stdout[head.end() : middle], answer.stdout[middle:place]))
    lost = tuple(Completed(command=command, ending=Ending.KILLED) for command in asked[len(found) :])
    return (*found, *lost)


def _completed(command: Command, status: int, out: bytes, err: bytes) -> Completed:
    if status in _TIMED_OUT:
        return Completed(command=command, ending=Ending.TIMED_OUT, stdout=out, stderr=err)
    if status == _QUESTION_REFUSED and not out:
        return Completed(command=command, ending=Ending.NOT_PERMITTED, stderr=err)
    return Completed(command=command, ending=Ending.EXITED, status=status, stdout=out, stderr=err)


def _why(answer: Completed) -> str:
    if answer.ending is Ending.NOT_FOUND:
        return _("pkexec, which asks for the password, is not installed")
    if answer.ending is Ending.TIMED_OUT:
        return _("nobody answered the question for the password")
    if answer.ending is Ending.EXITED and answer.status == _REFUSED:
        return _("the request was refused or dismissed")
    if answer.ending is Ending.EXITED and answer.status == _NO_AGENT:
        return _("nobody can ask for the password here, or this user may not be administrator")
    return answer.complaint or _("the helper said nothing")
