"""The special vdev from zdb's histogram, against what OpenZFS allocated for the same files on a special vdev."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.design.role_cases import flash, raidz2_design

from poolwright.design.roles.advice import judge_roles, setting_of
from poolwright.design.roles.counted import share_of_blocks, share_of_bytes, special_bytes
from poolwright.design.roles.model import Role, RoleChoices, RoleJudgement, Verdict
from poolwright.domain.block_counts import BlockClass, BlockCount
from poolwright.domain.design import Dataset, Setting
from poolwright.domain.units import GIB, KIB, MIB
from poolwright.machine.zdb import read_block_count

HERE = Path(__file__).parent


def counted() -> BlockCount:
    text = (HERE.parent / "machine" / "zdb-blocks-of-our-machine.txt").read_text(encoding="utf-8")
    return read_block_count(text)


def measured(limit: int) -> int:
    """Bytes on the special vdev for the files of seed 1, which the histogram was taken of without one."""
    for line in (HERE / "special-of-our-machine.tsv").read_text(encoding="utf-8").splitlines():
        cells = line.split("\t")
        if cells[:2] == ["stripe:40G", str(limit)] and cells[3] == "1":
            return int(cells[7])
    raise LookupError(limit)


@pytest.mark.parametrize("limit", [0, 16 * KIB])
def test_that_the_histogram_tells_what_a_special_vdev_will_hold(limit: int) -> None:
    found = special_bytes(counted(), limit, ashift=12)
    assert found.typical == pytest.approx(measured(limit), rel=0.08)
    assert found.low <= measured(limit) <= found.high


def test_that_blocks_of_exactly_the_limit_count_and_larger_ones_do_not() -> None:
    pool = BlockCount(
        metadata_blocks=0,
        metadata_physical_bytes=0,
        metadata_bytes=0,
        data_logical_bytes=1600 * KIB,
        classes=(BlockClass(size_bytes=16 * KIB, count=100, physical_bytes=1600 * KIB),),
    )
    assert special_bytes(pool, 16 * KIB, ashift=12).typical == 1600 * KIB
    assert special_bytes(pool, 8 * KIB, ashift=12).typical == 0
    assert share_of_blocks(pool, 16 * KIB) == 1
    assert share_of_bytes(pool, 8 * KIB) == 0


def test_that_a_larger_limit_never_takes_less() -> None:
    sizes = [special_bytes(counted(), 512 << n, ashift=12).typical for n in range(3, 10)]
    shares = [share_of_blocks(counted(), 512 << n) for n in range(3, 10)]
    assert sizes == sorted(sizes)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_that_more_data_take_more_in_proportion() -> None:
    one, ten = (special_bytes(counted(), 16 * KIB, ashift=12, scale=n).typical for n in (1.0, 10.0))
    assert ten == pytest.approx(10 * one)


def test_that_the_advice_follows_the_count() -> None:
    def special(**choices: Any) -> RoleJudgement:
        design = raidz2_design(*flash(3, size_bytes=64 * GIB))
        return judge_roles(setting_of(design, RoleChoices(blocks=counted(), **choices))).of(Role.SPECIAL)

    free = special()
    assert free.verdict is Verdict.HELPS
    assert free.small_blocks[0].limit_bytes == 64 * KIB  # the largest below the records of 128K, and all of it fits
    assert free.size is not None
    assert [risk.partition(":")[0].partition(",")[0] for risk in free.risks] == [
        "Its loss is the loss of the pool",
        "It can never be taken out of this pool again",
        "Only what is written after it was added lies on it.",
    ]
    assert free.least_redundancy == free.wished_redundancy == 2
    assert free.small_blocks[0].reason == "the largest that fits on three quarters of 64.0 GiB"
    chosen = special(small_blocks=(("", 16 * KIB),))
    assert chosen.size is not None
    assert chosen.size.typical * 0.75 == pytest.approx(measured(16 * KIB), rel=0.08)


def test_that_a_count_is_scaled_to_the_data_of_the_tree() -> None:
    tree = (Dataset(name="", logical_bytes=406 * MIB * 1000),)
    design = replace(raidz2_design(*flash(3)), datasets=tree)
    choices = RoleChoices(blocks=counted(), small_blocks=(("", 16 * KIB),))
    size = judge_roles(setting_of(design, choices)).of(Role.SPECIAL).size
    assert size is not None
    assert size.typical * 0.75 == pytest.approx(1000 * measured(16 * KIB), rel=0.08)


def test_that_no_limit_reaches_the_smallest_recordsize_of_the_tree() -> None:
    tree = (Dataset(name=""), Dataset(name="db", settings=(Setting(name="recordsize", value="16K"),)))
    design = replace(raidz2_design(*flash(3)), datasets=tree)
    judged = judge_roles(setting_of(design, RoleChoices(blocks=counted()))).of(Role.SPECIAL)
    assert judged.small_blocks[0].limit_bytes == 8 * KIB
