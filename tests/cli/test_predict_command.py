"""`poolwright predict` as a person and a program use it."""

import json
from pathlib import Path

import pytest
from tests.command_line import answer_of, own_process, poolwright, printed, written


@pytest.fixture
def runs(tmp_path: Path) -> str:
    path = written(
        tmp_path / "runs.csv",
        "vdevs,metric,value\nstripe:24x6TB,seq_write,2882MiB/s\nstripe:24x6TB,seq_read,3200000000\n",
    )
    return str(path)


def test_that_runs_change_the_answer_and_narrow_the_band(runs: str) -> None:
    plain = answer_of("predict", "--vdev", "stripe:40x6TB")
    known = answer_of("predict", "--vdev", "stripe:40x6TB", "--calibrate", runs)
    for metric in ("seq_read", "seq_write"):
        before, after = plain[metric], known[metric]
        assert after["high"] / after["low"] < before["high"] / before["low"]
        assert "adapted to this host" in after["origin"]
    assert known["runs"] == 2


@pytest.mark.slow
def test_that_what_a_missing_disk_and_a_resilver_leave_is_told_as_of_a_whole_design() -> None:
    asked = ("--layout", "4*raidz2:11x6TB", "--example", "thesis")
    lost = json.loads(printed("predict", *asked, "--json"))["slowdown"]
    assert lost == json.loads(printed("show", *asked, "--json"))["predictions"]["slowdown"]
    assert printed("predict", *asked) == printed("show", *asked, "--speed")
    alone = ("predict", "--vdev", "raidz2:8x6TB")
    answer, text = json.loads(printed(*alone, "--json")), printed(*alone)
    left = answer["seq_read"]["typical"] * (1 - answer["slowdown"]["rebuild_read"]["typical"])
    assert f"{left / 1e6:.0f} MB/s left" in text
    assert "failed disk" not in printed("predict", "--vdev", "stripe:1x6TB")


def test_that_a_batch_answers_line_by_line_and_survives_bad_lines(runs: str) -> None:
    lines = [
        json.dumps({"vdev": ["raidz2:8x6TB"], "disk_read": 160000000, "disk-write": "130MB/s", "clients": 10}),
        json.dumps({"vdev": ["raidz2:8x6TB"], "calibrate": runs}),
        json.dumps({"vdev": "mirror:2x6TB mirror:2x6TB", "recordsize": "1M", "json": True}),
        json.dumps({"vdev": ["raidz3:3x6TB"]}),
        json.dumps({"vdev": ["raidz2:8x6TB"], "colour": "red"}),
        json.dumps({"vdev": ["raidz2:8x6TB"], "disk_read": True}),
        json.dumps({"vdev": ["raidz2:8x6TB"], "media": "tape"}),
        json.dumps({"vdev": ["raidz2:8x6TB"], "calibrate": "/nonexistent"}),
        "{",
        json.dumps({"vdev": ["stripe:1x6TB"], "disk_iops": 100, "disk_write": None}),
    ]
    done = own_process("predict", "--batch", "-", stdin="\n".join(lines))
    assert done.returncode == 0
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(lines)
    assert [index for index, answer in enumerate(answers) if "error" not in answer] == [0, 1, 2, 9]
    assert answers[1]["runs"] == 2
    assert answers[2]["recordsize_bytes"] == 1 << 20


def test_that_options_beside_a_batch_hold_for_every_line() -> None:
    line = json.dumps({"vdev": ["stripe:1x6TB"]})
    done = poolwright("predict", "--batch", "-", "--disk-read", "100MB/s", stdin=line)
    assert json.loads(done.stdout)["seq_read"]["typical"] == pytest.approx(100e6, rel=0.05)


def test_that_a_small_request_is_asked_of_whole_records() -> None:
    asked = ("predict", "--vdev", "raidz2:8x6TB", "--io-size", "4K")
    answer = answer_of(*asked)
    assert (answer["recordsize_bytes"], answer["request_bytes"]) == (128 << 10, 4 << 10)
    small = answer_of("predict", "--vdev", "raidz2:8x6TB", "--recordsize", "4K")
    assert answer["rand_write_iops"]["typical"] < small["rand_write_iops"]["typical"]
    assert "records of 128 KiB, requests of 4.00 KiB" in poolwright(*asked).stdout


def test_that_parity_in_plain_code_costs_a_raidz_of_flash_its_writes() -> None:
    asked = ("predict", "--vdev", "raidz2:8x2TB", "--media", "nvme", "--json")
    now, then = (json.loads(poolwright(*asked, *more).stdout) for more in ((), ("--zfs", "0.6.5")))
    assert then["seq_write"]["typical"] < 0.85 * now["seq_write"]["typical"]
    assert then["seq_read"]["typical"] == now["seq_read"]["typical"]


@pytest.mark.parametrize(
    "disks",
    [
        "4 x 1TB model=Samsung SSD 870 EVO 1TB",
        '4 x 1TB model="Samsung SSD 870 EVO 1TB" read=500MB/s',
        "4 x 1TB Samsung SSD 870 EVO 1TB",
        "4 x 1TB ssd model=CT1000MX500SSD1",
        "4 x 960GB model=MZ7L3960HCJR",
        "4 x 3.84TB nvme model=INTEL SSDPE2KX040T8, 2 x 4TB",
    ],
)
def test_that_the_power_loss_protection_of_a_typed_model_is_known_as_that_of_a_read_one(disks: str) -> None:
    size = disks.split()[2]
    assert answer_of("predict", "--disks", disks, "--vdev", f"mirror:2x{size}")["sync_write_iops"]["cases"] == []


def test_that_a_model_that_somebody_measured_tells_the_rate_and_the_origin_says_so() -> None:
    disks = ("--disks", "8 x 16TB model=ST16000NM001G")
    done = poolwright("predict", *disks, "--vdev", "raidz2:8x16TB")
    assert "measured of ST16000NM001G (table disk_rates)" in done.stdout
    chain = answer_of("predict", *disks, "--vdev", "raidz2:8x16TB")["chain"]
    assert chain[0]["read_bytes_per_second"] == pytest.approx(6 * 250e6)


def test_that_a_disk_is_taken_as_fast_as_its_size_is() -> None:
    old, new = (answer_of("predict", "--vdev", f"stripe:1x{size}TB") for size in (2, 20))
    assert new["seq_read"]["typical"] > 1.7 * old["seq_read"]["typical"]
    assert "usual for a hard disk of 20 TB" in new["seq_read"]["origin"]


def test_that_fill_and_age_of_a_pool_slow_it_down() -> None:
    def reads(*more: str) -> float:
        answer = answer_of("predict", "--vdev", "raidz2:8x8TB", *more)
        return float(answer["seq_read"]["typical"])

    new, full, old = reads(), reads("--fill", "91"), reads("--fill", "91", "--aged")
    assert old < 0.3 * full < 0.25 * new
    printed = poolwright("predict", "--vdev", "raidz2:8x8TB", "--fill", "91", "--aged").stdout
    assert "91 % full, in use;" in printed


# `poolwright risk` as a person and a program use it.


RAIDZ2 = "raidz2:8x6001175126016"


def test_that_the_json_of_a_risk_has_the_promised_keys() -> None:
    answer = answer_of("risk", "--vdev", RAIDZ2)
    probability = answer["yearly_loss_probability"]
    assert 0 < probability["low"] < probability["typical"] < probability["high"] < 1e-3
    assert probability["origin"]
    assert answer["mttdl_hours"] == pytest.approx(8766 / probability["typical"], rel=0.02)
    term = answer["terms"][0]
    assert term["name"] == "raidz2 of 8"
    then = answer_of("risk", "--vdev", RAIDZ2, "--zfs", "0.6.5")["terms"][0]
    assert then["rebuild_hours"]["typical"] == pytest.approx(24, rel=0.02)  # 80 % of the thesis' 30 hours
    assert 10 < term["rebuild_hours"]["typical"] < 18  # sorted since OpenZFS 0.8
    assert {a["name"] for a in answer["assumptions"]} >= {"correlation", "replace_hours", "read_errors_per_bit"}
    assert "simulation" not in answer


def test_that_a_given_rate_and_rebuild_time_give_the_textbooks_figure() -> None:
    answer = answer_of("risk", "--vdev", "mirror:2x6TB", "--afr", "5", "--rebuild-hours", "24")
    failing = 0.05 / 8766
    assert answer["mttdl_hours"] == pytest.approx((3 * failing + 1 / 24) / (2 * failing**2), rel=1e-6)


def test_that_the_rate_of_the_model_is_used_and_its_origin_told() -> None:
    good, bad = (
        answer_of("risk", "--vdev", RAIDZ2, "--model", model) for model in ("WUH721816ALE6L4", "ST3000DM001-1CH166")
    )
    assert bad["yearly_loss_probability"]["typical"] > 1000 * good["yearly_loss_probability"]["typical"]
    assert "102 failures" in good["terms"][0]["afr_percent"]["origin"]


def test_that_a_simulation_agrees_and_is_repeated_by_its_seed() -> None:
    args = ("--vdev", RAIDZ2, "--afr", "80", "--rebuild-hours", "150", "--simulate", "100000", "--seed", "5")
    first, again = answer_of("risk", *args)["simulation"], answer_of("risk", *args)["simulation"]
    assert first == again
    assert (first["pool_years"], first["seed"]) == (100_000, 5)
    assert first["lost"]["low"] < first["lost"]["chain"] < first["lost"]["high"]
    assert first["lost"]["chain_within_interval"] is True


def test_that_spares_and_one_batch_move_the_risk() -> None:
    plain = answer_of("risk", "--vdev", RAIDZ2)["yearly_loss_probability"]["typical"]
    spare = answer_of("risk", "--vdev", RAIDZ2, "--vdev", "spare/stripe:1x6001175126016")["yearly_loss_probability"][
        "typical"
    ]
    assert spare < plain < answer_of("risk", "--vdev", RAIDZ2, "--same-batch")["yearly_loss_probability"]["typical"]
    assert answer_of("risk", "--vdev", RAIDZ2, "--spares", "1")["yearly_loss_probability"]["typical"] == spare


def test_that_vdevs_of_several_sizes_have_the_rates_of_their_own_disks() -> None:
    machine = "4 x 8TB ST8000DM002, 2 x 16TB ST16000NM001G"
    both = answer_of("risk", "--disks", machine, "--vdev", "raidz2:4x8TB", "--vdev", "stripe:1x16TB")
    lone = answer_of("risk", "--disks", machine, "--vdev", "stripe:1x16TB")
    alone = next(term for term in both["terms"] if term["name"] == "single disk")
    assert alone["afr_percent"]["typical"] == lone["terms"][0]["afr_percent"]["typical"]
    assert alone["yearly_loss_probability"] == lone["terms"][0]["yearly_loss_probability"]
    assert both["terms"][1]["afr_percent"]["typical"] > alone["afr_percent"]["typical"]
    typed = answer_of("risk", "--disks", machine, "--vdev", "raidz2:4x8TB", "--vdev", "stripe:1x16TB", "--afr", "3")
    assert {term["afr_percent"]["typical"] for term in typed["terms"]} == {3.0}
