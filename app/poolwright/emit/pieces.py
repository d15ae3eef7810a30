"""What the declarative exports share: exact values of properties, and refusals of what a format cannot say."""

from poolwright.domain.design import Design, Setting
from poolwright.domain.errors import Refusal
from poolwright.domain.shown import shown_text
from poolwright.domain.vdev import VdevKind
from poolwright.emit.spellings import exact
from poolwright.texts import tell


def exact_settings(settings: tuple[Setting, ...]) -> dict[str, str]:
    """Return properties by name, sizes in bytes: how the tools compare them with what is set."""
    return {s.name: exact(s.value) for s in settings}


def refuse(design: Design, form: str, reasons: list[str], *, todo: str) -> None:
    """Raise Refusal when there is a reason why ``form`` cannot express the design."""
    if reasons:
        raise Refusal(
            tell("{form} cannot express the design “{design}”", form=form, design=shown_text(design.name)),
            reasons=tuple(reasons),
            todo=todo,
        )


def has_partitions(design: Design) -> bool:
    return any(m.slice_bytes is not None for vdev in design.all_vdevs() for m in vdev.members)


def has_draid(design: Design) -> bool:
    return any(vdev.kind is VdevKind.DRAID for vdev in design.all_vdevs())
