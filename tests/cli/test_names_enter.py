"""Names enter checked: no command line is ever printed for a pool or dataset whose name is not one."""

import json
from pathlib import Path

import pytest
from tests.command_line import refused
from tests.emit.pretend import small_design

from poolwright.cli.main import run
from poolwright.domain.design import Dataset
from poolwright.store.design_file import from_json, to_json

BAD = "tank; rm -rf x"


def written(path: Path, **changes: object) -> Path:
    document = json.loads(to_json(small_design()))
    document["design"].update(changes)
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "command", [("usage",), ("roles",), ("growth", "--json"), ("outage",), ("report",), ("script", "--format", "fio")]
)
def test_that_no_command_takes_a_design_with_such_a_name(
    command: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "d.json", pool_name=BAD)
    output = ("-w", str(tmp_path / "out.md")) if command[0] == "report" else ()
    assert run([command[0], str(path), *command[1:], *output]) == 2
    told = capsys.readouterr()
    assert "a pool name consists of" in told.err
    assert "rm -rf" not in told.out.replace(f"“{BAD}”", "")


def test_that_a_comparison_checks_every_design(tmp_path: Path) -> None:
    good, bad = written(tmp_path / "a.json"), written(tmp_path / "b.json", pool_name=BAD)
    assert "b.json" in refused("compare", str(good), str(bad))


def test_that_a_design_with_a_bad_name_still_opens_to_be_mended() -> None:
    broken = small_design(pool_name=BAD, datasets=(Dataset(name="a b"),))
    assert from_json(to_json(broken)) == broken


def test_that_what_a_terminal_obeys_is_printed_as_an_escape(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    disks = json.loads(to_json(small_design()))["design"]["disks"]
    disks[0]["slot"] = "\x1b]0;owned\x07\u202e"
    path = written(tmp_path / "d.json", disks=disks, name="odd \x1b[2J name")
    run(["outage", str(path)])
    run(["usage", str(path), "--json"])
    told = capsys.readouterr()
    assert "\x1b" not in told.out + told.err
    assert "\u202e" not in told.out + told.err
