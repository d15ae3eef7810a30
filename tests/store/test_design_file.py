"""Designs as files: they come back the same."""

from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.domain.workload import Goal
from poolwright.store.design_file import from_json, to_json


def test_that_an_enumeration_comes_back_as_itself_and_not_as_text() -> None:
    member = Member(disk_key="a")
    disk = Disk(key="a", size_bytes=10**12)
    whole = Design(
        key="k", name="n", pool_name="tank", disks=(disk,), vdevs=(Vdev(kind=VdevKind.STRIPE, members=(member,)),)
    )
    again = from_json(to_json(whole))
    assert again.vdevs[0].kind is VdevKind.STRIPE
    assert again.vdevs[0].vdev_class is VdevClass.DATA
    assert again.workload.goal is Goal.SAFETY
