"""Calls of the TrueNAS API (middleware 24.10 to 26): pool.create, pool.dataset.create; and what is left to do.

After the published schemas of these methods. TrueNAS names disks ``sda``, which changes; the calls therefore hold
``serial:…``, which TrueNAS refuses until a command that stands in the document has put today's names in their place.
"""

import json
from collections.abc import Iterator

from poolwright.domain.action import CreateDataset, CreatePool, Creation, SetProperty
from poolwright.domain.design import Design, Setting, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.encryption import KEY_PROPERTIES, encryption_roots
from poolwright.domain.setting_problems import fixed_settings
from poolwright.domain.shown import json_escaped, shown_text
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.emit.commands import plan_actions
from poolwright.emit.names import Stamp, quote
from poolwright.emit.script import by_pool, exact, has_partitions, plain_serial, refuse
from poolwright.texts import _

LONGEST_POOL_NAME = 50
ASHIFT = 12  # what TrueNAS gives every pool
_SECTIONS = (VdevClass.DATA, VdevClass.SPECIAL, VdevClass.DEDUP, VdevClass.LOG, VdevClass.CACHE)
# Properties of pool.dataset.create and .update, by their names in zfs; values are written in capitals.
_WORDS = frozenset([
    "compression", "atime", "sync", "checksum", "dedup", "snapdir", "exec", "readonly", "acltype", "aclmode",
    "casesensitivity", "recordsize", "volblocksize",
])  # fmt: skip
_NUMBERS = frozenset(["copies", "quota", "refquota", "reservation", "refreservation", "special_small_blocks"])
_OTHER_NAMES = {"dedup": "deduplication", "special_small_blocks": "special_small_block_size"}
_ACL_TYPES = {"posixacl": "POSIX", "posix": "POSIX", "nfsv4": "NFSV4", "off": "OFF", "noacl": "OFF"}
# What pool.create gives every pool by itself (middleware, plugins/pool_/pool.py: do_create).
_GIVEN = frozenset([("autoexpand", "on"), ("xattr", "sa"), ("aclinherit", "passthrough")])
_DRAID_RECORDS = "1M"  # and the records of one with dRAID
Call = dict[str, object]


def truenas_problems(design: Design) -> Iterator[str]:
    if has_partitions(design):
        yield _("TrueNAS partitions disks itself: a disk cannot be shared by vdevs")
    if design.reserve:
        # TrueNAS made 2 GiB of swap on each data disk up to 24.04.0, and makes none since.
        yield _("pool.create takes whole disks and reserves nothing beside the data")
    for pool in design.pools():
        for problem in (*_pool_problems(pool), *_creation_problems(pool)):
            yield _("Pool {pool}: {problem}", pool=pool.pool_name, problem=problem)
    serials = []
    for disk in design.used_disks():
        serials.append(plain_serial(disk))
        if not serials[-1]:
            label = shown_text(disk.label)
            yield _("{disk} has no known serial number, by which TrueNAS could be told it", disk=label)
    for serial in sorted({s for s in serials if s and serials.count(s) > 1}):
        yield _("two disks have the serial number {serial}", serial=shown_text(serial))


def _pool_problems(pool: Design) -> Iterator[str]:
    if pool.ashift != ASHIFT:
        yield _("TrueNAS always takes ashift {ashift}, the design has {own}", ashift=ASHIFT, own=pool.ashift)
    if len(pool.pool_name) > LONGEST_POOL_NAME:
        yield _(
            "A pool name has at most {most} characters, this one has {count}",
            most=LONGEST_POOL_NAME,
            count=len(pool.pool_name),
        )
    data = {f"{v.kind.value}{v.parity or ''}".upper() for v in pool.vdevs if v.vdev_class is VdevClass.DATA}
    if len(data) > 1:
        kinds = ", ".join(sorted(data))
        yield _("all data vdevs must be of one type there, the design has {kinds}", kinds=kinds)
    for vdev in pool.vdevs:
        grouped = vdev.kind in (VdevKind.RAIDZ, VdevKind.DRAID)
        if grouped and vdev.vdev_class is not VdevClass.DATA:
            yield _("a {what} vdev is a mirror or single disks there", what=vdev.vdev_class.value)


# What can only be given at creation and is not said to pool.dataset.create: no command mends it later.
def _creation_problems(pool: Design) -> Iterator[str]:
    names = {s.name for dataset in pool.datasets for s in fixed_settings(pool, dataset) if s.value != "off"}
    if encrypted := ", ".join(pool.full_name(root.dataset) for root in encryption_roots(pool)):
        yield _("TrueNAS makes and keeps the keys of {datasets} itself", datasets=encrypted)
    for name in sorted(names - _WORDS - {"encryption", *KEY_PROPERTIES}):
        yield _("{property} is given at creation only, and TrueNAS has no word for it", property=name)


def truenas_document(design: Design, stamp: Stamp) -> str:
    """Return one JSON document: ``calls`` in order, ``disks``, ``how``, and ``afterwards``: commands for the rest.

    Raises Refusal with every reason where the layout cannot be said (`truenas_problems`).
    """
    todo = _("Change the design, or use the guarded script.")
    refuse(design, _("The TrueNAS API"), truenas_problems(design), todo=todo)
    calls: list[Call] = []
    left: list[dict[str, str]] = []
    for actions in by_pool(plan_actions(design)):
        made, rest = _pool(design, actions)
        calls += made
        left += rest
    names = [pool.pool_name for pool in design.pools()]
    document = {
        "kind": "poolwright-truenas",
        "design": shown_text(design.name),
        "written": _("{when} by Poolwright {version}", when=stamp.generated_at, version=stamp.program_version),
        "how": _how(names[0]),
        "disks": [
            {"name": _named(disk), "model": shown_text(disk.model or ""), "size_bytes": disk.size_bytes}
            for disk in design.used_disks()
        ],
        "calls": calls,
        "afterwards": left,
    }
    return json_escaped(json.dumps(document, indent=2, ensure_ascii=False)) + "\n"


def _how(name: str) -> list[str]:
    put = (
        """jq --argjson have "$(midclt call disk.query)" '"""
        """(reduce $have[] as $d ({}; .["serial:" + (($d.serial // "") | gsub("[_\\\\s]"; ""))] += [$d.name])) """
        """as $names | .calls |= walk(if type == "string" and startswith("serial:") then . as $s | $names[.] // [] | """
        """if length == 1 then .[0] else error("\\(length) disks have " + $s) end else . end)' """
        f"{name}.truenas.json > {name}.here.json"
    )  # for machines
    job = """(if .method == "pool.create" then ["-j"] else [] end)"""  # for machines
    words = f"{job} + [.method] + (.params | map(tojson))"  # for machines
    loop = """while IFS= read -r words; do eval "midclt call $words" || break; done"""  # for machines
    return [
        _("On the TrueNAS machine, as root. First put today's device names in place of the serial numbers:"),
        put,
        _("Then make the calls one after the other; pool.create is a job and waited for:"),
        f"jq -r '.calls[] | {words} | @sh' {name}.here.json | {loop}",  # for machines
        _("midclt asks nothing and pool.create erases the disks. Compare serial numbers and sizes of “disks” first."),
    ]


def _named(disk: Disk) -> str:
    return f"serial:{plain_serial(disk)}"


def _pool(design: Design, actions: tuple[Creation, ...]) -> tuple[list[Call], list[dict[str, str]]]:
    create = actions[0]
    assert isinstance(create, CreatePool)
    root = _root(create)
    payload: dict[str, object] = {"name": create.pool, "topology": _topology(design, create)}
    if "checksum" in root:
        payload["checksum"] = root.pop("checksum").value.upper()
    if "dedup" in root:
        payload["deduplication"] = root.pop("dedup").value.upper()
    calls: list[Call] = [{"method": "pool.create", "params": [payload]}]
    left: list[dict[str, str]] = []
    for setting in create.pool_settings:
        if setting.name == "autotrim":
            left.append(_autotrim(create.pool, setting))
        elif (setting.name, setting.value) not in _GIVEN:
            left.append(_left(create.pool, "zpool", setting))
    said, rest = _properties(tuple(root.values()), volume=False)
    left += [_left(create.pool, "zfs", s) for s in rest]
    if create.mountpoint is not None:
        left.append(_left(create.pool, "zfs", Setting(name="mountpoint", value=create.mountpoint)))
    if said:
        calls.append({"method": "pool.dataset.update", "params": [create.pool, said]})
    for action in actions[1:]:
        if isinstance(action, CreateDataset):
            said, rest = _properties(action.settings, volume=action.volume_bytes is not None)
            kind: dict[str, object] = {"name": action.name, "type": "FILESYSTEM"}
            if action.volume_bytes is not None:
                kind |= {"type": "VOLUME", "volsize": action.volume_bytes}
            calls.append({"method": "pool.dataset.create", "params": [kind | said]})
            left += [_left(action.name, "zfs", s) for s in rest]
        elif isinstance(action, SetProperty):
            left.append(_left(create.pool, "zpool", action.setting))
    return calls, left


def _root(create: CreatePool) -> dict[str, Setting]:
    """Return what the root dataset is to be told, for it has some of it from the beginning."""
    root = {s.name: s for s in create.root_settings if (s.name, s.value) not in _GIVEN}
    if any(vdev.kind is VdevKind.DRAID for vdev in create.vdevs):
        records = root.setdefault("recordsize", Setting(name="recordsize", value="128K"))
        if records.value == _DRAID_RECORDS:
            del root["recordsize"]
    return root


def _left(name: str, tool: str, setting: Setting, command: str | None = None) -> dict[str, str]:
    command = command or f"{tool} set {quote(f'{setting.name}={setting.value}')} {quote(name)}"
    return {"name": name, "property": setting.name, "value": setting.value, "command": command}


# The API sets it by the number of the pool, which is known once it exists.
def _autotrim(pool: str, setting: Setting) -> dict[str, str]:
    query = f"""midclt call pool.query '[["name", "=", "{pool}"]]' '{{"get": true}}' | jq .id"""  # for machines
    said = json.dumps({"autotrim": setting.value.upper()})
    return _left(pool, "zpool", setting, f"midclt call -j pool.update $({query}) '{said}'")  # for machines


# What the API takes, and the settings that it has no word for.
def _properties(settings: tuple[Setting, ...], *, volume: bool) -> tuple[dict[str, object], list[Setting]]:
    said: dict[str, object] = {}
    rest: list[Setting] = []
    for setting in settings:
        name, value = setting.name, setting.value
        if name == "acltype" and value in _ACL_TYPES:
            said["acltype"] = _ACL_TYPES[value]
        elif name in _NUMBERS and exact(value).isdigit():
            said[_OTHER_NAMES.get(name, name)] = int(exact(value))
        elif name in _WORDS and not (volume and name in ("recordsize", "atime", "acltype", "aclmode")):
            said[_OTHER_NAMES.get(name, name)] = value.upper()
        else:
            rest.append(setting)
    return said, rest


def _topology(design: Design, create: CreatePool) -> dict[str, object]:
    found: dict[str, object] = {}
    for section in _SECTIONS:
        vdevs = [_vdev(design, v) for v in create.vdevs if v.vdev_class is section]
        if vdevs:
            found[section.value] = vdevs
    spares = [_named(design.disk(key)) for v in create.vdevs if v.vdev_class is VdevClass.SPARE for key in v.keys]
    if spares:
        found["spares"] = spares
    return found


def _vdev(design: Design, vdev: Vdev) -> dict[str, object]:
    disks, word = [_named(design.disk(key)) for key in vdev.keys], vdev.zpool_word or "stripe"
    if vdev.kind is not VdevKind.DRAID:
        return {"type": word.upper(), "disks": disks}
    head, data, __, spares = word.split(":")
    counts = {"draid_data_disks": int(data.rstrip("d")), "draid_spare_disks": int(spares.rstrip("s"))}
    return {"type": head.upper(), "disks": disks, **counts}
