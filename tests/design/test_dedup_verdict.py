"""Deduplication has a verdict of its own: worth it or not, with its table, its RAM and what is left of the writes."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.command_line import answer_of, written
from tests.design.role_cases import flash, raidz2_design
from tests.machine.test_zdb import SIMULATED as LISTING

from poolwright.design.roles.advice import setting_of
from poolwright.design.roles.dedup_verdict import DedupVerdict, judge_deduplication
from poolwright.design.roles.verdicts import RoleChoices, Verdict
from poolwright.domain.units import GIB
from poolwright.domain.version import ZfsVersion
from poolwright.machine.zdb import read_dedup_count
from poolwright.predict.tables import Cell
from poolwright.store.design_file import to_json
from poolwright.table_library import load_shipped_tables


def verdict(
    factor: float | None, *, ram: int | None = 128 * GIB, drives: int = 0, version: ZfsVersion | None = None
) -> DedupVerdict:
    design = raidz2_design(*flash(drives), ram=ram, duplicate_factor=factor)
    setting = setting_of(design)
    if version is not None:
        setting = setting_of(replace(design, version=version))
    return judge_deduplication(setting)


def test_that_a_low_factor_is_not_worth_it_and_two_with_room_is() -> None:
    assert verdict(1.3).verdict is Verdict.DOES_NOT_HELP
    good = verdict(4)
    assert good.verdict is Verdict.HELPS
    assert good.saved_bytes is not None
    assert good.arc_share is not None
    assert good.arc_share < 0.25
    assert verdict(None).verdict is Verdict.DOES_NOT_HELP


def test_that_a_table_that_takes_most_of_the_arc_is_not_worth_it_whatever_flash_there_is() -> None:
    assert verdict(3, ram=16 * GIB).verdict is Verdict.DOES_NOT_HELP
    assert verdict(3, ram=16 * GIB, drives=3).verdict is Verdict.DOES_NOT_HELP
    assert verdict(3, ram=48 * GIB, drives=2).verdict is Verdict.DOES_NOT_HELP  # two drives cannot be a raidz2's equal
    assert verdict(3, ram=48 * GIB, drives=3).verdict is Verdict.HELPS
    assert verdict(3, ram=None).verdict is Verdict.CANNOT_TELL


def test_that_the_writes_that_are_left_are_those_of_the_thesis_before_fast_dedup() -> None:
    rows = load_shipped_tables().named("dedup")

    def figure(**cells: Cell) -> float:
        return rows.one(metric="seq_write", **cells).number_of("value") or 0.0

    old = ZfsVersion(2, 2, 6)
    for factor, share in (
        (1.5, figure(factor=1.5, mode="every") / figure(factor=1.5, mode="off")),
        (11.0, figure(factor=11, mode="on")),
    ):
        writes = verdict(factor, version=old).writes
        assert writes is not None
        assert writes.after.typical / writes.before.typical == pytest.approx(share, rel=0.02)
        fast = verdict(factor).writes
        assert fast is not None
        assert fast.after.typical > 1.5 * writes.after.typical


def test_that_zdb_is_read_whole_with_compress_and_copies(tmp_path: Path) -> None:
    count = read_dedup_count(LISTING)
    assert (count.factor, count.compress, count.copies, count.simulated) == (9.18, 1.12, 1.0, True)
    found = judge_deduplication(setting_of(raidz2_design(), RoleChoices(dedup=count)))
    assert found.verdict is Verdict.HELPS
    assert any("dedup 9.18, compress 1.12, copies 1, together 10.26" in text for text in found.because)
    twice = replace(count, copies=2.0, together=None)
    told = judge_deduplication(setting_of(raidz2_design(), RoleChoices(dedup=twice))).because
    assert any("together 5.14. Without deduplication compression alone gives 0.56." in text for text in told)
    listing = str(written(tmp_path / "zdb", LISTING))
    told = answer_of("roles", "-", "--zdb", listing, stdin=to_json(raidz2_design()))["deduplication"]
    assert told["verdict"] == "worth it"
    assert told["factor"] == 9.18
    assert told["table_ram_bytes"]["typical"] > 0


@pytest.mark.parametrize(
    ("factor", "ram", "drives", "version", "words"),
    [
        (3, 48, 0, ZfsVersion(2, 2, 6), "More RAM first"),
        (3, 48, 0, ZfsVersion(2, 3, 0), "mirrored flash"),
        (3, 96, 3, ZfsVersion(2, 2, 6), ""),
        (3, 16, 0, ZfsVersion(2, 3, 0), "More RAM first"),
        (3, 16, 3, ZfsVersion(2, 3, 0), "More RAM first"),
        (4, 192, 0, ZfsVersion(2, 2, 6), "hard disks alone"),
        (4, 192, 0, ZfsVersion(2, 3, 0), ""),
        (4, 192, 3, ZfsVersion(2, 2, 6), ""),
        (12, 48, 0, ZfsVersion(2, 2, 6), ""),
        (12, 16, 0, ZfsVersion(2, 2, 6), "More RAM first"),
    ],
)
def test_that_before_2_3_a_table_wants_flash_or_few_blocks_and_later_room_in_ram(
    factor: float, ram: int, drives: int, version: ZfsVersion, words: str
) -> None:
    found = verdict(factor, ram=ram * GIB, drives=drives, version=version)
    assert found.verdict is (Verdict.DOES_NOT_HELP if words else Verdict.HELPS)
    assert words in found.because[0]
    wants_flash = found.arc_share is not None and found.arc_share > 0.25
    assert ("Put the table on mirrored flash" in found.because[0]) == (wants_flash and not words)
