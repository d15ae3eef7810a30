"""What the window lets a person choose, the command line does too: another layout, an own one, properties, datasets."""

import json
from pathlib import Path

import pytest
from tests.command_line import answer_of, printed

from poolwright.domain.design import Design
from poolwright.domain.units import GIB
from poolwright.domain.vdev import VdevClass, parse_spec
from poolwright.emit.names import Stamp
from poolwright.emit.report import markdown_text
from poolwright.emit.sheet import recovery_sheet
from poolwright.store.design_file import from_json

DISKS = ("--disks", "8 x 16TB", "2 x 960GB nvme", "--goal", "concurrent")
_FACTS = {"size": 960197124096, "type": "disk", "rota": False, "log-sec": 512, "phy-sec": 4096, "serial": "REDACTED"}
LSBLK = json.dumps({"blockdevices": [
    *({**_FACTS, "name": f"sd{c}", "size": 16000900661248, "rota": True, "tran": "sas", "model": "ST16000NM001G"}
      for c in "abcd"),
    {**_FACTS, "name": "sde", "tran": "usb", "model": "Extreme SSD"},
    {**_FACTS, "name": "sdf", "tran": "sas", "model": "PERC H730"},
]})  # fmt: skip
LAYOUT = ("--layout", "mirror:2x16TB", "mirror:2x16TB", "special/mirror:2x960GB", "spare/stripe:1x16TB")


def saved(path: Path) -> Design:
    return from_json(path.read_text())


def test_that_another_layout_of_the_list_is_taken_whole(tmp_path: Path) -> None:
    file = tmp_path / "d.json"
    answer = answer_of("recommend", "--disks", "6 x 6TB", "--goal", "safety", "--take", "2", "--save-design", str(file))
    assert answer["taken"] == 2
    assert [str(spec) for spec in saved(file).layout()] == answer["candidates"][1]["layout"]
    assert answer["candidates"][0]["layout"] != answer["candidates"][1]["layout"]


def test_that_a_saved_design_tells_which_rules_changed_since(tmp_path: Path) -> None:
    file = tmp_path / "d.json"
    printed("recommend", "--disks", "6 x 6TB", "--goal", "safety", "--save-design", str(file))
    assert "Rules changed" not in printed("show", str(file))
    document = json.loads(file.read_text())
    document["rules"]["redundancy.one-failure-for-safety"] += 1
    file.write_text(json.dumps(document))
    told = [text for text in answer_of("show", str(file))["warnings"] if text.startswith("Rules changed")]
    assert told == ["Rules changed since this design was saved: redundancy.one-failure-for-safety."]
    assert saved(file).layout()


@pytest.mark.slow
def test_that_an_own_layout_stands_on_the_disks_of_the_inventory(tmp_path: Path) -> None:
    file = tmp_path / "d.json"
    answer = answer_of("recommend", *DISKS, *LAYOUT, "--save-design", str(file))
    design = saved(file)
    assert [str(spec) for spec in design.layout()] == answer["own"]["layout"]
    assert answer["own"]["capacity"]["available_bytes"] > 0
    assert answer["candidates"], "the list stands beside it"
    assert len(design.used_keys()) == 7
    special = next(vdev for vdev in design.vdevs if vdev.vdev_class is VdevClass.SPECIAL)
    assert {str(design.disk(m.disk_key).media) for m in special.members} == {"nvme"}
    assert {finding["outcome"] for finding in answer["own"]["findings"]} <= {"violated", "cannot-tell"}


@pytest.mark.parametrize("spec", ["draid2:4d:1s:12x4TB", "raidz3:8x4TB", "mirror:3x4TB", "stripe:1x4TB"])
def test_that_an_own_vdev_is_of_the_shape_that_was_written(spec: str, tmp_path: Path) -> None:
    file = tmp_path / "d.json"
    answer = answer_of(
        "recommend", "--disks", "12 x 4TB", "--goal", "safety", "--layout", spec, "--save-design", str(file)
    )
    (wanted,), (vdev,) = answer["own"]["layout"], saved(file).layout()
    assert str(vdev) == wanted
    asked = parse_spec(spec)
    told = (vdev.kind, vdev.width, vdev.parity, vdev.draid_data, vdev.draid_spares)
    assert told == (asked.kind, asked.width, asked.parity, asked.draid_data, asked.draid_spares)


@pytest.mark.slow
def test_that_members_are_spread_over_shelves(tmp_path: Path) -> None:
    own, listed = tmp_path / "own.json", tmp_path / "listed.json"
    args = ("--example", "thesis", "--goal", "safety")
    layout = answer_of("recommend", *args, "--save-design", str(listed))["candidates"][0]["layout"]
    answer_of("recommend", *args, "--layout", *layout, "--save-design", str(own))
    assert saved(own).vdevs == saved(listed).vdevs


def test_that_an_own_layout_is_judged_where_no_other_keeps_to_the_wishes() -> None:
    args = ("--disks", "4 x 6TB", "--goal", "safety", "--capacity", "100TB", "--layout", "mirror:2x6TB")
    answer = answer_of("recommend", *args)
    assert answer["candidates"] == []
    assert any("wanted" in note for note in answer["notes"])
    assert "wanted" in answer["own"]["wishes_missed"][0]


def test_that_properties_and_datasets_are_those_that_were_typed(tmp_path: Path) -> None:
    file = tmp_path / "d.json"
    answer_of(
        "recommend", "--disks", "4 x 6TB", "--goal", "safety", "--pool", "data", "--title", "Office",
        "--mountpoint", "/srv/data", "-o", "comment=rack 3", "-O", "compression=zstd", "--dataset", "home",
        "quota=2T", "--dataset", "data/vm", "volsize=100GiB", "volblocksize=16K", "--then", "replace:12TB",
        "--save-design", str(file),
    )  # fmt: skip
    design = saved(file)
    root = {s.name: s.value for s in design.datasets[0].settings}
    below = {d.name: d for d in design.datasets}
    assert (design.pool_name, design.name) == ("data", "Office")
    assert (root["compression"], root["mountpoint"]) == ("zstd", "/srv/data")
    assert ("comment", "rack 3") in {(s.name, s.value) for s in design.pool_settings}
    assert below["home"].settings[-1].value == "2T"
    assert below["vm"].volume_bytes == 100 * GIB
    assert str(design.growth[0]).startswith("replace:12")


def test_that_sizes_of_properties_mean_what_they_mean_elsewhere(tmp_path: Path) -> None:
    file = tmp_path / "d.json"
    args = ("-O", "quota=100GB", "--dataset", "home", "refquota=2TB", "-o", "dedup_table_quota=1GB")
    answer_of("recommend", "--disks", "4 x 6TB", "--goal", "safety", *args, "--save-design", str(file))
    design = saved(file)
    below = {dataset.name: {s.name: s.value for s in dataset.settings} for dataset in design.datasets}
    # ZFS reads quota=100GB as 100 GiB.
    assert (below[""]["quota"], below["home"]["refquota"]) == ("100000000000", "2000000000000")
    assert ("dedup_table_quota", "1000000000") in {(s.name, s.value) for s in design.pool_settings}
    assert "understood: -O quota=100GB: 100 GB = 93.1 GiB" in printed(
        "recommend", "--disks", "4 x 6TB", "--goal", "safety", *args
    )


@pytest.mark.parametrize(
    ("key", "kept"),
    [
        (("keyformat=passphrase",), "Keep the passphrase where it outlives this machine"),
        (("keyformat=passphrase", "keylocation=prompt"), "Keep the passphrase where it outlives this machine"),
        (("keyformat=raw", "keylocation=file:///etc/zfs/tank.key"), "Keep copies of /etc/zfs/tank.key in two places"),
    ],
)
def test_that_encryption_comes_through_to_the_script_the_sheet_and_what_must_be_kept(
    tmp_path: Path, key: tuple[str, ...], kept: str
) -> None:
    file = tmp_path / "d.json"
    options = [word for setting in ("encryption=on", *key) for word in ("-O", setting)]
    args = ("--disks", "4 x 6TB", "--goal", "safety", *options)
    assert kept in answer_of("recommend", *args, "--save-design", str(file))["keys_to_keep"][0]
    assert kept in printed("recommend", *args)
    settings = {s.name: s.value for s in saved(file).datasets[0].settings}
    assert {f"{name}={settings[name]}" for name in settings} >= {"encryption=on", *key}
    assert "zfs load-key -r tank" in markdown_text(
        recovery_sheet(saved(file), Stamp(generated_at="now", program_version="0"))
    )


@pytest.mark.slow
def test_that_the_ram_that_is_told_reaches_host_rules_roles_and_print(tmp_path: Path) -> None:
    few, much = tmp_path / "few.json", tmp_path / "much.json"
    args = (*DISKS, "--preset", "vm-images")
    answers = [
        answer_of("recommend", *args, "--ram", ram, "--save-design", str(file))
        for ram, file in (("8GiB", few), ("512GiB", much))
    ]
    assert [answer["ram_bytes"] for answer in answers] == [8 * GIB, 512 * GIB]
    assert [saved(file).host.ram_bytes for file in (few, much)] == [8 * GIB, 512 * GIB]
    assert answers[0]["roles"] != answers[1]["roles"]
    arc = [[piece for piece in answer["host_advice"] if "arc_max" in (piece["command"] or "")] for answer in answers]
    assert arc[0]
    assert arc[0] != arc[1]
    assert "host: 8.00 GiB RAM" in printed("recommend", *args, "--ram", "8GiB")


@pytest.mark.slow
def test_that_ram_that_was_read_gives_way_to_what_is_told(tmp_path: Path) -> None:
    file = tmp_path / "d.json"
    answer_of("recommend", "--example", "macblog", "--goal", "safety", "--ram", "32GiB", "--save-design", str(file))
    host = saved(file).host
    assert host.ram_bytes == 32 * GIB
    assert "budget" in str(dict(host.origins)["ram_bytes"])


def test_that_show_answers_several_parts_and_gives_each_its_own_options() -> None:
    asked = ("show", "--layout", "raidz2:6x6TB", "--fill", "--failures", "--data", "tank=5TiB", "--growth", "20")
    text = printed(*asked)
    assert "tank is 23 % full" in text
    assert "Any 2 disks may fail." in text
    assert {"usage", "outage", "answer"} <= answer_of(*asked).keys()


def test_that_a_disk_without_a_name_that_stays_is_bound_before_a_script(tmp_path: Path) -> None:
    file = str(tmp_path / "d.json")
    disks = tmp_path / "lsblk.json"
    disks.write_text(LSBLK)
    text = printed("recommend", "--from", str(disks), "--goal", "safety", "--save-design", file)
    assert f"Next:  poolwright bind {file} --from CAPTURE LISTING" in text
    assert "2 drives of another medium not used." in text  # one behind USB, one an array: no flash for a pool
    planned = str(tmp_path / "p.json")
    typed = (
        "--disks",
        "4 x 16TB",
        "1 x 960GB nvme",
        "--layout",
        "mirror:2x16TB",
        "mirror:2x16TB",
        "log/stripe:1x960GB",
    )
    printed("recommend", *typed, "--save-design", planned)
    assert "1 of 5 disks" in printed("bind", planned, "--from", str(disks), status=1)
