"""What a test is expected to give, asked of the same model as every page, before anything is run."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import exp, log, sqrt
from statistics import stdev

from poolwright.bench.judging.verdicts import RATES, Expectation, Judgement, RunVerdict, Spread, advice_on
from poolwright.bench.record import BenchTarget, BenchTest, Engine, Profile, RunRecord, over_network
from poolwright.capacity.pool import known_capacity
from poolwright.domain.design import Design
from poolwright.domain.disk import Media
from poolwright.domain.errors import PoolwrightError, UserError
from poolwright.domain.estimate import Estimate
from poolwright.domain.units import parse_block_size
from poolwright.domain.vdev import Layout
from poolwright.machine.fio.jobs import count_of
from poolwright.predict import assumptions
from poolwright.predict.assessment import speeds_of
from poolwright.predict.assumptions import Assumptions, PoolLoad
from poolwright.predict.measured_runs import MeasuredRun, Metric
from poolwright.predict.media import CHECKSUMS, COMPRESSIONS, FASTEST_HDD, DiskRates
from poolwright.texts import _

# Engines whose depth reaches ZFS; it serves those of libaio one by one without direct I/O (io_submit waits).
_DEEP_ENGINES = frozenset(("io_uring", "posixaio"))
# More than a hard disk's heads do a second, however the requests are sorted (thesis 7.2: 218 with 250 jobs).
_MOST_HDD_IOPS = 500.0
# What a rate may lie above the typical one of its class: three standard deviations, twice at least.
_LEAST_ROOM, _DEVIATIONS = 2.0, 3.0


def expected(
    profile: Profile, design: Design | None, assumed: Assumptions | None = None, place: BenchTarget | None = None
) -> dict[str, Expectation]:
    """Return what each test of ``profile`` should give on ``design``, by the name of the test.

    ``assumed`` has the host's limits and its runs. ``place`` tells which pool of the design it is, and the properties
    and versions that are really in force there.
    """
    found: dict[str, Expectation] = {}
    for test, there in as_filled(profile.tests, place):
        why, todo = _unpredictable(test, design, there)
        if why or design is None:
            found[test.name] = Expectation(test=test.name, why=why, todo=todo)
            continue
        try:
            found[test.name] = _forecast(test, pool_of(design, there), assumed or Assumptions(), there)
        except PoolwrightError as error:
            found[test.name] = Expectation(test=test.name, why=error.text)
    return found


def as_filled(tests: Iterable[BenchTest], place: BenchTarget | None) -> Iterator[tuple[BenchTest, BenchTarget | None]]:
    for test in tests:
        yield test, place
        if place is not None and test.x is not None and test.name == f"fill-{test.x:g}":
            place = replace(place, fill_percent=max(place.fill_percent or 0, round(test.x)))


def _unpredictable(test: BenchTest, design: Design | None, place: BenchTarget | None) -> tuple[str, str]:
    """Return why nothing is predicted of a test, and what would help; both empty where something is."""
    if test.engine is Engine.SIBLINGS:
        return _("Disks are held against each other."), ""
    if place is not None and place.pool is None:
        return advice_on("over-network" if over_network(place) else "no-pool", filesystem=place.filesystem)
    if test.metric is None:
        return _("No prediction answers this kind of test."), ""
    if design is None:
        return advice_on("no-design")
    if test.compress_percent:
        return _("Predictions are of data that do not compress."), ""
    sync = None if place is None else place.property("sync")
    other = "disabled" if test.metric is Metric.SYNC_WRITE else "always"
    if test.metric not in (Metric.SEQ_READ, Metric.RAND_READ) and sync == other:
        return advice_on("other-sync", sync=sync, setting="sync=standard")
    return "", ""


def pool_of(design: Design, place: BenchTarget | None) -> Design:
    pools = design.pools()
    return next((pool for pool in pools if place is not None and pool.pool_name == place.pool), pools[0])


def _forecast(test: BenchTest, design: Design, assumed: Assumptions, place: BenchTarget | None) -> Expectation:
    if place is not None and place.module is not None:
        design = replace(design, version=place.module)
    host = replace(assumptions.host_of(design, assumed), network_bytes_per_second=None)
    if host.cores is None and place is not None:
        host = replace(host, cores=place.cores)
    disks, load = assumptions.rates_of(design, assumed), load_of_test(test, assumptions.load_of(design), place)
    around = assumptions.speed_inputs(host, disks, assumptions.log_rates_of(design), load, assumed.calibration)
    assert test.metric is not None
    estimate = speeds_of(design, known_capacity(design))(around).of(test.metric)
    return Expectation(
        test=test.name,
        estimate=estimate,
        ceiling=_ceiling(test.metric, estimate, disks, len(assumptions.data_disks(design)), load.asked_bytes),
        hba=host.hba_bytes_per_second,
    )


def load_of_test(test: BenchTest, load: PoolLoad, place: BenchTarget | None = None) -> PoolLoad:
    """Return the load of a test: its blocks and writers, on the records, properties and fill found where it runs."""
    fill = load.fill_percent if place is None or place.fill_percent is None else float(min(100, place.fill_percent))
    record = test.record_bytes or (None if place is None else _size(place.property("recordsize"))) or load.record_bytes
    words = dict((*test.options, *(option for job in test.jobs for option in job.options)))
    block = _size(words.get("bs") or words.get("blocksize")) or record
    sequential = test.metric in RATES
    return replace(
        load,
        record_bytes=record,
        request_bytes=None if sequential or block == record else block,
        clients=clients_of(test),
        checksum=_property_or(place, "checksum", CHECKSUMS, load.checksum),
        compression=_property_or(place, "compression", COMPRESSIONS, load.compression),
        fill_percent=fill,
        aged=fill > 0,
        encrypted=load.encrypted if place is None else place.property("encryption") not in (None, "off"),
    )


def clients_of(test: BenchTest) -> int | None:
    def count(job: dict[str, str]) -> int:
        deep = job.get("ioengine") in _DEEP_ENGINES and not test.sync
        return (count_of(job, "numjobs") or 1) * ((deep and count_of(job, "iodepth")) or 1)

    return sum(map(count, test.job_options)) or None


def _size(text: str | None) -> int | None:
    try:
        return None if text is None else parse_block_size(text.partition(",")[0])
    except UserError:
        return None


def _property_or(place: BenchTarget | None, name: str, values: tuple[str, ...], otherwise: str) -> str:
    found = None if place is None else place.property(name)
    return found if found in values else otherwise


def _ceiling(metric: Metric, estimate: Estimate, disks: DiskRates, count: int, block_bytes: int) -> float:
    """Return what ``count`` disks together cannot exceed: each at the best that is known of its class.

    Each side of a mirror and each parity disk counts, so it lies above whatever a layout gives. Synchronous writes have
    no such sum; there thrice the band is taken for a cache that does not keep what it confirms.
    """
    if metric is Metric.SYNC_WRITE:
        return 3.0 * estimate.high
    hard = disks.media is Media.HDD
    if metric is Metric.RAND_READ:
        return count * (_MOST_HDD_IOPS if hard else disks.iops * _room(disks.iops_spread))
    reading = metric is Metric.SEQ_READ
    rate = disks.read_bytes_per_second if reading else disks.write_bytes_per_second
    best = rate * _room(disks.read_spread if reading else disks.write_spread)
    total = count * (min(best, max(rate, float(FASTEST_HDD))) if hard else best)
    return total / block_bytes if metric is Metric.RAND_WRITE else total


def _room(spread: float) -> float:
    return max(_LEAST_ROOM, exp(_DEVIATIONS * spread))


# What a judged run tells the predictions: measured values of one pool, to which they are adapted.

# What came from memory or could not be told says nothing of the disks.
_COUNTED = frozenset({Judgement.PASSED, Judgement.SLOWER})


def runs_of(record: RunRecord, verdict: RunVerdict, layout: Layout) -> tuple[MeasuredRun, ...]:
    """Return the tests of a run that tell of its pool, of which ``layout`` are the vdevs, as runs of the model.

    A test that was disturbed, drifted, was served from memory, or has no prediction is left out. Of several tests that
    asked for the same the fastest counts; in order, also of those with other numbers of jobs, for the slower ones asked
    for less than the pool gives.
    """
    best: dict[MeasuredRun, MeasuredRun] = {}
    tests = {test.name: (test, place) for test, place in as_filled((run.test for run in record.tests), record.place)}
    for judged in verdict.tests:
        counts = judged.judgement in _COUNTED if judged.narrows is None else judged.narrows
        if judged.metric is None or judged.measured is None or judged.marks or not counts:
            continue
        test, place = tests[judged.test]
        load = load_of_test(test, assumptions.DEFAULT_LOAD, place)
        run = MeasuredRun(
            layout=layout,
            metric=judged.metric,
            value=judged.measured.median,
            record_bytes=load.record_bytes,
            clients=None if judged.metric in RATES else load.clients,
            request_bytes=load.request_bytes,
            error=_error(judged.measured),
            fill_percent=load.fill_percent,
        )
        asked = replace(run, value=0.0, error=0.0)
        if asked not in best or best[asked].value < run.value:
            best[asked] = run
    return tuple(best.values())


def _error(measured: Spread) -> float:
    """Return the standard error of the mean of the repeats' logarithms; 0 of a single one, which nobody judges."""
    logarithms = [log(value) for value in measured.values if value > 0]
    return stdev(logarithms) / sqrt(len(logarithms)) if len(logarithms) > 1 else 0.0
