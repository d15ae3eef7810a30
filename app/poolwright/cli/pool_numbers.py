"""Space, speed, risk and advice of a pool as JSON objects and as lines, wherever a command prints them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from poolwright.cli.as_json import json_list, json_of
from poolwright.domain.version import OLDEST_CURRENT, ZfsVersion, age_told
from poolwright.emit.report import bullets
from poolwright.predict.number_words import rounded
from poolwright.texts import _

if TYPE_CHECKING:
    from poolwright.capacity.pool import PoolCapacity
    from poolwright.domain.design import HostAdvice
    from poolwright.emit.report import Blocks
    from poolwright.predict.assessment import Assessment
    from poolwright.predict.reliability import Risk


def capacity_document(capacity: "PoolCapacity") -> dict[str, object]:
    from poolwright.capacity.explained import cascade

    return json_of(
        capacity,
        "vdev=layout ashift zfs=version members pool_size_bytes available_bytes slop_bytes plan_bytes metaslab_count "
        "metaslab_shift steps@[name title change_bytes bytes=bytes_left why] "
        "vdevs[spec@ class=top.vdev_class top_level_vdevs=count asize_bytes=capacity.asize_bytes "
        "metaslab_count=capacity.metaslab_count metaslab_shift=capacity.metaslab_shift size_bytes=capacity.raw_bytes "
        "embedded_log_bytes=capacity.embedded_bytes deflate_ratio=capacity.ratio] origin@ notes@",
        steps=cascade(capacity),
        spec=lambda vdev: capacity.layout[vdev.index],
        origin=_origin(capacity.version),
        notes=version_notes(capacity.version),
    )


def _origin(version: ZfsVersion) -> str:
    if version < OLDEST_CURRENT:
        return _("OpenZFS's own arithmetic of that version, by its source; checked where such pools were printed")
    return _("OpenZFS's own arithmetic, checked against real pools of 2.1 to 2.4")


def version_notes(version: ZfsVersion) -> list[str]:
    told = age_told(version)
    return [] if told is None else [told]


def loss_figures(loss: float | None, disk_loss: float | None) -> dict[str, object]:
    found = {"pool_loss_per_year": loss, "pool_loss_per_year_disks_only": disk_loss}
    return {name: None if value is None else rounded(value, 6) for name, value in found.items()}


METRICS = ("seq_write", "seq_read", "rand_read_iops", "rand_write_iops", "sync_write_iops")
_BAND = "[low:g typical:g high:g]"  # for machines
SPEEDS = " ".join(
    f"{name}[low:g typical:g high:g limit origin cannot_tell cases[when value:g]]" for name in METRICS
)  # for machines


def predictions_document(predictions: "Assessment") -> dict[str, object]:
    return {
        **json_of(predictions.speed, SPEEDS),
        **json_of(
            predictions,
            "rebuild_hours=rebuild scrub_hours=scrub slowdown@ chain=speed.chain[name "
            "read_bytes_per_second write_bytes_per_second] extrapolations=speed.extrapolations",
            slowdown={name: json_of(lost, "low typical high") for name, lost in predictions.degraded_losses().items()},
        ),
    }


def loss_blocks(risk: "Risk | None") -> "Blocks":
    """Yield how likely the pools are lost within a year, and what helps against the rest; nothing where unknown."""
    from poolwright.predict.number_words import advice_on, loss_words, units_words

    if risk is not None:
        loss = _("pool loss: {loss}", loss=loss_words(risk.probability, risk.disk_probability))
        yield from bullets(loss, advice_on(risk.disk_probability), units_words(risk.units))


def risk_document(risk: "Risk", more: str = "mttdl_hours:g", **given: object) -> dict[str, object]:
    from poolwright.predict.number_words import advice_on

    words = (
        "yearly_loss_probability=disk_loss yearly_loss_with_other_causes_probability=loss "
        "yearly_damage_probability=disk_damage yearly_damage_with_other_causes_probability=damage advice@ "
        f"units_that_take_the_pool@ second_failure=worst[vdev=spec.word within_hours=repair{_BAND} "
        f"probability=second_failure{_BAND} pool_loss_probability=lost_meanwhile{_BAND}]"
    )  # for machines
    advice, units = advice_on(risk.disk_probability) or None, sorted(risk.units)
    return json_of(risk, f"{words} {more}", advice=advice, units_that_take_the_pool=units, **given)


def host_advice_document(advice: "Sequence[HostAdvice]") -> list[dict[str, object]]:
    return json_list(advice, "kind title command file content reason why rule=rule_id sources")
