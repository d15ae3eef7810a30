"""Special vdevs: what lies on them, which small blocks, and the blog's server, whose cache should rather be one."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.design.role_cases import flash, raidz2_design, tunables_design

from poolwright.design.roles.advice import judge_roles, setting_of
from poolwright.design.roles.share import criticise
from poolwright.design.roles.special import share_of_blocks, share_of_bytes, special_bytes
from poolwright.design.roles.verdicts import (
    RoleAdvice,
    RoleChoices,
    RoleJudgement,
    Verdict,
    counted_sizes,
    spread_sizes,
)
from poolwright.design.support import Role, chosen_roles
from poolwright.domain.block_counts import BlockClass, BlockCount
from poolwright.domain.design import Dataset, Design, Setting
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.units import GIB, KIB, MIB, TIB
from poolwright.machine.zdb import read_block_count


def advice_for(design: Design, choices: RoleChoices | None = None) -> RoleAdvice:
    return judge_roles(setting_of(design, choices))


def test_that_files_open_between_the_speed_of_the_disks_and_that_of_flash() -> None:
    judged = advice_for(raidz2_design(*flash(3, size_bytes=8 * TIB), typical_file_bytes=200 * KIB)).of(Role.SPECIAL)
    assert judged.gain is not None
    before, after = judged.gain.before, judged.gain.after
    assert before.low < after.low <= after.typical <= after.high
    assert after.typical > 2 * before.typical


def test_that_one_drive_alone_never_carries_what_the_pool_cannot_lose() -> None:
    for files in (None, 64 * KIB, 4 * GIB):
        advice = advice_for(raidz2_design(*flash(1), typical_file_bytes=files))
        for role in (Role.SPECIAL, Role.DEDUP):
            assert advice.of(role).verdict is Verdict.DOES_NOT_HELP
            assert not advice.of(role).missing


def test_that_the_proposed_small_blocks_fit_on_three_quarters_of_the_flash() -> None:
    for size in (100 * 10**9, 400 * 10**9, 4 * 10**12):
        judged = advice_for(raidz2_design(*flash(3, size_bytes=size), typical_file_bytes=64 * KIB)).of(Role.SPECIAL)
        assert judged.size is not None
        limit = judged.small_blocks[0].limit_bytes
        overflows = any("Too small: " in text for text in judged.because)
        assert overflows or judged.size.typical <= size
        assert overflows is False or limit == 0


def test_that_more_flash_takes_larger_blocks() -> None:
    limits = [
        advice_for(raidz2_design(*flash(3, size_bytes=size), typical_file_bytes=256 * KIB))
        .of(Role.SPECIAL)
        .small_blocks[0]
        .limit_bytes
        for size in (300 * 10**9, 1000 * 10**9, 8 * 10**12)
    ]
    assert limits == sorted(limits)
    assert limits[0] < limits[-1]


def test_that_compressed_files_are_small_blocks_up_to_a_larger_size() -> None:
    def opened(compressible: bool) -> tuple[float, float]:
        design = raidz2_design(*flash(3, size_bytes=8 * TIB), typical_file_bytes=64 * KIB, compressible=compressible)
        judged = advice_for(design, RoleChoices(small_blocks=(("", 32 * KIB),))).of(Role.SPECIAL)
        assert judged.gain is not None
        return judged.small_blocks[0].share_of_files, judged.gain.after.typical

    assert all(packed > plain for packed, plain in zip(opened(True), opened(False), strict=True))


# Files


def test_that_spread_files_keep_their_mean() -> None:
    for mean in (4 * KIB, 200 * KIB, GIB):
        files = spread_sizes(mean)
        assert sum(c.count_share for c in files.classes) == pytest.approx(1)
        assert files.mean_bytes == pytest.approx(mean, rel=0.01)


def test_that_the_spread_agrees_with_a_counted_file_system() -> None:
    # Agrawal et al. 2007, 4,000 file systems: mean 189 KiB, median 4 KiB.
    files = spread_sizes(189 * KIB)
    count, in_bytes = files.share_up_to(4 * KIB)
    assert count == pytest.approx(0.5, abs=0.12)
    assert in_bytes < 0.02


def test_that_counted_files_are_taken_as_they_are() -> None:
    origin = Origin(kind=OriginKind.READ, source="find")
    files = counted_sizes([1000, 3000, 0, 100_000], origin)
    assert files.mean_bytes == pytest.approx(104_000 / 3, rel=0.001)
    assert files.share_up_to(4 * KIB)[0] == pytest.approx(2 / 3)
    with pytest.raises(UserError, match="no file"):
        counted_sizes([0], origin)


# The blog's server


def test_that_for_films_the_blogs_drives_are_better_left_out() -> None:
    design = tunables_design(typical_file_bytes=4 * GIB, sequential_percent=95, sync_write_percent=0)
    (critique,) = criticise(advice_for(design), chosen_roles(design))
    assert critique.better == ()
    assert "leave them out" in critique.text


# The special vdev from zdb's histogram, against what OpenZFS allocated for the same files on a special vdev.

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
        "Only data written after it is added goes to it.",
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
