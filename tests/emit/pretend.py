"""A pretended machine: fake device folders and recording stand-ins for the tools, for running guarded scripts."""

import os
import re
import subprocess
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from poolwright.domain.action import CreateDataset, CreatePool
from poolwright.domain.design import Dataset, Design, Member, Setting, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.emit.commands import commands, plan_actions
from poolwright.emit.names import BY_ID, Stamp, quote
from poolwright.emit.script import FIXED_PART, PLACES, guarded_script, pool_mark

TOOLS = (
    *("id", "stat", "lsblk", "blockdev", "wipefs", "blkid", "udevadm", "smartctl", "zdb", "zpool", "zfs"),
    *("sgdisk", "sleep"),
)
# Stands in for each tool that a script runs: answers from files of the pretended machine, records its calls.
STAND_IN = Path(__file__).with_suffix(".sh").with_stem("stand_in")
SIZE = 6001175126016
STAMP = Stamp(generated_at="2026-11-20 10:00 UTC", program_version="0.1.0")
# The pretended disks are empty files, and a script reads each at a hundred places, twice, each in a process of its own.
_READ = re.compile(r"^( +)(text=\$\(read_place )", re.MULTILINE)
_READ_WHAT_IS_THERE = r'\1text=; [ ! -s "$1" ] || \2'


@dataclass
class Result:
    status: int
    text: str
    calls: list[list[str]]

    def creates(self) -> list[list[str]]:
        """Return the real `zpool create` calls, without the rehearsals."""
        return [c for c in self.calls if c[:2] == ["zpool", "create"] and c[2:3] != ["-n"]]

    def rehearsals(self) -> list[list[str]]:
        return [c for c in self.calls if c[:3] == ["zpool", "create", "-n"]]

    def changes(self) -> list[list[str]]:
        words = {("zpool", "set"), ("zfs", "create"), ("zfs", "set"), ("zpool", "add"), ("zpool", "destroy")}
        words |= {("zpool", "labelclear"), ("sgdisk", "-U"), ("sgdisk", "-n"), ("sgdisk", "-d"), ("wipefs", "-q")}
        return self.creates() + [c for c in self.calls if tuple(c[:2]) in words]


@dataclass
class Machine:
    """The pretended machine in one folder; ``disks`` maps kernel names to by-id names."""

    root: Path
    disks: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for folder in ("bin", "dev/by-id", "sys", "facts", "cwd"):
            (self.root / folder).mkdir(parents=True)
        stub = self.root / "bin" / "stub"
        stub.write_text(STAND_IN.read_text(encoding="utf-8").replace("@ROOT@", str(self.root)))
        stub.chmod(0o755)
        for tool in TOOLS:
            (self.root / "bin" / tool).symlink_to("stub")
        for name, text in (("uid", "0\n"), ("status", "no pools available\n")):
            (self.root / name).write_text(text)
        for name in ("pools", "datasets", "properties", "calls"):
            (self.root / name).touch()

    def here(self, script: str) -> str:
        """Return a script that looks for devices in this machine: two constants tell where."""
        for (name, usual), place in zip(PLACES.items(), ("dev/by-id", "sys"), strict=True):
            assert script.count(f"readonly {name}={usual}\n") == 1
            script = script.replace(f"readonly {name}={usual}\n", f"readonly {name}={quote(str(self.root / place))}\n")
        return script

    def plug(self, kernel: str, disk: Disk) -> None:
        """Add a disk that is as ``disk`` says and empty."""
        assert disk.by_id_name is not None
        self.disks[kernel] = disk.by_id_name
        (self.root / "dev" / kernel).touch()
        (self.root / "dev/by-id" / disk.by_id_name).symlink_to(f"../{kernel}")
        (self.root / "sys" / kernel / "holders").mkdir(parents=True)
        self.tell(kernel, "size", str(disk.size_bytes))
        self.tell(kernel, "sector", str(disk.logical_sector_bytes or 512))
        self.tell(kernel, "serial", disk.serial or "")

    def tell(self, kernel: str, fact: str, text: str) -> None:
        """Let the tools say ``text`` about a device."""
        folder = self.root / "facts" / kernel
        folder.mkdir(exist_ok=True)
        (folder / fact).write_text(text + "\n", encoding="utf-8", errors="surrogateescape")

    def partition(self, kernel: str, name: str) -> None:
        folder = self.root / "sys" / kernel / name
        folder.mkdir()
        (folder / "partition").write_text("1\n")
        (self.root / "sys" / name).symlink_to(f"{kernel}/{name}")

    def plan(self, design: Design) -> None:
        """Let `zpool status` show ``design`` once the pool is created."""
        kernels = {name: kernel for kernel, name in self.disks.items()}
        for pool in design.pools():
            (self.root / f"status_planned.{pool.pool_name}").write_text(status_text(pool, kernels))

    def run(self, script: str, *arguments: str, typed: str = "") -> Result:
        """Run a script with the stand-ins first in the PATH and ``typed`` on standard input."""
        path = self.root / "script.sh"
        path.write_text(reading_what_is_there(script), encoding="utf-8")
        (self.root / "calls").write_bytes(b"")
        done = subprocess.run(
            ["bash", str(path), *arguments],
            input=typed.encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=self.root / "cwd",
            env={"PATH": f"{self.root / 'bin'}:/usr/bin:/bin", "POOLWRIGHT_LOG": str(self.root / "log")},
            timeout=120,
            start_new_session=True,  # no terminal: the question is answered on standard input
            check=False,
        )
        return Result(done.returncode, done.stdout.decode(errors="replace"), self._calls())

    def build(self, design: Design) -> None:
        """Run the commands of a design without its script: the state that the script leaves."""
        for command in commands(plan_actions(design)):
            argv = [word.replace(BY_ID, f"{self.root / 'dev/by-id'}/") for word in command.argv]
            subprocess.run([self.root / "bin" / argv[0], *argv[1:]], check=True)

    def set(self, dataset: str, **columns: object) -> None:
        """Let ZFS tell other values of a dataset's columns; ``objects`` are the files and folders in it."""
        with (self.root / "properties").open("a", encoding="utf-8") as file:
            for column, value in columns.items():
                file.write(f"{dataset}\t{column}\t{value}\n")

    def record(self, design: Design, *facts: str) -> None:
        """Let the pools be known as created by the script: by properties of their datasets, and by its record.

        ``facts`` are further lines of the record, with @ for the mark of the first pool.
        """
        actions = plan_actions(design)
        creates = [a for a in actions if isinstance(a, CreatePool)]
        for create in creates:
            self.set(
                create.pool, **{"org.poolwright:design": pool_mark(create), "org.poolwright:pool": guid_of(create.pool)}
            )
        for name in (
            a.pool if isinstance(a, CreatePool) else a.name
            for a in actions
            if isinstance(a, CreatePool | CreateDataset)
        ):
            self.set(name, **{"org.poolwright:fresh": f"{len(name)} 43008 1"})
        made = [f"made {pool_mark(create)} {guid_of(create.pool)} - -" for create in creates]
        self.write_record(design, *made, *facts)

    def write_record(self, design: Design, *facts: str) -> None:
        """Put the record of a design, with these lines, beside the script; @ stands for the mark of the first pool."""
        creates = [a for a in plan_actions(design) if isinstance(a, CreatePool)]
        path = self.root / f"poolwright-{creates[0].pool[:60]}-{pool_mark(creates[0])}.record"
        path.write_text("".join(f"{fact}\n" for fact in facts).replace("@", pool_mark(creates[0])))
        path.chmod(0o600)

    def _calls(self) -> list[list[str]]:
        words = (self.root / "calls").read_bytes().split(b"\0")[:-1]
        calls: list[list[str]] = []
        while words:
            tool, count = words[0], int(words[1])
            calls.append([os.fsdecode(w) for w in (tool, *words[2 : 2 + count])])
            words = words[2 + count :]
        return calls


_SECTIONS = {
    VdevClass.SPECIAL: "special",
    VdevClass.DEDUP: "dedup",
    VdevClass.LOG: "logs",
    VdevClass.CACHE: "cache",
    VdevClass.SPARE: "spares",
}


def status_text(design: Design, kernels: dict[str, str]) -> str:
    """Return what `zpool status -LP` shows of the pool, in its own order of the classes."""
    lines = [f"  pool: {design.pool_name}", " state: ONLINE", "config:", ""]
    lines += ["\tNAME        STATE     READ WRITE CKSUM", f"\t{design.pool_name}        ONLINE       0     0     0"]
    number = 0
    for vdev_class in VdevClass.DATA, *_SECTIONS:
        vdevs = [v for v in design.vdevs if v.vdev_class is vdev_class]
        if vdevs and vdev_class in _SECTIONS:
            lines.append(f"\t{_SECTIONS[vdev_class]}\t")
        for vdev in vdevs:
            leaves = [f"/dev/{kernels[design.disk(m.disk_key).by_id_name or '']}{m.part or ''}" for m in vdev.members]
            if vdev.kind is VdevKind.STRIPE:
                lines += [f"\t  {leaf}  ONLINE       0     0     0" for leaf in leaves]
                number += len(leaves)
                continue
            word = "mirror" if vdev.kind is VdevKind.MIRROR else f"raidz{vdev.parity}"
            if vdev.kind is VdevKind.DRAID:
                word = f"draid{vdev.parity}:{vdev.draid_data}d:{len(leaves)}c:{vdev.draid_spares}s"
            lines.append(f"\t  {word}-{number}  ONLINE       0     0     0")
            lines += [f"\t    {leaf}  ONLINE       0     0     0" for leaf in leaves]
            number += 1
    return "\n".join([*lines, "", "errors: No known data errors", ""])


def disk(number: int, *, serial: str | None = None, **changes: object) -> Disk:
    """Return an ordinary disk with a by-id name."""
    values: dict[str, object] = {
        "key": f"k{number}",
        "by_id": (f"ata-ST6000NM0034_ZAD{number:05}",),
        "model": "ST6000NM0034",
        "serial": serial if serial is not None else f"ZAD{number:05}",
        "size_bytes": SIZE,
        "logical_sector_bytes": 512,
    }
    return Disk(**(values | changes))  # type: ignore[arg-type]


def vdev(kind: VdevKind, numbers: range | tuple[int, ...], **changes: object) -> Vdev:
    return Vdev(kind=kind, members=tuple(Member(disk_key=f"k{n}") for n in numbers), **changes)  # type: ignore[arg-type]


def small_design(**changes: object) -> Design:
    """Return a design with a mirror, a spare, a property of each sort, datasets and a volume."""
    values: dict[str, object] = {
        "key": "small",
        "name": "Small office",
        "pool_name": "tank",
        "disks": tuple(disk(n) for n in range(3)),
        "vdevs": (vdev(VdevKind.MIRROR, (0, 1)), vdev(VdevKind.STRIPE, (2,), vdev_class=VdevClass.SPARE)),
        "pool_settings": (Setting(name="autotrim", value="on"),),
        "datasets": (
            Dataset(name="", settings=(Setting(name="compression", value="lz4"),)),
            Dataset(name="home", settings=(Setting(name="recordsize", value="1M"),)),
            Dataset(name="vm/disk1", volume_bytes=10 << 30, settings=(Setting(name="volblocksize", value="16K"),)),
        ),
    }
    return Design(**(values | changes))  # type: ignore[arg-type]


def bare_design(*vdevs: Vdev, count: int = 20, **changes: object) -> Design:
    """Return a design of these vdevs and nothing else."""
    values = {"disks": tuple(disk(n) for n in range(count)), "vdevs": vdevs, "pool_settings": (), "datasets": ()}
    return small_design(**values | changes)


def reading_what_is_there(script: str) -> str:
    """Return a whole script that begins no process to read an empty file, with the sum of its fixed part set right."""
    head, title, fixed = script.partition(f"\n{FIXED_PART}: ")
    whole = sha256((title[1:] + fixed).encode()).hexdigest()
    if whole not in head:
        return script  # the test has damaged it
    quicker = title[1:] + _READ.sub(_READ_WHAT_IS_THERE, fixed)
    return head.replace(whole, sha256(quicker.encode()).hexdigest()) + "\n" + quicker


def guid_of(pool: str) -> int:
    """Return the guid that the stand-in of zpool tells of a pool."""
    return 4712 if pool == "rest" else 4711


def script_for(design: Design, machine: Machine) -> str:
    return machine.here(guarded_script(design, STAMP, predicted=((1000, 100),)))


def machine_for(design: Design, root: Path) -> Machine:
    """Return a machine that has exactly the disks of a design, empty."""
    machine = Machine(root)
    for index, one in enumerate(design.disks):
        machine.plug(f"sd{chr(ord('a') + index)}", one)
    machine.plan(design)
    return machine
