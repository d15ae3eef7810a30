"""Is the present use of the flash drives their best use? What else they could do, in numbers."""

from collections.abc import Iterable
from dataclasses import dataclass

from poolwright.design.roles.model import Role, RoleAdvice, RoleJudgement, Verdict
from poolwright.design.roles.share import plan_roles
from poolwright.design.roles.words import percent, size
from poolwright.domain.units import GIB
from poolwright.texts import listed, tell

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
