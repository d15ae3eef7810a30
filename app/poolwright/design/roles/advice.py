"""Support devices: which of special, log, cache, dedup or a pool of their own flash drives are worth, with sizes.

    setting = setting_of(design)              # or RoleSetting(data=..., around=outlook.around, ...) for a layout
    advice = judge_roles(setting)             # a RoleJudgement for each Role: verdict, because, size, gain, risks
    plan = plan_roles(advice, advice.helpful) # which drives carry the chosen roles together, in partitions if need be
    design = apply_roles(design, advice, advice.helpful)

All of it is pure and takes some milliseconds. `apply_roles` replaces what the design's support devices were before, so
that roles can be added and taken back in any order. What one cannot tell has the verdict CANNOT_TELL and names what
is missing.
"""

from collections.abc import Iterable
from dataclasses import replace

from poolwright.design.roles.cache import judge_cache
from poolwright.design.roles.dedup_verdict import judge_dedup
from poolwright.design.roles.log import SPECIAL_TAKES_LOG, judge_log
from poolwright.design.roles.model import (
    Gain,
    PlannedRole,
    Role,
    RoleAdvice,
    RoleChoices,
    RoleJudgement,
    RoleSetting,
    Verdict,
)
from poolwright.design.roles.share import plan_roles, too_few_drives
from poolwright.design.roles.special import flash_room, judge_special
from poolwright.design.roles.words import estimate, percent, size
from poolwright.domain.design import Dataset, Design, FurtherPool, Setting, Vdev
from poolwright.domain.disk import FLASH_MEDIA, Disk, Health, Media
from poolwright.domain.errors import Refusal
from poolwright.domain.units import KIB, PLAN_FILL_PERCENT, TIB
from poolwright.domain.vdev import VdevClass, VdevKind, VdevSpec
from poolwright.predict.assumptions import DEFAULT_LOG, Assumptions, circumstances, host_of, load_of, rates_of
from poolwright.predict.groups import groups_of
from poolwright.predict.media import disk_rates
from poolwright.predict.speed import predict_groups
from poolwright.rules.dataset_plan import workload_of
from poolwright.texts import tell, tell_counted

# A pool of their own for the flash drives: worth it where the data that are read at random fit on them.

MOSTLY_SEQUENTIAL_PERCENT = 80
WORTH = 1.25


def judge_own_pool(setting: RoleSetting) -> RoleJudgement:
    """Return whether a pool of the flash drives alone serves the random part of the work better than a support role."""
    room = flash_room(setting)
    if room is None:
        return _no(tell("There are too few flash drives for a pool that survives as much as the other."))
    if setting.data_media in FLASH_MEDIA:
        return _no(tell("The pool itself is flash: one pool of all drives is simpler and shares its room."))
    sequential = setting.workload.sequential_percent
    if sequential is not None and sequential >= MOSTLY_SEQUENTIAL_PERCENT:
        return _no(tell("{sequential} % of the I/O is sequential, which hard disks do as well.", sequential=sequential))
    plan = room * PLAN_FILL_PERCENT // 100
    dataset = _fitting(setting, plan)
    working = setting.working_set_bytes
    gain = _gain(setting)
    if dataset is not None:
        because = tell(
            "{name} is used at random and with {logical_bytes} fits on 80 % of {room} of flash: "
            "all of its I/O, writes too, stays off the hard disks.",
            name=dataset.name or tell("The root dataset"),
            logical_bytes=size(dataset.logical_bytes or 0),
            room=size(room),
        )
        return replace(_yes(setting, because, dataset.logical_bytes or 0, gain), dataset=dataset.name or None)
    if working is None:
        return RoleJudgement(
            role=Role.OWN_POOL,
            verdict=Verdict.CANNOT_TELL,
            because=(tell("Yes where all that is used at random fits on {room} of flash.", room=size(room)),),
            missing=(tell("the size of the data in constant use (--working-set), or of each dataset"),),
        )
    if working > plan:
        return _no(
            tell(
                "The data in constant use, {working}, do not fit on 80 % of {room} of flash.",
                working=size(working),
                room=size(room),
            )
        )
    own = tell(
        "The data in constant use, {working}, fit on 80 % of {room} of flash ({share}), but a pool does not sort hot "
        "from cold by itself: they must lie in datasets of their own.",
        working=size(working),
        room=size(room),
        share=percent(working / room),
    )
    missing = tell("which datasets are in constant use, and their size")
    return RoleJudgement(role=Role.OWN_POOL, verdict=Verdict.CANNOT_TELL, because=(own,), gain=gain, missing=(missing,))


def _fitting(setting: RoleSetting, plan_bytes: int) -> Dataset | None:
    """Return the largest dataset that is used at random and fits."""
    found = [
        dataset
        for dataset in setting.datasets
        if 0 < (dataset.logical_bytes or 0) <= plan_bytes and _random(setting, dataset)
    ]
    return max(found, key=lambda dataset: dataset.logical_bytes or 0, default=None)


def _random(setting: RoleSetting, dataset: Dataset) -> bool:
    share = workload_of(dataset, setting.workload)[0].sequential_percent
    return share is not None and share <= 50


def _gain(setting: RoleSetting) -> Gain:
    around = setting.around
    media = Media.NVME if all(d.media is Media.NVME for d in setting.flash) else Media.SSD
    fast = circumstances(around.host, disk_rates(media=media), around.log, around.load, around.calibration)
    width = max(2, setting.redundancy + 1)
    mirrors = tuple(VdevSpec(kind=VdevKind.MIRROR, sizes=(TIB,) * width) for _ in range(len(setting.flash) // width))
    one = (VdevSpec(kind=VdevKind.STRIPE, sizes=(TIB,)),)
    before = predict_groups(groups_of(setting.data), around).rand_read_iops
    after = predict_groups(groups_of(mirrors or one), fast).rand_read_iops
    return Gain(what=tell("random reads"), unit="IOPS", before=before, after=after)


def _yes(setting: RoleSetting, because: str, wanted: int, gain: Gain) -> RoleJudgement:
    if gain.after.typical < WORTH * gain.before.typical:
        return replace(_no(tell("The hard disks together are as fast at random reads as these drives.")), gain=gain)
    need = wanted * 100 / PLAN_FILL_PERCENT
    return RoleJudgement(
        role=Role.OWN_POOL,
        verdict=Verdict.HELPS,
        because=(because,),
        size=estimate(
            (float(wanted), need, 2 * need),
            limit=tell("the data in it"),
            source=tell("its data at 80 % fill; high: twice as much"),
        ),
        gain=gain,
        least_redundancy=0,
        wished_redundancy=setting.redundancy,
        risks=(tell("Space is split: what one pool has too much the other cannot use."),),
    )


def _no(because: str) -> RoleJudgement:
    return RoleJudgement(role=Role.OWN_POOL, verdict=Verdict.DOES_NOT_HELP, because=(because,))


SUPPORT_CLASSES = (VdevClass.SPECIAL, VdevClass.DEDUP, VdevClass.LOG, VdevClass.CACHE)
# Marks the pool that `apply_roles` made, so that it finds it again.
FLASH_POOL_PURPOSE = "The flash drives as a pool of their own"  # for machines
_SMALL_BLOCKS = "special_small_blocks"
_JUDGES = {
    Role.SPECIAL: judge_special,
    Role.LOG: judge_log,
    Role.CACHE: judge_cache,
    Role.DEDUP: judge_dedup,
    Role.OWN_POOL: judge_own_pool,
}


def judge_roles(setting: RoleSetting) -> RoleAdvice:
    """Return a judgement of each role for the pool and the flash drives of ``setting``.

    Raises Refusal where OpenZFS would refuse the data vdevs, UserError where a size is unknown.
    """
    if not setting.data:
        raise Refusal(
            tell("A pool needs a data vdev"), reasons=(tell("support devices help data vdevs, and there are none"),)
        )
    judged = tuple(judge(setting) for judge in _JUDGES.values())
    return RoleAdvice(setting=setting, judgements=tuple(_as_drives_allow(setting, one) for one in judged))


def _as_drives_allow(setting: RoleSetting, judgement: RoleJudgement) -> RoleJudgement:
    """Return the judgement, against a role that helps or may help where the drives at hand are too few to carry it."""
    refused = too_few_drives(setting, judgement.role)
    if judgement.verdict is Verdict.DOES_NOT_HELP or refused is None:
        return judgement
    wanted = tell_counted("{count} more drive", "{count} more drives", setting.redundancy + 1 - len(setting.flash))
    if judgement.verdict is Verdict.HELPS:
        refused = tell("{refused} With {wanted} it would help.", refused=refused, wanted=wanted)
    return replace(judgement, verdict=Verdict.DOES_NOT_HELP, because=(refused, *judgement.because), missing=())


def setting_of(
    design: Design,
    choices: RoleChoices | None = None,
    *,
    assumed: Assumptions | None = None,
    allowed: frozenset[str] | None = None,
) -> RoleSetting:
    """Return what judgements of support devices for ``design`` rest on.

    Its own support devices count as free, for they may change their role. ``allowed`` are the keys of drives that may
    be used beside those in the design (None: all of its inventory); ``assumed`` what a person said about the host.
    """
    bare = without_support(design)
    data = tuple(bare.spec(v) for v in bare.vdevs if v.vdev_class is VdevClass.DATA)
    rates = rates_of(bare, assumed or Assumptions())
    load = load_of(design)
    calibration = (assumed or Assumptions()).calibration
    return RoleSetting(
        data=data,
        data_media=rates.media if _media_known(bare) else None,
        flash=free_flash(design, allowed),
        workload=design.workload,
        around=circumstances(host_of(design, assumed or Assumptions()), rates, DEFAULT_LOG, load, calibration),
        host=design.machine,
        version=design.version,
        ashift=design.ashift,
        datasets=bare.datasets,
        choices=choices or RoleChoices(),
    )


def free_flash(design: Design, allowed: frozenset[str] | None = None) -> tuple[Disk, ...]:
    """Return the SSDs and NVMe drives that may carry a role: free and sound, or in a support role already."""
    taken = without_support(design).used_keys()
    placed = design.used_keys()
    return tuple(
        disk
        for disk in design.disks
        if disk.media in FLASH_MEDIA
        and disk.key not in taken
        and not disk.refusals()
        and disk.health is not Health.FAILING
        and (allowed is None or disk.key in allowed or disk.key in placed)
    )


def chosen_roles(design: Design) -> frozenset[Role]:
    classes = {vdev.vdev_class for vdev in design.vdevs if _is_support(design, vdev)}
    found: set[Role] = {role for role in Role if role is not Role.OWN_POOL and role.vdev_class in classes}
    if any(pool.purpose == FLASH_POOL_PURPOSE for pool in design.further_pools):
        found.add(Role.OWN_POOL)
    return frozenset(found)


def without_support(design: Design) -> Design:
    """Return the design without support vdevs on flash drives, and without the settings that belong to them."""
    vdevs = tuple(vdev for vdev in design.vdevs if not _is_support(design, vdev))
    back = tuple(d for p in design.further_pools if p.purpose == FLASH_POOL_PURPOSE for d in p.datasets if d.name)
    pools = tuple(pool for pool in design.further_pools if pool.purpose != FLASH_POOL_PURPOSE)
    special = any(vdev.vdev_class is VdevClass.SPECIAL for vdev in vdevs)
    own = design.datasets if special else tuple(_without_small_blocks(dataset) for dataset in design.datasets)
    return replace(design, vdevs=vdevs, further_pools=pools, datasets=(*own, *back))


def apply_roles(design: Design, advice: RoleAdvice, chosen: Iterable[Role]) -> Design:
    """Return ``design`` with the ``chosen`` roles carried by the flash drives of ``advice``, and no other of them.

    A special vdev brings `special_small_blocks` for the datasets. A role that the drives cannot carry is left out;
    `plan_roles` says why.
    """
    plan = plan_roles(advice, chosen)
    bare = without_support(design)
    support = tuple(vdev for planned in plan.planned if planned.role is not Role.OWN_POOL for vdev in planned.vdevs)
    # Data vdevs come first, hot spares last: the order in which a script adds them.
    spares = tuple(vdev for vdev in bare.vdevs if vdev.vdev_class is VdevClass.SPARE)
    others = tuple(vdev for vdev in bare.vdevs if vdev.vdev_class is not VdevClass.SPARE)
    made = replace(bare, vdevs=(*others, *support, *spares))
    if plan.of(Role.SPECIAL):
        limits = {b.dataset: (b.limit_bytes, b.reason) for b in advice.of(Role.SPECIAL).small_blocks if b.limit_bytes}
        made = replace(made, datasets=_with_small_blocks(made.datasets, limits))
    own = plan.of(Role.OWN_POOL)
    return made if own is None else _with_flash_pool(made, own.vdevs, advice.of(Role.OWN_POOL).dataset)


def _is_support(design: Design, vdev: Vdev) -> bool:
    if vdev.vdev_class not in SUPPORT_CLASSES:
        return False
    media = {disk.key: disk.media for disk in design.disks}
    return all(media.get(member.disk_key) in FLASH_MEDIA for member in vdev.members)


def _media_known(design: Design) -> bool:
    data = [m.disk_key for v in design.vdevs if v.vdev_class is VdevClass.DATA for m in v.members]
    return all(design.disk(key).media is not None for key in data)


def _without_small_blocks(dataset: Dataset) -> Dataset:
    kept = tuple(setting for setting in dataset.settings if setting.name != _SMALL_BLOCKS)
    return dataset if len(kept) == len(dataset.settings) else replace(dataset, settings=kept)


def _with_small_blocks(datasets: tuple[Dataset, ...], limits: dict[str, tuple[int, str]]) -> tuple[Dataset, ...]:
    present = datasets if any(d.name == "" for d in datasets) or "" not in limits else (Dataset(name=""), *datasets)

    def changed(dataset: Dataset) -> Dataset:
        if dataset.name not in limits:
            return dataset
        limit, reason = limits[dataset.name]
        setting = Setting(
            name=_SMALL_BLOCKS, value=f"{limit // KIB}K", reason=tell("small blocks on flash: {reason}", reason=reason)
        )
        return replace(dataset, settings=(*_without_small_blocks(dataset).settings, setting))

    return tuple(changed(dataset) for dataset in present)


def _with_flash_pool(design: Design, vdevs: tuple[Vdev, ...], dataset: str | None) -> Design:
    """Return the design with a pool of ``vdevs``, which takes over ``dataset`` and those below it."""
    moved = tuple(d for d in design.datasets if dataset and (d.name == dataset or d.name.startswith(f"{dataset}/")))
    root = next((d for d in design.datasets if d.name == ""), Dataset(name=""))
    pool = FurtherPool(
        pool_name=f"{design.pool_name}-flash",
        vdevs=vdevs,
        ashift=design.ashift,
        pool_settings=design.pool_settings,
        datasets=(replace(root, logical_bytes=None), *moved),
        purpose=FLASH_POOL_PURPOSE,
    )
    kept = tuple(d for d in design.datasets if d not in moved)
    return replace(design, datasets=kept, further_pools=(*design.further_pools, pool))


# Which of the roles that help a design gets by itself, and why the others wait until somebody chooses them.

# Without these a pool is lost.
_VITAL = (Role.SPECIAL, Role.DEDUP)


def advised_roles(advice: RoleAdvice) -> tuple[Role, ...]:
    """Return the roles that are worth a device and bear each other on the drives there are."""
    back = {role for role, _ in held_back(advice)}
    return tuple(role for role in advice.helpful if role not in back)


def held_back(advice: RoleAdvice) -> tuple[tuple[Role, str], ...]:
    """Return the roles that help and are not advised all the same, with the reason."""
    roles = list(advice.helpful)
    found: list[tuple[Role, str]] = []
    for part in plan_roles(advice, roles).planned:
        missing = advice.setting.redundancy - _survived(part)
        if part.role in _VITAL and missing > 0:
            roles.remove(part.role)
            found.append((part.role, _weak_words(missing)))
    for role, why in _not_to_share(advice, roles):
        if role in roles and plan_roles(advice, roles).shared:
            roles.remove(role)
            found.append((role, why))
    return tuple(found)


def _survived(part: PlannedRole) -> int:
    return min(len(vdev.members) - 1 if vdev.kind is VdevKind.MIRROR else 0 for vdev in part.vdevs)


def _not_to_share(advice: RoleAdvice, roles: list[Role]) -> list[tuple[Role, str]]:
    """Return which role gives way first where drives would carry several: what is missed least, or stays for good."""
    cache = tell("It would share its drives, and what waits for a log or a special vdev then waits for the cache.")
    order = [(Role.CACHE, cache)]
    if Role.SPECIAL in roles and advice.setting.version >= SPECIAL_TAKES_LOG:
        order.append((Role.LOG, tell("OpenZFS 2.4 puts the log on the special vdev by itself.")))
    with_log = tell(
        "It would share its drives with the log: each commit then waits for it, and a drive worn by the log takes "
        "part of the pool with it. Give each its own drives; a log can be taken out at any time."
    )
    return [*order, *((role, with_log) for role in _VITAL if Role.LOG in roles)]


def _weak_words(missing: int) -> str:
    return tell_counted(
        "It would bear less than the data vdevs, and the pool is lost with it: it wants {count} more drive.",
        "It would bear less than the data vdevs, and the pool is lost with it: it wants {count} more drives.",
        missing,
    )
