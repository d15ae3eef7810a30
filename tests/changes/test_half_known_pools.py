"""Pools that other tools than `zpool status` told of: what can be judged is judged, nothing else is taken as well."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.cases import table
from tests.changes.existing_machines import TODAY, given, rules_of
from tests.design.half_known import DATASETS, DISKS, GOT, LISTED, LISTED_RAW, LISTED_VDEVS, STATUS, read
from tests.emit.test_told_scripts import told_in

from poolwright.capacity.pool import predict_pool
from poolwright.changes.as_design import design_of_pool, why_no_pool
from poolwright.changes.audit import AuditRequest, PoolAudit, audit_machine
from poolwright.changes.live_difference.difference import compare_with_live
from poolwright.changes.migration.target import old_pool
from poolwright.domain.disk import UseKind
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import OriginKind
from poolwright.domain.finding import Severity
from poolwright.domain.host import Inventory
from poolwright.domain.pool import PoolNode
from poolwright.domain.units import parse_drive_size
from poolwright.domain.vdev import VdevKind, parse_layout
from poolwright.domain.version import DEFAULT_VERSION
from poolwright.languages import language
from poolwright.machine.zpool.listed import read_zpool_list
from poolwright.rule_library import load_shipped
from poolwright.store.capture_files import open_captures

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
LISTS = sorted(path for kind in ("zpool_list", "zpool_list_json") for path in (CORPUS / kind).glob("*"))
WHOLE = (
    ("zpool_list/local__vm__zfs-2.3.9_trixie_zpool_list-v_faulted.txt",
     "zpool_list/local__vm__zfs-2.3.9_trixie_zpool_list-vHp_faulted.txt",
     "zpool_status/local__vm__zfs-2.3.9_trixie_zpool_status-v_faulted.txt"),
    ("zpool_list_json/local__vm__zfs-2.3.9_trixie_zpool_list-v-int_spare_inuse.json",
     "zpool_list/local__vm__zfs-2.3.9_trixie_zpool_list-vHp_spare_inuse.txt",
     "zpool_status_json/local__vm__zfs-2.3.9_trixie_zpool_status-int-flat_spare_inuse.json"),
    ("zpool_list/local__vm__zfs-0.8.3_focal_zpool_list-v_spare_inuse.txt",
     "zpool_list/local__vm__zfs-0.8.3_focal_zpool_list-vHp_spare_inuse.txt",
     "zpool_status/local__vm__zfs-0.8.3_focal_zpool_status_spare_inuse.txt"),
)  # fmt: skip
needs_corpus = pytest.mark.skipif(not LISTS, reason="the recorded outputs are not here")


def audits(inventory: Inventory) -> dict[str, PoolAudit]:
    return {a.pool.name: a for a in audit_machine(load_shipped(), inventory, AuditRequest.usual(TODAY))}


def shape(node: PoolNode) -> tuple[object, ...]:
    return (node.kind, node.section, node.state, node.name if not node.children else "", *map(shape, node.children))


@needs_corpus
@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.name)
def test_that_no_recorded_zpool_list_is_said_to_have_no_pool(path: Path) -> None:
    found = audits(open_captures([path]))
    assert found
    for audit in found.values():
        assert "`zpool status` was not read" in audit.unread
        assert not rules_of(audit) & {"existing.never-scrubbed", "existing.damaged-files"}


@needs_corpus
@pytest.mark.parametrize("names", WHOLE, ids=lambda names: names[0])
def test_that_zpool_list_tells_the_tree_that_zpool_status_tells(names: tuple[str, str, str]) -> None:
    status = {pool.name: pool for pool in open_captures([CORPUS / names[2]]).pools}
    first, second = ({p.name: p for p in read_zpool_list((CORPUS / name).read_text())} for name in names[:2])
    for name, pool in first.items():
        assert sorted(map(shape, pool.tree), key=str) == sorted(map(shape, second[name].tree), key=str), name
        assert sorted(map(shape, pool.tree), key=str) == sorted(map(shape, status[name].vdevs), key=str), name


def test_that_members_behind_one_tab_come_into_their_group_and_their_section(tmp_path: Path) -> None:
    (pool,) = read(tmp_path, LISTED_RAW).pools
    assert [(n.name, n.section, len(n.children)) for n in pool.vdevs] == [
        ("mirror-0", "data", 2),
        ("nvme0n1", "logs", 0),
        ("sdc", "spares", 0),
    ]


def test_that_groups_of_one_name_are_told_apart_and_keep_their_sizes(tmp_path: Path) -> None:
    text = "\n".join(
        (
            LISTED.splitlines()[0],
            "tank   10T  2T  8T  -  -  0%  20%  1.00x  ONLINE  -",
            *(f"  mirror   5T  {n}T  4T  -  -  0%  20%  -  ONLINE\n    sd{a}  -  -  -  -  -  -  -  -  ONLINE\n"
              f"    sd{b}  -  -  -  -  -  -  -  -  ONLINE" for n, a, b in ((1, "a", "b"), (3, "c", "d"))),
        )
    )  # fmt: skip
    inventory = read(tmp_path, text)
    (pool,) = inventory.pools
    known = given(inventory.facts_of(pool))
    sizes = [known.vdev(node.name) for node in pool.vdevs]
    assert [node.name for node in pool.vdevs] == ["mirror (1)", "mirror (2)"]
    assert [one.allocated_bytes for one in sizes if one is not None] == [1 << 40, 3 << 40]


def test_that_a_list_with_vdevs_is_judged_as_far_as_it_goes(tmp_path: Path) -> None:
    (audit,) = audits(read(tmp_path, LISTED_VDEVS)).values()
    assert {"existing.not-online", "existing.no-redundancy-left", "existing.full"} <= rules_of(audit)
    assert not rules_of(audit) & {"existing.never-scrubbed", "existing.damaged-files", "existing.errors"}
    assert "errors, damaged files, scrubs and rebuilds" in audit.unread


def test_that_a_list_without_vdevs_tells_fill_fragments_and_health(tmp_path: Path) -> None:
    (audit,) = audits(read(tmp_path, LISTED)).values()
    assert rules_of(audit) == {"existing.full", "existing.fragmented", "existing.degraded"}
    assert audit.made is None
    assert "zpool list -v -Hp -P" in audit.unread


@pytest.mark.parametrize("text", [GOT, DATASETS])
def test_that_properties_and_datasets_alone_name_a_pool(tmp_path: Path, text: str) -> None:
    (audit,) = audits(read(tmp_path, text)).values()
    assert audit.unread
    assert len({finding.text for finding in audit.unsure}) == len(audit.unsure)


def test_that_dedup_is_told_of_where_nothing_but_datasets_was_read_as_it_was_written(tmp_path: Path) -> None:
    (audit,) = audits(read(tmp_path, "NAME  PROPERTY  VALUE  SOURCE\ntank  dedup  on  local\n")).values()
    (finding,) = audit.findings
    assert (finding.rule_id, finding.severity) == ("datasets.dedup", Severity.WARN)
    assert "dedup=on." in finding.text


def test_that_a_pool_read_whole_beside_the_list_stays_whole(tmp_path: Path) -> None:
    (audit,) = audits(read(tmp_path, STATUS, LISTED_VDEVS, DATASETS)).values()
    assert audit.unread == ""
    assert audit.pool.status_read


def test_that_another_pool_than_that_of_zpool_status_is_told_of_too(tmp_path: Path) -> None:
    found = read(tmp_path, STATUS, LISTED + "old  1T  1G  999G  -  -  0%  0%  1.00x  ONLINE  -\n").pools
    assert [(pool.name, pool.status_read) for pool in found] == [("tank", True), ("old", False)]


def test_that_nobody_having_looked_is_told_from_no_pool(tmp_path: Path) -> None:
    unread = read(tmp_path, DISKS)
    assert unread.pools_unread
    assert "cannot be told" in why_no_pool(unread)[0]
    looked = read(tmp_path, DISKS, "no pools available\n")
    assert not looked.pools_unread
    assert "has no imported pool" in why_no_pool(looked)[0]


def test_that_the_disks_of_a_pool_that_only_a_list_names_are_in_use(tmp_path: Path) -> None:
    disk = next(disk for disk in read(tmp_path, DISKS, LISTED_VDEVS).disks if disk.path == "/dev/sda")
    assert [(use.kind, use.detail) for use in disk.uses] == [(UseKind.POOL, "tank")]


def test_that_what_needs_vdevs_refuses_with_the_reason(tmp_path: Path) -> None:
    inventory = read(tmp_path, LISTED)
    (pool,) = inventory.imported()
    with pytest.raises(UserError, match="rebuilds under way are not known"):
        design_of_pool(inventory, pool)


@pytest.mark.parametrize("name", ["anymirror1-0", "anyraidz1:2-0"])
def test_that_a_vdev_of_no_release_is_not_taken_for_a_stripe(name: str, tmp_path: Path) -> None:
    inventory = read(tmp_path, STATUS.replace("mirror-0", name))
    (audit,) = audits(inventory).values()
    assert audit.made is None
    assert rules_of(audit) == {"existing.unstable-names"}
    assert audit.problem == f"AnyRAID is in no OpenZFS release ({name})."
    with pytest.raises(UserError, match="AnyRAID"):
        design_of_pool(inventory, audit.pool)


def test_that_a_move_is_not_planned_from_a_list(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="rebuilds under way are not known"):
        old_pool(read(tmp_path, LISTED_VDEVS), "tank")


def test_that_a_comparison_says_first_what_is_not_known(tmp_path: Path) -> None:
    inventory = read(tmp_path, LISTED_VDEVS.replace("DEGRADED", "ONLINE").replace("FAULTED", "ONLINE"))
    (pool,) = inventory.imported()
    design = design_of_pool(inventory, pool).design
    (mirror,) = design.vdevs
    wanted = replace(design, vdevs=(replace(mirror, kind=VdevKind.STRIPE, members=mirror.members[:1]),))
    found = compare_with_live(wanted, inventory, pool)
    assert found.steps
    assert "was not read of tank" in found.before[0]


TREE: str = table(__file__, "tree")


def _printed(size: int) -> str:
    tib = size / 2**40
    return f"{tib:.2f}T" if tib < 10 else f"{tib:.1f}T" if tib < 100 else f"{tib:.0f}T"


@pytest.mark.parametrize("sold", ["1TB", "2TB", "4TB", "8TB", "12TB", "18TB", "22TB", "1.92TB", "7.68TB"])
@pytest.mark.parametrize(
    ("word", "width", "vdevs"),
    [
        ("mirror", 2, 4),
        ("mirror", 3, 2),
        ("raidz1", 4, 1),
        ("raidz2", 8, 2),
        ("raidz3", 11, 1),
        ("draid2:4d:14c:2s", 14, 1),
    ],
)
def test_that_disks_nobody_read_are_those_of_which_the_pool_has_its_size(
    sold: str, word: str, width: int, vdevs: int, tmp_path: Path
) -> None:
    spec = f"{word.replace('raidz1', 'raidz')}:{width}x{sold}"
    size = predict_pool(parse_layout([spec] * vdevs), ashift=12, version=DEFAULT_VERSION).pool_size_bytes
    lines = []
    for number in range(vdevs):
        lines.append(f"\t  {word}-{number}  ONLINE  0  0  0\n")
        lines += [f"\t    disk{number}-{child}  ONLINE  0  0  0\n" for child in range(width)]
    check_assumed(tmp_path, TREE.format(vdevs="".join(lines)), _printed(size), parse_drive_size(sold))


def check_assumed(folder: Path, status: str, size: str, disk: int) -> None:
    """The disks of a pool with this SIZE are so large, and that is said to be assumed."""
    listed = f"NAME  SIZE  ALLOC  FREE  CAP  DEDUP  HEALTH  ALTROOT\ntank  {size}  1T  1T  50%  1.00x  ONLINE  -\n"
    inventory = read(folder, status, listed)
    made = design_of_pool(inventory, inventory.imported()[0])
    used = [made.design.disk(key) for key in made.design.used_keys()]
    origins = [one.origin_of("size_bytes") for one in used]
    assert {one.size_bytes for one in used} == {disk}
    assert all(origin is not None and origin.kind is OriginKind.ASSUMED for origin in origins)
    assert all("assumed" in one.notes[-1].text for one in used)
    assert made.assumed
    assert not made.sizes_known


def test_that_a_size_that_is_not_sold_is_that_of_the_disks(tmp_path: Path) -> None:
    pair = "\t  mirror-{0}  ONLINE  0  0  0\n\t    a{0}  ONLINE  0  0  0\n\t    b{0}  ONLINE  0  0  0\n"
    check_assumed(tmp_path, TREE.format(vdevs=pair.format(0) + pair.format(1)), "1000G", 500 << 30)


def test_that_disks_are_assumed_in_a_language_with_a_decimal_comma(tmp_path: Path) -> None:
    inventory = read(tmp_path, STATUS, LISTED)
    with told_in(language("de")):
        assert design_of_pool(inventory, inventory.imported()[0]).assumed
