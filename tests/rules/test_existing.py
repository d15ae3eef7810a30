"""Pools that exist: recorded ones, and the day of the last scrub; `tests/cli/test_audit_command.py` has each rule."""

from datetime import date
from pathlib import Path

import pytest
from tests.cases import table

from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.finding import Outcome
from poolwright.domain.pool import ExistingPool, Pool
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Goal, Workload
from poolwright.machine.zpool.existing import PoolReadings, existing_pools
from poolwright.machine.zpool.status import read_zpool_status
from poolwright.rules.existing_judge import judge_existing, last_scrub
from poolwright.rules.rulebook import RuleBook

CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "zpool_status"
TODAY = date(2026, 11, 20)
READ = Origin(kind=OriginKind.READ, source="zpool status")
GOOD: str = table(__file__, "good")


def _known(pool: Pool) -> ExistingPool:
    (read,) = existing_pools((pool,), PoolReadings(), READ)
    return read


def _judged(book: RuleBook, pool: Pool) -> set[tuple[str, Outcome]]:
    found = judge_existing(
        book, pool, _known(pool), workload=Workload(goal=Goal.SAFETY), version=ZfsVersion(2, 3, 9), today=TODAY
    )
    return {(finding.rule_id, finding.outcome) for finding in found}


def test_that_an_unknown_fill_level_is_not_reported_as_a_fault(shipped: RuleBook) -> None:
    assert "existing.full" not in {rule_id for rule_id, _ in _judged(shipped, read_zpool_status(GOOD)[0])}


def _scrubbed(text: str) -> date | None:
    return last_scrub(_known(read_zpool_status(text)[0]))


def test_that_the_day_of_the_scrub_is_read_in_any_language_of_the_user() -> None:
    assert _scrubbed(GOOD) == date(2026, 11, 8)
    older = GOOD.replace("repaired 0B in 05:01:44", "repaired 0 in 0 days 00:19:47")
    assert _scrubbed(older) == date(2026, 11, 8)


def test_that_a_rebuild_or_a_scrub_under_way_is_no_finished_scrub() -> None:
    assert _scrubbed(GOOD.replace("scrub repaired 0B in", "resilvered 21K in")) is None
    running = GOOD.replace("scrub repaired 0B in 05:01:44 with 0 errors on", "scrub in progress since")
    assert _scrubbed(running) is None
    assert _scrubbed(GOOD.replace("Nov  8 05", "Nov 31 05")) is None


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the recordings are not here")
def test_that_recorded_pools_are_judged_and_the_sick_ones_noticed(shipped: RuleBook) -> None:
    seen: dict[str, list[str]] = {}
    for path in sorted(CORPUS.glob("local__vm__*.txt")):
        for pool in read_zpool_status(path.read_text(encoding="utf-8")):
            judged = _judged(shipped, pool)
            seen.setdefault(path.name, []).extend(r for r, said in judged if said is Outcome.VIOLATED)
    sick = [name for name in seen if "faulted" in name or ("removed" in name and "mpool" in name)]
    assert sick
    assert all("existing.not-online" in seen[name] for name in sick if "faulted" in name)
    assert all("existing.spare-in-use" in told for name, told in seen.items() if "spare_inuse" in name)
    assert all("existing.errors" in told for name, told in seen.items() if "cksum_errors" in name)
