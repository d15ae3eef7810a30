"""`poolwright capacity` as a person and a program use it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.command_line import answer_of, own_process, poolwright, printed

RAIDZ2 = "raidz2:8x6001175126016"


def test_that_the_json_has_the_promised_keys_and_openzfs_numbers() -> None:
    done = printed("capacity", "--vdev", RAIDZ2, "--ashift", "12", "--zfs", "2.3", "--members", "file", "--json")
    answer = json.loads(done)
    assert answer["pool_size_bytes"] == 48000554500096
    assert answer["available_bytes"] == 33987955261440
    assert answer["slop_bytes"] == 125225140224
    assert (answer["metaslab_count"], answer["metaslab_shift"]) == (2794, 34)
    assert [step["name"] for step in answer["steps"]][-2:] == ["usable", "fill-reserve"]


def test_that_the_cost_of_one_record_is_told() -> None:
    done = poolwright("capacity", "--vdev", RAIDZ2, "--ashift", "12", "--recordsize", "8K", "--json")
    record = json.loads(done.stdout)["record"]
    assert (record["recordsize_bytes"], record["allocated_bytes"], record["used_bytes"]) == (8192, 24576, 17472)
    assert record["efficiency"] == pytest.approx(1 / 3, abs=1e-6)


def test_that_records_on_different_vdevs_have_no_one_number() -> None:
    done = poolwright("capacity", "--vdev", RAIDZ2, "--vdev", "mirror:3x1TB", "--recordsize", "8K", "--json")
    record = json.loads(done.stdout)["record"]
    assert record["allocated_bytes"] is None
    assert [row["allocated_bytes"] for row in record["vdevs"]] == [24576, 8192]


def test_that_several_vdevs_follow_one_option_or_repeat_it() -> None:
    special = "special/mirror:2x960GB"
    followed = poolwright("capacity", "--vdev", RAIDZ2, RAIDZ2, special, "--json")
    repeated = poolwright("capacity", "--vdev", RAIDZ2, "--vdev", RAIDZ2, "--vdev", special, "--json")
    assert followed.stdout == repeated.stdout
    assert len(json.loads(followed.stdout)["vdev"]) == 3


def test_that_lines_of_a_batch_may_leave_out_what_the_command_line_gives() -> None:
    lines = '{"vdev": ["mirror:2x6TB"]}\n{"vdev": ["mirror:2x6TB"], "ashift": 9}\n'
    done = own_process("capacity", "--ashift", "13", "--zfs", "2.1", "--batch", "-", stdin=lines)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(a["ashift"], a["zfs"]) for a in answers] == [(13, "2.1.16"), (9, "2.1.16")]


def test_that_a_batch_answers_line_by_line_and_survives_bad_lines(tmp_path: Path) -> None:
    lines = [
        {"vdev": [RAIDZ2], "ashift": 12, "zfs": "2.3", "members": "file"},
        {"vdev": ["raidz2:2x6TB"]},
        {"vdev": "mirror:2x6TB stripe:1x6TB", "ashift": "12"},
        {"vdev": [RAIDZ2], "ashift": 12.5},
        {"vdev": [RAIDZ2], "colour": "red"},
        {"vdev": 7},
        {"vdev": [RAIDZ2], "members": "tape"},
        {"vdev": ["stripe:320072933376"], "zfs": "2.1.11", "logical_sector": 4096},
    ]
    texts = [json.dumps(line) for line in lines]
    many_digits = "9" * 5000
    texts[3:3] = ["{", "[]", '"x"', "", "[" * 100_000, f'{{"ashift": {many_digits}}}', '{"vdev": ["\\ud800"]}']
    texts += [f'{{"vdev": ["{kind}"]}}' for kind in (f"raidz2:{many_digits}x1TB", f"draid2:{many_digits}d:9x1TB")]
    (tmp_path / "batch").write_text("\n".join([*texts, "", ""]), encoding="utf-8")
    done = printed("capacity", "--batch", str(tmp_path / "batch"))
    answers = [json.loads(line) for line in done.splitlines()]
    assert len(answers) == len(texts)  # one for each line, an empty one between others included
    good = [index for index, answer in enumerate(answers) if "error" not in answer]
    assert good == [0, 2, 14]
    assert answers[0]["available_bytes"] == 33987955261440
    assert answers[14]["pool_size_bytes"] == 319975063552  # seen on a real 4Kn disk
    assert poolwright("capacity", "--batch", "-", stdin=texts[0]).stdout.splitlines()[0] == done.splitlines()[0]


@pytest.mark.parametrize(
    "argv",
    [
        ["capacity", "--vdev", "mirror:2x6TB"],
        pytest.param(["predict", "--vdev", "mirror:2x6TB"], marks=pytest.mark.slow),
        pytest.param(["risk", "--vdev", "mirror:2x6TB"], marks=pytest.mark.slow),
        pytest.param(["inventory", "--example", "paper"], marks=pytest.mark.slow),
    ],
)
def test_that_the_command_line_loads_no_window_and_no_heavy_library(argv: list[str]) -> None:
    code = (
        f"import sys; from poolwright.cli.main import run; run({argv!r});"
        "print(sorted({m.split('.')[0] for m in sys.modules} & "
        "{'PySide6', 'pyqtgraph', 'numpy', 'poolwright.rules.load', 'cattrs', 'sqlite3'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.splitlines()[-1] == "[]"


def test_that_an_old_openzfs_is_computed_by_its_own_rules_and_told_as_old() -> None:
    old = answer_of("capacity", "--vdev", "raidz2:8x6TB", "--zfs", "0.7")
    new = answer_of("capacity", "--vdev", "raidz2:8x6TB")
    assert old["slop_bytes"] > 900 * 10**9 > new["slop_bytes"]
    assert "0.7.13 is old" in old["notes"][0]
    assert new["notes"] == []
    assert "0.7.13 is old" in poolwright("capacity", "--vdev", "raidz2:8x6TB", "--zfs", "0.7").stdout


# `poolwright capacity --then`: the space of a pool after each step of its growth.


def test_that_each_step_tells_what_the_tools_print_after_it() -> None:
    # The numbers are those of OpenZFS 2.3.2 (tests/capacity/growth-of-our-machine.tsv).
    found = answer_of("capacity", "--vdev", "raidz1:3x8001175126016", "--zfs", "2.3.2",
        "--then", "attach:8001175126016", "--then", "attach 12000138625024",
    )  # fmt: skip
    steps = found["steps_later"]
    assert [(s["pool_size_bytes"], s["available_bytes"]) for s in steps] == [
        (31988916420608, 21167679209472),
        (39994735460352, 26499679780864),
    ]
    assert steps[1]["vdevs"][0]["deflate_ratio_of_width"] == 3
    assert steps[1]["step"] == "attach:12TB"


def test_that_without_autoexpand_larger_disks_wait_for_a_command() -> None:
    found = answer_of(
        "capacity", "--vdev", "mirror:2x1TB", "--autoexpand", "off", "--then", "replace:2TB", "--then", "expand"
    )
    steps = found["steps_later"]
    assert steps[0]["pool_size_bytes"] == found["pool_size_bytes"]
    assert steps[1]["pool_size_bytes"] > found["pool_size_bytes"]


def test_that_a_single_disk_added_beside_a_raidz_is_warned_of() -> None:
    # openzfs/zfs issues 9772, 10447 and 9129: added by mistake, never to be removed.
    assert "the whole pool is lost, and beside a raidz" in " ".join(
        printed("capacity", "--vdev", "raidz2:6x8TB", "--then", "add:stripe:8TB").split()
    )
    assert "the pool is lost" not in printed("capacity", "--vdev", "raidz2:6x8TB", "--then", "add:raidz2:6x8TB")
