"""`poolwright compare` and `poolwright report`, as they are typed."""

import csv
import sys
from pathlib import Path

import pytest
from tests.command_line import answer_of, printed, refused, written
from tests.design.side_by_side import concurrent, one_vdev, safety

from poolwright.cli.main import run
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
    names = {kind: str(tmp_path / f"c.{kind}") for kind in ("html", "csv", "markdown")}
    options = [word for kind, name in names.items() for word in (f"--{kind}", name)]
    assert printed("compare", *files, "--title", "Which one?", *options).count("Written: ") == 3
    assert "<title>Which one?</title>" in Path(names["html"]).read_text(encoding="utf-8")
    assert Path(names["markdown"]).read_text(encoding="utf-8").startswith("# Which one?\n")
    with Path(names["csv"]).open(encoding="utf-8", newline="") as file:
        assert {row["design"] for row in csv.DictReader(file)} == {
            "thesis, safety", "thesis, concurrent", "thesis, raidz2-8",
        }  # fmt: skip


def test_that_the_table_marks_differences_and_can_leave_out_the_rest(files: list[str]) -> None:
    whole = printed("compare", *files[:2])
    different = printed("compare", *files[:2], "--differences")
    assert "✓ 155 TiB" in whole
    assert "Raw, all disks used" in whole
    assert "Raw, all disks used" not in different
    assert "≠ Usable " in different


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
    assert run(["report", files[0], "-o", str(page)]) == 0
    assert run(["report", files[0], "-o", str(text)]) == 0
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert text.read_text(encoding="utf-8").startswith("# thesis, safety\n")
    assert "zpool create" in text.read_text(encoding="utf-8")
    assert capsys.readouterr().out == ""


@pytest.mark.slow
def test_that_no_qt_is_loaded_for_text(files: list[str], tmp_path: Path) -> None:
    import subprocess

    code = (
        "import sys; from poolwright.cli.main import run; "
        f"code = run(['compare', {files[0]!r}, {files[1]!r}, '--html', {str(tmp_path / 'c.html')!r}]); "
        "sys.exit(code or any(name.startswith('PySide6') for name in sys.modules))"
    )
    app = Path(__file__).parents[2] / "app"
    subprocess.run(
        [sys.executable, "-c", code], check=True, env={"PYTHONPATH": str(app), "HOME": str(tmp_path)}, timeout=60
    )
