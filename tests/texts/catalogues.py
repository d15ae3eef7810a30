"""The catalogues of the languages: ``python -m tests.texts.catalogues [FOLDER] [--missing OUT]``.

Brings ``resources/languages/*.po`` up to date with the texts of the program: what is gone goes, and translations are
taken from ``FOLDER/de`` and ``FOLDER/zh_CN``, JSON lines ``{"id": 7, "t": "..."}`` (a list where there are plural
forms) for the English texts ``{"id": 7, "en": "..."}`` of ``FOLDER/en``. Of several the last in the order of the files
counts. A translation without the values of its text is refused. ``--missing`` writes what is not translated yet as
``OUT/LANGUAGE/en``, which is another such folder once ``OUT/LANGUAGE/LANGUAGE`` lies beside.
"""

import argparse
import io
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po, write_po
from tests.texts.extract import ROOT, texts

from poolwright.languages import NAMES

FOLDER = ROOT / "resources" / "languages"
FORMS = {"de": 2, "zh_CN": 1}
_VALUE = re.compile(r"\{[^{}]*\}")
_FORMS_IN = re.compile(r":[^{}]*\|[^{}]*")  # of a value of a rule: {disks:one|several}
_UNSTEADY = re.compile(
    rb'"(Project-Id-Version|POT-Creation-Date|PO-Revision-Date|Last-Translator|Language-Team|Generated-By|Report-Ms).*\n'
)
_CHUNK = 150


def catalogue(code: str) -> Catalog:
    """Return what is translated; empty for a language without a file."""
    path = FOLDER / f"{code}.po"
    return read_po(io.BytesIO(path.read_bytes()), locale=code) if path.exists() else Catalog(locale=code)


def misfit(english: Any, told: Any, code: str) -> str:
    """Return what is wrong with a translation, of a text or a tuple of forms; empty for nothing."""
    several = isinstance(english, tuple)
    if several != isinstance(told, tuple) or (several and len(told) != FORMS[code]):
        return f"{FORMS[code] if several else 1} forms are wanted"
    # The form for one thing may name its number, and may do without.
    for one, its in zip(english[-len(told) :], told, strict=True) if several else ((english, told),):
        wanted, found = (sorted(_FORMS_IN.sub("", value) for value in _VALUE.findall(each)) for each in (one, its))
        if several:
            wanted, found = sorted({*wanted, "{count}"}), sorted({*found, "{count}"})
        if wanted != found:
            return f"values {found} in place of {wanted}"
        if bool(one.strip()) != bool(its.strip()) or one.count("\n") != its.count("\n"):
            return "empty, or other lines"
        if (one[:1].isspace(), one[-1:].isspace()) != (its[:1].isspace(), its[-1:].isspace()):
            return "other blanks at its ends"
    return ""


def unfit(found: Catalog, code: str) -> dict[str, str]:
    """Return what of these texts is missing in a language, or does not fit, with why."""
    told, wrong = catalogue(code), {}
    for message in _messages(found):
        there = told.get(message.id)
        if there is None or there.id != message.id or not there.string:
            wrong[str(message.id)] = "missing"
        elif why := misfit(message.id, there.string, code):
            wrong[str(message.id)] = why
    return wrong


def _messages(of: Catalog) -> Iterator[Message]:
    return (message for message in of if message.id)


def translations(folder: Path, code: str) -> dict[Any, Any]:
    """Return the translations in JSON lines, by the English text or pair of texts."""
    english = {entry["id"]: _key(entry["en"]) for entry in _lines(folder / "en")}
    return {english[entry["id"]]: _key(entry["t"]) for entry in _lines(folder / code) if entry["id"] in english}


def _key(text: Any) -> Any:
    return tuple(text) if isinstance(text, list) else text


def _lines(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.glob("*.jsonl")):
        yield from map(json.loads, filter(str.strip, path.read_text(encoding="utf-8").splitlines()))


def merged(found: Catalog, code: str, new: dict[Any, Any]) -> Catalog:
    """Return what is translated of these texts, by what there was and what is new."""
    old = {message.id: message.string for message in catalogue(code)}
    head = f"# Poolwright in {NAMES[code]}; glossary.md beside this has the terms."
    made = Catalog(locale=code, header_comment=head, charset="utf-8", fuzzy=False)
    for message in _messages(found):
        told = new.get(message.id) or old.get(message.id)
        why = misfit(message.id, told, code) if told else ""
        if why:
            sys.stderr.write(f"{code}: {message.id!r}: {why}: {told!r}\n")
        elif told:
            made.add(message.id, told)
    return made


def write(made: Catalog, code: str) -> None:
    """Write a catalogue so that a changed text is a changed line: sorted, without dates and places."""
    file = io.BytesIO()
    write_po(file, made, width=0, no_location=True, omit_header=False, sort_output=True)
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / f"{code}.po").write_bytes(_UNSTEADY.sub(b"", file.getvalue()))


def main(folder: Path | None, missing: Path | None) -> None:
    found = texts()
    for code in FORMS:
        made = merged(found, code, translations(folder, code) if folder is not None else {})
        write(made, code)
        left = [message for message in _messages(found) if made.get(message.id) is None]
        sys.stdout.write(f"{code}: {len(made)} texts, {len(left)} missing\n")
        if missing is not None:
            _write_missing(left, missing / code / "en")


def _write_missing(left: list[Message], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    left.sort(key=lambda message: message.locations[0])
    lines = [
        json.dumps({"id": number, "at": ":".join(map(str, message.locations[0])), "en": message.id}, ensure_ascii=False)
        for number, message in enumerate(left)
    ]
    for at in range(0, len(lines), _CHUNK):
        chunk = "".join(f"{line}\n" for line in lines[at : at + _CHUNK])
        (folder / f"{at // _CHUNK:03}.jsonl").write_text(chunk, encoding="utf-8")


if __name__ == "__main__":
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("folder", type=Path, nargs="?")
    reader.add_argument("--missing", type=Path, metavar="OUT")
    main(**vars(reader.parse_args()))
