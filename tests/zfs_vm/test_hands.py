"""A pool of the script that administrators went on with by hand: what the scripts then say and leave alone."""

from tests.zfs_vm.machine import Machine
from tests.zfs_vm.operator import created, undone
from tests.zfs_vm.test_creation import mirror, path


def test_that_a_pool_that_was_changed_by_hand_is_left_alone(machine: Machine) -> None:
    design = mirror(machine)
    assert created(machine, design).status == 0
    further = f"/dev/disk/by-id/{machine.disks('EMU512')[4].by_id_name}"
    machine.run("zpool checkpoint tank")
    checkpoint = undone(machine, design)
    assert checkpoint.status == 1, checkpoint.text
    assert "tank has a checkpoint" in checkpoint.text
    machine.run("zpool checkpoint -d -w tank; zpool export tank; zpool import tank other")
    renamed = undone(machine, design)
    assert renamed.status == 1, renamed.text
    assert "belongs to an imported pool" in renamed.text
    machine.run("zpool export other; zpool import other tank; zpool export tank")
    exported = created(machine, design)
    assert exported.status == 1, exported.text
    assert "To use that pool: zpool import" in exported.text
    assert "undo script" not in exported.text
    machine.run(f"zpool import tank; zpool attach -w tank {path(design)} {further}")
    attached = undone(machine, design)
    assert attached.status == 1, attached.text
    assert "its vdevs were changed since" in attached.text
    assert machine.run("zpool list -H -o name").text == "tank\n"


def test_that_a_fresh_pool_that_is_busy_or_lacks_a_disk_can_be_undone_in_the_end(machine: Machine) -> None:
    design = mirror(machine)
    assert created(machine, design).status == 0
    spare = f"/dev/disk/by-id/{machine.disks('EMU512')[5].by_id_name}"
    # Adding a spare of smaller sectors lets OpenZFS write metadata smaller from then on.
    machine.run(f"zpool add -f tank spare {spare}; zpool remove tank {spare}; ls -R /tank; touch /tank; zpool sync")
    machine.run(f"zpool offline tank {path(design, 1)}")
    busy = (
        "(cd /tank/home && exec sleep 600) & held=$!; sleep 1\n"
        "echo destroy tank | bash undo.sh; told=$?; kill $held; exit $told"
    )
    checked = undone(machine, design, "--check")
    assert checked.status == 0, checked.text
    machine.run("cp undo-tank.sh undo.sh")
    refused = machine.run(busy, check=False)
    assert refused.status == 3, refused.text
    assert "run this script again" in refused.text
    partly = undone(machine, design)
    assert partly.status == 1, partly.text
    assert "1 disk" in partly.text
    guid = machine.run(f"zdb -l {path(design, 1)}-part1 | awk '$1 == \"pool_guid:\" {{ print $2; exit }}'").text.strip()
    assert f"--guid {guid}" in partly.text
    back = undone(machine, design, "--guid", guid)
    assert back.status == 0, back.text
    again = undone(machine, design)
    assert again.status == 0, again.text
    assert "Nothing is left of tank" in again.text
    piped = machine.run("cat create-tank.sh | bash -s -- --yes-create tank", check=False)
    assert piped.status == 0, piped.text
