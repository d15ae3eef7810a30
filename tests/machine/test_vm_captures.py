"""Virtual machines with real device models, captured with the collector: each class of disk as it is."""

from collections import Counter
from pathlib import Path

import pytest

from poolwright.design.groups import assignment_order
from poolwright.domain.disk import Media, Note
from poolwright.domain.host import Inventory
from poolwright.store.capture_files import open_captures

MACHINES = Path(__file__).parents[1] / "machines"


@pytest.fixture(scope="module")
def mixed() -> Inventory:
    return open_captures([MACHINES / "vm-mixed-sectors.capture"])


@pytest.fixture(scope="module")
def wall() -> Inventory:
    return open_captures([MACHINES / "vm-44-disks-512e.capture"])


def warnings(notes: tuple[Note, ...]) -> list[str]:
    return [note.text for note in notes if note.level == "warn"]


def test_that_512n_512e_4kn_and_nvme_disks_keep_their_sizes_and_sectors(mixed: Inventory) -> None:
    assert Counter(
        (d.size_bytes, d.logical_sector_bytes, d.physical_sector_bytes, d.media, d.rotation_rpm) for d in mixed.usable()
    ) == {
        (2000398934016, 512, 512, Media.HDD, 7200): 4,
        (6001175126016, 512, 4096, Media.HDD, 7200): 6,
        (8001563222016, 4096, 4096, Media.HDD, 7200): 6,
        (960197124096, 512, 512, Media.NVME, None): 2,
        (480103981056, 512, 512, Media.NVME, None): 2,
    }


def test_that_of_the_mixed_machine_only_the_boot_disk_is_in_use(mixed: Inventory) -> None:
    assert [(d.path, [str(use) for use in d.uses]) for d in mixed.disks if d.in_use] == [("/dev/vda", ["boot disk: /"])]
    assert all(disk.use_known for disk in mixed.disks)


def test_that_disks_that_answer_only_as_scsi_are_read_without_a_warning(mixed: Inventory) -> None:
    assert warnings(mixed.notes) == []
    assert [d.path for d in mixed.disks if warnings(d.notes)] == ["/dev/vda"]
    sources = {d.origin_of("physical_sector_bytes") for d in mixed.disks if d.size_bytes == 6001175126016}
    assert {s.source.rsplit("/", 1)[-1] for s in sources if s} == {f"sd{x}-scsi)" for x in "efghij"}


def test_that_the_nvme_disks_offer_4096_byte_formats(mixed: Inventory) -> None:
    nvme = [disk for disk in mixed.disks if disk.media is Media.NVME]
    assert all({512, 4096} <= {f.data_bytes for f in disk.lba_formats} for disk in nvme)
    assert all([f.data_bytes for f in disk.lba_formats if f.current] == [512] for disk in nvme)


def test_that_disks_are_assigned_by_scsi_address_and_not_by_kernel_name(mixed: Inventory) -> None:
    disks = [disk for disk in mixed.disks if disk.size_bytes == 6001175126016]
    assert [(d.path, d.slot) for d in disks][:2] == [("/dev/sde", "2:0:5:0"), ("/dev/sdf", "2:0:4:0")]
    assert [d.serial for d in assignment_order(disks)] == [f"ZA512E0{number}" for number in range(1, 7)]


def test_that_44_equal_disks_are_one_group_and_silent_ones_one_line(wall: Inventory) -> None:
    free = wall.usable()
    assert Counter((d.size_bytes, d.logical_sector_bytes, d.physical_sector_bytes) for d in free) == {
        (6001175126016, 512, 4096): 44
    }
    assert len({d.by_id_name for d in free}) == 44
    told = warnings(wall.notes)
    assert told == ["smartctl reported nothing for 44 disks (sda, sdb, sdc, … sdar): it printed nothing"]


def test_that_the_44_disks_are_assigned_in_the_order_of_their_addresses(wall: Inventory) -> None:
    ordered = assignment_order(wall.usable())
    addresses = [[int(part) for part in (disk.slot or "").split(":")] for disk in ordered]
    assert addresses == sorted(addresses)


@pytest.mark.parametrize("name", ["mixed", "wall"])
def test_that_a_floppy_drive_is_neither_listed_nor_complained_of(name: str, request: pytest.FixtureRequest) -> None:
    inventory: Inventory = request.getfixturevalue(name)
    assert not [disk for disk in inventory.disks if "fd0" in (disk.path or "")]
    assert not [note for note in inventory.notes if "fd0" in note.text]
