"""Commands that are told a workload take the same words for it."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import answer_of, printed, refused

from poolwright.cli.main import run
from poolwright.cli.wishes import WORKLOAD_KEYS
from poolwright.store.design_file import from_json


@pytest.mark.parametrize("command", ["recommend", "buy", "predict", "roles"])
def test_that_every_command_that_takes_a_workload_takes_all_of_it(command: str) -> None:
    text = printed(command, "--help")
    assert {key for key in WORKLOAD_KEYS if f"--{key}" not in text} == set()


def test_that_predict_asks_for_what_the_preset_and_the_workload_say() -> None:
    def asked(*options: str) -> dict[str, Any]:
        found: dict[str, Any] = answer_of("predict", "--vdev", "raidz2:8x6TB", *options)
        return found

    guests = asked("--preset", "vm-images", "--network", "10GbE", "--sync-percent", "50")
    assert guests["request_bytes"] == 16384
    assert any(link["name"] == "network" and link["read_bytes_per_second"] for link in guests["chain"])
    assert guests["sync_write_iops"] != asked("--network", "10GbE")["sync_write_iops"]
    assert asked("--preset", "vm-images", "--recordsize", "64K")["recordsize_bytes"] == 65536
    assert asked("--io-size", "32K")["request_bytes"] == 32768


def test_that_a_workload_that_is_none_is_refused() -> None:
    assert "16X" in refused("predict", "--vdev", "raidz2:8x6TB", "--io-size", "16X")


@pytest.mark.slow
def test_that_several_presets_give_a_dataset_each_and_the_hardest_demand_decides(tmp_path: Path) -> None:
    file = tmp_path / "both.json"
    words = ["recommend", "--disks", "12 x 6TB hdd", "--goal", "concurrent", "--save-design", str(file)]
    told = printed(*words, "--preset", "media-archive", "--preset", "vm-images")
    assert "First choice: 6 × mirror of 2" in told
    assert "tank/media: recordsize=1M" in told
    assert "tank/vm-iso: recordsize=1M" in told
    design = from_json(file.read_text(encoding="utf-8"))
    assert design.workload.uses == ("vm-images", "media-archive")
    assert {dataset.name for dataset in design.datasets} == {"", "vm", "vm-iso", "media"}
    assert (design.workload.sequential_percent, design.workload.io_size_bytes) == (10, 16384)
    assert run(["roles", str(file)]) == 0


def test_that_a_line_of_a_batch_takes_one_preset_or_several() -> None:
    presets: list[object] = ["smb", ["smb", "database"], "database", ["smb", "tapes"]]
    lines = "".join(json.dumps({"vdev": "raidz2:8x6TB", "preset": preset}) + "\n" for preset in presets)
    one, both, hardest, unknown = map(json.loads, printed("predict", "--batch", "-", stdin=lines).splitlines())
    assert one["request_bytes"] != both["request_bytes"] == hardest["request_bytes"]
    assert "“tapes” does not fit --preset" in unknown["error"]


@pytest.mark.slow
def test_that_a_design_of_before_several_presets_opens_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "one.json"
    words = ["recommend", "--disks", "4 x 6TB hdd", "--goal", "concurrent", "--save-design", str(file)]
    assert run([*words, "--preset", "database"]) == 0
    document = json.loads(file.read_text(encoding="utf-8"))
    del document["design"]["workload"]["presets_beside"]
    assert from_json(json.dumps(document)) == from_json(file.read_text(encoding="utf-8"))
