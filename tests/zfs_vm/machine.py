"""A virtual machine with real OpenZFS and emulated disks, in which scripts run as an operator would run them.

The machine is built and booted by the program `zfs-vm` that lies beside this project; where it is missing there is
nothing to test on. Its disks and their kinds are the same for every test; each test begins with all of them blank.
"""

import json
import os
import shlex
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from shutil import which

from poolwright.domain.disk import Disk
from poolwright.domain.inventory import Inventory
from poolwright.inventory.recorded import open_captures
from poolwright.process.on_host import SshHost

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT.parent / "shared" / "zfs-vm" / "zfs-vm"
GB = 10**9
SSH_FAILED = 255
ATTEMPTS = 5
QEMU = "qemu-system-x86_64"
# Bus, bytes, physical sector, serial number, model: 512e hard disks, two of 4096 native, two NVMe drives.
DISKS = (
    *(f"scsi {20 * GB} 4096 EMU5120{n} HARDDISK" for n in range(8)),
    *(f"scsi {20 * GB} 4096n EMU4KN0{n} NATIVE4K" for n in range(2)),
    *(f"nvme {8 * GB} 4096 EMUNVME{n}" for n in range(2)),
)
# Ends every use of the disks, then makes them read as zeros again; a disk that keeps a byte fails the test.
BLANK = r"""
export LC_ALL=C
for pool in $(zpool list -H -o name 2>/dev/null); do zpool destroy -f "$pool" || zpool export -f "$pool"; done
umount -A -t ext4,xfs,tmpfs /mnt 2>/dev/null
mdadm --stop --scan >/dev/null 2>&1
swapoff -a 2>/dev/null
failed=0
for disk in /dev/sd? /dev/nvme?n1; do
  blkdiscard -f "$disk" || failed=1
  # What is less than a cluster of the image is not discarded: there lies the second table of a 4Kn disk.
  blocks=$(($(blockdev --getsize64 "$disk") / 4096))
  dd if=/dev/zero of="$disk" bs=4096 seek=$((blocks - 256)) count=256 conv=fsync status=none || failed=1
  blockdev --flushbufs "$disk" && blockdev --rereadpt "$disk" || failed=1
done
udevadm settle --timeout=60
rm -rf /tmp/operator /var/log/poolwright-*; mkdir -p /tmp/operator
for disk in /dev/sd? /dev/nvme?n1; do
  [ -z "$(blkid -p -o export "$disk" 2>/dev/null; wipefs -n "$disk")" ] || { echo "$disk is not blank"; failed=1; }
done
exit "$failed"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A command that ended in the machine: its exit status, and both outputs as one text in the order they came."""

    status: int
    text: str


class Machine:
    """A running machine, reached over SSH; its working folder /tmp/operator is emptied for each test."""

    def __init__(self, home: Path, port: int) -> None:
        self._home = home
        self._environment = {
            **os.environ,
            "ZFS_VM_HOME": str(home),
            "ZFS_VM_PORT": str(port),
            "ZFS_VM_MEMORY": "2560",
            "ZFS_VM_DISKS": "\n".join(DISKS),
            "PATH": f"{home}{os.pathsep}{os.environ['PATH']}",
        }

    def start(self, series: str) -> None:
        """Boot OpenZFS ``series`` unless it runs; takes half a minute, and minutes where the image must be built."""
        if self.run("true", check=False).status != 0:
            self._add_monitor()
            subprocess.run([PROGRAM, "start", series], env=self._environment, check=True, timeout=2400)
            self.run("modprobe -r floppy", check=False)  # every look for pools waits seconds for it

    def _add_monitor(self) -> None:
        """Put before QEMU what gives it a monitor, by which a test slows a disk (see `slowed`)."""
        before = self._home / QEMU
        qemu = which(QEMU)
        before.write_text(f'#!/bin/sh\nexec {qemu} "$@" -qmp unix:{self._home}/monitor,server=on,wait=off\n')
        before.chmod(0o755)

    def reached(self) -> tuple[SshHost, Path]:
        """Return it as a host of the program, and the configuration of ssh that leads to it."""
        told = subprocess.run([PROGRAM, "config"], env=self._environment, check=True, capture_output=True, timeout=60)
        file = self._home / "config"
        file.write_bytes(told.stdout + b"  ControlPath " + bytes(self._home / "shared") + b"\n")
        return SshHost(name="zfs-vm", options=("-F", str(file))), file

    def unreachable(self) -> None:
        """Let no further connection of the program through; ours remain."""
        (self._home / "config").write_text("Host zfs-vm\n  ProxyCommand false\n")

    @contextmanager
    def slowed(self, serials: Sequence[str], *, iops: int = 0, rate: int = 0) -> Iterator[None]:
        """Let QEMU serve so many operations or bytes a second of each disk for a while (0: as many as it can)."""
        numbers = [n for n, line in enumerate(DISKS) if line.split()[3] in serials]
        self._throttle(numbers, iops, rate)
        try:
            yield
        finally:
            self._throttle(numbers, 0, 0)

    def _throttle(self, numbers: Sequence[int], iops: int, rate: int) -> None:
        none = dict.fromkeys(("iops_rd", "iops_wr", "bps_rd", "bps_wr"), 0)
        with socket.socket(socket.AF_UNIX) as monitor:
            monitor.connect(str(self._home / "monitor"))
            answers = monitor.makefile("rb")
            answers.readline()
            asked = [{"execute": "qmp_capabilities"}]
            for number in numbers:
                limits = none | {"iops": iops, "bps": rate, "device": f"d{number}"}
                asked.append({"execute": "block_set_io_throttle", "arguments": limits})  # type: ignore[dict-item]
            for command in asked:
                monitor.sendall(json.dumps(command).encode() + b"\n")
                while "return" not in (answer := json.loads(answers.readline())):
                    assert "error" not in answer, answer

    def stop(self) -> None:
        """Switch it off."""
        subprocess.run([PROGRAM, "stop"], env=self._environment, check=True, timeout=60)

    def run(self, script: str, *, typed: Sequence[str] = (), check: bool = True, timeout: float = 600) -> Ended:
        """Run bash text as root without a terminal; ``typed`` are the lines that it reads.

        With ``check`` a status other than 0 is an AssertionError that shows the text.
        """
        for _ in range(ATTEMPTS):
            done = subprocess.run(
                [PROGRAM, "ssh", f"cd /tmp/operator 2>/dev/null; exec bash -c {shlex.quote(script)} 2>&1"],
                env=self._environment,
                input="".join(f"{line}\n" for line in typed),
                text=True,
                errors="replace",
                capture_output=True,
                timeout=timeout,
                check=False,
            )
            ended = Ended(status=done.returncode, text=done.stdout + done.stderr)
            if not (done.returncode == SSH_FAILED and "timed out during banner exchange" in done.stderr):
                break  # a busy host: nothing was run yet
        assert not check or ended.status == 0, f"status {ended.status} of: {script}\n{ended.text}"
        return ended

    def put(self, path: str, text: str) -> None:
        """Write a file."""
        subprocess.run(
            [PROGRAM, "ssh", f"cat >{shlex.quote(path)}"],
            env=self._environment,
            input=text.encode(),
            check=True,
            timeout=120,
        )

    def blank(self) -> None:
        """Destroy all pools and discard all disks."""
        self.run(f"cd /; {BLANK}")

    @cached_property
    def inventory(self) -> Inventory:
        """The machine as the program's own collector reads it while every disk is blank."""
        self.blank()
        self.put("/tmp/collector.sh", (ROOT / "resources" / "collector.sh").read_text(encoding="utf-8"))
        capture = self._home / "machine.capture"
        capture.write_text(self.run("sh /tmp/collector.sh 2>/dev/null").text, encoding="utf-8")
        return open_captures([capture])

    def disks(self, kind: str) -> tuple[Disk, ...]:
        """Return the disks whose serial number begins so: ``EMU512``, ``EMU4KN`` or ``EMUNVME``, in order."""
        found = [disk for disk in self.inventory.disks if (disk.serial or "").startswith(kind)]
        return tuple(sorted(found, key=lambda disk: disk.serial or ""))


def free_port() -> int:
    """Return a port of this host that nothing listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
