"""The model of synchronous writes is asked what a design means, and answers for its OpenZFS."""

from dataclasses import replace

from poolwright.design.goals import advise_design
from poolwright.domain.design import Dataset, Design, Member, Vdev
from poolwright.domain.disk import Disk, Media
from poolwright.domain.units import GIB, KIB, MIB
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Goal, Workload
from poolwright.predict.synclog_model import DEVICES, Drive, setup_of


def _disk(number: int, media: Media | None = Media.HDD) -> Disk:
    return Disk(key=f"d{number}", path=f"/dev/sd{number}", size_bytes=500 * 10**9, media=media)


def _paper(volumes: int = 3, sync: int | None = 20) -> Design:
    """Return the paper's pool: three disks side by side, three volumes of 10 GB."""
    return Design(
        key="paper",
        name="paper",
        pool_name="tank",
        workload=Workload(goal=Goal.SPEED, volumes=True, sync_write_percent=sync, io_size_bytes=4 * KIB),
        disks=tuple(_disk(n) for n in range(3)),
        vdevs=(Vdev(kind=VdevKind.STRIPE, members=tuple(Member(disk_key=f"d{n}") for n in range(3))),),
        datasets=tuple(Dataset(name=f"zvol{n}", volume_bytes=10 * GIB) for n in range(volumes)),
    )


def test_that_the_design_of_the_paper_asks_the_question_of_the_paper() -> None:
    setup = setup_of(_paper())
    assert setup is not None
    assert (setup.volumes, setup.disks, setup.requests_per_sync, setup.block_bytes) == (3, 3, 5, 4096)
    assert setup.disk == DEVICES[Drive.FLUSHED_DISK]
    assert setup.log is None


def test_that_a_design_without_volumes_or_synchronous_writes_asks_nothing() -> None:
    files = replace(_paper(0), workload=Workload(goal=Goal.SPEED, sync_write_percent=100))
    assert setup_of(files) is None
    assert setup_of(_paper(sync=0)) is None
    assert setup_of(_paper(sync=None)) is None
    assert advise_design(files) is None


def test_that_clients_stand_for_volumes_that_are_not_made_yet_and_large_requests_stay_inside_the_model() -> None:
    planned = _paper(0)
    setup = setup_of(replace(planned, workload=replace(planned.workload, clients=500, io_size_bytes=MIB)))
    assert setup is not None
    assert (setup.volumes, setup.block_bytes) == (64, 64 * KIB)


def test_that_a_mirror_takes_log_blocks_as_one_and_a_log_device_takes_them_all() -> None:
    flash = _disk(9, Media.NVME)
    mirrored = replace(
        _paper(),
        disks=(*_paper().disks, flash),
        vdevs=(
            Vdev(kind=VdevKind.MIRROR, members=(Member(disk_key="d0"), Member(disk_key="d1"))),
            Vdev(kind=VdevKind.STRIPE, members=(Member(disk_key="d9"),), vdev_class=VdevClass.LOG),
        ),
    )
    setup = setup_of(mirrored)
    assert setup is not None
    assert setup.disks == 1
    assert setup.log == DEVICES[Drive.NVME]
    assert setup.devices == (DEVICES[Drive.NVME],)
    found = advise_design(mirrored)
    assert found is not None
    assert "One device takes all log blocks" in {advice.title for advice in found[1]}


def test_that_the_advice_covers_volumes_log_logbias_and_sync_for_the_version_of_the_design() -> None:
    found = advise_design(replace(_paper(), version=ZfsVersion(2, 3, 9)))
    assert found is not None
    by_subject = {advice.subject: advice for advice in found[1]}
    assert {"commits", "balance", "log device", "zvols", "sync", "logbias"} <= by_subject.keys()
    assert by_subject["commits"].done
    assert "2.3.9" in by_subject["commits"].title
    assert by_subject["log device"].title == "A log device helps"
    older = advise_design(replace(_paper(), version=ZfsVersion(2, 1, 5)))
    assert older is not None
    assert "is 8K" in next(a.text for a in older[1] if a.subject == "zvols")
    assert "is 16K" in by_subject["zvols"].text
