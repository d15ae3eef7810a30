"""Commands that are told a workload take the same words for it."""

import json
from typing import Any

import pytest

from poolwright.cli.main import run
from poolwright.cli.wishes import WORKLOAD_KEYS


@pytest.mark.parametrize("command", ["recommend", "buy", "predict", "roles"])
def test_that_every_command_that_takes_a_workload_takes_all_of_it(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([command, "--help"]) == 0
    text = capsys.readouterr().out
    assert {key for key in WORKLOAD_KEYS if f"--{key}" not in text} == set()


def test_that_predict_asks_for_what_the_preset_and_the_workload_say(capsys: pytest.CaptureFixture[str]) -> None:
    def asked(*options: str) -> dict[str, Any]:
        assert run(["predict", "--vdev", "raidz2:8x6TB", *options, "--json"]) == 0
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        return found

    guests = asked("--preset", "vm-images", "--network", "10GbE", "--sync-percent", "50")
    assert guests["request_bytes"] == 16384
    assert any(link["name"] == "network" and link["read_bytes_per_second"] for link in guests["chain"])
    assert guests["sync_write_iops"] != asked("--network", "10GbE")["sync_write_iops"]
    assert asked("--preset", "vm-images", "--recordsize", "64K")["recordsize_bytes"] == 65536
    assert asked("--io-size", "32K")["request_bytes"] == 32768


def test_that_a_workload_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["predict", "--vdev", "raidz2:8x6TB", "--io-size", "16X"]) == 2
    assert "16X" in capsys.readouterr().err
