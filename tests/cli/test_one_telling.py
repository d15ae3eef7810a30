"""One design has one value for each number, in one unit, in every answer, report and export."""

import csv
import html
import io
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import answer_of, printed

from poolwright.domain.estimate import WIDEST_TOLD
from poolwright.domain.rates import rate_text
from poolwright.domain.units import binary, decimal
from poolwright.predict.number_words import odds_text, operations_text

MACHINES = (
    ("--disks", "12 x 16TB hdd", "2 x 1.92TB nvme"),
    ("--disks", "4 x 4TB hdd", "4 x 8TB hdd"),
    ("--disks", "6 x 3.84TB ssd"),
)
UNITS = {
    "usable": "bytes",
    "plan": "bytes",
    "seq_read": "bytes/s",
    "itself_read": "bytes/s",
    "rand_read": "operations/s",
}
SPEEDS = {
    "itself_read": "seq_read",
    "itself_write": "seq_write",
    "rand_read": "rand_read_iops",
    "rand_write": "rand_write_iops",
    "sync_write": "sync_write_iops",
}


@pytest.mark.slow
@pytest.mark.parametrize("machine", MACHINES, ids=lambda words: " and ".join(words[1:]))
def test_that_every_answer_report_and_export_has_the_same_numbers(machine: tuple[str, ...], tmp_path: Path) -> None:
    file, copy, table = (str(tmp_path / name) for name in ("one.json", "two.json", "one.csv"))
    asked = ("recommend", *machine, "--goal", "safety", "--pool", "tank", "--save-design", file)
    best: dict[str, Any] = answer_of(*asked)["candidates"][0]
    Path(copy).write_text(Path(file).read_text(encoding="utf-8"), encoding="utf-8")
    rows = {row["name"]: row["values"][0]["value"] for row in answer_of("compare", file, copy)["rows"]}
    usable, plan = best["capacity"]["usable_bytes_all_pools"], best["capacity"]["plan_bytes"]
    assert (rows["usable"], rows["plan"]) == (usable, plan)
    used = sum(int(count) for count in re.findall(r"(\d+)x", " ".join(best["layout"])))
    assert rows["disks"] == used == 14 - best["unassigned"] if len(machine) == 3 and "nvme" in machine[2] else used
    for row, key in SPEEDS.items():
        assert rows[row] == pytest.approx(best["predictions"][key]["typical"], rel=2e-5), row
    _same_findings(rows, best["findings"])
    stage = answer_of("growth", file, "--used", "1TB", "--growth", "20")["stages"][0]
    assert stage["available_bytes"] == usable
    assert stage["failures_survived"] == rows["survived"] == best["failures_survived"]
    printed("compare", file, copy, "--csv", table)
    exported = {line["row"]: line for line in csv.DictReader(io.StringIO(Path(table).read_text(encoding="utf-8")))}
    for name in (*SPEEDS, "usable", "plan", "disks", "loss", "disk_loss", "blocks", "warnings", "notes", "seq_read"):
        assert float(exported[name]["value"]) == pytest.approx(rows[name], rel=2e-5), name
        assert exported[name]["unit"] == UNITS.get(name, exported[name]["unit"])
    texts = (printed("report", file), printed("report", file, "--format", "html"))
    for report in texts:
        assert f"{binary(usable)} ({decimal(usable)})" in report
        assert f"{binary(plan)} ({decimal(plan)})" in report
        _same_words(report, best["predictions"], rows)
        assert len(re.findall(r"(?:\| |<td>)no place(?: \||</td>)", report)) == best["unassigned"]
        assert all(finding["text"] in _bare(report) for finding in violated(best["findings"]))
    for severity, word in (("block", "Blocks"), ("warn", "Warning"), ("note", "Note")):
        found = sum(finding["severity"] == severity for finding in violated(best["findings"]))
        assert texts[0].count(f"**{word}: ") == found, severity
    ranked = printed(*asked, "--force")
    for text in (*texts, ranked, printed("compare", file, copy)):
        assert binary(usable) in text
        _one_unit_for_speeds(text)
    first = ranked.partition("Side by side")[0].partition("\n\n    score")[0]
    assert (
        f"lost within a year: {odds_text(rows['loss'])} (from disk failures alone {odds_text(rows['disk_loss'])})"
        in first
    )
    assert Counter(re.findall(r"^  (block|warn|note): ", first, re.MULTILINE)) == Counter(
        finding["severity"] for finding in violated(best["findings"])
    )
    assert rate_text(rows["itself_read"]) in first or "cannot tell" in first


def violated(findings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the findings that a person has to look at."""
    return [finding for finding in findings if finding["outcome"] == "violated"]


def _same_words(report: str, predicted: dict[str, Any], rows: dict[str, Any]) -> None:
    """Every speed stands in the report in its one unit, and both risks in odds."""
    for row, key in SPEEDS.items():
        told = rate_text if row.startswith("itself") else operations_text
        wide = predicted[key]["high"] >= WIDEST_TOLD * predicted[key]["low"]
        assert (told(predicted[key]["low"]) if wide else told(rows[row])) in report, row
    assert odds_text(rows["loss"]) in report
    assert odds_text(rows["disk_loss"]) in report


def _bare(report: str) -> str:
    """Return a report as plain text: without the marks of Markdown and HTML."""
    return html.unescape(re.sub(r"<[^>]*>", "", report)).replace("\\", "")


@pytest.fixture(scope="module")
def thesis(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """Return the file of the design that is recommended for the machine of the thesis, and what was said of it."""
    file = tmp_path_factory.mktemp("thesis") / "one.json"
    words = ("recommend", "--example", "thesis", "--goal", "safety", "--pool", "tank", "--save-design", str(file))
    return file, answer_of(*words)["candidates"][0]


@pytest.mark.slow
@pytest.mark.parametrize("form", ["sh", "undo", "rehearsal", "sheet", "sheet-html", "ansible", "disko", "truenas"])
def test_that_every_export_names_the_disks_that_the_design_uses_and_no_other(
    form: str, thesis: tuple[Path, dict[str, Any]]
) -> None:
    file, best = thesis
    design = json.loads(file.read_text(encoding="utf-8"))["design"]
    used = {member["disk_key"] for vdev in design["vdevs"] for member in vdev["members"]}
    assert len(design["disks"]) - len(used) == best["unassigned"]
    text = printed("script", str(file), "--format", form)
    assert {
        disk["key"] for disk in design["disks"] if any(name in text for name in (disk["key"], *disk["by_id"]))
    } == used


def _same_findings(rows: dict[str, Any], findings: list[dict[str, Any]]) -> None:
    violated = Counter(f["severity"] for f in findings if f["outcome"] == "violated")
    assert (rows["blocks"], rows["warnings"], rows["notes"]) == tuple(violated[s] for s in ("block", "warn", "info"))
    assert rows["cannot_tell"] == sum(f["outcome"] != "violated" for f in findings)


def _one_unit_for_speeds(text: str) -> None:
    """Speeds of a design are told in powers of ten; what somebody published keeps the unit it was published in."""
    for line in text.splitlines():
        if re.search(r"\d [KMGT]iB/s", line):
            assert re.search(r"thesis|measured|reported|source", line, re.IGNORECASE), line


@pytest.mark.slow
def test_that_drives_of_another_medium_are_not_told_as_unused_disks() -> None:
    found = printed("recommend", *MACHINES[0], "--goal", "safety", "--top", "3")
    assert "Not counted as unused: 2 drives of another medium, left for other uses." in found
    best = answer_of("recommend", *MACHINES[0], "--goal", "safety", "--top", "3")["candidates"][0]
    assert (best["unassigned"], best["unused_of_the_medium"]) == (2, 0)
    streaming = next(term["why"] for term in best["score_terms"] if term["name"] == "streaming")
    assert "12 such disks alone" in streaming


@pytest.mark.parametrize(
    "disks",
    [
        ("4 x 2TB ssd", "4 x 4TB ssd"),
        pytest.param(("6 x 4TB hdd", "6 x 8TB hdd"), marks=pytest.mark.slow),
        pytest.param(("4 x 4TB hdd", "4 x 8TB hdd", "4 x 12TB hdd"), marks=pytest.mark.slow),
    ],
)
def test_that_no_two_listed_layouts_bear_the_same_words(disks: tuple[str, ...]) -> None:
    ask = ("recommend", "--disks", *disks, "--goal", "space", "--survive", "0", "--top", "100", "--json")
    words = Counter(found["description"] for found in json.loads(printed(*ask))["candidates"])
    assert {word for word, count in words.items() if count > 1} == set()


@pytest.mark.slow
def test_that_partitions_are_not_told_as_disks() -> None:
    disks = ("6 x 4TB hdd", "5 x 8TB hdd")
    ask = ("recommend", "--disks", *disks, "--goal", "safety", "--survive", "1", "--top", "100", "--json")
    told = [
        finding["text"]
        for found in json.loads(printed(*ask))["candidates"]
        for finding in found["findings"]
        if finding["rule"] == "spares.none-for-safety"
    ]
    assert told
    assert all(re.fullmatch(r"\d+ members of data vdevs and no hot spare\.", text) for text in told)
