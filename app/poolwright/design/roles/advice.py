"""Support devices: which of special, log, cache, dedup or a pool of their own flash drives are worth, with sizes.

    setting = setting_of(design)
    advice = judge_roles(setting)             # a RoleJudgement for each Role: verdict, because, size, gain, risks
    plan = plan_roles(advice, advice.helpful) # which drives carry the chosen roles together, in partitions if need be
    design = apply_roles(design, advice, advice.helpful)

All of it is pure and takes some milliseconds. `apply_roles` replaces what the design's support devices were before, so
that roles can be added and taken back in any order. What one cannot tell has the verdict CANNOT_TELL and names what
is missing.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import partial

from poolwright.design.roles import verdicts
from poolwright.design.roles.cache import judge_cache
from poolwright.design.roles.dedup_verdict import judge_dedup
from poolwright.design.roles.log import judge_log
from poolwright.design.roles.share import VITAL, plan_roles, survived, too_few_drives
from poolwright.design.roles.special import flash_room, judge_special
from poolwright.design.support import (
    FLASH_POOL_PURPOSE,
    SMALL_BLOCKS,
    Role,
    free_flash,
    without_small_blocks,
    without_support,
)
from poolwright.domain.design import Dataset, Design, FurtherPool, Setting, Vdev
from poolwright.domain.disk import FLASH_MEDIA, Media
from poolwright.domain.errors import Refusal
from poolwright.domain.units import KIB, PLAN_FILL_PERCENT, TIB
from poolwright.domain.vdev import VdevClass, VdevKind, VdevSpec
from poolwright.predict.assumptions import DEFAULT_LOG, Assumptions, host_of, load_of, rates_of, speed_inputs
from poolwright.predict.groups import groups_of
from poolwright.predict.media import disk_rates
from poolwright.predict.number_words import SPEED_TITLES
from poolwright.predict.speed import predict_groups
from poolwright.predict.throughput import special_as_log
from poolwright.rules.dataset_plan import workload_of
from poolwright.texts import _, capital, inside, ngettext


def setting_of(
    design: Design,
    choices: verdicts.RoleChoices | None = None,
    *,
    assumed: Assumptions | None = None,
    allowed: Collection[str] | None = None,
) -> verdicts.RoleSetting:
    """Return what judgements of support devices for ``design`` rest on.

    Its own support devices count as free, for they may change their role. ``allowed`` are the keys of drives that may
    be used beside those in the design (None: all of its inventory); ``assumed`` what a person said about the host.
    """
    bare, assumed = without_support(design), assumed or Assumptions()
    data = [vdev for vdev in bare.vdevs if vdev.vdev_class is VdevClass.DATA]
    known = all(bare.disk(member.disk_key).media is not None for vdev in data for member in vdev.members)
    rates = rates_of(bare, assumed)
    return verdicts.RoleSetting(
        pool=bare,
        data=tuple(map(bare.spec, data)),
        data_media=rates.media if known else None,
        flash=free_flash(design, allowed),
        inputs=speed_inputs(host_of(design, assumed), rates, DEFAULT_LOG, load_of(design), assumed.calibration),
        choices=choices or verdicts.RoleChoices(),
    )


def judge_roles(setting: verdicts.RoleSetting) -> verdicts.RoleAdvice:
    """Return a judgement of each role for the pool and the flash drives of ``setting``.

    Raises Refusal where OpenZFS would refuse the data vdevs, UserError where a size is unknown.
    """
    if not setting.data:
        raise Refusal(
            _("A pool needs a data vdev"), reasons=(_("support devices help data vdevs, and there are none"),)
        )
    judges = (judge_special, judge_log, judge_cache, judge_dedup, judge_own_pool)  # in the order of Role
    return verdicts.RoleAdvice(
        setting=setting, judgements=tuple(_as_drives_allow(setting, judge(setting)) for judge in judges)
    )


def _as_drives_allow(setting: verdicts.RoleSetting, judgement: verdicts.RoleJudgement) -> verdicts.RoleJudgement:
    """Return the judgement, against a role that helps or may help where the drives at hand are too few to carry it."""
    refused = too_few_drives(setting, judgement.role)
    if judgement.verdict is verdicts.Verdict.DOES_NOT_HELP or refused is None:
        return judgement
    wanted = ngettext("{count} more drive", "{count} more drives", setting.redundancy + 1 - len(setting.flash))
    if judgement.verdict is verdicts.Verdict.HELPS:
        refused = _("{refused} With {wanted} it would help.", refused=refused, wanted=wanted)
    return replace(judgement, verdict=verdicts.Verdict.DOES_NOT_HELP, because=(refused, *judgement.because), missing=())


# A pool of their own for the flash drives: worth it where the data that are read at random fit on them.

MOSTLY_SEQUENTIAL_PERCENT = 80
_WORTH = 1.25


def judge_own_pool(setting: verdicts.RoleSetting) -> verdicts.RoleJudgement:
    """Return whether a pool of the flash drives alone serves the random part of the work better than a support role."""
    room = flash_room(setting)
    against = partial(verdicts.no_help, Role.OWN_POOL)
    if room is None:
        return against(_("There are too few flash drives for a pool that survives as much as the other."))
    if setting.data_media in FLASH_MEDIA:
        return against(_(verdicts.ON_FLASH))
    sequential = setting.workload.sequential_percent
    if sequential is not None and sequential >= MOSTLY_SEQUENTIAL_PERCENT:
        return against(
            _("{sequential} % of the I/O is sequential, which hard disks do as well.", sequential=sequential)
        )
    plan = room * PLAN_FILL_PERCENT // 100
    fitting = [d for d in setting.pool.datasets if 0 < (d.logical_bytes or 0) <= plan and _at_random(setting, d)]
    if fitting:
        return _judge_fitting(setting, max(fitting, key=lambda dataset: dataset.logical_bytes or 0), room)
    working = setting.working_set_bytes
    if working is None:
        return verdicts.RoleJudgement(
            role=Role.OWN_POOL,
            verdict=verdicts.Verdict.CANNOT_TELL,
            because=(_("Worth it where the data read at random fit in {room} of flash.", room=verdicts.size(room)),),
            missing=(f"{_('size of the data in constant use')} (--working-set)",),
        )
    if working > plan:
        words = {"working": verdicts.size(working), "room": verdicts.size(room)}
        return against(_("The data in constant use, {working}, do not fit on 80 % of {room} of flash.", **words))
    own = _(
        "The data in constant use, {working}, fit on 80 % of {room} of flash ({share}), if they lie in datasets "
        "of their own.",
        working=verdicts.size(working),
        room=verdicts.size(room),
        share=verdicts.percent(working / room),
    )
    missing = (_("which datasets are in constant use, and their size"),)
    return verdicts.RoleJudgement(
        role=Role.OWN_POOL, verdict=verdicts.Verdict.CANNOT_TELL, because=(own,), gain=_gain(setting), missing=missing
    )


def _at_random(setting: verdicts.RoleSetting, dataset: Dataset) -> bool:
    share = workload_of(dataset, setting.workload)[0].sequential_percent
    return share is not None and share <= 50


def _judge_fitting(setting: verdicts.RoleSetting, dataset: Dataset, room: int) -> verdicts.RoleJudgement:
    """Return the judgement for the largest dataset that is used at random and fits."""
    gain, wanted, name = _gain(setting), dataset.logical_bytes or 0, dataset.name or None
    if gain.times() < _WORTH:
        text = _("The hard disks together are as fast at random reads as these drives.")
        return replace(verdicts.no_help(Role.OWN_POOL, text), gain=gain, dataset=name)
    because = _(
        "{name} is used at random and with {logical_bytes} fits on 80 % of {room} of flash.",
        name=name or capital(_("the root dataset")),
        logical_bytes=verdicts.size(wanted),
        room=verdicts.size(room),
    )
    need = wanted * 100 / PLAN_FILL_PERCENT
    source = _("its data at 80 % fill; high: twice as much")
    return verdicts.RoleJudgement(
        role=Role.OWN_POOL,
        verdict=verdicts.Verdict.HELPS,
        because=(because,),
        size=verdicts.estimate((float(wanted), need, 2 * need), limit=_("the data in it"), source=source),
        gain=gain,
        wished_redundancy=setting.redundancy,
        risks=(_("Space is split: what one pool has too much the other cannot use."),),
        dataset=name,
    )


def _gain(setting: verdicts.RoleSetting) -> verdicts.Gain:
    inputs = setting.inputs
    media = Media.NVME if all(d.media is Media.NVME for d in setting.flash) else Media.SSD
    fast = speed_inputs(inputs.host, disk_rates(media=media), inputs.log, inputs.load, inputs.calibration)
    width = max(2, setting.redundancy + 1)
    mirrors = (VdevSpec(kind=VdevKind.MIRROR, sizes=(TIB,) * width),) * (len(setting.flash) // width)
    one = (VdevSpec(kind=VdevKind.STRIPE, sizes=(TIB,)),)
    before = predict_groups(groups_of(setting.data), inputs).rand_read_iops
    after = predict_groups(groups_of(mirrors or one), fast).rand_read_iops
    return verdicts.Gain(what=inside(_(SPEED_TITLES["rand_read_iops"])), unit="IOPS", before=before, after=after)


# The design with roles, and which of those that help it gets by itself.


def apply_roles(design: Design, advice: verdicts.RoleAdvice, chosen: Iterable[Role]) -> Design:
    """Return ``design`` with the ``chosen`` roles carried by the flash drives of ``advice``, and no other of them.

    A special vdev brings `special_small_blocks` for the datasets. A role that the drives cannot carry is left out;
    `plan_roles` says why.
    """
    plan = plan_roles(advice, chosen)
    bare = without_support(design)
    support = [vdev for planned in plan.planned if planned.role is not Role.OWN_POOL for vdev in planned.vdevs]
    # Data vdevs come first, hot spares last: the order in which a script adds them.
    spares = [vdev for vdev in bare.vdevs if vdev.vdev_class is VdevClass.SPARE]
    others = [vdev for vdev in bare.vdevs if vdev.vdev_class is not VdevClass.SPARE]
    made = replace(bare, vdevs=(*others, *support, *spares))
    if plan.of(Role.SPECIAL):
        made = replace(made, datasets=_with_small_blocks(made.datasets, advice.of(Role.SPECIAL)))
    own = plan.of(Role.OWN_POOL)
    return made if own is None else _with_flash_pool(made, own.vdevs, advice.of(Role.OWN_POOL).dataset)


def _with_small_blocks(datasets: tuple[Dataset, ...], judgement: verdicts.RoleJudgement) -> tuple[Dataset, ...]:
    limits = {
        block.dataset: Setting(
            name=SMALL_BLOCKS,
            value=f"{block.limit_bytes // KIB}K",
            reason=_("small blocks on flash: {reason}", reason=block.reason),
        )
        for block in judgement.small_blocks
        if block.limit_bytes
    }
    if "" in limits and not any(d.name == "" for d in datasets):
        datasets = (Dataset(name=""), *datasets)
    return tuple(
        replace(d, settings=(*without_small_blocks(d).settings, limits[d.name])) if d.name in limits else d
        for d in datasets
    )


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


def advised_roles(advice: verdicts.RoleAdvice) -> tuple[Role, ...]:
    """Return the roles that are worth a device and bear each other on the drives there are."""
    back = dict(held_back(advice))
    return tuple(role for role in advice.helpful if role not in back)


def held_back(advice: verdicts.RoleAdvice) -> tuple[tuple[Role, str], ...]:
    """Return the roles that help and are not advised all the same, with the reason."""
    roles = list(advice.helpful)
    found: list[tuple[Role, str]] = []
    for part in plan_roles(advice, roles).planned:
        missing = advice.setting.redundancy - survived(part.vdevs)
        if part.role in VITAL and missing > 0:
            roles.remove(part.role)
            text = ngettext(
                "It would survive less than the data vdevs: it needs {count} more drive.",
                "It would survive less than the data vdevs: it needs {count} more drives.",
                missing,
            )
            found.append((part.role, text))
    for role, why in _not_to_share(advice, roles):
        if role in roles and plan_roles(advice, roles).shared:
            roles.remove(role)
            found.append((role, why))
    return tuple(found)


def _not_to_share(advice: verdicts.RoleAdvice, roles: list[Role]) -> list[tuple[Role, str]]:
    """Return which role gives way first where drives would carry several: what is missed least, or stays for good."""
    cache = _("It would share its drives: what waits for a log or a special vdev then waits for the cache.")
    order = [(Role.CACHE, cache)]
    if Role.SPECIAL in roles and (by_itself := special_as_log(advice.setting.pool.version)):
        order.append((Role.LOG, by_itself))
    with_log = _(
        "It would share its drives with the log: each commit then waits for it, and the log wears them out. Give "
        "each its own drives."
    )
    return [*order, *((role, with_log) for role in VITAL if Role.LOG in roles)]
