"""Values as JSON objects: the same form wherever a command prints them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from enum import Enum
from functools import cache
from pathlib import PurePath
from types import MethodType
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

from poolwright.domain.estimate import Estimate, Origin
from poolwright.domain.finding import Source
from poolwright.domain.growth import GrowthStep
from poolwright.domain.money import Money
from poolwright.domain.retention import DailyChange, Retention
from poolwright.domain.vdev import VdevSpec
from poolwright.domain.version import OLDEST_CURRENT, ZfsVersion, age_told
from poolwright.emit.report import Blocks, bullets
from poolwright.predict.number_words import rounded
from poolwright.texts import _

if TYPE_CHECKING:
    from poolwright.capacity.pool import PoolCapacity
    from poolwright.domain.design import HostAdvice
    from poolwright.predict.assessment import Assessment
    from poolwright.predict.reliability import Risk

# What JSON has as its text.
_TEXTS = (DailyChange, GrowthStep, Origin, Retention, VdevSpec, ZfsVersion, PurePath, UUID)
_PLAIN = {bool, int, float, str, type(None)}


def json_value(value: object) -> Any:
    """Return a value as JSON has it, money as text, which no reader rounds; raises TypeError for an unknown kind."""
    if type(value) in _PLAIN:
        return value
    match value:
        case Enum():
            return value.value
        case Estimate():
            return json_of(value, "low:g typical:g high:g limit origin")
        case Money():
            return {"amount": value.plain(), "currency": value.currency}
        case Source():
            return json_of(value, "kind ref=words note")
        case date():
            return value.isoformat()
        case dict():
            return {key: json_value(each) for key, each in value.items()}
        case tuple() | list():
            return [json_value(each) for each in value]
    if isinstance(value, _TEXTS):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no form in JSON")  # for machines


def json_of(value: object, words: str, **given: object) -> dict[str, Any]:
    """Return attributes of ``value`` as a JSON object, a word each: ``key``, or ``key=attribute.attribute``.

    What is a method is called. Of a tuple each member's attribute is taken, and ``key=attribute[ ... ]`` makes an
    object of each member by the words in brackets; of a single value one object, of None null. ``key@name``, short
    ``name@``, is what is ``given`` under that name; where that is a function, what it returns for the value.
    ``key?`` is null where it is empty or 0; ``key:2`` has two decimals, ``key:0`` is a whole number, ``key:g`` has six
    significant digits.
    """
    return _object(value, _read(words), given)


def json_list(values: Iterable[object], words: str, **given: object) -> list[dict[str, Any]]:
    return [_object(value, _read(words), given) for value in values]


_WORD = re.compile(r"([^\s:?=@\[\]]+)(?::(\w))?(\?)?(?:=([^\s\[\]]+)|@(\w*))?(\[)?|(\])")


class _Key(NamedTuple):
    name: str
    digits: str | None
    or_null: bool
    path: list[str]
    given: str | None
    inner: "list[_Key] | None"


@cache  # a batch asks the same thousands of times
def _read(words: str) -> list[_Key]:
    return _keys(_WORD.finditer(words))


def _keys(found: Iterator[re.Match[str]]) -> list[_Key]:
    keys = []
    for word in found:
        name, digits, mark, path, given, opens, closes = word.groups()
        given = name if given == "" else given
        if closes:
            break
        keys.append(_Key(name, digits, bool(mark), (path or name).split("."), given, _keys(found) if opens else None))
    return keys


def _object(value: object, keys: list[_Key], given: dict[str, object]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, digits, or_null, path, given_name, inner in keys:
        each = value
        if given_name is not None:
            each = given[given_name]
            each = each(value) if callable(each) else each
        else:
            for attribute in path:
                each = _attribute(each, attribute)
        if digits and isinstance(each, int | float):
            each = rounded(each, 6) if digits == "g" else round(each, int(digits) or None)
        if inner is None or each is None:
            made = json_value(each)
        elif isinstance(each, Iterable):
            made = [_object(one, inner, given) for one in each]
        else:
            made = _object(each, inner, given)
        found[name] = (made or None) if or_null else made
    return found


def _attribute(value: object, name: str) -> object:
    if isinstance(value, tuple) and not hasattr(value, name):
        return tuple(getattr(each, name) for each in value)
    found = None if value is None else getattr(value, name)
    return found() if isinstance(found, MethodType) else found


# Space, speed, risk and advice of a pool, wherever a command prints them.


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
        origin=_("OpenZFS's own arithmetic of that version, by its source; checked where such pools were printed")
        if capacity.version < OLDEST_CURRENT
        else _("OpenZFS's own arithmetic, checked against real pools of 2.1 to 2.4"),
        notes=[note] if (note := age_told(capacity.version)) is not None else [],
    )


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
