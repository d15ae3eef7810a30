"""Why a repeat failed, in words."""

import re

from poolwright.bench.profiles.profile import Engine
from poolwright.bench.running import commands
from poolwright.domain.command import Completed, Ending
from poolwright.texts import marked, tell

_STATUSES = {
    commands.GONE: marked("The directory was removed while the run was under way."),
    commands.EXISTS: marked("There is a directory of that name already, left by another run."),
    commands.NOT_MADE: marked("The directory for the run could not be made."),
    commands.NO_DATASET: marked("No dataset can be made for the run; without one (--no-dataset) it has a directory."),
    commands.ELSEWHERE: marked(
        "The dataset for the run was not mounted in the directory; without one (--no-dataset) it has a directory."
    ),
    commands.NOT_ALLOWED: marked("The job may not be run here: it leads outside of its directory."),
    commands.NOT_WRITTEN: marked("The job could not be written into the directory: it is full or not writable."),
}
_SAID = (
    (re.compile(r"refusing extend of file due to read-only"), marked("A disk is not there, or is smaller than told.")),
    (re.compile(r"No space left on device"), marked("The directory is full.")),
    (re.compile(r"[Dd]isk quota exceeded"), marked("A quota is used up.")),
    (re.compile(r"Read-only file system"), marked("The file system became read-only.")),
    (re.compile(r"Input/output error"), marked("A disk could not be read or written.")),
    (re.compile(r"got signal=9|[Kk]illed"), marked("It was killed, by somebody or because memory ran out.")),
    (re.compile(r"not enough memory|Cannot allocate memory"), marked("There is not enough memory.")),
    (
        re.compile(r"engine .* not (?:loadable|found)|unknown ioengine|failed to load engine"),
        marked("This fio lacks an engine that the job asks for."),
    ),
    (re.compile(r"[Pp]ermission denied"), marked("There is no permission for it.")),
)
_NO_NOISE = re.compile(r"^(?:fio: (?:terminating on signal|pid=)|note:|\s*$)")
_LOST = re.compile(rb"got signal=")
_KILLED_STATUS = 128 + 9


def has_failed(completed: Completed) -> bool:
    """Tell whether a repeat failed; fio ends well where only one of its workers was killed."""
    return not completed.ok or _LOST.search(completed.stderr) is not None


def why_failed(completed: Completed, engine: Engine) -> str:
    """Return what went wrong, what the tool said of it, and what is needed where that is known."""
    if completed.ending is Ending.LOST:
        return completed.complaint
    if completed.missing:
        return tell("{program} is not installed there. Install it (packages fio, bonnie++).", program=_program(engine))
    said = completed.stderr.decode("utf-8", "replace")
    if completed.status == commands.NO_DISK:
        return tell("There is no disk {name} on this machine: another one is meant, or it is gone.", name=said.strip())
    what = next((tell(text) for pattern, text in _SAID if pattern.search(said)), "")
    if completed.ending is Ending.TIMED_OUT:
        what = tell("It did not end in time.")
    elif completed.ending is Ending.KILLED or completed.status == _KILLED_STATUS:
        what = tell("It was killed, by somebody or because memory ran out.")
    elif completed.status in _STATUSES:
        what = tell(_STATUSES[completed.status])
    if completed.status == commands.GONE:
        return what  # what a program says of it is only that
    lines = [line.strip() for line in said.splitlines() if not _NO_NOISE.match(line)]
    words = tell("It said: {line}", line=_sentence(lines[0][:300])) if lines else ""
    if not what and not words:
        what = tell("{program} ended with status {status}.", program=_program(engine), status=completed.status)
    return " ".join(part for part in (what, words) if part)


def _sentence(line: str) -> str:
    return line if line.endswith((".", "!", "?")) else f"{line}."


def _program(engine: Engine) -> str:
    return "fio" if engine is Engine.SIBLINGS else engine.value
