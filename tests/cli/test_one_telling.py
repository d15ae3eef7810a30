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
from tests.cli.test_machine_options import status
from tests.command_line import answer_of, poolwright, printed, refused

from poolwright.cli.main import run
from poolwright.domain.rates import rate_text
from poolwright.domain.units import binary, decimal, parse_drive_size
from poolwright.domain.vdev import parse_spec
from poolwright.machine.catalogue import read_catalogue
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
        unplaced = re.findall(r"(?:\| |<td>)not used(?: \| |</td><td>)(?:(\d+) × )?", report)
        assert sum(int(count or 1) for count in unplaced) == best["unassigned"]
        assert all(text.replace("`", "") in _bare(report) for text in first_of_rules(best["findings"]).values())
    for severity, word in (("block", "Blocks"), ("warn", "Warning"), ("note", "Note")):
        found = sum(of_rule == severity for of_rule, __ in first_of_rules(best["findings"]))
        assert texts[0].count(f"**{word}: ") == found, severity
    ranked = printed(*asked, "--force")
    for text in (*texts, ranked, printed("compare", file, copy)):
        assert binary(usable) in text
        _one_unit_for_speeds(text)
    first = ranked.partition("Side by side")[0].partition("\n\n    score")[0]
    assert f"{odds_text(rows['loss'])} per year (disk failures alone {odds_text(rows['disk_loss'])})" in first
    assert Counter(re.findall(r"^  (block|warn|note): ", first, re.MULTILINE)) == Counter(
        finding["severity"] for finding in violated(best["findings"])
    )
    assert rate_text(rows["itself_read"]) in first or "unpredictable" in first


def violated(findings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the findings that a person has to look at."""
    return [finding for finding in findings if finding["outcome"] == "violated"]


def first_of_rules(findings: list[dict[str, Any]]) -> dict[tuple[str, str], str]:
    """Return the text of each severity and rule that a report has as a line."""
    return {(found["severity"], found["rule"]): found["text"] for found in reversed(violated(findings))}


def _same_words(report: str, predicted: dict[str, Any], rows: dict[str, Any]) -> None:
    """Every speed stands in the report in its one unit, and both risks in odds."""
    for row, key in SPEEDS.items():
        told = rate_text if row.startswith("itself") else operations_text
        wide = predicted[key]["high"] >= 10 * predicted[key]["low"]
        assert (told(predicted[key]["low"]) if wide else told(rows[row])) in report, row
    assert odds_text(rows["loss"]) in report
    assert odds_text(rows["disk_loss"]) in report


def _bare(report: str) -> str:
    """Return a report as plain text: without the marks of Markdown and HTML."""
    return html.unescape(re.sub(r"<[^>]*>|`", "", report)).replace("\\", "")


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
    assert "2 drives of another medium not used: see poolwright flash tank.json." in found
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


# Numbers of the answer that people reckon with: they are true, and a thing has one of them.


@pytest.mark.parametrize("preset", ["database", "vm-images", "home-directories", "media-archive"])
def test_that_a_mirror_holds_blocks_of_any_size_that_fill_sectors_without_loss(preset: str) -> None:
    assert "room for" not in printed("recommend", "--disks", "2 x 1TB ssd", "--goal", "safety", "--preset", preset)


def test_that_the_capacity_asked_for_is_held_against_all_pools_together() -> None:
    text = printed("recommend", "--disks", "4 x 8TB, 4 x 16TB", "--goal", "space", "--capacity", "40TB")
    assert "capacity.planned-above-eighty" not in text.split("Side by side")[0]
    unlike = ("--disks", "8 x 4TB, 4 x 1.92TB ssd", "--preset", "vm-images", "--preset", "media-archive")
    assert "[capacity.planned-above-eighty]" not in printed("recommend", *unlike, "--capacity", "14TiB")
    assert printed("recommend", *unlike, "--capacity", "21TiB").count("21.0 TiB of 23.9 TiB is more than 80 %") == 1


def test_that_the_seconds_a_log_holds_are_those_of_its_bytes() -> None:
    flash = ("--disks", "8 x 8TB, 2 x 1.92TB nvme PLP", "--goal", "concurrent", "--preset", "vm-images")
    text = printed("roles", "--layout", "4*mirror:2x8TB", *flash, "--ram", "64GiB")
    line = next(line for line in text.splitlines() if "it holds" in line)
    assert "it holds 10 s of writes" in line
    assert "never more than 5.50 GiB" in line


def test_that_data_beyond_the_pool_do_not_fit() -> None:
    assert "Does not fit" in printed("usage", "--layout", "raidz2:8x8TB", "--data", "tank=400TiB", status=1)
    assert poolwright("usage", "--layout", "raidz2:8x8TB", "--data", "tank=400TiB", "--json").returncode == 1
    assert poolwright("usage", "--layout", "raidz2:8x8TB", "--data", "tank=40TiB").returncode == 0


@pytest.mark.parametrize(
    "options",
    [
        ("--dataset", "a", "reservation=20T", "--dataset", "b", "refreservation=25T"),
        ("--volume", "a=30TiB,64K", "--volume", "b=30TiB,64K"),
        ("--dataset", "a", "reservation=42T"),
    ],
)
def test_that_reservations_beyond_the_pool_are_refused_before_it_is_made(options: tuple[str, ...]) -> None:
    assert "set aside" in refused("script", "--layout", "raidz2:8x8TB", *options, status=1)
    asked = poolwright("recommend", "--disks", "8 x 8TB", "--goal", "safety", *options)
    assert "set aside" in asked.stderr
    enough = poolwright("script", "--layout", "raidz2:8x8TB", "--dataset", "a", "reservation=20T")
    assert "set aside" not in enough.stderr


def test_that_every_answer_tells_what_clients_get_and_names_what_is_without_the_network(tmp_path: Path) -> None:
    file = str(tmp_path / "d.json")
    asked = ("recommend", "--disks", "12 x 8TB", "--goal", "speed", "--network", "10GbE")
    text = printed(*asked, "--save-design", file)
    rates = [line for line in text.splitlines() if re.search(r"\d GB/s", line) and "1.25 GB/s" not in line]
    assert all("1.18 GB/s" in line for line in rates if "without the network" not in line)
    assert "  Sequential   reads 1.18 GB/s" in printed(*asked, "--layout", "stripe:12x8TB").split("Side by side")[0]
    listed = answer_of(*asked)["candidates"][0]
    saved = answer_of("predict", file)
    assert saved["seq_read"] == listed["predictions"]["seq_read"]
    assert saved["rand_read_iops"]["typical"] == listed["predictions"]["rand_read_iops"]["typical"]
    bought = answer_of("buy", "--disks", "6 x 8TB", "--network", "1GbE", "--capacity", "60TiB")
    assert bought["best"]["seq_read"] < 1.25e8


def test_that_of_two_pools_the_one_that_is_told_has_its_name(tmp_path: Path) -> None:
    file = str(tmp_path / "d.json")
    unlike = ("--disks", "8 x 4TB, 4 x 1.92TB ssd", "--preset", "vm-images", "--preset", "media-archive")
    printed("recommend", *unlike, "--save-design", file)
    for command in ("predict", "risk"):
        assert "pool tank; --pool takes another: tank-bulk" in poolwright(command, file).stderr
        assert "raidz2 of 8" in printed(command, file, "--pool", "tank-bulk")
    for command in ("roles", "growth"):
        assert "pool tank; --pool takes another: tank-bulk" in poolwright(command, file).stderr
        assert printed(command, file, "--pool", "tank-bulk") != printed(command, file)
    assert "tank-bulk: " in printed("growth", file, "--pool", "tank-bulk")
    assert (
        "--add and --pool tank-bulk cannot be combined"
        in poolwright("roles", file, "--pool", "tank-bulk", "--add", "log").stderr
    )


def test_that_a_pool_in_use_is_forecast_as_full_as_it_was_read(tmp_path: Path) -> None:
    head = "NAME  SIZE  ALLOC  FREE  FRAG  CAP  DEDUP  HEALTH  ALTROOT\n"
    listed = f"{head}tank  14.5T  13.2T  1.3T  40%  91%  1.00x  ONLINE  -\n"
    (tmp_path / "nas.txt").write_text(status("ata-A", "ata-B", "ata-C", "ata-D") + listed)
    pool = ("--from", str(tmp_path / "nas.txt"), "--pool", "tank")
    read, new = (answer_of("predict", *pool, *more)["seq_read"] for more in ((), ("--fill", "0")))
    assert read["typical"] < new["typical"] / 4
    assert "91 % full, in use" in read["origin"]
    assert "91 % full" in printed("predict", *pool)
    assert f"{read['typical'] / 1e6:.1f} MB/s" in printed("report", *pool)


# A size means the same in every command: a disk is the one that is sold so, an amount of data is exact.


DRIVES = {
    "6TB": 6_001_175_126_016,
    "6 tb": 6_001_175_126_016,
    "960GB": 960_197_124_096,
    "3.84 TB": 3_840_755_982_336,
    "16TB": 16_000_900_661_248,
    "5.5TiB": 6_047_313_952_768,
    "16T": 16 << 40,
    "6001175126016": 6_001_175_126_016,
    "6000000000000": 6_000_000_000_000,
    "32GB": 32_000_000_000,
}
BARE = ("6", "960")


@pytest.mark.parametrize(("text", "size"), DRIVES.items())
def test_that_a_disk_has_the_same_bytes_wherever_it_is_typed(text: str, size: int) -> None:
    spec = f"raidz2:6x{text}"
    asked = {command: answer_of(command, "--vdev", spec)["vdev"] for command in ("capacity", "predict", "risk")}
    assert set(map(str, asked.values())) == {f"['raidz2:6x{size}']"}
    assert {disk["size_bytes"] for disk in answer_of("inventory", "--disks", f"6 x {text}")["disks"]} == {size}
    assert answer_of("predict", "--vdev", spec, "--disks", f"6 x {text}")["vdev"] == [f"raidz2:6x{size}"]
    product = read_catalogue(f"model,media,size_bytes\nA,hdd,{text}\n").products[0]
    assert product.size_bytes == size


@pytest.mark.parametrize("text", BARE)
def test_that_a_bare_number_is_no_disk_anywhere(capsys: pytest.CaptureFixture[str], text: str) -> None:
    for command in (
        ("capacity", "--vdev", f"mirror:2x{text}"),
        ("predict", "--vdev", f"mirror:2x{text}"),
        ("risk", "--vdev", f"mirror:2x{text}"),
        ("inventory", "--disks", f"2 x {text}"),
        ("recommend", "--disks", f"2x{text}", "--goal", "safety"),
        ("capacity", "--vdev", "mirror:2x6TB", "--then", f"replace:{text}"),
    ):
        assert run(list(command)) == 2, command
        told = capsys.readouterr().err
        assert f"{text} GB" in told, told
        assert f"{text} GiB" in told or f"{text} TiB" in told, told


def test_that_files_have_the_size_that_is_written() -> None:
    found = answer_of("capacity", "--vdev", "raidz2:6x6TB", "--members", "file")
    assert found["vdev"] == ["raidz2:6x6000000000000"]
    assert answer_of("capacity", "--vdev", "raidz2:6x6000000000000", "--members", "file") == found


def test_that_steps_of_growth_have_the_sizes_that_disks_are_sold_by() -> None:
    steps = ("--then", "attach:6TB@1 at 80%", "--then", "add:raidz2:8x6TB on 2048-03")
    found = answer_of("growth", "--layout", "raidz2:8x6TB", "--used", "12TiB", "--growth", "20", *steps)
    six = parse_drive_size("6TB")
    assert found["problem"] is None
    assert found["stages"][-1]["layout"] == [f"raidz2:9x{six}", f"raidz2:8x{six}"]
    assert parse_spec("raidz2:8x6TB").sizes == (six,) * 8


@pytest.mark.slow
def test_that_what_was_understood_is_told() -> None:
    asked = ("recommend", "--disks", "8 x 6TB", "--goal", "safety", "--network", "10G", "--capacity", "10 TB")
    found = answer_of(*asked)["understood"]
    assert (found["network_bytes_per_second"], found["least_usable_bytes"]) == (1_250_000_000, 10**13)
    assert "6,001,175,126,016 bytes" in found["disks"][0]
    assert "understood: --network 10G: 10 Gbit/s = 1.25 GB/s" in printed(*asked)
    assert "members of 6 TB (6,001,175,126,016 bytes)" in printed("capacity", "--vdev", "raidz2:8x6TB")
