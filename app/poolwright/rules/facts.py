"""What rules may ask about: every fact with its full name and its kind, and how what was typed or read becomes one.

Facts are named in `rules/data/facts.toml`, computed in Python and judged in `rules/*.toml`. One that may be unknown has
words for where it is missing. Facts that a model predicts or only a whole design settles (its name, settings, which
disk goes where) come later than the layout: a rule that meets one before it exists does not apply.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from poolwright.domain.errors import UserError
from poolwright.domain.finding import FactValue
from poolwright.domain.host import Controller, ControllerKind, Host
from poolwright.domain.pool_settings import import_target
from poolwright.domain.units import KIB, MIB
from poolwright.domain.version import ZfsVersion, known_system
from poolwright.domain.workload import Allowance, Budget, Workload
from poolwright.rules.presets import TRAITS, preset, presets_of
from poolwright.shipped import shipped
from poolwright.texts import _


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A fact's full name, its kind (``str``, ``int``, ``float`` or ``bool``), and whether it may be unknown."""

    name: str
    kind: type
    optional: bool = False
    later: bool = False
    words: str = ""

    @property
    def shown(self) -> str:
        """Return what a person calls it; what is always known, by the name that rules give it."""
        return _(self.words) if self.words else self.name.removesuffix(".label").rpartition(".")[2].replace("_", " ")


def _facts() -> dict[str, Fact]:
    known = shipped("facts")
    kinds: dict[str, type] = {"str": str, "int": int, "float": float, "bool": bool}
    found = [Fact(name="goal", kind=str), *(Fact(name=f"workload.{trait}", kind=bool) for trait in TRAITS)]
    for part, names_of in known["always"].items():
        found += [Fact(name=f"{part}.{n}", kind=kinds[kind]) for kind, names in names_of.items() for n in names.split()]
    for later in (False, True):
        for entry in known["later" if later else "optional"]:
            kind, words = kinds[entry["kind"]], entry.get("as_is") or entry["title"]
            found.append(Fact(name=entry["name"], kind=kind, words=words, optional=True, later=later))
    found += [Fact(name=flag, kind=bool) for flag in _FLAGS.values()]
    return {fact.name: fact for fact in found}


# Of facts that may be unknown, those that say whether they are known.
_FLAGS = {
    entry["name"]: f"{entry['name'].partition('.')[0]}.{entry['known']}"
    for entry in shipped("facts")["optional"]
    if "known" in entry
}
FACTS = _facts()

_ALWAYS = frozenset({"goal", "workload", "budget", "host", "pool"})
# Which parts a rule of each scope may ask about.
SCOPE_PARTS = {
    "pool": _ALWAYS,
    "data_vdev": _ALWAYS | {"vdev"},
    "support_vdev": _ALWAYS | {"vdev"},
    "disk": _ALWAYS | {"disk"},
    "dataset": _ALWAYS | {"dataset"},
    "host": _ALWAYS,
    "existing": frozenset({"goal", "workload", "budget", "host", "existing"}),
}


class UnknownFact(Exception):
    """Nobody knows a fact; the text is its full name."""


class Facts(dict[str, FactValue]):
    """What is known of one subject, by full names: asked for anything else, it raises UnknownFact."""

    def __missing__(self, name: str) -> FactValue:
        raise UnknownFact(name)


def only_known(found: Mapping[str, FactValue]) -> Facts:
    """Return what is not None of these facts, and of those that may be unknown whether they are."""
    facts = Facts({name: value for name, value in found.items() if value is not None})
    facts.update({flag: name in facts for name, flag in _FLAGS.items() if name in found})
    return facts


# Facts of workload, budget and host: what was typed or read, in the words of the rules.

# Names under which controllers that hide their disks behind arrays appear; plain HBAs (SAS2008, 9300-8e) do not match.
_RAID = re.compile(
    r"megaraid|smart ?array|\bperc\b|raid bus controller|serveraid|areca|3ware|\badaptec\b.*raid", re.IGNORECASE
)
# Details of a workload that rules ask for as they were typed.
_TYPED = (
    "read_percent", "sequential_percent", "io_size_bytes", "sync_write_percent", "clients", "typical_file_bytes",
    "compressible", "duplicate_factor", "working_set_bytes", "volumes",
)  # fmt: skip


def facts_of(workload: Workload, budget: Budget, host: Host, version: ZfsVersion, *, use: str | None = None) -> Facts:
    """Return what every rule may ask of a pool made by OpenZFS ``version``: goal, workload, budget and host."""
    # A system that knows as much as this OpenZFS or more can import every pool of it: there is nothing to keep to.
    system = budget.import_on
    asked = only_known({
        "goal": workload.goal.value,
        "budget.least_usable_bytes": budget.wanted_bytes,
        "budget.import_on": None if system and _knows_all(system, version) else system,
        "budget.smr_behind_parity": Allowance.SHINGLED in budget.allow,
    })  # fmt: skip
    return Facts({**asked, **workload_facts(workload, use), **host_facts(host, version, workload)})


def workload_facts(workload: Workload, use: str | None = None) -> Facts:
    """Return the facts of a workload; ``use`` says what the data of one dataset are, otherwise its preset does."""
    # A typical block is a typical I/O, within what records are, or the default recordsize.
    block = 128 * KIB if workload.io_size_bytes is None else min(max(workload.io_size_bytes, 4 * KIB), MIB)
    named = use if use is not None else (workload.preset or "")
    kind = preset(named)
    return only_known({
        **{f"workload.{name}": getattr(workload, name) for name in _TYPED},
        "workload.sharing": workload.sharing.value if workload.sharing else None,
        "workload.use": named,
        "workload.recordsize": "" if kind is None else kind.recordsize,
        "workload.with_programs": any("served" not in chosen.traits for chosen in presets_of(workload)),
        **{f"workload.{trait}": kind is not None and trait in kind.traits for trait in TRAITS},
        "workload.block_bytes": block,
    })  # fmt: skip


def with_workload(facts: Facts, workload: Workload, use: str | None) -> Facts:
    """Return the facts with those of this workload instead of another's, what is unknown of it among them."""
    others = {name: value for name, value in facts.items() if not name.startswith("workload.")}
    return Facts({**others, **workload_facts(workload, use)})


def _knows_all(system: str, version: ZfsVersion) -> bool:
    try:
        there = ZfsVersion.parse(import_target(system).zfs or system)
    except UserError:
        return False
    return (there.major, there.minor) > (version.major, version.minor)


_SYSTEMS = (("truenas", "truenas"), ("freebsd", "freebsd"), ("os x", "macos"), ("macos", "macos"))


def _system(host: Host) -> str | None:
    """Return the kind of system of a host: TrueNAS is named before what it is built on, all else is Linux."""
    if host.os_name is None:
        return None
    name = host.os_name.lower()
    if "truenas" in (host.kernel or "") and known_system(host.os_name) is None:
        return "truenas"
    return next((kind for word, kind in _SYSTEMS if word in name), "linux")


def _makes_arrays(controller: Controller) -> bool:
    """Tell whether a controller hides its disks: by what was seen behind it, else by its name."""
    if controller.kind is not None:
        return controller.kind is ControllerKind.RAID
    return _RAID.search(controller.name) is not None


def host_facts(host: Host, version: ZfsVersion, workload: Workload | None = None) -> Facts:
    """Return the facts of a host that runs OpenZFS ``version``; a network speed typed for the workload comes first.

    ``raid_controller`` names controllers with arrays of their own, ``passing_controller`` RAID controllers behind which
    only plain drives were seen; where there is none they are “none”.
    """
    typed = workload.network_bytes_per_second if workload else None
    raid = ", ".join(controller.name for controller in host.controllers if _makes_arrays(controller))
    passing = ", ".join(c.name for c in host.controllers if c.kind is ControllerKind.PASSING)
    system = host.system
    return only_known({
        "host.ram_bytes": host.ram_bytes,
        "host.ups": host.ups,
        "host.raid_controller": raid or ("none" if host.controllers else None),
        "host.passing_controller": passing or "none",
        "host.system": _system(host),
        "host.distribution": system.kind if system else "",
        "host.install": system.install if system and not host.has_zfs else "",
        "host.network_bytes_per_second": typed if typed is not None else host.network_bytes_per_second,
        "host.zfs": str(version),
    })  # fmt: skip
