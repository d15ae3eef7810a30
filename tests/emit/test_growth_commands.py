"""The commands of a step of growth, as a person reads them."""

import subprocess
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path

import pytest

from poolwright.changes.growth.plan import GrowthPlan, GrowthQuestion, evaluate
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.growth import parse_growth_step
from poolwright.domain.reserve import ReservedPartition, ReservePurpose
from poolwright.domain.vdev import VdevKind
from poolwright.emit.difference_script import commands_text, step_commands

SIX = 6001175126016
SWAP = ReservedPartition(purpose=ReservePurpose.SWAP, size_bytes=1 << 34)


def plan_of(
    *steps: str, kind: VdevKind = VdevKind.RAIDZ, parity: int = 1, width: int = 3, at: str = "",
    reserve: tuple[ReservedPartition, ...] = (),
) -> GrowthPlan:  # fmt: skip
    disks = tuple(Disk(key=f"d{n}", by_id=(f"ata-X_{n}",), size_bytes=SIX) for n in range(width))
    members = tuple(
        Member(disk_key=d.key, path=at and f"{at}{n}", part=2 if reserve else None) for n, d in enumerate(disks)
    )
    vdev = Vdev(kind=kind, parity=parity, members=members)
    design = Design(key="k", name="n", pool_name="tank", disks=disks, vdevs=(vdev,), reserve=reserve)
    plan = evaluate(design, [parse_growth_step(text) for text in steps], GrowthQuestion(today=date(2026, 11, 20)))
    assert plan.problem is None
    return plan


def lines(plan: GrowthPlan, number: int = 1) -> list[str]:
    return [command.text for command in step_commands(plan, number)]


def test_that_a_member_is_called_as_the_pool_calls_it() -> None:
    said = [line for line in lines(plan_of(f"replace:{2 * SIX}", at="/dev/sd")) if "zpool replace" in line]
    assert [" ".join(line.split()[:4]) for line in said] == [f"zpool replace tank /dev/sd{n}" for n in range(3)]


def test_that_an_added_vdev_is_compared_with_the_last_that_holds_data() -> None:
    plan = plan_of(f"add:special/mirror:2x{SIX}", f"add:raidz1:3x{SIX}", f"add:stripe:1x{SIX}")
    special, alike = ([line for line in lines(plan, n) if "zpool add -" in line] for n in (1, 2))
    assert not any("zpool add -f" in line for line in special)
    assert "tank special mirror '/dev/disk/by-id/<new disk 1>'" in special[-1]
    assert " -f " not in special[-1]
    assert " -f " not in alike[-1]
    assert (lines(plan, 3), "would lose the whole pool" in plan.stages[3].refusal) == ([], True)
    assert "one failed disk loses the whole pool" in plan.stages[3].notes[0].text


@pytest.mark.parametrize(
    ("ashifts", "runs"), [("12", True), ("0 12", True), ("9", False), ("9 12", False), ("", False)]
)
def test_that_a_vdev_is_added_only_where_zdb_tells_this_ashift_of_all_others(ashifts: str, runs: bool) -> None:
    tried, added = [line for line in lines(plan_of(f"add:raidz1:3x{SIX}")) if "zpool add" in line]
    guard, line = added.split(" && ")
    assert line == tried.replace(" -n", "")
    printed = f"printf '   ashift: %s\\n   asize: 12\\n' {ashifts}" if ashifts else "false"
    script = f"zdb() {{ [ \"$*\" = '-C tank' ] && {printed}; }}; {guard} && echo added"
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False)
    assert (done.stdout == "added\n") is runs


def test_that_zdb_tells_an_ashift_that_nobody_read() -> None:
    design, steps = plan_of().stages[0].grown.origin, (parse_growth_step(f"add:mirror:2x{SIX}"),)
    plan = evaluate(replace(design, ashift_read=False), steps, GrowthQuestion(today=date(2026, 11, 20)))
    (added,) = (line for line in lines(plan) if line.startswith("zpool add -o"))
    script = f"zdb() {{ printf ' ashift: %s\n' 0 9; }}; zpool() {{ echo \"$3\"; }}; {added}"
    assert subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False).stdout == "ashift=9\n"


def test_that_no_force_is_asked_for_where_the_pool_is_mixed_already() -> None:
    plan = plan_of(f"add:mirror:2x{SIX}", f"add:raidz1:4x{SIX}", parity=2, width=6)
    first, second = ([line for line in lines(plan, n) if "zpool add" in line] for n in (1, 2))
    assert all(" -f " in line for line in first)
    for look, added in (("true", "added\n"), ("false", ""), ("echo gpt", "")):  # with -f zpool does not look itself
        script = f"wipefs() {{ {look}; }}; zpool() {{ echo added; }}; zdb() {{ echo ' ashift: 12'; }}; {first[-1]}"
        assert subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False).stdout == added
    assert not any(" -f " in line for line in second)
    told = [[note.text for note in plan.stages[n].notes] for n in (1, 2)]
    assert any("asks for -f" in text for text in told[0])
    assert not any("-f" in text for text in told[1])


def test_that_a_special_vdev_that_bears_less_than_the_data_is_forced() -> None:
    plan = plan_of(f"add:special/mirror:2x{SIX}", parity=2, width=6)
    assert "zpool add -f -o ashift=12 tank special mirror " in "".join(lines(plan))
    plan = plan_of(f"add:special/mirror:3x{SIX}", f"add:log/mirror:2x{SIX}", parity=2, width=6)
    assert not any(" -f " in line for n in (1, 2) for line in lines(plan, n))


def test_that_draid_and_a_spare_are_added_in_the_words_of_zpool() -> None:
    plan = plan_of(f"add:draid1:4d:1s:8x{SIX}", f"add:spare/stripe:1x{SIX}", f"add:draid2:12x{SIX}")
    draid, spare, wide = (next(line for line in lines(plan, n) if line.startswith("zpool add -n")) for n in (1, 2, 3))
    assert " tank draid1:4d:8c:1s '/dev" in draid
    assert " tank spare '/dev" in spare
    assert " tank draid2:8d:12c:0s '/dev" in wide


GOLDEN = Path(__file__).parent / "golden" / "growth.txt"


def growth_text() -> str:
    """Return the commands of every kind of step; to write the golden file anew, print it and read the difference."""
    mirror = partial(plan_of, kind=VdevKind.MIRROR, parity=0, width=2)
    bare = partial(plan_of, kind=VdevKind.STRIPE, parity=0)
    pair = f"add:mirror:2x{SIX}"
    beside = (f"add:log/mirror:2x{SIX}", f"add:spare/stripe:1x{SIX}")
    plans = {
        "raidz1 of 3": plan_of(f"attach:{SIX}", "replace:12TB", "expand@1", pair),
        "mirror of 2": mirror(f"attach:{SIX}", "detach@1", pair, "remove@2", *beside),
        "one disk": bare(f"attach:{SIX}", f"add:stripe:1x{SIX}", width=1),
        "two disks": bare("remove@2", width=2),
        "behind swap": mirror(f"attach:{SIX}", "replace:12TB", pair, *beside, reserve=(SWAP,)),
    }  # fmt: skip
    steps = [
        f"{name}, step {number}: {stage.step}\n" + "".join(f"{line}\n" for line in commands_text(plan, number))
        for name, plan in plans.items()
        for number, stage in enumerate(plan.stages)
        if number
    ]
    return "\n".join(steps)


def test_that_the_commands_of_every_kind_of_step_are_those_that_were_read() -> None:
    assert growth_text() == GOLDEN.read_text(encoding="utf-8")


def test_that_partitions_and_named_disks_stand_in_the_commands() -> None:
    disks = (
        *(Disk(key=f"d{n}", by_id=(f"ata-X_{n}",), size_bytes=SIX) for n in range(2)),
        Disk(key="d2", size_bytes=SIX),
    )
    slices = tuple(Member(disk_key=disk.key, slice_bytes=1 << 40, part=3) for disk in disks[:2])
    design = Design(
        key="k", name="n", pool_name="tank", disks=disks, vdevs=(Vdev(kind=VdevKind.MIRROR, members=slices),)
    )
    plan = evaluate(design, [parse_growth_step("detach@1")], GrowthQuestion(today=date(2026, 11, 20)))
    assert "zpool detach tank /dev/disk/by-id/ata-X_1-part3" in lines(plan)
