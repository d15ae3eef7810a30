"""Which flash drives carry which roles: whole drives where there are enough, else partitions of the same ones.

Vdevs that must not fail (special, dedup) get mirrors as redundant as the data, a log a mirror of two alike, a cache
what is left. Where the drives do not suffice for that, the fixed roles lie side by side in partitions of equal size on
as many drives as the widest mirror needs, and the plan says what that costs.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from poolwright.capacity.pool import predict_pool
from poolwright.design.roles.cache import cache_fill_rate
from poolwright.design.roles.log import log_drives, sync_share
from poolwright.design.roles.verdicts import (
    PlannedRole,
    RoleAdvice,
    RoleJudgement,
    RolePlan,
    RoleSetting,
    Verdict,
    percent,
    size,
)
from poolwright.design.support import Role
from poolwright.domain.design import Member, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.estimate import Estimate
from poolwright.domain.reserve import sliceable_bytes, whole_slice
from poolwright.domain.units import GIB, PLAN_FILL_PERCENT, decimal
from poolwright.domain.vdev import VdevKind
from poolwright.predict.groups import groups_of
from poolwright.predict.space import DAYS_PER_YEAR
from poolwright.predict.speed import predict_groups
from poolwright.predict.throughput import special_as_log
from poolwright.rules.profile import keeps_writes
from poolwright.texts import _, listed, ngettext, sentence

# Below this a drive goes to the log as a whole: there is none smaller to buy (rules/limits.toml: log.most_bytes).
WHOLE_LOG_BYTES = 128 * GIB
_DEFAULT_LOG_BYTES = 16 * GIB
# OpenZFS lets no more be under way in a log (rules/limits.toml: log.enough_bytes).
_ENOUGH_LOG_BYTES = 8 * GIB
_LEAST_SLICE_BYTES = GIB
_RATED_YEARS = 5  # for which makers rate what may be written
# Without these a pool is lost.
VITAL = (Role.SPECIAL, Role.DEDUP)


def plan_roles(advice: RoleAdvice, chosen: Iterable[Role]) -> RolePlan:
    """Return how the flash drives of ``advice`` carry the ``chosen`` roles together, with the risks of it.

    A role that they cannot carry is refused with the reason; the others are planned without it.
    """
    asked, setting = frozenset(chosen), advice.setting
    none = None if setting.flash else _("There is no free flash drive.")
    refused = [(role, why) for role in Role if role in asked and (why := none or too_few_drives(setting, role))]
    roles = [role for role in Role if role in asked - dict(refused).keys()]
    planned = _placed(advice, roles, refused) if roles else []
    carried: dict[str, set[Role]] = {disk.key: set() for disk in setting.flash}
    for part in planned:
        for vdev in part.vdevs:
            for member in vdev.members:
                carried[member.disk_key].add(part.role)
    return RolePlan(
        planned=tuple(planned),
        refused=tuple(refused),
        idle=tuple(key for key, found in carried.items() if not found),
        shared=any(len(found) > 1 for found in carried.values()),
    )


def too_few_drives(setting: RoleSetting, role: Role) -> str | None:
    """Return why the number of flash drives rules out ``role``; None where it does not, or there are none at all."""
    if len(setting.flash) != 1 or not setting.redundancy or role not in VITAL:
        return None
    return ngettext(
        "One drive cannot carry it: a {role} vdev must survive {count} failure, as the data vdevs do.",
        "One drive cannot carry it: a {role} vdev must survive {count} failures, as the data vdevs do.",
        setting.redundancy,
        role=_(role.value),
    )


def _placed(advice: RoleAdvice, roles: Sequence[Role], refused: list[tuple[Role, str]]) -> list[PlannedRole]:
    """Return ``roles`` with their drives; those without room are added to ``refused``, and their room is given away."""
    flash = advice.setting.flash
    # As redundant as the data, a log two alike; as far as there are any.
    widths = {role: min(advice.setting.redundancy + 1, len(flash)) for role in VITAL if role in roles}
    if Role.LOG in roles:
        widths[Role.LOG] = len(log_drives(flash))
    needed = sum(widths.values()) + (Role.CACHE in roles)
    if Role.OWN_POOL in roles and needed + _own_width(advice) > len(flash):
        refused.append((Role.OWN_POOL, _("A pool of its own wants drives of its own; none are left.")))
        return _placed(advice, [role for role in roles if role is not Role.OWN_POOL], refused)
    if needed == len(flash) + 1 and widths.get(Role.LOG, 0) > 1 and {Role.LOG} < set(roles) <= widths.keys():
        # A single log loses seconds, if it fails together with the machine; drives that are shared lose the pool.
        widths[Role.LOG] -= 1
        needed -= 1
    if needed <= len(flash):
        return _apart(advice, roles, widths)
    planned, squeezed = _together(advice, roles, widths)
    if not squeezed:
        return planned
    refused.extend((role, _("The drives have no room left for it beside the other roles.")) for role in squeezed)
    return _placed(advice, [role for role in roles if role not in squeezed], refused)


def _own_width(advice: RoleAdvice) -> int:
    return min(max(2, advice.setting.redundancy + 1), len(advice.setting.flash))


def _apart(advice: RoleAdvice, roles: Sequence[Role], widths: dict[Role, int]) -> list[PlannedRole]:
    """Return roles on drives of their own: the log on the smallest that keep their writes, the rest by size."""
    free = sorted(advice.setting.flash, key=lambda d: (-(d.size_bytes or 0), d.key))
    vdevs: dict[Role, list[Vdev]] = {}
    notes: tuple[str, ...] = ()
    if Role.LOG in roles:
        best = log_drives(free, widths[Role.LOG])
        free = [disk for disk in free if disk not in best]
        least = min(d.size_bytes or 0 for d in best)
        whole = least <= WHOLE_LOG_BYTES
        vdevs[Role.LOG] = [_vdev(Role.LOG, best, None if whole else min(_log_bytes(advice), sliceable_bytes(least)))]
        rest = _("The rest of each drive stays free: that keeps its writes fast and its wear even.")
        notes = () if whole else (rest,)
    for role in VITAL:
        if role in roles:
            vdevs[role] = [_vdev(role, free[: widths[role]])]
            free = free[widths[role] :]
    if Role.OWN_POOL in roles:
        width = _own_width(advice)
        end = (len(free) - (Role.CACHE in roles)) // width * width
        vdevs[Role.OWN_POOL] = [_vdev(Role.OWN_POOL, free[at : at + width]) for at in range(0, end, width)]
        free = free[end:]
    if Role.CACHE in roles:
        vdevs[Role.CACHE] = [_cache_vdev(advice, free)]
    elif Role.SPECIAL in roles:
        # Further mirrors of the drives left over, while it is smaller than wanted.
        wanted, width = advice.of(Role.SPECIAL).size, widths[Role.SPECIAL]
        own = vdevs[Role.SPECIAL]
        while wanted is not None and len(free) >= width and _capacity(advice, own) < wanted.typical:
            own.append(_vdev(Role.SPECIAL, free[:width]))
            free = free[width:]
    return [_planned(advice, role, vdevs[role], notes if role is Role.LOG else ()) for role in Role if role in vdevs]


def _cache_vdev(advice: RoleAdvice, disks: Sequence[Disk]) -> Vdev:
    """Return as many of the drives as the wanted size takes, at least one."""
    wanted = advice.of(Role.CACHE).size
    taken: list[Disk] = []
    for disk in disks:
        if taken and wanted is not None and sum(d.size_bytes or 0 for d in taken) >= wanted.high:
            break
        taken.append(disk)
    return _vdev(Role.CACHE, taken)


def _together(
    advice: RoleAdvice, roles: Sequence[Role], widths: dict[Role, int]
) -> tuple[list[PlannedRole], list[Role]]:
    """Return the fixed roles in partitions of the same drives, the cache on what is left of them or on the others.

    The second part are the roles for which no useful room is left.
    """
    count = max(widths.values(), default=1)
    ordered = sorted(advice.setting.flash, key=lambda d: (keeps_writes(d) is not True, -(d.size_bytes or 0), d.key))
    shared, others = ordered[:count], ordered[count:]
    least = min(sliceable_bytes(d.size_bytes or 0) for d in shared)
    parts = dict.fromkeys((disk.key for disk in shared), 0)
    planned: dict[Role, PlannedRole] = {}
    squeezed: list[Role] = []
    for role, wanted in _shares_of(advice, roles, least, cache_here=Role.CACHE in roles and not others):
        if wanted < _least_useful(role, advice.of(role).size, len(shared)):
            squeezed.append(role)
            continue
        width = len(shared) if role is Role.CACHE else widths[role]
        own = log_drives(shared, width) if role is Role.LOG else shared[:width]
        own = [disk for disk in shared if disk in own]
        for disk in own:
            parts[disk.key] += 1
        planned[role] = _planned(advice, role, [_vdev(role, own, wanted, parts)])
    on_shared = [role for role in Role if role in planned]
    planned = {role: _with_shared_risks(advice, part, on_shared) for role, part in planned.items()}
    if Role.CACHE in roles and others:
        planned[Role.CACHE] = _planned(advice, Role.CACHE, [_cache_vdev(advice, others)])
    return [planned[role] for role in Role if role in planned], squeezed


def _least_useful(role: Role, wanted: Estimate | None, drives: int) -> int:
    """Return the smallest partition on each of ``drives`` that is worth it: for a cache, half of what it wants."""
    if role is not Role.CACHE or wanted is None:
        return _LEAST_SLICE_BYTES
    return max(_LEAST_SLICE_BYTES, round(wanted.low / 2 / drives))


def _shares_of(advice: RoleAdvice, roles: Sequence[Role], room: int, *, cache_here: bool) -> list[tuple[Role, int]]:
    """Return the bytes of each role on every shared drive, in the order of the partitions; log first."""
    left = room
    found: list[tuple[Role, int]] = []
    if Role.LOG in roles:
        found.append((Role.LOG, whole_slice(min(_log_bytes(advice), left // 4))))
        left -= found[-1][1]
    rest = [role for role in (Role.DEDUP, Role.SPECIAL) if role in roles] + [Role.CACHE] * cache_here
    for role in rest:
        share = left if role is rest[-1] else min(_wanted_slice(advice.of(role).size, left), left)
        found.append((role, whole_slice(share)))
        left -= found[-1][1]
    return found


def _wanted_slice(wanted: Estimate | None, left: int) -> int:
    """Return what a role gets before those that come after it: the high estimate where that leaves half, or typical."""
    if wanted is None:
        return left // 2
    generous = -int(-wanted.high // GIB) * GIB
    return generous if generous <= left // 2 else -int(-wanted.typical // GIB) * GIB


def _log_bytes(advice: RoleAdvice) -> int:
    """Return the partition of a log in whole GiB: as it is wanted, and no less than a network faster than the disks
    would fill. Room costs nothing on drives of today, and the rule on small logs (synchronous.log-too-small) asks for
    it.
    """
    wanted = advice.of(Role.LOG).size
    if wanted is None:
        return _DEFAULT_LOG_BYTES
    network = advice.setting.workload.network_bytes_per_second or 0
    brought = min(_ENOUGH_LOG_BYTES, math.ceil(network * advice.setting.choices.ingest_seconds / GIB) * GIB)
    return max(GIB, -int(-wanted.high // GIB) * GIB, brought)


def _vdev(
    role: Role, disks: Sequence[Disk], slice_bytes: int | None = None, parts: dict[str, int] | None = None
) -> Vdev:
    """Return the vdev of whole ``disks``, or of a partition on each: the first, or that of its number in ``parts``."""
    mirrored = len(disks) > 1 and role is not Role.CACHE
    return Vdev(
        kind=VdevKind.MIRROR if mirrored else VdevKind.STRIPE,
        members=tuple(
            Member(
                disk_key=disk.key,
                slice_bytes=slice_bytes,
                part=None if slice_bytes is None else 1 if parts is None else parts[disk.key],
            )
            for disk in disks
        ),
        vdev_class=role.vdev_class,
    )


def _planned(advice: RoleAdvice, role: Role, vdevs: list[Vdev], notes: tuple[str, ...] = ()) -> PlannedRole:
    return PlannedRole(
        role=role,
        vdevs=tuple(vdevs),
        capacity_bytes=_capacity(advice, vdevs),
        risks=_redundancy_risks(advice, role, vdevs),
        notes=(*notes, *_written(advice, role, vdevs)),
    )


def _written(advice: RoleAdvice, role: Role, vdevs: Sequence[Vdev]) -> tuple[str, ...]:
    """Return what each drive is written over the years, to be held against its rating; nothing where nobody said."""
    setting, pool = advice.setting, advice.setting.pool
    stored, change = pool.in_use_bytes or pool.budget.least_usable_bytes, pool.budget.change
    if role is Role.CACHE:
        day = cache_fill_rate(pool.version) * 86_400 / sum(len(vdev.members) for vdev in vdevs)
    elif stored is None or change is None or role not in (Role.LOG, Role.SPECIAL):
        return ()
    else:
        day = change.of(stored) + stored * (setting.workload.growth_percent or 0) / 100 / DAYS_PER_YEAR
        sync, wanted = sync_share(setting), advice.of(role).size
        if role is Role.LOG:
            day *= (100 if sync is None else sync) / 100
        elif wanted is not None:
            # A block that is written takes its metadata and small neighbours with it.
            full = predict_pool(setting.data, ashift=pool.ashift, version=pool.version).available_bytes
            day *= min(1.0, wanted.typical / (full * PLAN_FILL_PERCENT / 100))
        day /= len(vdevs)
    words = {
        "day": decimal(round(day)),
        "total": decimal(round(day * DAYS_PER_YEAR * _RATED_YEARS)),
        "years": _RATED_YEARS,
    }
    text = _("Each drive is written up to {day} a day, {total} in {years} years: hold that against its rated TBW.")
    return (text.format(**words),)


def _capacity(advice: RoleAdvice, vdevs: Iterable[Vdev]) -> int:
    sizes = {disk.key: disk.size_bytes or 0 for disk in advice.setting.flash}

    def of(vdev: Vdev) -> int:
        members = [m.slice_bytes if m.slice_bytes is not None else sizes[m.disk_key] for m in vdev.members]
        return min(members) if vdev.kind is VdevKind.MIRROR else sum(members)

    return sum(of(vdev) for vdev in vdevs)


def survived(vdevs: Iterable[Vdev]) -> int:
    return min(vdev.failures_survived for vdev in vdevs)


def _redundancy_risks(advice: RoleAdvice, role: Role, vdevs: Sequence[Vdev]) -> tuple[str, ...]:
    bears, least = survived(vdevs), advice.setting.redundancy
    if role is Role.LOG and bears == 0:
        return (_("It is not mirrored: if it fails together with the machine, the last seconds of writes are lost."),)
    if role not in VITAL or bears >= least:
        return ()
    text = ngettext(
        "It survives {count} failure, the data vdevs {least}: {more} would make them equal.",
        "It survives {count} failures, the data vdevs {least}: {more} would make them equal.",
        bears,
        least=least,
        more=ngettext("{count} more drive", "{count} more drives", least - bears),
    )
    return (text,)


def _with_shared_risks(advice: RoleAdvice, planned: PlannedRole, shared: Sequence[Role]) -> PlannedRole:
    others, setting = [role for role in shared if role is not planned.role], advice.setting
    if not others:
        return planned
    names = listed([_(role.value) for role in others])
    risks = [_("It shares its drives with {names}: one failing drive hits all of them at once.", names=names)]
    if planned.role is Role.LOG:
        if Role.SPECIAL in others and (by_itself := special_as_log(setting.pool.version)):
            risks.append(by_itself)
        risks.append(_("A commit waits behind the reads and writes of the other roles."))
        ingest = predict_groups(groups_of(setting.data), setting.inputs).seq_write.typical
        hour = ingest * (sync_share(setting) or 100) / 100 * 3600
        risks.append(
            _(
                "Every synchronous write wears the drive once more: up to {hour} in an hour of full ingest.",
                hour=size(hour),
            )
        )
    if planned.role is Role.CACHE:
        risks.append(_("Filling the cache delays the other roles; leave it out first."))
    return replace(planned, risks=(*planned.risks, *risks))


# Is the present use of the flash drives their best use? What else they could do, in numbers.

_WORTH = 1.25
_MUCH_METADATA_BYTES = 16 * GIB


@dataclass(frozen=True, slots=True, kw_only=True)
class Critique:
    """What is to be said against a role that drives have now: ``text``, and the roles that would be better (or none).

    With no ``better`` role nothing known speaks for another use.
    """

    role: Role
    text: str
    better: tuple[Role, ...] = ()


def criticise(advice: RoleAdvice, present: Iterable[Role]) -> tuple[Critique, ...]:
    have = frozenset(present)
    poor = [one for one in advice.judgements if one.role in have and one.verdict is not Verdict.HELPS]
    if not poor:
        return ()
    others = {role: plan_roles(advice, (role,)).of(role) for role in Role if role not in have}
    better = [role for role in advice.helpful if others.get(role)]
    if not better and others.get(Role.SPECIAL) and _likely(advice.of(Role.SPECIAL)):
        better = [Role.SPECIAL]
    words = [_alternative(advice.of(role), others[role]) for role in better] or [
        _("Nothing that is known speaks for another role: leave them out, or make a pool of them.")
    ]
    return tuple(Critique(role=one.role, text=" ".join((_against(one), *words)), better=tuple(better)) for one in poor)


def _against(judgement: RoleJudgement) -> str:
    role = _(judgement.role.value)
    if judgement.verdict is Verdict.DOES_NOT_HELP:
        return _("As {role} the drives do not help. {because}", role=role, because=judgement.because[0])
    return _(
        "Whether the drives help as {role} is unknown; missing: {missing}.",
        role=role,
        missing=listed(judgement.missing),
    )


def _likely(judgement: RoleJudgement) -> bool:
    """Tell whether a role that cannot be judged yet does something in most cases: many files or metadata lie on it."""
    gain, wanted = judgement.gain, judgement.size
    gains = gain is not None and gain.times() >= _WORTH
    much = wanted is not None and wanted.typical >= _MUCH_METADATA_BYTES
    return judgement.verdict is Verdict.CANNOT_TELL and (gains or much)


def _alternative(judgement: RoleJudgement, planned: PlannedRole | None) -> str:
    if judgement.role is not Role.SPECIAL or planned is None:
        return _("Better as {role}: {because}", role=_(judgement.role.value), because=judgement.because[0])
    text = _(
        "Better as special vdev, {room} as a mirror: all metadata from the first access on, for reads and writes",
        room=size(planned.capacity_bytes),
    )
    blocks = [block for block in judgement.small_blocks if block.limit_bytes and block.share_of_files]
    if blocks:
        most = max(blocks, key=lambda block: block.share_of_files)
        text = _(
            "{text}, and files of up to {size} ({share} of them)",
            text=text,
            size=size(most.limit_bytes),
            share=percent(most.share_of_files),
        )
    wanted = judgement.size
    if wanted is not None:
        text = _("{text}; it wants {low} to {high}", text=text, low=size(wanted.low), high=size(wanted.high))
    if judgement.verdict is Verdict.HELPS or not judgement.missing:
        return sentence(text)
    return _("{text}. The gain depends on: {missing}.", text=text, missing=judgement.missing[0])
