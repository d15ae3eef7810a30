"""A virtual machine with real OpenZFS and emulated disks, in which scripts run as an operator would run them.

Some disks are always there and blank at the beginning of each test; more are plugged in where a test wants them. What
is written is also seen from outside: in the files of the disks, and in what QEMU counts.
"""

import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

from tests.zfs_vm.emulated import ALWAYS, Emulated, digest
from tests.zfs_vm.monitor import Monitor, device_of, node_of

from poolwright.domain.disk import Disk
from poolwright.domain.host import Inventory
from poolwright.machine.collect import read_machine
from poolwright.process.blocking import converse
from poolwright.process.on_host import SshHost, on_host

ROOT = Path(__file__).parents[2]
QEMU = "qemu-system-x86_64"
# An emulated processor keeps time well enough; any other clock is a device, which is slow to ask. Without the rest the
# thread that waits for grace periods takes a fifth of the processor. QEMU finds what it translated by its address:
# where programs begin at another one each time, each is translated anew, which took two thirds of everything.
KERNEL_WORDS = (
    "root=/dev/vda rw console=ttyS0 mitigations=off multipath=off tsc=reliable clocksource=tsc audit=0 apparmor=0 "
    "rcutree.jiffies_till_first_fqs=50 rcutree.jiffies_till_next_fqs=50 rcupdate.rcu_expedited=1 "
    "norandmaps init_on_alloc=0 cgroup_disable=memory"
)
SSH_FAILED = 255
ATTEMPTS = 5
BOOT_SECONDS = 600
MEMORY_MIB = 3072
BROKEN = ("Kernel panic", "emergency mode", "ALERT!", "Failed to start OpenBSD Secure Shell")
# Ends every use of the disks.
RELEASE = r"""
export LC_ALL=C
for pool in $(zpool list -H -o name 2>/dev/null); do zpool destroy -f "$pool" || zpool export -f "$pool"; done
umount -A -t ext4,xfs,vfat,tmpfs /mnt /mnt/* 2>/dev/null
for map in $(dmsetup ls 2>/dev/null | cut -f 1); do [ "$map" = "No devices found" ] || dmsetup remove -f "$map"; done
mdadm --stop --scan >/dev/null 2>&1
swapoff -a 2>/dev/null
rm -rf /tmp/operator /var/log/poolwright-* /var/tmp/poolwright-* /dev/shm/poolwright-*; mkdir -p /tmp/operator
"""
# Makes the disks in $disks read as zeros again; one that keeps a signature fails the test.
BLANK = r"""
failed=0
for disk in $disks; do
  blkdiscard -f "$disk" || failed=1
  blockdev --flushbufs "$disk" && blockdev --rereadpt "$disk" || failed=1
done
udevadm settle --timeout=60
for disk in $disks; do
  [ -z "$(blkid -p -o export "$disk" 2>/dev/null; wipefs -n "$disk")" ] || { echo "$disk is not blank"; failed=1; }
done
exit "$failed"
"""
# Waits until udev has named the disks in $disks.
NAMED = r"""
for disk in $disks; do
  for n in $(seq 300); do [ ! -e "$disk" ] || continue 2; sleep 0.2; done
  echo "no $disk came"; exit 1
done
udevadm settle --timeout=120
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A command that ended in the machine: its exit status, and both outputs as one text in the order they came."""

    status: int
    text: str


class TooSlow(Exception):
    """The machine is sound as far as it came, but this host emulates it too slowly."""


class Machine:
    """A running machine, reached over SSH; its working folder /tmp/operator is emptied for each test."""

    def __init__(self, home: Path, image: Path, port: int) -> None:
        self._home, self._image, self._port = home, image, port
        self._plugged: dict[str, Emulated] = {}
        self._places: dict[str, int] = {}
        self._ssh = ["ssh", "-F", str(home / "ssh")]

    def start(self) -> None:
        """Boot it unless it runs; takes a minute."""
        (self._home / "disks").mkdir(parents=True, exist_ok=True)
        (self._home / "ssh").write_text(self._ssh_words("own"))
        if not self._is_up():
            self._boot()
        self._recall()
        for disk in [disk for disk in self._plugged.values() if disk not in ALWAYS]:
            self.pull_out(disk)

    def _boot(self) -> None:
        for file in (self._home / "disks").iterdir():
            file.unlink()
        words = [QEMU, "-nodefaults", "-display", "none", "-no-reboot", "-machine", "pc", "-accel", "tcg"]
        # Of a single processor QEMU leaves barriers out, and its NVMe drives then miss requests for half a minute.
        words += ["-smp", "2", "-m", str(MEMORY_MIB), "-kernel", str(self._image / "kernel")]
        words += ["-initrd", str(self._image / "initrd"), "-append", KERNEL_WORDS]
        words += ["-serial", f"file:{self._home / 'console'}", "-pidfile", str(self._home / "pid"), "-daemonize"]
        root = f"file={self._image / 'image'},format=raw,if=virtio,cache=unsafe,snapshot=on"
        net = f"user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:{self._port}-:22"
        words += ["-drive", root, "-netdev", net, "-device", "virtio-net-pci,netdev=net,romfile="]
        words += ["-device", "virtio-scsi-pci,id=shelf", "-qmp", f"unix:{self._home / 'monitor'},server=on,wait=off"]
        for disk in ALWAYS:
            file, place = self._added(disk)
            words += ["-blockdev", json.dumps(node_of(disk, file)), "-device", json.dumps(device_of(disk, place))]
        subprocess.run(words, check=True, timeout=120)
        until = time.monotonic() + BOOT_SECONDS
        while not self._is_up():
            told = (self._home / "console").read_text(errors="replace")
            assert not any(wrong in told for wrong in BROKEN), f"it did not come up: {told[-2000:]}"
            if time.monotonic() > until:
                raise TooSlow(f"the virtual machine did not boot within {BOOT_SECONDS // 60} minutes: {told[-200:]}")
            time.sleep(1)
        self.run(f"{_named(ALWAYS)}{NAMED}")

    def _is_up(self) -> bool:
        if not (self._home / "pid").exists():
            return False
        asked = subprocess.run([*self._ssh, "zfs-vm", "true"], check=False, capture_output=True, timeout=60)
        return asked.returncode == 0

    def _ssh_words(self, master: str) -> str:
        lines = ["Host zfs-vm", "HostName 127.0.0.1", f"Port {self._port}", "User root"]
        lines += [f"IdentityFile {self._image / 'key'}", "IdentitiesOnly yes", "StrictHostKeyChecking no"]
        lines += ["UserKnownHostsFile /dev/null", "LogLevel ERROR", "ConnectTimeout 5"]
        lines += [f"ControlPath {self._home / master}.socket"]
        if master == "own":
            lines += ["ControlMaster auto", "ControlPersist 1800"]
        return "\n  ".join(lines) + "\n"

    def reached(self) -> tuple[SshHost, Path]:
        """Return it as a host of the program, and the configuration of ssh that leads to it."""
        file = self._home / "config"
        file.write_text(self._ssh_words("shared"))
        return SshHost(name="zfs-vm", options=("-F", str(file))), file

    def unreachable(self) -> None:
        """Let no further connection of the program through; ours remain."""
        (self._home / "config").write_text("Host zfs-vm\n  ProxyCommand false\n")

    def stop(self) -> None:
        subprocess.run([*self._ssh, "-O", "exit", "zfs-vm"], check=False, capture_output=True, timeout=60)
        pid = self._home / "pid"
        if pid.exists():
            with suppress(ProcessLookupError):
                os.kill(int(pid.read_text()), signal.SIGTERM)
        shutil.rmtree(self._home / "disks", ignore_errors=True)

    @contextmanager
    def _monitor(self) -> Iterator[Monitor]:
        monitor = Monitor(self._home / "monitor")
        try:
            yield monitor
        finally:
            monitor.close()

    def file_of(self, disk: Emulated) -> Path:
        return self._home / "disks" / disk.device

    def _added(self, disk: Emulated) -> tuple[Path, int]:
        file = self.file_of(disk)
        with file.open("ab") as opened:
            opened.truncate(disk.size_bytes)
        place = next(n for n in range(250) if n not in self._places.values())
        self._plugged[disk.device] = disk
        self._places[disk.device] = place
        self._remember()
        return file, place

    def _remember(self) -> None:
        told = [asdict(disk) | {"place": self._places[name]} for name, disk in self._plugged.items()]
        (self._home / "plugged.json").write_text(json.dumps(told))

    def _recall(self) -> None:
        for told in json.loads((self._home / "plugged.json").read_text()):
            place = told.pop("place")
            disk = Emulated(**told | {"faults": tuple(map(tuple, told["faults"]))})
            self._plugged[disk.device], self._places[disk.device] = disk, place

    def plug_in(self, *disks: Emulated, kept: bool = False) -> None:
        """Plug in disks, blank ones unless what is on them is ``kept``, and wait until they have their names."""
        with self._monitor() as monitor:
            for disk in disks:
                if not kept:
                    self.file_of(disk).unlink(missing_ok=True)
                monitor.plug_in(disk, *self._added(disk))
        self.run(f"{_named(disks)}{NAMED}")

    def pull_out(self, *disks: Emulated) -> None:
        """Pull disks out of the running machine; what is on them is kept outside."""
        with self._monitor() as monitor:
            for disk in disks:
                monitor.pull_out(disk)
                del self._plugged[disk.device], self._places[disk.device]
        self._remember()
        self.run("udevadm settle --timeout=60")

    @contextmanager
    def shelf(self, disks: Sequence[Emulated]) -> Iterator[Sequence[Emulated]]:
        """Lend more disks for a while."""
        self.plug_in(*disks)
        try:
            yield disks
        finally:
            self.run(f"cd /; {RELEASE}")
            self.pull_out(*(disk for disk in disks if disk.device in self._plugged))
            for disk in disks:
                self.file_of(disk).unlink(missing_ok=True)

    def emulated(self, serial: str) -> Emulated:
        """Return the disk that is plugged in with this serial number."""
        return next(disk for disk in self._plugged.values() if disk.serial == serial)

    @contextmanager
    def slowed(self, serials: Sequence[str], *, iops: int = 0, rate: int = 0) -> Iterator[None]:
        """Let QEMU serve so many operations or bytes a second of each disk for a while (0: as many as it can)."""
        with self._monitor() as monitor:
            monitor.slow(serials, iops=iops, rate=rate)
        try:
            yield
        finally:
            with self._monitor() as monitor:
                monitor.slow(serials, iops=0, rate=0)

    def written(self) -> dict[str, int]:
        """Return how often each disk was written to, as QEMU counts it."""
        with self._monitor() as monitor:
            return {name: count for name, count in monitor.written().items() if name in self._plugged}

    def digests(self, serials: Iterable[str]) -> dict[str, str]:
        """Return a hash of all that lies on each of these disks, as their files hold it."""
        return {serial: digest(self.file_of(self.emulated(serial))) for serial in serials}

    def run(self, script: str, *, typed: Sequence[str] = (), check: bool = True, timeout: float = 900) -> Ended:
        """Run bash text as root without a terminal; ``typed`` are the lines that it reads.

        With ``check`` a status other than 0 is an AssertionError that shows the text.
        """
        for _ in range(ATTEMPTS):
            done = subprocess.run(
                [*self._ssh, "zfs-vm", f"cd /tmp/operator 2>/dev/null; exec bash -c {shlex.quote(script)} 2>&1"],
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
        command = [*self._ssh, "zfs-vm", f"cat >{shlex.quote(path)}"]
        subprocess.run(command, input=text.encode(), check=True, timeout=120)

    def blank(self) -> None:
        """Destroy all pools and discard all that was written to disks; those that hold nothing are not touched."""
        used = [disk for disk in self._plugged.values() if self.file_of(disk).stat().st_blocks]
        self.run(f"cd /; {RELEASE}" + (f"{_named(used)}{BLANK}" if used else ""))

    def read(self) -> Inventory:
        """Return the machine as the program reads it over SSH."""
        host, config = self.reached()
        with subprocess.Popen(["ssh", "-F", str(config), "-MN", host.name], stdin=subprocess.DEVNULL) as master:
            try:
                while not (self._home / "shared.socket").exists() and master.poll() is None:
                    time.sleep(0.2)  # each connection of its own takes seconds of an emulated processor
                return converse(on_host(read_machine(name="zfs-vm"), host))
            finally:
                master.terminate()

    @cached_property
    def inventory(self) -> Inventory:
        """The machine with the disks that are always there, all of them blank."""
        self.blank()
        return self.read()

    def disks(self, kind: str) -> tuple[Disk, ...]:
        """Return the disks whose serial number begins so: ``EMU512``, ``EMU4KN`` or ``EMUNVME``, in order."""
        found = [disk for disk in self.inventory.disks if (disk.serial or "").startswith(kind)]
        return tuple(sorted(found, key=lambda disk: disk.serial or ""))


def _named(disks: Iterable[Emulated]) -> str:
    return f"disks='{' '.join(disk.path for disk in disks)}'\n"


def free_port() -> int:
    """Return a port of this host that nothing listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
