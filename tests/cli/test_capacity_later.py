"""`poolwright capacity --then`: the space of a pool after each step of its growth."""

from tests.command_line import answer_of, printed


def test_that_each_step_tells_what_the_tools_print_after_it() -> None:
    # The numbers are those of OpenZFS 2.3.2 (tests/capacity/growth-of-our-machine.tsv).
    found = answer_of("capacity", "--vdev", "raidz1:3x8001175126016", "--zfs", "2.3.2",
        "--then", "attach:8001175126016", "--then", "attach 12000138625024",
    )  # fmt: skip
    steps = found["steps_later"]
    assert isinstance(steps, list)
    assert [(s["pool_size_bytes"], s["available_bytes"]) for s in steps] == [
        (31988916420608, 21167679209472),
        (39994735460352, 26499679780864),
    ]
    assert steps[1]["vdevs"][0]["deflate_ratio_of_width"] == 3
    assert steps[1]["step"] == "attach:12000138625024"


def test_that_without_autoexpand_larger_disks_wait_for_a_command() -> None:
    found = answer_of(
        "capacity", "--vdev", "mirror:2x1TB", "--autoexpand", "off", "--then", "replace:2TB", "--then", "expand"
    )
    steps = found["steps_later"]
    assert isinstance(steps, list)
    assert steps[0]["pool_size_bytes"] == found["pool_size_bytes"]
    assert steps[1]["pool_size_bytes"] > found["pool_size_bytes"]


def test_that_a_removed_vdev_takes_its_room_along() -> None:
    found = answer_of("capacity", "--vdev", "mirror:2x1TB", "mirror:2x2TB", "--then", "remove@1")
    alone = answer_of("capacity", "--vdev", "mirror:2x2TB")
    steps = found["steps_later"]
    assert isinstance(steps, list)
    assert steps[0]["available_bytes"] == alone["available_bytes"]


def test_that_the_steps_are_shown_as_a_table() -> None:
    told = printed("capacity", "--vdev", "raidz2:8x6TB", "--then", "attach:6TB")
    assert "raidz2 of 9" in told
    assert "38,250,576,084,992" in told
    assert "keeps the deflate ratio" in told


def test_that_a_single_disk_added_beside_a_raidz_is_warned_of() -> None:
    # openzfs/zfs issues 9772, 10447 and 9129: added by mistake, never to be removed.
    assert "the pool is lost with all of them" in " ".join(
        printed("capacity", "--vdev", "raidz2:6x8TB", "--then", "add:stripe:8TB").split()
    )
    assert "the pool is lost" not in printed("capacity", "--vdev", "raidz2:6x8TB", "--then", "add:raidz2:6x8TB")
