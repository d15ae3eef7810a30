"""Every export of the five documents' machines: golden files, and the tools that read such files."""

import json
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.emit import exported
from tests.emit.functions import check_shell
from tests.emit.machines import macblog_design, odd_disk, split_design
from tests.emit.pretend import STAMP, disk, small_design, vdev

from poolwright.domain.design import Dataset, Design, Setting
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.domain.version import ZfsVersion
from poolwright.emit.ansible import ansible_playbook, play_of
from poolwright.emit.disko import disko_expression, nix_text
from poolwright.emit.exports import export_text
from poolwright.emit.fio import fio_job_file
from poolwright.emit.report import ReportTable
from poolwright.emit.sheet import recovery_sheet
from poolwright.emit.truenas import truenas_document

EVERY = [(machine, key) for machine in exported.MACHINES for key in exported.KEYS]
WRITTEN = [(machine, key) for machine, key in EVERY if not exported.golden_text(machine, key).startswith("refused")]


def draid_design() -> Design:
    return small_design(
        disks=tuple(disk(n) for n in range(8)),
        vdevs=(vdev(VdevKind.DRAID, range(8), parity=2, draid_data=4, draid_spares=1),),
    )


def full_design() -> Design:
    return small_design(
        disks=tuple(disk(n) for n in range(12)),
        vdevs=(
            vdev(VdevKind.RAIDZ, range(4), parity=2),
            vdev(VdevKind.MIRROR, (4, 5), vdev_class=VdevClass.SPECIAL),
            vdev(VdevKind.MIRROR, (6, 7), vdev_class=VdevClass.LOG),
            vdev(VdevKind.STRIPE, (8, 9), vdev_class=VdevClass.CACHE),
            vdev(VdevKind.STRIPE, (10, 11), vdev_class=VdevClass.SPARE),
        ),
    )


def need(tool: str) -> str:
    found = shutil.which(tool)
    if found is None:
        pytest.skip(f"{tool} is not installed")
    return found


@pytest.mark.parametrize(("machine", "key"), EVERY)
def test_that_the_golden_export_is_what_is_written(machine: str, key: str) -> None:
    assert exported.golden_text(machine, key) == exported.golden_path(machine, key).read_text(encoding="utf-8")


def test_that_each_line_has_the_reason_that_was_read_beside_it() -> None:
    full, small = full_design(), small_design(ashift=13, ashift_read=False)
    first, second, third, *others = full.disks
    unread = replace(first, physical_sector_bytes=None, logical_sector_bytes=None)
    nameless = replace(second, by_id=(), serial="7", enclosure="shelf", slot="2")
    derived = replace(third, serial="X7", origins=(("by_id", Origin(kind=OriginKind.COMPUTED, source="a test")),))
    larger = replace(small.disks[0], physical_sector_bytes=16384)
    designs = (
        macblog_design(),
        replace(full, ashift=9, disks=(unread, nameless, derived, *others)),
        replace(small, disks=(larger, *small.disks[1:])),
        replace(small, ashift_read=True),
    )

    assert exported.lines_text(*designs) == (exported.GOLDEN / "lines.txt").read_text(encoding="utf-8")


def test_that_no_golden_file_is_left_over() -> None:
    folders = [exported.golden_path(machine, "sh").parent for machine in exported.MACHINES]
    assert {path for folder in folders for path in folder.iterdir()} == {exported.golden_path(m, k) for m, k in EVERY}


def test_that_only_what_shares_disks_among_vdevs_is_refused() -> None:
    refused = sorted(set(EVERY) - set(WRITTEN))
    assert refused == [(machine, form) for machine in ("by-hand", "macblog") for form in ("ansible", "truenas")]


@pytest.mark.slow
@pytest.mark.parametrize(("machine", "key"), [(m, k) for m in exported.MACHINES for k in ("sh", "undo", "rehearsal")])
def test_that_bash_and_shellcheck_accept_the_scripts(machine: str, key: str, tmp_path: Path) -> None:
    path = tmp_path / "script.sh"
    path.write_text(exported.whole_text(machine, key), encoding="utf-8")
    check_shell(path)


def test_that_nothing_newer_than_bash_4_2_is_used() -> None:
    text = exported.whole_text("by-hand", "sh") + exported.whole_text("by-hand", "undo")
    newer = ("local -n", "declare -n", "@Q}", "@E}", "EPOCHSECONDS", "wait -n", "mapfile -d", "${!disk_name[@]@")
    assert [word for word in newer if word in text] == []


@pytest.mark.parametrize("machine", exported.MACHINES)
def test_that_nix_evaluates_the_expression_to_the_disks_and_vdevs_of_the_design(machine: str, tmp_path: Path) -> None:
    tool = need("nix-instantiate")
    path = tmp_path / "disko.nix"
    path.write_text(exported.whole_text(machine, "disko"), encoding="utf-8")
    state = {f"NIX_{name}_DIR": str(tmp_path / name) for name in ("STATE", "STORE", "LOG")}
    asked = [tool, "--eval", "--strict", "--json", str(path)]
    told = subprocess.run(asked, check=True, env=os.environ | state, stdout=subprocess.PIPE).stdout
    devices, design = json.loads(told)["disko"]["devices"], exported.design_of(machine)
    used = {member.disk_key for pool in design.pools() for v in pool.vdevs for member in v.members}
    names = {f"/dev/disk/by-id/{disk.by_id_name}" for disk in design.disks if disk.key in used}
    assert {one["device"] for one in devices["disk"].values()} == names
    for pool in design.pools():
        topology = devices["zpool"][pool.pool_name]["mode"]["topology"]
        members = [len(vdev["members"]) for vdev in topology["vdev"]]
        assert sum(members) == sum(len(v.members) for v in pool.vdevs if v.vdev_class is VdevClass.DATA)
        assert devices["zpool"][pool.pool_name]["options"]["ashift"] == str(pool.ashift)


def test_that_nix_evaluates_nothing_in_a_text(tmp_path: Path) -> None:
    tool = need("nix-instantiate")
    text = 'a"b\\c ${builtins.abort "x"} \'\' $ $${y} \n é'
    done = subprocess.run(
        [tool, "--eval", "--json", "-E", nix_text(text)], check=True, stdout=subprocess.PIPE, cwd=tmp_path
    )
    assert json.loads(done.stdout) == text


def test_that_only_what_cannot_be_seen_is_spelled_out_in_an_expression() -> None:
    text = nix_text("Käse\u200b")
    assert "Käse" in text
    assert "u200b" in text
    assert "\u200b" not in text


@pytest.mark.parametrize("machine", exported.MACHINES)
def test_that_fio_reads_the_jobs(machine: str, tmp_path: Path) -> None:
    tool = need("fio")
    path = tmp_path / "jobs.fio"
    path.write_text(exported.whole_text(machine, "fio"), encoding="utf-8")
    given = os.environ | {"DIRECTORY": str(tmp_path), "SIZE": "1G"}
    subprocess.run([tool, "--parse-only", path], check=True, env=given)


@pytest.mark.slow
@pytest.mark.parametrize(("machine", "key"), [(m, k) for m, k in WRITTEN if k == "ansible"])
def test_that_ansible_reads_the_playbook(machine: str, key: str, tmp_path: Path) -> None:
    playbook, lint = need("ansible-playbook"), need("ansible-lint")
    (tmp_path / "site.yml").write_text(exported.whole_text(machine, key), encoding="utf-8")
    home = os.environ | {"HOME": str(tmp_path), "ANSIBLE_HOME": str(tmp_path / "home")}
    subprocess.run([playbook, "--syntax-check", "-i", "localhost,", "site.yml"], check=True, cwd=tmp_path, env=home)
    linted = [lint, "--offline", "--profile", "production", "site.yml"]
    subprocess.run(linted, check=True, cwd=tmp_path, env=home)


# The options of community.general.zpool 11.4, from its documentation.
ZPOOL_OPTIONS = {
    *("name", "state", "disable_new_features", "force", "pool_properties", "filesystem_properties"),
    *("mountpoint", "altroot", "temp_name", "vdevs"),
}
VDEV_TYPES = {"stripe", "mirror", "raidz", "raidz1", "raidz2", "raidz3"}
VDEV_ROLES = {None, "log", "cache", "spare", "dedup", "special"}


@pytest.mark.parametrize("design", [*(exported.design_of(m) for m, k in WRITTEN if k == "ansible"), full_design()])
def test_that_the_playbook_says_the_whole_layout_in_words_of_the_module(design: Design) -> None:
    play: Any = play_of(design)
    modules = [task["community.general.zpool"] for task in play["tasks"] if "community.general.zpool" in task]
    for module, pool in zip(modules, design.pools(), strict=True):
        assert set(module) <= ZPOOL_OPTIONS
        assert module["pool_properties"]["ashift"] == str(pool.ashift)
        assert all(v["type"] in VDEV_TYPES and v.get("role") in VDEV_ROLES for v in module["vdevs"])
        found = [(v.get("role", "data"), len(v["disks"])) for v in module["vdevs"]]
        assert sorted(found) == sorted((v.vdev_class.value, len(v.members)) for v in pool.vdevs)
        assert found[0][0] == "data"
    named = [d["name"] for d in play["vars"]["poolwright_disks"]]
    assert {f"/dev/disk/by-id/{name}" for name in named} == {
        d for module in modules for v in module["vdevs"] for d in v["disks"]
    }


def test_that_sizes_are_given_to_ansible_in_bytes_so_that_a_second_run_changes_nothing() -> None:
    play: Any = play_of(small_design())
    modules = [t["community.general.zfs"] for t in play["tasks"] if "community.general.zfs" in t]
    found = {module["name"]: module for module in modules}
    assert found["tank/home"]["extra_zfs_properties"] == {"recordsize": "1048576"}
    assert found["tank/vm/disk1"]["extra_zfs_properties"] == {"volsize": str(10 << 30), "volblocksize": "16384"}
    assert list(found) == ["tank/home", "tank/vm", "tank/vm/disk1"]
    volume = next(t for t in play["tasks"] if t["name"] == "Create tank/vm/disk1")
    assert volume["when"][0] == "'tank/vm/disk1' not in poolwright_datasets.stdout_lines"


def test_that_ansible_evaluates_nothing_of_a_design() -> None:
    note = "{{ lookup('pipe', 'touch owned') }}"
    datasets = (Dataset(name="", settings=(Setting(name="org.x:note", value=note),)),)
    text = ansible_playbook(small_design(datasets=datasets), STAMP)
    assert f'"org.x:note": !unsafe {json.dumps(note)}' in text


@pytest.mark.parametrize(
    ("write", "design", "reason"),
    [
        (ansible_playbook, draid_design(), "no dRAID"),
        (ansible_playbook, macblog_design(), "no type code and no GUID"),
        (truenas_document, macblog_design(), "cannot be shared by vdevs"),
        (truenas_document, small_design(ashift=13), "always takes ashift 12"),
        (truenas_document, small_design(pool_name="t" * 51), "at most 50 characters"),
        (
            truenas_document,
            small_design(
                disks=tuple(disk(n) for n in range(5)),
                vdevs=(vdev(VdevKind.MIRROR, (0, 1)), vdev(VdevKind.RAIDZ, (2, 3, 4), parity=1)),
            ),
            "all data vdevs must be of one type there, the design has MIRROR, RAIDZ1",
        ),
        (truenas_document, small_design(disks=(disk(0, serial=""), disk(1), disk(2))), "no known serial number"),
        (truenas_document, small_design(disks=(disk(0, serial="A"), disk(1, serial="A"), disk(2))), "two disks have"),
        (disko_expression, small_design(disks=tuple(disk(n, planned=True) for n in range(3))), "are planned"),
    ],
)
def test_that_what_a_form_cannot_say_is_refused_with_its_reason(write: object, design: Design, reason: str) -> None:
    assert callable(write)
    with pytest.raises(Refusal) as error:
        write(design, STAMP)
    assert any(reason in one for one in error.value.reasons)


def calls_of(design: Design) -> list[dict[str, object]]:
    calls: list[dict[str, object]] = json.loads(truenas_document(design, STAMP))["calls"]
    return calls


def test_that_truenas_is_told_every_vdev_by_serial_number() -> None:
    create = calls_of(full_design())[0]
    assert create["method"] == "pool.create"
    assert create["params"] == [
        {
            "name": "tank",
            "topology": {
                "data": [{"type": "RAIDZ2", "disks": [f"serial:ZAD0000{n}" for n in range(4)]}],
                "special": [{"type": "MIRROR", "disks": ["serial:ZAD00004", "serial:ZAD00005"]}],
                "log": [{"type": "MIRROR", "disks": ["serial:ZAD00006", "serial:ZAD00007"]}],
                "cache": [{"type": "STRIPE", "disks": ["serial:ZAD00008", "serial:ZAD00009"]}],
                "spares": ["serial:ZAD00010", "serial:ZAD00011"],
            },
        }
    ]


def test_that_truenas_is_told_draid_in_its_own_words() -> None:
    create = calls_of(draid_design())[0]
    assert isinstance(create["params"], list)
    data = create["params"][0]["topology"]["data"]
    assert [(v["type"], v["draid_data_disks"], v["draid_spare_disks"], len(v["disks"])) for v in data] == [
        ("DRAID2", 4, 1, 8)
    ]


def test_that_no_property_is_lost_on_the_way_to_truenas() -> None:
    design = small_design(
        datasets=(
            Dataset(
                name="", settings=(Setting(name="compression", value="lz4"), Setting(name="dnodesize", value="auto"))
            ),
            Dataset(name="vm", settings=(Setting(name="special_small_blocks", value="32K"),)),
            Dataset(name="vm/a", volume_bytes=1 << 30, settings=(Setting(name="volblocksize", value="16K"),)),
            Dataset(name="vm/my files", settings=(Setting(name="logbias", value="throughput"),)),
        )
    )
    document = json.loads(truenas_document(design, STAMP))
    assert [c["params"] for c in document["calls"][1:]] == [
        ["tank", {"compression": "LZ4"}],
        [{"name": "tank/vm", "type": "FILESYSTEM", "special_small_block_size": 32768}],
        [{"name": "tank/vm/a", "type": "VOLUME", "volsize": 1 << 30, "volblocksize": "16K"}],
        [{"name": "tank/vm/my files", "type": "FILESYSTEM"}],
    ]
    told = [(a["name"], a["property"], a["command"]) for a in document["afterwards"]]
    assert [one[:2] for one in told[:2]] == [("tank", "autotrim"), ("tank", "dnodesize")]
    assert [one[2] for one in told[1:]] == [
        "zfs set dnodesize=auto tank",
        "zfs set logbias=throughput 'tank/vm/my files'",
    ]


def test_that_no_form_compares_a_serial_number_that_was_masked() -> None:
    first, *others = small_design().disks
    design = replace(small_design(), disks=(replace(first, serial="ZAXXXXXX"), *others))
    play: Any = play_of(design)
    assert ["serial" in one for one in play["vars"]["poolwright_disks"]].count(False) == 1
    with pytest.raises(Refusal, match="TrueNAS API"):
        truenas_document(design, STAMP)


def test_that_the_commands_of_the_truenas_document_put_device_names_in_place(tmp_path: Path) -> None:
    need("jq")
    design = small_design()
    (tmp_path / "tank.truenas.json").write_text(truenas_document(design, STAMP), encoding="utf-8")
    disks = [{"name": f"sd{'xyz'[n]}", "serial": f" ZAD0000{n}"} for n in range(3)] + [{"name": "sdq", "serial": None}]
    (tmp_path / "disks").write_text(json.dumps(disks))
    midclt = tmp_path / "midclt"
    midclt.write_text('#!/bin/bash\nif [ "$2" = disk.query ]; then cat disks; else printf "%s\\n" "$*" >>calls; fi\n')
    midclt.chmod(0o755)
    how = json.loads((tmp_path / "tank.truenas.json").read_text())["how"]
    script = "\n".join(line for line in how if "jq" in line)
    given = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    subprocess.run(["bash", "-c", script], check=True, cwd=tmp_path, env=given)
    calls = (tmp_path / "calls").read_text().splitlines()
    assert calls[0].startswith(
        'call -j pool.create {"name":"tank","topology":{"data":[{"type":"MIRROR","disks":["sdx","sdy"]}]'
    )
    assert calls[1] == 'call pool.dataset.update "tank" {"compression":"LZ4"}'
    for wrong in (disks[1:], [*disks, {"name": "sdv", "serial": "ZAD00000"}]):  # a serial that no disk has, or two
        (tmp_path / "disks").write_text(json.dumps(wrong))
        refused = subprocess.run(["bash", "-c", script.splitlines()[0]], check=False, cwd=tmp_path, env=given)
        assert refused.returncode != 0


def test_that_disko_knows_partitions_by_the_guid_it_gives_them() -> None:
    text = disko_expression(macblog_design(), STAMP)
    guids = [line.split('"')[1] for line in text.splitlines() if line.strip().startswith("uuid = ")]
    assert len(guids) == len(set(guids)) == 7
    assert all(text.count(guid) == 2 for guid in guids)  # where it is given, and as a member


def test_that_disko_says_every_class() -> None:
    text = disko_expression(full_design(), STAMP)
    assert [w for w in ("vdev", "log", "special", "spare", "cache") if f"{w} = [" not in text] == []
    assert 'mode = "draid2:4d:8c:1s"' in disko_expression(draid_design(), STAMP)


def test_that_every_disk_stands_on_the_sheet_with_serial_number_and_vdev() -> None:
    sheet = recovery_sheet(full_design(), STAMP)
    (members,) = (block for block in sheet.blocks if isinstance(block, ReportTable))
    assert [(row[1].text, row[3].text, row[4].text) for row in members.rows] == [
        *((f"ZAD0000{n}", "raidz2-0", "data") for n in range(4)),
        *((f"ZAD0000{n}", "mirror-1", "special") for n in (4, 5)),
        *((f"ZAD0000{n}", "mirror-2", "log") for n in (6, 7)),
        *((f"ZAD000{n}", "—", "spare") for n in ("10", "11")),
        *((f"ZAD0000{n}", "—", "cache") for n in (8, 9)),
    ]
    assert exported.commands_under(sheet, "Use a spare")
    # There is a log device.
    assert any("import -m" in line for line in exported.commands_under(sheet, "Import on this or another machine"))


def test_that_the_sheet_can_be_printed_before_the_disks_are_bought_and_names_a_file_with_a_blank_as_one_word() -> None:
    planned = small_design(disks=tuple(disk(n, planned=True, by_id=(), serial="") for n in range(3)))
    assert "____" in exported.written("sheet", planned)
    files = replace(planned.vdevs[0], members=tuple(replace(m, path="/my disk") for m in planned.vdevs[0].members))
    assert "zpool offline tank '/my disk'" in exported.written("sheet", replace(planned, vdevs=(files,)))


def test_that_nothing_on_the_sheet_becomes_markup() -> None:
    hostile = small_design(name="<script>x</script>", disks=(disk(0, serial="<b>&|"), disk(1), disk(2)))
    page = exported.written("sheet-html", hostile)
    assert "<script>" not in page
    assert "&lt;b&gt;&amp;|" in page
    assert "\\|" in exported.written("sheet", hostile)
    assert "http:" not in page


def lines_of(design: Design) -> list[str]:
    return fio_job_file(design, STAMP).splitlines()


@pytest.mark.parametrize(("version", "direct"), [("2.1.11", "0"), ("2.2.7", "0"), ("2.3.0", "1"), ("2.4.0", "1")])
def test_that_direct_is_asked_for_only_where_zfs_does_it(version: str, direct: str) -> None:
    lines = lines_of(replace(small_design(), version=ZfsVersion.parse(version)))
    assert f"direct={direct}" in lines
    assert ("ioengine=libaio" in lines) is (direct == "1")


def test_that_an_unknown_form_is_an_error() -> None:
    with pytest.raises(UserError, match="“puppet” does not exist"):
        export_text("puppet", small_design(), exported.context_of(small_design()))


def test_that_support_devices_may_share_drives_in_disko() -> None:
    text = disko_expression(split_design((odd_disk(7, 3000592982016), odd_disk(8, 3000592982016))), STAMP)
    assert text.count('type = "BF01"') == 6
