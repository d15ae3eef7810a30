"""`poolwright predict`: how fast a pool will be, with a band and what limits it."""

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from poolwright.cli import machine as read
from poolwright.cli.design_source import read_text
from poolwright.cli.documents import all_picked
from poolwright.cli.options import options
from poolwright.cli.output import answer
from poolwright.cli.risk import conditions_of, loss_blocks, risk_document, speed_document
from poolwright.cli.wishes import WORKLOAD_KEYS, add_workload_options, workload_from
from poolwright.domain import units
from poolwright.domain.disk import Media
from poolwright.domain.errors import UserError
from poolwright.domain.host import Host
from poolwright.domain.rates import members_read, parse_link_rate, rate_text
from poolwright.domain.steps import WIDEST_TOLD, Estimate
from poolwright.domain.vdev import Layout, VdevClass, describe, parse_layout
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.emit.report import Blocks, table
from poolwright.predict.assumptions import DEFAULT_LOG, Assumptions, PoolLoad, host_of, load_of, rates_of_disks
from poolwright.predict.media import CHECKSUMS, COMPRESSIONS, DiskRates, HostCaps, host_caps
from poolwright.predict.number_words import CANNOT_TELL, untold_text
from poolwright.predict.reliability import yearly_loss
from poolwright.predict.risk_conditions import RiskConditions
from poolwright.predict.runs import NO_RUNS, Calibration, Metric, Run, parse_number, read_runs
from poolwright.predict.speed import ChainLink, SpeedPrediction, predict_speed
from poolwright.texts import either, marked, tell, tell_counted

_TITLES = {
    Metric.SEQ_WRITE: marked("sequential write"),
    Metric.SEQ_READ: marked("sequential read"),
    Metric.RAND_READ: marked("random reads"),
    Metric.RAND_WRITE: marked("random writes"),
    Metric.SYNC_WRITE: marked("synchronous writes"),
}
_RATES = (Metric.SEQ_WRITE, Metric.SEQ_READ)


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictQuestion:
    """A layout, its disks and host, what it is asked to do, runs on the host, and the conditions of its risk."""

    layout: Layout
    conditions: RiskConditions
    disks: DiskRates
    host: HostCaps
    load: PoolLoad
    calibration: Calibration
    log: DiskRates = DEFAULT_LOG


def configure(parser: argparse.ArgumentParser) -> None:
    options(parser, "--vdev|--layout")
    read.add_design_options(parser)
    add_workload_options(parser)
    options(
        parser,
        "--disk-read --disk-write --disk-iops --media --recordsize:predict --hba --zfs:default --cores "
        "--checksum --compression --encryption --fill:predict --aged --calibrate --json --batch",
        zfs={"version": DEFAULT_VERSION},
        checksum={"choices": CHECKSUMS},
        compression={"choices": COMPRESSIONS},
    )


def run(args: argparse.Namespace) -> int:
    common = read.given_options(args)
    if args.batch is not None:
        return read.run_batch(args.batch, lambda line: document(_request(common | read.dashed(line))))
    request = _request(common)
    answer(args, lambda: document(request), _blocks(request))
    return 0


_KEYS = {
    "vdev", "disk-read", "disk-write", "disk-iops", "media", "clients", "recordsize", "io-size", "hba", "zfs", "cores",
    "network", "checksum", "compression", "encryption", "fill", "aged", "calibrate", *read.MACHINE_KEYS, read.ASKED,
    *WORKLOAD_KEYS,
}  # fmt: skip


def _request(options: Mapping[str, object]) -> PredictQuestion:
    read.check_known(options, _KEYS)
    calibrate = read.texts(options, "calibrate")
    record = read.text(options, "recordsize")
    # Clients and network are read below, where a batch may give them as numbers; without clients there are plenty.
    workload = workload_from({key: options[key] for key in WORKLOAD_KEYS - {"clients", "network"} if key in options})
    layout = parse_layout(read.vdev_texts(options))
    machine = read.machine_of(options)
    told = read.choice(options, "media", Media)
    members = () if machine is None else read.disks_of(machine, layout)
    logs = () if machine is None else read.disks_of(machine, layout, frozenset({VdevClass.LOG}))
    smallest = min(
        (least for spec in layout if spec.vdev_class is VdevClass.DATA for least in spec.sizes), default=None
    )
    design = read.asked_design(options)
    zfs, default = read.text(options, "zfs"), DEFAULT_VERSION if design is None else design.version
    version = default if zfs is None else ZfsVersion.parse(zfs)
    usual = PoolLoad() if design is None else load_of(design)
    encryption = read.choice(options, "encryption", ("on", "off"))
    clients = read.whole(options, "clients", least=1, most=1_000_000)
    conditions = conditions_of(options, layout)
    host = Host() if machine is None else machine.host
    return PredictQuestion(
        layout=layout,
        conditions=conditions,
        disks=rates_of_disks(
            members,
            read=read.rate(options, "disk-read") or None,
            write=read.rate(options, "disk-write") or None,
            iops=_above_zero(options, "disk-iops"),
            media=None if told is None else Media(told),
            least_bytes=smallest,
        ),
        log=rates_of_disks(logs) if logs else DEFAULT_LOG,
        host=_host(options, host_caps(host, version, members) if design is None else host_of(design, Assumptions())),
        load=PoolLoad(
            record_bytes=usual.record_bytes if record is None else units.parse_record_size(record),
            request_bytes=workload.io_size_bytes or usual.request_bytes,
            clients=usual.clients if clients is None else clients,
            checksum=read.choice(options, "checksum", CHECKSUMS) or "on",
            compression=read.choice(options, "compression", COMPRESSIONS) or "on",
            encrypted=usual.encrypted if encryption is None else encryption == "on",
            version=version,
            fill_percent=conditions.rebuild.fill_percent if "fill" in options else usual.fill_percent,
            aged=options.get("aged") is True or ("fill" not in options and usual.aged),
        ),
        calibration=calibration_of(tuple(calibrate)) if calibrate else NO_RUNS,
    )


def _above_zero(options: Mapping[str, object], name: str) -> float | None:
    given = read.text(options, name)
    return None if given is None else parse_number(given, what=name)


def _host(options: Mapping[str, object], known: HostCaps) -> HostCaps:
    hba, network = read.rate(options, "hba"), read.rate(options, "network", parse_link_rate)
    cores = read.whole(options, "cores", least=1, most=4096)
    return HostCaps(
        hba_bytes_per_second=known.hba_bytes_per_second if hba is None else hba,
        network_bytes_per_second=known.network_bytes_per_second if network is None else network,
        cores=known.cores if cores is None else cores,
        vector_parity=known.vector_parity,
    )


def _predict(request: PredictQuestion) -> SpeedPrediction:
    return predict_speed(
        request.layout,
        host=request.host,
        disks=request.disks,
        load=request.load,
        calibration=request.calibration,
        log=request.log,
    )


def _estimates(prediction: SpeedPrediction) -> dict[Metric, Estimate]:
    return {metric: getattr(prediction, metric.value) for metric in _TITLES}


def document(request: PredictQuestion) -> dict[str, object]:
    prediction = _predict(request)
    answer: dict[str, object] = {"vdev": [str(spec) for spec in request.layout]}
    answer |= speed_document(prediction)
    answer["chain"] = all_picked(
        prediction.chain, "name read_bytes_per_second:g write_bytes_per_second:g narrowest_read narrowest_write assumed"
    )
    answer["extrapolations"] = list(prediction.extrapolations)
    answer["risk"] = risk_document(yearly_loss(request.layout, request.conditions))
    answer["recordsize_bytes"] = request.load.record_bytes
    answer["request_bytes"] = request.load.asked_bytes
    answer["clients"] = request.load.clients
    answer["runs"] = len(request.calibration.runs)
    return answer


def _blocks(request: PredictQuestion) -> Blocks:
    prediction = _predict(request)
    record = units.binary(request.load.record_bytes)
    clients = (
        tell("plenty of clients")
        if request.load.clients is None
        else tell_counted("{count} client", "{count} clients", request.load.clients)
    )
    asked = request.load.request_bytes
    parts = [describe(request.layout), tell("records of {size}", size=record)]
    parts += [] if asked is None else [tell("requests of {size}", size=units.binary(asked))]
    full = request.load.fill_percent
    parts += [clients, tell("{percent:g} % full", percent=full)] if full else [clients]
    yield ", ".join(parts)
    yield members_read(request.layout)
    rows = [
        (tell(_TITLES[metric]), _shown(e.low, metric), _typical(e, metric), _shown(e.high, metric), e.limit)
        for metric, e in _estimates(prediction).items()
    ]
    yield table(("", tell("low"), tell("typical"), tell("high"), tell("limited by")), rows, right=(1, 2, 3))
    yield from _untold_blocks(prediction)
    if request.load.encrypted and request.host.cores is None:
        yield tell(
            "Encryption is not in these rates: what it costs is the processor's time, so tell --cores. A core "
            "with AES and AVX encrypts about 1 GB/s and decrypts about 1.5 GB/s."
        )
    yield ""
    yield from loss_blocks(yearly_loss(request.layout, request.conditions))
    yield ""
    links = [
        (
            tell(link.name),
            _link_rate(link.read_bytes_per_second),
            _link_rate(link.write_bytes_per_second),
            _remark(link),
        )
        for link in prediction.chain
    ]
    yield table((tell("chain"), tell("read"), tell("write"), ""), links, right=(1, 2))
    for reason in prediction.extrapolations:
        yield tell("Beyond what was measured, wider band: {reason}.", reason=reason)
    yield ""
    yield from (f"{tell(_TITLES[metric])}: {estimate.origin}" for metric, estimate in _estimates(prediction).items())


def _untold_blocks(prediction: SpeedPrediction) -> Blocks:
    for metric, e in _estimates(prediction).items():
        if e.cannot_tell and e.cases:
            answers = untold_text(e, partial(_shown, metric=metric), CANNOT_TELL)
            yield tell("{metric}: {answers}", metric=tell(_TITLES[metric]), answers=answers)
    if any(e.cannot_tell and not e.cases for e in _estimates(prediction).values()):
        yield tell(
            "cannot tell: the band spans a factor of {factor:g} or more; run the benchmark (--calibrate).",
            factor=WIDEST_TOLD,
        )


def _shown(value: float, metric: Metric) -> str:
    return rate_text(value) if metric in _RATES else f"{value:,.0f}/s"


def _typical(estimate: Estimate, metric: Metric) -> str:
    if estimate.cannot_tell and not estimate.cases:
        return tell(CANNOT_TELL)
    values = [case.value for case in estimate.cases] if estimate.cannot_tell else [estimate.typical]
    return either([_shown(value, metric) for value in values])


def _link_rate(rate: float | None) -> str:
    return tell("not known") if rate is None else rate_text(rate)


def _remark(link: ChainLink) -> str:
    narrow = [word for word, yes in ((tell("read"), link.narrowest_read), (tell("write"), link.narrowest_write)) if yes]
    words = [tell("narrowest ({narrow})", narrow=", ".join(narrow))] if narrow else []
    return ", ".join([*words, *([tell("assumed")] if link.assumed else [])])


# The measured runs that predictions are adapted to: tables of runs, and runs of the benchmark, kept whole.

_LARGEST_RUNS_BYTES = 4 << 20
_ARCHIVE = b"PK\x03\x04"


@lru_cache(maxsize=16)
def calibration_of(names: tuple[str, ...]) -> Calibration:
    return Calibration(runs=tuple(run for name in names for run in _runs(name)))


def _runs(name: str) -> tuple[Run, ...]:
    if _is_archive(name):
        return _measured(name)
    text = read_text(name, tell("file of runs"), todo=tell("Save it as CSV in UTF-8."), most_bytes=_LARGEST_RUNS_BYTES)
    return read_runs(text, where=name)


def _is_archive(name: str) -> bool:
    try:
        with Path(name).open("rb") as file:
            return file.read(len(_ARCHIVE)) == _ARCHIVE
    except OSError:
        return False


def _measured(name: str) -> tuple[Run, ...]:
    from poolwright.bench.judging.expected import expected, pool_of, runs_of
    from poolwright.bench.judging.verdict import judge
    from poolwright.cli.bench_read import read_run_file
    from poolwright.store.design_file import from_json

    record = read_run_file(name)
    if record.design is None:
        raise UserError(tell("This run names no design"), where=name, todo=tell("Measure with --design FILE."))
    design = from_json(record.design, where=name)
    verdict = judge(record, expected(record.profile, design, None, record.place))
    found = runs_of(record, verdict, pool_of(design, record.place).layout())
    if not found:
        why = dict.fromkeys(reason for test in verdict.tests for reason in (*test.marks, *test.reasons))
        raise UserError(
            tell("No test of this run may narrow predictions: {why}", why=" ".join(why)),
            where=name,
            todo=tell("Measure again, undisturbed and for longer."),
        )
    return found
