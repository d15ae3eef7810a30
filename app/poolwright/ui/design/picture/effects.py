"""What an edit would do to the space, told before it is made."""

from dataclasses import dataclass

from poolwright.capacity.of_design import predict_design
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.units import binary
from poolwright.texts import tell
from poolwright.ui.design.picture.editing import Change, Editing


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """Whether an edit can be made, and what it does in words: usable space and its change, or why it is refused."""

    possible: bool
    text: str


def effect_of(editing: Editing, change: Change) -> Effect:
    """Return what a change would do to the usable space of all pools together; the design stays as it is."""
    before, after = editing.session.design, editing.trial(change)
    if after is None:
        return Effect(possible=False, text=tell("There are no disks."))
    if isinstance(after, PoolwrightError):
        return Effect(possible=False, text=after.text)
    if after == before:
        return Effect(possible=False, text=tell("Nothing changes."))
    old, new = usable_bytes(before), usable_bytes(after)
    if isinstance(new, str):
        return Effect(possible=True, text=new)
    known = old if isinstance(old, int) else 0
    if new == known:
        return Effect(possible=True, text=tell("{size} usable, as before", size=binary(new)))
    sign = "+" if new > known else "−"
    change_text = f"{sign}{binary(abs(new - known))}"
    return Effect(possible=True, text=tell("{size} usable ({change})", size=binary(new), change=change_text))


def usable_bytes(design: Design | None) -> int | str:
    """Return the usable bytes of all pools together, or why OpenZFS would refuse one of them."""
    if design is None:
        return 0
    total = 0
    for pool in design.pools():
        if not pool.vdevs and design.further_pools:
            continue
        try:
            total += predict_design(pool).available_bytes
        except PoolwrightError as error:
            return error.text
    return total
