"""mdadm's command lines: what a person would type for the same disks."""

import shutil
import subprocess
from dataclasses import replace

import pytest
from tests.design.side_by_side import column, concurrent, one_vdev, safety

from poolwright.design.md_column import md_raid6_of
from poolwright.domain.design import FurtherPool, Member, Vdev
from poolwright.domain.units import TIB
from poolwright.domain.vdev import VdevKind
from poolwright.emit.names import BY_ID
from poolwright.emit.report_comparison import column_commands, md_commands


def test_that_one_array_takes_its_disks_by_id() -> None:
    raid = md_raid6_of(one_vdev())
    create = md_commands(raid)[0].argv
    assert create[:6] == ("mdadm", "--create", "/dev/md/tank", "--metadata=1.2", "--level=6", "--raid-devices=8")
    devices = [word for word in create if word.startswith("/dev/disk/")]
    assert len(set(devices)) == 8
    named = [disk.by_id_name for disk in raid.disks]
    if None not in named:
        assert devices == [f"{BY_ID}{name}" for name in named]


def test_that_several_arrays_are_joined_and_share_their_spares() -> None:
    commands = md_commands(md_raid6_of(safety()))
    created = [c.argv for c in commands if c.argv[:2] == ("mdadm", "--create")]
    assert [argv[2] for argv in created] == [*(f"/dev/md/tank-{n}" for n in range(1, 6)), "/dev/md/tank"]
    assert [sum(w.startswith("/dev/disk") for w in argv) for argv in created[:5]] == [9, 9, 9, 9, 8]
    assert created[-1][-5:] == tuple(f"/dev/md/tank-{n}" for n in range(1, 6))
    assert any("spare-group=tank" in word for c in commands for word in c.argv)
    assert next(c.argv for c in commands if c.argv[0] == "mkfs.xfs")[-2:] == ("su=512k,sw=30", "/dev/md/tank")


def test_that_a_disk_without_a_name_is_a_placeholder() -> None:
    design = one_vdev()
    bare = replace(design, disks=tuple(replace(d, by_id=()) for d in design.disks))
    words = md_commands(md_raid6_of(bare))[0].argv
    assert f"{BY_ID}<disk 1>" in words
    assert f"{BY_ID}<disk 8>" in words


def test_that_names_that_mdadm_does_not_take_are_mended() -> None:
    raid = replace(md_raid6_of(one_vdev()), device_name="a:b" + "c" * 60)
    device = md_commands(raid)[0].argv[2]
    assert device.startswith("/dev/md/a-bc")
    assert len(device.removeprefix("/dev/md/")) <= 32


@pytest.mark.parametrize("design", [one_vdev(), safety(), concurrent()])
def test_that_a_shell_reads_the_commands(design: object) -> None:
    assert isinstance(design, type(one_vdev()))
    text = "\n".join(c.text for c in md_commands(md_raid6_of(design)))
    shell = shutil.which("sh")
    assert shell
    subprocess.run([shell, "-n"], input=text, text=True, check=True, timeout=20)


def test_that_a_design_that_cannot_be_made_says_why_instead() -> None:
    empty = replace(one_vdev(), vdevs=())
    lines = column_commands(column(empty))
    assert lines[0] == "# There are no commands:"
    assert len(lines) > 1


def test_that_pools_on_partitions_are_made_disk_by_disk_and_pool_by_pool() -> None:
    design = one_vdev()
    found = [member.disk_key for member in design.vdevs[0].members]

    def part(key: str, number: int, size: int) -> Member:
        return Member(disk_key=key, part=number, slice_bytes=size)

    big = Vdev(kind=VdevKind.RAIDZ, parity=2, members=tuple(part(key, 1, 3 * TIB) for key in found))
    rest = Vdev(kind=VdevKind.RAIDZ, parity=1, members=tuple(part(key, 2, TIB) for key in found))
    both = replace(design, vdevs=(big,), further_pools=(FurtherPool(pool_name="rest", vdevs=(rest,)),))
    lines = column_commands(column(both))
    assert sum(line.startswith("zpool create") for line in lines) == 2
    assert sum("sgdisk" in line for line in lines) >= len(found)
    assert lines.index("  tank \\") < lines.index("  rest \\")
