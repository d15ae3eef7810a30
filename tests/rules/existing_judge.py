"""Judges a pool that exists, by what `zpool status` and `zpool list` print: the rules on such pools are tried with it.

Nothing in the program asks it yet: it goes back to `rules/` with the first page that reads a live pool.
"""

import re
from dataclasses import dataclass
from datetime import date

from poolwright.domain.finding import Finding
from poolwright.domain.host import Host
from poolwright.domain.origin import Origin
from poolwright.domain.pool import Pool
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Budget, Workload
from poolwright.rules.evaluate import Origins, Teller, in_order, judge
from poolwright.rules.facts import ExistingFacts, Facts
from poolwright.rules.model import RuleBook, Scope
from poolwright.rules.setting_facts import budget_facts, host_facts, workload_facts

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAY = re.compile(r"\bon \w{3} (\w{3}) +(\d{1,2}) [0-9:]{1,8} (\d{4})")
_UNSTABLE = re.compile(r"(/dev/)?(sd[a-z]+|nvme\d+n\d+|vd[a-z]+|xvd[a-z]+|hd[a-z])(p?\d+)?\Z")
_NO_ERRORS = "No known data errors"
# A spare that waits is AVAIL, one that stands in is INUSE.
_WELL = frozenset({"ONLINE", "AVAIL", "INUSE"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedUse:
    """What `zpool list` shows of a pool, in per cent; None where it was not read. FRAG is that of the free space."""

    fill_percent: int | None = None
    fragmentation_percent: int | None = None


def judge_existing(
    book: RuleBook,
    pool: Pool,
    *,
    workload: Workload,
    version: ZfsVersion,
    today: date,
    host: Host | None = None,
    usage: ListedUse | None = None,
    origin: Origin | None = None,
) -> tuple[Finding, ...]:
    """Return what the rules say of a pool that exists, all outcomes, the gravest first.

    ``today`` is the day the pool was read; ``origin`` where its facts come from.
    """
    facts = Facts(
        goal=workload.goal.value,
        workload=workload_facts(workload),
        budget=budget_facts(Budget(), version),
        host=host_facts(host or Host(), version, workload),
        existing=existing_facts(pool, usage or ListedUse(), today),
    )
    teller = Teller(book, Origins({"existing": origin} if origin else {}))
    asked = [rule for rule in book.rules if rule.scope is Scope.EXISTING and rule.applies_to(workload.goal, version)]
    return in_order(teller.finding(rule, facts, pool.name, *judge(rule, facts)) for rule in asked)


def existing_facts(pool: Pool, usage: ListedUse, today: date) -> ExistingFacts:
    """Return the facts of a pool that exists."""
    leaves = pool.leaves()
    scrubbed = last_scrub(pool)
    return ExistingFacts(
        name=pool.name,
        state=pool.state,
        faulty_devices=sum(1 for leaf in leaves if leaf.state is not None and leaf.state not in _WELL),
        devices_with_errors=sum(
            1 for leaf in leaves if (leaf.read_errors or 0) + (leaf.write_errors or 0) + (leaf.checksum_errors or 0)
        ),
        data_errors=None if pool.errors is None else _NO_ERRORS not in pool.errors,
        spares_in_use=sum(1 for leaf in leaves if leaf.state == "INUSE"),
        small_sectors="non-native block size" in " ".join((pool.status or "").split()),
        fill_known=usage.fill_percent is not None,
        fill_percent=usage.fill_percent,
        fragmentation_percent=usage.fragmentation_percent,
        scrub_told=scrubbed is not None,
        days_since_scrub=max(0, (today - scrubbed).days) if scrubbed else None,
        names_unstable=sum(1 for leaf in leaves if _UNSTABLE.match(leaf.path or leaf.name)),
    )


def last_scrub(pool: Pool) -> date | None:
    """Return the day the last scrub ended; None where none is told."""
    for scan in pool.scans:
        days = _DAY.findall(scan.partition("scrub")[2])
        if days and days[-1][0] in _MONTHS:
            month, day, year = _MONTHS.index(days[-1][0]) + 1, int(days[-1][1]), int(days[-1][2])
            try:
                return date(year, month, day)
            except ValueError:
                continue
    return None
