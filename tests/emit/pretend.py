"""A pretended machine: fake device folders and recording stand-ins for the tools, for running guarded scripts."""

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from poolwright.domain.design import Dataset, Design, Member, Setting, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.emit.actions import plan_actions
from poolwright.emit.commands import commands
from poolwright.emit.names import BY_ID
from poolwright.emit.script import Roots, guarded_script

STUB = r"""#!/bin/bash
root='@ROOT@'
tool=${0##*/}
printf '%s\0' "$tool" "$#" "$@" >>"$root/calls"
last=${!#}
facts=$root/facts/${last##*/}
fact() { if [ -e "$facts/$1" ]; then cat "$facts/$1"; else printf '%s' "$2"; fi; }
record() { printf '%s\t%s\t%s\n' "$1" "${2%%=*}" "${2#*=}" >>"$root/properties"; }
property() { # NAME PROPERTY
  local value=-
  while IFS=$'\t' read -r n p v; do
    if [ "$n" = "$1" ] && [ "$p" = "$2" ]; then value=$v; fi
  done <"$root/properties"
  printf '%s\n' "$value"
}
case $tool in
  id) cat "$root/uid" ;;
  stat) if [ -e "$facts/stat" ]; then cat "$facts/stat"; else echo "block special file"; fi ;;
  lsblk)
    case $2 in
      TYPE) fact type disk ;;
      SERIAL) fact serial '' ;;
      MOUNTPOINT) fact mount '' ;;
    esac ;;
  blockdev)
    case $1 in
      --getsize64) fact size 0 ;;
      --getss) fact sector 512 ;;
      --getro) fact read_only 0 ;;
    esac ;;
  wipefs) if [ "$1" = -n ]; then fact wipefs ''; else rm -f "$facts/blkid"; fi ;;
  blkid) [ -e "$facts/blkid" ] || exit 2; cat "$facts/blkid" ;;
  sgdisk)
    name=${last##*/} device=$(readlink -f "$last") kernel=
    kernel=${device##*/}
    [ "$1" != --pretend ] || exit 0
    if [ -e "$root/sgdisk_fails" ] && [ "$(cat "$root/sgdisk_fails")" = "$kernel" ]; then exit 4; fi
    while [ "$#" -gt 1 ]; do
      number=${2%%:*} value=${2#*:} part=$kernel${2%%:*}
      case $1 in
        -U) mkdir -p "$root/facts/$kernel"; printf 'PTTYPE=gpt\nPTUUID=%s\n' "$2" >"$root/facts/$kernel/blkid" ;;
        -n)
          start=${value%%M:*} size=${value#*+}
          mkdir -p "$root/facts/$part" "$root/sys/$kernel/$part/holders"
          touch "$root/dev/$part"
          echo "$number" >"$root/sys/$kernel/$part/partition"
          ln -sfn "$kernel/$part" "$root/sys/$part"
          ln -sfn "../$part" "$root/dev/by-id/$name-part$number"
          printf 'PART_ENTRY_NUMBER=%s\nPART_ENTRY_TYPE=6a898cc3-1dd2-11b2-99a6-080020736631\n' "$number" \
            >"$root/facts/$part/blkid"
          printf 'PART_ENTRY_OFFSET=%s\nPART_ENTRY_SIZE=%s\n' $((start * 2048)) $((${size%M} * 2048)) \
            >>"$root/facts/$part/blkid" ;;
        -u) printf 'PART_ENTRY_UUID=%s\n' "$value" >>"$root/facts/$part/blkid" ;;
        -d)
          rm -rf "$root/facts/$kernel$2" "$root/sys/$kernel/$kernel$2" "$root/sys/$kernel$2"
          rm -f "$root/dev/$kernel$2" "$root/dev/by-id/$name-part$2" ;;
      esac
      shift 2
    done ;;
  udevadm) fact udev '' ;;
  smartctl) fact smartctl ''; exit 4 ;;
  zdb) fact zdb 'failed to unpack label 0'; exit 2 ;;
  zpool)
    case $1 in
      list)
        case $* in
          *name*) cat "$root/pools" ;;
          *health*) echo ONLINE ;;
          *size*) echo 1000 ;;
        esac ;;
      status)
        if [ -e "$root/status.$last" ]; then cat "$root/status.$last"; exit 0; fi
        cat "$root/status" "$root"/status.* 2>/dev/null ;;
      destroy)
        for list in pools datasets; do
          grep -vE -- "^$last(/|\$)" "$root/$list" >"$root/kept"
          mv "$root/kept" "$root/$list"
        done
        rm -f "$root/status.$last"
        sed -i "s/state: 0/state: 2/" "$root"/facts/*/zdb 2>/dev/null ;;
      labelclear) rm -f "$facts/zdb" ;;
      get) case " $* " in *" guid "*) echo 4711; exit 0 ;; esac; property "pool:$last" "$(echo "${@: -2:1}")" ;;
      set) record "pool:$last" "${@: -2:1}" ;;
      create)
        if [ "$2" = -n ]; then
          if [ -e "$root/rehearsal_fails" ]; then echo "invalid vdev specification" >&2; exit 1; fi
          if [ -e "$root/then_occupied" ]; then echo TYPE=ext4 >"$root/facts/$(cat "$root/then_occupied")/blkid"; fi
          echo "would create"
          exit 0
        fi
        shift
        name=
        while [ -z "$name" ]; do
          case $1 in
            -f) ;;
            -o) record "new-pool" "$2"; shift ;;
            -O) record "new-root" "$2"; shift ;;
            -m) record "new-root" "mountpoint=$2"; shift ;;
            *) name=$1 ;;
          esac
          shift
        done
        sed -i "s/^new-pool/pool:$name/; s/^new-root/$name/" "$root/properties"
        echo "$name" >>"$root/pools"
        echo "$name" >>"$root/datasets"
        cp "$root/status_planned.$name" "$root/status.$name" ;;
    esac ;;
  zfs)
    case $1 in
      version) echo zfs-2.3.9-1; echo zfs-kmod-2.3.9-1 ;;
      list)
        case $* in
          *snapshot*) cat "$root/snapshots" 2>/dev/null ;;
          *mountpoint*)
            while IFS= read -r n; do
              case $n in "$last" | "$last"/*) printf '%s\tfilesystem\tyes\t%s\t43008\n' "$n" "$root/mounted/$n" ;; esac
            done <"$root/datasets" ;;
          *) grep -qxF -- "$last" "$root/datasets" || exit 1 ;;
        esac ;;
      get)
        case ${@: -2:1} in
          used,available) echo 40; echo 60 ;;
          *) property "$last" "${@: -2:1}" ;;
        esac ;;
      create)
        if grep -qsxF -- "$last" "$root/dataset_fails"; then echo "no space" >&2; exit 1; fi
        shift
        while [ "$#" -gt 1 ]; do
          case $1 in
            -o) record "$last" "$2" ;;
          esac
          shift
        done
        echo "$last" >>"$root/datasets" ;;
    esac ;;
esac
exit 0
"""
TOOLS = (
    *("id", "stat", "lsblk", "blockdev", "wipefs", "blkid", "udevadm", "smartctl", "zdb", "zpool", "zfs"),
    *("sgdisk", "sleep"),
)
SIZE = 6001175126016


@dataclass
class Result:
    """What a run ended with."""

    status: int
    text: str
    calls: list[list[str]]

    def creates(self) -> list[list[str]]:
        """Return the real `zpool create` calls, without the rehearsals."""
        return [c for c in self.calls if c[:2] == ["zpool", "create"] and c[2:3] != ["-n"]]

    def rehearsals(self) -> list[list[str]]:
        """Return the `zpool create -n` calls."""
        return [c for c in self.calls if c[:3] == ["zpool", "create", "-n"]]

    def changes(self) -> list[list[str]]:
        """Return every call that would have changed something."""
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
        stub.write_text(STUB.replace("@ROOT@", str(self.root)))
        stub.chmod(0o755)
        for tool in TOOLS:
            (self.root / "bin" / tool).symlink_to("stub")
        for name, text in (("uid", "0\n"), ("status", "no pools available\n")):
            (self.root / name).write_text(text)
        for name in ("pools", "datasets", "properties", "calls"):
            (self.root / name).touch()

    @property
    def roots(self) -> Roots:
        """Return where a script for this machine looks."""
        return Roots(by_id=str(self.root / "dev/by-id"), sys_block=str(self.root / "sys"))

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
        """Give a disk a partition."""
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
        path.write_text(script, encoding="utf-8")
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
    """Return a vdev of the disks with these numbers."""
    return Vdev(kind=kind, members=tuple(Member(disk_key=f"k{n}") for n in numbers), **changes)  # type: ignore[arg-type]


def small_design(**changes: object) -> Design:
    """Return a design with a mirror, a spare, a property of each sort, datasets and a volume."""
    values: dict[str, object] = {
        "key": "small",
        "name": "Small office",
        "pool_name": "tank",
        "disks": tuple(disk(n) for n in range(3)),
        "vdevs": (
            vdev(VdevKind.MIRROR, (0, 1)),
            vdev(VdevKind.STRIPE, (2,), vdev_class=VdevClass.SPARE),
        ),
        "pool_settings": (Setting(name="autotrim", value="on"),),
        "datasets": (
            Dataset(name="", settings=(Setting(name="compression", value="lz4"),)),
            Dataset(name="home", settings=(Setting(name="recordsize", value="1M"),)),
            Dataset(name="vm/disk1", volume_bytes=10 << 30, settings=(Setting(name="volblocksize", value="16K"),)),
        ),
    }
    return Design(**(values | changes))  # type: ignore[arg-type]


def script_for(design: Design, machine: Machine) -> str:
    """Return the script of a design for a pretended machine."""
    return guarded_script(
        design,
        generated_at="2026-11-20 10:00 UTC",
        program_version="0.1.0",
        predicted_size_bytes=1000,
        predicted_available_bytes=100,
        roots=machine.roots,
    )


def machine_for(design: Design, root: Path) -> Machine:
    """Return a machine that has exactly the disks of a design, empty."""
    machine = Machine(root)
    for index, one in enumerate(design.disks):
        machine.plug(f"sd{chr(ord('a') + index)}", one)
    machine.plan(design)
    return machine
