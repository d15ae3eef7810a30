"""What a ranking looked at and what it did not, as further lines of “why not”."""

from poolwright.design.candidate import Recommendation
from poolwright.design.rejected import Rejected
from poolwright.design.roles.model import RoleJudgement
from poolwright.texts import tell


def scope_lines(found: Recommendation) -> tuple[Rejected, ...]:
    """Return what was looked at and what was not, as further lines of why-not."""
    looked_at = tell("Looked at: {count}", count=f"{found.examined:,}")
    told = ((looked_at, found.searched), (tell("Not looked at"), found.left_out))
    flash = found.roles.judgements if found.roles is not None else ()
    return (
        *(Rejected(family=title, reason=" ".join(texts), feasible=True) for title, texts in told if texts),
        *map(_of_flash, flash),
    )


def _of_flash(judgement: RoleJudgement) -> Rejected:
    reason = f"{tell(judgement.verdict.value)}: {' '.join(judgement.because)}"
    return Rejected(family=tell("Flash: {role}", role=tell(judgement.role.value)), reason=reason, feasible=True)
