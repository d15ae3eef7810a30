"""QEMU's monitor: disks are plugged in and pulled out while the machine runs, slowed, and asked what was written."""

import json
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.zfs_vm.emulated import Emulated

SECONDS = 120


class Monitor:
    """A connection to the monitor of a running machine."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(SECONDS)
        self._socket.connect(str(path))
        self._answers = self._socket.makefile("rb")
        self._answers.readline()
        self.ask("qmp_capabilities")

    def close(self) -> None:
        """End the connection; the machine runs on."""
        self._answers.close()
        self._socket.close()

    def ask(self, command: str, arguments: dict[str, Any] | None = None, until: tuple[str, str] | None = None) -> Any:
        """Give a command and return its answer; with ``until`` also wait for that event of that device."""
        text = json.dumps({"execute": command, "arguments": arguments or {}})
        self._socket.sendall(text.encode() + b"\n")
        returned: Any = None
        missing = {"return"} | ({"event"} if until else set())
        while missing:
            told = json.loads(self._answers.readline())
            assert "error" not in told, (command, arguments, told)
            if "return" in told:
                returned = told["return"]
                missing.discard("return")
            elif until and (told["event"], told["data"].get("device")) == until:
                missing.discard("event")
        return returned

    def plug_in(self, disk: Emulated, file: Path, place: int) -> None:
        """Give the machine a disk; of SCSI disks ``place`` is the target."""
        self.ask("blockdev-add", node_of(disk, file))
        self.ask("device_add", device_of(disk, place))

    def pull_out(self, disk: Emulated) -> None:
        """Take a disk away, as if somebody pulled it."""
        self.ask("device_del", {"id": disk.device}, ("DEVICE_DELETED", disk.device))
        self.ask("blockdev-del", {"node-name": node_name(disk)})

    def slow(self, devices: Sequence[str], *, iops: int, rate: int) -> None:
        """Let each of these disks do so many operations and bytes a second; 0 is as many as it can."""
        none: dict[str, Any] = dict.fromkeys(("iops_rd", "iops_wr", "bps_rd", "bps_wr"), 0)
        for device in devices:
            self.ask("block_set_io_throttle", none | {"iops": iops, "bps": rate, "id": device})

    def written(self) -> dict[str, int]:
        """Return how many writes and discards each disk was asked for since it was plugged in, as QEMU counts them."""
        counted = {}
        for one in self.ask("query-blockstats"):
            name = one.get("qdev", "").rpartition("/")[2] or one.get("qdev", "")
            counted[name] = one["stats"]["wr_operations"] + one["stats"]["unmap_operations"]
        return counted


def node_name(disk: Emulated) -> str:
    """Return what QEMU calls the contents of a disk."""
    return f"n-{disk.device}"[:31]


def node_of(disk: Emulated, file: Path) -> dict[str, object]:
    """Return a disk's contents as QEMU is told of them."""
    cache = {"direct": False, "no-flush": True}
    inner: dict[str, object] = {"driver": "file", "filename": str(file), "discard": "unmap", "locking": "off"}
    if disk.faults:
        wrong = [
            {"event": "none", "iotype": kind, "sector": sector, "errno": 5, "once": False}
            for kind, sector in disk.faults
        ]
        inner = {"driver": "blkdebug", "image": inner, "inject-error": wrong, "discard": "unmap"}
    return {
        "driver": "raw",
        "node-name": node_name(disk),
        "file": inner,
        "discard": "unmap",
        "cache": cache,
        "read-only": disk.read_only,
    }


def device_of(disk: Emulated, place: int) -> dict[str, object]:
    """Return a disk as QEMU is told of the device."""
    common: dict[str, object] = {
        "id": disk.device,
        "drive": node_name(disk),
        "serial": disk.serial,
        "logical_block_size": disk.logical,
        "physical_block_size": disk.physical,
    }
    if disk.bus == "nvme":
        return {"driver": "nvme", **common}
    hard: dict[str, object] = {"bus": "shelf.0", "channel": 0, "scsi-id": place, "lun": 0}
    hard |= {"vendor": "ATA", "product": disk.model[:16], "rotation_rate": 7200}
    return {"driver": "scsi-hd", **common, **hard, "wwn": disk.world_wide_name}
