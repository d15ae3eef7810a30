"""zpool status -j: nested and flat, numbers as strings and as integers."""

import json
from collections.abc import Iterator

import pytest

from poolwright.domain.errors import UserError
from poolwright.domain.pool import Pool
from poolwright.machine.zpool.status import read_zpool_status

Vdev = dict[str, object]


def vdev(name: str, kind: str = "disk", role: str = "normal", *below: Vdev, **more: object) -> Vdev:
    node: Vdev = {"name": name, "vdev_type": kind, "class": role, "state": "ONLINE", "read_errors": "0",
                  "write_errors": "0", "checksum_errors": "0"}  # fmt: skip
    if below:
        node["vdevs"] = {str(child["name"]): child for child in below}
    return node | more


FAULTED = vdev("ata-B", state="FAULTED", aux="EXTERNAL", path="/dev/disk/by-id/ata-B-part1", checksum_errors="1.5K")
SPARE_AT_WORK = vdev("ata-S", "disk", "spare")
RAIDZ = vdev("raidz2-0", "raidz", "normal", vdev("ata-A"), vdev("spare-1", "spare", "normal", FAULTED, SPARE_AT_WORK))
LOG = vdev("nvme0n1", role="log", path="/dev/nvme0n1p1")
CACHE = vdev("nvme1n1", role="l2cache")
SPARE: Vdev = {"name": "ata-S", "vdev_type": "disk", "class": "spare", "state": "INUSE", "aux": "SPARED"}
SPECIAL = vdev("mirror-2", "mirror", "special", vdev("ssd-1", role="special"), vdev("ssd-2", role="special"))
FACTS: Vdev = {
    "name": "tank", "state": "DEGRADED", "pool_guid": "11404559560842080412", "error_count": "0",
    "status": "One or more\n\tdevices are faulted.\n", "action": "Replace it.\n",
    "scan_stats": {"function": "RESILVER", "state": "FINISHED", "start_time": "Fri Nov 20 08:29:00 UTC 2026",
                   "end_time": "-", "processed": "3.61M", "errors": "0"},
}  # fmt: skip


def nested() -> Vdev:
    return FACTS | {
        "vdevs": {"tank": vdev("tank", "root", "normal", RAIDZ)},
        "logs": {"nvme0n1": LOG},
        "l2cache": {"nvme1n1": CACHE},
        "spares": {"ata-S": SPARE},
        "special": {"mirror-2": SPECIAL},
    }


def flat() -> Vdev:
    """Lay the same pool out as --json-flat-vdevs does: groups repeat all that is below them."""

    def spread(node: Vdev, parent: str | None) -> Iterator[Vdev]:
        below = node.get("vdevs")
        children = list(below.values()) if isinstance(below, dict) else []
        inner = [made for child in children for made in spread(child, str(node["name"]))]
        yield from inner
        own = dict(node) | ({"parent": parent} if parent else {})
        if children:
            own["vdevs"] = {str(made["name"]): made for made in inner}
        yield own

    tops = (vdev("tank", "root", "normal", RAIDZ), LOG, CACHE, SPECIAL, SPARE)
    return FACTS | {"vdevs": {str(made["name"]): made for top in tops for made in spread(top, None)}}


def read(pool: Vdev, key: str = "tank") -> Pool:
    document = {"output_version": {"command": "zpool status", "vers_major": 0, "vers_minor": 1}, "pools": {key: pool}}
    (found,) = read_zpool_status(json.dumps(document))
    return found


def test_that_facts_and_texts_of_the_pool_are_read() -> None:
    pool = read(nested(), key="11404559560842080412")
    assert (pool.name, pool.state, pool.guid) == ("tank", "DEGRADED", "11404559560842080412")
    assert pool.status == "One or more devices are faulted."
    assert pool.action == "Replace it."
    assert pool.scans == ("resilver finished, start Fri Nov 20 08:29:00 UTC 2026, processed 3.61M, 0 errors",)
    assert pool.errors == "No known data errors"


def test_that_every_section_is_in_the_tree() -> None:
    pool = read(nested())
    assert [(node.section, node.kind, node.name) for node in pool.vdevs] == [
        ("data", "raidz2", "raidz2-0"),
        ("logs", "disk", "nvme0n1"),
        ("cache", "disk", "nvme1n1"),
        ("spares", "disk", "ata-S"),
        ("special", "mirror", "mirror-2"),
    ]
    faulted = pool.vdevs[0].children[1].children[0]
    assert (faulted.state, faulted.checksum_errors, faulted.note) == ("FAULTED", 1536, "external device fault")
    assert faulted.path == "/dev/disk/by-id/ata-B-part1"
    assert pool.vdevs[3].read_errors is None
    assert pool.vdevs[3].note == "currently in use"


def test_that_the_flat_form_is_the_same_pool() -> None:
    assert sorted(read(flat()).vdevs, key=str) == sorted(read(nested()).vdevs, key=str)


def test_that_integers_read_like_strings() -> None:
    text = json.dumps(nested())
    for key in ("read_errors", "write_errors", "error_count"):
        text = text.replace(f'"{key}": "0"', f'"{key}": 0')
    assert read(json.loads(text)) == read(nested())


def test_that_seconds_since_1970_become_a_date() -> None:
    pool = read(nested() | {"scan_stats": {"function": "SCRUB", "state": "SCANNING", "start_time": 1795163427}})
    assert pool.scans == ("scrub scanning, start 2026-11-20 08:30:27 UTC",)


def test_that_distributed_spares_and_files_are_told_from_disks() -> None:
    draid = vdev("draid1:4d:8c:1s-0", "draid", "normal", vdev("/img/0", "file", path="/img/0"))
    pool = read(FACTS | {
        "vdevs": {"tank": vdev("tank", "root", "normal", draid)},
        "spares": {"draid1-0-0": vdev("draid1-0-0", "dspare", "spare", path="draid1-0-0")},
    })  # fmt: skip
    assert [node.kind for node in pool.vdevs] == ["draid1:4d:8c:1s", "dspare"]
    assert pool.vdevs[0].children[0].kind == "file"
    assert pool.vdevs[1].path is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"output_version": {"command": "zpool status"}, "pools": {"tank": {"na', "cut off or damaged"),
        ('{"output_version": {"command": "zpool status"}, pools}', "cut off or damaged"),
        ('{"blockdevices": []}', "nothing from zpool status"),
        ('{"pools": {"tank": {"name": "tank", "properties": {}}}}', "nothing from zpool status"),
    ],
)
def test_that_other_or_broken_json_is_refused_with_a_reason(text: str, expected: str) -> None:
    with pytest.raises(UserError, match=expected):
        read_zpool_status(text)


def test_that_no_pools_is_an_answer() -> None:
    assert read_zpool_status('{"output_version": {"command": "zpool status"}, "pools": {}}') == ()
