"""Advice for the machine around the pool: the right commands for system, version and workload."""

from dataclasses import replace
from functools import cache

import pytest
from tests.rules.machines import bare, design, disks, load_rule_book, mirror, raidz
from tests.rules.test_datasets_below import _mixed, _of_preset

from poolwright.domain.design import Dataset, Design, FurtherPool, HostAdvice, Member, Setting, Vdev
from poolwright.domain.disk import Disk, Health, Media
from poolwright.domain.finding import Finding, Outcome
from poolwright.domain.host import Host
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.domain.workload import Goal, Workload
from poolwright.judging import advice_for
from poolwright.rule_library import load_rules
from poolwright.rules.design_judge import judge_design, merge_findings, split_by_pool
from poolwright.rules.layout_facts import LayoutNumbers
from poolwright.rules.rulebook import RuleBook

TEN = disks(10)
LINUX = Host(os_name="Debian 13", ram_bytes=256 << 30)


def _eight(**more: object) -> Design:
    return design(raidz(TEN[:8], 2), bare(TEN[8], VdevClass.SPARE), of=TEN, **more)  # type: ignore[arg-type]


def _advised(book: RuleBook, planned: Design) -> dict[str, HostAdvice]:
    return {advice.rule_id or "": advice for advice in advice_for(book, planned)}


def test_that_a_safe_pool_is_scrubbed_snapshotted_and_sent_away(shipped: RuleBook) -> None:
    advised = _advised(shipped, _eight(host=Host(os_name="Rocky Linux 9")))
    assert advised["advice.scrub-timer"].command == "systemctl enable --now zfs-scrub-monthly@tank.timer"
    assert advised["advice.snapshot"].command == "zfs snapshot -r tank@$(date +%Y-%m-%d)"
    assert "zfs send -RLc tank@DAY" in (advised["advice.backup-first"].command or "")
    assert "zfs send -RLc -I" in (advised["advice.backup-next"].command or "")
    assert advised["advice.zed"].command == "systemctl enable --now zfs-zed"
    assert advised["advice.cryptographic-checksum"].command == "zfs set checksum=blake3 tank"


def test_that_a_fast_pool_is_told_to_keep_a_copy_instead_of_snapshots(shipped: RuleBook) -> None:
    advised = _advised(shipped, design(*(bare(one) for one in TEN), of=TEN, goal=Goal.SPEED))
    assert "advice.keep-a-copy" in advised
    assert "advice.snapshot" not in advised


def test_that_a_further_vdev_is_added_with_the_ashift_of_the_pool(shipped: RuleBook) -> None:
    assert "-o ashift=13 tank" in (_advised(shipped, _eight(ashift=13))["advice.grow"].command or "")


@pytest.mark.parametrize(
    ("os_name", "version", "expected"),
    [
        ("Debian 13", "2.3.9", "advice.scrub-debian"),
        ("Rocky Linux 9", "2.1.11", "advice.scrub-cron"),
        ("FreeBSD 14.1", "2.2.6", "advice.scrub-freebsd"),
        (None, "2.3.9", "advice.scrub-timer"),
    ],
)
def test_that_each_system_gets_its_own_way_to_scrub(
    os_name: str | None, version: str, expected: str, shipped: RuleBook
) -> None:
    advised = _advised(shipped, _eight(host=Host(os_name=os_name), version=version))
    assert [rule_id for rule_id in advised if "scrub" in rule_id] == [expected]


def test_that_the_arc_leaves_half_of_the_ram_to_a_database(shipped: RuleBook) -> None:
    advised = _advised(shipped, _eight(host=LINUX, workload=_of_preset("database")))
    arc = advised["advice.arc-max-shared"]
    assert (arc.kind, arc.command) == (
        "setting",
        f"echo options zfs zfs_arc_max={128 << 30} > /etc/modprobe.d/zfs-arc.conf",
    )
    assert "128 GiB" in arc.reason


def test_that_a_file_server_gets_more_arc_only_where_the_default_is_half(shipped: RuleBook) -> None:
    old = _advised(shipped, _eight(host=LINUX, workload=_of_preset("nfs"), version="2.2.2"))
    new = _advised(shipped, _eight(host=LINUX, workload=_of_preset("nfs")))
    assert f"zfs_arc_max={192 << 30}" in (old["advice.arc-max-server"].command or "")
    assert not any("arc" in rule_id for rule_id in new)


def test_that_a_machine_with_several_kinds_of_data_is_advised_what_any_of_them_needs(shipped: RuleBook) -> None:
    def of(*keys: str, version: str) -> dict[str, HostAdvice]:
        return _advised(shipped, _eight(host=LINUX, workload=_mixed(*keys), version=version))

    both = of("smb", "database", "vm-images", version="2.3.2")
    assert {"advice.database", "advice.samba", "advice.volume", "advice.arc-max-shared"} <= both.keys()
    assert "advice.arc-max-server" in of("nfs", "smb", version="2.2.2")
    # RAM that a database needs is not the file server's to give away.
    assert "advice.arc-max-server" not in of("nfs", "database", version="2.2.2")


def test_that_no_arc_limit_is_worked_out_from_ram_that_nobody_knows(shipped: RuleBook) -> None:
    advised = _advised(shipped, _eight(host=Host(), workload=_of_preset("database")))
    assert not any("arc" in rule_id for rule_id in advised)


def test_that_volumes_are_made_with_blocks_that_suit_the_pool(shipped: RuleBook) -> None:
    planned = _eight(host=LINUX, workload=_of_preset("vm-images"))
    volume = _advised(shipped, planned)["advice.volume"]
    assert volume.command == "zfs create -s -V SIZE -o volblocksize=16K tank/NAME"
    wide = _advised(shipped, replace(planned, ashift=14))["advice.volume"]
    assert "volblocksize=64K" in (wide.command or "")


def test_that_the_paper_is_told_with_the_version_that_made_it_true(shipped: RuleBook) -> None:
    workload = Workload(goal=Goal.CONCURRENT, volumes=True, sync_write_percent=20)
    advice = _advised(shipped, _eight(workload=workload))["advice.synchronous-volumes"]
    assert "0.8" in advice.reason
    assert {source.ref for source in advice.sources} >= {"fsync_paper.csv", "feature_facts.csv"}
    assert "advice.synchronous-volumes" not in _advised(shipped, _eight(workload=workload, version="0.7.13"))


def test_that_flash_is_trimmed_and_disks_are_not(shipped: RuleBook) -> None:
    pair = disks(2, media=Media.SSD)
    assert "advice.trim" in _advised(shipped, design(mirror(*pair), of=pair))
    assert "advice.trim" not in _advised(shipped, _eight())


def test_that_every_advice_gives_a_reason_and_a_source(shipped: RuleBook) -> None:
    for key in ("database", "smb", "vm-images", "scratch"):
        for advice in advice_for(shipped, _eight(host=LINUX, workload=_of_preset(key))):
            assert advice.reason
            assert advice.sources
            assert "unknown" not in f"{advice.command} {advice.reason} {advice.why}"


def test_that_no_advice_runs_anything_by_a_name_that_may_change(shipped: RuleBook) -> None:
    assert not any("/dev/sd" in advice.command.raw() for advice in shipped.advice)


def test_that_an_encrypted_pool_is_sent_raw_and_told_what_to_keep_and_what_stays_readable(shipped: RuleBook) -> None:
    settings = tuple(Setting(name=name, value=value) for name, value in (("encryption", "on"), ("keyformat", "hex")))
    sealed = _advised(shipped, replace(_eight(host=LINUX), datasets=(Dataset(name="", settings=settings),)))
    plain = _advised(shipped, _eight(host=LINUX))
    assert "zfs send -Rw tank@DAY" in (sealed["advice.backup-first-encrypted"].command or "")
    assert "zfs send -Rw -I" in (sealed["advice.backup-next-encrypted"].command or "")
    assert "advice.backup-first" not in sealed
    assert "LUKS" in sealed["advice.encryption-native"].reason
    assert {"advice.encryption-keys", "advice.encryption-speed", "advice.encryption-drives"} <= sealed.keys()
    assert "advice.encryption-decide" in plain
    assert not {"advice.encryption-native", "advice.backup-first-encrypted"} & plain.keys()


def test_that_a_backup_keeps_large_records_whole_and_can_go_on_after_a_broken_line(shipped: RuleBook) -> None:
    # OpenZFS documentation, FAQ, Sending Large Blocks: with -L always or never, else files may be zeroed.
    advised = _advised(shipped, _eight(host=LINUX))
    sends = [piece.command or "" for key, piece in advised.items() if key.startswith("advice.backup-")]
    assert sum("-RL" in command for command in sends) == 2
    assert "zfs receive -s" in (advised["advice.backup-resume"].command or "")


def test_that_no_copy_is_mounted_over_the_other_machine_when_it_starts(shipped: RuleBook) -> None:
    encrypted = replace(_eight(), datasets=(Dataset(name="", settings=(Setting(name="encryption", value="on"),)),))
    for planned in (_eight(), encrypted):
        commands = [one.command or "" for one in _advised(shipped, planned).values()]
        received = [command for command in commands if "zfs receive" in command and "TOKEN" not in command]
        assert len(received) == 2
        assert all(" -u -o readonly=on -x mountpoint " in command for command in received)


def test_that_how_much_ram_and_whether_it_must_correct_errors_is_answered(shipped: RuleBook) -> None:
    # OpenZFS documentation, FAQ: 8 GB and more; ECC highly recommended, not a requirement.
    told = _advised(shipped, _eight(host=LINUX))["advice.ram"]
    assert "no GB per TB" in told.reason
    assert "ECC is advised" in told.reason
    assert "not required" in told.reason


def test_that_disks_with_redundancy_are_told_to_give_up_on_bad_sectors_soon(shipped: RuleBook) -> None:
    # OpenZFS documentation, Hardware, Error recovery control: a desktop disk may try a sector for minutes.
    assert "scterc,70,70" in (_advised(shipped, _eight(host=LINUX))["advice.error-recovery"].command or "")
    bare_ones = design(*(bare(one) for one in TEN), of=TEN, goal=Goal.SPEED)
    assert "advice.error-recovery" not in _advised(shipped, bare_ones)


def test_that_advice_of_ones_own_may_name_a_limit() -> None:
    limits = """schema = 1
[[limit]]
key = "test.most"
value = 7
unit = "days"
basis = "convention"
why = "a week"
sources = [{ man = "x(1)" }]
"""
    advice = """schema = 1
[[advice]]
id = "test.weekly"
title = "Look each week"
kind = "setting"
basis = "convention"
when = "pool.data_disks >= 1"
command = "look --days {limit.test.most}"
text = "{limit.test.most} days at most"
sources = [{ man = "x(1)" }]
examples = [{ holds = { pool.data_disks = 2 } }, { not-applicable = { pool.data_disks = 0 } }]
"""
    told = _advised(load_rule_book({"own.toml": advice}, limits=limits), _eight())["test.weekly"]
    assert told.command == "look --days 7"
    assert told.reason == "7 days at most"


TB = 10**12
GIB = 1 << 30


@cache
def book() -> RuleBook:
    return load_rules(with_own=False)


def disk(number: int, size: int) -> Disk:
    return Disk(key=f"d{number}", serial=f"S{number}", size_bytes=size, by_id=(f"ata-X_S{number}",), health=Health.GOOD)


def two_pools(*, sick: str = "") -> Design:
    """Return a raidz1 over 2 TB of three disks, and a mirror of what two of them have left."""
    disks: tuple[Disk, ...] = (disk(1, 3 * TB), disk(2, 3 * TB), disk(3, 2 * TB))
    disks = tuple(replace(d, health=Health.FAILING) if d.key == sick else d for d in disks)
    low = [Member(disk_key=d.key, slice_bytes=2 * TB - GIB, part=1) for d in disks]
    high = [Member(disk_key=d.key, slice_bytes=TB - GIB, part=2) for d in disks[:2]]
    beside = FurtherPool(pool_name="rest", vdevs=(Vdev(kind=VdevKind.MIRROR, members=tuple(high)),))
    return Design(
        key="k",
        name="two",
        pool_name="tank",
        host=Host(ram_bytes=GIB),
        disks=disks,
        vdevs=(Vdev(kind=VdevKind.RAIDZ, parity=1, members=tuple(low)),),
        further_pools=(beside,),
    )


def judged(design: Design) -> list[tuple[Design, tuple[Finding, ...]]]:
    numbers = LayoutNumbers(usable_bytes=None, unassigned_disks=0)
    return [(pool, judge_design(book(), pool, numbers)) for pool in design.pools()]


def violated(findings: tuple[Finding, ...]) -> list[Finding]:
    return [finding for finding in findings if finding.outcome is Outcome.VIOLATED]


def test_that_the_host_is_judged_once_for_all_pools() -> None:
    design = two_pools()
    of_each = judged(design)
    assert all(any(f.subject == "host" for f in violated(found)) for _, found in of_each)
    every = merge_findings(of_each)
    assert not [f for f in every if f.subject == "rest: host" and f.outcome is Outcome.VIOLATED]
    assert len({(f.rule_id, f.outcome) for f in every if f.subject == "host"}) == sum(
        f.subject == "host" for f in every
    )


def test_that_a_failing_disk_of_two_pools_is_told_once() -> None:
    design = two_pools(sick="d1")
    failing = [f for f in violated(merge_findings(judged(design))) if f.title == "Failing disk"]
    assert len(failing) == 1


def test_that_alike_vdevs_of_two_pools_are_both_told() -> None:
    design = two_pools()
    mirror = design.further_pools[0].vdevs[0]
    twin = replace(design, vdevs=(replace(mirror, members=tuple(replace(m, part=1) for m in mirror.members)),))
    found = violated(merge_findings(judged(twin)))
    assert [f.subject for f in found if f.rule_id == "redundancy.one-failure-of-few"] == ["mirror-0", "rest: mirror-0"]


def test_that_every_pool_gets_its_own_findings_back() -> None:
    design = two_pools()
    of_each = judged(design)
    main, beside = split_by_pool(design, merge_findings(of_each))
    assert main == of_each[0][1]
    assert set(beside) <= set(of_each[1][1])
    said_before = {f.subject for f in of_each[1][1]} - {f.subject for f in beside}
    assert said_before == {"host", ", ".join(d.label for d in design.disks[:2])}


def test_that_one_pool_keeps_all_that_was_said_of_it() -> None:
    design = replace(two_pools(), further_pools=())
    found = judged(design)
    assert merge_findings(found) == found[0][1]
    assert split_by_pool(design, found[0][1]) == (found[0][1],)
