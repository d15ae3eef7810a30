"""Binding to what lsblk printed on real machines. Skipped where the collection is absent."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.design.binding.at_hand import planned_design

from poolwright.design.binding.binding import bind_disks
from poolwright.design.binding.judging import PairedBy
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.host import Inventory
from poolwright.domain.vdev import VdevKind
from poolwright.store.capture_files import open_captures

CORPUS = Path(__file__).parents[4] / "shared" / "corpus"
FILES = [p for folder in ("lsblk_json", "lsblk_text") for p in sorted((CORPUS / folder).glob("*"))]
pytestmark = pytest.mark.skipif(not FILES, reason="the collection of real outputs is not here")


def read(path: Path) -> Inventory:
    try:
        return open_captures([path])
    except PoolwrightError as error:
        pytest.skip(error.text)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_that_no_disk_in_use_is_taken_nor_one_twice(path: Path) -> None:
    inventory = read(path)
    sizes = [disk.size_bytes for disk in inventory.disks if disk.size_bytes]
    design = planned_design("mirror:2x8TB", "mirror:2x8TB")
    if sizes:
        disks = tuple(replace(disk, size_bytes=min(sizes), media=None) for disk in design.disks)
        design = replace(design, disks=disks)
    found = bind_disks(design, inventory, smaller=True)
    taken = [pair.real for pair in found.bound if pair.real is not None]
    assert not any(disk.refusals() for disk in taken)
    assert len({disk.key for disk in taken}) == len(taken)
    assert all(pair.reasons for pair in found.missing)
    assert len(taken) == min(4, len(inventory.usable()))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_that_a_machine_read_again_has_its_own_disks_whatever_they_are_called(path: Path) -> None:
    inventory = read(path)
    own = inventory.usable()
    if not own:
        pytest.skip("every disk is in use")
    members = tuple(Member(disk_key=disk.key) for disk in own)
    design = Design(
        key="own",
        name="own",
        pool_name="tank",
        disks=inventory.disks,
        vdevs=(Vdev(kind=VdevKind.STRIPE, members=members),),
    )
    renamed = [
        replace(disk, key=f"disk {number}", path=f"/dev/new{number}", by_id=())
        for number, disk in enumerate(inventory.disks)
    ]
    for pair in bind_disks(design, replace(inventory, disks=tuple(reversed(renamed)))).pairs:
        if pair.by in (PairedBy.SERIAL, PairedBy.WWN):
            assert pair.real is not None
            assert (pair.real.serial, pair.real.wwn) == (pair.seat.disk.serial, pair.seat.disk.wwn)
