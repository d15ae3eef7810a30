"""Is the present use of the flash drives their best use? What else they could do, in numbers."""

from collections.abc import Iterable
from dataclasses import dataclass

from poolwright.advise.roles.model import Role, RoleAdvice, RoleJudgement, Verdict
from poolwright.advise.roles.share import plan_roles
from poolwright.advise.roles.words import listed, percent, size
from poolwright.domain.units import GIB

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
    role = judgement.role.value
    if judgement.verdict is Verdict.DOES_NOT_HELP:
        start = f"As {role} the drives do not help. {judgement.because[0]}"
    else:
        start = f"Whether the drives help as {role} cannot be told without {listed(judgement.missing)}."
    words = [_alternative(advice, role) for role in better]
    if not words:
        words = ["Nothing that is known speaks for another role: leave them out, or keep them as a pool of their own."]
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
        return f"Better as {role.value}: {judgement.because[0]}"
    wanted = judgement.size
    room = f"{size(planned.capacity_bytes)} as a mirror"
    text = f"Better as special vdev, {room}: all metadata from the first access on, for reads and writes"
    blocks = [block for block in judgement.small_blocks if block.limit_bytes and block.share_of_files]
    if blocks:
        most = max(blocks, key=lambda block: block.share_of_files)
        text += f", and files of up to {size(most.limit_bytes)} ({percent(most.share_of_files)} of them)"
    if wanted is not None:
        text += f"; it wants {size(wanted.low)} to {size(wanted.high)}"
    doubtful = judgement.verdict is not Verdict.HELPS and judgement.missing
    return f"{text}. How much it gains depends on {judgement.missing[0]}." if doubtful else f"{text}."
