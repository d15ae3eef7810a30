"""The profiles that can be chosen: those that ship, one's own, and a run that is to be repeated as it was."""

from poolwright.bench.own_profiles import kept_profiles
from poolwright.bench.profiles.catalogue import BUILT_IN, reads_disks
from poolwright.bench.profiles.profile import Profile
from poolwright.texts import tell
from poolwright.ui.verify.measuring import AGAIN
from poolwright.ui.verify.setup_pane import ProfileChoice


def profile_choices(again: Profile | None) -> list[ProfileChoice]:
    """Return what is offered; ``again`` is the profile of the run that is to be repeated, first where there is one."""
    choices = [
        ProfileChoice(name=b.name, title=tell(b.title), question=tell(b.question), reads_disks=b.reads_disks)
        for b in BUILT_IN
    ]
    names = {choice.name for choice in choices}
    choices += [
        ProfileChoice(name=own.name, title=own.title, question=own.question, own=True)
        for own in kept_profiles()
        if own.name not in names
    ]
    if again is None:
        return choices
    title = tell("{title}, as it was run", title=again.title)
    reads = not again.own and reads_disks(again.name)
    return [ProfileChoice(name=AGAIN, title=title, question=again.question, reads_disks=reads), *choices]
