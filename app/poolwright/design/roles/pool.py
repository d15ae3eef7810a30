"""A pool of their own for the flash drives: worth it where the data that are read at random fit on them."""

from dataclasses import replace

from poolwright.design.roles.model import Gain, Role, RoleJudgement, RoleSetting, Verdict
from poolwright.design.roles.special import flash_room
from poolwright.design.roles.words import estimate, percent, size
from poolwright.domain.design import Dataset
from poolwright.domain.disk import FLASH_MEDIA, Media
from poolwright.domain.units import PLAN_FILL_PERCENT, TIB
from poolwright.domain.vdev import VdevKind, VdevSpec
from poolwright.predict.circumstances import circumstances
from poolwright.predict.groups import groups_of
from poolwright.predict.media import disk_rates
from poolwright.predict.speed import predict_groups
from poolwright.rules.dataset_plan import workload_of
from poolwright.texts import tell

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
