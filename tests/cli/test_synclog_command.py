"""`poolwright synclog` as a person and a program call it."""

from itertools import product

import pytest
from tests.command_line import answer_of


@pytest.mark.slow
def test_that_the_paper_is_reproduced_row_by_row() -> None:
    rows = answer_of("synclog", "--paper", "--requests", "4000")["rows"]
    asked = {(5, 4096), (5, 8192), (5, 16384), (5, 32768), (1, 4096), (10, 4096), (20, 4096)}
    assert {(row["fsync"], row["block_size_bytes"]) for row in rows} == asked
    for row in rows:
        if row["paper_gain_percent"] is None:
            assert row["fsync"] in (10, 20)
            assert row["error_points"] is None
        else:
            assert abs(row["gain_percent"] - row["paper_gain_percent"]) < 3


def test_that_four_combinations_are_printed_with_the_load_of_each_disk() -> None:
    answer = answer_of(
        "synclog", "--volumes", "4", "--disks", "2", "--fsync", "8", "--block", "16K", "--requests", "800"
    )
    pairs = [(c["commit"], c["placement"]) for c in answer["combinations"]]
    assert sorted(pairs) == list(product(("per-request", "queued"), ("global", "per-volume")))
    for combination in answer["combinations"]:
        assert combination["iops"] > 0
        assert 0 < combination["latency_seconds"] <= combination["latency_p99_seconds"]
        assert len(combination["devices"]) == 2
        assert all(0 < device["busy_percent"] <= 100 for device in combination["devices"])
    assert answer["combinations"][0]["gain_percent"] == 0
    assert answer["gain"]["low"] < answer["gain"]["typical"] < answer["gain"]["high"]
    assert answer["block_size_bytes"] == 16384


def test_that_a_log_device_takes_the_place_of_the_disks() -> None:
    answer = answer_of("synclog", "--log-device", "--requests", "500")
    assert answer["log_device"] is True
    assert answer["model"]["log_device"]["write_seconds"] > 0
    assert all(len(c["devices"]) == 1 for c in answer["combinations"])
