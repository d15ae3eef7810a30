"""What is wrong with the text of a profile of one's own, by line, while it is being written."""

import re
from dataclasses import dataclass

from poolwright.bench.profiles.own import PLACE, OwnProfile, option_problem, read_own
from poolwright.domain.errors import UserError

_HEADING = re.compile(r"\s*\[+\s*([^\]]+?)\s*\]+")
_PAIR = re.compile(r"\s*([A-Za-z0-9_]+)\s*=\s*(.*?)\s*(?:[;#].*)?$")
_LINE = re.compile(r"line (\d+)")
_NO_OPTIONS = frozenset({"profile", "job"})  # tables of the TOML form that hold other words than fio's


@dataclass(frozen=True, slots=True, kw_only=True)
class TextProblem:
    """What is wrong; ``line`` counts from 1 and is None where it is of the whole text."""

    line: int | None
    text: str


def problems_in(text: str, name: str) -> tuple[OwnProfile | None, tuple[TextProblem, ...]]:
    """Return the profile in a text, None where it is none, and what is wrong with it, in the order of its lines."""
    found = _of_options(text)
    try:
        own = read_own(text, where=f"{name}.fio")
    except UserError as error:
        if not any(problem.text == error.what for problem in found):
            found.append(TextProblem(line=_line_of(error, text), text=" ".join(filter(None, (error.what, error.todo)))))
        return None, tuple(sorted(found, key=_place))
    return own, tuple(found)


def line_of_section(text: str, section: str) -> int | None:
    """Return the line in which a section begins, None where there is none of that name."""
    for number, line in enumerate(text.splitlines(), start=1):
        heading = _HEADING.match(line)
        pair = _PAIR.match(line)
        named = pair is not None and pair.group(1) == "name" and pair.group(2).strip("\"'") == section
        if named or (heading is not None and heading.group(1) == section):
            return number
    return None


def line_of_option(text: str, section: str, option: str) -> int | None:
    """Return the line in which a section sets an option, else the first that does; None where none does."""
    found: list[tuple[str, int]] = []
    inside = ""
    for number, line in enumerate(text.splitlines(), start=1):
        heading, pair = _HEADING.match(line), _PAIR.match(line)
        if heading is not None:
            inside = heading.group(1)
        elif line.split("=")[0].strip().lower() == option.lower() != "":
            found.append((inside, number))
        elif pair is not None and pair.group(1) == "name":
            inside = pair.group(2).strip("\"'")
    return next((number for name, number in found if name == section), found[0][1] if found else None)


def _of_options(text: str) -> list[TextProblem]:
    found = []
    section = ""
    for number, line in enumerate(text.splitlines(), start=1):
        heading, pair = _HEADING.match(line), _PAIR.match(line)
        if heading is not None:
            section = heading.group(1)
        elif pair is not None and section and section not in _NO_OPTIONS and line.lstrip()[0] not in "#;":
            key = pair.group(1).lower()
            problem = option_problem(key, pair.group(2).strip("\"'") or "1")
            if problem is not None and key != PLACE:  # which is replaced, and told of the test
                found.append(TextProblem(line=number, text=problem))
    return found


def _line_of(error: UserError, text: str) -> int | None:
    where = error.where or ""
    section = re.search(r" \[([^\]]+)\]$", where)
    if section is not None:
        return line_of_section(text, section.group(1))
    told = _LINE.search(error.what) or re.search(r"\D(\d+)$", where)
    return int(told.group(1)) if told is not None else None


def _place(problem: TextProblem) -> int:
    return problem.line or 0
