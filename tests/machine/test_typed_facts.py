"""Values that are typed of disks: shelf, model, measured rates. They are kept with their origin, and used."""

import pytest

from poolwright.domain.disk import Disk, Media
from poolwright.domain.errors import UserError
from poolwright.domain.host import Host
from poolwright.domain.origin import OriginKind
from poolwright.domain.units import MB
from poolwright.domain.vdev import parse_spec
from poolwright.domain.workload import Goal, Workload
from poolwright.drive_library import load_drive_book
from poolwright.machine.typed.read import read_typed
from poolwright.predict.drives import measured_rates
from poolwright.predict.outlook import outlook_for
from poolwright.predict.rebuild import rebuild_hours
from poolwright.predict.risk_conditions import rebuild_conditions


def typed(text: str) -> tuple[Disk, ...]:
    return read_typed([text]).disks


@pytest.mark.parametrize(
    "text", ["4 x 16TB shelf=2", "4 x 16TB shelf 2", "4 x 16TB SHELF=2 CMR", "4 x 16TB jbod=2", "4 x enclosure=2 16TB"]
)
def test_that_a_shelf_is_read_in_any_spelling(text: str) -> None:
    assert {disk.enclosure for disk in typed(text)} == {"2"}


@pytest.mark.parametrize(
    ("text", "read", "write"),
    [
        ("4 x 16TB read=250MB/s write=240MB/s", 250 * MB, 240 * MB),
        ("4 x 16TB rate=180MB/s", 180 * MB, 180 * MB),
        ("4 x 16TB 180MB/s", 180 * MB, None),
        ("4 x 16TB 180 MB/s CMR", 180 * MB, None),
        ("4 x 16TB SAS 12Gb/s", None, None),
    ],
)
def test_that_a_measured_rate_is_read_and_the_speed_of_a_link_is_none(
    text: str, read: int | None, write: int | None
) -> None:
    disk = typed(text)[0]
    assert (disk.read_bytes_per_second, disk.write_bytes_per_second) == (read, write)


def test_that_each_group_has_its_own_shelf_model_and_rate() -> None:
    disks = typed("2 x 16TB shelf=1 read=250MB/s, 2 x 16TB shelf=2; 1 x 960GB NVMe PLP model=P4510")
    assert [disk.enclosure for disk in disks] == ["1", "1", "2", "2", None]
    assert [disk.read_bytes_per_second for disk in disks] == [250 * MB, 250 * MB, None, None, None]
    assert (disks[4].model, disks[4].power_loss_protection, disks[4].media) == ("P4510", True, Media.NVME)
    for field in ("enclosure", "read_bytes_per_second"):
        origin = disks[0].origin_of(field)
        assert origin is not None
        assert origin.kind is OriginKind.TYPED


def test_that_what_was_understood_is_told_back() -> None:
    notes = [note.text for note in read_typed(["2 x 16TB shelf=1 read=250MB/s write=1.2GB/s"]).notes]
    assert notes[-1].endswith(": in shelf 1, reads 250 MB/s, writes 1.20 GB/s")


def test_that_a_model_number_says_what_its_maker_told_of_it() -> None:
    disk = typed("4 x 8TB model=ST8000DM004")[0]
    assert (disk.model, disk.smr, disk.media) == ("ST8000DM004", True, Media.HDD)
    assert typed("4 x 8TB model=MyOwnName")[0].model == "MyOwnName"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("4 x 4TB shelf=", "no name of a shelf"),
        ("4 x 4TB model=", "no name of a model"),
        ("4 x 4TB shelf=1 shelf=2", "shelf 2” contradicts “shelf 1"),
        ("4 x 4TB model=A model=B", "contradicts"),
        ("4 x 4TB read=5", "has no unit"),
        ("4 x 4TB read=quick", "is not a read rate"),
        ("4 x 4TB read=1MB/s rate=2MB/s", "second read rate"),
        ("4 x 4TB colour=red", "shelf=NAME"),
        ("4 x 4TB shelf=" + "x" * 61, "at most 60"),
    ],
)
def test_that_a_value_that_makes_no_sense_is_refused_in_words_that_help(text: str, words: str) -> None:
    with pytest.raises(UserError) as caught:
        read_typed([text])
    assert words in caught.value.text


def test_that_the_slowest_disk_that_was_measured_counts() -> None:
    disks = typed("2 x 16TB read=250MB/s, 2 x 16TB read=200MB/s write=190MB/s, 1 x 16TB")
    assert measured_rates(disks) == (200 * MB, 190 * MB)
    assert measured_rates(typed("4 x 16TB")) == (None, None)


def test_that_speed_and_rebuild_follow_what_was_measured() -> None:
    spec = parse_spec("raidz2:8x16TB")
    slow, fast = typed("8 x 16TB rate=100MB/s"), typed("8 x 16TB rate=260MB/s")
    speeds = [
        outlook_for(disks, workload=Workload(goal=Goal.SPEED), host=Host(), drives=load_drive_book(), ashift=12)
        .assess((spec,))
        .speed.seq_write.typical
        for disks in (slow, fast)
    ]
    assert speeds[1] > 1.2 * speeds[0]
    hours = [rebuild_hours(spec, rebuild_conditions(disks)) for disks in (slow, fast)]
    assert hours[0] is not None
    assert hours[1] is not None
    assert hours[0].typical > 1.5 * hours[1].typical
