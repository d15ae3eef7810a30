"""What zpool list and zdb tell of a pool: real files of each, and numbers that stand in them."""

import json
from pathlib import Path

import pytest
from tests.cases import table

from poolwright.domain.errors import UserError
from poolwright.domain.measurement import BenchTool, Recorded
from poolwright.machine.zdb import read_zdb_dedup
from poolwright.store.read_results import read_result

CORPUS = Path(__file__).parents[4] / "shared" / "corpus"
FILES = [path for name in ("zpool_list", "zdb_S", "zdb_DD", "zdb") for path in sorted((CORPUS / name).glob("*"))]
needs_corpus = pytest.mark.skipif(not FILES, reason="the collection of real files is not here")

NAMES = "NAME   SIZE  ALLOC   FREE  CKPOINT  EXPANDSZ   FRAG    CAP  DEDUP    HEALTH  ALTROOT\n"
HISTOGRAM: str = table(__file__, "histogram")
# Two files. The first: three blocks in a row, then one elsewhere. The second begins where the first one ended.
DUMP: str = table(__file__, "dump")


def _facts(text: str) -> dict[str, float]:
    return dict(_one(text).facts)


def _one(text: str) -> Recorded:
    (recorded,) = read_result(text.encode(), "pasted")
    return recorded


def _of(folder: str, name: str) -> dict[str, float]:
    path = CORPUS / folder / name
    (recorded,) = read_result(path.read_bytes(), path.name)
    return dict(recorded.facts)


@needs_corpus
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_that_a_real_file_is_read_or_refused_for_what_it_is(path: Path) -> None:
    text = path.read_text()
    if "vdev_tree:" in text:
        with pytest.raises(UserError, match="nothing from zdb"):
            read_result(path.read_bytes(), path.name)
    elif path.parent.name in ("zdb_S", "zdb_DD") and " Total " not in text:
        with pytest.raises(UserError, match="histogram is empty"):
            read_result(path.read_bytes(), path.name)
    else:
        (recorded,) = read_result(path.read_bytes(), path.name)
        listed = path.parent.name == "zpool_list"
        assert recorded.tool is (BenchTool.ZPOOL_LIST if listed else BenchTool.ZDB)
        assert recorded.facts
        assert not any("cut off" in note for note in recorded.notes)


@needs_corpus
def test_that_pools_of_zpool_list_have_the_numbers_of_the_file_and_vdevs_are_none() -> None:
    for name in ("zpool_list-Hp_spare_inuse", "zpool_list-vHp_spare_inuse"):
        facts = _of("zpool_list", f"local__vm__zfs-0.8.3_focal_{name}.txt")
        assert {key.split()[0] for key in facts} == {"dpool", "mpool", "nv", "nv4k", "stripe", "tank"}
        assert facts["tank size_bytes"] == 4026531840
        assert facts["tank alloc_bytes"] == 317399040
        assert facts["mpool dedup_ratio"] == 2.12
        assert facts["nv4k expandable_bytes"] == 67108864
    human = _of("zpool_list", "local__vm__zfs-0.8.3_focal_zpool_list-v_spare_inuse.txt")
    assert {key.split()[0] for key in human} == {"dpool", "mpool", "nv", "nv4k", "stripe", "tank"}
    assert (human["tank size_bytes"], human["tank cap_percent"]) == (3.75 * 2**30, 7)
    rpool = _of("zpool_list", "netdata__netdata__zpool-list-vdev-logs-cache.txt")
    assert rpool == {
        "rpool size_bytes": 9981503995904,
        "rpool alloc_bytes": 3046188658688,
        "rpool free_bytes": 6935315337216,
        "rpool frag_percent": 9,
        "rpool cap_percent": 30,
        "rpool dedup_ratio": 1,
    }
    kept = _of("zpool_list", "local__vm__zfs-0.8.3_focal_zpool_list_checkpoint-Hp.txt")
    assert kept["nv checkpoint_bytes"] == 52224


@needs_corpus
def test_that_json_of_zpool_list_tells_what_its_text_tells(tmp_path: Path) -> None:
    """2.3 prints it with -j, in words or with --json-int in numbers; of an interval there are several documents."""
    document = {
        "output_version": {"command": "zpool list", "vers_major": 0, "vers_minor": 1},
        "pools": {"13972830138574724414": {"name": "tank", "state": "ONLINE", "properties": {}}},
    }
    texts = {"size": "3.00G", "allocated": "51.9M", "free": "2.95G", "checkpoint": "-", "fragmentation": "7%"}
    numbers = {"size": 3221032960, "allocated": 54435840, "free": 3166597120, "fragmentation": 7, "dedupratio": "1.25"}
    told = []
    for values in (texts, numbers):
        properties = {name: {"value": value, "source": {"type": "NONE", "data": "-"}} for name, value in values.items()}
        document["pools"]["13972830138574724414"]["properties"] = properties  # type: ignore[index]
        told.append(json.dumps(document))
    (words,) = read_result(told[0].encode(), "list.json")
    assert words.tool is BenchTool.ZPOOL_LIST
    assert dict(words.facts) == {
        "tank size_bytes": 3 << 30,
        "tank alloc_bytes": round(51.9 * (1 << 20)),
        "tank free_bytes": round(2.95 * (1 << 30)),
        "tank frag_percent": 7,
    }
    assert any("rounded" in note for note in words.notes)
    (both,) = read_result("\n".join(told).encode(), "list.json")
    assert dict(both.facts)["tank size_bytes"] == 3221032960
    assert dict(both.facts)["tank dedup_ratio"] == 1.25
    assert any("several reports" in note for note in both.notes)
    (cut,) = read_result(("\n".join(told) + told[0][:200]).encode(), "list.json")
    assert cut.facts == both.facts
    assert any("cut off" in note for note in cut.notes)
    with pytest.raises(UserError):
        read_result(told[0][:200].encode(), "list.json")


@needs_corpus
@pytest.mark.parametrize("path", sorted((CORPUS / "zpool_list_json").glob("*.json")), ids=lambda path: path.name)
def test_that_each_pool_of_a_real_json_is_told(path: Path) -> None:
    pools = json.loads(path.read_text())["pools"]
    (found,) = read_result(path.read_bytes(), path.name)
    assert {name.partition(" ")[0] for name, _ in found.facts} == set(pools)
    facts = dict(found.facts)
    for name, pool in pools.items():
        size = pool["properties"]["size"]["value"]
        assert not isinstance(size, int) or facts[f"{name} size_bytes"] == size


@needs_corpus
def test_that_the_histograms_of_zdb_tell_their_last_line_and_its_factors() -> None:
    simulated = _of("zdb_S", "unknown__index-44614713032__test_3.58.txt")
    assert [simulated[name] for name in ("dedup_ratio", "compress_ratio", "copies")] == [3.58, 1.41, 1.0]
    assert simulated["allocated_blocks"] == round(8.21 * 1024)
    assert simulated["referenced_physical_bytes"] == round(2.69 * 2**30)
    assert "table_disk_bytes" not in simulated
    real = _of("zdb_DD", "local__vm__zfs-2.3.9_trixie_zdb-DDD_mpool.txt")
    assert (real["table_disk_bytes"], real["table_core_bytes"], real["dedup_ratio"]) == (454656, 294912, 2.57)
    status = _of("zdb_DD", "openzfs__zfs__pr10169_status-D_before.txt")
    assert status["dedup_ratio"] == pytest.approx(18.8 * 1024 / 130)


@needs_corpus
def test_that_the_sum_of_all_blocks_and_the_metaslabs_have_the_numbers_of_the_file() -> None:
    blocks = _of("zdb", "local__vm__zfs-2.3.9_trixie_zdb-b_tank.txt")
    assert (blocks["blocks"], blocks["allocated_bytes"], blocks["cloned_bytes"]) == (2179, 291139584, 70778880)
    metaslabs = _of("zdb", "local__vm__zfs-0.8.3_focal_zdb-mm_stripe.txt")
    assert metaslabs["vdev 0 metaslabs"] == 15
    assert metaslabs["vdev 0 frag_percent"] == 0


def test_that_each_vdev_has_the_mean_of_its_metaslabs() -> None:
    one = (
        "\tmetaslab      0   offset            0   spacemap     85   free    31.5M\n"
        "\tOn-disk histogram:\t\tfragmentation 4\n  smp_alloc = 0xf000\n"
    )
    untouched = "\tmetaslab      1   offset      2000000   spacemap      0   free      32M\n"
    unknown = one.replace("tion 4", "tion 18446744073709551615")
    log = "\nLog Spacemap object 156 txg 5\nspace map object 156:\n  smp_length = 0x458\n  smp_alloc = 0x6000\n"
    parts = (f"0   \n{one}{one}{unknown}", f"2   \n{one}{unknown}", f"1   log\n{one}{untouched}{log}")
    facts = _facts("Metaslabs:\n" + "".join(f"\tvdev          {part}" for part in parts))
    assert facts == {
        "vdev 0 metaslabs": 3,
        "vdev 0 free_bytes": 94.5 * 2**20,
        "vdev 0 stored_bytes": 3 * 0xF000,
        "vdev 0 frag_percent": 4,
        "vdev 2 metaslabs": 2,
        "vdev 2 free_bytes": 63 * 2**20,
        "vdev 2 stored_bytes": 2 * 0xF000,
        "vdev 1 metaslabs": 2,
        "vdev 1 free_bytes": 63.5 * 2**20,
        "vdev 1 stored_bytes": 0xF000,
        "vdev 1 frag_percent": 2,
    }


@pytest.mark.parametrize("text", ["LABEL 0\n    vdev_tree:\n", "Dataset tank [ZPL], ID 54, 7M, 8 objects\n"])
def test_that_other_output_of_zdb_is_refused_with_what_to_run(text: str) -> None:
    with pytest.raises(UserError) as refused:
        read_result(text.encode(), "zdb.txt")
    assert "zdb -ddddd" in str(refused.value.todo)


def test_that_columns_that_were_asked_for_by_name_and_those_of_old_releases_are_read() -> None:
    assert _facts("NAME   CAP  FRAG\nmy pool   81%   12%\n") == {"my pool cap_percent": 81, "my pool frag_percent": 12}
    old = _facts("NAME   SIZE   USED  AVAIL    CAP  HEALTH  ALTROOT\ntank   80G  20G   60G   25%  ONLINE  -\n")
    assert (old["tank size_bytes"], old["tank free_bytes"]) == (80 * 2**30, 60 * 2**30)
    assert _facts("tank\t4.5T\t3T\t1.5T\t-\t7%\t66%\t1.00x\tONLINE\t-\n")["tank frag_percent"] == 7


def test_that_a_pool_that_is_gone_a_cut_line_and_a_second_report_are_told() -> None:
    gone = "lost      -      -      -        -         -      -      -      -   FAULTED  -\n"
    tank = "tank   10G   4G   6G   -   -   1%   40%   1.00x   ONLINE   -\n"
    recorded = _one(NAMES + tank + gone + tank.replace("40%", "41%") + tank[:20])
    assert dict(recorded.facts)["tank cap_percent"] == 41
    assert [part for part in ("lost", "rounded", "several", "cut off") if part in " ".join(recorded.notes)] == [
        "lost", "rounded", "several", "cut off"
    ]  # fmt: skip


def test_that_a_histogram_without_a_row_is_told_from_a_text_that_has_none() -> None:
    with pytest.raises(UserError, match="histogram is empty") as empty:
        read_result(HISTOGRAM.encode(), "s.txt")
    assert empty.value.where == "s.txt"
    with pytest.raises(UserError, match="nothing from zdb"):
        read_zdb_dedup(b"tank", where="s.txt")


def test_that_blocks_that_do_not_follow_the_one_before_them_are_fragments_of_the_used_space() -> None:
    assert _facts(DUMP) == {
        "files": 2,
        "blocks": 5,
        "fragmented_blocks": 1,
        "contiguous_blocks": 2,
        "used_fragmented_percent": pytest.approx(100 / 3),
        "used_contiguous_percent": pytest.approx(200 / 3),
    }


def test_that_a_line_without_a_place_counts_as_in_the_script_and_is_told() -> None:
    embedded = "               0  L0 EMBEDDED et=0 200L/3bP B=9\n"
    recorded = _one(DUMP.replace("           40000  L0 0:140000:20000 20000L/20000P F=1 B=8/8\n", embedded))
    facts = dict(recorded.facts)
    # The line without a place does not follow the block before it, and nothing is compared with it.
    assert (facts["blocks"], facts["fragmented_blocks"], facts["contiguous_blocks"]) == (5, 1, 1)
    assert "no place on disk" in recorded.notes[0]


def test_that_a_dump_that_is_cut_off_keeps_what_is_whole() -> None:
    recorded = _one(DUMP[: DUMP.index("9a0000") + 3])
    assert dict(recorded.facts)["blocks"] == 3
    assert "cut off" in recorded.notes[-1]


def test_that_files_of_one_block_have_no_share_that_is_fragmented() -> None:
    recorded = _one("Indirect blocks:\n               0 L0 0:9c0000:20000 20000L/20000P F=1\n")
    assert "used_fragmented_percent" not in dict(recorded.facts)
    assert recorded.notes
