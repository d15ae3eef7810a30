"""`poolwright risk` as a person and a program use it."""

import pytest
from tests.command_line import answer_of, printed

RAIDZ2 = "raidz2:8x6001175126016"


def test_that_the_json_has_the_promised_keys() -> None:
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


def test_that_people_read_odds_and_assumptions() -> None:
    done = printed("risk", "--vdev", RAIDZ2, "--vdev", "special/mirror:2x960GB", "--simulate", "1000")
    for words in ("pool lost within a year", "1 in ", "special mirror of 2", "assumed correlation", "1,000 pool years"):
        assert words in done


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
