"""Which flash drives carry which roles: whole drives where there are enough, else partitions of the same ones.

Vdevs that must not fail (special, dedup) get mirrors as redundant as the data, a log a mirror of two alike, a cache
what is left. Where the drives do not suffice for that, the fixed roles lie side by side in partitions of equal size on
as many drives as the widest mirror needs, and the plan says what that costs.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from poolwright.design.roles.log import SPECIAL_TAKES_LOG, log_drives, log_slice_bytes, sync_share
from poolwright.design.roles.model import PlannedRole, Role, RoleAdvice, RoleJudgement, RolePlan, RoleSetting, Verdict
from poolwright.design.roles.words import percent, size
from poolwright.domain.design import Member, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.reserve import sliceable_bytes, whole_slice
from poolwright.domain.units import GIB
from poolwright.domain.vdev import VdevKind
from poolwright.predict.groups import groups_of
from poolwright.predict.speed import predict_groups
from poolwright.rules.profile import keeps_writes
from poolwright.texts import listed, tell, tell_counted

# Below this a drive goes to the log as a whole: there is none smaller to buy (rules/limits.toml: log.most_bytes).
WHOLE_LOG_BYTES = 128 * GIB
_DEFAULT_LOG_BYTES = 16 * GIB
# OpenZFS lets no more be under way in a log (rules/limits.toml: log.enough_bytes).
_ENOUGH_LOG_BYTES = 8 * GIB
_LEAST_SLICE_BYTES = GIB
_FIXED = (Role.SPECIAL, Role.DEDUP, Role.LOG)


@dataclass(slots=True)
class _Slices:
    """The partitions handed out on one drive."""

    disk: Disk
    room: int
    parts: int = 0

    def take(self, wanted: int) -> Member:
        self.parts += 1
        self.room -= wanted
        return Member(disk_key=self.disk.key, slice_bytes=wanted, part=self.parts)


def plan_roles(advice: RoleAdvice, chosen: Iterable[Role]) -> RolePlan:
    """Return how the flash drives of ``advice`` carry the ``chosen`` roles together, with the risks of it.

    A role that they cannot carry is refused with the reason; the others are planned without it.
    """
    wanted = frozenset(chosen)
    disks = list(advice.setting.flash)
    refused = _refused_at_once(advice, [role for role in Role if role in wanted])
    roles = [role for role in Role if role in wanted and role not in {r for r, _ in refused}]
    if not roles:
        return RolePlan(planned=(), refused=tuple(refused), idle=tuple(d.key for d in disks))
    planned = _placed(advice, roles, refused)
    used = {m.disk_key for part in planned for vdev in part.vdevs for m in vdev.members}
    return RolePlan(
        planned=tuple(planned),
        refused=tuple(refused),
        idle=tuple(d.key for d in disks if d.key not in used),
        shared=_shares(planned),
    )


def _placed(advice: RoleAdvice, roles: Sequence[Role], refused: list[tuple[Role, str]]) -> list[PlannedRole]:
    """Return ``roles`` with their drives; those without room are added to ``refused``, and their room is given away."""
    count = len(advice.setting.flash)
    widths = {role: _width(advice, role) for role in roles if role in _FIXED}
    needed = sum(widths.values()) + (1 if Role.CACHE in roles else 0)
    if Role.OWN_POOL in roles and needed + _own_width(advice) > count:
        refused.append((Role.OWN_POOL, tell("A pool of its own wants drives of its own; none are left.")))
        return _placed(advice, [role for role in roles if role is not Role.OWN_POOL], refused)
    if needed == count + 1 and widths.get(Role.LOG, 0) > 1 and {Role.LOG} < set(roles) <= set(_FIXED):
        # A single log loses seconds, if it fails together with the machine; drives that are shared lose the pool.
        widths[Role.LOG] -= 1
        needed -= 1
    if needed <= count:
        return _apart(advice, roles, widths)
    planned, squeezed = _together(advice, roles, widths)
    if not squeezed:
        return planned
    refused.extend((role, tell("The drives have no room left for it beside the other roles.")) for role in squeezed)
    return _placed(advice, [role for role in roles if role not in squeezed], refused)


def _refused_at_once(advice: RoleAdvice, wanted: Sequence[Role]) -> list[tuple[Role, str]]:
    """Return the roles that the number of drives rules out."""
    if not advice.setting.flash:
        return [(role, tell("There is no free flash drive.")) for role in wanted]
    refused = ((role, too_few_drives(advice.setting, role)) for role in wanted)
    return [(role, why) for role, why in refused if why is not None]


def too_few_drives(setting: RoleSetting, role: Role) -> str | None:
    """Return why the number of flash drives rules out ``role``; None where it does not, or there are none at all."""
    if len(setting.flash) != 1 or not setting.redundancy or role not in (Role.SPECIAL, Role.DEDUP):
        return None
    return tell_counted(
        "One drive cannot carry it: a {role} vdev must survive as much as the data vdevs "
        "({count} failure), or its failure is the loss of the pool.",
        "One drive cannot carry it: a {role} vdev must survive as much as the data vdevs "
        "({count} failures), or its failure is the loss of the pool.",
        setting.redundancy,
        role=tell(role.value),
    )


def _width(advice: RoleAdvice, role: Role) -> int:
    """Return how many drives a role wants: as redundant as the data, a log two alike; as far as there are any."""
    available = len(advice.setting.flash)
    if role is Role.LOG:
        return len(log_drives(advice.setting.flash))
    return min(advice.setting.redundancy + 1, available)


def _own_width(advice: RoleAdvice) -> int:
    return min(max(2, advice.setting.redundancy + 1), len(advice.setting.flash))


def _apart(advice: RoleAdvice, roles: Sequence[Role], widths: dict[Role, int]) -> list[PlannedRole]:
    """Return roles on drives of their own: the log on the smallest that keep their writes, the rest by size."""
    free = sorted(advice.setting.flash, key=lambda d: (-(d.size_bytes or 0), d.key))
    planned: dict[Role, PlannedRole] = {}
    if Role.LOG in roles:
        best = log_drives(free, widths[Role.LOG])
        planned[Role.LOG] = _log_apart(advice, best)
        free = [disk for disk in free if disk not in best]
    for role in (Role.SPECIAL, Role.DEDUP):
        if role in roles:
            own, free = free[: widths[role]], free[widths[role] :]
            planned[role] = _planned(advice, role, [_vdev(role, [Member(disk_key=d.key) for d in own])])
    if Role.OWN_POOL in roles:
        width = _own_width(advice)
        count = (len(free) - (1 if Role.CACHE in roles else 0)) // width
        groups = [free[i * width : (i + 1) * width] for i in range(count)]
        free = free[count * width :]
        vdevs = [_vdev(Role.OWN_POOL, [Member(disk_key=d.key) for d in group]) for group in groups]
        planned[Role.OWN_POOL] = _planned(advice, Role.OWN_POOL, vdevs)
    if Role.CACHE in roles:
        planned[Role.CACHE] = _planned(advice, Role.CACHE, [_cache_vdev(advice, free)])
        free = []
    if Role.SPECIAL in roles:
        planned[Role.SPECIAL] = _grown(advice, planned[Role.SPECIAL], free, widths[Role.SPECIAL])
    return [planned[role] for role in Role if role in planned]


def _log_apart(advice: RoleAdvice, disks: list[Disk]) -> PlannedRole:
    least = min(d.size_bytes or 0 for d in disks)
    if least <= WHOLE_LOG_BYTES:
        return _planned(advice, Role.LOG, [_vdev(Role.LOG, [Member(disk_key=d.key) for d in disks])])
    part = min(_log_bytes(advice), sliceable_bytes(least))
    members = [Member(disk_key=d.key, slice_bytes=part, part=1) for d in disks]
    free = tell("The rest of each drive stays without a partition: free cells keep its writes fast and its wear even.")
    return _planned(advice, Role.LOG, [_vdev(Role.LOG, members)], (free,))


def _cache_vdev(advice: RoleAdvice, disks: Sequence[Disk]) -> Vdev:
    """Return as many of the drives as the wanted size takes, at least one."""
    wanted = advice.of(Role.CACHE).size
    taken: list[Disk] = []
    for disk in disks:
        if taken and wanted is not None and sum(d.size_bytes or 0 for d in taken) >= wanted.high:
            break
        taken.append(disk)
    return _vdev(Role.CACHE, [Member(disk_key=d.key) for d in taken])


def _grown(advice: RoleAdvice, special: PlannedRole, free: Sequence[Disk], width: int) -> PlannedRole:
    """Return the special vdev with further mirrors of the drives left over, while it is smaller than wanted."""
    wanted = advice.of(Role.SPECIAL).size
    vdevs, left = list(special.vdevs), list(free)
    while wanted is not None and len(left) >= width and _capacity(advice, vdevs) < wanted.typical:
        vdevs.append(_vdev(Role.SPECIAL, [Member(disk_key=d.key) for d in left[:width]]))
        left = left[width:]
    return _planned(advice, Role.SPECIAL, vdevs)


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
    slices = [_Slices(disk=d, room=least) for d in shared]
    cache_here = Role.CACHE in roles and not others
    planned: dict[Role, PlannedRole] = {}
    squeezed: list[Role] = []
    for role, wanted in _shares_of(advice, roles, least, cache_here=cache_here):
        if wanted < _least_useful(advice, role, len(slices)):
            squeezed.append(role)
            continue
        width = len(slices) if role is Role.CACHE else widths[role]
        own = log_drives(shared, width) if role is Role.LOG else shared[:width]
        vdev = _vdev(role, [part.take(wanted) for part in slices if part.disk in own])
        planned[role] = _planned(advice, role, [vdev])
    if Role.CACHE in roles and others:
        planned[Role.CACHE] = _planned(advice, Role.CACHE, [_cache_vdev(advice, others)])
    on_shared = [r for r in Role if r in planned and not (r is Role.CACHE and others)]
    return [_with_shared_risks(advice, planned[role], on_shared) for role in Role if role in planned], squeezed


def _least_useful(advice: RoleAdvice, role: Role, drives: int) -> int:
    """Return the smallest partition on each of ``drives`` that is worth it: for a cache, half of what it wants."""
    wanted = advice.of(role).size
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
    movable = [role for role in (Role.DEDUP, Role.SPECIAL) if role in roles]
    rest = [*movable, *([Role.CACHE] if cache_here else [])]
    for position, role in enumerate(rest):
        last = position == len(rest) - 1
        share = left if last else min(_wanted_slice(advice, role, left), left)
        found.append((role, whole_slice(share)))
        left -= found[-1][1]
    return found


def _wanted_slice(advice: RoleAdvice, role: Role, left: int) -> int:
    """Return what a role gets before those that come after it: the high estimate where that leaves half, or typical."""
    wanted = advice.of(role).size
    if wanted is None:
        return left // 2
    generous = -int(-wanted.high // GIB) * GIB
    return generous if generous <= left // 2 else -int(-wanted.typical // GIB) * GIB


def _log_bytes(advice: RoleAdvice) -> int:
    """Return the partition of a log: as it is wanted, and no less than a network faster than the disks would fill.

    Room costs nothing on drives of today, and the rule on small logs (synchronous.log-too-small) asks for it.
    """
    wanted = advice.of(Role.LOG).size
    if wanted is None:
        return _DEFAULT_LOG_BYTES
    network = advice.setting.workload.network_bytes_per_second or 0
    brought = min(_ENOUGH_LOG_BYTES, math.ceil(network * advice.setting.choices.ingest_seconds / GIB) * GIB)
    return max(log_slice_bytes(wanted), brought)


def _vdev(role: Role, members: list[Member]) -> Vdev:
    mirrored = len(members) > 1 and role is not Role.CACHE
    return Vdev(
        kind=VdevKind.MIRROR if mirrored else VdevKind.STRIPE, members=tuple(members), vdev_class=role.vdev_class
    )


def _planned(advice: RoleAdvice, role: Role, vdevs: list[Vdev], notes: tuple[str, ...] = ()) -> PlannedRole:
    return PlannedRole(
        role=role,
        vdevs=tuple(vdevs),
        capacity_bytes=_capacity(advice, vdevs),
        risks=_redundancy_risks(advice, role, vdevs),
        notes=notes,
    )


def _capacity(advice: RoleAdvice, vdevs: Iterable[Vdev]) -> int:
    sizes = {disk.key: disk.size_bytes or 0 for disk in advice.setting.flash}

    def of(vdev: Vdev) -> int:
        members = [m.slice_bytes if m.slice_bytes is not None else sizes[m.disk_key] for m in vdev.members]
        return min(members) if vdev.kind is VdevKind.MIRROR else sum(members)

    return sum(of(vdev) for vdev in vdevs)


def _redundancy_risks(advice: RoleAdvice, role: Role, vdevs: Sequence[Vdev]) -> tuple[str, ...]:
    survived = min(len(v.members) - 1 if v.kind is VdevKind.MIRROR else 0 for v in vdevs)
    if role is Role.LOG and survived == 0:
        return (
            tell("It is not mirrored: if it fails together with the machine, the last seconds of writes are lost."),
        )
    least = advice.setting.redundancy
    if role in (Role.SPECIAL, Role.DEDUP) and survived < least:
        more = tell_counted("{count} more drive", "{count} more drives", least - survived)
        return (
            tell_counted(
                "It survives {count} failure, the data vdevs {least}: {more} would make them equal.",
                "It survives {count} failures, the data vdevs {least}: {more} would make them equal.",
                survived,
                least=least,
                more=more,
            ),
        )
    return ()


def _with_shared_risks(advice: RoleAdvice, planned: PlannedRole, shared: Sequence[Role]) -> PlannedRole:
    others = [role for role in shared if role is not planned.role]
    if planned.role not in shared or not others:
        return planned
    names = listed([tell(role.value) for role in others])
    risks = [tell("It shares its drives with {names}: one failing drive hits all of them at once.", names=names)]
    if planned.role is Role.LOG:
        if Role.SPECIAL in others and advice.setting.version >= SPECIAL_TAKES_LOG:
            risks.append(tell("OpenZFS 2.4 puts the log on the special vdev by itself: this partition gains nothing."))
        risks.append(tell("A commit waits behind the other roles' reads and writes; the drive's bandwidth is shared."))
        risks.append(_wear(advice))
    if planned.role is Role.CACHE:
        risks.append(tell("Filling the cache delays the other roles; leave it out first."))
    return replace(planned, risks=(*planned.risks, *risks))


def _wear(advice: RoleAdvice) -> str:
    setting = advice.setting
    ingest = predict_groups(groups_of(setting.data), setting.around).seq_write.typical
    hour = ingest * (sync_share(setting) or 100) / 100 * 3600
    return tell(
        "Every synchronous write wears the drive once more: up to {hour} in an hour of full ingest.", hour=size(hour)
    )


def _shares(planned: Iterable[PlannedRole]) -> bool:
    roles: dict[str, set[Role]] = {}
    for part in planned:
        for vdev in part.vdevs:
            for member in vdev.members:
                roles.setdefault(member.disk_key, set()).add(part.role)
    return any(len(found) > 1 for found in roles.values())


# Is the present use of the flash drives their best use? What else they could do, in numbers.

WORTH = 1.25
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
    """Return what speaks against the ``present`` roles; nothing for those that help."""
    have = frozenset(present)
    return tuple(
        _critique(advice, advice.of(role), have)
        for role in Role
        if role in have and advice.of(role).verdict is not Verdict.HELPS
    )


def _critique(advice: RoleAdvice, judgement: RoleJudgement, present: frozenset[Role]) -> Critique:
    better = tuple(role for role in advice.helpful if role not in present and _carried(advice, role))
    if not better:
        better = tuple(role for role in (Role.SPECIAL,) if role not in present and _likely(advice, role))
    role = tell(judgement.role.value)
    if judgement.verdict is Verdict.DOES_NOT_HELP:
        start = tell("As {role} the drives do not help. {because}", role=role, because=judgement.because[0])
    else:
        start = tell(
            "Whether the drives help as {role} cannot be told without {missing}.",
            role=role,
            missing=listed(judgement.missing),
        )
    words = [_alternative(advice, role) for role in better]
    if not words:
        words = [
            tell("Nothing that is known speaks for another role: leave them out, or keep them as a pool of their own.")
        ]
    return Critique(role=judgement.role, text=f"{start} {' '.join(words)}", better=better)


def _carried(advice: RoleAdvice, role: Role) -> bool:
    return plan_roles(advice, (role,)).of(role) is not None


def _likely(advice: RoleAdvice, role: Role) -> bool:
    """Tell whether a role that cannot be judged yet does something in most cases: many files or metadata lie on it."""
    judgement = advice.of(role)
    if judgement.verdict is not Verdict.CANNOT_TELL or not _carried(advice, role):
        return False
    gain, wanted = judgement.gain, judgement.size
    gains = gain is not None and gain.after.typical >= WORTH * gain.before.typical
    return gains or (wanted is not None and wanted.typical >= _MUCH_METADATA_BYTES)


def _alternative(advice: RoleAdvice, role: Role) -> str:
    judgement = advice.of(role)
    planned = plan_roles(advice, (role,)).of(role)
    if role is not Role.SPECIAL or planned is None:
        return tell("Better as {role}: {because}", role=tell(role.value), because=judgement.because[0])
    text = tell(
        "Better as special vdev, {room} as a mirror: all metadata from the first access on, for reads and writes",
        room=size(planned.capacity_bytes),
    )
    blocks = [block for block in judgement.small_blocks if block.limit_bytes and block.share_of_files]
    if blocks:
        most = max(blocks, key=lambda block: block.share_of_files)
        text = tell(
            "{text}, and files of up to {size} ({share} of them)",
            text=text,
            size=size(most.limit_bytes),
            share=percent(most.share_of_files),
        )
    wanted = judgement.size
    if wanted is not None:
        text = tell("{text}; it wants {low} to {high}", text=text, low=size(wanted.low), high=size(wanted.high))
    if judgement.verdict is Verdict.HELPS or not judgement.missing:
        return f"{text}."
    return tell("{text}. How much it gains depends on {missing}.", text=text, missing=judgement.missing[0])
