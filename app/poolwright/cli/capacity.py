"""`poolwright capacity`: what OpenZFS will report for a new pool, to the byte."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from poolwright.capacity.device import SAFE_ASHIFT, MemberKind, device_bytes
from poolwright.capacity.expansion import Grown, GrownPool, new_pool, take_steps
from poolwright.capacity.explained import cascade
from poolwright.capacity.pool import PoolCapacity, VdevDevices, predict_beside, predict_pool
from poolwright.capacity.vdev import record_cost
from poolwright.cli import machine as read
from poolwright.cli.documents import all_picked, picked
from poolwright.cli.options import options
from poolwright.cli.output import answer
from poolwright.domain import units
from poolwright.domain.design import Design
from poolwright.domain.errors import UserError
from poolwright.domain.growth import parse_growth_step
from poolwright.domain.rates import members_read
from poolwright.domain.reserve import ReservedPartition, parse_reserve
from poolwright.domain.units import KIB, binary
from poolwright.domain.vdev import Layout, VdevClass, VdevKind, VdevSpec, describe, parse_layout
from poolwright.domain.version import DEFAULT_VERSION, OLDEST_CURRENT, ZfsVersion, age_told, parse_modelled
from poolwright.emit.report import Blocks, table
from poolwright.predict.space import volume_blocks
from poolwright.rules.dataset_plan import volume_block_bytes
from poolwright.texts import tell

_SECTORS = (512, 4096)
_KEYS = (
    "vdev", "ashift", "zfs", "members", "recordsize", "logical-sector", "then", "autoexpand",
    "volblocksizes", "reserve",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class CapacityQuestion:
    layout: Layout
    ashift: int
    version: ZfsVersion
    members: MemberKind
    logical_sector_bytes: int
    record_bytes: int | None
    then: tuple[str, ...] = ()
    autoexpand: bool = True
    blocks: bool = False
    reserve: tuple[ReservedPartition, ...] = ()
    design: Design | None = None


def configure(parser: argparse.ArgumentParser) -> None:
    options(parser, "--vdev|--layout")
    read.add_design_options(parser)
    options(
        parser,
        "--ashift:capacity --zfs:default --members --logical-sector --recordsize --volblocksizes --reserve "
        "--then --autoexpand --json --batch",
        ashift={"ashift": SAFE_ASHIFT},
        zfs={"version": DEFAULT_VERSION},
        members={"choices": [*MemberKind]},
    )


def run(args: argparse.Namespace) -> int:
    given = read.given_options(args)
    if args.batch is not None:
        return read.run_batch(args.batch, lambda line: document(_request(given | read.dashed(line))))
    requests = _requests(given)
    blocks = (block for request in requests for block in _blocks(request))
    one = len(requests) == 1
    answer(args, lambda: document(requests[0]) if one else {"pools": list(map(document, requests))}, blocks)
    return 0


def _requests(given: Mapping[str, object]) -> tuple[CapacityQuestion, ...]:
    design = read.asked_design(given)
    if design is None:
        return (_request(given),)
    wrong = sorted(set(given) - {read.ASKED, "vdev", "recordsize", "volblocksizes"})
    if wrong:
        raise UserError(
            tell("A design file says that itself: --{option}", option=wrong[0]),
            todo=tell("growth DESIGN --then … plans steps."),
        )
    told: dict[str, object] = {key: given[key] for key in ("recordsize", "volblocksizes") if key in given}
    asked = []
    for pool in design.pools():
        of_pool = {"vdev": [str(spec) for spec in pool.layout()], "ashift": pool.ashift, "zfs": str(pool.version)}
        asked.append(replace(_request(told | of_pool), design=pool))
    return tuple(asked)


def _request(options: Mapping[str, object]) -> CapacityQuestion:
    read.check_known(options, _KEYS)
    sector = read.whole(options, "logical-sector") or _SECTORS[0]
    if sector not in _SECTORS:
        raise UserError(
            tell("A logical sector of {sector} bytes is not known", sector=sector), todo=tell("Disks have 512 or 4096.")
        )
    members = MemberKind(read.choice(options, "members", MemberKind) or MemberKind.DISK)
    version, record, then = options.get("zfs"), options.get("recordsize"), options.get("then")
    ashift = read.whole(options, "ashift")
    exact = members is MemberKind.FILE
    return CapacityQuestion(
        layout=parse_layout(read.vdev_texts(options), exact=exact),
        ashift=SAFE_ASHIFT if ashift is None else ashift,
        version=DEFAULT_VERSION if version is None else parse_modelled(str(version)),
        members=members,
        logical_sector_bytes=sector,
        record_bytes=None if record is None else units.parse_record_size(str(record)),
        then=(then,) if isinstance(then, str) else tuple(read.texts(options, "then")),
        autoexpand=read.choice(options, "autoexpand", ("on", "off")) != "off",
        blocks=options.get("volblocksizes") is True,
        reserve=_reserve(options, members),
    )


def _reserve(options: Mapping[str, object], members: MemberKind) -> tuple[ReservedPartition, ...]:
    value = options.get("reserve")
    told = (value,) if isinstance(value, str) else read.texts(options, "reserve")
    asked = [parse_reserve(text) for text in told]
    if asked and (members is MemberKind.FILE or options.get("then")):
        raise UserError(
            tell("--reserve goes with whole disks, and without later steps"),
            todo=tell("growth --layout … --reserve … --then … takes both."),
        )
    if any(one.count is not None or one.names for one in asked):
        raise UserError(
            tell("@ names disks, and a layout has none of its own"),
            todo=tell("Leave @ away, or ask script --layout about it."),
        )
    return tuple(one.partition for one in asked)


def _later(request: CapacityQuestion) -> tuple[Grown, ...]:
    sector, version, members = request.logical_sector_bytes, request.version, request.members

    def devices(spec: VdevSpec) -> VdevDevices:
        sizes = tuple(device_bytes(size, members, sector, version) for size in spec.sizes)
        return VdevDevices(spec=spec, devices=sizes)

    vdevs = tuple(map(devices, request.layout))
    pool = new_pool(vdevs, ashift=request.ashift, version=version, members=members, autoexpand=request.autoexpand)
    steps = [parse_growth_step(text, exact=members is MemberKind.FILE) for text in request.then]
    return take_steps(pool, steps, logical_sector_bytes=sector)


def _predict(request: CapacityQuestion) -> PoolCapacity:
    if request.design is not None:
        from poolwright.capacity.of_design import predict_design

        return predict_design(request.design)
    layout, ashift, version, sector = request.layout, request.ashift, request.version, request.logical_sector_bytes
    if request.reserve:
        return predict_beside(layout, request.reserve, ashift=ashift, version=version, logical_sector_bytes=sector)
    return predict_pool(layout, ashift=ashift, version=version, members=request.members, logical_sector_bytes=sector)


def document(request: CapacityQuestion) -> dict[str, object]:
    capacity = _predict(request)
    answer = capacity_document(capacity)
    if request.record_bytes is not None:
        answer["record"] = _record_document(request, request.record_bytes)
    if request.blocks:
        answer["volblocksizes"] = block_document(capacity)
    if request.then:
        answer["steps_later"] = steps_document(_later(request))
    return answer


def _record_document(request: CapacityQuestion, record_bytes: int) -> dict[str, object]:
    words = "allocated_bytes disk_bytes used_bytes padding_bytes efficiency:6 nominal_efficiency:6"  # for machines
    rows = []
    for spec in dict.fromkeys(v for v in request.layout if v.vdev_class.value == "data"):
        cost = record_cost(spec, ashift=request.ashift, record_bytes=record_bytes)
        rows.append({"spec": str(spec), **picked(cost, words)})
    first = rows[0]
    if len({(r["allocated_bytes"], r["disk_bytes"], r["used_bytes"]) for r in rows}) > 1:
        # Different vdevs store a record differently: there is no one number, see the list.
        first = dict.fromkeys(first)
    common = {key: first[key] for key in rows[0] if key != "spec"}
    return {"recordsize_bytes": record_bytes, **common, "vdevs": rows}


def _blocks(request: CapacityQuestion) -> Blocks:
    capacity = _predict(request)
    later = _later(request) if request.then else ()  # refused before anything is printed
    yield tell(
        "{layout}, ashift {ashift}, OpenZFS {version}", layout=describe(request.layout), ashift=request.ashift,
        version=request.version,
    )  # fmt: skip
    yield members_read(request.layout)
    yield from (note for note in version_notes(request.version))
    rows = [(s.title, f"{s.change_bytes:+,}" if s.change_bytes else "", f"{s.bytes_left:,}") for s in cascade(capacity)]
    yield table((tell("step"), tell("change, bytes"), tell("left, bytes")), rows, right=(1, 2))
    yield ""
    usable = capacity.available_bytes
    for name, amount, told in (
        ("zpool list SIZE", capacity.pool_size_bytes, units.binary(capacity.pool_size_bytes)),  # for machines
        ("zfs list USED+AVAIL", usable, f"{units.binary(usable)} ({units.decimal(usable)})"),  # for machines
        (tell("plan for 80 %"), capacity.plan_bytes, units.binary(capacity.plan_bytes)),
    ):
        yield f"{name:<20}{amount:>24,}  {told}"
    for spec in dict.fromkeys(request.layout):
        if request.record_bytes is None or spec.vdev_class.value != "data":
            continue
        cost = record_cost(spec, ashift=request.ashift, record_bytes=request.record_bytes)
        yield tell(
            "one record of {record} on {word} of {width}: {allocated:,} bytes "
            "allocated, {used:,} charged, {efficiency:.1f} % efficient (nominal "
            "{nominal:.1f} %)",
            record=units.binary(cost.record_bytes),
            word=spec.word,
            width=spec.width,
            allocated=cost.allocated_bytes,
            used=cost.used_bytes,
            efficiency=100 * cost.efficiency,
            nominal=100 * cost.nominal_efficiency,
        )
    if request.blocks:
        yield from block_table(capacity)
    if later:
        yield from steps_blocks(later)


# The table of volblocksize against waste, as a JSON list and as lines.


def block_document(capacity: PoolCapacity) -> list[dict[str, object]]:
    return all_picked(
        volume_blocks(capacity),
        "volblocksize_bytes=block_bytes disk_bytes efficiency:g nominal_efficiency:g=nominal waste:g "
        "reserved_of_1_tib_bytes=reserved_bytes",
    )


def block_table(capacity: PoolCapacity) -> Blocks:
    usual = volume_block_bytes(capacity.version)
    rows = [
        (
            tell("{size}K (default)", size=found.block_bytes // KIB)
            if found.block_bytes == usual
            else f"{found.block_bytes // KIB}K",
            binary(found.disk_bytes),
            tell("{share:.0f} % of {nominal:.0f} %", share=100 * found.efficiency, nominal=100 * found.nominal),
            f"{100 * found.waste:.0f} %",
            binary(found.reserved_bytes),
        )
        for found in volume_blocks(capacity)
    ]
    yield ""
    header = (
        "volblocksize", tell("a block takes"), tell("stored at"), tell("wasted"), tell("a volume of 1 TiB reserves"),
    )  # fmt: skip
    yield table(header, rows, right=(1, 2, 3, 4))


# Steps of growth on the command line: what a pool's space is after each of them.


def steps_document(grown: Sequence[Grown]) -> list[dict[str, object]]:
    space = "pool_size_bytes available_bytes slop_bytes plan_bytes"  # for machines
    return [{**picked(after, "step"), **picked(after.capacity, space), "vdevs": _vdevs(after.pool)} for after in grown]


def _vdevs(pool: GrownPool) -> list[dict[str, object]]:
    """Return the vdevs that are left with their metaslabs and the deflate ratio, and the width that ratio is of."""
    return [
        {
            "name": pool.name(placed.index),
            "spec": str(pool.tops[placed.index].exact),
            **picked(placed.capacity, "metaslab_count metaslab_shift deflate_ratio=ratio"),
            "deflate_ratio_of_width": pool.tops[placed.index].born_width,
        }
        for placed in pool.capacity().vdevs
    ]


def steps_blocks(grown: Sequence[Grown]) -> Blocks:
    yield ""
    rows = [
        (
            str(after.step),
            f"{after.capacity.pool_size_bytes:,}",
            f"{after.capacity.available_bytes:,}",
            binary(after.capacity.available_bytes),
            describe(after.capacity.layout),
        )
        for after in grown
    ]
    printed = ("zpool list SIZE", "zfs list USED+AVAIL")  # for machines
    yield table((tell("then"), *printed, "", tell("the pool")), rows, right=(1, 2, 3))
    expanded = any(t.born_width != t.width and t.spec.parity for after in grown for t in after.pool.tops)
    if expanded:
        yield tell(
            "A raidz that got a further disk keeps the deflate ratio of its first width: zfs list shows less "
            "than a new pool of that width would, and counts new blocks as smaller than they are."
        )
    if any(_bare_beside_redundant(after.capacity.layout) for after in grown):
        yield tell(
            "A single disk beside redundant vdevs: when it fails the pool is lost with all of them, and beside a "
            "raidz it can never be removed. zpool add asks for -f there; zpool attach is what widens a raidz or "
            "mirror."
        )


def _bare_beside_redundant(layout: Layout) -> bool:
    data = [spec for spec in layout if spec.vdev_class is VdevClass.DATA]
    bare = [spec.kind is VdevKind.STRIPE for spec in data]
    return any(bare) and not all(bare)


# The space of a pool as a JSON object, in the answers of every command that has one.


def capacity_document(capacity: PoolCapacity) -> dict[str, object]:
    return {
        **picked(capacity, "vdev=layout ashift zfs=version members pool_size_bytes available_bytes slop_bytes"),
        **picked(capacity, "plan_bytes metaslab_count metaslab_shift"),
        "steps": all_picked(cascade(capacity), "name title change_bytes bytes=bytes_left why"),
        "vdevs": [
            {
                "spec": str(capacity.layout[v.index]),
                **picked(v, "class=top.vdev_class top_level_vdevs=count"),
                **picked(v.capacity, "asize_bytes metaslab_count metaslab_shift size_bytes=raw_bytes"),
                **picked(v.capacity, "embedded_log_bytes=embedded_bytes deflate_ratio=ratio"),
            }
            for v in capacity.vdevs
        ],
        "origin": _origin(capacity.version),
        "notes": version_notes(capacity.version),
    }


def _origin(version: ZfsVersion) -> str:
    if version < OLDEST_CURRENT:
        return tell("OpenZFS's own arithmetic of that version, by its source; checked where such pools were printed")
    return tell("OpenZFS's own arithmetic, checked against real pools of 2.1 to 2.4")


def version_notes(version: ZfsVersion) -> list[str]:
    told = age_told(version)
    return [] if told is None else [told]
