"""The model of synchronous writes asked for one design: its volumes, its vdevs, its log device, its workload."""

from poolwright.domain.design import Design
from poolwright.domain.disk import Media, slowest
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.predict.synclog.model import (
    DEVICES,
    LEAST_BLOCK_BYTES,
    MOST_BLOCK_BYTES,
    MOST_DISKS,
    MOST_REQUESTS_PER_SYNC,
    MOST_VOLUMES,
    Device,
    Drive,
    Setup,
)
from poolwright.predict.syncwrite import volumes_wait
from poolwright.rules.power_loss import all_keep_writes

_DRIVES = {Media.HDD: Drive.FLUSHED_DISK, Media.SSD: Drive.SSD, Media.NVME: Drive.NVME}


def setup_of(design: Design) -> Setup | None:
    """Return the question that ``design`` asks; None where it has no volumes or nothing is written synchronously.

    Where it has no volumes yet, each client writes one of its own; a disk is taken to flush to its platters, flash of
    which nobody knows it to have power-loss protection. Log blocks go round the top-level data vdevs, or to the log
    device.
    """
    if not volumes_wait(design):
        return None
    workload = design.workload
    volumes = sum(1 for dataset in design.datasets if dataset.volume_bytes is not None)
    data = _devices(design, VdevClass.DATA)
    log = _devices(design, VdevClass.LOG)
    given = Setup()
    return Setup(
        volumes=min(volumes or workload.clients or given.volumes, MOST_VOLUMES),
        disks=min(max(1, len(data)), MOST_DISKS),
        requests_per_sync=min(max(1, round(100 / (workload.sync_write_percent or 100))), MOST_REQUESTS_PER_SYNC),
        block_bytes=min(max(workload.io_size_bytes or given.block_bytes, LEAST_BLOCK_BYTES), MOST_BLOCK_BYTES),
        disk=data[0] if data else DEVICES[Drive.FLUSHED_DISK],
        log=log[0] if log else None,
    )


def _devices(design: Design, vdev_class: VdevClass) -> list[Device]:
    """Return one device for each top-level vdev of this class: a bare disk is one of its own."""
    found: list[Device] = []
    for vdev in design.vdevs:
        if vdev.vdev_class is vdev_class:
            count = len(vdev.members) if vdev.kind is VdevKind.STRIPE else 1
            disks = [design.disk(member.disk_key) for member in vdev.members]
            drive = _DRIVES[slowest({disk.media for disk in disks}) or Media.HDD]
            if drive is not Drive.FLUSHED_DISK and all_keep_writes(disks) is False:
                drive = Drive.PLAIN_FLASH
            found += [DEVICES[drive]] * count
    return found
