"""The texts of the shell files of scripts: bash's own mark ``$"..."`` finds them, as does every comment.

A marked text is told with the expansions in it as named values (``$"the log $log"`` is “the log {log}”) and written
into the script through `quote`, each expansion as it stands in the file: whatever a translation holds, the script
expands nothing else. In English a file is written as it is, but for the dollar of the mark.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from string import Formatter

from poolwright.emit.names import comment, comment_line, commented, quote
from poolwright.texts import _, chosen, ngettext

END_OF_SCRIPT = "# The end of the script"  # for machines
_NAME = re.compile(r"[A-Za-z_]\w*")
# A comment that is more than names of parameters.
_WORDS = re.compile(r"(?<![\w-])[a-z]{2,} ")
_TITLE = "# ---"
_RULE = re.compile(r"^-+ ")
_COUNTED = re.compile(r'counted (?:"[^"]*"|\S+) \Z')


@dataclass(frozen=True, slots=True)
class Quoted:
    """A double-quoted word from ``start`` to ``end`` of a file, ``marked`` or not, and where its expansions are."""

    start: int
    end: int
    marked: bool
    expansions: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class ShellText:
    """What is told in place of a part of a file: ``text``, or one of two where ``several`` is given.

    ``values`` are the names in it with the expansions they stand for; a comment has an ``indent`` and none of these.
    ``second`` tells that this is the form for several things.
    """

    start: int
    end: int
    text: str
    several: str | None = None
    second: bool = False
    values: tuple[tuple[str, str], ...] = ()
    is_comment: bool = False


# Where shell code goes on within what is open: code, a bracket or braces in it, a double-quoted word. Enough for the
# files of ``shell/``; a test holds it against what bash itself finds in them.
_ESCAPES = r"\\.|\$'(?:\\.|[^'\\])*'"
_NEXT = {
    "": re.compile(rf"{_ESCAPES}|'[^']*'|(?<![^ \n;&|(])#.*|\$?\"|\$[({{]"),
    "(": re.compile(rf"{_ESCAPES}|'[^']*'|(?<![^ \n;&|(])#.*|\$?\"|\$[({{]|[()]"),
    "{": re.compile(rf"{_ESCAPES}|\$?\"|\$[({{]|}}"),
    '"': re.compile(r'\\.|"|\$(?:[({]|[A-Za-z_]\w*|[0-9*@#?$!-])'),
}
_CLOSES = {'"': '"', "(": ")", "{": "}"}


# The double-quoted words and the comments of shell code, each in the order of the file.
def _read(source: str) -> tuple[list[Quoted], list[tuple[int, int]]]:
    quoted, comments = list[Quoted](), list[tuple[int, int]]()
    opened: list[tuple[str, int, list[tuple[int, int]]]] = [("", 0, [])]
    at = 0
    while match := _NEXT[opened[-1][0]].search(source, at):
        token, at = match.group(), match.end()
        kind, start, expansions = opened[-1]
        if token == _CLOSES.get(kind):
            opened.pop()
            opened[-1][2].append((start, at))
            if kind == '"':
                quoted.append(Quoted(start, at, source[start] == "$", tuple(expansions)))
        elif token in ('"', '$"', "(", "$(", "${"):
            opened.append((token[-1], match.start(), []))
        elif token.startswith("#"):
            comments.append(match.span())
        elif token.startswith("$"):
            expansions.append(match.span())
    return sorted(quoted, key=lambda word: word.start), comments


def quoted_words(source: str) -> tuple[Quoted, ...]:
    return tuple(_read(source)[0])


def shell_texts(source: str) -> tuple[ShellText, ...]:
    """Return what is to be told of a shell file, in its order: marked words, and comments that say something."""
    quoted, comments = _read(source)
    marked = [named(source, word) for word in quoted if word.marked]
    found = [*_paired(source, marked), *_remarks(source, comments)]
    return tuple(sorted(found, key=lambda text: text.start))


def shell_in_language(source: str) -> str:
    """Return a shell file in the chosen language, to be put into a script."""
    if chosen() is None:
        return source.replace('$"', '"')  # in files that bash and this reader find the same marks in
    parts, at = [], 0
    for text in shell_texts(source):
        parts += [source[at : text.start], _written(source, text)]
        at = text.end
    return "".join([*parts, source[at:]])


def named(source: str, word: Quoted) -> ShellText:
    """Return a double-quoted word with names in place of its expansions, equal names for equal ones."""
    names: dict[str, str] = {}
    text, at = "", word.start + (2 if word.marked else 1)
    for start, end in word.expansions:
        text += _unescaped(source[at:start])
        text += f"{{{names.setdefault(source[start:end], _name(source[start:end], names))}}}"
        at = end
    text += _unescaped(source[at : word.end - 1])
    return ShellText(word.start, word.end, text, values=tuple((name, code) for code, name in names.items()))


def _unescaped(code: str) -> str:
    return re.sub(r"\\([\\\"$`])", r"\1", code)


def _name(expansion: str, names: dict[str, str]) -> str:
    inner = expansion.lstrip("${(#")
    match = _NAME.match(inner)
    name = match.group() if match is not None else "script" if inner.startswith("0") else f"value_{inner[:1]}"
    taken = set(names.values())
    return next(n for n in (name, *(f"{name}_{i}" for i in range(2, 9))) if n not in taken)


# Put the two texts of each `counted NUMBER ONE SEVERAL` together.
def _paired(source: str, texts: list[ShellText]) -> Iterator[ShellText]:
    before: ShellText | None = None
    for text in texts:
        if before is not None:
            values = tuple(dict(before.values + text.values).items())
            yield ShellText(before.start, before.end, before.text, text.text, values=values)
            yield ShellText(text.start, text.end, before.text, text.text, second=True, values=values)
            before = None
        elif _COUNTED.search(source, max(0, text.start - 80), text.start):
            before = text
        else:
            yield text


# The comments that a person reads; those on whole lines one below the other are one text.
def _remarks(source: str, places: list[tuple[int, int]]) -> Iterator[ShellText]:
    runs: list[list[tuple[int, int]]] = []
    for place in places:
        words = source[slice(*place)]
        if words == END_OF_SCRIPT or words.startswith("# shellcheck "):
            continue
        if runs and _goes_on(source, runs[-1][-1], place):
            runs[-1].append(place)
        else:
            runs.append([place])
    for run in runs:
        text = " ".join(_RULE.sub("", source[start + 1 : end].strip()) for start, end in run)
        if _WORDS.search(text) is not None or source.startswith(_TITLE, run[0][0]):
            yield ShellText(run[0][0], run[-1][1], text, is_comment=True)


# Whether a comment is the next line of the one before: both alone on their lines, and that is no title.
def _goes_on(source: str, before: tuple[int, int], place: tuple[int, int]) -> bool:
    alone = not _indent(source, before[0]).strip() and not source.startswith(_TITLE, before[0])
    return alone and source[before[1] : place[0]].strip(" ") == "\n"


# What stands before a place in its line.
def _indent(source: str, at: int) -> str:
    return source[source.rfind("\n", 0, at) + 1 : at]


# What stands in a script for a text: the file's own words where there are none in the chosen language.
def _written(source: str, text: ShellText) -> str:
    own = source[text.start : text.end]
    english = text.several if text.several is not None and text.second else text.text
    found = _(text.text) if text.several is None else _form(text)
    if found == english or not found.strip():
        return own.removeprefix("$")
    return _comment(source, text, found) if text.is_comment else _word(found, dict(text.values))


# The form of a counted text that stands for one thing, or for two and more.
def _form(text: ShellText) -> str:
    assert text.several is not None
    places = {name: f"{{{name}}}" for name, __ in text.values}
    return ngettext(text.text, text.several, 2 if text.second else 1, **places)


# A told text as one word of the shell. Raises KeyError where it names a value that is not there.
def _word(text: str, values: dict[str, str]) -> str:
    parts = []
    pieces = Formatter().parse(text) if values else ((text, None, None, None),)
    for literal, name, __, __ in pieces:
        if literal:
            parts.append("$'\\n'".join(quote(line) for line in literal.split("\n")))
        if name is not None:
            parts.append(f'"{values[name]}"')
    return "".join(parts) or "''"


def _comment(source: str, text: ShellText, words: str) -> str:
    indent = _indent(source, text.start)
    if source.startswith(_TITLE, text.start):
        return f"# {'-' * 64} {comment(words)}"
    if indent.strip():
        return comment_line(" ".join(words.split()))
    return f"\n{indent}".join(commented(words))
