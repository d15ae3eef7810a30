"""Compares what a run measured with what the documents (thesis, blog) measured, by the table that its profile names.

A row is comparable where it was measured on the same kind of disks in the same kind of vdevs. Rates are scaled by the
number of data disks, and the row's ``basis`` says so. Ratios within one run (random to sequential, last to first pass)
are not scaled and need no equal layout.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import log
from statistics import median

from poolwright.bench.hardware import PoolHardware, hardware_of
from poolwright.bench.judging.verdicts import Judgement, RunVerdict, direction_of
from poolwright.bench.record import RunRecord, TestRun
from poolwright.domain.measurement import Direction
from poolwright.domain.rates import rate_text
from poolwright.domain.units import KIB, binary
from poolwright.predict.measured_runs import Metric
from poolwright.predict.tables import LayoutShape, Precision, Row, Table, Tables
from poolwright.shipped import shipped
from poolwright.texts import _, numeral

_THESIS_DISKS = 44  # a stripe, unless a row says otherwise
_PRECISIONS = {Precision(entry["kind"]): entry["title"] for entry in shipped("verdicts")["precision"]}
_KNEE_JOBS = 250
_THESIS_RECORD = 128 * KIB
_SYNC_WRITERS = 8  # the test nearest to the ten jobs of the thesis


@dataclass(frozen=True, slots=True, kw_only=True)
class TableComparison:
    """A measured value beside that of a document, both in bytes/s where ``is_rate``, else as factors.

    ``documented`` is the document's figure for its own hardware, ``comparable`` the same scaled to this pool. ``basis``
    says in words what the row was measured on and how it was scaled, ``precision`` how exact that figure is.
    """

    test: str
    what: str
    measured: float
    documented: float
    comparable: float
    is_rate: bool
    basis: str
    precision: Precision
    table: str
    source: str

    @property
    def ratio(self) -> float | None:
        return self.measured / self.comparable if self.comparable else None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCase:
    """A run that is compared with a table: its hardware, its tests by name, and the bytes/s of each.

    ``random`` tells that the pool was filled by random writes.
    """

    table: Table
    hardware: PoolHardware
    runs: Mapping[str, TestRun]
    rates: Mapping[str, float]
    random: bool = False

    def row(
        self, test: str, row: Row, documented: float, basis: str, *, scale: float = 1.0, measured: float | None = None,
        what: str = "",
    ) -> TableComparison:  # fmt: skip
        """Return a row that compares ``measured``, a factor; without it the rate of the test."""
        return TableComparison(
            test=test,
            what=what or self.runs[test].test.title,
            measured=self.rates[test] if measured is None else measured,
            documented=documented,
            comparable=documented * scale,
            is_rate=measured is None,
            basis=basis,
            precision=row.provenance.precision,
            table=self.table.name,
            source=str(row.origin.source),
        )

    def scaled(
        self, test: str, row: Row, documented: float | None, there: LayoutShape, here: LayoutShape
    ) -> Iterator[TableComparison]:
        """Yield a row for a document's rate of the layout ``there``, scaled by the data disks to ``here``."""
        if test not in self.rates or documented is None:
            return
        scale = here.data_disks / there.data_disks
        name = f"{there.word if there.groups == 1 else f'{there.groups}*{there.word}'}:{there.width}"
        if scale == 1:
            basis = _("{layout} of hard disks, as many data disks", layout=name)
        else:
            basis = _(
                "{layout} of hard disks; {there} data disks scaled to {here}: {rate}",
                layout=name, there=there.data_disks, here=here.data_disks, rate=rate_text(documented * scale),
            )  # fmt: skip
        yield self.row(test, row, documented, basis, scale=scale)

    def factor(
        self, test: str, base: str, row: Row, documented: float | None, what: str, basis: str = ""
    ) -> Iterator[TableComparison]:
        """Yield a row for how many times the rate of ``base`` the test reached; this needs no scaling."""
        basis = basis or _("a stripe of {count} hard disks; a factor, not scaled", count=_THESIS_DISKS)
        if test in self.rates and base in self.rates and documented is not None:
            yield self.row(test, row, documented, basis, measured=self.rates[test] / self.rates[base], what=what)

    def sweep(self, begin: str = "") -> list[str]:
        """Return the tests whose names begin so, in the order of their axis."""
        return sorted((name for name in self.rates if name.startswith(begin)), key=lambda n: self.runs[n].test.x or 0)

    def by_metric(self, metric: Metric) -> str:
        """Return the test that is held against this prediction; empty where none is."""
        return next((name for name in self.rates if self.runs[name].test.metric is metric), "")

    def shaped(self, word: str) -> LayoutShape | None:
        shape = self.hardware.shape
        return shape if shape is not None and shape.word == word else None


def compared_value_text(row: TableComparison, value: float) -> str:
    return rate_text(value) if row.is_rate else _("{factor} times", factor=numeral(value, ".2f"))


def documented_text(row: TableComparison) -> str:
    value = compared_value_text(row, row.documented)
    return _(_PRECISIONS[row.precision], value=value) if row.precision in _PRECISIONS else value


def ratio_words(row: TableComparison) -> str:
    return "-" if row.ratio is None else numeral(row.ratio, ".2f")


def pool_throughput(case: TableCase) -> Iterator[TableComparison]:
    """Sequential rates, beside the row with the same kind of vdevs that is nearest in data disks, then in width."""
    here = case.hardware.shape
    if here is None:
        return
    alike = [row for row in case.table.rows if row.shape().word == here.word]
    alike = [row for row in alike if here.word != "mirror" or row.shape().width == here.width]
    if not alike:
        return
    best = min(
        alike, key=lambda row: (_far(row.shape().data_disks, here.data_disks), _far(row.shape().width, here.width))
    )
    for metric, column in ((Metric.SEQ_WRITE, "write_mb_s"), (Metric.SEQ_READ, "read_mb_s")):
        yield from case.scaled(case.by_metric(metric), best, best.base(column), best.shape(), here)


def _far(one: int, other: int) -> float:
    return abs(log(one / other))


def random_access(case: TableCase) -> Iterator[TableComparison]:
    """Random reads as a share of sequential ones (4 %), random writes as what is left of sequential ones (75 %)."""
    share, lost = case.table.one(access="rand_read", metric="share"), case.table.one(access="rand_write", metric="lost")
    read, left = share.number_of("value"), 100 - (lost.number_of("value") or 0)
    for random, order, row, documented, what in (
        (Metric.RAND_READ, Metric.SEQ_READ, share, read and read / 100, _("Random reads of those in order")),
        (Metric.RAND_WRITE, Metric.SEQ_WRITE, lost, left / 100, _("Random writes of those in order")),
    ):
        yield from case.factor(case.by_metric(random), case.by_metric(order), row, documented, what)


def concurrency(case: TableCase) -> Iterator[TableComparison]:
    """The rates of few and of 250 jobs on a stripe, and how many times the rate of the fewest jobs the best one is."""
    here = case.shaped("stripe")
    there = LayoutShape(word="stripe", groups=1, width=_THESIS_DISKS)
    for metric, access in ((Metric.RAND_READ, "rand_read"), (Metric.RAND_WRITE, "rand_write")):
        sweep = [name for name in case.rates if case.runs[name].test.metric is metric]
        few = case.table.one(access=access, metric="rate", jobs=None)
        many = case.table.one(access=access, metric="rate", jobs=_KNEE_JOBS)
        low, high = few.base("value"), many.base("value")
        if len(sweep) < 2 or low is None or high is None:
            continue
        first, best = sweep[0], max(sweep, key=lambda name: case.rates[name])
        if here is not None:
            yield from case.scaled(first, few, low, there, here)
            yield from case.scaled(best, many, high, there, here)
        what = _("Best rate relative to the fewest at once ({best})", best=case.runs[best].test.title)
        yield from case.factor(best, first, many, high / low, what)


def recordsize(case: TableCase) -> Iterator[TableComparison]:
    for way, metric in (("read", "seq_read"), ("write", "seq_write")):
        usual = f"{way}-{_THESIS_RECORD // KIB}k"
        larger = [n for n in case.rates if n.startswith(f"{way}-") and (case.runs[n].test.x or 0) > _THESIS_RECORD]
        row = case.table.one(metric=metric)
        percent = row.number_of("value")
        if larger and percent is not None:
            best = max(larger, key=lambda name: case.rates[name])
            what = _(
                "{title}, against records of {usual}", title=case.runs[best].test.title, usual=binary(_THESIS_RECORD)
            )
            yield from case.factor(best, usual, row, 1 + percent / 100, what)


def slog_sync(case: TableCase) -> Iterator[TableComparison]:
    """Synchronous writes with and without a log device; commits are serial, so more disks do not make them faster."""
    slog, zil = (case.table.one(setting=setting, metric="sync_write") for setting in ("slog", "zil"))
    with_log = f"sync-{_SYNC_WRITERS}" if case.hardware.flash_log else ""
    without = f"sync-{_SYNC_WRITERS}-without-log" if case.hardware.flash_log else f"sync-{_SYNC_WRITERS}"
    fast, slow = slog.base("value"), zil.base("value")
    for test, row, documented in ((with_log, slog, fast), (without, zil, slow)):
        if test in case.rates and documented is not None:
            basis = _("ten jobs on {count} hard disks; not scaled: commits follow one another", count=_THESIS_DISKS)
            yield case.row(test, row, documented, basis)
    if fast and slow:
        yield from case.factor(with_log, without, slog, fast / slow, _("With the log device, relative to bypassing it"))


def l2arc(case: TableCase) -> Iterator[TableComparison]:
    passes, row = case.sweep(), case.table.one(metric="rand_read", unit="times")
    if case.hardware.has_cache and len(passes) > 1:
        what = _("{last}, relative to the first pass", last=case.runs[passes[-1]].test.title)
        yield from case.factor(passes[-1], passes[0], row, row.number_of("value"), what)


def tunables(case: TableCase) -> Iterator[TableComparison]:
    """Uncached rates of 2-way mirrors, before and after the blog's tunables were set."""
    here = case.shaped("mirror")
    if here is None or here.width != 2:
        return
    there = LayoutShape(word="mirror", groups=2, width=2)
    for test in case.rates:
        way, size, cached = (*test.split("-", 2), "", "")[:3]
        if cached != "no-cache" or size not in ("4g", "16g"):
            continue
        for state in ("before", "after"):
            row = case.table.one(file_gib=int(size.rstrip("g")), state=state, operation=way, cached="no")
            yield from case.scaled(test, row, row.base("value"), there, here)


def fill_level(case: TableCase) -> Iterator[TableComparison]:
    """The rate at the fullest level as a share of the emptiest; a sequentially filled, full pool keeps half of it."""
    if case.random:
        return
    row = case.table.one(filled_by="sequential", metric="throughput")
    basis = _("nine hard disks, full to the last byte; a factor, not scaled")
    for way in ("write", "read"):
        steps = case.sweep(f"{way}-")
        if len(steps) > 1 and (case.runs[steps[-1]].test.x or 0) >= 80:
            what = _("{last}, relative to the emptiest", last=case.runs[steps[-1]].test.title)
            yield from case.factor(steps[-1], steps[0], row, row.number_of("value"), what, basis)


def final_array(case: TableCase) -> Iterator[TableComparison]:
    if (here := case.shaped("raidz2")) is not None:
        for row in case.table.rows:
            yield from case.scaled(row.text("operation"), row, row.base("rate_mib_s"), row.shape(), here)


_BONNIE: dict[str, str] = {phase["row"]: phase["name"] for phase in shipped("bonnie")["phase"] if "row" in phase}


def bonnie(case: TableCase) -> Iterator[TableComparison]:
    """The block phases of the blog's bonnie++ run; its file of 300 MB fitted in memory, so nothing is scaled."""
    run = case.runs.get("bonnie")
    if case.shaped("raidz2") is None or run is None:
        return
    rates = {one.name: one.rate for one in run.repeats[-1].measured}
    for row in case.table.rows:
        measured, documented = rates.get(_BONNIE.get(row.text("test"), "")), row.number_of("rate")
        if measured and documented is not None and row.unit("rate") == "KiB/s":
            what = _("bonnie++, {phase}", phase=_BONNIE[row.text("test")])
            basis = _("raidz2:6, 300 MB with 4 GB of memory; not scaled: much came from the cache")
            found = case.row("bonnie", row, documented * KIB, basis, measured=measured, what=what)
            yield replace(found, is_rate=True)


Comparer = Callable[[TableCase], Iterator[TableComparison]]
# How a run is compared with each table; no run measures what the tables that are not listed hold.
_COMPARERS: Mapping[str, Comparer] = {
    "pool_throughput": pool_throughput,
    "random_access": random_access,
    "concurrency": concurrency,
    "recordsize": recordsize,
    "slog_sync": slog_sync,
    "l2arc": l2arc,
    "tunables_before_after": tunables,
    "fill_level": fill_level,
    "final_array": final_array,
    "bonnie_macblog": bonnie,
}
_MORE = {None: ("pool_throughput",), "random_access": ("random_access", "pool_throughput")}


@dataclass(frozen=True, slots=True, kw_only=True)
class TableVerdict:
    """``rows`` are what is comparable, ``tables`` the names that were asked; ``why`` says what was not, and why."""

    tables: tuple[str, ...]
    rows: tuple[TableComparison, ...] = ()
    why: tuple[str, ...] = ()


def compare_with_tables(record: RunRecord, verdict: RunVerdict, tables: Tables) -> TableVerdict:
    """Compare a run with the documents' tables, leaving out tests that were disturbed or served from memory."""
    names = _MORE.get(record.profile.table, (record.profile.table,) if record.profile.table else ())
    if record.profile.own:
        return TableVerdict(tables=(), why=(_("A profile of one's own names no table."),))
    out = {test.test for test in verdict.tests if test.marks or test.judgement is Judgement.TOO_FAST}
    runs = {run.test.name: run for run in record.tests if run.test.name not in out and run.whole}
    hardware, rates = hardware_of(record.place), _rates(runs)
    rows: list[TableComparison] = []
    why: list[str] = [_("Disturbed tests and those served from memory are not compared.")] if out else []
    for name in names:
        if name not in _COMPARERS:
            why.append(_("The documents have no figures for this: compare two runs with each other."))
            continue
        table, random = tables.named(name), record.profile.name == "fill-random"
        case = TableCase(table=table, hardware=hardware, runs=runs, rates=rates, random=random)
        found = tuple(_COMPARERS[name](case)) if hardware.spins else ()  # the documents measured hard disks only
        rows += found
        if not found:
            why.append(_("Nothing comparable was measured for “{table}”.", table=table.title))
    return TableVerdict(tables=names, rows=tuple(rows), why=tuple(why))


def _rates(runs: Mapping[str, TestRun]) -> dict[str, float]:
    found = {}
    for name, run in runs.items():
        ways = (direction,) if (direction := direction_of(run.test)) is not None else tuple(Direction)
        rates = [max((repeat.rate(way) or 0.0) for way in ways) for repeat in run.whole]
        if any(rates):
            found[name] = median(rates)
    return found
