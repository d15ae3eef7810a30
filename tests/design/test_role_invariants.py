"""What holds of every judgement, whatever is known or unknown."""

import tomllib
from dataclasses import replace
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.command_line import answer_of
from tests.design.role_cases import disk, flash, raidz2_design, tunables_design

from poolwright.design.roles.advice import apply_roles, judge_roles, setting_of
from poolwright.design.roles.share import criticise, plan_roles
from poolwright.design.roles.verdicts import RoleChoices, Verdict
from poolwright.design.support import Role, chosen_roles
from poolwright.domain.design import Dataset, Design
from poolwright.domain.disk import Media
from poolwright.domain.estimate import Estimate
from poolwright.domain.host import Host
from poolwright.domain.units import GIB, KIB, TIB
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Goal, Workload

MAYBE_PERCENT = st.none() | st.sampled_from([0, 5, 20, 50, 80, 100])
WORKLOADS = st.builds(
    Workload,
    goal=st.sampled_from(Goal),
    read_percent=MAYBE_PERCENT,
    sequential_percent=MAYBE_PERCENT,
    sync_write_percent=MAYBE_PERCENT,
    io_size_bytes=st.none() | st.sampled_from([4 * KIB, 128 * KIB, 1 << 20]),
    typical_file_bytes=st.none() | st.sampled_from([100, 16 * KIB, 1 << 20, 1 << 34]),
    compressible=st.none() | st.booleans(),
    duplicate_factor=st.none() | st.sampled_from([1.0, 1.5, 2.0, 11.0]),
    working_set_bytes=st.none() | st.sampled_from([1, GIB, 500 * GIB, 100 * TIB]),
    growth_percent=st.none() | st.sampled_from([0, 20, 100]),
    network_bytes_per_second=st.none() | st.sampled_from([125_000_000, 12_500_000_000]),
    volumes=st.booleans(),
)
RAM = st.none() | st.sampled_from([GIB, 16 * GIB, 64 * GIB, 1024 * GIB])
VERSIONS = st.sampled_from([ZfsVersion(2, 1, 0), ZfsVersion(2, 2, 0), ZfsVersion(2, 3, 2), ZfsVersion(2, 4, 0)])
DATA = st.none() | st.sampled_from([0, 1, TIB, 200 * TIB])


def in_order(value: Estimate | None) -> bool:
    return value is None or 0 <= value.low <= value.typical <= value.high


@pytest.mark.slow
@given(workload=WORKLOADS, ram=RAM, version=VERSIONS, drives=st.integers(0, 4), logical=DATA, ssds=st.booleans())
@settings(max_examples=60, deadline=None)
def test_that_every_judgement_has_reasons_and_ordered_numbers(
    workload: Workload, ram: int | None, version: ZfsVersion, drives: int, logical: int | None, ssds: bool
) -> None:
    base = raidz2_design(*flash(drives))
    if ssds:
        base = replace(base, disks=tuple(replace(d, media=Media.SSD) for d in base.disks))
    design = replace(
        base,
        workload=workload,
        host=Host(ram_bytes=ram),
        version=version,
        datasets=(Dataset(name=""), Dataset(name="data", logical_bytes=logical)),
    )
    advice = judge_roles(setting_of(design))
    for judged in advice.judgements:
        assert judged.because
        assert (judged.verdict is Verdict.CANNOT_TELL) or not judged.missing
        assert in_order(judged.size)
        if judged.gain is not None:
            assert in_order(judged.gain.before)
            assert in_order(judged.gain.after)
        for block in judged.small_blocks:
            assert 0 <= block.share_of_bytes <= 1
            assert 0 <= block.share_of_files <= 1
            assert in_order(block.moved)
    made = apply_roles(design, advice, advice.helpful)
    carried = {part.role for part in plan_roles(advice, advice.helpful).planned}
    assert chosen_roles(made) == carried
    again = judge_roles(setting_of(made))
    assert [j.verdict for j in again.judgements] == [j.verdict for j in advice.judgements]
    assert apply_roles(made, again, ()) == design


@given(seconds=st.floats(0.5, 600), ram=RAM, version=VERSIONS)
@settings(max_examples=10, deadline=None)
def test_that_a_log_of_any_seconds_has_an_ordered_size(seconds: float, ram: int | None, version: ZfsVersion) -> None:
    design = replace(raidz2_design(*flash(2), sync_write_percent=50, ram=ram), version=version)
    judged = judge_roles(setting_of(design, RoleChoices(ingest_seconds=seconds))).of(Role.LOG)
    assert in_order(judged.size)


def test_that_every_present_role_that_does_not_help_is_criticised() -> None:
    design: Design = tunables_design(sequential_percent=95, sync_write_percent=0)
    advice = judge_roles(setting_of(design))
    for role in Role:
        told = {critique.role for critique in criticise(advice, {role})}
        assert told == (set() if advice.of(role).verdict is Verdict.HELPS else {role})


def test_that_disks_of_unknown_media_do_not_pass_for_flash() -> None:
    design = raidz2_design(*flash(2), sync_write_percent=50)
    unknown = replace(design, disks=tuple(replace(d, media=None) if d.media is Media.HDD else d for d in design.disks))
    advice = judge_roles(setting_of(unknown))
    assert advice.setting.data_media is None
    assert advice.of(Role.LOG).verdict is Verdict.HELPS
    assert disk(0).media is Media.HDD


# Ordinary machines with flash to spare: what experienced administrators say of it.

MACHINES = tomllib.loads(Path(__file__).with_name("flash_machines.toml").read_text(encoding="utf-8"))["machine"]


@pytest.mark.parametrize("case", MACHINES, ids=itemgetter("name"))
def test_that_flash_is_used_as_experienced_administrators_would(case: dict[str, Any]) -> None:
    found = answer_of("roles", "--layout", *case["layout"].split(), "--disks", *case["disks"], *case["told"].split())
    verdicts = {role["role"]: role["verdict"] for role in found["roles"]}
    assert [verdicts[role] for role in ("special", "log", "cache")] == [case[r] for r in ("special", "log", "cache")]
    assert {part["role"] for part in found["plan"]["devices"]} == set(case["planned"])
    assert not found["plan"]["refused"]
