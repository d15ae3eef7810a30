"""Texts of rules with placeholders: ``{vdev.label}``, ``{pool.usable_bytes:size}``, ``{pool.spares:spare|spares}``."""

import re
import string
import tomllib
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from poolwright.domain.errors import UserError, is_missing, looks_like
from poolwright.domain.finding import FactValue, Source
from poolwright.domain.grouping import grouped
from poolwright.domain.rates import rate_text
from poolwright.domain.units import HOURS_PER_YEAR, binary, drive_size
from poolwright.texts import N_, _, ngettext, numeral


def plain_value(value: FactValue) -> str:
    """Return a fact's value for people; an unknown one says so."""
    if value is None:
        return _("unknown")
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, float):
        return numeral(value, "g")
    return str(value)


# Between the words that follow a one and those that follow any other number.
_OR = "|"
# What else may stand behind the colon of a placeholder, for numbers only.
FORMATS: dict[str, Callable[[float], str]] = {
    "": plain_value,
    "size": lambda value: binary(int(value)),
    "drive": lambda value: drive_size(int(value)),
    "rate": rate_text,
    "hours": lambda value: numeral(value, ",.0f", "h"),
    "years": lambda value: _("{years} years", years=numeral(value / HOURS_PER_YEAR, ".1f")),
    "percent": lambda value: numeral(value, "g", "%"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FactText:
    """A text in parts: literal text, then the fact that follows it (None at the end) and how it is written.

    ``message`` is its English where no fact is in it: designs keep that, and tell it when it is shown.
    """

    parts: tuple[tuple[str, str | None, str], ...] = ()
    message: str = ""

    def fill(self, value_of: Callable[[str], FactValue]) -> str:
        if len(self.parts) == 1 and self.parts[0][1] is None:
            return self.parts[0][0]
        done: list[str] = []
        for literal, name, form in self.parts:
            done.append(literal)
            if name is None:
                continue
            value = value_of(name)
            if form in FORMATS:
                done.append(FORMATS[form](value) if form and isinstance(value, int | float) else plain_value(value))
            else:
                one, __, many = form.partition(_OR)
                done.append(f"{plain_value(value)} {one if value == 1 else many}")
        return "".join(done)

    def raw(self) -> str:
        """Return the text with its placeholders in braces, for people who read the rule itself."""
        return self.fill_names(lambda name: "{" + name + "}")

    def fill_names(self, word_for: Callable[[str], str]) -> str:
        done: list[str] = []
        for literal, name, form in self.parts:
            done.append(literal)
            if name is not None:
                done.append(word_for(name) + (f" {form.partition(_OR)[2]}" if _OR in form else ""))
        return "".join(done)


def parse_template(text: str) -> FactText:
    """Return the template; raises ValueError when a brace does not match or a format is unknown."""
    parts: list[tuple[str, str | None, str]] = []
    for literal, name, form, conversion in string.Formatter().parse(text):
        if conversion or (name is not None and not name):
            raise ValueError(_("a placeholder is empty or has a conversion"))
        numbers = [words.strip() for words in (form or "").split(_OR)]  # for one, and for more
        if name is not None and form not in FORMATS and not (len(numbers) == 2 and all(numbers)):
            raise ValueError(is_none_of(form or "", (*filter(None, FORMATS), "disk|disks")))
        parts.append((literal, name, form or ""))
    return FactText(parts=tuple(parts))


def is_none_of(word: str, known: Iterable[str]) -> str:
    return _("“{word}” is not known here; there are {known}", word=word, known=", ".join(known))


# Reads one TOML file of rules: entries with their lines, and every problem found on the way.

_Choice = TypeVar("_Choice", bound=StrEnum)
_LONGEST_LINE = 20_000
_MOST_PARTS = 50
# Reading a dotted key takes tomllib time in the square of its parts.
_ENDLESS = re.compile(
    rf"""^(?:.{{{_LONGEST_LINE + 1}}}"""
    rf"""|[ \t]*(?:\[{{1,2}}[ \t]*)?(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){{{_MOST_PARTS}}})""",
    re.MULTILINE,
)
# tomllib keeps no lines: where an entry, a key and a table in a list begin is looked for.
_HEADER = re.compile(r"^[ \t]*\[\[[ \t]*(\w+)[ \t]*\]\]", re.MULTILINE)
_KEY = re.compile(r'^[ \t]*(?:\[\[|(?:[A-Za-z_][\w-]*|"[^"\n]+")[ \t]*=)', re.MULTILINE)
_ITEM = re.compile(r"^[ \t]*\{", re.MULTILINE)
_SEVERAL_LINES = re.compile(r'""".*?"""|\'\'\'.*?\'\'\'', re.DOTALL)
_AT_LINE = re.compile(r"at line (\d+)")


class _SourceKind(StrEnum):
    TABLE = N_("table")
    DOCUMENT = N_("document")
    MAN = "man"
    SOURCE = N_("source")


_SOURCE_KEYS = frozenset({*_SourceKind, "note"})


@dataclass(frozen=True, slots=True, order=True)
class RuleFault:
    file: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"


class RuleErrors(UserError):
    def __init__(self, problems: Sequence[RuleFault]) -> None:
        self.problems = tuple(sorted(problems))
        count = len(self.problems)
        listing = "\n".join(f"  {problem}" for problem in self.problems)
        super().__init__(
            ngettext(
                "{count} error in the rules:\n{listing}",
                "{count} errors in the rules:\n{listing}",
                count,
                listing=listing,
            )
        )


@dataclass(frozen=True, slots=True)
class _Document:
    """A file with nothing in its texts of several lines, and the problems of all files."""

    file: str
    bare: str
    problems: list[RuleFault]

    def fail(self, line: int, text: str) -> None:
        self.problems.append(RuleFault(self.file, line, text))


@dataclass(frozen=True, slots=True)
class Entry:
    """One table of a file, which begins at a place in it: a rule, or an example or a source in a list of one."""

    document: _Document
    table: dict[str, object]
    begins: int = 0
    within: "tuple[Entry, str, int] | None" = None  # of which entry, under which key, the how-manieth

    def line(self, key: str = "") -> int:
        return self.document.bare.count("\n", 0, self._place(key)) + 1

    def _place(self, key: str = "") -> int:
        """Return where the entry begins, or ``key`` in it; what has no line of its own begins where its list does."""
        bare, begins = self.document.bare, self.begins
        if self.within is not None:
            entry, name, number = self.within
            begins = entry._place(name)
            end = _KEY.search(bare, begins + 1)
            items = [found.start() for found in _ITEM.finditer(bare, begins, end.start() if end else len(bare))]
            begins = items[number] if number < len(items) else begins
        if not key or self.within is not None:
            return begins
        end = _HEADER.search(bare, begins + 1)
        found = re.compile(rf'^[ \t]*"?{re.escape(key)}"?[ \t]*=', re.MULTILINE).search(
            bare, begins, end.start() if end else len(bare)
        )
        return found.start() if found else begins

    def fail(self, text: str, key: str = "") -> None:
        name = self.table.get("id")
        front = f"{name}: " if isinstance(name, str) and name else ""
        self.document.fail(self.line(key), front + text)

    def must_look_like(self, key: str, example: str) -> None:
        self.fail(looks_like(key, example), key)

    def refuse_unknown(self, known: Collection[str]) -> None:
        for key in self.table:
            if key not in known:
                self.fail(is_none_of(key, sorted(known)), key)

    def text(self, key: str, *, needed: bool = True) -> str:
        value = self.table.get(key)
        if value is None:
            if needed:
                self.fail(is_missing(key))
            return ""
        if not isinstance(value, str) or (needed and not value.strip()):
            self.must_look_like(key, '"..."')
            return ""
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self.must_look_like(key, '["..."]')
            return ()
        return tuple(str(item) for item in value)

    def choice(self, key: str, kind: type[_Choice]) -> _Choice | None:
        value = self.text(key)
        try:
            return kind(value)
        except ValueError:
            if value:
                self.fail(is_none_of(value, kind), key)
            return None

    def one_of(self, kind: type[_Choice]) -> _Choice | None:
        found = [one for one in kind if one in self.table]
        if len(found) != 1:
            self.fail(_("exactly one of {kind} is needed here", kind=", ".join(kind)))
        return found[0] if len(found) == 1 else None

    def items(self, key: str) -> list["Entry"]:
        value = self.table.get(key) or []
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            self.must_look_like(key, "[{ ... }]")
            return []
        return [Entry(self.document, item, within=(self, key, number)) for number, item in enumerate(value)]

    def sources(self, tables: Collection[str]) -> tuple[Source, ...]:
        """Return the sources: each names a document, a page of the manual, a source file or one of ``tables``."""
        found: list[Source] = []
        for item in self.items("sources"):
            item.refuse_unknown(_SOURCE_KEYS)
            kind = item.one_of(_SourceKind)
            ref = item.text(kind) if kind else ""
            if kind is _SourceKind.TABLE and ref not in tables:
                item.fail(_("there is no table “{ref}” in rules/tables", ref=ref))
            if kind is not None:
                found.append(Source(kind=kind.value, ref=ref, note=item.text("note", needed=False)))
        return tuple(found)


def read_entries(file: str, text: str, kinds: Collection[str], problems: list[RuleFault]) -> dict[str, list[Entry]]:
    """Return the arrays of tables of a file by name; notes syntax errors and anything that is none of ``kinds``."""
    # What looks like a header or a key in a text of several lines is none.
    document = _Document(file, _SEVERAL_LINES.sub(lambda inside: "\n" * inside[0].count("\n"), text), problems)
    endless = _ENDLESS.search(text)
    if endless is not None:
        document.fail(
            text.count("\n", 0, endless.start()) + 1,
            _("a line has at most {most} characters, a key {parts} parts", most=_LONGEST_LINE, parts=_MOST_PARTS - 1),
        )
        return {}
    try:
        read = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # no TOML, a number of thousands of digits, or nested too deeply
        found = _AT_LINE.search(str(error))
        line = int(found.group(1)) if found else max(1, len(text.splitlines()))
        document.fail(line, _("no valid TOML: {error}", error=error))
        return {}
    if read.get("schema") != 1:
        document.fail(1, looks_like("schema", "1"))
    headers = grouped((header[1], header.start()) for header in _HEADER.finditer(document.bare))
    entries: dict[str, list[Entry]] = {}
    for name, value in read.items():
        if isinstance(value, list) and all(isinstance(item, dict) for item in value):
            if name in headers:
                entries[name] = [Entry(document, *each) for each in zip(value, headers[name], strict=False)]
            else:  # a list in braces
                entries[name] = Entry(document, read).items(name)
            if name not in kinds and entries[name]:
                entries[name][0].fail(is_none_of(f"[[{name}]]", (f"[[{kind}]]" for kind in kinds)))
        elif name not in ("schema", "topic"):
            document.fail(1, is_none_of(name, ("schema", "topic", f"[[{name}]]")))
    return entries
