"""Whole moves on real OpenZFS: every step of the script is taken, and what it claims to survive is tried.

As many disks as a step claims are taken offline, a scrub reads what is left, and they are brought back. All files and
the volume are hashed before and after.
"""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.zfs_vm.emulated import GB, hard_disks
from tests.zfs_vm.machine import Ended, Machine
from tests.zfs_vm.operator import STAMP

from poolwright.changes.migration.search import plan_migration
from poolwright.changes.migration.target import old_pool, target_of_layout
from poolwright.changes.migration.values import MigrationPlan, Move
from poolwright.domain.action import Ask
from poolwright.domain.host import Inventory
from poolwright.domain.vdev import parse_layout
from poolwright.emit.migration_script import lines_of, migration_script

SIZE = "20000000000"
# Files, snapshots, a clone, a child with properties of its own, and a volume.
FILL = """set -e
zpool create -f -o ashift=12 -O compression=lz4 {pool} {vdevs}
zfs create -o recordsize=16K {pool}/home
zfs create -V 64M -s -b 16K {pool}/vol
for n in $(seq 24); do head -c 1M /dev/urandom >/{pool}/file-$n; head -c 300K /dev/urandom >/{pool}/home/file-$n; done
zfs snapshot -r {pool}@before
zfs clone {pool}/home@before {pool}/clone
rm /{pool}/file-1
for n in $(seq 30); do [ -e /dev/zvol/{pool}/vol ] && break; sleep 1; done
head -c 8M /dev/urandom | dd of=/dev/zvol/{pool}/vol bs=1M conv=fsync 2>/dev/null
zpool sync {pool}
"""
# What is in a pool: of each file its hash, of the volume its own; from where it is mounted, or from snapshots.
SUMS = """cd {root} && find . -type f ! -path './.zfs/*' | LC_ALL=C sort | xargs -d '\\n' sha256sum
sha256sum </dev/zvol/{pool}/vol"""
PROPERTIES = "zfs get -H -o name,property,value -s local,received all {pool} | grep -v -e org.poolwright -e '@' | sort"

# After these the redundancy is another one.
CLAIMS = (Move.DETACH, Move.OFFLINE, Move.EVACUATE, Move.DESTROY, Move.FILL, Move.REPLACE)


def with_free(inventory: Inventory, serials: Sequence[str]) -> Inventory:
    """Return the machine with no other disks than these and those of its pools."""
    leaves = (leaf.name for pool in inventory.pools for leaf in pool.leaves())
    members = {leaf.removesuffix("-part1").rpartition("/")[2] for leaf in leaves}
    kept = tuple(disk for disk in inventory.disks if disk.serial in serials or members & set(disk.by_id))
    return replace(inventory, disks=kept)


def planned(machine: Machine, layout: str, free: Sequence[str], *, backup: bool = False) -> MigrationPlan:
    """Read the machine as the program does, and plan."""
    inventory = with_free(machine.read(), free)
    old = old_pool(inventory, "tank")
    target = target_of_layout(parse_layout([layout], exact=True), inventory, old)
    return plan_migration(old, target, inventory, backup_exists=backup).plan


def typed_at(plan: MigrationPlan, number: int) -> list[str]:
    """Return what the script asks to be typed at a step."""
    return [line.words for line in lines_of(plan)[number] if isinstance(line, Ask)]


def take(machine: Machine, plan: MigrationPlan, number: int, *, check: bool = True) -> Ended:
    """Take a step of the script, typing what it asks for."""
    step = f"POOLWRIGHT_PAUSE=1 bash migrate.sh --step {number + 1}"
    done = machine.run(step, typed=typed_at(plan, number), check=False)
    assert not check or done.status == 0, f"step {number + 1}: {done.text}"
    return done


def sums(machine: Machine, pool: str) -> list[str]:
    root = machine.run(f"zfs get -H -o value mountpoint {pool}").text.strip()
    return machine.run(SUMS.format(root=root, pool=pool)).text.splitlines()


def survives(machine: Machine, plan: MigrationPlan, number: int) -> None:
    """Take offline as many disks of each whole copy as the step claims it survives, and let a scrub read the rest."""
    step, pools = plan.steps[number], machine.run("zpool list -H -o name").text.split()
    old = plan.parked_name if plan.parked_name in pools else plan.old.name
    new = plan.new_name if plan.new_name in pools else plan.old.name
    for pool, claim in ((old, step.old), (new, step.new)):
        if claim is None or pool not in pools:
            continue
        status = machine.run(f"zpool status -P {pool}").text.splitlines()
        leaves = [line.split()[0] for line in status if line.strip().startswith("/dev/") and " ONLINE " in line]
        for leaf in leaves[:claim]:
            machine.run(f"zpool offline {pool} {leaf}")
        read = machine.run(f"zpool scrub -w {pool} && zpool status {pool}").text
        assert "with 0 errors" in read, read
        assert "errors: No known data errors" in read, read
        for leaf in leaves[:claim]:
            machine.run(
                f"zpool online {pool} {leaf.removesuffix('-part1')}"
            )  # with autoexpand=on it takes no partition
        machine.run(f"zpool wait -t resilver {pool} && zpool clear {pool}")


def moved(machine: Machine, old: str, layout: str, free: Sequence[str], *, backup: bool = False) -> MigrationPlan:
    """Make the pool, plan, take every step, and compare what is there at the end."""
    machine.run(FILL.format(pool="tank", vdevs=old))
    before, properties = sums(machine, "tank"), machine.run(PROPERTIES.format(pool="tank")).text
    plan = planned(machine, layout, free, backup=backup)
    machine.put("/tmp/operator/migrate.sh", migration_script(plan, STAMP))
    destroy = next((n for n, step in enumerate(plan.steps) if step.move is Move.DESTROY), None)
    for number, step in enumerate(plan.steps):
        if step.move is Move.COPY and destroy is not None:
            refused = take(machine, plan, destroy, check=False)
            assert refused.status != 0, refused.text
            assert "Nothing was changed." in refused.text
        if step.move is Move.STOP:
            machine.run("head -c 1M /dev/urandom >/tank/late && zpool sync tank")
            before = sums(machine, "tank")
        take(machine, plan, number)
        if step.move in CLAIMS:
            survives(machine, plan, number)
    assert sums(machine, "tank") == before
    assert machine.run(PROPERTIES.format(pool="tank")).text == properties
    assert machine.run("zpool list -H -o name,health").text.split() == ["tank", "ONLINE"]
    assert "No known data errors" in machine.run("zpool status tank").text
    snapshots = machine.run("zfs list -H -t snapshot -o name").text.split()
    assert sorted(snapshots) == ["tank/home@before", "tank/vol@before", "tank@before"]
    assert machine.run("zfs get -H -o value origin tank/clone").text.strip() == "tank/home@before"
    return plan


def disks(machine: Machine, *serials: str) -> str:
    return " ".join(machine.emulated(serial).path for serial in serials)


def vdev_words(machine: Machine) -> list[str]:
    status = machine.run("zpool status -P tank").text
    return [line.split()[0] for line in status.splitlines() if line.startswith("\t  ")]


def test_that_a_mirror_becomes_a_raidz2_with_placeholders_and_is_never_bare(machine: Machine) -> None:
    plan = moved(
        machine, f"mirror {disks(machine, 'EMU51200', 'EMU51201')}", f"raidz2:4x{SIZE}", ("EMU51202", "EMU51203")
    )
    assert plan.least == 1
    found = vdev_words(machine)
    assert found[0] == "raidz2-0"
    assert len(found) == 5
    told = machine.run("zfs get -Hp -o value available,used tank").text.split()
    assert sum(int(value) for value in told) == plan.final_bytes == plan.first_bytes


def test_that_a_raidz1_becomes_two_mirrors_with_one_disk_more(machine: Machine) -> None:
    plan = moved(
        machine, f"raidz1 {disks(machine, 'EMU51200', 'EMU51201', 'EMU51202')}", f"2*mirror:2x{SIZE}", ("EMU51203",)
    )
    assert Move.OFFLINE in {step.move for step in plan.steps}
    assert plan.least == 1
    assert [word.partition("-")[0] for word in vdev_words(machine) if not word.startswith("/")] == ["mirror", "mirror"]


def test_that_a_split_mirror_becomes_a_raidz1_when_a_backup_exists(machine: Machine) -> None:
    old = f"mirror {disks(machine, 'EMU51200', 'EMU51201')}"
    plan = moved(machine, old, f"raidz1:3x{SIZE}", ("EMU51202",), backup=True)
    assert plan.least == 0
    assert vdev_words(machine)[0] == "raidz1-0"


def test_that_two_mirrors_become_a_raidz2_by_emptying_one(machine: Machine) -> None:
    a, b = disks(machine, "EMU51200", "EMU51201"), disks(machine, "EMU51202", "EMU51203")
    plan = moved(machine, f"mirror {a} mirror {b}", f"raidz2:4x{SIZE}", ())
    assert Move.EVACUATE in {step.move for step in plan.steps}
    assert plan.least == 1
    assert vdev_words(machine)[0] == "raidz2-0"


@pytest.mark.parametrize(("kind", "count"), [("mirror", 2), ("raidz1", 3)])
def test_that_a_pool_stays_while_larger_disks_take_the_places_of_its_own(
    machine: Machine, kind: str, count: int
) -> None:
    old = [f"EMU5120{n}" for n in range(count)]
    with machine.shelf(hard_disks("LARGE0", count, 30 * GB)) as large:
        plan = moved(
            machine, f"{kind} {disks(machine, *old)}", f"{kind}:{count}x{30 * GB}", [disk.serial for disk in large]
        )
        assert [step.move for step in plan.steps].count(Move.REPLACE) == count
        assert plan.least == 1
        assert plan.final_bytes is not None
        told = machine.run("zfs get -Hp -o value available,used tank").text.split()
        assert sum(int(value) for value in told) == plan.final_bytes > (count - 1) * 20 * GB


@pytest.mark.parametrize("wrong", ["foreign data", "somebody wrote", "another serial"])
def test_that_a_step_is_refused_where_the_machine_is_not_as_planned(wrong: str, machine: Machine) -> None:
    machine.run(FILL.format(pool="tank", vdevs=f"mirror {disks(machine, 'EMU51200', 'EMU51201')}"))
    plan = planned(machine, f"raidz2:4x{SIZE}", ("EMU51202", "EMU51203"))
    script = migration_script(plan, STAMP)
    machine.put("/tmp/operator/migrate.sh", script)
    moves = [step.move for step in plan.steps]
    if wrong == "somebody wrote":
        for number in range(moves.index(Move.DETACH)):
            take(machine, plan, number)
        root = f"/run/poolwright/{plan.parked_name}/tank-old"
        machine.run(f"zfs mount {plan.parked_name} && echo late >{root}/late && zpool sync && zfs unmount -a")
        number = moves.index(Move.DETACH)
    else:
        number = moves.index(Move.CREATE)
        if wrong == "foreign data":
            machine.run(f"mkfs.ext4 -q {disks(machine, 'EMU51202')}")
        else:
            machine.put("/tmp/operator/migrate.sh", script.replace("512 EMU51202", "512 EMU59999"))
    new = ("EMU51202", "EMU51203")  # the old pool goes on writing
    machine.run("sync")
    written = {serial: machine.written()[serial] for serial in new}
    done = take(machine, plan, number, check=False)
    assert done.status == 1, done.text
    assert "Nothing was changed." in done.text
    if wrong != "somebody wrote":
        assert {serial: machine.written()[serial] for serial in new} == written


def test_that_a_freed_disk_that_somebody_formatted_is_not_taken_and_names_with_blanks_move(machine: Machine) -> None:
    machine.run(FILL.format(pool="tank", vdevs=f"mirror {disks(machine, 'EMU51200', 'EMU51201')}"))
    machine.run("zfs create 'tank/my films' && zpool sync tank")
    plan = planned(machine, f"raidz2:4x{SIZE}", ("EMU51202", "EMU51203"))
    machine.put("/tmp/operator/migrate.sh", migration_script(plan, STAMP))
    for number, step in enumerate(plan.steps):
        if step.move is not Move.FILL:
            take(machine, plan, number)
            if step.move is Move.COPY_REST:  # as somebody does whose terminal was closed
                assert "are there already" in take(machine, plan, number).text
            continue
        freed = f"/dev/disk/by-id/{plan.disk(step.disk_keys[0]).by_id_name}"
        machine.run(f"mkfs.ext4 -q -F -L photos {freed}")
        refused = take(machine, plan, number, check=False)
        assert refused.status == 1, refused.text
        assert "ext4 named photos" in refused.text
        assert "photos" in machine.run(f"blkid -p {freed}").text
        return
    raise AssertionError("no step takes a freed disk in")
