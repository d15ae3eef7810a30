"""Pools that exist, audited: good ones give nothing but notes, wrong ones each of their faults."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest
from tests.cases import table
from tests.changes.existing_machines import FOLDER, SICK, TODAY, audits, given, machine, rules_of
from tests.command_line import written as written_in
from tests.design.half_known import read
from tests.machines.writing import zpool_status
from tests.texts.brackets import told_in

from poolwright.changes.as_design import design_of_pool
from poolwright.changes.audit import AuditRequest, audit_machine, misplaced
from poolwright.domain.design import Member
from poolwright.domain.finding import Severity
from poolwright.domain.pool import Pool
from poolwright.domain.units import GIB, TIB
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.languages import NAMES
from poolwright.rule_library import load_shipped
from poolwright.rules.design_judge import listed_rules
from poolwright.rules.rulebook import Rule
from poolwright.shipped import shipped
from poolwright.store.capture_files import open_captures, open_pasted


@pytest.mark.parametrize("name", ["good", "expanded"])
def test_that_good_pools_give_nothing_but_notes(name: str) -> None:
    grave = {
        pool: [f.rule_id for f in audit.findings if f.severity is not Severity.NOTE]
        for pool, audit in audits(name).items()
    }
    grave = {pool: found for pool, found in grave.items() if pool not in {"sp", "dr"}}  # made wrong on purpose
    assert not any(grave.values()), grave


# True of the emulated machine itself: little RAM, disks whose serial numbers follow each other.
OF_MACHINE = {"expected.little-ram", "members.one-delivery"}


@pytest.mark.parametrize(("place", "faults"), table(__file__, "faults").items())
def test_that_each_fault_of_a_pool_is_found_and_nothing_else(place: str, faults: list[str]) -> None:
    name, pool = place.split()
    assert rules_of(audits(name)[pool]) - OF_MACHINE == set(faults)


def test_that_no_advice_to_the_owner_of_a_pool_speaks_of_a_plan() -> None:
    book = load_shipped()
    silent = (*listed_rules("of_plans"), *listed_rules("said_elsewhere"))
    heard = [rule for rule in book.rules if not rule.id.startswith(silent)]
    assert len(heard) > 150
    of_plans = ("--allow", "--slack", "Budget page", "before the pool", "before data are written", "Plan ", "Split it")
    told = [
        rule.id for rule in heard for word in of_plans if word in (rule.live if rule.live.parts else rule.advice).raw()
    ]
    assert told == []


def test_that_every_rule_that_the_data_of_the_audit_name_is_one() -> None:
    ids = [rule.id for rule in load_shipped().rules]
    tables = [value for value in shipped("audit").values() if isinstance(value, dict)]
    lists = [value for value in shipped("audit").values() if isinstance(value, str) and "|" not in value]
    named = {word for one in (*lists, *(" ".join(t) for t in tables), *shipped("audit")["said_by"].values())
             for word in one.split()}  # fmt: skip
    assert [word for word in named - {"no_scrub_now"} if not any(rule.startswith(word) for rule in ids)] == []


def test_that_the_gain_of_mirroring_a_lone_special_device_is_told() -> None:
    assert "falls from 1 in" in given(audits("wrong")["tank"].gain("redundancy.special-bare")).text
    assert "80 %" in given(audits("wrong")["full"].gain("existing.full")).text
    assert "falls from 1 in" in given(audits("wrong")["full"].gain("redundancy.none-for-safety")).text
    assert "falls from 1 in" in given(audits("good")["fast"].gain("redundancy.one-failure-of-few")).text


@pytest.mark.parametrize(
    ("name", "pool", "rule", "told"),
    [
        ("audited", "uneven", "existing.uneven-fill", "72 % of what is written goes to one of 2 vdevs"),
        ("audited", "strand", "existing.stranded", "1.07 GB more raw space"),
        ("audited", "marked", "existing.checkpoint", "Gives back 46.5 KiB"),
        ("expanded", "exp", "redundancy.single-parity-large", "falls from 1 in 5,000 to 1 in 19,000"),
        ("wrong", "tank", "records.copies", "take 1/2 of the space"),
    ],
)
def test_that_a_finding_tells_as_a_number_what_mending_it_brings(name: str, pool: str, rule: str, told: str) -> None:
    assert told in given(audits(name)[pool].gain(rule)).text


def test_that_gains_of_tables_are_those_of_the_tables() -> None:
    tables = load_tables_shipped()
    rows = [row for row in tables["ashift_effect"] if row["document"] == "macblog" or row["operation"] == "write"]
    pairs = [(row["operation"], float(row["ashift_12_mib_s"]) / float(row["ashift_9_mib_s"])) for row in rows]
    spans = {of: [f(x for o, x in pairs if o == of) for f in (min, max)] for of in ("write", "read")}
    book = load_shipped()
    for rule in ("existing.ashift-small", "existing.small-sectors"):
        found = book.rule(rule)
        assert isinstance(found, Rule)
        text = found.gain.raw()
        assert all(f"{low:.2f} to {high:.1f} times" in text for low, high in spans.values()), (spans, text)
    half = next(r for r in tables["compression"] if (r["algorithm"], r["metric"]) == ("lz4", "ratio"))
    assert float(half["value"]) == 2


def load_tables_shipped() -> dict[str, list[dict[str, str]]]:
    folder = Path(__file__).parents[2] / "rules" / "tables"
    return {file.stem: list(csv.DictReader(file.read_text("utf-8").splitlines())) for file in folder.glob("*.csv")}


def test_that_thin_volumes_are_summed_against_the_pool_as_openzfs_reserves_for_thick_ones(tmp_path: Path) -> None:
    told = given(audits("good")["tank"].promises)
    size, kept = 20 * GIB, 21_813_002_240  # of tank/vm, as zfs create -V set it
    assert told.reserved_bytes == kept + 10 * GIB
    assert told.thin_bytes == pytest.approx(30 * GIB * kept / size, rel=1e-4)
    text = (FOLDER / "good.capture").read_text(encoding="utf-8")
    changed = text.replace(f"tank/sparse\tvolsize\t{30 * GIB}", f"tank/sparse\tvolsize\t{30 * TIB}")
    written = open_captures([written_in(tmp_path / "thin.capture", changed)])
    found = next(a for a in audit_machine(load_shipped(), written, AuditRequest.usual(TODAY)) if a.pool.name == "tank")
    assert rules_of(found) - rules_of(audits("good")["tank"]) == {"datasets.overcommitted"}
    assert given(found.promises).percent > 140


def test_that_a_status_alone_is_enough_to_find_what_it_shows(tmp_path: Path) -> None:
    (audit,) = audit_machine(load_shipped(), read(tmp_path, SICK), AuditRequest.usual(TODAY))
    assert rules_of(audit) == {
        "existing.not-online", "existing.no-redundancy-left", "existing.failing-last-copy", "existing.scrub-repaired",
        "redundancy.one-failure-of-few", "redundancy.special-bare",
    }  # fmt: skip
    assert audit.gravest is Severity.BLOCK
    assert not given(audit.made).sizes_known
    # No rule that rests on a size speaks of the TiB that stands in for each.
    assert not [f.text for f in audit.findings if "TiB" in f.text]


def test_that_what_a_rewrite_after_an_expansion_brings_is_told() -> None:
    """A raidz1 of three took 3/2 of the data, one of four takes 4/3: a ninth of 121 MiB."""
    expanded = audits("expanded")["exp"]
    assert expanded.known.number("allocated") == 127033344
    assert "up to 13.5 MiB less" in given(expanded.gain("existing.expanded")).text


@pytest.mark.parametrize(("pool", "found"), [("fast", False), ("tank", True)])
def test_that_the_page_of_flash_is_no_sector_that_ashift_12_falls_short_of(pool: str, found: bool) -> None:
    inventory = machine("good")
    large = replace(inventory, disks=tuple(replace(disk, physical_sector_bytes=16384) for disk in inventory.disks))
    told = {
        audit.pool.name: rules_of(audit) for audit in audit_machine(load_shipped(), large, AuditRequest.usual(TODAY))
    }
    assert ("existing.ashift-small" in told[pool]) is found


def told_of(text: str, folder: Path) -> set[str]:
    (audit,) = audit_machine(load_shipped(), read(folder, text), AuditRequest.usual(TODAY))
    return rules_of(audit)


def test_that_nobody_is_told_to_scrub_a_vdev_at_its_limit_or_a_pool_that_cannot_be_used(tmp_path: Path) -> None:
    old = SICK.replace("Nov 20 09:06:21 2026", "Mar 20 09:06:21 2026")
    assert "existing.scrub-overdue" in told_of(old.replace("FAULTED  ", "ONLINE   "), tmp_path)
    assert "existing.scrub-overdue" not in told_of(old, tmp_path)
    suspended = told_of(old.replace("state: ONLINE", "state: SUSPENDED"), tmp_path)
    assert suspended == {"existing.unusable"}


def test_that_an_existing_pool_becomes_a_design_with_its_disks_settings_and_datasets() -> None:
    inventory = machine("wrong")
    tank = next(pool for pool in inventory.pools if pool.name == "tank")
    design = design_of_pool(inventory, tank).design
    assert [(vdev.kind, vdev.vdev_class, len(vdev.members)) for vdev in design.vdevs] == [
        (VdevKind.RAIDZ, VdevClass.DATA, 4),
        (VdevKind.STRIPE, VdevClass.SPECIAL, 1),
        (VdevKind.STRIPE, VdevClass.LOG, 1),
        (VdevKind.STRIPE, VdevClass.SPARE, 1),
    ]
    assert [design.disk(member.disk_key).serial for member in design.vdevs[0].members] == [
        "ZAD00000", "ZAD00001", "ZAD00002", "ZAD00003",
    ]  # fmt: skip
    settings = {dataset.name: {s.name: s.value for s in dataset.settings} for dataset in design.datasets}
    assert settings[""]["sync"] == "disabled"
    assert settings["dd"]["copies"] == "2"
    assert next(d for d in design.datasets if d.name == "vol").volume_bytes == 2 << 30
    assert (design.ashift, design.known_ashift) == (12, 12)
    told = open_pasted(zpool_status("old", "sda"))
    unread = design_of_pool(told, told.pools[0]).design
    assert (unread.ashift, unread.known_ashift) == (12, None)


def test_that_every_disk_of_a_pool_is_where_its_own_design_says() -> None:
    inventory = machine("good")
    for pool in inventory.pools:
        assert misplaced(design_of_pool(inventory, pool).design, inventory, pool) == ()


def test_that_a_disk_in_another_vdev_a_missing_one_and_a_foreign_one_are_told() -> None:
    inventory = machine("good")
    pools = {pool.name: pool for pool in inventory.pools}
    design = design_of_pool(inventory, pools["tank"]).design
    raidz, spare = design.vdevs
    members = (*raidz.members[:5], spare.members[0])
    other = Member(disk_key="ZCT00008")
    swapped = replace(design, vdevs=(replace(raidz, members=members), replace(spare, members=(other,))))
    texts = [place.text for place in misplaced(swapped, inventory, pools["tank"])]
    told = ("raidz2-0: ", "tank lacks ", "the design does not have it.")
    assert all(any(words in text for text in texts) for words in told), texts


def test_that_a_bay_that_differs_is_told() -> None:
    inventory = machine("good")
    tank = next(pool for pool in inventory.pools if pool.name == "tank")
    design = design_of_pool(inventory, tank).design
    first = design.disk(design.vdevs[0].members[0].disk_key)
    planned = replace(first, slot="7", enclosure="A")
    real = replace(first, slot="3", enclosure="A")
    others = tuple(disk for disk in design.disks if disk.key != first.key)
    design, there = replace(design, disks=(planned, *others)), replace(inventory, disks=(real, *others))
    (place,) = misplaced(design, there, tank)
    assert (place.wanted, place.found) == ("shelf A, bay 7", "shelf A, bay 3")


def test_that_a_pool_has_the_same_findings_in_every_language() -> None:
    told = open_pasted(zpool_status("p", "sda", "sdb", "sdc"))
    found = []
    for code in NAMES:
        with told_in(code):
            (audit,) = audit_machine(load_shipped(), told, AuditRequest.usual(TODAY))
            found.append([finding.rule_id for finding in (*audit.findings, *audit.unsure)])
    assert found == [found[0]] * len(NAMES)


CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
RECORDED = [path for kind in ("zpool_status", "zpool_status_json") for path in sorted((CORPUS / kind).glob("*"))]
# True of a well pool that was recorded long ago, or with a checkpoint.
OF_TIME = {"existing.scrub-overdue", "existing.checkpoint"}


def is_well(pool: Pool) -> bool:
    nodes = [node for vdev in pool.vdevs for node in (vdev, *vdev.leaves())]
    counts = [n for node in nodes for n in (node.read_errors, node.write_errors, node.checksum_errors)]
    redundant = all(vdev.children for vdev in pool.vdevs if vdev.section == "data")
    told = pool.errors is not None and "No known data errors" in pool.errors and pool.status is None
    return redundant and told and not any(counts) and {node.state for node in nodes} <= {"ONLINE", "AVAIL"}


@pytest.mark.slow
@pytest.mark.skipif(not RECORDED, reason="the recorded outputs are not here")
def test_that_no_well_pool_of_the_recorded_ones_is_warned_of() -> None:
    book, seen = load_shipped(), 0
    for path in RECORDED:
        for audit in audit_machine(book, open_captures([path]), AuditRequest.usual(TODAY)):
            if is_well(audit.pool):
                seen += 1
                grave = {f.rule_id for f in audit.findings if f.severity is not Severity.NOTE}
                assert grave <= OF_TIME, (path.name, audit.pool.name, grave)
    assert seen > 50
