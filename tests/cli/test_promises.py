"""What the README, the guide, rules/README.md and the help of every command show is what happens: it is run.

``python -m tests.cli.test_promises [PAGE...]`` shows anew what the commands of the guide (or of some pages) print, on
the pages of each language in that language.
"""

import contextlib
import io
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path

import pytest
from tests.texts.brackets import told_in

from poolwright.cli.main import ALIASES, COMMANDS, examples_of, run
from poolwright.languages import NAMES

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDE = sorted((ROOT / "resources" / "guide").glob("*.md"))
TRANSLATED = [page.parent / code / page.name for code in NAMES if code != "en" for page in GUIDE]
DOCUMENTS = (*(ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CHANGELOG.md", "rules/README.md")), *GUIDE)
LINK = re.compile(r"\]\(([^)#]+)\)")
CAPTURE = ROOT / "tests" / "machines" / "existing" / "good.capture"
PROGRAM = "poolwright "
SAVED_AS = {"[global]": "page-reads.fio", "schema": "own.toml"}  # by the first word of a block


def blocks(text: str) -> Iterator[list[str]]:
    """Yield the indented blocks of a Markdown text, blank lines within them kept."""
    block: list[str] = []
    for line in [*text.splitlines(), "end"]:
        if line.startswith("    "):
            block.append(line[4:])
        elif not line.strip() and block:
            block.append("")
        elif block:
            yield block
            block = []


def language_of(page: Path) -> str:
    return page.parent.name if page in TRANSLATED else "en"


def examples(text: str) -> list[tuple[str, list[str]]]:
    """Return each command that is shown, in order, with what it is shown to print: below it in the same block."""
    found: list[tuple[str, list[str]]] = []
    for block in blocks(text):
        before = len(found)
        for line in block:
            if re.match(r"(poolwright|sudo|make|bash|sh) ", line):
                found.append((line.partition("  #")[0].strip(), []))
            elif len(found) > before and line.strip():
                found[-1][1].append(line)
    # A pipe asks another shell for root on this very machine.
    return [(command, shown) for command, shown in found if command.startswith(PROGRAM) and " | " not in command]


def prepare(text: str) -> None:
    """Put what a page works on into the current folder: a capture, and the files that it shows."""
    shutil.copy(CAPTURE, "nas1.capture")
    for block in reversed(list(blocks(text))):  # of several the first
        name = SAVED_AS.get(block[0].split()[0])
        if name is not None:
            Path(name).write_text("\n".join(block), encoding="utf-8")


def shown_anew(text: str) -> str:
    """Return a page with what its commands print now: as many lines as are shown, after “...” those most like them."""
    place = 0
    for command, shown in examples(text):
        place = text.index(f"    {command}", place)
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            status = run(shlex.split(command)[1:]) if " > " not in command else 0
        if status:
            print(f"{command}: {out.getvalue()}", file=sys.stderr)
        lines, free = [line.rstrip() for line in out.getvalue().splitlines() if line.strip()], False
        for line in shown:
            free = free or line.strip() == "..."
            if line.strip() == "...":
                continue
            now = next(iter(get_close_matches(line, lines, 1, 0.3)), line) if free else [*lines, line][0]
            lines = lines[lines.index(now) + 1 :] if now in lines else lines
            place = text.index(f"    {line}", place)
            text = f"{text[:place]}    {now}{text[place + 4 + len(line) :]}"
            place += 4 + len(now)
    return text


def printed(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Run a command line as a shell would; return what it prints."""
    words = shlex.split(command)[1:]
    target = words[words.index(">") + 1] if ">" in words else None
    status = run(words[: words.index(">")] if target else words)
    out, err = capsys.readouterr()
    assert status == 0, f"{command}: {err}"
    if target:
        Path(target).write_text(out, encoding="utf-8")
    return out


def check_shown(shown: list[str], out: str) -> None:
    """Hold the lines that are shown against those that were printed; “...” stands for any lines."""
    lines = [line for line in out.splitlines() if line.strip()]
    place, free = 0, False
    for line in shown:
        if line.strip() == "...":
            free = True
            continue
        matching = [n for n in range(place, len(lines)) if lines[n].rstrip() == line.rstrip()]
        assert matching, f"not printed: {line}"
        assert free or matching[0] == place, f"something stands before: {line}"
        place, free = matching[0] + 1, False
    assert free or not shown or place == len(lines), "more is printed than shown"


@pytest.mark.slow
def test_that_the_examples_of_the_readme_print_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for command, shown in examples(README):
        check_shown(shown, printed(command, capsys))
    assert {"tank.json", "create-tank.sh", "create-tank.advice.txt"} <= {path.name for path in tmp_path.iterdir()}


@pytest.mark.slow
@pytest.mark.parametrize("page", [*GUIDE, *TRANSLATED], ids=lambda page: f"{page.parent.name}-{page.stem}")
def test_that_the_examples_of_the_guide_print_what_it_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    prepare(text)
    with told_in(language_of(page)):
        for command, shown in examples(text):
            check_shown(shown, printed(command, capsys))


@pytest.mark.parametrize("page", TRANSLATED, ids=lambda page: f"{page.parent.name}-{page.stem}")
def test_that_a_page_in_another_language_has_the_parts_of_the_english_one(page: Path) -> None:
    english, told = (path.read_text(encoding="utf-8") for path in (page.parents[1] / page.name, page))
    assert re.findall(r"^#+ ", told, re.MULTILINE) == re.findall(r"^#+ ", english, re.MULTILINE)
    assert sorted(LINK.findall(told)) == sorted(LINK.findall(english))
    assert len(list(blocks(told))) == len(list(blocks(english)))
    assert [command for command, __ in examples(told)] == [command for command, __ in examples(english)]


def test_that_the_guide_lists_every_command_and_no_other() -> None:
    text = (ROOT / "resources" / "guide" / "command-line.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `poolwright ([a-z]+)`", text, re.MULTILINE)
    assert len(set(listed)) == len(listed)
    assert set(COMMANDS) <= set(listed) <= {*COMMANDS, *ALIASES}


def test_that_commands_and_make_targets_named_in_texts_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        assert set(re.findall(r"`make ([a-z-]+)", text)) <= targets, path.name
        assert set(re.findall(r"`poolwright ([a-z]+)", text)) <= {*COMMANDS, *ALIASES}, path.name


def test_that_links_and_pictures_of_the_documents_are_there() -> None:
    for path in (*DOCUMENTS, *TRANSLATED):
        for name in LINK.findall(path.read_text(encoding="utf-8")):
            assert (path.parent / name).is_file(), f"{path.name}: {name}"


def test_that_every_page_of_the_guide_is_linked_from_the_first() -> None:
    linked = set(LINK.findall((ROOT / "resources" / "guide" / "index.md").read_text(encoding="utf-8")))
    assert linked == {page.name for page in GUIDE} - {"index.md"}


def test_that_short_documents_stay_short() -> None:
    assert (ROOT / "README.md").stat().st_size <= 5_000
    assert (ROOT / "ARCHITECTURE.md").stat().st_size <= 12_000


@pytest.mark.parametrize("command", COMMANDS)
def test_that_every_command_takes_json_and_shows_examples(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([command, "--help"]) == 0
    text = capsys.readouterr().out
    assert "--json" in text
    assert all(f"  {line}" in text for line in examples_of(command)[:3])


@pytest.mark.slow
def test_that_the_examples_of_every_help_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for command in ("recommend", *(name for name in COMMANDS if name != "recommend")):
        for line in examples_of(command):
            assert printed(line, capsys).strip() or "-w " in line, line


@pytest.mark.slow
def test_that_the_rule_of_the_rules_readme_is_good(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "rules" / "README.md").read_text(encoding="utf-8")
    block = next(block for block in blocks(text) if block[0].startswith("schema"))
    file = tmp_path / "own.toml"
    file.write_text("\n".join(block), encoding="utf-8")
    assert run(["rules", "--check", str(file)]) == 0
    assert "1 of them your own" in capsys.readouterr().out


def main(names: list[str]) -> None:
    os.environ.update(NO_COLOR="1", COLUMNS="80", HOME=tempfile.mkdtemp())
    for page in (*GUIDE, *TRANSLATED):
        if names and page.stem not in names:
            continue
        text = page.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), told_in(language_of(page)):
            prepare(text)
            page.write_text(shown_anew(text), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
