"""What to do about pools that are being mended already, that start the machine, or whose disks no catalogue has."""

from dataclasses import replace

import pytest
from tests.changes.test_improve import DATA, improved, of_kind
from tests.design.pools_by_hand import machine_with

from poolwright.changes.improve.pool_change import ChangeKind
from poolwright.domain.disk import Health
from poolwright.domain.host import Inventory
from poolwright.domain.pool import PoolNode, Scan, ScanKind, ScanState

pytestmark = pytest.mark.slow

RUNNING = Scan(kind=ScanKind.RESILVER, state=ScanState.RUNNING)
ENDED = Scan(kind=ScanKind.RESILVER, state=ScanState.FINISHED)


def standing_in(kind: str, scan: Scan) -> Inventory:
    """Return a raidz2 of six with one disk that failed, and a seventh disk that takes its place."""
    made = machine_with(("7 x 8TB CMR SATA",), ((DATA, "raidz2", 6),), fill=60, states={1: "FAULTED"})
    (pool,), (known,) = made.pools, made.existing
    (vdev,) = pool.vdevs
    path = "/dev/disk/by-id/ata-DISK_SN0006-part1"
    new = PoolNode(name=path, kind="disk", section="data", state="ONLINE", path=path)
    group = PoolNode(name=f"{kind}-1", kind=kind, section="data", state="DEGRADED", children=(vdev.children[1], new))
    children = (vdev.children[0], group, *vdev.children[2:])
    pool = replace(pool, vdevs=(replace(vdev, state="DEGRADED", children=children),))
    taken = replace(made.disks[6], uses=made.disks[0].uses)
    made = replace(made, disks=(*made.disks[:6], taken))
    return replace(made, pools=(pool,), existing=(replace(known, scans=(scan,)),))


def test_that_a_disk_that_is_being_replaced_is_not_replaced_once_more() -> None:
    kinds = [change.kind for change in improved(standing_in("replacing", RUNNING)).changes]
    assert ChangeKind.REPLACE_FAILING not in kinds


def test_that_two_disks_that_fail_are_replaced_by_two() -> None:
    sick = machine_with(("8 x 8TB CMR SATA",), ((DATA, "raidz2", 6),), states={1: "FAULTED", 2: "FAULTED"})
    assert len(set(of_kind(improved(sick), ChangeKind.REPLACE_FAILING).at_hand)) == 2


@pytest.mark.parametrize(("scan", "left"), [(RUNNING, "survives 1 more failure"), (ENDED, "")])
def test_that_a_spare_that_is_filled_gives_the_redundancy_back(scan: Scan, left: str) -> None:
    """It stands in until the disk is replaced, which is to be bought all the same."""
    change = of_kind(improved(standing_in("spare", scan)), ChangeKind.REPLACE_FAILING)
    assert len(change.bought) == 1
    assert ("Until that is rebuilt" in change.why) is bool(left)
    assert left in change.why


def test_that_a_disk_that_was_taken_offline_is_counted_as_missing() -> None:
    gone = machine_with(("6 x 8TB CMR SATA",), ((DATA, "raidz2", 6),), fill=60, states={1: "FAULTED", 2: "OFFLINE"})
    assert "the next one loses the pool" in of_kind(improved(gone), ChangeKind.REPLACE_FAILING).why


def test_that_a_drive_that_no_catalogue_has_is_told_in_a_size_that_is_made() -> None:
    """Twice the size: nobody makes one of 1.2 times, and it would not be worth the resilvers."""
    ssds = machine_with(("2 x 500GB SATA SSD",), ((DATA, "mirror", 2),), fill=85)
    assert "(1 TB)" in of_kind(improved(ssds), ChangeKind.REPLACE_LARGER).title
    assert "(500 GB)" in of_kind(improved(ssds), ChangeKind.ADD_VDEV).title


def test_that_the_disks_of_a_pool_that_starts_the_machine_need_more_than_zfs() -> None:
    disks, vdevs = ("2 x 500GB SATA SSD",), ((DATA, "mirror", 2),)
    boots = improved(machine_with(disks, vdevs, fill=85, more={"bootfs": "tank/ROOT"}))
    assert any("starts from this pool" in note for note in boots.notes)
    assert not any("starts from this pool" in note for note in improved(machine_with(disks, vdevs, fill=85)).notes)


@pytest.mark.parametrize(("state", "offered"), [("AVAIL", True), ("INUSE", False)])
def test_that_a_spare_is_offered_only_where_it_waits(state: str, offered: bool) -> None:
    spare = ("spares", "disk", 1)
    gone = machine_with(("7 x 8TB CMR SATA",), ((DATA, "raidz2", 6), spare), states={1: "FAULTED", 6: state})
    minds = of_kind(improved(gone), ChangeKind.REPLACE_FAILING).minds
    assert any("hot spare" in mind for mind in minds) is offered


def test_that_a_disk_with_errors_on_record_is_told_of_before_anything_is_bought() -> None:
    """It passes its own test, and a rebuild of eight disks would read every sector of it."""
    made = machine_with(("8 x 16TB CMR SATA",), ((DATA, "raidz1", 8),), fill=92)
    disks = (replace(made.disks[0], health=Health.SUSPECT), *made.disks[1:])
    (told,) = [note for note in improved(replace(made, disks=disks)).notes if "SMART" in note]
    assert made.disks[0].label in told
    assert made.disks[1].label not in told
