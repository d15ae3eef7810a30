"""Any layout can be asked about wherever a saved design can, with one grammar and refusals that say what is wrong."""

import json
import re
from pathlib import Path

import pytest
from tests.cases import table
from tests.command_line import answer_of, printed, refused

from poolwright.__main__ import without_window
from poolwright.cli.main import run
from poolwright.store.design_file import from_json

TWO = ("--layout", "raidz2:6x16TB", "special/mirror:2x960GB")
COMMANDS = {
    "roles": (),
    "usage": (),
    "growth": ("--used", "10TiB", "--growth", "20"),
    "outage": (),
    "report": (),
    "script": ("--example", "thesis", "--layout", "raidz2:8x6TB"),
}


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "script"])
def test_that_a_command_answers_about_a_layout_without_a_file(command: str) -> None:
    assert answer_of(command, *TWO, *COMMANDS[command])


def test_that_a_script_is_written_for_a_layout_on_disks_that_are_there() -> None:
    answer = answer_of("script", *COMMANDS["script"], "--pool", "safe", "--pool-property", "autoexpand=on")
    create = next(c["argv"] for c in answer["commands"] if c["argv"][:2] == ["zpool", "create"])
    assert "safe" in create
    assert "autoexpand=on" in create
    assert create.count("raidz2") == 1


def test_that_a_layout_is_asked_about_as_the_same_saved_design_is(tmp_path: Path) -> None:
    file = tmp_path / "tank.json"
    disks = ("--disks", "6 x 16TB", "2 x 960GB nvme")
    printed("recommend", *disks, "--goal", "safety", *TWO, "--save-design", str(file))
    assert answer_of("usage", str(file)) == answer_of("usage", *TWO, *disks)


def test_that_each_layout_is_a_column_of_a_comparison() -> None:
    layouts = ("--layout", "raidz2:8x6TB", "--layout", *["mirror:2x6TB"] * 4)
    answer = answer_of("compare", *layouts)
    assert [column["layout"] for column in answer["columns"]] == ["raidz2 of 8", "4 × mirror of 2"]
    survived = next(row for row in answer["rows"] if row["name"] == "survived")
    assert [cell["value"] for cell in survived["values"]] == [2, 1]


def test_that_what_was_assumed_of_disks_nobody_named_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "--layout", "raidz2:8x6TB", "--layout", "raidz3:8x6TB"]) == 0
    assert capsys.readouterr().err.count("assumed") == 1


def test_that_support_vdevs_are_planned_on_flash_where_no_disks_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["outage", "--layout", "raidz2:6x16TB", "log/mirror:2x16GB"]) == 0
    assert "2 x 16 GB SSD" in capsys.readouterr().err


def test_that_a_design_and_a_layout_are_two_answers(tmp_path: Path) -> None:
    file = tmp_path / "tank.json"
    disks = ("--disks", "6 x 6TB", "--goal", "safety")
    printed("recommend", *disks, "--save-design", str(file))
    assert "cannot be combined" in refused("outage", str(file), "--layout", "raidz2:6x6TB")
    assert "--goal goes with --layout" in refused("outage", str(file), "--goal", "speed")


def test_that_a_volume_has_the_size_and_the_block_that_were_typed(tmp_path: Path) -> None:
    file = tmp_path / "tank.json"
    volumes = ("--volume", "vm1=200GiB,32K", "--volume", "vm2=1TiB")
    disks = ("--disks", "6 x 6TB", "--goal", "concurrent")
    printed("recommend", *disks, *volumes, "--save-design", str(file))
    made = {d.name: d for d in from_json(file.read_text()).datasets}
    typed = next(s for s in made["vm1"].settings if s.name == "volblocksize")
    assert (made["vm1"].volume_bytes, typed.value, typed.reason) == (200 << 30, "32K", "typed on the command line")
    assert made["vm2"].volume_bytes == 1 << 40
    proposed = next(s for s in made["vm2"].settings if s.name == "volblocksize")
    assert proposed.reason != typed.reason


def test_that_8k_volumes_on_a_wide_raidz2_are_shown_to_store_a_third() -> None:
    answer = answer_of("capacity", "--layout", "raidz2:8x6TB", "--volblocksizes")
    rows = {row["volblocksize_bytes"]: row for row in answer["volblocksizes"]}
    # 8K are 2 sectors of data, 2 of parity, padded to a multiple of 3: 24K on the disks (Ahrens, RAIDZ stripe width).
    assert rows[8 << 10]["disk_bytes"] == 24 << 10
    assert rows[8 << 10]["efficiency"] == pytest.approx(1 / 3, abs=1e-5)
    assert rows[16 << 10]["disk_bytes"] == 24 << 10
    assert rows[128 << 10]["waste"] < rows[16 << 10]["waste"] < rows[8 << 10]["waste"]
    assert "16K (default)" in printed("capacity", "--layout", "raidz2:8x6TB", "--volblocksizes")


def test_that_mirrors_waste_nothing_whatever_the_block() -> None:
    answer = answer_of("capacity", "--layout", "mirror:2x6TB", "--volblocksizes")
    assert {row["waste"] for row in answer["volblocksizes"]} == {0.0}


def test_that_slack_leaves_room_at_the_end_of_each_disk() -> None:
    layout = ("--layout", "raidz2:8x6TB", "--example", "thesis")
    cut, whole = answer_of("script", *layout, "--slack"), answer_of("script", *layout)
    assert sum(c["argv"][0] == "sgdisk" for c in cut["commands"]) == 8
    assert 0 < whole["available_bytes"] - cut["available_bytes"] < 6 * 4 * (1 << 30)


def test_that_growth_follows_the_autoexpand_of_the_design() -> None:
    steps = ("--then", "replace:12TB@1", "--layout", "mirror:2x6TB", "--commands")
    by_hand = "zpool online -e tank '/dev/disk/by-id/<new disk 1>' '/dev/disk/by-id/<new disk 2>'"
    assert by_hand not in printed("growth", *steps)
    assert by_hand in printed("growth", *steps, "--pool-property", "autoexpand=off")
    assert by_hand not in printed("growth", *steps, "--pool-property", "autoexpand=off", "--autoexpand", "on")


def test_that_the_words_of_the_list_name_a_layout_of_the_disks_at_hand() -> None:
    disks = ("--disks", "12 x 16TB", "2 x 960GB nvme")
    named = answer_of("usage", "--layout", "2 × raidz2 of 6, special mirror of 2", *disks)
    assert named == answer_of("usage", "--layout", "2*raidz2:6x16TB", "special/mirror:2x960GB", *disks)


def test_that_words_do_not_choose_between_two_sizes_of_disks() -> None:
    answer = answer_of("usage", "--layout", "mirror of 2", "--disks", "2 x 8TB", "2 x 4TB", status=2)
    assert "8 TB, 4 TB" in json.dumps(answer)


STATUS: str = table(__file__, "status")
LIST = "NAME   SIZE  ALLOC   FREE    CAP  DEDUP  HEALTH  ALTROOT\ntank  7.25T  4.13T  3.12T    56%  1.00x  ONLINE  -\n"


@pytest.fixture
def pool(tmp_path: Path) -> tuple[str, ...]:
    (tmp_path / "status.txt").write_text(STATUS, encoding="utf-8")
    (tmp_path / "list.txt").write_text(LIST, encoding="utf-8")
    return ("--from", str(tmp_path / "status.txt"), str(tmp_path / "list.txt"))


def test_that_a_pool_that_is_not_there_is_told(pool: tuple[str, ...]) -> None:
    assert "Choose from tank" in refused("growth", *pool, "--pool", "other")


@pytest.mark.parametrize("layout", ["draid2:6d:24c:0s", "draid2:6d:24c:0s:6TB", "draid2:6d:24c:0s:24x6TB"])
def test_that_draid_is_read_as_zpool_create_takes_it(layout: str) -> None:
    answer = answer_of("outage", "--layout", layout, "--disks", "24 x 6TB")
    assert answer == answer_of("outage", "--layout", "draid2:6d:24x6TB", "--disks", "24 x 6TB")


def test_that_capacity_risk_and_speed_of_a_saved_design_are_those_of_its_report(tmp_path: Path) -> None:
    file = str(tmp_path / "tank.json")
    disks = ("--disks", "8 x 6TB", "2 x 960GB NVMe", "--preset", "nfs", "--goal", "safety")
    printed("recommend", *disks, "--layout", "raidz2:8x6TB", "special/mirror:2x960GB", "--save-design", file)
    told_by = {}
    for command in ("report", "capacity", "risk", "predict"):
        told_by[command] = printed(command, file)
    report = dict(re.findall(r"\| ([^|]+?)(?: \([^|]+)? \| \*\*(.+?)\*\*", told_by["report"]))
    assert report["Usable"].replace(" (", " usable (") in told_by["capacity"]
    assert f", {report['Loss a year']})" in told_by["risk"]
    for name in ("Sequential read", "Sequential write"):
        line = next(line for line in told_by["predict"].splitlines() if line.startswith(name.lower()))
        assert report[name] in line


def test_that_capacity_risk_and_speed_are_told_of_a_pool_that_exists(pool: tuple[str, ...]) -> None:
    for command in ("capacity", "risk", "predict"):
        assert answer_of(command, *pool, "--pool", "tank")["vdev"] == ["mirror:2x4000787030016"] * 2
    assert run(["risk", "--vdev", "mirror:2x6TB", "--pool", "tank"]) == 2


def test_that_a_design_opened_without_a_display_is_told_of_itself(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "own.json"
    printed(
        "recommend", "--disks", "5 x 3TB", "--goal", "safety", "--layout", "raidz3:5x3TB", "--save-design", str(file)
    )
    assert without_window("no display", str(file)) == 0
    told_of = capsys.readouterr()
    assert "raidz3 of 5" in told_of.out
    assert "thesis" not in told_of.err


# Room that is reserved beside the data, on the commands that make a design or ask about one.


LAYOUT = ("--layout", "raidz1:3x4TB")


def test_that_a_layout_of_ones_own_carries_what_is_reserved() -> None:
    text = printed("script", *LAYOUT, "--format", "json", "--reserve", "esp=512MiB", "swap=2GiB:last")
    reserve = json.loads(text)["design"]["reserve"]
    assert [(one["purpose"], one["size_bytes"], one["last"]) for one in reserve] == [
        ("esp", 512 << 20, False),
        ("swap", 2 << 30, True),
    ]


def test_that_a_rehearsal_says_on_how_many_disks_room_is_reserved() -> None:
    told = printed("script", *LAYOUT, "--format", "rehearsal", "--reserve", "esp=512MiB@2", "swap=2GiB@1")
    assert "EFI system partition, 512 MiB at the beginning of each of 2 disks: its files have what is left" in told
    assert "swap, 2.00 GiB" in told


def test_that_a_ranking_counts_what_is_reserved_on_every_disk(tmp_path: Path) -> None:
    def usable(*words: str) -> int:
        found = answer_of("recommend", "--disks", "6 x 4TB", "--goal", "safety", *words)
        return int(found["candidates"][0]["pools"][0]["usable_bytes"])

    file = tmp_path / "d.json"
    plain, reserved = usable(), usable("--reserve", "bare=1TB", "--save-design", str(file))
    assert 0.7 < reserved / plain < 0.77
    assert answer_of("usage", str(file))["available_bytes"] == reserved


def test_that_capacity_tells_the_same_of_a_layout_as_of_its_design() -> None:
    words = ("--layout", "raidz2:6x4TB", "--reserve", "esp=512MiB", "swap=2GiB:last")
    alone = answer_of("capacity", *words)
    assert alone["available_bytes"] == answer_of("usage", *words)["available_bytes"]
    reserved = next(step for step in alone["steps"] if step["name"] == "reserved")
    assert reserved["change_bytes"] == -6 * (2560 << 20)


@pytest.mark.slow
def test_that_a_ranking_says_what_it_does_not_count() -> None:
    document = answer_of("recommend", "--disks", "6 x 4TB", "--reserve", "esp=1GiB", "swap=8GiB@2")
    assert any("swap=8GiB@2" in note and "esp" not in note for note in document["notes"])
    assert len(document["reserve"]) == 2


def test_that_the_first_choice_tells_what_rules_say_of_what_is_reserved_on_its_disks() -> None:
    asked = ("recommend", "--disks", "4x4TB")
    told = answer_of(*asked, "--reserve", "swap=8GiB")["findings_by_hand"]
    assert [finding["rule"] for finding in told] == ["reserve.swap-not-mirrored"]
    assert answer_of(*asked)["findings_by_hand"] == []
