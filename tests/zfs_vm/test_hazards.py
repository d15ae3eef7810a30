"""What may be wrong with machine, disk or script: refused before the first write, and nobody else's disk touched.

The two disks of a mirror are the design's; a third holds somebody's data. What was written is counted by QEMU, by the
kernel (/proc/diskstats), and seen in the disks' files outside.
"""

import re
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.zfs_vm.emulated import GB, Emulated, hard_disks
from tests.zfs_vm.machine import Ended, Machine
from tests.zfs_vm.operator import STAMP, undone
from tests.zfs_vm.test_creation import mirror

from poolwright.domain.design import Design
from poolwright.emit.script import guarded_script

COUNTED = r"awk '$3 ~ /^(sd|nvme)/ { print $3, $8, $10 }' /proc/diskstats"
COUNTS = "writes, as the kernel counts them:\n"
COUNT = f"echo '{COUNTS.strip()}'; {COUNTED}"
MINE, OTHER = ("EMU51200", "EMU51201"), "EMU51205"


TABLE = tomllib.loads((Path(__file__).parent / "hazards.toml").read_text(encoding="utf-8"))["hazards"]
RUN = "bash create.sh --yes-create tank"


def put(machine: Machine, design: Design) -> str:
    """Put the creation script into the machine and return it."""
    text = guarded_script(design, STAMP)
    machine.put("/tmp/operator/create.sh", text)
    return text


def names(machine: Machine, design: Design) -> str:
    first, second = (f"/dev/disk/by-id/{disk.by_id_name}" for disk in design.disks)
    real, twin = (machine.emulated(serial).path for serial in MINE)  # names that no hazard turns elsewhere
    other, spare = (machine.emulated(serial).path for serial in (OTHER, "EMU51206"))
    return (
        f"first={first} second={second} other={other} spare={spare} "
        f"real=$(readlink -f {real}) twin=$(readlink -f {twin})\n"
    )


@pytest.mark.parametrize(
    "wrong", [pytest.param(h, id=h["title"], marks=[pytest.mark.core] if h.get("core") else []) for h in TABLE]
)
def test_that_nothing_is_written_anywhere(machine: Machine, wrong: dict[str, Any]) -> None:
    design = mirror(machine)
    put(machine, design)
    head = names(machine, design)
    data = "head -c 8192 /etc/services | dd of=$other bs=4096 conv=fsync status=none"
    # What is wrong must be so.
    made = machine.run(f"set -e; {head} {data}\n{wrong.get('before', 'true')}\nsync; udevadm settle\n{COUNT}").text
    held, written = machine.digests((*MINE, OTHER)), machine.written()
    try:
        ended = machine.run(f"({head} {wrong.get('run', RUN)})\nstatus=$?\n{COUNT}; exit $status", check=False)
        assert ended.status == wrong.get("status", 1), ended.text
        assert wrong["says"] in ended.text, ended.text
        assert ended.text.rpartition(COUNTS)[2] == made.rpartition(COUNTS)[2]
        assert machine.written() == written
        assert machine.digests((*MINE, OTHER)) == held
    finally:
        machine.run(f"{head} {wrong.get('after', 'true')}", check=False)


@pytest.mark.core
def test_that_a_script_that_is_cut_off_at_any_byte_writes_nothing(machine: Machine) -> None:
    text = put(machine, mirror(machine))
    counted = machine.run(COUNTED).text
    size = len(text.encode())
    ends = [match.start() for match in re.finditer("\n", text)]
    last = range(size - 24, size - 1)
    at = sorted({*range(1, size, size // 20), *last, *(end + 1 for end in ends[-12:])})
    done = machine.run(
        f"for n in {' '.join(map(str, at))}; do head -c $n create.sh >cut.sh\n"
        "bash cut.sh --yes-create tank </dev/null >out 2>&1; [ -z \"$(zpool list -H)\" ] || echo made at $n; done"
    )  # fmt: skip
    assert done.text == ""
    assert machine.run(COUNTED).text == counted


def ended_well(machine: Machine, design: Design, *, words: str = "") -> Ended:
    done = machine.run(f"bash create.sh --yes-create tank {words}", check=False)
    assert done.status == 0, done.text
    assert "Done: as designed" in done.text
    assert machine.run("zpool list -H -o name").text == "tank\n"
    return done


def test_that_two_runs_at_once_make_one_pool(machine: Machine) -> None:
    design = mirror(machine)
    put(machine, design)
    machine.run(f"{RUN} >one 2>&1 & {RUN} >two 2>&1; wait; tail -n 3 one two")
    ended_well(machine, design)


@pytest.mark.parametrize("locale", ["de_DE.UTF-8", "tr_TR.UTF-8", "C"])
def test_that_another_locale_makes_the_same_pool(machine: Machine, locale: str) -> None:
    design = mirror(machine)
    put(machine, design)
    done = machine.run(f"LANG={locale} LC_ALL={locale} LANGUAGE=de bash create.sh --yes-create tank", check=False)
    assert done.status == 0, done.text


def test_that_an_empty_path_is_filled(machine: Machine) -> None:
    design = mirror(machine)
    put(machine, design)
    done = machine.run("PATH= /bin/bash create.sh --yes-create tank", check=False)
    assert done.status == 0, done.text


def test_that_a_script_overwritten_while_it_runs_ends_as_it_began(machine: Machine) -> None:
    design = mirror(machine)
    put(machine, design)
    done = machine.run(
        f"{RUN} >out 2>&1 & until grep -q Checking out; do sleep 0.1; done\n"
        "yes 'echo evil; exit 9' | head -c 60000 >create.sh; wait $!; s=$?; cat out; exit $s",
        check=False,
    )  # fmt: skip
    assert done.status == 0, done.text
    assert "evil" not in done.text


def with_broken(machine: Machine, fault: tuple[str, int]) -> tuple[Emulated, Design]:
    """Plug in a disk with a sector that fails, as the second of the mirror."""
    broken = replace(hard_disks("BROKEN0", 1, 20 * GB)[0], faults=(fault,))
    machine.plug_in(broken)
    disk = next(disk for disk in machine.read().disks if disk.serial == broken.serial)
    design = mirror(machine)
    first = design.vdevs[0].members[0]
    vdev = replace(design.vdevs[0], members=(first, replace(first, disk_key=disk.key)))
    return broken, replace(design, disks=(design.disks[0], disk), vdevs=(vdev,))


def test_that_a_disk_with_bytes_that_cannot_be_read_is_refused(machine: Machine) -> None:
    broken, design = with_broken(machine, ("read", 2048))
    try:
        put(machine, design)
        before = machine.written()
        done = machine.run(RUN, check=False)
        assert done.status == 1, done.text
        assert "cannot" in done.text
        assert machine.written() == before
    finally:
        machine.pull_out(broken)


def test_that_what_is_told_after_a_write_that_fails_is_what_is_there(machine: Machine) -> None:
    broken, design = with_broken(machine, ("write", 1))
    try:
        put(machine, design)
        done = machine.run(RUN, check=False)
        assert done.status == 3, done.text
        for disk in design.disks:
            parts = machine.run(f"lsblk -nro TYPE /dev/disk/by-id/{disk.by_id_name}").text.count("part")
            assert (f"{disk.by_id_name}: partitions" in done.text) == (parts > 0), done.text
        assert "undo script" in done.text
        back = undone(machine, design)
        assert back.status in {0, 1}, back.text
        assert f"{design.disks[0].by_id_name}: what the pool left will be cleared" in back.text
    finally:
        machine.run("zpool destroy tank 2>/dev/null; true")
        machine.pull_out(broken)
