"""Disks of an inventory, found and grouped."""

from poolwright.domain.disk import Disk, Use, UseKind
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.host import Host, Inventory, group_disks
from poolwright.domain.version import ZfsVersion


def disk(key: str, model: str | None, size: int | None, *, used: bool = False) -> Disk:
    uses = (Use(kind=UseKind.MOUNTED, detail="/"),) if used else ()
    return Disk(key=key, model=model, size_bytes=size, uses=uses)


DISKS = (
    disk("a", "X", 1 << 30),
    disk("b", "Y", 2 << 30),
    disk("c", "X", 1 << 30),
    disk("d", "X", 3 << 30),
    disk("e", None, 3 << 30),
    disk("f", "Z", None),
    disk("h", "W", (64 << 20) - 1),
    disk("i", "V", 64 << 20),
)


def test_that_disks_are_grouped_by_model_and_size_the_largest_group_first() -> None:
    found = group_disks(DISKS)
    assert [[d.key for d in group.disks] for group in found] == [["a", "c"], ["e"], ["d"], ["b"], ["i"], ["h"], ["f"]]
    assert [(group.model, group.size_bytes) for group in found[:2]] == [("X", 1 << 30), (None, 3 << 30)]


def test_that_a_disk_is_found_by_its_key_and_what_is_used_or_of_no_size_is_not_offered() -> None:
    origin = Origin(kind=OriginKind.TYPED, source="typed")
    box = Inventory(name="box", disks=(*DISKS, disk("g", "X", 64 << 20, used=True)), origin=origin)
    assert box.disk("b") is DISKS[1]
    assert box.disk("x") is None
    assert [d.key for d in box.usable()] == ["a", "b", "c", "d", "e", "i"]


def test_that_a_machine_without_openzfs_has_that_of_its_system() -> None:
    assert Host(os_name="Debian GNU/Linux 12 (bookworm)").modelled == ZfsVersion(2, 1, 11)
    assert Host().modelled is None
