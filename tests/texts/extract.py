"""``make texts``: every text of the program and of the rules in one file, as translators' tools read it."""

import ast
import csv
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import write_po
from tests.texts.check import APP, MARKERS, marker_of, text_of

from poolwright.emit.shell_texts import shell_texts
from poolwright.predict.drives import CAUSE_TABLE
from poolwright.predict.tables import TOLD as TOLD_OF_TABLES
from poolwright.rules.load import TOLD

ROOT = Path(__file__).parents[2]
TOLD_OF_DATA = ("title", "summary", "purpose", "question", "line", "source", "at_random", "why", "note", "todo")
NO_REASONS = ("tests", "traits", "sources", "below")  # lists that are no value with its reason
TARGET = ROOT / "build" / "texts" / "poolwright.pot"


def texts() -> Catalog:
    """Return every text with the places where it is said, in the order of the files."""
    found = Catalog(project="Poolwright", charset="utf-8", fuzzy=False)
    for path in sorted(APP.rglob("*.py")):
        for line, text in of_program(path.read_text(encoding="utf-8")):
            found.add(text, locations=[(str(path.relative_to(ROOT)), line)])
    for path in sorted((APP / "emit" / "shell").glob("*.sh")):  # the others are as they are in every language
        for line, text in of_shell(path.read_text(encoding="utf-8")):
            found.add(text, locations=[(str(path.relative_to(ROOT)), line)])
    for name, text in (*_of_rules(), *_of_data(), *_of_tables(), *_of_machines()):
        found.add(text, locations=[(name, 1)])
    return found


def of_program(source: str) -> Iterator[tuple[int, str | tuple[str, ...]]]:
    """Yield the texts of a file with their lines. Babel's own reader loses calls in the arguments of another one."""
    for node in ast.walk(ast.parse(source)):
        marker = marker_of(node)
        if marker is not None and isinstance(node, ast.Call):
            said = tuple(text for text in map(text_of, node.args[: MARKERS[marker]]) if text)
            if said:
                yield node.lineno, said if len(said) > 1 else said[0]


def of_shell(source: str) -> Iterator[tuple[int, str | tuple[str, str]]]:
    """Yield the texts of a shell file with their lines, comments too."""
    for text in shell_texts(source):
        if not text.second:
            yield source.count("\n", 0, text.start) + 1, (text.text, text.several) if text.several else text.text


def _of_rules() -> Iterator[tuple[str, str]]:
    for path in sorted((ROOT / "rules").glob("*.toml")):
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        for entries in document.values():
            for entry in entries if isinstance(entries, list) else ():
                said = [entry[key] for key in (*TOLD, "unit") if entry.get(key)]
                said += [source["note"] for source in entry.get("sources", ()) if source.get("note")]
                yield from ((f"rules/{path.name}", text) for text in said)


def _of_data() -> Iterator[tuple[str, str]]:
    """Yield what `poolwright.shipped` reads: titles and such, the reasons beside values, and tables of nothing else."""
    for path in sorted((ROOT / "rules" / "data").glob("*.toml")):
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        said = [*document.get("not_ours", {}).values(), *document.get("summaries", {}).values()]
        lists = [entries for entries in document.values() if isinstance(entries, list)]
        for entry in (entry for entries in lists for entry in entries if isinstance(entry, dict)):
            for told in (entry, *entry.get("tests", ())):
                said += [told[key] for key in TOLD_OF_DATA if told.get(key)]
            said += [v[1] for key, v in entry.items() if isinstance(v, list) and key not in NO_REASONS]
        yield from ((f"rules/data/{path.name}", text) for text in said)


def _of_tables() -> Iterator[tuple[str, str]]:
    folder = ROOT / "rules" / "tables"
    for path in sorted(folder.glob("*.toml")):
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        for part in (document, *document["columns"].values(), *document.get("plot", ())):
            yield from ((f"rules/tables/{path.name}", part[key]) for key in TOLD_OF_TABLES if part.get(key))
        for plot in document.get("plot", ()):
            yield from ((f"rules/tables/{path.name}", name) for name in plot["y"] if isinstance(plot["y"], dict))
    with (folder / CAUSE_TABLE).open(encoding="utf-8", newline="") as file:
        yield from ((f"rules/tables/{CAUSE_TABLE}", row["means"]) for row in csv.DictReader(file))


def _of_machines() -> Iterator[tuple[str, str]]:
    for path in sorted((ROOT / "resources" / "machines").glob("*.toml")):
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        said = [document["title"], *document.get("notes", ())]
        said += [text for disk in document["disks"] for key in ("notes", "warnings") for text in disk.get(key, ())]
        yield from ((f"resources/machines/{path.name}", text) for text in said)


def main() -> int:
    """Write the file and say how many texts it holds."""
    found = texts()
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    with TARGET.open("wb") as file:
        write_po(file, found, width=120, sort_by_file=True)
    sys.stdout.write(f"{TARGET.relative_to(ROOT)}: {len(found)} texts\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
