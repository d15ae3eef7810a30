"""One value for the synchronous writes of a design, wherever it is told."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import answer_of, printed, written
from tests.design.role_cases import PLAIN_NVME, SAFE_NVME, flash, raidz2_design, vdev

from poolwright.cli.own_layout import evaluate_design
from poolwright.design.floors import failures_wanted
from poolwright.design.goals import GOALS, advise_design, sync_forecast
from poolwright.design.roles.advice import apply_roles, judge_roles, setting_of
from poolwright.design.roles.log import WORTH, WORTH_BEFORE_FLASH, log_speeds
from poolwright.design.roles.verdicts import Verdict
from poolwright.design.support import Role
from poolwright.domain.design import Design
from poolwright.domain.units import KIB, MIB
from poolwright.domain.vdev import VdevKind
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Budget, Goal, Sharing
from poolwright.predict.synclog_advice import advise, compare
from poolwright.store.design_file import to_json


def guests(model: str = SAFE_NVME) -> Design:
    return raidz2_design(
        *flash(2, model=model), sync_write_percent=50, volumes=True, io_size_bytes=16 * KIB, clients=20
    )


def forecast(design: Design) -> float:
    expected = evaluate_design(design).main.expected
    assert expected is not None
    return expected.speed.sync_write_iops.typical


def test_that_a_design_has_one_value_of_synchronous_writes_everywhere(tmp_path: Path) -> None:
    bare = guests()
    advice = judge_roles(setting_of(bare))
    logged = apply_roles(bare, advice, (Role.LOG,))
    expected = {False: forecast(bare), True: forecast(logged)}
    assert expected[True] > 4 * expected[False]
    for design in (bare, logged):
        told = sync_forecast(design)
        assert told is not None
        assert (told.without.typical, told.beside.typical) == (expected[False], expected[True])
        found = advise_design(design)
        assert found is not None
        numbers = re.findall(
            r"[\d,]{4,}|\d+(?= synchronous)", next(a for a in found[1] if a.subject == "log device").text
        )
        assert [f"{value:,.0f}" for value in expected.values()] == numbers[:2]
    speeds = log_speeds(advice.setting)
    assert speeds.without.sync_write_iops.typical == expected[False]
    assert speeds.beside.sync_write_iops.typical == expected[True]
    assert log_speeds(replace(advice.setting, flash=())).log.power_loss_protected  # the one that would be bought

    paths = [written(tmp_path / f"{n}.json", to_json(design)) for n, design in enumerate((bare, logged))]
    compared = printed("compare", *map(str, paths), "--json")
    for value in expected.values():
        assert re.search(rf"\b({int(value)}|{round(value)})(\.\d+)?\b", compared)


@pytest.mark.parametrize(
    ("gain", "title"),
    [
        (1.05, "A log device would not help here"),
        (1.17, "A log device is hardly worth it here"),
        (1.6, "A log device helps"),
    ],
)
def test_that_the_gain_of_a_log_device_is_told_as_what_it_is_worth(gain: float, title: str) -> None:
    found, forecast = advise_design(guests()), sync_forecast(guests())
    assert found is not None
    assert forecast is not None
    after = replace(forecast.without, typical=gain * forecast.without.typical)
    told = advise(compare(found[0], requests=100), ZfsVersion(2, 3), replace(forecast, beside=after, worth=1.5))
    assert next(one for one in told if one.subject == "log device").title == title


def test_that_a_log_device_is_worth_the_same_to_the_model_and_to_the_roles_of_flash() -> None:
    drives = flash(4)
    pairs = tuple(vdev(VdevKind.MIRROR, (one.key, other.key)) for one, other in (drives[:2], drives[2:]))
    worth = [
        told.worth for told in map(sync_forecast, (guests(), replace(guests(), disks=drives, vdevs=pairs))) if told
    ]
    assert worth == [WORTH, WORTH_BEFORE_FLASH]


@pytest.mark.slow
def test_that_the_forecast_of_predict_is_that_of_the_design() -> None:
    disks = ("8 x 8TB CMR SATA", "2 x 1TB nvme plp")
    asked = ("--sync-percent", "50", "--io-size", "16K", "--clients", "20")
    layout = ("raidz2:8x8TB", "log/mirror:2x1TB")
    own = answer_of("recommend", "--disks", *disks, "--goal", "concurrent", *asked, "--layout", *layout)
    vdevs = [word for spec in layout for word in ("--vdev", spec)]
    alone = answer_of("predict", *vdevs, "--disks", *disks, "--io-size", "16K", "--clients", "20")
    assert alone["sync_write_iops"]["typical"] == own["own"]["predictions"]["sync_write_iops"]["typical"]


def test_that_the_log_of_a_design_counts_with_its_own_flush() -> None:
    values = []
    for model in (SAFE_NVME, "ACME FAST 1", PLAIN_NVME):
        design = replace(guests(model), workload=replace(guests().workload, clients=1))
        values.append(forecast(apply_roles(design, judge_roles(setting_of(design)), (Role.LOG,))))
    assert values[0] > 1.5 * values[1] > 3 * values[2]


def test_that_a_photographer_on_nfs_is_not_promised_a_log_that_multiplies_his_copies() -> None:
    def judged(**told: Any) -> tuple[Verdict, str]:
        design = raidz2_design(*flash(2), sync_write_percent=50, sharing=Sharing.NFS, clients=1, **told)
        found = judge_roles(setting_of(design)).of(Role.LOG)
        return found.verdict, " ".join((*found.because, *found.missing))

    large, words = judged(typical_file_bytes=40 * MIB)
    assert large is Verdict.DOES_NOT_HELP
    assert "file that it closes" in words
    unknown, words = judged()
    assert unknown is Verdict.CANNOT_TELL
    assert "typical file size" in words
    assert judged(typical_file_bytes=64 * KIB)[0] is Verdict.HELPS
    # Guests on a share wait for each write of theirs, whatever the size of their disk's file.
    assert judged(typical_file_bytes=40 * MIB, volumes=True)[0] is Verdict.HELPS


def test_that_large_commits_before_zil_slog_bulk_was_raised_are_told() -> None:
    design = raidz2_design(*flash(2), sync_write_percent=100, io_size_bytes=MIB, clients=16)

    def words(version: ZfsVersion) -> str:
        return " ".join(judge_roles(setting_of(replace(design, version=version))).of(Role.LOG).because)

    assert "zil_slog_bulk" in words(ZfsVersion(2, 1, 15))
    assert "zil_slog_bulk" not in words(ZfsVersion(2, 3, 2))


# What a goal promises is what the floors ask for.


def test_that_each_goal_has_a_name_a_promise_and_a_price() -> None:
    assert [facts.goal for facts in GOALS] == list(Goal)
    assert all((facts.promise, facts.price) for facts in GOALS)


@pytest.mark.parametrize(
    ("goal", "few", "survives", "words"),
    [
        (Goal.SAFETY, 3, 2, "Any two disks may fail; only one of three or fewer"),
        (Goal.SPACE, 5, 2, "any two disks may fail; only one of five or fewer"),
        (Goal.CONCURRENT, 0, 1, "any one disk may fail"),
        (Goal.SPEED, 0, 0, "read and write side by side"),
    ],
)
def test_that_what_a_goal_promises_is_what_its_floors_ask(goal: Goal, few: int, survives: int, words: str) -> None:
    assert words in {facts.goal: facts.promise for facts in GOALS}[goal]
    assert failures_wanted(goal, Budget(), few + 1) == survives
    assert failures_wanted(goal, Budget(), few or 1) == min(1, survives)
