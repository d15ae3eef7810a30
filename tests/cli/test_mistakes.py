"""The same mistake is told in the same way by every command: one line that says what to do, and the same status."""

import argparse
import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cases import table
from tests.changes.existing_machines import FOLDER
from tests.command_line import answer_of, poolwright, printed, refused
from tests.emit.pretend import small_design

from poolwright.cli.main import COMMANDS, build_parser, run
from poolwright.store.design_file import to_json

VDEV = ("--vdev", "mirror:2x6TB")
# Every place where a command reads a file: its words, FILE standing for the name.
READERS: dict[str, str] = table(__file__, "readers")
CONTENTS = {
    "missing": None,
    "folder": None,
    "binary": bytes(range(256)) * 8,
    "empty": b"",
    "broken": b'{"schema": 1, "kind": "poolw',
    "list": b"[1, 2]\n",
}
# Every place where a command writes a file.
WRITERS: dict[str, str] = table(__file__, "writers")
# Options that take any text, or the name of a file.
FREE_TEXT = {
    "--model", "--support-model", "--controller", "--title", "--output", "--save-design", "--save-cheapest",
    "--csv", "--runs", "--search", "--customer", "--author", "--logo",
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("GOOD", "GOOD2"):
        (tmp_path / name).write_text(to_json(small_design()))
    return tmp_path


def words(line: str, folder: Path, file: Path) -> list[str]:
    known = {"FILE": str(file), "GOOD": str(folder / "GOOD"), "GOOD2": str(folder / "GOOD2")}
    return [known.get(word, word) for word in line.split()]


def told(argv: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any]]:
    """Return status and JSON of a command that fails; what a person reads beside it must be the same, and short."""
    status = run([*argv, "--json"])
    out, err = capsys.readouterr()
    document = json.loads(out.splitlines()[0] if "--batch" in argv else out)
    assert err.startswith("poolwright: "), err
    assert "Traceback" not in err
    assert "\x1b" not in err
    assert "usage:" not in err
    return status, document


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("reader", READERS)
def test_that_a_file_that_is_no_input_is_status_2(
    folder: Path, capsys: pytest.CaptureFixture[str], reader: str, content: str
) -> None:
    file = folder / "odd"
    raw = CONTENTS[content]
    if content == "folder":
        file.mkdir()
    elif raw is not None:
        file.write_bytes(raw)
    status, document = told(words(READERS[reader], folder, file), capsys)
    assert status == 2
    assert document["error"]
    assert document.get("todo") or document.get("errors"), document


@pytest.mark.parametrize("writer", WRITERS)
def test_that_no_file_is_written_over_nor_a_folder_made(
    folder: Path, capsys: pytest.CaptureFixture[str], writer: str
) -> None:
    there = folder / "there.sh" if writer == "script" else folder / "there.md"
    there.write_text("dear")
    for file in (there, folder, folder / "no" / "file.md", folder / "GOOD" / "file.md", folder / ("x" * 300)):
        status, document = told(words(WRITERS[writer], folder, file), capsys)
        assert (status, bool(document["todo"])) == (2, True), document
    assert there.read_text() == "dear"


@pytest.mark.parametrize("writer", ["script", "report", "html"])
def test_that_the_design_that_is_read_is_never_written_over(
    folder: Path, capsys: pytest.CaptureFixture[str], writer: str
) -> None:
    before = (folder / "GOOD").read_bytes()
    status, document = told([*words(WRITERS[writer], folder, folder / "GOOD"), "--force"], capsys)
    assert (status, document["error"]) == (
        2,
        "This file is read and would be written over (%s). Name another file." % (folder / "GOOD"),
    )
    assert (folder / "GOOD").read_bytes() == before


def options() -> Iterator[tuple[str, str]]:
    """Return every option of every command that takes a value of its own kind."""
    for command in COMMANDS:
        parser = build_parser(command)
        below = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
        for action in below.choices[command]._actions:
            name = action.option_strings[-1] if action.option_strings else ""
            if name and action.nargs != 0 and name not in FREE_TEXT:
                yield command, name


NEEDED = {
    "recommend": ["--goal", "safety", "--disks", "4 x 6TB"],
    "buy": ["--money", "5000"],
    "risk": [*VDEV],
    "predict": [*VDEV],
    "capacity": [*VDEV],
    **{name: ["GOOD"] for name in ("usage", "growth", "outage", "roles", "script", "report")},
    "compare": ["GOOD", "GOOD2"],
}


def check_refused(folder: Path, capsys: pytest.CaptureFixture[str], command: str, option: str, *values: str) -> None:
    for value in values:
        given = [str(folder / word) if word.startswith("GOOD") else word for word in NEEDED.get(command, ())]
        if option in given and option != "--vdev":
            place = given.index(option)
            del given[place : place + 2]
        if option in ("--pool", "--dataset", "--paper-volumes", "--host", "--redact-to") and value in ("nan", "1e999"):
            continue  # a name like any other
        if option == "--explain" and value:
            continue  # each reads all rules anew
        if option in ("--from", "--host", "--example") and "--disks" in given:
            given = given[: given.index("--disks")]
        status, document = told([command, *given, f"{option}={value}"], capsys)
        assert status == 2, (option, value, document)
        assert document.get("todo"), (option, value, document)


@pytest.mark.parametrize(("command", "option"), list(options()), ids=" ".join)
def test_that_every_option_refuses_what_it_does_not_know(
    folder: Path, capsys: pytest.CaptureFixture[str], command: str, option: str
) -> None:
    check_refused(folder, capsys, command, option, "no;such\x1bthing", "")


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_that_every_option_refuses_numbers_that_are_none(
    folder: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    for of, option in options():
        if of == command:
            check_refused(folder, capsys, command, option, "nan", "-inf", "1e999", "9" * 400)


@pytest.mark.parametrize("argv", table(__file__, "wrong_words"))
def test_that_a_wrong_word_is_status_2_and_says_what_to_do(
    folder: Path, capsys: pytest.CaptureFixture[str], argv: str
) -> None:
    given = [word.replace("FOLDER", str(folder)) for word in words(argv, folder, folder)]
    status, document = told(given, capsys)
    assert (status, bool(document["todo"])) == (2, True), document


@pytest.mark.parametrize(
    "damage",
    [
        {"schema": "1"},
        {"extra": 1},
        {"design": None},
        {"design.colour": "red"},
        {"design.ashift": 99},
        {"design.ashift": "12"},
        {"design.pool_name": 5},
        {"design.disks": []},
        {"design.vdevs": "none"},
        {"design.version": "abc"},
        {"design.key": ""},
        {"kind": "other"},
    ],
    ids=str,
)
def test_that_an_error_in_a_design_file_names_the_place_and_what_to_do(
    folder: Path, capsys: pytest.CaptureFixture[str], damage: dict[str, Any]
) -> None:
    file = folder / "GOOD"
    document = json.loads(file.read_text())
    for place, value in damage.items():
        *above, name = place.split(".")
        (document[above[0]] if above else document)[name] = value
    file.write_text(json.dumps(document))
    for command in ("usage", "script", "report", "outage"):
        status, answer = told([command, str(file)], capsys)
        assert status == 2
        assert str(file) in answer["error"]
        assert answer["todo"]


def test_that_a_batch_goes_on_behind_a_bad_line_and_fails_where_none_is_good(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "batch"
    for command in ("capacity", "risk", "predict"):
        file.write_text('{"vdev": "raidz2:6x6TB"}\n{"vdev"\n[]\n{"help": true}\n{"": true, "vdev": "mirror:2x1TB"}\n')
        assert run([command, "--batch", str(file)]) == 0
        answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert ["error" in answer for answer in answers] == [False, True, True, True, True]
        assert all("todo" in answer for answer in answers[1:])
        file.write_text("[]\n[]\n")
        assert "Not one of 2 lines" in refused(command, "--batch", str(file))


@pytest.mark.parametrize("line", ["buy --write-catalogue --json", "collector --json", "schema --json"])
def test_that_what_is_printed_as_text_elsewhere_is_one_document_with_json(line: str) -> None:
    assert isinstance(json.loads(printed(*line.split())), dict)


def test_that_a_fault_of_the_program_is_not_taken_for_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("poolwright.cli.capacity.describe", None)
    monkeypatch.setattr("poolwright.cli.capacity.capacity_document", None)
    err = refused("capacity", "--vdev", "mirror:2x6TB", status=3)
    assert "TypeError" in err
    assert err.endswith("Please report it with the lines above.\n")
    assert answer_of("capacity", "--vdev", "mirror:2x6TB", status=3)["error"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the kernel offers no /dev/full")
@pytest.mark.parametrize("writer", ["script", "report", "csv"])
def test_that_a_full_disk_for_a_file_is_status_3(folder: Path, capsys: pytest.CaptureFixture[str], writer: str) -> None:
    other = json.loads((folder / "GOOD2").read_text())
    other["design"]["key"] = "another"
    (folder / "GOOD2").write_text(json.dumps(other))
    status, document = told(words(WRITERS[writer], folder, Path("/dev/full")), capsys)
    assert status == 3
    assert "No space left" in document["error"]


@pytest.mark.parametrize("option", ["-w", "--format", "--format=fio"])
def test_that_an_option_after_two_dashes_is_told_to_stand_before_them(option: str) -> None:
    assert f"reads options only before “--” ({option})." in refused("script", "d.json", "--", option, "a=b")


# Requests that no command can answer: status, one reason in words, and the same reason as JSON.


MACHINES = {name: FOLDER / f"{name.lower()}.capture" for name in ("GOOD", "WRONG")}
# What is typed, the status, and what is said; “…” stands between two parts of it.
REFUSED = Path(__file__).with_name("refused.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("row", REFUSED)
def test_that_a_bad_request_ends_with_its_status_and_a_reason(row: str) -> None:
    line, _, expected = row.partition(" => ")
    status, _, said = expected.partition(": ")
    words = [str(MACHINES.get(word, word)) for word in shlex.split(line)]
    done = poolwright(*words, "--json")
    assert done.returncode == int(status), done.stderr
    answer = json.loads(done.stdout)
    told = " ".join((answer["error"], *answer.get("reasons", ())))
    for part in said.split(" … "):
        assert part in done.stderr
        assert part in told


@pytest.mark.parametrize("command", ["audit", "improve", "growth", "inventory", "roles", "script", "usage"])
def test_that_who_names_a_capture_as_if_it_were_a_design_is_told_how_it_is_read(
    folder: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    (folder / "capture").write_text("  pool: tank\n state: ONLINE\n")
    status, document = told([command, str(folder / "capture")], capsys)
    assert (status, f"--from {folder / 'capture'}" in document["todo"]) == (2, True), document
