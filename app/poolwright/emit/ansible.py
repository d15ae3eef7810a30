"""An Ansible playbook that builds the design: community.general's zpool (11.0 or newer) and zfs modules behind checks.

The zpool module compares a pool that exists with by-id names it never sees, and would add every vdev again: it is
called only where the pool does not exist.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from poolwright.domain.action import CreateDataset, CreatePool, Creation, SetProperty
from poolwright.domain.design import Design, Vdev
from poolwright.domain.encryption import encryption_roots
from poolwright.domain.shown import yaml_escaped
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.emit.commands import plan_actions
from poolwright.emit.names import Stamp, comment, comment_line, commented
from poolwright.emit.script import by_pool, exact_settings, has_partitions, plain_serial, refuse
from poolwright.texts import _

# Values as YAML that any reader takes back unchanged: every text quoted, nothing left to guess.

Scalar = str | int | bool


@dataclass(frozen=True, slots=True)
class JinjaText:
    """A text that is meant for Jinja; all other texts are kept from it."""

    text: str


Value = Scalar | JinjaText | Sequence["Value"] | Mapping[str, "Value"]


def yaml_lines(value: Value, indent: int = 0) -> list[str]:
    pad = " " * indent
    if isinstance(value, Mapping):
        lines: list[str] = []
        for key, item in value.items():
            lines += _entry(f"{pad}{_key(key)}:", item, indent + 2)
        return lines
    assert isinstance(value, Sequence)
    assert not isinstance(value, str)
    lines = []
    for item in value:
        if isinstance(item, Mapping) and item:
            first, *rest = yaml_lines(item, indent + 2)
            lines += [f"{pad}- {first.lstrip()}", *rest]
        else:
            lines += _entry(f"{pad}-", item, indent + 2)
    return lines


def _entry(front: str, item: Value, indent: int) -> list[str]:
    if isinstance(item, str | int | JinjaText):
        return [f"{front} {_scalar(item)}"]
    if not item:
        return [f"{front} {'{}' if isinstance(item, Mapping) else '[]'}"]
    return [front, *yaml_lines(item, indent)]


def _key(key: str) -> str:
    bare = key.replace("_", "").replace(".", "")
    return key if bare.isascii() and bare.isalnum() and not key[0].isdigit() else _quoted(key)


def _scalar(value: Scalar | JinjaText) -> str:
    if isinstance(value, JinjaText):
        return _quoted(value.text)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    # Without the tag Ansible would evaluate what stands in double braces.
    unsafe = "!unsafe " if any(mark in value for mark in ("{{", "{%", "{#")) else ""
    return unsafe + _quoted(value)


def _quoted(text: str) -> str:
    # YAML 1.1 takes no C1 controls and breaks lines at U+0085; nobody sees what only turns the direction of a line.
    return yaml_escaped(json.dumps(text, ensure_ascii=False))


_UDEV_SERIAL = r"(?m)^(?:ID_SERIAL_SHORT|ID_SCSI_SERIAL|SCSI_IDENT_SERIAL)=(.*)$"
# Stands in a text where Jinja puts a value; no text of a translation holds it.
_PLACE = "\ue000"
_LOOK: dict[str, Value] = {"changed_when": False, "check_mode": False}


def ansible_problems(design: Design) -> Iterator[str]:
    if any(vdev.kind is VdevKind.DRAID for vdev in design.all_vdevs()):
        yield _("community.general.zpool knows stripe, mirror and raidz1 to raidz3, but no dRAID")
    if has_partitions(design) or design.reserve:
        yield _(
            "community.general.parted gives partitions no type code and no GUID, so that a second run could not tell "
            "its own partitions from others"
        )
    if typed := ", ".join(p.full_name(r.dataset) for p in design.pools() for r in encryption_roots(p) if r.typed):
        yield _("a playbook cannot ask for the key of {datasets}: keep it in a file (keylocation)", datasets=typed)


def ansible_playbook(design: Design, stamp: Stamp) -> str:
    """Return the playbook; ``hosts`` is ``storage``. Raises Refusal for dRAID, partitions and as `plan_actions`.

    Every disk's size, sector size, serial number and emptiness are asserted before anything is created, also with
    ``--check``; pools and datasets that exist are left as they are.
    """
    play, names = play_of(design), ", ".join(pool.pool_name for pool in design.pools())
    head = [
        "---",
        comment_line(
            _("Playbook of the design “{design}”: creates {pools}.", design=comment(design.name), pools=names)
        ),
        *commented(stamp.words),
        *commented(
            _(
                "Needs ansible-galaxy collection install community.general (11.0 or newer), and the machine in "
                "the group storage. Try it first with --check: the disks are checked, zpool create only "
                "rehearses."
            )
        ),
    ]
    return "\n".join([*head, *yaml_lines([play]), ""])


def play_of(design: Design) -> dict[str, Value]:
    """Return the play as values; raises as `ansible_playbook`."""
    refuse(design, _("Ansible playbook"), ansible_problems(design), todo=_("Use the guarded script."))
    pools = by_pool(plan_actions(design))
    names = ", ".join(pool.pool_name for pool in design.pools())
    return {
        "name": _("Build {pools}", pools=names),
        "hosts": "storage",
        "become": True,
        "gather_facts": False,
        "vars": {"poolwright_disks": _disks(design)},
        "tasks": [*_looks(), *_look_for_keys(design), *(task for pool in pools for task in _pool_tasks(pool))],
    }


def _disks(design: Design) -> list[Value]:
    found: list[Value] = []
    used = {pool.pool_name: {m.disk_key for vdev in pool.vdevs for m in vdev.members} for pool in design.pools()}
    for disk in design.used_disks():
        entry: dict[str, Value] = {"name": disk.by_id_name or "", "size_bytes": disk.size_bytes or 0}
        if disk.logical_sector_bytes is not None:
            entry["sector_bytes"] = disk.logical_sector_bytes
        if serial := plain_serial(disk):
            entry["serial"] = serial
        entry["pools"] = [name for name, keys in used.items() if disk.key in keys]
        found.append(entry)
    return found


# A task that only reads, also with ``--check``.
def _look(name: str, register: str, *argv: Value, **more: Value) -> dict[str, Value]:
    return {"name": name, "ansible.builtin.command": {"argv": list(argv)}, "register": register, **more, **_LOOK}


def _assert(name: str, that: list[Value], fail_msg: Value, **more: Value) -> dict[str, Value]:
    return {"name": name, "ansible.builtin.assert": {"that": that, "fail_msg": fail_msg, "quiet": True}, **more}


# The tasks that read the machine and refuse disks that are not those of the design.
def _looks() -> list[dict[str, Value]]:
    path = JinjaText("/dev/disk/by-id/{{ item.name }}")
    loop: dict[str, Value] = {
        "loop": JinjaText("{{ poolwright_disks }}"),
        "loop_control": {"label": JinjaText("{{ item.name }}")},
    }
    pools, datasets = _("Look which pools are there"), _("Look which datasets are there")
    sizes, serials = _("Read size and sectors of every disk"), _("Read the serial number of every disk")
    contents = _("Look for anything on the disks of pools to be created")
    lsblk = ("lsblk", "--json", "--bytes", "--nodeps", "--output", "SIZE,LOG-SEC,SERIAL,TYPE")
    new = "item.pools | intersect(poolwright_existing.stdout_lines) | length == 0"  # for machines
    name = JinjaText(f"--name={path.text}")
    return [
        _look(pools, "poolwright_existing", "zpool", "list", "-H", "-o", "name"),
        _look(datasets, "poolwright_datasets", "zfs", "list", "-H", "-o", "name"),
        _look(sizes, "poolwright_seen", *lsblk, path, **loop),
        _look(serials, "poolwright_udev", "udevadm", "info", "--query=property", name, **loop),
        _assert_identity(),
        _look(contents, "poolwright_contents", "wipefs", "--no-act", path, when=new, **loop),
        _assert(
            _("Refuse disks that are not empty"),
            ["item.stdout | length == 0"],  # for machines
            _failure(_("{disk} is not empty. Nothing was changed.", disk=_PLACE), "item.item.name"),
            loop=JinjaText("{{ poolwright_contents.results | rejectattr('skipped', 'defined') }}"),  # for machines
            loop_control={"label": JinjaText("{{ item.item.name }}")},
        ),
    ]


# ``text`` with the Jinja expression ``value`` at its place; whatever else it holds is kept from Jinja.
def _failure(text: str, value: str) -> JinjaText:
    before, place, after = text.partition(_PLACE)
    parts = [f"{{{{ {_jinja_text(before)} }}}}" if "{" in before else before]
    parts += [f"{{{{ {value} }}}}"] if place else []
    parts.append(f"{{{{ {_jinja_text(after)} }}}}" if "{" in after else after)
    return JinjaText("".join(parts))


def _jinja_text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


# The tasks that refuse to begin without the files that hold keys; raw keys have exactly 32 bytes.
def _look_for_keys(design: Design) -> list[dict[str, Value]]:
    roots = [root for pool in design.pools() for root in encryption_roots(pool) if root.key_file]
    if not roots:
        return []
    paths: list[Value] = [root.key_file or "" for root in roots]
    sizes: dict[str, Value] = {root.key_file or "": 32 for root in roots if root.keyformat == "raw"}
    open_key = _("{file} is not a key that only root can read. Nothing was changed.", file=_PLACE)
    owned = "item.stat.exists and item.stat.isreg and item.stat.uid == 0"  # for machines
    wanted = "poolwright_key_sizes[item.item] | default(item.stat.size)"  # for machines
    return [
        {
            "name": _("Look for the files that hold keys"),
            "ansible.builtin.stat": {"path": JinjaText("{{ item }}")},
            "loop": paths,
            "register": "poolwright_keys",
        },
        _assert(
            _("Refuse to begin without a key, or with one that others can read"),
            [owned, f"item.stat.size == {wanted}", "item.stat.mode[-2:] == '00'"],
            _failure(open_key, "item.item"),
            vars={"poolwright_key_sizes": sizes},
            loop=JinjaText("{{ poolwright_keys.results }}"),
            loop_control={"label": JinjaText("{{ item.item }}")},
        ),
    ]


def _assert_identity() -> dict[str, Value]:
    wanted = "item.0.item"
    sectors = "poolwright_disk['log-sec'] | int"  # for machines
    return _assert(
        _("Refuse disks that are not those of the design"),
        [
            "poolwright_disk.type == 'disk'",
            f"poolwright_disk.size | int == {wanted}.size_bytes",  # for machines
            f"{sectors} == {wanted}.sector_bytes | default({sectors})",  # for machines
            f"{wanted}.serial is not defined or {wanted}.serial in poolwright_serials",  # for machines
        ],
        _failure(_("{disk} is not the disk of the design. Nothing was changed.", disk=_PLACE), "item.0.item.name"),
        vars={
            "poolwright_disk": JinjaText("{{ (item.0.stdout | from_json).blockdevices[0] }}"),  # for machines
            "poolwright_told": JinjaText(f"{{{{ item.1.stdout | regex_findall('{_UDEV_SERIAL}') }}}}"),  # for machines
            "poolwright_serials": JinjaText(
                "{{ [poolwright_told, poolwright_disk.serial | default('', true)] | flatten"
                " | map('regex_replace', '[_\\\\s]', '') }}"  # for machines
            ),
        },
        loop=JinjaText("{{ poolwright_seen.results | zip(poolwright_udev.results) | list }}"),  # for machines
        loop_control={"label": JinjaText("{{ item.0.item.name }}")},
    )


def _pool_tasks(actions: tuple[Creation, ...]) -> Iterator[dict[str, Value]]:
    create = actions[0]
    assert isinstance(create, CreatePool)
    exists = f"'{create.pool}' in poolwright_existing.stdout_lines"  # for machines
    missing = f"'{create.pool}' not in poolwright_existing.stdout_lines"  # for machines
    read = _("Read the vdevs of {pool}", pool=create.pool)
    yield _look(read, "poolwright_status", "zpool", "status", "-P", create.pool, when=exists)
    yield _assert(
        _("Refuse another pool called {pool}", pool=create.pool),
        [f"'{one.path}' in poolwright_status.stdout" for v in create.vdevs for one in v.members],  # for machines
        _("There is a pool {pool} on other disks. Nothing was changed.", pool=create.pool),
        when=exists,
    )
    yield {
        "name": _("Create the pool {pool}", pool=create.pool),
        "community.general.zpool": _zpool(create),
        "when": missing,
    }
    for action in actions[1:]:
        if isinstance(action, CreateDataset):
            # The module would set volblocksize again, which nobody can; and in check mode the new pool is not there.
            new = f"'{action.name}' not in poolwright_datasets.stdout_lines"  # for machines
            there = f"not ansible_check_mode or {exists}"  # for machines
            yield {**_dataset(action), "when": [new, there]}
        elif isinstance(action, SetProperty):
            words = f"{action.setting.name}={action.setting.value}"
            yield {
                "name": _("Set {property} of {name}", property=action.setting.name, name=create.pool),
                "ansible.builtin.command": {"argv": ["zpool", "set", words, create.pool]},
                "when": missing,
                "changed_when": True,
            }


def _zpool(create: CreatePool) -> dict[str, Value]:
    made: dict[str, Value] = {
        "name": create.pool,
        "pool_properties": {"ashift": str(create.ashift), **exact_settings(create.pool_settings)},
    }
    if create.root_settings:
        made["filesystem_properties"] = exact_settings(create.root_settings)
    if create.mountpoint is not None:
        made["mountpoint"] = create.mountpoint
    if create.force:
        made["force"] = True
    made["vdevs"] = [_vdev(vdev) for vdev in create.vdevs]
    return made


def _vdev(vdev: Vdev) -> dict[str, Value]:
    role: dict[str, Value] = {} if vdev.vdev_class is VdevClass.DATA else {"role": vdev.vdev_class.value}
    return {**role, "type": vdev.zpool_word or "stripe", "disks": [member.path or "" for member in vdev.members]}


def _dataset(action: CreateDataset) -> dict[str, Value]:
    properties: dict[str, Value] = dict(exact_settings(action.settings))
    if action.volume_bytes is not None:
        properties = {"volsize": str(action.volume_bytes), **properties}
    module: dict[str, Value] = {"name": action.name, "state": "present"}
    if properties:
        module["extra_zfs_properties"] = properties
    return {"name": _("Create {dataset}", dataset=action.name), "community.general.zfs": module}
