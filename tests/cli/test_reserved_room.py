"""Room that is reserved beside the data, on the commands that make a design or ask about one."""

import json
from pathlib import Path

import pytest
from tests.command_line import answer_of, printed, refused

LAYOUT = ("--layout", "raidz1:3x4TB")


def test_that_a_layout_of_ones_own_carries_what_is_reserved() -> None:
    text = printed("script", *LAYOUT, "--format", "json", "--reserve", "esp=512MiB", "swap=2GiB:last")
    reserve = json.loads(text)["design"]["reserve"]
    assert [(one["purpose"], one["size_bytes"], one["last"]) for one in reserve] == [
        ("esp", 512 << 20, False),
        ("swap", 2 << 30, True),
    ]


def test_that_a_reserve_that_cannot_be_is_refused_in_words() -> None:
    assert "leaves no room for data" in refused("script", *LAYOUT, "--reserve", "swap=5TB")
    assert "no reserved partition" in refused("script", *LAYOUT, "--reserve", "swop=4GiB")


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
