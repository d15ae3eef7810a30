"""Whether every text a person reads is marked for translators: a part of ``make check``.

A text is marked by `poolwright.texts`: `_`, `ngettext`, `N_`. Every literal that reads like a text has to
be, and every mark has to be sound. A line for machines that reads like a text ends in ``# for machines``.
"""

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from string import Formatter

from poolwright.emit.shell_texts import named, quoted_words

APP = Path(__file__).parents[2] / "app" / "poolwright"
# How many texts stand first among the arguments.
MARKERS = {"_": 1, "ngettext": 2, "N_": 1}

_FOR_MACHINES = "# for machines"

_WORDS = re.compile(r"[^\W\d_]{2,}[^<>{}=;\n]* (?:\S+ )?[^\W\d_]{2,}")
_VERBS = (
    "status sync list add attach detach replace remove online offline wait get set import scrub clear events load-key "
    "mount create destroy "
)
# What shell files say in single quotes, which hold no mark; recipes for keys are commands.
_SHELL_SAID = re.compile(r"\b(?:printf|say|note|problem|difference|data_found|(?:die|refuse) \d) '(?!\(umask )([^']*)'")
_SHELL_TEXT = re.compile(r"[^\W\d_]{2,} (?:\S+ )?[^\W\d_]{2,}")
_MARKUP = re.compile(
    r"</|<\w+[ >]|::|:\s*\w[\w%#.]*;|\{ \w[\w-]*:|^[dMyHhms :./-]+$|^(?:SELECT|UPDATE|INSERT|DELETE|CREATE) "
    rf"|^(?:zpool|zfs) (?:{'|'.join(_VERBS.split())})\b"
)
# What is put behind or before other words: its place is another in other languages.
_PIECE = re.compile(r"^[ ,;:.)]|[ ,]$")
# What is handed to these is no text for people: patterns, logs, style sheets, names.
_TAKERS = (
    "compile match search fullmatch sub split findall finditer startswith endswith removeprefix removesuffix cast "
    "TypeVar debug info warning error exception getLogger setObjectName setStyleSheet import_module strftime "
    "strptime deprecated execute get pop partition fromkeys json_of json_list options "
)
_TAKE_NO_TEXT = frozenset(_TAKERS.split())
_FIXES = ("setPrefix", "setSuffix")


# Words of shell files that are compared with what a tool prints or a person types, with names for expansions.
_SHELL_WORDS = frozenset((
    "block special file", "(zfs_member named {name})", "zfs_member named {pool_names}", "USED + AVAIL",
    "overwrite {used_disks} disks", "cover {covered_count} folders", "a second pool {name}",
    "destroy {pool} with its data",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a text at a ``line`` of a ``file``."""

    file: str
    line: int
    what: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.what}: {self.text[:100]!r}"


def text_of(node: ast.expr) -> str | None:
    """Return the text of a literal, with ``{}`` for the values of an f-string; None of anything else."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return None


def marker_of(node: ast.AST) -> str | None:
    """Return the name of what marks a text, None where this is no such call."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKERS:
        return node.func.id
    return None


def places_in(text: str) -> list[str]:
    """Return the names of the values in a text, empty ones too. Raises ValueError where its braces do not match."""
    return [re.split(r"[.\[]", name)[0] for _, name, _, _ in Formatter().parse(text) if name is not None]


def faults_of_marks(tree: ast.Module, file: str) -> Iterator[Fault]:
    """Yield what is wrong with the marks that there are."""
    at_import, beside = _at_import(tree), _beside_a_number(tree)
    for node in ast.walk(tree):
        marker = marker_of(node)
        if marker is None or not isinstance(node, ast.Call) or id(node) in beside:
            continue
        for argument in node.args[: MARKERS[marker]]:
            yield from _faults_of_text(argument, node, marker, file)
        if marker != "N_" and id(node) in at_import:
            yield Fault(
                file, node.lineno, "told before a language is chosen (mark it, tell it later)", ast.unparse(node)
            )


def _beside_a_number(tree: ast.Module) -> frozenset[int]:
    """Return the identities of what stands before or behind the number of a spin box."""
    return frozenset(
        id(argument)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _FIXES
        for argument in node.args
    )


def _faults_of_text(argument: ast.expr, call: ast.Call, marker: str, file: str) -> Iterator[Fault]:
    text = text_of(argument)
    if isinstance(argument, ast.JoinedStr | ast.BinOp):
        yield Fault(file, call.lineno, "no literal, so that no tool finds it", ast.unparse(argument))
        return
    if text is None:
        if marker == "N_":
            yield Fault(file, call.lineno, "marked, but no literal", ast.unparse(argument))
        return
    try:
        places = places_in(text)
    except ValueError:
        if call.keywords:
            yield Fault(file, call.lineno, "its braces do not match", text)
        return
    if any(not place or place.isdigit() for place in places):
        yield Fault(file, call.lineno, "a value without a name", text)
    if _PIECE.search(text):
        yield Fault(file, call.lineno, "a piece of a sentence (tell the whole one)", text)
    given = {keyword.arg for keyword in call.keywords}
    if marker == "_" and given and None not in given and set(places) != given:
        yield Fault(file, call.lineno, f"its values are {', '.join(sorted(map(str, given)))}", text)
    if marker == "ngettext" and None not in given and not set(places) <= given | {"count"}:
        yield Fault(file, call.lineno, "a value is missing", text)


def _at_import(tree: ast.Module) -> frozenset[int]:
    """Return the identities of what runs when the module is imported: all that is in no function."""
    found: set[int] = set()
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            waiting += [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]
            continue
        found.add(id(node))
        waiting += list(ast.iter_child_nodes(node))
    return frozenset(found)


def unmarked(tree: ast.Module, lines: list[str], file: str) -> Iterator[Fault]:
    """Yield the literals that read like texts for people and are not marked."""
    passed = _passed_over(tree) | _for_machines(tree, lines)
    for node in ast.walk(tree):
        if id(node) in passed or not isinstance(node, ast.Constant | ast.JoinedStr):
            continue
        text = text_of(node)
        if text is None or not _WORDS.search(text) or _MARKUP.search(text):
            continue
        yield Fault(file, node.lineno, "not marked", text)


def unmarked_in_shell(source: str, file: str) -> Iterator[Fault]:
    """Yield the double-quoted words of a shell file that read like texts and are not marked, and marks within marks."""
    words = quoted_words(source)
    for word in words:
        text, line = named(source, word).text, source.count("\n", 0, word.start) + 1
        if word.marked:
            if any(word.start < other.start < word.end and other.marked for other in words):
                yield Fault(file, line, "a text within a text", text)
        elif _SHELL_TEXT.search(re.sub(r"\{\w+\}", "{}", text)) and text not in _SHELL_WORDS:
            yield Fault(file, line, "not marked", text)
    for said in _SHELL_SAID.finditer(source):
        if _SHELL_TEXT.search(said.group(1)):
            yield Fault(file, source.count("\n", 0, said.start()) + 1, "not marked", said.group(1))


def _passed_over(tree: ast.Module) -> frozenset[int]:
    """Return the identities of literals that are marked, or that no person reads."""
    found: set[int] = set()
    for node in ast.walk(tree):
        for part in _not_read(node):
            found.update(id(inner) for inner in ast.walk(part))
    return frozenset(found)


def _for_machines(tree: ast.Module, lines: list[str]) -> frozenset[int]:
    """Return the identities of what stands in a line that ends so, or in a statement whose last line does."""
    found: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.Return | ast.Expr | ast.Constant | ast.JoinedStr):
            first = node.lineno - 1 if isinstance(node, ast.Constant | ast.JoinedStr) else (node.end_lineno or 0) - 1
            if any(line.endswith(_FOR_MACHINES) for line in lines[first : node.end_lineno]):
                found.update(id(inner) for inner in ast.walk(node))
    return frozenset(found)


def _not_read(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of ``node`` that are marked, or that no person reads."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        yield node  # a docstring
    if isinstance(node, ast.FunctionDef) and node.returns is not None:
        yield node.returns
    elif isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
        yield node.annotation
    elif isinstance(node, ast.Subscript):
        yield node.slice
    elif isinstance(node, ast.Compare):
        yield node
    elif isinstance(node, ast.JoinedStr):
        yield from (part for part in node.values if isinstance(part, ast.Constant))
    elif isinstance(node, ast.Dict):
        yield from (key for key in node.keys if key is not None)
    elif isinstance(node, ast.ClassDef) and any(ast.unparse(base).endswith("Enum") for base in node.bases):
        yield from node.body  # its values stand in files; words for people are told where it is shown
    elif isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if marker_of(node) is not None:
            yield from node.args[: MARKERS[str(marker_of(node))]]
        elif name in _TAKE_NO_TEXT:
            yield from node.args


def compared(trees: dict[str, ast.Module]) -> Iterator[Fault]:
    """Yield where something is compared with a text that is told: in another language it would differ."""
    told = {
        text
        for tree in trees.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and marker_of(node) is not None
        for text in map(text_of, node.args[: MARKERS[str(marker_of(node))]])
        if text is not None and " " in text
    }
    for file, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Compare):
                for side in (node.left, *node.comparators):
                    if text_of(side) in told:
                        yield Fault(file, node.lineno, "compared with a text that is told", str(text_of(side)))


def check(folder: Path = APP) -> list[Fault]:
    """Return everything that is wrong with the texts of the program."""
    faults: list[Fault] = []
    trees: dict[str, ast.Module] = {}
    for path in sorted(folder.rglob("*.py")):
        name, source = str(path.relative_to(folder)), path.read_text(encoding="utf-8")
        tree = trees[name] = ast.parse(source)
        faults += [*faults_of_marks(tree, name), *unmarked(tree, source.splitlines(), name)]
    for path in sorted(folder.rglob("*.sh")):
        faults += unmarked_in_shell(path.read_text(encoding="utf-8"), str(path.relative_to(folder)))
    return [*faults, *compared(trees)]


def main() -> int:
    """Print what is wrong; return 1 where something is."""
    faults = check()
    for fault in faults:
        sys.stdout.write(f"{fault}\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
