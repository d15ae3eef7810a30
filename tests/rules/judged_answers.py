"""What rules say of the designs that violate them, the facts of odd layouts and disks, presets and proposals."""

from collections.abc import Callable
from dataclasses import replace

from tests.rules.machines import design, disk, disks, mirror, premises, raidz
from tests.rules.plans import PLANS, Plan

from poolwright.domain.design import Dataset, Design, Setting
from poolwright.domain.disk import Disk, Health, LbaFormat, Media, Use, UseKind
from poolwright.domain.finding import Finding, Outcome
from poolwright.domain.host import Controller, Host
from poolwright.domain.money import money
from poolwright.domain.units import GIB, KIB, TB
from poolwright.domain.vdev import parse_spec
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Budget, Goal, Sharing, Workload
from poolwright.rules.dataset_plan import dataset_workload, planned_datasets, root_workload
from poolwright.rules.design_judge import (
    delivery,
    judge_design,
    largest_delivery,
    merge_findings,
    pool_details,
    shared_keys,
    split_by_pool,
    vdev_details,
)
from poolwright.rules.facts import facts_of, host_facts, workload_facts
from poolwright.rules.layout_facts import (
    LayoutNumbers,
    VdevDetails,
    common_facts,
    group_label,
    groups_of,
    pool_facts,
    replacement_slack,
    slack_slice,
    stored_percent,
    trade_bytes,
    vdev_facts,
)
from poolwright.rules.presets import DETAILS, PRESETS, apply_preset, filled_by, usual_goal
from poolwright.rules.profile import DiskProfile
from poolwright.rules.propose import advise_host, fitting_block, proposals_for, propose_dataset, propose_properties
from poolwright.rules.rulebook import RuleBook
from poolwright.texts import first_of

_LAYOUTS = (
    ("raidz2:6x6TB", "raidz2:6x6TB", "spare/stripe:2x6TB"),
    ("mirror:2x4TB", "mirror:2x4TB", "mirror:3x4TB", "log/mirror:2x1TB", "cache/stripe:2x1TB"),
    ("stripe:5x3TB",),
    ("raidz1:3x4TB", "mirror:2x4TB", "special/mirror:2x1TB", "special/mirror:2x1TB", "dedup/mirror:3x1TB"),
    ("draid2:8d:1s:24x8TB", "log/stripe:1x1TB"),
    ("raidz3:11x8TB", "raidz3:9x8TB", "spare/stripe:1x6TB", "spare/stripe:1x8TB"),
)
_SIZES = (59 * 10**9, 60 * 10**9, 60_022_480_896, 10**12, 1000204886016, 6001175126016, 6001175126015, 8001563222016,
          8001563222017, 8_040_000_000_000, 8_400_000_000_000, 10000831348736, 18000207937536, 40 * TB)  # fmt: skip


def _said(finding: Finding) -> str:
    facts = ", ".join(f"{used.name} {used.value}" for used in finding.facts)
    weight = ", ".join(f"{name} {amount:g}" for name, amount in finding.weight)
    missing = f" missing {', '.join(finding.missing)}" if finding.missing else ""
    head = f"{finding.rule_id}: {finding.outcome.value} {finding.severity.value} on {finding.subject} [{weight}]"
    return f"{head}{missing}: {finding.text} ({facts})"


def _judged(book: RuleBook, plan: Plan) -> tuple[Finding, ...]:
    found = judge_design(book, plan.design, plan.numbers, plan.rebuild)
    return tuple(f for f in found if f.outcome in (Outcome.VIOLATED, Outcome.CANNOT_TELL))


def plan_answers(book: RuleBook) -> dict[str, object]:
    """Return by rule what is found in the design that violates it, each finding once over all designs."""
    told: dict[str, list[str]] = {}
    seen: set[str] = set()
    for name, make in PLANS.items():
        found = _judged(book, make())
        words = [_said(finding) for finding in found]
        told[name] = [text for text in words if text not in seen]
        seen.update(words)
    return {name: texts for name, texts in told.items() if texts}


def explained_answers(book: RuleBook) -> dict[str, object]:
    """Return some findings with their reasons, and those of two pools together and apart."""
    plans = ("members.old", "enclosures.loss-takes-pool", "members.one-delivery", "raidz.for-random-io")
    judged = {name: _judged(book, PLANS[name]()) for name in plans}
    one, two = PLANS["members.old"]().design, replace(PLANS["members.one-delivery"]().design, pool_name="second")
    both = replace(one, further_pools=())
    pools = ((one, judged["members.old"]), (two, judged["members.one-delivery"]))
    joined = merge_findings(pools)
    return {name: [f"{f.outcome.value}: {f.sentence}" for f in found[:2]] for name, found in judged.items()} | {
        "united": [f"{finding.subject}: {finding.text}" for finding in joined],
        "apart": [[f"{f.subject}: {f.rule_id}" for f in own] for own in split_by_pool(both, joined)],
        "some": [first_of([str(n) for n in range(count)]) for count in (1, 4, 5, 9)],
    }


def fact_answers(book: RuleBook) -> dict[str, object]:
    """Return the facts of layouts, disks, details of designs, workloads, budgets and hosts."""
    version, numbers = ZfsVersion(2, 3, 2), LayoutNumbers(usable_bytes=TB, unassigned_disks=3)
    expected = replace(numbers, predicted={"pool.seq_read_bytes_per_second": 5, "pool.scrub_hours": 2.5})
    profile = DiskProfile.from_disks(_odd_disks())
    found: dict[str, object] = {}
    for words in _LAYOUTS:
        layout = tuple(parse_spec(text) for text in words)
        groups = groups_of(layout)
        found["; ".join(words)] = {
            "pool": common_facts(profile, 12) | pool_facts(groups, version=version, numbers=expected),
            "labels": [group_label(group) for group in groups],
            "first": vdev_facts(
                groups[0], label="first", profile=profile, ashift=12, version=version, io_bytes=8 * KIB,
                volume_block_bytes=16 * KIB, details=VdevDetails(partitioned=True, batch_disks=2),
                rebuild=lambda spec: 3.5 * spec.width,
            ),
            "last": vdev_facts(groups[-1], label="last", profile=profile, ashift=9, version=version, io_bytes=None),
            "slack": [replacement_slack(spec, version) for spec in layout],
            "stored": [stored_percent(spec, shift, 512 << shift % 9) for spec in layout for shift in (9, 12, 13)],
            "fitting": fitting_block(book, layout, 12),
        }  # fmt: skip
    host = Host(ram_bytes=16 * GIB, os_name="FreeBSD 14", controllers=(Controller(name="MegaRAID"),))
    busy = Workload(goal=Goal.SPEED, sharing=Sharing.NFS, io_size_bytes=4 * KIB, network_bytes_per_second=10**9)
    wished = Budget(survive=2, spares=1, bays=12, money=money(900, "EUR"), import_on="2.1", least_usable_bytes=TB)
    hosts = (Host(), host, replace(host, os_name="Debian 12", kernel="6.1.0"))
    asked = [facts_of(busy, b, Host(), v) for b in (Budget(), wished) for v in (version, ZfsVersion(0, 8, 6))]
    return found | {
        "disks": list(map(DiskProfile.from_disks, _disk_sets())),
        "workloads": [
            {name: value for name, value in workload_facts(w, use=use).items() if value}
            for w in (busy, Workload(goal=Goal.SAFETY))
            for use in (None, "vm")
        ],
        "budgets": [{n: value for n, value in facts.items() if n.startswith("budget.")} for facts in asked],
        "hosts": [host_facts(one, v, busy) for one in hosts for v in (version, ZfsVersion(2, 1, 0))],
    }


def _odd_disks() -> tuple[Disk, ...]:
    uses = (Use(kind=UseKind.FOREIGN_POOL, detail="old"), Use(kind=UseKind.MOUNTED, detail="/srv"))
    formats = (LbaFormat(data_bytes=512, current=True), LbaFormat(data_bytes=4096))
    return (
        disk(0),
        disk(1, smr=True, health=Health.SUSPECT, power_on_hours=50_000, serial="Z4D00000XYZ"),
        disk(2, 4 * TB, uses=uses, by_id=(), transport="SATA"),
        disk(3, media=Media.NVME, lba_formats=formats, wear_percent=91, serial="Z4D00000XYZ"),
        disk(4, physical_sector_bytes=None, smr=None, health=None, media=None, transport=None),
    )


def _disk_sets() -> tuple[tuple[Disk, ...], ...]:
    odd = _odd_disks()
    return (), odd, odd[:2], odd[3:4] * 2, tuple(replace(one, planned=True, media=Media.SSD) for one in disks(2))


def detail_answers() -> dict[str, object]:
    """Return what designs settle, names of pools, deliveries and the sizes that disks are sold in."""
    plans = ("enclosures.loss-takes-pool", "members.partitions", "members.same-disk-twice", "members.one-delivery")
    designs = {name: PLANS[name]().design for name in plans}
    return {
        "pools": {name: pool_details(made) for name, made in designs.items()},
        "shared": [shared_keys(made) for made in designs.values()],
        "vdevs": [_details(made) for made in designs.values()],
        "deliveries": [delivery(one) for one in (*_odd_disks()[:2], disk(9, model=None), disk(8, serial="EXAMPLE123"))],
        "largest": [largest_delivery(among) for among in ((), disks(3), PLANS["members.one-delivery"]().design.disks)],
        "trade": [f"{size}: {trade_bytes(size)} {slack_slice(size)}" for size in _SIZES],
    }


def _details(made: Design) -> object:
    shared = shared_keys(made)
    return [vdev_details(vdev, [made.disk(m.disk_key) for m in vdev.members], shared) for vdev in made.vdevs]


def preset_answers() -> dict[str, object]:
    """Return what each preset makes of a workload, and back; `test_presets` tries them in pairs."""
    typed = Workload(goal=Goal.SPACE, read_percent=33, clients=7, compressible=False)
    found: dict[str, object] = {}
    for one in PRESETS:
        made = apply_preset(typed, one)
        said = replace(made, io_size_bytes=KIB)
        found[one.key] = [
            _short(made), usual_goal(made), _short(root_workload(made)), _short(apply_preset(said)),
            [f"{d}: {by.key}" for d in DETAILS if (by := filled_by(said, d)) is not None],
            [f"{p.name} {dataset_workload(p.name, made)[1]}" for p in planned_datasets(made)],
        ]  # fmt: skip
    return found


def _short(work: Workload) -> str:
    empty = Workload(goal=Goal.SAFETY)
    told = {name: getattr(work, name) for name in ("goal", "preset", *DETAILS, "clients", "presets_beside")}
    return ", ".join(f"{name} {value}" for name, value in told.items() if value != getattr(empty, name))


def proposal_answers(book: RuleBook) -> dict[str, object]:
    """Return the properties proposed for some pools, a volume and datasets, and the advice for their machines."""
    eight, flash = disks(8), disks(2, media=Media.NVME)
    works: dict[str, Callable[[], tuple[Design, Workload]]] = {
        "safety": lambda: (design(raidz(eight, 2), of=eight), Workload(goal=Goal.SAFETY)),
        "smb, database": lambda: (design(mirror(*flash), of=flash), _preset("smb", "database")),
        "media": lambda: (design(raidz(eight, 2), of=eight, version="0.8.6"), _preset("media-archive")),
        "iscsi": lambda: (design(raidz(eight, 1), of=eight, ashift=13), _preset("iscsi")),
    }
    found: dict[str, object] = {}
    numbers = LayoutNumbers(usable_bytes=TB)
    for name, make in works.items():
        made, work = make()
        around = premises(
            made.disks, work, version=str(made.version), budget=Budget(import_on="2.1"), host=made.machine
        )
        proposed = propose_properties(book, around, layout=made.layout(), numbers=numbers)
        bare = premises(made.disks, replace(work, volumes=True), version=str(made.version))
        volume = propose_dataset(book, bare, layout=made.layout(), volume=True)
        asked = replace(made, workload=work)
        boxes = (Dataset(name="vm", volume_bytes=TB), Dataset(name="mail", workload=_preset("smb")), Dataset(name="x"))
        found[name] = {
            "ashift": [_set(setting) for setting in (proposed.ashift,) if setting is not None],
            "pool": list(map(_set, proposed.pool)),
            "root": list(map(_set, proposed.root)),
            "below": [(one.name, list(map(_set, one.settings))) for one in proposed.datasets],
            "volume": list(map(_set, volume)),
            "datasets": [list(map(_set, proposals_for(book, asked, box))) for box in boxes],
            "advice": [
                (a.rule_id, a.command, a.reason) for a in advise_host(book, asked, LayoutNumbers(usable_bytes=TB))
            ],
        }
    return found


def _preset(*keys: str) -> Workload:
    chosen = [one for one in PRESETS if one.key in keys]
    return apply_preset(Workload(goal=chosen[0].workload.goal), *chosen)


def _set(setting: Setting) -> str:
    return f"{setting.name}={setting.value}: {setting.reason}"
