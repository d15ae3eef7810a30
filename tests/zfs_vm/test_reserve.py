"""Partitions reserved beside the data, on real OpenZFS: to the byte, once, used, replaced, and taken back."""

from tests.emit.exported import commands_under
from tests.zfs_vm.designs import differences
from tests.zfs_vm.machine import Machine
from tests.zfs_vm.operator import STAMP, created, undone

from poolwright.changes.as_design import design_of_pool
from poolwright.design.edits.reserve import with_reserve
from poolwright.domain.as_built import as_built
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.reserve import ReservedPartition, ReservePurpose
from poolwright.domain.units import GIB, MIB
from poolwright.domain.vdev import VdevKind
from poolwright.emit.partitions import split_disks
from poolwright.emit.sheet import recovery_sheet

ESP = ReservedPartition(purpose=ReservePurpose.ESP, size_bytes=512 * MIB)
BIOS = ReservedPartition(purpose=ReservePurpose.BIOS, size_bytes=MIB)
SWAP = ReservedPartition(purpose=ReservePurpose.SWAP, size_bytes=GIB, last=True)
LOOK = {
    "status": "zpool status -P tank",
    "pool": "zpool get -H all tank",
    "datasets": "zfs get -Hp -r -t filesystem,volume all tank",
    "sizes": "zpool sync tank; zpool list -Hp -o size tank; zfs get -Hp -o value used,available tank",
}


def design_on(machine: Machine, kind: VdevKind, count: int, parity: int, *reserve: ReservedPartition) -> Design:
    disks = machine.disks("EMU512")[:count]
    vdev = Vdev(kind=kind, parity=parity, members=tuple(Member(disk_key=disk.key) for disk in disks))
    made = Design(key="reserved", name="Beside", pool_name="tank", disks=machine.disks("EMU512"), vdevs=(vdev,))
    return with_reserve(made, reserve)


def table_of(machine: Machine, name: str) -> list[list[str]]:
    """Return number, first and last sector and type code of each partition, as `sgdisk -p` prints them."""
    lines = machine.run(f"sgdisk -p /dev/disk/by-id/{name}").text.partition("Number")[2].splitlines()[1:]
    return [[words[0], words[1], words[2], words[5]] for words in map(str.split, lines) if words]


def designed_table(design: Design, key: str) -> list[list[str]]:
    split = next(found for found in split_disks(design) if found.disk_key == key)
    return [
        [
            str(part.number),
            str(part.start_bytes // 512),
            str((part.start_bytes + part.size_bytes) // 512 - 1),
            part.type_code,
        ]
        for part in split.partitions
    ]


def used_names(design: Design) -> list[str]:
    return [design.disk(member.disk_key).by_id_name or "" for member in design.vdevs[0].members]


def differing(machine: Machine, design: Design) -> list[str]:
    looked = {word: machine.run(look).text for word, look in LOOK.items()}
    return list(differences(as_built(design), **looked))


def test_that_esp_and_swap_lie_beside_a_raidz1_to_the_byte_and_are_taken_back(machine: Machine) -> None:
    design = design_on(machine, VdevKind.RAIDZ, 3, 1, ESP, SWAP)
    made = created(machine, design)
    assert made.status == 0, made.text
    assert differing(machine, design) == []
    tables = {name: table_of(machine, name) for name in used_names(design)}
    for member, table in zip(design.vdevs[0].members, tables.values(), strict=True):
        assert table == designed_table(design, member.disk_key)
    again = created(machine, design)
    assert again.status == 0, again.text
    assert "nothing was changed" in again.text
    assert {name: table_of(machine, name) for name in tables} == tables

    for command in commands_under(recovery_sheet(design, STAMP), "What is reserved beside the data"):
        machine.run(command)
    first = f"/dev/disk/by-id/{used_names(design)[0]}"
    assert machine.run(f"blkid -p -s TYPE -o value {first}-part1 {first}-part3").text == "vfat\nswap\n"
    machine.run(f"swapon {first}-part3")
    third = created(machine, design)
    assert third.status == 0, third.text
    used = undone(machine, design)
    assert used.status == 1, used.text
    assert "reserved beside the data and in use: [SWAP]" in used.text
    machine.run(f"swapoff {first}-part3; mkdir -p esp; mount {first}-part1 esp")
    assert undone(machine, design).status == 1
    machine.run("umount esp")
    holding = undone(machine, design)
    assert holding.status == 1, holding.text
    assert "reserved beside the data, holds vfat" in holding.text
    assert machine.run("zpool list -H -o name").text == "tank\n"
    inventory = machine.read()
    (pool,) = inventory.pools
    assert [str(one) for one in design_of_pool(inventory, pool).design.reserve] == ["esp=512MiB", "swap=1GiB:last"]
    back = undone(machine, design, "--with-data", typed=["destroy tank with its data"])
    assert back.status == 0, back.text
    for name in used_names(design):
        assert (
            machine.run(
                f"blkid -p /dev/disk/by-id/{name}; ls /dev/disk/by-id/{name}-part* 2>/dev/null", check=False
            ).text
            == ""
        )


def test_that_a_disk_is_replaced_by_the_words_of_the_sheet(machine: Machine) -> None:
    design = design_on(machine, VdevKind.MIRROR, 2, 0, BIOS, ESP, SWAP)
    made = created(machine, design)
    assert made.status == 0, made.text
    assert differing(machine, design) == []
    fresh = next(disk.by_id_name for disk in design.disks if disk.key not in design.used_keys())
    for command in commands_under(recovery_sheet(design, STAMP), "Replace a failed disk"):
        # Nothing starts from here: the boot loader is left out.
        if not command.startswith("grub-install"):
            machine.run(command.replace("/dev/disk/by-id/NEW", f"/dev/disk/by-id/{fresh}"))
    machine.run("zpool wait -t resilver,replace tank")
    status = machine.run("zpool status -P tank").text
    assert f"{fresh}-part3" in status
    assert "DEGRADED" not in status
    gone, kept = used_names(design)
    assert gone not in status
    assert table_of(machine, fresh or "") == table_of(machine, kept)
    told = machine.run(f"blkid -p -s TYPE -o value /dev/disk/by-id/{fresh}-part2 /dev/disk/by-id/{fresh}-part4").text
    assert told == "vfat\nswap\n"
    guids = [machine.run(f"sgdisk -i 3 /dev/disk/by-id/{name} | grep 'unique GUID'").text for name in (fresh, kept)]
    assert guids[0] != guids[1]
