"""What is said of whole designs: what failing disks take, edits and what they refuse, comparisons, places, wishes."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from functools import partial

from tests.design.test_blast import design_of
from tests.design.test_edits import raidz2_of_six, whole
from tests.design.test_spread import scattered

from poolwright.design import amounts
from poolwright.design.assign import Identity, own_design
from poolwright.design.blast import pool_outcome, unit_outcomes
from poolwright.design.compare import change_percent, compare
from poolwright.design.comparison_columns import zfs_column
from poolwright.design.edits import places, shaping
from poolwright.design.edits.reserve import can_have_slack, has_slack, with_slack
from poolwright.design.evaluate import evaluate, unassigned_of
from poolwright.design.md_column import md_column, md_raid6_of
from poolwright.design.request import Request
from poolwright.design.spread import spread, spread_design, spread_score
from poolwright.design.survival import survival_share
from poolwright.design.wishes import impossible_wishes, most_usable_bytes
from poolwright.domain.design import Dataset, Design, FurtherPool, Member, Setting, Vdev
from poolwright.domain.disk import Disk, Media
from poolwright.domain.errors import PoolwrightError, Refusal
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.host import Host, Inventory
from poolwright.domain.money import money
from poolwright.domain.units import GIB, MIB, TB
from poolwright.domain.vdev import VdevClass, VdevKind, parse_spec
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.rule_library import load_shipped
from poolwright.table_library import load_drive_book

_CUT = FurtherPool(
    pool_name="fast",
    vdevs=(
        Vdev(kind=VdevKind.MIRROR, members=(Member(disk_key="d0", slice_bytes=10**9, part=2), Member(disk_key="d9"))),
    ),
    datasets=(Dataset(name=""), Dataset(name="db")),
)


def _asked(make: Callable[[], object]) -> object:
    """Return what is made, or the refusal in words."""
    try:
        return make()
    except PoolwrightError as error:
        return [error.text, error.where, error.todo, *(error.reasons if isinstance(error, Refusal) else ())]


def blast_answers() -> dict[str, object]:
    """Return what the loss of some disks leaves of designs."""
    full = design_of(
        "raidz2:4x1T", "mirror:2x1T", "special/mirror:2x1T", "log/stripe:1x1T", "cache/stripe:1x1T",
        "spare/stripe:2x1T", datasets=(Dataset(name=""), Dataset(name="home")),
    )  # fmt: skip
    pair = design_of("mirror:2x1T", "stripe:2x1T", "mirror:2x1T", "raidz1:4x1T", further_pools=(_CUT,))
    distributed = design_of("draid1:2d:1s:8x1T", "raidz3:5x1T", "spare/stripe:1x1T")
    shelves = tuple(
        replace(one, enclosure=f"shelf {n % 3}" if n else None, controller=f"hba {n % 2}")
        for n, one in enumerate(full.disks)
    )
    losses = {
        "one disk": (full, {"d0"}), "two of a raidz2": (full, {"d1", "d2"}), "special": (full, {"d6", "d7"}),
        "log, cache, a spare": (full, {"d8", "d9", "d10"}), "both spares and a disk": (full, {"d0", "d10", "d11"}),
        "a disk of two pools": (pair, {"d0"}), "a bare disk": (pair, {"d3"}), "nothing": (pair, set()),
        "of a dRAID": (distributed, {"d1"}), "two of a dRAID": (distributed, {"d1", "d2", "d9"}),
    }  # fmt: skip
    found: dict[str, object] = {name: pool_outcome(design, lost) for name, (design, lost) in losses.items()}
    found["units"] = unit_outcomes(replace(full, disks=shelves))
    found["shares"] = [[survival_share(d, n) for n in (1, 2, 3)] for d in (full, pair, distributed)]
    return found


def edit_answers() -> dict[str, object]:
    six, first = raidz2_of_six(), places.VdevPlace(vdev=0)
    pair = shaping.add_vdev(six, whole(6, 7), places.MIRROR)
    two = places.with_pool(pair, [places.VdevPlace(vdev=1)], "second", "backups")
    cut = shaping.cut_to_smallest(six, first)
    log, spare = places.Bay(vdev_class=VdevClass.LOG), places.Bay(vdev_class=VdevClass.SPARE)
    other = places.VdevPlace(pool=1, vdev=0)
    edits: dict[str, Callable[[], object]] = {
        "a disk more": lambda: places.move(six, whole(7), first),
        "into a log": lambda: places.move(six, whole(8, 9), log),
        "a spare from a vdev": lambda: places.move(six, whole(0), spare),
        "the vdev away": lambda: places.move(six, whole(0, 1, 2, 3, 4, 5), places.Tray()),
        "swapped": lambda: places.swap(six, *whole(1, 9)),
        "swapped with itself": lambda: places.swap(six, *whole(1, 1)),
        "a small one for a large one": lambda: places.swap(cut, *whole(1, 9)),
        "raidz1 of a mirror's disk": lambda: shaping.add_vdev(pair, whole(6, 8), places.RAIDZ1),
        "nothing added": lambda: shaping.add_vdev(pair, (), places.RAIDZ1),
        "a single spare": lambda: places.move(pair, whole(10), spare),
        "raidz2 of two": lambda: shaping.add_vdev(pair, whole(8, 9), places.RAIDZ2),
        "reshaped": lambda: shaping.reshape(pair, [first], places.RAIDZ3),
        "reshaped too narrow": lambda: shaping.reshape(pair, [places.VdevPlace(vdev=1)], places.RAIDZ3),
        "split": lambda: shaping.split(shaping.reshape(six, [first], places.RAIDZ1), first, 2),
        "split in four": lambda: shaping.split(six, first, 4),
        "split in seven": lambda: shaping.split(six, first, 7),
        "merged": lambda: shaping.merge(pair, [places.VdevPlace(vdev=1), first]),
        "merged alone": lambda: shaping.merge(pair, [first]),
        "merged over pools": lambda: shaping.merge(two, [first, other]),
        "merged with a spare": lambda: shaping.merge(
            places.move(six, whole(6), spare), [first, places.VdevPlace(vdev=1)]
        ),
        "removed": lambda: shaping.remove(two, [first]),
    }
    found = {name: _vdevs(_asked(make)) for name, make in edits.items()}
    return found | _further_edits()


def _further_edits() -> dict[str, object]:
    six, first, other = raidz2_of_six(), places.VdevPlace(vdev=0), places.VdevPlace(pool=1, vdev=0)
    pair = shaping.add_vdev(six, whole(6, 7), places.MIRROR)
    two = places.with_pool(pair, [places.VdevPlace(vdev=1)], "second", "backups")
    cut = shaping.cut_to_smallest(six, first)
    edits: dict[str, Callable[[], object]] = {
        "down": lambda: shaping.reorder(pair, first, 1),
        "by two": lambda: shaping.reorder(pair, first, 2),
        "cut": lambda: cut,
        "cut again": lambda: shaping.cut_to_smallest(cut, first),
        "left over": lambda: [places.left_over_bytes(cut, disk) for disk in cut.disks],
        "of what is left": lambda: shaping.add_vdev(
            cut, [places.Piece(disk_key=k, part=places.LEFT_OVER) for k in ("d0", "d2")], places.MIRROR
        ),
        "whole again": lambda: shaping.make_whole(cut, [places.Piece(disk_key="d2", part=1)]),
        "never cut": lambda: shaping.make_whole(cut, whole(9)),
        "cut in the tray": lambda: shaping.partition(six, whole(9), TB),
        "cut too small": lambda: shaping.partition(six, whole(0), MIB),
        "cut as small as may be": lambda: [
            shaping.partition(six, whole(0), 64 * MIB).vdevs,
            _asked(lambda: small(six)),
        ],
        "cut too large": lambda: shaping.partition(six, whole(0), 9 * TB),
        "two pools": lambda: two,
        "back in one pool": lambda: places.move_vdevs(two, [other], 0),
        "a pool of that name": lambda: places.with_pool(pair, [places.VdevPlace(vdev=1)], "tank"),
        "renamed": lambda: places.rename_pool(two, 1, "third"),
        "renamed as the first": lambda: places.rename_pool(two, 1, "tank"),
        "ashift": lambda: places.set_ashift(two, 1, 13),
        "ashift too large": lambda: places.set_ashift(two, 1, 17),
        "free name": lambda: [places.free_name(two), places.free_name(two, {"pool2", "tank2", "pool3"})],
        "slack": lambda: with_slack(six, on=True),
        "no slack": lambda: [
            has_slack(six),
            can_have_slack(six),
            with_slack(with_slack(six, on=True), on=False) == six,
        ],
        "usual": lambda: [shape_word(two, pool, n) for pool in (0, 1, 2) for n in (1, 2, 3, 4, 6)],
    }
    return {name: _vdevs(_asked(make)) for name, make in edits.items()}


def small(design: Design) -> Design:
    return shaping.partition(design, whole(0), 64 * MIB - 1)


def shape_word(design: Design, pool: int, count: int) -> str:
    return f"{pool} {count} {places.usual_kind(design, pool, count).word}"


def _vdevs(made: object) -> object:
    if not isinstance(made, Design):
        return made
    why = {pool.pool_name: pool.purpose for pool in made.further_pools}
    return {p.pool_name: [f"ashift {p.ashift} {why.get(p.pool_name, '')}", *p.vdevs] for p in made.pools()}


def _priced(*specs: str, **changes: object) -> Design:
    bought = Budget(price_per_disk=money(80, "EUR"), price_on="2026-11-20")
    rates = (
        Setting(name="compression", value="zstd", reason="cold"),
        Setting(name="atime", value="off", reason="reads"),
    )
    facts: dict[str, object] = {
        "budget": bought,
        "workload": Workload(goal=Goal.SAFETY),
        "host": Host(ram_bytes=32 * GIB),
    }
    made = design_of(*specs, datasets=(Dataset(name="", settings=rates[:1]),), pool_settings=rates[1:])
    hard = tuple(replace(disk, media=Media.HDD) for disk in made.disks)
    return replace(made, **{**facts, "disks": hard, **changes})  # type: ignore[arg-type]


def compared_answers() -> dict[str, object]:
    """Return three designs side by side: one pool, two pools that share a disk, md RAID 6."""
    book, drives, today = load_shipped(), load_drive_book(), date(2026, 11, 20)
    volume = Dataset(
        name="vol", volume_bytes=GIB, settings=(Setting(name="volblocksize", value="16K", reason="clients"),)
    )
    one = _priced("raidz2:6x4T", "spare/stripe:1x4T", key="one", name="One")
    two = _priced("mirror:2x4TB", "mirror:2x4TB", "raidz1:3x4T", "log/stripe:1x1T", key="two", name="Two")
    shared = replace(
        two,
        disks=(
            *two.disks[:-1],
            replace(two.disks[-1], media=Media.NVME),
            Disk(key="d9", size_bytes=2 * TB, media=Media.HDD),
        ),
        further_pools=(replace(_CUT, datasets=(Dataset(name=""), volume)),),
    )
    columns = (
        zfs_column(evaluate(one, drives=drives, today=today, rules=book, unassigned_disks=1)),
        replace(zfs_column(evaluate(shared, drives=drives, today=today)), title="Shared", key="shared"),
        md_column(_priced("raidz2:6x4T", key="md", name="md"), drives, today=today),
    )
    found = compare(columns)
    return {
        "columns": [(c.key, c.title, c.layout, c.kind.value, c.raid is not None) for c in columns],
        "remarks": [c.remarks for c in columns],
        "rows": {
            row.line.name: _row(row.cells, (row.differs, row.best, row.sure, row.lead, row.currency))
            for row in found.rows
        },
        "titles": [(row.line.title, row.line.section, row.line.unit, row.line.better) for row in found.rows],
        "changes": [change_percent(row, 1) for row in found.rows],
        "properties": [
            (p.place, p.name, p.differs, [s and (s.value, s.reason) for s in p.settings]) for p in found.properties
        ],
        "wins": [[row.line.name for row in found.rows if row.best == (column,)] for column in range(3)],
        "alone": _asked(lambda: compare(columns[:1])),
        "md RAID": [
            _asked(partial(_arrays, made)) for made in (shared, two, _priced("mirror:3x1T", key="m", name="m"))
        ],
        "twice": _asked(lambda: compare((columns[0], columns[0]))),
    }


def _arrays(made: Design) -> list[object]:
    raid = md_raid6_of(made)
    return [raid.name, raid.device_name, raid.arrays, raid.spares]


def _row(cells: tuple[object, ...], said: tuple[object, ...]) -> list[object]:
    return [*cells, said]


def _scattered() -> list[object]:
    """Return how even disks of random places are dealt, and what that bears."""
    several = tuple(parse_spec(text) for text in ("raidz2:6x6TB", "raidz1:4x6TB", "mirror:3x6TB", "mirror:2x6TB"))
    dealt = [spread(scattered(count, seed), several) for count in (16, 22) for seed in range(12)]
    return [spread_score(rows, several) for rows in dealt]


def place_answers() -> dict[str, object]:
    """Return where disks are put: by layouts that somebody typed, and over shelves and controllers."""
    disks = tuple(
        Disk(
            key=f"d{n:02}", size_bytes=(6 if n % 5 else 4) * TB, media=Media.HDD if n < 14 else Media.SSD,
            enclosure=f"shelf {n % 3}" if n % 7 else None, controller=f"hba {n % 2}", model="A" if n % 4 else "B",
            serial=f"Z{n // 6}0{n:03}",
        )
        for n in range(17)
    )  # fmt: skip
    request = Request(disks=disks, workload=Workload(goal=Goal.SAFETY))
    machine = Inventory(name="seventeen", disks=disks, origin=Origin(kind=OriginKind.TYPED, source="typed"))
    identity = Identity(key="k", name="n")
    typed = (
        ("raidz2:6x6TB", "mirror:2x4TB", "log/mirror:2x6TB"),
        ("raidz1:9x6TB", "raidz1:9x4TB"),
        ("stripe:3x6TB", "cache/stripe:1x6TB"),
    )
    layouts = {"; ".join(texts): tuple(parse_spec(text) for text in texts) for texts in typed}
    specs = (parse_spec("raidz2:4x6TB"), parse_spec("raidz1:3x6TB"), parse_spec("mirror:2x6TB"))
    placed = spread(disks[:14], specs)
    found: dict[str, object] = {
        words: _vdevs(_asked(partial(own_design, layout, request, identity, machine)))
        for words, layout in layouts.items()
    }
    design = design_of("raidz1:4x1T", "mirror:2x1T", "spare/stripe:1x1T")
    stood = tuple(replace(disk, enclosure=f"shelf {n // 3}") for n, disk in enumerate(design.disks))
    return found | {
        "spread": placed,
        "score": spread_score(placed, specs),
        "scattered": _scattered(),
        "exchanged": _vdevs(spread_design(replace(design, disks=stood))),
        "unassigned": unassigned_of(design, ["d0", "d1", "x9"]),
    }


def wish_answers() -> dict[str, object]:
    """Return what budgets mean for disks, and how amounts are read."""
    disks = tuple(Disk(key=f"d{n}", size_bytes=(8 if n < 3 else 4) * TB, media=Media.HDD) for n in range(6))
    sizes = [disk.size_bytes or 0 for disk in disks]
    budgets = {
        "space, spares, failures": Budget(least_usable_bytes=12 * TB, spares=1, survive=2),
        "too much space": Budget(least_usable_bytes=80 * TB, spares=1),
        "too many spares": Budget(spares=6), "too many failures": Budget(survive=7, spares=2),
        "no bays": Budget(bays=0),
        "too safe": Budget(most_yearly_loss=1e-9),
    }  # fmt: skip
    found: dict[str, object] = {name: tuple(impossible_wishes(budget, sizes)) for name, budget in budgets.items()}
    return found | _amounts(sizes)


_SIZES = (
    0, 999, 1000, 1024, 131072, 16 * TB, 1 << 50, 1500, 10**12 + 1, 12_500_000_000, 3 << 40, 5 << 30, 7 << 20,
    7 * 10**9, 3 * 10**6,
)  # fmt: skip


def _amounts(sizes: list[int]) -> dict[str, object]:
    """Return bounds of space, and how amounts are read and written."""
    return {
        "most": [
            most_usable_bytes(sizes, disks=d, spares=s, survive=f)
            for d, s, f in ((6, 0, 0), (5, 1, 1), (3, 2, 2), (-1, 0, 0))
        ],
        "amounts": [f"{read.__name__} {text}: {_asked(partial(read, text))}" for read, text in _TYPED],
        "told": [
            *(amounts.rate_text(n) for n in (125_000_000, 31_250_000, 125, 1, 156_250_000)),
            amounts.risk_text(0.0001),
        ],
        "sizes": [amounts.size_text(size) for size in _SIZES],
    }


_TYPED: tuple[tuple[Callable[[str], object], str], ...] = tuple(
    (read, text)
    for read, texts in (
        (amounts.parse_percent, ("0", "80 %", "100", "101", "12.5", "x", "-1", "5 GB")),
        (amounts.parse_growth, ("0", "1000", "1001")),
        (amounts.parse_count, ("0", "1000000", "1000001", "1.5", "", "3 x")),
        (amounts.parse_factor, ("1", "0.9", "10000", "10001", "1,5", "1,500", "one")),
        (amounts.parse_number, ("0", "4500", "289.90", "1e3")),
        (amounts.parse_risk, ("0.01 %", "0", "100", "101")),
        (amounts.parse_hours, ("36", "90 min", "1.5 days", "30 s", "2 w", "0", "87660", "87661", "3 months")),
    )
    for text in texts
)
