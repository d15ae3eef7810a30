"""Settings beside the first choice are judged as beside a layout of one's own; refusals say what would help."""

from typing import Any

import pytest
from tests.command_line import answer_of, printed, refused

from poolwright.cli.main import run

DISKS = ("--disks", "4 x 2TB nvme", "--goal", "safety")


def rules_by_hand(*args: str) -> set[str]:
    answer: dict[str, Any] = answer_of("recommend", *args)
    return {finding["rule"] for finding in answer["findings_by_hand"]}


def test_that_settings_beside_the_first_choice_are_judged() -> None:
    out = printed("recommend", *DISKS, "-O", "copies=2", "-O", "compression=off")
    assert "its data take 2 times the room. When a vdev" in out
    assert "[datasets.compression-off]" in out


def test_that_they_are_judged_as_beside_a_layout_of_ones_own() -> None:
    options = ("-O", "copies=2", "--volume", "vm=100GiB,4K")
    found = rules_by_hand(*DISKS, *options)
    own: dict[str, Any] = answer_of("recommend", *DISKS, *options, "--layout", "raidz2:4x2TB")
    assert {"records.copies", "datasets.record-wasteful"} <= found
    assert found <= {finding["rule"] for finding in own["own"]["findings"]}


def test_that_without_options_nothing_is_found_by_hand() -> None:
    assert rules_by_hand(*DISKS) == set()


def test_that_swap_on_a_volume_is_warned_of() -> None:
    # openzfs/zfs issue 7734: hangs with a swap volume when memory is short, open since 2018.
    assert "datasets.swap-volume" in rules_by_hand(*DISKS, "--dataset", "swap", "volsize=16G")
    assert "datasets.swap-volume" not in rules_by_hand(*DISKS, "--volume", "vm=16GiB")


@pytest.mark.slow
def test_that_a_volume_of_one_sector_a_block_is_said_not_to_compress() -> None:
    # openzfs/zfs issue 14771: the same guest at 1.07 with 4K and at 1.94 with 16K.
    mirrors = ("--disks", "4 x 2TB nvme", "--goal", "concurrent")
    assert "datasets.record-one-sector" in rules_by_hand(*mirrors, "--volume", "vm=100GiB,4K")
    assert "datasets.record-one-sector" not in rules_by_hand(*mirrors, "--volume", "vm=100GiB,16K")


@pytest.mark.slow
def test_that_a_refused_ashift_is_not_answered_with_more_disks() -> None:
    err = refused("recommend", "--disks", "8 x 4TB 4Kn", "--goal", "safety", "--ashift", "9", status=1)
    assert "Ask for another ashift" in err
    assert "dd disks" not in err


def test_that_no_finding_is_left_out_without_a_word() -> None:
    out = printed("recommend", *DISKS, *(f"--volume=swap{number}=16GiB,4K" for number in range(20)))
    assert len([line for line in out.splitlines() if "[datasets.record-wasteful]" in line]) == 20


def test_that_a_controller_that_is_typed_is_judged(capsys: pytest.CaptureFixture[str]) -> None:
    # OpenZFS documentation, Hardware RAID controllers: not to be used, single-disk RAID 0 no way around.
    assert "[disks.raid-controller]" in printed("recommend", *DISKS, "--controller", "PERC H730")
    assert "[disks.raid-controller]" not in printed("recommend", *DISKS, "--controller", "LSI 9300-8i")
    assert run(["recommend", *DISKS, "--controller", " "]) == 2
    capsys.readouterr()


def test_that_encryption_without_cores_is_said_not_to_be_counted() -> None:
    words = "Encryption is not in these rates"
    assert words in printed("predict", "--vdev", "mirror:2x8TB", "--encryption", "on")
    assert words not in printed("predict", "--vdev", "mirror:2x8TB", "--encryption", "on", "--cores", "4")
