"""zpool status and zpool import as text, on pools written for the purpose."""

from pathlib import Path

import pytest
from tests.cases import cases

from poolwright.domain.errors import UserError
from poolwright.domain.pool import Pool, PoolNode
from poolwright.machine.zpool.status import lists_every_pool, read_zpool_import, read_zpool_status

BUSY = Path(__file__).with_name("status-of-a-busy-pool.txt").read_text(encoding="utf-8")


def busy() -> Pool:
    return read_zpool_status(BUSY)[0]


def named(pool: Pool, name: str, section: str = "data") -> PoolNode:
    def search(nodes: tuple[PoolNode, ...]) -> list[PoolNode]:
        return [n for node in nodes for n in (node, *search(node.children)) if n.name == name and n.section == section]

    (node,) = search(pool.vdevs)
    return node


def shape(node: PoolNode) -> object:
    return (node.kind, [shape(child) for child in node.children]) if node.children else node.kind


def test_that_both_pools_are_found_with_their_state() -> None:
    assert [(pool.name, pool.state, pool.importable) for pool in read_zpool_status(BUSY)] == [
        ("tank", "DEGRADED", False),
        ("second", "ONLINE", False),
    ]


@pytest.mark.parametrize(("state", "now"), [("ONLINE", "SUSPENDED"), ("UNAVAIL", "UNAVAIL")])
def test_that_a_pool_that_does_no_more_work_is_suspended_whatever_old_releases_print(state: str, now: str) -> None:
    text = f"  pool: tank\n state: {state}\nstatus: One or more devices are faulted in response to IO failures.\n"
    assert [pool.state for pool in read_zpool_status(text)] == [now]


def test_that_the_paragraphs_are_kept_whole() -> None:
    pool = busy()
    assert pool.status is not None
    assert pool.status.endswith("The pool will continue to function, possibly in a degraded state.")
    assert pool.action == "Wait for the resilver to complete."
    assert len(pool.scans) == 2
    assert pool.scans[0].startswith("resilver in progress since")
    assert pool.scans[1].startswith("scrub canceled")
    assert [text.split(":")[0] for text in pool.operations] == ["remove", "expand", "checkpoint"]
    assert pool.errors == "Permanent errors have been detected in the following files: tank/vm:<0x1>"


def test_that_the_tree_has_every_vdev_in_its_section() -> None:
    assert [(node.section, shape(node)) for node in busy().vdevs] == [
        ("data", ("raidz2", ["disk", ("spare", [("replacing", ["disk", "disk"]), "disk"]), "disk"])),
        ("data", ("draid2:4d:11c:1s", ["disk"])),
        ("data", "disk"),
        ("special", ("mirror", ["disk", "disk"])),
        ("dedup", "disk"),
        ("logs", "disk"),
        ("cache", "disk"),
        ("spares", "disk"),
        ("spares", "dspare"),
    ]


def test_that_error_counts_are_numbers_and_missing_ones_unknown() -> None:
    pool = busy()
    assert named(pool, "ata-A").checksum_errors == round(13.2 * 1024)
    gone = named(pool, "1234567890")
    assert (gone.read_errors, gone.write_errors, gone.checksum_errors) == (3, 3 << 19, 0)
    spare = named(pool, "ata-S", "spares")
    assert (spare.state, spare.read_errors, spare.note) == ("INUSE", None, "currently in use")


def test_that_notes_and_paths_are_kept() -> None:
    pool = busy()
    assert named(pool, "1234567890").note == "was /dev/disk/by-id/ata-B-part1"
    assert named(pool, "1234567890").path is None
    assert named(pool, "ata-C").note == "(resilvering)"
    assert named(pool, "nvme3n1p1", "logs").note == "block size: 512B configured, 4096B native"
    assert named(pool, "/dev/disk/by-id/ata-F-part1").path == "/dev/disk/by-id/ata-F-part1"
    assert named(read_zpool_status(BUSY)[1], "/img/a").kind == "file"


def test_that_windows_line_ends_spaces_for_tabs_and_prompts_change_nothing() -> None:
    plain = read_zpool_status(BUSY)
    assert read_zpool_status(BUSY.replace("\n", "\r\n")) == plain
    assert read_zpool_status(BUSY.expandtabs()) == plain
    assert read_zpool_status(f"root@box:~# zpool status -v\n{BUSY}\nroot@box:~# exit\n") == plain
    assert read_zpool_status(f"[root@box ~]# zpool status -v\n{BUSY}[root@box ~]# ") == plain


def test_that_further_columns_are_not_taken_for_notes() -> None:
    text = (
        "  pool: p\n state: ONLINE\nconfig:\n\n"
        "\tNAME     STATE     READ WRITE CKSUM  SLOW  POWER\n"
        "\tp        ONLINE       0     0     0     -      -\n"
        "\t  sda    ONLINE       0     0     2     7     on  (trimming)\n"
    )
    (pool,) = read_zpool_status(text)
    assert (pool.vdevs[0].checksum_errors, pool.vdevs[0].note) == (2, "(trimming)")


def test_that_old_words_without_numbers_are_groups() -> None:
    text = (
        "  pool: p\n state: ONLINE\n scrub: none requested\nconfig:\n\n"
        "\tNAME       STATE     READ WRITE CKSUM\n\tp          ONLINE       0     0     0\n"
        "\t  raidz    ONLINE       0     0     0\n\t    c0t0d0 ONLINE       0     0     0\n"
        "\t  mirror   ONLINE       0     0     0\n\t    c0t1d0 ONLINE       0     0     0\n"
        "\tlogs       ONLINE       0     0     0\n\t  c0t2d0   ONLINE       0     0     0\n"
    )
    (pool,) = read_zpool_status(text)
    assert [(node.kind, node.section) for node in pool.vdevs] == [
        ("raidz1", "data"), ("mirror", "data"), ("disk", "logs"),
    ]  # fmt: skip
    assert pool.scans == ("none requested",)


def test_that_a_pool_may_bear_the_name_of_a_section() -> None:
    text = "  pool: cache\n state: ONLINE\nconfig:\n\n\tcache  ONLINE\n\t  sda  ONLINE\n"
    (pool,) = read_zpool_status(text)
    assert [node.section for node in pool.vdevs] == ["data"]


def test_that_names_with_spaces_lose_no_vdev() -> None:
    """A pool may be called so, and a file lie below such a folder."""
    (pool,) = read_zpool_status(
        "  pool: back up:1\n state: ONLINE\nconfig:\n\n"
        "\tNAME                       STATE     READ WRITE CKSUM\n"
        "\tback up:1                  ONLINE       0     0     0\n"
        "\t  mirror-0                 ONLINE       0     0     0\n"
        "\t    sda                    ONLINE       0     0     0\n"
        "\t    /srv/a b and c/image   ONLINE       0     0     3\n"
    )
    (mirror,) = pool.vdevs
    assert [(leaf.name, leaf.kind, leaf.checksum_errors) for leaf in mirror.children] == [
        ("sda", "disk", 0), ("/srv/a b and c/image", "file", 3),
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["no pools available\n", "all pools are healthy\n", "pool 'tank' is healthy\n"])
def test_that_no_pool_to_show_is_an_answer(text: str) -> None:
    assert read_zpool_status(text) == ()


def test_that_healthy_pools_that_are_not_listed_are_known_to_be_missing() -> None:
    assert lists_every_pool("no pools available\n")
    assert lists_every_pool(BUSY)
    assert not lists_every_pool("all pools are healthy\n")


@pytest.mark.parametrize(("text", "expected"), cases(__file__, "refused"))
def test_that_what_lists_no_pools_is_refused_with_a_reason(text: str, expected: str) -> None:
    with pytest.raises(UserError, match=expected) as caught:
        read_zpool_status(text)
    assert "zpool status" in caught.value.text


def test_that_importable_pools_have_a_guid_and_no_counts() -> None:
    text = (
        "   pool: old\n     id: 15461551909316309438\n  state: DEGRADED (DESTROYED)\n"
        " status: Some devices are missing.\n action: The pool can be imported.\n comment: backup of 2019\n config:\n\n"
        "\told         DEGRADED\n\t  mirror-0  DEGRADED\n\t    sdb     ONLINE\n\t    99      UNAVAIL  cannot open\n"
        "\tlogs\n\t  sdc       ONLINE\n\n"
        "\tAdditional devices are known to be part of this pool, though their\n"
        "\texact configuration cannot be determined.\n"
    )
    (pool,) = read_zpool_import(text)
    assert (pool.name, pool.guid, pool.importable) == ("old", "15461551909316309438", True)
    assert pool.state == "DEGRADED (DESTROYED)"
    assert [(leaf.name, leaf.state, leaf.section) for leaf in pool.leaves()] == [
        ("sdb", "ONLINE", "data"), ("99", "UNAVAIL", "data"), ("sdc", "ONLINE", "logs"),
    ]  # fmt: skip
    assert pool.leaves()[1].note == "cannot open"
    assert all(leaf.read_errors is None for leaf in pool.leaves())


def test_that_nothing_to_import_is_an_answer_and_other_text_is_not() -> None:
    assert read_zpool_import("no pools available to import\n") == ()
    with pytest.raises(UserError, match="zpool import"):
        read_zpool_import("no pools available\n")
