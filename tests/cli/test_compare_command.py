"""`poolwright compare` and `poolwright report`, as they are typed."""

import csv
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.changes.existing_machines import FOLDER, machine
from tests.command_line import answer_of, printed, refused, written
from tests.design.side_by_side import concurrent, one_vdev, safety

from poolwright.changes.as_design import design_of_pool
from poolwright.cli.main import run
from poolwright.domain.design import Dataset, Setting
from poolwright.store.design_file import to_json


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    names = []
    for design in (safety(), concurrent(), one_vdev()):
        path = written(tmp_path / f"{design.key}.json", to_json(design))
        names.append(str(path))
    return names


def test_that_rows_tell_the_better_value(files: list[str]) -> None:
    found = answer_of("compare", *files[:2])
    assert [column["name"] for column in found["columns"]] == ["thesis, safety", "thesis, concurrent"]
    rows = {row["name"]: row for row in found["rows"]}
    usable = rows["usable"]
    assert usable["best"] == [0]
    assert usable["values"][0]["value"] > usable["values"][1]["value"] > 0
    change = 100 * (usable["values"][1]["value"] / usable["values"][0]["value"] - 1)
    assert usable["change_percent"] == [0, pytest.approx(change, rel=1e-5)]
    read = rows["rand_read"]["values"][1]
    assert read["low"] < read["typical"] < read["high"]
    assert read["origin"]
    assert rows["warnings"]["values"][0]["value"] is not None  # the rules were asked
    assert any(p["name"] == "recordsize" and p["values"] == ["1M", "128K"] for p in found["properties"])
    assert found["columns"][0]["commands"][0].startswith("zpool create")


def test_that_md_raid6_stands_beside_them_with_its_commands(files: list[str]) -> None:
    found = answer_of("compare", files[2], "--md-raid6")
    md = found["columns"][1]
    assert md["kind"] == "md-raid6"
    assert md["commands"][0].startswith("mdadm --create /dev/md/tank")
    creation = next(row for row in found["rows"] if row["name"] == "creation")
    assert [round(value["value"], 4) for value in creation["values"]] == [0.0006, 18.0]
    assert next(row for row in found["rows"] if row["name"] == "sync_write")["values"][1]["value"] is None


def test_that_files_are_written_in_every_format(files: list[str], tmp_path: Path) -> None:
    names = {kind: str(tmp_path / f"c.{kind}") for kind in ("html", "csv", "md")}
    asked = ("compare", *files, "--title", "Which one?")
    assert printed(*asked, "-w", names["html"]) == f"Saved: {names['html']}\n"
    assert printed(*asked, "--csv", names["csv"], "-w", names["md"]) == f"Saved: {names['md']}\n"
    assert "<title>Which one?</title>" in Path(names["html"]).read_text(encoding="utf-8")
    assert Path(names["md"]).read_text(encoding="utf-8").startswith("# Which one?\n")
    with Path(names["csv"]).open(encoding="utf-8", newline="") as file:
        assert {row["design"] for row in csv.DictReader(file)} == {
            "thesis, safety", "thesis, concurrent", "thesis, raidz2-8",
        }  # fmt: skip


def test_that_the_table_marks_differences_and_can_leave_out_the_rest(files: list[str]) -> None:
    whole = printed("compare", *files[:2])
    different = printed("compare", *files[:2], "--differences")
    assert "✓ 155 TiB" in whole
    assert "raw, all disks used" in whole
    assert "raw, all disks used" not in different
    assert "Usable " in different


def test_that_two_versions_of_a_design_are_told_apart_by_their_files(files: list[str], tmp_path: Path) -> None:
    from dataclasses import replace

    other = written(tmp_path / "wider.json", to_json(replace(safety(), ashift=13)))
    found = answer_of("compare", files[0], str(other))
    assert [c["name"] for c in found["columns"]] == ["thesis, safety (safety.json)", "thesis, safety (wider.json)"]


@pytest.mark.parametrize("many", [1, 7])
def test_that_two_to_six_designs_are_asked_for(files: list[str], many: int, tmp_path: Path) -> None:
    names = [files[0]]
    for number in range(1, many):
        copy = written(tmp_path / f"{number}.json", Path(files[0]).read_text(encoding="utf-8"))
        names.append(str(copy))
    assert "2 to 6" in refused("compare", *names)


def test_that_the_same_file_twice_is_refused(files: list[str]) -> None:
    assert "twice" in refused("compare", files[0], files[0])


def test_that_a_report_takes_its_format_from_the_file(
    capsys: pytest.CaptureFixture[str], files: list[str], tmp_path: Path
) -> None:
    page, text = tmp_path / "r.html", tmp_path / "r.md"
    assert run(["report", files[0], "-w", str(page)]) == 0
    assert run(["report", files[0], "-w", str(text)]) == 0
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert text.read_text(encoding="utf-8").startswith("# thesis, safety\n")
    assert "zpool create" in text.read_text(encoding="utf-8")
    assert capsys.readouterr().out == f"Saved: {page}\nSaved: {text}\n"


@pytest.mark.slow
def test_that_no_qt_is_loaded_for_text(files: list[str], tmp_path: Path) -> None:
    import subprocess

    code = (
        "import sys; from poolwright.cli.main import run; "
        f"code = run(['compare', {files[0]!r}, {files[1]!r}, '-w', {str(tmp_path / 'c.html')!r}]); "
        "sys.exit(code or any(name.startswith('PySide6') for name in sys.modules))"
    )
    app = Path(__file__).parents[2] / "app"
    subprocess.run(
        [sys.executable, "-c", code], check=True, env={"PYTHONPATH": str(app), "HOME": str(tmp_path)}, timeout=60
    )


# `poolwright compare DESIGN --live`: what differs, the commands, what cannot be, and what is refused.


GOOD, WRONG = str(FOLDER / "good.capture"), str(FOLDER / "wrong.capture")


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """Return a file with the design of the pool `tank` of the good machine, with a dataset and a property more."""
    inventory = machine("good")
    pool = next(pool for pool in inventory.pools if pool.name == "tank")
    design = design_of_pool(inventory, pool).design
    more = Dataset(name="films", settings=(Setting(name="recordsize", value="1M"),))
    settings = (*(s for s in design.pool_settings if s.name != "autotrim"), Setting(name="autotrim", value="off"))
    return written(
        tmp_path / "tank.json", to_json(replace(design, datasets=(*design.datasets, more), pool_settings=settings))
    )


def test_that_steps_stand_with_their_commands(saved: Path) -> None:
    text = printed("compare", str(saved), "--live", "--from", GOOD)
    assert text.startswith("tank needs 2 changes to match the design.\n")
    assert "      zpool set autotrim=off tank\n" in text
    assert "      zfs create -o recordsize=1M tank/films\n" in text


def test_that_the_document_and_the_files_say_the_same(saved: Path, tmp_path: Path) -> None:
    script, report = tmp_path / "change.sh", tmp_path / "change.md"
    words = (str(saved), "--from", GOOD, "--json", "-w")
    document = answer_of("diff", *words, str(report))
    assert answer_of("compare", "--live", *words, str(script))["files"] == [str(script)]
    assert document["commands"] == ["zpool set autotrim=off tank", "zfs create -o recordsize=1M tank/films"]
    assert [one["way"] for one in document["differences"]] == ["step", "step"]
    assert document["files"] == [str(report)]
    for line in document["commands"]:
        assert line in script.read_text("utf-8")
        assert line in report.read_text("utf-8")


def test_that_the_pool_is_that_of_the_design_or_the_one_named(saved: Path) -> None:
    assert answer_of("compare", str(saved), "--live", "--from", WRONG)["pool"] == "tank"
    words = ("--live", "--from", WRONG, "--pool", "rem", "--json")
    other = json.loads(printed("compare", str(saved), *words, status=1))
    assert other["pool"] == "rem"
    assert "full, mixed, old, rem and tank" in refused(
        "compare", str(saved), "--live", "--from", WRONG, "--pool", "none"
    )


def test_that_a_layout_is_laid_on_the_disks_that_the_pool_has() -> None:
    """Its disks are in use by the very pool that the layout is held against: that refuses nothing."""
    same = answer_of(
        "compare", "--layout", "raidz2:6x6TB", "spare/stripe:1x6TB", "--live", "--from", GOOD, "--pool", "tank"
    )
    assert all(one["place"].split("/")[0] == "tank" for one in same["differences"]), same["differences"]
    wider = printed("compare", "--layout", "raidz2:7x6TB", "--live", "--from", GOOD, "--pool", "tank")
    assert "      zpool attach tank raidz2-0 /dev/disk/by-id/scsi-35000c50000000007 && " in wider  # not the spare
    assert "zpool replace" not in wider


def test_that_a_design_the_pool_cannot_become_has_no_commands(tmp_path: Path) -> None:
    """A mirror beside a raidz2 for good, and a spare that is gone: one failure is borne then instead of two."""
    script = tmp_path / "change.sh"
    words = ("compare", "--layout", "mirror:2x8TB", "--live", "--from", GOOD, "--pool", "tank")
    text = printed(*words, "-w", str(script), status=1)
    assert text.startswith("tank cannot become this design: raidz2-0 (raidz2 of 6) stays in the pool")
    assert f"Next:  poolwright migrate --layout mirror:2x8TB --from {GOOD} --pool tank\n" in text
    assert not any(word in text for word in ("zpool add -", "zpool remove tank", "zpool set", "zfs "))
    assert not script.exists()
    document = answer_of(*words, status=1)
    assert (document["reachable"], document["commands"]) == (False, [])
    assert run(["migrate", "--layout", "mirror:2x8TB", "--from", GOOD, "--pool", "tank"]) == 0


def test_that_a_layout_differs_in_its_vdevs_alone() -> None:
    """What the program would propose beside it, such as a recordsize or no ACLs, nobody asked for."""
    words = ("--layout", "raidz2:6x6TB", "spare/stripe:1x6TB", "--live", "--from", GOOD, "--pool", "tank")
    assert printed("compare", *words).startswith("The pool tank is as the design says")


def test_that_a_design_of_another_machine_s_disks_is_refused(tmp_path: Path) -> None:
    design = tmp_path / "thesis.json"
    printed("recommend", "--example", "thesis", "--capacity", "80TB", "--save-design", str(design))
    assert "0 of 44 are here" in refused("compare", str(design), "--live", "--from", GOOD, "--pool", "tank", status=1)


def test_that_a_layout_with_too_few_disks_is_told_as_it_was_written() -> None:
    told = refused("compare", "--layout", "raidz3:9x6TB", "--live", "--from", GOOD, "--pool", "tank", status=1)
    assert "raidz3 of 9 needs 9 disks of 6 TB; 8 are left" in told
