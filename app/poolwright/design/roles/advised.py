"""Which of the roles that help a design gets by itself, and why the others wait until somebody chooses them.

Each may be chosen by hand, with its risks told. What nobody chose must not make a pool weaker, and must not share.
(OpenZFS documentation, Basic Concepts, Pool Structure, Special vdev: it "must be at least as redundant as the pool's
normal vdevs", and on a raidz pool it is "a permanent decision".)
"""

from poolwright.design.roles.log import SPECIAL_TAKES_LOG
from poolwright.design.roles.model import PlannedRole, Role, RoleAdvice
from poolwright.design.roles.share import plan_roles
from poolwright.domain.vdev import VdevKind
from poolwright.texts import tell, tell_counted

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
