"""`poolwright capacity`: what OpenZFS will report for a new pool, to the byte."""

import argparse
from collections.abc import Sequence
from functools import partial

from poolwright.capacity.device import SAFE_ASHIFT, MemberKind, device_bytes
from poolwright.capacity.expansion import Grown, GrownPool, new_pool, take_steps
from poolwright.capacity.explained import cascade
from poolwright.capacity.pool import PoolCapacity, VdevDevices, predict_pool, predict_pools, predict_reserved
from poolwright.capacity.vdev import record_cost
from poolwright.cli import machine as read
from poolwright.cli.as_json import capacity_document, json_list, json_of
from poolwright.cli.design_source import has_source
from poolwright.cli.options import REPORT, options
from poolwright.cli.output import answer, share_words
from poolwright.domain import units
from poolwright.domain.errors import UserError, excluded
from poolwright.domain.growth import parse_growth_step
from poolwright.domain.rates import members_read
from poolwright.domain.reserve import ReservedPartition, parse_reserve
from poolwright.domain.units import KIB, binary
from poolwright.domain.vdev import VdevClass, VdevKind, VdevSpec, describe, parse_layout
from poolwright.domain.version import DEFAULT_VERSION, age_told
from poolwright.emit.report import ALL, WHY, Answer, Behind, Blocks, ReportTable, facts, listed, warnings
from poolwright.texts import _, capital, numeral

_SECTORS = (512, 4096)


Found = tuple[PoolCapacity, tuple[Grown, ...]]  # a pool, and what it is after each step


def configure(parser: argparse.ArgumentParser) -> None:
    read.add_layout_options(parser)
    options(
        parser,
        "--ashift --zfs --members --logical-sector --recordsize --volblocksizes --reserve "
        f"--then --autoexpand {REPORT} --batch",
        members={"choices": [*MemberKind]},
    )


def run(args: argparse.Namespace) -> int:
    if args.batch is not None:
        return read.run_batch(args, _answer_line)
    asked = read.with_asked(args)
    found = _predict(asked)
    blocks = (block for one in found for block in _blocks(asked, *one))
    pools = [partial(_document, asked, *one) for one in found]
    answer(args, pools[0] if len(pools) == 1 else lambda: {"pools": [pool() for pool in pools]}, blocks)
    return 0


def _answer_line(line: argparse.Namespace) -> dict[str, object]:
    asked = read.with_asked(line)
    return _document(asked, *_predict(asked)[0])


_OF_LAYOUTS = ("ashift", "autoexpand", "logical_sector", "members", "reserve", "then", "zfs")


def _predict(args: argparse.Namespace) -> list[Found]:
    if args.asked is not None:
        if wrong := [name for name in _OF_LAYOUTS if getattr(args, name) is not None]:
            raise excluded("DESIGN", f"--{wrong[0].replace('_', '-')}")
        return [(capacity, ()) for capacity in predict_pools(args.asked)]
    if has_source(args):
        raise excluded("--vdev", "--from, --host, --example, --disks")
    sector = args.logical_sector or _SECTORS[0]
    if sector not in _SECTORS:
        raise UserError(
            _("A logical sector of {sector} bytes is not known", sector=sector), todo=_("Disks have 512 or 4096.")
        )
    members = MemberKind(args.members or MemberKind.DISK)
    layout = parse_layout(args.vdev, exact=members is MemberKind.FILE)
    ashift = SAFE_ASHIFT if args.ashift is None else args.ashift
    version = DEFAULT_VERSION if args.zfs is None else args.zfs.version
    if reserve := _reserve(args, members):
        found = predict_reserved(layout, reserve, ashift=ashift, version=version, logical_sector_bytes=sector)
    else:
        found = predict_pool(layout, ashift=ashift, version=version, members=members, logical_sector_bytes=sector)
    return [(found, _later(args, found, sector) if args.then else ())]


def _reserve(args: argparse.Namespace, members: MemberKind) -> tuple[ReservedPartition, ...]:
    asked = [parse_reserve(text) for text in args.reserve or ()]
    if asked and (members is MemberKind.FILE or args.then):
        raise excluded("--reserve", "--then" if args.then else "--members")
    if any(one.count is not None or one.names for one in asked):
        raise UserError(
            _("@ names disks, and a layout has none of its own"), todo=_("Omit @, or ask script --layout about it.")
        )
    return tuple(one.partition for one in asked)


def _later(args: argparse.Namespace, now: PoolCapacity, sector: int) -> tuple[Grown, ...]:
    version, members = now.version, now.members

    def devices(spec: VdevSpec) -> VdevDevices:
        sizes = tuple(device_bytes(size, members, sector, version) for size in spec.sizes)
        return VdevDevices(spec=spec, devices=sizes)

    vdevs, autoexpand = tuple(map(devices, now.layout)), args.autoexpand != "off"
    pool = new_pool(vdevs, ashift=now.ashift, version=version, members=members, autoexpand=autoexpand)
    steps = [parse_growth_step(text, exact=members is MemberKind.FILE) for text in args.then]
    return take_steps(pool, steps, logical_sector_bytes=sector)


def _document(args: argparse.Namespace, capacity: PoolCapacity, later: Sequence[Grown]) -> dict[str, object]:
    found = capacity_document(capacity)
    if args.recordsize is not None:
        words = "allocated_bytes disk_bytes used_bytes padding_bytes efficiency:6 nominal_efficiency:6"  # for machines
        rows = []
        for spec in dict.fromkeys(spec for spec in capacity.layout if spec.vdev_class is VdevClass.DATA):
            cost = record_cost(spec, ashift=capacity.ashift, record_bytes=args.recordsize)
            rows.append({"spec": str(spec), **json_of(cost, words)})
        first = rows[0]
        if len({(r["allocated_bytes"], r["disk_bytes"], r["used_bytes"]) for r in rows}) > 1:
            # Different vdevs store a record differently: there is no one number, see the list.
            first = dict.fromkeys(first)
        common = {key: first[key] for key in rows[0] if key != "spec"}
        found["record"] = {"recordsize_bytes": args.recordsize, **common, "vdevs": rows}
    if args.volblocksizes:
        found["volblocksizes"] = block_document(capacity)
    if later:
        space = "pool_size_bytes available_bytes slop_bytes plan_bytes"  # for machines
        found["steps_later"] = [
            {**json_of(after, "step"), **json_of(after.capacity, space), "vdevs": _vdevs(after.pool)} for after in later
        ]
    return found


def _blocks(args: argparse.Namespace, capacity: PoolCapacity, later: Sequence[Grown]) -> Blocks:
    size, usable, planned = capacity.pool_size_bytes, capacity.available_bytes, capacity.plan_bytes
    text = _(
        "{layout}: {usable} usable ({decimal}), {planned} at 80 % full.", layout=describe(capacity.layout),
        usable=binary(usable), decimal=units.decimal(usable), planned=binary(planned),
    )  # fmt: skip
    yield Answer(text=text, figures={"usable_bytes": usable, "pool_size_bytes": size, "plan_bytes": planned})
    yield _("zpool list will show SIZE {size}, zfs list AVAIL {usable}.", size=binary(size), usable=binary(usable))
    yield from warnings(age_told(capacity.version) or "")
    yield ""
    first, *steps = (step for step in cascade(capacity) if step.bytes_left >= usable)
    changed = ((step.title, f"-{binary(-step.change_bytes)}") for step in steps if step.change_bytes < 0)
    yield facts((first.title, binary(first.bytes_left)), *changed, (_("Usable"), binary(usable)), right=True)
    yield ""
    yield _(
        "Exact: SIZE {size}, USED+AVAIL {usable} bytes (OpenZFS {version}, ashift {ashift}).", size=numeral(size),
        usable=numeral(usable), version=capacity.version, ashift=capacity.ashift,
    )  # fmt: skip
    yield Behind(WHY, (members_read(capacity.layout),))
    exact = listed(
        cascade(capacity),
        (_("Step"), lambda step: step.title),
        (_("Change"), lambda step: numeral(step.change_bytes, "+,") if step.change_bytes else ""),
        (_("Left"), lambda step: numeral(step.bytes_left)),
        right=(1, 2),
    )
    yield Behind(ALL, (exact,))
    for spec in dict.fromkeys(capacity.layout):
        if args.recordsize is None or spec.vdev_class is not VdevClass.DATA:
            continue
        cost = record_cost(spec, ashift=capacity.ashift, record_bytes=args.recordsize)
        yield _(
            "one record of {record} on {word} of {width}: {allocated:,} bytes allocated, {used:,} charged, "
            "{efficiency:.1f} % efficient (nominal {nominal:.1f} %)",
            record=binary(cost.record_bytes), word=spec.word, width=spec.width, allocated=cost.allocated_bytes,
            used=cost.used_bytes, efficiency=100 * cost.efficiency, nominal=100 * cost.nominal_efficiency,
        )  # fmt: skip
    if args.volblocksizes:
        yield block_table(capacity)
    if later:
        yield from steps_blocks(later)


# The table of volblocksize against waste, as a JSON list and as lines.


def block_document(capacity: PoolCapacity) -> list[dict[str, object]]:
    from poolwright.predict.space import volume_blocks

    return json_list(
        volume_blocks(capacity),
        "volblocksize_bytes=block_bytes disk_bytes efficiency:g nominal_efficiency:g=nominal waste:g "
        "reserved_of_1_tib_bytes=reserved_bytes",
    )


def block_table(capacity: PoolCapacity) -> ReportTable:
    from poolwright.predict.space import volume_blocks
    from poolwright.rules.dataset_plan import volume_block_bytes

    usual = volume_block_bytes(capacity.version)

    def named(size_bytes: int) -> str:
        size = f"{size_bytes // KIB}K"
        return _("{size} (default)", size=size) if size_bytes == usual else size

    return listed(
        volume_blocks(capacity),
        ("volblocksize", lambda found: named(found.block_bytes)),
        (_("A block takes"), lambda found: binary(found.disk_bytes)),
        (_("Stored at"), lambda found: share_words(found.efficiency, found.nominal)),
        (_("Wasted"), lambda found: f"{100 * found.waste:.0f} %"),
        (_("A volume of 1 TiB reserves"), lambda found: binary(found.reserved_bytes)),
        right=(1, 2, 3, 4),
    )


# Steps of growth on the command line: what a pool's space is after each of them.


def _vdevs(pool: GrownPool) -> list[dict[str, object]]:
    """Return the vdevs that are left with their metaslabs and the deflate ratio, and the width that ratio is of."""
    return json_list(
        pool.capacity().vdevs,
        "name@ spec@ metaslab_count=capacity.metaslab_count metaslab_shift=capacity.metaslab_shift "
        "deflate_ratio=capacity.ratio deflate_ratio_of_width@width",
        name=lambda placed: pool.name(placed.index),
        spec=lambda placed: str(pool.tops[placed.index].exact),
        width=lambda placed: pool.tops[placed.index].born_width,
    )


def steps_blocks(grown: Sequence[Grown]) -> Blocks:
    yield listed(
        grown,
        (_("Then"), lambda after: after.step),
        ("zpool list SIZE", lambda after: numeral(after.capacity.pool_size_bytes)),  # for machines
        ("zfs list USED+AVAIL", lambda after: numeral(after.capacity.available_bytes)),  # for machines
        ("", lambda after: binary(after.capacity.available_bytes)),
        (capital(_("the pool")), lambda after: describe(after.capacity.layout)),
        right=(1, 2, 3),
    )
    if any(t.born_width != t.width and t.spec.parity for after in grown for t in after.pool.tops):
        yield _(
            "A raidz that got a further disk keeps the deflate ratio of its first width: zfs list shows less "
            "than a new pool of that width would, and counts new blocks as smaller than they are."
        )
    data = [[spec.kind for spec in g.capacity.layout if spec.vdev_class is VdevClass.DATA] for g in grown]
    if any(VdevKind.STRIPE in kinds and {*kinds} != {VdevKind.STRIPE} for kinds in data):
        yield _(
            "A single disk beside redundant vdevs: when it fails the whole pool is lost, and beside a raidz it can "
            "never be removed. zpool add asks for -f there; zpool attach widens a raidz or mirror."
        )
