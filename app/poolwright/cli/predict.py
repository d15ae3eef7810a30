"""`poolwright predict`: how fast a pool will be, with a band and what limits it."""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from poolwright.cli import machine as read
from poolwright.cli.as_json import SPEEDS, json_of, loss_blocks, risk_document
from poolwright.cli.design_source import read_text
from poolwright.cli.options import REPORT, options, without_none
from poolwright.cli.risk import conditions_of
from poolwright.cli.workload_options import add_workload_options, workload_of
from poolwright.design.compare import QUANTITIES
from poolwright.design.comparison_columns import slowed_cells
from poolwright.domain import units
from poolwright.domain.disk import Media
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import WIDEST_TOLD, Estimate
from poolwright.domain.host import Host
from poolwright.domain.rates import members_read, rate_text
from poolwright.domain.vdev import Layout, VdevClass, describe, parse_layout
from poolwright.domain.version import DEFAULT_VERSION
from poolwright.emit.comparison_charts import cell_band, cell_text
from poolwright.emit.report import ALL, WHY, Answer, Behind, Blocks, listed, table, warnings
from poolwright.predict import assumptions
from poolwright.predict.assumptions import PoolLoad
from poolwright.predict.degraded import Losses, degraded_losses
from poolwright.predict.measured_runs import NO_RUNS, Calibration, MeasuredRun, Metric, read_runs
from poolwright.predict.media import CHECKSUMS, COMPRESSIONS, host_caps
from poolwright.predict.number_words import CANNOT_TELL, SPEED_TITLES, UNKNOWN, rounded, untold_text
from poolwright.predict.reliability import Risk, yearly_loss
from poolwright.predict.speed import ChainLink, SpeedPrediction, predict_speed
from poolwright.texts import _, either, inside, ngettext, numeral

_RATES = (Metric.SEQ_WRITE, Metric.SEQ_READ)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedAnswer:
    """What is said of a layout: its speed under a load, its risk, and from how many runs on its host.

    ``itself`` is its speed without the network, of which ``lost`` are the shares that a missing disk costs.
    """

    layout: Layout
    load: PoolLoad
    speed: SpeedPrediction
    itself: SpeedPrediction
    lost: Losses
    risk: Risk
    runs: int
    cores_known: bool


def configure(parser: argparse.ArgumentParser) -> None:
    read.add_layout_options(parser)
    add_workload_options(parser)
    options(
        parser,
        "--disk-read --disk-write --disk-iops --media --recordsize:predict --hba --zfs --cores "
        f"--checksum --compression --encryption --fill:predict --aged --calibrate {REPORT} --batch",
        checksum={"choices": CHECKSUMS},
        compression={"choices": COMPRESSIONS},
    )


def run(args: argparse.Namespace) -> int:
    return read.answer_each(args, _predict, document, _blocks)


def _predict(args: argparse.Namespace) -> SpeedAnswer:
    workload = workload_of(args)
    layout = parse_layout(args.vdev)
    machine, design = read.machine_of(args), args.asked
    members = () if machine is None else read.disks_of(machine, layout)
    logs = () if machine is None else read.disks_of(machine, layout, frozenset({VdevClass.LOG}))
    sizes = [size for spec in layout if spec.vdev_class is VdevClass.DATA for size in spec.sizes]
    default = DEFAULT_VERSION if design is None else design.version
    version = default if args.zfs is None else args.zfs.version
    usual = PoolLoad() if design is None else assumptions.load_of(design)
    conditions = conditions_of(args, layout)
    disks = assumptions.rates_of_disks(
        members,
        read=args.disk_read or None,
        write=args.disk_write or None,
        iops=args.disk_iops,
        media=None if args.media is None else Media(args.media),
        least_bytes=min(sizes, default=None),
    )
    load = PoolLoad(
        record_bytes=args.recordsize or usual.record_bytes,
        request_bytes=workload.io_size_bytes or usual.request_bytes,
        clients=args.clients or usual.clients,  # without them there are plenty
        checksum=args.checksum or "on",
        compression=args.compression or "on",
        encrypted=usual.encrypted if args.encryption is None else args.encryption == "on",
        version=version,
        fill_percent=usual.fill_percent if args.fill is None else conditions.rebuild.fill_percent,
        aged=bool(args.aged) or (args.fill is None and usual.aged),
    )
    known = host_caps(Host() if machine is None else machine.host, version, members)
    known = known if design is None else assumptions.host_of(design, assumptions.Assumptions())
    given = {"hba_bytes_per_second": args.hba, "network_bytes_per_second": args.network, "cores": args.cores}
    caps = replace(known, **without_none(given))
    runs = calibration_of(tuple(args.calibrate)) if args.calibrate else NO_RUNS
    log = assumptions.rates_of_disks(logs) if logs else assumptions.DEFAULT_LOG
    alone = replace(caps, network_bytes_per_second=None)
    speed, itself = (
        predict_speed(layout, host=host, disks=disks, load=load, calibration=runs, log=log) for host in (caps, alone)
    )
    return SpeedAnswer(
        layout=layout,
        load=load,
        speed=speed,
        itself=itself,
        lost=degraded_losses(layout, assumptions.speed_inputs(alone, disks, assumptions.DEFAULT_LOG, load, NO_RUNS)),
        risk=yearly_loss(layout, conditions),
        runs=len(runs.runs),
        cores_known=caps.cores is not None,
    )


def document(found: SpeedAnswer) -> dict[str, object]:
    return json_of(
        found.speed,
        f"vdev@ {SPEEDS} chain[name read_bytes_per_second:g write_bytes_per_second:g narrowest_read narrowest_write "
        "assumed] extrapolations slowdown@ risk@ recordsize_bytes@ request_bytes@ clients@ runs@",
        vdev=found.layout,
        slowdown={name: json_of(lost, "low typical high") for name, lost in found.lost.items()},
        risk=risk_document(found.risk),
        recordsize_bytes=found.load.record_bytes,
        request_bytes=found.load.asked_bytes,
        clients=found.load.clients,
        runs=found.runs,
    )


def _blocks(found: SpeedAnswer) -> Blocks:
    prediction, load = found.speed, found.load
    clients = _("plenty of clients")
    if load.clients is not None:
        clients = ngettext("{count} client", "{count} clients", load.clients)
    parts = [describe(found.layout), _("records of {size}", size=units.binary(load.record_bytes))]
    if load.request_bytes is not None:
        parts.append(_("requests of {size}", size=units.binary(load.request_bytes)))
    parts.append(clients)
    if load.fill_percent:
        parts.append(_("{percent:g} % full", percent=load.fill_percent))
    in_short = (Metric.SEQ_READ, Metric.SEQ_WRITE, Metric.RAND_READ)
    read, write, some = (_typical(prediction.of(metric), metric) for metric in in_short)
    text = _(
        "Sequential: about {read} read, {write} write. Random reads: about {some}.", read=read, write=write, some=some
    )
    figures = {f"{metric.value}_typical": rounded(prediction.of(metric).typical, 6) for metric in Metric}
    yield Answer(text=text, figures=figures)
    yield ", ".join(parts)
    yield Behind(WHY, (members_read(found.layout),))
    estimates = {metric: prediction.of(metric) for metric in Metric}
    rows = [
        (_title(metric), _value_words(e.low, metric), _typical(e, metric), _value_words(e.high, metric), e.limit)
        for metric, e in estimates.items()
    ]
    yield table(("", _("Low"), _("Typical"), _("High"), _("Limited by")), rows, right=(1, 2, 3))
    yield from _slowed(found)
    against = []
    if load.encrypted and not found.cores_known:
        against.append(
            _(
                "Encryption is not in these rates: tell the processor's --cores. A core with AES and AVX encrypts "
                "about 1 GB/s and decrypts about 1.5 GB/s."
            )
        )
    beyond = [_("Beyond what was measured: {reason}.", reason=reason) for reason in prediction.extrapolations]
    yield from warnings(*against, *beyond, unknown=_untold(prediction))
    yield Behind(WHY, loss_blocks(found.risk))
    chain = listed(
        [link for link in prediction.chain if link.read_bytes_per_second or link.write_bytes_per_second],
        (_("Chain"), lambda link: _(link.name)),
        (_("Read"), lambda link: _link_rate(link.read_bytes_per_second)),
        (_("Write"), lambda link: _link_rate(link.write_bytes_per_second)),
        ("", _remark),
        right=(1, 2),
    )
    yield Behind(ALL, (chain,))
    yield Behind(WHY, (f"{_title(metric)}: {estimate.origin}" for metric, estimate in estimates.items()))


def _slowed(found: SpeedAnswer) -> Blocks:
    if found.lost:
        cells = slowed_cells(found.lost, found.itself, found.speed)
        lost = ((QUANTITIES[name], cell) for name, cell in cells.items())
        rows = [(q.title, cell_text(cell, q.unit), cell_band(cell, q.unit), cell.note) for q, cell in lost]
        yield ""
        yield table(("", _("Typical"), _("Band"), ""), rows, right=(1,))


def _untold(prediction: SpeedPrediction) -> Iterator[str]:
    untold = {metric: e for metric in Metric if (e := prediction.of(metric)).cannot_tell}
    for metric, e in untold.items():
        if e.cases:
            answers = untold_text(e, partial(_value_words, metric=metric), CANNOT_TELL)
            yield _("{name}: {value}", name=_(SPEED_TITLES[metric]), value=answers)
    if not all(e.cases for e in untold.values()):
        yield _(
            "Unpredictable where the band spans a factor of {factor:g} or more: run the benchmark (--calibrate).",
            factor=WIDEST_TOLD,
        )


def _title(metric: Metric) -> str:
    return inside(_(SPEED_TITLES[metric]))


def _value_words(value: float, metric: Metric) -> str:
    return rate_text(value) if metric in _RATES else f"{numeral(value, ',.0f')}/s"


def _typical(estimate: Estimate, metric: Metric) -> str:
    if estimate.cannot_tell and not estimate.cases:
        return _(CANNOT_TELL)
    values = [case.value for case in estimate.cases] if estimate.cannot_tell else [estimate.typical]
    return either([_value_words(value, metric) for value in values])


def _link_rate(rate: float | None) -> str:
    return _(UNKNOWN) if rate is None else rate_text(rate)


def _remark(link: ChainLink) -> str:
    both = ((_("Reads"), link.narrowest_read), (_("Writes"), link.narrowest_write))
    narrow = [inside(word) for word, yes in both if yes]
    words = [_("narrowest ({narrow})", narrow=", ".join(narrow))] if narrow else []
    return ", ".join([*words, *([_("assumed")] if link.assumed else [])])


# The measured runs that predictions are adapted to: tables of runs, and runs of the benchmark, kept whole.

_LARGEST_RUNS_BYTES = 4 << 20


@lru_cache(maxsize=16)
def calibration_of(names: tuple[str, ...]) -> Calibration:
    return Calibration(runs=tuple(run for name in names for run in _runs(name)))


def _runs(name: str) -> tuple[MeasuredRun, ...]:
    from zipfile import is_zipfile

    if not is_zipfile(name):
        text = read_text(name, todo=_("Save it as CSV in UTF-8."), most_bytes=_LARGEST_RUNS_BYTES)
        return read_runs(text, where=name)
    from poolwright.bench.judging.expected import expected, pool_of, runs_of
    from poolwright.bench.judging.verdict import judge
    from poolwright.cli.bench import read_run_file
    from poolwright.store.design_file import from_json

    record = read_run_file(name)
    if record.design is None:
        raise UserError(_("This run names no design"), where=name, todo=_("Measure with --design FILE."))
    design = from_json(record.design, where=name)
    verdict = judge(record, expected(record.profile, design, None, record.place))
    found = runs_of(record, verdict, pool_of(design, record.place).layout())
    if not found:
        why = dict.fromkeys(reason for test in verdict.tests for reason in (*test.marks, *test.reasons))
        raise UserError(
            _("No test of this run may narrow predictions: {why}", why=" ".join(why)),
            where=name,
            todo=_("Measure again, undisturbed and for longer."),
        )
    return found
