"""`poolwright recommend` as a person and a program use it, with the shipped rules."""

import argparse
import json
import os
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from tests.command_line import answer_of, poolwright
from tests.emit.exported import MACHINES, design_of
from tests.emit.pretend import disk, small_design, vdev

from poolwright.cli.main import run
from poolwright.cli.workload_options import add_workload_options, workload_of
from poolwright.domain.design import Design
from poolwright.domain.units import GB, GIB, KIB, MIB
from poolwright.domain.vdev import VdevKind
from poolwright.domain.workload import Sharing, Workload
from poolwright.store.design_file import to_json

CUT = ("layered", "stacked")  # the ways by which disks are cut in partitions


def words(layout: list[str]) -> list[str]:
    return [spec.rpartition(":")[0] + ":" + spec.rpartition(":")[2].partition("x")[0] for spec in layout]


def test_that_a_recommendation_for_which_no_goal_is_told_is_made_for_safety() -> None:
    told, safe = (answer_of("recommend", "--disks", "8 x 6TB", *goal) for goal in ((), ("--goal", "safety")))
    assert told["goal"] == "safety"
    assert told | {"next": None} == safe | {"next": None}


@pytest.mark.slow
def test_that_the_pool_of_the_thesis_machine_is_in_its_list() -> None:
    answer = answer_of("recommend", "--example", "thesis", "--goal", "safety", "--top", "1000")
    thesis = next(c for c in answer["candidates"] if words(c["layout"]) == ["raidz2:8"] * 5 + ["spare/stripe:4"])
    assert thesis["capacity"]["available_bytes"] == 170489532121088  # seen in the virtual machine


def test_that_wishes_on_the_command_line_are_kept() -> None:
    args = ("--disks", "12 x 16TB", "--goal", "safety", "--survive", "3", "--spares", "1", "--bays", "11")
    for candidate in answer_of("recommend", *args, "--top", "50")["candidates"]:
        assert candidate["failures_survived"] >= 3
        assert candidate["spares"] == 1
        assert candidate["unassigned"] >= 1


@pytest.mark.slow
def test_that_every_layout_can_be_had() -> None:
    answer = answer_of("recommend", "--disks", "12 x 16TB", "--goal", "concurrent", "--top", "100000")
    assert len(answer["candidates"]) == answer["feasible"]
    layouts = {tuple(words(candidate["layout"])) for candidate in answer["candidates"]}
    assert {("mirror:3",) * 4, ("raidz2:6",) * 2, ("raidz3:12",), ("mirror:2",) * 6} <= layouts


def test_that_the_properties_of_the_first_choice_are_told_with_reason_rule_and_source() -> None:
    proposed = answer_of("recommend", "--example", "tunables", "--goal", "concurrent", "--preset", "smb")["properties"]
    every = [*proposed["pool"], *proposed["root"], *(s for d in proposed["datasets"] for s in d["settings"])]
    assert {"compression", "recordsize", "checksum"} <= {setting["name"] for setting in every}
    assert all(s["reason"] and s["rule"] and s["sources"] for s in every)
    assert [d["name"] for d in proposed["datasets"]] == ["share"]


@pytest.mark.slow
def test_that_advice_for_the_host_is_told_with_its_command_reason_and_source() -> None:
    # A spare needs zed.
    answer = answer_of("recommend", "--example", "thesis", "--goal", "safety", "--spares", "2", "--pool", "vault")
    advice = {piece["rule"]: piece for piece in answer["host_advice"]}
    assert {"advice.scrub-timer", "advice.snapshot", "advice.backup-first", "advice.zed"} <= advice.keys()
    assert advice["advice.scrub-timer"]["command"] == "systemctl enable --now zfs-scrub-monthly@vault.timer"
    assert all(piece["title"] and piece["reason"] and piece["sources"] for piece in advice.values())


@pytest.mark.slow
def test_that_risk_rebuild_and_rates_are_kept_to() -> None:
    wishes = ("--risk", "0.01", "--rebuild-hours", "36", "--read", "900MB/s", "--write", "700MB/s")
    answer = answer_of("recommend", "--disks", "24 x 6TB", "--goal", "safety", *wishes, "--top", "60")
    assert answer["feasible"] > 10
    for candidate in answer["candidates"]:
        told = candidate["predictions"]
        assert candidate["risk"]["yearly_loss_probability"]["typical"] <= 0.0001 * 1.05
        assert told["rebuild_hours"]["typical"] <= 36
        assert told["seq_read"]["typical"] >= 900e6
        assert told["seq_write"]["typical"] >= 700e6


@pytest.mark.slow
def test_that_details_of_the_workload_come_after_those_of_the_preset() -> None:
    answer = answer_of("recommend",
        "--disks", "4 x 500GB", "--goal", "concurrent", "--preset", "iscsi", "--io-size", "128K",
        "--clients", "3", "--sync-percent", "100", "--network", "1 Gbit/s",
    )  # fmt: skip
    predictions = answer["candidates"][0]["predictions"]
    assert predictions["seq_read"]["typical"] < 125e6
    rules = {finding["rule"] for finding in answer["candidates"][0]["findings"]}
    assert {"expected.network-limit", "expected.one-gigabit", "synchronous.no-log"} <= rules
    assert "advice.volume" in {piece["rule"] for piece in answer["host_advice"]}


def test_that_layouts_the_importing_system_does_not_know_are_refused_with_the_rule() -> None:
    answer = answer_of("recommend", "--disks", "12 x 6TB", "--goal", "safety", "--import-on", "2.0", "--top", "1")
    refused = [r for r in answer["rejected"] if r["family"].startswith("draid")]
    assert refused
    assert {r["rule"] for r in refused} == {"compatibility.draid-too-new"}
    assert not any(r["feasible"] for r in refused)


@pytest.mark.slow
def test_that_costs_are_told_in_full_with_their_origin() -> None:
    answer = answer_of("recommend", "--disks", "8 x 6TB", "--goal", "safety", "--price", "150 EUR", "--top", "3")
    for candidate in answer["candidates"]:
        cost = candidate["cost"]
        assert cost["purchase"]["currency"] == "EUR"
        paid = float(cost["purchase"]["amount"])
        assert paid % 150 == 0
        usable_tb = candidate["capacity"]["usable_bytes_all_pools"] / 1e12
        assert float(cost["per_usable_tb"]["amount"]) == pytest.approx(paid / usable_tb, abs=0.0051)
        used = paid / 150
        # 7 W and 0.30 a kWh are the defaults of the model, over five years.
        assert cost["energy_kwh"]["typical"] == pytest.approx(used * 7 * 5 * 8766 / 1000, rel=1e-4)
        assert cost["power"]["typical"] == pytest.approx(cost["energy_kwh"]["typical"] * 0.30, rel=1e-4)
        assert cost["replacements"]["typical"] == pytest.approx(cost["replacement_disks"]["typical"] * 150, rel=1e-4)
        parts = paid + cost["power"]["typical"] + cost["replacements"]["typical"]
        assert cost["total"]["typical"] == pytest.approx(parts, rel=1e-4)
        assert "2026-11" in cost["power"]["origin"]
        assert cost["price_origin"]


@pytest.mark.slow
def test_that_several_equal_pools_cost_all_their_disks() -> None:
    answer = answer_of(
        "recommend", "--example", "thesis", "--goal", "speed", "--zfs", "0.6.5", "--price", "100", "--top", "60"
    )
    several = [c for c in answer["candidates"] if c["pools"][0]["count"] > 1]
    assert several
    for candidate in several:
        disks = 44 + 2 - candidate["unassigned"]
        assert float(candidate["cost"]["purchase"]["amount"]) <= 100 * disks
        assert float(candidate["cost"]["purchase"]["amount"]) > 100 * disks / 2


@pytest.mark.slow
def test_that_answers_stand_side_by_side_with_their_place_and_price() -> None:
    answer = answer_of("recommend", "--disks", "12 x 18TB", "--goal", "concurrent", "--top", "1000")
    named = {one["name"]: one for one in answer["answers"]}
    assert {"balanced", "more space", "more protection"} <= named.keys()
    assert named["balanced"]["place"] == 1
    assert named["balanced"]["price"] is None
    for one in answer["answers"]:
        assert answer["candidates"][one["place"] - 1]["layout"] == one["layout"]
    roomy, first = (answer["candidates"][named[name]["place"] - 1] for name in ("more space", "balanced"))
    assert roomy["capacity"]["usable_bytes_all_pools"] > first["capacity"]["usable_bytes_all_pools"]
    assert all(vdev.startswith("raidz2:6x") for vdev in roomy["layout"])  # not the most room of all, one raidz1 of 12
    printed = poolwright("recommend", "--disks", "12 x 18TB", "--goal", "concurrent").stdout
    assert "more space" in printed
    assert "more protection" in printed


@pytest.mark.slow
def test_that_a_wish_only_a_layout_below_the_floors_meets_is_answered_with_what_would_reach_it() -> None:
    args = ("--disks", "8 x 4TB", "--goal", "safety", "--capacity", "25TB")
    answer = answer_of("recommend", *args, "--top", "1000", status=1)
    best = answer["candidates"][0]
    assert best["below"] == []
    assert best["missed"][0]["share"] == pytest.approx(1 - best["capacity"]["usable_bytes_all_pools"] / 25e12, abs=0.01)
    assert answer["reach"]["more_disks"] == 1
    lower = next(c for c in answer["candidates"] if c["below"])
    assert lower["below"] == ["survives"]
    assert not lower["missed"]
    (told,) = [line for line in answer["told"] if "would reach it" in line]
    assert "one more disk" in told
    assert lower["description"] in told
    assert told in poolwright("recommend", *args).stdout


@pytest.mark.slow
def test_that_partitions_are_the_first_choice_only_where_they_are_allowed() -> None:
    args = ("--disks", "4 x 8TB, 4 x 4TB", "--goal", "safety", "--capacity", "28TB", "--top", "1000")
    answer = answer_of("recommend", *args, status=1)
    assert answer["candidates"][0]["below"] == []
    assert any(c["below"] == ["partitions"] for c in answer["candidates"])
    allowed = answer_of("recommend", *args, "--allow", "wide-raidz,partitions")
    assert allowed["understood"]["allow"] == ["partitions", "wide-raidz"]
    assert not any("partitions" in c["below"] for c in allowed["candidates"])
    assert allowed["candidates"][0]["way"] in CUT
    told = poolwright("recommend", *args[:-1], "1", "--allow", "partitions").stdout
    assert "understood: --allow partitions: partitions" in told


def test_that_anyraid_stands_beside_the_most_that_the_list_holds_and_is_no_layout_of_it() -> None:
    args = ("recommend", "--disks", "2 x 4TB, 2 x 8TB", "--goal", "safety")
    answer = answer_of(*args, "--top", "1000")
    assert len(answer["candidates"]) < 500  # which are all that were found
    assert [one["vdev"] for one in answer["anyraid_preview"]] == ["anymirror1", "anyraidz1:2", "anymirror2"]
    for one in answer["anyraid_preview"]:
        as_safe = [c for c in answer["candidates"] if c["failures_survived"] >= one["failures_survived"]]
        for cut, key in ((False, "released_whole_disks_bytes"), (True, "released_partitions_bytes")):
            held = [c["capacity"]["usable_bytes_all_pools"] for c in as_safe if (c["way"] in CUT) is cut]
            assert one[key] == max(held, default=None)
    others = {key: value for key, value in answer.items() if key != "anyraid_preview"}
    assert not re.search("any(raid|mirror)", json.dumps(others), re.IGNORECASE)
    assert "  AnyRAID: Preview of one vdev" in poolwright(*args, "--all").stdout


@pytest.mark.parametrize("words", ["4 x 4TB", "2 x 4TB, 2 x 8TB --spares 1", "2 x 4TB, 2 x 8TB --bays 3", "4TB, 8TB"])
def test_that_nothing_is_told_of_anyraid_where_it_holds_no_more_or_may_not_have_all_disks(words: str) -> None:
    disks, *wish = words.split(" --")
    answer = answer_of("recommend", "--disks", disks, *(part for text in wish for part in f"--{text}".split()))
    assert answer["anyraid_preview"] == []


def test_that_a_script_that_asks_for_anyraid_is_refused_with_the_reason(tmp_path: Path) -> None:
    disks = ("--disks", "3 x 4TB")
    for command in (("script", *disks), ("recommend", *disks), ("capacity",)):
        assert answer_of(*command, "--layout", "anyraidz1:2:3x4TB", status=2)["error"].startswith(
            "AnyRAID is in no OpenZFS release"
        )
    file = tmp_path / "tank.json"
    file.write_text(to_json(small_design()).replace('"kind": "mirror"', '"kind": "anymirror"'), encoding="utf-8")
    assert "AnyRAID is in no OpenZFS release" in poolwright("script", str(file)).stderr


def test_that_what_is_allowed_is_kept_with_the_design_and_told_in_its_report(tmp_path: Path) -> None:
    design = tmp_path / "design.json"
    made = ("recommend", "--disks", "8 x 4TB", "--goal", "safety", "--allow", "kinds", "--save-design", str(design))
    assert poolwright(*made).returncode == 0
    assert json.loads(design.read_text(encoding="utf-8"))["design"]["budget"]["allow"] == ["kinds"]
    report = tmp_path / "report.md"
    assert poolwright("report", str(design), "-w", str(report)).returncode == 0
    assert "allowed: several kinds of vdevs in a pool" in report.read_text(encoding="utf-8")


# A design that was saved from a ranking keeps where it stood, and a report tells it until it is edited.


ASKED = ("recommend", "--disks", "8 x 4TB hdd", "--goal", "safety")


def saved(tmp_path: Path, *options: str) -> Path:
    path = tmp_path / "design.json"
    run([*ASKED, *options, "--save-design", str(path)])
    return path


def why(path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    assert run(["report", str(path)]) == 0
    return capsys.readouterr().out


def test_that_a_saved_first_choice_is_reported_with_rank_score_and_what_was_not_chosen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = saved(tmp_path)
    asked = answer_of(*ASKED)
    told = why(path, capsys)
    first = asked["candidates"][0]
    assert re.search(rf"The best of \d+ layouts for safety \({first['score']:.1f} of 100 points\)\.", told)
    assert re.search(rf"\*\*Score\*\* \| \*\*{first['score']:.1f}\*\*", told)
    assert "survives fewer than 2 failures" in told


def test_that_another_layout_than_the_first_names_the_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = why(saved(tmp_path, "--take", "2"), capsys)
    assert "Number 2 of" in told
    assert "| First choice |" in told


@pytest.mark.parametrize("edit", ["member", "parity", "goal", "size"])
def test_that_an_edited_layout_no_longer_claims_its_rank(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], edit: str
) -> None:
    path = saved(tmp_path)
    document = json.loads(path.read_text())
    design = document["design"]
    if edit == "member":
        design["vdevs"][0]["members"].pop()
    elif edit == "parity":
        design["vdevs"][0]["parity"] = 1
    elif edit == "goal":
        design["workload"]["goal"] = "space"
    else:
        design["disks"][0]["size_bytes"] //= 2
    path.write_text(json.dumps(document))
    told = why(path, capsys)
    assert not re.search(r"\*\*Score\*\*|Number 1", told)


def test_that_a_design_bound_to_real_disks_keeps_its_rank(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, bound = tmp_path / "typed.json", tmp_path / "bound.json"
    run(["recommend", "--disks", "44 x 6TB hdd", "--save-design", str(path)])
    assert run(["bind", str(path), "--example", "thesis", "-w", str(bound)]) == 0
    assert "The best of" in why(bound, capsys)


def test_that_a_design_saved_before_rankings_were_kept_still_opens(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = saved(tmp_path)
    document = json.loads(path.read_text())
    document["schema"] = 3
    del document["design"]["ranking"]
    path.write_text(json.dumps(document))
    assert "goal safety" in why(path, capsys)


# `poolwright script --format plain`: the bare commands of a design, few enough to be read.

# Each tool notes what it was called with; wipefs finds what the test says.
STAND_IN = """#!/bin/sh
[ "${0##*/}" != wipefs ] || { printf %s "$FOUND"; exit 0; }
printf '%s\\0' "${0##*/}" "$@" >>"$CALLS"
printf '\\n' >>"$CALLS"
"""


def plain(design: Design, folder: Path, *, words: tuple[str, ...] = ()) -> Path:
    (folder / "design.json").write_text(to_json(design), encoding="utf-8")
    target = folder / "plain.sh"
    assert run(["script", str(folder / "design.json"), "--format", "plain", "-w", str(target), *words]) == 0
    return target


def calls(script: Path, *, found: str = "") -> tuple[int, list[list[str]]]:
    """Run a script among stand-ins; return its status and what it called, without looks."""
    tools = script.parent / "bin"
    tools.mkdir()
    for name in ("zpool", "zfs", "sgdisk", "wipefs", "udevadm"):
        (tools / name).write_text(STAND_IN, encoding="utf-8")
        (tools / name).chmod(0o755)
    log = script.parent / "calls"
    log.touch()
    known = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}", "CALLS": str(log), "FOUND": found}
    done = subprocess.run([script], env=known, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return done.returncode, [line.split("\0")[:-1] for line in log.read_text().splitlines()]


@pytest.mark.parametrize("machine", MACHINES)
def test_that_it_runs_the_commands_of_the_guarded_script_in_forty_lines(machine: str, tmp_path: Path) -> None:
    script = plain(design_of(machine), tmp_path)
    text = script.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 40
    shellcheck = Path(sys.executable).parent / "shellcheck"
    checked = subprocess.run([shellcheck, script], stdout=subprocess.PIPE, text=True, check=False)
    assert checked.stdout == ""
    wanted = [command["argv"] for command in answer_of("script", str(tmp_path / "design.json"))["commands"]]
    status, made = calls(script)
    tried = [call for call in made if call[:2] == ["zpool", "create"] and "-n" in call]
    # The order of two pools and their datasets may be another one: all pools come first.
    assert status == 0
    assert sorted(c for c in made if c not in tried and c[0] != "udevadm") == sorted(wanted)
    assert [[w for w in call if w != "-n"] for call in tried] == [c for c in wanted if c[:2] == ["zpool", "create"]]
    first_pool = next(n for n, call in enumerate(made) if call[:2] == ["zpool", "create"])
    assert made[first_pool : first_pool + len(tried)] == tried


def test_that_a_disk_with_old_data_ends_it_where_zpool_would_not_look(tmp_path: Path) -> None:
    disks = tuple(disk(n) for n in range(6))
    unequal = (vdev(VdevKind.MIRROR, (0, 1)), vdev(VdevKind.RAIDZ, (2, 3, 4, 5), parity=2))
    script = plain(small_design(disks=disks, vdevs=unequal), tmp_path)
    assert " -f " in script.read_text(encoding="utf-8")
    assert calls(script, found="ext4") == (1, [])


def test_that_a_thousand_disks_are_forty_lines_as_well(tmp_path: Path) -> None:
    disks = tuple(disk(n) for n in range(1000))
    pairs = tuple(vdev(VdevKind.MIRROR, (n, n + 1)) for n in range(0, 1000, 2))
    text = plain(small_design(disks=disks, vdevs=pairs), tmp_path).read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 40
    assert sum(line.split().count("mirror") for line in text.splitlines() if not line.startswith("#")) == 500


def test_that_disks_without_a_name_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["script", "--layout", "raidz2:6x6TB", "--format", "plain"]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "no script can name them" in printed.err


# Options of the workload: each detail is told in one, and comes after the preset.


OPTIONS = {
    "preset": ("--preset", "media-archive", "media-archive"),
    "read_percent": ("--read-percent", "70", 70),
    "sequential_percent": ("--sequential-percent", "90 %", 90),
    "io_size_bytes": ("--io-size", "64K", 64 * KIB),
    "sync_write_percent": ("--sync-percent", "5", 5),
    "clients": ("--clients", "12", 12),
    "typical_file_bytes": ("--file-size", "4MiB", 4 * MIB),
    "compressible": ("--compressible", "no", False),
    "duplicate_factor": ("--duplicates", "1.5", 1.5),
    "working_set_bytes": ("--working-set", "500GB", 500 * GB),
    "growth_percent": ("--growth", "30", 30),
    "network_bytes_per_second": ("--network", "1 Gbit/s", 125_000_000),
    "sharing": ("--sharing", "nfs", Sharing.NFS),
}


def parsed(*words: str) -> Workload:
    parser = argparse.ArgumentParser()
    add_workload_options(parser)
    return workload_of(parser.parse_args(words))


def test_that_every_detail_of_a_workload_has_an_option() -> None:
    # Further presets are told by the option of the first.
    assert OPTIONS.keys() | {"goal", "volumes", "presets_beside"} == {field.name for field in fields(Workload)}


@pytest.mark.parametrize("detail", OPTIONS)
def test_that_an_option_sets_its_detail_and_no_other(detail: str) -> None:
    option, text, value = OPTIONS[detail]
    assert getattr(parsed(option, text), detail) == value
    others = {name for name in OPTIONS if getattr(parsed(option, text), name) not in (None, value)}
    # A preset fills others: that is what it is for. Clients of a share wait as it has them.
    assert others == set() or detail == "preset" or (detail, others) == ("sharing", {"sync_write_percent"})


def test_that_what_is_told_comes_after_the_preset() -> None:
    told = parsed("--preset", "home-directories", "--compressible", "no", "--file-size", "1GiB")
    assert (told.compressible, told.typical_file_bytes, told.read_percent) == (False, GIB, 70)
