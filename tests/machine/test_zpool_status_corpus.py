"""zpool status of real pools: vdevs, states and error counts as the files show them. Skipped where they are absent."""

import re
from collections import Counter

import pytest
from tests.machine.test_lsblk_corpus import CORPUS, files, text_of

from poolwright.domain.pool import Pool, PoolNode
from poolwright.machine.zpool.status import read_zpool_import, read_zpool_status

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the collection of real outputs is not here")


def pools(name: str) -> dict[str, Pool]:
    return {pool.name: pool for pool in read_zpool_status(text_of(name))}


def everything(nodes: tuple[PoolNode, ...]) -> list[PoolNode]:
    return [inner for node in nodes for inner in (node, *everything(node.children))]


def find(pool: Pool, name: str, section: str = "data") -> PoolNode:
    return next(node for node in everything(pool.vdevs) if node.name == name and node.section == section)


@pytest.mark.parametrize("name", [f for f in files("zpool_status", "zpool_status_docs") if "status-x" not in f])
def test_that_no_line_of_the_config_is_lost(name: str) -> None:
    text = text_of(name)
    rows = re.findall(
        r"^\s+(\S+)\s+(?:ONLINE|DEGRADED|FAULTED|OFFLINE|UNAVAIL|REMOVED|AVAIL|INUSE)\b", text, re.MULTILINE
    )
    found = read_zpool_status(text)
    nodes = [node.name for pool in found for node in everything(pool.vdevs)]
    headings = [row for row in rows if row in {"logs", "cache", "spares", "special", "dedup"}]
    states = len(re.findall(r"^\s*state: ", text, re.MULTILINE))
    # The pool's own line and the old numbered class headings are not vdevs; “state:” lines match as rows.
    names = [*nodes, *(pool.name for pool in found), *headings]
    assert Counter(row for row in rows if row != "state:") == Counter(names)
    assert states == len(found)


@pytest.mark.parametrize(
    "name",
    ["zpool_status/local__vm__zfs-2.2.2_noble_zpool_status_healthy.txt",
     "zpool_status/local__vm__zfs-2.3.9_trixie_zpool_status_healthy.txt",
     "zpool_status/local__vm__zfs-2.3.9_trixie_zpool_status-i.txt",
     "zpool_status/local__vm__zfs-2.3.9_trixie_zpool_status-s.txt",
     "zpool_status/local__vm__zfs-2.2.2_noble_zpool_status-P_healthy.txt",
     "zpool_status_json/local__vm__zfs-2.3.9_trixie_zpool_status_healthy.json",
     "zpool_status_json/local__vm__zfs-2.3.9_trixie_zpool_status-v-poolguid_healthy.json"],
)  # fmt: skip
def test_that_the_healthy_test_machine_has_its_six_pools(name: str) -> None:
    found = pools(name)
    assert {pool: Counter((v.section, v.kind) for v in p.vdevs) for pool, p in found.items()} == {
        "dpool": {("data", "draid1:4d:8c:1s"): 1, ("spares", "dspare"): 1},
        "mpool": {("data", "mirror"): 2, ("dedup", "mirror"): 1, ("special", "mirror"): 1},
        "nv": {("data", "disk"): 1},
        "nv4k": {("data", "disk"): 1},
        "stripe": {("data", "disk"): 3},
        "tank": {("data", "raidz2"): 1, ("logs", "disk"): 1, ("cache", "disk"): 1, ("spares", "disk"): 2},
    }
    assert len(find(found["tank"], "raidz2-0").children) == 8
    assert all(node.checksum_errors in {0, None} for p in found.values() for node in everything(p.vdevs))
    assert all(pool.errors == "No known data errors" for pool in found.values())


def test_that_paths_are_read_with_p() -> None:
    tank = pools("zpool_status/local__vm__zfs-0.8.3_focal_zpool_status-P_healthy.txt")["tank"]
    assert {leaf.path for leaf in tank.leaves()} == {leaf.name for leaf in tank.leaves()}
    assert "/dev/disk/by-id/scsi-35000c500d0000919-part1" in {leaf.path for leaf in tank.leaves()}


@pytest.mark.parametrize(
    ("name", "errors"),
    [("zpool_status/local__vm__zfs-0.8.3_focal_zpool_status-v_cksum_errors.txt", 226),
     ("zpool_status_json/local__vm__zfs-2.3.9_trixie_zpool_status_cksum_errors.json", 450),
     ("zpool_status_json/local__vm__zfs-2.3.9_trixie_zpool_status-int-flat_cksum_errors.json", 450)],
)  # fmt: skip
def test_that_checksum_errors_and_a_spare_at_work_are_seen(name: str, errors: int) -> None:
    found = pools(name)
    assert find(found["mpool"], "sdm").checksum_errors == errors
    tank = found["tank"]
    assert tank.state == "DEGRADED"
    replaced = find(tank, "spare-1")
    assert (replaced.kind, replaced.state, len(replaced.children)) == ("spare", "DEGRADED", 2)
    assert (replaced.children[0].state, replaced.children[0].note) == ("FAULTED", "external device fault")
    spare = find(tank, replaced.children[1].name, "spares")
    assert (spare.state, spare.read_errors, spare.note) == ("INUSE", None, "currently in use")


@pytest.mark.parametrize("moment", ["cksum_errors", "offline", "resilvered"])
def test_that_the_flat_form_holds_the_same_pools(moment: str) -> None:
    front = "zpool_status_json/local__vm__zfs-2.3.9_trixie_zpool_status"
    nested, flat = pools(f"{front}_{moment}.json"), pools(f"{front}-int-flat_{moment}.json")
    assert list(nested) == list(flat)
    for name, pool in nested.items():
        assert flat[name].guid == pool.guid
        assert flat[name].state == pool.state
        assert Counter(flat[name].vdevs) == Counter(pool.vdevs)


@pytest.mark.parametrize("moment", ["healthy", "offline", "spare_inuse"])
def test_that_text_and_json_tell_the_same(moment: str) -> None:
    text = pools(f"zpool_status/local__vm__zfs-2.3.9_trixie_zpool_status_{moment}.txt")
    form = "-int-flat_spare_inuse" if moment == "spare_inuse" else f"_{moment}"
    parsed = pools(f"zpool_status_json/local__vm__zfs-2.3.9_trixie_zpool_status{form}.json")

    def facts(pool: Pool) -> Counter[object]:
        return Counter(
            (n.name, n.kind, n.section, n.state, n.read_errors, n.checksum_errors) for n in everything(pool.vdevs)
        )

    assert {name: facts(pool) for name, pool in text.items()} == {name: facts(pool) for name, pool in parsed.items()}


@pytest.mark.parametrize(
    ("name", "states"),
    [("danjl1100__zpool-status-exporter__input-06-removed.txt", {"REMOVED": 1, "ONLINE": 1}),
     ("danjl1100__zpool-status-exporter__input-07-unavail.txt", {"UNAVAIL": 1, "ONLINE": 2}),
     ("openzfs__zfs__pr6858_faulted_spare_avail.txt", {"FAULTED": 1, "ONLINE": 1, "AVAIL": 1}),
     ("kellyjonbrazil__jc__generic_zpool-status-spares.out", {"ONLINE": 8, "AVAIL": 1}),
     ("openzfs__zfs__issue607_logs_cache.txt", {"ONLINE": 8}),
     ("local__vm__zfs-2.2.2_noble_zpool_status_mpool_removed.txt", {"ONLINE": 7, "REMOVED": 1}),
     ("local__vm__zfs-2.3.9_trixie_zpool_status_raidz_expand.txt", {"ONLINE": 4})],
)  # fmt: skip
def test_that_the_states_of_the_devices_are_counted(name: str, states: dict[str, int]) -> None:
    (pool,) = pools(f"zpool_status/{name}").values()
    assert Counter(leaf.state for leaf in pool.leaves()) == states


def test_that_odd_lines_are_kept() -> None:
    gone = pools("zpool_status/danjl1100__zpool-status-exporter__input-07-unavail.txt")["mypool"].leaves()[0]
    assert gone.checksum_errors == 100980
    assert gone.note == "was /dev/disk/by-id/ata-ST8000DM004-xxxxxx_redacted-part1"
    rmp = pools("zpool_status/local__vm__zfs-0.8.3_focal_zpool_status_initializing.txt")["rmp"]
    assert rmp.operations[0].startswith("remove: Removal of vdev 0 copied 17.0M")
    assert rmp.leaves()[0].note == "(9% initialized, started at Fri Nov 20 08:42:51 2026)"
    exp = pools("zpool_status/local__vm__zfs-2.3.9_trixie_zpool_status_raidz_expand.txt")["exp"]
    assert "3.08% done" in exp.operations[0]
    names = list(pools("zpool_status/kellyjonbrazil__jc__generic_zpool-status-v.out"))
    assert names == ["zhgstera6", "zint500", "zsam53"]
    damaged = pools("zpool_status/danjl1100__zpool-status-exporter__input-02-online-data-corruption.txt")["jeremy"]
    assert damaged.errors is not None
    assert "1 data errors" in damaged.errors


def test_that_the_documents_samples_have_their_trees() -> None:
    draid = pools("zpool_status_docs/openzfs__openzfs-docs__dRAID-Howto_2.txt")["tank"]
    spare = find(draid, "spare-6")
    assert [child.kind for child in spare.children] == ["replacing", "dspare"]
    assert [leaf.name for leaf in spare.children[0].children] == ["sdg", "sdl"]
    assert len(draid.vdevs[0].children) == 11
    logs = pools("zpool_status_docs/openzfs__openzfs-docs__ZFS-8000-K4_2.txt")["test"].vdevs[1]
    assert (logs.section, logs.name, logs.state, logs.note) == ("logs", "c5t3d0", "UNAVAIL", "cannot open")


@pytest.mark.parametrize(
    ("name", "guid", "members"),
    [("0.8.3_focal", "15461551909316309438", 3), ("2.2.2_noble", "877883308342831327", 3),
     ("2.3.9_trixie", "10595996562884256519", 4)],
)  # fmt: skip
def test_that_importable_pools_are_read(name: str, guid: str, members: int) -> None:
    (pool,) = read_zpool_import(text_of(f"zpool_import/local__vm__zfs-{name}_zpool_import_list.txt"))
    assert (pool.name, pool.guid, pool.importable, pool.state) == ("exp", guid, True, "ONLINE")
    assert (pool.vdevs[0].kind, len(pool.leaves())) == ("raidz1", members)
