"""Roles are judged on what is at hand: drives, room, RAM, and the properties that are proposed."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import answer_of, printed
from tests.design.role_cases import flash, raidz2_design

from poolwright.cli.own_layout import evaluate_design
from poolwright.design.roles.advice import advised_roles, apply_roles, held_back, judge_roles, setting_of
from poolwright.design.roles.share import plan_roles
from poolwright.design.roles.verdicts import RoleChoices, Verdict
from poolwright.design.support import Role
from poolwright.domain.disk import Disk
from poolwright.domain.finding import Outcome
from poolwright.domain.units import GIB, KIB
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Budget
from poolwright.rule_library import load_shipped
from poolwright.store.design_file import from_json, to_json


def test_that_small_blocks_that_overflow_the_special_vdev_do_not_help_and_what_fits_is_named() -> None:
    design = raidz2_design(*flash(3), typical_file_bytes=64 * KIB, ram=16 * GIB)
    all_blocks = RoleChoices(small_blocks=(("", 128 * KIB),))
    judged = judge_roles(setting_of(design, all_blocks)).of(Role.SPECIAL)
    assert judged.verdict is Verdict.DOES_NOT_HELP
    assert judged.because[0].startswith("Too small: metadata and small blocks need ")
    assert "Smaller special_small_blocks would fit (metadata alone)" in judged.because[0]


def test_that_ram_told_with_the_budget_or_the_command_counts() -> None:
    unknown = raidz2_design(*flash(2), ram=None)
    assert setting_of(unknown).host.ram_bytes is None
    told = replace(unknown, budget=Budget(ram_bytes=96 * GIB, ups=True))
    assert setting_of(told).host.ram_bytes == 96 * GIB
    assert told.machine.ups is True
    assert "The ARC has 63.0 GiB" in printed("roles", "-", "--ram", "64G", stdin=to_json(unknown))


@pytest.mark.slow
def test_that_recommend_and_roles_count_the_same_dedup_entries(tmp_path: Path) -> None:
    saved = tmp_path / "design.json"
    asked = ("--goal", "safety", "--preset", "backup-target", "--duplicates", "3", "--ram", "64G")
    disks = ("--disks", "12 x 16TB CMR SATA", "2 x 960GB ssd")
    first = answer_of("recommend", *disks, *asked, "--save-design", str(saved))
    second = answer_of("roles", str(saved))
    assert first["roles"][3]["role"] == "dedup"
    for here, there in zip(first["roles"], second["roles"], strict=True):
        assert (here["role"], here["verdict"], here["because"]) == (there["role"], there["verdict"], there["because"])
    assert from_json(saved.read_text(encoding="utf-8"), where="").machine.ram_bytes == 64 * GIB


@pytest.mark.slow
def test_that_a_power_supply_is_an_input_that_reaches_its_rule() -> None:
    def findings(*options: str) -> set[str]:
        layout = ("--layout", "raidz2:6x8TB", "--disks", "6 x 8TB CMR", "-O", "sync=disabled", "--goal", "safety")
        found = answer_of("recommend", *layout, *options)["own"]["findings"]
        return {f"{f['rule']}: {f['outcome']}" for f in found if "ups" in f["rule"]}

    assert findings("--ups", "no") == {"synchronous.disabled-no-ups: violated"}
    assert findings("--ups", "yes") == set()
    assert findings() == {"synchronous.disabled-no-ups: cannot-tell"}


def test_that_metadata_of_which_most_fit_help_although_not_all_do() -> None:
    for drives, verdict in ((3, Verdict.HELPS), (6, Verdict.HELPS)):
        size = 360 * 10**9 if drives == 3 else 960 * 10**9
        design = raidz2_design(*flash(drives, size_bytes=size), typical_file_bytes=64 * KIB, ram=16 * GIB)
        judged = judge_roles(setting_of(design)).of(Role.SPECIAL)
        assert judged.verdict is verdict
        assert any("Too small: " in text for text in judged.because) is (drives == 3)
    tiny = raidz2_design(*flash(3, size_bytes=100 * 10**9), typical_file_bytes=64 * KIB, ram=16 * GIB)
    assert judge_roles(setting_of(tiny)).of(Role.SPECIAL).verdict is Verdict.DOES_NOT_HELP


def test_that_of_volumes_the_metadata_in_use_count_and_of_large_files_nobody_is_told_to_add_a_vdev_for_good() -> None:
    volumes: dict[str, Any] = {"volumes": True, "io_size_bytes": 16 * KIB, "ram": 64 * GIB, "sync_write_percent": 0}
    all_of_it = judge_roles(setting_of(raidz2_design(*flash(3), **volumes))).of(Role.SPECIAL)
    in_use = judge_roles(setting_of(raidz2_design(*flash(3), working_set_bytes=600 * GIB, **volumes))).of(Role.SPECIAL)
    assert all_of_it.verdict is Verdict.CANNOT_TELL
    assert all_of_it.missing == ("size of the data in constant use (--working-set)",)
    assert in_use.verdict is Verdict.DOES_NOT_HELP
    assert "in constant use take" in in_use.because[0]
    photographs = raidz2_design(*flash(3), typical_file_bytes=40 << 20, ram=32 * GIB)
    assert judge_roles(setting_of(photographs)).of(Role.SPECIAL).verdict is Verdict.CANNOT_TELL


def test_that_a_cache_is_not_advised_on_drives_that_carry_a_log() -> None:
    told: dict[str, Any] = {"volumes": True, "io_size_bytes": 16 * KIB, "sync_write_percent": 50, "ram": 64 * GIB}
    for drives, cached in ((2, False), (4, True)):
        design = raidz2_design(*flash(drives), working_set_bytes=600 * GIB, sequential_percent=10, **told)
        advice = judge_roles(setting_of(design))
        assert {Role.LOG, Role.CACHE} <= set(advice.helpful)
        assert (Role.CACHE in advised_roles(advice)) is cached


def advised(*drives: Disk, version: ZfsVersion | None = None, **told: Any) -> tuple[tuple[Role, ...], dict[Role, str]]:
    busy: dict[str, Any] = {"sync_write_percent": 50, "typical_file_bytes": 200 * KIB, "ram": 64 * GIB, **told}
    design = raidz2_design(*drives, **busy)
    if version is not None:
        design = replace(design, version=version)
    advice = judge_roles(setting_of(design))
    assert {Role.LOG, Role.SPECIAL} <= set(advice.helpful)
    return advised_roles(advice), dict(held_back(advice))


def test_that_no_special_vdev_that_bears_less_than_the_data_is_added_by_itself() -> None:
    roles, back = advised(*flash(2))
    assert roles == (Role.LOG,)
    assert "it needs 1 more drive" in back[Role.SPECIAL]


def test_that_a_special_vdev_is_not_put_beside_a_log_on_the_same_drives_by_itself() -> None:
    roles, back = advised(*flash(3))
    assert roles == (Role.LOG,)
    assert "share its drives with the log" in back[Role.SPECIAL]
    # With one more the log has a drive of its own, alone: that may lose seconds, and no pool.
    for drives, sides in ((4, 1), (5, 2)):
        roles, back = advised(*flash(drives))
        assert set(roles) == {Role.LOG, Role.SPECIAL}
        assert back == {}
        plan = plan_roles(judge_roles(setting_of(raidz2_design(*flash(drives), sync_write_percent=50))), roles)
        log = plan.of(Role.LOG)
        assert log is not None
        assert [len(vdev.members) for vdev in log.vdevs] == [sides]


def test_that_openzfs_2_4_gets_the_special_vdev_and_no_log_beside_it() -> None:
    roles, back = advised(*flash(3), version=ZfsVersion(2, 4))
    assert roles == (Role.SPECIAL,)
    assert "by itself" in back[Role.LOG]


def test_that_a_log_partition_is_no_smaller_than_its_own_rule_asks_for() -> None:
    design = raidz2_design(*flash(2), sync_write_percent=50, ram=128 * GIB, network_bytes_per_second=1_250_000_000)
    made = apply_roles(design, judge_roles(setting_of(design)), (Role.LOG,))
    found = evaluate_design(made, rules=load_shipped()).findings
    assert [f.rule_id for f in found or () if f.outcome is Outcome.VIOLATED and f.rule_id.startswith("synch")] == []
