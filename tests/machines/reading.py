"""Reads the machines of the folder ``cases``: disks as people type them, what is odd about some, and what is asked.

A case holds ``title``, ``why``, ``disks``; ``[[change]]`` with ``disk`` (a number from 1) or ``disks`` (first and last)
and the fields that differ; and ``[[ask]]`` with a goal, wishes of the budget and workload, and what is expected:
``first`` (the first choice in words, or what it begins with when it ends in …; a list where guidance admits several),
or ``refused`` (part of the reasons), besides ``notes`` (parts of notes), ``findings`` (rules that the first choice
breaks or cannot tell), ``as_good`` (layouts told to be as good) and ``near`` (layouts that miss the wish by little).
``missed`` tells that the first choice is expected to fall short of a wish, and is part of the words that say so.
A workload may be named by its ``preset``, or by several; ``allow`` opens floors. ``why`` names the guidance that the
answer follows.
"""

import tomllib
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from poolwright.design.request import Request
from poolwright.domain.disk import Disk, Health, LbaFormat, Media, Use, UseKind
from poolwright.domain.host import Controller, Host
from poolwright.domain.money import parse_money
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Allowance, Budget, Goal, Sharing, Workload
from poolwright.machine.typed.read import read_typed
from poolwright.rules.presets import DETAILS, apply_preset, preset
from poolwright.table_library import load_drive_book

FOLDER = Path(__file__).parent / "cases"
_EXPECTED = frozenset({"first", "refused", "notes", "findings", "as_good", "near", "missed"})
_BUDGET = frozenset(field.name for field in fields(Budget))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A request and what is expected of the answer."""

    request: Request
    first: tuple[str, ...]
    refused: str | None
    notes: tuple[str, ...]
    findings: tuple[str, ...]
    as_good: tuple[str, ...]
    near: tuple[str, ...]
    missed: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    name: str
    title: str
    why: str
    disks: tuple[Disk, ...]
    asks: tuple[Ask, ...]


def read_case(path: Path) -> Case:
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    assert document.keys() <= {"title", "why", "disks", "host", "change", "ask"}, path
    disks = list(read_typed([document["disks"]]).disks)
    # Disks that are there: each has a name, a path and a serial of its own.
    disks = [_there(disk, number) for number, disk in enumerate(disks, start=1)]
    for change in document.get("change", ()):
        _change(disks, dict(change))
    host = _host(document.get("host", {}))
    asks = tuple(_ask(dict(ask), tuple(disks), host) for ask in document["ask"])
    return Case(name=path.stem, title=document["title"], why=document.get("why", ""), disks=tuple(disks), asks=asks)


def _there(disk: Disk, number: int) -> Disk:
    serial = f"SN{number:04d}"
    return replace(
        disk,
        key=serial,
        serial=serial,
        path=f"/dev/disk{number:03d}",
        by_id=(f"ata-MODEL_{serial}",),
        model=disk.model or "MODEL",
        health=Health.GOOD,
        planned=False,
        notes=(),
    )


def _change(disks: list[Disk], change: dict[str, Any]) -> None:
    first, last = change.pop("disks", (change.get("disk"), change.get("disk")))
    change.pop("disk", None)
    for number in range(first, last + 1):
        disks[number - 1] = replace(disks[number - 1], **{name: _value(name, v) for name, v in change.items()})


def _value(name: str, value: Any) -> Any:
    if name == "uses":
        pairs = (text.partition(": ") for text in value)
        return tuple(Use(kind=UseKind(kind), detail=detail) for kind, _, detail in pairs)
    if name == "lba_formats":
        return tuple(LbaFormat(data_bytes=size, current=at == 0) for at, size in enumerate(value))
    if name == "by_id":
        return tuple(value)
    if value == "unknown":
        return None
    kinds: dict[str, Any] = {"health": Health, "media": Media}
    return kinds[name](value) if name in kinds else value


def _host(entry: dict[str, Any]) -> Host:
    controllers = tuple(Controller(name=name) for name in entry.pop("controllers", ()))
    return Host(controllers=controllers, **entry)


def _ask(entry: dict[str, Any], disks: tuple[Disk, ...], host: Host) -> Ask:
    expected = {name: entry.pop(name, None) for name in _EXPECTED}
    assert (expected["first"] is None) is not (expected["refused"] is None), "a case expects a choice or a refusal"
    version = entry.pop("zfs", "2.3.2")
    workload = {name: entry.pop(name) for name in list(entry) if name in DETAILS}
    if "sharing" in workload:
        workload["sharing"] = Sharing(workload["sharing"])
    goal, presets = Goal(entry.pop("goal")), _several(entry.pop("preset", None))
    entry["allow"] = tuple(Allowance(name) for name in entry.get("allow", ()))
    assert entry.keys() <= _BUDGET, f"unknown: {entry.keys() - _BUDGET}"
    if "money" in entry:
        entry["money"] = parse_money(entry["money"])
    request = Request(
        disks=disks,
        workload=replace(apply_preset(Workload(goal=goal), *map(preset, presets)), **workload),
        budget=Budget(**entry),
        version=ZfsVersion.parse(version),
        host=host,
        drives=load_drive_book(),
    )
    return Ask(
        request=request,
        first=_several(expected["first"]),
        refused=expected["refused"],
        notes=tuple(expected["notes"] or ()),
        findings=tuple(expected["findings"] or ()),
        as_good=tuple(expected["as_good"] or ()),
        near=tuple(expected["near"] or ()),
        missed=expected["missed"],
    )


def _several(words: str | list[str] | None) -> tuple[str, ...]:
    return () if words is None else (words,) if isinstance(words, str) else tuple(words)
