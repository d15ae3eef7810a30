"""What a run measured beside what the documents measured on comparable hardware, by the table that its profile names.

Comparable is the same kind of disks in the same kind of vdevs; rates are then scaled by the data disks, and that is
said. Factors within one run (random to sequential, first to last pass) are not scaled, and need no equal layout.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from statistics import median

from poolwright.bench.judging import table_answers
from poolwright.bench.judging.limiting import hardware_of
from poolwright.bench.judging.spread import direction_of, rate_of_repeat, whole
from poolwright.bench.judging.table_answers import AgainstTable, TableCase
from poolwright.bench.judging.verdicts import Judgement, RunVerdict
from poolwright.bench.record import RunRecord, TestRun
from poolwright.domain.latency import Direction
from poolwright.predict.table_model import Tables
from poolwright.texts import marked, tell

Answer = Callable[[TableCase], Iterator[AgainstTable]]
# What a table is asked with, and what is said where it gives nothing.
_ANSWERS: Mapping[str, tuple[Answer, str]] = {
    "pool_throughput": (
        table_answers.pool_throughput,
        marked("The table has stripes, mirrors and raidz of hard disks, and rates in order."),
    ),
    "random_access": (
        table_answers.random_access,
        marked("The table has factors between random and sequential rates of hard disks."),
    ),
    "concurrency": (table_answers.concurrency, marked("The table has hard disks, few jobs and 250 jobs.")),
    "recordsize": (
        table_answers.recordsize,
        marked("The table has what larger records than 128 KiB bring on hard disks: both have to be measured."),
    ),
    "slog_sync": (
        table_answers.slog_sync,
        marked("The table has synchronous writes to hard disks, alone and with a flash log."),
    ),
    "l2arc": (table_answers.l2arc, marked("The table has hard disks with a cache device, from the first pass on.")),
    "tunables_before_after": (table_answers.tunables, marked("The table has two mirrors of hard disks.")),
    "fill_level": (
        table_answers.fill_level,
        marked("The table has what a full pool gives of what it gave when empty, filled in order."),
    ),
    "final_array": (table_answers.final_array, marked("The table has a raidz2 of six hard disks.")),
    "bonnie_macblog": (table_answers.bonnie, marked("The table has a raidz2 of six hard disks.")),
}
_NOTHING = {
    "bench_method": marked("The documents show such clients only as a picture, without figures."),
    "compression": marked(
        "The table compares kinds of compression with none: measure again with another one and compare both runs."
    ),
    "fsync_paper": marked(
        "The paper compares ZFS with a ZFS that its authors changed: run it on two versions and compare both runs."
    ),
    "disk_rates": marked("Disks are compared with each other, not with those of others."),
}
_MORE = {None: ("pool_throughput",), "random_access": ("random_access", "pool_throughput")}


@dataclass(frozen=True, slots=True, kw_only=True)
class TableVerdict:
    """``rows`` are what is comparable, ``tables`` the names that were asked; ``why`` says what was not, and why."""

    tables: tuple[str, ...]
    rows: tuple[AgainstTable, ...] = ()
    why: tuple[str, ...] = ()

    def of_test(self, name: str) -> tuple[AgainstTable, ...]:
        return tuple(row for row in self.rows if row.test == name)


def against_tables(record: RunRecord, verdict: RunVerdict, tables: Tables) -> TableVerdict:
    """Return a run beside the documents' tables. What was disturbed or came from memory is left out."""
    names = _MORE.get(record.profile.table, (record.profile.table,) if record.profile.table else ())
    if record.profile.own:
        return TableVerdict(tables=(), why=(tell("A profile of one's own names no table."),))
    out = {test.test for test in verdict.tests if test.marks or test.judgement is Judgement.TOO_FAST}
    runs = {run.test.name: run for run in record.tests if run.test.name not in out and whole(run)}
    hardware, rates = hardware_of(record.place), _rates(runs)
    rows: list[AgainstTable] = []
    why: list[str] = [tell("Tests that were disturbed or answered from memory are not compared.")] if out else []
    for name in names:
        if name in _NOTHING:
            why.append(tell(_NOTHING[name]))
            continue
        answer, nothing = _ANSWERS[name]
        table, random = tables.named(name), record.profile.name == "fill-random"
        found = tuple(answer(TableCase(table=table, hardware=hardware, runs=runs, rates=rates, random=random)))
        rows += found
        if not found:
            words = tell("Nothing comparable was measured for “{table}”.", table=table.title)
            why.append(f"{words} {tell(nothing)}")
    return TableVerdict(tables=names, rows=tuple(rows), why=tuple(why))


def _rates(runs: Mapping[str, TestRun]) -> dict[str, float]:
    found = {}
    for name, run in runs.items():
        ways = (direction,) if (direction := direction_of(run.test)) is not None else tuple(Direction)
        rates = [max((rate_of_repeat(repeat, way) or 0.0) for way in ways) for repeat in whole(run)]
        if any(rates):
            found[name] = median(rates)
    return found
