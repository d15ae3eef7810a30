"""What fio itself has against a job file of one's own: asked with --parse-only, which runs and writes nothing."""

import re
from collections.abc import Iterator

from poolwright.bench.profiles.fio_job import sections_text
from poolwright.bench.profiles.own import OwnProfile
from poolwright.bench.profiles.own_problems import TextProblem, line_of_option, line_of_section
from poolwright.domain.command import Command, Reading
from poolwright.texts import tell

_SECONDS = 10.0
_DROPPED = re.compile(r"(?:fio: )?job (.+) dropped\s*$")
_OPTION = re.compile(r"Bad option <([A-Za-z0-9_]+)|failed parsing ([A-Za-z0-9_]+)=|^([a-z0-9_]+): ")


def fio_problems(own: OwnProfile, text: str) -> Reading[tuple[TextProblem, ...]]:
    """Return what fio says of a profile, beside the lines of the ``text`` that it was read from.

    Nothing where it says nothing, and where it is not installed here.
    """
    job = sections_text(own.shared, own.sections).encode()
    command = Command(argv=("fio", "--parse-only", "-"), stdin=job, timeout_seconds=_SECONDS)
    (answer,) = yield (command,)
    if answer.missing or answer.ok:
        return ()
    said = f"{answer.stdout.decode('utf-8', 'replace')}\n{answer.stderr.decode('utf-8', 'replace')}"
    return tuple(_problems(said.splitlines(), text))


def _problems(lines: list[str], text: str) -> Iterator[TextProblem]:
    """Yield what is said until a job is dropped, for each of them: it begins anew with the next."""
    words: list[str] = []
    for line in lines:
        dropped = _DROPPED.match(line)
        if dropped is None:
            words += [line.strip().removeprefix("fio: ")] if line.strip() else []
        elif words:
            yield _problem(words, dropped[1], text)
            words = []
    if words:
        yield _problem(words, "", text)


def _problem(words: list[str], section: str, text: str) -> TextProblem:
    named = next((found for word in words if (found := _OPTION.search(word)) is not None), None)
    option = "" if named is None else next(filter(None, named.groups()))
    line = line_of_option(text, section, option) or line_of_section(text, section)
    return TextProblem(line=line, text=tell("fio says: {words}", words=" ".join(words)))
